/* SPDX-License-Identifier: MIT */
/*
 * runtime.h: the APIs that have shims, what their calls do, and the first traced call.
 */
#ifndef TL_LAYER_PROCESS_RUNTIME_H
#define TL_LAYER_PROCESS_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"
#include "tracelayer/shim.h"

#define TL_API_MAX 32

/* The APIs that come with the library itself; NULL-ended (layer/resolve/builtin_apis.c). */
extern struct tl_shim_library *const tl_runtime_builtin[];

/*
 * Register the built-in APIs and read the environment, if that hasn't happened yet. Nothing else.
 * Cheap when it has happened.
 */
void tl_runtime_start(void);

/* It has happened. */
bool tl_runtime_is_started(void);

/*
 * At the first call that is watched: clock, exit handler, fork handlers, the line about wrong
 * settings. Returns once that is done, whichever thread does it; false inside of it (a call made by
 * the very thread that does it).
 */
bool tl_runtime_begin(void);

/*
 * The calling process is the one whose calls are kept in this memory. Not so in a child that shares
 * its parent's (vfork), in one made without handlers of fork that has made no call yet, and before
 * the first watched call. Async-signal-safe.
 */
bool tl_runtime_is_owner(void);

/*
 * What was recorded so far is put into the file, which gets its end; recording goes on, over that
 * end. False, and nothing is done, where the calling process isn't the owner. Async-signal-safe;
 * waits with a bound; keeps errno.
 */
bool tl_runtime_flush(void);

/*
 * The same before an exec: the file stays as it is from here on, though other threads go on
 * recording. When the exec has failed, tl_runtime_reopen, by the same thread. What can be ended
 * only once (a pipe) is ended where the exec is certain.
 */
bool tl_runtime_close(bool certain);
void tl_runtime_reopen(void);

/*
 * The same for the end of the process: calls that return from here on are not recorded, what has
 * been recorded is in the file, and the buffers are gone.
 */
void tl_runtime_end(void);

/*
 * After that, for the very last time: the buffers are deleted, unless they have something that
 * could not be written.
 */
void tl_runtime_release(void);

/*
 * If this process was forked without fork handlers (by clone or _Fork), do now what they do. Out of
 * line, every way into the runtime comes by here first: in such a child threads' states read as
 * empty, so that nothing is served inline.
 */
void tl_runtime_notice_fork(void);

/*
 * The program is about to confine itself so that our system calls would kill it: everything that
 * was recorded is put into the file, our threads end, and from here on calls go straight to the
 * driver. Not async-signal-safe.
 */
void tl_runtime_confine(void);

/* That has happened: no system call is to be made in the program's threads. */
bool tl_runtime_is_confined(void);

/* Register the exit handler once more: the driver has set itself up, and so has its own. */
void tl_runtime_renew_exit(void);

/* From now on who calls this shim decides: it gets TL_MODE_CALLER, and .direct stays NULL. */
void tl_runtime_caller(struct tl_shim *shim);

/*
 * A closure's shim was made: .function, .entry, .invoke, .real and .id (that of `of`) are filled
 * in. It gets the mode and dispatch that calls of `of` have now, and follows every later change. It
 * stays for ever.
 */
void tl_runtime_adopt(struct tl_shim *shim, struct tl_shim *of);

/*
 * The real function of a shim is known: drop TL_MODE_RESOLVE, and let the calls go direct if nobody
 * watches them.
 */
void tl_runtime_resolved(struct tl_shim *shim);

/*
 * The buffers are there: put the descriptions of the APIs that are used into them. What is used
 * later is described when it is resolved.
 */
void tl_runtime_describe(void);

/* Set and clear mode bits of a shim and of the closures made for it; .direct follows. */
void tl_runtime_set_mode(struct tl_shim *shim, uint32_t set, uint32_t clear);

/*
 * Publish a table of callbacks (NULL: none) for a shim and the closures made for it, with
 * TL_MODE_TRACERS.
 */
void tl_runtime_set_dispatch(struct tl_shim *shim, void *table);

/*
 * Begin, pause or end recording of what level and globs select, and note it in the buffers' header.
 * False: it was ended before, and stays so. Async-signal-safe; runs on the writer's thread, too.
 */
bool tl_runtime_switch(enum tl_file_recording to);
enum tl_file_recording tl_runtime_state(void);
/* While nothing is recorded, keep open calls all the same, for `tracelayer profile`. Likewise. */
void tl_runtime_watch(bool on);
bool tl_runtime_watched(void);
void tl_runtime_record(bool on);
bool tl_runtime_recording(void);

/* The settings allow this process to be recorded, or somebody has asked for it. */
bool tl_runtime_may_record(void);

/* The first watched call has been. */
bool tl_runtime_has_begun(void);

/* Let every function's next call come out of line once. */
void tl_runtime_look_again(void);

/* The function that a record's number names; NULL for a number that no API has. */
const struct tl_function *tl_runtime_function(uint32_t id);

/* API by number (the upper half of a record's), in the order of registering; NULL past the last. */
const struct tl_api *tl_runtime_api(uint32_t number);
const struct tl_shim_library *tl_runtime_library(uint32_t number);

#endif
