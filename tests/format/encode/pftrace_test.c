/* SPDX-License-Identifier: MIT */
/*
 * pftrace_test.c: packets byte by byte, and which names, lanes and times are written again after a
 * block. What whole files mean is pftrace.sh's part.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "format/encode/formats.h"
#include "format/encode/pftrace.h"
#include "format/encode/pftrace_names.h"
#include "format/encode/pftrace_notes.h"
#include "tests/lib/args_table.h"

static const struct tl_type type_void = {.name = "void", .kind = TL_KIND_VOID};
static const struct tl_type type_int = {.name = "int", .kind = TL_KIND_INT, .size = 4};
#define FLAGS 40
static struct tl_enumerator many_flags[FLAGS];
static char many_flag_names[FLAGS][40];
static const struct tl_type type_flags = {.name = "flags",
					  .kind = TL_KIND_FLAGS,
					  .size = 8,
					  .count = FLAGS,
					  .enumerators = many_flags};
static const struct tl_variable flags_param[] = {{.name = "f", .type = &type_flags, .words = 1}};
static const struct tl_variable one_param[] = {{.name = "a", .type = &type_int, .words = 1}};
static const struct tl_api plain_api = {.name = "plain"};
static char long_name[5000];
enum { NOTHING, SINGLE, LONG, FLAGGED, OWN };
static const struct tl_function own_functions[OWN] = {
	[NOTHING] = {.name = "nothing",
		     .result = &type_void,
		     .api = &plain_api,
		     .level = TL_LEVEL_DEBUG},
	[SINGLE] = {.name = "one",
		    .result = &type_int,
		    .params = one_param,
		    .api = &plain_api,
		    .count = 1,
		    .words = 1,
		    .level = TL_LEVEL_RUNTIME,
		    .failure = TL_FAILURE_NEGATIVE},
	[LONG] = {.name = long_name, .result = &type_void, .api = &plain_api},
	[FLAGGED] = {.name = "flagged",
		     .result = &type_void,
		     .params = flags_param,
		     .api = &plain_api,
		     .count = 1,
		     .words = 1},
};
/* More functions than there is room for names. */
#define MANY 4000
static struct tl_function many[MANY];
static char many_names[MANY][16];

static const struct tl_function *function(const void *source, uint32_t id)
{
	if (id < OWN)
		return &own_functions[id];
	if (id >= 10000 && id - 10000 < MANY)
		return &many[id - 10000];
	return id >= 100 && id - 100 < F_COUNT ? &table_functions[id - 100] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks;
}

/* Texts by their numbers; lanes are shown as 1000 and more. */
static const char *string(const void *source, uint32_t number, size_t *size)
{
	static const char *const strings[] = {NULL, "kernel", "queue", "depth", "gpu", "key"};
	const char *text = number < sizeof(strings) / sizeof(*strings) ? strings[number] : NULL;

	*size = text ? strlen(text) : 0;
	return text;
}

static uint32_t shown_lane(const void *source, uint32_t number)
{
	return 1000 + number;
}

static const struct tl_format *const format = &tl_format_pftrace;
static struct tl_encoder encoder;
static char *room;
static struct tl_text text;

static void start(void)
{
	encoder = (struct tl_encoder){.format = format,
				      .pid = 7,
				      .ns = ns,
				      .function = function,
				      .string = string,
				      .lane = shown_lane};
	encoder.state = aligned_alloc(64, (format->state + 63) & ~(size_t)63);
	memset(encoder.state, 0, format->state);
	room = malloc(TL_ENCODER_ROOM);
	text = (struct tl_text){room, room + TL_ENCODER_ROOM, false};
	memset(long_name, 'n', sizeof(long_name) - 1);
	format->block(&encoder);
}

static void settle(bool keep)
{
	if (keep)
		format->kept(&encoder);
	format->block(&encoder);
	text.at = room;
}

/* A file that has its beginning. */
static void start_begun(void)
{
	static const struct tl_facts facts;

	start();
	format->begin(&encoder, &text, &facts);
	settle(true);
}

static void stop(void)
{
	free(encoder.state);
	free(room);
}

struct record {
	struct tl_call_record call;
	uint64_t words[12];
};

static struct record record_of(uint32_t id, uint64_t begin, uint64_t duration)
{
	return (struct record){.call = {.size = 4,
					.type = TL_RECORD_CALL,
					.function = id,
					.start = begin,
					.duration = duration}};
}

