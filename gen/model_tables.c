/* SPDX-License-Identifier: MIT */
/*
 * model_tables.c: see model_tables.h.
 *
 * First the types are collected that functions reach, or that a chain can bring; each gets a place
 * in one array and an identifier.
 */
#include "gen/model_tables.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "format/file/describe.h"
#include "gen/allocate.h"
#include "gen/emit.h"

struct entry {
	const struct type *type;
	const char *id;
};

struct collection {
	const struct model *model;
	struct entry *entries;
	size_t nentries;
	struct tables *tables;
};

/* Collecting types. */

/* A struct, union or enum without a name is spelled by the place where it is declared. */
static bool type_is_placed(const struct type *type)
{
	return !type->name &&
	       (strstr(type->spelling, "(unnamed") || strstr(type->spelling, "(anonymous"));
}

/* A model holds several copies of a type that has no name. */
static bool type_is_same(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	if (a && b && a->kind == b->kind && type_is_placed(a) && !strcmp(a->spelling, b->spelling))
		return true;
	if (!a || !b || a->kind != b->kind || a->size != b->size || a->count != b->count ||
	    a->nmembers || b->nmembers || a->nenumerators || b->nenumerators ||
	    strcmp(a->spelling, b->spelling))
		return a && b && a->kind == TL_KIND_FUNCTION && b->kind == TL_KIND_FUNCTION &&
		       !strcmp(a->spelling, b->spelling);
	return type_is_same(a->target, b->target);
}

static const struct entry *collection_find(const struct collection *all, const struct type *type)
{
	for (size_t i = 0; i < all->nentries; i++)
		if (type_is_same(all->entries[i].type, type))
			return &all->entries[i];
	return NULL;
}

/* "const char *" as an identifier: const_char_ptr */
static char *spelling_identifier(const char *spelling)
{
	char *id = copy_text("");
	bool gap = false;

	for (const char *c = spelling; *c; c++) {
		if (*c == '*')
			id = format_text("%s%sptr", id, *id ? "_" : "");
		else if (isalnum((unsigned char)*c) || *c == '_')
			id = format_text("%s%s%c", id, gap && *id ? "_" : "", *c);
		gap = !(isalnum((unsigned char)*c) || *c == '_');
	}
	return id;
}

static const char *collection_identifier(const struct collection *all, const struct type *type)
{
	const char *plain = spelling_identifier(type->name ? type->name : type->spelling),
		   *id = plain;

	for (size_t i = 0, number = 2; i < all->nentries;) {
		if (strcmp(all->entries[i].id, id)) {
			i++;
			continue;
		}
		id = format_text("%s_%zu", plain, number++);
		i = 0;
	}
	return id;
}

static void collection_add(struct collection *all, const struct type *type)
{
	if (!type || collection_find(all, type))
		return;
	struct entry entry = {type, collection_identifier(all, type)};
	*APPEND(all->entries, all->nentries) = entry;
	if (type->kind == TL_KIND_FUNCTION || type->kind == TL_KIND_HANDLE)
		return;
	collection_add(all, type->target);
	for (size_t i = 0; i < type->nmembers; i++)
		collection_add(all, type->members[i].type);
}

static void collection_fill(struct collection *all)
{
	const struct model *model = all->model;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f)) {
		collection_add(all, f->result);
		for (size_t i = 0; i < f->nparams; i++)
			collection_add(all, f->params[i].type);
	}
	for (size_t i = 0; i < model->ntypes; i++)
		if (model->types[i]->has_stype)
			collection_add(all, model->types[i]);
}

static const struct tl_type *collection_table_type(const struct collection *all,
						   const struct type *type)
{
	return type ? &all->tables->types[collection_find(all, type) - all->entries] : NULL;
}

/* Enumerators. */

static int enumerator_compare_value(const void *a, const void *b)
{
	uint64_t left = ((const struct tl_enumerator *)a)->value,
		 right = ((const struct tl_enumerator *)b)->value;

	return (left > right) - (left < right);
}

static int enumerator_compare_width(const void *a, const void *b)
{
	int left = __builtin_popcountll(((const struct tl_enumerator *)a)->value);
	int right = __builtin_popcountll(((const struct tl_enumerator *)b)->value);

	return left != right ? right - left : enumerator_compare_value(a, b);
}

/* Without aliases, in the order that the tables promise. */
static void table_make_enumerators(struct tl_type *to, const struct type *type)
{
	struct tl_enumerator *list = allocate((type->nenumerators + 1) * sizeof *list);

	for (size_t i = 0; i < type->nenumerators; i++)
		if (!type->enumerators[i].alias)
			list[to->count++] = (struct tl_enumerator){
				type->enumerators[i].name, (uint64_t)type->enumerators[i].value};
	qsort(list, to->count, sizeof *list,
	      to->kind == TL_KIND_FLAGS ? enumerator_compare_width : enumerator_compare_value);
	to->enumerators = list;
}

