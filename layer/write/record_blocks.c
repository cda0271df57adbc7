/* SPDX-License-Identifier: MIT */
/*
 * record_blocks.c: blocks of a .tlt file, made of pieces (format/file/trace_file.h).
 *
 * Records stay where they are. This file makes the pieces' heads, and a vector that puts heads and
 * records into the order in which they are written.
 */
#include <stdatomic.h>
#include <string.h>

#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/lanes.h"
#include "layer/buffers/strings.h"
#include "layer/write/process_facts.h"
#include "layer/write/block.h"

static size_t whole_words(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Adds a piece's head to the block's text. All heads are multiples of 8 bytes. */
static void *bytes_put(struct tl_block *block, size_t size)
{
	char *at = block->text.at;

	memset(at, 0, size);
	block->text.at += size;
	return at;
}

static void *piece_put(struct tl_block *block, enum tl_piece_kind kind, size_t size, size_t more)
{
	struct tl_piece *piece = bytes_put(block, size);

	*piece = (struct tl_piece){.magic = TL_PIECE_MAGIC, .kind = kind, .size = size + more};
	return piece;
}

static void pieces_file(struct tl_block *block, const struct tl_sink *sink)
{
	block->described = 0;
	block->texts = 0;
}

static void pieces_start(struct tl_block *block)
{
	block->describing = 0;
	block->texting = block->texts;
}

static void pieces_begin(struct tl_block *block)
{
	const struct tl_facts *facts = tl_arena_facts();
	struct tl_file_header *header = bytes_put(block, TL_FILE_PAGE);
	/* The room that the members don't fill is left out, but for one NUL behind them. */
	size_t used = offsetof(struct tl_facts, members) + facts->members_size + 1;
	size_t size = whole_words(offsetof(struct tl_facts_piece, facts) + used);

	memcpy(header, tl_arena_header(), offsetof(struct tl_file_header, state));
	header->kind = TL_FILE_SPOOL;
	header->alignment = 8;
	header->capacity = 0;
	header->time_offset = tl_arena_header()->time_offset;
	header->has_time_offset = tl_arena_header()->has_time_offset;
	struct tl_facts_piece *piece = piece_put(block, TL_PIECE_FACTS, size, 0);
	memcpy(&piece->facts, facts, used);
}

/* With room for so many bytes behind it. */
static struct tl_thread_piece *thread_put(struct tl_block *block, const struct tl_lane *lane,
					  size_t more)
{
	struct tl_thread_piece *piece = piece_put(block, TL_PIECE_THREAD, sizeof(*piece) + more, 0);

	piece->tid = lane->kernel_tid;
	piece->shown = lane->tid;
	memcpy(piece->name, lane->name, sizeof(piece->name));
	atomic_init(&piece->lost, tl_lane_lost(lane));
	atomic_init(&piece->lane, lane->number);
	return piece;
}

static void pieces_thread(struct tl_block *block, const struct tl_lane *lane)
{
	thread_put(block, lane, 0);
}

/* Adds the API's description, before the first record that needs it. */
static void api_put(struct tl_block *block, uint32_t number)
{
	const struct tl_api *api = number < TL_API_MAX ? tl_api_by_number(number) : NULL;
	uint32_t bit = api ? 1u << number : 0;

	if (!bit || (block->described | block->describing) & bit)
		return;
	block->describing |= bit;
	size_t padding = whole_words(api->description_size) - api->description_size;
	struct tl_api_piece *piece = piece_put(block, TL_PIECE_API, sizeof(struct tl_api_piece),
					       api->description_size + padding);
	piece->number = number;
	piece->size = api->description_size;
	tl_block_borrow(block, api->description, api->description_size, api->description_size);
	bytes_put(block, padding);
}

/*
 * Steps over the part's records, and counts them. Returns where they end, or where they can't be
 * read.
 */
static const char *records_count(struct tl_block *block, struct tl_part *part)
{
	const char *at = part->from, *end = part->chunk->end;

	while (at < part->to) {
		const struct tl_call_record *record = (const void *)at;
		uint64_t word = tl_record_first_word(at);
		size_t size = tl_record_size_of(word);
		uint32_t type = tl_record_type_of(word);
		if (type > TL_RECORD_EVENT || size > (size_t)(end - at) ||
		    (type && size < (type == TL_RECORD_PAD ? 8 : sizeof(*record)))) {
			part->damaged = true;
			return at;
		}
		if (type == TL_RECORD_CALL) {
			part->events++;
			api_put(block, record->function >> 16);
		} else if (type == TL_RECORD_EVENT) {
			part->events++;
			tl_block_name_lane(block, (const void *)at, size);
		} else if (type == TL_RECORD_LOST) {
			part->lost += record->result;
		}
		at += tl_record_step(word);
	}
	return at;
}

static void pieces_records(struct tl_block *block, struct tl_part *part, size_t limit)
{
	size_t room = limit > tl_block_bytes(block) ? limit - tl_block_bytes(block) : 0;

	part->to = (size_t)(part->chunk->end - part->from) > room ? part->from + room
								  : part->chunk->end;
	const char *sound = records_count(block, part);
	size_t size = sound - part->from;

	part->to = part->damaged ? part->chunk->end : sound;
	if (!size)
		return;
	struct tl_chunk_piece *piece =
		piece_put(block, TL_PIECE_CHUNK, sizeof(struct tl_chunk_piece), size);
	piece->records = sizeof(struct tl_chunk_piece);
	atomic_init(&piece->number, ++part->lane->chunks);
	atomic_init(&piece->end, size);
	atomic_init(&piece->lane, part->lane->number);
	tl_block_borrow(block, part->from, size, size);
}

static void pieces_gap(struct tl_block *block, const struct tl_part *part)
{
	struct tl_chunk_piece *piece =
		piece_put(block, TL_PIECE_CHUNK, sizeof(struct tl_chunk_piece) + 8, 0);
	struct tl_call_record gap = {.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};

	piece->records = sizeof(struct tl_chunk_piece);
	atomic_init(&piece->number, ++part->lane->chunks);
	atomic_init(&piece->end, 8);
	atomic_init(&piece->lane, part->lane->number);
	memcpy(piece + 1, &gap, 8);
}

static void pieces_lane(struct tl_block *block, const struct tl_lane *lane)
{
	const size_t size = sizeof(struct tl_lanes_piece) + sizeof(struct tl_lane_entry);
	struct tl_lanes_piece *piece = piece_put(block, TL_PIECE_LANES, size, 0);

	piece->lanes[0].shown = lane->tid;
	piece->lanes[0].name = lane->text;
	piece->lanes[0].sort = lane->sort;
	atomic_init(&piece->lanes[0].lane, lane->number);
}

/* Adds the texts that the file lacks. */
static void texts_put(struct tl_block *block)
{
	const struct tl_strings_unit *texts;
	uint32_t from = block->texting, units;

	for (int i = 0; i < TL_BLOCK_TEXTS && (texts = tl_strings_since(&from, &units)); i++) {
		size_t size = units * sizeof(*texts);
		struct tl_strings_piece *piece =
			piece_put(block, TL_PIECE_STRINGS, sizeof(struct tl_strings_piece), size);
		piece->index = from >> TL_STRINGS_BITS;
		piece->first = from & ((1u << TL_STRINGS_BITS) - 1);
		tl_block_borrow(block, texts, size, size);
		block->texting = from += units;
	}
}

/* Adds the clock's points so far. */
static void clock_put(struct tl_block *block)
{
	struct tl_clock_piece *piece =
		piece_put(block, TL_PIECE_CLOCK, sizeof(struct tl_clock_piece), 0);
	struct tl_clock_table *table = &piece->table;

	tl_clock_copy(table);
	/* Unused points are left out. */
	block->text.at =
		(char *)&table->points[atomic_load_explicit(&table->count, memory_order_relaxed)];
	piece->piece.size = block->text.at - (char *)piece;
}

/* Adds each thread's losses so far. */
static void losses_put(struct tl_block *block)
{
	const char *full = block->text.end - 2 * sizeof(struct tl_thread_piece);

	for (uint32_t i = 1; i < tl_lane_count() && block->text.at < full; i++) {
		const struct tl_lane *lane = tl_lane_at(i);
		if (lane && tl_lane_lost(lane))
			pieces_thread(block, lane);
	}
}

/* The end of each block, since the texts of a record may be stored after it. */
static void pieces_close(struct tl_block *block)
{
	texts_put(block);
	clock_put(block);
}

static void pieces_kept(struct tl_block *block)
{
	block->described |= block->describing;
	block->texts = block->texting;
}

/* The stacks' numbers follow the calls. */
static void pieces_unfinished(struct tl_block *block, const struct tl_lane *lane)
{
	uint32_t count = block->calls.count;

	for (uint32_t i = 0; i < count; i++)
		api_put(block, block->calls.calls[i].function >> 16);
	struct tl_thread_piece *piece = thread_put(block, lane,
						   count * sizeof(struct tl_open_call) +
							   whole_words(count * sizeof(uint32_t)));
	uint32_t *stacks = (uint32_t *)&piece->open[count];
	piece->opens = count;
	piece->stacks = (uint32_t)((char *)stacks - (char *)piece);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_unfinished *call = &block->calls.calls[i];
		piece->open[i].start = call->start;
		piece->open[i].function = call->function;
		piece->open[i].mode = call->stack ? TL_MODE_STACK : 0;
		/* Any address will do. */
		atomic_init(&piece->open[i].frame, 1);
		stacks[i] = call->stack;
	}
}

