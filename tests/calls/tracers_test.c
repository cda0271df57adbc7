/* SPDX-License-Identifier: MIT */
/*
 * tracers_test.c: tracelayer/tracer.h, with the toy API (core_doubles.h) as one API and an odd one,
 * of functions with unusual results, as another.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/resolve/api_table.h"
#include "layer/resolve/recording.h"
#include "tests/lib/core_doubles.h"
#include "tracelayer/tracer.h"

/* --- the odd API */

struct triple {
	uint64_t a, b, c;
};

enum odd { ODD_VOID, ODD_FLOAT, ODD_DOUBLE, ODD_TRIPLE, ODD_FUNCTIONS };

static const struct tl_type odd_void = {.name = "void", .kind = TL_KIND_VOID};
static const struct tl_type odd_float = {.name = "float", .kind = TL_KIND_FLOAT, .size = 4};
static const struct tl_type odd_double = {.name = "double", .kind = TL_KIND_FLOAT, .size = 8};
static const struct tl_type odd_triple = {
	.name = "struct triple", .kind = TL_KIND_STRUCT, .size = sizeof(struct triple)};
static const struct tl_variable float_param[] = {
	{.name = "x", .type = &odd_float, .words = 1, .direction = TL_IN}};
static const struct tl_variable double_param[] = {
	{.name = "x", .type = &odd_double, .words = 1, .direction = TL_IN}};
static const struct tl_variable triple_param[] = {
	{.name = "x", .type = &odd_triple, .words = 3, .direction = TL_IN}};

static const struct tl_api odd_api;
#define FUNCTION(number, name_, result_, params_, count_, words_, level_)                          \
	[number] = {.name = name_,                                                                 \
		    .result = result_,                                                             \
		    .params = params_,                                                             \
		    .api = &odd_api,                                                               \
		    .index = number,                                                               \
		    .count = count_,                                                               \
		    .words = words_,                                                               \
		    .level = level_}
static const struct tl_function functions[] = {
	FUNCTION(ODD_VOID, "odd_void", &odd_void, NULL, 0, 0, TL_LEVEL_DEBUG),
	FUNCTION(ODD_FLOAT, "odd_float", &odd_float, float_param, 1, 1, TL_LEVEL_DEBUG),
	FUNCTION(ODD_DOUBLE, "odd_double", &odd_double, double_param, 1, 1, TL_LEVEL_RUNTIME),
	FUNCTION(ODD_TRIPLE, "odd_triple", &odd_triple, triple_param, 1, 3, TL_LEVEL_RUNTIME),
};
static const char *const sonames[] = {"libodd.so.1", NULL};
static const struct tl_api odd_api = {.name = "odd",
				      .version = "1",
				      .sonames = sonames,
				      .functions = functions,
				      .count = ODD_FUNCTIONS};

static unsigned voids;

static void real_void(void)
{
	voids++;
}

static float real_float(float x)
{
	return x / 2;
}

static double real_double(double x)
{
	return x / 2;
}

static struct triple real_triple(struct triple x)
{
	return (struct triple){x.c, x.b, x.a};
}

static struct tl_shim odd_shims[] = {
	[ODD_VOID] = {.function = &functions[ODD_VOID], .real = (void *)real_void},
	[ODD_FLOAT] = {.function = &functions[ODD_FLOAT], .real = (void *)real_float},
	[ODD_DOUBLE] = {.function = &functions[ODD_DOUBLE], .real = (void *)real_double},
	[ODD_TRIPLE] = {.function = &functions[ODD_TRIPLE], .real = (void *)real_triple},
};
static struct tl_shim_library library = {.abi = TL_SHIM_ABI, .api = &odd_api, .shims = odd_shims};

/* The shims' traced bodies; calling them while nobody watches works as well. */
static TL_TRACED void odd_void_call(void)
{
	TL_CALL(call, &odd_shims[ODD_VOID], TL_CALLER, NULL, NULL);
	void (*real)(void) = (void (*)(void))tl_call_enter(&call);
	if (real)
		real();
	TL_CALL_LEAVE(call, 0);
}

static TL_TRACED float odd_float_call(float x)
{
	const void *const params[] = {&x};
	float result = 0;
	TL_CALL(call, &odd_shims[ODD_FLOAT], TL_CALLER, params, &result);
	float (*real)(float) = (float (*)(float))tl_call_enter(&call);
	if (real)
		result = real(x);
	TL_CALL_LEAVE(call, TL_WORD_OF(result, 0), TL_WORD_OF(x, 0));
	return result;
}

static TL_TRACED double odd_double_call(double x)
{
	const void *const params[] = {&x};
	double result = 0;
	TL_CALL(call, &odd_shims[ODD_DOUBLE], TL_CALLER, params, &result);
	double (*real)(double) = (double (*)(double))tl_call_enter(&call);
	if (real)
		result = real(x);
	TL_CALL_LEAVE(call, TL_WORD_OF(result, 0), TL_WORD_OF(x, 0));
	return result;
}