/* Variables: members and parameters. */

static size_t variable_index(const char *name, const struct variable *list, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(list[i].name, name))
			return i;
	return count;
}

static struct tl_length table_make_length(const struct length *length, const struct variable *list,
					  size_t count)
{
	bool member = length->kind == TL_LENGTH_MEMBER;
	bool counted =
		member || length->kind == TL_LENGTH_VALUE || length->kind == TL_LENGTH_POINTEE;
	size_t sibling = counted ? variable_index(length->sibling, list, count) : 0;
	uint32_t constant = counted && !length->constant ? 1 : length->constant;

	if (length->kind == TL_LENGTH_NONE || (counted && sibling == count))
		return (struct tl_length){.kind = TL_LENGTH_NONE};
	if (member) {
		const struct type *in = list[sibling].type->target;
		size_t index = in ? variable_index(length->member, in->members, in->nmembers) : 0;

		if (!in || index == in->nmembers)
			return (struct tl_length){.kind = TL_LENGTH_NONE};
		constant = (uint32_t)index;
	}
	return (struct tl_length){.kind = (uint8_t)length->kind,
				  .bytes = length->bytes,
				  .sibling = (uint16_t)sibling,
				  .constant = constant};
}

/* In a struct with both, stype announces what the struct is, and pNext leads to the next. */
static uint8_t member_chain_part(const struct type *type, const struct variable *member)
{
	bool stype = false, next = false;

	for (size_t i = 0; i < type->nmembers; i++) {
		stype |= !strcasecmp(type->members[i].name, "stype") &&
			 type->members[i].type->kind == TL_KIND_ENUM;
		next |= !strcasecmp(type->members[i].name, "pnext") &&
			type->members[i].type->kind == TL_KIND_POINTER;
	}
	if (!stype || !next)
		return 0;
	return !strcasecmp(member->name, "pnext") ? 1 : !strcasecmp(member->name, "stype") ? 2 : 0;
}

static void table_make_members(const struct collection *all, struct tl_type *to,
			       const struct type *type)
{
	struct tl_variable *list = allocate((type->nmembers + 1) * sizeof *list);

	/* A value has 64 bits: of a wider bit-field, its lowest. */
	for (size_t i = 0; i < type->nmembers; i++) {
		const struct variable *member = &type->members[i];

		list[i] = (struct tl_variable){
			.name = member->name,
			.type = collection_table_type(all, member->type),
			.offset = (uint32_t)member->offset,
			.direction = (uint8_t)member->direction,
			.chain = member_chain_part(type, member),
			.bit_offset = (uint8_t)member->bit_offset,
			.bit_width = (uint8_t)(member->bit_width < 64 ? member->bit_width : 64),
			.length =
				table_make_length(&member->length, type->members, type->nmembers)};
	}
	to->members = list;
	to->count = (uint32_t)type->nmembers;
}

/*
 * A trace puts some keys of its own beside a call's arguments; tracelayer-trace(5) lists them. A
 * parameter with such a name (MPI_Isend has a request, MPI_Comm_compare a result) gets an
 * underscore, so that each key stands there once.
 */
static const char *param_shown_name(const struct function *function, const char *name)
{
	static const char *const words[] = {"result",	  "unwound",	 "cut",
					    "unfinished", "correlation", "request"};
	bool taken = false;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		taken |= !strcmp(name, words[i]);
	while (taken) {
		name = format_text("%s_", name);
		taken = variable_index(name, function->params, function->nparams) <
			function->nparams;
	}
	return name;
}

static uint16_t table_make_params(const struct collection *all, struct tl_function *to,
				  const struct function *function)
{
	struct tl_variable *list = allocate((function->nparams + 1) * sizeof *list);
	unsigned word = 0;

	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];
		unsigned words = emit_words(param->type);

		list[i] = (struct tl_variable){.name = param_shown_name(function, param->name),
					       .type = collection_table_type(all, param->type),
					       .offset = word,
					       .words = (uint16_t)words,
					       .direction = (uint8_t)param->direction,
					       .length = table_make_length(&param->length,
									   function->params,
									   function->nparams)};
		word += words;
	}
	to->params = list;
	to->count = (uint16_t)function->nparams;
	return (uint16_t)word;
}

/* Types. */

