/* SPDX-License-Identifier: MIT */
/*
 * args_capture.c: the memory behind a call's arguments, as blobs.
 *
 * Runs inside the traced program, in the calling thread, around the real call. It allocates
 * nothing, takes no lock, keeps little on the stack, and is bounded in elements, depth, links of a
 * chain and blobs, and by the room that it is given.
 */
#include "format/args/args_capture.h"

#include "format/args/args_walk.h"

struct capture {
	char *at, *end;
	bool cut; /* something did not fit: nothing more is appended, to keep the order */
	enum tl_capture_when when;
	unsigned blobs;
	const struct tl_api *api;
	bool doubtful; /* the array around it may be untouched: no memory is OBLIGED */
};

/* What a pointer stands for, and how to read it. */
struct extent {
	const void *from;
	uint32_t element; /* bytes */
	uint64_t total;	  /* elements, or TL_BLOB_UNKNOWN and above */
	bool known;
	bool obliged;
};

static void capture_value(struct capture *c, const struct tl_type *type, const char *bytes,
			  uint32_t count, unsigned depth);
static void capture_members(struct capture *c, const struct tl_type *type, const char *bytes,
			    unsigned depth);

static size_t memory_read(void *to, const void *from, size_t size, bool obliged)
{
	if (!obliged)
		return tl_passed_copy(to, from, size);
	memcpy(to, from, size);
	return size;
}

/* Begin a blob: returns room for `bytes`, or NULL if there is none. */
static struct tl_blob *blob_begin(struct capture *c, size_t bytes)
{
	size_t padded = (bytes + 7) & ~(size_t)7;

	if (c->cut || c->blobs == TL_CAPTURE_BLOBS ||
	    (size_t)(c->end - c->at) < sizeof(struct tl_blob) ||
	    (size_t)(c->end - c->at) - sizeof(struct tl_blob) < padded) {
		c->cut = true;
		return NULL;
	}
	return (struct tl_blob *)(void *)c->at;
}

/* End it, with its final number of bytes. */
static void blob_end(struct capture *c, struct tl_blob *blob, size_t bytes, uint64_t total)
{
	char *data = (char *)(blob + 1);
	size_t padded = (bytes + 7) & ~(size_t)7;

	blob->bytes = (uint32_t)bytes;
	blob->total = total < TL_BLOB_UNKNOWN ? (uint32_t)total : TL_BLOB_UNKNOWN;
	if (padded != bytes)
		memset(data + bytes, 0, padded - bytes);
	c->at = data + padded;
	c->blobs++;
}

static void capture_nothing(struct capture *c, uint64_t total)
{
	struct tl_blob *blob = blob_begin(c, 0);

	if (blob)
		blob_end(c, blob, 0, total);
}

/* An integer as a number of units: a negative one is none. */
static inline uint64_t count_load(const struct tl_type *type, const void *place)
{
	uint64_t count = load_integer(type, place);

	return type->kind == TL_KIND_INT && (int64_t)count < 0 ? 0 : count;
}

/* Read the integer that a pointer variable points to. False: it can't be read. */
static bool pointee_count(const struct tl_scope *scope, const struct tl_variable *v,
			  uint64_t *count)
{
	const void *from = (const void *)(uintptr_t)load_pointer(place_of(scope, v));
	const struct tl_type *type = v->type->kind == TL_KIND_POINTER ? v->type->target : NULL;
	uint64_t pointee = 0;

	if (!type || !is_integer(type) || type->size > 8 || !from ||
	    memory_read(&pointee, from, type->size, v->direction & TL_OBLIGED) != type->size)
		return false;
	*count = count_load(type, &pointee);
	return true;
}

static bool value_count(const struct tl_scope *scope, const struct tl_variable *v, uint64_t *count)
{
	if (!is_integer(v->type))
		return false;
	*count = count_load(v->type, place_of(scope, v));
	return true;
}

