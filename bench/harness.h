/* SPDX-License-Identifier: MIT */
/*
 * harness.h: how the benchmarks measure.
 *
 * Times come from the processor's counter. Things that are compared are measured in one process, on
 * one core, in many short turns in a shuffled order, and each one has the median of its turns. So
 * other work of the machine disturbs all of them alike. The scripts run such processes in rounds,
 * shuffled again, and compare only within a round.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

/* One thing to measure: does its work `count` times. */
typedef void bench_work(uint64_t count);

struct bench_way {
	bench_work *work;
	/* sleep after each turn: whatever it left to do in the background gets done */
	uint64_t rest_us;
	double ticks; /* out: for one time, the median of all turns */
};

#define BENCH_WAYS_MAX 16

/*
 * Stay on one core: the last that there is; or on that with a number, counted among those that
 * there are. And which one that is; less than 0: the last.
 */
void bench_pin(void);
void bench_pin_to(int number);
cpu_set_t bench_core(int number);

/* Measure all the ways in `turns` turns each, of `count` times. */
void bench_measure(struct bench_way *ways, size_t number, unsigned turns, uint64_t count);

/*
 * Counter ticks in a nanosecond, by CLOCK_MONOTONIC since this was called first; 0 the first time.
 */
double bench_ticks_per_ns(void);

double bench_median(double *values, size_t number);

/*
 * A new file of /dev/shm without a name, mapped: no page of it exists yet. bench_populate makes those of
 * a piece by one system call, as the recorder does. NULL: there is none.
 */
char *bench_new_memory(size_t size);
void bench_populate(char *piece, size_t size);

/*
 * A floor under the cost of recording a call: what a record of 32 bytes takes to be stored, in a
 * buffer that stays warm.
 */
#define BENCH_FLOOR_WORDS (32u * 1024)
extern uint64_t bench_floor_buffer[BENCH_FLOOR_WORDS];
extern uint64_t bench_floor_at;

static inline void bench_floor_store(uint64_t head, uint64_t start, uint64_t end, uint64_t result)
{
	uint64_t *record = &bench_floor_buffer[bench_floor_at];

	record[0] = head;
	record[1] = start;
	record[2] = end - start;
	record[3] = result;
	bench_floor_at = (bench_floor_at + 4) % BENCH_FLOOR_WORDS;
}

#endif
