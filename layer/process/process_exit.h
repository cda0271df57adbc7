/* SPDX-License-Identifier: MIT */
/*
 * process_exit.h: what was recorded goes into the file, and the process's recording ends.
 */
#ifndef TL_LAYER_PROCESS_PROCESS_EXIT_H
#define TL_LAYER_PROCESS_PROCESS_EXIT_H

#include <stdbool.h>

/*
 * What was recorded so far is put into the file, which gets its end; recording goes on, over that
 * end. False, and nothing is done, where the calling process isn't the owner. Async-signal-safe;
 * waits with a bound; keeps errno.
 */
bool tl_process_flush(void);

/*
 * The same before an exec: the file stays as it is from here on, though other threads go on
 * recording. When the exec has failed, tl_process_reopen, by the same thread. What can be ended
 * only once (a pipe) is ended where the exec is certain.
 */
bool tl_process_close(bool certain);
void tl_process_reopen(void);

/*
 * The same for the end of the process: calls that return from here on are not recorded, what has
 * been recorded is in the file, and the buffers are gone.
 */
void tl_process_end(void);

/*
 * After that, for the very last time: the buffers are deleted, unless they have something that
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
 * Register the exit handler: at the first watched call; once more when the driver has set itself
 * up, and with it registered its own. And the handler that runs last of all, at the start.
 */
void tl_exit_register(void);
void tl_process_renew_exit(void);
void tl_exit_register_last(void);

#endif
