/* SPDX-License-Identifier: MIT */
/*
 * args_print.c: a call's words and blobs as JSON.
 *
 * Makes the same walk as args_capture.c, and takes a blob where args_capture.c appended one. The
 * bytes may come from a damaged file: every length is checked against what is there, and the depth
 * of the walk is bounded by the tables and by TL_CAPTURE_DEPTH, never by the bytes.
 *
 * A value that does not fit is left out whole: its beginning is taken back. The walk goes on, so
 * that the blobs after it are found.
 */
#include "format/args/args_print.h"

#include "format/args/args_values.h"
#include "format/args/args_walk.h"

static void print_pointer(struct tl_printer *p, const struct tl_variable *v, const char *place,
			  unsigned depth);
static void print_typed(struct tl_printer *p, const struct tl_type *type, const char *bytes,
			uint32_t count, unsigned depth);

/* The next blob; NULL where there is none, or it is damaged. */
static const struct tl_blob *blob_take(struct tl_blobs *blobs)
{
	size_t room = (size_t)(blobs->end - blobs->at);
	const struct tl_blob *blob = (const struct tl_blob *)(const void *)blobs->at;

	if (room < sizeof *blob || room - sizeof *blob < blob->bytes) {
		blobs->at = blobs->end;
		return NULL;
	}
	size_t padded = (blob->bytes + (size_t)7) & ~(size_t)7;
	room -= sizeof *blob;
	blobs->at += sizeof *blob + (padded < room ? padded : room);
	return blob;
}

/* Several elements: text as a string, bytes in hex, others as a list that says how many it leaves
 * out. */
static void print_elements(struct tl_printer *p, const struct tl_type *type, const char *bytes,
			   uint32_t count, uint32_t total, unsigned depth)
{
	struct tl_text *text = p->text;

	if (is_text(type)) {
		tl_value_print_string(text, bytes, count, total > count);
		return;
	}
	if (!type || type->kind == TL_KIND_VOID) {
		tl_value_print_untyped(text, bytes, count, total, p->exact);
		return;
	}
	if (tl_type_is_byte(type)) {
		tl_value_print_bytes(text, bytes, count, total > count);
		return;
	}
	uint32_t shown = at_most(count, TL_CAPTURE_ELEMENTS);
	if (!shown && !total) {
		/* Perfetto drops an argument whose list has nothing in it. */
		tl_text_string(text, "\"[]\"");
		return;
	}
	tl_text_char(text, '[');
	for (uint32_t i = 0; i < shown; i++) {
		if (i)
			tl_text_char(text, ',');
		print_typed(p, type, bytes + (size_t)i * type->size, type->count, depth);
	}
	if (total > shown) {
		tl_text_string(text, shown ? ",\"…" : "\"…");
		if (total != TL_BLOB_UNKNOWN) {
			tl_text_unsigned(text, total - shown);
			tl_text_string(text, " more");
		}
		tl_text_char(text, '"');
	}
	tl_text_char(text, ']');
}

/* `,"name":` or, as the first member, without the comma. */
static void print_name(struct tl_text *text, bool first, const char *name, const char *suffix)
{
	if (!first)
		tl_text_char(text, ',');
	tl_text_char(text, '"');
	tl_text_string(text, name);
	tl_text_string(text, suffix);
	tl_text_string(text, "\":");
}

/* Keep all of the text since `mark` if it fits, otherwise none. Returns whether it is kept. */
static bool member_keep_or_drop(struct tl_text *text, char *mark, bool was_cut)
{
	bool kept = !text->cut;

	if (!kept)
		text->at = mark;
	text->cut |= was_cut;
	return kept;
}

static uint64_t member_bit_field(const struct tl_variable *member, const char *place)
{
	uint64_t unit = load_integer(member->type, place) >> member->bit_offset;
	unsigned unused = 64 - (member->bit_width < 64 ? member->bit_width : 64);

	if (member->type->kind == TL_KIND_INT)
		return (uint64_t)((int64_t)(unit << unused) >> unused);
	return unit << unused >> unused;
}