static void encode(uint32_t tid, const struct record *record)
{
	ck_assert_uint_eq(format->record(&encoder, &text, tid, &record->call, sizeof(*record)),
			  record->call.size * 8u);
	ck_assert(!text.cut);
}

static void encode_new(uint32_t tid, uint32_t id, uint64_t begin, uint64_t duration)
{
	const struct record record = record_of(id, begin, duration);

	encode(tid, &record);
}

/* How often some bytes stand in what was appended. */
static unsigned times(const void *bytes, size_t size)
{
	unsigned count = 0;

	for (const char *at = room; (at = memmem(at, (size_t)(text.at - at), bytes, size)); at++)
		count++;
	return count;
}

static unsigned times_text(const char *string)
{
	return times(string, strlen(string));
}

static void expect(const char *bytes, size_t size)
{
	ck_assert_mem_eq(room, bytes, size);
	ck_assert_uint_eq((size_t)(text.at - room), size);
}
#define EXPECT(literal) expect(literal, sizeof(literal) - 1)

START_TEST(numbers_are_varints)
{
	static const struct {
		uint64_t value;
		const char *bytes;
		size_t size;
	} cases[] = {
		{0, "\0", 1},
		{127, "\x7f", 1},
		{128, "\x80\x01", 2},
		{300, "\xac\x02", 2},
		{UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
	};
	char bytes[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_uint_eq((size_t)(tl_protobuf_varint(bytes, cases[i].value) - bytes),
				  cases[i].size);
		ck_assert_mem_eq(bytes, cases[i].bytes, cases[i].size);
	}
	ck_assert_uint_eq((size_t)(tl_protobuf_number(bytes, 58, 64) - bytes), 3);
	ck_assert_mem_eq(bytes, "\xd0\x03\x40", 3);
}
END_TEST

START_TEST(contents_of_any_size_have_theirs_before_them)
{
	static const size_t sizes[] = {0, 1, 127, 128, 16383, 16384, 100000};
	char *bytes = malloc(200000);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *content = tl_protobuf_open(bytes, 1), whole[8];
		for (size_t byte = 0; byte < sizes[i]; byte++)
			content[byte] = (char)(byte * 7);
		char *end = tl_protobuf_close(content, content + sizes[i]);
		size_t head = (size_t)(tl_protobuf_varint(whole, sizes[i]) - whole);
		ck_assert_int_eq(bytes[0], 1 << 3 | TL_WIRE_BYTES);
		ck_assert_mem_eq(bytes + 1, whole, head);
		ck_assert_uint_eq((size_t)(end - bytes), 1 + head + sizes[i]);
		for (size_t byte = 0; byte < sizes[i]; byte++)
			ck_assert_int_eq(bytes[1 + head + byte], (char)(byte * 7));
	}
	free(bytes);
}
END_TEST

static struct record call_of_one(uint64_t begin, uint64_t duration)
{
	struct record record = record_of(SINGLE, begin, duration);

	record.call.size = 5;
	record.call.flags = TL_RECORD_WORDS;
	record.words[0] = 300;
	return record;
}

START_TEST(a_call_is_two_packets)
{
	struct record record = call_of_one(1000, 50);

	encode(8, &record);
	text.at = room;
	record = call_of_one(1300, 50);
	encode(8, &record);
	EXPECT("\x0a\x1c\x40\xfa\x01\x50\x01\x68\x02" /* timestamp 250, sequence 1, state needed */
	       "\x5a\x13\x18\x02\x50\x02\x48\x01"     /* category 2, name 2, a beginning */
	       "\x22\x05\x08\x02\x20\xac\x02"	      /* 2: 300 */
	       "\x22\x04\x08\x01\x20\x00"	      /* 1: 0 */
	       "\x0a\x0a\x40\x32\x50\x01\x68\x02\x5a\x02\x48\x02"); /* timestamp 50, an end */
}
END_TEST

