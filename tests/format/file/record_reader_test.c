/* SPDX-License-Identifier: MIT */
/*
 * record_reader_test.c: the reader gives what is sound in a file of the record format, in order and
 * once, and reports what is not.
 */
#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "format/file/record_reader.h"
#include "layer/buffers/clock.h"
#include "tests/lib/args_table.h"
#include "tests/lib/trace_builder.h"

static struct builder file;
static char why[256];

static struct tl_trace *opened(void)
{
	struct tl_trace *trace = tl_trace_open_bytes(file.bytes, file.size, why, sizeof(why));

	ck_assert_msg(trace != NULL, "%s", why);
	return trace;
}

/* It is read, and nothing is said against it. */
static struct tl_trace *opened_soundly(void)
{
	struct tl_trace *trace = opened();

	ck_assert_msg(!trace->nproblems, "%s", trace->nproblems ? trace->problems[0] : "");
	return trace;
}

static bool says(const struct tl_trace *trace, const char *part)
{
	for (size_t i = 0; i < trace->nproblems; i++)
		if (strstr(trace->problems[i], part))
			return true;
	return false;
}

/* The start of each record of a lane, as "1 2 3". */
static const char *starts(const struct tl_trace *trace, size_t lane)
{
	static char text[4096];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < trace->lanes[lane].nruns; i++) {
		const struct tl_trace_run *run = &trace->runs[trace->lanes[lane].first_run + i];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		ck_assert_uint_eq(run->lane, lane);
		while ((record = tl_trace_next(run, &place))) {
			ck_assert_uint_ge(place.left, record->size * 8u);
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llu",
					       at ? " " : "", (unsigned long long)record->start);
		}
	}
	return text;
}

static void finish(struct tl_trace *trace)
{
	tl_trace_close(trace);
	free(file.bytes);
}

/* A chunk whose records have these starts, up to a 0. */
static struct tl_chunk_piece *chunk_of(uint32_t lane, uint64_t number, const uint64_t *list)
{
	struct tl_chunk_piece *chunk = build_chunk(&file, lane, number, 1024);
	char *at = build_records(chunk);

	for (; *list; list++)
		at = build_call(at, F_GET, *list, 1, 0);
	chunk->end = (uint64_t)(at - build_records(chunk));
	return chunk;
}
#define CHUNK(lane, number, ...) chunk_of(lane, number, (const uint64_t[]){__VA_ARGS__, 0})
#define RECORD			 sizeof(struct tl_call_record)

/* --- the format, as tracelayer-record(5) tells it to others */