static void print_member_value(struct tl_printer *p, const struct tl_scope *scope,
			       const struct tl_variable *member, unsigned depth)
{
	const char *place = place_of(scope, member);

	if (member->bit_width)
		tl_value_print_integer(p->text, member->type, member_bit_field(member, place),
				       p->exact);
	else if (is_followed(member, p->when))
		print_pointer(p, member, place, depth);
	else if (member->type->kind == TL_KIND_POINTER)
		tl_value_print_hex(p->text, load_pointer(place), p->exact);
	else
		print_typed(p, member->type, place, array_elements(scope, member), depth);
}

/* Memory that a call only writes has no meaning before the call. */
static bool member_is_shown(const struct tl_printer *p, const struct tl_variable *member)
{
	return member->chain != 1 &&
	       !(p->inputs && (member->direction & (TL_IN | TL_OUT)) == TL_OUT);
}

static bool print_plain_members(struct tl_printer *p, const struct tl_type *type, const char *bytes,
				unsigned depth)
{
	struct tl_scope scope = scope_of_members(type, bytes);
	struct tl_text *text = p->text;
	bool first = true;

	for (uint32_t i = 0; i < scope.count; i++) {
		const struct tl_variable *member = &scope.variables[i];
		char *mark = text->at;
		bool was_cut = text->cut;

		if (!member_is_shown(p, member))
			continue;
		text->cut = false;
		print_name(text, first, member->name, "");
		print_member_value(p, &scope, member, depth);
		if (member_keep_or_drop(text, mark, was_cut))
			first = false;
	}
	return first;
}

/* An unknown link: its stype is all that is known of it. */
static void print_unknown_link(struct tl_printer *p, const struct link *link, const char *bytes)
{
	print_name(p->text, true, link->stype->name, "");
	tl_value_print_as(p->text, link->stype->type, bytes + link->stype->offset, p->exact);
}

/* The structs that a chain is made of, as a list. */
static void print_chain(struct tl_printer *p, const struct link *first, const char *bytes,
			unsigned depth)
{
	struct links links = {.count = 0};
	struct link link = *first;
	struct tl_text *text = p->text;
	uint64_t next = load_pointer(bytes + link.next->offset);

	if (!next) {
		tl_value_print_hex(text, 0, p->exact);
		return;
	}
	tl_text_char(text, '[');
	while (is_new_link(&links, next)) {
		const struct tl_blob *blob = blob_take(p->blobs);
		const struct tl_type *type;

		if (links.count > 1)
			tl_text_char(text, ',');
		if (!blob || blob->bytes < link.head) {
			tl_value_print_hex(text, next, p->exact);
			break;
		}
		bytes = (const char *)(blob + 1);
		type = announced(p->api, &link, bytes);
		if (type && blob->bytes < type->size) {
			tl_value_print_hex(text, next, p->exact);
			break;
		}
		tl_text_char(text, '{');
		if (type)
			print_plain_members(p, type, bytes, depth + 1);
		else
			print_unknown_link(p, &link, bytes);
		tl_text_char(text, '}');
		if (type && link_of(type).next)
			link = link_of(type);
		next = load_pointer(bytes + link.next->offset);
	}
	tl_text_char(text, ']');
}

static void print_members(struct tl_printer *p, const struct tl_type *type, const char *bytes,
			  unsigned depth)
{
	struct link link = link_of(type);
	struct tl_text *text = p->text;
	char *begin = text->at, *mark;
	bool first, was_cut;

	tl_text_char(text, '{');
	first = print_plain_members(p, type, bytes, depth);
	if (link.next) {
		mark = text->at;
		was_cut = text->cut;
		text->cut = false;
		print_name(text, first, link.next->name, "");
		if (depth < TL_CAPTURE_DEPTH)
			print_chain(p, &link, bytes, depth);
		else
			tl_value_print_hex(text, load_pointer(bytes + link.next->offset), p->exact);
		member_keep_or_drop(text, mark, was_cut);
	}
	if (text->at == begin + 1) {
		/* As an empty list. */
		text->at = begin;
		tl_text_string(text, "\"{}\"");
		return;
	}
	tl_text_char(text, '}');
}

