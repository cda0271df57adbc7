/* SPDX-License-Identifier: MIT */
/*
 * record_blocks.c: see record_blocks.h.
 */
#include "layer/write/record_blocks.h"

#include <stdatomic.h>
#include <string.h>

#include "format/file/record.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/lanes.h"
#include "layer/buffers/strings.h"

static size_t whole_words(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/*
 * The pieces' heads lie in the block's text, one behind the other, all of them multiples of 8
 * bytes.
 */
static void *put_bytes(struct tl_block *block, size_t size)
{
	char *at = block->text.at;

	memset(at, 0, size);
	block->text.at += size;
	return at;
}

static void *put_piece(struct tl_block *block, enum tl_piece_kind kind, size_t size, size_t more)
{
	struct tl_piece *piece = put_bytes(block, size);

	*piece = (struct tl_piece){.magic = TL_PIECE_MAGIC, .kind = kind, .size = size + more};
	return piece;
}

/* Bytes that stay where they are until the block is written. */
static void borrow(struct tl_block *block, const void *bytes, size_t size)
{
	if (block->text.at != block->cut)
		block->vector[block->vectors++] =
			(struct iovec){(void *)(uintptr_t)block->cut, block->text.at - block->cut};
	block->cut = block->text.at;
	block->vector[block->vectors++] = (struct iovec){(void *)(uintptr_t)bytes, size};
	block->borrowed += size;
}

void tl_spool_begin(struct tl_block *block)
{
	const struct tl_facts *facts = tl_arena_facts();
	struct tl_file_header *header = put_bytes(block, TL_FILE_PAGE);
	/* What the members don't fill is left out, but for the NUL behind them. */
	size_t used = offsetof(struct tl_facts, members) + facts->members_size + 1;
	size_t size = whole_words(offsetof(struct tl_facts_piece, facts) + used);

	memcpy(header, tl_arena_header(), offsetof(struct tl_file_header, state));
	header->kind = TL_FILE_SPOOL;
	header->alignment = 8;
	header->capacity = 0;
	struct tl_facts_piece *piece = put_piece(block, TL_PIECE_FACTS, size, 0);
	memcpy(&piece->facts, facts, used);
}

void tl_spool_thread(struct tl_block *block, const struct tl_lane *lane)
{
	struct tl_thread_piece *piece =
		put_piece(block, TL_PIECE_THREAD, sizeof(struct tl_thread_piece), 0);

	piece->tid = lane->kernel_tid;
	piece->shown = lane->tid;
	memcpy(piece->name, lane->name, sizeof(piece->name));
	atomic_init(&piece->lost, tl_lane_lost(lane));
	atomic_init(&piece->lane, lane->number);
}

/* A description goes before the first record that needs it. */
static void put_api(struct tl_block *block, uint32_t number)
{
	const struct tl_api *api = number < TL_API_MAX ? tl_api_by_number(number) : NULL;
	uint32_t bit = api ? 1u << number : 0;

	if (!bit || (block->described | block->describing) & bit)
		return;
	block->describing |= bit;
	size_t padding = whole_words(api->description_size) - api->description_size;
	struct tl_api_piece *piece = put_piece(block, TL_PIECE_API, sizeof(struct tl_api_piece),
					       api->description_size + padding);
	piece->number = number;
	piece->size = api->description_size;
	borrow(block, api->description, api->description_size);
	put_bytes(block, padding);
}

/* Up to where the part's records can be stepped over. */
static const char *count_records(struct tl_block *block, struct tl_part *part)
{
	const char *at = part->from, *end = part->chunk->end;

	while (at < part->to) {
		const struct tl_call_record *record = (const void *)at;
		/* Pairs with the committing store in tl_record_commit. */
		uint64_t head = atomic_load_explicit((const _Atomic uint64_t *)(const void *)at,
						     memory_order_acquire);
		size_t size = 8 * (head & 0xffff);
		uint8_t type = head >> 16 & 0xff;
		if (type > TL_RECORD_EVENT || size > (size_t)(end - at) ||
		    (type && size < (type == TL_RECORD_PAD ? 8 : sizeof(*record)))) {
			part->damaged = true;
			return at;
		}
		if (type == TL_RECORD_CALL) {
			part->events++;
			put_api(block, record->function >> 16);
		} else if (type == TL_RECORD_EVENT) {
			part->events++;
			tl_block_name_lane(block, (const void *)at, size);
		} else if (type == TL_RECORD_LOST) {
			part->lost += record->result;
		}
		at += size ? size : 8;
	}
	return at;
}

void tl_spool_records(struct tl_block *block, struct tl_part *part)
{
	const char *sound = count_records(block, part);
	size_t size = sound - part->from;

	part->to = part->damaged ? part->chunk->end : sound;
	if (!size)
		return;
	struct tl_chunk_piece *piece =
		put_piece(block, TL_PIECE_CHUNK, sizeof(struct tl_chunk_piece), size);
	piece->records = sizeof(struct tl_chunk_piece);
	atomic_init(&piece->number, ++part->lane->chunks);
	atomic_init(&piece->end, size);
	atomic_init(&piece->lane, part->lane->number);
	borrow(block, part->from, size);
}

void tl_spool_gap(struct tl_block *block, const struct tl_part *part)
{
	struct tl_chunk_piece *piece =
		put_piece(block, TL_PIECE_CHUNK, sizeof(struct tl_chunk_piece) + 8, 0);
	struct tl_call_record gap = {.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};

	piece->records = sizeof(struct tl_chunk_piece);
	atomic_init(&piece->number, ++part->lane->chunks);
	atomic_init(&piece->end, 8);
	atomic_init(&piece->lane, part->lane->number);
	memcpy(piece + 1, &gap, 8);
}

void tl_spool_lane(struct tl_block *block, const struct tl_lane *lane)
{
	const size_t size = sizeof(struct tl_lanes_piece) + sizeof(struct tl_lane_entry);
	struct tl_lanes_piece *piece = put_piece(block, TL_PIECE_LANES, size, 0);

	piece->lanes[0].shown = lane->tid;
	piece->lanes[0].name = lane->text;
	piece->lanes[0].sort = lane->sort;
	atomic_init(&piece->lanes[0].lane, lane->number);
}

void tl_spool_texts(struct tl_block *block)
{
	const struct tl_strings_unit *texts;
	uint32_t from = block->texting, units;

	for (int i = 0; i < TL_BLOCK_TEXTS && (texts = tl_strings_since(&from, &units)); i++) {
		size_t size = units * sizeof(*texts);
		struct tl_strings_piece *piece =
			put_piece(block, TL_PIECE_STRINGS, sizeof(struct tl_strings_piece), size);
		piece->index = from >> TL_STRINGS_BITS;
		piece->first = from & ((1u << TL_STRINGS_BITS) - 1);
		borrow(block, texts, size);
		block->texting = from += units;
	}
}

void tl_spool_clock(struct tl_block *block)
{
	struct tl_clock_piece *piece =
		put_piece(block, TL_PIECE_CLOCK, sizeof(struct tl_clock_piece), 0);
	struct tl_clock_table *table = &piece->table;

	tl_clock_copy(table);
	/* Points that there are not are left out. */
	block->text.at =
		(char *)&table->points[atomic_load_explicit(&table->count, memory_order_relaxed)];
	piece->piece.size = block->text.at - (char *)piece;
}

/* What each thread lost by now. */
static void put_losses(struct tl_block *block)
{
	const char *full = block->text.end - 2 * sizeof(struct tl_thread_piece);

	for (uint32_t i = 1; i < tl_lane_count() && block->text.at < full; i++) {
		const struct tl_lane *lane = tl_lane_at(i);
		if (lane && tl_lane_lost(lane))
			tl_spool_thread(block, lane);
	}
}

void tl_spool_end(struct tl_block *block, const struct tl_totals *totals)
{
	tl_spool_texts(block);
	put_losses(block);
	struct tl_end_piece *piece = put_piece(block, TL_PIECE_END, sizeof(struct tl_end_piece), 0);
	piece->events = totals->events;
	piece->lost = totals->lost;
	piece->overwritten = totals->overwritten;
}
