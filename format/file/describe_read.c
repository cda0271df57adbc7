/* SPDX-License-Identifier: MIT */
/*
 * describe_read.c: a description to tables. See describe.h.
 *
 * Capture and print trust the tables that they walk: that a member lies within its struct, that an
 * array is as large as its elements, that walking a value ends soon. All of that is checked here,
 * in two passes: while reading, each type and variable by itself; then, with all sizes known, how
 * they fit together. By value, types nest at most NESTING deep, and a walk over a value takes time
 * in proportion to its bytes. Pointers may form circles; capture and print bound these themselves.
 *
 * A description describes all functions of a library, so one odd type must not cost the rest. A type
 * that fails a check becomes a struct without members, and a function whose parameters fail one
 * shows none. Only bytes that are no description, or of a later version, are refused.
 *
 * A packed description is unpacked first. Deflate makes a thousand bytes of one, so a few bytes could
 * take much memory and time: describe.h bounds what they may become.
 *
 * Strings stay where they are, in a copy of the bytes. Names end up between quotes in JSON, so
 * characters that can't stand there are replaced.
 */
#include "format/file/describe.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NESTING	       16
#define CHAIN	       256 /* how many types may hold each other while a shape is found */
#define PARAMS_MAX     1024
#define FLOAT_MAX_SIZE 32
#define WEIGHT_FREE    256 /* see shape_of */

/* tl_api first: the rest is what is freed with it. */
struct tables {
	struct tl_api api;
	char *strings;
	struct tl_type *types;
	struct tl_function *functions;
	int64_t *successes;
	struct tl_chain *chains;
	uint64_t ntypes;
	struct shape *shapes; /* by type */
};

/* What a walk over a value of a type meets. */
struct shape {
	/* 0: not known yet, else 1 + how deep it nests by value; BUSY: being looked at */
	uint32_t nesting;
	uint64_t weight; /* how many values there are in it, itself counted */
};
#define BUSY UINT32_MAX

struct reading {
	struct tables *tables;
	const char *start, *end;
	char *at, *why;
	size_t room;
	bool failed;
};

static void description_fail(struct reading *from, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void description_fail(struct reading *from, const char *format, ...)
{
	va_list arguments;

	if (from->failed)
		return;
	from->failed = true;
	int length = snprintf(from->why, from->room,
			      "byte %zu of the description: ", (size_t)(from->at - from->start));
	va_start(arguments, format);
	if (length > 0 && (size_t)length < from->room)
		vsnprintf(from->why + length, from->room - (size_t)length, format, arguments);
	va_end(arguments);
}

static uint64_t number_take(struct reading *from, uint64_t most)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && from->at < from->end && !from->failed; shift += 7) {
		unsigned char byte = (unsigned char)*from->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (value <= most)
			return value;
		description_fail(from, "%llu where at most %llu can be", (unsigned long long)value,
				 (unsigned long long)most);
		return 0;
	}
	description_fail(from, "no number");
	return 0;
}

static uint64_t signed_take(struct reading *from)
{
	uint64_t value = number_take(from, UINT64_MAX);

	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

/* How many of something that takes at least `each` bytes follow. */
static uint32_t count_take(struct reading *from, size_t each, uint32_t most)
{
	uint64_t left = (uint64_t)(from->end - from->at) / each;

	return (uint32_t)number_take(from, left < most ? left : most);
}

/*
 * Length of a valid UTF-8 character; 0: there is none. The string ends with a NUL, so no byte
 * behind it is read.
 */
static size_t utf8_character(const unsigned char *at)
{
	size_t size = *at < 0x80   ? 1
		      : *at < 0xc2 ? 0
		      : *at < 0xe0 ? 2
		      : *at < 0xf0 ? 3
		      : *at < 0xf5 ? 4
				   : 0;

	for (size_t i = 1; i < size; i++)
		if (at[i] >> 6 != 2)
			return 0;
	if (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)))
		return 0;
	if (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
		return 0;
	return size;
}

