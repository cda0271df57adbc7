/* SPDX-License-Identifier: MIT */
/*
 * describe.c: tables to a description. See describe.h. Runs in tracegen, which puts the bytes into
 * the tables that it writes, in `tracelayer export`, and in tests.
 */
#include "format/file/describe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct description {
	char *bytes;
	size_t size, room;
	bool failed;
	const struct tl_type **types; /* by number */
	size_t ntypes, types_room;
	size_t *found; /* hash table of 1 + number */
	size_t slots;
};

static void bytes_put(struct description *to, const void *bytes, size_t size)
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

static void number_put(struct description *to, uint64_t value)
{
	unsigned char bytes[10];
	size_t size = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[size++] = (unsigned char)(value | 0x80);
	bytes[size++] = (unsigned char)value;
	bytes_put(to, bytes, size);
}

static void signed_put(struct description *to, uint64_t value)
{
	number_put(to, value << 1 ^ ((int64_t)value < 0 ? UINT64_MAX : 0));
}

static void string_put(struct description *to, const char *string)
{
	if (!string)
		string = "";
	bytes_put(to, string, strlen(string) + 1);
}

/* Types, numbered in the order of first use. */

static size_t *type_slot(struct description *to, const struct tl_type *type)
{
	size_t i = (uintptr_t)type / 8 * 0x9e3779b97f4a7c15ull % to->slots;

	while (to->found[i] && to->types[to->found[i] - 1] != type)
		i = (i + 1) % to->slots;
	return &to->found[i];
}

static bool types_make_room(struct description *to)
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
		*type_slot(to, to->types[i]) = i + 1;
	return true;
}

static void type_collect(struct description *to, const struct tl_type *type)
{
	if (!type || to->failed)
		return;
	if (!types_make_room(to)) {
		to->failed = true;
		return;
	}
	size_t *slot = type_slot(to, type);
	if (*slot)
		return;
	to->types[to->ntypes++] = type;
	*slot = to->ntypes;
	if (type->kind == TL_KIND_POINTER || type->kind == TL_KIND_ARRAY)
		type_collect(to, type->target);
	for (uint32_t i = 0; type->members && i < type->count; i++)
		type_collect(to, type->members[i].type);
}

static void types_collect(struct description *to, const struct tl_api *api)
{
	for (uint32_t i = 0; i < api->count; i++) {
		type_collect(to, api->functions[i].result);
		for (uint32_t j = 0; j < api->functions[i].count; j++)
			type_collect(to, api->functions[i].params[j].type);
	}
	for (uint32_t i = 0; i < api->nchains; i++)
		type_collect(to, api->chains[i].type);
}

static size_t type_number(struct description *to, const struct tl_type *type)
{
	return to->failed ? 0 : *type_slot(to, type) - 1;
}

static void variable_put(struct description *to, const struct tl_variable *variable)
{
	string_put(to, variable->name);
	number_put(to, type_number(to, variable->type));
	number_put(to, variable->offset);
	number_put(to, variable->words);
	number_put(to, variable->direction);
	number_put(to, variable->chain);
	number_put(to, variable->bit_offset);
	number_put(to, variable->bit_width);
	number_put(to, variable->length.kind);
	if (variable->length.kind == TL_LENGTH_NONE)
		return;
	number_put(to, variable->length.bytes);
	number_put(to, variable->length.sibling);
	number_put(to, variable->length.constant);
}

static void enumerators_put(struct description *to, const struct tl_type *type)
{
	number_put(to, type->count);
	for (uint32_t i = 0; i < type->count; i++) {
		string_put(to, type->enumerators[i].name);
		signed_put(to, type->enumerators[i].value);
	}
}

static void members_put(struct description *to, const struct tl_type *type)
{
	uint32_t count = type->members ? type->count : 0;

	number_put(to, count);
	for (uint32_t i = 0; i < count; i++)
		variable_put(to, &type->members[i]);
}

static void type_put(struct description *to, const struct tl_type *type)
{
	bool named = type->kind == TL_KIND_HANDLE && type->count;

	number_put(to, named ? TL_DESCRIBED_NAMED_HANDLE : type->kind);
	string_put(to, type->name);
	number_put(to, type->size);
	switch (type->kind) {
	case TL_KIND_POINTER:
		number_put(to, type->target ? 1 + type_number(to, type->target) : 0);
		break;
	case TL_KIND_ARRAY:
		number_put(to, type_number(to, type->target));
		number_put(to, type->count);
		break;
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
		enumerators_put(to, type);
		break;
	case TL_KIND_HANDLE:
		if (named)
			enumerators_put(to, type);
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		members_put(to, type);
		break;
	default:
		break;
	}
}

static void function_put(struct description *to, const struct tl_function *function)
{
	string_put(to, function->name);
	number_put(to, type_number(to, function->result));
	number_put(to, function->words);
	number_put(to, function->level);
	number_put(to, function->flags);
	number_put(to, function->failure);
	number_put(to, function->layer);
	number_put(to, function->phase);
	string_put(to, function->file);
	number_put(to, function->line);
	number_put(to, function->count);
	for (uint32_t i = 0; i < function->count; i++)
		variable_put(to, &function->params[i]);
}

static void api_put(struct description *to, const struct tl_api *api)
{
	bytes_put(to, TL_DESCRIPTION_MAGIC, sizeof(TL_DESCRIPTION_MAGIC));
	string_put(to, api->name);
	string_put(to, api->version);
	number_put(to, to->ntypes);
	number_put(to, api->count);
	number_put(to, api->nsuccesses);
	number_put(to, api->nchains);
	for (size_t i = 0; i < to->ntypes; i++)
		type_put(to, to->types[i]);
	for (uint32_t i = 0; i < api->count; i++)
		function_put(to, &api->functions[i]);
	for (uint32_t i = 0; i < api->nsuccesses; i++)
		signed_put(to, (uint64_t)api->successes[i]);
	for (uint32_t i = 0; i < api->nchains; i++) {
		number_put(to, api->chains[i].stype);
		number_put(to, type_number(to, api->chains[i].type));
	}
}

void *tl_describe(const struct tl_api *api, size_t *size)
{
	struct description to = {.bytes = NULL};

	types_collect(&to, api);
	if (!to.failed)
		api_put(&to, api);
	free(to.types);
	free(to.found);
	if (to.failed) {
		free(to.bytes);
		return NULL;
	}
	*size = to.size;
	return to.bytes;
}

/* NULL: it would not be shorter, it is beyond what readers unpack, or memory is short. */
static void *bytes_pack(const void *bytes, size_t *size)
{
	struct description to = {.bytes = NULL};
	uLongf packed = compressBound((uLong)*size);
	Bytef *stream = *size <= TL_DESCRIPTION_UNPACKED_MAX ? malloc(packed) : NULL;

	if (stream && compress2(stream, &packed, bytes, (uLong)*size, Z_BEST_COMPRESSION) == Z_OK &&
	    *size / TL_DESCRIPTION_RATIO_MAX < packed) {
		bytes_put(&to, TL_DESCRIPTION_PACKED, sizeof(TL_DESCRIPTION_PACKED));
		number_put(&to, *size);
		bytes_put(&to, stream, packed);
	}
	free(stream);
	if (to.failed || !to.size || to.size >= *size) {
		free(to.bytes);
		return NULL;
	}
	*size = to.size;
	return to.bytes;
}

void *tl_describe_packed(const struct tl_api *api, size_t *size)
{
	void *bytes = tl_describe(api, size);
	void *packed = bytes ? bytes_pack(bytes, size) : NULL;

	if (!packed)
		return bytes;
	free(bytes);
	return packed;
}
