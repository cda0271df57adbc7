/* SPDX-License-Identifier: MIT */
/*
 * call_test.c: calls through shims, and all the ways they end. The toy API (core_doubles.h) is the
 * driver.
 */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "layer/resolve/api_table.h"
#include "layer/buffers/clock.h"
#include "layer/calls/generic_call.h"
#include "layer/calls/stack_libraries.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/sandbox.h"
#include "tests/lib/toy_calls.h"

static size_t open_calls(void)
{
	size_t count = 0;

	if (tl_self)
		for (struct tl_open_call *open = tl_self->open; open < tl_self->top; open++)
			count += !(open->mode & TL_OPEN_FINISHED);
	return count;
}

static void add(void *unused)
{
	toy_add(1, 2);
}

START_TEST(nothing_is_initialised_when_nothing_is_watched)
{
	ck_assert_int_eq(toy_add(2, 3), 5);
	ck_assert_int_eq(toy_add(2, 3), 5);
	ck_assert_uint_eq(toy_resolved, 1);
	ck_assert_ptr_nonnull(toy_shims[TOY_ADD].direct);
	ck_assert_ptr_null(tl_self);
	ck_assert_ptr_null(tl_buffer_producers()->next);
}
END_TEST

START_TEST(a_call_is_recorded_with_its_words_and_result)
{
	record(TL_ARGS_FULL);
	ck_assert_int_eq(toy_add(-2, 1000), 998);
	ck_assert_int_eq(toy_add(-2, 1001), 999);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 2);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(seen[i].call.flags, TL_RECORD_WORDS);
		ck_assert_int_eq((int64_t)seen[i].words[0], -2);
		ck_assert_int_eq((int64_t)seen[i].words[1], 1000 + i);
		ck_assert_uint_eq(seen[i].call.result, 998 + i);
	}
	ck_assert_uint_ge(seen[1].call.start, seen[0].call.start + seen[0].call.duration);
}
END_TEST

/* Chunks are changed many times. */
static void record_many(enum tl_args args, unsigned words)
{
	const unsigned many = 40000;

	record(args);
	for (unsigned i = 0; i < many; i++)
		assert_often_eq(toy_add((int)i, -(int64_t)i - 1), -1);
	/* What full chunks hold comes without a flush. */
	seen_collect(false);
	ck_assert_uint_gt(nseen, many / 2);
	seen_collect(true);
	ck_assert_uint_eq(nseen, many);
	for (unsigned i = 0; i < many; i++) {
		assert_often_eq(seen[i].call.size, 4 + words);
		assert_often_eq(seen[i].call.flags, words ? TL_RECORD_WORDS : 0);
		assert_often_eq(seen[i].call.result, UINT32_MAX);
		assert_often_eq(seen[i].words[0], words ? i : 0);
		assert_often_eq(seen[i].words[1], words ? -(uint64_t)i - 1 : 0);
		if (i)
			assert_often(seen[i].call.start >=
				     seen[i - 1].call.start + seen[i - 1].call.duration);
	}
	ck_assert_uint_eq(open_calls(), 0);
}

START_TEST(calls_that_find_their_chunk_full_are_whole)
{
	record_many(TL_ARGS_SCALARS, 2);
}
END_TEST

START_TEST(calls_without_words_that_find_their_chunk_full_are_whole)
{
	record_many(TL_ARGS_NONE, 0);
}
END_TEST

START_TEST(args_none_keeps_no_words)
{
	record(TL_ARGS_NONE);
	toy_add(1, 2);
	toy_add(1, 2);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 2);
	ck_assert_uint_eq(seen[1].call.size, 4);
}
END_TEST

START_TEST(memory_is_captured_before_and_after)
{
	char copy[16];

	record(TL_ARGS_FULL);
	ck_assert_int_eq(toy_name("hello", copy, sizeof(copy)), 0);
	seen_collect(true);
	struct seen *one = only(TOY_NAME);
	ck_assert_uint_eq(one->call.flags, TL_RECORD_WORDS | TL_RECORD_BLOBS);
	ck_assert_uint_gt(one->entry_size, 0);
	ck_assert_uint_gt(one->exit_size, 0);
	ck_assert_ptr_nonnull(memmem(one->blobs, one->entry_size, "hello", 5));
	ck_assert_ptr_nonnull(memmem(one->blobs + one->entry_size, one->exit_size, "hello", 5));
	ck_assert_uint_eq(((struct tl_producer *)tl_self)->scratch_used, 0);
}
END_TEST

