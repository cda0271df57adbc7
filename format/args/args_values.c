/* SPDX-License-Identifier: MIT */
/*
 * args_values.c: see args_values.h.
 */
#include "format/args/args_values.h"

#include "format/args/args_walk.h"

/* Whether JSON needs this integer as a string. */
static void print_quote(struct tl_text *text, bool exact)
{
	if (!exact)
		tl_text_char(text, '"');
}

void tl_value_print_hex(struct tl_text *text, uint64_t value, bool exact)
{
	print_quote(text, exact);
	tl_text_hex(text, value);
	print_quote(text, exact);
}

static uint64_t low_bytes(uint64_t value, uint32_t size)
{
	return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

static const char *enumerator_search(const struct tl_type *type, uint64_t value)
{
	uint32_t low = 0, high = type->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (type->enumerators[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < type->count && type->enumerators[low].value == value
		       ? type->enumerators[low].name
		       : NULL;
}

/* The tables hold negative values sign-extended; `value` is the type's bytes alone. */
const char *tl_enumerator_name(const struct tl_type *type, uint64_t value)
{
	const char *name = enumerator_search(type, value);

	if (!name && type->size < 8)
		name = enumerator_search(type, value | ~low_bytes(~0ull, type->size));
	return name;
}

static void print_enum(struct tl_text *text, const struct tl_type *type, uint64_t value, bool exact)
{
	const char *name = tl_enumerator_name(type, value);

	if (name) {
		tl_text_char(text, exact ? '\'' : '"');
		tl_text_string(text, name);
		tl_text_char(text, exact ? '\'' : '"');
		return;
	}
	/* -1 rather than 4294967295 where the type has negative values, as error codes do. */
	for (uint32_t i = 0; i < type->count; i++)
		if ((int64_t)type->enumerators[i].value < 0 && type->size < 8) {
			unsigned unused = 64 - 8 * type->size;
			tl_text_integer(text, (uint64_t)((int64_t)(value << unused) >> unused),
					true);
			return;
		}
	tl_text_integer(text, value, false);
}

static void print_no_flags(struct tl_text *text, const struct tl_type *type, char quote)
{
	for (uint32_t i = 0; i < type->count; i++) {
		if (type->enumerators[i].value)
			continue;
		tl_text_char(text, quote);
		tl_text_string(text, type->enumerators[i].name);
		tl_text_char(text, quote);
		return;
	}
	tl_text_char(text, '0');
}

static void print_flags(struct tl_text *text, const struct tl_type *type, uint64_t value,
			bool exact)
{
	char quote = exact ? '\'' : '"';
	uint64_t rest = value;

	if (!value) {
		print_no_flags(text, type, quote);
		return;
	}
	tl_text_char(text, quote);
	for (uint32_t i = 0; i < type->count && rest; i++) {
		uint64_t bits = low_bytes(type->enumerators[i].value, type->size);

		if (!bits || (rest & bits) != bits)
			continue;
		if (rest != value)
			tl_text_char(text, '|');
		tl_text_string(text, type->enumerators[i].name);
		rest &= ~bits;
	}
	if (rest) {
		if (rest != value)
			tl_text_char(text, '|');
		tl_text_hex(text, rest);
	}
	tl_text_char(text, quote);
}

static void print_char(struct tl_text *text, char c)
{
	if (c < 0x20 || c == 0x7f) {
		tl_text_signed(text, c);
		return;
	}
	tl_text_char(text, '"');
	tl_text_escape(text, &c, 1);
	tl_text_char(text, '"');
}

/* The bits of a double of the same value. */
static void print_bits(struct tl_text *text, const struct tl_type *type, const char *bytes)
{
	uint64_t bits = tl_double_bits(type, bytes);

	tl_text_char(text, '#');
	for (int shift = 60; shift >= 0; shift -= 4)
		tl_text_char(text, "0123456789abcdef"[bits >> shift & 15]);
}

static void print_floating(struct tl_text *text, const struct tl_type *type, const char *bytes,
			   bool exact)
{
	uint64_t bits = 0;

	if (exact && (type->size == 4 || type->size == 8)) {
		print_bits(text, type, bytes);
		return;
	}
	memcpy(&bits, bytes, type->size < 8 ? type->size : 8);
	if (type->size == 4)
		tl_text_float(text, (uint32_t)bits);
	else if (type->size == 8)
		tl_text_double(text, bits);
	else
		tl_value_print_bytes(text, bytes, type->size, false);
}

void tl_value_print_integer(struct tl_text *text, const struct tl_type *type, uint64_t value,
			    bool exact)
{
	uint64_t low = low_bytes(value, type->size);

	switch (type->kind) {
	case TL_KIND_BOOL:
		if (low > 1)
			tl_text_integer(text, low, false);
		else
			tl_text_string(text, low ? "true" : "false");
		break;
	case TL_KIND_INT:
		tl_text_integer(text, value, true);
		break;
	case TL_KIND_ENUM:
		print_enum(text, type, low, exact);
		break;
	case TL_KIND_FLAGS:
		print_flags(text, type, low, exact);
		break;
	default:
		tl_text_integer(text, low, false);
	}
}

void tl_value_print_as(struct tl_text *text, const struct tl_type *type, const void *value,
		       bool exact)
{
	struct tl_text out = {text->at, text->end, false};

	switch (type->kind) {
	case TL_KIND_VOID:
		tl_text_string(&out, "null");
		break;
	case TL_KIND_CHAR:
		print_char(&out, *(const char *)value);
		break;
	case TL_KIND_FLOAT:
		print_floating(&out, type, value, exact);
		break;
	case TL_KIND_HANDLE:
		tl_value_print_hex(&out, load_integer(type, value), exact);
		break;
	case TL_KIND_POINTER:
	case TL_KIND_FUNCTION:
		tl_value_print_hex(&out, load_pointer(value), exact);
		break;
	case TL_KIND_ARRAY:
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		tl_value_print_bytes(&out, value, type->size, false);
		break;
	default:
		tl_value_print_integer(&out, type, load_integer(type, value), exact);
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value)
{
	tl_value_print_as(text, type, value, false);
}

void tl_value_print_exact(struct tl_text *text, const struct tl_type *type, const void *value)
{
	tl_value_print_as(text, type, value, true);
}

void tl_value_print_string(struct tl_text *text, const char *bytes, size_t size, bool more)
{
	size_t length = strnlen(bytes, size);

	more = more && length == size;
	for (unsigned back = 1; more && back < 4 && back <= length; back++) {
		unsigned char lead = (unsigned char)bytes[length - back];

		if (lead >= 0xc0) {
			length -= lead >= (back == 1 ? 0xc0 : back == 2 ? 0xe0 : 0xf0) ? back : 0;
			break;
		}
		if (lead < 0x80)
			break;
	}
	tl_text_char(text, '"');
	tl_text_escape(text, bytes, length);
	tl_text_string(text, more ? "…\"" : "\"");
}

void tl_value_print_bytes(struct tl_text *text, const char *bytes, size_t size, bool more)
{
	static const char hex[] = "0123456789abcdef";
	size_t kept = size < TL_CAPTURE_ELEMENTS ? size : TL_CAPTURE_ELEMENTS;

	tl_text_char(text, '"');
	for (size_t i = 0; i < kept; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (i)
			tl_text_char(text, ' ');
		tl_text_put(text, (const char[]){hex[c >> 4], hex[c & 15]}, 2);
	}
	tl_text_string(text, more || kept < size ? " …\"" : "\"");
}

/* Bytes without a type that can be nothing but a string: at least four characters, then a NUL. */
static bool bytes_look_like_text(const char *bytes, size_t size)
{
	size_t length = strnlen(bytes, size);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)bytes[i] < 0x20 && (bytes[i] < '\t' || bytes[i] > '\r'))
			return false;
	return length >= 4 && length < size;
}

void tl_value_print_untyped(struct tl_text *text, const char *bytes, uint32_t size, uint32_t total,
			    bool exact)
{
	uint64_t word = 0;

	if (total == size && (size == 4 || size == 8)) {
		memcpy(&word, bytes, size);
		tl_value_print_hex(text, word, exact);
	} else if (bytes_look_like_text(bytes, size)) {
		tl_value_print_string(text, bytes, size, false);
	} else {
		tl_value_print_bytes(text, bytes, size, total > size);
	}
}