#define AT(type, member, offset)                                                                   \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
AT(tl_file_header, version, 8);
AT(tl_file_header, byte_order, 12);
AT(tl_file_header, kind, 16);
AT(tl_file_header, header_size, 20);
AT(tl_file_header, alignment, 24);
AT(tl_file_header, counter, 28);
AT(tl_file_header, pid, 32);
AT(tl_file_header, uid, 36);
AT(tl_file_header, start_time, 40);
AT(tl_file_header, pid_namespace, 48);
AT(tl_file_header, boot, 56);
AT(tl_file_header, session, 96);
AT(tl_file_header, capacity, 160);
AT(tl_file_header, state, 168);
AT(tl_file_header, wake, 172);
AT(tl_file_header, request, 176);
AT(tl_file_header, answer, 180);
AT(tl_file_header, recording, 184);
AT(tl_file_header, listens, 188);
AT(tl_file_header, watched, 192);
AT(tl_piece, kind, 4);
AT(tl_piece, size, 8);
AT(tl_facts_piece, facts.pid, 16);
AT(tl_facts_piece, facts.has_rank, 20);
AT(tl_facts_piece, facts.rank, 24);
AT(tl_facts_piece, facts.monotonic_ns, 32);
AT(tl_facts_piece, facts.realtime_ns, 40);
AT(tl_facts_piece, facts.program, 48);
AT(tl_facts_piece, facts.host, 304);
AT(tl_facts_piece, facts.members_size, 376);
AT(tl_facts_piece, facts.members, 380);
AT(tl_output_piece, block, 16);
AT(tl_output_piece, slots, 24);
AT(tl_output_slot, events, 8);
AT(tl_output_slot, dropped, 16);
AT(tl_output_slot, crc, 24);
AT(tl_output_slot, size, 28);
AT(tl_output_slot, blocks, 32);
AT(tl_output_piece, slots[1], 24 + 40);
AT(tl_output_piece, made, 104);
AT(tl_output_piece, format, 108);
AT(tl_output_piece, gzip, 112);
AT(tl_output_piece, number, 116);
AT(tl_output_piece, device, 120);
AT(tl_output_piece, inode, 128);
AT(tl_output_piece, path, 136);
AT(tl_output_piece, pattern, 4232);
AT(tl_clock_piece, table.version, 16);
AT(tl_clock_piece, table.count, 20);
AT(tl_clock_piece, table.horizon, 24);
AT(tl_clock_piece, table.points, 32);
AT(tl_clock_point, ns, 8);
AT(tl_clock_point, slope, 16);
AT(tl_clock_piece, table.points[1], 32 + 24);
AT(tl_api_piece, number, 16);
AT(tl_api_piece, size, 20);
AT(tl_thread_piece, lane, 16);
AT(tl_thread_piece, tid, 20);
AT(tl_thread_piece, shown, 24);
AT(tl_thread_piece, opens, 28);
AT(tl_thread_piece, name, 32);
AT(tl_thread_piece, lost, 48);
AT(tl_thread_piece, ended, 80);
AT(tl_labels_piece, labels.size, 16);
AT(tl_labels_piece, labels.thread, 20);
AT(tl_labels_piece, labels.label, 48);
AT(tl_label, stack, 8);
AT(tl_thread_piece, lost_said, 56);
AT(tl_thread_piece, overwritten, 72);
AT(tl_thread_piece, open, 128);
AT(tl_thread_piece, open[1], 128 + 32);
AT(tl_open_call, mode, 8);
AT(tl_open_call, function, 12);
AT(tl_open_call, frame, 16);
_Static_assert(TL_OPEN_FINISHED == 0x20000, "");
AT(tl_chunk_piece, lane, 16);
AT(tl_chunk_piece, records, 20);
AT(tl_chunk_piece, number, 24);
AT(tl_chunk_piece, end, 32);
AT(tl_chunk_piece, kept, 40);
AT(tl_chunk_piece, taken, 48);
AT(tl_chunk_piece, block, 56);
AT(tl_chunk_piece, hole, 64);
AT(tl_end_piece, events, 16);
AT(tl_end_piece, lost, 24);
AT(tl_end_piece, last, 32);
AT(tl_end_piece, overwritten, 40);
AT(tl_end_piece, clocks.monotonic_ns, 48);
AT(tl_end_piece, clocks.realtime_ns, 56);
AT(tl_end_piece, clocks.error_ns, 64);
AT(tl_strings_piece, index, 16);
AT(tl_strings_piece, first, 20);
AT(tl_strings_piece, units, 32);
AT(tl_lanes_piece, lanes, 32);
AT(tl_lanes_piece, lanes[1], 32 + 32);
AT(tl_lane_entry, shown, 4);
AT(tl_lane_entry, name, 8);
AT(tl_lane_entry, sort, 12);
/* The cause follows at 32. */
_Static_assert(sizeof(struct tl_call_record) == 32 && TL_RECORD_CAUSE == 16, "");
AT(tl_cause, correlation, 0);
AT(tl_cause, request, 4);
_Static_assert(sizeof(struct tl_cause) == 8, "");
AT(tl_event_record, type, 2);
AT(tl_event_record, flags, 3);
AT(tl_event_record, name, 4);
AT(tl_event_record, start, 8);
AT(tl_event_record, duration, 16);
AT(tl_event_record, lane, 24);
AT(tl_event_record, phase, 28);
AT(tl_event_record, level, 29);
AT(tl_event_record, args, 30);
AT(tl_event_record, category, 32);
AT(tl_event_record, request, 36);
AT(tl_event_record, arg, 40);
AT(tl_event_arrows, number, 0);
AT(tl_event_arrows, from_ns, 8);
AT(tl_event_arrows, to_ns, 16);
AT(tl_event_arrows, from, 24);
AT(tl_event_arrows, to, 28);
AT(tl_event_arrows, from_name, 32);
AT(tl_event_arrows, to_name, 36);
AT(tl_event_arg, kind, 4);
AT(tl_event_arg, value, 8);
AT(tl_call_record, type, 2);
AT(tl_call_record, flags, 3);
AT(tl_call_record, function, 4);
AT(tl_call_record, start, 8);
AT(tl_call_record, duration, 16);
AT(tl_call_record, result, 24);

/* --- what a sound file says */

START_TEST(a_spool_is_read)
{
	build_start(&file, TL_FILE_SPOOL);
	build_facts(&file, "app", "\"command\":\"./app\"")->members_size = 17;
	build_api(&file, 3, &table_api);
	build_thread(&file, 2, 102, "second", 0);
	CHUNK(2, 1, 5, 6);
	build_thread(&file, 1, 101, "first", 0);
	CHUNK(1, 1, 1, 2);
	CHUNK(2, 2, 7);
	build_thread(&file, 1, 101, "renamed", 0)->lost = 4;
	CHUNK(1, 2, 3);
	build_end(&file, 6, 4);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(trace->facts.program, "app");
	ck_assert_uint_eq(trace->facts.pid, 4711);
	ck_assert_str_eq(trace->facts.members, "\"command\":\"./app\"");
	ck_assert(trace->ended);
	ck_assert_uint_eq(trace->events, 6);
	ck_assert_uint_eq(trace->lost, 4);
	ck_assert_uint_eq(trace->nlanes, 2);
	ck_assert_uint_eq(trace->lanes[0].lane, 1);
	ck_assert_str_eq(trace->lanes[0].name, "renamed");
	ck_assert_uint_eq(trace->lanes[0].lost, 4);
	ck_assert_uint_eq(trace->lanes[1].shown, 102);
	ck_assert_str_eq(starts(trace, 0), "1 2 3");
	ck_assert_str_eq(starts(trace, 1), "5 6 7");
	ck_assert_str_eq(tl_trace_function(trace, 3 << 16 | F_CREATE)->name, "create");
	ck_assert_ptr_null(tl_trace_function(trace, 3 << 16 | F_COUNT));
	ck_assert_ptr_null(tl_trace_function(trace, 2 << 16));
	finish(trace);
}
END_TEST

