/* SPDX-License-Identifier: MIT */
/*
 * encoded_blocks.c: blocks of a file that an encoder makes (format/encode/encoder.h).
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/base/environment.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/lanes.h"
#include "layer/buffers/strings.h"
#include "layer/resolve/api_table.h"
#include "layer/write/ahead.h"
#include "layer/write/block.h"
#include "layer/write/sink.h"

/* --- what an encoder asks for; its source is the block */

static uint64_t ticks_to_ns(const void *source, uint64_t ticks)
{
	return tl_clock_ns(ticks);
}

static const struct tl_function *function_of(const void *source, uint32_t id)
{
	return tl_api_function(id);
}

static const char *text_of(const void *source, uint32_t number, size_t *size)
{
	return tl_string_text(number, size);
}

static uint32_t shown_lane(const void *source, uint32_t number)
{
	const struct tl_lane *lane = tl_lane_of_events(number);

	return lane ? lane->tid : 0;
}

static bool has_call(const void *source, uint32_t tid, uint64_t ns)
{
	const struct tl_block *block = source;

	return tl_lane_has_call(tid, ns, block->file, block->calls_may_come);
}

/* --- the file */

static void encoded_file(struct tl_block *block, const struct tl_sink *sink)
{
	block->encoder = (struct tl_encoder){
		.format = sink->format,
		.pid = tl_arena_facts()->pid,
		.source = block,
		.ns = ticks_to_ns,
		.function = function_of,
		.string = text_of,
		.lane = shown_lane,
		.has_call = has_call,
		.marks = &block->memory->marks,
		.state = block->memory->state,
		.gpu_events = tl_config.gpu_tracks,
		.hints = sink->output.gzip ? &block->hints : NULL,
	};
	block->hints.list = block->memory->hints;
	block->hints.room = sizeof(block->memory->hints) / sizeof(block->memory->hints[0]);
	/*
	 * Marks that began in an earlier file: a format in parts can end them in this file, others
	 * can't.
	 */
	if (!sink->format->in_parts)
		memset(&block->memory->marks, 0, sizeof(block->memory->marks));
	/* Zeroes the state, and frees its memory until it is used. */
	madvise(block->memory->state, sizeof(block->memory->state), MADV_DONTNEED);
}

static void encoded_start(struct tl_block *block)
{
	tl_repeat_hints_begin(&block->hints, block->text.at);
	block->encoder.format->block(&block->encoder);
}

static void encoded_begin(struct tl_block *block)
{
	block->encoder.format->begin(&block->encoder, &block->text, tl_arena_facts());
}

static void encoded_thread(struct tl_block *block, const struct tl_lane *lane)
{
	block->encoder.format->thread(&block->encoder, &block->text, lane->tid, lane->name);
}

static void encoded_lane(struct tl_block *block, const struct tl_lane *lane)
{
	size_t size;
	const char *name = tl_string_text(lane->text, &size);

	if (name)
		block->encoder.format->lane(&block->encoder, &block->text, lane->tid, name, size,
					    lane->sort);
}

/* --- records */

static void encoded_gap(struct tl_block *block, const struct tl_part *part)
{
	static const struct tl_call_record gap = {
		.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};

	block->encoder.format->record(&block->encoder, &block->text, part->lane->tid, &gap, 8);
}

/* Notes for the lane which times of the thread are in the file. */
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

/* Puts in a part's records that were encoded ahead. */
static bool records_ahead(struct tl_block *block, struct tl_part *part)
{
	const struct tl_call_record *first, *last;

	if (!tl_ahead_take(block, part))
		return false;
	tl_ahead_calls(part, &first, &last);
	if (first)
		note_times(block, part, first);
	if (last)
		note_times(block, part, last);
	return true;
}

/*
 * Puts in a part's records up to the chunk's end, or as far as there is room. A word of zero is
 * room that was reserved and not used; a record without a type was never finished.
 */
static void encoded_records(struct tl_block *block, struct tl_part *part, size_t limit)
{
	if (records_ahead(block, part))
		return;
	const char *at = part->from, *end = part->chunk->end;
	const char *full = block->memory->text + limit;
	const struct tl_call_record *last = NULL;
	uint32_t tid = part->lane->tid;
	uint64_t word;

	while ((at = tl_record_finished(at, end, &word)) < end && block->text.at < full) {
		const struct tl_call_record *record = (const void *)at;
		uint32_t type = tl_record_type_of(word);

		if (type == TL_RECORD_EVENT)
			tl_block_name_lane(block, (const void *)at, end - at);
		size_t size = block->encoder.format->record(&block->encoder, &block->text, tid,
							    record, end - at);
		if (!size) {
			part->damaged = true;
			break;
		}
		/* The first call, the last call and losses show which times the part covers. */
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

/* --- the end */

static void encoded_close(struct tl_block *block)
{
}

static void encoded_kept(struct tl_block *block)
{
	block->encoder.format->kept(&block->encoder);
}

/* The innermost call ends first. */
static void encoded_unfinished(struct tl_block *block, const struct tl_lane *lane)
{
	for (uint32_t i = block->calls.count; i-- > 0;)
		block->encoder.format->unfinished(&block->encoder, &block->text, lane->tid,
						  &block->calls.calls[i], block->ends_at);
}

static void encoded_end(struct tl_block *block, const struct tl_totals *totals)
{
	struct tl_totals whole = *totals;

	whole.events += tl_block_unfinished(block);
	block->encoder.format->end(&block->encoder, &block->text, &whole);
}

const struct tl_block_maker tl_encoded_blocks = {
	.file = encoded_file,
	.start = encoded_start,
	.begin = encoded_begin,
	.thread = encoded_thread,
	.lane = encoded_lane,
	.gap = encoded_gap,
	.records = encoded_records,
	.close = encoded_close,
	.kept = encoded_kept,
	.unfinished = encoded_unfinished,
	.end = encoded_end,
};
