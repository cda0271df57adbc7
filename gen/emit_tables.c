/*
 * emit_tables.c: PREFIX_tables.c, the API as constant tables: tracelayer/api.h says what they mean.
 *
 * Types that functions reach, or that a chain can bring, are collected first; each gets a name of
 * its own in an enum, by which the tables refer to it. Everything is in the order of first use, so
 * that the same model gives the same file.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gen/allocate.h"
#include "gen/emit.h"

struct entry {
	const struct type *type;
	const char *id; /* in the enum */
};

struct tables {
	const struct model *model;
	FILE *to;
	struct entry *entries;
	size_t nentries;
	size_t nchains;
};

/* Collecting types. */

/* Models made apart, or read from a file, hold several copies of what has no name. */
static bool is_same(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind || a->size != b->size || a->count != b->count ||
	    a->nmembers || b->nmembers || a->nenumerators || b->nenumerators ||
	    strcmp(a->spelling, b->spelling))
		return a && b && a->kind == TL_KIND_FUNCTION && b->kind == TL_KIND_FUNCTION &&
		       !strcmp(a->spelling, b->spelling);
	return is_same(a->target, b->target);
}

static const struct entry *find_entry(const struct tables *tables, const struct type *type)
{
	for (size_t i = 0; i < tables->nentries; i++)
		if (is_same(tables->entries[i].type, type))
			return &tables->entries[i];
	return NULL;
}

/* "const char *" as an identifier: const_char_ptr */
static char *identifier(const char *spelling)
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

static const char *unique_identifier(const struct tables *tables, const struct type *type)
{
	const char *plain = identifier(type->name ? type->name : type->spelling), *id = plain;

	for (size_t i = 0, number = 2; i < tables->nentries;) {
		if (strcmp(tables->entries[i].id, id)) {
			i++;
			continue;
		}
		id = format_text("%s_%zu", plain, number++);
		i = 0;
	}
	return id;
}

static void collect(struct tables *tables, const struct type *type)
{
	if (!type || find_entry(tables, type))
		return;
	struct entry entry = {type, unique_identifier(tables, type)};
	*APPEND(tables->entries, tables->nentries) = entry;
	if (type->kind == TL_KIND_FUNCTION || type->kind == TL_KIND_HANDLE)
		return;
	collect(tables, type->target);
	for (size_t i = 0; i < type->nmembers; i++)
		collect(tables, type->members[i].type);
}

static void collect_all(struct tables *tables)
{
	const struct model *model = tables->model;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f)) {
		collect(tables, f->result);
		for (size_t i = 0; i < f->nparams; i++)
			collect(tables, f->params[i].type);
	}
	for (size_t i = 0; i < model->ntypes; i++)
		if (model->types[i]->has_stype)
			collect(tables, model->types[i]);
}

static const char *type_reference(const struct tables *tables, const struct type *type)
{
	return type ? format_text("&types[T_%s]", find_entry(tables, type)->id) : "NULL";
}

/* Enumerators. */

static int by_value(const void *a, const void *b)
{
	uint64_t left = (uint64_t)((const struct enumerator *)a)->value,
		 right = (uint64_t)((const struct enumerator *)b)->value;

	return (left > right) - (left < right);
}

static int by_width(const void *a, const void *b)
{
	int left = __builtin_popcountll((uint64_t)((const struct enumerator *)a)->value);
	int right = __builtin_popcountll((uint64_t)((const struct enumerator *)b)->value);

	return left != right ? right - left : by_value(a, b);
}

/* Without aliases, in the order that the tables promise. */
static struct enumerator *sorted_enumerators(const struct type *type, size_t *count)
{
	struct enumerator *list = allocate((type->nenumerators + 1) * sizeof *list);

	*count = 0;
	for (size_t i = 0; i < type->nenumerators; i++)
		if (!type->enumerators[i].alias)
			list[(*count)++] = type->enumerators[i];
	qsort(list, *count, sizeof *list, type->kind == TL_KIND_FLAGS ? by_width : by_value);
	return list;
}

