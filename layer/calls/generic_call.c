/* SPDX-License-Identifier: MIT */
/*
 * generic_call.c: calls through the generic entry that need more than a record: memory behind
 * arguments, a first call, tracers, hooks. Also the ends of these calls. See generic_call.h.
 *
 * Tracers and hooks get parameters and results in memory, like the variables of a compiled shim's
 * body. So words are copied there, and back to the saved registers, since callbacks may have
 * changed them.
 */
#include "layer/calls/generic_call.h"

#include <errno.h>
#include <string.h>

#include "format/args/args.h"
#include "layer/base/cache_near.h"
#include "layer/calls/slow_path.h"
#include "layer/calls/stack_memory.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/call_origin.h"

#define PAGE ((uintptr_t)4096)

#if defined(__x86_64__)
/* The assembly has copies of these numbers. */
_Static_assert(offsetof(struct tl_generic_frame, outer) == 304, "the frame's size");
_Static_assert(offsetof(struct tl_generic_frame, integer) == 304 - 96, "where rdi is");
_Static_assert(offsetof(struct tl_generic_frame, vector) == 304 - 224, "where xmm0 is");
_Static_assert(offsetof(struct tl_generic_frame, result) == 304 - 240, "where rax is");
_Static_assert(offsetof(struct tl_generic_frame, shim) == 304 - 8, "where the shim is");
_Static_assert(offsetof(struct tl_generic_frame, memory) == 304 - 16, "where .memory is");
_Static_assert(offsetof(struct tl_generic_frame, state) == 304 - 24, "where .state is");
_Static_assert(offsetof(struct tl_generic_frame, x87) == 304 - 20, "where .x87 is");
_Static_assert(offsetof(struct tl_generic_frame, rax) == 304 - 32, "where al is");
_Static_assert(offsetof(struct tl_generic_frame, r10) == 304 - 40, "where r10 is");
_Static_assert(offsetof(struct tl_generic_frame, call) == 304 - 48, "where the open call is");
_Static_assert(offsetof(struct tl_generic_frame, at) == offsetof(struct tl_generic_frame, r10) &&
		       offsetof(struct tl_generic_frame, end) ==
			       offsetof(struct tl_generic_frame, rax),
	       "where .at and .end are");
_Static_assert(offsetof(struct tl_thread, position) == 0, "where .position is");
_Static_assert(offsetof(struct tl_thread, limit) == 8, "where .limit is");
_Static_assert(offsetof(struct tl_thread, top) == 16, "where .top is");
_Static_assert(offsetof(struct tl_thread, end) == 24, "where .end is");
_Static_assert(offsetof(struct tl_open_call, start) == 0, "where .start is");
_Static_assert(offsetof(struct tl_open_call, mode_and_function) == 8, "where the mode is");
_Static_assert(offsetof(struct tl_open_call, frame) == 16, "where the frame is");
_Static_assert(sizeof(struct tl_open_call) == 32, "the open call's size");
_Static_assert(offsetof(struct tl_shim, real) == 8, "where the real function is");
_Static_assert(offsetof(struct tl_shim, mode_and_id) == 16, "where the shim's mode is");
_Static_assert(TL_MODE_RECORD == 1 && TL_MODE_FAST == 3, "modes that are only recorded");
_Static_assert(TL_GENERIC_RECORDED == 1, "the state of a recorded call");
_Static_assert(TL_GENERIC_FULL == 4, "the state of a call whose record did not fit");
_Static_assert(TL_CHUNK_MAX == 0x40000, "the largest chunk");
_Static_assert(TL_RECORD_WORDS == 1 && TL_RECORD_CALL == 1, "the record's first word");
_Static_assert(sizeof(struct tl_call_record) == 32, "where the record's words are");
_Static_assert(offsetof(struct tl_signature, result_mask) == 16, "where .result_mask is");
_Static_assert(offsetof(struct tl_signature, word) == 24, "where .word is");
_Static_assert(offsetof(struct tl_signature_word, unused) == 2, "where .unused is");
#elif defined(__aarch64__)
_Static_assert(offsetof(struct tl_generic_frame, outer) == 320, "the frame's size");
_Static_assert(offsetof(struct tl_generic_frame, integer) == 320 - 112, "where x0 is");
_Static_assert(offsetof(struct tl_generic_frame, vector) == 320 - 240, "where q0 is");
_Static_assert(offsetof(struct tl_generic_frame, result) == 320 - 256, "where x0 goes");
_Static_assert(offsetof(struct tl_generic_frame, shim) == 320 - 8, "where the shim is");
_Static_assert(offsetof(struct tl_generic_frame, memory) == 320 - 16, "where .memory is");
_Static_assert(offsetof(struct tl_generic_frame, state) == 320 - 24, "where .state is");
_Static_assert(offsetof(struct tl_generic_frame, x8) == 320 - 48, "where x8 is");
_Static_assert(offsetof(struct tl_generic_frame, x9) == 320 - 40, "where x9 is");
#endif
_Static_assert(offsetof(struct tl_shim, signature) == 48, "where the signature is");
_Static_assert(offsetof(struct tl_signature, stack) == 2, "where .stack is");
_Static_assert(offsetof(struct tl_signature, flags) == 4, "where .flags is");
/* The assembly takes this much of the stack, and 16 bytes for each word. */
_Static_assert(sizeof(struct tl_generic_memory) <= 192, "the memory's size");

