/* SPDX-License-Identifier: MIT */
/*
 * event_test.c: texts by number, events that are no calls, lanes that are no thread's, and how they
 * look in Chrome JSON.
 */
#include <check.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/calls/event.h"
#include "layer/resolve/recording.h"
#include "layer/buffers/strings.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/core_doubles.h"
#include "tests/lib/encoded.h"

#define THREADS 8
#define TEXTS	20000

static uint32_t number_of(const char *text)
{
	return tl_string_number(text, strlen(text));
}

static void is_text(uint32_t number, const char *text)
{
	size_t size;
	const char *found = tl_string_text(number, &size);

	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(size, strlen(text));
	ck_assert_mem_eq(found, text, size);
}

START_TEST(a_text_has_one_number)
{
	begin();
	uint32_t one = number_of("one"), two = number_of("two");
	ck_assert_uint_ne(one, 0);
	ck_assert_uint_ne(one, two);
	ck_assert_uint_eq(number_of("one"), one);
	is_text(one, "one");
	is_text(two, "two");
	ck_assert_uint_eq(number_of(""), 0);
}
END_TEST

START_TEST(numbers_that_were_not_given_out_have_no_text)
{
	static const uint32_t wrong[] = {0, 1, 8191, 8192, UINT32_MAX};
	size_t size;

	begin();
	number_of("one");
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		ck_assert_ptr_null(tl_string_text(wrong[i], &size));
		ck_assert_uint_eq(size, 0);
	}
}
END_TEST

START_TEST(long_texts_are_cut_between_characters)
{
	char text[TL_STRING_MAX + 16];
	size_t size;

	begin();
	memset(text, 'a', sizeof(text));
	memcpy(text + TL_STRING_MAX - 1, "\xc3\xa4", 2);
	ck_assert_ptr_nonnull(tl_string_text(tl_string_number(text, sizeof(text)), &size));
	ck_assert_uint_eq(size, TL_STRING_MAX - 1);
}
END_TEST

static uint32_t numbers[THREADS][TEXTS];

static void *number_all(void *which)
{
	char text[32];

	for (unsigned i = 0; i < TEXTS; i++) {
		unsigned at = (i * 7919u + (unsigned)(uintptr_t)which * 101) % TEXTS;
		snprintf(text, sizeof(text), "text %u", at);
		numbers[(uintptr_t)which][at] = number_of(text);
	}
	return NULL;
}

START_TEST(threads_that_meet_get_the_same_numbers)
{
	pthread_t threads[THREADS];
	char text[32];

	begin();
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, number_all, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned at = 0; at < TEXTS; at++) {
		snprintf(text, sizeof(text), "text %u", at);
		is_text(numbers[0][at], text);
		for (unsigned i = 1; i < THREADS; i++)
			ck_assert_uint_eq(numbers[i][at], numbers[0][at]);
	}
}
END_TEST

/* More than the first table has; each keeps its number and its text. */
START_TEST(there_may_be_many_texts)
{
	enum { MANY = 400000 };
	static uint32_t number[MANY];
	char text[32];
	size_t size;
	unsigned wrong = 0;

	begin();
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%u", i);
		number[i] = tl_string_of_program(text, strlen(text));
	}
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%u", i);
		const char *found = tl_string_text(number[i], &size);
		wrong += !found || size != strlen(text) || memcmp(found, text, size) ||
			 number_of(text) != number[i];
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

/*
 * The program's texts leave room for the layer's: where the memory for them is used up, and where the tables
 * are full. Texts that were refused take none of it.
 */
static const uint64_t memories[] = {8 << 20, 256 << 20};

START_TEST(texts_of_the_program_end_first)
{
	const unsigned most = 4000000;
	char text[32];
	unsigned count = 0;

	begin();
	tl_config.memory = memories[_i];
	do
		snprintf(text, sizeof(text), "%u", count++);
	while (tl_string_of_program(text, strlen(text)) && count < most);
	ck_assert_uint_gt(count, 10000);
	ck_assert_uint_lt(count, most);
	for (unsigned i = 0; i < 300000; i++) {
		snprintf(text, sizeof(text), "refused %u", i);
		assert_often(!tl_string_of_program(text, strlen(text)));
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "kernel %u", i);
		uint32_t number = number_of(text);
		ck_assert_uint_ne(number, 0);
		is_text(number, text);
	}
	ck_assert_uint_ne(tl_string_of_program("1", 1), 0);
}
END_TEST

