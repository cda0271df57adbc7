/* SPDX-License-Identifier: MIT */
/*
 * chrome_test.c: records become events that strict parsers take, with times that are exact.
 */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/encode/chrome.h"
#include "format/encode/touching.h"
#include "common/digits.h"
#include "common/text.h"
#include "tests/lib/args_table.h"
#include "tests/lib/assert_often.h"

extern const struct tl_api tl_api_ze, tl_api_cl;

static char long_name[700];
static const struct tl_type result_void = {.name = "void", .kind = TL_KIND_VOID};
static const struct tl_type result_enum = {
	.name = "result", .kind = TL_KIND_ENUM, .size = 4, .count = 4, .enumerators = result_names};
static const struct tl_api plain_api = {.name = "plain"};
static const struct tl_api hostile_api = {.name = "a\"pi\\\n\xff"};

static const struct tl_type type_number = {.name = "int", .kind = TL_KIND_INT, .size = 4};
static const struct tl_variable request_param[] = {
	{.name = "request", .type = &type_number, .words = 1, .direction = TL_IN}};

enum { NOTHING, STATUS, HOSTILE, LONG, BOTH, ASKS, SEEN };
static const struct tl_function own_functions[SEEN] = {
	[NOTHING] = {.name = "nothing",
		     .result = &result_void,
		     .api = &plain_api,
		     .level = TL_LEVEL_DEBUG},
	[STATUS] = {.name = "status",
		    .result = &result_enum,
		    .api = &plain_api,
		    .level = TL_LEVEL_RUNTIME,
		    .failure = TL_FAILURE_NONZERO},
	[HOSTILE] = {.name = "x\"},{\"\\\x01\xc3(\x7f",
		     .result = &result_enum,
		     .api = &hostile_api,
		     .level = TL_LEVEL_RUNTIME,
		     .failure = TL_FAILURE_NEVER},
	[LONG] = {.name = long_name,
		  .result = &result_enum,
		  .api = &plain_api,
		  .level = TL_LEVEL_ALL},
	[BOTH] = {.name = "both",
		  .result = &result_enum,
		  .api = &plain_api,
		  .level = TL_LEVEL_STANDARD,
		  .failure = TL_FAILURE_NULL},
	[ASKS] = {.name = "asks",
		  .result = &result_void,
		  .params = request_param,
		  .api = &plain_api,
		  .count = 1,
		  .words = 1,
		  .level = TL_LEVEL_RUNTIME},
};

/* Numbers below 100: ours; from 100 on: those of args_table.h. */
static const struct tl_function *function(const void *source, uint32_t id)
{
	if (id < SEEN)
		return &own_functions[id];
	return id >= 100 && id - 100 < F_COUNT ? &table_functions[id - 100] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks;
}

static struct tl_chrome_name names[TL_CHROME_NAMES];
static struct tl_chrome_time time_kept;
static struct tl_chrome chrome;
static char *room;
static struct tl_text text;

static void start(void)
{
	memset(names, 0, sizeof(names));
	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(&time_kept, 0, sizeof(time_kept));
	chrome = (struct tl_chrome){
		.pid = 7, .ns = ns, .function = function, .names = names, .time = &time_kept};
	room = malloc(TL_CHROME_EVENT_MAX);
	text = (struct tl_text){room, room + TL_CHROME_EVENT_MAX, false};
}

static void stop(void)
{
	free(room);
}

struct record {
	struct tl_call_record call;
	uint64_t rest[64];
};

static struct record record_of(uint32_t id, uint64_t begin, uint64_t duration, uint64_t result)
{
	return (struct record){.call = {.size = 4,
					.type = TL_RECORD_CALL,
					.function = id,
					.start = begin,
					.duration = duration,
					.result = result}};
}

static size_t encode(const struct record *record)
{
	return tl_chrome_record(&chrome, &text, 8, &record->call, sizeof(*record));
}

static const char *encoded(const struct record *record)
{
	text.at = room;
	assert_often_eq(encode(record), record->call.size * 8u);
	assert_often(!text.cut);
	*text.at = 0;
	return room;
}

