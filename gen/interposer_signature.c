/* SPDX-License-Identifier: MIT */
/*
 * interposer_signature.c: where a function's parameters and its result are: the calling conventions
 * of "System V Application Binary Interface, AMD64 Architecture Processor Supplement", 3.2.3, and
 * of "Procedure Call Standard for the Arm 64-bit Architecture", 6.8.
 *
 * What compilers do differently, or by their options (vectors of more than 16 bytes, of less than
 * 8), makes the function's signature unknown: it is passed on as it is, and its arguments aren't
 * shown.
 */
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"
#include "gen/interposer.h"

/* The convention's classes of 8 bytes. */
enum passing { NO_CLASS, INTEGER, SSE, SSEUP, X87, X87UP, COMPLEX_X87, MEMORY, UNKNOWN };

struct build {
	struct tl_signature *signature;
	unsigned integers, vectors; /* registers in use */
	uint64_t stack;		    /* bytes in use */
	bool unknown;
};

#define BYTES(words) (sizeof(struct tl_signature) + (words) * sizeof(struct tl_signature_word))

size_t signature_size(const struct tl_signature *signature)
{
	return BYTES((size_t)signature->words + signature->result_words);
}

static void word_add(struct build *build, int place, unsigned behind)
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

/* The last word of a value of that type: which of its bits are the value's. */
static void word_trim(struct build *build, const struct type *type, unsigned first, unsigned count)
{
	unsigned rest = (unsigned)(type->size % 8);
	bool is_signed = (type->kind == TL_KIND_INT || type->kind == TL_KIND_CHAR) && !type->wide;

	if (count && rest && !build->unknown)
		build->signature->word[first + count - 1].unused =
			(uint8_t)((64 - 8 * rest) | (is_signed ? TL_WORD_SIGNED : 0));
}

static bool is_aggregate(const struct type *type)
{
	return type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION;
}

#if defined(__x86_64__)

static enum passing merge(enum passing a, enum passing b)
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
		classes->of[offset / 8] = merge(classes->of[offset / 8], passing);
}

