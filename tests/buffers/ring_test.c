/* SPDX-License-Identifier: MIT */
/*
 * ring_test.c: the flight recorder: what a flush finds in rings, while threads go on recording,
 * end, are interrupted, and fork.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/buffers/arena.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/calls/thread.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/core_doubles.h"
#include "tests/lib/core_records.h"

#define THREADS 6
#ifndef EVENTS
#define EVENTS 300000
#endif

static void begin(uint64_t ring, uint64_t memory)
{
	tl_config.memory = memory;
	tl_config.full = TL_FULL_RING;
	tl_config.ring = ring;
	tl_clock_start();
	tl_thread_start();
}

static uint64_t lost(void)
{
	uint64_t all = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all += producer->lost;
	return all;
}

/*
 * From seen[from] on there is one run of that thread's records: whole, and each the one after that
 * before it. Returns the number behind the last.
 */
static uint64_t check_run(size_t from, uint64_t who, uint64_t *count)
{
	uint64_t next = 0;

	*count = 0;
	for (size_t i = from; i < nseen; i++) {
		if (seen[i].call.result != who || seen[i].call.type != TL_RECORD_CALL)
			continue;
		assert_often(is_whole(&seen[i]));
		if (*count)
			assert_often_eq(seen[i].call.start, next);
		next = seen[i].call.start + 1;
		++*count;
	}
	return next;
}

