/* SPDX-License-Identifier: MIT */
/*
 * descriptor_getprocs.c: "newer", "getprocs", "since", "first_members": functions that hand out
 * functions, and functions that the installed headers lack.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/descriptor.h"

/*
 * "newer": functions that later headers have. So a loader that is newer than the headers is traced,
 * too. Their shims know their names alone, and pass on as many words as the function may have
 * parameters.
 */

/*
 * Add a function that the headers lack. The caller sets its parameters. NULL after an error, and
 * where the headers have the function.
 */
static struct function *newer_add(struct descriptor *descriptor, const char *name,
				  const char *result)
{
	struct model *model = descriptor->model;
	struct type *type = model_type_spelled(model, result);

	if (model_function(model, name))
		return NULL;
	if (!type) {
		descriptor_wrong(
			descriptor, "newer", name,
			format_text("the headers have no type %s; correct the name", result));
		return NULL;
	}
	struct function *function = APPEND(model->functions, model->nfunctions);
	const char *slash = strrchr(descriptor->path, '/');
	*function =
		(struct function){.name = copy_text(name),
				  .result = type,
				  .result_spelling = copy_text(result),
				  .undeclared = true,
				  .exported = true,
				  .level = TL_LEVEL_DEBUG,
				  .where = {.file = copy_text(slash ? slash + 1 : descriptor->path),
					    .line = descriptor_line(descriptor, "newer", name)}};
	return function;
}

/* A getter has the parameters of all getters, but for the type of its table. */
static void newer_add_getter(struct descriptor *descriptor, const char *name)
{
	static const struct {
		const char *name, *spelling;
		unsigned direction;
	} params[] = {{"version", "ze_api_version_t", TL_IN},
		      {"pDdiTable", "void *", TL_IN | TL_OUT}};
	struct function *function = newer_add(descriptor, name, "ze_result_t");

	for (size_t i = 0; function && i < sizeof params / sizeof *params; i++) {
		struct type *type = model_type_spelled(descriptor->model, params[i].spelling);

		if (!type) {
			descriptor_wrong(
				descriptor, "newer", name,
				format_text("the headers have no type %s, which getters take",
					    params[i].spelling));
			return;
		}
		*APPEND(function->params, function->nparams) =
			(struct variable){.name = params[i].name,
					  .type = type,
					  .spelling = params[i].spelling,
					  .direction = params[i].direction,
					  .where = function->where};
	}
}

static const char *newer_text(json_t *row, size_t i)
{
	return json_string_value(json_array_get(row, i));
}

/*
 * Where each parameter begins among the words: one after the other, unless the row says otherwise.
 */
static void newer_add_places(struct function *function, json_t *row)
{
	json_t *list = json_array_get(row, 4), *place;
	size_t i;

	json_array_foreach(list, i, place)
		*APPEND(function->places, function->nplaces) = (unsigned)json_integer_value(place);
	for (i = 0; !list && i < function->passed; i++)
		*APPEND(function->places, function->nplaces) = (unsigned)i;
}

/* [name, since, words], [name, since, words, result], or [name, since, words, result, [places]] */
static bool newer_is_row(struct descriptor *descriptor, json_t *row)
{
	json_t *place;
	size_t i;
	bool is_row = newer_text(row, 0) && newer_text(row, 1) &&
		      json_is_integer(json_array_get(row, 2)) &&
		      json_array_size(row) <= (json_is_array(json_array_get(row, 4)) ? 5u
					       : newer_text(row, 3)		     ? 4u
										     : 3u);

	json_array_foreach(json_array_get(row, 4), i, place)
		is_row &= json_integer_value(place) >= 0 &&
			  json_integer_value(place) < json_integer_value(json_array_get(row, 2));

	if (!is_row)
		descriptor_wrong(
			descriptor, "newer", newer_text(row, 0),
			"\"newer\" must hold functions as [name, version, words]; see tracelayer-descriptor(5)");
	else if (json_integer_value(json_array_get(row, 2)) < 1 ||
		 json_integer_value(json_array_get(row, 2)) > TL_PASSED_MAX)
		descriptor_wrong(descriptor, "newer", newer_text(row, 0),
				 format_text("1 to %d words can be passed on; correct the number",
					     TL_PASSED_MAX));
	return is_row;
}