START_TEST(a_child_begins_anew)
{
	int status;

	begin();
	uint32_t before = number_of("before");
	pid_t child = fork();
	if (!child) {
		tl_strings_after_fork();
		tl_buffer_after_fork();
		size_t size;
		_exit(tl_string_text(before, &size) || !number_of("after") ||
		      number_of("after") != number_of("after"));
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	is_text(before, "before");
}
END_TEST

/* --- events */

static json_t *event_named(json_t *events, const char *name, const char *phase)
{
	size_t i;
	json_t *event;

	json_array_foreach(events, i, event) {
		if (!strcmp(json_string_value(json_object_get(event, "name")), name) &&
		    !strcmp(json_string_value(json_object_get(event, "ph")), phase))
			return event;
	}
	ck_abort_msg("no event %s %s", phase, name);
}

START_TEST(an_event_has_its_name_lane_times_and_args)
{
	begin();
	const struct tl_event_arg args[] = {
		{number_of("u"), TL_VALUE_UNSIGNED_64, UINT64_C(1) << 40},
		{number_of("s"), TL_VALUE_SIGNED_64, (uint64_t)-5},
		{number_of("h"), TL_VALUE_HEX_64, 0xabc},
		{number_of("d"), TL_VALUE_DOUBLE_64, 0x3ff8000000000000},
		{number_of("t"), TL_VALUE_TRUTH, 1},
		{number_of("x"), TL_VALUE_STRING, number_of("a \"text\"\n")},
	};
	uint32_t lane = tl_event_lane(number_of("queue 1"), 3);
	struct tl_event event = {.phase = 'X',
				 .flags = TL_EVENT_NS,
				 .level = TL_LEVEL_OPERATOR,
				 .lane = lane,
				 .name = number_of("kernel"),
				 .category = number_of("opencl"),
				 .request = 9,
				 .start = 123456789,
				 .duration = 1001,
				 .nargs = 6,
				 .args = args};
	ck_assert(tl_event_put(&event));
	tl_clock_pair();
	json_t *events = encoded(), *found = event_named(events, "kernel", "X"),
	       *its = json_object_get(found, "args");
	ck_assert_int_eq(json_integer_value(json_object_get(found, "tid")), shown_of(NULL, lane));
	ck_assert_int_ge(json_integer_value(json_object_get(found, "tid")), 1 << 22);
	ck_assert_str_eq(json_string_value(json_object_get(found, "cat")), "opencl,operator");
	ck_assert_double_eq(json_real_value(json_object_get(found, "ts")), 123456.789);
	ck_assert_double_eq(json_real_value(json_object_get(found, "dur")), 1.001);
	ck_assert_int_eq(json_integer_value(json_object_get(its, "u")), (json_int_t)1 << 40);
	ck_assert_int_eq(json_integer_value(json_object_get(its, "s")), -5);
	ck_assert_str_eq(json_string_value(json_object_get(its, "h")), "0xabc");
	ck_assert_double_eq(json_real_value(json_object_get(its, "d")), 1.5);
	ck_assert(json_is_true(json_object_get(its, "t")));
	ck_assert_str_eq(json_string_value(json_object_get(its, "x")), "a \"text\"\n");
	ck_assert_int_eq(json_integer_value(json_object_get(its, "request")), 9);
	json_decref(events);
}
END_TEST

START_TEST(flows_counters_and_instants)
{
	begin();
	const struct tl_event_arg depth = {number_of("depth"), TL_VALUE_UNSIGNED_64, 4};
	struct tl_event event = {
		.phase = 's', .level = TL_LEVEL_RUNTIME, .name = number_of("flow"), .duration = 77};
	event.start = tl_event_now();
	ck_assert(tl_event_put(&event));
	event.phase = 'f';
	ck_assert(tl_event_put(&event));
	event = (struct tl_event){.phase = 'C',
				  .level = TL_LEVEL_DEBUG,
				  .name = number_of("depth"),
				  .nargs = 1,
				  .args = &depth,
				  .start = event.start};
	ck_assert(tl_event_put(&event));
	event.phase = 'i';
	ck_assert(tl_event_put(&event));
	tl_clock_pair();
	json_t *events = encoded();
	ck_assert_int_eq(
		json_integer_value(json_object_get(event_named(events, "flow", "s"), "id")), 77);
	ck_assert_str_eq(json_string_value(json_object_get(event_named(events, "flow", "f"), "bp")),
			 "e");
	ck_assert_str_eq(json_string_value(json_object_get(event_named(events, "depth", "i"), "s")),
			 "t");
	json_t *counter = event_named(events, "depth", "C");
	ck_assert_int_eq(
		json_integer_value(json_object_get(json_object_get(counter, "args"), "depth")), 4);
	ck_assert_int_eq(json_integer_value(json_object_get(counter, "tid")), getpid());
	json_decref(events);
}
END_TEST

START_TEST(levels_and_pauses_choose_what_is_recorded)
{
	begin();
	struct tl_event event = {.phase = 'i', .level = TL_LEVEL_DEBUG, .name = number_of("event")};
	tl_config.level = TL_LEVEL_STANDARD;
	ck_assert(!tl_event_put(&event));
	event.level = TL_LEVEL_RUNTIME;
	ck_assert(tl_event_put(&event));
	tl_recording_set(false);
	ck_assert(!tl_event_put(&event));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event");
	TCase *tests = tcase_create("event");

	tcase_add_test(tests, a_text_has_one_number);
	tcase_add_test(tests, numbers_that_were_not_given_out_have_no_text);
	tcase_add_test(tests, long_texts_are_cut_between_characters);
	tcase_add_test(tests, threads_that_meet_get_the_same_numbers);
	tcase_add_test(tests, there_may_be_many_texts);
	tcase_add_loop_test(tests, texts_of_the_program_end_first, 0, 2);
	tcase_add_test(tests, a_child_begins_anew);
	tcase_add_test(tests, an_event_has_its_name_lane_times_and_args);
	tcase_add_test(tests, flows_counters_and_instants);
	tcase_add_test(tests, levels_and_pauses_choose_what_is_recorded);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