START_TEST(a_call_says_what_work_it_caused_and_for_which_request)
{
	struct record record = record_of(NOTHING, 1000, 50);

	record.call.size = 5;
	record.call.flags = TL_RECORD_CAUSE;
	record.words[0] = 7ull << 32 | 300;
	encode(8, &record);
	ck_assert_ptr_nonnull(memmem(room, (size_t)(text.at - room), "correlation", 11));
	ck_assert_ptr_nonnull(memmem(room, (size_t)(text.at - room), "request", 7));
	text.at = room;
	encode(8, &record);
	EXPECT("\x0a\x1f\x40\xe8\x07\xd0\x03\x03\x50\x01\x68\x02" /* timestamp 1000 of clock 3 */
	       "\x5a\x13\x18\x02\x50\x02\x48\x01"
	       "\x22\x05\x08\x01\x18\xac\x02" /* 1: 300, unsigned */
	       "\x22\x04\x08\x02\x18\x07"     /* 2: 7 */
	       "\x0a\x0a\x40\x00\x50\x01\x68\x02\x5a\x02\x48\x02");
}
END_TEST

START_TEST(a_time_before_the_last_is_told_whole)
{
	encode_new(8, NOTHING, 5000, 10);
	text.at = room;
	encode_new(8, NOTHING, 4000, 1020);
	EXPECT("\x0a\x12\x40\xa0\x1f\xd0\x03\x03\x50\x01\x68\x02" /* timestamp 4000 of clock 3 */
	       "\x5a\x06\x18\x02\x50\x02\x48\x01"
	       /* timestamp 10: after the last */
	       "\x0a\x0a\x40\x0a\x50\x01\x68\x02\x5a\x02\x48\x02");
}
END_TEST

/* A packet that makes a thread's track the default one. */
static unsigned lanes_told(uint32_t tid)
{
	char bytes[16], *at = tl_protobuf_number(bytes, TL_PF_TRACK_UUID, (uint64_t)7 << 32 | tid);

	return times(bytes, (size_t)(at - bytes));
}

START_TEST(a_lane_is_told_where_it_changes)
{
	static const uint32_t tids[] = {8, 8, 9, 9, 8};

	for (int i = 0; i < 5; i++)
		encode_new(tids[i], NOTHING, 1000 * i, 50);
	ck_assert_uint_eq(lanes_told(8), 2);
	ck_assert_uint_eq(lanes_told(9), 1);
}
END_TEST

START_TEST(names_are_told_once)
{
	for (int i = 0; i < 3; i++)
		encode_new(8, NOTHING, 1000 * i, 50);
	ck_assert_uint_eq(times_text("nothing"), 1);
	ck_assert_uint_eq(times_text("plain,debug"), 1);
	settle(true);
	encode_new(8, NOTHING, 9000, 50);
	ck_assert_uint_eq(times_text("nothing"), 0);
}
END_TEST

START_TEST(what_a_dropped_block_told_is_told_again)
{
	encode_new(8, NOTHING, 1000, 50);
	settle(true);
	encode_new(9, SINGLE, 2000, 50);
	ck_assert_uint_eq(times_text("one"), 1);
	settle(false);
	/* The lane and the time are those before it. */
	encode_new(8, NOTHING, 1060, 50);
	EXPECT("\x0a\x0e\x40\x0a\x50\x01\x68\x02\x5a\x06\x18\x02\x50\x02\x48\x01"
	       "\x0a\x0a\x40\x32\x50\x01\x68\x02\x5a\x02\x48\x02");
	encode_new(9, SINGLE, 2000, 50);
	ck_assert_uint_eq(lanes_told(9), 1);
	ck_assert_uint_eq(times_text("one"), 1);
	settle(false);
	encode_new(9, SINGLE, 2000, 50);
	ck_assert_uint_eq(times_text("one"), 1);
}
END_TEST

START_TEST(a_dropped_beginning_begins_again)
{
	static const char cleared[] = "\x50\x01\x68\x01";
	static const struct tl_facts facts;

	for (int i = 0; i < 3; i++) {
		format->begin(&encoder, &text, &facts);
		ck_assert_uint_eq(times(cleared, 4), 1);
		settle(i == 2);
	}
	encode_new(9, NOTHING, 1000, 50);
	ck_assert_uint_eq(times(cleared, 4), 0);
}
END_TEST

/* What it would tell may have been told otherwise by the one before. */
START_TEST(who_goes_on_with_a_file_has_a_sequence_of_its_own)
{
	encode_new(8, NOTHING, 5000000, 50);
	/* 2 + 5000 */
	ck_assert_uint_eq(times("\x50\x8b\x27\x68\x01", 5), 1);
	ck_assert_uint_eq(times("\x50\x8b\x27\x68\x02", 5), 2);
	ck_assert_uint_eq(times("\x50\x01\x68", 3), 0);
}
END_TEST

