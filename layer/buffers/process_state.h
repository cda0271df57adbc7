/* SPDX-License-Identifier: MIT */
/*
 * process_state.h: the process's state, for all rooms: whether the layer has started, whether this
 * process owns the memory that calls are kept in, and whether anything is recorded.
 *
 * This room keeps the state. layer/process, far above, does the work of starting, of the first
 * watched call and of forks: struct tl_process_stages leads there. That struct is linked and not
 * set at run time, because other libraries' constructors may call the layer before its own
 * constructor runs.
 *
 * All functions are async-signal-safe but tl_process_start and tl_process_begin, which do work the
 * first time.
 */
#ifndef TL_LAYER_BUFFERS_PROCESS_STATE_H
#define TL_LAYER_BUFFERS_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "format/file/trace_file.h"

/* Defined once, by layer/process/process_start.c. */
extern const struct tl_process_stages {
	void (*start)(void);	   /* read the settings, register the APIs */
	void (*begin)(void);	   /* the first watched call */
	void (*unseen_fork)(void); /* this process was forked, and no fork handler ran */
} tl_process_stages;

/* --- start and first call */

/* Start the layer, if it has not started. Cheap afterwards. */
void tl_process_start(void);
bool tl_process_is_started(void);

/*
 * At the first call that is watched: start the clock, register exit handlers, print the line about
 * wrong settings. Returns once that is done, whichever thread does it. False: the calling thread
 * itself is doing it, or tl_process_is_early_guest.
 */
bool tl_process_begin(void);
bool tl_process_has_begun(void);

/* --- whose process */

/*
 * The calls that are kept in this memory are the calling process's. False in a child that shares
 * its parent's memory (vfork), in a child made without fork handlers that has made no call yet, and
 * before the first watched call.
 */
bool tl_process_is_owner(void);

/* This memory was loaded in the calling process, or copied to it by a fork. */
bool tl_process_is_home(void);

/*
 * No watched call was made yet, and this is a child that shares the memory of the process that it
 * was loaded in (vfork). Nothing may begin here: it would end with the child, and what the parent
 * calls later would be lost.
 */
bool tl_process_is_early_guest(void);

/* That process, without asking the kernel. A child of vfork gets its parent's number. */
pid_t tl_process_home(void);

/*
 * If this process was forked without fork handlers (by clone or _Fork), do now what they do. Every
 * slow path into the layer calls this first: in such a child threads' states read as empty, so that
 * the fast path serves nothing.
 */
void tl_process_notice_fork(void);

/* In a forked child: the memory is this process's now. */
void tl_process_forked(void);

/* The program has confined itself: no system call may be made in its threads. */
bool tl_process_is_confined(void);
void tl_process_set_confined(void);

/* --- recording */

/* Calls that the settings select are recorded now. */
bool tl_process_is_recording(void);
enum tl_file_recording tl_process_recording(void);

/* Open calls are kept though nothing is recorded, for `tracelayer profile`. */
bool tl_process_is_watched(void);

/* The settings allow this process to be recorded, or somebody has asked for it. */
bool tl_process_may_record(void);

/* There may be something to write, and this process is the one to write it. */
bool tl_process_has_records(void);

/*
 * Setters. Once the layer has started, only layer/resolve/recording.c changes what is recorded:
 * under its lock, together with the modes of all shims. Both return the former value.
 */
bool tl_process_set_recording(enum tl_file_recording to, bool on);
bool tl_process_set_watched(bool on);

/* How many times recording began after the start. For resuming: counts once more. */
uint32_t tl_process_resumed(void);
void tl_process_set_resumed(void);

/* At the start: the library was preloaded, which alone is reason enough to record. */
void tl_process_set_preloaded(bool preloaded);
bool tl_process_is_preloaded(void);

#endif
