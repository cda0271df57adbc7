/* SPDX-License-Identifier: MIT */
/*
 * capture_plan_test.c: where a function's capture is planned, the steps give what the walk over the
 * tables gives, byte by byte: for each function of the generated APIs and of the table made by hand.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/args/args.h"
#include "tests/lib/args_table.h"
#include "tests/lib/random.h"

extern const struct tl_api tl_api_ze, tl_api_cl;

static const struct tl_api *const apis[] = {&tl_api_ze, &tl_api_cl, &table_api};
#define APIS ((int)(sizeof(apis) / sizeof(*apis)))

static uint64_t memory[4096], walked[4096], stepped[4096];

/* NULL at times; otherwise somewhere in `memory`, at any alignment. */
static uint64_t random_pointer(void)
{
	if (next_random() % 4 == 0)
		return 0;
	return (uint64_t)(uintptr_t)memory + next_random() % (sizeof(memory) / 2);
}

static void compare(const struct tl_function *function, uint64_t plan, enum tl_capture_when when)
{
	uint64_t words[64];
	bool cut = false;

	for (size_t i = 0; i < 64; i++)
		words[i] = random_pointer();
	memset(walked, 0xaa, sizeof(walked));
	memset(stepped, 0xaa, sizeof(stepped));
	size_t size = tl_args_capture(function, words, when, walked, sizeof(walked), &cut);
	uint64_t *end = tl_capture_by_plan(plan, words, when, stepped);
	ck_assert(!cut);
	ck_assert_uint_le(size, TL_CAPTURE_PLANNED);
	ck_assert_msg((size_t)(end - stepped) * 8 == size, "%s: %zu bytes, %td words",
		      function->name, size, end - stepped);
	ck_assert_msg(memcmp(walked, stepped, sizeof(walked)) == 0, "%s", function->name);
	if (size)
		ck_assert_msg(tl_capture_has_steps(plan, when), "%s", function->name);
}

START_TEST(steps_give_what_the_walk_gives)
{
	const struct tl_api *api = apis[_i];
	unsigned stepped_functions = 0, once = 0;

	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		memory[i] = next_random();
	for (uint32_t f = 0; f < api->count; f++) {
		const struct tl_function *function = &api->functions[f];
		uint64_t plan = tl_capture_plan_make(function);

		ck_assert(plan & TL_CAPTURE_MADE);
		for (enum tl_capture_when when = TL_CAPTURE_ENTRY; when <= TL_CAPTURE_EXIT;
		     when++) {
			if (!tl_capture_is_planned(plan, when))
				continue;
			stepped_functions += tl_capture_has_steps(plan, when);
			for (int turn = 0; turn < 50; turn++)
				compare(function, plan, when);
		}
		if (plan & TL_CAPTURE_ONCE) {
			once++;
			ck_assert(tl_capture_is_planned(plan, TL_CAPTURE_EXIT));
			ck_assert(!tl_capture_has_steps(plan, TL_CAPTURE_EXIT));
			ck_assert(!(function->flags & (TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO)));
		}
	}
	printf("%s: %u times with steps, %u functions without an exit, of %u\n", api->name,
	       stepped_functions, once, api->count);
	ck_assert_uint_gt(stepped_functions, 0);
	ck_assert_uint_gt(once, 0);
}
END_TEST

static bool is_in_only(const struct tl_variable *param)
{
	const struct tl_type *target = param->type->target;

	return !(param->direction & TL_OUT) &&
	       (!target || target->kind == TL_KIND_VOID || target->size);
}

/* Everything that a step can't say is left to the walk. */
START_TEST(what_steps_cannot_say_is_not_planned)
{
	for (int a = 0; a < APIS; a++) {
		for (uint32_t f = 0; f < apis[a]->count; f++) {
			const struct tl_function *function = &apis[a]->functions[f];
			uint64_t plan = tl_capture_plan_make(function);

			for (uint32_t i = 0; i < function->count; i++) {
				const struct tl_variable *param = &function->params[i];

				if (param->type->kind != TL_KIND_POINTER ||
				    param->length.kind == TL_LENGTH_NONE ||
				    (param->length.kind == TL_LENGTH_CONSTANT &&
				     param->direction & TL_OBLIGED))
					continue;
				if (is_in_only(param))
					ck_assert_msg(
						!tl_capture_is_planned(plan, TL_CAPTURE_ENTRY),
						"%s: %s", function->name, param->name);
			}
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_plan");
	TCase *tests = tcase_create("plans");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tests, steps_give_what_the_walk_gives, 0, APIS);
	tcase_add_test(tests, what_steps_cannot_say_is_not_planned);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
