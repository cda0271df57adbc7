/* SPDX-License-Identifier: MIT */
/*
 * encoder_test.c: a file made through encoder.h in Chrome trace JSON, from its first byte to its
 * last; and which name asks for which format.
 */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/encode/formats.h"
#include "format/encode/json_event.h"
#include "tests/lib/args_table.h"

static const struct tl_function *function(const void *source, uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks;
}

static struct tl_encoder encoder;
static struct tl_facts facts;
static char *room;
static struct tl_text text;

static void start(void)
{
	const struct tl_format *format = &tl_format_json;

	encoder = (struct tl_encoder){.format = format, .pid = 7, .ns = ns, .function = function};
	encoder.state = aligned_alloc(64, (format->state + 63) & ~(size_t)63);
	memset(encoder.state, 0, format->state);
	room = malloc(TL_ENCODER_ROOM);
	text = (struct tl_text){room, room + TL_ENCODER_ROOM - 1, false};
	facts = (struct tl_facts){.pid = 7,
				  .program = "a\"b",
				  .host = "node\xff",
				  .members = "\"version\":\"1\",\"pid\":7"};
}

static void stop(void)
{
	free(encoder.state);
	free(room);
}

/* What was appended since the last time. */
static const char *appended(void)
{
	*text.at = 0;
	text.at = room;
	ck_assert(!text.cut);
	return room;
}

START_TEST(a_file_begins_with_what_is_known_of_its_process)
{
	tl_format_json.begin(&encoder, &text, &facts);
	ck_assert_str_eq(
		appended(),
		"[\n{\"ph\":\"M\",\"pid\":7,\"name\":\"process_name\",\"tid\":0,\"args\":{\"name\":\"a\\\"b\"}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"name\":\"process_labels\",\"tid\":0,\"args\":{\"labels\":\"node\xef\xbf\xbd\"}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"name\":\"tracelayer\",\"tid\":0,\"args\":{\"version\":\"1\",\"pid\":7}}");
}
END_TEST

START_TEST(ranks_are_labelled_and_sorted)
{
	facts.has_rank = 1;
	facts.rank = 12;
	tl_format_json.begin(&encoder, &text, &facts);
	appended();
	ck_assert_ptr_nonnull(strstr(room, "\"labels\":\"rank 12, node"));
	ck_assert_ptr_nonnull(strstr(
		room,
		",\n{\"ph\":\"M\",\"pid\":7,\"name\":\"process_sort_index\",\"tid\":0,\"args\":{\"sort_index\":12}},\n"));
}
END_TEST