START_TEST(a_failed_call_shows_no_out_parameters)
{
	char copy[2] = "x";

	record(TL_ARGS_FULL);
	ck_assert_int_eq(toy_name("hello", copy, sizeof(copy)), -1);
	seen_collect(true);
	ck_assert_uint_gt(only(TOY_NAME)->entry_size, 0);
	ck_assert_uint_eq(only(TOY_NAME)->exit_size, 0);
}
END_TEST

START_TEST(errno_is_what_the_driver_left)
{
	char copy[16];

	record(TL_ARGS_FULL);
	toy_errno = ENOENT;
	errno = 0;
	toy_add(1, 1);
	ck_assert_int_eq(errno, ENOENT);
	toy_errno = 0;
	errno = EDOM;
	/* The thread's first call, a call inline, and one that captures memory. */
	toy_add(1, 1);
	toy_add(1, 1);
	toy_name("a", copy, sizeof(copy));
	ck_assert_int_eq(errno, EDOM);
	/* A change of chunk. */
	for (int i = 0; i < 20000; i++) {
		toy_add(1, 1);
		assert_often_eq(errno, EDOM);
	}
}
END_TEST

START_TEST(a_function_that_the_library_lacks_is_unsupported)
{
	record(TL_ARGS_FULL);
	ck_assert_int_eq(toy_lacking(), -99);
	ck_assert_int_eq(toy_lacking(), -99);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_LACKING, 0), 2);
}
END_TEST

START_TEST(calls_nest)
{
	record(TL_ARGS_SCALARS);
	toy_run(add, NULL);
	toy_run(add, NULL);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 4);
	ck_assert_uint_eq(seen[0].call.function, TOY_ADD);
	ck_assert_uint_ge(seen[0].call.start, seen[1].call.start);
	ck_assert_uint_le(seen[2].call.start + seen[2].call.duration,
			  seen[3].call.start + seen[3].call.duration);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(nesting_deeper_than_the_stack_of_open_calls_loses_nothing)
{
	record(TL_ARGS_FULL);
	nest((void *)(uintptr_t)1000);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 1000);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_call_left_by_longjmp_ends_at_the_next_call)
{
	record(TL_ARGS_SCALARS);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(away, 0))
			toy_run(jump, NULL);
		toy_add(1, 2);
	}
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 100);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 100);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 100);
	ck_assert_uint_eq(open_calls(), 0);
	/* In order, the end of one no later than the next one's beginning. */
	for (size_t i = 0; i + 1 < nseen; i++)
		ck_assert_uint_le(seen[i].call.start + seen[i].call.duration,
				  seen[i + 1].call.start);
}
END_TEST

/* Calls recorded in the entry and calls served out of line have frames of different sizes. */
START_TEST(a_call_left_by_longjmp_ends_at_the_next_call_of_another_kind)
{
	char copy[8];

	record(TL_ARGS_FULL);
	toy_add(1, 2);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(away, 0))
			toy_run(jump, NULL);
		toy_name("x", copy, sizeof(copy));
		ck_assert_uint_eq(open_calls(), 0);
	}
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_NAME, 0), 100);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 100);
	for (size_t i = 0; i + 1 < nseen; i++)
		ck_assert_uint_le(seen[i].call.start + seen[i].call.duration,
				  seen[i + 1].call.start);
}
END_TEST

START_TEST(a_captured_call_left_by_longjmp_leaves_no_scratch)
{
	char copy[8];

	record(TL_ARGS_FULL);
	toy_add(1, 2);
	for (volatile int i = 0; i < 2000; i++) {
		toy_inside = jump_from_name;
		if (!sigsetjmp(away, 0))
			toy_name("x", copy, sizeof(copy));
		toy_inside = NULL;
		ck_assert_int_eq(toy_name("x", copy, sizeof(copy)), 0);
		ck_assert_uint_eq(((struct tl_producer *)tl_self)->scratch_used, 0);
	}
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_NAME, TL_RECORD_WORDS | TL_RECORD_BLOBS), 2000);
	ck_assert_uint_eq(seen_count(TOY_NAME, TL_RECORD_UNWOUND), 2000);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(an_inner_call_left_by_longjmp_does_not_end_the_outer)
{
	record(TL_ARGS_SCALARS);
	toy_run(jump_inside, NULL);
	toy_add(1, 2);
	seen_collect(true);
	toy_add(1, 2);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 2);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 1);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 2);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_call_left_by_longjmp_ends_at_the_latest_with_its_thread)
{
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	pthread_create(&thread, NULL, leave_by_longjmp, NULL);
	pthread_join(thread, NULL);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 1);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 1);
}
END_TEST

