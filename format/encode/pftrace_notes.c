/* SPDX-License-Identifier: MIT */
/*
 * pftrace_notes.c: see pftrace_notes.h.
 *
 * Most parameters are numbers, addresses and enumerators, and are put as such. Whatever leads to
 * memory is printed by the walk of args_print.c, in the exact notation, and read back from it here.
 * That text may be damaged where it comes out of a file, so nothing in it is trusted.
 */
#include "format/encode/pftrace_notes.h"

#include "format/args/args.h"

#define DEPTH_MAX 64 /* of values in values */
#define NAME_ROOM (TL_PF_STRING_MAX + TL_PROTOBUF_NUMBER)
#define NOTE_ROOM (NAME_ROOM + 3 * TL_PROTOBUF_NUMBER)

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

static bool notes_have_room(struct tl_pf_notes *notes, size_t size)
{
	if ((size_t)(notes->end - notes->at) >= size)
		return true;
	notes->cut = true;
	return false;
}

/* A key, in a DebugAnnotation that was begun with NOTE_ROOM. */
static char *note_key(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
		      struct tl_pf_text key)
{
	uint32_t iid = name ? tl_pf_name_use(notes->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_ANNOTATION_NAME_IID, iid)
		   : tl_pf_string(at, TL_PF_ANNOTATION_NAME, key);
}

/* A string that comes again: an enumerator. */
static char *note_repeated(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
			   struct tl_pf_text string)
{
	uint32_t iid = name ? tl_pf_name_use(notes->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_STRING_VALUE_IID, iid)
		   : tl_pf_string(at, TL_PF_STRING_VALUE, string);
}

/* Up to its value; *content is where it began. */
static char *note_open(struct tl_pf_notes *notes, struct tl_pf_text key, char **content)
{
	*content = tl_protobuf_open(notes->at, TL_PF_ANNOTATIONS);
	return note_key(notes, *content,
			tl_pf_name_clean(notes->names, TL_PF_ANNOTATION_NAMES, key), key);
}

void tl_pf_note_value(struct tl_pf_notes *notes, struct tl_pf_text key, uint32_t field,
		      uint64_t value)
{
	char *content, *at;

	if (!notes_have_room(notes, NOTE_ROOM))
		return;
	at = note_open(notes, key, &content);
	at = field == TL_PF_DOUBLE_VALUE ? tl_protobuf_fixed64(at, field, value)
					 : tl_protobuf_number(at, field, value);
	notes->at = tl_protobuf_close(content, at);
}

/* The value's field in a DebugAnnotation, or where the number is large its digits. */
static char *note_integer(char *at, uint64_t value, bool is_signed)
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

	if (!notes_have_room(notes, NOTE_ROOM))
		return;
	at = note_open(notes, key, &content);
	notes->at = tl_protobuf_close(content, note_integer(at, value, is_signed));
}

void tl_pf_note_string(struct tl_pf_notes *notes, struct tl_pf_text key, struct tl_pf_text string)
{
	char *content, *at;

	if (!notes_have_room(notes, NOTE_ROOM + TL_PF_STRING_MAX))
		return;
	at = note_open(notes, key, &content);
	at = note_repeated(notes, at, tl_pf_name_clean(notes->names, TL_PF_STRING_VALUES, string),
			   string);
	notes->at = tl_protobuf_close(content, at);
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

/* False where the value has no name. */
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
	*at = note_repeated(notes, *at, step->enumerator, tl_pf_text(name));
	return true;
}

bool tl_pf_note_step(struct tl_pf_notes *notes, struct tl_pf_step *step, uint64_t word,
		     bool captured)
{
	uint64_t value = word << step->unused >> step->unused;

	if (step->how == TL_HOW_WALKED || (step->how == TL_HOW_FOLLOWED && word && captured))
		return false;
	if (!notes_have_room(notes, NOTE_ROOM + TL_PF_STRING_MAX))
		return true;
	char *content = tl_protobuf_open(notes->at, TL_PF_ANNOTATIONS);
	char *at = note_key(notes, content, step->name, tl_pf_text(step->key));
	switch (step->how) {
	case TL_HOW_HANDLE:
	case TL_HOW_ADDRESS:
	case TL_HOW_FOLLOWED:
		at = tl_protobuf_number(at, TL_PF_POINTER_VALUE, value);
		break;
	case TL_HOW_SIGNED:
		value = (uint64_t)((int64_t)(word << step->unused) >> step->unused);
		at = note_integer(at, value, true);
		break;
	case TL_HOW_TRUTH:
		at = value > 1 ? note_integer(at, value, false)
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
		at = note_integer(at, value, false);
	}
	notes->at = tl_protobuf_close(content, at);
	return true;
}