static TL_TRACED struct triple odd_triple_call(struct triple x)
{
	const void *const params[] = {&x};
	struct triple result = {0};
	TL_CALL(call, &odd_shims[ODD_TRIPLE], TL_CALLER, params, &result);
	struct triple (*real)(struct triple) =
		(struct triple(*)(struct triple))tl_call_enter(&call);
	if (real)
		result = real(x);
	TL_CALL_LEAVE(call, TL_WORD_OF(result, 0), x.a, x.b, x.c);
	return result;
}

static void add_odd_api(void)
{
	ck_assert_int_eq(tl_shim_register(&library), 0);
	for (int i = 0; i < ODD_FUNCTIONS; i++)
		tl_api_resolved(&odd_shims[i]);
}

/* --- tracers */

struct add_params {
	int *a;
	int64_t *b;
};

/* What happened, in order: a letter for each callback. */
static char story[4096];
static size_t told;
static int last_result;
static void *instance_seen;

static void tell(char what)
{
	if (told < sizeof(story) - 1)
		story[told++] = what;
	story[told] = 0;
}

static const char *the_story(void)
{
	static char copy[sizeof(story)];

	strcpy(copy, story);
	told = 0;
	story[0] = 0;
	return copy;
}

/* user_data is a letter: small for the prologue, capital for the epilogue. */
static void begins(void *params, int result, void *user_data, void **instance)
{
	(void)params, (void)result;
	tell(*(const char *)user_data);
	*instance = user_data;
}

static void ends(void *params, int result, void *user_data, void **instance)
{
	(void)params;
	tell((char)(*(const char *)user_data - 'a' + 'A'));
	last_result = result;
	instance_seen = *instance;
}

static struct tl_tracer *make(const void *user_data, unsigned levels)
{
	struct tl_tracer_desc desc = {
		.size = sizeof(desc), .user_data = (void *)(uintptr_t)user_data, .levels = levels};
	struct tl_tracer *tracer = NULL;

	ck_assert_int_eq(tl_tracer_create(&desc, &tracer), TL_TRACER_OK);
	ck_assert_ptr_nonnull(tracer);
	return tracer;
}

static void set(struct tl_tracer *tracer, const char *function, tl_callback prologue,
		tl_callback epilogue)
{
	ck_assert_int_eq(tl_tracer_register(tracer, function, TL_PROLOGUE, prologue), TL_TRACER_OK);
	ck_assert_int_eq(tl_tracer_register(tracer, function, TL_EPILOGUE, epilogue), TL_TRACER_OK);
}

static struct tl_tracer *enabled(const char *letter, const char *function)
{
	struct tl_tracer *tracer = make(letter, 0);

	set(tracer, function, TL_CALLBACK(begins), TL_CALLBACK(ends));
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_OK);
	return tracer;
}

static void disable(struct tl_tracer *tracer)
{
	ck_assert_int_eq(tl_tracer_disable(tracer), TL_TRACER_OK);
}

static void destroy(struct tl_tracer *tracer)
{
	disable(tracer);
	ck_assert_int_eq(tl_tracer_destroy(tracer), TL_TRACER_OK);
}

START_TEST(callbacks_run_around_a_call_in_the_order_of_enabling)
{
	struct tl_tracer *second = enabled("b", "toy_add"), *first = enabled("a", "toy_add");

	ck_assert_int_eq(toy_add(2, 3), 5);
	ck_assert_str_eq(the_story(), "baBA");
	ck_assert_int_eq(last_result, 5);
	ck_assert_ptr_nonnull(instance_seen);
	ck_assert_int_eq(toy_add(-2, -3), -5);
	ck_assert_int_eq(last_result, -5);
	the_story();
	disable(second);
	ck_assert_int_eq(tl_tracer_enable(second), TL_TRACER_OK);
	toy_add(2, 3);
	ck_assert_str_eq(the_story(), "abAB");
	toy_init();
	ck_assert_str_eq(the_story(), "");
	destroy(first);
	destroy(second);
	toy_add(2, 3);
	ck_assert_str_eq(the_story(), "");
	ck_assert_ptr_nonnull(toy_shims[TOY_ADD].direct);
}
END_TEST

static void changes(struct add_params *params, int result, void *user_data, void **instance)
{
	(void)result, (void)user_data, (void)instance;
	*params->a += 100;
	*params->b += 1000;
}

START_TEST(a_prologue_changes_parameters_for_later_tracers_and_the_driver)
{
	struct tl_tracer *one = make(NULL, 0), *other = make(NULL, 0);

	set(one, "toy_add", TL_CALLBACK(changes), NULL);
	set(other, "toy_add", TL_CALLBACK(changes), NULL);
	tl_tracer_enable(one);
	ck_assert_int_eq(toy_add(1, 2), 1103);
	tl_tracer_enable(other);
	ck_assert_int_eq(toy_add(1, 2), 2203);
}
END_TEST

static void spoils_errno(void *params, int result, void *user_data, void **instance)
{
	(void)params, (void)result, (void)user_data, (void)instance;
	errno = E2BIG;
}

START_TEST(errno_is_what_the_driver_left)
{
	struct tl_tracer *tracer = make(NULL, 0);

	set(tracer, "toy_add", TL_CALLBACK(spoils_errno), TL_CALLBACK(spoils_errno));
	tl_tracer_enable(tracer);
	for (int i = 0; i < 3; i++) {
		toy_errno = 0;
		errno = EDOM;
		toy_add(1, 2);
		ck_assert_int_eq(errno, EDOM);
		toy_errno = ENXIO;
		toy_add(1, 2);
		ck_assert_int_eq(errno, ENXIO);
	}
}
END_TEST