START_TEST(what_an_end_told_is_not_relied_on)
{
	const struct tl_totals totals = {.events = 1};

	encode_new(8, NOTHING, 1000, 50);
	format->end(&encoder, &text, &totals);
	ck_assert_uint_eq(times_text("tracelayer_end"), 1);
	/* Over the end, without another block. */
	text.at = room;
	encode_new(8, NOTHING, 1100, 50);
	EXPECT("\x0a\x0e\x40\x32\x50\x01\x68\x02\x5a\x06\x18\x02\x50\x02\x48\x01"
	       "\x0a\x0a\x40\x32\x50\x01\x68\x02\x5a\x02\x48\x02");
	format->end(&encoder, &text, &totals);
	ck_assert_uint_eq(times_text("tracelayer_end"), 1);
	settle(true);
	format->end(&encoder, &text, &totals);
	ck_assert_uint_eq(times_text("tracelayer_end"), 1);
}
END_TEST

/* An event with room for two arguments. */
union event {
	struct tl_event_record event;
	char room[sizeof(struct tl_event_record) + 2 * sizeof(struct tl_event_arg)];
};

static union event event_of(char phase, uint64_t begin, uint64_t duration)
{
	return (union event){.event = {.size = sizeof(struct tl_event_record) / 8,
				       .type = TL_RECORD_EVENT,
				       .name = 1,
				       .start = begin,
				       .duration = duration,
				       .phase = (uint8_t)phase,
				       .level = TL_LEVEL_OPERATOR,
				       .category = 4}};
}

static void add_arg(union event *event, uint32_t key, enum tl_event_value kind, uint64_t value)
{
	event->event.arg[event->event.args++] = (struct tl_event_arg){key, kind, value};
	event->event.size += sizeof(struct tl_event_arg) / 8;
}

static size_t encode_event(const union event *event)
{
	return format->record(&encoder, &text, 8, (const void *)event, sizeof(*event));
}

START_TEST(lanes_that_are_no_thread_s_are_tracks_of_their_own)
{
	union event event = event_of('X', 1000, 50);

	/* uuid, its process, "queue", rank 3, not merged */
	format->lane(&encoder, &text, 1001, "queue", 5, 3);
	EXPECT("\x0a\x1c\x50\x02\xe2\x03\x17\x08\xe9\x87\x80\x80\x70\x28\x80\x80\x80\x80\x70"
	       "\x12\x05queue\x60\x03\x78\x02");
	encode_new(8, NOTHING, 1, 1);
	text.at = room;
	event.event.lane = 1;
	ck_assert_uint_eq(encode_event(&event), sizeof(struct tl_event_record));
	/* The beginning and the end name it; the lane's own track stays the default. */
	ck_assert_uint_eq(lanes_told(1001), 2);
	ck_assert_uint_eq(lanes_told(8), 0);
	ck_assert_uint_eq(times_text("kernel"), 1);
	ck_assert_uint_eq(times_text("gpu,operator"), 1);
}
END_TEST

START_TEST(events_are_slices_and_instants_with_their_args)
{
	union event event = event_of('B', 1000, 0);

	add_arg(&event, 5, TL_VALUE_HEX_64, 300);
	add_arg(&event, 5, TL_VALUE_STRING, 2);
	ck_assert_uint_eq(encode_event(&event), sizeof(event));
	ck_assert_uint_eq(times("\x48\x01", 2), 1);
	ck_assert_uint_eq(times("\x38\xac\x02", 3), 1);
	ck_assert_uint_eq(times_text("queue"), 1);
	text.at = room;
	event = event_of('E', 1020, 0);
	encode_event(&event);
	EXPECT("\x0a\x0a\x40\x14\x50\x01\x68\x02\x5a\x02\x48\x02");
	text.at = room;
	event = event_of('i', 1020, 0);
	event.event.request = 9;
	encode_event(&event);
	ck_assert_uint_eq(times("\x48\x03", 2), 1);
	ck_assert_uint_eq(times_text("request"), 1);
}
END_TEST

/* The phase, the number, and that it binds to the slice that it lies in. */
START_TEST(flows_have_their_ends_in_slices)
{
	static const char phases[] = "stf";

	for (int i = 0; i < 3; i++) {
		union event event = event_of(phases[i], 1000, 300);
		const char flow[] = {0x32, 7, 0x10, phases[i], 0x30, (char)0xac, 0x02, 0x60, 1};
		text.at = room;
		encode_event(&event);
		ck_assert_uint_eq(times(flow, sizeof(flow)), 1);
	}
}
END_TEST