static void pieces_end(struct tl_block *block, const struct tl_totals *totals)
{
	clock_put(block);
	texts_put(block);
	losses_put(block);
	/* Of two pieces of a lane, the second one counts. */
	uint64_t unfinished = tl_block_unfinished(block);
	struct tl_end_piece *piece = piece_put(block, TL_PIECE_END, sizeof(struct tl_end_piece), 0);
	piece->events = totals->events + unfinished;
	piece->last = unfinished ? block->ends_at : 0;
	piece->lost = totals->lost;
	piece->overwritten = totals->overwritten;
	tl_clock_pair_read(&piece->clocks);
	tl_time_of_day_read(&piece->time_of_day);
	piece->stackless =
		totals->stackless < UINT32_MAX ? (uint32_t)totals->stackless : UINT32_MAX;
	piece->resumed = atomic_load_explicit(&tl_arena_header()->resumed, memory_order_relaxed);
}

const struct tl_block_maker tl_record_blocks = {
	.file = pieces_file,
	.start = pieces_start,
	.begin = pieces_begin,
	.thread = pieces_thread,
	.lane = pieces_lane,
	.gap = pieces_gap,
	.records = pieces_records,
	.close = pieces_close,
	.kept = pieces_kept,
	.unfinished = pieces_unfinished,
	.end = pieces_end,
};