static struct tl_tracer *toggled;

static void toggles(void *params, int result, void *user_data, void **instance)
{
	begins(params, result, user_data, instance);
	disable(toggled);
	ck_assert_int_eq(tl_tracer_destroy(toggled), TL_TRACER_IN_USE);
	toy_add(5, 5); /* its own call */
}

START_TEST(a_tracer_disabled_in_its_prologue_still_gets_its_epilogue)
{
	toggled = make("a", 0);
	set(toggled, "toy_add", TL_CALLBACK(toggles), TL_CALLBACK(ends));
	tl_tracer_enable(toggled);
	toy_add(1, 2);
	ck_assert_str_eq(the_story(), "aA");
	toy_add(1, 2);
	ck_assert_str_eq(the_story(), "");
	ck_assert_int_eq(tl_tracer_destroy(toggled), TL_TRACER_OK);
}
END_TEST

START_TEST(every_wrong_argument_has_its_code)
{
	struct tl_tracer *tracer = make(NULL, 0), *none = NULL;
	struct tl_tracer_desc small = {.size = 4};

	ck_assert_int_eq(tl_tracer_create(NULL, &none), TL_TRACER_NULL);
	ck_assert_int_eq(tl_tracer_create(&small, NULL), TL_TRACER_NULL);
	ck_assert_int_eq(tl_tracer_create(&small, &none), TL_TRACER_ARGUMENT);
	ck_assert_int_eq(tl_tracer_enable(NULL), TL_TRACER_NULL);
	ck_assert_int_eq(tl_tracer_disable((struct tl_tracer *)&small), TL_TRACER_UNKNOWN);
	ck_assert_int_eq(
		tl_tracer_register(tracer, "toy_subtract", TL_PROLOGUE, TL_CALLBACK(begins)),
		TL_TRACER_NO_FUNCTION);
	ck_assert_int_eq(tl_tracer_register(tracer, NULL, TL_PROLOGUE, TL_CALLBACK(begins)),
			 TL_TRACER_NULL);
	ck_assert_int_eq(
		tl_tracer_register(tracer, "toy_add", (enum tl_phase)2, TL_CALLBACK(begins)),
		TL_TRACER_ARGUMENT);
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, "nothing*", NULL, NULL),
			 TL_TRACER_NO_FUNCTION);
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_OK);
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_OK);
	ck_assert_int_eq(tl_tracer_register(tracer, "toy_add", TL_PROLOGUE, TL_CALLBACK(begins)),
			 TL_TRACER_ENABLED);
	ck_assert_int_eq(tl_tracer_reset(tracer), TL_TRACER_ENABLED);
	ck_assert_int_eq(tl_tracer_destroy(tracer), TL_TRACER_IN_USE);
	destroy(tracer);
	ck_assert_int_eq(tl_tracer_destroy(tracer), TL_TRACER_UNKNOWN);
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_UNKNOWN);
	ck_assert_ptr_ne(make(NULL, 0), tracer);
}
END_TEST

START_TEST(reset_removes_all_callbacks)
{
	struct tl_tracer *tracer = enabled("a", "toy_add");

	disable(tracer);
	ck_assert_int_eq(tl_tracer_reset(tracer), TL_TRACER_OK);
	tl_tracer_enable(tracer);
	toy_add(1, 2);
	ck_assert_str_eq(the_story(), "");
}
END_TEST

/* --- very many tracers on one function */

#define MANY 1000

static jmp_buf out_of_many;

static void jumps_out_of_many(void *unused)
{
	(void)unused;
	longjmp(out_of_many, 1);
}

static unsigned numbers[MANY];
static unsigned story_of[2 * MANY + 2], many_told;

static void begins_number(void *params, int result, void *user_data, void **instance)
{
	ck_assert_ptr_null(*instance);
	*instance = user_data;
	story_of[many_told++] = *(unsigned *)user_data;
}

static void ends_number(void *params, int result, void *user_data, void **instance)
{
	ck_assert_ptr_eq(*instance, user_data);
	story_of[many_told++] = MANY + *(unsigned *)user_data;
}

static enum tl_verdict begins_number_generic(const struct tl_view *view, void *user_data,
					     void **instance)
{
	begins_number(NULL, 0, user_data, instance);
	return TL_GO_ON;
}

static void ends_number_generic(const struct tl_view *view, void *user_data, void **instance)
{
	ends_number(NULL, 0, user_data, instance);
}

/* Every `each`th, in the order of enabling; prologues first. */
static void told_of(unsigned from, unsigned count, unsigned each)
{
	unsigned at = 0;

	for (unsigned phase = 0; phase < 2; phase++)
		for (unsigned i = from; i < count; i += each)
			ck_assert_uint_eq(story_of[at++], phase * MANY + i);
	ck_assert_uint_eq(many_told, at);
	many_told = 0;
}

static void in_between(void *unused)
{
	/* Tables change, and so do frames: the call that is open keeps its own. */
	toy_add(1, 2);
}