/* Between the event's beginning and its end, two on its track and two on others'. */
START_TEST(an_event_that_calls_lead_to_has_the_ends_of_its_flows_with_it)
{
	static const char beginning[] = "\x48\x01", end[] = "\x48\x02";
	union {
		struct tl_event_record event;
		char bytes[sizeof(struct tl_event_record) + sizeof(struct tl_event_arrows)];
	} with = {.event = event_of('X', 1000, 50).event};

	with.event.flags = TL_EVENT_NS | TL_EVENT_ARROWS;
	const struct tl_event_arrows arrows = {.number = 300,
					       .from_ns = 900,
					       .to_ns = 1100,
					       .from = 21,
					       .to = 22,
					       .from_name = 2,
					       .to_name = 3};
	memcpy(with.bytes + sizeof(with.event), &arrows, sizeof(arrows));
	with.event.size = sizeof(with) / 8;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, (const void *)&with, sizeof(with)),
			  sizeof(with));
	for (int i = 0; i < 4; i++) {
		const char flow[] = {0x32, 7,	 0x10, "sf"[i % 2], 0x30, (char)(0xac + i / 2),
				     0x02, 0x60, 1};
		ck_assert_uint_eq(times(flow, sizeof(flow)), 1);
	}
	ck_assert_uint_eq(lanes_told(21), 1);
	/* There is an instant, too. */
	ck_assert_uint_eq(lanes_told(22), 2);
	ck_assert_uint_ge(times(beginning, 2), 1);
	ck_assert_uint_ge(times(end, 2), 1);
	/* One that says it has them, and is too short for that. */
	text.at = room;
	with.event.size--;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, (const void *)&with, sizeof(with)), 0);
	ck_assert_ptr_eq(text.at, room);
}
END_TEST

START_TEST(counters_have_a_track_for_each_series)
{
	union event event = event_of('C', 1000, 0);

	event.event.name = 3;
	add_arg(&event, 3, TL_VALUE_UNSIGNED_64, 300);
	add_arg(&event, 5, TL_VALUE_DOUBLE_64, 0x3ff8000000000000);
	encode_event(&event);
	ck_assert_uint_eq(times_text("\x12\x05"
				     "depth"),
			  1);
	ck_assert_uint_eq(times_text("\x12\x09"
				     "depth key"),
			  1);
	ck_assert_uint_eq(times("\x48\x04\xf0\x01\xac\x02", 6), 1);
	ck_assert_uint_eq(times("\x48\x04\xe1\x02\0\0\0\0\0\0\xf8\x3f", 12), 1);
	text.at = room;
	encode_event(&event);
	ck_assert_uint_eq(times_text("depth"), 0);
	/* A dropped block told of them. */
	settle(false);
	encode_event(&event);
	ck_assert_uint_eq(times_text("depth"), 2);
}
END_TEST

START_TEST(damaged_events_are_refused)
{
	union event event = event_of('X', 1, 1);

	event.event.args = 1;
	ck_assert_uint_eq(encode_event(&event), 0);
	event = event_of('X', 1, 1);
	event.event.size--;
	ck_assert_uint_eq(encode_event(&event), 0);
	event = event_of('?', 1, 1);
	ck_assert_uint_eq(encode_event(&event), 0);
	event = event_of(0, 1, 1);
	ck_assert_uint_eq(encode_event(&event), 0);
	ck_assert_ptr_eq(text.at, room);
	/* Numbers that have no text. */
	event = event_of('X', 1, 1);
	event.event.name = event.event.category = 77;
	ck_assert_uint_eq(encode_event(&event), sizeof(struct tl_event_record));
	ck_assert_uint_eq(times_text("tracelayer,operator"), 1);
}
END_TEST