START_TEST(an_end_says_what_was_overwritten_or_is_of_an_older_version)
{
	const size_t sizes[] = {sizeof(struct tl_end_piece),
				offsetof(struct tl_end_piece, overwritten),
				offsetof(struct tl_end_piece, time_of_day)};

	build_start(&file, TL_FILE_SPOOL)->alignment = file.alignment = 8;
	struct tl_end_piece *end = build_piece(&file, TL_PIECE_END, sizes[_i]);
	end->events = 6;
	end->lost = 4;
	if (_i != 1) {
		end->overwritten = 9;
		end->clocks = (struct tl_clock_pair){100, 200, 3};
	}
	if (!_i) {
		end->time_of_day = (struct tl_time_of_day){5000, 2000, TL_TIME_SYNCHRONIZED};
		end->resumed = 2;
	}
	struct tl_trace *trace = opened_soundly();
	ck_assert(trace->ended);
	ck_assert_uint_eq(trace->events, 6);
	ck_assert_uint_eq(trace->lost, 4);
	ck_assert_uint_eq(trace->overwritten, _i == 1 ? 0 : 9);
	ck_assert_uint_eq(trace->end_clocks.monotonic_ns, _i == 1 ? 0 : 100);
	ck_assert_uint_eq(trace->end_clocks.realtime_ns, _i == 1 ? 0 : 200);
	ck_assert_uint_eq(trace->end_clocks.error_ns, _i == 1 ? 0 : 3);
	ck_assert_uint_eq(trace->end_time.error_ns, _i ? 0 : 5000);
	ck_assert_uint_eq(trace->end_time.estimate_ns, _i ? 0 : 2000);
	ck_assert_uint_eq(trace->end_time.known, _i ? TL_TIME_UNKNOWN : TL_TIME_SYNCHRONIZED);
	ck_assert_uint_eq(trace->resumed, _i ? 0 : 2);
	finish(trace);
}
END_TEST

START_TEST(chunks_come_in_the_order_of_their_numbers)
{
	build_start(&file, TL_FILE_BUFFERS);
	build_thread(&file, 1, 101, "", 0);
	CHUNK(1, 3, 5);
	CHUNK(1, 1, 1, 2);
	CHUNK(0, 4, 9);
	CHUNK(1, 2, 3, 4);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "1 2 3 4 5");
	finish(trace);
}
END_TEST

START_TEST(texts_and_lanes_are_found_by_their_numbers)
{
	static const char *const first[] = {"one", "a text of three units", "", NULL},
				 *const second[] = {"two", NULL};
	uint32_t numbers[3], other[1];
	size_t size;

	build_start(&file, TL_FILE_SPOOL);
	build_texts(&file, 7, 4, second, other);
	build_texts(&file, 0, 4, first, numbers);
	build_lane(&file, 9, 7000000, other[0], -3);
	build_lane(&file, 8, 7000001, numbers[0], 3);
	build_lane(&file, 9, 7000000, other[0], -3);
	struct tl_trace *trace = opened_soundly();
	ck_assert_int_eq(strncmp(tl_trace_string(trace, numbers[0], &size), "one", 3), 0);
	ck_assert_uint_eq(size, 3);
	ck_assert_int_eq(strncmp(tl_trace_string(trace, numbers[1], &size), first[1], 21), 0);
	ck_assert_uint_eq(size, 21);
	ck_assert_ptr_null(tl_trace_string(trace, numbers[2], &size));
	ck_assert_int_eq(strncmp(tl_trace_string(trace, other[0], &size), "two", 3), 0);
	ck_assert_uint_eq(other[0], (7 << TL_STRINGS_BITS) + 4);
	ck_assert_ptr_null(tl_trace_string(trace, 0, &size));
	ck_assert_ptr_null(tl_trace_string(trace, other[0] + 2, &size));
	ck_assert_ptr_null(tl_trace_string(trace, UINT32_MAX, &size));
	ck_assert_uint_eq(trace->nnamed, 2);
	ck_assert_uint_eq(trace->named[1].lane, 9);
	ck_assert_int_eq(trace->named[1].sort, -3);
	ck_assert_uint_eq(tl_trace_shown_lane(trace, 8), 7000001);
	ck_assert_uint_eq(tl_trace_shown_lane(trace, 10), 10);
	finish(trace);
}
END_TEST

/* Events say how many args they have. */
START_TEST(events_have_the_args_that_they_say)
{
	build_start(&file, TL_FILE_SPOOL);
	build_thread(&file, 1, 101, "", 0);
	struct tl_chunk_piece *chunk = build_chunk(&file, 1, 1, 1024);
	char *at = build_event(build_records(chunk), 1, 0, 5, 1, (struct tl_event_arg){0}),
	     *lie = at;
	at = build_event(at, 1, 0, 6, 1, (struct tl_event_arg){0});
	((struct tl_event_record *)(void *)lie)->args = 2;
	at = build_event(at, 1, 0, 7, 1, (struct tl_event_arg){0});
	chunk->end = (uint64_t)(at - build_records(chunk));
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "5 7");
	finish(trace);
}
END_TEST