void describe_newer(struct descriptor *descriptor)
{
	static const char *const keys[] = {"getter", "from", "functions", "comment", NULL};
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(descriptor_value(descriptor, descriptor->root, "newer", JSON_ARRAY), i,
			   group) {
		const char *getter = descriptor_text(descriptor, group, "getter", false);

		descriptor_check_keys(descriptor, group, keys);
		if (getter)
			newer_add_getter(descriptor, getter);
		json_array_foreach(descriptor_value(descriptor, group, "functions", JSON_ARRAY), j,
				   row) {
			if (!newer_is_row(descriptor, row))
				return;
			const char *result = newer_text(row, 3);
			struct function *function = newer_add(descriptor, newer_text(row, 0),
							      result ? result : "ze_result_t");
			if (!function)
				continue;
			function->passed = (unsigned)json_integer_value(json_array_get(row, 2));
			newer_add_places(function, row);
		}
	}
}

/* "getprocs" and "since": functions that hand out functions. */

/*
 * Put the text that each "*" of `pattern` stands for in the place of each "*" of `shape`, in order.
 * NULL where the text does not match.
 */
static char *pattern_substitute(const char *text, const char *pattern, const char *shape)
{
	const char *parts[8];
	size_t lengths[8], nparts = 0;
	char *out = copy_text("");

	for (; *pattern; pattern++) {
		if (*pattern != '*') {
			if (*text++ != *pattern)
				return NULL;
			continue;
		}
		/*
		 * A "*" stands for the text up to the next literal text. The last "*" ends where
		 * the rest of the pattern fits the end.
		 */
		size_t literal = strcspn(pattern + 1, "*");
		const char *next = copy_bytes(pattern + 1, literal), *at = NULL;

		if (nparts == sizeof parts / sizeof *parts)
			return NULL;
		if (pattern[1 + literal])
			at = strstr(text, next);
		else if (strlen(text) >= literal && !strcmp(text + strlen(text) - literal, next))
			at = text + strlen(text) - literal;
		if (!at)
			return NULL;
		parts[nparts] = text;
		lengths[nparts++] = (size_t)(at - text);
		text = at;
	}
	if (*text)
		return NULL;
	for (size_t used = 0; *shape; shape++)
		if (*shape == '*' && used < nparts) {
			out = format_text("%s%.*s", out, (int)lengths[used], parts[used]);
			used++;
		} else {
			out = format_text("%s%c", out, *shape);
		}
	return out;
}

static const struct variable *function_param(const struct function *function, const char *name)
{
	for (size_t i = 0; name && i < function->nparams; i++)
		if (!strcmp(function->params[i].name, name))
			return &function->params[i];
	return NULL;
}

struct getproc_rule {
	enum tl_getproc_kind kind;
	const char *functions, *name, *where, *version, *member_type, *member_function;
	json_t *versions, *until;
};

/*
 * The first version that has a function, by "newer". NULL: "newer" doesn't name the function.
 */
static const char *newer_version(const struct descriptor *descriptor, const char *function)
{
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(json_object_get(descriptor->root, "newer"), i, group)
		json_array_foreach(json_object_get(group, "functions"), j, row)
			if (newer_text(row, 0) && !strcmp(newer_text(row, 0), function))
				return newer_text(row, 1);
	return NULL;
}

static uint32_t version_read(const char *text)
{
	unsigned major = 0, minor = 0;

	return text && sscanf(text, "%u.%u", &major, &minor) == 2 ? major << 16 | minor : 0;
}

/*
 * The first version whose table has a member. Tables grow at their end, and a program may ask for
 * an older, shorter table: a write to a newer member would go past its end. So a member that is
 * neither among the first members nor under "since" counts as being as new as these headers.
 */
static uint32_t member_since(struct descriptor *descriptor, const struct type *table, size_t member,
			     const char *function)
{
	json_t *first = json_object_get(descriptor->root, "first_members");
	const char *text = json_string_value(
		json_object_get(json_object_get(descriptor->root, "since"), function));
	text = text ? text : newer_version(descriptor, function);
	uint32_t version = version_read(text ? text : descriptor->model->version);

	if (text && !version)
		descriptor_wrong(descriptor, "since", function,
				 format_text("\"%s\" is no version; write it as \"1.6\"", text));
	if (text || !first)
		return text ? version : 0;
	return (json_int_t)member < json_integer_value(json_object_get(first, table->spelling))
		       ? 0
		       : version;
}