START_TEST(as_many_tracers_as_one_likes_are_enabled_on_one_function)
{
	static const unsigned counts[] = {64, 65, 66, 128, MANY};
	struct tl_tracer *all[MANY];

	for (unsigned c = 0; c < 5; c++) {
		for (unsigned i = 0; i < counts[c]; i++) {
			struct tl_tracer_desc desc = {.size = sizeof(desc),
						      .user_data = &numbers[i]};
			numbers[i] = i;
			ck_assert_int_eq(tl_tracer_create(&desc, &all[i]), TL_TRACER_OK);
			if (_i)
				ck_assert_int_eq(tl_tracer_register_glob(all[i], NULL, "toy_run",
									 begins_number_generic,
									 ends_number_generic),
						 0);
			else
				set(all[i], "toy_run", TL_CALLBACK(begins_number),
				    TL_CALLBACK(ends_number));
			ck_assert_int_eq(tl_tracer_enable(all[i]), TL_TRACER_OK);
		}
		toy_run(in_between, NULL);
		told_of(0, counts[c], 1);
		for (unsigned i = 0; i < counts[c]; i += 2)
			destroy(all[i]);
		toy_run(NULL, NULL);
		told_of(1, counts[c], 2);
		/* Left by longjmp, and ended by destroy. */
		if (!setjmp(out_of_many))
			toy_run(jumps_out_of_many, NULL);
		for (unsigned i = 1; i < counts[c]; i += 2)
			destroy(all[i]);
		told_of(1, counts[c], 2);
		toy_run(NULL, NULL);
		told_of(0, 0, 1);
	}
}
END_TEST

/* Threads call while tracers come and go: no epilogue without its prologue, none missing. */
static _Atomic bool stop_calling;
static _Atomic unsigned long begun, ended;

static void counts_begin(void *params, int result, void *user_data, void **instance)
{
	begun++;
	*instance = user_data;
}

static void counts_end(void *params, int result, void *user_data, void **instance)
{
	if (*instance == user_data)
		ended++;
}

static void *calls_meanwhile(void *unused)
{
	while (!stop_calling)
		toy_add(1, 2);
	return unused;
}

START_TEST(hundreds_of_tracers_come_and_go_under_load)
{
	struct tl_tracer *all[200];
	pthread_t threads[4];

	for (unsigned t = 0; t < 4; t++)
		pthread_create(&threads[t], NULL, calls_meanwhile, NULL);
	/* On a busy machine the threads may not have run by the third round. */
	for (unsigned round = 0; round < 3 || begun <= 1000; round++) {
		for (unsigned i = 0; i < 200; i++) {
			struct tl_tracer_desc desc = {.size = sizeof(desc),
						      .user_data = &numbers[i]};
			ck_assert_int_eq(tl_tracer_create(&desc, &all[i]), TL_TRACER_OK);
			set(all[i], "toy_add", TL_CALLBACK(counts_begin), TL_CALLBACK(counts_end));
			ck_assert_int_eq(tl_tracer_enable(all[i]), TL_TRACER_OK);
		}
		for (unsigned i = 0; i < 200; i++)
			destroy(all[(i * 7) % 200]);
		ck_assert_uint_eq(begun, ended);
	}
	stop_calling = true;
	for (unsigned t = 0; t < 4; t++)
		pthread_join(threads[t], NULL);
}
END_TEST

/* --- generic callbacks, and unusual results */

static struct tl_view viewed;
static enum tl_verdict verdict;
static int given;

static enum tl_verdict views(const struct tl_view *view, void *user_data, void **instance)
{
	(void)instance;
	tell(*(const char *)user_data);
	viewed = *view;
	if (verdict == TL_SKIP)
		memcpy(view->result, &given, sizeof(given));
	return verdict;
}

static double number_seen;

static void views_end(const struct tl_view *view, void *user_data, void **instance)
{
	(void)instance;
	tell((char)(*(const char *)user_data - 'a' + 'A'));
	viewed = *view;
	last_result = view->function->result->size >= sizeof(int) ? *(const int *)view->result : 0;
	if (view->function->result->kind == TL_KIND_FLOAT)
		number_seen = view->function->result->size == 4 ? *(const float *)view->result
								: *(const double *)view->result;
}

START_TEST(a_generic_callback_sees_the_function_its_parameters_and_the_result)
{
	struct tl_tracer *tracer = make("g", 0);

	ck_assert_int_eq(tl_tracer_register_glob(tracer, "toy", "toy_a*", views, views_end),
			 TL_TRACER_OK);
	tl_tracer_enable(tracer);
	ck_assert_int_eq(toy_add(2, 3), 5);
	ck_assert_str_eq(the_story(), "gG");
	ck_assert_str_eq(viewed.function->name, "toy_add");
	ck_assert_int_eq(last_result, 5);
	ck_assert_uint_eq(viewed.flags, 0);
	ck_assert_uint_eq(viewed.depth, 0);
	ck_assert_ptr_nonnull(viewed.caller);
	toy_init();
	ck_assert_str_eq(the_story(), "");
}
END_TEST

