/* SPDX-License-Identifier: MIT */
/*
 * emit_tables.c: PREFIX_tables.c, the API as constant tables: tracelayer/api.h says what they mean,
 * model_tables.c makes them.
 *
 * Each type has a number in an enum, and the tables refer to it by that. The file ends with the
 * same API as bytes, which traces carry (format/file/describe.h).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/emit.h"
#include "gen/model_tables.h"

#define DESCRIPTION_WIDTH 88 /* characters of a string literal */

static const char *type_reference(const struct tables *tables, const struct tl_type *type)
{
	return type ? format_text("&types[T_%s]", tables->ids[type - tables->types]) : "NULL";
}

/* Enumerators. */

static bool type_has_enumerators(const struct tl_type *type)
{
	return (type->kind == TL_KIND_ENUM || type->kind == TL_KIND_FLAGS ||
		type->kind == TL_KIND_HANDLE) &&
	       type->count;
}

static const char *value_text(const struct tl_type *type, uint64_t value)
{
	if (type->kind == TL_KIND_FLAGS)
		return format_text("0x%llxu", (unsigned long long)value);
	if ((int64_t)value == INT64_MIN)
		return "(uint64_t)INT64_MIN";
	return format_text((int64_t)value < 0 ? "(uint64_t)%lld" : "%lld", (long long)value);
}

static void emit_enumerators(FILE *to, const struct tl_type *type, const char *id)
{
	fprintf(to, "static const struct tl_enumerator %s_enumerators[] = {\n", id);
	for (size_t i = 0; i < type->count; i++)
		fprintf(to, "\t{\"%s\", %s},\n", type->enumerators[i].name,
			value_text(type, type->enumerators[i].value));
	fputs("};\n\n", to);
}

/* Variables: members and parameters. */

static const char *length_text(const struct tl_length *length)
{
	static const char *const kinds[] = {"NONE",   "CONSTANT",   "VALUE", "POINTEE",
					    "STRING", "ZERO_ENDED", "MEMBER"};

	if (length->kind == TL_LENGTH_NONE)
		return "";
	return format_text(", .length = {TL_LENGTH_%s, %d, %u, %u}", kinds[length->kind],
			   length->bytes, length->sibling, length->constant);
}

static const char *direction_text(unsigned direction)
{
	static const struct {
		unsigned bit;
		const char *name;
	} bits[] = {
		{TL_IN, "TL_IN"},	    {TL_OUT, "TL_OUT"},	      {TL_OPTIONAL, "TL_OPTIONAL"},
		{TL_OBLIGED, "TL_OBLIGED"}, {TL_ALWAYS, "TL_ALWAYS"}, {TL_UNSHOWN, "TL_UNSHOWN"}};
	char *text = copy_text("");

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (direction & bits[i].bit)
			text = format_text("%s%s%s", text,
					   *text ? " | " : ", .direction = ", bits[i].name);
	return text;
}

static void emit_members(const struct tables *tables, FILE *to, const struct tl_type *type,
			 const char *id)
{
	fprintf(to, "static const struct tl_variable %s_members[] = {\n", id);
	for (size_t i = 0; i < type->count; i++) {
		const struct tl_variable *member = &type->members[i];
		const char *bits = "";

		if (member->bit_width)
			bits = format_text(", .bit_offset = %u, .bit_width = %u",
					   member->bit_offset, member->bit_width);
		emit_line(to, 1, "{\"%s\", %s, .offset = %u%s%s%s%s},", member->name,
			  type_reference(tables, member->type), member->offset,
			  direction_text(member->direction),
			  member->chain ? format_text(", .chain = %d", member->chain) : "", bits,
			  length_text(&member->length));
	}
	fputs("};\n\n", to);
}

static void emit_params(const struct tables *tables, FILE *to, const struct tl_function *function)
{
	if (!function->count)
		return;
	fprintf(to, "static const struct tl_variable %s_params[] = {\n", function->name);
	for (size_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];

		emit_line(to, 1, "{\"%s\", %s, .offset = %u, .words = %u%s%s},", param->name,
			  type_reference(tables, param->type), param->offset, param->words,
			  direction_text(param->direction), length_text(&param->length));
	}
	fputs("};\n\n", to);
}

/* Types. */

