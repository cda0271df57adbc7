/* SPDX-License-Identifier: MIT */
/*
 * interposer_x86_64.c: the calling convention of x86-64: "System V Application Binary Interface,
 * AMD64 Architecture Processor Supplement", 3.2.3.
 */
#include "gen/emit.h"
#include "gen/interposer_signature.h"

/* The convention's classes of 8 bytes. */
enum passing { NO_CLASS, INTEGER, SSE, SSEUP, X87, X87UP, COMPLEX_X87, MEMORY, UNKNOWN };

static enum passing classes_merge(enum passing a, enum passing b)
{
	if (a == b || b == NO_CLASS)
		return a;
	if (a == NO_CLASS)
		return b;
	if (a == UNKNOWN || b == UNKNOWN)
		return UNKNOWN;
	if (a == MEMORY || b == MEMORY)
		return MEMORY;
	if (a == INTEGER || b == INTEGER)
		return INTEGER;
	if (a >= X87 || b >= X87)
		return MEMORY;
	return SSE;
}

struct classes {
	enum passing of[2];
	enum passing whole; /* UNKNOWN or MEMORY, whatever the parts are */
};

static void class_add(struct classes *classes, uint64_t offset, enum passing passing)
{
	if (offset / 8 < 2)
		classes->of[offset / 8] = classes_merge(classes->of[offset / 8], passing);
}

static void whole_add(struct classes *classes, enum passing passing)
{
	classes->whole = classes_merge(classes->whole, passing);
}

static void type_classify(struct classes *classes, const struct type *type, uint64_t offset);

static void wide_classify(struct classes *classes, const struct type *type, uint64_t offset)
{
	switch (type->wide) {
	case WIDE_LONG_DOUBLE:
		class_add(classes, offset, X87);
		class_add(classes, offset + 8, X87UP);
		break;
	case WIDE_FLOAT128:
		class_add(classes, offset, SSE);
		class_add(classes, offset + 8, SSEUP);
		break;
	case WIDE_FLOAT16:
		class_add(classes, offset, SSE);
		break;
	case WIDE_INT128:
		class_add(classes, offset, INTEGER);
		class_add(classes, offset + 8, INTEGER);
		break;
	case WIDE_COMPLEX:
		if (type->target->wide == WIDE_LONG_DOUBLE)
			whole_add(classes, offset ? MEMORY : COMPLEX_X87);
		else if (type->target->wide)
			whole_add(classes, UNKNOWN);
		for (uint64_t i = 0; i < 2 && !type->target->wide; i++)
			type_classify(classes, type->target, offset + i * type->target->size);
		break;
	case WIDE_VECTOR:
		if (type->size != 8 && type->size != 16)
			whole_add(classes, UNKNOWN);
		class_add(classes, offset, SSE);
		if (type->size == 16)
			class_add(classes, offset + 8, SSEUP);
		break;
	case WIDE_NONE:
		break;
	}
}

/* The end of what a bit-field occupies, in bytes of its struct. */
static void bits_classify(struct classes *classes, const struct variable *member, uint64_t offset)
{
	uint64_t first = 8 * offset + member->bit_offset, last = first + member->bit_width - 1;

	class_add(classes, first / 8, INTEGER);
	class_add(classes, last / 8, INTEGER);
}

static void type_classify(struct classes *classes, const struct type *type, uint64_t offset)
{
	if (!type_is_aggregate(type) && type->kind != TL_KIND_ARRAY && type->align &&
	    offset % type->align)
		whole_add(classes, MEMORY);
	if (type->wide) {
		wide_classify(classes, type, offset);
		return;
	}
	switch (type->kind) {
	case TL_KIND_VOID:
		whole_add(classes, UNKNOWN);
		break;
	case TL_KIND_FLOAT:
		class_add(classes, offset, SSE);
		break;
	case TL_KIND_ARRAY:
		for (uint64_t i = 0; i < type->count; i++)
			type_classify(classes, type->target, offset + i * type->target->size);
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		if (type->incomplete)
			whole_add(classes, UNKNOWN);
		for (size_t i = 0; i < type->nmembers; i++) {
			const struct variable *member = &type->members[i];

			if (member->bit_width)
				bits_classify(classes, member, offset + member->offset);
			else
				type_classify(classes, member->type, offset + member->offset);
		}
		break;
	default:
		class_add(classes, offset, INTEGER);
		if (type->size > 8)
			whole_add(classes, UNKNOWN);
	}
}

/* The class of the whole value, where it has one: UNKNOWN, MEMORY, COMPLEX_X87. */
static enum passing value_classify(const struct type *type, struct classes *classes)
{
	*classes = (struct classes){0};
	/* A larger struct is in memory, unless it is one vector: that depends on options. */
	if (type_is_aggregate(type) && type->size > 16) {
		const struct type *only = type;

		while (type_is_aggregate(only) && only->nmembers &&
		       only->members[0].type->size == only->size)
			only = only->members[0].type;
		return only->wide == WIDE_VECTOR ? UNKNOWN : MEMORY;
	}
	type_classify(classes, type, 0);
	if (classes->whole)
		return classes->whole;
	for (unsigned i = 0; i < 2; i++) {
		if (classes->of[i] == MEMORY || classes->of[i] == UNKNOWN)
			return classes->of[i];
		if (classes->of[i] == X87UP && (!i || classes->of[0] != X87))
			return MEMORY;
		if (classes->of[i] == SSEUP && (!i || (classes->of[0] != SSE)))
			classes->of[i] = SSE;
	}
	return NO_CLASS;
}