START_TEST(a_callback_that_was_enabled_earlier_sees_an_apis_other_tables)
{
	struct tl_tracer *tracer = make("g", 0);
	struct tl_shim_library *library = tl_api_builtin[0];
	/* The process's end looks at them, too. */
	static struct tl_function others[TOY_FUNCTIONS];
	static struct tl_api other;

	other = *library->api;
	memcpy(others, other.functions, sizeof(others));
	other.functions = others;
	tl_tracer_register_glob(tracer, "toy", "toy_a*", views, views_end);
	tl_tracer_enable(tracer);
	tl_api_exchange(library, &other);
	ck_assert_int_eq(toy_add(2, 3), 5);
	ck_assert_ptr_eq(viewed.function, &others[TOY_ADD]);
}
END_TEST

START_TEST(a_prologue_may_answer_in_the_drivers_place)
{
	struct tl_tracer *generic = make("g", 0), *typed = enabled("t", "toy_add");

	tl_tracer_register_glob(generic, NULL, "toy_add", views, views_end);
	tl_tracer_enable(generic);
	verdict = TL_SKIP;
	given = -7;
	toy_errno = ENXIO;
	errno = 0;
	ck_assert_int_eq(toy_add(2, 3), -7);
	ck_assert_int_eq(errno, 0);
	ck_assert_str_eq(the_story(), "tgTG");
	ck_assert_int_eq(last_result, -7);
	ck_assert_uint_eq(viewed.flags, TL_VIEW_SKIPPED);
	verdict = TL_GO_ON;
	ck_assert_int_eq(toy_add(2, 3), 5);
	disable(generic);
	ck_assert_int_eq(toy_add(2, 3), 5);
	(void)typed;
}
END_TEST

static float float_seen;
static double double_seen;

static void ends_void(void *params, void *user_data, void **instance)
{
	(void)params, (void)instance;
	tell(*(const char *)user_data);
}

static void ends_float(void *params, float result, void *user_data, void **instance)
{
	(void)params, (void)user_data, (void)instance;
	float_seen = result;
}

static void ends_double(void *params, double result, void *user_data, void **instance)
{
	(void)params, (void)user_data, (void)instance;
	double_seen = result;
}

START_TEST(results_that_are_no_integers_reach_typed_and_generic_callbacks)
{
	struct tl_tracer *typed = make("v", 0), *generic = make("g", 0);

	add_odd_api();
	set(typed, "odd_void", TL_CALLBACK(ends_void), TL_CALLBACK(ends_void));
	set(typed, "odd_float", NULL, TL_CALLBACK(ends_float));
	set(typed, "odd_double", NULL, TL_CALLBACK(ends_double));
	tl_tracer_enable(typed);
	odd_void_call();
	ck_assert_uint_eq(voids, 1);
	ck_assert_str_eq(the_story(), "vv");
	ck_assert(odd_float_call(3) == 1.5f && float_seen == 1.5f);
	ck_assert(odd_double_call(5) == 2.5 && double_seen == 2.5);
	tl_tracer_register_glob(generic, "odd", "*", views, views_end);
	tl_tracer_enable(generic);
	ck_assert(odd_float_call(7) == 3.5f && float_seen == 3.5f && number_seen == 3.5);
	ck_assert(odd_double_call(9) == 4.5 && double_seen == 4.5 && number_seen == 4.5);
}
END_TEST

START_TEST(structs_as_results_take_generic_callbacks_only)
{
	struct tl_tracer *tracer = make("s", 0);

	add_odd_api();
	ck_assert_int_eq(tl_tracer_register(tracer, "odd_triple", TL_EPILOGUE, TL_CALLBACK(ends)),
			 TL_TRACER_ARGUMENT);
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, "odd_triple", views, views_end),
			 TL_TRACER_OK);
	tl_tracer_enable(tracer);
	struct triple got = odd_triple_call((struct triple){1, 2, 3});
	ck_assert_uint_eq(got.a, 3);
	ck_assert_uint_eq(got.c, 1);
	ck_assert_str_eq(the_story(), "sS");
	ck_assert_int_eq(last_result, 3);
}
END_TEST

START_TEST(levels_choose_functions_of_all_apis)
{
	struct tl_tracer *tracer = make("l", TL_LEVEL_DEBUG);

	add_odd_api();
	ck_assert_int_eq(tl_tracer_register_glob(tracer, NULL, "*", views, NULL), TL_TRACER_OK);
	tl_tracer_enable(tracer);
	toy_add(1, 2);
	odd_double_call(1);
	ck_assert_str_eq(the_story(), "");
	odd_float_call(1);
	odd_void_call();
	ck_assert_str_eq(the_story(), "ll");
}
END_TEST

static void calls_another_api(void *unused)
{
	(void)unused;
	odd_float_call(4);
	toy_add(1, 2);
}

START_TEST(a_drivers_own_calls_are_traced_and_a_callbacks_are_not)
{
	struct tl_tracer *tracer = make("n", 0);

	add_odd_api();
	tl_tracer_register_glob(tracer, NULL, "*", views, views_end);
	tl_tracer_enable(tracer);
	toy_run(calls_another_api, NULL);
	ck_assert_str_eq(the_story(), "nnNnNN");
	ck_assert_uint_eq(viewed.depth, 0);
}
END_TEST

/* --- the ends of calls */

static jmp_buf out;

static void jumps(void *unused)
{
	(void)unused;
	longjmp(out, 1);
}

