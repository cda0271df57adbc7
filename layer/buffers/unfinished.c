/* SPDX-License-Identifier: MIT */
/*
 * unfinished.c: see unfinished.h.
 *
 * Ordered accesses
 *
 *	tl_thread.top, tl_open_call.frame	acquire: pair with the releases of layer/calls/open_calls.h
 *	a fence					acquire: call_read
 *	tl_producer.current			acquire: pairs with the release in current_chunk.c
 */
#include "layer/buffers/unfinished.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "format/file/record_words.h"

/*
 * A copy of an entry that its thread may be taking off or using again. The thread clears .frame before it
 * changes the rest, and stores it after that. So what lies between two equal reads of .frame and
 * .start belongs together (on arm64, the function may be that of a call that begins just now). Without
 * TSan: the thread's own stores are plain ones.
 */
static __attribute__((no_sanitize("thread"))) bool call_read(const struct tl_open_call *open,
							     struct tl_open_call *copy)
{
	uintptr_t frame = atomic_load_explicit(&open->frame, memory_order_acquire);

	copy->start = __atomic_load_n(&open->start, __ATOMIC_RELAXED);
	copy->mode_and_function = __atomic_load_n(&open->mode_and_function, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_acquire);
	return copy->start && tl_piece_call_is_open(frame, copy->mode) &&
	       atomic_load_explicit(&open->frame, memory_order_relaxed) == frame &&
	       __atomic_load_n(&open->start, __ATOMIC_RELAXED) == copy->start;
}

static void calls_take(struct tl_unfinished_calls *calls)
{
	const struct tl_thread_piece *piece = calls->producer->piece;
	const struct tl_open_call *top =
		atomic_load_explicit(&calls->producer->thread.top, memory_order_acquire);
	const uint32_t most = sizeof(calls->calls) / sizeof(calls->calls[0]);
	struct tl_open_call copy;

	for (const struct tl_open_call *open = piece->open; open < top && calls->count < most;
	     open++)
		if (call_read(open, &copy))
			calls->calls[calls->count++] = (struct tl_unfinished){
				copy.start, copy.function, tl_piece_stack(piece, open)};
}

static void calls_leave_out(struct tl_unfinished_calls *calls, const struct tl_call_record *record)
{
	for (uint32_t i = calls->count; i-- > 0;) {
		struct tl_unfinished *call = &calls->calls[i];
		if (call->start != record->start || call->function != record->function)
			continue;
		memmove(call, call + 1, (--calls->count - i) * sizeof(*call));
		return;
	}
}

/*
 * The thread may have been interrupted between a call's record and the end of its entry. Then the
 * record lies in the chunk that the thread records to: to change the chunk, the thread must make
 * another call first.
 */
static void calls_leave_out_recorded(struct tl_unfinished_calls *calls)
{
	const struct tl_chunk *chunk =
		atomic_load_explicit(&calls->producer->current, memory_order_acquire);
	const char *end = chunk ? chunk->memory + chunk->room : NULL;

	for (const char *at = chunk ? chunk->memory : NULL;
	     calls->count && end - at >= (ptrdiff_t)sizeof(struct tl_call_record);) {
		uint64_t word = tl_record_first_word(at);
		if (tl_record_type_of(word) == TL_RECORD_CALL)
			calls_leave_out(calls, (const void *)at);
		at += tl_record_step(word);
	}
}

bool tl_buffer_unfinished(const struct tl_producer *producer, struct tl_unfinished_calls *calls)
{
	calls->producer = producer;
	calls->count = 0;
	/* .lane 0: this is no thread's. */
	if (!__atomic_load_n(&producer->lane, __ATOMIC_RELAXED) ||
	    tl_buffer_is_stale(&producer->thread) ||
	    atomic_load_explicit(&producer->ended, memory_order_relaxed))
		return false;
	calls_take(calls);
	calls_leave_out_recorded(calls);
	return calls->count;
}
