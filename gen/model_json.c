/* SPDX-License-Identifier: MIT */
/*
 * model_json.c: a model as a JSON document, and back.
 *
 * The document holds the whole model, without values that are empty, zero or false. Named types
 * stand once, under "types", and are referred to by their spelling; pointers, arrays and types
 * without a name stand where they are used. The order of keys is fixed, so that equal models are
 * equal files.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/model.h"

#define FORMAT "tracelayer-model-1"

/* Both directions use one list of names for each enum. */
static const char *const kinds[] = {"void",	"bool",	 "int",	   "uint",   "char",
				    "float",	"enum",	 "flags",  "handle", "pointer",
				    "function", "array", "struct", "union"};
static const char *const wides[] = {"",	      "long double", "float128", "float16",
				    "int128", "complex",     "vector"};
static const char *const lengths[] = {"none",	"constant",   "value", "pointee",
				      "string", "zero-ended", "member"};
static const char *const failures[] = {"never", "nonzero", "negative", "null"};
static const char *const getprocs[] = {"returned", "stored", "table", "object", "given"};
/* A set of bits is an array of their names. The list ends with a NULL name. */
struct bit_name {
	const char *name;
	unsigned bit;
};

static const struct bit_name directions[] = {{"in", TL_IN},
					     {"out", TL_OUT},
					     {"optional", TL_OPTIONAL},
					     {"obliged", TL_OBLIGED},
					     {"always", TL_ALWAYS},
					     {"unshown", TL_UNSHOWN},
					     {NULL, 0}};

static const struct bit_name function_flags[] = {{"follows", TL_FUNCTION_FOLLOWS},
						 {"initialises", TL_FUNCTION_INITIALISES},
						 {"getproc", TL_FUNCTION_GETPROC},
						 {"creates", TL_FUNCTION_CREATES},
						 {"destroys", TL_FUNCTION_DESTROYS},
						 {"retains", TL_FUNCTION_RETAINS},
						 {"text", TL_FUNCTION_TEXT},
						 {"errno", TL_FUNCTION_ERRNO},
						 {NULL, 0}};

/* Writing. */

static void object_set_text(json_t *object, const char *key, const char *text)
{
	if (!text)
		return;
	json_t *value = json_string(text);
	/* Comments of old headers are not always UTF-8. */
	if (!value) {
		char *clean = copy_text(text);

		for (char *c = clean; *c; c++)
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		value = json_string(clean);
	}
	json_object_set_new(object, key, value);
}

static void object_set_number(json_t *object, const char *key, int64_t value)
{
	if (value)
		json_object_set_new(object, key, json_integer(value));
}

static void object_set_true(json_t *object, const char *key, bool value)
{
	if (value)
		json_object_set_new(object, key, json_true());
}

static void object_set_list(json_t *object, const char *key, json_t *list)
{
	if (json_array_size(list))
		json_object_set_new(object, key, list);
	else
		json_decref(list);
}

static void object_set_place(json_t *object, const struct location *where)
{
	if (where->file)
		json_object_set_new(
			object, "where",
			json_pack("[s,i,i]", where->file, (int)where->line, (int)where->column));
}

static json_t *json_of_texts(const char **list, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

static json_t *json_of_variables(const struct variable *list, size_t count);

static json_t *json_of_enumerators(const struct enumerator *list, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *one = json_object();

		object_set_text(one, "name", list[i].name);
		json_object_set_new(one, "value", json_integer(list[i].value));
		object_set_true(one, "alias", list[i].alias);
		object_set_text(one, "comment", list[i].comment);
		json_array_append_new(array, one);
	}
	return array;
}

static json_t *json_of_reference(const struct type *type);

static json_t *json_of_type(const struct type *type)
{
	json_t *object = json_object();

	object_set_text(object, "name", type->name);
	object_set_text(object, "spelling", type->spelling);
	object_set_text(object, "kind", kinds[type->kind]);
	object_set_number(object, "size", (int64_t)type->size);
	if (type->align != 1)
		object_set_number(object, "align", (int64_t)type->align);
	if (type->wide)
		object_set_text(object, "wide", wides[type->wide]);
	object_set_true(object, "const", type->is_const);
	object_set_true(object, "incomplete", type->incomplete);
	if (type->target)
		json_object_set_new(object, "target", json_of_reference(type->target));
	object_set_number(object, "count", (int64_t)type->count);
	if (type->has_stype)
		json_object_set_new(object, "stype", json_integer(type->stype));
	object_set_list(object, "enumerators",
			json_of_enumerators(type->enumerators, type->nenumerators));
	object_set_list(object, "members", json_of_variables(type->members, type->nmembers));
	object_set_text(object, "comment", type->comment);
	object_set_place(object, &type->where);
	return object;
}