static void call_in_handler(int number)
{
	toy_add(3, 4);
}

static void raise_signal(void *unused)
{
	raise(SIGUSR1);
}

static void with_signal_stack(void *memory, size_t size)
{
	stack_t stack = {.ss_sp = memory, .ss_size = size};
	struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_ONSTACK};

	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	toy_run(raise_signal, NULL);
	toy_run(raise_signal, NULL);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

START_TEST(a_call_on_the_signal_stack_does_not_end_the_outer)
{
	char inside[64 * 1024]; /* above the outer call, on the same stack */
	char *outside = malloc(sizeof(inside));

	record(TL_ARGS_SCALARS);
	with_signal_stack(inside, sizeof(inside));
	with_signal_stack(outside, sizeof(inside));
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 4);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 4);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 0);
	ck_assert_uint_eq(open_calls(), 0);
	free(outside);
}
END_TEST

static ucontext_t main_context, other_context;

static void other_stack(void)
{
	toy_add(1, 1);
	toy_run(add, NULL);
	swapcontext(&other_context, &main_context);
	toy_add(2, 2);
}

static void switch_over(void *unused)
{
	swapcontext(&main_context, &other_context);
}

static void with_coroutine(void *memory, size_t size)
{
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = size;
	other_context.uc_link = &main_context;
	makecontext(&other_context, other_stack, 0);
	toy_run(switch_over, NULL);
	toy_run(switch_over, NULL);
}

START_TEST(a_call_on_a_coroutines_stack_does_not_end_the_outer)
{
	char inside[64 * 1024];
	char *outside = malloc(sizeof(inside));

	record(TL_ARGS_SCALARS);
	with_coroutine(inside, sizeof(inside));
	with_coroutine(outside, sizeof(inside));
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 6);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 6);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 0);
	ck_assert_uint_eq(open_calls(), 0);
	free(outside);
}
END_TEST

static void back_to_main(void *unused)
{
	swapcontext(&other_context, &main_context);
}

static void open_on_other_stack(void)
{
	toy_run(back_to_main, NULL);
}

START_TEST(calls_of_two_stacks_may_end_out_of_order)
{
	size_t size = 64 * 1024;
	char *memory = malloc(size);

	record(TL_ARGS_SCALARS);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = size;
	other_context.uc_link = &main_context;
	makecontext(&other_context, open_on_other_stack, 0);
	toy_run(add, NULL);	    /* a function's first call goes another way */
	toy_run(switch_over, NULL); /* returns while the coroutine's call is open */
	toy_run(add, NULL);
	swapcontext(&main_context, &other_context);
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 4);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 0);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 3);
	/* The coroutine's call was begun before the other returned. */
	ck_assert_uint_eq(seen[2].words[0], (uintptr_t)switch_over);
	for (size_t i = 3; i < nseen; i++)
		if (seen[i].words[0] == (uintptr_t)back_to_main)
			ck_assert_uint_lt(seen[i].call.start,
					  seen[2].call.start + seen[2].call.duration);
	ck_assert_uint_eq(open_calls(), 0);
	free(memory);
}
END_TEST

static void *goes_on(void *unused)
{
	toy_add(3, 3);
	swapcontext(&main_context, &other_context);
	toy_add(4, 4);
	return NULL;
}

START_TEST(a_call_that_a_coroutine_carries_to_another_thread_is_recorded_by_that)
{
	size_t size = 64 * 1024;
	char *memory = malloc(size);
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	toy_add(1, 1);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = size;
	other_context.uc_link = &main_context;
	makecontext(&other_context, open_on_other_stack, 0);
	swapcontext(&main_context, &other_context);
	uint32_t lane = ((struct tl_producer *)tl_self)->lane;
	pthread_create(&thread, NULL, goes_on, NULL);
	pthread_join(thread, NULL);
	toy_add(2, 2);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 5);
	struct seen *run = only(TOY_RUN);
	ck_assert_uint_eq(run->call.flags, TL_RECORD_WORDS);
	ck_assert_uint_ne(run->lane, lane);
	ck_assert_uint_eq(run->words[0], (uintptr_t)back_to_main);
	ck_assert_uint_eq(open_calls(), 0);
	free(memory);
}
END_TEST

