/* SPDX-License-Identifier: MIT */
/*
 * strings.c: see strings.h.
 *
 * Texts lie one behind the other in pieces of the arena; `places` has the pieces by their index.
 * `tables` are hash tables of numbers, each larger than the one before; the next one is used where a text
 * is not in a table that is full, or not in its slots of the first one. A search begins at the text's hash
 * and ends at the text or at a free slot. At a free slot the thread puts the text into the arena first, and
 * then its number into the slot, by compare and exchange. If another thread has taken the slot meanwhile, the
 * search goes on there. If that slot has the same text, this thread's copy stays in the arena unused. Nothing
 * is ever removed.
 *
 * What the program calls its events must not take the names of kernels, queues and arguments, so some room
 * is the layer's own.
 *
 * Ordered accesses
 *
 *	slot			release with the number, acquire by the reader: the text is there
 *	places[index]		release by the thread that made the piece, acquire by the reader:
 *				it is mapped
 *	tl_strings_unit.size	release, stored last of a text: pairs with the acquire in
 *				tl_strings_since, and is for a reader after a kill
 */
#include "layer/buffers/strings.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "layer/base/environment.h"
#include "layer/base/message.h"
#include "layer/base/shared_table.h"
#include "layer/buffers/arena.h"

/*
 * Most programs have few texts, and each page of a table that is touched costs as much as many texts. So the
 * first table is small. A text is in one of a few slots there, or these are taken by others.
 */
#define TABLES	 4u
#define SLOTS(t) (1u << ((t) ? 16 + 2 * (t) : 12))
#define TRIES(t) ((t) ? SLOTS(t) : 4u)
#define MOST(t)	 (SLOTS(t) / 2) /* texts: the table stays half empty */
#define PIECES	 1024u
#define OWN	 16u /* a part of so many of all units, and of the last table, is the layer's own */
#define PART	 4u  /* all texts take a part of so many of the memory for buffers */
/* units that a piece's head takes */
#define HEAD  ((uint32_t)(sizeof(struct tl_strings_piece) / 8))
#define UNITS (1u << TL_STRINGS_BITS)

static struct {
	_Atomic(void *) slots; /* SLOTS numbers, _Atomic uint32_t */
	_Atomic uint32_t count;
} tables[TABLES];
static _Atomic(struct tl_strings_piece *) places[PIECES];
static _Atomic uint64_t used; /* units of all pieces */
static _Atomic bool refused;  /* a text of the program */

_Static_assert(TL_STRINGS_SIZE % TL_ARENA_UNIT == 0, "pieces are whole pages");

static uint32_t text_hash(const char *text, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return (uint32_t)(hash ^ hash >> 32);
}

/*
 * The piece with that index. If several threads make it at once, one piece is used, and the others
 * stay empty.
 */
static struct tl_strings_piece *piece_at(uint32_t index)
{
	struct tl_strings_piece *piece = atomic_load_explicit(&places[index], memory_order_acquire);

	if (piece)
		return piece;
	struct tl_strings_piece *made = tl_arena_take(TL_PIECE_STRINGS, TL_STRINGS_SIZE);
	if (!made)
		return NULL;
	made->index = index;
	made->first = HEAD;
	if (atomic_compare_exchange_strong_explicit(&places[index], &piece, made,
						    memory_order_acq_rel, memory_order_acquire))
		return made;
	made->index = UINT32_MAX;
	return piece;
}

/*
 * Takes room for so many units, not across the end of a piece. Returns the number of the first; 0:
 * there is no room.
 */
static uint32_t units_take(uint32_t units)
{
	uint64_t at = atomic_load_explicit(&used, memory_order_relaxed), from;

	do {
		from = at;
		if (from % UNITS == 0)
			from += HEAD;
		if (from % UNITS + units > UNITS)
			from = (from / UNITS + 1) * UNITS + HEAD;
		if (from + units > (uint64_t)PIECES * UNITS)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(
		&used, &at, from + units, memory_order_relaxed, memory_order_relaxed));
	return (uint32_t)from;
}

static struct tl_strings_unit *unit_at(uint32_t number)
{
	struct tl_strings_piece *piece =
		number / UNITS < PIECES
			? atomic_load_explicit(&places[number / UNITS], memory_order_acquire)
			: NULL;

	return piece && number % UNITS >= HEAD ? &piece->units[number % UNITS - HEAD] : NULL;
}

/* Whether the units from here to the piece's end stay empty: the next text did not fit there. */
static bool units_are_left_over(uint32_t at)
{
	return UNITS - at % UNITS <= (TL_STRING_MAX + 7) / 8;
}

static uint32_t text_put(const char *text, uint32_t size, uint32_t hash)
{
	uint32_t number = units_take(1 + (size + 7) / 8);

	struct tl_strings_unit *unit = number && piece_at(number / UNITS) ? unit_at(number) : NULL;

	if (!unit)
		return 0;
	memcpy(unit + 1, text, size);
	unit->hash = hash;
	__atomic_store_n(&unit->size, size, __ATOMIC_RELEASE);
	return number;
}

static bool text_is(uint32_t number, const char *text, uint32_t size, uint32_t hash)
{
	const struct tl_strings_unit *unit = unit_at(number);

	return unit->hash == hash && unit->size == size && !memcmp(unit + 1, text, size);
}

