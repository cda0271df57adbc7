/* SPDX-License-Identifier: MIT */
/*
 * parse_cursors.c: names, places and comments of libclang's cursors. See parse.h.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/parse.h"

const char *cxstring_text(CXString string)
{
	const char *text = clang_getCString(string);
	char *copy = copy_text(text ? text : "");

	clang_disposeString(string);
	return copy;
}

const char *cursor_name(CXCursor cursor)
{
	const char *name = cxstring_text(clang_getCursorSpelling(cursor));

	/* Of what has no name, releases from 16 on say where it is: "struct a::(anonymous at ...)". */
	return strchr(name, '(') ? "" : name;
}

const char *cursor_symbol(CXCursor cursor)
{
	const char *symbol = cxstring_text(clang_Cursor_getMangling(cursor));

	/* A symbol that begins with \1 is used unchanged. */
	return *symbol == '\1' ? symbol + 1 : symbol;
}

/* "a/b/../c" is "a/c". */
static char *path_without_dots(char *path)
{
	char *up;

	while ((up = strstr(path, "/../"))) {
		char *from = up;

		while (from > path && from[-1] != '/')
			from--;
		memmove(from, up + 4, strlen(up + 4) + 1);
	}
	return path;
}

/* What is left of the path below a folder; NULL: the path leads elsewhere. */
static const char *path_below(const char *path, const char *folder, size_t length)
{
	if (!length || strncmp(path, folder, length) != 0 ||
	    (path[length] != '/' && folder[length - 1] != '/'))
		return NULL;
	return path + length + strspn(path + length, "/");
}

/* The same for the folders in a variable by which compilers are told where headers are. */
static const char *path_below_listed(const char *path, const char *variable)
{
	const char *folder = getenv(variable), *below = NULL;

	while (folder && *folder && !below) {
		size_t length = strcspn(folder, ":");

		below = path_below(path, folder, length);
		folder += length + (folder[length] == ':');
	}
	return below;
}

/* The name by which programs include a file, without the folder where it was found. */
const char *parse_included_name(const struct parse *parse, const char *path)
{
	static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH"};
	static const char *const standard[] = {"/usr/local/include/", "/usr/include/"};
	const char *name = path, *below;

	for (size_t i = 0; i < parse->nflags; i++) {
		const char *folder = parse->flags[i];

		if (!strcmp(folder, "-I") || !strcmp(folder, "-isystem") ||
		    !strcmp(folder, "-idirafter"))
			folder = i + 1 < parse->nflags ? parse->flags[++i] : "";
		else if (!strncmp(folder, "-isystem", 8))
			folder += 8;
		else if (!strncmp(folder, "-I", 2))
			folder += 2;
		else
			continue;
		if ((below = path_below(path, folder, strlen(folder))))
			name = below;
	}
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (name == path && (below = path_below_listed(path, variables[i])))
			name = below;
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		if (name == path && !strncmp(path, standard[i], strlen(standard[i]))) {
			name = path + strlen(standard[i]);
			/* /usr/include/x86_64-linux-gnu/curl/curl.h */
			if (fnmatch("*-linux-gnu*([^/])/*", name, FNM_EXTMATCH) == 0)
				name = strchr(name, '/') + 1;
		}
	while (!strncmp(name, "./", 2))
		name += 2;
	return path_without_dots(copy_text(name));
}

/* True for a header that was not named but counts, too. */
static bool source_counts(const struct parse *parse, const struct source *source)
{
	for (size_t i = 0; i < parse->from->nincluded; i++)
		if (fnmatch(parse->from->included[i], source->name, FNM_EXTMATCH) == 0)
			return true;
	for (size_t i = 0; i < parse->nfolders; i++)
		if (!strncmp(source->path, parse->folders[i], strlen(parse->folders[i])))
			return true;
	return false;
}

/* "/usr/include/curl/"; NULL: the folder is everybody's. */
static const char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? copy_bytes(path, (size_t)(slash + 1 - path)) : "";

	return !*folder || fnmatch("/usr/@(local/include|include|include/*-linux-gnu*([^/]))/",
				   folder, FNM_EXTMATCH | FNM_PATHNAME) == 0
		       ? NULL
		       : folder;
}

