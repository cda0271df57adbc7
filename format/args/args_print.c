/* SPDX-License-Identifier: MIT */
/*
 * args_print.c: a call's words and blobs as JSON.
 *
 * Makes the same walk as args_capture.c, taking a blob where that appended one. The bytes may come
 * from a damaged file: every length is checked against what is there, and the depth of the walk is
 * bounded by the tables and by TL_CAPTURE_DEPTH, never by the bytes.
 *
 * A value that does not fit is left out whole: what began it is taken back. The walk goes on even
 * then, so that the blobs after it are found where they are.
 */
#include "format/args/args_print.h"

#include "format/args/args_walk.h"

static void print_pointer(struct tl_printer *p, const struct tl_variable *v, const char *place,
			  unsigned depth);
static void print_any(struct tl_printer *p, const struct tl_type *type, const char *bytes,
		      uint32_t count, unsigned depth);

/* The next blob, NULL where there is none or none that is sound. */
static const struct tl_blob *take_blob(struct tl_blobs *blobs)
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

/* What JSON has to have as a string. */
static void print_quote(struct tl_text *text, bool exact)
{
	if (!exact)
		tl_text_char(text, '"');
}

static void print_hex(struct tl_text *text, uint64_t value, bool exact)
{
	print_quote(text, exact);
	tl_text_hex(text, value);
	print_quote(text, exact);
}

static uint64_t low_bytes(uint64_t value, uint32_t size)
{
	return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

static const char *search_enumerator(const struct tl_type *type, uint64_t value)
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
	const char *name = search_enumerator(type, value);

	if (!name && type->size < 8)
		name = search_enumerator(type, value | ~low_bytes(~0ull, type->size));
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

static void print_hex_bytes(struct tl_text *text, const char *bytes, size_t size, bool more);

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
		print_hex_bytes(text, bytes, type->size, false);
}

/* An integer of a kind, already extended or not: of it only the type's own bytes count. */
static void print_integer(struct tl_text *text, const struct tl_type *type, uint64_t value,
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

static void print_value(struct tl_text *text, const struct tl_type *type, const void *value,
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
		print_hex(&out, load_integer(type, value), exact);
		break;
	case TL_KIND_POINTER:
	case TL_KIND_FUNCTION:
		print_hex(&out, load_pointer(value), exact);
		break;
	case TL_KIND_ARRAY:
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		print_hex_bytes(&out, value, type->size, false);
		break;
	default:
		print_integer(&out, type, load_integer(type, value), exact);
	}
	if (out.cut)
		text->cut = true;
	else
		text->at = out.at;
}

void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value)
{
	print_value(text, type, value, false);
}

void tl_value_print_exact(struct tl_text *text, const struct tl_type *type, const void *value)
{
	print_value(text, type, value, true);
}

/* `size` bytes of a string; of one that was cut in the middle of a character, that character goes.
 */
static void print_string(struct tl_text *text, const char *bytes, size_t size, bool more)
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

/* "78 9c 03 …" */
static void print_hex_bytes(struct tl_text *text, const char *bytes, size_t size, bool more)
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

static bool is_byte(const struct tl_type *type)
{
	return !type || type->kind == TL_KIND_VOID ||
	       (type->size == 1 && (type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT));
}

/* Bytes without a type that can be nothing but a string: at least four characters, then a NUL. */
static bool looks_like_text(const char *bytes, size_t size)
{
	size_t length = strnlen(bytes, size);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)bytes[i] < 0x20 && (bytes[i] < '\t' || bytes[i] > '\r'))
			return false;
	return length >= 4 && length < size;
}

/* Bytes without a type: a string, a word (many are handles), or hex. */
static void print_untyped(struct tl_text *text, const char *bytes, uint32_t size, uint32_t total,
			  bool exact)
{
	uint64_t word = 0;

	if (total == size && (size == 4 || size == 8)) {
		memcpy(&word, bytes, size);
		print_hex(text, word, exact);
	} else if (looks_like_text(bytes, size)) {
		print_string(text, bytes, size, false);
	} else {
		print_hex_bytes(text, bytes, size, total > size);
	}
}

/* Several elements: text as a string, bytes in hex, others as a list that says how many it leaves
 * out. */
