/* SPDX-License-Identifier: MIT */
/*
 * args_values.c: see args_values.h. Bytes that no type explains are shown in hex.
 */
#include "format/args/args_values.h"

#include "format/args/args_walk.h"

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

/* Few handles have names: those that the API defines, and the one that stands for none. */
static void visit_handle(const struct tl_sink *sink, struct tl_text *text,
			 const struct tl_type *type, uint64_t value)
{
	const char *name = type->count ? tl_enumerator_name(type, value) : NULL;

	if (name)
		sink->named(text, name);
	else
		sink->address(text, value);
}

static void visit_enum(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		       uint64_t value)
{
	const char *name = tl_enumerator_name(type, value);

	if (name) {
		sink->named(text, name);
		return;
	}
	/* -1 rather than 4294967295 where the type has negative values, as error codes do. */
	for (uint32_t i = 0; i < type->count; i++)
		if ((int64_t)type->enumerators[i].value < 0 && type->size < 8) {
			unsigned unused = 64 - 8 * type->size;
			sink->number(text, (uint64_t)((int64_t)(value << unused) >> unused), true);
			return;
		}
	sink->number(text, value, false);
}

static void visit_no_flags(const struct tl_sink *sink, struct tl_text *text,
			   const struct tl_type *type)
{
	for (uint32_t i = 0; i < type->count; i++)
		if (!type->enumerators[i].value) {
			sink->named(text, type->enumerators[i].name);
			return;
		}
	sink->number(text, 0, false);
}

void tl_flags_text(struct tl_text *text, const struct tl_type *type, uint64_t value)
{
	uint64_t rest = value;

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
}

static void visit_char(const struct tl_sink *sink, struct tl_text *text, char c)
{
	if (c < 0x20 || c == 0x7f)
		sink->number(text, (uint64_t)(int64_t)c, true);
	else
		sink->string(text, &c, 1, false);
}

void tl_visit_integer(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		      uint64_t value)
{
	uint64_t low = low_bytes(value, type->size);

	switch (type->kind) {
	case TL_KIND_BOOL:
		if (low > 1)
			sink->number(text, low, false);
		else
			sink->truth(text, low);
		break;
	case TL_KIND_INT:
		sink->number(text, value, true);
		break;
	case TL_KIND_ENUM:
		visit_enum(sink, text, type, low);
		break;
	case TL_KIND_FLAGS:
		if (low)
			sink->flags(text, type, low);
		else
			visit_no_flags(sink, text, type);
		break;
	default:
		sink->number(text, low, false);
	}
}

/* An integer of 16 bytes. One that fits into 8 is a number, all others are their digits as text. */
static void visit_wide_integer(const struct tl_sink *sink, struct tl_text *text,
			       const struct tl_type *type, const void *place)
{
	char digits[48], *at = digits + sizeof(digits);
	bool is_signed = type->kind == TL_KIND_INT;
	unsigned __int128 value;

	memcpy(&value, place, sizeof(value));
	bool negative = is_signed && (__int128)value < 0;
	if (is_signed ? (__int128)value == (int64_t)value : value == (uint64_t)value) {
		sink->number(text, (uint64_t)value, is_signed);
		return;
	}
	for (value = negative ? -value : value; value; value /= 10)
		*--at = (char)('0' + (int)(value % 10));
	if (negative)
		*--at = '-';
	sink->remark(text, at, (size_t)(digits + sizeof(digits) - at));
}

void tl_value_visit(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		    const void *value)
{
	switch (type->kind) {
	case TL_KIND_VOID:
		sink->none(text);
		break;
	case TL_KIND_CHAR:
		visit_char(sink, text, *(const char *)value);
		break;
	case TL_KIND_FLOAT:
		if (type->size == sizeof(float) || type->size == sizeof(double))
			sink->real(text, type, value);
		else
			tl_visit_bytes(sink, text, value, type->size, false);
		break;
	case TL_KIND_HANDLE:
		visit_handle(sink, text, type, low_bytes(load_integer(type, value), type->size));
		break;
	case TL_KIND_POINTER:
	case TL_KIND_FUNCTION:
		sink->address(text, load_pointer(value));
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		if (type->count)
			tl_visit_members(sink, text, type, value);
		else
			tl_visit_bytes(sink, text, value, type->size, false);
		break;
	case TL_KIND_ARRAY:
		tl_visit_members(sink, text, type, value);
		break;
	default:
		if (type->size == sizeof(unsigned __int128))
			visit_wide_integer(sink, text, type, value);
		else
			tl_visit_integer(sink, text, type, load_integer(type, value));
	}
}

void tl_visit_string(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		     size_t size, bool more)
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
	sink->string(text, bytes, length, more);
}

void tl_visit_bytes(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		    size_t size, bool more)
{
	static const char hex[] = "0123456789abcdef";
	size_t kept = size < TL_CAPTURE_ELEMENTS ? size : TL_CAPTURE_ELEMENTS;
	char remark[3 * TL_CAPTURE_ELEMENTS + sizeof(" …")], *at = remark;

	for (size_t i = 0; i < kept; i++) {
		unsigned char c = (unsigned char)bytes[i];

		*at = ' ';
		at += i != 0;
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	if (more || kept < size) {
		memcpy(at, " …", sizeof(" …") - 1);
		at += sizeof(" …") - 1;
	}
	sink->remark(text, remark, (size_t)(at - remark));
}

/*
 * Bytes without a type that can be nothing but a string: at least four bytes of UTF-8, then a NUL. (The
 * six bytes of an address, in memory for many, have neither as a rule.) A long string, such as a list
 * of extensions, is kept without its end: then all bytes are plain ASCII.
 */
#define TEXT_LEAST     4u
#define TEXT_LEAST_CUT 64u

static bool bytes_look_like_text(const char *bytes, size_t size, bool cut)
{
	size_t length = strnlen(bytes, size);
	bool whole = length < size;

	for (size_t i = 0, more; i < length; i += more) {
		unsigned char c = (unsigned char)bytes[i];

		more = c < 0x7f ? 1 : tl_text_utf8_length(bytes + i, length - i);
		if ((c < 0x20 && (c < '\t' || c > '\r')) || (c >= 0x7f && (!whole || !more)))
			return false;
	}
	return whole ? length >= TEXT_LEAST : cut && length >= TEXT_LEAST_CUT;
}

void tl_visit_untyped(const struct tl_sink *sink, struct tl_text *text, const char *bytes,
		      uint32_t size, uint32_t total)
{
	uint64_t word = 0;

	if (total == size && (size == 4 || size == 8)) {
		memcpy(&word, bytes, size);
		sink->address(text, word);
	} else if (bytes_look_like_text(bytes, size, total > size)) {
		tl_visit_string(sink, text, bytes, size, total > size);
	} else {
		tl_visit_bytes(sink, text, bytes, size, total > size);
	}
}