static void table_make_type(const struct collection *all, struct tl_type *to,
			    const struct type *type)
{
	to->name = type->spelling;
	to->kind = (uint8_t)type->kind;
	to->size = (uint32_t)(type->kind == TL_KIND_FUNCTION ? sizeof(void *) : type->size);
	switch (type->kind) {
	case TL_KIND_ARRAY:
		to->count = (uint32_t)type->count;
		to->target = collection_table_type(all, type->target);
		break;
	case TL_KIND_POINTER:
		to->target = collection_table_type(all, type->target);
		break;
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS:
	case TL_KIND_HANDLE:
		table_make_enumerators(to, type);
		break;
	case TL_KIND_STRUCT:
	case TL_KIND_UNION:
		table_make_members(all, to, type);
		break;
	default:
		break;
	}
}

static void tables_make_types(const struct collection *all)
{
	struct tables *tables = all->tables;

	tables->ntypes = all->nentries;
	tables->types = allocate((all->nentries + 1) * sizeof *tables->types);
	tables->ids = allocate((all->nentries + 1) * sizeof *tables->ids);
	for (size_t i = 0; i < all->nentries; i++) {
		tables->ids[i] = all->entries[i].id;
		table_make_type(all, &tables->types[i], all->entries[i].type);
	}
}

/* Functions. */

static bool type_leads_to_memory(const struct type *type)
{
	if (type->kind == TL_KIND_STRUCT)
		for (size_t i = 0; i < type->nmembers; i++)
			if ((type->members[i].type->kind == TL_KIND_POINTER &&
			     type->members[i].length.kind != TL_LENGTH_NONE) ||
			    member_chain_part(type, &type->members[i]) == 1)
				return true;
	return false;
}

static bool function_follows(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];

		if (param->type->kind == TL_KIND_POINTER ? param->length.kind != TL_LENGTH_NONE
							 : type_leads_to_memory(param->type))
			return true;
	}
	return false;
}

static bool function_is_getproc(const struct model *model, const struct function *function)
{
	for (size_t i = 0; i < model->ngetprocs; i++)
		if (model->getprocs[i].function == function)
			return true;
	return false;
}

static uint16_t function_flags(const struct model *model, const struct function *function)
{
	unsigned flags = function->flags & ~(unsigned)(TL_FUNCTION_FOLLOWS | TL_FUNCTION_EXPORTED |
						       TL_FUNCTION_GETPROC);
	bool follows = flags & (TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO) || function_follows(function);

	return (uint16_t)(flags | (follows ? TL_FUNCTION_FOLLOWS : 0) |
			  (function->exported ? TL_FUNCTION_EXPORTED : 0) |
			  (function_is_getproc(model, function) ? TL_FUNCTION_GETPROC : 0));
}

/* NULL where each word is a parameter. */
static const uint8_t *function_places(const struct function *function)
{
	uint8_t *places = NULL;

	for (unsigned i = 0; i < function->nplaces; i++)
		if (function->nplaces != function->passed || function->places[i] != i)
			places = allocate(function->passed);
	for (unsigned i = 0; places && i < function->passed; i++)
		places[i] = (uint8_t)(i < function->nplaces ? function->places[i]
							    : function->passed - 1);
	return places;
}

static void tables_make_functions(const struct collection *all)
{
	struct tl_api *api = &all->tables->api;
	struct tl_function *list = allocate((emit_count(all->model) + 1) * sizeof *list);

	api->functions = list;
	for (const struct function *f = emit_first(all->model); f; f = emit_next(all->model, f)) {
		struct tl_function *to = &list[api->count];

		to->name = f->name;
		to->result = collection_table_type(all, f->result);
		to->words = table_make_params(all, to, f);
		to->api = api;
		to->index = api->count++;
		to->level = f->level;
		to->flags = function_flags(all->model, f);
		to->failure = (uint8_t)f->failure;
		to->layer = (uint8_t)f->layer;
		to->phase = (uint8_t)f->phase;
		to->passed = (uint8_t)f->passed;
		to->places = function_places(f);
		to->file = f->where.file;
		to->line = f->where.line;
	}
}

/* Functions that hand out functions. */

static uint8_t function_param_index(const struct function *function, const char *name)
{
	size_t index = variable_index(name, function->params, function->nparams);

	return (uint8_t)(index < function->nparams ? index : 0);
}

static void table_make_entries(const struct model *model, struct tl_getproc *to,
			       const struct getproc *getproc)
{
	struct tl_table_entry *list = allocate((getproc->nentries + 1) * sizeof *list);

	for (size_t i = 0; i < getproc->nentries; i++)
		if (!getproc->entries[i].function->left_out)
			list[to->count++] = (struct tl_table_entry){
				.offset = (uint32_t)getproc->entries[i].member->offset,
				.function =
					(uint32_t)emit_index(model, getproc->entries[i].function),
				.since = getproc->entries[i].since};
	to->entries = list;
}