/* As a strict parser reads it. */
static json_t *parsed(const struct record *record)
{
	json_error_t error;
	const char *line = encoded(record);

	assert_often(line[0] == ',');
	assert_often(line[1] == '\n');
	assert_often(strchr(line + 2, '\n') == NULL);
	json_t *event = json_loads(line + 2, JSON_REJECT_DUPLICATES, &error);
	assert_often_msg(event != NULL, "%s in %s", error.text, line);
	return event;
}

START_TEST(a_call_is_one_line)
{
	struct record record = record_of(STATUS, 1234567, 1001, 0);

	ck_assert_str_eq(encoded(&record),
			 ",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"status\",\"cat\":\"plain,runtime\","
			 "\"tid\":8,"
			 "\"ts\":1234.567,\"dur\":1.001,\"args\":{\"result\":\"RESULT_OK\"}}");
	/* The second time it comes from what was kept of the first. */
	record.call.start++;
	ck_assert_str_eq(encoded(&record),
			 ",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"status\",\"cat\":\"plain,runtime\","
			 "\"tid\":8,"
			 "\"ts\":1234.568,\"dur\":1.001,\"args\":{\"result\":\"RESULT_OK\"}}");
}
END_TEST

START_TEST(a_function_without_a_result_shows_none)
{
	struct record record = record_of(NOTHING, 0, 0, 5);

	ck_assert_str_eq(
		encoded(&record),
		",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"nothing\",\"cat\":\"plain,debug\",\"tid\":8,"
		"\"ts\":0.000,\"dur\":0.000,\"args\":{}}");
}
END_TEST

START_TEST(a_failed_call_says_so)
{
	struct record record = record_of(STATUS, 1, 1, 0xffffffffu);

	ck_assert_str_eq(
		encoded(&record),
		",\n{\"ph\":\"X\",\"pid\":7,\"name\":\"status\",\"cat\":\"plain,runtime,failed\","
		"\"tid\":8,\"ts\":0.001,\"dur\":0.001,\"args\":{\"result\":\"RESULT_BAD\"}}");
	/* A function that gives 0 for failure, from what is kept of it too. */
	for (int i = 0; i < 2; i++) {
		record = record_of(BOTH, 1, 1, 0);
		ck_assert_ptr_nonnull(strstr(encoded(&record), "plain,runtime,operator,failed\""));
		record = record_of(BOTH, 1, 1, 1);
		ck_assert_ptr_nonnull(strstr(encoded(&record), "plain,runtime,operator\""));
	}
}
END_TEST

START_TEST(a_call_that_was_unwound_has_no_result)
{
	struct record record = record_of(STATUS, 1, 1, 0xffffffffu);

	record.call.flags = TL_RECORD_UNWOUND;
	ck_assert_ptr_nonnull(strstr(encoded(&record), "runtime\",\"tid\":8"));
	ck_assert_ptr_nonnull(strstr(room, "\"args\":{\"unwound\":true}}"));
	record.call.flags = TL_RECORD_UNWOUND | TL_RECORD_CUT;
	ck_assert_ptr_nonnull(
		strstr(encoded(&record), "\"args\":{\"unwound\":true,\"cut\":true}}"));
	record.call.flags = TL_RECORD_CUT;
	ck_assert_ptr_nonnull(
		strstr(encoded(&record), "\"args\":{\"result\":\"RESULT_BAD\",\"cut\":true}}"));
}
END_TEST