static bool has_enumerators(const struct type *type)
{
	return (type->kind == TL_KIND_ENUM || type->kind == TL_KIND_FLAGS) && type->nenumerators;
}

static const char *value_text(const struct type *type, int64_t value)
{
	if (type->kind == TL_KIND_FLAGS)
		return format_text("0x%llxu", (unsigned long long)value);
	if (value == INT64_MIN)
		return "(uint64_t)INT64_MIN";
	return format_text(value < 0 ? "(uint64_t)%lld" : "%lld", (long long)value);
}

static void emit_enumerators(const struct tables *tables, const struct entry *entry)
{
	size_t count;
	struct enumerator *list = sorted_enumerators(entry->type, &count);

	fprintf(tables->to, "static const struct tl_enumerator %s_enumerators[] = {\n", entry->id);
	for (size_t i = 0; i < count; i++)
		fprintf(tables->to, "\t{\"%s\", %s},\n", list[i].name,
			value_text(entry->type, list[i].value));
	fputs("};\n\n", tables->to);
	free(list);
}

/* Variables: members and parameters. */

static size_t sibling_index(const char *name, const struct variable *list, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(list[i].name, name))
			return i;
	return count;
}

static const char *length_text(const struct variable *v, const struct variable *list, size_t count)
{
	static const char *const kinds[] = {"NONE",    "CONSTANT", "VALUE",
					    "POINTEE", "STRING",   "ZERO_ENDED"};
	const struct length *length = &v->length;
	bool counted = length->kind == TL_LENGTH_VALUE || length->kind == TL_LENGTH_POINTEE;
	size_t sibling = counted ? sibling_index(length->sibling, list, count) : 0;
	unsigned constant = counted && !length->constant ? 1 : length->constant;

	if (length->kind == TL_LENGTH_NONE || (counted && sibling == count))
		return "";
	return format_text(", .length = {TL_LENGTH_%s, %d, %zu, %u}", kinds[length->kind],
			   length->bytes, sibling, constant);
}

static const char *direction_text(unsigned direction)
{
	static const struct {
		unsigned bit;
		const char *name;
	} bits[] = {{TL_IN, "TL_IN"},
		    {TL_OUT, "TL_OUT"},
		    {TL_OPTIONAL, "TL_OPTIONAL"},
		    {TL_OBLIGED, "TL_OBLIGED"}};
	char *text = copy_text("");

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (direction & bits[i].bit)
			text = format_text("%s%s%s", text,
					   *text ? " | " : ", .direction = ", bits[i].name);
	return text;
}

/* In a struct with both, stype announces what the struct is, and pNext leads to the next. */
static int chain_part(const struct type *type, const struct variable *member)
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

static void emit_members(const struct tables *tables, const struct entry *entry)
{
	const struct type *type = entry->type;

	fprintf(tables->to, "static const struct tl_variable %s_members[] = {\n", entry->id);
	for (size_t i = 0; i < type->nmembers; i++) {
		const struct variable *member = &type->members[i];
		int chain = chain_part(type, member);
		const char *bits = "";

		if (member->bit_width)
			bits = format_text(", .bit_offset = %u, .bit_width = %u",
					   member->bit_offset, member->bit_width);
		emit_line(tables->to, 1, "{\"%s\", %s, .offset = %llu%s%s%s%s},", member->name,
			  type_reference(tables, member->type), (unsigned long long)member->offset,
			  direction_text(member->direction),
			  chain ? format_text(", .chain = %d", chain) : "", bits,
			  length_text(member, type->members, type->nmembers));
	}
	fputs("};\n\n", tables->to);
}

static void emit_params(const struct tables *tables, const struct function *function)
{
	unsigned word = 0;

	if (!function->nparams)
		return;
	fprintf(tables->to, "static const struct tl_variable %s_params[] = {\n", function->name);
	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];
		unsigned words = emit_words(param->type);

		emit_line(tables->to, 1, "{\"%s\", %s, .offset = %u, .words = %u%s%s},",
			  param->name, type_reference(tables, param->type), word, words,
			  direction_text(param->direction),
			  length_text(param, function->params, function->nparams));
		word += words;
	}
	fputs("};\n\n", tables->to);
}

