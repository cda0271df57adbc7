/* SPDX-License-Identifier: MIT */
/*
 * generic_call.h: the generic entry: one entry for all functions of all interposers. It works
 * without code that was compiled for the function.
 *
 * An exported stub of an interposer (gen/interposer.c) jumps to the real function while nothing
 * watches its calls. Otherwise it puts its shim's address in a scratch register (r11, x16) and
 * jumps to the entry, which is assembly (generic_entry_x86_64.S, generic_entry_aarch64.S):
 *
 *	1. It saves the argument registers in its frame, struct tl_generic_frame.
 *	2. It calls tl_generic_begin, which does what compiled shims do in their entries. All other
 *	   calls go to tl_generic_enter, after the vector registers are saved and memory for the call
 *	   is taken from the stack.
 *	3. It copies the arguments on the stack, restores all argument registers, and calls the real
 *	   function by a real call: frames, shadow stacks and the processor's prediction of returns
 *	   are as with any other function.
 *	4. It calls tl_generic_end. All other calls go to tl_generic_leave, after the result registers
 *	   are saved. It restores these and returns.
 *
 * The short entries of x86-64, for functions with TL_SIGNATURE_INTEGERS and so many words each, do
 * in place what tl_generic_begin and tl_generic_end do.
 *
 * The whole entry has a landing pad for exceptions, as compiled shims have. It calls
 * tl_generic_unwound.
 *
 * A variadic function, or one without a signature, has arguments that are not known. For these, the
 * entry copies TL_GENERIC_STACK words of the caller's stack, or less if the stack ends before that.
 */
#ifndef TL_LAYER_CALLS_GENERIC_CALL_H
#define TL_LAYER_CALLS_GENERIC_CALL_H

#include <stdbool.h>

#include "common/signature.h"
#include "tracelayer/shim.h"

/* How many words of the caller's stack a function with unknown arguments gets. */
#define TL_GENERIC_STACK 256u

/* tl_generic_frame.state */
enum tl_generic_state {
	TL_GENERIC_UNWATCHED,
	TL_GENERIC_RECORDED,
	TL_GENERIC_CAPTURED, /* recorded, with its words in .memory */
	TL_GENERIC_TRACED,   /* .memory has a struct tl_call */
	TL_GENERIC_FULL, /* recorded, and the record did not fit at .at; the call has returned */
};

/*
 * The entry's data about a call, below its frame pointer. The assembly has the offsets, and
 * common/signature.h has the places.
 */
struct tl_generic_frame {
#if defined(__x86_64__)
	uint64_t result_x87[2][2];    /* st1, st0 */
	uint64_t result_vector[2][2]; /* xmm1, xmm0 */
	uint64_t result[2];	      /* rax, rdx */
	uint64_t vector[8][2];
	uint64_t integer[6];
	uint64_t call; /* like the first word of a compiled shim's array: the open call */
	union {
		uint64_t r10;
		uint64_t at; /* TL_GENERIC_FULL */
	};
	union {
		uint64_t rax;
		uint64_t end; /* TL_GENERIC_FULL */
	};
#elif defined(__aarch64__)
	uint64_t result_vector[4][2]; /* q0 to q3 */
	uint64_t result[2];	      /* x0, x1 */
	uint64_t vector[8][2];
	uint64_t integer[8];
	uint64_t x8;
	union {
		uint64_t x9;
		uint64_t at; /* TL_GENERIC_FULL */
	};
	uint64_t call;
#endif
	uint32_t state; /* enum tl_generic_state */
	uint32_t x87;	/* how many results the function has left in x87's registers */
#if defined(__aarch64__)
	union {
		struct tl_generic_memory *memory;
		uint64_t end; /* TL_GENERIC_FULL */
	};
#else
	struct tl_generic_memory *memory;
#endif
	struct tl_shim *shim;
	/* the frame pointer points here */
	uint64_t outer;
	void *caller;
	uint64_t stack[]; /* the caller's stack: arguments */
};

/* What a call on the slow path needs in addition, on the entry's stack. */
struct tl_generic_memory {
	struct tl_call call;
	uint64_t result[8];
	bool skipped; /* no function was called */
	/* the words of the parameters, then a pointer to each parameter */
	uint64_t words[];
};

/* The code of all entries. They have no C prototype: the shim is in a scratch register. */
extern TL_HIDDEN char tl_generic_entries[], tl_generic_entries_end[];

/* --- called by the assembly alone */

/*
 * Begin a call that is only recorded. Returns the function to call. NULL: the call needs
 * tl_generic_enter, and nothing was done. Neither this function nor tl_generic_end touches a vector
 * register.
 */
