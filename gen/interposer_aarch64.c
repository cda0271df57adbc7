/* SPDX-License-Identifier: MIT */
/*
 * interposer_aarch64.c: the calling convention of aarch64: "Procedure Call Standard for the Arm
 * 64-bit Architecture", 6.8.
 */
#include "gen/emit.h"
#include "gen/interposer_signature.h"

/* The elements of a homogeneous aggregate: their size and number; count 0: the type is none. */
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
	} else if (type_is_aggregate(type)) {
		members_add(elements, type);
	} else {
		elements->mixed = true;
	}
}

/*
 * A vector of 8 bytes and a double have the same size but are of different kinds; other code tells
 * them apart.
 */
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
		int place = is_result ? TL_PLACE_ARM_RESULT_VECTOR(first + (int)i)
				      : TL_PLACE_ARM_VECTOR(first + (int)i);
		bool pair = elements->size == 4 && i + 1 < elements->count;

		for (int j = 0; j < (elements->size == 16 ? 2 : 1); j++) {
			signature_add_word(build, place + j, pair ? TL_WORD_PAIR : 0);
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
		signature_add_word(build, place + (int)i, 0);
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
		place = TL_PLACE_ARM_INTEGER((int)build->integers++);
	else
		build->stack += 8;
	build->unknown |= words >= TL_WORD_PAIR;
	for (unsigned i = 0; i < words && !build->unknown; i++) {
		signature_add_word(build, place, i + 1);
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
	} else if (type_is_aggregate(type) && type->size > 16) {
		behind_place(build, words);
	} else {
		if (type->align == 16)
			build->integers += build->integers % 2;
		if (build->integers + words <= 8) {
			words_place(build, TL_PLACE_ARM_INTEGER((int)build->integers), words);
			build->integers += words;
		} else {
			build->integers = 8;
			stack_place(build, type, words);
		}
	}
	signature_trim(build, type, first, words);
}

static void result_begin(struct build *build, const struct type *type)
{
	struct elements elements = elements_of(type);

	if (type->kind == TL_KIND_VOID && !type->wide)
		return;
	build->unknown |= elements.unknown;
	if (!elements.count && type_is_aggregate(type) && type->size > 16)
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
			signature_add_word(build, TL_PLACE_ARM_RESULT(i), 0);
			signature->result_words++;
		}
	}
	if (!(signature->flags & TL_SIGNATURE_MEMORY))
		signature_trim(build, type, signature->words, words);
}

const struct convention convention_aarch64 = {result_begin, param_place, result_place, NULL};