static void jumps_from_callback(void *params, int result, void *user_data, void **instance)
{
	begins(params, result, user_data, instance);
	longjmp(out, 1);
}

START_TEST(a_call_left_by_longjmp_gets_its_epilogue_at_the_next_call)
{
	struct tl_tracer *tracer = enabled("j", "toy_run");

	for (int i = 0; i < 3; i++) {
		if (!setjmp(out))
			toy_run(jumps, NULL);
		ck_assert_str_eq(the_story(), "j");
		toy_run(NULL, NULL);
		ck_assert_str_eq(the_story(), "JjJ");
	}
	destroy(tracer);
}
END_TEST

START_TEST(destroy_ends_a_call_that_longjmp_left)
{
	struct tl_tracer *tracer = enabled("j", "toy_run");

	if (!setjmp(out))
		toy_run(jumps, NULL);
	destroy(tracer);
	ck_assert_str_eq(the_story(), "jJ");
}
END_TEST

START_TEST(a_callback_left_by_longjmp_leaves_its_thread_traced)
{
	struct tl_tracer *tracer = make("c", 0), *other = enabled("o", "toy_init");

	set(tracer, "toy_add", TL_CALLBACK(jumps_from_callback), TL_CALLBACK(ends));
	tl_tracer_enable(tracer);
	for (int i = 0; i < 3; i++) {
		if (!setjmp(out))
			toy_add(1, 2);
		ck_assert_str_eq(the_story(), "c");
		toy_init();
		ck_assert_str_eq(the_story(), "CoO");
		toy_init();
		ck_assert_str_eq(the_story(), "oO");
	}
	destroy(tracer);
	destroy(other);
}
END_TEST

static void *exits_inside(void *unused)
{
	toy_run((void (*)(void *))pthread_exit, NULL);
	return unused;
}

START_TEST(a_thread_that_ends_inside_a_call_owes_no_epilogue)
{
	struct tl_tracer *tracer = enabled("x", "toy_run");
	pthread_t thread;

	toy_run(NULL, NULL);
	the_story();
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, exits_inside, NULL);
		pthread_join(thread, NULL);
		ck_assert_str_eq(the_story(), "xX");
	}
	destroy(tracer);
}
END_TEST

static struct tl_tracer *disable_at_jump;

static void longjmp_to(void *where)
{
	disable(disable_at_jump);
	longjmp(*(jmp_buf *)where, 1);
}

/* --- fork */

static struct tl_tracer *of_parent;

static void forks(void *status)
{
	pid_t child = fork();

	if (child)
		waitpid(child, status, 0);
	else
		*(int *)status = -1;
}

START_TEST(a_child_forked_inside_a_call_gets_the_epilogue_and_can_destroy)
{
	int status = 0;

	of_parent = enabled("f", "toy_run");
	toy_run(forks, &status);
	if (status == -1) {
		bool good = !strcmp(the_story(), "fF") &&
			    tl_tracer_disable(of_parent) == TL_TRACER_OK &&
			    tl_tracer_destroy(of_parent) == TL_TRACER_OK;
		_exit(good ? 42 : 1);
	}
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	ck_assert_str_eq(the_story(), "fF");
	destroy(of_parent);
}
END_TEST

static int child_status;

static void forks_in_callback(void *params, int result, void *user_data, void **instance)
{
	begins(params, result, user_data, instance);
	forks(&child_status);
}

START_TEST(a_child_forked_inside_a_callback_goes_on_in_it)
{
	of_parent = make("f", 0);
	set(of_parent, "toy_run", TL_CALLBACK(forks_in_callback), TL_CALLBACK(ends));
	set(of_parent, "toy_add", TL_CALLBACK(begins), TL_CALLBACK(ends));
	tl_tracer_enable(of_parent);
	toy_run(NULL, NULL);
	if (child_status == -1) {
		bool good = !strcmp(the_story(), "fF");
		toy_add(1, 2);
		good = good && !strcmp(the_story(), "fF") &&
		       tl_tracer_disable(of_parent) == TL_TRACER_OK &&
		       tl_tracer_destroy(of_parent) == TL_TRACER_OK;
		_exit(good ? 42 : 1);
	}
	ck_assert(WIFEXITED(child_status) && WEXITSTATUS(child_status) == 42);
	ck_assert_str_eq(the_story(), "fF");
}
END_TEST

static _Atomic bool left, may_end;

static void *leaves_and_goes_on(void *unused)
{
	jmp_buf where;

	if (!setjmp(where))
		toy_run(longjmp_to, &where);
	left = true;
	while (!may_end)
		toy_run(NULL, NULL);
	return unused;
}

START_TEST(destroy_is_woken_by_the_next_call_of_a_thread_that_left_one_by_longjmp)
{
	struct tl_tracer *tracer = enabled("j", "toy_run");
	pthread_t thread;

	/*
	 * Disabled before the thread goes on: its next calls would go straight to the driver, and
	 * nobody would learn that the one is over.
	 */
	disable_at_jump = tracer;
	pthread_create(&thread, NULL, leaves_and_goes_on, NULL);
	while (!left)
		usleep(1000);
	destroy(tracer);
	ck_assert_str_eq(the_story(), "jJ");
	ck_assert_ptr_nonnull(toy_shims[TOY_RUN].direct);
	may_end = true;
	pthread_join(thread, NULL);
}
END_TEST