START_TEST(a_pipe_is_read)
{
	int ends[2];

	build_start(&file, TL_FILE_SPOOL);
	build_thread(&file, 1, 101, "", 0);
	CHUNK(1, 1, 1, 2);
	build_end(&file, 2, 0);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], file.bytes, file.size), (ssize_t)file.size);
	close(ends[1]);
	struct tl_trace *trace = tl_trace_open_fd(ends[0], why, sizeof(why));
	ck_assert_ptr_nonnull(trace);
	ck_assert_str_eq(starts(trace, 0), "1 2");
	close(ends[0]);
	finish(trace);
}
END_TEST

/* --- what the output has already */

static struct tl_output_piece *output_of(uint64_t block)
{
	struct tl_output_piece *piece = build_piece(&file, TL_PIECE_OUTPUT, sizeof(*piece));

	piece->block = block;
	piece->made = 1;
	piece->slots[block % 2] = (struct tl_output_slot){.offset = 1000 + block, .blocks = 3};
	piece->slots[(block + 1) % 2].offset = 7;
	strcpy(piece->path, "/there/trace.json");
	return piece;
}

START_TEST(what_the_output_has_is_left_out)
{
	build_start(&file, TL_FILE_BUFFERS);
	/* Chunks before the output's piece, as a damaged file may have them. */
	struct tl_chunk_piece *chunk = CHUNK(1, 1, 1, 2, 3, 4);
	chunk->kept = RECORD;
	chunk->taken = 3 * RECORD;
	chunk->block = 8;
	chunk = CHUNK(2, 1, 1, 2, 3, 4);
	chunk->kept = RECORD;
	chunk->taken = 3 * RECORD;
	chunk->block = 9;
	output_of(8);
	build_thread(&file, 1, 101, "", 0);
	build_thread(&file, 2, 102, "", 0);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "4");     /* block 8 is in the file */
	ck_assert_str_eq(starts(trace, 1), "2 3 4"); /* block 9 is not */
	ck_assert(trace->output.made);
	ck_assert_str_eq(trace->output.path, "/there/trace.json");
	ck_assert_uint_eq(trace->output.slot.offset, 1008);
	finish(trace);
}
END_TEST

START_TEST(a_record_that_was_stepped_over_is_given_when_it_is_finished)
{
	for (int finished = 0; finished < 2; finished++) {
		build_start(&file, TL_FILE_BUFFERS);
		output_of(1);
		build_thread(&file, 1, 101, "", 0);
		struct tl_chunk_piece *chunk = CHUNK(1, 1, 1, 2, 3, 4);
		chunk->taken = 3 * RECORD;
		chunk->block = 1;
		chunk->hole = 1 + RECORD;
		if (!finished)
			((struct tl_call_record *)(void *)(build_records(chunk) + RECORD))->type =
				TL_RECORD_NONE;
		struct tl_trace *trace = opened_soundly();
		ck_assert_str_eq(starts(trace, 0), finished ? "2 4" : "4");
		finish(trace);
	}
}
END_TEST

START_TEST(a_chunk_that_is_being_filled_ends_where_zeros_begin)
{
	build_start(&file, TL_FILE_BUFFERS);
	build_thread(&file, 1, 101, "", 0);
	struct tl_chunk_piece *chunk = CHUNK(1, 1, 1, 2, 3);
	chunk->end = 0;
	/*
	 * The second is reserved only; the third not even that: the thread was killed before it
	 * stored the size.
	 */
	char *records = build_records(chunk);
	memset(records + RECORD, 0, 2 * RECORD);
	records[RECORD] = RECORD / 8;
	build_call(records + 3 * RECORD, F_GET, 4, 1, 0);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "1 4");
	struct tl_trace_place place = {0};
	while (tl_trace_next(&trace->runs[0], &place))
		;
	ck_assert_uint_eq(place.unfinished, 1);
	ck_assert_uint_eq(place.unsound, 0);
	finish(trace);
}
END_TEST

/* --- open calls */