/*
 * (size_t size, T *values, size_t *size_ret): the parameter behind the array says how much the call
 * has filled, or would have filled. The call did not write to the rest of the array.
 */
static void count_cut_to_filled(const struct tl_scope *scope, const struct tl_variable *v,
				uint64_t *count)
{
	const struct tl_variable *sibling = &scope->variables[v->length.sibling], *filled = v + 1;
	uint64_t limit;

	if (filled == scope->variables + scope->count ||
	    (filled->direction & (TL_IN | TL_OUT)) != TL_OUT ||
	    filled->type->kind != TL_KIND_POINTER || filled->type->target != sibling->type)
		return;
	if (pointee_count(scope, filled, &limit) && limit < *count)
		*count = limit;
}

/* The value of a member of the struct that a pointer variable leads to. False: it can't be read. */
static bool member_count(const struct tl_scope *scope, const struct tl_variable *v, uint32_t number,
			 uint64_t *count)
{
	const struct tl_type *in = v->type->kind == TL_KIND_POINTER ? v->type->target : NULL;
	const char *from = (const char *)(uintptr_t)load_pointer(place_of(scope, v));
	uint64_t value = 0;

	if (!in || in->kind != TL_KIND_STRUCT || number >= in->count || !from)
		return false;
	const struct tl_variable *member = &in->members[number];
	if (!is_integer(member->type) || member->type->size > 8 || member->bit_width ||
	    memory_read(&value, from + member->offset, member->type->size,
			v->direction & TL_OBLIGED) != member->type->size)
		return false;
	*count = count_load(member->type, &value);
	return true;
}

/* The number of units that a VALUE, POINTEE or MEMBER length names. False: it can't be known. */
static bool sibling_count(const struct capture *c, const struct tl_scope *scope,
			  const struct tl_variable *v, uint64_t *count)
{
	const struct tl_length *length = &v->length;
	const struct tl_variable *sibling;

	if (!scope || length->sibling >= scope->count)
		return false;
	sibling = &scope->variables[length->sibling];
	if (length->kind == TL_LENGTH_MEMBER)
		return member_count(scope, sibling, length->constant, count);
	if (length->kind == TL_LENGTH_POINTEE ? !pointee_count(scope, sibling, count)
					      : !value_count(scope, sibling, count))
		return false;
	if (length->kind == TL_LENGTH_VALUE && c->when != TL_CAPTURE_ENTRY)
		count_cut_to_filled(scope, v, count);
	if (__builtin_mul_overflow(*count, length->constant ? length->constant : 1, count))
		*count = UINT64_MAX;
	return true;
}

static struct extent pointer_extent(const struct capture *c, const struct tl_scope *scope,
				    const struct tl_variable *v, uint64_t pointer)
{
	struct extent extent = {
		.from = (const void *)(uintptr_t)pointer,
		.element = element_size(v->type),
		.obliged = (v->direction & TL_OBLIGED) && !c->doubtful,
		.known = true,
	};

	if (v->length.kind == TL_LENGTH_CONSTANT)
		extent.total = v->length.constant;
	else if (v->length.kind == TL_LENGTH_VALUE || v->length.kind == TL_LENGTH_POINTEE ||
		 v->length.kind == TL_LENGTH_MEMBER)
		extent.known = sibling_count(c, scope, v, &extent.total);
	if (v->length.bytes)
		extent.total /= extent.element;
	return extent;
}

/*
 * Whether the bytes look like text: printable UTF-8, and blanks. With `cut`, the last character may
 * be incomplete.
 */
static bool bytes_are_text(const char *bytes, size_t length, bool cut)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + length;

	while (at < end) {
		unsigned more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;

		if ((*at < ' ' && !strchr("\t\n\r", *at)) || *at == 0x7f ||
		    (*at >= 0x80 && *at < 0xc2) || *at > 0xf4)
			return false;
		for (at++; more && at < end; more--, at++)
			if ((*at & 0xc0) != 0x80)
				return false;
		if (more)
			return cut;
	}
	return length > 0;
}