/* A value of any type, in place; count is for an array. */
static void print_typed(struct tl_printer *p, const struct tl_type *type, const char *bytes,
			uint32_t count, unsigned depth)
{
	struct tl_variable v;

	switch (type->kind) {
	case TL_KIND_STRUCT:
		print_members(p, type, bytes, depth);
		break;
	case TL_KIND_UNION:
		/* Which member is meant can't be known; the first stands for all, and its pointers
		 * are not followed. */
		tl_text_char(p->text, '{');
		if (type->count) {
			const struct tl_variable *member = &type->members[0];

			print_name(p->text, true, member->name, "");
			tl_value_print_as(p->text, member->type, bytes + member->offset, p->exact);
		}
		tl_text_char(p->text, '}');
		break;
	case TL_KIND_ARRAY:
		print_elements(p, type->target, bytes, count, count, depth);
		break;
	case TL_KIND_POINTER:
		v = element_variable(type);
		print_pointer(p, &v, bytes, depth);
		break;
	default:
		tl_value_print_as(p->text, type, bytes, p->exact);
	}
}

static void print_pointer(struct tl_printer *p, const struct tl_variable *v, const char *place,
			  unsigned depth)
{
	const struct tl_type *target = v->type->target;
	uint64_t pointer = load_pointer(place);
	uint32_t element = element_size(v->type), count;
	const struct tl_blob *blob;
	bool single = v->length.kind == TL_LENGTH_CONSTANT && v->length.constant == 1 &&
		      !v->length.bytes && !tl_type_is_byte(target);

	if (!pointer || depth >= TL_CAPTURE_DEPTH || !is_followed(v, p->when)) {
		tl_value_print_hex(p->text, pointer, p->exact);
		return;
	}
	blob = blob_take(p->blobs);
	count = blob ? blob->bytes / element : 0;
	if (!blob || (!count && (blob->total || single)))
		tl_value_print_hex(p->text, pointer, p->exact);
	else if (single)
		print_typed(p, target, (const char *)(blob + 1), target->count, depth + 1);
	else
		print_elements(p, target, (const char *)(blob + 1), count, blob->total, depth + 1);
}

/*
 * A parameter's value from one of the two captures. False where that capture has nothing for it;
 * then nothing is printed.
 */
static bool print_captured(struct tl_printer *p, const struct tl_variable *param, const char *place,
			   const char *suffix, bool first)
{
	struct tl_text *text = p->text;
	char *mark = text->at;
	bool was_cut = text->cut;

	if (p->blobs->at == p->blobs->end || !load_pointer(place))
		return false;
	text->cut = false;
	print_name(text, first, param->name, suffix);
	print_pointer(p, param, place, 0);
	return member_keep_or_drop(text, mark, was_cut);
}

/*
 * Whether the call left its inputs unchanged: printed again as they were after the call, they give
 * the same text.
 */
static bool inputs_are_same(const struct tl_printer *exit, const struct tl_blobs *blobs,
			    const struct tl_variable *param, const char *place, const char *entry)
{
	struct tl_text *text = exit->text;
	struct tl_blobs again = *blobs;
	struct tl_printer inputs = *exit;
	char *end = text->at;
	bool was_cut = text->cut, same;

	inputs.blobs = &again;
	inputs.inputs = true;
	same = print_captured(&inputs, param, place, ":in", false) &&
	       text->at - end == end - entry && memcmp(end, entry, (size_t)(end - entry)) == 0;
	text->at = end;
	text->cut = was_cut;
	return same;
}

/* A pointer that the call may have read and written through. Returns whether anything was printed.
 */
