/* SPDX-License-Identifier: MIT */
/*
 * lane_numbers.h: the numbers of lanes, and the tids that they are shown by. For layer/buffers
 * only; other rooms call tl_buffer_lane (buffer.h). Any thread, async-signal-safe.
 */
#ifndef TL_LAYER_BUFFERS_LANE_NUMBERS_H
#define TL_LAYER_BUFFERS_LANE_NUMBERS_H

#include <stdint.h>

/* The next lane's number, from 1 on; unique in the process's life. */
uint32_t tl_lane_number_next(void);

/*
 * The tid that shows a new lane of this thread: the thread's own, or, if an earlier lane had that,
 * one that the kernel never gives out.
 */
uint32_t tl_lane_number_shown(uint32_t tid);

/* In a forked child: begin again. */
void tl_lane_numbers_after_fork(void);

#endif
