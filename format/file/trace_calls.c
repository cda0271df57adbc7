/* SPDX-License-Identifier: MIT */
/*
 * trace_calls.c: stepping through the records of a trace file; which calls were open, and which
 * calls it has.
 */
#include "format/file/trace_inside.h"

/* The smallest size of a record of its type. */
static uint64_t record_least_bytes(const char *at, uint8_t type, uint64_t bytes)
{
	struct tl_event_record event;
	struct tl_call_record call;

	switch (type) {
	case TL_RECORD_CALL:
		memcpy(&call, at, sizeof(uint64_t));
		return sizeof(call) + (call.flags & TL_RECORD_CAUSE ? sizeof(struct tl_cause) : 0) +
		       (call.flags & TL_RECORD_STACK ? sizeof(uint64_t) : 0);
	case TL_RECORD_LOST:
		return sizeof(call);
	case TL_RECORD_EVENT:
		if (bytes < sizeof(event))
			return sizeof(event);
		memcpy(&event, at, sizeof(event));
		return tl_event_bytes(&event);
	case TL_RECORD_PAD:
		return 0;
	default:
		return UINT64_MAX; /* unknown type */
	}
}

const struct tl_call_record *tl_trace_next(const struct tl_trace_run *run,
					   struct tl_trace_place *place)
{
	while (place->at + sizeof(uint64_t) <= run->size) {
		const char *at = run->records + place->at;
		uint64_t left = run->size - place->at, bytes, word;
		struct tl_call_record record;

		memcpy(&word, at, sizeof(word));
		if (!word) {
			place->at += sizeof(word);
			continue;
		}
		memcpy(&record, at, sizeof(word));
		bytes = record.size * 8u;
		if (!bytes || bytes > left) {
			place->unsound = place->unsound ? place->unsound : 1 + place->at;
			place->at = run->size;
			break;
		}
		place->at += bytes;
		place->left = left;
		if (record.type == TL_RECORD_NONE) {
			place->unfinished++;
		} else if (bytes < record_least_bytes(at, record.type, bytes)) {
			place->unsound = place->unsound ? place->unsound : 1 + place->at - bytes;
		} else if (record.type != TL_RECORD_PAD || tl_record_is_gap(&record)) {
			return (const struct tl_call_record *)(const void *)at;
		}
	}
	return NULL;
}

/* --- open calls */

/*
 * A call is recorded just before its entry is freed. Its record need not be the lane's last: a
 * signal handler may have made calls after the record got its place. But handlers nest only so
 * deep.
 */
#define SUSPECTS 8

static void opens_forget_recorded(struct tl_trace_lane *lane, const struct tl_call_record *record)
{
	for (size_t i = lane->nopens; i > 0 && i + SUSPECTS > lane->nopens; i--) {
		struct tl_unfinished *open = &lane->opens[i - 1];

		if (open->start != record->start || open->function != record->function)
			continue;
		memmove(open, open + 1, (lane->nopens - i) * sizeof(*open));
		lane->nopens--;
		return;
	}
}

/*
 * Look at the calls that a chunk in buffers has, whether the output has them or not: when the last
 * one ended, and which are no longer open.
 */
static void chunk_find_calls(struct trace *trace, struct tl_trace_lane *lane,
			     const struct chunk *chunk)
{
	struct tl_trace_run run = {.records = chunk->records, .size = chunk->size};
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&run, &place))) {
		if (record->type != TL_RECORD_CALL)
			continue;
		if (tl_record_end(record->start, record->duration) > trace->seen.last)
			trace->seen.last = tl_record_end(record->start, record->duration);
		opens_forget_recorded(lane, record);
	}
}

/* Calls of unknown functions do not count as open. */
static void opens_keep_sound(struct trace *trace, struct tl_trace_lane *lane)
{
	size_t kept = 0;

	for (size_t i = 0; i < lane->nopens; i++) {
		struct tl_unfinished open = lane->opens[i];

		if (!tl_trace_function(&trace->seen, open.function)) {
			problem(trace, "thread %u: an open call of a function that no API has",
				lane->tid);
			continue;
		}
		if (open.start > trace->seen.last)
			trace->seen.last = open.start;
		lane->opens[kept++] = open;
	}
	lane->nopens = kept;
}

/*
 * Calls without a start are still in the callbacks before the driver, or not recorded: they begin
 * where the trace ends.
 */
static void opens_begin(struct trace *trace)
{
	for (size_t i = 0; i < trace->seen.nlanes; i++) {
		struct tl_trace_lane *lane = &trace->seen.lanes[i];

		for (size_t j = 0; j < lane->nopens; j++)
			if (!lane->opens[j].start)
				lane->opens[j].start = trace->seen.last;
	}
}