static json_t *json_of_reference(const struct type *type)
{
	return type->name ? json_string(type->spelling) : json_of_type(type);
}

static json_t *json_of_length(const struct length *length)
{
	json_t *object = json_object();

	object_set_text(object, "kind", lengths[length->kind]);
	object_set_true(object, "bytes", length->bytes);
	object_set_text(object, "sibling", length->sibling);
	object_set_text(object, "member", length->member);
	if (length->constant != 1)
		json_object_set_new(object, "constant", json_integer(length->constant));
	return object;
}

static json_t *json_of_bits(unsigned bits, const struct bit_name *names)
{
	json_t *array = json_array();

	for (; names->name; names++)
		if (bits & names->bit)
			json_array_append_new(array, json_string(names->name));
	return array;
}

static json_t *json_of_variables(const struct variable *list, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct variable *variable = &list[i];
		json_t *one = json_object();

		object_set_text(one, "name", variable->name);
		json_object_set_new(one, "type", json_of_reference(variable->type));
		object_set_text(one, "spelling", variable->spelling);
		object_set_list(one, "direction", json_of_bits(variable->direction, directions));
		if (variable->length.kind != TL_LENGTH_NONE)
			json_object_set_new(one, "length", json_of_length(&variable->length));
		object_set_number(one, "offset", (int64_t)variable->offset);
		object_set_number(one, "bit_offset", variable->bit_offset);
		object_set_number(one, "bit_width", variable->bit_width);
		object_set_text(one, "comment", variable->comment);
		object_set_place(one, &variable->where);
		json_array_append_new(array, one);
	}
	return array;
}

static json_t *json_of_places(const struct function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < function->nplaces; i++)
		json_array_append_new(array, json_integer(function->places[i]));
	return array;
}

static json_t *json_of_function(const struct function *function)
{
	json_t *object = json_object();

	object_set_text(object, "name", function->name);
	object_set_text(object, "declared", function->declared);
	json_object_set_new(object, "result", json_of_reference(function->result));
	object_set_text(object, "result_spelling", function->result_spelling);
	object_set_list(object, "params", json_of_variables(function->params, function->nparams));
	object_set_true(object, "variadic", function->variadic);
	object_set_number(object, "nvariadic", function->nvariadic);
	object_set_number(object, "nhidden", function->nhidden);
	object_set_true(object, "undeclared", function->undeclared);
	object_set_number(object, "passed", function->passed);
	object_set_list(object, "places", json_of_places(function));
	object_set_true(object, "exported", function->exported);
	object_set_number(object, "level", function->level);
	if (function->failure)
		object_set_text(object, "failure", failures[function->failure]);
	if (function->layer) {
		object_set_text(object, "layer", tl_layer_words[function->layer]);
		object_set_text(object, "phase", tl_phase_words[function->phase]);
	}
	object_set_list(object, "flags", json_of_bits(function->flags, function_flags));
	object_set_text(object, "unsupported", function->unsupported);
	object_set_text(object, "left_out", function->left_out);
	object_set_true(object, "only_generic", function->only_generic);
	object_set_text(object, "params_type", function->params_type);
	object_set_text(object, "callback_type", function->callback_type);
	object_set_text(object, "comment", function->comment);
	object_set_place(object, &function->where);
	return object;
}

