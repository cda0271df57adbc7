/* SPDX-License-Identifier: MIT */
/*
 * describe.c: tables to a description. See describe.h. Runs in tracegen, which puts the bytes into
 * the tables that it writes, and in tests.
 */
#include "format/file/describe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct description {
	char *bytes;
	size_t size, room;
	bool failed;
	const struct tl_type **types; /* by number */
	size_t ntypes, types_room;
	size_t *found; /* hash table of 1 + number */
	size_t slots;
};

static void put(struct description *to, const void *bytes, size_t size)
{
	if (to->size + size > to->room) {
		size_t room = 2 * (to->size + size) + 4096;
		char *larger = realloc(to->bytes, room);
		if (!larger) {
			to->failed = true;
			return;
		}
		to->bytes = larger;
		to->room = room;
	}
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

static void put_number(struct description *to, uint64_t value)
{
	unsigned char bytes[10];
	size_t size = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[size++] = (unsigned char)(value | 0x80);
	bytes[size++] = (unsigned char)value;
	put(to, bytes, size);
}

static void put_signed(struct description *to, uint64_t value)
{
	put_number(to, value << 1 ^ ((int64_t)value < 0 ? UINT64_MAX : 0));
}

static void put_string(struct description *to, const char *string)
{
	if (!string)
		string = "";
	put(to, string, strlen(string) + 1);
}

/* Types, numbered in the order of first use. */

static size_t *slot_of(struct description *to, const struct tl_type *type)
{
	size_t i = (uintptr_t)type / 8 * 0x9e3779b97f4a7c15ull % to->slots;

	while (to->found[i] && to->types[to->found[i] - 1] != type)
		i = (i + 1) % to->slots;
	return &to->found[i];
}

static bool make_room(struct description *to)
{
	if (to->ntypes < to->types_room)
		return true;
	size_t room = to->types_room ? 2 * to->types_room : 256;
	const struct tl_type **types = realloc(to->types, room * sizeof(*types));
	size_t *found = calloc(4 * room, sizeof(*found));
	if (types)
		to->types = types;
	if (!types || !found) {
		free(found);
		return false;
	}
	free(to->found);
	to->found = found;
	to->types_room = room;
	to->slots = 4 * room;
	for (size_t i = 0; i < to->ntypes; i++)
		*slot_of(to, to->types[i]) = i + 1;
	return true;
}

static void collect(struct description *to, const struct tl_type *type)
{
	if (!type || to->failed)
		return;
	if (!make_room(to)) {
		to->failed = true;
		return;
	}
	size_t *slot = slot_of(to, type);
	if (*slot)
		return;
	to->types[to->ntypes++] = type;
	*slot = to->ntypes;
	if (type->kind == TL_KIND_POINTER || type->kind == TL_KIND_ARRAY)
		collect(to, type->target);
	for (uint32_t i = 0; type->members && i < type->count; i++)
		collect(to, type->members[i].type);
}

static void collect_all(struct description *to, const struct tl_api *api)
{
	for (uint32_t i = 0; i < api->count; i++) {
		collect(to, api->functions[i].result);
		for (uint32_t j = 0; j < api->functions[i].count; j++)
			collect(to, api->functions[i].params[j].type);
	}
	for (uint32_t i = 0; i < api->nchains; i++)
		collect(to, api->chains[i].type);
}

static size_t number_of(struct description *to, const struct tl_type *type)
{
	return to->failed ? 0 : *slot_of(to, type) - 1;
}

static void put_variable(struct description *to, const struct tl_variable *variable)
{
	put_string(to, variable->name);
	put_number(to, number_of(to, variable->type));
	put_number(to, variable->offset);
	put_number(to, variable->words);
	put_number(to, variable->direction);
	put_number(to, variable->chain);
	put_number(to, variable->bit_offset);
	put_number(to, variable->bit_width);
	put_number(to, variable->length.kind);
	if (variable->length.kind == TL_LENGTH_NONE)
		return;
	put_number(to, variable->length.bytes);
	put_number(to, variable->length.sibling);
	put_number(to, variable->length.constant);
}

static void put_enumerators(struct description *to, const struct tl_type *type)
{
	put_number(to, type->count);
	for (uint32_t i = 0; i < type->count; i++) {
		put_string(to, type->enumerators[i].name);
		put_signed(to, type->enumerators[i].value);
	}
}

static void put_members(struct description *to, const struct tl_type *type)
{
	uint32_t count = type->members ? type->count : 0;

	put_number(to, count);
	for (uint32_t i = 0; i < count; i++)
		put_variable(to, &type->members[i]);
}

static void put_type(struct description *to, const struct tl_type *type)
{
	put_number(to, type->kind);
	put_string(to, type->name);
	put_number(to, type->size);
	switch (type->kind) {
	case TL_KIND_POINTER:
		put_number(to, type->target ? 1 + number_of(to, type->target) : 0);
		break;
	case TL_KIND_ARRAY:
		put_number(to, number_of(to, type->target));
		put_number(to, type->count);
		break;
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
		put_enumerators(to, type);
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		put_members(to, type);
		break;
	default:
		break;
	}
}

static void put_function(struct description *to, const struct tl_function *function)
{
	put_string(to, function->name);
	put_number(to, number_of(to, function->result));
	put_number(to, function->words);
	put_number(to, function->level);
	put_number(to, function->flags);
	put_number(to, function->failure);
	put_number(to, function->layer);
	put_number(to, function->phase);
	put_string(to, function->file);
	put_number(to, function->line);
	put_number(to, function->count);
	for (uint32_t i = 0; i < function->count; i++)
		put_variable(to, &function->params[i]);
}

static void put_api(struct description *to, const struct tl_api *api)
{
	put(to, TL_DESCRIPTION_MAGIC, sizeof(TL_DESCRIPTION_MAGIC));
	put_string(to, api->name);
	put_string(to, api->version);
	put_number(to, to->ntypes);
	put_number(to, api->count);
	put_number(to, api->nsuccesses);
	put_number(to, api->nchains);
	for (size_t i = 0; i < to->ntypes; i++)
		put_type(to, to->types[i]);
	for (uint32_t i = 0; i < api->count; i++)
		put_function(to, &api->functions[i]);
	for (uint32_t i = 0; i < api->nsuccesses; i++)
		put_signed(to, (uint64_t)api->successes[i]);
	for (uint32_t i = 0; i < api->nchains; i++) {
		put_number(to, api->chains[i].stype);
		put_number(to, number_of(to, api->chains[i].type));
	}
}

void *tl_describe(const struct tl_api *api, size_t *size)
{
	struct description to = {.bytes = NULL};

	collect_all(&to, api);
	if (!to.failed)
		put_api(&to, api);
	free(to.types);
	free(to.found);
	if (to.failed) {
		free(to.bytes);
		return NULL;
	}
	*size = to.size;
	return to.bytes;
}