START_TEST(a_call_says_what_work_it_caused_and_for_which_request)
{
	struct record record = record_of(STATUS, 1, 1, 0);

	record.call.flags = TL_RECORD_CAUSE;
	record.call.size = 5;
	record.rest[0] = 0xffffffff00000003;
	ck_assert_ptr_nonnull(strstr(
		encoded(&record),
		"\"args\":{\"result\":\"RESULT_OK\",\"correlation\":3,\"request\":4294967295}}"));
	record.rest[0] = 3;
	ck_assert_ptr_nonnull(strstr(encoded(&record), "\"RESULT_OK\",\"correlation\":3}}"));
	record.rest[0] = 7ull << 32;
	record.call.flags = TL_RECORD_CAUSE | TL_RECORD_UNWOUND;
	ck_assert_ptr_nonnull(
		strstr(encoded(&record), "\"args\":{\"unwound\":true,\"request\":7}}"));
	record.rest[0] = 0;
	record.call.flags = TL_RECORD_CAUSE;
	ck_assert_ptr_nonnull(strstr(encoded(&record), "\"args\":{\"result\":\"RESULT_OK\"}}"));
	/* Words and blobs stand behind it. */
	record = record_of(100 + F_GET, 1, 1, 0);
	record.call.size = 5 + 3;
	record.call.flags = TL_RECORD_CAUSE | TL_RECORD_WORDS;
	record.rest[0] = 5;
	record.rest[1] = 0x10;
	ck_assert_ptr_nonnull(strstr(encoded(&record), "\"hDriver\":\"0x10\""));
	ck_assert_ptr_nonnull(strstr(room, "\"RESULT_OK\",\"correlation\":5}}"));
	/* No key is there twice. */
	record = record_of(ASKS, 1, 1, 0);
	record.call.size = 6;
	record.call.flags = TL_RECORD_CAUSE | TL_RECORD_WORDS;
	record.rest[0] = 7ull << 32;
	record.rest[1] = 8;
	json_t *args = parsed(&record);
	ck_assert_ptr_nonnull(strstr(room, "\"args\":{\"request\":8,\"tracelayer_request\":7}}"));
	json_decref(args);
	/* One that has no room for what it says is not sound. */
	record = record_of(STATUS, 1, 1, 0);
	record.call.flags = TL_RECORD_CAUSE | TL_RECORD_WORDS;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.flags = TL_RECORD_CAUSE;
	ck_assert_uint_eq(encode(&record), 0);
}
END_TEST

START_TEST(arguments_stand_before_the_result)
{
	struct record record = record_of(100 + F_GET, 1, 1, 0);

	record.call.size = 4 + 3;
	record.call.flags = TL_RECORD_WORDS;
	record.rest[0] = 0x10;
	json_t *event = parsed(&record), *args = json_object_get(event, "args");
	ck_assert_str_eq(json_string_value(json_object_get(args, "hDriver")), "0x10");
	ck_assert_str_eq(json_string_value(json_object_get(args, "result")), "RESULT_OK");
	ck_assert_ptr_nonnull(strstr(room, ",\"result\""));
	json_decref(event);
}
END_TEST

static size_t escape(char *out, size_t room, const char *bytes, size_t size)
{
	struct tl_text text = {out, out + room, false};

	tl_text_escape(&text, bytes, size);
	return (size_t)(text.at - out);
}

/*
 * Eight characters are looked at together, wherever the string ends. A quotation mark before and behind
 * the byte lets the search begin again in the middle of a string.
 */
START_TEST(each_byte_is_escaped_alike_wherever_it_stands)
{
	char alone[16], bytes[27], expected[200], ours[200];

	for (unsigned byte = 0; byte < 256; byte++) {
		size_t length = escape(alone, sizeof(alone), (char[]){(char)byte}, 1);
		for (size_t size = 1; size <= sizeof(bytes); size++)
			for (size_t at = 0; at < size; at++) {
				size_t wanted = 0;
				for (size_t i = 0; i < size; i++) {
					bytes[i] = i % 11 == 3 ? '"' : 'a';
					if (i == at) {
						bytes[i] = (char)byte;
						memcpy(expected + wanted, alone, length);
						wanted += length;
						continue;
					}
					if (bytes[i] == '"')
						expected[wanted++] = '\\';
					expected[wanted++] = bytes[i];
				}
				assert_often(escape(ours, sizeof(ours), bytes, size) == wanted &&
					     !memcmp(ours, expected, wanted));
			}
	}
}
END_TEST

START_TEST(text_that_does_not_fit_is_left_out_whole)
{
	char bytes[20], ours[40];

	memset(bytes, 'a', sizeof(bytes));
	bytes[13] = '\n';
	for (size_t room_left = 0; room_left < sizeof(ours); room_left++)
		ck_assert_uint_eq(escape(ours, room_left, bytes, sizeof(bytes)),
				  room_left < sizeof(bytes) + 1 ? 0 : sizeof(bytes) + 1);
}
END_TEST

