/* SPDX-License-Identifier: MIT */
/*
 * comment.c: comments of a header, and the tags in them. See comment.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gen/allocate.h"
#include "gen/comment.h"

/* Finding comments. */

static const char *literal_end(const char *at, const char *end)
{
	char quote = *at++;

	while (at < end && *at != quote && *at != '\n')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at < end ? at + 1 : end;
}

static const char *comment_end(const char *at, const char *end)
{
	if (at[1] == '/') {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		return newline ? newline : end;
	}
	const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
	return close ? close + 2 : end;
}

/* A line of a comment without the border in front of and behind what it says. */
static void line_strip(const char **from, const char **to)
{
	while (*from < *to && strchr(" \t\r*/!", **from))
		++*from;
	if (*from < *to && **from == '<')
		++*from;
	while (*from < *to && strchr(" \t\r*/", (*to)[-1]))
		--*to;
	while (*from < *to && strchr(" \t", **from))
		++*from;
}

/* What a comment says: no delimiters, no stars, no empty lines at either end. */
static char *comment_strip(const char *from, const char *end)
{
	char *text = allocate((size_t)(end - from) + 2);
	char *out = text;

	while (from < end) {
		const char *newline = memchr(from, '\n', (size_t)(end - from));
		const char *to = newline ? newline : end;
		const char *next = newline ? newline + 1 : end;

		line_strip(&from, &to);
		if (from < to || out > text) {
			memcpy(out, from, (size_t)(to - from));
			out += to - from;
			*out++ = '\n';
		}
		from = next;
	}
	while (out > text && out[-1] == '\n')
		*--out = '\0';
	return text;
}

static bool comment_is_doc(const char *at, const char *end, bool several_lines)
{
	if (end - at < 3)
		return false;
	if (at[1] == '/')
		return at[2] == '/' || at[2] == '!';
	return (at[2] == '*' && end - at > 4) || at[2] == '!' || several_lines;
}

struct comments *comments_scan(const char *source, size_t size)
{
	struct comments *comments = allocate(sizeof *comments);
	const char *end = source + size, *line_start = source;
	unsigned line = 1;

	comments->source = source;
	comments->size = size;
	for (const char *at = source; at < end;) {
		if (*at == '\n') {
			line++;
			line_start = ++at;
		} else if (*at == '"' || *at == '\'') {
			at = literal_end(at, end);
		} else if (*at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*')) {
			struct comment *comment = APPEND(comments->list, comments->count);
			const char *stop = comment_end(at, end);

			comment->start = (size_t)(at - source);
			comment->end = (size_t)(stop - source);
			comment->line = line;
			comment->alone = true;
			for (const char *before = line_start; before < at; before++)
				comment->alone &= isblank((unsigned char)*before) != 0;
			for (; at < stop; at++)
				if (*at == '\n') {
					line++;
					line_start = at + 1;
				}
			comment->end_line = line;
			comment->doc =
				comment_is_doc(source + comment->start, stop, line > comment->line);
			comment->text = comment_strip(source + comment->start, stop);
		} else {
			at++;
		}
	}
	return comments;
}