/* Bytes that are no text become question marks. */
static const char *string_take(struct reading *from)
{
	char *string = from->at,
	     *end = from->failed ? NULL : memchr(string, 0, (size_t)(from->end - string));

	if (!end) {
		description_fail(from, "a string without an end");
		return "";
	}
	for (char *c = string; *c;) {
		size_t size = utf8_character((const unsigned char *)c);
		if (!size || (unsigned char)*c < 0x20 || *c == 0x7f) {
			*c = '?';
			size = 1;
		}
		c += size;
	}
	from->at = end + 1;
	return string;
}

/* A string that is printed between quotes. */
static const char *name_take(struct reading *from)
{
	const char *name = string_take(from);

	for (char *c = (char *)name; (c = strpbrk(c, "\"\\"));)
		*c = '?';
	return name;
}

/* `count` zeroed things that the tables keep. */
static void *tables_allocate(struct reading *from, size_t count, size_t each)
{
	void *memory = from->failed ? NULL : calloc(count ? count : 1, each);

	if (!memory)
		description_fail(from, "no memory for what it describes");
	return memory;
}

static const struct tl_type *type_take(struct reading *from)
{
	uint64_t number = number_take(from, UINT32_MAX);

	if (number >= from->tables->ntypes)
		description_fail(from, "no type has the number %llu", (unsigned long long)number);
	return from->failed ? NULL : &from->tables->types[number];
}

/* --- each type and variable by itself */

static void variable_take(struct reading *from, struct tl_variable *to, uint32_t siblings)
{
	to->name = name_take(from);
	to->type = type_take(from);
	to->offset = (uint32_t)number_take(from, UINT32_MAX);
	to->words = (uint16_t)number_take(from, UINT16_MAX);
	to->direction = (uint8_t)number_take(from, UINT8_MAX);
	to->chain = (uint8_t)number_take(from, 2);
	to->bit_offset = (uint8_t)number_take(from, 63);
	to->bit_width = (uint8_t)number_take(from, 64);
	to->length.kind = (uint8_t)number_take(from, TL_LENGTH_MEMBER);
	if (to->length.kind == TL_LENGTH_NONE)
		return;
	to->length.bytes = (uint8_t)number_take(from, 1);
	to->length.sibling = (uint16_t)number_take(from, siblings - 1);
	to->length.constant = (uint32_t)number_take(from, UINT32_MAX);
}

/* A check failed: nothing is known of the type but its size. */
static void type_empty(struct tl_type *type)
{
	type->kind = TL_KIND_STRUCT;
	type->count = 0;
}

static void enumerators_take(struct reading *from, struct tl_type *type)
{
	type->count = count_take(from, 2, UINT32_MAX);
	struct tl_enumerator *list = tables_allocate(from, type->count, sizeof(*list));
	type->enumerators = list;
	bool ordered = true;
	for (uint32_t i = 0; i < type->count && !from->failed; i++) {
		list[i].name = name_take(from);
		list[i].value = signed_take(from);
		ordered &= !i || list[i].value > list[i - 1].value;
	}
	/* They are searched by halves. */
	if (type->kind != TL_KIND_FLAGS && !ordered)
		type->count = 0;
}

static void members_take(struct reading *from, struct tl_type *type)
{
	type->count = count_take(from, 9, UINT16_MAX);
	struct tl_variable *list = tables_allocate(from, type->count, sizeof(*list));
	type->members = list;
	for (uint32_t i = 0; i < type->count && !from->failed; i++)
		variable_take(from, &list[i], type->count);
}

static bool is_word_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool has_sound_size(const struct tl_type *type)
{
	switch (type->kind) {
	case TL_KIND_BOOL:
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
	case TL_KIND_HANDLE:
	case TL_KIND_CHAR:
		return is_word_size(type->size);
	case TL_KIND_INT:
	case TL_KIND_UINT:
		return is_word_size(type->size) || type->size == 16;
	case TL_KIND_FLOAT:
		return type->size >= 1 && type->size <= FLOAT_MAX_SIZE;
	case TL_KIND_POINTER:
	case TL_KIND_FUNCTION:
		return type->size == 8;
	case TL_KIND_VOID:
		return type->size <= 1;
	default:
		return true;
	}
}

