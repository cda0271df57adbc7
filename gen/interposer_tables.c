/* SPDX-License-Identifier: MIT */
/*
 * interposer_tables.c: an API's tables (tracelayer/api.h) as a compiler would lay them out, with
 * their pointers: what emit_tables.c writes as C.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/interposer.h"
#include "gen/model_tables.h"

struct placing {
	struct image *image;
	const struct tables *tables;
	struct spot types, api, functions;
};

/* Add a struct. Its pointers are put in afterwards. */
static struct spot struct_place(struct image *image, const void *bytes, size_t size)
{
	return image_add(image, PART_LATE, bytes, size, 8);
}

#define CLEAR(image, type, spot, field) ((type *)image_at(image, spot))->field = NULL

/* Make the pointer at `offset` of the struct at `at` lead to `to`. */
static void pointer_to(struct placing *placing, struct spot at, size_t offset, struct spot to)
{
	image_point(placing->image, spot_behind(at, offset), to);
}

static void pointer_to_type(struct placing *placing, struct spot at, size_t offset,
			    const struct tl_type *type)
{
	if (type)
		pointer_to(placing, at, offset,
			   spot_behind(placing->types, (size_t)(type - placing->tables->types) *
							       sizeof(struct tl_type)));
}

static struct spot place_variables(struct placing *placing, const struct tl_variable *list,
				   uint32_t count)
{
	struct image *image = placing->image;
	struct spot first = image_reserve(image, PART_LATE, count * sizeof *list, 8);

	for (uint32_t i = 0; i < count; i++) {
		struct spot spot = spot_behind(first, i * sizeof *list);

		memcpy(image_at(image, spot), &list[i], sizeof *list);
		CLEAR(image, struct tl_variable, spot, name);
		CLEAR(image, struct tl_variable, spot, type);
		image_point_string(image, spot_behind(spot, offsetof(struct tl_variable, name)),
				   list[i].name);
		pointer_to_type(placing, spot, offsetof(struct tl_variable, type), list[i].type);
	}
	return first;
}

static struct spot place_enumerators(struct placing *placing, const struct tl_enumerator *list,
				     uint32_t count)
{
	struct image *image = placing->image;
	struct spot first = image_reserve(image, PART_LATE, count * sizeof *list, 8);

	for (uint32_t i = 0; i < count; i++) {
		struct spot spot = spot_behind(first, i * sizeof *list);

		memcpy(image_at(image, spot), &list[i], sizeof *list);
		CLEAR(image, struct tl_enumerator, spot, name);
		image_point_string(image, spot_behind(spot, offsetof(struct tl_enumerator, name)),
				   list[i].name);
	}
	return first;
}

static void place_type(struct placing *placing, const struct tl_type *type, struct spot spot)
{
	struct image *image = placing->image;

	memcpy(image_at(image, spot), type, sizeof *type);
	CLEAR(image, struct tl_type, spot, name);
	CLEAR(image, struct tl_type, spot, target);
	CLEAR(image, struct tl_type, spot, enumerators);
	CLEAR(image, struct tl_type, spot, members);
	image_point_string(image, spot_behind(spot, offsetof(struct tl_type, name)), type->name);
	pointer_to_type(placing, spot, offsetof(struct tl_type, target), type->target);
	if (type->enumerators && type->count)
		pointer_to(placing, spot, offsetof(struct tl_type, enumerators),
			   place_enumerators(placing, type->enumerators, type->count));
	if (type->members && type->count)
		pointer_to(placing, spot, offsetof(struct tl_type, members),
			   place_variables(placing, type->members, type->count));
}

static void place_function(struct placing *placing, const struct tl_function *function,
			   struct spot spot)
{
	struct image *image = placing->image;

	memcpy(image_at(image, spot), function, sizeof *function);
	CLEAR(image, struct tl_function, spot, name);
	CLEAR(image, struct tl_function, spot, result);
	CLEAR(image, struct tl_function, spot, params);
	CLEAR(image, struct tl_function, spot, api);
	CLEAR(image, struct tl_function, spot, file);
	CLEAR(image, struct tl_function, spot, places);
	image_point_string(image, spot_behind(spot, offsetof(struct tl_function, name)),
			   function->name);
	image_point_string(image, spot_behind(spot, offsetof(struct tl_function, file)),
			   function->file ? function->file : "");
	pointer_to_type(placing, spot, offsetof(struct tl_function, result), function->result);
	pointer_to(placing, spot, offsetof(struct tl_function, api), placing->api);
	if (function->count)
		pointer_to(placing, spot, offsetof(struct tl_function, params),
			   place_variables(placing, function->params, function->count));
}