static json_t *json_of_versioned_names(const struct getproc *getproc)
{
	json_t *list = json_array();

	for (size_t i = 0; i < getproc->nnames; i++) {
		const struct function *function = getproc->names[i].function;
		json_t *one = json_object();

		object_set_text(one, "name", getproc->names[i].name);
		if (function)
			object_set_text(one, "function", function->name);
		object_set_number(one, "since", getproc->names[i].since);
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *json_of_getproc(const struct getproc *getproc)
{
	json_t *object = json_object(), *entries = json_array();

	object_set_text(object, "kind", getprocs[getproc->kind]);
	object_set_text(object, "function", getproc->function->name);
	object_set_text(object, "name", getproc->name);
	object_set_text(object, "where", getproc->where);
	object_set_text(object, "version", getproc->version);
	if (getproc->table)
		json_object_set_new(object, "table", json_of_reference(getproc->table));
	object_set_number(object, "offset", (int64_t)getproc->offset);
	object_set_text(object, "sized", getproc->sized);
	for (size_t i = 0; i < getproc->nentries; i++) {
		json_t *entry = json_object();

		object_set_text(entry, "member", getproc->entries[i].member->name);
		if (getproc->entries[i].function->undeclared)
			object_set_number(entry, "offset",
					  (int64_t)getproc->entries[i].member->offset);
		object_set_text(entry, "function", getproc->entries[i].function->name);
		object_set_number(entry, "since", getproc->entries[i].since);
		json_array_append_new(entries, entry);
	}
	object_set_list(object, "entries", entries);
	object_set_list(object, "names", json_of_versioned_names(getproc));
	object_set_number(object, "until", getproc->until);
	return object;
}

static json_t *json_of_constants(const struct constants *group)
{
	json_t *object = json_object();

	object_set_text(object, "title", group->title);
	object_set_true(object, "enum", group->is_enum);
	json_object_set_new(object, "values", json_of_enumerators(group->values, group->nvalues));
	object_set_place(object, &group->where);
	return object;
}

int model_write(const struct model *model, FILE *to)
{
	json_t *root = json_object(), *list;

	object_set_text(root, "format", FORMAT);
	object_set_text(root, "name", model->name);
	object_set_text(root, "prefix", model->prefix);
	object_set_text(root, "version", model->version);
	object_set_list(root, "headers", json_of_texts(model->headers, model->nheaders));
	object_set_list(root, "flags", json_of_texts(model->flags, model->nflags));
	object_set_list(root, "sonames", json_of_texts(model->sonames, model->nsonames));
	object_set_list(root, "companions", json_of_texts(model->companions, model->ncompanions));
	list = json_array();
	for (size_t i = 0; i < model->nsuccesses; i++)
		json_array_append_new(list, json_integer(model->successes[i]));
	object_set_list(root, "successes", list);
	list = json_array();
	for (size_t i = 0; i < model->nfunctions; i++)
		json_array_append_new(list, json_of_function(&model->functions[i]));
	object_set_list(root, "functions", list);
	list = json_array();
	for (size_t i = 0; i < model->ntypes; i++)
		json_array_append_new(list, json_of_type(model->types[i]));
	object_set_list(root, "types", list);
	list = json_array();
	for (size_t i = 0; i < model->ngetprocs; i++)
		json_array_append_new(list, json_of_getproc(&model->getprocs[i]));
	object_set_list(root, "getprocs", list);
	list = json_array();
	for (size_t i = 0; i < model->nconstants; i++)
		json_array_append_new(list, json_of_constants(&model->constants[i]));
	object_set_list(root, "constants", list);

	int failed = json_dumpf(root, to, JSON_INDENT(1));
	json_decref(root);
	failed |= fputc('\n', to) == EOF || fflush(to) != 0;
	return failed ? -1 : 0;
}

/* Reading. Only the first error is reported: after it, values that are read mean nothing. */

struct reader {
	const char *path;
	struct model *model;
	bool failed;
};

static void reader_refuse(struct reader *reader, const char *what)
{
	if (!reader->failed)
		fprintf(stderr, "tracegen: %s: %s; make it again with tracegen model\n",
			reader->path, what);
	reader->failed = true;
}

static const char *object_get_text(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? copy_text(text) : NULL;
}

static int64_t object_get_number(json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool object_get_true(json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static unsigned reader_get_word(struct reader *reader, json_t *object, const char *key,
				const char *const *words, size_t count)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[i], text))
			return (unsigned)i;
	reader_refuse(reader, format_text("\"%s\" can't be \"%s\"", key, text));
	return 0;
}
#define READER_GET_WORD(reader, object, key, words)                                                \
	reader_get_word(reader, object, key, words, sizeof(words) / sizeof *(words))

static struct location object_get_place(json_t *object)
{
	json_t *where = json_object_get(object, "where");
	const char *file = json_string_value(json_array_get(where, 0));

	return (struct location){
		.file = file ? copy_text(file) : NULL,
		.line = (unsigned)json_integer_value(json_array_get(where, 1)),
		.column = (unsigned)json_integer_value(json_array_get(where, 2)),
	};
}

static const char **object_get_texts(json_t *object, const char *key, size_t *count)
{
	const char **list = NULL;
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(object, key), i, one)
		*APPEND(list, *count) =
			copy_text(json_is_string(one) ? json_string_value(one) : "");
	return list;
}