START_TEST(hostile_names_are_escaped)
{
	struct record record = record_of(HOSTILE, 1, 1, 0);
	json_t *event = parsed(&record);

	ck_assert_str_eq(json_string_value(json_object_get(event, "name")),
			 "x\"},{\"\\\x01\xef\xbf\xbd(\x7f");
	ck_assert_str_eq(json_string_value(json_object_get(event, "cat")),
			 "a\"pi\\\n\xef\xbf\xbd,runtime");
	json_decref(event);
}
END_TEST

START_TEST(long_names_are_whole)
{
	struct record record = record_of(LONG, 1, 1, 0);

	for (int i = 0; i < 2; i++) {
		json_t *event = parsed(&record);
		ck_assert_str_eq(json_string_value(json_object_get(event, "name")), long_name);
		ck_assert_str_eq(json_string_value(json_object_get(event, "cat")),
				 "plain,request,runtime,operator,debug");
		json_decref(event);
	}
}
END_TEST

/* Functions whose numbers fall on the same place of the table of names don't get each other's. */
START_TEST(names_don_t_mix)
{
	for (int round = 0; round < 3; round++) {
		for (uint32_t id = 0; id < SEEN; id++) {
			struct record record = record_of(id, 1, 1, 0);
			json_t *event = parsed(&record);
			chrome.names = NULL;
			json_t *slowly = parsed(&record);
			chrome.names = names;
			assert_often(json_equal(event, slowly));
			json_decref(event);
			json_decref(slowly);
		}
		/* All on one place. */
		for (size_t i = 1; i < TL_CHROME_NAMES; i++)
			names[i] = names[0];
	}
}
END_TEST

/* The nanoseconds that a member shows, read digit by digit. */
static uint64_t shown(const char *line, const char *key)
{
	uint64_t us = 0, rest;
	const char *at = strstr(line, key) + strlen(key);

	while (*at >= '0' && *at <= '9')
		us = us * 10 + *at++ - '0';
	assert_often(*at == '.');
	rest = (at[1] - '0') * 100 + (at[2] - '0') * 10 + at[3] - '0';
	assert_often(at[4] < '0' || at[4] > '9');
	return us * 1000 + rest;
}

static const uint64_t extremes[] = {
	0,
	1,
	9,
	10,
	99,
	100,
	999,
	1000,
	1001,
	9999,
	10000,
	999999,
	1000000,
	99999999999999ull,
	1ull << 53,
	INT64_MAX,
	UINT64_MAX - 1,
	UINT64_MAX,
};
#define COUNT(array) (int)(sizeof(array) / sizeof(*(array)))

START_TEST(times_are_exact_from_end_to_end)
{
	for (int i = 0; i < COUNT(extremes); i++) {
		struct record record = record_of(STATUS, extremes[_i], extremes[i], 0);
		uint64_t begin = shown(encoded(&record), "\"ts\":"),
			 lasted = shown(room, "\"dur\":"), end;
		ck_assert_uint_eq(begin, extremes[_i]);
		/* A call can't end after the last tick there is. */
		if (__builtin_add_overflow(extremes[_i], extremes[i], &end))
			end = UINT64_MAX;
		ck_assert_uint_eq(begin + lasted, end);
	}
}
END_TEST

static uint64_t thirds(const void *source, uint64_t ticks)
{
	return ticks / 3;
}

/* What a lane needs: where a call ends is never after where the next one begins, though both were
 * rounded. */
START_TEST(ts_and_dur_never_pass_the_next_event)
{
	uint64_t ticks = 1ull << 50, last = 0;

	chrome.ns = thirds;
	srand(1);
	for (int i = 0; i < 10000; i++) {
		uint64_t duration = rand() % 50;
		struct record record = record_of(STATUS, ticks, duration, 0);
		uint64_t begin = shown(encoded(&record), "\"ts\":");
		assert_often(begin >= last);
		last = begin + shown(room, "\"dur\":");
		ticks += duration + rand() % 3;
	}
}
END_TEST

