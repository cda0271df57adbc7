/* SPDX-License-Identifier: MIT */
/*
 * annotation_state.c: see annotation_state.h.
 */
#include "annotations/annotation_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define KEPT_PIECE (64u << 10)

struct annotations *annotations;

static void *memory_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void *annotation_memory(size_t size)
{
	void *memory = memory_map(size);

	if (memory)
		madvise(memory, size, MADV_WIPEONFORK);
	return memory;
}

/*
 * Memory that is kept lies one behind the other in pieces. The first bytes of a piece say how many
 * are used. Threads take theirs by an addition, so that a fork at any time leaves no lock behind.
 */
struct kept_piece {
	_Atomic size_t used;
	_Alignas(16) char bytes[];
};

void *annotation_keep(size_t size)
{
	static _Atomic(struct kept_piece *) current;
	struct kept_piece *piece = atomic_load_explicit(&current, memory_order_acquire);
	const size_t room = KEPT_PIECE - sizeof(*piece);

	size = (size + 15) & ~(size_t)15;
	if (size > room)
		return memory_map(size);
	for (;;) {
		size_t used =
			piece ? atomic_fetch_add_explicit(&piece->used, size, memory_order_relaxed)
			      : room;
		if (used <= room && room - used >= size)
			return piece->bytes + used;
		struct kept_piece *made = memory_map(KEPT_PIECE);
		if (!made)
			return NULL;
		/* Release and acquire: the piece is zero. */
		if (atomic_compare_exchange_strong_explicit(
			    &current, &piece, made, memory_order_acq_rel, memory_order_acquire))
			piece = made;
		else
			munmap(made, KEPT_PIECE);
	}
}

const char *annotation_keep_text(const char *text, size_t size)
{
	char *copy = annotation_keep(size + 1);

	if (copy) {
		memcpy(copy, text, size);
		copy[size] = 0;
	}
	return copy;
}

uint32_t annotation_generation_find(void)
{
	static _Atomic uint32_t last;
	uint32_t none = 0, own = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;

	return atomic_compare_exchange_strong_explicit(&annotations->generation, &none, own,
						       memory_order_relaxed, memory_order_relaxed)
		       ? own
		       : none;
}

uint32_t annotation_number_find(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = tl_guest_number(text, strlen(text));

	atomic_store_explicit(kept, number, memory_order_relaxed);
	return number;
}

const char *annotation_api_name(enum annotation_api api)
{
	static const char *const names[] = {"NVTX", "ITT", "ROCTX"};

	return names[api];
}

uint32_t annotation_category(enum annotation_api api)
{
	static const char *const names[] = {"annotation,nvtx", "annotation,itt",
					    "annotation,roctx"};

	return annotation_number(&annotations->categories[api], names[api]);
}
