/* SPDX-License-Identifier: MIT */
/*
 * hook_test.c: hooks around calls (layer/calls/hook.h), and the cause in a call's record. The toy
 * API (core_doubles.h) is the driver.
 */
#include <alloca.h>
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "layer/buffers/process_state.h"
#include "layer/buffers/clock.h"
#include "layer/device/device.h"
#include "layer/calls/request.h"
#include "layer/calls/thread.h"
#include "tests/lib/toy_calls.h"
#include "tracelayer/tracer.h"

/* What happened, in order: letters that hooks, tracers and the driver put here. */
static char story[4096];
static size_t told;

/* No cancellation point, as Check's own functions are. */
static void tell(char what)
{
	if (told < sizeof(story) - 1)
		story[told++] = what;
}

#define is_story(expected)                                                                         \
	do {                                                                                       \
		ck_assert_str_eq(story, expected);                                                 \
		memset(story, 0, sizeof(story));                                                   \
		told = 0;                                                                          \
	} while (0)

static size_t open_calls(void)
{
	return tl_self ? (size_t)(tl_self->top - tl_self->open) : 0;
}

/* --- hooks that change everything */

struct kept {
	uint64_t magic;
	void *own;
};

static bool was_unwound;
static uint64_t told_result;
static char other_copy[16];
static uint32_t correlation;

static void before_name(struct tl_call *call, void *state)
{
	const uint64_t *words = state;
	struct kept *kept = state;

	for (unsigned i = 0; i < TL_HOOK_STATE / 8; i++)
		ck_assert_uint_eq(words[i], 0);
	ck_assert_uint_eq((uintptr_t)state % 16, 0);
	tell('b');
	memset(state, 0xff, TL_HOOK_STATE);
	kept->magic = 42;
	kept->own = malloc(16);
	*(const char **)call->params[0] = "ours";
	*(char **)call->params[1] = other_copy;
	*(unsigned *)call->params[2] = sizeof(other_copy);
	errno = ENOTTY;
}

static void after_name(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct kept *kept = state;

	tell('a');
	ck_assert_uint_eq(kept->magic, 42);
	free(kept->own);
	was_unwound = unwound;
	told_result = result;
	if (correlation)
		tl_call_correlate(call, correlation);
	errno = ENOTTY;
}

static void before_run(struct tl_call *call, void *state)
{
	tell('(');
	*(void ***)state = *(void ***)call->params[1];
}

static void after_run(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	tell(unwound ? '!' : ')');
	was_unwound = unwound;
	if (correlation)
		tl_call_correlate(call, correlation);
	ck_assert_ptr_eq(*(void **)state, *(void **)call->params[1]);
}

static const struct tl_hook hooks[] = {
	{.function = "toy_run", .before = before_run, .after = after_run, .way = TL_HOOK_TIMED},
	{.function = "toy_none"},
	{.function = "toy_name", .before = before_name, .after = after_name},
	{.function = "toy_lacking", .before = before_run, .after = after_run},
	{NULL},
};

static const struct tl_hook straight_hooks[] = {
	{.function = "toy_run", .before = before_run, .after = after_run, .way = TL_HOOK_STRAIGHT},
	{.function = "toy_none", .way = TL_HOOK_STRAIGHT},
	{.function = "toy_name",
	 .before = before_name,
	 .after = after_name,
	 .way = TL_HOOK_STRAIGHT},
	{.function = "toy_lacking",
	 .before = before_run,
	 .after = after_run,
	 .way = TL_HOOK_STRAIGHT},
	{NULL},
};

static bool set_list(const struct tl_hook *list)
{
	return tl_hook_set(TL_HOOKS_OF_DEVICES, (const struct tl_hook *const[]){list, NULL});
}

static void set_hooks(enum tl_args args, bool straight)
{
	record(args);
	ck_assert(tl_process_begin());
	ck_assert(set_list(straight ? straight_hooks : hooks));
}

/* In a loop of two: the same behaviour with hooks that promise more. */
#define hook(args) set_hooks(args, _i)