static void getproc_add_entries(struct descriptor *descriptor, struct getproc *getproc,
				const struct getproc_rule *rule)
{
	struct type *table = getproc->table;

	for (size_t i = 0; i < table->nmembers; i++) {
		const char *name = pattern_substitute(table->members[i].spelling, rule->member_type,
						      rule->member_function);
		struct function *function = name ? model_function(descriptor->model, name) : NULL;

		if (!function)
			continue;
		__typeof__(getproc->entries) entry = APPEND(getproc->entries, getproc->nentries);
		entry->member = &table->members[i];
		entry->function = function;
		entry->since = member_since(descriptor, table, i, function->name);
	}
}

/* "cuMemAlloc_v2" is a later function of the name "cuMemAlloc". */
static const char *name_without_version(const char *function)
{
	const char *end = strrchr(function, '_');

	if (!end || end[1] != 'v' || !end[2] || end[2 + strspn(end + 2, "0123456789")])
		return NULL;
	return copy_bytes(function, (size_t)(end - function));
}

/*
 * "versions": {"cuMemAlloc_v2": 3020}, or [12000, "cuGraphInstantiate"] where the
 * function's name does not show the name that programs ask for.
 */
static void getproc_add_versions(struct descriptor *descriptor, struct getproc *getproc,
				 const struct getproc_rule *rule)
{
	const char *function;
	json_t *value;

	getproc->until = (uint32_t)json_integer_value(rule->until);
	json_object_foreach(rule->versions, function, value) {
		json_t *since = json_is_array(value) ? json_array_get(value, 0) : value;
		const char *name = json_is_array(value) ? newer_text(value, 1)
							: name_without_version(function);

		if (!json_is_integer(since) || !name) {
			descriptor_wrong(
				descriptor, "versions", function,
				format_text(
					"\"%s\" must have a version, or [version, name]; see tracelayer-descriptor(5)",
					function));
			return;
		}
		__typeof__(getproc->names) one = APPEND(getproc->names, getproc->nnames);
		one->name = copy_text(name);
		one->function = model_function(descriptor->model, function);
		one->since = (uint32_t)json_integer_value(since);
	}
}

static void getproc_add(struct descriptor *descriptor, struct function *function, void *more)
{
	const struct getproc_rule *rule = more;
	struct model *model = descriptor->model;
	struct getproc getproc = {.kind = rule->kind,
				  .function = function,
				  .name = rule->name,
				  .where = rule->where,
				  .version = rule->version};
	const char *const params[] = {rule->name, rule->where, rule->version};
	const struct variable *where = function_param(function, rule->where);

	if (function->left_out)
		return;
	for (size_t i = 0; i < 3; i++)
		if (params[i] && !function_param(function, params[i])) {
			descriptor_wrong(descriptor, rule->functions, params[i],
					 format_text("%s has no parameter %s; correct the name",
						     function->name, params[i]));
			return;
		}
	/* The members of a newer table stand under "newer". */
	if (rule->kind == TL_GETPROC_TABLE && !function->undeclared) {
		getproc.table =
			where && where->type->kind == TL_KIND_POINTER ? where->type->target : NULL;
		if (!getproc.table || getproc.table->kind != TL_KIND_STRUCT) {
			descriptor_wrong(
				descriptor, rule->functions, rule->where,
				format_text("%s of %s is no pointer to a table; correct \"where\"",
					    rule->where, function->name));
			return;
		}
		getproc_add_entries(descriptor, &getproc, rule);
	}
	getproc_add_versions(descriptor, &getproc, rule);
	function->flags |= TL_FUNCTION_GETPROC;
	*APPEND(model->getprocs, model->ngetprocs) = getproc;
}