static struct enumerator *reader_get_enumerators(struct reader *reader, json_t *object,
						 const char *key, size_t *count)
{
	struct enumerator *list = NULL;
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(object, key), i, one) {
		struct enumerator *enumerator = APPEND(list, *count);

		enumerator->name = object_get_text(one, "name");
		enumerator->value = object_get_number(one, "value");
		enumerator->alias = object_get_true(one, "alias");
		enumerator->comment = object_get_text(one, "comment");
		if (!enumerator->name)
			reader_refuse(reader, "an enumerator has no name");
	}
	return list;
}

static struct type *reader_get_type(struct reader *reader, json_t *reference);
static struct variable *reader_get_variables(struct reader *reader, json_t *object, const char *key,
					     size_t *count);

static void reader_fill_type(struct reader *reader, json_t *object, struct type *type)
{
	type->kind = (enum tl_kind)READER_GET_WORD(reader, object, "kind", kinds);
	type->size = (uint64_t)object_get_number(object, "size");
	type->align =
		json_object_get(object, "align") ? (uint64_t)object_get_number(object, "align") : 1;
	type->wide = (enum wide)READER_GET_WORD(reader, object, "wide", wides);
	type->is_const = object_get_true(object, "const");
	type->incomplete = object_get_true(object, "incomplete");
	if (json_object_get(object, "target"))
		type->target = reader_get_type(reader, json_object_get(object, "target"));
	type->count = (uint64_t)object_get_number(object, "count");
	type->has_stype = json_object_get(object, "stype") != NULL;
	type->stype = object_get_number(object, "stype");
	type->enumerators =
		reader_get_enumerators(reader, object, "enumerators", &type->nenumerators);
	type->members = reader_get_variables(reader, object, "members", &type->nmembers);
	type->comment = object_get_text(object, "comment");
	type->where = object_get_place(object);
}

static struct type *reader_new_type(struct reader *reader, json_t *object)
{
	struct type *type = allocate(sizeof *type);

	type->name = object_get_text(object, "name");
	type->spelling = object_get_text(object, "spelling");
	if (!type->spelling)
		reader_refuse(reader, "a type has no spelling");
	return type;
}

static struct type *reader_get_type(struct reader *reader, json_t *reference)
{
	const char *spelling = json_string_value(reference);

	if (json_is_object(reference)) {
		struct type *type = reader_new_type(reader, reference);

		reader_fill_type(reader, reference, type);
		return type;
	}
	for (size_t i = 0; spelling && i < reader->model->ntypes; i++)
		if (!strcmp(reader->model->types[i]->spelling, spelling))
			return reader->model->types[i];
	reader_refuse(reader, format_text("no type \"%s\"", spelling ? spelling : "(none)"));
	return reader->model->ntypes ? reader->model->types[0] : allocate(sizeof(struct type));
}

static struct length reader_get_length(struct reader *reader, json_t *object)
{
	if (!object)
		return (struct length){0};
	return (struct length){
		.kind = (enum tl_length_kind)READER_GET_WORD(reader, object, "kind", lengths),
		.bytes = object_get_true(object, "bytes"),
		.sibling = object_get_text(object, "sibling"),
		.member = object_get_text(object, "member"),
		.constant = json_object_get(object, "constant")
				    ? (uint32_t)object_get_number(object, "constant")
				    : 1,
	};
}

/* `refusal`: the message about a name that is not in the list. */
static unsigned reader_get_bits(struct reader *reader, json_t *array, const struct bit_name *names,
				const char *refusal)
{
	unsigned bits = 0;
	json_t *one;
	size_t i;

	json_array_foreach(array, i, one) {
		const struct bit_name *name = names;

		while (name->name &&
		       !(json_is_string(one) && !strcmp(name->name, json_string_value(one))))
			name++;
		if (!name->name)
			reader_refuse(reader, refusal);
		bits |= name->bit;
	}
	return bits;
}