START_TEST(calls_that_had_not_returned_are_open)
{
	build_start(&file, TL_FILE_BUFFERS);
	build_api(&file, 0, &table_api);
	struct tl_thread_piece *thread = build_thread(&file, 1, 101, "", 7);
	static const struct {
		uint64_t start;
		uint32_t function, mode;
		uintptr_t frame;
	} list[] = {
		{10, F_GET, 0, 0x7000},		       /* open */
		{11, F_GET, TL_OPEN_FINISHED, 0x6000}, /* over, but not yet freed */
		{12, F_GET, 0, TL_NO_FRAME},	       /* claimed only */
		{13, F_GET, 0, 0},		       /* never used */
		{14, 5 << 16, 0, 0x5000},	       /* of no API */
		/* recorded, and killed before it was freed */
		{15, F_CREATE, 0, 0x4000},
		/* in its tracers' prologues */
		{0, F_GET, TL_OPEN_TRACED, 0x3000},
	};
	for (size_t i = 0; i < 7; i++) {
		thread->open[i].start = list[i].start;
		thread->open[i].function = list[i].function;
		thread->open[i].mode = list[i].mode;
		thread->open[i].frame = list[i].frame;
	}
	struct tl_chunk_piece *chunk = CHUNK(1, 1, 2, 3);
	build_call(build_records(chunk) + 2 * RECORD, F_CREATE, 15, 10, 0);
	chunk->end += RECORD;
	struct tl_trace *trace = opened();
	ck_assert_uint_eq(trace->nproblems, 1);
	ck_assert(says(trace, "a function that no API has"));
	ck_assert_uint_eq(trace->lanes[0].nopens, 2);
	ck_assert_uint_eq(trace->lanes[0].opens[0].start, 10);
	ck_assert_uint_eq(trace->lanes[0].opens[1].start, 25);
	ck_assert_uint_eq(trace->last, 25);
	finish(trace);
}
END_TEST

/* --- the clock */

/* The layer's clock takes real pairs; what it wrote is read, and both convert alike. */
START_TEST(ticks_are_converted_as_the_layer_does)
{
	static struct tl_clock_table table;
	static uint64_t ticks[4096], ns[4096];
	struct tl_trace *trace;

	tl_clock_start_with(true);
	tl_clock_move(&table);
	for (int i = 0; i < 4096; i++) {
		if (i % 50 == 0) {
			nanosleep(&(struct timespec){0, 100000}, NULL);
			tl_clock_pair();
		}
		ticks[i] = tl_counter() + (i % 3 ? 0 : tl_clock_ticks((uint32_t)i * 400));
		if (i % 7 == 0)
			tl_clock_ns(ticks[i]);
	}
	tl_clock_pair();
	for (int i = 0; i < 4096; i++)
		ns[i] = tl_clock_ns(ticks[i]);
	build_start(&file, TL_FILE_SPOOL)->counter = 1;
	struct tl_clock_piece *piece = build_piece(&file, TL_PIECE_CLOCK, sizeof(*piece));
	memcpy((void *)&piece->table, (void *)&table, sizeof(table));
	trace = opened_soundly();
	ck_assert_uint_gt(tl_trace_clock_points(trace), 10);
	for (int i = 0; i < 4096; i++)
		ck_assert_uint_eq(tl_trace_ns(trace, ticks[i]), ns[i]);
	finish(trace);
}
END_TEST

/* A clock that slews from the middle on, by 500 ppm. */
static uint64_t slewed(uint64_t i)
{
	return 5000000 + i * 1000000 + (i > 500 ? (i - 500) * 500 : 0);
}

/*
 * Killed while points were thrown out: each moves to the place of one before it, `step` apart in
 * the end. The front is new, the rest old, and one point is half of each.
 */
static void thinned_out(uint64_t points[1000][2], int torn, int step)
{
	build_start(&file, TL_FILE_SPOOL)->counter = 1;
	struct tl_clock_table *table = build_clock(&file, points, 1000);

	for (int i = 1; i <= torn; i++) {
		int from = step == 1 ? i + 1 : step * i;
		table->points[i].ticks = points[from][0];
		table->points[i].ns = points[i < torn ? from : i][1];
	}
	table->version = 1;
}

START_TEST(a_clock_that_was_being_thinned_out_is_read)
{
	uint64_t points[1000][2];

	for (uint64_t i = 0; i < 1000; i++) {
		points[i][0] = 1000000 + i * 3000000;
		points[i][1] = slewed(i);
	}
	for (int torn = 1; torn < 400; torn += 7) {
		thinned_out(points, torn, 1 + _i);
		struct tl_trace *trace = opened_soundly();
		for (uint64_t i = 0; i < 1000; i++) {
			uint64_t ns = tl_trace_ns(trace, points[i][0]);
			ck_assert_msg(ns + 2 >= points[i][1] && ns <= points[i][1] + 2,
				      "torn at %d: point %llu is %llu, not %llu", torn,
				      (unsigned long long)i, (unsigned long long)ns,
				      (unsigned long long)points[i][1]);
		}
		finish(trace);
	}
}
END_TEST

/*
 * Behind the last point the layer's slope counts, which may be of a shorter time; one that no clock
 * can have does not.
 */
START_TEST(the_last_slope_is_the_layers_where_it_can_be)
{
	static const uint64_t points[][2] = {{0, 0}, {2000000, 1000000}},
			      half = (uint64_t)1 << (TL_CLOCK_SHIFT - 1);

	for (int likely = 0; likely < 2; likely++) {
		build_start(&file, TL_FILE_SPOOL)->counter = 1;
		build_clock(&file, points, 2)->points[1].slope =
			likely ? half + half / 1000 : half + half / 100;
		struct tl_trace *trace = opened_soundly();
		ck_assert_uint_eq((tl_trace_ns(trace, 4000000) + 50) / 100 * 100,
				  likely ? 2001000 : 2000000);
		finish(trace);
	}
}
END_TEST

