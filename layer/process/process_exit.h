/* SPDX-License-Identifier: MIT */
/* process_exit.h: writes what was recorded into the file, and ends the process's recording. */
#ifndef TL_LAYER_PROCESS_PROCESS_EXIT_H
#define TL_LAYER_PROCESS_PROCESS_EXIT_H

#include <stdbool.h>

/*
 * Write all that was recorded so far into the file, and the file's end. Recording goes on; later
 * events overwrite that end. False: the calling process isn't the owner, and nothing is done.
 * Async-signal-safe; waits with a bound; keeps errno.
 */
bool tl_process_flush(void);

/*
 * The same before an exec: from here on the file does not change, though other threads go on
 * recording. If the exec fails, the same thread calls tl_process_reopen. What can be ended only
 * once (a pipe) is ended if the exec is certain.
 */
bool tl_process_close(bool certain);
void tl_process_reopen(void);

/*
 * The same for the end of the process: calls that return from here on are not recorded, what has
 * been recorded is in the file, and the buffers are gone.
 */
void tl_process_end(void);

/*
 * After tl_process_end, at the very end: the buffers are deleted, unless they have something that
 * could not be written.
 */
void tl_process_release(void);

/*
 * The program is about to confine itself so that the layer's system calls would kill it: everything
 * that was recorded is put into the file, the layer's threads end, and from here on calls go
 * straight to the driver. Not async-signal-safe.
 */
void tl_process_confine(void);

/*
 * Register the exit handler: at the first watched call, and once more when the driver has
 * initialised itself and with that registered its own handler. And, at the start, the handler that
 * runs last of all.
 */
void tl_exit_register(void);
void tl_process_renew_exit(void);
void tl_exit_register_last(void);

/*
 * The process's early end, before a driver's exit handlers: wait for the devices, and write what there is.
 * Once in each process. The program's own handlers may still use devices.
 */
void tl_exit_early(void);
bool tl_exit_early_is_done(void);

#endif