/* Once there is no room for more, names stand where they are used. */
START_TEST(names_beyond_the_table_are_plain)
{
	for (int i = 0; i < MANY; i++) {
		snprintf(many_names[i], sizeof(many_names[i]), "function %d", i);
		many[i] = (struct tl_function){
			.name = many_names[i], .result = &type_void, .api = &plain_api};
		text.at = room;
		encode_new(8, 10000 + i, 1000 * i, 50);
		ck_assert_uint_eq(times_text(many_names[i]), 1);
	}
	encode_new(8, 10000 + MANY - 1, 1000 * MANY, 50);
	ck_assert_uint_eq(times_text(many_names[MANY - 1]), 2);
	text.at = room;
	encode_new(8, 10000, 1000 * MANY, 50);
	ck_assert_uint_eq(times_text(many_names[0]), 0);
	encode_new(8, LONG, 1000 * MANY, 50);
	ck_assert_uint_gt((size_t)(text.at - room), TL_PF_NAME_MAX);
	ck_assert_uint_lt((size_t)(text.at - room), TL_PF_NAME_MAX + 200);
}
END_TEST

START_TEST(names_are_utf8_and_not_too_long)
{
	format->thread(&encoder, &text, 8,
		       "0123\xff"
		       "5678\xc3\xa9"
		       "bcdef");
	ck_assert_uint_eq(times_text("\x2a\x12"
				     "0123\xef\xbf\xbd"
				     "5678\xc3\xa9"
				     "bcdef"),
			  1);
	encode_new(8, LONG, 1, 1);
	ck_assert_uint_gt((size_t)(text.at - room), TL_PF_NAME_MAX);
	ck_assert_uint_lt((size_t)(text.at - room), TL_PF_NAME_MAX + 200);
}
END_TEST

START_TEST(an_outer_call_begins_before_its_inner_one_of_the_same_time)
{
	/* As they lie in a chunk: the inner one ended first. */
	struct {
		struct tl_call_record inner, outer;
	} chunk = {record_of(NOTHING, 1000, 10).call, record_of(SINGLE, 1000, 20).call};

	encode_new(8, NOTHING, 1, 1);
	encode_new(8, SINGLE, 2, 1);
	text.at = room;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &chunk.inner, sizeof(chunk)), 32);
	const char *one = memmem(room, (size_t)(text.at - room), "\x50\x03\x48\x01", 4);
	const char *nothing = memmem(room, (size_t)(text.at - room), "\x50\x02\x48\x01", 4);
	ck_assert(one && nothing && one < nothing);
	/* Then it has only to end. */
	text.at = room;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &chunk.outer, 32), 32);
	EXPECT("\x0a\x0a\x40\x0a\x50\x01\x68\x02\x5a\x02\x48\x02");
}
END_TEST

START_TEST(a_call_that_ended_when_the_next_began_is_not_in_it)
{
	struct {
		struct tl_call_record before, after;
	} chunk = {record_of(NOTHING, 1000, 0).call, record_of(SINGLE, 1000, 20).call};

	encode_new(8, NOTHING, 1, 1);
	encode_new(8, SINGLE, 2, 1);
	text.at = room;
	format->record(&encoder, &text, 8, &chunk.before, sizeof(chunk));
	ck_assert_uint_eq(times("\x50\x02\x48\x01", 4), 1);
	ck_assert_uint_eq(times("\x50\x03\x48\x01", 4), 0);
}
END_TEST

START_TEST(a_call_without_room_is_left_out_whole)
{
	const struct record record = record_of(SINGLE, 1, 1);

	for (size_t size = 0; size < 1000; size += 100) {
		text = (struct tl_text){room, room + size, false};
		ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)),
				  32);
		ck_assert(text.cut && text.at == room);
	}
}
END_TEST

/* A call with a string of that size. */
static struct tl_call_record *call_of_string(uint32_t size)
{
	static struct {
		struct tl_call_record call;
		uint64_t words[5];
		struct tl_blob_sizes sizes;
		struct tl_blob blob;
		char string[100000];
	} huge;

	size &= ~7u;
	huge.sizes.entry = size + sizeof(huge.blob);
	huge.call = (struct tl_call_record){.size = (offsetof(typeof(huge), string) + size) / 8,
					    .type = TL_RECORD_CALL,
					    .flags = TL_RECORD_WORDS | TL_RECORD_BLOBS,
					    .function = 100 + F_STRINGS,
					    .start = 1};
	huge.words[0] = 0x1000;
	huge.blob = (struct tl_blob){size, size};
	memset(huge.string, 'x', sizeof(huge.string));
	return &huge.call;
}

static void encode_string(struct tl_text *to, uint32_t size)
{
	const struct tl_call_record *call = call_of_string(size);

	ck_assert_uint_eq(format->record(&encoder, to, 8, call, call->size * (size_t)8),
			  call->size * (size_t)8);
	ck_assert(!to->cut);
	text.at = to->at;
}

