/* SPDX-License-Identifier: MIT */
/*
 * buffer_test.c: records through the buffers, with threads, signals, forks and little memory.
 */
#include <check.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/calls/thread.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/core_doubles.h"
#define INTERRUPT_BY_STEPS
#include "tests/lib/core_records.h"

#define THREADS 8
#ifndef EVENTS
#define EVENTS 100000
#endif

/* Everybody's events: each once, whole, and in order. */
static void check_all(unsigned who_from, unsigned who_to, uint64_t events)
{
	for (unsigned who = who_from; who < who_to; who++) {
		uint64_t next = 0;
		for (size_t i = 0; i < nseen; i++) {
			if (seen[i].call.result != who)
				continue;
			assert_often(is_whole(&seen[i]));
			assert_often_eq(seen[i].call.start, next);
			next++;
		}
		ck_assert_uint_eq(next, events);
	}
}

static void begin(void)
{
	tl_config.memory = 256u << 20;
	tl_config.full = TL_FULL_GROW;
	tl_clock_start();
	tl_thread_start();
}

static void *put_many(void *who)
{
	struct tl_thread *thread = tl_thread_attach();

	for (uint64_t i = 0; i < EVENTS; i++)
		assert_often(put(thread, (uintptr_t)who, i));
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, put_many, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

START_TEST(threads_and_a_draining_thread)
{
	begin();
	seen_start();
	run_threads();
	seen_stop();
	seen_collect(true);
	ck_assert_uint_eq(nseen, (size_t)THREADS * EVENTS);
	check_all(0, THREADS, EVENTS);
}
END_TEST

/* The kernel gives numbers out again. */
START_TEST(a_recycled_thread_number_is_shown_by_another)
{
	begin();
	struct tl_producer *first = (struct tl_producer *)tl_thread_attach();
	tl_self = NULL;
	struct tl_producer *second = (struct tl_producer *)tl_thread_attach();
	ck_assert_uint_eq(first->tid, second->tid);
	ck_assert_uint_eq(first->shown, first->tid);
	ck_assert_uint_ge(second->shown, 1u << 22);
	ck_assert_uint_eq(second->piece->shown, second->shown);
	ck_assert_uint_ne(first->lane, second->lane);
}
END_TEST

START_TEST(little_memory_makes_producers_help)
{
	begin();
	tl_config.memory = 3u << 20;
	run_threads();
	seen_collect(true);
	ck_assert_uint_eq(nseen, (size_t)THREADS * EVENTS);
	check_all(0, THREADS, EVENTS);
}
END_TEST

static unsigned count_chunks(void)
{
	unsigned count = 0;

	for (struct tl_chunk *chunk = tl_chunk_all(); chunk; chunk = chunk->all)
		count++;
	return count;
}

/* Records of 40 bytes on average, for `chunks` large chunks. */
static void put_for(struct tl_thread *thread, unsigned chunks, uint64_t *number)
{
	const uint64_t until = *number + (uint64_t)chunks * TL_CHUNK_SIZE / 40;

	while (*number < until)
		ck_assert(put(thread, 0, (*number)++));
}

START_TEST(chunks_are_made_ahead_of_those_who_use_them_up)
{
	uint64_t number = 0;
	unsigned made, used;

	begin();
	struct tl_thread *thread = tl_thread_attach();
	ck_assert(put(thread, 0, number++));
	made = count_chunks();
	/* Nobody had to make a second one. */
	tl_buffer_make_ahead();
	ck_assert_uint_eq(count_chunks(), made);
	put_for(thread, 4, &number);
	used = count_chunks();
	ck_assert_uint_ge(used, made + 3);
	tl_buffer_make_ahead();
	made = count_chunks();
	ck_assert_uint_ge(made, used + 3);
	ck_assert_uint_le(made, used + 16);
	tl_buffer_make_ahead();
	ck_assert_uint_eq(count_chunks(), made);
	/* What is ready is used first. */
	put_for(thread, 2, &number);
	ck_assert_uint_eq(count_chunks(), made);
	for (int turn = 0; turn < 20; turn++) {
		put_for(thread, 2, &number);
		tl_buffer_make_ahead();
	}
	/* However long that goes on, few are ready. */
	ck_assert_uint_le(count_chunks(), number * 40 / TL_CHUNK_SIZE + 20);
	seen_collect(true);
	ck_assert_uint_eq(nseen, number);
	check_all(0, 1, number);
}
END_TEST

START_TEST(none_is_made_ahead_in_the_second_half_of_the_memory)
{
	uint64_t number = 0;

	begin();
	tl_config.memory = 4u << 20;
	struct tl_thread *thread = tl_thread_attach();
	put_for(thread, 9, &number);
	unsigned used = count_chunks();
	tl_buffer_make_ahead();
	ck_assert_uint_eq(count_chunks(), used);
}
END_TEST

START_TEST(what_is_dropped_is_counted_and_said)
{
	uint64_t kept = 0, said = 0, whole = 0;

	begin();
	tl_config.memory = 1u << 20;
	tl_config.full = TL_FULL_DROP;
	struct tl_thread *thread = tl_thread_attach();
	for (uint64_t i = 0; i < 100000; i++)
		kept += put(thread, 0, i);
	ck_assert_uint_lt(kept, 100000);
	ck_assert_uint_gt(kept, 10000);
	uint64_t lost = 100000 - kept;
	ck_assert_uint_eq(((struct tl_producer *)thread)->lost, lost);
	seen_collect(true);
	/* There is room again: the next record has one before it that tells. */
	ck_assert(put(thread, 0, 0));
	seen_collect(true);
	for (size_t i = 0; i < nseen; i++) {
		if (seen[i].call.type == TL_RECORD_LOST)
			said += seen[i].call.result;
		else
			whole += is_whole(&seen[i]);
	}
	ck_assert_uint_eq(said, lost);
	ck_assert_uint_eq(whole, kept + 1);
}
END_TEST

START_TEST(a_signal_handler_records_in_the_middle)
{
	begin();
	struct tl_thread *thread = tl_thread_attach();
	seen_start();
	ck_assert(put_interrupted(thread, EVENTS));
	seen_stop();
	seen_collect(true);
	check_all(0, 1, in_code);
	check_all(1, 2, in_handler);
}
END_TEST

START_TEST(an_unfinished_record_is_waited_for_and_stepped_over_at_a_flush)
{
	uint64_t number = 0;

	begin();
	struct tl_thread *thread = tl_thread_attach();
	put(thread, 0, number++);
	/* As a signal handler finds it: reserved, not finished. Then it records chunks full. */
	uint64_t *unfinished = tl_record_reserve(thread, 40);
	while (((struct tl_producer *)thread)->chunks < 4)
		put(thread, 0, number++);
	seen_collect(false);
	ck_assert_uint_eq(nseen, 1);
	seen_collect(true);
	ck_assert_uint_eq(nseen, number);
	/* Its chunk is not recycled: what it writes late is read once. */
	uint64_t late = 1000000;
	finish(unfinished, 7, late);
	seen_collect(false);
	ck_assert_uint_eq(nseen, number + 1);
	ck_assert_uint_eq(seen[nseen - 1].call.start, late);
	check_all(0, 1, number);
}
END_TEST

START_TEST(ten_thousand_threads_leave_memory_flat)
{
	unsigned early = 0;

	begin();
	for (uintptr_t i = 0; i < 10000; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, put_few, (void *)(i + 1));
		pthread_join(thread, NULL);
		if (i % 16 == 0)
			seen_collect(false);
		if (i == 2000)
			early = count_producers();
	}
	seen_collect(true);
	ck_assert_uint_eq(nseen, 50000);
	ck_assert_uint_lt(early, 64);
	ck_assert_uint_le(count_producers(), early + 8);
	/* Each in a lane of its own, all its events together. */
	for (size_t i = 0; i < nseen; i++) {
		assert_often(is_whole(&seen[i]));
		assert_often_eq(seen[i].lane, seen[i].call.result);
	}
}
END_TEST

