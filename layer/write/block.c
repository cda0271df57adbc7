/* SPDX-License-Identifier: MIT */
/*
 * block.c: see block.h.
 *
 * What the file lacks of a chunk begins at its part's .from. A block that is in the file moves that
 * to .to; one that is not leaves it, so that making the block again is all that a retry takes.
 */
#include "layer/write/block.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "format/file/record.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/buffers/lanes.h"
#include "layer/write/sink.h"
#include "layer/write/record_blocks.h"
#include "layer/buffers/strings.h"

_Static_assert(TL_API_MAX <= 32, "a bit each");

void tl_block_hold(struct tl_block *block, struct tl_chunk *chunk, struct tl_lane *lane)
{
	block->parts[block->held++] = (struct tl_part){
		.chunk = chunk, .lane = lane, .from = chunk->begin, .to = chunk->begin};
}

/* --- for a file */

static uint32_t shown_lane(uint32_t number)
{
	const struct tl_lane *lane = tl_lane_of_events(number);

	return lane ? lane->tid : 0;
}

static uint32_t file_of_calls; /* that has_call is asked for */
/* the file will hardly be full before threads have handed over what they have */
static bool calls_may_come;

static bool has_call(uint32_t tid, uint64_t ns)
{
	return tl_lane_has_call(tid, ns, file_of_calls, calls_may_come);
}

static bool is_far_from_full(const struct tl_sink *sink)
{
	uint64_t passed = sink->made ? tl_clock_gettime_ticks() - sink->since : 0,
		 offset = sink->made ? sink->offset : 0;

	return (!tl_config.split_bytes ||
		offset + 4 * sink->longest + TL_BLOCK_SIZE < tl_config.split_bytes) &&
	       (!tl_config.split_ns || 4 * passed < 3 * tl_config.split_ns);
}

static void start_file(struct tl_block *block, const struct tl_sink *sink)
{
	block->file = file_of_calls = sink->file;
	block->begun = false;
	block->cost = (struct tl_event_cost){0, 0};
	block->described = 0;
	block->texts = 0;
	block->encoder = (struct tl_encoder){
		.format = sink->format,
		.pid = tl_arena_facts()->pid,
		.ns = tl_clock_ns,
		.function = tl_api_function,
		.string = tl_string_text,
		.lane = shown_lane,
		.has_call = has_call,
		.marks = &block->memory->marks,
		.state = block->memory->state,
	};
	/* What began in an earlier file can be ended in JSON, by who reads both. */
	if (sink->format == &tl_format_pftrace)
		memset(&block->memory->marks, 0, sizeof(block->memory->marks));
	/* Zeros again, and no memory until it is used. */
	if (sink->format)
		madvise(block->memory->state, sizeof(block->memory->state), MADV_DONTNEED);
}

static void start_text(struct tl_block *block, const struct tl_sink *sink, char *text, size_t room)
{
	const struct tl_format *format = sink->format;

	if (block->file != sink->file)
		start_file(block, sink);
	block->text = (struct tl_text){text, text + room, false};
	block->cut = text;
	block->borrowed = 0;
	block->vectors = 0;
	block->describing = 0;
	block->texting = block->texts;
	if (format)
		format->block(&block->encoder);
	block->beginning = !block->begun;
	if (block->beginning && format)
		format->begin(&block->encoder, &block->text, tl_arena_facts());
	else if (block->beginning)
		tl_spool_begin(block);
}

void tl_block_start(struct tl_block *block, const struct tl_sink *sink)
{
	block->used = 0;
	calls_may_come = is_far_from_full(sink);
	start_text(block, sink, block->memory->text, sizeof(block->memory->text));
}

/* --- records */

static void put_name(struct tl_block *block, struct tl_part *part)
{
	struct tl_lane *lane = part->lane;
	char name[sizeof(lane->name)];

	tl_buffer_name(part->chunk->producer, name);
	if (lane->named_in == block->file && !memcmp(lane->name, name, sizeof(name)))
		return;
	memcpy(lane->name, name, sizeof(name));
	lane->named_in = block->file;
	if (block->encoder.format)
		block->encoder.format->thread(&block->encoder, &block->text, lane->tid, lane->name);
	else
		tl_spool_thread(block, lane);
}

void tl_block_name_lane(struct tl_block *block, const struct tl_event_record *event, size_t size)
{
	bool is_own = size >= sizeof(*event) && event->lane && !(event->flags & TL_EVENT_TID);
	struct tl_lane *lane = is_own ? tl_lane_of_events(event->lane) : NULL;

	if (!lane || lane->named_in == block->file || !lane->text)
		return;
	const char *name = tl_string_text(lane->text, &size);
	lane->named_in = block->file;
	if (!block->encoder.format)
		tl_spool_lane(block, lane);
	else if (name)
		block->encoder.format->lane(&block->encoder, &block->text, lane->tid, name, size,
					    lane->sort);
}

static size_t size_of(const struct tl_block *block)
{
	return block->borrowed + (block->text.at - block->memory->text);
}

bool tl_block_has_room(const struct tl_block *block, size_t limit)
{
	return block->used < TL_BLOCK_PARTS && size_of(block) < limit &&
	       (!block->used ||
		block->parts[block->used - 1].to == block->parts[block->used - 1].chunk->end);
}

/*
 * Records of the thread are missing before this part: what encodes it, or reads it later, is told
 * so.
 */
static void put_gap(struct tl_block *block, const struct tl_part *part)
{
	static const struct tl_call_record gap = {
		.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};

	if (block->encoder.format)
		block->encoder.format->record(&block->encoder, &block->text, part->lane->tid, &gap,
					      8);
	else
		tl_spool_gap(block, part);
}