static void type_take_one(struct reading *from, struct tl_type *type)
{
	uint64_t kind = number_take(from, TL_DESCRIBED_NAMED_HANDLE);

	type->kind = kind == TL_DESCRIBED_NAMED_HANDLE ? TL_KIND_HANDLE : (uint8_t)kind;
	type->name = string_take(from);
	type->size = (uint32_t)number_take(from, UINT32_MAX);
	bool sound = has_sound_size(type);
	switch (type->kind) {
	case TL_KIND_POINTER: {
		uint64_t target = number_take(from, from->tables->ntypes);
		type->target = target ? &from->tables->types[target - 1] : NULL;
		break;
	}
	case TL_KIND_ARRAY:
		type->target = type_take(from);
		type->count = (uint32_t)number_take(from, UINT32_MAX);
		break;
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
		enumerators_take(from, type);
		break;
	case TL_KIND_HANDLE:
		if (kind == TL_DESCRIBED_NAMED_HANDLE)
			enumerators_take(from, type);
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		members_take(from, type);
		break;
	default:
		break;
	}
	if (!sound)
		type_empty(type);
}

static void function_take(struct reading *from, struct tl_function *function, uint32_t index)
{
	function->name = name_take(from);
	function->result = type_take(from);
	function->words = (uint16_t)number_take(from, UINT16_MAX);
	function->level = (uint32_t)number_take(from, UINT32_MAX);
	function->flags = (uint16_t)number_take(from, UINT16_MAX);
	function->failure = (uint8_t)number_take(from, TL_FAILURE_NULL);
	function->layer = (uint8_t)number_take(from, UINT8_MAX);
	function->phase = (uint8_t)number_take(from, UINT8_MAX);
	function->file = string_take(from);
	function->line = (uint32_t)number_take(from, UINT32_MAX);
	function->count = (uint16_t)count_take(from, 9, PARAMS_MAX);
	function->api = &from->tables->api;
	function->index = index;
	struct tl_variable *list = tables_allocate(from, function->count, sizeof(*list));
	function->params = list;
	for (uint32_t i = 0; i < function->count && !from->failed; i++)
		variable_take(from, &list[i], function->count);
}

/* --- how they fit together */

static bool is_integer(const struct tl_type *type)
{
	return type->kind == TL_KIND_INT || type->kind == TL_KIND_UINT ||
	       type->kind == TL_KIND_ENUM || type->kind == TL_KIND_BOOL ||
	       type->kind == TL_KIND_FLAGS;
}

static bool is_sound_member(const struct tl_type *type, const struct tl_variable *member)
{
	uint32_t size = member->bit_width ? tl_bit_field_size(member) : member->type->size;

	if (member->offset > type->size || size > type->size - member->offset ||
	    member->type->kind == TL_KIND_VOID)
		return false;
	if (member->bit_width)
		return (is_integer(member->type) || member->type->kind == TL_KIND_CHAR) &&
		       !member->chain;
	/* Printing follows one of them and compares by the other. */
	if (member->chain == 1 && member->type->kind != TL_KIND_POINTER)
		return false;
	if (member->chain == 2 && !is_integer(member->type))
		return false;
	return true;
}

static bool has_sound_members(const struct tl_type *type)
{
	for (uint32_t i = 0; i < type->count; i++)
		if (!is_sound_member(type, &type->members[i]))
			return false;
	return true;
}

static bool has_sound_elements(const struct tl_type *type)
{
	const struct tl_type *element = type->target;

	return element->kind != TL_KIND_VOID && (uint64_t)type->count * element->size <= type->size;
}

static const struct shape *shape_of(struct reading *from, struct tl_type *type, unsigned level);

static struct tl_type *type_of_part(const struct reading *from, const struct tl_type *part)
{
	return &from->tables->types[part - from->tables->types];
}

static void shape_add(struct shape *shape, const struct shape *part, uint64_t count)
{
	uint64_t weight;

	if (part->nesting > shape->nesting)
		shape->nesting = part->nesting;
	if (__builtin_mul_overflow(part->weight, count, &weight) ||
	    __builtin_add_overflow(shape->weight, weight, &shape->weight))
		shape->weight = UINT64_MAX;
}

