/* SPDX-License-Identifier: MIT */
/*
 * core_records.h: records that tell what they should be, for tests of the buffers.
 */
#ifndef TL_TESTS_LIB_CORE_RECORDS_H
#define TL_TESTS_LIB_CORE_RECORDS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

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

#if defined(INTERRUPT_BY_STEPS) && defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
/*
 * The processor's trap flag gives a signal behind each instruction; each 11th handler records. So
 * it does not depend on a timer, which comes a hundred times a second on some machines, and every
 * instruction has its turn. But for a new chunk the buffers mask signals, and a trap that is masked
 * ends the process: there the flag rests until the record is put. make stress: longer.
 */
#define INTERRUPTIONS (getenv("STRESS") ? 60000u : 15000u)
#define TRAP_FLAG     0x100
static uint64_t steps;
static volatile bool stepping, resting;

static inline void put_in_handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)number;
	(void)info;
	if (stepping && at->uc_mcontext.gregs[REG_RIP] == (greg_t)tl_record_reserve_slow)
		resting = true;
	if (stepping && !resting)
		at->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	for (int i = 0; i < 3 && steps % 11 == 0; i++)
		put(interrupted, 1, in_handler++);
	steps++;
}

static inline void interrupt_begin(void)
{
	struct sigaction action = {.sa_sigaction = put_in_handler, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &action, NULL);
	stepping = true;
	raise(SIGTRAP);
}

static inline void interrupt_go_on(void)
{
	if (!resting)
		return;
	resting = false;
	raise(SIGTRAP);
}

static inline void interrupt_end(void)
{
	stepping = false;
	raise(SIGTRAP);
}
#else
/* ThreadSanitizer delivers a signal where the code calls it, which is seldom in here. */
#ifdef __SANITIZE_THREAD__
#define INTERRUPTIONS 300
#else
#define INTERRUPTIONS 1500
#endif

static inline void put_in_handler(int number)
{
	(void)number;
	for (int i = 0; i < 3; i++)
		put(interrupted, 1, in_handler++);
}

static inline void interrupt_go_on(void)
{
}

static inline void interrupt_begin(void)
{
	struct itimerval often = {{0, 50}, {0, 50}};

	signal(SIGALRM, put_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
}

static inline void interrupt_end(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
}
#endif

/*
 * Records of 0, at least so many, interrupted by a handler that records of 1. False where one could
 * not be put.
 */
static inline bool put_interrupted(struct tl_thread *thread, uint64_t least)
{
	const uint64_t interruptions = INTERRUPTIONS;
	bool all = true;

	interrupted = thread;
	interrupt_begin();
	for (; all && in_handler < interruptions; interrupt_go_on())
		all = put(interrupted, 0, in_code++);
	interrupt_end();
	while (all && in_code < least)
		all = put(interrupted, 0, in_code++);
	return all;
}

#endif