static void stack_place(struct build *build, const struct type *type, unsigned words)
{
	uint64_t align = type->align > 8 ? type->align : 8;

	build->stack = (build->stack + align - 1) / align * align;
	for (unsigned i = 0; i < words; i++) {
		signature_add_word(build, TL_PLACE_STACK + (int)(build->stack / 8 + i), 0);
		build->signature->words++;
	}
	build->stack += 8 * (uint64_t)words;
}

static void param_place(struct build *build, const struct type *type)
{
	unsigned words = emit_words(type), first = build->signature->words;
	unsigned integers = 0, vectors = 0;
	struct classes classes;
	enum passing whole = value_classify(type, &classes);

	build->unknown |= whole == UNKNOWN || words > TL_SIGNATURE_WORDS ||
			  first + words > TL_SIGNATURE_WORDS || type->align > 64;
	if (build->unknown || !words)
		return;
	for (unsigned i = 0; i < 2; i++) {
		integers += classes.of[i] == INTEGER;
		vectors += classes.of[i] == SSE;
	}
	if (whole || classes.of[0] == X87 || build->integers + integers > 6 ||
	    build->vectors + vectors > 8) {
		stack_place(build, type, words);
		signature_trim(build, type, first, words);
		return;
	}
	for (unsigned i = 0; i < words; i++) {
		if (classes.of[i] == INTEGER)
			signature_add_word(build, TL_PLACE_X86_INTEGER((int)build->integers++), 0);
		else if (classes.of[i] == SSEUP)
			signature_add_word(build, TL_PLACE_X86_VECTOR((int)build->vectors - 1) + 1,
					   0);
		else if (classes.of[i] == SSE)
			signature_add_word(build, TL_PLACE_X86_VECTOR((int)build->vectors++), 0);
		else /* padding, which is in no register */
			signature_add_word(build, TL_PLACE_X86_INTEGER(0), 0);
		if (classes.of[i] == NO_CLASS)
			build->unknown = true;
		build->signature->words++;
	}
	if (vectors)
		build->signature->flags |= TL_SIGNATURE_VECTORS;
	signature_trim(build, type, first, words);
}

/* The address of the memory that the caller supplies for a result is the first argument. */
static void result_begin(struct build *build, const struct type *type)
{
	struct classes classes;
	enum passing whole = type->kind == TL_KIND_VOID ? NO_CLASS : value_classify(type, &classes);

	build->unknown |= whole == UNKNOWN;
	if (whole != MEMORY)
		return;
	build->integers = 1;
	build->signature->flags |= TL_SIGNATURE_MEMORY;
}

static void result_word(struct build *build, int place)
{
	signature_add_word(build, place, 0);
	build->signature->result_words++;
}

static void result_place(struct build *build, const struct type *type)
{
	unsigned words = emit_words(type), integers = 0, vectors = 0;
	struct tl_signature *signature = build->signature;
	struct classes classes;
	enum passing whole = type->kind == TL_KIND_VOID ? NO_CLASS : value_classify(type, &classes);

	if (!words || build->unknown)
		return;
	if (whole == COMPLEX_X87 || (!whole && classes.of[0] == X87)) {
		signature->flags |= TL_SIGNATURE_WIDE;
		signature->flags |= whole ? TL_SIGNATURE_X87_TWO : TL_SIGNATURE_X87;
		for (int i = 0; i < (int)words; i++)
			result_word(build, TL_PLACE_X86_RESULT_X87(i / 2) + i % 2);
		return;
	}
	for (unsigned i = 0; i < words && i < 2; i++) {
		if (classes.of[i] == INTEGER || whole == MEMORY)
			result_word(build, TL_PLACE_X86_RESULT((int)integers++));
		else if (classes.of[i] == SSEUP)
			result_word(build, TL_PLACE_X86_RESULT_VECTOR((int)vectors - 1) + 1);
		else if (classes.of[i] == SSE)
			result_word(build, TL_PLACE_X86_RESULT_VECTOR((int)vectors++));
		else
			build->unknown = true;
		if (whole == MEMORY)
			break;
	}
	if (whole != MEMORY || words == 1)
		signature_trim(build, type, signature->words, whole == MEMORY ? 1 : words);
}

/* Whether all words are in the integer registers, in their order. */
static bool words_are_integers(const struct tl_signature *signature)
{
	for (unsigned i = 0; i < signature->words; i++)
		if (i >= 6 || signature->word[i].place != TL_PLACE_X86_INTEGER((int)i))
			return false;
	for (unsigned i = 0; i < signature->result_words; i++) {
		int place = signature->word[signature->words + i].place;

		if (place != TL_PLACE_X86_RESULT(0) && place != TL_PLACE_X86_RESULT(1))
			return false;
	}
	return true;
}

/* The wide entry saves vector registers elsewhere: whole. */
static void places_widen(struct tl_signature *signature)
{
	for (unsigned i = 0; i < signature->words + signature->result_words; i++) {
		struct tl_signature_word *word = &signature->word[i];
		int argument = word->place - TL_PLACE_X86_VECTOR(0);
		int result = word->place - TL_PLACE_X86_RESULT_VECTOR(0);

		if (argument >= 0 && argument < 16)
			word->place = (int16_t)(TL_PLACE_X86_WIDE(argument / 2) + argument % 2);
		else if (result == 0 || result == 1)
			word->place = (int16_t)(TL_PLACE_X86_RESULT_WIDE + result);
	}
}

static void entry_choose(struct tl_signature *signature)
{
	const uint16_t others = TL_SIGNATURE_WIDE | TL_SIGNATURE_VECTORS | TL_SIGNATURE_MEMORY;

	if (signature->flags & TL_SIGNATURE_WIDE)
		places_widen(signature);
	else if (!(signature->flags & others) && !signature->stack && words_are_integers(signature))
		signature->flags |= TL_SIGNATURE_INTEGERS;
}

const struct convention convention_x86_64 = {result_begin, param_place, result_place, entry_choose};