START_TEST(huge_arguments_are_cut)
{
	struct tl_text small = {room, room + 50000, false};

	encode_string(&small, 100000);
	ck_assert_uint_eq(times_text("xxxx"), 0);
	ck_assert_uint_eq(times_text("\x12\x03"
				     "cut"),
			  1);
	/* With more room it is whole. */
	text.at = room;
	encode_string(&text, 100000);
	ck_assert_uint_gt((size_t)(text.at - room), 100000);
	ck_assert_uint_eq(times_text("\x12\x03"
				     "cut"),
			  0);
}
END_TEST

/* However much of the room the arguments take. */
START_TEST(results_always_have_room)
{
	for (uint32_t size = 0; size < 60000; size += 64) {
		struct tl_text small = {room, room + 50000, false};
		encode_string(&small, size);
		/* Key 1, and a string's number. */
		ck_assert_uint_eq(times("\x08\x01\x88\x01", 4), 1);
	}
}
END_TEST

/* A call with what is captured behind its one parameter; `change` is what it does to that. */
static void encode_captured(uint32_t id, const void *parameter, void (*change)(void))
{
	static struct {
		struct tl_call_record call;
		uint64_t word;
		struct tl_blob_sizes sizes;
		char blobs[4096];
	} captured;
	const struct tl_function *called = &table_functions[id];
	bool cut = false;

	captured.word = (uint64_t)(uintptr_t)parameter;
	uint32_t entry = tl_args_capture(called, &captured.word, TL_CAPTURE_ENTRY, captured.blobs,
					 2048, &cut);
	change();
	uint32_t exit = tl_args_capture(called, &captured.word, TL_CAPTURE_EXIT,
					captured.blobs + entry, 2048, &cut);
	captured.sizes = (struct tl_blob_sizes){entry, exit};
	captured.call = (struct tl_call_record){
		.size = (uint16_t)((offsetof(typeof(captured), blobs) + entry + exit) / 8),
		.type = TL_RECORD_CALL,
		.flags = TL_RECORD_WORDS | TL_RECORD_BLOBS,
		.function = 100 + id,
		.start = 1};
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &captured.call, sizeof(captured)),
			  captured.call.size * 8u);
	ck_assert(!text.cut);
}

static struct node nodes[2] = {{-1, &nodes[1]}, {200, NULL}};
static struct mixed mixed = {.weight = 1.5f, .pair = {7, 8}, .used = 1, .slots = {0x777}};

static void change_nothing(void)
{
}

static void change_mixed(void)
{
	mixed.slots[0]++;
}

START_TEST(structs_are_dicts_in_dicts)
{
	/* Keys are told in their order: result, list, value, next. */
	encode_captured(F_NODES, nodes, change_nothing);
	ck_assert_uint_eq(times("\x22\x22\x08\x02" /* list: 34 bytes */
				"\x5a\x0d\x08\x03\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				"\x5a\x0f\x08\x04"	       /* next */
				"\x5a\x05\x08\x03\x18\xc8\x01" /* value: 200 */
				"\x5a\x04\x08\x04\x38\x00",
				36), /* next: NULL */
			  1);
}
END_TEST

START_TEST(lists_are_arrays_of_what_has_no_name)
{
	encode_captured(F_MIXED, &mixed, change_nothing);
	/* pair: 7, 8 */
	ck_assert_uint_eq(times("\x62\x02\x18\x07\x62\x02\x18\x08", 8), 1);
	/* weight */
	ck_assert_uint_eq(times("\x29\0\0\0\0\0\0\xf8\x3f", 9), 1);
}
END_TEST

static void encode_flags(uint64_t value)
{
	struct record record = record_of(FLAGGED, 1, 1);

	for (unsigned i = 0; i < FLAGS; i++) {
		snprintf(many_flag_names[i], sizeof(many_flag_names[i]),
			 "flag %u of the longest names", i);
		many_flags[i] = (struct tl_enumerator){many_flag_names[i], 1ull << i};
	}
	record.call.size = 5;
	record.call.flags = TL_RECORD_WORDS;
	record.words[0] = value;
	text.at = room;
	encode(8, &record);
}

