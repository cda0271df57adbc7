/* SPDX-License-Identifier: MIT */
/*
 * generic_begin.c: calls through the generic entry that are only recorded: what tl_recorded_enter
 * and tl_recorded_leave (tracelayer/shim.h) are for compiled shims.
 *
 * This file is compiled with -mgeneral-regs-only, so that the entry need not save vector registers
 * around its functions. Words are read from the saved registers at the call's end, straight into
 * the record: a call writes each word twice, as in compiled shims.
 *
 * The short entries of x86-64 do the work of tl_generic_begin and tl_generic_end themselves
 * (generic_entry_x86_64.S): change all together.
 */
#include "layer/calls/generic_call.h"

#include "format/file/record.h"

/* The end of the caller's part of the stack, as TL_STACK gives in a compiled shim's entry. */
static TL_ALWAYS_INLINE uintptr_t stack_of(const struct tl_generic_frame *frame)
{
	return (uintptr_t)frame->stack;
}

void *tl_generic_begin(struct tl_generic_frame *frame)
{
	struct tl_shim *shim = frame->shim;
	uint64_t mode_and_id = atomic_load_explicit(&shim->mode_and_id, memory_order_relaxed);
	struct tl_thread *thread = tl_thread_self();

	if (TL_UNLIKELY((uint32_t)mode_and_id != TL_MODE_FAST &&
			(uint32_t)mode_and_id != TL_MODE_RECORD))
		return NULL;
	if (TL_UNLIKELY(!thread))
		return NULL;
	/* Does what tl_recorded_enter does. */
	struct tl_open_call *open = atomic_load_explicit(&thread->top, memory_order_relaxed);
	if (TL_UNLIKELY(open >= thread->end ||
			atomic_load_explicit(&open[-1].frame, memory_order_relaxed) <
				stack_of(frame)))
		return NULL;
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);
	if (TL_UNLIKELY(!real))
		return NULL;
	atomic_store_explicit(&thread->top, open + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&frame->call = (uintptr_t)open;
	frame->state = TL_GENERIC_RECORDED;
	open->mode_and_function = mode_and_id;
	open->start = tl_counter();
	atomic_store_explicit(&open->frame, (uintptr_t)&frame->call, memory_order_release);
	return real;
}

/* Does what tl_recorded_store does. False: the record did not fit. */
static TL_ALWAYS_INLINE bool record_store(struct tl_generic_frame *frame, struct tl_thread *thread,
					  struct tl_open_call *open,
					  const struct tl_signature *signature, uint64_t result,
					  uint32_t words, uint32_t mode, uint32_t flags)
{
	uint64_t end = tl_counter();
	uint64_t size = 32 + 8 * (uint64_t)words;
	uint64_t at = tl_advance(&thread->position, size);

	if (TL_UNLIKELY(thread->limit - at - size > TL_CHUNK_MAX)) {
		frame->state = TL_GENERIC_FULL;
		frame->at = at;
		frame->end = end;
		return false;
	}
	_Atomic uint64_t *record = (_Atomic uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);
	atomic_store_explicit(record, size / 8, memory_order_relaxed);
	uint64_t start = open->start;
	atomic_store_explicit(&record[1], start, memory_order_relaxed);
	atomic_store_explicit(&record[2], end - start, memory_order_relaxed);
	atomic_store_explicit(&record[3], result, memory_order_relaxed);
	for (uint32_t i = 0; i < words; i++)
		atomic_store_explicit(&record[4 + i], tl_generic_word(frame, signature->word[i]),
				      memory_order_relaxed);
	tl_record_commit((uint64_t *)record,
			 open->mode_and_function - mode + (flags << 24 | 1u << 16 | (4 + words)));
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	atomic_store_explicit(&thread->top, open, memory_order_release);
	return true;
}

/* As in tl_recorded_leave: whether the call is the innermost one of the thread that began it. */
static TL_ALWAYS_INLINE bool call_is_innermost(const struct tl_thread *thread,
					       const struct tl_open_call *open)
{
	return thread && atomic_load_explicit(&thread->top, memory_order_relaxed) == open + 1;
}

/* A call without its words, or one that the library has to end. */
static __attribute__((noinline)) bool other_end(struct tl_generic_frame *frame, uint64_t result)
{
	struct tl_thread *thread = tl_thread_self();
	struct tl_open_call *open = (struct tl_open_call *)frame->call;

	if (!call_is_innermost(thread, open) || (uint32_t)open->mode_and_function != TL_MODE_RECORD)
		return false;
	return record_store(frame, thread, open, NULL, result, 0, TL_MODE_RECORD, 0);
}

bool tl_generic_end(struct tl_generic_frame *frame)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	if (TL_UNLIKELY(frame->state != TL_GENERIC_RECORDED))
		return frame->state == TL_GENERIC_UNWATCHED;
	uint64_t result = tl_generic_result(frame, signature);
	struct tl_thread *thread = tl_thread_self();
	struct tl_open_call *open = (struct tl_open_call *)frame->call;

	if (TL_UNLIKELY(!call_is_innermost(thread, open) ||
			(uint32_t)open->mode_and_function != TL_MODE_FAST))
		return other_end(frame, result);
	return record_store(frame, thread, open, signature, result, signature->words, TL_MODE_FAST,
			    TL_RECORD_WORDS);
}

#if defined(__x86_64__)
struct tl_generic_result tl_generic_end_integers(struct tl_generic_frame *frame, uint64_t result)
{
	if (!other_end(frame, result))
		tl_generic_leave(frame);
	return (struct tl_generic_result){{frame->result[0], frame->result[1]}};
}
#endif
