/* SPDX-License-Identifier: MIT */
/*
 * pftrace_members.c: what is JSON already as debug annotations: facts of a process, and a file's
 * totals. Facts may come out of a damaged file, so nothing in them is trusted.
 */
#include "format/encode/pftrace_notes.h"

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

/* What stands up to a quote, which is taken, too. */
static bool reader_take_quoted(struct reader *reader, struct reader *inside)
{
	inside->at = reader->at;
	for (; reader->at < reader->end; reader->at++) {
		if (*reader->at == '"') {
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

static bool note_value(struct tl_pf_notes *notes, struct reader *reader);

/* A key with its colon. */
static bool reader_take_key(struct reader *reader, char key[TL_PF_NAME_MAX + 1])
{
	struct reader inside;

	if (!reader_take(reader, '"') || !reader_take_quoted(reader, &inside) ||
	    !reader_take(reader, ':') || inside.end - inside.at > TL_PF_NAME_MAX)
		return false;
	*string_unescape(key, inside) = 0;
	return true;
}

static bool note_member(struct tl_pf_notes *notes, struct reader *reader, bool has_key)
{
	char key[TL_PF_NAME_MAX + 1], *value;

	if (has_key && !reader_take_key(reader, key))
		return false;
	value = tl_pf_sink.begin(&notes->text, has_key ? key : NULL, "", false);
	if (notes->text.cut || !note_value(notes, reader))
		return false;
	tl_pf_sink.end(&notes->text, value);
	return true;
}

/* Members or elements up to the bracket that ends them. */
static bool note_several(struct tl_pf_notes *notes, struct reader *reader, char bracket)
{
	if (reader_take(reader, bracket))
		return true;
	do {
		if (!note_member(notes, reader, bracket == '}'))
			return false;
	} while (reader_take(reader, ','));
	return reader_take(reader, bracket);
}

static bool note_text(struct tl_pf_notes *notes, struct reader inside)
{
	if (!tl_pf_notes_have_room(notes,
				   (size_t)(inside.end - inside.at) + 2 * TL_PROTOBUF_NUMBER))
		return false;
	char *content = tl_protobuf_open(notes->text.at, TL_PF_STRING_VALUE);
	notes->text.at = tl_protobuf_close(content, string_unescape(content, inside));
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
	notes->text.at = negative ? tl_protobuf_number(notes->text.at, TL_PF_INT_VALUE, 0 - value)
				  : tl_protobuf_number(notes->text.at, TL_PF_UINT_VALUE, value);
	return true;
}

static bool note_simple(struct tl_pf_notes *notes, struct reader *reader)
{
	if (!tl_pf_notes_have_room(notes, 2 * TL_PROTOBUF_NUMBER))
		return false;
	if (reader_take_word(reader, "true"))
		notes->text.at = tl_protobuf_number(notes->text.at, TL_PF_BOOL_VALUE, 1);
	else if (reader_take_word(reader, "false"))
		notes->text.at = tl_protobuf_number(notes->text.at, TL_PF_BOOL_VALUE, 0);
	else if (reader_take_word(reader, "null"))
		notes->text.at = tl_protobuf_bytes(notes->text.at, TL_PF_STRING_VALUE, "null", 4);
	else
		return note_number(notes, reader);
	return true;
}

static bool note_value(struct tl_pf_notes *notes, struct reader *reader)
{
	struct reader inside;

	if (reader_take(reader, '{'))
		return note_several(notes, reader, '}');
	if (reader_take(reader, '['))
		return note_several(notes, reader, ']');
	if (reader_take(reader, '"'))
		return reader_take_quoted(reader, &inside) && note_text(notes, inside);
	return note_simple(notes, reader);
}

void tl_pf_note_members(struct tl_pf_notes *notes, const char *members, size_t size)
{
	struct reader reader = {members, members + size};

	while (reader.at < reader.end) {
		char *mark = notes->text.at;
		if (!note_member(notes, &reader, true)) {
			notes->text.at = mark;
			notes->text.cut = true;
			return;
		}
		reader_take(&reader, ',');
	}
}