static uint64_t *place_at(struct tl_generic_frame *frame, int place)
{
	return (uint64_t *)((intptr_t)&frame->outer + 8 * (intptr_t)place);
}

static void words_fill(const struct tl_generic_frame *frame, const struct tl_signature *signature,
		       uint64_t *words)
{
	for (uint32_t i = 0; i < signature->words; i++)
		words[i] = tl_generic_word(frame, signature->word[i]);
}

/* --- recorded, with the memory that arguments point to */

static void *recorded_enter(struct tl_generic_frame *frame, struct tl_generic_memory *memory,
			    uint32_t mode)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	words_fill(frame, signature, memory->words);
	void *real = tl_recorded_enter_words(&frame->call, frame->shim, (uintptr_t)frame->stack,
					     memory->words, mode);
	if (real)
		frame->state = mode == TL_MODE_FAST ? TL_GENERIC_RECORDED : TL_GENERIC_CAPTURED;
	return real;
}

static TL_ALWAYS_INLINE void captured_leave(struct tl_generic_frame *frame)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	frame->state = TL_GENERIC_UNWATCHED;
	tl_recorded_leave_words(&frame->call, tl_generic_result(frame, signature),
				frame->memory->words);
}

/*
 * Room for the function's words on the stack, until the function that asks returns. There is none for
 * the most that a function may have: a signal handler's stack may be small.
 */
#define words_room(signature)                                                                      \
	((uint64_t *)__builtin_alloca(((signature)->words + 1) * sizeof(uint64_t)))

/* So far, nothing needed the call's words. */
static __attribute__((noinline)) void recorded_leave(struct tl_generic_frame *frame)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);
	uint64_t *words = words_room(signature), result = tl_generic_result(frame, signature);
	bool full = frame->state == TL_GENERIC_FULL;

	words_fill(frame, signature, words);
	frame->state = TL_GENERIC_UNWATCHED;
	if (full)
		tl_recorded_leave_full_words(&frame->call, result, frame->at, frame->end, words);
	else
		tl_recorded_leave_words(&frame->call, result, words);
}

static void recorded_unwound(struct tl_generic_frame *frame)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);
	uint64_t *words = words_room(signature);

	words_fill(frame, signature, words);
	frame->state = TL_GENERIC_UNWATCHED;
	tl_recorded_unwound_words(&frame->call, words);
}

/* --- the slow path */

/*
 * Puts back a word that callbacks may have changed. The caller's stack, and a struct that was
 * passed by pointer, belong to the called function, so this may overwrite them.
 */