/* Types. */

static const char *const kind_names[] = {"VOID",     "BOOL",  "INT",	"UINT",	  "CHAR",
					 "FLOAT",    "ENUM",  "FLAGS",	"HANDLE", "POINTER",
					 "FUNCTION", "ARRAY", "STRUCT", "UNION"};

static void emit_type(const struct tables *tables, const struct entry *entry)
{
	const struct type *type = entry->type;
	bool has_members =
		(type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION) && type->nmembers;
	bool has_target =
		(type->kind == TL_KIND_POINTER || type->kind == TL_KIND_ARRAY) && type->target;
	unsigned long long size = type->kind == TL_KIND_FUNCTION ? sizeof(void *) : type->size;
	char *text = format_text("[T_%s] = {\"%s\", TL_KIND_%s, .size = %llu", entry->id,
				 type->spelling, kind_names[type->kind], size);

	if (type->kind == TL_KIND_ARRAY)
		text = format_text("%s, .count = %llu", text, (unsigned long long)type->count);
	if (has_target)
		text = format_text("%s, .target = %s", text, type_reference(tables, type->target));
	if (has_enumerators(type))
		text = format_text(
			"%s, .count = COUNT(%s_enumerators), .enumerators = %s_enumerators", text,
			entry->id, entry->id);
	if (has_members)
		text = format_text("%s, .count = COUNT(%s_members), .members = %s_members", text,
				   entry->id, entry->id);
	emit_line(tables->to, 1, "%s},", text);
}

static void emit_types(const struct tables *tables)
{
	FILE *to = tables->to;

	fputs("/* Types. */\n\nenum {\n", to);
	for (size_t i = 0; i < tables->nentries; i++)
		fprintf(to, "\tT_%s,\n", tables->entries[i].id);
	fputs("\tT_COUNT\n};\n\nstatic const struct tl_type types[T_COUNT];\n\n", to);
	for (size_t i = 0; i < tables->nentries; i++) {
		const struct entry *entry = &tables->entries[i];
		enum tl_kind kind = entry->type->kind;

		if (has_enumerators(entry->type))
			emit_enumerators(tables, entry);
		else if ((kind == TL_KIND_STRUCT || kind == TL_KIND_UNION) && entry->type->nmembers)
			emit_members(tables, entry);
	}
	fputs("static const struct tl_type types[T_COUNT] = {\n", to);
	for (size_t i = 0; i < tables->nentries; i++)
		emit_type(tables, &tables->entries[i]);
	fputs("};\n\n", to);
}

/* Functions. */

static bool leads_to_memory(const struct type *type)
{
	if (type->kind == TL_KIND_STRUCT)
		for (size_t i = 0; i < type->nmembers; i++)
			if (type->members[i].length.kind != TL_LENGTH_NONE ||
			    chain_part(type, &type->members[i]) == 1)
				return true;
	return false;
}

static bool follows(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];

		if (param->type->kind == TL_KIND_POINTER ? param->length.kind != TL_LENGTH_NONE
							 : leads_to_memory(param->type))
			return true;
	}
	return false;
}

static bool is_getproc(const struct model *model, const struct function *function)
{
	for (size_t i = 0; i < model->ngetprocs; i++)
		if (model->getprocs[i].function == function)
			return true;
	return false;
}