START_TEST(flags_are_told_once_or_are_whole)
{
	encode_flags(3);
	ck_assert_uint_eq(times_text("flag 0 of the longest names|flag 1 of the longest names"), 1);
	encode_flags(3);
	ck_assert_uint_eq(times_text("flag"), 0);
	/* Longer than a name may be. */
	encode_flags((1ull << FLAGS) - 1);
	ck_assert_uint_eq(times_text("flag "), FLAGS);
	encode_flags((1ull << FLAGS) - 1);
	ck_assert_uint_eq(times_text("flag "), FLAGS);
}
END_TEST

/* Names that are only compared would fill the table of names. */
START_TEST(inputs_that_stay_are_neither_shown_nor_told)
{
	encode_captured(F_MIXED, &mixed, change_nothing);
	ck_assert_uint_eq(times_text("m:in"), 0);
	ck_assert_uint_eq(times("\x18\xf7\x0e", 3), 1);
	text.at = room;
	encode_captured(F_MIXED, &mixed, change_mixed);
	ck_assert_uint_eq(times_text("m:in"), 1);
	ck_assert_uint_eq(times("\x18\xf7\x0e", 3), 1);
	ck_assert_uint_eq(times("\x18\xf8\x0e", 3), 1);
}
END_TEST

START_TEST(damaged_records_are_refused)
{
	struct record record = record_of(SINGLE, 1, 1);

	record.call.size = 3;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)), 0);
	record.call.size = sizeof(record) / 8 + 1;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)), 0);
	record.call.size = 4;
	record.call.type = 77;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)), 0);
	record.call.type = TL_RECORD_CALL;
	record.call.function = 99;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)), 0);
	record.call.function = SINGLE;
	record.call.flags = TL_RECORD_WORDS;
	ck_assert_uint_eq(format->record(&encoder, &text, 8, &record.call, sizeof(record)), 0);
	ck_assert_ptr_eq(text.at, room);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pftrace");
	TCase *begun = tcase_create("packets"), *fresh = tcase_create("beginnings");

	tcase_add_checked_fixture(fresh, start, stop);
	tcase_add_test(fresh, numbers_are_varints);
	tcase_add_test(fresh, contents_of_any_size_have_theirs_before_them);
	tcase_add_test(fresh, a_dropped_beginning_begins_again);
	tcase_add_test(fresh, who_goes_on_with_a_file_has_a_sequence_of_its_own);
	suite_add_tcase(suite, fresh);
	tcase_add_checked_fixture(begun, start_begun, stop);
	tcase_add_test(begun, a_call_is_two_packets);
	tcase_add_test(begun, a_call_says_what_work_it_caused_and_for_which_request);
	tcase_add_test(begun, a_time_before_the_last_is_told_whole);
	tcase_add_test(begun, a_lane_is_told_where_it_changes);
	tcase_add_test(begun, names_are_told_once);
	tcase_add_test(begun, what_a_dropped_block_told_is_told_again);
	tcase_add_test(begun, what_an_end_told_is_not_relied_on);
	tcase_add_test(begun, lanes_that_are_no_thread_s_are_tracks_of_their_own);
	tcase_add_test(begun, events_are_slices_and_instants_with_their_args);
	tcase_add_test(begun, flows_have_their_ends_in_slices);
	tcase_add_test(begun, an_event_that_calls_lead_to_has_the_ends_of_its_flows_with_it);
	tcase_add_test(begun, counters_have_a_track_for_each_series);
	tcase_add_test(begun, damaged_events_are_refused);
	tcase_add_test(begun, names_beyond_the_table_are_plain);
	tcase_add_test(begun, names_are_utf8_and_not_too_long);
	tcase_add_test(begun, an_outer_call_begins_before_its_inner_one_of_the_same_time);
	tcase_add_test(begun, a_call_that_ended_when_the_next_began_is_not_in_it);
	tcase_add_test(begun, a_call_without_room_is_left_out_whole);
	tcase_add_test(begun, huge_arguments_are_cut);
	tcase_add_test(begun, results_always_have_room);
	tcase_add_test(begun, structs_are_dicts_in_dicts);
	tcase_add_test(begun, lists_are_arrays_of_what_has_no_name);
	tcase_add_test(begun, flags_are_told_once_or_are_whole);
	tcase_add_test(begun, inputs_that_stay_are_neither_shown_nor_told);
	tcase_add_test(begun, damaged_records_are_refused);
	suite_add_tcase(suite, begun);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