/* The text's size, cut to the most that is allowed, at the end of a character. */
static uint32_t text_cut(const char *text, size_t size)
{
	if (size <= TL_STRING_MAX)
		return (uint32_t)size;
	size = TL_STRING_MAX;
	while (size > TL_STRING_MAX - 4 && ((unsigned char)text[size] & 0xc0) == 0x80)
		size--;
	return (uint32_t)size;
}

/* False: there are as many as the table may have, or as the program may put into the last one. */
static bool table_admits(unsigned table, bool of_program)
{
	if (table == 0)
		return true;
	_Atomic uint32_t *count = &tables[table].count;
	uint32_t most = MOST(table);

	if (of_program && table == TABLES - 1)
		most -= most / OWN;
	return atomic_load_explicit(count, memory_order_relaxed) < most;
}

static bool room_is_there(bool of_program)
{
	uint64_t most = (uint64_t)PIECES * UNITS, memory = tl_arena_memory() / PART / 8;

	if (memory < most)
		most = memory;
	if (of_program)
		most -= most / OWN;
	return atomic_load_explicit(&used, memory_order_relaxed) < most;
}

/*
 * Returns UINT32_MAX where the table is full and does not have the text. While one of the large tables
 * becomes full, two threads may put the same text into two tables: then some events have the one number, and
 * some the other.
 */
static uint32_t table_number(unsigned table, const char *text, uint32_t size, uint32_t hash,
			     bool of_program)
{
	const uint32_t slots = SLOTS(table), tries = TRIES(table);
	_Atomic uint32_t *memory = tl_shared_table(&tables[table].slots, slots * sizeof(*memory));
	uint32_t own = 0;

	for (uint32_t i = hash % slots, looked = 0; memory && looked < tries;
	     looked++, i = (i + 1) % slots) {
		uint32_t number = atomic_load_explicit(&memory[i], memory_order_acquire);
		if (!number) {
			if (!own && !table_admits(table, of_program))
				return UINT32_MAX;
			if (!own &&
			    (!room_is_there(of_program) || !(own = text_put(text, size, hash))))
				return 0;
			if (atomic_compare_exchange_strong_explicit(&memory[i], &number, own,
								    memory_order_release,
								    memory_order_acquire)) {
				atomic_fetch_add_explicit(&tables[table].count, 1,
							  memory_order_relaxed);
				return own;
			}
		}
		if (text_is(number, text, size, hash))
			return number;
	}
	return memory && table == 0 ? UINT32_MAX : 0;
}

static uint32_t text_number(const char *text, size_t length, bool of_program)
{
	uint32_t size = text_cut(text, length), hash = text_hash(text, size), number = UINT32_MAX;

	for (unsigned table = 0; size && table < TABLES && number == UINT32_MAX; table++)
		number = table_number(table, text, size, hash, of_program);
	return number == UINT32_MAX ? 0 : number;
}

uint32_t tl_string_number(const char *text, size_t length)
{
	return text_number(text, length, false);
}

uint32_t tl_string_of_program(const char *text, size_t length)
{
	uint32_t number = text_number(text, length, true);

	if (!number && length && !atomic_exchange_explicit(&refused, true, memory_order_relaxed))
		tl_message_say(
			"tracelayer: the program has given too many different texts, so further names of its events are \"?\" in the trace; let names "
			"repeat, and give numbers as arguments\n");
	return number;
}

const char *tl_string_text(uint32_t number, size_t *size)
{
	const struct tl_strings_unit *unit = unit_at(number);

	*size = unit ? __atomic_load_n(&unit->size, __ATOMIC_ACQUIRE) : 0;
	return *size ? (const char *)(unit + 1) : NULL;
}

const struct tl_strings_unit *tl_strings_since(uint32_t *from, uint32_t *units)
{
	uint64_t end = atomic_load_explicit(&used, memory_order_relaxed);
	uint32_t at = *from % UNITS < HEAD ? (*from & ~(UNITS - 1)) + HEAD : *from;

	for (*from = at; at < end && at / UNITS == *from / UNITS;) {
		const struct tl_strings_unit *unit = unit_at(at);
		uint32_t size = unit ? __atomic_load_n(&unit->size, __ATOMIC_ACQUIRE) : 0;
		if (!size)
			break;
		at += 1 + (size + 7) / 8;
	}
	*units = at - *from;
	if (*units)
		return unit_at(*from);
	/* The rest of this piece may be unused: then go on in the next piece. */
	if (at / UNITS < end / UNITS && at / UNITS + 1 < PIECES && units_are_left_over(at)) {
		*from = (at / UNITS + 1) * UNITS;
		return tl_strings_since(from, units);
	}
	return NULL;
}

void tl_strings_after_fork(void)
{
	for (unsigned i = 0; i < TABLES; i++) {
		tl_shared_table_drop(&tables[i].slots, SLOTS(i) * sizeof(uint32_t));
		atomic_store_explicit(&tables[i].count, 0, memory_order_relaxed);
	}
	for (uint32_t i = 0; i < PIECES && atomic_load_explicit(&places[i], memory_order_relaxed);
	     i++)
		atomic_store_explicit(&places[i], NULL, memory_order_relaxed);
	atomic_store_explicit(&used, 0, memory_order_relaxed);
	atomic_store_explicit(&refused, false, memory_order_relaxed);
}
