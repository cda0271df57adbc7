/* SPDX-License-Identifier: MIT */
/*
 * encoder_test.c: a file made through encoder.h in Chrome trace JSON, from its first byte to its
 * last; and which name asks for which format.
 */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "format/encode/formats.h"
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
	/* A list of them too long for an event is cut, and what there is of it is sound. */
	threads = 20000;
	tl_format_json.end(&encoder, &text, &totals);
	appended();
	room[0] = '[';
	json_t *file = json_loads(room, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(file);
	json_t *list =
		json_object_get(json_object_get(json_array_get(file, 0), "args"), "lost_by_thread");
	ck_assert_uint_gt(json_array_size(list), 1000);
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