START_TEST(a_hook_changes_what_the_driver_sees_and_nothing_else)
{
	char copy[8] = "";

	hook(TL_ARGS_FULL);
	for (unsigned i = 0; i < 3; i++) {
		errno = EDOM;
		ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 0);
		ck_assert_int_eq(errno, EDOM);
		ck_assert_str_eq(copy, "");
		ck_assert_str_eq(other_copy, "ours");
		ck_assert_uint_eq(told_result, 0);
		ck_assert(!was_unwound);
		is_story("ba");
		strcpy(copy, "");
		seen_clear();
		ck_assert_int_eq(toy_name("much too long", copy, 2), 0);
		seen_collect(true);
		struct seen *one = only(TOY_NAME);
		ck_assert_uint_eq(one->call.flags, TL_RECORD_WORDS | TL_RECORD_BLOBS);
		ck_assert_uint_eq(one->words[1], (uintptr_t)copy);
		ck_assert_uint_eq(one->words[2], 2);
		ck_assert_ptr_nonnull(memmem(one->blobs, one->entry_size, "much too long", 13));
		ck_assert_ptr_null(memmem(one->blobs, one->entry_size + one->exit_size, "ours", 4));
		is_story("ba");
		seen_clear();
		toy_add(1, 1);
	}
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

static enum tl_verdict verdict;
static int skipped_result = 77;
static const char *answer; /* an epilogue gives it to the program */
static bool epilogue_jumps;

static enum tl_verdict prologue(const struct tl_view *view, void *user_data, void **instance_data)
{
	tell('p');
	ck_assert_str_eq(*(const char **)view->params[0], "program");
	/* As a tool may. */
	*(const char **)view->params[0] = "tool";
	if (verdict == TL_SKIP)
		memcpy(view->result, &skipped_result, sizeof(int));
	return verdict;
}

static void epilogue(const struct tl_view *view, void *user_data, void **instance_data)
{
	tell('e');
	/* After a longjmp the parameters are those that the call began with. */
	ck_assert_str_eq(*(const char **)view->params[0], was_unwound ? "program" : "tool");
	ck_assert_ptr_ne(*(char **)view->params[1], other_copy);
	if (answer && !(view->flags & TL_VIEW_UNWOUND))
		strcpy(*(char **)view->params[1], answer);
	if (epilogue_jumps)
		siglongjmp(away, 1);
}

static struct tl_tracer *trace(const char *function)
{
	const struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;

	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), 0);
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, function, prologue, epilogue), 0);
	ck_assert_int_eq(tl_tracer_enable(tracer), 0);
	return tracer;
}

static void in_driver(void)
{
	tell('d');
}

START_TEST(hooks_run_inside_of_tracers_callbacks)
{
	char copy[8];

	hook(TL_ARGS_FULL);
	trace("toy_name");
	toy_inside = in_driver;
	for (unsigned i = 0; i < 3; i++) {
		seen_clear();
		ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 0);
		is_story("pbdae");
		seen_collect(true);
		ck_assert_ptr_nonnull(
			memmem(only(TOY_NAME)->blobs, only(TOY_NAME)->entry_size, "tool", 4));
	}
	/* While nothing is recorded, too. */
	tl_recording_set(false);
	ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 0);
	is_story("pbdae");
}
END_TEST