static bool print_followed(struct tl_printer *entry, struct tl_printer *exit,
			   const struct tl_variable *param, const char *place, bool first)
{
	struct tl_blobs exit_blobs = *exit->blobs;
	char *mark;

	if (!is_followed(param, TL_CAPTURE_EXIT) || !print_captured(exit, param, place, "", first))
		return is_followed(param, TL_CAPTURE_ENTRY) &&
		       print_captured(entry, param, place, "", first);
	mark = entry->text->at;
	if (is_followed(param, TL_CAPTURE_ENTRY) &&
	    print_captured(entry, param, place, ":in", false) &&
	    inputs_are_same(exit, &exit_blobs, param, place, mark))
		entry->text->at = mark;
	return true;
}

static struct tl_blobs blobs_in(const void *bytes, size_t size)
{
	static const char nothing[1];

	return bytes ? (struct tl_blobs){bytes, (const char *)bytes + size}
		     : (struct tl_blobs){nothing, nothing};
}

void tl_args_walk_start(struct tl_args_walk *walk, struct tl_text *text,
			const struct tl_function *function, const struct tl_args_kept *kept,
			bool exact)
{
	walk->before = blobs_in(kept->entry, kept->entry_size);
	walk->after = blobs_in(kept->exit, kept->exit_size);
	walk->at_entry = (struct tl_printer){text, &walk->before, TL_CAPTURE_ENTRY,
					     true, function->api, exact};
	walk->at_exit = (struct tl_printer){text,  &walk->after,  TL_CAPTURE_EXIT,
					    false, function->api, exact};
	walk->params = scope_of_params(function, kept->words);
}

bool tl_args_walk_param(struct tl_args_walk *walk, uint32_t number, bool first)
{
	const struct tl_variable *param = &walk->params.variables[number];
	const char *place = place_of(&walk->params, param);
	struct tl_text *text = walk->at_entry.text;

	if (param->type->kind == TL_KIND_POINTER &&
	    print_followed(&walk->at_entry, &walk->at_exit, param, place, first))
		return true;
	char *mark = text->at;
	bool was_cut = text->cut;
	text->cut = false;
	print_name(text, first, param->name, "");
	if (param->type->kind == TL_KIND_POINTER)
		tl_value_print_hex(text, load_pointer(place), walk->at_entry.exact);
	else
		print_typed(&walk->at_entry, param->type, place, param->type->count, 0);
	return member_keep_or_drop(text, mark, was_cut);
}

void tl_args_print(struct tl_text *text, const struct tl_function *function, const uint64_t *words,
		   const void *entry, size_t entry_size, const void *exit, size_t exit_size)
{
	const struct tl_args_kept kept = {words, entry, exit, entry_size, exit_size};
	struct tl_args_walk walk;
	bool first = true;

	tl_args_walk_start(&walk, text, function, &kept, false);
	for (uint32_t i = 0; i < function->count; i++)
		if (tl_args_walk_param(&walk, i, first))
			first = false;
}

enum tl_how tl_how_of(const struct tl_variable *variable)
{
	const struct tl_type *type = variable->type;

	if (!type->size || type->size > 8)
		return TL_HOW_WALKED;
	switch (type->kind) {
	case TL_KIND_POINTER:
		return is_followed(variable, TL_CAPTURE_ENTRY) ||
				       is_followed(variable, TL_CAPTURE_EXIT)
			       ? TL_HOW_FOLLOWED
			       : TL_HOW_ADDRESS;
	case TL_KIND_FUNCTION:
		return TL_HOW_ADDRESS;
	case TL_KIND_HANDLE:
		return TL_HOW_HANDLE;
	case TL_KIND_UINT:
		return TL_HOW_UNSIGNED;
	case TL_KIND_INT:
		return TL_HOW_SIGNED;
	case TL_KIND_BOOL:
		return TL_HOW_TRUTH;
	case TL_KIND_ENUM:
		return TL_HOW_NAMED;
	case TL_KIND_FLOAT:
		return type->size == sizeof(float) || type->size == sizeof(double) ? TL_HOW_REAL
										   : TL_HOW_WALKED;
	default:
		return TL_HOW_WALKED;
	}
}
