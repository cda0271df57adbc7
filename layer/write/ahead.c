/* SPDX-License-Identifier: MIT */
/*
 * ahead.c: see ahead.h.
 *
 * Chunks that are put get numbers, from 1 on. A number's place is free when the chunk with the number
 * PLACES before it is in the file. models/ahead.pml is a spin model of this.
 *
 * Ordered accesses
 *
 *	published	release by the pen's holder, acquire by who claims: the place is filled in
 *	claimed		moved by compare and exchange, relaxed: it orders nothing, it only gives each
 *			number to one thread
 *	ready		release by who encoded the chunk, acquire by the pen's holder: the text is there,
 *			and the chunk's records are no longer read
 *	bell		release by who rings, acquire by who is about to sleep: what it looks at next
 *			is at least as new
 *	helper		acquire and release, by offers: one helper's work with its memory is over before
 *			the next one begins
 */
#include "layer/write/ahead.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/encode/gzip.h"
#include "format/encode/touching.h"
#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/base/environment.h"
#include "layer/base/futex.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/lanes.h"

#define PLACES 6u /* chunks ahead of the file */
#define SLICE  100

enum worker { WRITER, HELPER, WORKERS };

struct place {
	_Atomic uint32_t ready; /* the last number whose chunk was encoded here */
	const char *from, *end;
	uint32_t tid;
	bool whole; /* all its records could be encoded apart */
	size_t size;
	uint64_t events;
	const struct tl_call_record *first, *last; /* calls */
	struct tl_gzip_piece piece;
	struct tl_touching_seam seam;
	char text[TL_BLOCK_TEXT];
	char packed[TL_BLOCK_TEXT + TL_BLOCK_TEXT / 1024 + 256];
};

/* One mapping, made when a thread first helps. */
struct memory {
	_Alignas(4096) char state[WORKERS][TL_BLOCK_STATE];
	_Alignas(64) struct tl_deflate deflate[WORKERS];
	struct tl_encoder encoder[WORKERS];
	struct tl_repeat_hints hints[WORKERS];
	struct tl_repeat_hint list[WORKERS][TL_BLOCK_TEXT / TL_REPEAT_HINT_BYTES];
	struct place places[PLACES];
};

static struct {
	_Atomic uint32_t helper, published, claimed, bell;
	/* Stored by the pen's holder before the first number is published. */
	struct memory *memory;
	/* The pen's holder's: the last number whose chunk is in the file, or forgotten. */
	uint32_t kept;
	bool is_alone; /* there is one processor only, or no memory */
} ahead;

static struct place *place_of(uint32_t number)
{
	return &ahead.memory->places[number % PLACES];
}

/* --- encoding */

static void place_pack(struct place *place, struct memory *memory, enum worker worker)
{
	if (memory->encoder[worker].hints)
		place->piece = tl_gzip_piece(&memory->deflate[worker], place->packed, place->text,
					     place->size, &memory->hints[worker]);
}

static void place_encode(struct place *place, struct memory *memory, enum worker worker)
{
	struct tl_encoder *encoder = &memory->encoder[worker];
	struct tl_touching *touching = encoder->format->touching(encoder);
	struct tl_text text = {place->text, place->text + sizeof(place->text), false};
	const char *at = place->from, *full = place->text + TL_BLOCK_SIZE;
	uint64_t word;

	place->first = place->last = NULL;
	place->events = 0;
	tl_repeat_hints_begin(&memory->hints[worker], text.at);
	tl_touching_part(touching, place->tid, &place->seam);
	while ((at = tl_record_finished(at, place->end, &word)) < place->end && text.at < full) {
		const struct tl_call_record *record = (const void *)at;
		uint32_t type = tl_record_type_of(word);

		if (type != TL_RECORD_CALL && (type != TL_RECORD_PAD || tl_record_is_gap(record)))
			break;
		size_t size = encoder->format->record(encoder, &text, place->tid, record,
						      (size_t)(place->end - at));
		if (!size || text.cut)
			break;
		if (type == TL_RECORD_CALL) {
			place->first = place->first ? place->first : record;
			place->last = record;
			place->events++;
			tl_touching_note(touching, place->tid, &place->seam);
		}
		at += size;
	}
	tl_touching_part_end(touching, place->tid, &place->seam);
	place->size = (size_t)(text.at - place->text);
	place->whole = at >= place->end && place->size;
	if (place->whole)
		place_pack(place, memory, worker);
}

