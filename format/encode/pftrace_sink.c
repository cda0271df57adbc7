/* SPDX-License-Identifier: MIT */
/*
 * pftrace_sink.c: arguments that lead to memory as debug annotations: a sink for the walk of
 * format/args (args_sink.h).
 *
 * A struct is an annotation of dict_entries, a list one of array_values, without names. Once
 * something did not fit, nothing more is put: the walk takes back what it belongs to.
 */
#include "format/encode/pftrace_notes.h"

static struct tl_pf_notes *notes_of(struct tl_text *text)
{
	return (struct tl_pf_notes *)(void *)text;
}

static bool sink_has_room(struct tl_text *text, size_t size)
{
	return !text->cut && tl_pf_notes_have_room(notes_of(text), size);
}

/* The key of a parameter or member. */
static void sink_key(struct tl_pf_notes *notes, const char *name, const char *suffix)
{
	char bytes[TL_PF_NAME_MAX];
	struct tl_text whole = {bytes, bytes + sizeof(bytes), false};
	struct tl_pf_text key = tl_pf_text(name);

	if (*suffix) {
		tl_text_put(&whole, key.bytes, key.size);
		tl_text_string(&whole, suffix);
		notes->text.cut |= whole.cut;
		key = (struct tl_pf_text){bytes, (size_t)(whole.at - bytes)};
	}
	notes->text.at = tl_pf_note_key(
		notes, notes->text.at,
		tl_pf_name_find(notes->names, TL_PF_ANNOTATION_NAMES, key.bytes, key.size), key);
}

static char *sink_begin(struct tl_text *text, const char *name, const char *suffix, bool first)
{
	struct tl_pf_notes *notes = notes_of(text);
	uint32_t member = notes->depth ? TL_PF_DICT_ENTRIES : TL_PF_ANNOTATIONS;
	char *content;

	if (notes->depth++ == TL_PF_NOTES_DEPTH)
		text->cut = true;
	if (!sink_has_room(text, TL_PF_NOTE_ROOM))
		return text->at;
	content = text->at = tl_protobuf_open(text->at, name ? member : TL_PF_ARRAY_VALUES);
	if (name)
		sink_key(notes, name, suffix);
	return content;
}

static void sink_end(struct tl_text *text, char *content)
{
	notes_of(text)->depth--;
	if (!text->cut)
		text->at = tl_protobuf_close(content, text->at);
}

/* The annotations in an annotation say what it is. */
static void sink_bracket(struct tl_text *text, char bracket)
{
}

static void sink_field(struct tl_text *text, uint32_t field, uint64_t value)
{
	if (sink_has_room(text, TL_PROTOBUF_NUMBER))
		text->at = tl_protobuf_number(text->at, field, value);
}

static void sink_address(struct tl_text *text, uint64_t value)
{
	sink_field(text, TL_PF_POINTER_VALUE, value);
}

static void sink_number(struct tl_text *text, uint64_t value, bool is_signed)
{
	if (sink_has_room(text, 3 * TL_PROTOBUF_NUMBER))
		text->at = tl_pf_note_number(text->at, value, is_signed && (int64_t)value < 0);
}

static void sink_truth(struct tl_text *text, bool value)
{
	sink_field(text, TL_PF_BOOL_VALUE, value);
}

static void sink_remark(struct tl_text *text, const char *bytes, size_t size)
{
	if (sink_has_room(text, size + 2 * TL_PROTOBUF_NUMBER))
		text->at = tl_protobuf_bytes(text->at, TL_PF_STRING_VALUE, bytes, size);
}

static void sink_none(struct tl_text *text)
{
	sink_remark(text, "null", 4);
}

static void sink_named(struct tl_text *text, const char *name)
{
	struct tl_pf_notes *notes = notes_of(text);
	struct tl_pf_text string = tl_pf_text(name);

	if (sink_has_room(text, TL_PF_STRING_ROOM))
		text->at = tl_pf_note_repeated(notes, text->at,
					       tl_pf_name_find(notes->names, TL_PF_STRING_VALUES,
							       string.bytes, string.size),
					       string);
}

/* They come again, too, but may be too many for a name that has a number. */
static void sink_flags(struct tl_text *text, const struct tl_type *type, uint64_t value)
{
	struct tl_pf_names *names = notes_of(text)->names;
	char *mark = text->at, *content;

	if (!sink_has_room(text, 2 * TL_PROTOBUF_NUMBER))
		return;
	content = text->at = tl_protobuf_open(text->at, TL_PF_STRING_VALUE);
	tl_flags_text(text, type, value);
	if (text->cut)
		return;
	struct tl_pf_name *name =
		tl_pf_name_find(names, TL_PF_STRING_VALUES, content, (size_t)(text->at - content));
	uint32_t iid = name ? tl_pf_name_use(names, name) : 0;
	text->at = iid ? tl_protobuf_number(mark, TL_PF_STRING_VALUE_IID, iid)
		       : tl_protobuf_close(content, text->at);
}

static void sink_real(struct tl_text *text, const struct tl_type *type, const void *place)
{
	if (sink_has_room(text, TL_PROTOBUF_NUMBER))
		text->at = tl_protobuf_fixed64(text->at, TL_PF_DOUBLE_VALUE,
					       tl_double_bits(type, place));
}

static void sink_string(struct tl_text *text, const char *bytes, size_t size, bool more)
{
	if (!sink_has_room(text, 2 * TL_PROTOBUF_NUMBER))
		return;
	char *content = text->at = tl_protobuf_open(text->at, TL_PF_STRING_VALUE);
	tl_text_utf8(text, bytes, size);
	if (more)
		tl_text_string(text, "…");
	if (!text->cut)
		text->at = tl_protobuf_close(content, text->at);
}

const struct tl_sink tl_pf_sink = {
	.begin = sink_begin,
	.end = sink_end,
	.bracket = sink_bracket,
	.address = sink_address,
	.number = sink_number,
	.truth = sink_truth,
	.none = sink_none,
	.named = sink_named,
	.flags = sink_flags,
	.real = sink_real,
	.string = sink_string,
	.remark = sink_remark,
};