START_TEST(decimals_are_those_of_printf)
{
	char ours[TL_DECIMAL_ROOM], theirs[21];

	for (uint64_t power = 1;; power *= 10) {
		for (uint64_t value = power - 1; value != power + 2; value++) {
			*tl_digits_decimal(ours, value) = 0;
			snprintf(theirs, sizeof(theirs), "%llu", (unsigned long long)value);
			assert_often_str_eq(ours, theirs);
		}
		if (power > UINT64_MAX / 10)
			break;
	}
	*tl_digits_decimal(ours, UINT64_MAX) = 0;
	ck_assert_str_eq(ours, "18446744073709551615");
}
END_TEST

/* The two halves of eight digits don't know of each other. */
START_TEST(eight_digits_are_those_of_printf)
{
	char ours[9] = "", theirs[9];

	for (unsigned value = 0; value < 10000; value++) {
		snprintf(theirs, sizeof(theirs), "%08u", value);
		tl_digits_put_eight(ours, value);
		assert_often_str_eq(ours, theirs);
		snprintf(theirs, sizeof(theirs), "%04u0000", value);
		tl_digits_put_eight(ours, value * 10000);
		assert_often_str_eq(ours, theirs);
	}
}
END_TEST

START_TEST(thousandths_are_those_of_printf)
{
	char ours[TL_MICROSECONDS_ROOM + 1], theirs[40];

	for (unsigned ns = 0; ns < 1000; ns++) {
		*tl_digits_microseconds(ours, 5000 + ns) = 0;
		snprintf(theirs, sizeof(theirs), "5.%03u", ns);
		assert_often_str_eq(ours, theirs);
	}
}
END_TEST

START_TEST(hexadecimals_are_those_of_printf)
{
	char ours[TL_HEX_ROOM + 1], theirs[17];

	for (unsigned digit = 0; digit < 16; digit++) {
		for (unsigned shift = 0; shift < 64; shift += 4) {
			uint64_t value = (uint64_t)digit << shift;
			for (int less = 0; less < 2; less++) {
				*tl_digits_hex(ours, value - less) = 0;
				snprintf(theirs, sizeof(theirs), "%llx",
					 (unsigned long long)(value - less));
				assert_often_str_eq(ours, theirs);
			}
		}
	}
}
END_TEST

/* ---- What was prepared for a function's calls is printed as the walk of the tables prints it. */

static const struct tl_api *const apis[] = {&table_api, &tl_api_ze, &tl_api_cl};

/* The numbers are those of records: API and function. */
static const struct tl_function *any_function(const void *source, uint32_t id)
{
	return &apis[id >> 16]->functions[id & 0xffff];
}

static uint64_t random_word(void)
{
	uint64_t word = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	switch (rand() % 8) {
	case 0:
		return 0;
	case 1:
		return 0 - (word >> rand() % 64);
	case 2:
		return (1ull << rand() % 64) - 1 + (uint64_t)rand() % 3;
	default:
		return word >> rand() % 64;
	}
}

/* One that the type has a word for, or any. */
static uint64_t random_value(const struct tl_type *type)
{
	uint64_t value = random_word();

	if ((type->kind != TL_KIND_ENUM && type->kind != TL_KIND_FLAGS) || !type->count ||
	    rand() % 4 == 0)
		return value;
	value = type->enumerators[value % type->count].value;
	return type->size == 4 && rand() % 2 ? (uint32_t)value : value;
}

static size_t random_blob(uint64_t *to)
{
	struct tl_blob blob = {.bytes = (uint32_t)(rand() % 64), .total = (uint32_t)(rand() % 16)};
	size_t words = 1 + (blob.bytes + 7) / 8;

	memcpy(to, &blob, sizeof(blob));
	for (size_t i = 1; i < words; i++)
		to[i] = random_word();
	return words;
}

static size_t random_blobs(uint64_t *to)
{
	size_t words = 0;

	for (int n = rand() % 6; n > 0; n--)
		words += random_blob(to + words);
	return words;
}