START_TEST(a_call_whose_driver_is_skipped_has_no_hook)
{
	char copy[8];

	hook(TL_ARGS_FULL);
	trace("toy_name");
	verdict = TL_SKIP;
	ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 77);
	ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 77);
	is_story("pepe");
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_skipped_call_is_recorded_with_what_its_epilogues_return)
{
	char copy[8] = "before";

	record(TL_ARGS_FULL);
	ck_assert(tl_process_begin());
	trace("toy_name");
	verdict = TL_SKIP;
	skipped_result = 0;
	for (unsigned i = 0; i < 3; i++) {
		seen_clear();
		answer = "answer";
		errno = EDOM;
		ck_assert_int_eq(toy_name("program", copy, sizeof(copy)), 0);
		ck_assert_int_eq(errno, EDOM);
		answer = NULL;
		ck_assert_str_eq(copy, "answer");
		strcpy(copy, "after");
		seen_collect(true);
		struct seen *one = only(TOY_NAME);
		ck_assert_uint_eq(one->call.flags, TL_RECORD_WORDS | TL_RECORD_BLOBS);
		ck_assert_ptr_nonnull(
			memmem(one->blobs + one->entry_size, one->exit_size, "answer", 6));
	}
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_skipped_call_that_its_epilogue_leaves_is_recorded_once)
{
	char copy[8];

	record(TL_ARGS_FULL);
	ck_assert(tl_process_begin());
	trace("toy_name");
	verdict = TL_SKIP;
	epilogue_jumps = true;
	if (!sigsetjmp(away, 0))
		toy_name("program", copy, sizeof(copy));
	epilogue_jumps = false;
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_NAME)->call.flags & TL_RECORD_UNWOUND, TL_RECORD_UNWOUND);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_function_that_is_lacking_has_no_hook)
{
	hook(TL_ARGS_FULL);
	ck_assert_int_eq(toy_lacking(), -99);
	is_story("");
	ck_assert_ptr_null(tl_hook_real("toy_lacking"));
	ck_assert_ptr_null(tl_hook_real("toy_none"));
	int (*real)(int, int64_t) = (int (*)(int, int64_t))tl_hook_real("toy_add");
	ck_assert_int_eq(real(3, 4), 7);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 0);
}
END_TEST

/* Calls of hooks pass. */
static void before_calls(struct tl_call *call, void *state)
{
	char copy[8];

	tell('b');
	toy_add(1, 1);
	toy_name("x", copy, sizeof(copy));
	int (*real)(int, int64_t) = (int (*)(int, int64_t))tl_hook_real_of(call);
	ck_assert_int_eq(real(1, 1), 2);
}

static void after_calls(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	tell('a');
	toy_add(1, 1);
}

static const struct tl_hook calling[] = {{"toy_add", before_calls, after_calls, TL_HOOK_PLAIN},
					 {NULL}};

START_TEST(calls_of_hooks_pass)
{
	hook(TL_ARGS_FULL);
	ck_assert(set_list(calling));
	toy_add(5, 5);
	toy_add(6, 6);
	is_story("baba");
	seen_collect(true);
	ck_assert_uint_eq(nseen, 2);
	ck_assert_uint_eq(seen_count(TOY_ADD, TL_RECORD_WORDS), 2);
}
END_TEST

static const struct tl_hook mixed_hooks[] = {
	{.function = "another_run", .before = before_run, .after = after_run},
	{.function = "toy_run", .before = before_run, .after = after_run},
	{NULL},
};

static void in_run(void *with)
{
	tell('d');
}

START_TEST(a_list_may_name_functions_of_several_apis)
{
	int with = 0;

	record(TL_ARGS_FULL);
	ck_assert(tl_process_begin());
	ck_assert(set_list(mixed_hooks));
	toy_run(in_run, &with);
	is_story("(d)");
}
END_TEST

START_TEST(hooks_run_while_nothing_is_recorded)
{
	char copy[8];

	hook(TL_ARGS_FULL);
	tl_recording_set(false);
	ck_assert_ptr_null(toy_shims[TOY_NAME].direct);
	toy_name("program", copy, sizeof(copy));
	is_story("ba");
	seen_collect(true);
	ck_assert_uint_eq(nseen, 0);
	/* Others go straight on. */
	toy_add(1, 1);
	ck_assert_ptr_nonnull(toy_shims[TOY_ADD].direct);
}
END_TEST

/* --- calls that don't return */