void parse_add_folders(struct parse *parse)
{
	for (size_t i = 0; parse->from->beside && i < parse->nsources; i++) {
		const char *folder =
			parse->sources[i]->named ? folder_of(parse->sources[i]->path) : NULL;

		if (folder)
			*APPEND(parse->folders, parse->nfolders) = folder;
	}
	for (size_t i = 0; i < parse->nsources; i++)
		parse->sources[i]->named |= source_counts(parse, parse->sources[i]);
}

struct source *parse_source(struct parse *parse, CXFile file)
{
	size_t size;

	for (size_t i = 0; i < parse->nsources; i++)
		if (clang_File_isEqual(parse->sources[i]->file, file))
			return parse->sources[i];
	const char *text = clang_getFileContents(parse->unit, file, &size);
	struct source *source = allocate(sizeof *source);

	*APPEND(parse->sources, parse->nsources) = source;
	source->file = file;
	source->path = path_without_dots(copy_text(cxstring_text(clang_getFileName(file))));
	source->name = parse_included_name(parse, source->path);
	source->named = source_counts(parse, source);
	source->comments = comments_scan(text ? text : "", text ? size : 0);
	return source;
}

struct place parse_place(struct parse *parse, CXSourceLocation location)
{
	struct place place = {0};
	CXFile file;
	unsigned offset;

	clang_getFileLocation(location, &file, &place.line, &place.column, &offset);
	place.offset = offset;
	if (file)
		place.source = parse_source(parse, file);
	return place;
}

struct place parse_start(struct parse *parse, CXCursor cursor)
{
	return parse_place(parse, clang_getRangeStart(clang_getCursorExtent(cursor)));
}

struct place parse_end(struct parse *parse, CXCursor cursor)
{
	return parse_place(parse, clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

struct location parse_location(struct parse *parse, CXCursor cursor)
{
	struct place place = parse_place(parse, clang_getCursorLocation(cursor));

	return (struct location){place.source ? place.source->name : "built in", place.line,
				 place.column};
}

bool parse_is_named(struct parse *parse, CXCursor cursor)
{
	struct place place = parse_place(parse, clang_getCursorLocation(cursor));

	return place.source && place.source->named;
}

const char *parse_comment(struct parse *parse, CXCursor cursor)
{
	struct place place = parse_start(parse, cursor);

	return place.source ? comment_before(place.source->comments, place.offset) : NULL;
}

const char *parse_comment_behind(struct parse *parse, CXCursor cursor)
{
	struct place end = parse_end(parse, cursor);

	return end.source ? comment_behind_statement(end.source->comments, end.offset) : NULL;
}

static enum CXChildVisitResult cursor_collect(CXCursor cursor, CXCursor parent, CXClientData to)
{
	struct cursors *cursors = to;

	(void)parent;
	if (clang_getCursorKind(cursor) == cursors->kind)
		*APPEND(cursors->list, cursors->count) = cursor;
	return CXChildVisit_Continue;
}

struct cursors cursors_of_kind(CXCursor parent, enum CXCursorKind kind)
{
	struct cursors cursors = {.kind = kind};

	clang_visitChildren(parent, cursor_collect, &cursors);
	return cursors;
}

/*
 * The comment of the i-th of several things in a row (parameters, members, enumerators), whose list
 * ends at `limit`: behind it on its line, else in front of it.
 */
const char *parse_row_comment(struct parse *parse, const struct cursors *row, size_t i,
			      size_t limit)
{
	struct place start = parse_start(parse, row->list[i]), end = parse_end(parse, row->list[i]);
	const char *text;

	if (!start.source || start.source != end.source)
		return NULL;
	size_t next = i + 1 < row->count ? parse_start(parse, row->list[i + 1]).offset : limit;
	text = comment_behind(end.source->comments, end.offset, next);
	return text ? text : comment_before(start.source->comments, start.offset);
}