static void random_record(struct tl_call_record *record, uint32_t id)
{
	const struct tl_function *function = any_function(NULL, id);
	bool caused = rand() % 4 == 0;
	uint64_t *words = (uint64_t *)(record + 1) + caused, *at = words + function->words;

	*record = (struct tl_call_record){.type = TL_RECORD_CALL,
					  .function = id,
					  .start = random_word(),
					  .duration = random_word(),
					  .result = random_value(function->result)};
	record->flags = rand() % 8 ? TL_RECORD_WORDS : TL_RECORD_UNWOUND | TL_RECORD_WORDS;
	if (caused) {
		words[-1] = random_word();
		record->flags |= TL_RECORD_CAUSE;
	}
	for (uint32_t i = 0; i < function->words; i++)
		words[i] = random_word();
	for (uint32_t i = 0; i < function->count; i++)
		words[function->params[i].offset] = random_value(function->params[i].type);
	if (rand() % 2) {
		size_t entry = random_blobs(at + 1), exit = random_blobs(at + 1 + entry);
		struct tl_blob_sizes sizes = {(uint32_t)entry * 8, (uint32_t)exit * 8};
		memcpy(at, &sizes, sizeof(sizes));
		at += 1 + entry + exit;
		record->flags |= TL_RECORD_BLOBS;
	}
	record->size = (uint16_t)(at - (uint64_t *)record);
}

static void encode_both_for(uint32_t tid, const struct tl_call_record *record, size_t size)
{
	static char prepared[65536], walked[65536];
	struct tl_text fast = {prepared, prepared + size, false};
	struct tl_text slow = {walked, walked + size, false};

	chrome.names = names;
	chrome.time = &time_kept;
	assert_often(tl_chrome_record(&chrome, &fast, tid, record, record->size * 8u) != 0);
	chrome.names = NULL;
	chrome.time = NULL;
	assert_often(tl_chrome_record(&chrome, &slow, tid, record, record->size * 8u) != 0);
	*fast.at = *slow.at = 0;
	assert_often_str_eq(prepared, walked);
	assert_often(fast.cut == slow.cut);
}

static void encode_both(const struct tl_call_record *record, size_t size)
{
	encode_both_for(8, record, size);
}

/* Around each number of digits, and where the last eight digits begin again; of two threads. */
START_TEST(times_that_are_kept_are_those_that_are_made)
{
	srand(3);
	for (uint64_t base = 1; base < UINT64_MAX / 10; base *= 10) {
		for (int round = 0; round < 2000; round++) {
			uint64_t begin = base + (uint64_t)rand() % 7 - 3;
			struct record record;

			if (rand() % 2)
				begin += (uint64_t)rand() * 3;
			record = record_of(STATUS, begin, (uint64_t)rand() >> rand() % 31, 0);
			encode_both_for(rand() % 5 ? 8 : UINT32_MAX, &record.call, 65535);
		}
	}
}
END_TEST

START_TEST(what_is_prepared_is_what_the_walk_prints)
{
	static uint64_t record[4096];
	struct tl_call_record *call = (void *)record;

	srand(2);
	chrome.function = any_function;
	for (uint32_t api = 0; api < COUNT(apis); api++) {
		for (uint32_t i = 0; i < apis[api]->count; i++) {
			for (int round = 0; round < 200; round++) {
				random_record(call, api << 16 | i);
				encode_both(call, 65535);
				/* Also where not all has room. */
				encode_both(call, 4096 + (size_t)rand() % 800);
			}
		}
	}
}
END_TEST

START_TEST(lost_events_are_an_instant)
{
	struct record record = record_of(0, 5000, 1000, 12);

	record.call.type = TL_RECORD_LOST;
	ck_assert_str_eq(
		encoded(&record),
		",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":7,\"name\":\"lost\",\"cat\":\"tracelayer\","
		"\"tid\":8,\"ts\":5.000,\"args\":{\"events\":12}}");
}
END_TEST

START_TEST(padding_becomes_nothing)
{
	struct record record = record_of(0, 0, 0, 0);

	record.call.type = TL_RECORD_PAD;
	ck_assert_str_eq(encoded(&record), "");
}
END_TEST