START_TEST(a_later_pair_changes_no_answer)
{
	static const uint64_t points[][2] = {{1000, 1000}, {2001000, 1001000}};

	build_start(&file, TL_FILE_BUFFERS)->counter = 1;
	build_clock(&file, points, 2)->horizon = 2501000;
	struct tl_trace *trace = opened_soundly();
	uint64_t before = tl_trace_ns(trace, 2501000);
	ck_assert_uint_eq(before, 1251000);
	ck_assert(tl_trace_clock_add(trace, 4001000, 2101000));
	ck_assert_uint_eq(tl_trace_ns(trace, 2501000), before);
	ck_assert_uint_eq(tl_trace_ns(trace, 4001000), 2101000);
	ck_assert_uint_eq(tl_trace_clock_points(trace), 4);
	ck_assert(!tl_trace_clock_add(trace, 4000000, 2200000));
	finish(trace);
}
END_TEST

/* Both at one moment: the closest of many readings, as any may be interrupted. */
static uint64_t counter_and_clock(uint64_t *ns)
{
	uint64_t counter = 0, best = UINT64_MAX;

	*ns = 0;
	for (int i = 0; i < 100; i++) {
		struct timespec now;
		uint64_t before = tl_counter();
		clock_gettime(CLOCK_MONOTONIC, &now);
		uint64_t width = tl_counter() - before;
		if (width >= best)
			continue;
		best = width;
		counter = before;
		*ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	return counter;
}

START_TEST(this_moment_is_a_pair_for_files_of_this_boot_only)
{
	for (int here = 0; here < 2; here++) {
		struct tl_file_header *header = build_start(&file, TL_FILE_BUFFERS);

		header->counter = 1;
		if (here) {
			int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
			ck_assert_int_gt(read(fd, header->boot, 36), 0);
			close(fd);
		}
		uint64_t ns, early = counter_and_clock(&ns);
		nanosleep(&(struct timespec){0, 2000000}, NULL);
		const uint64_t points[][2] = {{early, ns}};
		build_clock(&file, points, 1);
		struct tl_trace *trace = opened_soundly();
		ck_assert_int_eq(tl_trace_clock_now(trace), here);
		ck_assert_uint_eq(tl_trace_clock_points(trace), 1u + (unsigned)here);
		if (here) {
			uint64_t right, late = counter_and_clock(&right),
					is = tl_trace_ns(trace, late);
			ck_assert_msg(is + 200000 > right && is < right + 200000, "%llu, not %llu",
				      (unsigned long long)is, (unsigned long long)right);
		}
		finish(trace);
	}
}
END_TEST

/* --- damage */

static void one_of_each(void)
{
	static const uint64_t points[][2] = {{1, 1}, {1000, 1000}};

	build_start(&file, TL_FILE_SPOOL)->counter = 1;
	build_facts(&file, "app", "\"a\":1");
	build_clock(&file, points, 2);
	build_api(&file, 0, &table_api);
	build_thread(&file, 1, 101, "", 0);
	CHUNK(1, 1, 1, 2, 3);
	CHUNK(1, 2, 4, 5, 6);
	build_end(&file, 6, 0);
}

START_TEST(a_file_that_was_cut_gives_what_is_there)
{
	static const char all[] = "1 2 3 4 5 6";
	size_t most = 0;

	one_of_each();
	for (size_t size = 0; size < file.size; size += size < TL_FILE_PAGE ? 512 : 4) {
		char *exact = aligned_alloc(8, (size + 8) & ~(size_t)7);
		memcpy(exact, file.bytes, size);
		struct tl_trace *trace = tl_trace_open_bytes(exact, size, why, sizeof(why));
		if (trace) {
			ck_assert(!trace->ended);
			const char *got = trace->nlanes ? starts(trace, 0) : "";
			ck_assert_msg(!strncmp(got, all, strlen(got)), "%s", got);
			ck_assert_uint_ge(strlen(got), most);
			most = strlen(got);
			tl_trace_close(trace);
		}
		free(exact);
	}
	ck_assert_uint_eq(most, strlen(all));
	free(file.bytes);
}
END_TEST

START_TEST(a_piece_that_a_killed_process_was_making_is_nothing)
{
	build_start(&file, TL_FILE_BUFFERS);
	build_thread(&file, 1, 101, "", 0);
	CHUNK(1, 1, 1, 2);
	((struct tl_piece *)build_piece(&file, TL_PIECE_CHUNK, 1024))->magic = 0;
	CHUNK(1, 2, 3);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "1 2 3");
	finish(trace);
}
END_TEST

START_TEST(what_lies_between_pieces_is_skipped_and_said)
{
	one_of_each();
	CHUNK(1, 3, 7);
	memset(file.bytes + file.size - 1024 - sizeof(struct tl_chunk_piece), 0x55, 40);
	CHUNK(1, 4, 8);
	struct tl_trace *trace = opened();
	ck_assert(says(trace, "that are no piece"));
	ck_assert_str_eq(starts(trace, 0), "1 2 3 4 5 6 8");
	finish(trace);
}
END_TEST

