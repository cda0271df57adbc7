/* SPDX-License-Identifier: MIT */
/*
 * longjmp_test.c: calls that are left by a jump, at any depth of the stack, from the driver, a
 * prologue or an epilogue, on this stack and others: each is recorded or counted, each prologue has
 * its epilogue, the thread goes on being traced, and tracers can be destroyed. Calls that are not
 * left are not ended.
 */
#include <alloca.h>
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/lib/random.h"
#include "tests/lib/toy_calls.h"
#include "tracelayer/tracer.h"

/* At random depths; make stress: the second. */
static const unsigned calls_quick = 8000, calls_stress = 30000;

/* How calls are served. */
enum way { RECORDED, CAPTURED, TRACED, BOTH, GENERIC, UNNESTED, WAYS };

static bool is_traced(int way)
{
	return way == TRACED || way == BOTH || way == GENERIC;
}

static bool is_recorded(int way)
{
	return way != TRACED;
}

/* --- a tracer that counts, and may jump out of its callbacks */

static struct tl_tracer *tracer;
static volatile unsigned prologues, epilogues;
static bool jumps_from_prologue, jumps_from_epilogue;
static struct tl_tracer *calls_inside; /* callbacks make calls, too */

static void begins(void *params, int result, void *user_data, void **instance)
{
	prologues++;
	*instance = jumps_from_epilogue ? &jumps_from_epilogue : &jumps_from_prologue;
	if (calls_inside)
		toy_add(7, 7);
	if (jumps_from_prologue)
		siglongjmp(away, 1);
}

static void ends(void *params, int result, void *user_data, void **instance)
{
	epilogues++;
	ck_assert(*instance == &jumps_from_epilogue || *instance == &jumps_from_prologue);
	/* Not out of the epilogue of a call that was left before. */
	if (jumps_from_epilogue && *instance == &jumps_from_epilogue)
		siglongjmp(away, 1);
}

static enum tl_verdict begins_any(const struct tl_view *view, void *user_data, void **instance)
{
	begins(NULL, 0, NULL, instance);
	return TL_GO_ON;
}

static void ends_any(const struct tl_view *view, void *user_data, void **instance)
{
	ends(NULL, 0, NULL, instance);
}

static void trace(bool generic)
{
	static const char *const functions[] = {"toy_add", "toy_run", "toy_name"};
	struct tl_tracer_desc desc = {.size = sizeof(desc)};

	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), TL_TRACER_OK);
	for (unsigned i = 0; i < 3; i++) {
		if (generic) {
			ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, functions[i],
								 begins_any, ends_any),
					 TL_TRACER_OK);
			continue;
		}
		ck_assert_int_eq(
			tl_tracer_register(tracer, functions[i], TL_PROLOGUE, TL_CALLBACK(begins)),
			TL_TRACER_OK);
		ck_assert_int_eq(
			tl_tracer_register(tracer, functions[i], TL_EPILOGUE, TL_CALLBACK(ends)),
			TL_TRACER_OK);
	}
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_OK);
}

static void set_up(int way)
{
	tl_config.nested = way != UNNESTED;
	if (is_recorded(way))
		record(way == CAPTURED ? TL_ARGS_FULL : TL_ARGS_SCALARS);
	if (is_traced(way))
		trace(way == GENERIC);
}

/* Answers OK at the first time of asking, and nothing is owed. */
static void can_destroy(int way)
{
	if (!is_traced(way))
		return;
	ck_assert_int_eq(tl_tracer_disable(tracer), TL_TRACER_OK);
	ck_assert_int_eq(tl_tracer_destroy(tracer), TL_TRACER_OK);
	ck_assert_uint_eq(prologues, epilogues);
}

static uint64_t lost(void)
{
	uint64_t all = 0;

	for (struct tl_producer *it = tl_buffer_producers(); it; it = it->next)
		all += it->lost + it->unentered;
	return all;
}

/* --- depth */

/* So many bytes further down, of which none is written to. */
static __attribute__((noinline)) void at_depth(size_t bytes, void (*work)(void *), void *with)
{
	char *unused = alloca(bytes);

	__asm__ volatile("" : : "r"(unused) : "memory");
	work(with);
	__asm__ volatile("" : : "r"(unused) : "memory");
}