START_TEST(a_stack_that_was_unmapped_is_not_touched)
{
	size_t size = 64 * 1024;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	record(TL_ARGS_SCALARS);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = size;
	makecontext(&other_context, open_on_other_stack, 0);
	swapcontext(&main_context, &other_context);
	munmap(memory, size);
	toy_add(1, 1);
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 1);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 2);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

static void end_thread(void *unused)
{
	pthread_exit(NULL);
}

static void wait_long(void *barrier)
{
	pthread_barrier_wait(barrier);
	for (;;)
		pause();
}

static void *exits_inside(void *unused)
{
	toy_add(1, 2);
	toy_run(end_thread, NULL);
	return NULL;
}

static void *waits_inside(void *barrier)
{
	char copy[8];

	toy_name("x", copy, sizeof(copy));
	toy_run(wait_long, barrier);
	return NULL;
}

START_TEST(pthread_exit_inside_a_call_unwinds_it)
{
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	pthread_create(&thread, NULL, exits_inside, NULL);
	pthread_join(thread, NULL);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_RUN)->call.flags, TL_RECORD_WORDS | TL_RECORD_UNWOUND);
	ck_assert_uint_eq(only(TOY_RUN)->words[0], (uintptr_t)end_thread);
}
END_TEST

static void exit_from_name(void)
{
	pthread_exit(NULL);
}

static void *exits_inside_name(void *unused)
{
	char copy[8] = "before";

	toy_add(1, 2);
	toy_inside = exit_from_name;
	toy_name("hello", copy, sizeof(copy));
	return NULL;
}

START_TEST(a_captured_call_that_is_unwound_shows_what_went_in)
{
	pthread_t thread;

	record(TL_ARGS_FULL);
	pthread_create(&thread, NULL, exits_inside_name, NULL);
	pthread_join(thread, NULL);
	seen_collect(true);
	struct seen *one = only(TOY_NAME);
	ck_assert_uint_eq(one->call.flags, TL_RECORD_WORDS | TL_RECORD_BLOBS | TL_RECORD_UNWOUND);
	ck_assert_uint_eq(one->words[2], 8);
	ck_assert_ptr_nonnull(memmem(one->blobs, one->entry_size, "hello", 5));
	ck_assert_uint_eq(one->exit_size, 0);
}
END_TEST

START_TEST(a_cancelled_call_is_unwound)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	record(TL_ARGS_FULL);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, waits_inside, &barrier);
	pthread_barrier_wait(&barrier);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_RUN)->call.flags, TL_RECORD_WORDS | TL_RECORD_UNWOUND);
	ck_assert_uint_eq(nseen, 2);
}
END_TEST

static _Atomic unsigned handled;

static void call_often(int number)
{
	char copy[16];

	toy_add(7, 7);
	toy_name("handler", copy, sizeof(copy));
	handled++;
}

START_TEST(signal_handlers_call_in_the_middle_of_calls)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = call_often, .sa_flags = SA_RESTART};
	unsigned calls = 0, good = 0;
	char copy[16];

	record(TL_ARGS_FULL);
	toy_add(1, 2);
	seen_start();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 2000 || calls < 20000; calls++) {
		toy_run(add, NULL);
		toy_name("program", copy, sizeof(copy));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	seen_stop();
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), calls);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 1 + calls + handled);
	ck_assert_uint_eq(seen_count(TOY_NAME, 0), calls + handled);
	for (size_t i = 0; i < nseen; i++)
		if (seen[i].call.function == TOY_NAME) {
			const char *name = memmem(seen[i].blobs, seen[i].entry_size, "program", 7)
						   ? "program"
						   : "handler";
			good += memmem(seen[i].blobs, seen[i].entry_size, name, 7) &&
				memmem(seen[i].blobs + seen[i].entry_size, seen[i].exit_size, name,
				       7);
		}
	ck_assert_uint_eq(good, calls + handled);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

