/* SPDX-License-Identifier: MIT */
/*
 * core_records.h: records that tell what they should be, for tests of the buffers.
 */
#ifndef TL_TESTS_LIB_CORE_RECORDS_H
#define TL_TESTS_LIB_CORE_RECORDS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "format/file/record.h"
#include "layer/calls/thread.h"
#include "tests/lib/core_doubles.h"
#include "tracelayer/shim.h"

/*
 * Fill a record in that was reserved, and finish it: it says who wrote it, the how-manieth it is,
 * and is easily seen to be torn.
 */
static inline void finish(uint64_t *record, uint64_t who, uint64_t number)
{
	record[1] = number;
	record[2] = ~number;
	record[3] = who;
	for (uint64_t i = 0; i < number % 3; i++)
		record[4 + i] = number ^ who;
	/* A function number that the toy has no words for. */
	tl_record_commit(record, (4 + number % 3) | (uint64_t)TL_RECORD_CALL << 16 |
					 (uint64_t)TOY_INIT << 32);
}

static inline bool put(struct tl_thread *thread, uint64_t who, uint64_t number)
{
	uint64_t *record =
		tl_record_reserve(thread, sizeof(struct tl_call_record) + 8 * (number % 3));

	if (record)
		finish(record, who, number);
	return record != NULL;
}

static inline bool is_whole(const struct seen *one)
{
	uint64_t number = one->call.start;

	return one->call.duration == ~number && one->call.size == 4 + number % 3;
}

/* A thread's function: five records. */
static inline void *put_few(void *who)
{
	struct tl_thread *thread = tl_thread_attach();

	for (uint64_t i = 0; i < 5; i++)
		put(thread, (uintptr_t)who, i);
	return NULL;
}

/* Those that a thread has or had. */
static inline unsigned count_producers(void)
{
	unsigned count = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		count += producer->lane != 0;
	return count;
}

static struct tl_thread *interrupted;
static uint64_t in_code, in_handler; /* records so far: of 0, and of 1 */

static inline void put_in_handler(int number)
{
	(void)number;
	for (int i = 0; i < 3; i++)
		put(interrupted, 1, in_handler++);
}

/* ThreadSanitizer delivers a signal where the code calls it, which is seldom in here. */
#ifdef __SANITIZE_THREAD__
#define INTERRUPTIONS 300
#else
#define INTERRUPTIONS 15000
#endif

static pthread_t interrupted_thread;
static _Atomic bool interrupting;

/*
 * Signals, each after a time that is never the same twice, from another processor: a timer comes a hundred
 * times a second on some machines, and a test that waits for it is slow.
 */
static inline void *interrupt_often(void *unused)
{
	uint32_t random = 1;

	while (atomic_load_explicit(&interrupting, memory_order_relaxed)) {
		pthread_kill(interrupted_thread, SIGALRM);
		random = random * 1664525 + 1013904223;
		for (volatile uint32_t wait = random >> 18; wait; wait--)
			;
	}
	return unused;
}

/*
 * Many records of a thread, and of a signal handler that interrupts it at any instruction. False
 * where one could not be put.
 */
static inline bool put_interrupted(struct tl_thread *thread, uint64_t least)
{
	pthread_t interrupter;
	bool all = true;

	interrupted = thread;
	interrupted_thread = pthread_self();
	atomic_store_explicit(&interrupting, true, memory_order_relaxed);
	signal(SIGALRM, put_in_handler);
	if (pthread_create(&interrupter, NULL, interrupt_often, NULL))
		return false;
	while (all && (in_handler < INTERRUPTIONS || in_code < least))
		all = put(interrupted, 0, in_code++);
	atomic_store_explicit(&interrupting, false, memory_order_relaxed);
	pthread_join(interrupter, NULL);
	return all;
}

#endif