static void leave_driver(void *unused)
{
	if (!sigsetjmp(away, 0))
		toy_run(jump, NULL);
}

static void leave_at(void *depth)
{
	if (!sigsetjmp(away, 0))
		at_depth((size_t)(uintptr_t)depth, (void (*)(void *))(void *)toy_run, (void *)jump);
}

static void leave_prologue(void *depth)
{
	jumps_from_prologue = true;
	leave_at(depth);
	jumps_from_prologue = false;
}

static void leave_epilogue(void *depth)
{
	jumps_from_epilogue = true;
	if (!sigsetjmp(away, 0))
		at_depth((size_t)(uintptr_t)depth, (void (*)(void *))(void *)toy_run, NULL);
	jumps_from_epilogue = false;
}

static void add(void *unused)
{
	toy_add(1, 2);
}

static void destroy_here(void *way)
{
	can_destroy((int)(uintptr_t)way);
}

/* --- the tests; each for each way */

START_TEST(a_call_left_deeper_than_any_later_one_is_over)
{
	set_up(_i);
	toy_add(1, 2);
	leave_at((void *)20000);
	toy_add(1, 2);
	if (is_traced(_i))
		ck_assert_uint_eq(prologues, epilogues);
	can_destroy(_i);
	toy_add(1, 2);
	seen_collect(true);
	if (is_recorded(_i)) {
		ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 1);
		ck_assert_uint_eq(nseen, 4);
	}
	ck_assert_ptr_eq(tl_self->top, tl_self->open);
}
END_TEST

START_TEST(destroy_ends_what_was_left_at_whatever_depth)
{
	static const size_t depths[] = {0, 100, 1000, 20000};

	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 4; k++)
			for (unsigned from = 0; from < 3; from++) {
				static void (*const leave[])(void *) = {leave_at, leave_prologue,
									leave_epilogue};
				set_up(_i);
				leave[from]((void *)depths[i]);
				at_depth(depths[k], destroy_here, (void *)(uintptr_t)_i);
			}
}
END_TEST

START_TEST(a_thread_whose_callback_was_left_goes_on_being_traced)
{
	static const size_t depths[] = {0, 300, 3000, 20000};

	set_up(_i);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 4; k++) {
			leave_prologue((void *)depths[i]);
			unsigned before = prologues;
			for (unsigned n = 0; n < 100; n++)
				at_depth(depths[k], add, NULL);
			ck_assert_uint_eq(prologues, before + 100);
		}
	can_destroy(_i);
	seen_collect(true);
	if (is_recorded(_i)) {
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 1600);
		ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 16);
	}
}
END_TEST

START_TEST(calls_left_at_random_depths_are_all_recorded)
{
	unsigned calls = 0, many = getenv("STRESS") ? calls_stress : calls_quick;

	set_up(_i);
	calls_inside = is_traced(_i) ? tracer : NULL;
	for (volatile unsigned i = 0; i < many; i++) {
		void *depth = (void *)(uintptr_t)(next_random() % 30000);
		unsigned what = (unsigned)(next_random() % (is_traced(_i) ? 4 : 2));
		calls++;
		if (what == 0)
			at_depth((size_t)depth, add, NULL);
		else if (what == 1)
			leave_at(depth);
		else if (what == 2)
			leave_prologue(depth);
		else
			leave_epilogue(depth);
	}
	calls_inside = NULL;
	if (is_traced(_i))
		ck_assert_uint_eq(prologues, calls);
	toy_add(1, 2);
	ck_assert_ptr_eq(tl_self->top, tl_self->open);
	can_destroy(_i);
	ck_assert_uint_eq(lost(), 0);
	seen_collect(true);
	if (is_recorded(_i))
		ck_assert_uint_eq(nseen, calls + 1);
}
END_TEST

/* Each call inside the one before; all of them are left at once. */
static void leave_from_inside(void *depth)
{
	uintptr_t further = (uintptr_t)depth;

	if (further)
		toy_run(leave_from_inside, (void *)(further - 1));
	else
		siglongjmp(away, 1);
}

