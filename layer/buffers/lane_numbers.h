/* SPDX-License-Identifier: MIT */
/*
 * lane_numbers.h: the numbers of lanes, and the tids that they are shown by. Used inside of
 * layer/buffers; tl_buffer_lane (buffer.h) is for the others. Any thread, async-signal-safe.
 */
#ifndef TL_LAYER_BUFFERS_LANE_NUMBERS_H
#define TL_LAYER_BUFFERS_LANE_NUMBERS_H

#include <stdint.h>

/* The next lane's number, from 1 on; unique in the process's life. */
uint32_t tl_lane_number_next(void);

/*
 * The tid that a new lane of this thread is shown by: the thread's own, or one that the kernel
 * never gives out, where an earlier lane had that.
 */
uint32_t tl_lane_number_shown(uint32_t tid);

/* In a forked child. */
void tl_lane_numbers_after_fork(void);

#endif
