/* SPDX-License-Identifier: MIT */
/*
 * args_visit.c: the walk over a call's words and blobs: see args_sink.h.
 *
 * Makes the same walk as args_capture.c, and takes a blob where args_capture.c appended one. The
 * bytes may come from a damaged file: every length is checked against what is there, and the depth
 * of the walk is bounded by the tables and by TL_CAPTURE_DEPTH, never by the bytes.
 *
 * A value that does not fit is left out whole: its beginning is taken back. The walk goes on, so
 * that the blobs after it are found.
 */
#include "format/args/args_sink.h"

#include <limits.h>

#include "format/args/args_same.h"
#include "format/args/args_values.h"
#include "format/args/args_walk.h"

static void visit_pointer(struct tl_visitor *to, const struct tl_variable *v, const char *place,
			  unsigned depth);
static void visit_typed(struct tl_visitor *to, const struct tl_type *type, const char *bytes,
			uint32_t count, unsigned depth);

static void visit_address(const struct tl_visitor *to, uint64_t address)
{
	to->sink->address(to->text, address);
}

static void visit_end(const struct tl_visitor *to, char *value)
{
	if (to->sink->end)
		to->sink->end(to->text, value);
}

/* The last element of a list that says how many it leaves out. */
static void visit_more(const struct tl_visitor *to, uint32_t count, bool is_known, bool first)
{
	char bytes[32];
	struct tl_text remark = {bytes, bytes + sizeof(bytes), false};
	char *element = to->sink->begin(to->text, NULL, "", first);

	tl_text_string(&remark, "…");
	if (is_known) {
		tl_text_unsigned(&remark, count);
		tl_text_string(&remark, " more");
	}
	to->sink->remark(to->text, bytes, (size_t)(remark.at - bytes));
	visit_end(to, element);
}

static void visit_list(struct tl_visitor *to, const struct tl_type *type, const char *bytes,
		       uint32_t count, uint32_t total, unsigned depth)
{
	uint32_t shown = at_most(count, TL_CAPTURE_ELEMENTS);

	if (!shown && !total) {
		/* Perfetto drops an argument whose list has nothing in it. */
		to->sink->remark(to->text, "[]", 2);
		return;
	}
	to->sink->bracket(to->text, '[');
	for (uint32_t i = 0; i < shown; i++) {
		char *element = to->sink->begin(to->text, NULL, "", i == 0);
		visit_typed(to, type, bytes + (size_t)i * type->size, type->count, depth);
		visit_end(to, element);
	}
	if (total > shown)
		visit_more(to, total - shown, total != TL_BLOB_UNKNOWN, !shown);
	to->sink->bracket(to->text, ']');
}

/* Several elements: text as a string, bytes in hex, others as a list. */
static void visit_elements(struct tl_visitor *to, const struct tl_type *type, const char *bytes,
			   uint32_t count, uint32_t total, unsigned depth)
{
	if (is_text(type))
		tl_visit_string(to->sink, to->text, bytes, count, total > count);
	else if (!type || type->kind == TL_KIND_VOID)
		tl_visit_untyped(to->sink, to->text, bytes, count, total);
	else if (tl_type_is_byte(type))
		tl_visit_bytes(to->sink, to->text, bytes, count, total > count);
	else
		visit_list(to, type, bytes, count, total, depth);
}

/* Keep the text since `mark` if all of it fits, otherwise none. Returns whether it is kept. */
static bool member_keep_or_drop(struct tl_text *text, char *mark, bool was_cut)
{
	bool kept = !text->cut;

	if (!kept)
		text->at = mark;
	text->cut |= was_cut;
	return kept;
}

/* Reads the bytes that the field lies in, and no others: a packed struct may end there. */
static uint64_t member_bit_field(const struct tl_variable *member, const char *place,
				 bool is_signed)
{
	unsigned __int128 bytes = 0;
	unsigned unused = 64 - (member->bit_width < 64 ? member->bit_width : 64);

	memcpy(&bytes, place, tl_bit_field_size(member));
	uint64_t field = (uint64_t)(bytes >> member->bit_offset) << unused;
	return is_signed ? (uint64_t)((int64_t)field >> unused) : field >> unused;
}

static void visit_bit_field(const struct tl_visitor *to, const struct tl_variable *member,
			    const char *place)
{
	static const struct tl_type small = {
		.name = "char", .kind = CHAR_MIN < 0 ? TL_KIND_INT : TL_KIND_UINT, .size = 1};
	/* Here a plain char is a number, with the sign that the compiler gives it. */
	const struct tl_type *type = member->type->kind == TL_KIND_CHAR ? &small : member->type;

	tl_visit_integer(to->sink, to->text, type,
			 member_bit_field(member, place, type->kind == TL_KIND_INT));
}