static void word_put_back(struct tl_generic_frame *frame, struct tl_signature_word of,
			  uint64_t word)
{
	uint64_t *place = place_at(frame, of.place);

	if (of.behind == TL_WORD_PAIR) {
		memcpy(place, &word, 4);
		memcpy(place + 2, (const char *)&word + 4, 4);
	} else if (of.behind) {
		memcpy((uint64_t *)*place + of.behind - 1, &word, 8 - (of.unused & 63) / 8);
	} else if (*place != word) {
		*place = word;
	}
}

static void *result_memory(const struct tl_generic_frame *frame)
{
#if defined(__x86_64__)
	return (void *)tl_generic_at(frame, TL_PLACE_X86_MEMORY);
#else
	return (void *)tl_generic_at(frame, TL_PLACE_ARM_MEMORY);
#endif
}

/* No function is called. A callback may give the result. */
static void result_clear(struct tl_generic_frame *frame, struct tl_generic_memory *memory)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	if (signature->flags & TL_SIGNATURE_MEMORY)
		memset(result_memory(frame), 0, signature->result_size);
	memset(memory->result, 0, sizeof(memory->result));
}

static void result_gather(const struct tl_generic_frame *frame, struct tl_generic_memory *memory)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	for (uint32_t i = 0; i < signature->result_words && i < 8; i++)
		memory->result[i] = tl_generic_raw(frame, signature->word[signature->words + i]);
}

static void result_scatter(struct tl_generic_frame *frame, const struct tl_generic_memory *memory)
{
	const struct tl_signature *signature = tl_generic_signature(frame->shim);

	for (uint32_t i = 0; i < signature->result_words && i < 8; i++)
		word_put_back(frame, signature->word[signature->words + i], memory->result[i]);
}

/* `mode`: the shim's, but for TL_MODE_CALLER where the program makes the call. */
static void *traced_enter(struct tl_generic_frame *frame, struct tl_generic_memory *memory,
			  uint32_t mode)
{
	struct tl_shim *shim = frame->shim;
	const struct tl_signature *signature = tl_generic_signature(shim);
	const struct tl_function *function = shim->function;
	uint64_t *words = memory->words;
	const void **params = (const void **)(words + signature->words);
	bool in_memory = signature->flags & TL_SIGNATURE_MEMORY;

	for (uint32_t i = 0; i < signature->words; i++)
		words[i] = tl_generic_raw(frame, signature->word[i]);
	for (uint32_t i = 0; i < function->count; i++)
		params[i] = words + function->params[i].offset;
	memory->call.shim = shim;
	memory->call.caller = (struct tl_caller){frame->caller, (uintptr_t)frame->stack};
	memory->call.params = (void *const *)params;
	memory->call.result = in_memory ? result_memory(frame) : memory->result;
	result_clear(frame, memory);
	/* From here on an exception ends the call. */
	frame->state = TL_GENERIC_TRACED;
	void *real = tl_call_is_hooked(mode)
			     ? tl_call_enter_hooked(&memory->call, (uint64_t)shim->id << 32 | mode)
			     : tl_call_enter(&memory->call);
	memory->skipped = !real;
	if (!memory->call.shim)
		frame->state = TL_GENERIC_UNWATCHED;
	for (uint32_t i = 0; memory->call.shim && i < signature->words; i++)
		word_put_back(frame, signature->word[i], words[i]);
	return real;
}

static __attribute__((noinline)) void traced_leave(struct tl_generic_frame *frame)
{
	struct tl_generic_memory *memory = frame->memory;
	const struct tl_signature *signature = tl_generic_signature(frame->shim);
	uint64_t *words = words_room(signature);

	for (uint32_t i = 0; i < signature->words; i++)
		words[i] = tl_generic_narrow(memory->words[i], signature->word[i]);
	if (!(signature->flags & TL_SIGNATURE_MEMORY) && !memory->skipped)
		result_gather(frame, memory);
	tl_call_leave(&memory->call, tl_generic_result(frame, signature), words, signature->words);
	frame->state = TL_GENERIC_UNWATCHED;
	if (!(signature->flags & TL_SIGNATURE_MEMORY))
		result_scatter(frame, memory);
}

