/* SPDX-License-Identifier: MIT */
/*
 * args_same.c: see args_same.h. Each value is a letter for its kind and its bytes.
 */
#include "format/args/args_same.h"

static void same_word(struct tl_text *text, char kind, uint64_t value)
{
	char bytes[1 + sizeof(value)] = {kind};

	memcpy(bytes + 1, &value, sizeof(value));
	tl_text_put(text, bytes, sizeof(bytes));
}

/* Both visits take names from the same tables. */
static char *same_begin(struct tl_text *text, const char *name, const char *suffix, bool first)
{
	if (name)
		same_word(text, ':', (uint64_t)(uintptr_t)name);
	else
		tl_text_char(text, ',');
	return NULL;
}

static void same_address(struct tl_text *text, uint64_t value)
{
	same_word(text, 'x', value);
}

static void same_number(struct tl_text *text, uint64_t value, bool is_signed)
{
	same_word(text, 'n', value);
}

static void same_truth(struct tl_text *text, bool value)
{
	tl_text_char(text, value ? 't' : 'f');
}

static void same_none(struct tl_text *text)
{
}

static void same_named(struct tl_text *text, const char *name)
{
	same_word(text, '\'', (uint64_t)(uintptr_t)name);
}

static void same_flags(struct tl_text *text, const struct tl_type *type, uint64_t value)
{
	same_word(text, '|', value);
}

/* All values that are not a number are shown in the same way. */
static void same_real(struct tl_text *text, const struct tl_type *type, const void *place)
{
	uint64_t infinity = type->size == sizeof(float) ? 0xffull << 23 : 0x7ffull << 52;
	uint64_t sign = 1ull << (8 * type->size - 1), bits = 0;

	memcpy(&bits, place, type->size);
	same_word(text, '.', (bits & ~sign) > infinity ? UINT64_MAX : bits);
}

static void same_string(struct tl_text *text, const char *bytes, size_t size, bool more)
{
	tl_text_char(text, '"');
	tl_text_utf8(text, bytes, size);
	tl_text_put(text, more ? "…" : "", more ? sizeof("…") : 1);
}

static void same_remark(struct tl_text *text, const char *bytes, size_t size)
{
	same_string(text, bytes, size, false);
}

const struct tl_sink tl_same_sink = {
	.begin = same_begin,
	.bracket = tl_text_char,
	.address = same_address,
	.number = same_number,
	.truth = same_truth,
	.none = same_none,
	.named = same_named,
	.flags = same_flags,
	.real = same_real,
	.string = same_string,
	.remark = same_remark,
};