/* Which times of the thread are in the file, so far. */
static void note_times(const struct tl_block *block, struct tl_part *part,
		       const struct tl_call_record *record)
{
	uint64_t start, end;

	if (__builtin_add_overflow(record->start, record->duration, &end))
		return;
	start = tl_clock_ns(record->start);
	end = tl_clock_ns(end);
	if (record->type == TL_RECORD_LOST)
		tl_lane_gap(part->lane, end);
	else
		tl_lane_goes_to(part->lane, block->file, start, end);
}

/*
 * A part's records, one after the other, up to the chunk's end, or as far as there is room. Words
 * of zero are places that were reserved and not used; a record without a type is one whose writer
 * never came to its end.
 */
static void encode(struct tl_block *block, struct tl_part *part, size_t limit)
{
	const char *at = part->from, *end = part->chunk->end;
	const char *full = block->memory->text + limit;
	const struct tl_call_record *last = NULL;
	uint32_t tid = part->lane->tid;

	while (at < end && block->text.at < full) {
		const struct tl_call_record *record = (const void *)at;
		/* Pairs with the committing store in tl_record_commit. */
		uint64_t head = atomic_load_explicit((const _Atomic uint64_t *)(const void *)at,
						     memory_order_acquire);
		uint8_t type = head >> 16 & 0xff;
		if (type == TL_RECORD_NONE) {
			at += head & 0xffff ? 8 * (head & 0xffff) : 8;
			continue;
		}
		if (type == TL_RECORD_EVENT)
			tl_block_name_lane(block, (const void *)at, end - at);
		size_t size = block->encoder.format->record(&block->encoder, &block->text, tid,
							    record, end - at);
		if (!size) {
			part->damaged = true;
			break;
		}
		/* The first and the last call, and losses, tell the times. */
		if (type == TL_RECORD_LOST || (type == TL_RECORD_CALL && !last))
			note_times(block, part, record);
		last = type == TL_RECORD_CALL ? record : last;
		part->events += tl_record_counts(type);
		if (type == TL_RECORD_EVENT)
			tl_event_add_cost(&part->cost, &block->encoder, (const void *)at);
		part->lost += type == TL_RECORD_LOST ? record->result : 0;
		at += size;
	}
	if (last)
		note_times(block, part, last);
	/* A place that was reserved may reach beyond what was handed over. */
	part->to = part->damaged || at > end ? end : at;
}

void tl_block_add(struct tl_block *block, size_t limit)
{
	struct tl_part *part = &block->parts[block->used++];

	part->events = part->lost = 0;
	part->cost = (struct tl_event_cost){0, 0};
	part->damaged = false;
	put_name(block, part);
	if (part->chunk->gap)
		put_gap(block, part);
	if (block->encoder.format) {
		encode(block, part, limit);
		return;
	}
	size_t room = limit > size_of(block) ? limit - size_of(block) : 0;
	part->to = (size_t)(part->chunk->end - part->from) > room ? part->from + room
								  : part->chunk->end;
	tl_spool_records(block, part);
}

/* --- the whole */

static void close_vector(struct tl_block *block)
{
	if (block->text.at != block->cut)
		block->vector[block->vectors++] =
			(struct iovec){(void *)(uintptr_t)block->cut, block->text.at - block->cut};
	block->cut = block->text.at;
}

uint64_t tl_block_close(struct tl_block *block)
{
	uint64_t events = 0;

	if (!block->encoder.format) {
		tl_spool_texts(block);
		tl_spool_clock(block);
	}
	close_vector(block);
	for (unsigned i = 0; i < block->used; i++)
		events += block->parts[i].events;
	return events;
}

/* The lane's part in what the file has. */
static void count_part(const struct tl_block *block, const struct tl_part *part)
{
	struct tl_lane *lane = part->lane;

	if (lane->in != block->file) {
		lane->in = block->file;
		lane->events = 0;
	}
	lane->events += part->events;
	lane->lost += part->lost;
}

/* Its chunk is given back, or what is left of it is the next block's first part. */
static bool finish_part(struct tl_part *part)
{
	if (part->to < part->chunk->end) {
		part->from = part->to;
		return false;
	}
	tl_buffer_give_back(part->chunk);
	return true;
}

void tl_block_kept(struct tl_block *block)
{
	unsigned kept = 0;

	block->begun = true;
	block->described |= block->describing;
	block->texts = block->texting;
	if (block->encoder.format)
		block->encoder.format->kept(&block->encoder);
	for (unsigned i = 0; i < block->held; i++) {
		if (i < block->used) {
			block->parts[i].chunk->gap = false;
			count_part(block, &block->parts[i]);
			block->cost.bytes += block->parts[i].cost.bytes;
			block->cost.device_ns += block->parts[i].cost.device_ns;
			if (finish_part(&block->parts[i]))
				continue;
		}
		block->parts[kept++] = block->parts[i];
	}
	block->held = kept;
	block->used = 0;
}

void tl_block_failed(struct tl_block *block)
{
	for (unsigned i = 0; i < block->used; i++)
		block->parts[i].lane->named_in = 0;
	tl_lanes_unname();
	block->used = 0;
}

void tl_block_end(struct tl_block *block, const struct tl_sink *sink,
		  const struct tl_totals *totals)
{
	struct tl_totals whole = *totals;

	start_text(block, sink, block->memory->end, sizeof(block->memory->end));
	whole.cost = block->cost;
	if (sink->format) {
		sink->format->end(&block->encoder, &block->text, &whole);
	} else {
		tl_spool_clock(block);
		tl_spool_end(block, totals);
	}
	close_vector(block);
}