static struct variable *reader_get_variables(struct reader *reader, json_t *object, const char *key,
					     size_t *count)
{
	struct variable *list = NULL;
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(object, key), i, one) {
		struct variable variable = {
			.name = object_get_text(one, "name"),
			.type = reader_get_type(reader, json_object_get(one, "type")),
			.spelling = object_get_text(one, "spelling"),
			.direction = reader_get_bits(reader, json_object_get(one, "direction"),
						     directions, "an unknown direction"),
			.length = reader_get_length(reader, json_object_get(one, "length")),
			.offset = (uint64_t)object_get_number(one, "offset"),
			.bit_offset = (unsigned)object_get_number(one, "bit_offset"),
			.bit_width = (unsigned)object_get_number(one, "bit_width"),
			.comment = object_get_text(one, "comment"),
			.where = object_get_place(one),
		};

		if (!variable.name || !variable.spelling)
			reader_refuse(reader, "a parameter or member has no name or no spelling");
		if (variable.bit_offset > 63 || variable.bit_width > 128)
			reader_refuse(reader, "a bit-field lies beyond its unit");
		*APPEND(list, *count) = variable;
	}
	return list;
}

static void reader_add_function(struct reader *reader, json_t *object)
{
	json_t *place;
	size_t i;
	struct function function = {
		.name = object_get_text(object, "name"),
		.result = reader_get_type(reader, json_object_get(object, "result")),
		.result_spelling = object_get_text(object, "result_spelling"),
		.declared = object_get_text(object, "declared"),
		.variadic = object_get_true(object, "variadic"),
		.nvariadic = (unsigned)object_get_number(object, "nvariadic"),
		.nhidden = (unsigned)object_get_number(object, "nhidden"),
		.undeclared = object_get_true(object, "undeclared"),
		.passed = (unsigned)object_get_number(object, "passed"),
		.exported = object_get_true(object, "exported"),
		.level = (unsigned)object_get_number(object, "level"),
		.failure = (enum tl_failure)READER_GET_WORD(reader, object, "failure", failures),
		.layer = (enum tl_work_layer)READER_GET_WORD(reader, object, "layer",
							     tl_layer_words),
		.phase = (enum tl_work_phase)READER_GET_WORD(reader, object, "phase",
							     tl_phase_words),
		.flags = reader_get_bits(reader, json_object_get(object, "flags"), function_flags,
					 "an unknown flag of a function"),
		.unsupported = object_get_text(object, "unsupported"),
		.left_out = object_get_text(object, "left_out"),
		.only_generic = object_get_true(object, "only_generic"),
		.params_type = object_get_text(object, "params_type"),
		.callback_type = object_get_text(object, "callback_type"),
		.comment = object_get_text(object, "comment"),
		.where = object_get_place(object),
	};

	function.params = reader_get_variables(reader, object, "params", &function.nparams);
	json_array_foreach(json_object_get(object, "places"), i, place)
		*APPEND(function.places, function.nplaces) = (unsigned)json_integer_value(place);
	if (!function.name || !function.result_spelling)
		reader_refuse(reader, "a function has no name or no result");
	*APPEND(reader->model->functions, reader->model->nfunctions) = function;
}

/* A member that the table has in headers newer than those that were read. */
static struct variable *member_new_undeclared(const char *name, int64_t offset)
{
	struct variable *member = allocate(sizeof *member);

	*member = (struct variable){.name = name, .offset = (uint64_t)offset};
	return member;
}

/* A name without a function: the headers lack the function that is stored from this version on. */
static void reader_add_versioned_names(struct reader *reader, struct getproc *getproc, json_t *list)
{
	json_t *object;
	size_t i;

	json_array_foreach(list, i, object) {
		const char *function = object_get_text(object, "function");
		__typeof__(getproc->names) one = APPEND(getproc->names, getproc->nnames);

		one->name = object_get_text(object, "name");
		one->function = function ? model_function(reader->model, function) : NULL;
		one->since = (uint32_t)object_get_number(object, "since");
		if (!one->name || (function && !one->function))
			reader_refuse(reader,
				      "a get-proc function's name is missing or has no function");
	}
}

