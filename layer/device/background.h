/* SPDX-License-Identifier: MIT */
/*
 * background.h: a thread for what need not be done in the program's: telling of commands that have
 * ended.
 *
 * It is there while there is something to do, and a fifth of a second longer: a process may end
 * with its last thread. It blocks all signals, counts as inside of a hook while it works, so that
 * the end waits for it (tl_hook_drain), and its own calls pass unwatched. It sleeps for a
 * millisecond between two rounds, so that there is something to do in each: that costs less in a
 * row.
 */
#ifndef TL_LAYER_DEVICE_BACKGROUND_H
#define TL_LAYER_DEVICE_BACKGROUND_H

#include <stdbool.h>

/*
 * There is something to do, which is noted where the APIs' parts find it (struct tl_device_api's
 * .collect): have it done soon. From inside of hooks. False: no thread could be had; then it is the
 * caller's to do.
 */
bool tl_device_do_soon(void);

/*
 * Around calls that do more for a process of a single thread: it ends, and is there again once
 * there is something to do. Not from several threads at once.
 */
void tl_device_background_suspend(void);
void tl_device_background_resume(void);

/* Around fork: nobody is inside of a driver then on our behalf, unless that takes its time. */
void tl_device_background_before_fork(void);
void tl_device_background_after_fork_parent(void);
void tl_device_background_after_fork_child(void);

#endif