static pthread_barrier_t start_line;

static void *first_call(void *unused)
{
	pthread_barrier_wait(&start_line);
	toy_add(1, 2);
	return NULL;
}

START_TEST(many_first_calls_at_once_are_all_recorded)
{
	pthread_t threads[16];

	record(TL_ARGS_SCALARS);
	pthread_barrier_init(&start_line, NULL, 16);
	for (int i = 0; i < 16; i++)
		pthread_create(&threads[i], NULL, first_call, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 16);
}
END_TEST

static atomic_bool adding, added;

static void add_slowly(void)
{
	adding = true;
	usleep(100000);
	added = true;
}

static void *call_first(void *unused)
{
	toy_add(1, 2);
	return unused;
}

START_TEST(a_child_that_is_forked_in_another_threads_first_call_knows_the_shims)
{
	pthread_t thread;
	int status;

	toy_adding = add_slowly;
	record(TL_ARGS_SCALARS);
	pthread_create(&thread, NULL, call_first, NULL);
	while (!adding)
		sched_yield();
	pid_t child = fork();
	if (child == 0)
		_exit(!added);
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	pthread_join(thread, NULL);
}
END_TEST

static void fork_here(void *pid)
{
	*(pid_t *)pid = fork();
}

START_TEST(a_fork_inside_a_call_gives_the_child_none_of_it)
{
	pid_t child;
	int status;

	record(TL_ARGS_SCALARS);
	toy_add(1, 2);
	toy_run(fork_here, &child);
	if (child == 0) {
		/* The call that was open across the fork has ended: it was the parent's. */
		toy_add(5, 6);
		toy_add(5, 6);
		seen_collect(true);
		_exit(nseen == 2 && seen_count(TOY_ADD, 0) == 2 && seen[0].lane == 1 &&
				      open_calls() == 0
			      ? 0
			      : 1);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 2);
}
END_TEST

START_TEST(recording_off_sends_calls_straight_on)
{
	record(TL_ARGS_SCALARS);
	toy_add(1, 2);
	tl_recording_set(false);
	toy_add(1, 2);
	ck_assert_ptr_nonnull(toy_shims[TOY_ADD].direct);
	tl_recording_set(true);
	ck_assert_ptr_null(toy_shims[TOY_ADD].direct);
	toy_add(1, 2);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 2);
}
END_TEST

/*
 * What somebody who looks on from outside would see: the functions of open calls that have a frame.
 */
static void expect_open(const enum toy *functions, size_t count)
{
	ck_assert_uint_eq(open_calls(), count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(tl_self->open[i].function & 0xffff, functions[i]);
		ck_assert(tl_self->open[i].frame && tl_self->open[i].frame != TL_NO_FRAME);
	}
}

static void look_on(void *unused)
{
	const enum toy functions[] = {TOY_RUN, TOY_RUN};

	(void)unused;
	toy_add(1, 2);
	expect_open(functions, 2);
}

static void look_on_outside(void *unused)
{
	const enum toy function = TOY_RUN;

	(void)unused;
	expect_open(&function, 1);
	toy_run(look_on, NULL);
	expect_open(&function, 1);
}

START_TEST(a_call_that_is_watched_is_open_and_not_recorded)
{
	/* As in a program that is recorded, so that there are buffers; then nothing is. */
	record(TL_ARGS_FULL);
	toy_add(1, 2);
	tl_recording_set(false);
	tl_recording_watch(true);
	ck_assert_ptr_null(toy_shims[TOY_ADD].direct);
	/* The first out of line, the others in their entries. */
	for (int i = 0; i < 3; i++)
		toy_run(look_on_outside, NULL);
	ck_assert_int_eq(toy_add(2, 3), 5);
	expect_open(NULL, 0);
	/* One that is left. */
	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(away, 0))
			toy_run(jump, NULL);
		toy_run(look_on_outside, NULL);
	}
	expect_open(NULL, 0);
	tl_recording_watch(false);
	ck_assert_ptr_nonnull(toy_shims[TOY_ADD].direct);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 1);
}
END_TEST

static pthread_key_t late_key;

static void late_destructor(void *left)
{
	toy_add(8, 8);
	if ((uintptr_t)left > 1)
		pthread_setspecific(late_key, (void *)((uintptr_t)left - 1));
}