START_TEST(nested_calls_that_are_left_at_once_are_recorded_or_counted)
{
	/* Without calls inside of calls, each looks through the stack up to the outermost: the square of so many. */
	volatile uintptr_t further = _i == UNNESTED ? 999 : 2999;

	set_up(_i);
	for (volatile unsigned round = 0; round < 3; round++) {
		if (!sigsetjmp(away, 0))
			toy_run(leave_from_inside, (void *)further);
		add(NULL);
	}
	can_destroy(_i);
	seen_collect(true);
	if (_i == UNNESTED)
		ck_assert_uint_eq(nseen, 6);
	else if (is_recorded(_i))
		ck_assert_uint_eq(nseen + lost(), 9003);
}
END_TEST

/*
 * A call is left, and one is made a little deeper inside the same function, which makes the next
 * deeper still: they all look like outer calls.
 */
static __attribute__((noinline)) void deeper_and_deeper(unsigned levels)
{
	char *unused = alloca(400);

	__asm__ volatile("" : : "r"(unused) : "memory");
	leave_driver(NULL);
	if (levels)
		deeper_and_deeper(levels - 1);
	__asm__ volatile("" : : "r"(unused) : "memory");
}

START_TEST(calls_left_one_below_the_other_are_recorded)
{
	set_up(_i);
	deeper_and_deeper(2999);
	add(NULL);
	can_destroy(_i);
	seen_collect(true);
	ck_assert_uint_eq(lost(), 0);
	if (is_recorded(_i))
		ck_assert_uint_eq(nseen, 3001);
	if (is_traced(_i))
		ck_assert_uint_eq(prologues, 3001);
}
END_TEST

/* --- signals */

static volatile bool handler_calls;

static void jump_from_handler(int number)
{
	if (handler_calls)
		toy_run(jump, NULL);
	siglongjmp(away, 1);
}

static void raise_signal(void *unused)
{
	raise(SIGUSR1);
}

START_TEST(calls_that_a_signal_handler_leaves_are_over)
{
	char *memory = malloc(64 * 1024);

	set_up(_i);
	for (volatile int k = 0; k < 4; k++) {
		stack_t stack = {
			.ss_sp = memory, .ss_size = 64 * 1024, .ss_flags = k & 1 ? 0 : SS_DISABLE};
		struct sigaction action = {.sa_handler = jump_from_handler,
					   .sa_flags = k & 1 ? SA_ONSTACK : 0};
		sigaltstack(&stack, NULL);
		sigaction(SIGUSR1, &action, NULL);
		handler_calls = k & 2;
		for (volatile int i = 0; i < 50; i++) {
			if (!sigsetjmp(away, 1))
				at_depth(i * 400, (void (*)(void *))(void *)toy_run,
					 (void *)raise_signal);
			toy_add(1, 2);
		}
	}
	if (is_traced(_i))
		ck_assert_uint_eq(prologues, epilogues);
	can_destroy(_i);
	seen_collect(true);
	ck_assert_uint_eq(lost(), 0);
	if (is_recorded(_i)) {
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 200);
		/* Without calls inside of calls, the handler's are not wanted. */
		ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND),
				  _i == UNNESTED ? 200 : 300);
	}
	ck_assert_ptr_eq(tl_self->top, tl_self->open);
	free(memory);
}
END_TEST

/* --- coroutines */

#define STACK (64u * 1024)

static ucontext_t main_context, other_context;

static void start(void *memory, void (*function)(void))
{
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = STACK;
	other_context.uc_link = &main_context;
	makecontext(&other_context, function, 0);
}

static void switch_over(void *unused)
{
	swapcontext(&main_context, &other_context);
}

static void switch_back(void *unused)
{
	swapcontext(&other_context, &main_context);
}

static void calls_and_leaves(void)
{
	add(NULL);
	leave_at((void *)5000);
	add(NULL);
	at_depth(9000, add, NULL);
	toy_run(add, NULL);
	switch_back(NULL);
	leave_at((void *)5000);
	add(NULL);
	/* So that it is no jump, which would return to where the coroutine begins. */
	__asm__ volatile("" : : : "memory");
}

