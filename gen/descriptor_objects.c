/* SPDX-License-Identifier: MIT */
/*
 * descriptor_objects.c: the key "objects": tables, which are structs of function pointers. Programs
 * call a library through such a table (libfabric's ops), or a library calls the program (SQLite's
 * modules).
 *
 * Each member that is a function pointer becomes a function of the API, which no library exports. The
 * types tell which functions hand over tables. A function gives the program an object if its result
 * or an out parameter leads to a struct with a pointer to a table. A function takes a table from the
 * program if a parameter points to one.
 */
#include <jansson.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/descriptor.h"

/* The name of a member's function: the one given, or the pattern under "*" with the member's name. */
static const char *member_function(json_t *functions, const char *member)
{
	const char *name = json_string_value(json_object_get(functions, member));
	const char *pattern = json_string_value(json_object_get(functions, "*"));
	const char *star = pattern ? strchr(pattern, '*') : NULL;

	if (name || !star)
		return name;
	return format_text("%.*s%s%s", (int)(star - pattern), pattern, member, star + 1);
}

static void function_add_params(struct function *function, const struct variable *member)
{
	const struct type *pointer = member->type;

	for (size_t i = 0; i < pointer->nmembers; i++) {
		struct variable *param = APPEND(function->params, function->nparams);

		*param = pointer->members[i];
		if (i < member->nargument_names && *member->argument_names[i])
			param->name = member->argument_names[i];
		param->where = function->where;
	}
	struct tags tags = tags_read(NULL);
	for (size_t i = 0; i < function->nparams; i++)
		variable_settle(&function->params[i], &tags, function->params, function->nparams);
}

static void member_add_function(struct descriptor *descriptor, const struct type *table,
				const struct variable *member, const char *name)
{
	struct model *model = descriptor->model;

	if (model_function(model, name)) {
		descriptor_wrong(descriptor, table->spelling, name,
				 format_text("there is a function %s already; give %s another name",
					     name, member->name));
		return;
	}
	struct function *function = APPEND(model->functions, model->nfunctions);
	*function = (struct function){.name = copy_text(name),
				      .result = member->type->target,
				      .result_spelling = member->type->target->spelling,
				      .undeclared = true,
				      .level = TL_LEVEL_DEBUG,
				      .comment = member->comment,
				      .where = table->where};
	function_add_params(function, member);
}

/* The table that a key of "objects" names; NULL after an error. */
static struct type *object_table(struct descriptor *descriptor, const char *key)
{
	struct type *table = model_type_spelled(descriptor->model, key);

	if (!table || table->kind != TL_KIND_STRUCT || table->incomplete) {
		descriptor_wrong(
			descriptor, "objects", key,
			format_text("no function leads to a struct called %s; correct the name",
				    key));
		return NULL;
	}
	return table;
}

void describe_objects(struct descriptor *descriptor)
{
	static const char *const keys[] = {"functions", "size", "comment", NULL};
	const char *key;
	json_t *object;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, "objects", JSON_OBJECT),
			    key, object) {
		struct type *table = object_table(descriptor, key);
		json_t *functions = json_object_get(object, "functions");

		descriptor_check_keys(descriptor, object, keys);
		if (!json_is_object(functions))
			descriptor_wrong(
				descriptor, "objects", key,
				"\"functions\" must be {\"MEMBER\": \"FUNCTION\"}; \"*\" means all other members");
		for (size_t i = 0; table && i < table->nmembers; i++) {
			const struct variable *member = &table->members[i];
			const char *name = member->type->kind == TL_KIND_FUNCTION
						   ? member_function(functions, member->name)
						   : NULL;

			if (name)
				member_add_function(descriptor, table, member, name);
		}
	}
}

/* --- which functions give objects or tables */

static void getproc_add_table(struct descriptor *descriptor, struct getproc getproc, json_t *object)
{
	struct model *model = descriptor->model;
	json_t *functions = json_object_get(object, "functions");

	getproc.sized = descriptor_text(descriptor, object, "size", false);
	for (size_t i = 0; i < getproc.table->nmembers; i++) {
		struct variable *member = &getproc.table->members[i];
		const char *name = member->type->kind == TL_KIND_FUNCTION
					   ? member_function(functions, member->name)
					   : NULL;
		struct function *function = name ? model_function(model, name) : NULL;

		if (!function)
			continue;
		__typeof__(getproc.entries) entry = APPEND(getproc.entries, getproc.nentries);
		entry->member = member;
		entry->function = function;
	}
	getproc.function->flags |= TL_FUNCTION_GETPROC;
	*APPEND(model->getprocs, model->ngetprocs) = getproc;
}

/* The entry of "objects" for a type. NULL: it is no table. */
static json_t *type_object(struct descriptor *descriptor, const struct type *type)
{
	return type && type->kind == TL_KIND_STRUCT
		       ? json_object_get(json_object_get(descriptor->root, "objects"),
					 type->spelling)
		       : NULL;
}

static struct type *type_pointee(const struct type *type)
{
	return type && type->kind == TL_KIND_POINTER ? type->target : NULL;
}

/* The pointers to tables in a struct, and in the structs that are part of it. */
static void object_add_getprocs(struct descriptor *descriptor, struct getproc getproc,
				const struct type *type, uint64_t offset)
{
	if (!type || type->kind != TL_KIND_STRUCT)
		return;
	for (size_t i = 0; i < type->nmembers; i++) {
		const struct variable *member = &type->members[i];
		json_t *object = type_object(descriptor, type_pointee(member->type));

		getproc.offset = offset + member->offset;
		getproc.table = type_pointee(member->type);
		if (object)
			getproc_add_table(descriptor, getproc, object);
		else
			object_add_getprocs(descriptor, getproc, member->type, getproc.offset);
	}
}

static void function_add_getprocs(struct descriptor *descriptor, struct function *function)
{
	struct getproc getproc = {.kind = TL_GETPROC_OBJECT, .function = function};

	object_add_getprocs(descriptor, getproc, type_pointee(function->result), 0);
	for (size_t i = 0; i < function->nparams; i++) {
		struct type *to = type_pointee(function->params[i].type);
		json_t *object = type_object(descriptor, to);

		getproc.where = function->params[i].name;
		getproc.kind = object ? TL_GETPROC_GIVEN : TL_GETPROC_OBJECT;
		getproc.table = to;
		if (object)
			getproc_add_table(descriptor, getproc, object);
		else if (to && to->kind == TL_KIND_POINTER && !to->is_const)
			object_add_getprocs(descriptor, getproc, type_pointee(to), 0);
	}
}

void describe_object_getprocs(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;

	if (!json_object_get(descriptor->root, "objects"))
		return;
	for (size_t i = 0; i < model->nfunctions; i++)
		if (!model->functions[i].left_out)
			function_add_getprocs(descriptor, &model->functions[i]);
}