static _Atomic bool released;

static void waits(void *unused)
{
	(void)unused;
	while (!released)
		usleep(1000);
}

static void *waits_inside(void *unused)
{
	toy_run(waits, NULL);
	return unused;
}

static _Atomic bool is_disabled;

static void *destroys(void *tracer)
{
	disable(tracer);
	is_disabled = true;
	tl_tracer_destroy(tracer);
	return NULL;
}

START_TEST(a_child_knows_nothing_of_other_threads_calls_and_destroys)
{
	struct tl_tracer *held = enabled("h", "toy_run"), *again;
	pthread_t inside, destroying;
	int status;

	pthread_create(&inside, NULL, waits_inside, NULL);
	while (!told)
		usleep(1000);
	pthread_create(&destroying, NULL, destroys, held);
	while (!is_disabled)
		usleep(1000);
	usleep(50000);
	pid_t child = fork();
	if (!child) {
		/*
		 * The slot of the tracer that was being destroyed is free, with nothing left in it.
		 */
		again = make("z", 0);
		tl_tracer_enable(again);
		the_story();
		toy_run(NULL, NULL);
		bool good = !strcmp(the_story(), "");
		destroy(again);
		_exit(good ? 42 : 1);
	}
	waitpid(child, &status, 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	released = true;
	pthread_join(destroying, NULL);
	pthread_join(inside, NULL);
	ck_assert_str_eq(the_story(), "hH");
}
END_TEST

/* --- closures, recording */

START_TEST(closures_follow_every_change_of_their_functions_tracers)
{
	struct tl_shim closure = {.function = toy_shims[TOY_ADD].function,
				  .real = (void *)real_void};
	struct tl_tracer *tracer = enabled("a", "toy_add");

	tl_api_adopt(&closure, &toy_shims[TOY_ADD]);
	ck_assert_uint_eq(closure.mode, TL_MODE_TRACERS);
	ck_assert_ptr_nonnull(closure.dispatch);
	ck_assert_ptr_eq(closure.dispatch, toy_shims[TOY_ADD].dispatch);
	struct tl_tracer *other = enabled("b", "toy_add");
	ck_assert_ptr_eq(closure.dispatch, toy_shims[TOY_ADD].dispatch);
	destroy(tracer);
	ck_assert_ptr_eq(closure.dispatch, toy_shims[TOY_ADD].dispatch);
	destroy(other);
	ck_assert_ptr_null(closure.dispatch);
	ck_assert_ptr_eq(closure.direct, (void *)real_void);
	ck_assert_uint_eq(closure.mode, 0);
}
END_TEST

START_TEST(a_call_is_recorded_and_traced_at_once)
{
	struct tl_tracer *tracer = enabled("r", "toy_add");

	toy_add(1, 2);
	tl_recording_set(true);
	for (int i = 0; i < 3; i++)
		toy_add(1, 2);
	tl_recording_set(false);
	toy_add(1, 2);
	ck_assert_str_eq(the_story(), "rRrRrRrRrR");
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 3);
	destroy(tracer);
}
END_TEST

static uint64_t ticks(void)
{
	return tl_ticks(tl_self);
}

/* A callback takes as long as a thousand calls and more. */
static void takes_long(void *params, int result, void *user_data, void **instance)
{
	(void)params, (void)result, (void)user_data, (void)instance;
	for (uint64_t start = ticks(); ticks() - start < 1000000;)
		;
}

static void changes_slowly(struct add_params *params, int result, void *user_data, void **instance)
{
	changes(params, result, user_data, instance);
	takes_long(params, result, user_data, instance);
	errno = 7;
}

START_TEST(a_recorded_call_has_what_the_driver_got_and_not_its_callbacks_time)
{
	struct tl_tracer *tracer = make(NULL, 0);

	set(tracer, "toy_add", TL_CALLBACK(changes_slowly), TL_CALLBACK(takes_long));
	ck_assert_int_eq(tl_tracer_enable(tracer), TL_TRACER_OK);
	tl_recording_set(true);
	toy_add(1, 2);
	seen_clear();
	for (int i = 0; i < 3; i++) {
		errno = 5;
		uint64_t before = ticks();
		ck_assert_int_eq(toy_add(1, 2), 1103);
		uint64_t after = ticks();
		ck_assert_int_eq(errno, 5);
		seen_collect(true);
		ck_assert_uint_eq(seen_count(TOY_ADD, TL_RECORD_WORDS), 1);
		const struct tl_call_record *call = &seen[nseen - 1].call;
		ck_assert_uint_ge(call->start, before + 1000000);
		ck_assert_uint_le(call->start + call->duration, after - 1000000);
		ck_assert_uint_eq(call->result, 1103);
		ck_assert_uint_eq(seen[nseen - 1].words[0], 101);
		ck_assert_uint_eq(seen[nseen - 1].words[1], 1002);
		seen_clear();
	}
	destroy(tracer);
}
END_TEST

static void exits(void *params, int result, void *user_data, void **instance)
{
	begins(params, result, user_data, instance);
	pthread_exit(NULL);
}

