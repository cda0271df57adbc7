/* SPDX-License-Identifier: MIT */
/*
 * parse_unit.c: the C file that includes all headers, and libclang's reading of it. See parse.h.
 */
#include <stdio.h>
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

static CXTranslationUnit parse_unit_as(struct parse *parse, const char *language,
				       const char *standard, const char *text, unsigned options)
{
	const char *const own[] = {"-x", language, standard, "-ferror-limit=0", "-Wno-everything"};
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

CXTranslationUnit parse_unit(struct parse *parse, const char *text, unsigned options)
{
	return parse_unit_as(parse, "c", "-std=gnu11", text, options);
}

bool parse_unit_has_errors(CXTranslationUnit unit)
{
	unsigned count = unit ? clang_getNumDiagnostics(unit) : 0;
	bool has = !unit;

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);

		has |= clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
		clang_disposeDiagnostic(diagnostic);
	}
	return has;
}

bool parse_text_is_cxx(struct parse *parse, const char *text)
{
	CXTranslationUnit unit = parse_unit_as(parse, "c++", "-std=gnu++17", text,
					       CXTranslationUnit_SkipFunctionBodies);
	bool is = !parse_unit_has_errors(unit);

	if (unit)
		clang_disposeTranslationUnit(unit);
	return is;
}