static void table_make_names(const struct model *model, struct tl_getproc *to,
			     const struct getproc *getproc)
{
	struct tl_versioned_name *list = allocate((getproc->nnames + 1) * sizeof *list);

	for (size_t i = 0; i < getproc->nnames; i++) {
		const struct function *function = getproc->names[i].function;

		list[to->count++] = (struct tl_versioned_name){
			.name = getproc->names[i].name,
			.function = function && !function->left_out
					    ? (uint32_t)emit_index(model, function)
					    : UINT32_MAX,
			.since = getproc->names[i].since};
	}
	to->names = list;
	to->until = getproc->until;
}

static void getproc_fill_object(struct tl_getproc *to, const struct getproc *getproc)
{
	const struct type *table = getproc->table;
	size_t sized = variable_index(getproc->sized, table->members, table->nmembers);

	if (!getproc->where)
		to->where = TL_GETPROC_RESULT;
	to->offset = (uint32_t)getproc->offset;
	to->size = (uint32_t)table->size;
	to->sized = sized < table->nmembers ? 1 + (uint32_t)table->members[sized].offset : 0;
}

static void tables_make_getprocs(const struct collection *all)
{
	const struct model *model = all->model;
	struct tl_api *api = &all->tables->api;
	struct tl_getproc *list = allocate((model->ngetprocs + 1) * sizeof *list);

	for (size_t i = 0; i < model->ngetprocs; i++) {
		const struct getproc *getproc = &model->getprocs[i];

		if (getproc->function->left_out)
			continue;
		struct tl_getproc *to = &list[api->ngetprocs++];
		to->kind = (uint8_t)getproc->kind;
		to->name = function_param_index(getproc->function, getproc->name);
		to->where = function_param_index(getproc->function, getproc->where);
		to->version = function_param_index(getproc->function, getproc->version);
		to->function = (uint32_t)emit_index(model, getproc->function);
		if (getproc->kind == TL_GETPROC_STORED)
			table_make_names(model, to, getproc);
		else
			table_make_entries(model, to, getproc);
		if (getproc->kind == TL_GETPROC_OBJECT || getproc->kind == TL_GETPROC_GIVEN)
			getproc_fill_object(to, getproc);
	}
	api->getprocs = list;
}

/* The whole. */

static int chain_compare_stype(const void *a, const void *b)
{
	const struct tl_chain *left = a, *right = b;

	if (left->stype != right->stype)
		return left->stype < right->stype ? -1 : 1;
	return strcmp(left->type->name, right->type->name);
}

static void tables_make_chains(const struct collection *all)
{
	struct tl_api *api = &all->tables->api;
	struct tl_chain *list = allocate((all->nentries + 1) * sizeof *list);

	for (size_t i = 0; i < all->nentries; i++)
		if (all->entries[i].type->has_stype)
			list[api->nchains++] = (struct tl_chain){
				(uint64_t)all->entries[i].type->stype, &all->tables->types[i]};
	qsort(list, api->nchains, sizeof *list, chain_compare_stype);
	api->chains = list;
}

static void tables_make_sonames(const struct collection *all)
{
	const char **list = allocate((all->model->nsonames + 1) * sizeof *list);

	for (size_t i = 0; i < all->model->nsonames; i++)
		list[i] = all->model->sonames[i];
	all->tables->api.sonames = list;
}

const struct tables *tables_make(const struct model *model)
{
	struct tables *tables = allocate(sizeof *tables);
	struct collection all = {.model = model, .tables = tables};

	tables->api.name = model->name;
	tables->api.version = model->version ? model->version : "";
	tables->api.nsuccesses = (uint32_t)model->nsuccesses;
	tables->api.successes = model->successes;
	collection_fill(&all);
	tables_make_types(&all);
	tables_make_functions(&all);
	tables_make_getprocs(&all);
	tables_make_chains(&all);
	tables_make_sonames(&all);
	free(all.entries);
	return tables;
}

void *tables_describe(const struct tl_api *api, size_t *size)
{
	void *bytes = tl_describe_packed(api, size);
	char why[256];

	if (!bytes) {
		fputs("tracegen: out of memory; close other programs\n", stderr);
		return NULL;
	}
	struct tl_api *read = tl_describe_read(bytes, *size, why, sizeof(why));
	if (!read)
		fprintf(stderr,
			"tracegen: a fault of its own: a .tlt with these calls can't be read (%s); report it, and record .json\n",
			why);
	tl_describe_free(read);
	return bytes;
}
