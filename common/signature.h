/* SPDX-License-Identifier: MIT */
/*
 * signature.h: where a function's parameters and its result are, by the machine's calling
 * convention.
 *
 * `tracegen interposer` writes a signature for each function of an interposer. The generic entry
 * (layer/calls/generic_call.h) reads it: one entry serves all functions, so it needs this
 * description of what a compiled shim knows from its own parameters.
 *
 * A place is a number of 8 bytes from the entry's frame pointer: places from 2 on are arguments on
 * the caller's stack, negative ones are the registers that the entry has saved. TL_PLACE_* below
 * name them. They are a part of what TL_GENERIC_ABI stands for.
 */
#ifndef TL_COMMON_SIGNATURE_H
#define TL_COMMON_SIGNATURE_H

#include <stdint.h>

/* tl_shim_library.abi of an interposer: its shims have a signature instead of .invoke. */
#define TL_GENERIC_ABI 0x10007

enum tl_signature_flag {
	/* arguments may be in vector registers */
	TL_SIGNATURE_VECTORS = 1,
	/*
	 * the wide entry serves it: arguments wider than 16 bytes in vector registers, a result
	 * there or in x87's registers, or arguments that are not known
	 */
	TL_SIGNATURE_WIDE = 2,
	/* more arguments than those that are known may be on the stack */
	TL_SIGNATURE_VARIADIC = 4,
	/* nothing is known of its parameters and its result */
	TL_SIGNATURE_UNKNOWN = 8,
	/* the result is in memory that the caller supplies */
	TL_SIGNATURE_MEMORY = 16,
	/* the result is in x87's registers: in one, or in two */
	TL_SIGNATURE_X87 = 32,
	TL_SIGNATURE_X87_TWO = 64,
	/*
	 * a short entry serves it, one for each number of words: the parameters' words are in the
	 * integer registers, in order, and the result is in such registers, too. Not on aarch64,
	 * where one entry serves all
	 */
	TL_SIGNATURE_INTEGERS = 128,
};

/* No parameter of a function with a signature has more words; nor has a parameter's struct. */
#define TL_SIGNATURE_WORDS 256u

/* A word of a parameter, or of the result. */
struct tl_signature_word {
	int16_t place;
	/* upper bits that the value does not use; with TL_WORD_SIGNED they get the sign */
	uint8_t unused;
	/*
	 * 0: it is at its place. TL_WORD_PAIR: its lower half is there, and its upper half in the
	 * next vector register. Otherwise a pointer to a struct is there, and this is the word
	 * behind it, counted from 1. Not on x86-64
	 */
	uint8_t behind;
};
#define TL_WORD_PAIR   255u
#define TL_WORD_SIGNED 0x80u

struct tl_signature {
	uint16_t words; /* of all parameters; as tl_function.words */
	uint16_t stack; /* 8-byte units of known arguments on the stack */
	uint16_t flags; /* enum tl_signature_flag */
	uint8_t result_words;
	uint8_t reserved;
	uint32_t result_size; /* bytes */
	/* the result's first word, and the bits that the value uses: no bit if there is no result */
	struct tl_signature_word result;
	uint64_t result_mask;
	/* the parameters' words, then those of the result */
	struct tl_signature_word word[];
};

/* Arguments on the stack begin here. */
#define TL_PLACE_STACK 2

/* x86-64: rdi, rsi, rdx, rcx, r8, r9; xmm0 to xmm7, two each; results in rax, rdx, xmm0, xmm1 */
#define TL_PLACE_X86_INTEGER(n)	      ((n)-12)
#define TL_PLACE_X86_VECTOR(n)	      (2 * (n)-28)
#define TL_PLACE_X86_RESULT(n)	      ((n)-30)
#define TL_PLACE_X86_RESULT_VECTOR(n) (-32 - 2 * (n))
/* st0, st1: two each */
#define TL_PLACE_X86_RESULT_X87(n) (-36 - 2 * (n))
/* of the wide entry: zmm0 to zmm7, and zmm0 as a result, eight each */
#define TL_PLACE_X86_WIDE(n)	 (8 * (n)-110)
#define TL_PLACE_X86_RESULT_WIDE (-46)
/* where the address of the memory for a result is: rdi */
#define TL_PLACE_X86_MEMORY (-12)

/* aarch64: x0 to x7; q0 to q7, two each; results in x0, x1 and in q0 to q3; x8 */
#define TL_PLACE_ARM_INTEGER(n)	      ((n)-14)
#define TL_PLACE_ARM_VECTOR(n)	      (2 * (n)-30)
#define TL_PLACE_ARM_RESULT(n)	      ((n)-32)
#define TL_PLACE_ARM_RESULT_VECTOR(n) (2 * (n)-40)
#define TL_PLACE_ARM_MEMORY	      (-6)

#endif