void tl_reader_finish_opens(struct trace *trace)
{
	bool is_buffers = trace->seen.header.kind == TL_FILE_BUFFERS;
	size_t chunk = 0;

	for (size_t i = 0; i < trace->seen.nlanes; i++) {
		struct tl_trace_lane *lane = &trace->seen.lanes[i];

		for (; chunk < trace->nchunks && trace->chunks[chunk].lane == lane->lane &&
		       is_buffers;
		     chunk++)
			chunk_find_calls(trace, lane, &trace->chunks[chunk]);
		opens_keep_sound(trace, lane);
	}
	opens_begin(trace);
}

/* --- which calls there are */

static uint64_t call_end_ns(const struct trace *trace, const struct tl_call_record *call)
{
	return tl_reader_ns(&trace->clock, tl_record_end(call->start, call->duration));
}

/*
 * Calls and losses of one run; `until`: the last end before. *gap: records before the next call are
 * missing. Returns whether the caller needs no more.
 */
static bool spans_find_gaps(struct trace *trace, struct span *span, const struct tl_trace_run *run,
			    uint64_t *until, bool *gap, struct tl_trace_passed *passed)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(run, &place))) {
		tl_trace_passed(&trace->seen, run, &place, passed);
		if (tl_record_is_gap(record))
			*gap = true;
		if (record->type != TL_RECORD_CALL)
			continue;
		uint64_t start = tl_reader_ns(&trace->clock, record->start),
			 end = call_end_ns(trace, record);
		if (span->since == UINT64_MAX)
			span->since = start;
		if (*gap && *until) {
			struct gap *one = tl_reader_append(trace, &trace->gaps, &trace->ngaps,
							   &trace->gaps_room, sizeof(*one));
			if (!one)
				return true;
			*one = (struct gap){*until, start};
			span->ngaps++;
		}
		*gap = false;
		if (!trace->seen.gaps)
			return true;
		*until = end > *until ? end : *until;
	}
	tl_trace_left(&trace->seen, run, &place, passed);
	return false;
}

static int spans_by_tid(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

/* When the last call ended. An unfinished call may have begun long before. */
static uint64_t run_last_end(const struct trace *trace, const struct tl_trace_lane *lane)
{
	struct tl_trace_passed passed = {.bytes = 0};
	const struct tl_call_record *record;
	uint64_t last = 0;

	if (lane->nopens || trace->seen.header.kind != TL_FILE_SPOOL)
		return UINT64_MAX;
	for (size_t at = lane->nruns; at > 0 && !last; at--) {
		const struct tl_trace_run *run = &trace->seen.runs[lane->first_run + at - 1];
		struct tl_trace_place place = {0};

		while ((record = tl_trace_next(run, &place))) {
			if (record->type == TL_RECORD_CALL && call_end_ns(trace, record) > last)
				last = call_end_ns(trace, record);
			tl_trace_passed(&trace->seen, run, &place, &passed);
		}
		tl_trace_left(&trace->seen, run, &place, &passed);
	}
	return last;
}

/* A file that continues another one has no call from before its own beginning. */
void tl_reader_find_spans(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;
	struct tl_trace_passed passed = {.bytes = 0};
	size_t chunk = 0;

	trace->spans = tl_reader_zeroed(trace, seen->nlanes, sizeof(*trace->spans));
	for (size_t i = 0; i < seen->nlanes && !trace->failed; i++) {
		const struct tl_trace_lane *lane = &seen->lanes[i];
		struct span *span = &trace->spans[i];
		uint64_t until = 0;
		bool gap = false;

		while (chunk < trace->nchunks && trace->chunks[chunk].lane < lane->lane)
			chunk++;
		bool goes_on = seen->header.kind == TL_FILE_SPOOL && chunk < trace->nchunks &&
			       trace->chunks[chunk].number > 1;
		*span = (struct span){.tid = lane->shown,
				      .since = goes_on ? UINT64_MAX : 0,
				      .until = run_last_end(trace, lane),
				      .first_gap = trace->ngaps};
		for (size_t run = lane->first_run;
		     run < lane->first_run + lane->nruns && (goes_on || seen->gaps); run++)
			if (spans_find_gaps(trace, span, &seen->runs[run], &until, &gap, &passed))
				break;
	}
	if (!trace->failed)
		tl_reader_sort(trace->spans, seen->nlanes, sizeof(*trace->spans), spans_by_tid);
}

bool tl_trace_has_call(const struct tl_trace *seen, uint32_t tid, uint64_t ns)
{
	const struct trace *trace = (const struct trace *)seen;
	const struct span wanted = {.tid = tid};
	const struct span *span = seen->nlanes ? bsearch(&wanted, trace->spans, seen->nlanes,
							 sizeof(wanted), spans_by_tid)
					       : NULL;

	if (!span)
		return false;
	for (size_t i = 0; i < span->ngaps; i++) {
		const struct gap *gap = &trace->gaps[span->first_gap + i];
		if (ns > gap->from && ns < gap->to)
			return false;
	}
	return ns >= span->since && ns <= span->until;
}