void describe_getprocs(struct descriptor *descriptor)
{
	static const char *const keys[] = {
		"kind",	       "functions",	  "name",     "where", "version",
		"member_type", "member_function", "versions", "until", NULL};
	static const char *const kinds[] = {"returned", "stored", "table"};
	json_t *one;
	size_t i;

	json_array_foreach(descriptor_value(descriptor, descriptor->root, "getprocs", JSON_ARRAY),
			   i, one) {
		bool is_table, known = false;
		const char *kind = descriptor_text(descriptor, one, "kind", true);
		struct getproc_rule rule = {
			.functions = descriptor_text(descriptor, one, "functions", true)};

		descriptor_check_keys(descriptor, one, keys);
		for (unsigned j = 0; kind && j < 3; j++)
			if (!strcmp(kind, kinds[j])) {
				rule.kind = (enum tl_getproc_kind)j;
				known = true;
			}
		if (kind && !known)
			descriptor_wrong(
				descriptor, "getprocs", kind,
				format_text(
					"no get-proc function is \"%s\"; there are returned, stored, table",
					kind));
		is_table = rule.kind == TL_GETPROC_TABLE;
		rule.name = descriptor_text(descriptor, one, "name", !is_table);
		rule.where =
			descriptor_text(descriptor, one, "where", rule.kind != TL_GETPROC_RETURNED);
		rule.until = descriptor_value(descriptor, one, "until", JSON_INTEGER);
		rule.versions = descriptor_value(descriptor, one, "versions", JSON_OBJECT);
		rule.version =
			descriptor_text(descriptor, one, "version", is_table || rule.versions);
		rule.member_type = descriptor_text(descriptor, one, "member_type", is_table);
		rule.member_function =
			descriptor_text(descriptor, one, "member_function", is_table);
		if (!descriptor->failed)
			descriptor_each_function(descriptor, "getprocs", rule.functions,
						 getproc_add, &rule);
	}
}

/*
 * The members that "newer" adds to tables: those after the headers' own, or all of a table that the
 * headers lack.
 */
void describe_newer_members(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(json_object_get(descriptor->root, "newer"), i, group) {
		const char *getter = descriptor_text(descriptor, group, "getter", false);
		json_int_t from = json_integer_value(json_object_get(group, "from"));
		struct getproc *getproc = NULL;

		for (size_t k = 0; getter && k < model->ngetprocs; k++)
			if (!strcmp(model->getprocs[k].function->name, getter) &&
			    model->getprocs[k].kind == TL_GETPROC_TABLE)
				getproc = &model->getprocs[k];
		json_array_foreach(json_object_get(group, "functions"), j, row) {
			struct function *function =
				newer_text(row, 0) ? model_function(model, newer_text(row, 0))
						   : NULL;

			if (!getproc || !function || !function->undeclared)
				continue;
			struct variable *member = allocate(sizeof *member);
			*member = (struct variable){.name = function->name,
						    .offset = (uint64_t)(from + (json_int_t)j) *
							      sizeof(void *)};
			__typeof__(getproc->entries) entry =
				APPEND(getproc->entries, getproc->nentries);
			entry->member = member;
			entry->function = function;
			entry->since = version_read(newer_text(row, 1));
			if (!entry->since)
				descriptor_wrong(
					descriptor, "newer", function->name,
					format_text("\"%s\" is no version; write it as \"1.6\"",
						    newer_text(row, 1)));
		}
	}
}

static void type_ignore(struct descriptor *descriptor, struct type *type, void *nothing)
{
	(void)descriptor;
	(void)type;
	(void)nothing;
}

/* The names under "first_members" are tables; those under "since" are functions. */
void describe_tables(struct descriptor *descriptor)
{
	const char *name;
	json_t *value;

	json_object_foreach(
		descriptor_value(descriptor, descriptor->root, "first_members", JSON_OBJECT), name,
		value) {
		if (!strcmp(name, "comment"))
			continue;
		if (!json_is_integer(value))
			descriptor_wrong(
				descriptor, name, NULL,
				format_text(
					"\"%s\" must be a number of members; write it without quotes",
					name));
		descriptor_each_type(descriptor, "first_members", name, type_ignore, NULL);
	}
	json_object_foreach(descriptor_value(descriptor, descriptor->root, "since", JSON_OBJECT),
			    name, value)
		if (!model_function(descriptor->model, *name == '?' ? name + 1 : name))
			descriptor_check_matched(descriptor, "since", name, false, "function");
}