START_TEST(a_flush_has_the_newest_of_a_thread)
{
	uint64_t count;

	begin(1 << 20, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	for (uint64_t i = 0; i < 200000; i++)
		assert_often(put(thread, 0, i));
	ck_assert_uint_eq(writer_wakes > 0, 1);
	seen_collect(false);
	ck_assert_uint_eq(nseen, 0);
	seen_collect(true);
	ck_assert_uint_eq(check_run(0, 0, &count), 200000);
	/* A record takes 40 bytes, taken over all. As many as are to be kept, but for a chunk. */
	ck_assert_uint_ge(count, ((1 << 20) - 3 * TL_CHUNK_SMALL) / 40);
	ck_assert_uint_le(count, (1 << 20) / 40);
	ck_assert_uint_eq(count + tl_buffer_overwritten(), 200000);
	ck_assert_uint_eq(lost(), 0);
}
END_TEST

START_TEST(no_flush_has_what_another_had)
{
	uint64_t count, next = 0, all = 0;

	begin(1 << 20, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	for (int flush = 0; flush < 40; flush++) {
		/* Less than a chunk, some chunks, and more than the ring. */
		uint64_t more = (uint64_t[]){100, 3000, 60000}[flush % 3];
		size_t from = nseen;
		for (uint64_t i = 0; i < more; i++)
			assert_often(put(thread, 0, next++));
		seen_collect(true);
		ck_assert_uint_eq(check_run(from, 0, &count), next);
		if (more < 10000)
			ck_assert_uint_eq(count, more);
		all += count;
		seen_collect(true);
		ck_assert_uint_eq(nseen, all);
	}
	ck_assert_uint_eq(all + tl_buffer_overwritten(), next);
}
END_TEST

/* The file can't be written for a while: chunks that were live at that flush have a rest. */
START_TEST(what_no_flush_could_write_comes_in_order)
{
	uint64_t count, next = 0;

	begin(1 << 20, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	for (int flush = 0; flush < 6; flush++) {
		uint64_t more = (uint64_t[]){100, 1500}[flush % 2];
		for (uint64_t i = 0; i < more; i++)
			assert_often(put(thread, 0, next++));
		tl_buffer_flush();
	}
	seen_collect(false);
	ck_assert_uint_eq(check_run(0, 0, &count), next);
	ck_assert_uint_eq(count, next);
}
END_TEST

static size_t flushes[100000];
static _Atomic size_t nflushes;
static _Atomic bool flushing;

static void *put_many(void *who)
{
	struct tl_thread *thread = tl_thread_attach();

	for (uint64_t i = 0; i < EVENTS; i++) {
		/* However slow the machine, there are flushes meanwhile. */
		while (i == EVENTS / 2 && nflushes < 3)
			usleep(100);
		put(thread, (uintptr_t)who, i);
	}
	return NULL;
}

static void *flush_often(void *unused)
{
	while (flushing && nflushes < sizeof(flushes) / sizeof(flushes[0])) {
		flushes[nflushes] = nseen;
		nflushes++;
		seen_collect(true);
		usleep(500);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS], flusher;

	flushing = true;
	pthread_create(&flusher, NULL, flush_often, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, put_many, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	flushing = false;
	pthread_join(flusher, NULL);
	flushes[nflushes++] = nseen;
	seen_collect(true);
}

/* One flush's part of what was seen, as if there were no more. */
static void check_flush(size_t from, size_t to)
{
	size_t all = nseen;
	uint64_t count;

	nseen = to;
	for (uint64_t who = 0; who < THREADS; who++)
		check_run(from, who, &count);
	nseen = all;
}

START_TEST(threads_record_while_rings_are_flushed)
{
	uint64_t last[THREADS] = {0};

	begin(_i ? 128 << 10 : 4 << 20, 128 << 20);
	run_threads();
	/* Each is in one flush at most, in order; and what is in none was counted. */
	for (size_t i = 0; i < nseen; i++) {
		uint64_t who = seen[i].call.result;
		assert_often(is_whole(&seen[i]));
		assert_often(seen[i].call.start + 1 >= last[who] + 1);
		last[who] = seen[i].call.start + 1;
	}
	for (int who = 0; who < THREADS; who++)
		ck_assert_uint_eq(last[who], EVENTS);
	for (size_t i = 0; i < nflushes; i++)
		check_flush(flushes[i], i + 1 < nflushes ? flushes[i + 1] : nseen);
	ck_assert_uint_gt(nflushes, 2);
	ck_assert_uint_eq(lost(), 0);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), (uint64_t)THREADS * EVENTS);
}
END_TEST

START_TEST(with_little_memory_every_thread_has_some_and_nobody_waits)
{
	uint64_t said = 0, calls = 0;

	begin(8 << 20, 2 << 20);
	run_threads();
	for (size_t i = 0; i < nseen; i++) {
		if (seen[i].call.type == TL_RECORD_LOST) {
			said += seen[i].call.result;
		} else {
			assert_often(is_whole(&seen[i]));
			calls++;
		}
	}
	/*
	 * Flushes that take all that a thread has may leave it with nowhere to record to: then that
	 * is counted, and said.
	 */
	ck_assert_uint_le(said, lost());
	ck_assert_uint_eq(calls + tl_buffer_overwritten() + lost(), (uint64_t)THREADS * EVENTS);
	ck_assert_uint_gt(calls, 1000 * THREADS);
}
END_TEST

START_TEST(a_signal_handler_records_in_the_middle)
{
	uint64_t count[2];
	pthread_t flusher;

	begin(128 << 10, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	sigset_t alarm, before;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	flushing = true;
	pthread_create(&flusher, NULL, flush_often, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ck_assert(put_interrupted(thread, EVENTS));
	flushing = false;
	pthread_join(flusher, NULL);
	seen_collect(true);
	for (uint64_t who = 0; who < 2; who++) {
		uint64_t last = 0;
		count[who] = 0;
		for (size_t i = 0; i < nseen; i++) {
			if (seen[i].call.result != who)
				continue;
			assert_often(is_whole(&seen[i]));
			assert_often(seen[i].call.start + 1 >= last + 1);
			last = seen[i].call.start + 1;
			count[who]++;
		}
		/* The code goes on after the last handler, and may overwrite what that recorded. */
		if (who == 0)
			ck_assert_uint_eq(last, in_code);
	}
	ck_assert_uint_eq(count[0] + count[1] + tl_buffer_overwritten(), in_code + in_handler);
}
END_TEST

START_TEST(a_chunk_with_an_unfinished_record_is_not_reused)
{
	uint64_t number = 0, late = 1000000, count = 0;

	begin(128 << 10, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	put(thread, 0, number++);
	/* As a signal handler finds it, that records rings full. */
	uint64_t *unfinished = tl_record_reserve(thread, 40);
	for (int i = 0; i < 50000; i++)
		assert_often(put(thread, 0, number++));
	finish(unfinished, 7, late);
	seen_collect(true);
	/* It is older than what was reused: no part of the newest run, which is whole. */
	ck_assert_uint_eq(check_run(0, 0, &count), number);
	ck_assert_uint_eq(count, nseen);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), number + 1);
	/* It is like any other since. */
	for (int i = 0; i < 50000; i++)
		put(thread, 0, number++);
	seen_collect(true);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), number + 1);
}
END_TEST

START_TEST(threads_that_have_ended_share_a_ring)
{
	begin(256 << 10, 64 << 20);
	for (uintptr_t i = 0; i < 3000; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, put_few, (void *)(i + 1));
		pthread_join(thread, NULL);
	}
	/* One chunk each: 16 of them are a ring. */
	ck_assert_uint_le(count_producers(), 32);
	ck_assert_uint_eq(lost(), 0);
	seen_collect(true);
	ck_assert_uint_eq(nseen % 5, 0);
	ck_assert_uint_ge(nseen / 5, 15);
	ck_assert_uint_le(nseen / 5, 18);
	for (size_t i = 0; i < nseen; i++) {
		assert_often(is_whole(&seen[i]));
		assert_often_eq(seen[i].call.result, 3000 - nseen / 5 + i / 5 + 1);
	}
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), 15000);
}
END_TEST