static void whole_add(struct classes *classes, enum passing passing)
{
	classes->whole = merge(classes->whole, passing);
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
	if (!is_aggregate(type) && type->kind != TL_KIND_ARRAY && type->align &&
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
static enum passing classify(const struct type *type, struct classes *classes)
{
	*classes = (struct classes){0};
	/* A larger struct is in memory, unless it is one vector: that depends on options. */
	if (is_aggregate(type) && type->size > 16) {
		const struct type *only = type;

		while (is_aggregate(only) && only->nmembers &&
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
		word_add(build, TL_PLACE_STACK + (int)(build->stack / 8 + i), 0);
		build->signature->words++;
	}
	build->stack += 8 * (uint64_t)words;
}

static void param_place(struct build *build, const struct type *type)
{
	unsigned words = emit_words(type), first = build->signature->words;
	unsigned integers = 0, vectors = 0;
	struct classes classes;
	enum passing whole = classify(type, &classes);

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
		word_trim(build, type, first, words);
		return;
	}
	for (unsigned i = 0; i < words; i++) {
		if (classes.of[i] == INTEGER)
			word_add(build, TL_PLACE_INTEGER((int)build->integers++), 0);
		else if (classes.of[i] == SSEUP)
			word_add(build, TL_PLACE_VECTOR((int)build->vectors - 1) + 1, 0);
		else if (classes.of[i] == SSE)
			word_add(build, TL_PLACE_VECTOR((int)build->vectors++), 0);
		else /* padding: nobody's, in no register */
			word_add(build, TL_PLACE_INTEGER(0), 0);
		if (classes.of[i] == NO_CLASS)
			build->unknown = true;
		build->signature->words++;
	}
	if (vectors)
		build->signature->flags |= TL_SIGNATURE_VECTORS;
	word_trim(build, type, first, words);
}

/* Says where the caller supplies the memory for the result; before the parameters. */
static bool result_is_memory(struct build *build, const struct type *type)
{
	struct classes classes;
	enum passing whole = type->kind == TL_KIND_VOID ? NO_CLASS : classify(type, &classes);

	build->unknown |= whole == UNKNOWN;
	if (whole != MEMORY)
		return false;
	build->integers = 1;
	build->signature->flags |= TL_SIGNATURE_MEMORY;
	return true;
}

static void result_word(struct build *build, int place)
{
	word_add(build, place, 0);
	build->signature->result_words++;
}

static void result_place(struct build *build, const struct type *type)
{
	unsigned words = emit_words(type), integers = 0, vectors = 0;
	struct tl_signature *signature = build->signature;
	struct classes classes;
	enum passing whole = type->kind == TL_KIND_VOID ? NO_CLASS : classify(type, &classes);

	if (!words || build->unknown)
		return;
	if (whole == COMPLEX_X87 || (!whole && classes.of[0] == X87)) {
		signature->flags |= TL_SIGNATURE_WIDE;
		signature->flags |= whole ? TL_SIGNATURE_X87_TWO : TL_SIGNATURE_X87;
		for (int i = 0; i < (int)words; i++)
			result_word(build, TL_PLACE_RESULT_X87(i / 2) + i % 2);
		return;
	}
	for (unsigned i = 0; i < words && i < 2; i++) {
		if (classes.of[i] == INTEGER || whole == MEMORY)
			result_word(build, TL_PLACE_RESULT((int)integers++));
		else if (classes.of[i] == SSEUP)
			result_word(build, TL_PLACE_RESULT_VECTOR((int)vectors - 1) + 1);
		else if (classes.of[i] == SSE)
			result_word(build, TL_PLACE_RESULT_VECTOR((int)vectors++));
		else
			build->unknown = true;
		if (whole == MEMORY)
			break;
	}
	if (whole != MEMORY || words == 1)
		word_trim(build, type, signature->words, whole == MEMORY ? 1 : words);
}

/* The wide entry saves vector registers elsewhere: whole. */
static void places_widen(struct tl_signature *signature)
{
	for (unsigned i = 0; i < signature->words + signature->result_words; i++) {
		struct tl_signature_word *word = &signature->word[i];
		int argument = word->place - TL_PLACE_VECTOR(0);
		int result = word->place - TL_PLACE_RESULT_VECTOR(0);

		if (argument >= 0 && argument < 16)
			word->place = (int16_t)(TL_PLACE_WIDE(argument / 2) + argument % 2);
		else if (result == 0 || result == 1)
			word->place = (int16_t)(TL_PLACE_RESULT_WIDE + result);
	}
}

#elif defined(__aarch64__)

/* The elements of a homogeneous aggregate: of what size, and how many; count 0: it is none. */
struct elements {
	uint64_t size;
	unsigned count;
	bool mixed, unknown;
};

static void elements_add(struct elements *elements, const struct type *type);

static void element_add(struct elements *elements, uint64_t size)
{
	elements->mixed |= elements->count && elements->size != size;
	elements->size = size;
	elements->count++;
}

static void members_add(struct elements *elements, const struct type *type)
{
	unsigned before = elements->count, most = before;

	elements->mixed |= !type->nmembers;
	for (size_t i = 0; i < type->nmembers; i++) {
		if (type->kind == TL_KIND_UNION)
			elements->count = before;
		elements->mixed |= type->members[i].bit_width != 0;
		elements_add(elements, type->members[i].type);
		most = elements->count > most ? elements->count : most;
	}
	elements->count = most;
}

static void elements_add(struct elements *elements, const struct type *type)
{
	bool is_vector = type->wide == WIDE_VECTOR;

	elements->unknown |= (type->kind == TL_KIND_VOID && !type->wide) || type->incomplete ||
			     (is_vector && type->size != 8 && type->size != 16);
	if (type->wide == WIDE_COMPLEX) {
		element_add(elements, type->target->size);
		element_add(elements, type->target->size);
	} else if (is_vector || type->kind == TL_KIND_FLOAT || type->wide == WIDE_FLOAT16) {
		element_add(elements, type->size);
	} else if (type->kind == TL_KIND_ARRAY) {
		for (uint64_t i = 0; i < type->count && elements->count <= 4; i++)
			elements_add(elements, type->target);
	} else if (is_aggregate(type)) {
		members_add(elements, type);
	} else {
		elements->mixed = true;
	}
}

/* A vector of 8 bytes and a double are of one size, and not of one kind: told apart elsewhere. */
static struct elements elements_of(const struct type *type)
{
	struct elements elements = {0};

	elements_add(&elements, type);
	if (elements.mixed || elements.count > 4 || elements.size * elements.count != type->size)
		elements.count = 0;
	return elements;
}

/* A value in the vector registers from `first` on: each element has one of its own. */
static void vectors_place(struct build *build, const struct elements *elements, int first,
			  bool is_result)
{
	for (unsigned i = 0; i < elements->count; i++) {
		int place = is_result ? TL_PLACE_RESULT_VECTOR(first + (int)i)
				      : TL_PLACE_VECTOR(first + (int)i);
		bool pair = elements->size == 4 && i + 1 < elements->count;

		for (int j = 0; j < (elements->size == 16 ? 2 : 1); j++) {
			word_add(build, place + j, pair ? TL_WORD_PAIR : 0);
			if (is_result)
				build->signature->result_words++;
			else
				build->signature->words++;
		}
		i += pair;
	}
	build->unknown |= elements->size < 4 && elements->count > 1;
}

static void words_place(struct build *build, int place, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		word_add(build, place + (int)i, 0);
		build->signature->words++;
	}
}

static void stack_place(struct build *build, const struct type *type, unsigned words)
{
	uint64_t align = type->align > 8 ? 16 : 8;

	build->stack = (build->stack + align - 1) / align * align;
	words_place(build, TL_PLACE_STACK + (int)(build->stack / 8), words);
	build->stack += 8 * (uint64_t)words;
}

/* A pointer to the caller's copy is passed in its place. */
static void behind_place(struct build *build, unsigned words)
{
	int place = TL_PLACE_STACK + (int)(build->stack / 8);

	if (build->integers < 8)
		place = TL_PLACE_INTEGER((int)build->integers++);
	else
		build->stack += 8;
	build->unknown |= words >= TL_WORD_PAIR;
	for (unsigned i = 0; i < words && !build->unknown; i++) {
		word_add(build, place, i + 1);
		build->signature->words++;
	}
}

static void param_place(struct build *build, const struct type *type)
{
	unsigned words = emit_words(type), first = build->signature->words;
	struct elements elements = elements_of(type);

	build->unknown |=
		elements.unknown || first + words > TL_SIGNATURE_WORDS || type->align > 16;
	if (build->unknown || !words)
		return;
	if (elements.count && build->vectors + elements.count <= 8) {
		vectors_place(build, &elements, (int)build->vectors, false);
		build->vectors += elements.count;
		build->signature->flags |= TL_SIGNATURE_VECTORS;
	} else if (elements.count) {
		build->vectors = 8;
		stack_place(build, type, words);
	} else if (is_aggregate(type) && type->size > 16) {
		behind_place(build, words);
	} else {
		if (type->align == 16)
			build->integers += build->integers % 2;
		if (build->integers + words <= 8) {
			words_place(build, TL_PLACE_INTEGER((int)build->integers), words);
			build->integers += words;
		} else {
			build->integers = 8;
			stack_place(build, type, words);
		}
	}
	word_trim(build, type, first, words);
}

static void result_is_memory(struct build *build, const struct type *type)
{
	struct elements elements = elements_of(type);

	if (type->kind == TL_KIND_VOID && !type->wide)
		return;
	build->unknown |= elements.unknown;
	if (!elements.count && is_aggregate(type) && type->size > 16)
		build->signature->flags |= TL_SIGNATURE_MEMORY;
}

static void result_place(struct build *build, const struct type *type)
{
	unsigned words = type->kind == TL_KIND_VOID ? 0 : emit_words(type);
	struct tl_signature *signature = build->signature;
	struct elements elements = elements_of(type);

	if (!words || build->unknown)
		return;
	if (signature->flags & TL_SIGNATURE_MEMORY)
		words = 1;
	if (elements.count) {
		vectors_place(build, &elements, 0, true);
	} else {
		for (int i = 0; i < (int)words; i++) {
			word_add(build, TL_PLACE_RESULT(i), 0);
			signature->result_words++;
		}
	}
	if (!(signature->flags & TL_SIGNATURE_MEMORY))
		word_trim(build, type, signature->words, words);
}

/* One entry serves all. */
static void places_widen(struct tl_signature *signature)
{
	(void)signature;
}

#endif

static const struct tl_signature *signature_unknown(void)
{
	struct tl_signature *signature = allocate(BYTES(0));

	signature->flags = TL_SIGNATURE_UNKNOWN | TL_SIGNATURE_WIDE | TL_SIGNATURE_VECTORS;
	return signature;
}

const struct tl_signature *signature_of(const struct function *function)
{
	struct build build = {.signature = allocate(BYTES(TL_SIGNATURE_WORDS + 16))};
	struct tl_signature *signature = build.signature;

	if (function->passed)
		return signature_unknown();
	signature->result_size = (uint32_t)function->result->size;
	result_is_memory(&build, function->result);
	for (size_t i = 0; i < function->nparams && !build.unknown; i++)
		param_place(&build, function->params[i].type);
	result_place(&build, function->result);
	signature->stack = (uint16_t)(build.stack / 8);
	if (function->variadic)
		signature->flags |=
			TL_SIGNATURE_VARIADIC | TL_SIGNATURE_WIDE | TL_SIGNATURE_VECTORS;
	if (signature->flags & TL_SIGNATURE_WIDE)
		places_widen(signature);
	return build.unknown ? signature_unknown() : signature;
}
