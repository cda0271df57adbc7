/* SPDX-License-Identifier: MIT */
/*
 * process_facts.h: what a trace's metadata says about its process and about the trace.
 *
 * Runs on the writer's thread: system calls only. One thread at a time (the writer's pen).
 */
#ifndef TL_LAYER_WRITE_PROCESS_FACTS_H
#define TL_LAYER_WRITE_PROCESS_FACTS_H

#include "format/file/trace_file.h"

/*
 * Fill in the facts of this process, as they are now, into zeroed memory. Async-signal-safe; one
 * thread at a time.
 */
void tl_about_facts(struct tl_facts *facts);

/* The best of several readings of both clocks. Async-signal-safe. */
void tl_clock_pair_read(struct tl_clock_pair *pair);

/* How right the kernel takes the time of day to be. Async-signal-safe. */
void tl_time_of_day_read(struct tl_time_of_day *time);

#endif