/* A string ends at its NUL, or where its memory ends. `doubted`: it may be no text at all. */
static void capture_string(struct capture *c, const struct extent *extent, bool doubted)
{
	char bytes[TL_CAPTURE_STRING + 1];
	size_t readable, length;

	if (extent->obliged) {
		readable = strnlen(extent->from, sizeof bytes);
		memcpy(bytes, extent->from, readable);
		length = readable;
	} else {
		readable = tl_passed_copy(bytes, extent->from, sizeof bytes);
		if (!readable) {
			capture_nothing(c, TL_BLOB_UNKNOWN);
			return;
		}
		length = strnlen(bytes, readable);
	}
	bool ended = extent->obliged ? length < sizeof bytes : length < readable;
	if (doubted && !bytes_are_text(bytes, length, !ended)) {
		capture_nothing(c, TL_BLOB_UNKNOWN);
		return;
	}
	uint64_t total = ended ? length : TL_BLOB_UNKNOWN;
	length = length < TL_CAPTURE_STRING ? length : TL_CAPTURE_STRING;
	struct tl_blob *blob = blob_begin(c, length);
	if (!blob)
		return;
	memcpy(blob + 1, bytes, length);
	blob_end(c, blob, length, total);
}

static bool bytes_are_zero(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/*
 * A list that ends with an element of zeros, which is not kept. If `step` is 2, it is a list of
 * pairs, and ends with a pair whose first element is all zeros.
 */
static struct tl_blob *capture_zero_ended(struct capture *c, const struct extent *extent,
					  uint32_t step)
{
	size_t element = extent->element, size = element * step;
	struct tl_blob *blob = blob_begin(c, element * (TL_CAPTURE_ELEMENTS + step));
	uint64_t total = TL_BLOB_UNKNOWN;
	uint32_t count;

	if (!blob)
		return NULL;
	for (count = 0; count < TL_CAPTURE_ELEMENTS + step; count += step) {
		char *to = (char *)(blob + 1) + count * element;
		const char *from = (const char *)extent->from + count * element;

		/* First read the end alone: the memory may stop right behind it. */
		if (memory_read(to, from, element, extent->obliged) != element)
			break;
		if (bytes_are_zero(to, element)) {
			total = count;
			break;
		}
		if (memory_read(to, from, size, extent->obliged) != size)
			break;
	}
	count = at_most(count, TL_CAPTURE_ELEMENTS);
	blob_end(c, blob, count * element, total);
	return blob;
}

/* No pointer in it says what it points to, and it is no link of a chain. */
static bool is_plain(const struct tl_type *type)
{
	if (type->kind == TL_KIND_ARRAY || type->kind == TL_KIND_POINTER)
		return !type->target || (type->kind == TL_KIND_ARRAY && is_plain(type->target));
	for (uint32_t i = 0; type->members && i < type->count; i++)
		if (type->members[i].chain || !is_plain(type->members[i].type))
			return false;
	return true;
}

static bool is_handle_or_struct(const struct tl_type *type)
{
	return type->kind == TL_KIND_HANDLE || type->kind == TL_KIND_POINTER ||
	       type->kind == TL_KIND_STRUCT;
}

/* The elements of an array that are kept. */
static uint32_t elements_kept(const struct capture *c, const struct tl_type *target,
			      const struct extent *extent)
{
	bool is_bytes = !target || is_text(target);
	uint32_t limit = is_bytes ? TL_CAPTURE_STRING : TL_CAPTURE_ELEMENTS;

	if (extent->total > limit && !is_bytes && is_handle_or_struct(target) && is_plain(target)) {
		size_t room = (size_t)(c->end - c->at) / 2;
		size_t plain = (room < TL_CAPTURE_PLAIN ? room : TL_CAPTURE_PLAIN) / target->size;
		limit = plain > limit ? (uint32_t)plain : limit;
	}
	return extent->total < limit ? (uint32_t)extent->total : limit;
}

static struct tl_blob *capture_array(struct capture *c, const struct tl_type *target,
				     const struct extent *extent)
{
	size_t bytes = (size_t)elements_kept(c, target, extent) * extent->element;
	struct tl_blob *blob = blob_begin(c, bytes);

	if (!blob)
		return NULL;
	bytes = memory_read(blob + 1, extent->from, bytes, extent->obliged);
	bytes -= bytes % extent->element;
	blob_end(c, blob, bytes, extent->total);
	return blob;
}

static void capture_elements(struct capture *c, const struct tl_variable *v,
			     const struct extent *extent, unsigned depth)
{
	const struct tl_type *target = v->type->target;
	struct tl_blob *blob;

	if (v->length.kind == TL_LENGTH_STRING || v->length.kind == TL_LENGTH_ZERO_ENDED)
		blob = capture_zero_ended(c, extent, v->length.constant == 2 ? 2 : 1);
	else
		blob = capture_array(c, target, extent);
	if (blob && may_lead_on(target))
		for (uint32_t i = 0; i < blob->bytes / extent->element; i++)
			capture_value(c, target,
				      (const char *)(blob + 1) + (size_t)i * extent->element,
				      target->count, depth + 1);
}

static void capture_pointer(struct capture *c, const struct tl_scope *scope,
			    const struct tl_variable *v, const char *place, unsigned depth)
{
	uint64_t pointer = load_pointer(place);
	bool doubtful = c->doubtful;

	if (!pointer || depth >= TL_CAPTURE_DEPTH || c->cut)
		return;
	/*
	 * The call may have raised a count that was zero, to say how many there are, and then has
	 * not touched the array: its address may be invalid, and so may the pointers in it.
	 */
	if (v->length.kind == TL_LENGTH_POINTEE && c->when != TL_CAPTURE_ENTRY)
		c->doubtful = true;
	struct extent extent = pointer_extent(c, scope, v, pointer);
	if (!extent.known)
		capture_nothing(c, TL_BLOB_UNKNOWN);
	else if (v->length.kind == TL_LENGTH_STRING && extent.element == 1)
		capture_string(c, &extent, v->length.constant == TL_LENGTH_DOUBTED);
	else
		capture_elements(c, v, &extent, depth);
	c->doubtful = doubtful;
}

/* The memory that a value's elements lead to. `count` is for an array. */
static void capture_value(struct capture *c, const struct tl_type *type, const char *bytes,
			  uint32_t count, unsigned depth)
{
	if (type->kind == TL_KIND_STRUCT) {
		capture_members(c, type, bytes, depth);
	} else if (type->kind == TL_KIND_POINTER) {
		struct tl_variable v = element_variable(type);

		if (is_followed(&v, c->when))
			capture_pointer(c, NULL, &v, bytes, depth);
	} else if (type->kind == TL_KIND_ARRAY && leads_on(type->target)) {
		for (uint32_t i = 0; i < at_most(count, TL_CAPTURE_ELEMENTS); i++)
			capture_value(c, type->target, bytes + (size_t)i * type->target->size,
				      type->target->count, depth);
	}
}

/* All members but the chain. */
static void capture_plain_members(struct capture *c, const struct tl_type *type, const char *bytes,
				  unsigned depth)
{
	struct tl_scope scope = scope_of_members(type, bytes);

	for (uint32_t i = 0; i < scope.count; i++) {
		const struct tl_variable *member = &scope.variables[i];
		const char *place = place_of(&scope, member);

		if (member->chain || member->bit_width)
			continue;
		if (is_followed(member, c->when))
			capture_pointer(c, &scope, member, place, depth);
		else if (member->type->kind != TL_KIND_POINTER)
			capture_value(c, member->type, place, array_elements(&scope, member),
				      depth);
	}
}

/* One link; returns its copy, and the struct it is in *type (NULL: an unknown one, of which the
 * head is kept). */
static const char *capture_link(struct capture *c, const struct link *link, uint64_t address,
				const struct tl_type **type)
{
	const void *from = (const void *)(uintptr_t)address;
	char head[64];
	struct tl_blob *blob;

	*type = NULL;
	if (link->head > sizeof head || tl_passed_copy(head, from, link->head) != link->head) {
		capture_nothing(c, 1);
		return NULL;
	}
	*type = announced_type(c->api, link, head);
	size_t size = *type ? (*type)->size : link->head;
	blob = blob_begin(c, size);
	if (!blob)
		return NULL;
	/* Another thread may have changed the stype in between. */
	if (tl_passed_copy(blob + 1, from, size) != size ||
	    announced_type(c->api, link, blob + 1) != *type)
		size = 0;
	blob_end(c, blob, size, 1);
	return size ? (const char *)(blob + 1) : NULL;
}

static void capture_chain(struct capture *c, const struct link *first, const char *bytes,
			  unsigned depth)
{
	struct links links = {.count = 0};
	struct link link = *first;

	while (bytes && !c->cut) {
		const struct tl_type *type;
		uint64_t next = load_pointer(bytes + link.next->offset);

		if (!is_new_link(&links, next))
			return;
		bytes = capture_link(c, &link, next, &type);
		if (!bytes || !type)
			continue;
		capture_plain_members(c, type, bytes, depth + 1);
		if (link_of(type).next)
			link = link_of(type);
	}
}

static void capture_members(struct capture *c, const struct tl_type *type, const char *bytes,
			    unsigned depth)
{
	struct link link = link_of(type);

	capture_plain_members(c, type, bytes, depth);
	if (link.next && depth < TL_CAPTURE_DEPTH)
		capture_chain(c, &link, bytes, depth);
}

size_t tl_args_capture(const struct tl_function *function, const uint64_t *words,
		       enum tl_capture_when when, void *out, size_t room, bool *cut)
{
	struct capture c = {.at = out,
			    .end = (char *)out + (room & ~(size_t)7),
			    .when = when,
			    .api = function->api};
	struct tl_scope scope = scope_of_params(function, words);

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		const char *place = place_of(&scope, param);

		if (is_followed(param, when))
			capture_pointer(&c, &scope, param, place, 0);
		else if (param->type->kind == TL_KIND_STRUCT && when == TL_CAPTURE_ENTRY)
			capture_members(&c, param->type, place, 0);
	}
	*cut = c.cut;
	return (size_t)(c.at - (char *)out);
}

/* If the memory ends before a NUL, it is no text. */
static void capture_result_text(struct capture *c, uint64_t result)
{
	struct extent extent = {.from = (const void *)(uintptr_t)result, .element = 1};
	char *before = c->at;

	capture_string(c, &extent, false);
	const struct tl_blob *blob = (const struct tl_blob *)(const void *)before;
	if (c->at != before && blob->total == TL_BLOB_UNKNOWN && blob->bytes < TL_CAPTURE_STRING)
		c->at = before;
}

size_t tl_args_capture_result(const struct tl_function *function, uint64_t result, bool failed,
			      int error, void *out, size_t room)
{
	struct capture c = {.at = out, .end = (char *)out + (room & ~(size_t)7)};
	struct tl_blob *blob = NULL;

	if (failed && function->flags & TL_FUNCTION_ERRNO && error)
		blob = blob_begin(&c, sizeof error);
	if (blob) {
		memcpy(blob + 1, &error, sizeof error);
		blob_end(&c, blob, sizeof error, 1);
	} else if (!failed && result && function->flags & TL_FUNCTION_TEXT) {
		capture_result_text(&c, result);
	}
	return (size_t)(c.at - (char *)out);
}