/* --- what the assembly calls */

static __attribute__((noinline)) void *other_enter(struct tl_generic_frame *frame,
						   struct tl_generic_memory *memory, uint32_t mode)
{
	/* Until then the function's parameters may not be read. */
	if (TL_UNLIKELY(mode & TL_MODE_RESOLVE))
		tl_api_need_of(frame->shim);
	void *real = traced_enter(frame, memory, mode);

	if (real)
		return real;
	memset(frame->result, 0, sizeof(frame->result));
	memset(frame->result_vector, 0, sizeof(frame->result_vector));
#if defined(__x86_64__)
	if (tl_generic_signature(frame->shim)->flags & TL_SIGNATURE_MEMORY)
		frame->result[0] = (uintptr_t)result_memory(frame);
#endif
	return NULL;
}

/* Whether tl_generic_begin left the call to us to find out whose it is. */
static bool mode_is_by_caller(const struct tl_shim *shim)
{
	return atomic_load_explicit(&shim->mode, memory_order_relaxed) & TL_MODE_CALLER;
}

TL_NEAR_CODE void *tl_generic_enter(struct tl_generic_frame *frame,
				    struct tl_generic_memory *memory)
{
	uint32_t mode = atomic_load_explicit(&frame->shim->mode, memory_order_relaxed);
	void *real = NULL;

	frame->memory = memory;
	/* It depends on who makes the call. As a rule, the program does. */
	if (mode & TL_MODE_CALLER && tl_resolve_is_programs(frame->shim, frame->caller))
		mode &= ~(uint32_t)TL_MODE_CALLER;
	if (mode == TL_MODE_CAPTURED || mode == TL_MODE_OPEN ||
	    (mode == TL_MODE_FAST && mode_is_by_caller(frame->shim)))
		real = recorded_enter(frame, memory, mode);
	else if (!mode)
		real = atomic_load_explicit(&frame->shim->real, memory_order_relaxed);
	else if (mode & TL_MODE_CALLER && !(mode & TL_MODE_RESOLVE))
		real = tl_resolve_own(frame->shim, frame->caller);
	return TL_LIKELY(real) ? real : other_enter(frame, memory, mode);
}

TL_NEAR_CODE void tl_generic_leave(struct tl_generic_frame *frame)
{
	if (TL_LIKELY(frame->state == TL_GENERIC_CAPTURED))
		captured_leave(frame);
	else if (frame->state == TL_GENERIC_TRACED)
		traced_leave(frame);
	else if (frame->state != TL_GENERIC_UNWATCHED)
		recorded_leave(frame);
}

void tl_generic_unwound(struct tl_generic_frame *frame)
{
	uint32_t state = frame->state;

	if (state == TL_GENERIC_TRACED) {
		frame->state = TL_GENERIC_UNWATCHED;
		if (frame->memory->call.shim)
			tl_call_unwound(&frame->memory->call);
	} else if (state != TL_GENERIC_UNWATCHED) {
		recorded_unwound(frame);
	}
}

/*
 * All bytes on the arguments' own page can be read. The stack may end with that page, if it is a
 * coroutine's, or if the caller is the first function of its thread. Half of all calls reach beyond
 * their page, and to ask the kernel takes longer than anything else in a call.
 */
uint64_t tl_generic_stack(const struct tl_generic_frame *frame)
{
	uintptr_t from = (uintptr_t)frame->stack, to = from + 8 * TL_GENERIC_STACK;
	uintptr_t page = (from | (PAGE - 1)) + 1;
	int error = errno;
	char byte;

	if (to <= page)
		return TL_GENERIC_STACK;
	bool more =
		tl_stack_is_first(from, to) || tl_checked_copy(&byte, (const void *)page, 1) == 1;
	errno = error;
	return more ? TL_GENERIC_STACK : (page - from) / 8;
}