START_TEST(a_call_left_by_longjmp_has_its_after_once)
{
	hook(TL_ARGS_SCALARS);
	correlation = 9;
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(away, 0))
			toy_run(jump, NULL);
		is_story("(");
		toy_add(1, 2);
		is_story("!");
		ck_assert(was_unwound);
		toy_add(1, 2);
		is_story("");
	}
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND | TL_RECORD_CAUSE), 100);
	for (size_t i = 0; i < nseen; i++)
		ck_assert_uint_eq(seen[i].cause.correlation,
				  seen[i].call.function == TOY_RUN ? 9 : 0);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

/* Nothing on the stack is written to in between. */
static __attribute__((noinline)) void at_depth(size_t bytes, void (*work)(void))
{
	char *unused = alloca(bytes);

	__asm__ volatile("" : : "r"(unused) : "memory");
	work();
	__asm__ volatile("" : : "r"(unused) : "memory");
}

static void run_and_jump(void)
{
	toy_run(jump, NULL);
}

START_TEST(a_call_left_deeper_than_any_later_one_has_its_after_once)
{
	hook(TL_ARGS_SCALARS);
	toy_add(1, 2);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(away, 0))
			at_depth(300 * (size_t)i, run_and_jump);
		is_story("(");
		toy_add(1, 2);
		is_story("!");
		ck_assert(was_unwound);
	}
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 100);
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(an_inner_call_left_by_longjmp_has_its_after_before_the_outer)
{
	hook(TL_ARGS_SCALARS);
	toy_run(jump_inside, NULL);
	is_story("((!)");
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(a_call_left_by_longjmp_while_traced_has_its_after_before_its_epilogue)
{
	char copy[8];

	hook(TL_ARGS_FULL);
	trace("toy_name");
	toy_inside = jump_from_name;
	if (!sigsetjmp(away, 0))
		toy_name("program", copy, sizeof(copy));
	toy_add(1, 1);
	is_story("pbae");
	ck_assert(was_unwound);
	ck_assert_uint_eq(((struct tl_producer *)tl_self)->scratch_used, 0);
}
END_TEST

START_TEST(a_call_left_by_longjmp_has_its_after_at_the_latest_when_its_thread_ends)
{
	pthread_t thread;

	hook(TL_ARGS_SCALARS);
	pthread_create(&thread, NULL, leave_by_longjmp, NULL);
	pthread_join(thread, NULL);
	is_story("(!");
}
END_TEST

static void end_thread(void *unused)
{
	pthread_exit(NULL);
}

static void exit_from_name(void)
{
	pthread_exit(NULL);
}

static void *exits_inside(void *unused)
{
	toy_run(end_thread, (void *)&told);
	return NULL;
}

static void *exits_inside_name(void *unused)
{
	static char copy[8] = "before";

	toy_inside = exit_from_name;
	toy_name("program", copy, sizeof(copy));
	return NULL;
}

START_TEST(a_call_that_is_unwound_has_its_after_and_its_own_parameters)
{
	pthread_t thread;

	hook(TL_ARGS_FULL);
	correlation = 5;
	pthread_create(&thread, NULL, exits_inside, NULL);
	pthread_join(thread, NULL);
	is_story("(!");
	pthread_create(&thread, NULL, exits_inside_name, NULL);
	pthread_join(thread, NULL);
	is_story("ba");
	ck_assert(was_unwound);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_RUN)->call.flags,
			  TL_RECORD_WORDS | TL_RECORD_UNWOUND | TL_RECORD_CAUSE);
	ck_assert_uint_eq(only(TOY_RUN)->words[1], (uintptr_t)&told);
	ck_assert_uint_eq(only(TOY_NAME)->words[2], 8);
	ck_assert_ptr_nonnull(
		memmem(only(TOY_NAME)->blobs, only(TOY_NAME)->entry_size, "program", 7));
	ck_assert_uint_eq(only(TOY_NAME)->cause.correlation, 5);
}
END_TEST

static void ending_epilogue(const struct tl_view *view, void *user_data, void **instance_data)
{
	tell('e');
	if (!(view->flags & TL_VIEW_UNWOUND))
		pthread_exit(NULL);
}

static void *calls_run(void *unused)
{
	toy_run(NULL, NULL);
	tell('?');
	return NULL;
}