START_TEST(a_chunk_without_a_thread_is_a_lane_of_its_own)
{
	build_start(&file, TL_FILE_BUFFERS);
	CHUNK(77, 1, 1, 2);
	struct tl_trace *trace = opened();
	ck_assert(says(trace, "no thread"));
	ck_assert_uint_eq(trace->lanes[0].shown, 77);
	ck_assert_str_eq(starts(trace, 0), "1 2");
	finish(trace);
}
END_TEST

/* What one field says, and what is said against it. */
#define LIE(kind, offset_, type, value, complaint)                                                 \
	{                                                                                          \
		kind, offset_, sizeof(type), value, complaint                                      \
	}
static const struct lie {
	uint32_t kind;
	size_t offset, size;
	uint64_t value;
	const char *complaint;
} lies[] = {
	LIE(TL_PIECE_FACTS, offsetof(struct tl_facts_piece, facts.members_size), uint32_t,
	    0x7fffffff, "facts that are no JSON"),
	LIE(TL_PIECE_FACTS, offsetof(struct tl_facts_piece, facts.members), char, '}',
	    "facts that are no JSON"),
	LIE(TL_PIECE_FACTS, offsetof(struct tl_piece, size), uint64_t, 1ull << 60, "of which"),
	LIE(TL_PIECE_FACTS, offsetof(struct tl_piece, size), uint64_t, 16, "too short"),
	LIE(TL_PIECE_CLOCK, offsetof(struct tl_clock_piece, table.count), uint32_t, 0x80000001,
	    "points, which are not there"),
	LIE(TL_PIECE_CLOCK, offsetof(struct tl_clock_piece, table.points[1]), uint64_t, 0,
	    "not in order"),
	LIE(TL_PIECE_API, offsetof(struct tl_api_piece, number), uint32_t, 0xffffffff,
	    "is not there"),
	LIE(TL_PIECE_API, offsetof(struct tl_api_piece, size), uint32_t, 0xfffffff0,
	    "is not there"),
	LIE(TL_PIECE_API, sizeof(struct tl_api_piece), char, 'x', "not a description"),
	LIE(TL_PIECE_THREAD, offsetof(struct tl_thread_piece, opens), uint32_t, 0xffffffff,
	    "open calls"),
	LIE(TL_PIECE_CHUNK, offsetof(struct tl_chunk_piece, records), uint32_t, 8,
	    "records are not there"),
	LIE(TL_PIECE_CHUNK, offsetof(struct tl_chunk_piece, records), uint32_t, 0xfffffff8,
	    "records are not there"),
	LIE(TL_PIECE_CHUNK, offsetof(struct tl_chunk_piece, end), uint64_t, 1ull << 63,
	    "are there"),
	LIE(TL_PIECE_CHUNK, offsetof(struct tl_piece, size), uint64_t, UINT64_MAX - 7, "of which"),
	LIE(TL_PIECE_END, offsetof(struct tl_piece, size), uint64_t, 0, "of which"),
};

START_TEST(a_lie_is_noticed)
{
	const struct lie *lie = &lies[_i];
	size_t at = TL_FILE_PAGE;
	struct tl_piece piece;

	one_of_each();
	for (;; at += piece.size) {
		memcpy(&piece, file.bytes + at, sizeof(piece));
		if (piece.kind == lie->kind)
			break;
	}
	memcpy(file.bytes + at + lie->offset, &lie->value, lie->size);
	struct tl_trace *trace = opened();
	ck_assert_msg(says(trace, lie->complaint), "not a word of \"%s\", but %s", lie->complaint,
		      trace->nproblems ? trace->problems[0] : "none");
	for (size_t lane = 0; lane < trace->nlanes; lane++)
		starts(trace, lane);
	tl_trace_ns(trace, 500);
	finish(trace);
}
END_TEST

/* Readers look for words in them. */
START_TEST(facts_that_no_NUL_could_follow_are_left_out)
{
	build_start(&file, TL_FILE_SPOOL);
	struct tl_facts *facts = build_facts(&file, "app", "\"a\":\"");
	memset(facts->members + 5, 'x', sizeof(facts->members) - 6);
	facts->members[sizeof(facts->members) - 1] = '"';
	facts->members_size = sizeof(facts->members);
	struct tl_trace *trace = opened();
	ck_assert(says(trace, "facts that are no JSON"));
	ck_assert_str_eq(trace->facts.members, "");
	finish(trace);
}
END_TEST

START_TEST(records_that_cannot_be_stepped_over_end_their_chunk)
{
	build_start(&file, TL_FILE_SPOOL);
	build_thread(&file, 1, 101, "", 0);
	struct tl_chunk_piece *chunk = CHUNK(1, 1, 1, 2, 3);
	((struct tl_call_record *)(void *)(build_records(chunk) + RECORD))->size = 9;
	CHUNK(1, 2, 4);
	struct tl_trace *trace = opened_soundly();
	ck_assert_str_eq(starts(trace, 0), "1 4");
	struct tl_trace_place place = {0};
	while (tl_trace_next(&trace->runs[0], &place))
		;
	ck_assert_uint_eq(place.unsound, 1 + RECORD);
	finish(trace);
}
END_TEST