START_TEST(damaged_records_are_refused)
{
	struct record record = record_of(STATUS, 1, 1, 0);

	record.call.size = 3;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.size = 0;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.size = sizeof(record) / 8 + 1;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.size = 4;
	record.call.type = 77;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.type = TL_RECORD_CALL;
	record.call.function = 99;
	ck_assert_uint_eq(encode(&record), 0);
	/* Words that don't fit, blobs without words, blobs larger than what is there. */
	record = record_of(100 + F_GET, 1, 1, 0);
	record.call.flags = TL_RECORD_WORDS;
	record.call.size = 6;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.flags = TL_RECORD_BLOBS;
	record.call.size = 8;
	ck_assert_uint_eq(encode(&record), 0);
	record.call.flags = TL_RECORD_WORDS | TL_RECORD_BLOBS;
	record.rest[3] = 8;
	ck_assert_uint_eq(encode(&record), 0);
	record.rest[3] = 0xfffffff8fffffff8;
	record.call.size = 20;
	ck_assert_uint_eq(encode(&record), 0);
	ck_assert_ptr_eq(text.at, room);
}
END_TEST

START_TEST(an_event_without_room_is_left_out_whole)
{
	struct record record = record_of(STATUS, 1, 1, 0);

	for (size_t size = 0; size < 300; size++) {
		text = (struct tl_text){room, room + size, false};
		assert_often_eq(encode(&record), 32);
		assert_often(text.cut && text.at == room);
		text.cut = false;
		tl_chrome_metadata(&chrome, &text, 8, "thread_name", "\"name\":\"a thread\"");
		assert_often(text.cut == (text.at == room));
	}
	ck_assert(!text.cut);
}
END_TEST

