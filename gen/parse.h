/* SPDX-License-Identifier: MIT */
/*
 * parse.h: what the parse_*.c share: the headers while libclang reads them. gen/model.h has
 * model_parse, which is all that other files need.
 */
#ifndef TL_GEN_PARSE_H
#define TL_GEN_PARSE_H

#include "gen/comment.h"
#include "gen/libclang.h"
#include "gen/model.h"

/* A file of the headers, with what its comments say. */
struct source {
	CXFile file;
	const char *name; /* as included */
	const char *path; /* where it was found */
	bool named;	  /* its functions and constants are the API's */
	struct comments *comments;
};

/* A typedef of the headers, whether or not a function reaches it. */
struct alias {
	const char *name;
	CXCursor cursor;
};

/* The constants of one type: static const T NAME = 1; Which of them are bits, parse_flags tells. */
struct family {
	const char *name;    /* the typedef: "VkAccessFlagBits2" */
	struct type *values; /* with these enumerators; none of parse.types */
};

struct parse {
	CXIndex index;
	CXTranslationUnit unit;
	struct model *model;
	const struct model_sources *from;
	const char **flags;
	size_t nflags;
	const char **folders; /* whose headers count: model_sources.beside */
	size_t nfolders;
	struct source **sources; /* places point to them: the list grows, they stay */
	size_t nsources;
	struct alias *aliases;
	size_t naliases;
	struct type **types; /* all that were made, by spelling */
	size_t ntypes;
	struct family *families;
	size_t nfamilies;
};

struct place {
	struct source *source; /* NULL: nowhere (built in) */
	unsigned line, column;
	size_t offset;
};

/* The children of a cursor that are of one kind, in order. */
struct cursors {
	CXCursor *list;
	size_t count;
	enum CXCursorKind kind;
};

/* A macro without parameters. */
struct macro {
	const char *name;
	struct place place;
};

/* ---- parse_cursors.c: names, places and comments of what libclang found */

/* A copy; the CXString is disposed of. */
const char *cxstring_text(CXString string);
const char *cursor_name(CXCursor cursor);
/* A function's symbol: its __asm__ label, else its name. */
const char *cursor_symbol(CXCursor cursor);

/* What a file is included as, wherever it was found. */
const char *parse_included_name(const struct parse *parse, const char *path);
struct source *parse_source(struct parse *parse, CXFile file);
/* Find the other headers that count; call it when the named ones are known. */
void parse_add_folders(struct parse *parse);

struct place parse_place(struct parse *parse, CXSourceLocation location);
struct place parse_start(struct parse *parse, CXCursor cursor);
struct place parse_end(struct parse *parse, CXCursor cursor);
struct location parse_location(struct parse *parse, CXCursor cursor);

/* True if the cursor is in one of the API's headers. */
bool parse_is_named(struct parse *parse, CXCursor cursor);

/* The comment in front of it; NULL: none. */
const char *parse_comment(struct parse *parse, CXCursor cursor);
/* The comment behind its declaration, on the same line; NULL: none. */
const char *parse_comment_behind(struct parse *parse, CXCursor cursor);

/* The caller frees .list. */
struct cursors cursors_of_kind(CXCursor parent, enum CXCursorKind kind);

/*
 * The comment of the i-th parameter, member or enumerator of a list that ends at `limit`: behind it
 * on its line, else in front of it.
 */
const char *parse_row_comment(struct parse *parse, const struct cursors *row, size_t i,
			      size_t limit);

/* ---- parse_includes.c */

/*
 * Put in front what the headers that were parsed leave to others to include. True: something was
 * added that was not there, so that they must be parsed again.
 */
bool parse_add_includes(struct parse *parse);

/* ---- parse_types.c */

struct type *parse_type(struct parse *parse, CXType type);
const char *parse_spelling(CXType type);
/* A parameter that is written as an array, or has a typedef's type, and is passed as a pointer. */
struct type *parse_decayed(struct parse *parse, CXType written, CXType passed);
const char *parse_decayed_spelling(CXType written, CXType passed);
enum tl_kind parse_scalar_kind(enum CXTypeKind kind);

/* ---- parse_functions.c */

/*
 * Find the functions of the API, and the declarations that look like functions and can't be traced.
 */
void parse_functions(struct parse *parse, CXCursor all);

/* ---- parse_constants.c */

/* All macros of the named headers that are whole numbers, in groups, and constants of unnamed enums. */
void parse_constants(struct parse *parse, CXCursor all);

/* All constants of the named headers whose type is an integer typedef of theirs, in families. */
void parse_families(struct parse *parse, CXCursor all);

/*
 * A group's title names types if it is made of integer typedefs of these headers and of nothing
 * else but the words that join them. Called twice: first to see whether it is so (extend false),
 * then to do it.
 */
bool parse_title(struct parse *parse, const struct constants *group, bool extend);

/* ---- parse_conventions.c */

const struct alias *parse_alias(const struct parse *parse, const char *name);
/* The typedef that a typedef stands for; NULL: it stands for no other. */
const struct alias *parse_alias_under(const struct parse *parse, const struct alias *alias);
struct type *parse_type_named(struct parse *parse, const char *name);
void parse_flags(struct parse *parse);
void parse_chains(struct parse *parse);
void parse_callbacks(struct parse *parse);

/* ---- parse_unit.c */

#define MAIN_FILE "tracegen-input.c"

/*
 * The C file that is parsed: it includes the headers, the optional ones where they exist, and
 * defines one variable for each macro, so that clang says which are whole numbers.
 */
char *parse_input(const struct model *model, const char *const *optional, size_t noptional,
		  const struct macro *macros, size_t nmacros);
CXTranslationUnit parse_unit(struct parse *parse, const char *text, unsigned options);
bool parse_unit_has_errors(CXTranslationUnit unit);

/* Whether headers that are no C are C++. */
bool parse_text_is_cxx(struct parse *parse, const char *text);

#endif