static void print_elements(struct tl_printer *p, const struct tl_type *type, const char *bytes,
			   uint32_t count, uint32_t total, unsigned depth)
{
	struct tl_text *text = p->text;

	if (is_text(type)) {
		print_string(text, bytes, count, total > count);
		return;
	}
	if (!type || type->kind == TL_KIND_VOID) {
		print_untyped(text, bytes, count, total, p->exact);
		return;
	}
	if (is_byte(type)) {
		print_hex_bytes(text, bytes, count, total > count);
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
		print_any(p, type, bytes + (size_t)i * type->size, type->count, depth);
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

/* What was printed since `mark` stands or falls together. Returns whether it stands. */
static bool keep_or_drop(struct tl_text *text, char *mark, bool was_cut)
{
	bool kept = !text->cut;

	if (!kept)
		text->at = mark;
	text->cut |= was_cut;
	return kept;
}

static uint64_t bit_field(const struct tl_variable *member, const char *place)
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
		print_integer(p->text, member->type, bit_field(member, place), p->exact);
	else if (is_followed(member, p->when))
		print_pointer(p, member, place, depth);
	else if (member->type->kind == TL_KIND_POINTER)
		print_hex(p->text, load_pointer(place), p->exact);
	else
		print_any(p, member->type, place, array_elements(scope, member), depth);
}

/* What a call only writes means nothing before the call. */
static bool is_shown(const struct tl_printer *p, const struct tl_variable *member)
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

		if (!is_shown(p, member))
			continue;
		text->cut = false;
		print_name(text, first, member->name, "");
		print_member_value(p, &scope, member, depth);
		if (keep_or_drop(text, mark, was_cut))
			first = false;
	}
	return first;
}

/* An unknown link: its stype is all that is known of it. */
static void print_unknown_link(struct tl_printer *p, const struct link *link, const char *bytes)
{
	print_name(p->text, true, link->stype->name, "");
	print_value(p->text, link->stype->type, bytes + link->stype->offset, p->exact);
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
		print_hex(text, 0, p->exact);
		return;
	}
	tl_text_char(text, '[');
	while (is_new_link(&links, next)) {
		const struct tl_blob *blob = take_blob(p->blobs);
		const struct tl_type *type;

		if (links.count > 1)
			tl_text_char(text, ',');
		if (!blob || blob->bytes < link.head) {
			print_hex(text, next, p->exact);
			break;
		}
		bytes = (const char *)(blob + 1);
		type = announced(p->api, &link, bytes);
		if (type && blob->bytes < type->size) {
			print_hex(text, next, p->exact);
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
			print_hex(text, load_pointer(bytes + link.next->offset), p->exact);
		keep_or_drop(text, mark, was_cut);
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
static void print_any(struct tl_printer *p, const struct tl_type *type, const char *bytes,
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
			print_value(p->text, member->type, bytes + member->offset, p->exact);
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
		print_value(p->text, type, bytes, p->exact);
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
		      !v->length.bytes && !is_byte(target);

	if (!pointer || depth >= TL_CAPTURE_DEPTH || !is_followed(v, p->when)) {
		print_hex(p->text, pointer, p->exact);
		return;
	}
	blob = take_blob(p->blobs);
	count = blob ? blob->bytes / element : 0;
	if (!blob || (!count && (blob->total || single)))
		print_hex(p->text, pointer, p->exact);
	else if (single)
		print_any(p, target, (const char *)(blob + 1), target->count, depth + 1);
	else
		print_elements(p, target, (const char *)(blob + 1), count, blob->total, depth + 1);
}

/* A parameter's value as of one of the two captures. False where that capture has nothing for it,
 * and nothing is printed. */
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
	return keep_or_drop(text, mark, was_cut);
}

/* What the call left alone: its inputs, printed once more as they were after it, are the same as
 * before it. */
static bool same_inputs(const struct tl_printer *exit, const struct tl_blobs *blobs,
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
	    same_inputs(exit, &exit_blobs, param, place, mark))
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
		print_hex(text, load_pointer(place), walk->at_entry.exact);
	else
		print_any(&walk->at_entry, param->type, place, param->type->count, 0);
	return keep_or_drop(text, mark, was_cut);
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