static void reader_add_getproc(struct reader *reader, json_t *object)
{
	struct model *model = reader->model;
	struct getproc *getproc = APPEND(model->getprocs, model->ngetprocs);
	const char *name = object_get_text(object, "function");
	json_t *one;
	size_t i;

	getproc->kind = (enum tl_getproc_kind)READER_GET_WORD(reader, object, "kind", getprocs);
	getproc->function = name ? model_function(model, name) : NULL;
	getproc->name = object_get_text(object, "name");
	getproc->where = object_get_text(object, "where");
	getproc->version = object_get_text(object, "version");
	getproc->offset = (uint64_t)object_get_number(object, "offset");
	getproc->sized = object_get_text(object, "sized");
	getproc->until = (uint32_t)object_get_number(object, "until");
	reader_add_versioned_names(reader, getproc, json_object_get(object, "names"));
	if (!getproc->function)
		reader_refuse(reader, "a get-proc function is none of the functions");
	if (json_object_get(object, "table"))
		getproc->table = reader_get_type(reader, json_object_get(object, "table"));
	json_array_foreach(json_object_get(object, "entries"), i, one) {
		const char *member = object_get_text(one, "member"),
			   *function = object_get_text(one, "function");
		__typeof__(getproc->entries) entry = APPEND(getproc->entries, getproc->nentries);

		for (size_t j = 0; getproc->table && member && j < getproc->table->nmembers; j++)
			if (!strcmp(getproc->table->members[j].name, member))
				entry->member = &getproc->table->members[j];
		entry->function = function ? model_function(model, function) : NULL;
		if (!entry->member && member && entry->function && entry->function->undeclared)
			entry->member =
				member_new_undeclared(member, object_get_number(one, "offset"));
		entry->since = (uint32_t)object_get_number(one, "since");
		if (!entry->member || !entry->function)
			reader_refuse(reader, "a table's entry names no member or no function");
	}
}

static void reader_add_types(struct reader *reader, json_t *list)
{
	struct model *model = reader->model;
	json_t *one;
	size_t i;

	/* First make all types by name: types refer to types that come later. */
	json_array_foreach(list, i, one) {
		struct type *type = reader_new_type(reader, one);

		type->index = i;
		*APPEND(model->types, model->ntypes) = type;
	}
	if (reader->failed)
		return;
	json_array_foreach(list, i, one)
		reader_fill_type(reader, one, model->types[i]);
}

static void reader_fill_model(struct reader *reader, json_t *root)
{
	struct model *model = reader->model;
	json_t *one;
	size_t i;

	model->name = object_get_text(root, "name");
	model->prefix = object_get_text(root, "prefix");
	model->version = object_get_text(root, "version");
	model->headers = object_get_texts(root, "headers", &model->nheaders);
	model->flags = object_get_texts(root, "flags", &model->nflags);
	model->companions = object_get_texts(root, "companions", &model->ncompanions);
	model->sonames = object_get_texts(root, "sonames", &model->nsonames);
	json_array_foreach(json_object_get(root, "successes"), i, one)
		*APPEND(model->successes, model->nsuccesses) = json_integer_value(one);
	reader_add_types(reader, json_object_get(root, "types"));
	json_array_foreach(json_object_get(root, "functions"), i, one)
		if (!reader->failed)
			reader_add_function(reader, one);
	json_array_foreach(json_object_get(root, "getprocs"), i, one)
		if (!reader->failed)
			reader_add_getproc(reader, one);
	json_array_foreach(json_object_get(root, "constants"), i, one) {
		struct constants *group = APPEND(model->constants, model->nconstants);

		group->title = object_get_text(one, "title");
		group->values = reader_get_enumerators(reader, one, "values", &group->nvalues);
		group->where = object_get_place(one);
		group->is_enum = object_get_true(one, "enum");
	}
}

struct model *model_read(const char *path)
{
	struct reader reader = {.path = path, .model = allocate(sizeof *reader.model)};
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!root) {
		fprintf(stderr, "tracegen: %s:%d: %s; make it again with tracegen model\n", path,
			error.line, error.text);
		return NULL;
	}
	const char *format = json_string_value(json_object_get(root, "format"));
	if (!format || strcmp(format, FORMAT) != 0)
		reader_refuse(&reader, "not a model of this tracegen (\"format\": \"" FORMAT "\")");
	else
		reader_fill_model(&reader, root);
	json_decref(root);
	return reader.failed ? NULL : reader.model;
}