static void *calls_late(void *unused)
{
	pthread_setspecific(late_key, (void *)4);
	toy_add(1, 2);
	return NULL;
}

START_TEST(calls_of_a_threads_last_destructors_are_recorded_in_its_lane)
{
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	toy_add(1, 2);
	/* After ours, so that its last call comes after ours has handed everything over. */
	pthread_key_create(&late_key, late_destructor);
	pthread_create(&thread, NULL, calls_late, NULL);
	pthread_join(thread, NULL);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 6);
	for (size_t i = 0; i < nseen; i++)
		ck_assert_uint_eq(seen[i].lane, seen[i].words[0] == 1 && seen[i].lane == 1 ? 1 : 2);
}
END_TEST

START_TEST(closures_follow_the_shim_they_were_made_for)
{
	struct tl_shim closure = {.function = toy_shims[TOY_ADD].function, .real = (void *)toy_add};

	toy_add(1, 2);
	tl_api_adopt(&closure, &toy_shims[TOY_ADD]);
	ck_assert_uint_eq(closure.mode, 0);
	record(TL_ARGS_SCALARS);
	ck_assert_uint_eq(closure.mode, TL_MODE_FAST);
	ck_assert_ptr_null(closure.direct);
	tl_recording_set(false);
	ck_assert_ptr_eq(closure.direct, (void *)toy_add);
	tl_api_by_caller(&(struct tl_shim *){&toy_shims[TOY_ADD]}, 1);
	ck_assert_uint_eq(closure.mode, TL_MODE_CALLER);
	ck_assert_ptr_null(closure.direct);
}
END_TEST

START_TEST(an_apis_other_tables_are_taken_before_its_first_call_and_only_if_they_are_like_it)
{
	struct tl_shim closure = {.function = toy_shims[TOY_ADD].function, .real = (void *)toy_add};
	struct tl_shim late = {.function = toy_shims[TOY_ADD].function, .real = (void *)toy_run};
	struct tl_shim_library *library = tl_api_builtin[0];
	const struct tl_api *first = library->api;
	/* The process's end looks at them, too. */
	static struct tl_function others[TOY_FUNCTIONS];
	static struct tl_api other;

	other = *first;
	memcpy(others, first->functions, sizeof(others));
	other.functions = others;
	tl_api_need();
	tl_api_adopt(&closure, &toy_shims[TOY_ADD]);
	others[TOY_NAME].words++;
	tl_api_exchange(library, &other);
	ck_assert_ptr_eq(library->api, first);
	others[TOY_NAME].words--;
	tl_api_exchange(library, &other);
	ck_assert_ptr_eq(library->api, &other);
	for (unsigned i = 0; i < TOY_FUNCTIONS; i++)
		ck_assert_ptr_eq(toy_shims[i].function, &others[i]);
	ck_assert_ptr_eq(closure.function, &others[TOY_ADD]);
	tl_api_adopt(&late, &toy_shims[TOY_ADD]);
	ck_assert_ptr_eq(late.function, &others[TOY_ADD]);
	ck_assert_int_eq(toy_add(1, 2), 3);
	tl_api_exchange(library, first);
	ck_assert_ptr_eq(library->api, &other);
}
END_TEST

/* The words that a function with unknown arguments gets, if the caller has them there. */
static uint64_t words_at(char *stack)
{
	return tl_generic_stack((const void *)(stack - offsetof(struct tl_generic_frame, stack)));
}

/* The kernel refuses every way to ask. */
START_TEST(unknown_arguments_on_the_first_threads_stack_need_no_question)
{
	char stack[4 * 4096], *end = stack + 3 * 4096 - (uintptr_t)stack % 4096,
			      *other = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(stack, 0, sizeof(stack));
	ck_assert_uint_eq(words_at(other + 4096 - 64), TL_GENERIC_STACK);
	munmap(other + 4096, 4096);
	ck_assert_uint_eq(words_at(other + 4096 - 64), 8);
	refuse_every_question();
	ck_assert_uint_eq(words_at(end - 4096 - 64), TL_GENERIC_STACK);
	ck_assert_uint_eq(words_at(end - 64), TL_GENERIC_STACK);
	ck_assert_uint_eq(words_at(other + 4096 - 64), 8);
}
END_TEST