static const char *const kind_names[] = {"VOID",     "BOOL",  "INT",	"UINT",	  "CHAR",
					 "FLOAT",    "ENUM",  "FLAGS",	"HANDLE", "POINTER",
					 "FUNCTION", "ARRAY", "STRUCT", "UNION"};

static bool type_has_members(const struct tl_type *type)
{
	return (type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION) && type->count;
}

static void emit_type(const struct tables *tables, FILE *to, size_t number)
{
	const struct tl_type *type = &tables->types[number];
	const char *id = tables->ids[number];
	char *text = format_text("[T_%s] = {\"%s\", TL_KIND_%s, .size = %u", id, type->name,
				 kind_names[type->kind], type->size);

	if (type->kind == TL_KIND_ARRAY)
		text = format_text("%s, .count = %u", text, type->count);
	if (type->target)
		text = format_text("%s, .target = %s", text, type_reference(tables, type->target));
	if (type_has_enumerators(type))
		text = format_text(
			"%s, .count = COUNT(%s_enumerators), .enumerators = %s_enumerators", text,
			id, id);
	if (type_has_members(type))
		text = format_text("%s, .count = COUNT(%s_members), .members = %s_members", text,
				   id, id);
	emit_line(to, 1, "%s},", text);
}

static void emit_types(const struct tables *tables, FILE *to)
{
	fputs("/* Types. */\n\nenum {\n", to);
	for (size_t i = 0; i < tables->ntypes; i++)
		fprintf(to, "\tT_%s,\n", tables->ids[i]);
	fputs("\tT_COUNT\n};\n\nstatic const struct tl_type types[T_COUNT];\n\n", to);
	for (size_t i = 0; i < tables->ntypes; i++) {
		const struct tl_type *type = &tables->types[i];

		if (type_has_enumerators(type))
			emit_enumerators(to, type, tables->ids[i]);
		else if (type_has_members(type))
			emit_members(tables, to, type, tables->ids[i]);
	}
	fputs("static const struct tl_type types[T_COUNT] = {\n", to);
	for (size_t i = 0; i < tables->ntypes; i++)
		emit_type(tables, to, i);
	fputs("};\n\n", to);
}

/* Functions. */

static const char *flags_text(unsigned flags)
{
	static const struct {
		unsigned bit;
		const char *name;
	} bits[] = {{TL_FUNCTION_FOLLOWS, "FOLLOWS"},
		    {TL_FUNCTION_EXPORTED, "EXPORTED"},
		    {TL_FUNCTION_INITIALISES, "INITIALISES"},
		    {TL_FUNCTION_GETPROC, "GETPROC"},
		    {TL_FUNCTION_CREATES, "CREATES"},
		    {TL_FUNCTION_DESTROYS, "DESTROYS"},
		    {TL_FUNCTION_RETAINS, "RETAINS"},
		    {TL_FUNCTION_TEXT, "TEXT"},
		    {TL_FUNCTION_ERRNO, "ERRNO"}};
	char *text = copy_text("");

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (flags & bits[i].bit)
			text = format_text("%s%sTL_FUNCTION_%s", text, *text ? " | " : "",
					   bits[i].name);
	return *text ? text : "0";
}

static const char *level_text(unsigned level)
{
	static const char *const names[] = {"REQUEST", "RUNTIME", "OPERATOR", "DEBUG"};
	char *text = copy_text("");

	for (unsigned i = 0; i < 4; i++)
		if (level & 1u << i)
			text = format_text("%s%sTL_LEVEL_%s", text, *text ? " | " : "", names[i]);
	return *text ? text : "TL_LEVEL_NONE";
}

static const char *stage_text(const struct tl_function *function)
{
	if (!function->layer)
		return "";
	return format_text(", .layer = TL_LAYER_%s, .phase = TL_PHASE_%s",
			   emit_upper(tl_layer_words[function->layer]),
			   emit_upper(tl_phase_words[function->phase]));
}

/* ", .passed = 3, .places = (const uint8_t[]){0, 2, 2}" */
static char *passed_text(const struct tl_function *function)
{
	char *text =
		function->passed ? format_text(", .passed = %u", function->passed) : copy_text("");

	for (unsigned i = 0; function->places && i < function->passed; i++)
		text = format_text("%s%s%u%s", text, i ? ", " : ", .places = (const uint8_t[]){",
				   function->places[i], i + 1 < function->passed ? "" : "}");
	return text;
}