/* False: all numbers are claimed. */
static bool number_claim(uint32_t *number)
{
	uint32_t claimed = atomic_load_explicit(&ahead.claimed, memory_order_relaxed);

	do {
		/* Acquire: pairs with the release in tl_ahead_put. */
		if (claimed == atomic_load_explicit(&ahead.published, memory_order_acquire))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&ahead.claimed, &claimed, claimed + 1, memory_order_relaxed, memory_order_relaxed));
	*number = claimed + 1;
	return true;
}

static bool chunk_encode_next(enum worker worker)
{
	uint32_t number;

	if (!number_claim(&number))
		return false;
	struct place *place = place_of(number);
	place_encode(place, ahead.memory, worker);
	/* Release: pairs with the acquire in place_is_ready. */
	atomic_store_explicit(&place->ready, number, memory_order_release);
	if (worker == HELPER)
		tl_futex_wake(&place->ready);
	return true;
}

/* --- the thread that helps */

bool tl_ahead_offer(void)
{
	uint32_t nobody = 0;

	/* Acquire: pairs with the release in tl_ahead_withdraw of another thread. */
	return atomic_compare_exchange_strong_explicit(&ahead.helper, &nobody, 1,
						       memory_order_acquire, memory_order_relaxed);
}

void tl_ahead_withdraw(void)
{
	/* Release: pairs with the acquire in tl_ahead_offer. */
	atomic_store_explicit(&ahead.helper, 0, memory_order_release);
}

bool tl_ahead_help(void)
{
	return chunk_encode_next(HELPER);
}

uint32_t tl_ahead_bell(void)
{
	/* Acquire: pairs with the release in tl_ahead_ring. */
	return atomic_load_explicit(&ahead.bell, memory_order_acquire);
}

void tl_ahead_wait(uint32_t bell, int ms)
{
	tl_futex_wait(&ahead.bell, bell, ms);
}

void tl_ahead_ring(void)
{
	/* Release: pairs with the acquire in tl_ahead_bell. */
	atomic_fetch_add_explicit(&ahead.bell, 1, memory_order_release);
	tl_futex_wake(&ahead.bell);
}

/* --- the pen's holder */

static bool has_processors(void)
{
	unsigned long processors[1024 / (8 * sizeof(unsigned long))];
	long size = syscall(SYS_sched_getaffinity, 0, sizeof(processors), processors);
	int count = 0;

	for (long i = 0; i < size / (long)sizeof(processors[0]); i++)
		count += __builtin_popcountl(processors[i]);
	return count > 1;
}

static bool memory_map(void)
{
	if (ahead.memory || ahead.is_alone)
		return ahead.memory;
	void *memory = has_processors() ? mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
					: MAP_FAILED;
	ahead.is_alone = memory == MAP_FAILED;
	ahead.memory = ahead.is_alone ? NULL : memory;
	return ahead.memory;
}

static void workers_set_up(const struct tl_block *block)
{
	for (int i = 0; i < WORKERS; i++) {
		struct tl_repeat_hints *hints = &ahead.memory->hints[i];

		hints->list = ahead.memory->list[i];
		hints->room = sizeof(ahead.memory->list[i]) / sizeof(ahead.memory->list[i][0]);
		ahead.memory->encoder[i] = block->encoder;
		ahead.memory->encoder[i].state = ahead.memory->state[i];
		ahead.memory->encoder[i].marks = NULL;
		ahead.memory->encoder[i].hints = block->encoder.hints ? hints : NULL;
	}
}

