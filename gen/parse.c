/* SPDX-License-Identifier: MIT */
/*
 * parse.c: headers to a model, by libclang.
 *
 * The headers are parsed as one C file that includes them in order. Functions are taken from the
 * named headers only, types from wherever they are defined. In the end the model keeps only the
 * types that functions reach, or that a pNext chain can bring.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/parse.h"

#define ERRORS_SHOWN 10

/* The word by which a line shows itself as C++; NULL: none. */
static const char *line_cxx_word(const char *line, size_t length)
{
	static const char *const words[] = {
		"extern \"C\"", "namespace ", "class ",	   "template", "using ",   "virtual ",
		"public:",	"private:",   "constexpr", "noexcept", "operator", "::"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(line, length, words[i], strlen(words[i])))
			return copy_bytes(words[i], strcspn(words[i], " ") == strlen(words[i]) - 1
							    ? strlen(words[i]) - 1
							    : strlen(words[i]));
	return NULL;
}

/* The word that shows that a place which C can't read is C++; NULL: there is none. */
static const char *place_cxx_word(const struct place *place, const char *what)
{
	static const char *const endings[] = {".hpp", ".hh", ".hxx", ".h++", ".tpp", ".ipp"};
	const char *quote = *what == '\'' ? strchr(what + 1, '\'') : NULL;

	/* C++'s own headers have no ending. */
	if (quote && strstr(what, "file not found") && !memchr(what, '.', (size_t)(quote - what)) &&
	    !memchr(what, '/', (size_t)(quote - what)))
		return copy_bytes(what + 1, (size_t)(quote - what) - 1);
	if (!place->source)
		return NULL;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t length = strlen(place->source->name), end = strlen(endings[i]);

		if (length > end && !strcmp(place->source->name + length - end, endings[i]))
			return endings[i];
	}
	const struct comments *text = place->source->comments;
	size_t from = place->offset < text->size ? place->offset : text->size;
	while (from > 0 && text->source[from - 1] != '\n')
		from--;
	const char *newline = memchr(text->source + from, '\n', text->size - from);
	return line_cxx_word(text->source + from,
			     newline ? (size_t)(newline - text->source) - from : text->size - from);
}

static const char *diagnostic_hint(const char *what)
{
	if (strstr(what, "file not found"))
		return "name its folder, as in --cflags=-IDIR or by C_INCLUDE_PATH, or its package with --pkg";
	return "a definition or an include may be missing: give it with --cflags, as in --cflags=-DNAME";
}

/* `cxx`: the headers are C++, or set where they turn out to be. */
static char *diagnostic_text(struct parse *parse, CXDiagnostic diagnostic, bool *cxx)
{
	struct place place = parse_place(parse, clang_getDiagnosticLocation(diagnostic));
	const char *what = cxstring_text(clang_getDiagnosticSpelling(diagnostic));
	const char *word = place_cxx_word(&place, what), *hint = diagnostic_hint(what);

	*cxx |= word != NULL;
	if (*cxx)
		return format_text(
			"tracegen: %s:%u:%u: this is C++ (%s), and tracegen reads C; name the library's C header, or one of your own that declares its functions in C\n",
			place.source ? place.source->name : "headers", place.line, place.column,
			word ? word : format_text("in C: %s", what));

	/* Each line of MAIN_FILE includes a header: that header is missing, or ends too early. */
	if (place.source && !strcmp(place.source->name, MAIN_FILE))
		return place.line <= parse->model->nheaders
			       ? format_text("tracegen: %s: at its end: %s; %s\n",
					     parse->model->headers[place.line - 1], what, hint)
			       : format_text("tracegen: %s; %s\n", what, hint);
	if (!place.source)
		return format_text("tracegen: %s; check the compiler flags\n", what);
	return format_text("tracegen: %s:%u:%u: %s; %s\n", place.source->name, place.line,
			   place.column, what, hint);
}