/* From a damaged file: bytes without an end. */
START_TEST(facts_without_an_end_are_read_no_further)
{
	memset(&facts.program, 'x', sizeof(facts.program));
	memset(&facts.host, 'y', sizeof(facts.host));
	memset(&facts.members, ' ', sizeof(facts.members));
	tl_format_json.begin(&encoder, &text, &facts);
	tl_text_string(&text, "\n]\n");
	json_t *file = json_loads(appended(), JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(json_array_size(file), 3);
	json_decref(file);
}
END_TEST

START_TEST(threads_are_named)
{
	tl_format_json.thread(&encoder, &text, 8, "0123456789abcdef");
	ck_assert_str_eq(appended(),
			 ",\n{\"ph\":\"M\",\"pid\":7,\"name\":\"thread_name\",\"tid\":8,\"args\":"
			 "{\"name\":\"0123456789abcdef\"}}");
}
END_TEST

START_TEST(records_become_events)
{
	const struct tl_call_record call = {.size = 4,
					    .type = TL_RECORD_CALL,
					    .function = F_GET,
					    .start = 1234567,
					    .duration = 5};

	ck_assert_uint_eq(tl_format_json.record(&encoder, &text, 8, &call, sizeof(call)),
			  sizeof(call));
	ck_assert_str_eq(
		appended(),
		",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"get\",\"cat\":\"made-up,runtime\",\"tid\":8,"
		"\"ts\":1234.567,\"dur\":0.005,\"args\":{\"result\":\"RESULT_OK\"}}");
	ck_assert_uint_eq(tl_format_json.record(&encoder, &text, 8, &call, sizeof(call) - 8), 0);
	ck_assert_str_eq(appended(), "");
}
END_TEST

/* Texts of all kinds, more of them than an encoder keeps. Numbers share its places. */
#define TEXTS 1000
static unsigned known = TEXTS;

static const char *string(const void *source, uint32_t number, size_t *size)
{
	static char made[4096];
	static const char *const kinds[] = {"plain", "a\"b\\c", "\xff\xfe", "", "nul\0inside"};

	if (number >= known)
		return NULL;
	*size = 0;
	if (number % 7 == 6) {
		memset(made, 'l', *size = 60 + number);
		return made;
	}
	*size = number % 5 == 4 ? 10 : strlen(kinds[number % 5]);
	memcpy(made, kinds[number % 5], *size);
	*size += (size_t)sprintf(made + *size, "%u", number);
	return made;
}

/* Numbers below 8 * 4 * 4 * 4 * 8 are different events. */
static struct event {
	struct tl_event_record record;
	struct tl_event_arg args[2];
} event_of(unsigned i)
{
	static const char phases[] = "stXBEiCf";
	struct event event = {
		.record = {.size = sizeof(event) / 8,
			   .type = TL_RECORD_EVENT,
			   .name = i % 4 * TL_JSON_HEADS + i / 512 % 8,
			   .category = i / 4 % 4 * TL_JSON_HEADS + 5,
			   .start = 1000000 + i * 10000,
			   .duration = i % 3 ? i : i + (1ull << 53),
			   .phase = (uint8_t)phases[i / 16 % 8],
			   .level = (uint8_t)(i / 128 % 4),
			   .args = 2},
		.args = {{.key = i * 3 % TEXTS, .kind = TL_VALUE_STRING, .value = i % TEXTS},
			 {.key = i * 5 % TEXTS, .kind = TL_VALUE_UNSIGNED_64, .value = i}}};

	return event;
}

/* What an encoder keeps of earlier events changes none. */
START_TEST(events_are_the_same_whatever_came_before)
{
	struct tl_encoder fresh;
	char *alone = malloc(TL_ENCODER_ROOM);

	encoder.string = string;
	fresh = encoder;
	fresh.state = aligned_alloc(64, (tl_format_json.state + 63) & ~(size_t)63);
	for (unsigned i = 0, some = 1; i < 6000; i++) {
		const struct event event = event_of((some = some * 1103515245 + 12345) >> 16);
		struct tl_text own = {alone, alone + TL_ENCODER_ROOM - 1, false};

		known = i < 3000 ? 300 : TEXTS;
		memset(fresh.state, 0, tl_format_json.state);
		ck_assert_uint_eq(
			tl_format_json.record(&fresh, &own, 8, (const void *)&event, sizeof(event)),
			sizeof(event));
		*own.at = 0;
		ck_assert_uint_eq(tl_format_json.record(&encoder, &text, 8, (const void *)&event,
							sizeof(event)),
				  sizeof(event));
		ck_assert_str_eq(appended(), alone);
		json_t *read = json_loads(alone + 2, JSON_ALLOW_NUL, NULL);
		ck_assert_ptr_nonnull(read);
		json_decref(read);
	}
	free(fresh.state);
	free(alone);
}
END_TEST

/* Whatever room there is, an event is there whole, or not at all. */
START_TEST(events_without_room_are_left_out)
{
	const struct event event = event_of(8);
	size_t whole = 0;

	encoder.string = string;
	for (size_t size = 1024; size; size--) {
		struct tl_text little = {room, room + size, false};

		memset(room, '#', 1100);
		tl_format_json.record(&encoder, &little, 8, (const void *)&event, sizeof(event));
		whole = whole ? whole : (size_t)(little.at - room);
		ck_assert(little.cut ? little.at == room : little.at == room + whole);
		ck_assert_int_eq(room[size], '#');
	}
	ck_assert_uint_gt(whole, 100);
}
END_TEST

START_TEST(open_calls_are_unfinished)
{
	tl_format_json.unfinished(&encoder, &text, 8, &(struct tl_unfinished){1000, F_GET, 0},
				  4001);
	ck_assert_str_eq(
		appended(),
		",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"get\",\"cat\":\"made-up,runtime\",\"tid\":8,"
		"\"ts\":1.000,\"dur\":3.001,\"args\":{\"unfinished\":true}}");
	/* Its process ended before it began: the clock's two readings are not of one thread. */
	tl_format_json.unfinished(&encoder, &text, 8, &(struct tl_unfinished){4001, F_GET, 0},
				  1000);
	ck_assert_ptr_nonnull(strstr(appended(), "\"ts\":4.0012,\"dur\":0.0001,"));
	/* No API has it. */
	tl_format_json.unfinished(&encoder, &text, 8, &(struct tl_unfinished){1000, F_COUNT, 0},
				  4001);
	ck_assert_str_eq(appended(), "");
	/* Without room for all of it there is nothing. */
	struct tl_text small = {room, room + 100, false};
	tl_format_json.unfinished(&encoder, &small, 8, &(struct tl_unfinished){1000, F_GET, 0},
				  4001);
	ck_assert(small.cut && small.at == room);
}
END_TEST

static void lose(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost), void *to)
{
	uint32_t threads = *(const uint32_t *)context;

	for (uint32_t tid = 0; tid < threads; tid++)
		put(to, 8 + tid, tid % 3 * 5);
}