static _Atomic int finding;

static void *find_own_library(void *number)
{
	finding++;
	while (finding < 2)
		;
	*(uint32_t *)number = tl_stack_library_find((uintptr_t)find_own_library);
	return NULL;
}

/* Children have found no library yet. Some find it in both threads at once. */
START_TEST(a_library_that_two_threads_find_at_once_is_the_same)
{
	for (int round = 0; round < 200; round++) {
		int status;

		if (!fork()) {
			pthread_t other;
			uint32_t one = 0, two = 0;
			uint32_t libc =
				tl_stack_library_find((uintptr_t)dlsym(RTLD_DEFAULT, "getppid"));

			pthread_create(&other, NULL, find_own_library, &one);
			find_own_library(&two);
			pthread_join(other, NULL);
			_exit(!one || !two || !libc || !tl_stack_library_is_same(one, two) ||
			      tl_stack_library_is_same(one, libc) ||
			      tl_stack_library_is_same(one, 0));
		}
		wait(&status);
		assert_often_eq(status, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("calls");
	TCase *tcase = tcase_create("calls");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, nothing_is_initialised_when_nothing_is_watched);
	tcase_add_test(tcase, a_call_is_recorded_with_its_words_and_result);
	tcase_add_test(tcase, calls_that_find_their_chunk_full_are_whole);
	tcase_add_test(tcase, calls_without_words_that_find_their_chunk_full_are_whole);
	tcase_add_test(tcase, args_none_keeps_no_words);
	tcase_add_test(tcase, memory_is_captured_before_and_after);
	tcase_add_test(tcase, a_failed_call_shows_no_out_parameters);
	tcase_add_test(tcase, errno_is_what_the_driver_left);
	tcase_add_test(tcase, a_function_that_the_library_lacks_is_unsupported);
	tcase_add_test(tcase, calls_nest);
	tcase_add_test(tcase, nesting_deeper_than_the_stack_of_open_calls_loses_nothing);
	tcase_add_test(tcase, a_call_left_by_longjmp_ends_at_the_next_call);
	tcase_add_test(tcase, a_call_left_by_longjmp_ends_at_the_next_call_of_another_kind);
	tcase_add_test(tcase, a_captured_call_left_by_longjmp_leaves_no_scratch);
	tcase_add_test(tcase, an_inner_call_left_by_longjmp_does_not_end_the_outer);
	tcase_add_test(tcase, a_call_left_by_longjmp_ends_at_the_latest_with_its_thread);
	tcase_add_test(tcase, a_call_on_the_signal_stack_does_not_end_the_outer);
	tcase_add_test(tcase, a_call_on_a_coroutines_stack_does_not_end_the_outer);
	tcase_add_test(tcase, calls_of_two_stacks_may_end_out_of_order);
	tcase_add_test(tcase,
		       a_call_that_a_coroutine_carries_to_another_thread_is_recorded_by_that);
	tcase_add_test(tcase, a_stack_that_was_unmapped_is_not_touched);
	tcase_add_test(tcase, pthread_exit_inside_a_call_unwinds_it);
	tcase_add_test(tcase, a_captured_call_that_is_unwound_shows_what_went_in);
	tcase_add_test(tcase, a_cancelled_call_is_unwound);
	tcase_add_test(tcase, signal_handlers_call_in_the_middle_of_calls);
	tcase_add_test(tcase, many_first_calls_at_once_are_all_recorded);
	tcase_add_test(tcase, a_child_that_is_forked_in_another_threads_first_call_knows_the_shims);
	tcase_add_test(tcase, a_fork_inside_a_call_gives_the_child_none_of_it);
	tcase_add_test(tcase, recording_off_sends_calls_straight_on);
	tcase_add_test(tcase, a_call_that_is_watched_is_open_and_not_recorded);
	tcase_add_test(tcase, calls_of_a_threads_last_destructors_are_recorded_in_its_lane);
	tcase_add_test(tcase, closures_follow_the_shim_they_were_made_for);
	tcase_add_test(
		tcase,
		an_apis_other_tables_are_taken_before_its_first_call_and_only_if_they_are_like_it);
	tcase_add_test(tcase, unknown_arguments_on_the_first_threads_stack_need_no_question);
	tcase_add_test(tcase, a_library_that_two_threads_find_at_once_is_the_same);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