/* Print each error once: a header without guards may be read many times. */
static bool diagnostics_report(struct parse *parse, const char *text)
{
	unsigned count = clang_getNumDiagnostics(parse->unit);
	char *shown[ERRORS_SHOWN];
	size_t nshown = 0;
	bool cxx = parse_unit_has_errors(parse->unit) && parse_text_is_cxx(parse, text);

	for (unsigned i = 0; i < count && nshown < ERRORS_SHOWN && !(cxx && nshown); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parse->unit, i);
		char *line = NULL;

		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			line = diagnostic_text(parse, diagnostic, &cxx);
		for (size_t j = 0; line && j < nshown; j++)
			if (!strcmp(shown[j], line))
				line = NULL;
		if (line) {
			fputs(line, stderr);
			shown[nshown++] = line;
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
	parse_add_folders(parse);
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
		else if (!strcmp(flags[i], "-include") && i + 1 < nflags)
			*APPEND(model->flags, model->nflags) =
				format_text("-include%s", flags[++i]);
}

static void model_add_file(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct model *model = data;

	(void)stack;
	/* Depth 0 is the text that includes the headers, and no file. */
	if (depth)
		*APPEND(model->files, model->nfiles) = cxstring_text(clang_getFileName(file));
}

static void unit_read(struct parse *parse)
{
	CXCursor all = clang_getTranslationUnitCursor(parse->unit);
	struct model *model = parse->model;

	clang_getInclusions(parse->unit, model_add_file, model);
	aliases_find(parse, all);
	parse_functions(parse, all);
	parse_constants(parse, all);
	parse_families(parse, all);
	for (size_t i = 0; i < model->nconstants; i++)
		if (parse_title(parse, &model->constants[i], false))
			parse_title(parse, &model->constants[i], true);
	parse_chains(parse);
	parse_flags(parse);
	parse_callbacks(parse);
	model_collect(model, parse->types, parse->ntypes);
}

/*
 * libclang 14 has _Float16 on x86-64 only together with AVX512-FP16. The macros that this defines
 * are undefined again, so that the headers see the processor that the flags name.
 */
static bool unit_lacks_float16(CXTranslationUnit unit)
{
	unsigned count = unit ? clang_getNumDiagnostics(unit) : 0;
	bool lacks = false;

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);

		lacks |= strstr(cxstring_text(clang_getDiagnosticSpelling(diagnostic)),
				"_Float16 is not supported") != NULL;
		clang_disposeDiagnostic(diagnostic);
	}
	return lacks;
}

static void parse_add_float16(struct parse *parse)
{
	static const char *const flags[] = {
		"-mavx512fp16",	  "-U__AVX512FP16__", "-U__AVX512BW__", "-U__AVX512DQ__",
		"-U__AVX512VL__", "-U__AVX512F__",    "-U__AVX2__",	"-U__AVX__",
		"-U__FMA__",	  "-U__F16C__",	      "-U__SSE4_2__",	"-U__SSE4_1__",
		"-U__SSSE3__",	  "-U__SSE3__",	      "-U__POPCNT__",	"-U__CRC32__",
		"-U__XSAVE__",
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		*APPEND(parse->flags, parse->nflags) = flags[i];
}

struct model *model_parse(const struct model_sources *sources)
{
	struct parse parse = {.from = sources, .model = allocate(sizeof *parse.model)};
	const char **optional = NULL;
	size_t noptional = 0;
	bool fine = false;

	if (!libclang_load())
		return NULL;
	for (size_t i = 0; i < sources->nflags; i++)
		*APPEND(parse.flags, parse.nflags) = sources->flags[i];
	for (size_t i = 0; i < sources->nheaders; i++)
		if (*sources->headers[i] == '?')
			*APPEND(optional, noptional) = sources->headers[i] + 1;
		else
			*APPEND(parse.model->headers, parse.model->nheaders) = sources->headers[i];
	const char *text = parse_input(parse.model, optional, noptional, NULL, 0);
	unsigned options = CXTranslationUnit_DetailedPreprocessingRecord |
			   CXTranslationUnit_SkipFunctionBodies;
	parse.index = clang_createIndex(0, 0);
	parse.unit = parse_unit(&parse, text, options);
	while (parse.unit && parse_add_includes(&parse)) {
		clang_disposeTranslationUnit(parse.unit);
		parse.unit = parse_unit(&parse, text, options);
	}
	model_keep_flags(parse.model, parse.flags, parse.nflags);
	if (unit_lacks_float16(parse.unit)) {
		clang_disposeTranslationUnit(parse.unit);
		parse_add_float16(&parse);
		parse.unit = parse_unit(&parse, text, options);
	}
	if (!parse.unit) {
		fputs("tracegen: libclang could not parse the headers; check the compiler flags\n",
		      stderr);
	} else {
		sources_find(&parse, clang_getTranslationUnitCursor(parse.unit));
		fine = diagnostics_report(&parse, text);
		if (fine)
			unit_read(&parse);
		clang_disposeTranslationUnit(parse.unit);
	}
	clang_disposeIndex(parse.index);
	return fine ? parse.model : NULL;
}
