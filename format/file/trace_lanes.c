/* SPDX-License-Identifier: MIT */
/*
 * trace_lanes.c: threads and chunks of a trace file, and the lanes and runs that they become.
 */
#include "format/file/trace_inside.h"

#include <stdio.h>

/* No chunk is larger: a file full of holes may claim anything. */
#define CHUNK_MOST (64u << 20)

/* `stacks`: a number for each entry, or NULL. */
static void opens_read(struct trace *trace, struct tl_trace_lane *lane, const char *at,
		       uint32_t count, const char *stacks)
{
	lane->opens = tl_reader_zeroed(trace, count, sizeof(*lane->opens));
	for (uint32_t i = 0; lane->opens && i < count; i++) {
		struct tl_open_call call;
		uint32_t stack = 0;

		memcpy(&call, at + i * sizeof(call), sizeof(call));
		if (stacks && call.mode & TL_MODE_STACK)
			memcpy(&stack, stacks + i * sizeof(stack), sizeof(stack));
		if (tl_piece_call_is_open(call.frame, call.mode))
			lane->opens[lane->nopens++] =
				(struct tl_unfinished){call.start, call.function, stack};
	}
}

void tl_reader_thread(struct trace *trace, const char *piece, uint64_t size)
{
	uint64_t place = (uint64_t)(piece - trace->bytes);
	struct tl_thread_piece head;

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: a thread that is too short", (unsigned long long)place);
		return;
	}
	memcpy((void *)&head, piece, sizeof(head));
	if (trace->seen.header.kind == TL_FILE_BUFFERS)
		trace->seen.overwritten += head.overwritten;
	if (!head.lane)
		return;
	struct thread *thread = tl_reader_append(trace, &trace->threads, &trace->nthreads,
						 &trace->threads_room, sizeof(*thread));
	if (!thread)
		return;
	thread->place = place;
	thread->lane = (struct tl_trace_lane){.lane = head.lane,
					      .tid = head.tid,
					      .shown = head.shown,
					      .lost = head.lost,
					      .lost_said = head.lost_said};
	memcpy(thread->lane.name, head.name, sizeof(head.name) - 1);
	uint64_t most = (size - sizeof(head)) / sizeof(struct tl_open_call);
	if (head.opens > most)
		problem(trace, "byte %llu: thread %u: it says %u open calls, and has room for %llu",
			(unsigned long long)place, head.tid, head.opens, (unsigned long long)most);
	if (!head.opens)
		return;
	uint32_t opens = head.opens < most ? head.opens : (uint32_t)most;
	bool stacks = head.stacks >= sizeof(head) && head.stacks <= size &&
		      (size - head.stacks) / sizeof(uint32_t) >= opens;
	opens_read(trace, &thread->lane, piece + sizeof(head), opens,
		   stacks ? piece + head.stacks : NULL);
}

void tl_reader_chunk(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_chunk_piece head;
	uint64_t place = (uint64_t)(piece - trace->bytes);

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: a chunk that is too short", (unsigned long long)place);
		return;
	}
	memcpy((void *)&head, piece, sizeof(head));
	if (!head.lane)
		return;
	if (head.records < sizeof(head) || head.records > size || head.records % 8) {
		problem(trace, "byte %llu: a chunk of lane %u: its records are not there",
			(unsigned long long)place, head.lane);
		return;
	}
	uint64_t room = (size - head.records) & ~(uint64_t)7;
	room = room < CHUNK_MOST ? room : CHUNK_MOST;
	if (head.end > room || head.end % 8)
		problem(trace,
			"byte %llu: a chunk of lane %u: of %llu bytes of records, %llu are there",
			(unsigned long long)place, head.lane, (unsigned long long)head.end,
			(unsigned long long)room);
	struct chunk *chunk = tl_reader_append(trace, &trace->chunks, &trace->nchunks,
					       &trace->chunks_room, sizeof(*chunk));
	if (!chunk)
		return;
	*chunk = (struct chunk){.lane = head.lane,
				.number = head.number,
				.place = place,
				.records = piece + head.records,
				.size = head.end && head.end <= room ? head.end & ~(uint64_t)7
								     : room,
				.kept = head.kept,
				.taken = head.taken,
				.block = head.block,
				.hole = head.hole};
	struct tl_call_record first = {.size = 0};
	if (chunk->size >= 8)
		memcpy(&first, chunk->records, 8);
	trace->seen.gaps |= first.type == TL_RECORD_PAD && tl_record_is_gap(&first);
}