static void emit_function(const struct tables *tables, FILE *to, const char *prefix,
			  const struct tl_function *function)
{
	static const char *const failures[] = {"NEVER", "NONZERO", "NEGATIVE", "NULL"};

	emit_line(
		to, 1,
		"{\"%s\", %s, %s, &tl_api_%s, .index = %u, .count = %u, .words = %u, .level = %s, .flags = %s, .failure = TL_FAILURE_%s%s%s, "
		".file = \"%s\", .line = %u},",
		function->name, type_reference(tables, function->result),
		function->count ? format_text("%s_params", function->name) : "NULL", prefix,
		function->index, function->count, function->words, level_text(function->level),
		flags_text(function->flags), failures[function->failure], stage_text(function),
		passed_text(function), function->file, function->line);
}

static void emit_functions(const struct tables *tables, FILE *to, const char *prefix)
{
	const struct tl_api *api = &tables->api;

	fputs("/* Functions. */\n\n", to);
	for (size_t i = 0; i < api->count; i++)
		emit_params(tables, to, &api->functions[i]);
	fprintf(to, "extern HIDDEN const struct tl_function %s_functions[];\n", prefix);
	fprintf(to, "const struct tl_function %s_functions[] = {\n", prefix);
	for (size_t i = 0; i < api->count; i++)
		emit_function(tables, to, prefix, &api->functions[i]);
	fputs("};\n\n", to);
}

/* Functions that hand out functions. */

static void emit_versioned_names(FILE *to, const struct tl_api *api, size_t number)
{
	const struct tl_getproc *getproc = &api->getprocs[number];

	fprintf(to, "static const struct tl_versioned_name entries_%zu[] = { /* %s */\n", number,
		api->functions[getproc->function].name);
	for (size_t i = 0; i < getproc->count; i++) {
		const struct tl_versioned_name *one = &getproc->names[i];

		fprintf(to, "\t{\"%s\", %uu, %u}, /* %s */\n", one->name, one->function, one->since,
			one->function == UINT32_MAX ? "not in these headers"
						    : api->functions[one->function].name);
	}
	fputs("};\n\n", to);
}

static void emit_entries(FILE *to, const struct tl_api *api, size_t number)
{
	const struct tl_getproc *getproc = &api->getprocs[number];

	if (!getproc->count)
		return;
	if (getproc->kind == TL_GETPROC_STORED) {
		emit_versioned_names(to, api, number);
		return;
	}
	fprintf(to, "static const struct tl_table_entry entries_%zu[] = { /* %s */\n", number,
		api->functions[getproc->function].name);
	for (size_t i = 0; i < getproc->count; i++)
		fprintf(to, "\t{%u, %u, 0x%x}, /* %s */\n", getproc->entries[i].offset,
			getproc->entries[i].function, getproc->entries[i].since,
			api->functions[getproc->entries[i].function].name);
	fputs("};\n\n", to);
}

static void emit_getprocs(FILE *to, const struct tl_api *api)
{
	static const char *const kinds[] = {"RETURNED", "STORED", "TABLE", "OBJECT", "GIVEN"};

	for (size_t i = 0; i < api->ngetprocs; i++)
		emit_entries(to, api, i);
	if (!api->ngetprocs)
		return;
	fputs("static const struct tl_getproc getprocs[] = {\n", to);
	for (size_t i = 0; i < api->ngetprocs; i++) {
		const struct tl_getproc *g = &api->getprocs[i];

		emit_line(
			to, 1,
			"{TL_GETPROC_%s, .name = %u, .where = %u, .version = %u, .function = %u, .count = %u, .%s = %s, .offset = %u, .size = %u, .sized = %u, .until = %u},",
			kinds[g->kind], g->name, g->where, g->version, g->function, g->count,
			g->kind == TL_GETPROC_STORED ? "names" : "entries",
			g->count ? format_text("entries_%zu", i) : "NULL", g->offset, g->size,
			g->sized, g->until);
	}
	fputs("};\n\n", to);
}

/* The whole. */

