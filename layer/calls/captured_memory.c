/* SPDX-License-Identifier: MIT */
/*
 * captured_memory.c: see captured_memory.h.
 */
#include "layer/calls/captured_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "format/args/args.h"
#include "format/args/capture_plan.h"
#include "layer/base/cache_near.h"

struct tl_capture_place tl_capture_places[TL_CAPTURE_PLACES];

uint64_t tl_capture_plan_keep(const struct tl_function *function, uint32_t at)
{
	struct tl_capture_place *place = &tl_capture_places[at];
	uint64_t plan = tl_capture_plan_make(function), none = 0;

	if (!atomic_compare_exchange_strong_explicit(&place->plan, &none, plan,
						     memory_order_relaxed, memory_order_relaxed))
		return plan;
	if (tl_capture_is_single(plan) && function->words <= TL_CAPTURE_WORDS) {
		uint64_t blob = tl_capture_blob(plan >> TL_CAPTURE_HEAD);
		uint32_t bytes = (uint32_t)sizeof(blob) + ((uint32_t)blob + 7) / 8 * 8;

		atomic_store_explicit(&place->blob, blob, memory_order_relaxed);
		atomic_store_explicit(&place->sizes, tl_scratch_whole(function, bytes),
				      memory_order_relaxed);
		atomic_store_explicit(&place->single, function, memory_order_release);
	}
	atomic_store_explicit(&place->function, function, memory_order_release);
	return plan;
}

bool tl_scratch_make(struct tl_producer *producer)
{
	void *memory = mmap(NULL, TL_SCRATCH + TL_SCRATCH_HEADS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	producer->scratch = memory;
	return true;
}

/* How many bytes of blobs fit into the scratch from `at` on, and into the call's record. */
static uint32_t scratch_blob_room(const struct tl_function *function, uint32_t at)
{
	uint32_t most = TL_RECORD_MAX - (uint32_t)sizeof(struct tl_call_record) -
			(uint32_t)sizeof(struct tl_cause) - 8 * (uint32_t)function->words -
			(uint32_t)sizeof(struct tl_blob_sizes);
	uint32_t left = at < TL_SCRATCH ? TL_SCRATCH - at : 0;

	return left < most ? left : most;
}

/*
 * Captures at `at`, behind what is in use. It first claims all that it may need, so that a signal
 * handler that comes in between captures behind it. Returns the bytes used.
 */
static uint32_t scratch_capture(struct tl_producer *producer, const struct tl_function *function,
				const uint64_t *words, enum tl_capture_when when, uint32_t at,
				uint32_t room, bool *cut)
{
	producer->scratch_used = at + room;
	atomic_signal_fence(memory_order_seq_cst);
	uint32_t size =
		(uint32_t)tl_args_capture(function, words, when, producer->scratch + at, room, cut);
	atomic_signal_fence(memory_order_seq_cst);
	producer->scratch_used = at + size;
	return size;
}

void tl_scratch_walk_entry(struct tl_producer *producer, struct tl_open_call *open,
			   const struct tl_function *function, const uint64_t *words)
{
	uint32_t at = producer->scratch_used + (uint32_t)sizeof(struct tl_blob_sizes);
	bool cut = false;

	uint32_t size = scratch_capture(producer, function, words, TL_CAPTURE_ENTRY, at,
					scratch_blob_room(function, at), &cut);
	*tl_scratch_sizes(producer, open) = (struct tl_blob_sizes){.entry = size, .exit = cut};
}

bool tl_scratch_capture_result(struct tl_producer *producer, const struct tl_open_call *open,
			       const struct tl_function *function, uint64_t result, bool failed)
{
	struct tl_blob_sizes *sizes = tl_scratch_sizes(producer, open);
	uint32_t at = open->scratch + (uint32_t)sizeof(*sizes) + sizes->entry;
	uint32_t room = scratch_blob_room(function, at);
	int error = failed ? errno : 0;

	room = room > sizes->entry ? room - sizes->entry : 0;
	producer->scratch_used = at + room;
	atomic_signal_fence(memory_order_seq_cst);
	sizes->exit = (uint32_t)tl_args_capture_result(function, result, failed, error,
						       producer->scratch + at, room);
	atomic_signal_fence(memory_order_seq_cst);
	producer->scratch_used = at + sizes->exit;
	return sizes->exit != 0;
}

void tl_scratch_walk_exit(struct tl_producer *producer, const struct tl_open_call *open,
			  const struct tl_function *function, const uint64_t *words,
			  enum tl_capture_when when, bool *cut)
{
	struct tl_blob_sizes *sizes = tl_scratch_sizes(producer, open);
	uint32_t before = sizes->entry + sizes->exit;
	uint32_t at = open->scratch + (uint32_t)sizeof(*sizes) + before;
	uint32_t room = scratch_blob_room(function, at);

	room = room > before ? room - before : 0;
	sizes->exit += scratch_capture(producer, function, words, when, at, room, cut);
}