TL_HIDDEN void *tl_generic_begin(struct tl_generic_frame *frame);
/* The real function has returned. False: the call needs tl_generic_leave. */
TL_HIDDEN bool tl_generic_end(struct tl_generic_frame *frame);
#if defined(__x86_64__)
/* The values of rax and rdx, as a function returns such a struct. */
struct tl_generic_result {
	uint64_t word[2];
};

/*
 * A recorded call through a short entry has returned, with `result` in the record's form. It was not
 * the innermost call, or its record has no words. Calls tl_generic_leave itself if the call needs
 * it.
 */
TL_HIDDEN struct tl_generic_result tl_generic_end_integers(struct tl_generic_frame *frame,
							   uint64_t result);
#endif

/* Begin any other call. Returns the function to call. NULL: call none. */
TL_HIDDEN void *tl_generic_enter(struct tl_generic_frame *frame, struct tl_generic_memory *memory);
TL_HIDDEN void tl_generic_leave(struct tl_generic_frame *frame);
TL_HIDDEN void tl_generic_unwound(struct tl_generic_frame *frame);
/*
 * How many words of the caller's stack to copy, for a function whose arguments are not all known.
 */
TL_HIDDEN uint64_t tl_generic_stack(const struct tl_generic_frame *frame);

/* --- for both C files */

static TL_ALWAYS_INLINE const struct tl_signature *tl_generic_signature(const struct tl_shim *shim)
{
	return shim->signature;
}

static TL_ALWAYS_INLINE uint64_t tl_generic_at(const struct tl_generic_frame *frame, int place)
{
	return *(const uint64_t *)((intptr_t)&frame->outer + 8 * (intptr_t)place);
}

/* A word without the bits beyond its size. */
static TL_ALWAYS_INLINE uint64_t tl_generic_narrow(uint64_t word, struct tl_signature_word of)
{
	unsigned unused = of.unused & 63;

	/* Most words. These branches cost less than shifts by a variable. */
	if (TL_LIKELY(!of.unused))
		return word;
	if (of.unused == 32)
		return (uint32_t)word;
	if (of.unused == (32 | TL_WORD_SIGNED))
		return (uint64_t)(int64_t)(int32_t)word;
	word <<= unused;
	if (TL_UNLIKELY(of.unused & TL_WORD_SIGNED))
		return (uint64_t)((int64_t)word >> unused);
	return word >> unused;
}

/* Reads a word from memory, but only its own bytes. */
static TL_ALWAYS_INLINE uint64_t tl_generic_read(const void *memory, struct tl_signature_word of)
{
	const uint8_t *bytes = memory;
	unsigned size = 8 - (of.unused & 63) / 8;
	uint64_t word = 0;

	if (TL_LIKELY(size == 8))
		return *(const uint64_t *)memory;
	for (unsigned i = 0; i < size; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

/* A word as it was passed; bits beyond its size may have any value. */
static TL_ALWAYS_INLINE uint64_t tl_generic_raw(const struct tl_generic_frame *frame,
						struct tl_signature_word of)
{
	uint64_t word = tl_generic_at(frame, of.place);

#if defined(__aarch64__)
	if (TL_UNLIKELY(of.behind == TL_WORD_PAIR))
		return (uint32_t)word | tl_generic_at(frame, of.place + 2) << 32;
	if (TL_UNLIKELY(of.behind))
		return tl_generic_read((const uint64_t *)word + of.behind - 1, of);
#endif
	return word;
}

/* A parameter's word, as a compiled shim makes it. */
static TL_ALWAYS_INLINE uint64_t tl_generic_word(const struct tl_generic_frame *frame,
						 struct tl_signature_word of)
{
	return tl_generic_narrow(tl_generic_raw(frame, of), of);
}

/* The result as a record has it: 64 bits, zero-extended from its size. */
static TL_ALWAYS_INLINE uint64_t tl_generic_result(const struct tl_generic_frame *frame,
						   const struct tl_signature *signature)
{
	struct tl_signature_word of = signature->result;

	if (TL_UNLIKELY(signature->flags & TL_SIGNATURE_MEMORY)) {
		if (!signature->result_words)
			return 0;
#if defined(__aarch64__)
		const void *memory = (const void *)frame->x8;
#else
		const void *memory = (const void *)frame->result[0];
#endif
		return tl_generic_read(memory, of) & signature->result_mask;
	}
	return tl_generic_raw(frame, of) & signature->result_mask;
}

#endif
