/* SPDX-License-Identifier: MIT */
/*
 * args_print.c: see args_print.h: the sink for JSON, and what asks for it.
 */
#include "format/args/args_print.h"

#include "common/digits.h"

/* `,"name":` or, as the first, without the comma. Of an element, the comma alone. */
static char *json_begin(struct tl_text *text, const char *name, const char *suffix, bool first)
{
	if (!first)
		tl_text_char(text, ',');
	if (name) {
		tl_text_char(text, '"');
		tl_text_string(text, name);
		if (*suffix)
			tl_text_string(text, suffix);
		tl_text_put(text, "\":", 2);
	}
	return text->at;
}

static void json_address(struct tl_text *text, uint64_t value)
{
	char digits[TL_HEX_ROOM + 4] = "\"0x";
	char *end = tl_digits_hex(digits + 3, value);

	*end++ = '"';
	tl_text_put(text, digits, (size_t)(end - digits));
}

static void json_truth(struct tl_text *text, bool value)
{
	tl_text_string(text, value ? "true" : "false");
}

static void json_none(struct tl_text *text)
{
	tl_text_string(text, "null");
}

static void json_remark(struct tl_text *text, const char *bytes, size_t size)
{
	tl_text_char(text, '"');
	tl_text_put(text, bytes, size);
	tl_text_char(text, '"');
}

static void json_named(struct tl_text *text, const char *name)
{
	json_remark(text, name, strlen(name));
}

static void json_flags(struct tl_text *text, const struct tl_type *type, uint64_t value)
{
	tl_text_char(text, '"');
	tl_flags_text(text, type, value);
	tl_text_char(text, '"');
}

static void json_real(struct tl_text *text, const struct tl_type *type, const void *place)
{
	uint64_t bits = 0;

	memcpy(&bits, place, type->size);
	if (type->size == sizeof(float))
		tl_text_float(text, (uint32_t)bits);
	else
		tl_text_double(text, bits);
}

static void json_string(struct tl_text *text, const char *bytes, size_t size, bool more)
{
	tl_text_char(text, '"');
	tl_text_escape(text, bytes, size);
	tl_text_string(text, more ? "…\"" : "\"");
}

const struct tl_sink tl_json_sink = {
	.begin = json_begin,
	.bracket = tl_text_char,
	.address = json_address,
	.number = tl_text_integer,
	.truth = json_truth,
	.none = json_none,
	.named = json_named,
	.flags = json_flags,
	.real = json_real,
	.string = json_string,
	.remark = json_remark,
};

void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value)
{
	struct tl_text out = {text->at, text->end, false};

	tl_value_visit(&tl_json_sink, &out, type, value);
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

void tl_args_print(struct tl_text *text, const struct tl_function *function,
		   const struct tl_args_kept *kept)
{
	struct tl_args_walk walk;
	bool first = true;

	tl_args_walk_start(&walk, &tl_json_sink, text, function, kept);
	for (uint32_t i = 0; i < function->count; i++)
		if (tl_args_walk_param(&walk, i, first))
			first = false;
}