static void emit_chains(const struct tables *tables, FILE *to)
{
	const struct tl_api *api = &tables->api;

	if (!api->nchains)
		return;
	fputs("static const struct tl_chain chains[] = {\n", to);
	for (size_t i = 0; i < api->nchains; i++)
		fprintf(to, "\t{0x%llx, %s},\n", (unsigned long long)api->chains[i].stype,
			type_reference(tables, api->chains[i].type));
	fputs("};\n\n", to);
}

static void emit_sonames(FILE *to, const struct tl_api *api)
{
	fputs("static const char *const sonames[] = {", to);
	for (const char *const *soname = api->sonames; *soname; soname++)
		fprintf(to, "\"%s\", ", *soname);
	fputs("NULL};\n\n", to);
}

static void emit_successes(FILE *to, const struct tl_api *api)
{
	if (!api->nsuccesses)
		return;
	fputs("/* Results besides 0 that are no failure. */\nstatic const int64_t successes[] = {",
	      to);
	for (size_t i = 0; i < api->nsuccesses; i++)
		fprintf(to, "%s%lld", i ? ", " : "", (long long)api->successes[i]);
	fputs("};\n\n", to);
}

/*
 * One byte of a string literal; with three digits, an escape doesn't take up the digit behind it.
 */
static int emit_byte(FILE *to, unsigned char byte, unsigned char next)
{
	if (byte == '"' || byte == '\\' || byte == '?')
		return fprintf(to, "\\%c", byte);
	if (isprint(byte))
		return fprintf(to, "%c", byte);
	return fprintf(to, isdigit(next) ? "\\%03o" : "\\%o", byte);
}

/* As string literals, so that people can read the names in it. */
static int emit_description(FILE *to, const struct tl_api *api)
{
	size_t size;
	unsigned char *bytes = tables_describe(api, &size);

	if (!bytes)
		return -1;
	fputs("/* The same as bytes, which traces carry: tracelayer-record(5) says how to read them. */\n"
	      "static const char description[] =",
	      to);
	for (size_t i = 0, column = DESCRIPTION_WIDTH; i < size; i++) {
		if (column >= DESCRIPTION_WIDTH) {
			fputs(i ? "\"\n\t\"" : "\n\t\"", to);
			column = 0;
		}
		column += (size_t)emit_byte(to, bytes[i], i + 1 < size ? bytes[i + 1] : 0);
	}
	fputs("\";\n\n", to);
	free(bytes);
	return 0;
}

static void emit_api(FILE *to, const struct tl_api *api, const char *prefix)
{
	fprintf(to, "const struct tl_api tl_api_%s = {\n", prefix);
	fprintf(to, "\t.name = \"%s\",\n\t.version = \"%s\",\n\t.sonames = sonames,\n", api->name,
		api->version);
	fprintf(to, "\t.functions = %s_functions,\n\t.count = COUNT(%s_functions),\n", prefix,
		prefix);
	if (api->nsuccesses)
		fputs("\t.nsuccesses = COUNT(successes),\n\t.successes = successes,\n", to);
	if (api->ngetprocs)
		fputs("\t.ngetprocs = COUNT(getprocs),\n\t.getprocs = getprocs,\n", to);
	if (api->nchains)
		fputs("\t.nchains = COUNT(chains),\n\t.chains = chains,\n", to);
	fputs("\t.description = description,\n\t.description_size = sizeof(description) - 1,\n",
	      to);
	fputs("};\n", to);
}

int emit_tables(const struct model *model, FILE *to)
{
	const struct tables *tables = tables_make(model);
	const struct tl_api *api = &tables->api;

	emit_title(to, model, "tables.c", "the functions and types");
	fputs("#include <tracelayer/api.h>\n\n"
	      "#define COUNT(array) (sizeof(array) / sizeof((array)[0]))\n"
	      "#define HIDDEN __attribute__((visibility(\"hidden\")))\n\n",
	      to);
	fprintf(to, "extern const struct tl_api tl_api_%s;\n\n", model->prefix);
	emit_types(tables, to);
	emit_functions(tables, to, model->prefix);
	emit_getprocs(to, api);
	emit_chains(tables, to);
	emit_sonames(to, api);
	emit_successes(to, api);
	if (emit_description(to, api))
		return -1;
	emit_api(to, api, model->prefix);
	return emit_done(to, model, "tables.c");
}