static bool type_has_parts(const struct tl_type *type)
{
	return type->kind == TL_KIND_ARRAY || type->kind == TL_KIND_STRUCT ||
	       type->kind == TL_KIND_UNION;
}

/* .nesting is of the parts. A part that holds the type itself empties it. */
static struct shape shape_of_parts(struct reading *from, struct tl_type *type, unsigned level)
{
	struct shape shape = {0, 1};

	if (type->kind == TL_KIND_ARRAY && type->count)
		shape_add(&shape, shape_of(from, type_of_part(from, type->target), level + 1),
			  type->count);
	for (uint32_t i = 0;
	     (type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION) && i < type->count; i++)
		shape_add(&shape,
			  shape_of(from, type_of_part(from, type->members[i].type), level + 1), 1);
	return shape;
}

/*
 * The shape of a type, which is emptied if it holds itself, nests too deep, or if walking it would
 * take too long: members may overlap, and things of no size may be many. So a value may have as many
 * parts as it has bits, and WEIGHT_FREE more.
 */
static const struct shape *shape_of(struct reading *from, struct tl_type *type, unsigned level)
{
	static const struct shape empty = {1, 1};
	struct shape *known = &from->tables->shapes[type - from->tables->types];

	if (known->nesting == BUSY || (!known->nesting && level > CHAIN)) {
		if (type_has_parts(type))
			type_empty(type);
		return &empty;
	}
	if (!known->nesting) {
		known->nesting = BUSY;
		struct shape parts = shape_of_parts(from, type, level);
		if (parts.nesting > NESTING ||
		    parts.weight > 8 * (uint64_t)type->size + WEIGHT_FREE)
			type_empty(type);
		*known = type->count && parts.nesting ? parts : (struct shape){0, 1};
		known->nesting++;
	}
	return known;
}

static void types_check(struct reading *from)
{
	const struct tables *tables = from->tables;

	for (uint64_t i = 0; i < tables->ntypes && !from->failed; i++) {
		struct tl_type *type = &tables->types[i];

		if (((type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION) &&
		     !has_sound_members(type)) ||
		    (type->kind == TL_KIND_ARRAY && !has_sound_elements(type)))
			type_empty(type);
	}
	for (uint64_t i = 0; i < tables->ntypes && !from->failed; i++)
		shape_of(from, &tables->types[i], 0);
}

/* Parameters follow each other in the words of a call. */
static bool has_sound_params(const struct tl_function *function)
{
	uint32_t free = 0;

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];

		if (param->offset < free || param->offset > function->words ||
		    param->words > function->words - param->offset ||
		    param->type->size > 8u * param->words || param->type->kind == TL_KIND_VOID ||
		    param->bit_width)
			return false;
		free = param->offset + param->words;
	}
	return true;
}

static void chain_take(struct reading *from, struct tl_chain *chains, uint32_t i)
{
	chains[i].stype = number_take(from, UINT64_MAX);
	chains[i].type = type_take(from);
	/* They are searched by halves. */
	if (i && chains[i].stype < chains[i - 1].stype)
		description_fail(from, "chains out of order");
}

/* --- the whole */

static void api_take(struct reading *from)
{
	struct tables *tables = from->tables;
	struct tl_api *api = &tables->api;
	static const char *const no_sonames[] = {NULL};

	api->name = name_take(from);
	api->version = name_take(from);
	api->sonames = no_sonames;
	tables->ntypes = count_take(from, 3, UINT32_MAX);
	uint32_t functions = count_take(from, 11, 0x10000),
		 successes = count_take(from, 1, UINT32_MAX),
		 chains = count_take(from, 2, UINT32_MAX);
	api->functions = tables->functions =
		tables_allocate(from, functions, sizeof(*tables->functions));
	api->successes = tables->successes =
		tables_allocate(from, successes, sizeof(*tables->successes));
	api->chains = tables->chains = tables_allocate(from, chains, sizeof(*tables->chains));
	tables->types = tables_allocate(from, tables->ntypes, sizeof(*tables->types));
	tables->shapes = tables_allocate(from, tables->ntypes, sizeof(*tables->shapes));
	/*
	 * Everything starts as zero, and counts grow with their contents, so that a half-made
	 * result can be freed.
	 */
	for (uint64_t i = 0; i < tables->ntypes && !from->failed; i++)
		type_take_one(from, &tables->types[i]);
	types_check(from);
	for (uint32_t i = 0; i < functions && !from->failed; i++) {
		function_take(from, &tables->functions[i], i);
		api->count = i + 1;
		if (!from->failed && !has_sound_params(&tables->functions[i]))
			tables->functions[i].count = 0;
	}
	for (uint32_t i = 0; i < successes && !from->failed; i++)
		tables->successes[i] = (int64_t)signed_take(from);
	for (uint32_t i = 0; i < chains && !from->failed; i++)
		chain_take(from, tables->chains, i);
	api->nsuccesses = successes;
	api->nchains = chains;
	if (from->at != from->end)
		description_fail(from, "more than it says");
}