/* ---- The exact notation */

struct reader {
	const char *at, *end;
};

static bool reader_take(struct reader *reader, char c)
{
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool reader_take_word(struct reader *reader, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0)
		return false;
	reader->at += size;
	return true;
}

/* What stands up to `quote`, which is taken, too. */
static bool reader_take_quoted(struct reader *reader, char quote, struct reader *inside)
{
	inside->at = reader->at;
	for (; reader->at < reader->end; reader->at++) {
		if (*reader->at == quote) {
			inside->end = reader->at++;
			return true;
		}
		if (*reader->at == '\\' && ++reader->at == reader->end)
			return false;
	}
	return false;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns whether there was a digit. */
static bool reader_take_digits(struct reader *reader, int base, uint64_t *value)
{
	const char *first = reader->at;
	int digit;

	for (*value = 0; reader->at < reader->end; reader->at++) {
		digit = digit_of(*reader->at);
		if (digit < 0 || digit >= base)
			break;
		*value = *value * (uint64_t)base + (uint64_t)digit;
	}
	return reader->at != first;
}

static char *note_utf8(char *at, uint64_t code)
{
	if (code >= 0xd800 && code <= 0xdfff)
		code = 0xfffd;
	if (code < 0x80) {
		*at++ = (char)code;
	} else if (code < 0x800) {
		*at++ = (char)(0xc0 | code >> 6);
		*at++ = (char)(0x80 | (code & 0x3f));
	} else {
		*at++ = (char)(0xe0 | code >> 12);
		*at++ = (char)(0x80 | (code >> 6 & 0x3f));
		*at++ = (char)(0x80 | (code & 0x3f));
	}
	return at;
}

/* A JSON string's inside as what it stands for, which is never longer. */
static char *string_unescape(char *at, struct reader inside)
{
	static const char letters[] = "btnfr", meant[] = "\b\t\n\f\r";

	while (inside.at < inside.end) {
		char c = *inside.at++;
		if (c != '\\' || inside.at == inside.end) {
			*at++ = c;
			continue;
		}
		c = *inside.at++;
		const char *letter = c ? strchr(letters, c) : NULL;
		if (c == 'u') {
			struct reader four = {inside.at, inside.at + 4};
			uint64_t code;
			if (inside.end - inside.at < 4)
				return at;
			reader_take_digits(&four, 16, &code);
			at = note_utf8(at, code);
			inside.at += 4;
		} else {
			*at++ = letter ? meant[letter - letters] : c;
		}
	}
	return at;
}

static bool note_value(struct tl_pf_notes *notes, struct reader *reader, unsigned depth);

/* A key with its colon. */
static bool note_member_key(struct tl_pf_notes *notes, struct reader *reader)
{
	char key[TL_PF_NAME_MAX];
	struct reader inside;

	if (!reader_take(reader, '"') || !reader_take_quoted(reader, '"', &inside) ||
	    !reader_take(reader, ':') || inside.end - inside.at > (ptrdiff_t)sizeof(key))
		return false;
	struct tl_pf_text text = {key, (size_t)(string_unescape(key, inside) - key)};
	notes->at = note_key(notes, notes->at,
			     tl_pf_name_find(notes->names, TL_PF_ANNOTATION_NAMES, key, text.size),
			     text);
	return true;
}

/* A DebugAnnotation as `field`: a member, or without its name an array's element. */
static bool note_annotation(struct tl_pf_notes *notes, struct reader *reader, uint32_t field,
			    unsigned depth)
{
	if (!notes_have_room(notes, NOTE_ROOM))
		return false;
	char *content = notes->at = tl_protobuf_open(notes->at, field);
	if (field != TL_PF_ARRAY_VALUES && !note_member_key(notes, reader))
		return false;
	if (!note_value(notes, reader, depth))
		return false;
	notes->at = tl_protobuf_close(content, notes->at);
	return true;
}

/* Members or elements up to the bracket that ends them. */
static bool note_several(struct tl_pf_notes *notes, struct reader *reader, uint32_t field,
			 char bracket, unsigned depth)
{
	if (depth == DEPTH_MAX)
		return false;
	if (reader_take(reader, bracket))
		return true;
	do {
		if (!note_annotation(notes, reader, field, depth + 1))
			return false;
	} while (reader_take(reader, ','));
	return reader_take(reader, bracket);
}

static bool note_text(struct tl_pf_notes *notes, struct reader inside)
{
	if (!notes_have_room(notes, (size_t)(inside.end - inside.at) + 2 * TL_PROTOBUF_NUMBER))
		return false;
	char *content = tl_protobuf_open(notes->at, TL_PF_STRING_VALUE);
	notes->at = tl_protobuf_close(content, string_unescape(content, inside));
	return true;
}

static bool note_quoted(struct tl_pf_notes *notes, struct reader *reader, char quote)
{
	struct reader inside;

	if (!reader_take_quoted(reader, quote, &inside))
		return false;
	size_t size = (size_t)(inside.end - inside.at);
	if (quote == '"' || size > TL_PF_NAME_MAX)
		return note_text(notes, inside);
	if (!notes_have_room(notes, NAME_ROOM))
		return false;
	notes->at =
		note_repeated(notes, notes->at,
			      tl_pf_name_find(notes->names, TL_PF_STRING_VALUES, inside.at, size),
			      (struct tl_pf_text){inside.at, size});
	return true;
}

/* Integers as such; what else JSON has for numbers, as text. */
static bool note_number(struct tl_pf_notes *notes, struct reader *reader)
{
	struct reader token = *reader;
	bool negative = reader_take(reader, '-');
	uint64_t value;

	if (!reader_take_digits(reader, 10, &value))
		return false;
	for (token.end = reader->at; token.end < reader->end; token.end++)
		if (*token.end != '.' && *token.end != '+' && *token.end != '-' &&
		    (*token.end | 0x20) != 'e' && digit_of(*token.end) < 0)
			break;
	if (token.end != reader->at) {
		reader->at = token.end;
		return note_text(notes, token);
	}
	notes->at = negative ? tl_protobuf_number(notes->at, TL_PF_INT_VALUE, 0 - value)
			     : tl_protobuf_number(notes->at, TL_PF_UINT_VALUE, value);
	return true;
}

static bool note_simple(struct tl_pf_notes *notes, struct reader *reader)
{
	uint64_t value;

	if (!notes_have_room(notes, 2 * TL_PROTOBUF_NUMBER))
		return false;
	if (reader_take_word(reader, "true"))
		notes->at = tl_protobuf_number(notes->at, TL_PF_BOOL_VALUE, 1);
	else if (reader_take_word(reader, "false"))
		notes->at = tl_protobuf_number(notes->at, TL_PF_BOOL_VALUE, 0);
	else if (reader_take_word(reader, "null"))
		notes->at = tl_protobuf_bytes(notes->at, TL_PF_STRING_VALUE, "null", 4);
	else if (reader_take_word(reader, "0x") && reader_take_digits(reader, 16, &value))
		notes->at = tl_protobuf_number(notes->at, TL_PF_POINTER_VALUE, value);
	else if (reader_take(reader, '#') && reader_take_digits(reader, 16, &value))
		notes->at = tl_protobuf_fixed64(notes->at, TL_PF_DOUBLE_VALUE, value);
	else
		return note_number(notes, reader);
	return true;
}

static bool note_value(struct tl_pf_notes *notes, struct reader *reader, unsigned depth)
{
	if (reader_take(reader, '{'))
		return note_several(notes, reader, TL_PF_DICT_ENTRIES, '}', depth);
	if (reader_take(reader, '['))
		return note_several(notes, reader, TL_PF_ARRAY_VALUES, ']', depth);
	if (reader_take(reader, '"'))
		return note_quoted(notes, reader, '"');
	if (reader_take(reader, '\''))
		return note_quoted(notes, reader, '\'');
	return note_simple(notes, reader);
}

void tl_pf_note_members(struct tl_pf_notes *notes, const char *members, size_t size)
{
	struct reader reader = {members, members + size};

	while (reader.at < reader.end) {
		char *mark = notes->at;
		if (!note_annotation(notes, &reader, TL_PF_ANNOTATIONS, 0)) {
			notes->at = mark;
			notes->cut = true;
			return;
		}
		reader_take(&reader, ',');
	}
}