static void visit_member_value(struct tl_visitor *to, const struct tl_scope *scope,
			       const struct tl_variable *member, unsigned depth)
{
	const char *place = place_of(scope, member);

	if (member->bit_width)
		visit_bit_field(to, member, place);
	else if (is_followed(member, to->when))
		visit_pointer(to, member, place, depth);
	else if (member->type->kind == TL_KIND_POINTER)
		visit_address(to, load_pointer(place));
	else
		visit_typed(to, member->type, place, array_elements(scope, member), depth);
}

/* Memory that a call only writes has no meaning before the call. */
static bool member_is_shown(const struct tl_visitor *to, const struct tl_variable *member)
{
	return member->chain != 1 &&
	       !(to->inputs && (member->direction & (TL_IN | TL_OUT)) == TL_OUT);
}

/* Returns whether a further member would be the first. */
static bool visit_plain_members(struct tl_visitor *to, const struct tl_type *type,
				const char *bytes, unsigned depth)
{
	struct tl_scope scope = scope_of_members(type, bytes);
	struct tl_text *text = to->text;
	bool first = true;

	for (uint32_t i = 0; i < scope.count; i++) {
		const struct tl_variable *member = &scope.variables[i];
		char *mark = text->at, *value;
		bool was_cut = text->cut;

		if (!member_is_shown(to, member))
			continue;
		text->cut = false;
		value = to->sink->begin(text, member->name, "", first);
		visit_member_value(to, &scope, member, depth);
		visit_end(to, value);
		if (member_keep_or_drop(text, mark, was_cut))
			first = false;
	}
	return first;
}

/* The only member that is shown: the first of a union, or the stype of an unknown link. */
static void visit_only_member(const struct tl_visitor *to, const struct tl_variable *member,
			      const char *bytes)
{
	char *value = to->sink->begin(to->text, member->name, "", true);

	if (member->bit_width)
		visit_bit_field(to, member, bytes + member->offset);
	else
		tl_value_visit(to->sink, to->text, member->type, bytes + member->offset);
	visit_end(to, value);
}

/*
 * Visit the struct that *link leads to. If its type is unknown, only its stype is shown. Returns
 * its bytes, or NULL if there are none, and sets *link to the link in it.
 */
static const char *visit_link(struct tl_visitor *to, struct link *link, uint64_t address,
			      unsigned depth)
{
	const struct tl_blob *blob = tl_blob_take(to->blobs);
	const struct tl_type *type;

	if (!blob || blob->bytes < link->head) {
		visit_address(to, address);
		return NULL;
	}
	const char *bytes = (const char *)(blob + 1);
	type = announced_type(to->api, link, bytes);
	if (type && blob->bytes < type->size) {
		visit_address(to, address);
		return NULL;
	}
	to->sink->bracket(to->text, '{');
	if (type)
		visit_plain_members(to, type, bytes, depth);
	else
		visit_only_member(to, link->stype, bytes);
	to->sink->bracket(to->text, '}');
	if (type && link_of(type).next)
		*link = link_of(type);
	return bytes;
}

/* The structs of a chain, as a list. */
static void visit_chain(struct tl_visitor *to, const struct link *first, const char *bytes,
			unsigned depth)
{
	struct links links = {.count = 0};
	struct link link = *first;
	uint64_t next = load_pointer(bytes + link.next->offset);

	if (!next) {
		visit_address(to, 0);
		return;
	}
	to->sink->bracket(to->text, '[');
	while (bytes && is_new_link(&links, next)) {
		char *element = to->sink->begin(to->text, NULL, "", links.count == 1);
		bytes = visit_link(to, &link, next, depth + 1);
		visit_end(to, element);
		if (bytes)
			next = load_pointer(bytes + link.next->offset);
	}
	to->sink->bracket(to->text, ']');
}

/* The member that leads to a struct's chain. Returns whether it fitted. */
static bool visit_chain_member(struct tl_visitor *to, const struct link *link, const char *bytes,
			       unsigned depth, bool first)
{
	struct tl_text *text = to->text;
	char *mark = text->at, *value;
	bool was_cut = text->cut;

	text->cut = false;
	value = to->sink->begin(text, link->next->name, "", first);
	if (depth < TL_CAPTURE_DEPTH)
		visit_chain(to, link, bytes, depth);
	else
		visit_address(to, load_pointer(bytes + link->next->offset));
	visit_end(to, value);
	return member_keep_or_drop(text, mark, was_cut);
}

