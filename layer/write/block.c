/* SPDX-License-Identifier: MIT */
/*
 * block.c: see block.h.
 *
 * The records of a part that are not in the file begin at the part's .from. A block that has
 * reached the file moves .from to .to. A block that has not leaves it, so a retry just makes the
 * block again.
 */
#include "layer/write/block.h"

#include <string.h>

#include "format/file/record.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/buffers/lanes.h"
#include "layer/write/sink.h"
#include "layer/buffers/strings.h"

_Static_assert(TL_API_MAX <= 32, "a bit each");

void tl_block_hold(struct tl_block *block, struct tl_chunk *chunk, struct tl_lane *lane)
{
	block->parts[block->held++] = (struct tl_part){
		.chunk = chunk, .lane = lane, .from = chunk->begin, .to = chunk->begin};
}

/* --- for a file */

static bool file_is_far_from_full(const struct tl_sink *sink)
{
	uint64_t due = tl_sink_due(sink), offset = sink->made ? sink->offset : 0;

	return (!tl_config.split_bytes ||
		offset + 4 * sink->longest + TL_BLOCK_SIZE < tl_config.split_bytes) &&
	       (!tl_config.split_ns || !due ||
		tl_clock_gettime_ticks() + tl_config.split_ns / 4 < due);
}

static void start_file(struct tl_block *block, const struct tl_sink *sink)
{
	block->file = sink->file;
	block->begun = false;
	block->cost = (struct tl_event_cost){0, 0};
	block->maker = sink->format == &tl_format_tlt ? &tl_record_blocks : &tl_encoded_blocks;
	block->maker->file(block, sink);
}

static void start_text(struct tl_block *block, const struct tl_sink *sink, char *text, size_t room)
{
	if (block->file != sink->file)
		start_file(block, sink);
	block->text = (struct tl_text){text, text + room, false};
	block->cut = text;
	block->borrowed = 0;
	block->vectors = 0;
	block->packs = 0;
	block->maker->start(block);
	if (!block->begun)
		block->maker->begin(block);
}

void tl_block_start(struct tl_block *block, const struct tl_sink *sink)
{
	block->used = 0;
	block->calls_may_come = file_is_far_from_full(sink);
	start_text(block, sink, block->memory->text, sizeof(block->memory->text));
}

/* --- records */

static void name_thread(struct tl_block *block, const struct tl_producer *producer,
			struct tl_lane *lane)
{
	char name[sizeof(lane->name)];

	tl_buffer_name(producer, name);
	if (lane->named_in == block->file && !memcmp(lane->name, name, sizeof(name)))
		return;
	memcpy(lane->name, name, sizeof(name));
	lane->named_in = block->file;
	block->maker->thread(block, lane);
}

void tl_block_name_lane(struct tl_block *block, const struct tl_event_record *event, size_t size)
{
	bool is_own = size >= sizeof(*event) && event->lane && !(event->flags & TL_EVENT_TID);
	struct tl_lane *lane = is_own ? tl_lane_of_events(event->lane) : NULL;

	if (!lane || lane->named_in == block->file || !lane->text)
		return;
	lane->named_in = block->file;
	block->maker->lane(block, lane);
}

size_t tl_block_bytes(const struct tl_block *block)
{
	return block->borrowed + (block->text.at - block->memory->text);
}

bool tl_block_has_room(const struct tl_block *block, size_t limit)
{
	return block->used < TL_BLOCK_PARTS && tl_block_bytes(block) < limit &&
	       (!block->used ||
		block->parts[block->used - 1].to == block->parts[block->used - 1].chunk->end);
}

void tl_block_add(struct tl_block *block, size_t limit)
{
	struct tl_part *part = &block->parts[block->used++];

	part->events = part->lost = 0;
	part->cost = (struct tl_event_cost){0, 0};
	part->damaged = false;
	name_thread(block, part->chunk->producer, part->lane);
	if (part->chunk->gap)
		block->maker->gap(block, part);
	block->maker->records(block, part, limit);
}

/* --- a whole block */

static void close_vector(struct tl_block *block)
{
	if (block->text.at != block->cut)
		block->vector[block->vectors++] =
			(struct iovec){(void *)(uintptr_t)block->cut, block->text.at - block->cut};
	block->cut = block->text.at;
}

void tl_block_borrow(struct tl_block *block, const void *bytes, size_t size, size_t text)
{
	close_vector(block);
	block->vector[block->vectors++] = (struct iovec){(void *)(uintptr_t)bytes, size};
	block->borrowed += text;
}

uint64_t tl_block_close(struct tl_block *block)
{
	uint64_t events = 0;

	block->maker->close(block);
	close_vector(block);
	block->packed[block->packs].bytes = NULL;
	for (unsigned i = 0; i < block->used; i++)
		events += block->parts[i].events;
	return events;
}

/* Counts the part's events for the lane, once they are in the file. */
static void part_count(const struct tl_block *block, const struct tl_part *part)
{
	struct tl_lane *lane = part->lane;

	if (lane->in != block->file) {
		lane->in = block->file;
		lane->events = 0;
	}
	lane->events += part->events;
	lane->lost += part->lost;
}

/*
 * Gives the part's chunk back, unless something is left of it: false. That is the next block's first
 * part.
 */
static bool part_finish(struct tl_part *part)
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
	block->maker->kept(block);
	for (unsigned i = 0; i < block->held; i++) {
		if (i < block->used) {
			block->parts[i].chunk->gap = false;
			part_count(block, &block->parts[i]);
			block->cost.bytes += block->parts[i].cost.bytes;
			block->cost.device_ns += block->parts[i].cost.device_ns;
			if (part_finish(&block->parts[i]))
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

/* --- the end */

/* Outermost first. A call that began since the end was begun lies behind all that the file shows. */
static bool some_unfinished(struct tl_block *block, const struct tl_producer *producer)
{
	struct tl_unfinished_calls *calls = &block->calls;

	if (!tl_buffer_unfinished(producer, calls))
		return false;
	while (calls->count && calls->calls[calls->count - 1].start > block->ends_at)
		calls->count--;
	return calls->count;
}

/* A later block overwrites the end, and with it the names that it gave. */
static void unfinished_put(struct tl_block *block, struct tl_lane *lane)
{
	uint32_t named_in = lane->named_in;
	char name[sizeof(lane->name)];

	memcpy(name, lane->name, sizeof(name));
	name_thread(block, block->calls.producer, lane);
	block->maker->unfinished(block, lane);
	memcpy(lane->name, name, sizeof(name));
	lane->named_in = named_in;
	block->unfinished += block->calls.count;
}

uint64_t tl_block_unfinished(struct tl_block *block)
{
	const char *full = block->text.end - TL_ENCODER_ROOM;
	struct tl_producer *producer = block->ends_at ? tl_buffer_producers() : NULL;

	for (; producer && block->text.at < full; producer = producer->next) {
		struct tl_lane *lane =
			some_unfinished(block, producer) ? tl_lane_of(producer) : NULL;
		if (lane)
			unfinished_put(block, lane);
	}
	return block->unfinished;
}

void tl_block_end(struct tl_block *block, const struct tl_sink *sink,
		  const struct tl_totals *totals, uint64_t ends_at)
{
	struct tl_totals whole = *totals;

	start_text(block, sink, block->memory->end, sizeof(block->memory->end));
	whole.cost = block->cost;
	block->ends_at = ends_at;
	block->unfinished = 0;
	block->maker->end(block, &whole);
	close_vector(block);
}