static void *adds_twice(void *tracer)
{
	toy_add(1, 2);
	tl_tracer_disable(tracer);
	set(tracer, "toy_add", TL_CALLBACK(exits), TL_CALLBACK(ends));
	tl_tracer_enable(tracer);
	toy_add(1, 2);
	return NULL;
}

START_TEST(a_recorded_call_that_an_exception_leaves_in_a_prologue_has_just_begun)
{
	struct tl_tracer *tracer = enabled("e", "toy_add");
	pthread_t thread;

	tl_recording_set(true);
	toy_add(1, 2);
	the_story();
	seen_clear();
	ck_assert_int_eq(pthread_create(&thread, NULL, adds_twice, tracer), 0);
	pthread_join(thread, NULL);
	ck_assert_str_eq(the_story(), "eEeE");
	seen_collect(true);
	ck_assert_uint_eq(seen_count(TOY_ADD, 0), 2);
	ck_assert_uint_eq(seen_count(TOY_ADD, TL_RECORD_UNWOUND), 1);
	ck_assert_uint_ge(seen[1].call.start, seen[0].call.start);
	ck_assert_uint_eq(seen[1].call.duration, 0);
	destroy(tracer);
}
END_TEST

static void jumps_after(void *params, int result, void *user_data, void **instance)
{
	ends(params, result, user_data, instance);
	longjmp(out, 1);
}

START_TEST(a_recorded_call_that_a_callback_leaves_is_recorded_once)
{
	struct tl_tracer *tracer = make("c", 0);

	set(tracer, "toy_add", _i ? TL_CALLBACK(jumps_from_callback) : TL_CALLBACK(begins),
	    _i ? TL_CALLBACK(ends) : TL_CALLBACK(jumps_after));
	tl_tracer_enable(tracer);
	tl_recording_set(true);
	for (int i = 0; i < 3; i++) {
		if (!setjmp(out))
			toy_add(1, 2);
		toy_init();
		ck_assert_str_eq(the_story(), "cC");
		seen_collect(true);
		ck_assert_uint_eq(seen_count(TOY_ADD, 0), 1);
		ck_assert_uint_eq(seen_count(TOY_ADD, TL_RECORD_UNWOUND), (unsigned)_i);
		ck_assert_uint_eq(seen_count(TOY_INIT, 0), 1);
		seen_clear();
	}
	destroy(tracer);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracers");
	TCase *tcase = tcase_create("tracers");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, callbacks_run_around_a_call_in_the_order_of_enabling);
	tcase_add_test(tcase, a_prologue_changes_parameters_for_later_tracers_and_the_driver);
	tcase_add_test(tcase, errno_is_what_the_driver_left);
	tcase_add_test(tcase, a_tracer_disabled_in_its_prologue_still_gets_its_epilogue);
	tcase_add_test(tcase, every_wrong_argument_has_its_code);
	tcase_add_test(tcase, reset_removes_all_callbacks);
	tcase_add_loop_test(tcase, as_many_tracers_as_one_likes_are_enabled_on_one_function, 0, 2);
	tcase_add_test(tcase, hundreds_of_tracers_come_and_go_under_load);
	tcase_add_test(tcase, a_generic_callback_sees_the_function_its_parameters_and_the_result);
	tcase_add_test(tcase, a_callback_that_was_enabled_earlier_sees_an_apis_other_tables);
	tcase_add_test(tcase, a_prologue_may_answer_in_the_drivers_place);
	tcase_add_test(tcase, results_that_are_no_integers_reach_typed_and_generic_callbacks);
	tcase_add_test(tcase, structs_as_results_take_generic_callbacks_only);
	tcase_add_test(tcase, levels_choose_functions_of_all_apis);
	tcase_add_test(tcase, a_drivers_own_calls_are_traced_and_a_callbacks_are_not);
	tcase_add_test(tcase, a_call_left_by_longjmp_gets_its_epilogue_at_the_next_call);
	tcase_add_test(tcase, destroy_ends_a_call_that_longjmp_left);
	tcase_add_test(tcase, a_callback_left_by_longjmp_leaves_its_thread_traced);
	tcase_add_test(tcase, a_thread_that_ends_inside_a_call_owes_no_epilogue);
	tcase_add_test(tcase, a_child_forked_inside_a_call_gets_the_epilogue_and_can_destroy);
	tcase_add_test(tcase, a_child_forked_inside_a_callback_goes_on_in_it);
	tcase_add_test(tcase, a_child_knows_nothing_of_other_threads_calls_and_destroys);
	tcase_add_test(tcase,
		       destroy_is_woken_by_the_next_call_of_a_thread_that_left_one_by_longjmp);
	tcase_add_test(tcase, closures_follow_every_change_of_their_functions_tracers);
	tcase_add_test(tcase, a_call_is_recorded_and_traced_at_once);
	tcase_add_test(tcase, a_recorded_call_has_what_the_driver_got_and_not_its_callbacks_time);
	tcase_add_test(tcase,
		       a_recorded_call_that_an_exception_leaves_in_a_prologue_has_just_begun);
	tcase_add_loop_test(tcase, a_recorded_call_that_a_callback_leaves_is_recorded_once, 0, 2);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