START_TEST(an_epilogue_that_ends_the_thread_has_no_second_after)
{
	const struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;
	pthread_t thread;

	hook(TL_ARGS_SCALARS);
	correlation = 4;
	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), 0);
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, "toy_run", NULL, ending_epilogue),
			 0);
	ck_assert_int_eq(tl_tracer_enable(tracer), 0);
	pthread_create(&thread, NULL, calls_run, NULL);
	pthread_join(thread, NULL);
	is_story("()e");
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_RUN)->call.flags, TL_RECORD_WORDS | TL_RECORD_CAUSE);
}
END_TEST

static bool cancels, straight;

static void before_cancelled(struct tl_call *call, void *state)
{
	int off = cancels && straight ? tl_hook_uncancelled() : PTHREAD_CANCEL_ENABLE;

	if (!cancels)
		return;
	pthread_cancel(pthread_self());
	usleep(1);
	tell('b');
	if (straight)
		tl_hook_cancellable(&off);
}

static void after_cancelled(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	int off = cancels && straight ? tl_hook_uncancelled() : PTHREAD_CANCEL_ENABLE;

	if (!cancels)
		return;
	usleep(1);
	tell(unwound ? '!' : 'a');
	if (straight)
		tl_hook_cancellable(&off);
}

static const struct tl_hook cancelled[] = {
	{"toy_add", before_cancelled, after_cancelled, TL_HOOK_PLAIN}, {NULL}};
static const struct tl_hook straight_cancelled[] = {
	{"toy_add", before_cancelled, after_cancelled, TL_HOOK_STRAIGHT}, {NULL}};

static void *is_cancelled(void *unused)
{
	toy_add(1, 1);
	cancels = true;
	toy_add(1, 1);
	tell('-');
	pthread_testcancel();
	tell('?');
	return NULL;
}

START_TEST(a_thread_is_not_cancelled_inside_of_a_hook)
{
	pthread_t thread;
	void *result;

	record(TL_ARGS_SCALARS);
	ck_assert(tl_process_begin());
	straight = _i;
	ck_assert(set_list(straight ? straight_cancelled : cancelled));
	pthread_create(&thread, NULL, is_cancelled, NULL);
	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, PTHREAD_CANCELED);
	is_story("ba-");
}
END_TEST

static pid_t child;
static int status;

static void fork_inside(void *unused)
{
	child = fork();
	tell(child ? 'P' : 'C');
}

START_TEST(a_child_forked_inside_a_call_runs_no_after)
{
	hook(TL_ARGS_FULL);
	toy_add(1, 1);
	toy_run(fork_inside, NULL);
	if (!child) {
		/* Its own calls have hooks again. */
		bool right = !strcmp(story, "(C");
		toy_run(NULL, NULL);
		right &= !strcmp(story, "(C()");
		_exit(right ? 0 : 1);
	}
	is_story("(P)");
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void call_in_handler(int number)
{
	toy_run(NULL, NULL);
}

static void raise_signal(void *unused)
{
	raise(SIGUSR1);
}

static void before_raises(struct tl_call *call, void *state)
{
	tell('b');
	raise(SIGUSR1);
}

static void after_raises(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	tell('a');
	raise(SIGUSR1);
}

static const struct tl_hook raising[] = {{"toy_add", before_raises, after_raises, TL_HOOK_PLAIN},
					 {NULL}};

START_TEST(a_signal_handlers_calls_have_hooks_but_not_inside_of_one)
{
	hook(TL_ARGS_SCALARS);
	ck_assert(set_list(raising));
	signal(SIGUSR1, call_in_handler);
	toy_run(raise_signal, NULL);
	is_story("(())");
	toy_add(1, 1);
	is_story("ba");
	toy_run(NULL, NULL);
	is_story("()");
	ck_assert_uint_eq(open_calls(), 0);
}
END_TEST

START_TEST(hooks_nest_as_deep_as_open_calls_are_kept)
{
	hook(TL_ARGS_SCALARS);
	toy_add(1, 1);
	size_t room = (size_t)(((struct tl_producer *)tl_self)->open_end - tl_self->open);
	nest((void *)(uintptr_t)1000);
	size_t opened = strspn(story, "("), closed = strspn(story + opened, ")");
	ck_assert_uint_eq(opened, room < 1000 ? room : 1000);
	ck_assert_uint_eq(closed, opened);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_RUN, 0), 1000);
}
END_TEST

