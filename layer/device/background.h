/* SPDX-License-Identifier: MIT */
/*
 * background.h: a thread of the layer that collects ended commands, so that the program's threads
 * need not.
 *
 * The thread exists while there is something to collect, and a fifth of a second longer: a process
 * may end with its last thread. With --sample-device it also samples devices' counters, and stays
 * until the main thread ends. It blocks all signals. While it works it counts as inside of a
 * hook, so that the end waits for it (tl_hook_drain), and its own calls pass unwatched. It sleeps
 * for a millisecond between two rounds: collecting many commands in a row costs less.
 */
#ifndef TL_LAYER_DEVICE_BACKGROUND_H
#define TL_LAYER_DEVICE_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From inside of a hook: wake the thread, because the API's .collect (device_api.h) has something
 * to collect. False: the thread can't be created, and the caller has to collect.
 */
bool tl_device_do_soon(void);

/* For .sample of device_api.h: a counter's value now. Its name and its unit are texts' numbers. */
void tl_device_sample(uint32_t name, uint32_t unit, double value);

/*
 * Around calls of the program that need a process with a single thread to do all they can: the
 * thread ends, and begins again once there is something to collect. Not from several threads at
 * once.
 */
void tl_device_background_suspend(void);
void tl_device_background_resume(void);

/*
 * The process ends, and exit handlers of drivers run next: the thread is not inside of a driver any more,
 * unless one keeps it beyond the deadline (nanoseconds of CLOCK_MONOTONIC). There is none from here on.
 */
void tl_device_background_end(uint64_t deadline);

/*
 * Around fork: the thread is not inside of a driver while the process forks, unless a driver keeps
 * it for longer than 20 ms.
 */
void tl_device_background_before_fork(void);
void tl_device_background_after_fork_parent(void);
void tl_device_background_after_fork_child(void);

#endif