/* The index of the first comment that begins at `offset` or later. */
static size_t comment_index_from(const struct comments *comments, size_t offset)
{
	size_t low = 0, high = comments->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (comments->list[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool comments_newline_between(const struct comments *comments, size_t from, size_t to)
{
	return to > from && memchr(comments->source + from, '\n', to - from);
}

static char *text_join(const char *first, const char *between, const char *second)
{
	return format_text("%s%s%s", first, *first && *second ? between : "", second);
}

const char *comment_behind(const struct comments *comments, size_t from, size_t to)
{
	size_t i = comment_index_from(comments, from);

	if (i == comments->count || comments->list[i].start >= to ||
	    comments_newline_between(comments, from, comments->list[i].start))
		return NULL;
	const char *text = comments->list[i].text;
	/* A line comment goes on in the line comments right below it that stand alone. */
	for (; comments->source[comments->list[i].start + 1] == '/' && i + 1 < comments->count;
	     i++) {
		const struct comment *next = &comments->list[i + 1];

		if (next->start >= to || !next->alone || next->doc != comments->list[i].doc ||
		    next->line != comments->list[i].line + 1)
			break;
		text = text_join(text, " ", next->text);
	}
	return *text ? text : NULL;
}

const char *comment_before(const struct comments *comments, size_t start)
{
	size_t i = comment_index_from(comments, start);

	if (i == 0 || !comments->list[i - 1].alone || !comments->list[i - 1].doc)
		return NULL;
	const struct comment *last = &comments->list[--i];
	for (size_t at = last->end; at < start; at++)
		if (strchr(";{}#(,", comments->source[at]))
			return NULL;
	const char *text = last->text;
	/* Line comments above each other are one comment. */
	while (comments->source[comments->list[i].start + 1] == '/' && i > 0) {
		const struct comment *above = &comments->list[i - 1];

		if (!above->alone || above->line + 1 != comments->list[i].line)
			break;
		text = text_join(above->text, "\n", text);
		i--;
	}
	return *text ? text : NULL;
}

const char *comment_behind_statement(const struct comments *comments, size_t from)
{
	size_t i = comment_index_from(comments, from);
	bool ended = false;

	if (i == comments->count)
		return NULL;
	for (size_t at = from; at < comments->list[i].start; at++) {
		char c = comments->source[at];

		if (c == '\n' || (ended && !isblank((unsigned char)c)))
			return NULL;
		ended |= c == ';';
	}
	return *comments->list[i].text ? comments->list[i].text : NULL;
}

/* Tags. */

static char *text_trimmed(const char *from, const char *to)
{
	while (from < to && strchr(" \t`", *from))
		from++;
	while (from < to && strchr(" \t`", to[-1]))
		to--;
	return copy_bytes(from, (size_t)(to - from));
}

static bool text_is_name(const char *text)
{
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return *text != '\0';
}

/*
 * "n", "*pn", "pinfo->n" or "3" as a length. False where it is none of these (range(0.0, 1.0)
 * speaks of a value).
 */
static bool length_read(struct length *length, char *text)
{
	char *end;

	length->constant = 1;
	if (isdigit((unsigned char)*text)) {
		length->kind = TL_LENGTH_CONSTANT;
		length->constant = (uint32_t)strtoul(text, &end, 0);
		return *end == '\0';
	}
	length->kind = *text == '*' ? TL_LENGTH_POINTEE : TL_LENGTH_VALUE;
	length->sibling = text + (*text == '*');
	char *arrow = strstr(text, "->");
	if (arrow && length->kind == TL_LENGTH_VALUE) {
		*arrow = '\0';
		length->kind = TL_LENGTH_MEMBER;
		length->member = arrow + strlen("->");
		if (!text_is_name(length->member))
			return false;
	}
	return text_is_name(length->sibling);
}

/* The inside of "word(...)", or NULL where the tag is not that. */
static char *tag_argument(const char *tag, const char *word)
{
	size_t length = strlen(word);
	const char *close = strrchr(tag, ')');

	if (strncmp(tag, word, length) != 0 || tag[length] != '(' || !close)
		return NULL;
	return text_trimmed(tag + length + 1, close);
}

static void tag_read_sized(struct tags *tags, const char *tag)
{
	char *inside;
	struct length length = {0};
	bool bytes = false;

	if ((inside = tag_argument(tag, "range"))) {
		char *comma = strrchr(inside, ',');

		/* range(0.0, 1.0) bounds a value; it is no length. */
		if (!comma || strchr(comma, '.'))
			return;
		inside = text_trimmed(comma + 1, comma + strlen(comma));
	} else if ((inside = tag_argument(tag, "bytes"))) {
		bytes = true;
	} else if ((inside = tag_argument(tag, "zero-ended"))) {
		tags->has_length = true;
		tags->length = (struct length){.kind = TL_LENGTH_ZERO_ENDED,
					       .constant = (uint32_t)strtoul(inside, NULL, 0)};
		return;
	} else if (*tag == '*') {
		inside = text_trimmed(tag, tag + strlen(tag));
	} else if (!(inside = tag_argument(tag, "elements"))) {
		tags->unknown = tags->unknown ? tags->unknown : tag;
		return;
	}
	if (!length_read(&length, inside))
		return;
	length.bytes = bytes;
	tags->length = length;
	tags->has_length = true;
}

static void tag_read(struct tags *tags, const char *tag)
{
	if (!strcmp(tag, "in"))
		tags->direction |= TL_IN;
	else if (!strcmp(tag, "out"))
		tags->direction |= TL_OUT;
	else if (!strcmp(tag, "in,out") || !strcmp(tag, "in, out"))
		tags->direction |= TL_IN | TL_OUT;
	else if (!strcmp(tag, "optional"))
		tags->direction |= TL_OPTIONAL;
	else if (!strcmp(tag, "always"))
		tags->direction |= TL_ALWAYS;
	else if (!strcmp(tag, "unshown"))
		tags->direction |= TL_UNSHOWN;
	else if (!strcmp(tag, "string"))
		tags->has_length = true,
		tags->length = (struct length){.kind = TL_LENGTH_STRING, .constant = 1};
	else if (!strcmp(tag, "zero-ended"))
		tags->has_length = true,
		tags->length = (struct length){.kind = TL_LENGTH_ZERO_ENDED, .constant = 1};
	else if (!strcmp(tag, "text"))
		tags->has_length = tags->checked = true,
		tags->length =
			(struct length){.kind = TL_LENGTH_STRING, .constant = TL_LENGTH_DOUBTED};
	else if (!strcmp(tag, "address"))
		tags->address = true;
	else if (!strcmp(tag, "checked"))
		tags->checked = true;
	else if (strcmp(tag, "release") != 0 && strcmp(tag, "mbz") != 0)
		tag_read_sized(tags, tag);
}

struct tags tags_read(const char *comment)
{
	struct tags tags = {0};

	if (!comment)
		return tags;
	if (!strncmp(comment, "OUT:", 4) || !strncmp(comment, "OUT ", 4))
		tags.direction = TL_OUT;
	else if (!strncmp(comment, "IN/OUT:", 7))
		tags.direction = TL_IN | TL_OUT;
	else if (!strncmp(comment, "Returned ", 9) || !strncmp(comment, "Returns ", 8))
		tags.direction = TL_OUT;
	for (;;) {
		comment += strspn(comment, " \t\n");
		const char *close = *comment == '[' ? strchr(comment, ']') : NULL;
		if (!close)
			break;
		tag_read(&tags, text_trimmed(comment + 1, close));
		comment = close + 1;
	}
	/* "pointer to device memory location that will contain …": the host must not read it. */
	if (strcasestr(comment, "pointer to device memory location") ||
	    strcasestr(comment, "pointer to device buffer"))
		tags.address = true;
	return tags;
}

/* Tags of a variable: its direction and length. */

static bool type_is_text(const struct type *pointer)
{
	return pointer->target && pointer->target->kind == TL_KIND_CHAR;
}

static bool type_is_record(const struct type *type)
{
	return type && (type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION) &&
	       !type->incomplete;
}

static const struct variable *variable_find(const char *name, const struct variable *all,
					    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	return NULL;
}

/* Without tags, only const says anything about a pointer. */
static void variable_settle_untagged(struct variable *variable)
{
	struct type *pointer = variable->type;

	if (!pointer->is_const)
		return;
	variable->direction = TL_IN;
	if (type_is_text(pointer))
		variable->length = (struct length){.kind = TL_LENGTH_STRING, .constant = 1};
	else if (type_is_record(pointer->target))
		variable->length = (struct length){.kind = TL_LENGTH_CONSTANT, .constant = 1};
}

/* Whether a pointer leads to a struct with such a member, which is a whole number. */
static bool type_has_count(const struct type *pointer, const char *name)
{
	const struct type *in = pointer->kind == TL_KIND_POINTER ? pointer->target : NULL;
	const struct variable *member =
		type_is_record(in) ? variable_find(name, in->members, in->nmembers) : NULL;

	return member && !member->bit_width &&
	       (member->type->kind == TL_KIND_INT || member->type->kind == TL_KIND_UINT);
}

static bool variable_settle_length(struct variable *variable, const struct tags *tags,
				   const struct variable *all, size_t count)
{
	struct type *pointer = variable->type;

	variable->length = tags->length;
	if (!tags->length.sibling)
		return true;
	const struct variable *other = variable_find(tags->length.sibling, all, count);
	if (!other || (tags->length.member && !type_has_count(other->type, tags->length.member))) {
		variable->length = (struct length){0};
		return false;
	}
	/* `range(0, pCount)` where pCount is a pointer means what it points to. */
	if (other->type->kind == TL_KIND_POINTER && !tags->length.member)
		variable->length.kind = TL_LENGTH_POINTEE;
	if (!pointer->target || pointer->target->kind == TL_KIND_VOID)
		variable->length.bytes = true;
	return true;
}

/* A struct that begins with an stype goes in, too: stype and chain name what to fill. */
static bool type_has_head(const struct type *type)
{
	return type_is_record(type) && type->nmembers > 0 &&
	       !strcmp(type->members[0].name, "stype");
}

/*
 * The callee fills an array if it sets the array's count. Headers write [in,out] there because the
 * array is the caller's; its contents before the call may be uninitialized.
 */
static bool variable_is_filled(const struct variable *variable)
{
	return variable->length.kind == TL_LENGTH_POINTEE && (variable->direction & TL_IN) &&
	       (variable->direction & TL_OUT) && !type_has_head(variable->type->target);
}

/* A member that is an array itself: a sibling may say how many of its elements are valid. */
static bool variable_settle_array(struct variable *variable, const struct tags *tags,
				  const struct variable *all, size_t count)
{
	if (!tags->has_length || tags->length.kind != TL_LENGTH_VALUE || tags->length.bytes)
		return true;
	const struct variable *other = variable_find(tags->length.sibling, all, count);
	if (!other || (other->type->kind != TL_KIND_INT && other->type->kind != TL_KIND_UINT))
		return false;
	variable->length = tags->length;
	return true;
}

bool variable_settle(struct variable *variable, const struct tags *tags, const struct variable *all,
		     size_t count)
{
	struct type *type = variable->type;
	bool found = true;

	variable->direction = tags->direction ? tags->direction : TL_IN;
	variable->length = (struct length){0};
	if (type->kind == TL_KIND_ARRAY)
		return variable_settle_array(variable, tags, all, count);
	if (type->kind != TL_KIND_POINTER)
		return true;
	if (tags->address)
		return true;
	if (!tags->direction && !tags->has_length) {
		variable->direction = 0;
		variable_settle_untagged(variable);
		return true;
	}
	if (tags->has_length)
		found = variable_settle_length(variable, tags, all, count);
	else if (type_is_text(type))
		variable->length.kind = type->is_const ? TL_LENGTH_STRING : TL_LENGTH_NONE;
	else if (type->target && type->target->kind != TL_KIND_VOID && !type->target->incomplete)
		variable->length.kind = TL_LENGTH_CONSTANT;
	if (variable->length.kind == TL_LENGTH_NONE)
		variable->length = (struct length){0};
	else if (!variable->length.constant)
		variable->length.constant = 1;
	if (variable->length.kind != TL_LENGTH_NONE && !tags->checked)
		variable->direction |= TL_OBLIGED;
	if (variable_is_filled(variable))
		variable->direction &= ~(unsigned)TL_IN;
	return found;
}