/* --- times */

static uint64_t inner_start, inner_end;

static void after_timed(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	inner_start = tl_hook_start(call);
	inner_end = tl_hook_end(call);
	usleep(1000);
}

static void before_timed(struct tl_call *call, void *state)
{
	usleep(1000);
}

static const struct tl_hook timed[] = {{"toy_add", before_timed, after_timed, TL_HOOK_TIMED},
				       {NULL}};

START_TEST(a_hooks_time_is_not_the_calls)
{
	record(TL_ARGS_SCALARS);
	ck_assert(tl_process_begin());
	ck_assert(set_list(timed));
	for (unsigned i = 0; i < 10; i++)
		toy_add(1, 1);
	uint64_t start = inner_start, end = inner_end;
	seen_collect(true);
	usleep(300000);
	tl_clock_settle();
	const struct tl_call_record *call = NULL;
	uint64_t shortest = UINT64_MAX;
	/* The shortest of them, as the machine may interrupt any. */
	for (unsigned i = nseen - 10; i < nseen; i++) {
		call = &seen[i].call;
		uint64_t took =
			tl_clock_ns(call->start + call->duration) - tl_clock_ns(call->start);
		if (took < shortest)
			shortest = took;
	}
	ck_assert_uint_lt(shortest, 900000);
	ck_assert_uint_ge(start + 1000, tl_clock_ns(call->start));
	ck_assert_uint_le(start, end);
	ck_assert_uint_le(end, tl_clock_ns(call->start + call->duration) + 1000);
}
END_TEST

/* --- the cause */

START_TEST(a_call_in_a_request_says_so)
{
	char copy[8];

	record(TL_ARGS_FULL);
	toy_add(1, 1);
	struct tl_open_call *inline_end = tl_self->end;
	ck_assert_ptr_nonnull(inline_end);
	ck_assert(!tl_request_inside());
	tl_request_set(12, TL_LEVEL_ALL);
	ck_assert_uint_eq(tl_request_current(), 12);
	toy_add(2, 2);
	toy_name("program", copy, sizeof(copy));
	toy_run(NULL, NULL);
	ck_assert_ptr_null(tl_self->end);
	tl_request_set_none();
	ck_assert_ptr_eq(tl_self->end, inline_end);
	toy_add(3, 3);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 5);
	for (size_t i = 0; i < nseen; i++) {
		bool inside = i > 0 && i < 4;
		ck_assert_uint_eq(seen[i].cause.request, inside ? 12 : 0);
		ck_assert_uint_eq(seen[i].cause.correlation, 0);
		ck_assert_uint_eq(!!(seen[i].call.flags & TL_RECORD_CAUSE), inside);
		if (seen[i].call.function == TOY_ADD)
			ck_assert_uint_eq(seen[i].words[0], i == 0 ? 1 : i == 1 ? 2 : 3);
	}
	ck_assert_str_eq(copy, "program");
	ck_assert_ptr_nonnull(
		memmem(only(TOY_NAME)->blobs, only(TOY_NAME)->entry_size, "program", 7));
}
END_TEST

static void *calls_in_request(void *unused)
{
	tl_request_set(3, TL_LEVEL_ALL);
	toy_add(1, 1);
	toy_add(1, 1);
	return NULL;
}

START_TEST(a_request_that_a_thread_begins_before_its_first_call_counts)
{
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	toy_add(1, 1);
	pthread_create(&thread, NULL, calls_in_request, NULL);
	pthread_join(thread, NULL);
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, TL_RECORD_CAUSE), 2);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 4);
}
END_TEST