static void visit_members(struct tl_visitor *to, const struct tl_type *type, const char *bytes,
			  unsigned depth)
{
	struct link link = link_of(type);
	struct tl_text *text = to->text;
	char *mark = text->at;
	bool empty;

	to->sink->bracket(text, '{');
	empty = visit_plain_members(to, type, bytes, depth);
	if (link.next && visit_chain_member(to, &link, bytes, depth, empty))
		empty = false;
	if (empty) {
		/* As an empty list. */
		text->at = mark;
		to->sink->remark(text, "{}", 2);
		return;
	}
	to->sink->bracket(text, '}');
}

/* A value of any type, from its own bytes. `count` is for an array. */
static void visit_typed(struct tl_visitor *to, const struct tl_type *type, const char *bytes,
			uint32_t count, unsigned depth)
{
	struct tl_variable v;

	switch (type->kind) {
	case TL_KIND_STRUCT:
		visit_members(to, type, bytes, depth);
		break;
	case TL_KIND_UNION:
		/* It can't be known which member is valid. The first stands for all, and its
		 * pointers are not followed. */
		to->sink->bracket(to->text, '{');
		if (type->count)
			visit_only_member(to, &type->members[0], bytes);
		to->sink->bracket(to->text, '}');
		break;
	case TL_KIND_ARRAY:
		visit_elements(to, type->target, bytes, count, count, depth);
		break;
	case TL_KIND_POINTER:
		v = element_variable(type);
		visit_pointer(to, &v, bytes, depth);
		break;
	default:
		tl_value_visit(to->sink, to->text, type, bytes);
	}
}

void tl_visit_members(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		      const void *value)
{
	struct tl_blobs none = {.at = NULL, .end = NULL};
	struct tl_visitor to = {
		.sink = sink, .text = text, .blobs = &none, .when = TL_CAPTURE_EXIT};

	visit_typed(&to, type, value, type->count, TL_CAPTURE_DEPTH);
}

/*
 * Systems map nothing at the lowest addresses. If a text's address is one of these, the program
 * passed a number, as variadic functions take.
 */
#define LEAST_ADDRESS 65536

/* What elements lead to is kept behind them, and has to be passed over: such are shown. */
static bool is_unshown(const struct tl_variable *v)
{
	return v->direction & TL_UNSHOWN && !may_lead_on(v->type->target);
}

static void visit_pointer(struct tl_visitor *to, const struct tl_variable *v, const char *place,
			  unsigned depth)
{
	const struct tl_type *target = v->type->target;
	uint64_t pointer = load_pointer(place);
	uint32_t element = element_size(v->type), count;
	const struct tl_blob *blob;
	bool single = v->length.kind == TL_LENGTH_CONSTANT && v->length.constant == 1 &&
		      !v->length.bytes && !tl_type_is_byte(target);

	if (!pointer || depth >= TL_CAPTURE_DEPTH || !is_followed(v, to->when)) {
		visit_address(to, pointer);
		return;
	}
	blob = tl_blob_take(to->blobs);
	count = blob ? blob->bytes / element : 0;
	if (blob && !count && v->length.kind == TL_LENGTH_STRING && pointer < LEAST_ADDRESS)
		to->sink->number(to->text, pointer, false);
	else if (!blob || (!count && (blob->total || single)) || is_unshown(v))
		visit_address(to, pointer);
	else if (single)
		visit_typed(to, target, (const char *)(blob + 1), target->count, depth + 1);
	else
		visit_elements(to, target, (const char *)(blob + 1), count, blob->total, depth + 1);
}

static bool param_is_captured(const struct tl_visitor *to, const char *place)
{
	return to->blobs->at != to->blobs->end && load_pointer(place);
}

/*
 * A parameter's value from one of the two captures. False: that capture has nothing for it, and
 * nothing was appended.
 */
static bool visit_captured(struct tl_visitor *to, const struct tl_variable *param,
			   const char *place, const char *suffix, bool first)
{
	struct tl_text *text = to->text;
	char *mark = text->at, *value;
	bool was_cut = text->cut;

	if (!param_is_captured(to, place))
		return false;
	text->cut = false;
	value = to->sink->begin(text, param->name, suffix, first);
	visit_pointer(to, param, place, 0);
	visit_end(to, value);
	return member_keep_or_drop(text, mark, was_cut);
}