static const char *flags_text(const struct model *model, const struct function *function)
{
	static const struct {
		unsigned bit;
		const char *name;
	} bits[] = {{TL_FUNCTION_FOLLOWS, "FOLLOWS"},	      {TL_FUNCTION_EXPORTED, "EXPORTED"},
		    {TL_FUNCTION_INITIALISES, "INITIALISES"}, {TL_FUNCTION_GETPROC, "GETPROC"},
		    {TL_FUNCTION_CREATES, "CREATES"},	      {TL_FUNCTION_DESTROYS, "DESTROYS"}};
	unsigned flags = function->flags & ~(unsigned)(TL_FUNCTION_FOLLOWS | TL_FUNCTION_EXPORTED |
						       TL_FUNCTION_GETPROC);
	char *text = copy_text("");

	flags |= (follows(function) ? TL_FUNCTION_FOLLOWS : 0) |
		 (function->exported ? TL_FUNCTION_EXPORTED : 0) |
		 (is_getproc(model, function) ? TL_FUNCTION_GETPROC : 0);
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

static const char *failure_text(enum tl_failure failure)
{
	static const char *const names[] = {"NEVER", "NONZERO", "NEGATIVE", "NULL"};

	return names[failure];
}

static void emit_function(const struct tables *tables, const struct function *function,
			  size_t index)
{
	unsigned words = 0;

	for (size_t i = 0; i < function->nparams; i++)
		words += emit_words(function->params[i].type);
	emit_line(
		tables->to, 1,
		"{\"%s\", %s, %s, &tl_api_%s, .index = %zu, .count = %zu, .words = %u, .level = %s, .flags = %s, .failure = TL_FAILURE_%s, "
		".file = \"%s\", .line = %u},",
		function->name, type_reference(tables, function->result),
		function->nparams ? format_text("%s_params", function->name) : "NULL",
		tables->model->prefix, index, function->nparams, words, level_text(function->level),
		flags_text(tables->model, function), failure_text(function->failure),
		function->where.file, function->where.line);
}

static void emit_functions(const struct tables *tables)
{
	const struct model *model = tables->model;
	size_t index = 0;

	fputs("/* Functions. */\n\n", tables->to);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		emit_params(tables, f);
	fprintf(tables->to, "extern HIDDEN const struct tl_function %s_functions[];\n",
		model->prefix);
	fprintf(tables->to, "const struct tl_function %s_functions[] = {\n", model->prefix);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		emit_function(tables, f, index++);
	fputs("};\n\n", tables->to);
}

/* Functions that hand out functions. */

static size_t param_index(const struct function *function, const char *name)
{
	size_t index = sibling_index(name, function->params, function->nparams);

	return index < function->nparams ? index : 0;
}

static size_t known_entries(const struct getproc *getproc)
{
	size_t count = 0;

	for (size_t i = 0; i < getproc->nentries; i++)
		count += !getproc->entries[i].function->left_out;
	return count;
}

static void emit_table_entries(const struct tables *tables, const struct getproc *getproc)
{
	if (!known_entries(getproc))
		return;
	fprintf(tables->to, "static const struct tl_table_entry %s_entries[] = {\n",
		getproc->function->name);
	for (size_t i = 0; i < getproc->nentries; i++)
		if (!getproc->entries[i].function->left_out)
			fprintf(tables->to, "\t{%llu, %zu, 0x%x}, /* %s */\n",
				(unsigned long long)getproc->entries[i].member->offset,
				emit_index(tables->model, getproc->entries[i].function),
				getproc->entries[i].since, getproc->entries[i].function->name);
	fputs("};\n\n", tables->to);
}

static bool has_shim(const struct getproc *getproc)
{
	return !getproc->function->left_out;
}

static size_t emit_getprocs(const struct tables *tables)
{
	static const char *const kinds[] = {"RETURNED", "STORED", "TABLE"};
	const struct model *model = tables->model;
	size_t count = 0;

	for (size_t i = 0; i < model->ngetprocs; i++)
		if (has_shim(&model->getprocs[i])) {
			emit_table_entries(tables, &model->getprocs[i]);
			count++;
		}
	if (!count)
		return 0;
	fputs("static const struct tl_getproc getprocs[] = {\n", tables->to);
	for (size_t i = 0; i < model->ngetprocs; i++) {
		const struct getproc *g = &model->getprocs[i];
		size_t known = known_entries(g);

		if (!has_shim(g))
			continue;
		emit_line(
			tables->to, 1,
			"{TL_GETPROC_%s, .name = %zu, .where = %zu, .version = %zu, .function = %zu, .count = %zu, .entries = %s},",
			kinds[g->kind], param_index(g->function, g->name),
			param_index(g->function, g->where), param_index(g->function, g->version),
			emit_index(model, g->function), known,
			known ? format_text("%s_entries", g->function->name) : "NULL");
	}
	fputs("};\n\n", tables->to);
	return count;
}

/* The whole. */

static int by_stype(const void *a, const void *b)
{
	const struct type *left = *(const struct type *const *)a,
			  *right = *(const struct type *const *)b;

	if (left->stype != right->stype)
		return (uint64_t)left->stype < (uint64_t)right->stype ? -1 : 1;
	return strcmp(left->spelling, right->spelling);
}

static size_t emit_chains(const struct tables *tables)
{
	const struct type **list = NULL;
	size_t count = 0;

	for (size_t i = 0; i < tables->nentries; i++)
		if (tables->entries[i].type->has_stype)
			*APPEND(list, count) = tables->entries[i].type;
	if (!count)
		return 0;
	qsort(list, count, sizeof *list, by_stype);
	fputs("static const struct tl_chain chains[] = {\n", tables->to);
	for (size_t i = 0; i < count; i++)
		fprintf(tables->to, "\t{0x%llx, %s},\n", (unsigned long long)list[i]->stype,
			type_reference(tables, list[i]));
	fputs("};\n\n", tables->to);
	free(list);
	return count;
}

static void emit_sonames(const struct tables *tables)
{
	const struct model *model = tables->model;

	fputs("static const char *const sonames[] = {", tables->to);
	for (size_t i = 0; i < model->nsonames; i++)
		fprintf(tables->to, "\"%s\", ", model->sonames[i]);
	fputs("NULL};\n\n", tables->to);
}

static void emit_successes(const struct tables *tables)
{
	const struct model *model = tables->model;

	if (!model->nsuccesses)
		return;
	fputs("/* Results besides 0 that are no failure. */\nstatic const int64_t successes[] = {",
	      tables->to);
	for (size_t i = 0; i < model->nsuccesses; i++)
		fprintf(tables->to, "%s%lld", i ? ", " : "", (long long)model->successes[i]);
	fputs("};\n\n", tables->to);
}

static void emit_api(const struct tables *tables, size_t ngetprocs, size_t nchains)
{
	const struct model *model = tables->model;
	FILE *to = tables->to;

	fprintf(to, "const struct tl_api tl_api_%s = {\n", model->prefix);
	fprintf(to, "\t.name = \"%s\",\n\t.version = \"%s\",\n\t.sonames = sonames,\n", model->name,
		model->version ? model->version : "");
	fprintf(to, "\t.functions = %s_functions,\n\t.count = COUNT(%s_functions),\n",
		model->prefix, model->prefix);
	if (model->nsuccesses)
		fputs("\t.nsuccesses = COUNT(successes),\n\t.successes = successes,\n", to);
	if (ngetprocs)
		fputs("\t.ngetprocs = COUNT(getprocs),\n\t.getprocs = getprocs,\n", to);
	if (nchains)
		fputs("\t.nchains = COUNT(chains),\n\t.chains = chains,\n", to);
	fputs("};\n", to);
}

int emit_tables(const struct model *model, FILE *to)
{
	struct tables tables = {.model = model, .to = to};
	size_t ngetprocs, nchains;

	collect_all(&tables);
	emit_title(to, model, "tables.c", "the functions and types");
	fputs("#include <tracelayer/api.h>\n\n"
	      "#define COUNT(array) (sizeof(array) / sizeof((array)[0]))\n"
	      "#define HIDDEN __attribute__((visibility(\"hidden\")))\n\n",
	      to);
	fprintf(to, "extern const struct tl_api tl_api_%s;\n\n", model->prefix);
	emit_types(&tables);
	emit_functions(&tables);
	ngetprocs = emit_getprocs(&tables);
	nchains = emit_chains(&tables);
	emit_sonames(&tables);
	emit_successes(&tables);
	emit_api(&tables, ngetprocs, nchains);
	free(tables.entries);
	return emit_done(to, model, "tables.c");
}
