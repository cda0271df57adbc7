/* SPDX-License-Identifier: MIT */
/*
 * timeline.h: the contract of xpti/timeline, the room of libtracelayer-xpti-timeline.so.
 *
 * The library is a subscriber of the XPTI framework: it shows every stream as lanes of the
 * process's trace. `tracelayer run --xpti` adds it. It offers the three functions of a subscriber
 * (tracelayer/xpti.h) and nothing else; no room includes a header of this room.
 *
 * The dispatcher calls it in any thread that notifies, also in a forked child; never in a signal
 * handler. The library calls the dispatcher's functions, and records by
 * layer/program/xpti_events.h, which libtracelayer.so exports. It also uses format/args (checked
 * copies of memory) and common (text).
 *
 * A begin and its end become a slice on the stream's lane of the thread that began. Everything else
 * becomes an instant there. Names and places in the code are numbers of strings. Arrows join the
 * runs of nodes, along the edges that a stream has announced.
 *
 * The library reads events through the framework's functions, which check whether a pointer leads
 * to an event. It reads user data only where the type says what that is.
 *
 * Inside, from the ground to the roof:
 *
 * 	timeline_state.h	the state that all files share
 * 	timeline_types.h	what types are called, and what becomes of them
 * 	timeline_places.h	numbers of names and of places in the code
 * 	timeline_lanes.h	which lane a slice goes to
 * 	timeline_edges.h	edges, the runs of nodes, and arrows
 * 	timeline_args.h		the arguments of an event
 * 	timeline_submissions.h	arrows from tasks to the calls that give work to a device
 * 	timeline_slices.h	recording slices and instants
 * 	timeline_open.h		what has begun and not ended, by thread
 * 	timeline_notified.h	what a notification becomes
 * 	timeline_subscriber.c	the callbacks, and the functions of a subscriber
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_H
#define TL_XPTI_TIMELINE_TIMELINE_H

#endif
