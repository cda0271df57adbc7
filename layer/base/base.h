/* SPDX-License-Identifier: MIT */
/*
 * base.h: the contract of layer/base: what every other room of the layer stands on.
 *
 * The layer runs inside somebody else's program: in any of its threads, in its signal handlers, in
 * children of fork that ran no handlers, and in a thread that the C library does not know of. This
 * room has what is needed for that. It knows nothing of APIs, events or trace files.
 *
 *	bounded_lock.h		a lock; a thread waits for it with a bound
 *	spin_lock.h		a lock for a fraction of a microsecond
 *	futex.h, membarrier.h	sleeping until a word changes; a barrier in all threads
 *	shared_table.h		a table that the first thread to need it maps
 *	once.h			something is done once; survives a fork
 *	raw_thread.h		a thread that the C library does not know of
 *	credentials.h		users, groups and capabilities of such a thread
 *	signal_handler.h	whether the calling thread is in a signal handler
 *	library_walk.h		dl_iterate_phdr, in a process that may be forked at any time
 *	loaded_libraries.h	the libraries that are loaded, and their scopes
 *	environment.h		the settings, as read from the environment
 *	message.h		the one line that the user may see
 *	run_report.h		the layer's word to `tracelayer run`
 *	cache_near.h		variables and functions that lie together in the caches
 *	start_page.h		variables that every start touches lie together
 *	libc/libc.h		what stands in the C library's place (a room of its own)
 *
 * Promise: nothing here allocates from the heap, and errno is kept, unless a header says otherwise.
 *
 * Who may call: every room of the layer, in any thread. Signal handlers may call all of it except
 * the spin lock, tl_loaded_is_code, and what environment.h and run_report.h have for the library's
 * start. In a forked child layer/process calls tl_library_walk_after_fork_child; the owner of a
 * bounded lock sets it to zero.
 *
 * What it uses: layer/base/libc; common and format for settings, texts, names of files and checked
 * copies of memory. It calls no room above it.
 */
#ifndef TL_LAYER_BASE_BASE_H
#define TL_LAYER_BASE_BASE_H

#include "layer/base/bounded_lock.h"
#include "layer/base/cache_near.h"
#include "layer/base/credentials.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/futex.h"
#include "layer/base/library_walk.h"
#include "layer/base/loaded_libraries.h"
#include "layer/base/membarrier.h"
#include "layer/base/message.h"
#include "layer/base/once.h"
#include "layer/base/raw_thread.h"
#include "layer/base/run_report.h"
#include "layer/base/shared_table.h"
#include "layer/base/signal_handler.h"
#include "layer/base/spin_lock.h"
#include "layer/base/start_page.h"

#endif
