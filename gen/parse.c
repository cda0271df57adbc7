/* SPDX-License-Identifier: MIT */
/*
 * parse.c: headers to a model, by libclang.
 *
 * The headers are parsed as one C file that includes them in order. Functions are taken from the
 * named headers only, types from wherever they are defined. In the end the model keeps only the
 * types that functions reach, or that a pNext chain can bring.
 */
#include <clang-c/Index.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/parse.h"

char *parse_input(const struct model *model, const char *const *optional, size_t noptional,
		  const struct macro *macros, size_t nmacros)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; i < model->nheaders; i++)
		fprintf(stream, "#include \"%s\"\n", model->headers[i]);
	for (size_t i = 0; i < noptional; i++)
		fprintf(stream, "#if __has_include(\"%s\")\n#include \"%s\"\n#endif\n", optional[i],
			optional[i]);
	for (size_t i = 0; i < nmacros; i++)
		fprintf(stream, "const long long tracegen_value_%zu = (%s);\n", i, macros[i].name);
	fclose(stream);
	return text;
}

CXTranslationUnit parse_unit(struct parse *parse, const char *text, unsigned options)
{
	static const char *const own[] = {"-x", "c", "-std=gnu11", "-ferror-limit=0",
					  "-Wno-everything"};
	size_t nown = sizeof own / sizeof *own;
	const char **arguments = allocate((nown + parse->nflags) * sizeof *arguments);
	struct CXUnsavedFile file = {MAIN_FILE, text, strlen(text)};
	CXTranslationUnit unit = NULL;

	memcpy(arguments, own, sizeof own);
	for (size_t i = 0; i < parse->nflags; i++)
		arguments[nown + i] = parse->flags[i];
	clang_parseTranslationUnit2(parse->index, MAIN_FILE, arguments, (int)(nown + parse->nflags),
				    &file, 1, options, &unit);
	free(arguments);
	return unit;
}

#define ERRORS_SHOWN 10

static char *diagnostic_text(struct parse *parse, CXDiagnostic diagnostic)
{
	struct place place = parse_place(parse, clang_getDiagnosticLocation(diagnostic));
	const char *what = cxstring_text(clang_getDiagnosticSpelling(diagnostic));
	const char *hint =
		strstr(what, "file not found")
			? "name its folder behind --, as in `-- -IDIR`"
			: "make the header compile first: a definition or an include may be missing behind --";

	/* Each line of MAIN_FILE includes a header: that header is missing, or ends too early. */
	if (place.source && !strcmp(place.source->name, MAIN_FILE))
		return place.line <= parse->model->nheaders
			       ? format_text("tracegen: %s: at its end: %s; %s\n",
					     parse->model->headers[place.line - 1], what, hint)
			       : format_text("tracegen: %s; %s\n", what, hint);
	return format_text("tracegen: %s:%u:%u: %s; %s\n",
			   place.source ? place.source->name : "headers", place.line, place.column,
			   what, hint);
}

/* Each error once, though a header without guards may be read many times. */
static bool diagnostics_report(struct parse *parse)
{
	unsigned count = clang_getNumDiagnostics(parse->unit);
	char *shown[ERRORS_SHOWN];
	size_t nshown = 0;

	for (unsigned i = 0; i < count && nshown < ERRORS_SHOWN; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parse->unit, i);
		char *text = NULL;

		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			text = diagnostic_text(parse, diagnostic);
		for (size_t j = 0; text && j < nshown; j++)
			if (!strcmp(shown[j], text))
				text = NULL;
		if (text) {
			fputs(text, stderr);
			shown[nshown++] = text;
		}
		clang_disposeDiagnostic(diagnostic);
	}
	return nshown == 0;
}

static void sources_find(struct parse *parse, CXCursor all)
{
	struct cursors row = cursors_of_kind(all, CXCursor_InclusionDirective);
	struct model *model = parse->model;

	model->headers = NULL;
	model->nheaders = 0;
	for (size_t i = 0; i < row.count; i++) {
		CXFile included = clang_getIncludedFile(row.list[i]);
		struct place place = parse_place(parse, clang_getCursorLocation(row.list[i]));

		if (!included || !place.source || strcmp(place.source->name, MAIN_FILE) != 0)
			continue;
		parse_source(parse, included)->named = true;
		*APPEND(model->headers, model->nheaders) =
			parse_included_name(parse, cursor_name(row.list[i]));
	}
	free(row.list);
}

static void aliases_find(struct parse *parse, CXCursor all)
{
	struct cursors row = cursors_of_kind(all, CXCursor_TypedefDecl);

	for (size_t i = 0; i < row.count; i++) {
		struct alias *alias = APPEND(parse->aliases, parse->naliases);

		alias->name = cursor_name(row.list[i]);
		alias->cursor = row.list[i];
	}
	free(row.list);
}

/* Only flags that change the meaning of the headers: folders differ between machines. */
static void model_keep_flags(struct model *model, const char *const *flags, size_t nflags)
{
	for (size_t i = 0; i < nflags; i++)
		if (!strncmp(flags[i], "-D", 2) || !strncmp(flags[i], "-U", 2) ||
		    !strncmp(flags[i], "-std", 4))
			*APPEND(model->flags, model->nflags) = flags[i];
}

static void unit_read(struct parse *parse)
{
	CXCursor all = clang_getTranslationUnitCursor(parse->unit);
	struct model *model = parse->model;

	aliases_find(parse, all);
	parse_functions(parse, all);
	parse_constants(parse, all);
	for (size_t i = 0; i < model->nconstants; i++)
		if (parse_title(parse, &model->constants[i], false))
			parse_title(parse, &model->constants[i], true);
	parse_chains(parse);
	parse_flags(parse);
	parse_callbacks(parse);
	model_collect(model, parse->types, parse->ntypes);
}

struct model *model_parse(const char *const *headers, size_t nheaders, const char *const *flags,
			  size_t nflags)
{
	struct parse parse = {
		.flags = flags, .nflags = nflags, .model = allocate(sizeof *parse.model)};
	const char **optional = NULL;
	size_t noptional = 0;
	bool fine = false;

	/* A header whose name begins with "?" is taken where it exists. */
	for (size_t i = 0; i < nheaders; i++)
		if (*headers[i] == '?')
			*APPEND(optional, noptional) = headers[i] + 1;
		else
			*APPEND(parse.model->headers, parse.model->nheaders) = headers[i];
	parse.index = clang_createIndex(0, 0);
	parse.unit = parse_unit(&parse, parse_input(parse.model, optional, noptional, NULL, 0),
				CXTranslationUnit_DetailedPreprocessingRecord |
					CXTranslationUnit_SkipFunctionBodies);
	model_keep_flags(parse.model, flags, nflags);
	if (!parse.unit) {
		fputs("tracegen: libclang could not parse the headers; check the flags behind --\n",
		      stderr);
	} else {
		sources_find(&parse, clang_getTranslationUnitCursor(parse.unit));
		fine = diagnostics_report(&parse);
		if (fine)
			unit_read(&parse);
		clang_disposeTranslationUnit(parse.unit);
	}
	clang_disposeIndex(parse.index);
	return fine ? parse.model : NULL;
}