START_TEST(a_forked_child_has_none_of_its_parents_events)
{
	begin();
	struct tl_thread *thread = tl_thread_attach();
	for (uint64_t i = 0; i < 1000; i++)
		put(thread, 0, i);
	pid_t child = fork();
	if (child == 0) {
		tl_buffer_after_fork();
		/* The parent's thread's place is still there, and leads nowhere. */
		if (!tl_buffer_is_stale(thread) || put(thread, 0, 5) || tl_self)
			_exit(1);
		struct tl_thread *own = tl_thread_attach();
		for (uint64_t i = 0; i < 100; i++)
			put(own, 9, i);
		seen_collect(true);
		_exit(nseen == 100 && seen[0].call.result == 9 ? 0 : 2);
	}
	int status;
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 1000);
}
END_TEST

START_TEST(a_flush_takes_what_live_threads_have)
{
	begin();
	struct tl_thread *thread = tl_thread_attach();
	for (uint64_t i = 0; i < 10; i++)
		put(thread, 0, i);
	seen_collect(false);
	ck_assert_uint_eq(nseen, 0);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 10);
	put(thread, 0, 10);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 11);
	check_all(0, 1, 11);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buffer");
	TCase *tcase = tcase_create("buffer");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 500);
	tcase_add_test(tcase, threads_and_a_draining_thread);
	tcase_add_test(tcase, a_recycled_thread_number_is_shown_by_another);
	tcase_add_test(tcase, little_memory_makes_producers_help);
	tcase_add_test(tcase, chunks_are_made_ahead_of_those_who_use_them_up);
	tcase_add_test(tcase, none_is_made_ahead_in_the_second_half_of_the_memory);
	tcase_add_test(tcase, what_is_dropped_is_counted_and_said);
	tcase_add_test(tcase, a_signal_handler_records_in_the_middle);
	tcase_add_test(tcase, an_unfinished_record_is_waited_for_and_stepped_over_at_a_flush);
	tcase_add_test(tcase, ten_thousand_threads_leave_memory_flat);
	tcase_add_test(tcase, a_forked_child_has_none_of_its_parents_events);
	tcase_add_test(tcase, a_flush_takes_what_live_threads_have);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