/* Arguments that are larger than an event may be are cut, and the event is sound. */
START_TEST(huge_arguments_are_cut)
{
	static struct {
		struct tl_call_record call;
		uint64_t words[5];
		struct tl_blob_sizes sizes;
		uint32_t header;
		char string[60000];
	} huge;
	struct tl_text small = {room, room + 8192, false};

	huge.call = (struct tl_call_record){.size = sizeof(huge) / 8,
					    .type = TL_RECORD_CALL,
					    .flags = TL_RECORD_WORDS | TL_RECORD_BLOBS,
					    .function = 100 + F_STRINGS,
					    .start = 1};
	for (int i = 0; i < 5; i++)
		huge.words[i] = 0x1000;
	huge.sizes.entry = sizeof(huge) - offsetof(typeof(huge), header);
	memset(&huge.header, 1, sizeof(huge.header));
	memset(huge.string, 1, sizeof(huge.string));
	ck_assert_uint_eq(tl_chrome_record(&chrome, &small, 8, &huge.call, sizeof(huge)),
			  sizeof(huge));
	*small.at = 0;
	json_t *event = json_loads(room + 2, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(event);
	json_decref(event);
}
END_TEST

START_TEST(metadata_is_one_line)
{
	tl_chrome_metadata(&chrome, &text, 8, "thread_name", "\"name\":\"main\"");
	*text.at = 0;
	ck_assert_str_eq(room, ",\n{\"ph\":\"M\",\"pid\":7,\"name\":\"thread_name\",\"tid\":8,"
			       "\"args\":{\"name\":\"main\"}}");
}
END_TEST

/* A few calls, one within the other, of which many touch. In the order of their ends, as records. */
enum { SLICES = 24 };
static unsigned slices_make(uint64_t (*slices)[2], unsigned made, uint64_t *clock, unsigned depth)
{
	uint64_t start = *clock;

	for (int inner = rand() % 4; inner > 0 && depth < 4; inner--) {
		*clock += (uint64_t)rand() % 2;
		made = slices_make(slices, made, clock, depth + 1);
	}
	*clock += (uint64_t)rand() % 3;
	if (made < SLICES) {
		slices[made][0] = start;
		slices[made][1] = *clock;
		made++;
	}
	return made;
}

/*
 * Slices of two parts that are looked at apart, then joined, are moved as they are one after another; so
 * are those that come behind them.
 */
START_TEST(parts_that_join_touch_as_one)
{
	static struct tl_touching whole, apart, before;
	unsigned joined = 0, refused = 0;

	for (int turn = 0; turn < 20000; turn++) {
		uint64_t slices[SLICES][2], clock = 1000;
		bool moves[SLICES], same = true;
		unsigned made = 0;
		struct tl_touching_seam seam;

		memset(&whole, 0, sizeof(whole));
		memset(&apart, 0, sizeof(apart));
		memset(&before, 0, sizeof(before));
		while (made < SLICES) {
			made = slices_make(slices, made, &clock, 0);
			clock += (uint64_t)rand() % 2;
		}
		unsigned from = (unsigned)rand() % SLICES;
		unsigned to = from + 1 + (unsigned)rand() % (SLICES - from);
		for (unsigned i = 0; i < SLICES; i++)
			moves[i] =
				tl_touching_next(&whole, 7, slices[i][0], slices[i][1], true).moves;
		for (unsigned i = 0; i < from; i++)
			tl_touching_next(&before, 7, slices[i][0], slices[i][1], true);
		tl_touching_part(&apart, 7, &seam);
		for (unsigned i = from; i < to; i++) {
			same &= moves[i] ==
				tl_touching_next(&apart, 7, slices[i][0], slices[i][1], true).moves;
			tl_touching_note(&apart, 7, &seam);
		}
		tl_touching_part_end(&apart, 7, &seam);
		bool joins = tl_touching_joins(&before, 7, &seam);
		/* Asking changes nothing: the part's slices may come one by one then, too. */
		if (!joins || turn % 2) {
			refused += !joins;
			for (unsigned i = from; i < to; i++)
				ck_assert_int_eq(moves[i],
						 tl_touching_next(&before, 7, slices[i][0],
								  slices[i][1], true)
							 .moves);
		} else {
			joined++;
			ck_assert(tl_touching_join(&before, 7, &seam));
			ck_assert(same);
		}
		for (unsigned i = to; i < SLICES; i++)
			ck_assert_int_eq(moves[i], tl_touching_next(&before, 7, slices[i][0],
								    slices[i][1], true)
							   .moves);
	}
	ck_assert_uint_gt(joined, 1000);
	ck_assert_uint_gt(refused, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chrome");
	TCase *tests = tcase_create("events");

	tcase_set_timeout(tests, 60);

	tcase_add_checked_fixture(tests, start, stop);
	tcase_add_test(tests, a_call_is_one_line);
	tcase_add_test(tests, a_function_without_a_result_shows_none);
	tcase_add_test(tests, a_failed_call_says_so);
	tcase_add_test(tests, a_call_that_was_unwound_has_no_result);
	tcase_add_test(tests, a_call_says_what_work_it_caused_and_for_which_request);
	tcase_add_test(tests, arguments_stand_before_the_result);
	tcase_add_test(tests, each_byte_is_escaped_alike_wherever_it_stands);
	tcase_add_test(tests, text_that_does_not_fit_is_left_out_whole);
	tcase_add_test(tests, hostile_names_are_escaped);
	tcase_add_test(tests, long_names_are_whole);
	tcase_add_test(tests, names_don_t_mix);
	tcase_add_loop_test(tests, times_are_exact_from_end_to_end, 0, COUNT(extremes));
	tcase_add_test(tests, ts_and_dur_never_pass_the_next_event);
	tcase_add_test(tests, decimals_are_those_of_printf);
	tcase_add_test(tests, eight_digits_are_those_of_printf);
	tcase_add_test(tests, thousandths_are_those_of_printf);
	tcase_add_test(tests, hexadecimals_are_those_of_printf);
	tcase_add_test(tests, times_that_are_kept_are_those_that_are_made);
	tcase_add_test(tests, what_is_prepared_is_what_the_walk_prints);
	tcase_add_test(tests, parts_that_join_touch_as_one);
	tcase_add_test(tests, lost_events_are_an_instant);
	tcase_add_test(tests, padding_becomes_nothing);
	tcase_add_test(tests, damaged_records_are_refused);
	tcase_add_test(tests, an_event_without_room_is_left_out_whole);
	tcase_add_test(tests, huge_arguments_are_cut);
	tcase_add_test(tests, metadata_is_one_line);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