static bool is_of_kind(const struct reading *from, const char *magic)
{
	size_t size = strlen(magic) + 1;

	return (size_t)(from->end - from->at) >= size && !memcmp(from->at, magic, size);
}

/* Puts the unpacked bytes in the place of the packed ones. */
static void bytes_unpack(struct reading *from)
{
	from->at += sizeof(TL_DESCRIPTION_PACKED);
	const size_t most = (size_t)(from->end - from->at) * TL_DESCRIPTION_RATIO_MAX;
	uLongf size = number_take(
		from, most < TL_DESCRIPTION_UNPACKED_MAX ? most : TL_DESCRIPTION_UNPACKED_MAX);
	uLong packed = (uLong)(from->end - from->at);
	const uLongf wanted = size, all = packed;
	char *bytes = from->failed ? NULL : malloc(size + 1);

	if (from->failed)
		return;
	if (!bytes) {
		description_fail(from, "no memory");
		return;
	}
	if (uncompress2((Bytef *)bytes, &size, (const Bytef *)from->at, &packed) != Z_OK ||
	    size != wanted || packed != all) {
		free(bytes);
		description_fail(from, "it can't be unpacked");
		return;
	}
	free(from->tables->strings);
	from->tables->strings = bytes;
	from->start = from->at = bytes;
	from->end = bytes + size;
}

struct tl_api *tl_describe_read(const void *bytes, size_t size, char *why, size_t room)
{
	struct tables *tables = calloc(1, sizeof(*tables));
	char *copy = malloc(size + 1);
	struct reading from = {.tables = tables,
			       .start = copy,
			       .end = copy + size,
			       .at = copy,
			       .why = why,
			       .room = room};

	if (!tables || !copy) {
		free(tables);
		free(copy);
		snprintf(why, room, "no memory");
		return NULL;
	}
	if (size)
		memcpy(copy, bytes, size);
	tables->strings = copy;
	if (is_of_kind(&from, TL_DESCRIPTION_PACKED))
		bytes_unpack(&from);
	if (!from.failed && !is_of_kind(&from, TL_DESCRIPTION_MAGIC))
		description_fail(&from, "not a description, or one of a later version");
	if (!from.failed) {
		from.at += sizeof(TL_DESCRIPTION_MAGIC);
		api_take(&from);
	}
	if (!from.failed)
		return &tables->api;
	tl_describe_free(&tables->api);
	return NULL;
}

void tl_describe_show_names(struct tl_api *api, const char *(*shown)(const char *name))
{
	struct tables *tables = (struct tables *)api;

	for (uint32_t i = 0; i < api->count; i++)
		tables->functions[i].name = shown(tables->functions[i].name);
}

void tl_describe_free(struct tl_api *api)
{
	struct tables *tables = (struct tables *)api;

	if (!tables)
		return;
	for (uint64_t i = 0; tables->types && i < tables->ntypes; i++) {
		free((void *)tables->types[i].enumerators);
		free((void *)tables->types[i].members);
	}
	for (uint32_t i = 0; tables->functions && i < api->count; i++)
		free((void *)tables->functions[i].params);
	free(tables->types);
	free(tables->functions);
	free(tables->successes);
	free(tables->chains);
	free(tables->shapes);
	free(tables->strings);
	free(tables);
}