static int threads_by_lane(const void *a, const void *b)
{
	const struct thread *left = a, *right = b;

	if (left->lane.lane != right->lane.lane)
		return left->lane.lane < right->lane.lane ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

static int chunks_by_number(const void *a, const void *b)
{
	const struct chunk *left = a, *right = b;

	if (left->lane != right->lane)
		return left->lane < right->lane ? -1 : 1;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

/* The threads of the file, each once: of several pieces for one lane the last counts. */
static void threads_unique(struct trace *trace)
{
	size_t kept = 0;

	tl_reader_sort(trace->threads, trace->nthreads, sizeof(*trace->threads), threads_by_lane);
	for (size_t i = 0; i < trace->nthreads; i++) {
		if (kept && trace->threads[kept - 1].lane.lane == trace->threads[i].lane.lane)
			free(trace->threads[--kept].lane.opens);
		trace->threads[kept++] = trace->threads[i];
	}
	trace->nthreads = kept;
}

static struct tl_trace_lane lane_unknown(struct trace *trace, uint32_t number)
{
	struct tl_trace_lane lane = {.lane = number, .tid = number, .shown = number};

	problem(trace, "lane %u: it has records, but no thread", number);
	snprintf(lane.name, sizeof(lane.name), "lane %u", number);
	return lane;
}

/* Lanes of all threads, and of all chunks. */
static void lanes_make(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;

	seen->lanes =
		tl_reader_zeroed(trace, trace->nthreads + trace->nchunks, sizeof(*seen->lanes));
	if (!seen->lanes)
		return;
	for (size_t thread = 0, chunk = 0; thread < trace->nthreads || chunk < trace->nchunks;) {
		const struct chunk *next = chunk < trace->nchunks ? &trace->chunks[chunk] : NULL;
		struct tl_trace_lane *lane = &seen->lanes[seen->nlanes++];

		if (thread < trace->nthreads &&
		    (!next || trace->threads[thread].lane.lane <= next->lane)) {
			*lane = trace->threads[thread].lane;
			trace->threads[thread++].lane.opens = NULL;
		} else {
			*lane = lane_unknown(trace, next->lane);
		}
		while (chunk < trace->nchunks && trace->chunks[chunk].lane == lane->lane)
			chunk++;
		if (seen->header.kind == TL_FILE_BUFFERS)
			seen->lost += lane->lost;
	}
}

static void run_add(struct tl_trace *seen, size_t lane, const struct chunk *chunk, uint64_t from,
		    uint64_t to, uint64_t first_byte)
{
	if (from >= to)
		return;
	seen->runs[seen->nruns++] = (struct tl_trace_run){.lane = lane,
							  .records = chunk->records + from,
							  .size = to - from,
							  .offset = first_byte + from};
	seen->lanes[lane].nruns++;
}

/* How much of a chunk in buffers the output has. */
static uint64_t chunk_written_bytes(struct trace *trace, const struct chunk *chunk)
{
	uint64_t has = trace->seen.output.block >= chunk->block ? chunk->taken : chunk->kept;

	if (has <= chunk->size && has % 8 == 0)
		return has;
	problem(trace,
		"byte %llu: a chunk of lane %u: how much of it was written is not known, so all of it is taken",
		(unsigned long long)chunk->place, chunk->lane);
	return 0;
}

/*
 * A record that was unfinished when the records around it were written becomes a run of its own, if
 * it is finished now and was not written since.
 */
static void run_add_hole(struct trace *trace, size_t lane, const struct chunk *chunk, uint64_t from,
			 uint64_t first_byte)
{
	uint64_t at = TL_HOLE_PLACE(chunk->hole);
	bool written = TL_HOLE_BLOCK(chunk->hole) &&
		       TL_HOLE_BLOCK(chunk->hole) <= trace->seen.output.block;
	struct tl_call_record record;

	if (!chunk->hole || written || at >= from)
		return;
	if (at % 8 || chunk->size - at < sizeof(uint64_t)) {
		problem(trace,
			"byte %llu: a chunk of lane %u: it says that a record was left out where none can be",
			(unsigned long long)chunk->place, chunk->lane);
		return;
	}
	memcpy(&record, chunk->records + at, sizeof(uint64_t));
	if (record.type != TL_RECORD_NONE && record.size && record.size * 8u <= chunk->size - at)
		run_add(&trace->seen, lane, chunk, at, at + record.size * 8u, first_byte);
}

/*
 * In buffers, chunks that a ring has used again are missing, and perhaps a part of the last chunk
 * before them.
 */
static void run_add_gap(struct trace *trace, size_t lane, const struct chunk *chunk)
{
	static const struct tl_call_record record = {
		.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};
	const struct chunk gap = {.records = (const char *)&record};
	const struct chunk *before =
		chunk > trace->chunks && chunk[-1].lane == chunk->lane ? chunk - 1 : NULL;

	if (!before || before->number + 1 >= chunk->number)
		return;
	run_add(&trace->seen, lane, &gap, 0, 8, (uint64_t)(chunk->records - trace->bytes));
	trace->seen.gaps = true;
}

static void runs_make(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;

	seen->runs = tl_reader_zeroed(trace, 3 * trace->nchunks, sizeof(*seen->runs));
	if (!seen->runs)
		return;
	for (size_t i = 0, lane = 0; i < trace->nchunks; i++) {
		const struct chunk *chunk = &trace->chunks[i];
		uint64_t first_byte = (uint64_t)(chunk->records - trace->bytes), from = 0;

		while (seen->lanes[lane].lane != chunk->lane)
			lane++;
		if (!seen->lanes[lane].nruns)
			seen->lanes[lane].first_run = seen->nruns;
		if (seen->header.kind == TL_FILE_BUFFERS)
			run_add_gap(trace, lane, chunk);
		if (seen->header.kind == TL_FILE_BUFFERS && !trace->written_too) {
			from = chunk_written_bytes(trace, chunk);
			run_add_hole(trace, lane, chunk, from, first_byte);
		}
		run_add(seen, lane, chunk, from, chunk->size, first_byte);
	}
}

void tl_trace_written_too(struct tl_trace *seen)
{
	struct trace *trace = (struct trace *)seen;

	for (size_t i = 0; i < seen->nlanes; i++)
		seen->lanes[i].first_run = seen->lanes[i].nruns = 0;
	free(seen->runs);
	seen->nruns = 0;
	trace->written_too = true;
	runs_make(trace);
}

void tl_reader_finish(struct trace *trace)
{
	const struct clock *clock = &trace->clock;

	tl_reader_sort(trace->chunks, trace->nchunks, sizeof(*trace->chunks), chunks_by_number);
	tl_reader_sort_texts(trace);
	threads_unique(trace);
	lanes_make(trace);
	if (!trace->failed)
		runs_make(trace);
	if (clock->count && !trace->seen.last)
		trace->seen.last = clock->points[clock->count - 1].ticks;
	if (!trace->failed)
		tl_reader_finish_opens(trace);
	trace->seen.gaps |= trace->seen.lost != 0;
	/* Buffers of this machine may still get what they lack: tl_trace_clock_now. */
	trace->seen.clockless = trace->seen.header.kind == TL_FILE_SPOOL &&
				trace->seen.header.counter && trace->seen.nruns && clock->count < 2;
	if (!trace->seen.has_facts)
		trace->seen.facts.pid = trace->seen.header.pid;
}
