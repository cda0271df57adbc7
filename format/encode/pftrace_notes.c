/* SPDX-License-Identifier: MIT */
/*
 * pftrace_notes.c: see pftrace_notes.h.
 *
 * Most parameters are numbers, addresses and enumerators, and are put as such. Whatever leads to
 * memory is visited by the walk of format/args: see pftrace_sink.c.
 */
#include "format/encode/pftrace_notes.h"

#include "format/args/args.h"

/* ---- Strings and names */

static size_t string_clean(char to[TL_PF_STRING_MAX], struct tl_pf_text string)
{
	struct tl_text text = {to, to + TL_PF_STRING_MAX, false};

	tl_text_utf8(&text, string.bytes,
		     string.size < TL_PF_NAME_MAX ? string.size : TL_PF_NAME_MAX);
	return (size_t)(text.at - to);
}

char *tl_pf_string(char *at, uint32_t field, struct tl_pf_text string)
{
	char *content = tl_protobuf_open(at, field);

	return tl_protobuf_close(content, content + string_clean(content, string));
}

struct tl_pf_name *tl_pf_name_clean(struct tl_pf_names *names, uint32_t field,
				    struct tl_pf_text string)
{
	char text[TL_PF_STRING_MAX];

	return tl_pf_name_find(names, field, text, string_clean(text, string));
}

char *tl_pf_note_key(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
		     struct tl_pf_text key)
{
	uint32_t iid = name ? tl_pf_name_use(notes->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_ANNOTATION_NAME_IID, iid)
		   : tl_pf_string(at, TL_PF_ANNOTATION_NAME, key);
}

char *tl_pf_note_repeated(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
			  struct tl_pf_text string)
{
	uint32_t iid = name ? tl_pf_name_use(notes->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_STRING_VALUE_IID, iid)
		   : tl_pf_string(at, TL_PF_STRING_VALUE, string);
}

/* Begins an annotation, up to its value; *content is where it began. */
static char *note_open(struct tl_pf_notes *notes, struct tl_pf_text key, char **content)
{
	*content = tl_protobuf_open(notes->text.at, TL_PF_ANNOTATIONS);
	return tl_pf_note_key(notes, *content,
			      tl_pf_name_clean(notes->names, TL_PF_ANNOTATION_NAMES, key), key);
}

void tl_pf_note_value(struct tl_pf_notes *notes, struct tl_pf_text key, uint32_t field,
		      uint64_t value)
{
	char *content, *at;

	if (!tl_pf_notes_have_room(notes, TL_PF_NOTE_ROOM))
		return;
	at = note_open(notes, key, &content);
	at = field == TL_PF_DOUBLE_VALUE ? tl_protobuf_fixed64(at, field, value)
					 : tl_protobuf_number(at, field, value);
	notes->text.at = tl_protobuf_close(content, at);
}

char *tl_pf_note_number(char *at, uint64_t value, bool is_signed)
{
	char digits[32];
	struct tl_text text = {digits, digits + sizeof(digits), false};

	if (tl_text_is_whole(value, is_signed))
		return tl_protobuf_number(at, is_signed ? TL_PF_INT_VALUE : TL_PF_UINT_VALUE,
					  value);
	if (is_signed)
		tl_text_signed(&text, (int64_t)value);
	else
		tl_text_unsigned(&text, value);
	return tl_protobuf_bytes(at, TL_PF_STRING_VALUE, digits, (size_t)(text.at - digits));
}

void tl_pf_note_integer(struct tl_pf_notes *notes, struct tl_pf_text key, uint64_t value,
			bool is_signed)
{
	char *content, *at;

	if (!tl_pf_notes_have_room(notes, TL_PF_NOTE_ROOM))
		return;
	at = note_open(notes, key, &content);
	notes->text.at = tl_protobuf_close(content, tl_pf_note_number(at, value, is_signed));
}

void tl_pf_note_string(struct tl_pf_notes *notes, struct tl_pf_text key, struct tl_pf_text string)
{
	char *content, *at;

	if (!tl_pf_notes_have_room(notes, TL_PF_NOTE_ROOM + TL_PF_STRING_MAX))
		return;
	at = note_open(notes, key, &content);
	at = tl_pf_note_repeated(
		notes, at, tl_pf_name_clean(notes->names, TL_PF_STRING_VALUES, string), string);
	notes->text.at = tl_protobuf_close(content, at);
}

/* ---- Parameters */

void tl_pf_step_make(struct tl_pf_step *step, struct tl_pf_names *names,
		     const struct tl_variable *variable)
{
	const struct tl_type *type = variable->type;

	*step = (struct tl_pf_step){.key = variable->name,
				    .type = type,
				    .word = variable->offset,
				    .how = (uint8_t)tl_how_of(variable)};
	step->name = tl_pf_name_clean(names, TL_PF_ANNOTATION_NAMES, tl_pf_text(variable->name));
	if (step->how != TL_HOW_WALKED)
		step->unused = (uint8_t)(64 - 8 * type->size);
}

/* False: the value has no name. */
static bool note_named(struct tl_pf_notes *notes, char **at, struct tl_pf_step *step,
		       uint64_t value)
{
	const char *name;

	if (step->enumerator && step->value == value) {
		uint32_t iid = tl_pf_name_use(notes->names, step->enumerator);
		if (iid) {
			*at = tl_protobuf_number(*at, TL_PF_STRING_VALUE_IID, iid);
			return true;
		}
	}
	name = tl_enumerator_name(step->type, value);
	if (!name)
		return false;
	step->value = value;
	step->enumerator = tl_pf_name_clean(notes->names, TL_PF_STRING_VALUES, tl_pf_text(name));
	*at = tl_pf_note_repeated(notes, *at, step->enumerator, tl_pf_text(name));
	return true;
}

bool tl_pf_note_step(struct tl_pf_notes *notes, struct tl_pf_step *step, uint64_t word,
		     bool captured)
{
	uint64_t value = word << step->unused >> step->unused;

	if (step->how == TL_HOW_WALKED || (step->how == TL_HOW_FOLLOWED && word && captured))
		return false;
	if (!tl_pf_notes_have_room(notes, TL_PF_NOTE_ROOM + TL_PF_STRING_MAX))
		return true;
	char *content = tl_protobuf_open(notes->text.at, TL_PF_ANNOTATIONS);
	char *at = tl_pf_note_key(notes, content, step->name, tl_pf_text(step->key));
	switch (step->how) {
	case TL_HOW_HANDLE:
	case TL_HOW_ADDRESS:
	case TL_HOW_FOLLOWED:
		at = tl_protobuf_number(at, TL_PF_POINTER_VALUE, value);
		break;
	case TL_HOW_SIGNED:
		value = (uint64_t)((int64_t)(word << step->unused) >> step->unused);
		at = tl_pf_note_number(at, value, true);
		break;
	case TL_HOW_TRUTH:
		at = value > 1 ? tl_pf_note_number(at, value, false)
			       : tl_protobuf_number(at, TL_PF_BOOL_VALUE, value);
		break;
	case TL_HOW_NAMED:
		if (!note_named(notes, &at, step, value))
			return false;
		break;
	case TL_HOW_REAL:
		at = tl_protobuf_fixed64(at, TL_PF_DOUBLE_VALUE, tl_double_bits(step->type, &word));
		break;
	default:
		at = tl_pf_note_number(at, value, false);
	}
	notes->text.at = tl_protobuf_close(content, at);
	return true;
}