START_TEST(what_is_no_such_file_is_refused)
{
	static const struct {
		size_t offset;
		uint32_t value;
		const char *reason;
	} faults[] = {
		{offsetof(struct tl_file_header, magic), 0x12345678, "not in the record format"},
		{offsetof(struct tl_file_header, version), 2, "another version"},
		{offsetof(struct tl_file_header, byte_order), 0x04030201, "other byte order"},
		{offsetof(struct tl_file_header, kind), 9, "damaged"},
		{offsetof(struct tl_file_header, header_size), 0xfffff000, "damaged"},
		{offsetof(struct tl_file_header, alignment), 0, "damaged"},
		{offsetof(struct tl_file_header, alignment), 24, "damaged"},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		one_of_each();
		memcpy(file.bytes + faults[i].offset, &faults[i].value, 4);
		ck_assert_ptr_null(tl_trace_open_bytes(file.bytes, file.size, why, sizeof(why)));
		ck_assert_msg(strstr(why, faults[i].reason) != NULL, "%s", why);
		free(file.bytes);
	}
	static const uint64_t nothing[512];
	ck_assert_ptr_null(tl_trace_open_bytes(nothing, sizeof(nothing), why, sizeof(why)));
	ck_assert_ptr_nonnull(strstr(why, "before it recorded"));
	ck_assert_ptr_null(tl_trace_open("/nowhere/at/all.tlt", why, sizeof(why)));
	ck_assert_ptr_nonnull(strstr(why, "No such file"));
}
END_TEST

/* A terabyte of nothing, with a piece at its end. */
START_TEST(holes_take_no_time)
{
	int fd = memfd_create("buffers", MFD_CLOEXEC);
	struct timespec before, after;

	build_start(&file, TL_FILE_BUFFERS);
	build_thread(&file, 1, 101, "", 0);
	CHUNK(1, 1, 1);
	ck_assert_int_eq(pwrite(fd, file.bytes, 2 * TL_FILE_PAGE, 0), 2 * TL_FILE_PAGE);
	ck_assert_int_eq(pwrite(fd, file.bytes + 2 * TL_FILE_PAGE, TL_FILE_PAGE, 1ll << 40),
			 TL_FILE_PAGE);
	clock_gettime(CLOCK_MONOTONIC, &before);
	struct tl_trace *trace = tl_trace_open_fd(fd, why, sizeof(why));
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_msg(trace != NULL, "%s", why);
	ck_assert_uint_eq(trace->nproblems, 0);
	ck_assert_str_eq(starts(trace, 0), "1");
	ck_assert_int_lt(after.tv_sec - before.tv_sec, 5);
	close(fd);
	finish(trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *sound = tcase_create("sound"), *clock = tcase_create("clock"),
	      *damaged = tcase_create("damaged");
	SRunner *runner;
	int failed;

	tcase_add_test(sound, a_spool_is_read);
	tcase_add_loop_test(sound, an_end_says_what_was_overwritten_or_is_of_an_older_version, 0,
			    3);
	tcase_add_test(sound, chunks_come_in_the_order_of_their_numbers);
	tcase_add_test(sound, texts_and_lanes_are_found_by_their_numbers);
	tcase_add_test(sound, events_have_the_args_that_they_say);
	tcase_add_test(sound, a_pipe_is_read);
	tcase_add_test(sound, what_the_output_has_is_left_out);
	tcase_add_test(sound, a_record_that_was_stepped_over_is_given_when_it_is_finished);
	tcase_add_test(sound, a_chunk_that_is_being_filled_ends_where_zeros_begin);
	tcase_add_test(sound, calls_that_had_not_returned_are_open);
	tcase_add_test(clock, ticks_are_converted_as_the_layer_does);
	tcase_add_loop_test(clock, a_clock_that_was_being_thinned_out_is_read, 0, 2);
	tcase_add_test(clock, the_last_slope_is_the_layers_where_it_can_be);
	tcase_add_test(clock, a_later_pair_changes_no_answer);
	tcase_add_test(clock, this_moment_is_a_pair_for_files_of_this_boot_only);
	tcase_add_test(damaged, a_file_that_was_cut_gives_what_is_there);
	tcase_add_test(damaged, a_piece_that_a_killed_process_was_making_is_nothing);
	tcase_add_test(damaged, what_lies_between_pieces_is_skipped_and_said);
	tcase_add_test(damaged, a_chunk_without_a_thread_is_a_lane_of_its_own);
	tcase_add_loop_test(damaged, a_lie_is_noticed, 0, (int)(sizeof(lies) / sizeof(*lies)));
	tcase_add_test(damaged, facts_that_no_NUL_could_follow_are_left_out);
	tcase_add_test(damaged, records_that_cannot_be_stepped_over_end_their_chunk);
	tcase_add_test(damaged, what_is_no_such_file_is_refused);
	tcase_add_test(damaged, holes_take_no_time);
	suite_add_tcase(suite, sound);
	suite_add_tcase(suite, clock);
	suite_add_tcase(suite, damaged);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