static struct spot place_versioned_names(struct placing *placing,
					 const struct tl_versioned_name *list, uint32_t count)
{
	struct image *image = placing->image;
	struct spot first = struct_place(image, list, count * sizeof *list);

	for (uint32_t i = 0; i < count; i++) {
		struct spot spot = spot_behind(first, i * sizeof *list);

		CLEAR(image, struct tl_versioned_name, spot, name);
		image_point_string(image,
				   spot_behind(spot, offsetof(struct tl_versioned_name, name)),
				   list[i].name);
	}
	return first;
}

static struct spot place_entries(struct placing *placing, const struct tl_getproc *getproc)
{
	if (getproc->kind == TL_GETPROC_STORED)
		return place_versioned_names(placing, getproc->names, getproc->count);
	return image_add(placing->image, PART_RODATA, getproc->entries,
			 getproc->count * sizeof(struct tl_table_entry), 8);
}

static void place_getprocs(struct placing *placing, const struct tl_api *api)
{
	struct image *image = placing->image;

	if (!api->ngetprocs)
		return;
	struct spot first =
		struct_place(image, api->getprocs, api->ngetprocs * sizeof(struct tl_getproc));
	for (uint32_t i = 0; i < api->ngetprocs; i++) {
		const struct tl_getproc *getproc = &api->getprocs[i];
		struct spot spot = spot_behind(first, i * sizeof *getproc);

		CLEAR(image, struct tl_getproc, spot, entries);
		if (getproc->count)
			pointer_to(placing, spot, offsetof(struct tl_getproc, entries),
				   place_entries(placing, getproc));
	}
	pointer_to(placing, placing->api, offsetof(struct tl_api, getprocs), first);
}

static void place_chains(struct placing *placing, const struct tl_api *api)
{
	struct image *image = placing->image;

	if (!api->nchains)
		return;
	struct spot first =
		struct_place(image, api->chains, api->nchains * sizeof(struct tl_chain));
	for (uint32_t i = 0; i < api->nchains; i++) {
		struct spot spot = spot_behind(first, i * sizeof(struct tl_chain));

		CLEAR(image, struct tl_chain, spot, type);
		pointer_to_type(placing, spot, offsetof(struct tl_chain, type),
				api->chains[i].type);
	}
	pointer_to(placing, placing->api, offsetof(struct tl_api, chains), first);
}

static void place_sonames(struct placing *placing, const struct tl_api *api)
{
	uint32_t count = 0;

	while (api->sonames[count])
		count++;
	struct spot first =
		image_reserve(placing->image, PART_RELRO, (count + 1) * sizeof(char *), 8);
	for (uint32_t i = 0; i < count; i++)
		image_point_string(placing->image, spot_behind(first, i * sizeof(char *)),
				   api->sonames[i]);
	pointer_to(placing, placing->api, offsetof(struct tl_api, sonames), first);
}

static void place_description(struct placing *placing, const struct tl_api *api)
{
	struct image *image = placing->image;
	size_t size = 0;
	void *bytes = tables_describe(api, &size);

	if (!bytes)
		return;
	pointer_to(placing, placing->api, offsetof(struct tl_api, description),
		   image_add(image, PART_RODATA, bytes, size, 1));
	((struct tl_api *)image_at(image, placing->api))->description_size = size;
	free(bytes);
}

struct spot tables_place(struct image *image, const struct tables *tables, struct spot *functions)
{
	const struct tl_api *api = &tables->api;
	struct placing placing = {.image = image, .tables = tables};
	struct tl_api blank = {
		.count = api->count,
		.nsuccesses = api->nsuccesses,
		.ngetprocs = api->ngetprocs,
		.nchains = api->nchains,
	};

	placing.api = image_add(image, PART_RELRO, &blank, sizeof blank, 8);
	placing.types = image_reserve(image, PART_LATE, tables->ntypes * sizeof(struct tl_type), 8);
	placing.functions =
		image_reserve(image, PART_LATE, api->count * sizeof(struct tl_function), 8);
	for (size_t i = 0; i < tables->ntypes; i++)
		place_type(&placing, &tables->types[i],
			   spot_behind(placing.types, i * sizeof(struct tl_type)));
	for (uint32_t i = 0; i < api->count; i++)
		place_function(&placing, &api->functions[i],
			       spot_behind(placing.functions, i * sizeof(struct tl_function)));
	image_point_string(image, spot_behind(placing.api, offsetof(struct tl_api, name)),
			   api->name);
	image_point_string(image, spot_behind(placing.api, offsetof(struct tl_api, version)),
			   api->version);
	pointer_to(&placing, placing.api, offsetof(struct tl_api, functions), placing.functions);
	if (api->nsuccesses)
		pointer_to(&placing, placing.api, offsetof(struct tl_api, successes),
			   image_add(image, PART_RODATA, api->successes,
				     api->nsuccesses * sizeof(int64_t), 8));
	place_getprocs(&placing, api);
	place_chains(&placing, api);
	place_sonames(&placing, api);
	place_description(&placing, api);
	*functions = placing.functions;
	return placing.api;
}
