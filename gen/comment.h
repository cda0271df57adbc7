/* SPDX-License-Identifier: MIT */
/*
 * comment.h: what headers say in comments.
 *
 * libclang attaches doc comments to declarations, but none to parameters, and none that are plain.
 * Most of what a header tells about its pointers stands exactly there, so comments are found in the
 * text itself.
 */
#ifndef TL_GEN_COMMENT_H
#define TL_GEN_COMMENT_H

#include "gen/model.h"

struct comment {
	size_t start, end; /* byte offsets; end is behind the comment */
	unsigned line, end_line;
	bool alone;	  /* nothing but blanks before it on its line */
	bool doc;	  /* begins as doc comments do, or is a block of several lines */
	const char *text; /* without delimiters, stars and border lines; lines kept */
};

struct comments {
	const char *source;
	size_t size;
	struct comment *list;
	size_t count;
};

struct comments *comments_scan(const char *source, size_t size);

/*
 * The comment behind a declaration that ends at `from`; the next one begins at `to`. It begins on
 * the declaration's line, and may go on below. NULL: none.
 */
const char *comment_behind(const struct comments *comments, size_t from, size_t to);

/*
 * The comment in front of a declaration that begins at `start`: the last one, if no declaration and
 * no other code stands between them. NULL: none.
 */
const char *comment_before(const struct comments *comments, size_t start);

/*
 * The comment behind a statement that ends at `from`, in front of its semicolon or behind it, on its
 * line. NULL: none, or another statement stands between them.
 */
const char *comment_behind_statement(const struct comments *comments, size_t from);

/*
 * The tags that a comment begins with: [in] [out] [in,out] [optional] [release] [range(0, n)]
 * [range(0, *pn)] [range(0, pinfo->n)], as Level Zero writes them; "OUT:" and "IN/OUT:" as SQLite writes, "Returned …"
 * as CUDA does; and those that only descriptors use: [bytes(n)] [bytes(*pn)] [elements(3)] [string] [text]
 * [zero-ended] [zero-ended(2)] [address] [checked] [always] [unshown]. doc/tracelayer-descriptor.5 explains them.
 */
struct tags {
	unsigned direction; /* TL_IN, TL_OUT, TL_OPTIONAL, TL_ALWAYS, TL_UNSHOWN */
	struct length length;
	bool has_length;
	bool address; /* not to be followed */
	bool checked; /* followed, but the caller need not have supplied it */
	/* The first unknown tag, without brackets; NULL: all are known. */
	const char *unknown;
};
struct tags tags_read(const char *comment);

/*
 * Give a variable the direction and length that its tags ask for, as far as its type allows them.
 * Without tags, it gets careful defaults: const text is a string, a const struct is one struct, and
 * both are read by a checked copy; anything else is an address. `all` are the variable's siblings.
 * Returns false where the tags name a sibling that does not exist.
 */
bool variable_settle(struct variable *variable, const struct tags *tags, const struct variable *all,
		     size_t count);

#endif