/* A typed callback. */
static void begin_request(void *params, int result, void *user_data, void **instance_data)
{
	tl_request_set(8, TL_LEVEL_ALL);
}

START_TEST(a_request_that_a_callback_begins_counts_from_then_on)
{
	const struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;

	record(TL_ARGS_SCALARS);
	toy_add(1, 1);
	seen_clear();
	tl_recording_set(false);
	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), 0);
	ck_assert_int_eq(
		tl_tracer_register(tracer, "toy_run", TL_PROLOGUE, TL_CALLBACK(begin_request)), 0);
	ck_assert_int_eq(tl_tracer_enable(tracer), 0);
	/* Not recorded: such calls are served by traced_path.c. */
	for (unsigned i = 0; i < 3; i++) {
		tl_request_set_none();
		toy_run(NULL, NULL);
		ck_assert_uint_eq(tl_request_current(), 8);
	}
	tl_recording_set(true);
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_ADD)->cause.request, 8);
}
END_TEST

START_TEST(a_request_records_its_levels_only)
{
	const struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;

	record(TL_ARGS_SCALARS);
	toy_add(1, 1);
	/* The toys are RUNTIME. */
	tl_request_set(0, TL_LEVEL_ALL & ~TL_LEVEL_RUNTIME);
	toy_add(2, 2);
	ck_assert_ptr_null(tl_self->end);
	/* Tools see them all the same. */
	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), 0);
	ck_assert_int_eq(
		tl_tracer_register(tracer, "toy_run", TL_PROLOGUE, TL_CALLBACK(begin_request)), 0);
	ck_assert_int_eq(tl_tracer_enable(tracer), 0);
	toy_run(NULL, NULL);
	ck_assert_uint_eq(tl_request_current(), 8);
	toy_add(3, 3);
	tl_request_set(4, TL_LEVEL_NONE);
	toy_add(4, 4);
	tl_request_set_none();
	toy_add(5, 5);
	seen_collect(true);
	ck_assert_uint_eq(nseen, 3);
	for (size_t i = 0; i < nseen; i++)
		ck_assert_uint_eq(seen[i].words[0], 2 * i + 1);
}
END_TEST

START_TEST(a_call_that_was_left_by_longjmp_belongs_to_the_request_it_was_made_in)
{
	record(TL_ARGS_SCALARS);
	tl_request_set(6, TL_LEVEL_ALL);
	leave_by_longjmp(NULL);
	tl_request_set(7, TL_LEVEL_ALL);
	toy_add(1, 1);
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_RUN)->cause.request, 6);
	ck_assert_uint_eq(only(TOY_ADD)->cause.request, 7);
}
END_TEST

START_TEST(correlation_and_request_are_in_one_record)
{
	char copy[8];

	hook(TL_ARGS_NONE);
	correlation = 0xfffffffe;
	tl_request_set(0xffffffff, TL_LEVEL_ALL);
	toy_name("program", copy, sizeof(copy));
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_NAME)->call.size, 5);
	ck_assert_uint_eq(only(TOY_NAME)->cause.correlation, 0xfffffffe);
	ck_assert_uint_eq(only(TOY_NAME)->cause.request, 0xffffffff);
	/* The next call has its own, or none. */
	seen_clear();
	correlation = 0;
	tl_request_set_none();
	toy_name("program", copy, sizeof(copy));
	seen_collect(true);
	ck_assert_uint_eq(only(TOY_NAME)->call.flags, 0);
}
END_TEST

/* --- the end */

static _Atomic bool inside, let_go;

static void before_waits(struct tl_call *call, void *state)
{
	inside = true;
	while (!let_go)
		usleep(100);
}

static const struct tl_hook waiting[] = {{"toy_add", before_waits, NULL, TL_HOOK_PLAIN}, {NULL}};

static void *calls_add(void *unused)
{
	toy_add(1, 1);
	return NULL;
}

static uint64_t in_ms(unsigned ms)
{
	return tl_clock_gettime_ticks() + ms * UINT64_C(1000000);
}

