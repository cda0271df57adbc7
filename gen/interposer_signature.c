/* SPDX-License-Identifier: MIT */
/*
 * interposer_signature.c: where a function's parameters and its result are, by the calling
 * convention of the library's machine: what the conventions (interposer_x86_64.c,
 * interposer_aarch64.c) share.
 *
 * Compilers treat some types differently, or as their options say (vectors of more than 16 bytes or
 * of less than 8). A function with such a type has no known signature: its calls are passed on
 * unchanged, and its arguments are not shown.
 */
#include "gen/interposer_signature.h"

#include <elf.h>

#include "gen/allocate.h"
#include "gen/emit.h"

#define BYTES(words) (sizeof(struct tl_signature) + (words) * sizeof(struct tl_signature_word))

size_t signature_size(const struct tl_signature *signature)
{
	return BYTES((size_t)signature->words + signature->result_words);
}

void signature_add_word(struct build *build, int place, unsigned behind)
{
	struct tl_signature *signature = build->signature;
	unsigned n = signature->words + signature->result_words;

	if (n >= TL_SIGNATURE_WORDS || place > INT16_MAX || behind > UINT8_MAX) {
		build->unknown = true;
		return;
	}
	signature->word[n] = (struct tl_signature_word){
		.place = (int16_t)place,
		.behind = (uint8_t)behind,
	};
}

/* Note which bits of the last word belong to a value of this type. */
void signature_trim(struct build *build, const struct type *type, unsigned first, unsigned count)
{
	unsigned rest = (unsigned)(type->size % 8);
	bool is_signed = (type->kind == TL_KIND_INT || type->kind == TL_KIND_CHAR) && !type->wide;

	if (count && rest && !build->unknown)
		build->signature->word[first + count - 1].unused =
			(uint8_t)((64 - 8 * rest) | (is_signed ? TL_WORD_SIGNED : 0));
}

static const struct tl_signature *signature_unknown(void)
{
	struct tl_signature *signature = allocate(BYTES(0));

	signature->flags = TL_SIGNATURE_UNKNOWN | TL_SIGNATURE_WIDE | TL_SIGNATURE_VECTORS;
	return signature;
}

/* They need room where they lie on the stack. Nobody is shown them. */
static void hidden_place(struct build *build, const struct convention *convention, unsigned count)
{
	static const struct type word = {.kind = TL_KIND_UINT, .size = 8, .align = 8};
	uint16_t words = build->signature->words;

	for (unsigned i = 0; i < count && !build->unknown; i++)
		convention->place_param(build, &word);
	build->signature->words = words;
}

/* The first word once more, where the generic entry finds it without counting. */
static void result_describe(struct tl_signature *signature)
{
	if (!signature->result_words)
		return;
	signature->result = signature->word[signature->words];
	signature->result_mask = UINT64_MAX >> (signature->result.unused & 63);
}

const struct tl_signature *signature_of(const struct function *function, uint16_t machine)
{
	const struct convention *convention =
		machine == EM_AARCH64 ? &convention_aarch64 : &convention_x86_64;
	struct build build = {.signature = allocate(BYTES(TL_SIGNATURE_WORDS + 16))};
	struct tl_signature *signature = build.signature;

	if (function->passed)
		return signature_unknown();
	signature->result_size = (uint32_t)function->result->size;
	convention->begin(&build, function->result);
	for (size_t i = 0; i < function->nparams && !build.unknown; i++)
		convention->place_param(&build, function->params[i].type);
	hidden_place(&build, convention, function->nhidden);
	convention->place_result(&build, function->result);
	signature->stack = (uint16_t)(build.stack / 8);
	if (function->variadic)
		signature->flags |=
			TL_SIGNATURE_VARIADIC | TL_SIGNATURE_WIDE | TL_SIGNATURE_VECTORS;
	if (convention->finish)
		convention->finish(signature);
	result_describe(signature);
	return build.unknown ? signature_unknown() : signature;
}