START_TEST(the_end_has_totals_and_who_lost)
{
	uint32_t threads = 4;
	struct tl_totals totals = {.events = 3, .lost = 15};

	tl_format_json.end(&encoder, &text, &totals);
	ck_assert_str_eq(
		appended(),
		",\n{\"ph\":\"M\",\"pid\":7,\"name\":\"tracelayer_end\",\"tid\":0,\"args\":"
		"{\"events\":3,\"lost\":15,\"lost_by_thread\":[]}}\n]\n");
	totals.lost_by_thread = lose;
	totals.context = &threads;
	tl_format_json.end(&encoder, &text, &totals);
	ck_assert_ptr_nonnull(strstr(
		appended(),
		"\"lost_by_thread\":[{\"tid\":9,\"events\":5},{\"tid\":10,\"events\":10}]}}\n]\n"));
	/* A list of them too long for an event is cut, and is sound; the rest is one number. */
	threads = 20000;
	tl_format_json.end(&encoder, &text, &totals);
	appended();
	room[0] = '[';
	json_t *file = json_loads(room, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(file);
	json_t *args = json_object_get(json_array_get(file, 0), "args"), *thread;
	json_t *list = json_object_get(args, "lost_by_thread");
	json_int_t lost = json_integer_value(json_object_get(args, "lost_by_others"));
	size_t i;

	ck_assert_int_gt(lost, 0);
	ck_assert_uint_gt(json_array_size(list), 1000);
	json_array_foreach(list, i, thread)
		lost += json_integer_value(json_object_get(thread, "events"));
	ck_assert_int_eq(lost, 99995);
	json_decref(file);
}
END_TEST

START_TEST(names_ask_for_formats)
{
	bool gzip;

	ck_assert_ptr_eq(tl_format_of("/x/trace.json", &gzip), &tl_format_json);
	ck_assert(!gzip);
	ck_assert_ptr_eq(tl_format_of("trace.json.gz", &gzip), &tl_format_json);
	ck_assert(gzip);
	ck_assert_ptr_eq(tl_format_of("a.json/trace.pftrace", &gzip), &tl_format_pftrace);
	ck_assert(!gzip);
	ck_assert_ptr_eq(tl_format_of("trace.pftrace.gz", &gzip), &tl_format_pftrace);
	ck_assert(gzip);
	ck_assert_ptr_eq(tl_format_of("trace.tlt", &gzip), &tl_format_tlt);
	ck_assert_ptr_null(tl_format_of("trace.tlt.gz", &gzip));
	ck_assert_ptr_null(tl_format_of("json", &gzip));
	ck_assert_ptr_null(tl_format_of("", &gzip));
	ck_assert(!gzip);
	ck_assert_ptr_null(tl_format_of("trace.gz", &gzip));
	ck_assert(gzip);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("encoder");
	TCase *tests = tcase_create("JSON");

	tcase_add_checked_fixture(tests, start, stop);
	tcase_add_test(tests, a_file_begins_with_what_is_known_of_its_process);
	tcase_add_test(tests, ranks_are_labelled_and_sorted);
	tcase_add_test(tests, facts_without_an_end_are_read_no_further);
	tcase_add_test(tests, threads_are_named);
	tcase_add_test(tests, records_become_events);
	tcase_add_test(tests, events_are_the_same_whatever_came_before);
	tcase_add_test(tests, events_without_room_are_left_out);
	tcase_add_test(tests, open_calls_are_unfinished);
	tcase_add_test(tests, the_end_has_totals_and_who_lost);
	tcase_add_test(tests, names_ask_for_formats);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
