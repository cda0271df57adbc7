/* SPDX-License-Identifier: MIT */
/*
 * args_walk.h: decisions that the capture (args_capture.c) and the walk over the captured bytes
 * (args_visit.c) must make in the same way. They use only the tables and the pointers' values.
 */
#ifndef TL_FORMAT_ARGS_ARGS_WALK_H
#define TL_FORMAT_ARGS_ARGS_WALK_H

#include <string.h>

#include "format/args/args_sink.h"

static inline struct tl_scope scope_of_params(const struct tl_function *function,
					      const uint64_t *words)
{
	return (struct tl_scope){function->params, function->count, (const char *)words, 8};
}

static inline struct tl_scope scope_of_members(const struct tl_type *type, const void *bytes)
{
	uint32_t count = type->kind == TL_KIND_UNION && type->count > 1 ? 1 : type->count;

	return (struct tl_scope){type->members, count, bytes, 1};
}

static inline const char *place_of(const struct tl_scope *scope, const struct tl_variable *variable)
{
	return scope->base + (size_t)variable->offset * scope->unit;
}

static inline uint64_t load_pointer(const void *place)
{
	uint64_t value;

	memcpy(&value, place, sizeof value);
	return value;
}

/* An integer of 1, 2, 4 or 8 bytes, extended as its kind says. */
static inline uint64_t load_integer(const struct tl_type *type, const void *place)
{
	uint64_t value = 0;
	unsigned unused;

	memcpy(&value, place, type->size < 8 ? type->size : 8);
	if (type->kind != TL_KIND_INT || type->size >= 8 || !type->size)
		return value;
	unused = 64 - 8 * type->size;
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static inline bool is_integer(const struct tl_type *type)
{
	return type->kind == TL_KIND_INT || type->kind == TL_KIND_UINT ||
	       type->kind == TL_KIND_ENUM || type->kind == TL_KIND_BOOL ||
	       type->kind == TL_KIND_FLAGS;
}

/* Bytes of one element behind a pointer; void counts as bytes. 0: what it points to can't be shown.
 */
static inline uint32_t element_size(const struct tl_type *pointer)
{
	if (!pointer->target || pointer->target->kind == TL_KIND_VOID)
		return 1;
	return pointer->target->size;
}

static inline bool is_text(const struct tl_type *type)
{
	return type && type->kind == TL_KIND_CHAR && type->size == 1;
}

/* Whether the pointer is followed at this time, if it is not NULL. */
static inline bool is_followed(const struct tl_variable *v, enum tl_capture_when when)
{
	static const uint8_t wanted[] = {TL_IN, TL_OUT, TL_ALWAYS};
	bool both = !(v->direction & (TL_IN | TL_OUT)) && when != TL_CAPTURE_FAILED;

	return v->type->kind == TL_KIND_POINTER && v->length.kind != TL_LENGTH_NONE &&
	       element_size(v->type) && (both || v->direction & wanted[when]);
}

/* A pointer that is an element of an array has no variable of its own: a char * is taken for a
 * string, others are addresses. */
static inline struct tl_variable element_variable(const struct tl_type *type)
{
	struct tl_variable v = {.name = "", .type = type};

	if (type->kind == TL_KIND_POINTER && is_text(type->target))
		v.length.kind = TL_LENGTH_STRING;
	return v;
}

/* Whether a value of the type may contain pointers. */
static inline bool leads_on(const struct tl_type *type)
{
	return type && (type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_ARRAY ||
			type->kind == TL_KIND_POINTER);
}

/* As leads_on. It looks at the members, which costs less than a walk over them. */
static inline bool may_lead_on(const struct tl_type *type)
{
	if (!leads_on(type) || type->kind != TL_KIND_STRUCT)
		return leads_on(type);
	for (uint32_t i = 0; i < type->count; i++)
		if (leads_on(type->members[i].type))
			return true;
	return false;
}

/* How many elements of an array member are valid: all, or as many as a sibling says. */
static inline uint32_t array_elements(const struct tl_scope *scope, const struct tl_variable *v)
{
	uint64_t count;

	if (v->length.kind != TL_LENGTH_VALUE || v->length.sibling >= scope->count)
		return v->type->count;
	const struct tl_variable *sibling = &scope->variables[v->length.sibling];
	if (!is_integer(sibling->type))
		return v->type->count;
	count = load_integer(sibling->type, place_of(scope, sibling));
	return count < v->type->count ? (uint32_t)count : v->type->count;
}

static inline uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* The members that make a struct a link of a chain. .next is NULL: it is no link. */
struct link {
	const struct tl_variable *stype, *next;
	uint32_t head; /* bytes up to the end of both */
};

static inline struct link link_of(const struct tl_type *type)
{
	struct link link = {NULL, NULL, 0};

	for (uint32_t i = 0; type->kind == TL_KIND_STRUCT && i < type->count; i++) {
		const struct tl_variable *member = &type->members[i];

		if (member->chain == 1)
			link.next = member;
		else if (member->chain == 2)
			link.stype = member;
		else
			continue;
		link.head = member->offset + member->type->size > link.head
				    ? member->offset + member->type->size
				    : link.head;
	}
	if (!link.stype)
		link.next = NULL;
	return link;
}

/* Values repeat between families of structs; those of one family have an stype of one type. */
static inline bool is_of_family(const struct tl_type *type, const struct link *link)
{
	const struct tl_variable *stype = link_of(type).stype;

	return type->size >= link->head && stype && stype->type == link->stype->type;
}

/* The struct that a link's stype announces. NULL: the API has no such struct. */
static inline const struct tl_type *announced_type(const struct tl_api *api,
						   const struct link *link, const void *bytes)
{
	uint64_t stype = load_integer(link->stype->type, (const char *)bytes + link->stype->offset);
	uint32_t low = 0, high = api->nchains;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (api->chains[middle].stype < stype)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < api->nchains && api->chains[low].stype == stype; low++)
		if (is_of_family(api->chains[low].type, link))
			return api->chains[low].type;
	return NULL;
}

/* Links of a chain so far, so that the walk over a circular chain ends. */
struct links {
	uint64_t at[TL_CAPTURE_LINKS];
	unsigned count;
};

static inline bool is_new_link(struct links *links, uint64_t address)
{
	if (!address || links->count == TL_CAPTURE_LINKS)
		return false;
	for (unsigned i = 0; i < links->count; i++)
		if (links->at[i] == address)
			return false;
	links->at[links->count++] = address;
	return true;
}

#endif