static void *places_of_stacks(unsigned i, char *inside)
{
	if (i == 0)
		return inside;
	if (i == 1)
		return malloc(STACK);
	return mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

START_TEST(what_is_left_on_a_coroutine_ends_no_call_of_another_stack)
{
	char inside[STACK];

	set_up(_i);
	for (unsigned i = 0; i < 3; i++) {
		start(places_of_stacks(i, inside), calls_and_leaves);
		toy_run(switch_over, NULL);
		toy_run(switch_over, NULL);
	}
	add(NULL);
	seen_collect(true);
	if (is_recorded(_i) && _i != UNNESTED) {
		ck_assert_uint_eq(seen_count(TOY_RUN, 0),
				  9 + seen_count(TOY_RUN, TL_RECORD_UNWOUND));
		ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 6);
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 3 * 5 + 1);
	}
	can_destroy(_i);
}
END_TEST

static void abandoned(void)
{
	toy_run(switch_back, NULL);
}

START_TEST(a_coroutine_that_is_abandoned_inside_a_call_disturbs_nobody)
{
	char *memory = malloc(STACK);

	set_up(_i);
	start(memory, abandoned);
	swapcontext(&main_context, &other_context);
	unsigned before = prologues;
	for (unsigned i = 0; i < 1000; i++)
		at_depth(i * 20, add, NULL);
	if (is_traced(_i))
		ck_assert_uint_eq(prologues, before + 1000);
	/* Its memory serves something else. */
	memset(memory, 1, STACK);
	can_destroy(_i);
	add(NULL);
	seen_collect(true);
	if (is_recorded(_i)) {
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 1001);
		ck_assert_uint_eq(seen_count(TOY_RUN, TL_RECORD_UNWOUND), 1);
	}
	ck_assert_ptr_eq(tl_self->top, tl_self->open);
	free(memory);
}
END_TEST

enum { MORE_THAN_FIT = 400 };
static ucontext_t many[MORE_THAN_FIT];
static unsigned which;

static void switch_from_many(void *unused)
{
	(void)unused;
	swapcontext(&many[which], &main_context);
}

static void stays_inside(void)
{
	toy_run(switch_from_many, NULL);
}

static void switch_to(unsigned number)
{
	which = number;
	swapcontext(&main_context, &many[number]);
}

static void *returns_elsewhere(void *number)
{
	switch_to((unsigned)(uintptr_t)number);
	return NULL;
}

/*
 * More coroutines are inside of calls than there are entries for open calls. The ones with entries
 * return first, so there is room while the others are still to return, one of them in another thread.
 */
START_TEST(calls_of_coroutines_that_found_no_entry_are_recorded_and_not_lost)
{
	char *memory = malloc((size_t)MORE_THAN_FIT * STACK);
	pthread_t thread;

	set_up(_i);
	add(NULL);
	unsigned fit =
		tl_self ? (unsigned)(((struct tl_producer *)tl_self)->open_end - tl_self->open)
			: MORE_THAN_FIT / 2;
	ck_assert_uint_lt(fit, MORE_THAN_FIT);
	for (unsigned i = 0; i < MORE_THAN_FIT; i++) {
		getcontext(&many[i]);
		many[i].uc_stack.ss_sp = memory + (size_t)i * STACK;
		many[i].uc_stack.ss_size = STACK;
		many[i].uc_link = &main_context;
		makecontext(&many[i], stays_inside, 0);
		switch_to(i);
	}
	for (unsigned i = fit; i > 0; i--)
		switch_to(i - 1);
	add(NULL);
	for (unsigned i = fit; i < MORE_THAN_FIT - 1; i++)
		switch_to(i);
	pthread_create(&thread, NULL, returns_elsewhere, (void *)(uintptr_t)(MORE_THAN_FIT - 1));
	pthread_join(thread, NULL);
	can_destroy(_i);
	seen_collect(true);
	ck_assert_uint_eq(lost(), 0);
	if (is_recorded(_i) && _i != UNNESTED)
		ck_assert_uint_eq(nseen, MORE_THAN_FIT + 2);
	free(memory);
}
END_TEST

#define FAR ((size_t)64 << 20)

static void calls_at_many_depths(void)
{
	for (unsigned i = 0; i < 100; i++)
		at_depth(i * 20, add, NULL);
}

