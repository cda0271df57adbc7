/* SPDX-License-Identifier: MIT */
/*
 * summary_device.h: the part of the summary about devices: kernels, transfers, queues and what they
 * waited for, counted while the program runs.
 */
#ifndef TL_CALLBACKS_SUMMARY_DEVICE_H
#define TL_CALLBACKS_SUMMARY_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "callbacks/recent_calls.h"
#include "tables/call_tables.h"

/* Kernels, transfers, others; queues; what they waited for. */
#define DEVICE_TABLES (COMMANDS_TABLES + 2)

/* The recent calls of the thread with this kernel's id; NULL: not known. Valid for ever. */
typedef const struct recent *(*device_recent)(int thread);

/* Begin to count. False where there is no room. */
bool device_start(device_recent recent);

/* In a forked child: forget what was counted. */
void device_after_fork(void);

/*
 * Make the tables that have rows; uses need(). Once, at the end. Returns how many commands were
 * lost because memory was short.
 */
uint64_t device_tables(struct table *tables[DEVICE_TABLES]);

#endif