START_TEST(who_drains_waits_for_hooks_of_other_threads_and_not_for_ever)
{
	pthread_t thread;

	record(TL_ARGS_SCALARS);
	toy_run(NULL, NULL);
	ck_assert(set_list(waiting));
	ck_assert(tl_hook_drain(in_ms(100)));
	pthread_create(&thread, NULL, calls_add, NULL);
	while (!inside)
		usleep(100);
	uint64_t before = tl_clock_gettime_ticks();
	ck_assert(!tl_hook_drain(in_ms(50)));
	ck_assert_uint_ge(tl_clock_gettime_ticks() - before, 50000000);
	let_go = true;
	ck_assert(tl_hook_drain(in_ms(5000)));
	pthread_join(thread, NULL);
	ck_assert(tl_hook_drain(0));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hooks");
	TCase *tcase = tcase_create("hooks");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, a_hook_changes_what_the_driver_sees_and_nothing_else, 0, 2);
	tcase_add_loop_test(tcase, hooks_run_inside_of_tracers_callbacks, 0, 2);
	tcase_add_loop_test(tcase, a_call_whose_driver_is_skipped_has_no_hook, 0, 2);
	tcase_add_test(tcase, a_skipped_call_is_recorded_with_what_its_epilogues_return);
	tcase_add_test(tcase, a_skipped_call_that_its_epilogue_leaves_is_recorded_once);
	tcase_add_loop_test(tcase, a_function_that_is_lacking_has_no_hook, 0, 2);
	tcase_add_loop_test(tcase, calls_of_hooks_pass, 0, 2);
	tcase_add_test(tcase, a_list_may_name_functions_of_several_apis);
	tcase_add_loop_test(tcase, hooks_run_while_nothing_is_recorded, 0, 2);
	tcase_add_loop_test(tcase, a_call_left_by_longjmp_has_its_after_once, 0, 2);
	tcase_add_loop_test(tcase, a_call_left_deeper_than_any_later_one_has_its_after_once, 0, 2);
	tcase_add_loop_test(tcase, an_inner_call_left_by_longjmp_has_its_after_before_the_outer, 0,
			    2);
	tcase_add_loop_test(
		tcase, a_call_left_by_longjmp_while_traced_has_its_after_before_its_epilogue, 0, 2);
	tcase_add_loop_test(tcase,
			    a_call_left_by_longjmp_has_its_after_at_the_latest_when_its_thread_ends,
			    0, 2);
	tcase_add_loop_test(tcase, a_call_that_is_unwound_has_its_after_and_its_own_parameters, 0,
			    2);
	tcase_add_loop_test(tcase, an_epilogue_that_ends_the_thread_has_no_second_after, 0, 2);
	tcase_add_loop_test(tcase, a_thread_is_not_cancelled_inside_of_a_hook, 0, 2);
	tcase_add_loop_test(tcase, a_child_forked_inside_a_call_runs_no_after, 0, 2);
	tcase_add_loop_test(tcase, a_signal_handlers_calls_have_hooks_but_not_inside_of_one, 0, 2);
	tcase_add_loop_test(tcase, hooks_nest_as_deep_as_open_calls_are_kept, 0, 2);
	tcase_add_test(tcase, a_hooks_time_is_not_the_calls);
	tcase_add_test(tcase, a_call_in_a_request_says_so);
	tcase_add_test(tcase, a_request_that_a_thread_begins_before_its_first_call_counts);
	tcase_add_test(tcase, a_request_that_a_callback_begins_counts_from_then_on);
	tcase_add_test(tcase, a_request_records_its_levels_only);
	tcase_add_test(tcase,
		       a_call_that_was_left_by_longjmp_belongs_to_the_request_it_was_made_in);
	tcase_add_loop_test(tcase, correlation_and_request_are_in_one_record, 0, 2);
	tcase_add_test(tcase, who_drains_waits_for_hooks_of_other_threads_and_not_for_ever);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
