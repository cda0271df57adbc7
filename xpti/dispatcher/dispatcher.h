/* SPDX-License-Identifier: MIT */
/*
 * dispatcher.h: the contract of xpti/dispatcher, the room of libtracelayer-xpti.so.
 *
 * The library implements the functions of tracelayer/xpti.h: instrumented libraries tell it what
 * they do, and it calls the subscribers. It has its own state and uses libc only; it shares nothing
 * with libtracelayer.so.
 *
 * Others reach the dispatcher through tracelayer/xpti.h: any thread may call these functions, also
 * from callbacks and in a forked child, but no signal handler may. No other room includes a header
 * of this room but warning.h, which the static proxy shares.
 *
 * The room uses format/args (checked copies of memory) and include/tracelayer. It compiles these
 * files of the layer by path (xpti/local.mk): layer/calls/exceptions.c, and what that needs of
 * layer/base: loaded_libraries.c, library_walk.c and libc/elf_image.c.
 *
 * How the room is built
 *
 * The dispatcher keeps all that it looks up in tables. Tables only grow, and each entry is
 * published by itself: strings, objects, places and slabs of trace points go into memory that is
 * never freed (pools.h). Readers then find them by number (id_table.h) or by hash (hash_trie.h).
 * So readers take no lock, and a pointer that they hold stays readable. A reset takes numbers away
 * but keeps the memory: a string that is registered again after a reset gets a new number and the
 * old address. Memory is bounded by the number of different strings, objects and places that there
 * ever were, and by the largest number of trace points that existed at one time.
 *
 * A trace point is a slot of a slab. Each slot has a generation, which is a part of the trace
 * point's uid. To check a uid, the dispatcher looks at the slot that the uid names; to check the
 * address of an event, it looks for the slab at that address. Both checks are safe for any value.
 * They find nothing once the trace point is released.
 *
 * Callbacks are kept in lists. A published list never changes, and a notification pins the list
 * that it uses (pins.h). A released trace point owns its metadata until all notifications that had
 * begun by then have ended; then the metadata is freed.
 *
 * Locks: a thread that adds an entry holds the lock of its pool; other locks protect the writers of
 * one table each. No lock is held while a callback, a subscriber or the dynamic loader runs, with
 * one exception: the life lock (dispatcher_state.h), while subscribers are loaded. framework.c's
 * fork_lock_all takes all locks before a fork, in the order in which they nest.
 *
 * Inside, from the ground to the roof:
 *
 *	dispatcher_state.h	is tracing on? the calling thread's own state, the life lock
 *	pools.h			memory that is never freed, and the locks of writers
 *	id_table.h hash_trie.h	tables by number and by hash
 *	pins.h			how notifications keep callbacks, and how others wait for them
 *	string_table.h object_table.c stream_names.h
 *				strings, objects, streams and tools, by number
 *	event_metadata.h	an event's metadata, as C++ sees it
 *	trace_points.h cxx_interfaces.h
 *				trace points, events, and their C++ interfaces
 *	stream_callbacks.h		registering callbacks, and notifying
 *	subscribers.h		the libraries that XPTI_SUBSCRIBERS names
 *	thread_values.c process_defaults.c
 *				small values of a thread, and of the process
 *	stream_life.c framework.c
 *				the begin and end of streams, and of the framework
 */
#ifndef TL_XPTI_DISPATCHER_DISPATCHER_H
#define TL_XPTI_DISPATCHER_DISPATCHER_H

#include "xpti/dispatcher/warning.h"

#endif