/* A call is open on a stack, and calls come from another, above a guard and much other memory. */
START_TEST(memory_between_two_coroutines_is_not_read)
{
	char *low = mmap(NULL, STACK + FAR + 2 * STACK, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *between = low + STACK, *guard = between + FAR;
	unsigned char resident;

	ck_assert_ptr_ne(low, MAP_FAILED);
	ck_assert_int_eq(mprotect(guard, STACK, PROT_NONE), 0);
	set_up(_i);
	start(low, abandoned);
	swapcontext(&main_context, &other_context);
	start(guard + STACK, calls_at_many_depths);
	swapcontext(&main_context, &other_context);
	ck_assert_int_eq(mincore(between + FAR / 2, 1, &resident), 0);
	ck_assert_int_eq(resident & 1, 0);
	munmap(low, STACK + FAR + 2 * STACK);
	can_destroy(_i);
	seen_collect(true);
	if (is_recorded(_i))
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 100);
}
END_TEST

static void destroy_inside(void *answer)
{
	tl_tracer_disable(tracer);
	*(int *)answer = tl_tracer_destroy(tracer);
}

static int answer;

static void destroys(void)
{
	destroy_inside(&answer);
}

START_TEST(destroy_inside_a_call_is_told_so_also_on_a_coroutine)
{
	char inside[STACK];

	for (unsigned i = 0; i < 4; i++) {
		set_up(_i);
		if (i < 3)
			start(places_of_stacks(i, inside), destroys);
		answer = TL_TRACER_OK;
		if (i < 3)
			toy_run(switch_over, NULL);
		else
			toy_run(destroy_inside, &answer);
		ck_assert_int_eq(answer, TL_TRACER_IN_USE);
		can_destroy(_i);
	}
}
END_TEST

/* --- threads */

static void *leaves_and_exits(void *how)
{
	leave_at((void *)20000);
	leave_prologue((void *)300);
	at_depth(9000, add, NULL);
	if (how)
		toy_run((void (*)(void *))(void *)pthread_exit, NULL);
	return NULL;
}

START_TEST(a_thread_that_ends_owes_nothing)
{
	pthread_t thread;

	set_up(_i);
	for (unsigned i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, leaves_and_exits, (void *)(uintptr_t)(i % 2));
		pthread_join(thread, NULL);
	}
	can_destroy(_i);
	seen_collect(true);
	if (is_recorded(_i))
		ck_assert_uint_eq(nseen, 35);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("left");
	TCase *tcase = tcase_create("depths");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, a_call_left_deeper_than_any_later_one_is_over, 0, WAYS);
	tcase_add_loop_test(tcase, destroy_ends_what_was_left_at_whatever_depth, TRACED, UNNESTED);
	tcase_add_loop_test(tcase, a_thread_whose_callback_was_left_goes_on_being_traced, TRACED,
			    UNNESTED);
	tcase_add_loop_test(tcase, calls_left_at_random_depths_are_all_recorded, 0, WAYS);
	tcase_add_loop_test(tcase, nested_calls_that_are_left_at_once_are_recorded_or_counted, 0,
			    WAYS);
	tcase_add_loop_test(tcase, calls_left_one_below_the_other_are_recorded, 0, WAYS);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("stacks");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, calls_that_a_signal_handler_leaves_are_over, 0, WAYS);
	tcase_add_loop_test(tcase, what_is_left_on_a_coroutine_ends_no_call_of_another_stack, 0,
			    WAYS);
	tcase_add_loop_test(tcase, a_coroutine_that_is_abandoned_inside_a_call_disturbs_nobody, 0,
			    WAYS);
	tcase_add_loop_test(tcase, memory_between_two_coroutines_is_not_read, 0, WAYS);
	tcase_add_loop_test(
		tcase, calls_of_coroutines_that_found_no_entry_are_recorded_and_not_lost, 0, WAYS);
	tcase_add_loop_test(tcase, destroy_inside_a_call_is_told_so_also_on_a_coroutine, TRACED,
			    UNNESTED);
	tcase_add_loop_test(tcase, a_thread_that_ends_owes_nothing, 0, WAYS);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