/*
 * Append a parameter's inputs in the form in which they are compared. *blobs is where they begin,
 * and then where they end.
 */
static void visit_for_comparison(const struct tl_visitor *capture, struct tl_blobs *blobs,
				 struct tl_text *text, const struct tl_variable *param,
				 const char *place)
{
	struct tl_visitor to = *capture;

	to.sink = &tl_same_sink;
	to.text = text;
	to.blobs = blobs;
	to.inputs = true;
	visit_pointer(&to, param, place, 0);
}

/*
 * Show a parameter's inputs if the call changed them. To find out, both forms are first written
 * behind the text and compared: most inputs do not change, and a sink may remember the names that
 * it gets. exit_blobs: where the parameter's blobs began.
 */
static void visit_inputs(struct tl_visitor *entry, const struct tl_visitor *exit,
			 struct tl_blobs exit_blobs, const struct tl_variable *param,
			 const char *place)
{
	char *before = entry->text->at, *after;
	struct tl_text text = {before, entry->text->end, false};
	struct tl_blobs blobs = *entry->blobs;

	if (!param_is_captured(entry, place))
		return;
	visit_for_comparison(entry, &blobs, &text, param, place);
	after = text.at;
	visit_for_comparison(exit, &exit_blobs, &text, param, place);
	if (!text.cut && text.at - after == after - before &&
	    memcmp(before, after, (size_t)(after - before)) == 0)
		*entry->blobs = blobs;
	else
		visit_captured(entry, param, place, ":in", false);
}

/* A pointer that the call may have read and written through. Returns whether anything was
 * appended. */
static bool visit_followed(struct tl_visitor *entry, struct tl_visitor *exit,
			   const struct tl_variable *param, const char *place, bool first)
{
	struct tl_blobs exit_blobs = *exit->blobs;
	bool is_input = is_followed(param, TL_CAPTURE_ENTRY);

	if (!is_followed(param, exit->when) || !param_is_captured(exit, place))
		return is_input && visit_captured(entry, param, place, "", first);
	if (!visit_captured(exit, param, place, "", first)) {
		/*
		 * It does not fit. What was there before the call would be taken for it, so that is
		 * passed over.
		 */
		struct tl_text none = {entry->text->at, entry->text->at, false};

		if (is_input && param_is_captured(entry, place))
			visit_for_comparison(entry, entry->blobs, &none, param, place);
		return false;
	}
	if (is_input)
		visit_inputs(entry, exit, exit_blobs, param, place);
	return true;
}

static struct tl_blobs blobs_in(const void *bytes, size_t size)
{
	static const char nothing[1];

	return bytes ? (struct tl_blobs){bytes, (const char *)bytes + size}
		     : (struct tl_blobs){nothing, nothing};
}

void tl_args_walk_start(struct tl_args_walk *walk, const struct tl_sink *sink, struct tl_text *text,
			const struct tl_function *function, const struct tl_args_kept *kept)
{
	const struct tl_api *api = function->api;

	walk->before = blobs_in(kept->entry, kept->entry_size);
	walk->after = blobs_in(kept->exit, kept->exit_size);
	walk->at_entry =
		(struct tl_visitor){sink, text, &walk->before, TL_CAPTURE_ENTRY, true, api};
	walk->at_exit = (struct tl_visitor){
		sink,  text, &walk->after, kept->failed ? TL_CAPTURE_FAILED : TL_CAPTURE_EXIT,
		false, api};
	walk->params = scope_of_params(function, kept->words);
}

bool tl_args_walk_param(struct tl_args_walk *walk, uint32_t number, bool first)
{
	const struct tl_variable *param = &walk->params.variables[number];
	const char *place = place_of(&walk->params, param);
	struct tl_visitor *to = &walk->at_entry;
	struct tl_text *text = to->text;

	if (param->type->kind == TL_KIND_POINTER &&
	    visit_followed(to, &walk->at_exit, param, place, first))
		return true;
	char *mark = text->at, *value;
	bool was_cut = text->cut;
	text->cut = false;
	value = to->sink->begin(text, param->name, "", first);
	if (param->type->kind == TL_KIND_POINTER)
		visit_address(to, load_pointer(place));
	else
		visit_typed(to, param->type, place, param->type->count, 0);
	visit_end(to, value);
	return member_keep_or_drop(text, mark, was_cut);
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
		return type->count ? TL_HOW_WALKED : TL_HOW_HANDLE;
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
