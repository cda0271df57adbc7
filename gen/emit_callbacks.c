/* SPDX-License-Identifier: MIT */
/*
 * emit_callbacks.c: PREFIX_callbacks.h, for tools: what a callback sees of each function.
 *
 * Each function has a struct of pointers to its parameters, in order, and the type of its prologues
 * and epilogues, in the form of Level Zero's headers. If the API's own headers have both, the file
 * only checks these.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

/* zesDeviceReset: "zes". A function whose name begins with no lower-case word before an upper-case
 * letter: the API's prefix. */
static const char *function_family(const struct model *model, const char *name)
{
	size_t length = 0;

	while (islower((unsigned char)name[length]) || isdigit((unsigned char)name[length]))
		length++;
	return length && isupper((unsigned char)name[length]) ? copy_bytes(name, length)
							      : model->prefix;
}

/* zeInit: ze_init; deflate of zlib: zlib_deflate; sqlite3_open of sqlite3: sqlite3_open */
static char *function_snake(const struct model *model, const char *name)
{
	const char *prefix = function_family(model, name);
	char *snake = emit_snake(name);

	return strncmp(snake, prefix, strlen(prefix)) ? format_text("%s_%s", prefix, snake) : snake;
}

/* zeEventPoolCreate: ze_pfnEventPoolCreateCb_t; sqlite3_open_v2: sqlite3_pfnOpenV2Cb_t */
static char *callback_type_name(const struct model *model, const char *name)
{
	const char *prefix = function_family(model, name);
	char *camel = allocate(strlen(name) + 1), *to = camel;
	bool begins = true;

	for (const char *c = strncmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
	     *c; c++) {
		if (*c == '_') {
			begins = true;
			continue;
		}
		*to++ = begins ? (char)toupper((unsigned char)*c) : *c;
		begins = false;
	}
	return format_text("%s_pfn%sCb_t", prefix, camel);
}

/* The names that all functions would get, sorted. */
struct names {
	char **sorted;
	size_t count;
};

static struct names names_collect(const struct model *model,
				  char *(*name_of)(const struct model *, const char *))
{
	struct names names = {.sorted = allocate((emit_count(model) + 1) * sizeof(char *))};

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		names.sorted[names.count++] = name_of(model, f->name);
	qsort(names.sorted, names.count, sizeof *names.sorted, emit_compare_names);
	return names;
}

static bool names_has_twice(const struct names *names, char *name)
{
	char **end = names->sorted + names->count;
	char **found = bsearch(&name, names->sorted, names->count, sizeof *names->sorted,
			       emit_compare_names);

	return (found > names->sorted && !strcmp(found[-1], name)) ||
	       (found + 1 < end && !strcmp(found[1], name));
}

/* Two functions whose names differ only in case or underscores keep their own names. */
static char *params_type_name(const struct model *model, const struct names *names,
			      const struct function *function)
{
	char *name = function_snake(model, function->name);

	return names_has_twice(names, name) ? format_text("%s_%s", model->prefix, function->name)
					    : name;
}

static char *callback_type_unique(const struct model *model, const struct names *names,
				  const struct function *function)
{
	char *name = callback_type_name(model, function->name);

	return names_has_twice(names, name)
		       ? format_text("%s_pfn_%sCb_t", model->prefix, function->name)
		       : name;
}

/* C++ has no _Bool. */
static const char *spelling_for_cxx(const char *spelling)
{
	const char *at = strstr(spelling, "_Bool");

	return at ? format_text("%.*sbool%s", (int)(at - spelling), spelling,
				spelling_for_cxx(at + 5))
		  : spelling;
}

static void emit_params_struct(FILE *to, const struct function *function, const char *name)
{
	fprintf(to, "typedef struct %s_params {\n", name);
	for (size_t i = 0; i < function->nparams; i++)
		emit_line(to, 1, "%s;",
			  emit_declare(spelling_for_cxx(function->params[i].spelling),
				       format_text("*p%s", function->params[i].name)));
	if (!function->nparams)
		fputs("\tvoid *none; /* it has no parameters */\n", to);
	fprintf(to, "} %s_params_t;\n", name);
}

static void emit_callback_type(FILE *to, const struct function *function, const char *callback,
			       const char *params)
{
	const char *result =
		function->result->kind == TL_KIND_VOID
			? ""
			: format_text("%s, ", emit_declare(spelling_for_cxx(emit_value_spelling(
								   function->result_spelling)),
							   "result"));

	emit_line(
		to, 0,
		"typedef void (*%s)(%s *params, %svoid *pTracerUserData, void **ppTracerInstanceUserData);",
		callback, params, result);
}

static void emit_params_and_callback(FILE *to, const struct model *model,
				     const struct names *params_types,
				     const struct names *callback_types,
				     const struct function *function)
{
	const char *params = function->params_type;
	size_t count = function->nparams ? function->nparams : 1;

	fprintf(to, "/* %s, %s:%u */\n", function->name, function->where.file,
		function->where.line);
	if (!params || !function->callback_type) {
		const char *name = params_type_name(model, params_types, function);

		params = format_text("%s_params_t", name);
		emit_params_struct(to, function, name);
		emit_callback_type(to, function,
				   callback_type_unique(model, callback_types, function), params);
	} else {
		fprintf(to, "/* %s of the headers */\n", function->callback_type);
	}
	fprintf(to, "TL_PARAMS_ARE(%s, %zu);\n\n", params, count);
}

int emit_callbacks(const struct model *model, FILE *to)
{
	const char *guard = format_text("TRACELAYER_%s_CALLBACKS_H", emit_upper(model->prefix));
	const struct names params_types = names_collect(model, function_snake);
	const struct names callback_types = names_collect(model, callback_type_name);

	emit_title(to, model, "callbacks.h", "what callbacks get to see of the calls");
	fprintf(to, "#ifndef %s\n#define %s\n\n", guard, guard);
	fputs("#include <stdbool.h>\n\n", to);
	emit_includes(to, model);
	fputs("/* A callback gets the address of an array of pointers to the parameters, in order; these structs name them. */\n"
	      "#ifndef TL_PARAMS_ARE\n"
	      "#ifdef __cplusplus\n"
	      "#define TL_PARAMS_ARE(type, count) static_assert(sizeof(type) == (count) * sizeof(void *), #type)\n"
	      "#else\n"
	      "#define TL_PARAMS_ARE(type, count) _Static_assert(sizeof(type) == (count) * sizeof(void *), #type)\n"
	      "#endif\n"
	      "#endif\n\n"
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
	      to);
	/*
	 * No types for functions that these headers lack: later headers have them, and a tool may
	 * include later headers.
	 */
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		if (!f->undeclared)
			emit_params_and_callback(to, model, &params_types, &callback_types, f);
	fputs("#ifdef __cplusplus\n}\n#endif\n#endif\n", to);
	return emit_done(to, model, "callbacks.h");
}