#define SOME_CHUNKS 3000u /* records of a thread */

static void *put_some_chunks(void *who)
{
	struct tl_thread *thread = tl_thread_attach();

	for (uint64_t i = 0; i < SOME_CHUNKS; i++)
		assert_often(put(thread, (uintptr_t)who, i));
	return NULL;
}

/* Else the memory would be full of what ended long ago, and each new thread had a single chunk. */
START_TEST(new_threads_have_whole_rings_however_many_have_ended)
{
	uint64_t count;

	begin(256 << 10, 8 << 20);
	for (uintptr_t i = 1; i <= 400; i++) {
		pthread_t thread;
		size_t from = nseen;
		pthread_create(&thread, NULL, put_some_chunks, (void *)i);
		pthread_join(thread, NULL);
		if (i % 50)
			continue;
		seen_collect(true);
		ck_assert_uint_eq(check_run(from, i, &count), SOME_CHUNKS);
		ck_assert_uint_eq(count, SOME_CHUNKS);
	}
	ck_assert_uint_eq(lost(), 0);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), 400 * SOME_CHUNKS);
}
END_TEST

static uint64_t chunk_bytes(void)
{
	uint64_t all = 0;

	for (struct tl_chunk *chunk = tl_chunk_all(); chunk; chunk = chunk->all)
		all += tl_chunk_size(chunk);
	return all;
}

/* Else each flush would take more chunks than the one before it, and take longer, until all are its. */
START_TEST(a_flush_leaves_memory_for_threads_that_come_while_it_is_written)
{
	const uint64_t ring = 256 << 10, memory = 8 << 20;
	uintptr_t who = 1;

	begin(ring, memory);
	for (int flush = 0; flush < 10; flush++) {
		tl_buffer_flush();
		for (int i = 0; i < 40; i++) {
			pthread_t thread;
			pthread_create(&thread, NULL, put_some_chunks, (void *)who++);
			pthread_join(thread, NULL);
		}
		seen_collect(false);
	}
	/* Rings grow until a quarter is left; and what came while a flush had all of that. */
	ck_assert_uint_le(chunk_bytes(), memory / 4 * 3 + 2 * ring);
	seen_collect(true);
	ck_assert_uint_eq(lost(), 0);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), (who - 1) * SOME_CHUNKS);
}
END_TEST

START_TEST(what_a_flush_has_written_of_threads_that_have_ended_is_free)
{
	begin(8 << 20, 64 << 20);
	for (uintptr_t i = 1; i <= 200; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, put_some_chunks, (void *)i);
		pthread_join(thread, NULL);
		seen_collect(true);
	}
	ck_assert_uint_le(chunk_bytes(), 4 * TL_CHUNK_SIZE);
	ck_assert_uint_le(count_producers(), 8);
	ck_assert_uint_eq(nseen, 200 * SOME_CHUNKS);
}
END_TEST

START_TEST(a_forked_child_has_none_of_its_parents_rings)
{
	begin(256 << 10, 64 << 20);
	struct tl_thread *thread = tl_thread_attach();
	for (uint64_t i = 0; i < 20000; i++)
		put(thread, 0, i);
	pid_t child = fork();
	if (child == 0) {
		tl_buffer_after_fork();
		struct tl_thread *own = tl_thread_attach();
		for (uint64_t i = 0; i < 100; i++)
			put(own, 9, i);
		seen_collect(true);
		_exit(nseen == 100 && seen[0].call.result == 9 && !tl_buffer_overwritten() ? 0 : 2);
	}
	int status;
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	seen_collect(true);
	ck_assert_uint_eq(nseen + tl_buffer_overwritten(), 20000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tcase = tcase_create("ring");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, a_flush_has_the_newest_of_a_thread);
	tcase_add_test(tcase, no_flush_has_what_another_had);
	tcase_add_test(tcase, what_no_flush_could_write_comes_in_order);
	tcase_add_loop_test(tcase, threads_record_while_rings_are_flushed, 0, 2);
	tcase_add_test(tcase, with_little_memory_every_thread_has_some_and_nobody_waits);
	tcase_add_test(tcase, a_signal_handler_records_in_the_middle);
	tcase_add_test(tcase, a_chunk_with_an_unfinished_record_is_not_reused);
	tcase_add_test(tcase, threads_that_have_ended_share_a_ring);
	tcase_add_test(tcase, new_threads_have_whole_rings_however_many_have_ended);
	tcase_add_test(tcase, a_flush_leaves_memory_for_threads_that_come_while_it_is_written);
	tcase_add_test(tcase, what_a_flush_has_written_of_threads_that_have_ended_is_free);
	tcase_add_test(tcase, a_forked_child_has_none_of_its_parents_rings);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