bool tl_ahead_begin(const struct tl_block *block, const struct tl_sink *sink)
{
	if (!atomic_load_explicit(&ahead.helper, memory_order_relaxed) || !sink->format->touching ||
	    tl_config.split_bytes || tl_config.split_ns || !memory_map())
		return false;
	/* Nobody uses the encoders while nothing is claimed. */
	if (ahead.kept == atomic_load_explicit(&ahead.published, memory_order_relaxed))
		workers_set_up(block);
	return true;
}

bool tl_ahead_has_room(void)
{
	return atomic_load_explicit(&ahead.published, memory_order_relaxed) - ahead.kept < PLACES;
}

void tl_ahead_put(struct tl_part *part)
{
	uint32_t number = atomic_load_explicit(&ahead.published, memory_order_relaxed) + 1;

	if (!number)
		return;
	struct place *place = place_of(number);
	place->from = part->from;
	place->end = part->chunk->end;
	place->tid = part->lane->tid;
	part->ahead = number;
	/* Release: pairs with the acquire in number_claim. */
	atomic_store_explicit(&ahead.published, number, memory_order_release);
}

static bool place_is_ready(uint32_t number, uint32_t *ready)
{
	/* Acquire: pairs with the release in chunk_encode_next. */
	*ready = atomic_load_explicit(&place_of(number)->ready, memory_order_acquire);
	return *ready == number;
}

bool tl_ahead_is_ready(const struct tl_part *part)
{
	uint32_t ready;

	return !part->ahead || place_is_ready(part->ahead, &ready);
}

/* Works on others meanwhile. */
static struct place *place_await(uint32_t number)
{
	struct place *place = place_of(number);
	uint32_t ready;

	while (!place_is_ready(number, &ready))
		if (!chunk_encode_next(WRITER))
			tl_futex_wait(&place->ready, ready, SLICE);
	return place;
}

bool tl_ahead_take(struct tl_block *block, struct tl_part *part)
{
	if (!part->ahead)
		return false;
	struct place *place = place_await(part->ahead);
	struct tl_encoder *encoder = &block->encoder;
	if (!place->whole || encoder->marks->now.open ||
	    !tl_touching_join(encoder->format->touching(encoder), place->tid, &place->seam))
		return false;
	part->to = place->end;
	part->events = place->events;
	if (encoder->hints) {
		block->packed[block->packs++] = (struct tl_packed){place->packed, place->piece};
		tl_block_borrow(block, place->packed, place->piece.size, place->size);
	} else {
		tl_block_borrow(block, place->text, place->size, place->size);
	}
	return true;
}

void tl_ahead_calls(const struct tl_part *part, const struct tl_call_record **first,
		    const struct tl_call_record **last)
{
	*first = place_of(part->ahead)->first;
	*last = place_of(part->ahead)->last;
}

void tl_ahead_kept(struct tl_block *block)
{
	for (unsigned i = 0; i < block->used; i++) {
		if (block->parts[i].ahead)
			ahead.kept = block->parts[i].ahead;
		block->parts[i].ahead = 0;
	}
}

void tl_ahead_stop(void)
{
	uint32_t number, last = atomic_load_explicit(&ahead.published, memory_order_relaxed), ready;

	if (ahead.kept == last)
		return;
	/* What nobody has begun is claimed here, and not encoded. */
	while (number_claim(&number))
		atomic_store_explicit(&place_of(number)->ready, number, memory_order_relaxed);
	for (number = ahead.kept + 1; number != last + 1; number++)
		while (!place_is_ready(number, &ready))
			tl_futex_wait(&place_of(number)->ready, ready, SLICE);
	ahead.kept = last;
}

void tl_ahead_after_fork(void)
{
	if (ahead.memory)
		munmap(ahead.memory, sizeof(*ahead.memory));
	ahead.memory = NULL;
	ahead.kept = 0;
	ahead.is_alone = false;
	atomic_store_explicit(&ahead.helper, 0, memory_order_relaxed);
	atomic_store_explicit(&ahead.published, 0, memory_order_relaxed);
	atomic_store_explicit(&ahead.claimed, 0, memory_order_relaxed);
	atomic_store_explicit(&ahead.bell, 0, memory_order_relaxed);
}
