/* SPDX-License-Identifier: MIT */
/*
 * annotations.h: the contract of annotations, the room of libtracelayer-annotations.so.
 *
 * Programs are annotated by their authors: with NVTX, ITT or ROCTX. This library is the tool that
 * these interfaces load. It shows ranges, tasks, marks and counters on lanes of the process's trace.
 * `tracelayer run` names it in NVTX_INJECTION64_PATH and INTEL_LIBITTNOTIFY64. No room includes a
 * header of this room.
 *
 * Any thread of the program may call it, also in a forked child. A call from a signal handler that
 * has interrupted another call of it returns at once, and records nothing. The library records by
 * layer/program/xpti_events.h, which libtracelayer.so exports. It allocates no memory of the heap,
 * since a malloc may be annotated, too.
 *
 * A push and its pop become a slice on the domain's lane of the thread, when the pop comes. They
 * are a stack for each thread and domain, so slices of a lane always nest. A start and its end may
 * come from two threads, and in any order. Their slices go to lanes of the domain that belong to no
 * thread. What is open when its thread or the process ends is recorded as unfinished. Only ITT's
 * events are different: they are paired within a thread, and a start without an end is a mark.
 *
 * Inside, from the ground to the roof:
 *
 *	annotation_state.h	the state that all files share, and memory
 *	annotation_texts.h	numbers of texts
 *	annotation_domains.h	domains, and the lanes of slices
 *	annotation_threads.h	threads, and who is inside the library
 *	annotation_ranges.h	what is open, and what becomes of it
 *	annotation_events.h	events of ITT, which a thread starts and ends in any order
 *	nvtx.c, itt.c		the interfaces, by their own binary conventions
 *	roctx_ranges.c		ROCTX, whose calls the runtime passes on
 *	annotation_library.c	the start, and the ends of threads and of the process
 */
#ifndef TL_ANNOTATIONS_ANNOTATIONS_H
#define TL_ANNOTATIONS_ANNOTATIONS_H

#endif
