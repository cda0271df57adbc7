/* SPDX-License-Identifier: MIT */
/*
 * args_sink.h: one walk over a call's arguments (args_visit.c, args_values.c), and the sink that
 * writes down what the walk meets.
 *
 * The walk decides what is shown: which blob belongs to a pointer, which member of a chain comes
 * next, whether bytes are text. A sink decides how that looks in its format. args_print.c has the
 * sink for JSON, format/encode/pftrace_sink.c the one for debug annotations.
 *
 * A sink writes to a struct tl_text. This may be the first member of a larger struct of the sink.
 * If something does not fit, a function sets .cut, and the walk takes back all of the parameter.
 */
#ifndef TL_FORMAT_ARGS_ARGS_SINK_H
#define TL_FORMAT_ARGS_ARGS_SINK_H

#include <string.h>

#include "common/text.h"
#include "format/args/args_capture.h"
#include "format/args/args_kept.h"

struct tl_sink {
	/*
	 * A parameter or member begins: its name is `name` and then `suffix`. An element of a list
	 * has no name: NULL. `first`: it is the first of its object or list. Returns where its value
	 * begins, which .end gets back. Between the two come one value or, between brackets, others.
	 * .end may be NULL.
	 */
	char *(*begin)(struct tl_text *text, const char *name, const char *suffix, bool first);
	void (*end)(struct tl_text *text, char *value);
	/* { and } around an object's members, [ and ] around a list's elements */
	void (*bracket)(struct tl_text *text, char bracket);

	/* Values. */
	void (*address)(struct tl_text *text, uint64_t value); /* or a handle */
	void (*number)(struct tl_text *text, uint64_t value, bool is_signed);
	void (*truth)(struct tl_text *text, bool value);
	void (*none)(struct tl_text *text);		       /* of type void */
	void (*named)(struct tl_text *text, const char *name); /* an enumerator */
	void (*flags)(struct tl_text *text, const struct tl_type *type, uint64_t value); /* not 0 */
	void (*real)(struct tl_text *text, const struct tl_type *type, const void *place);
	/* `more`: it was longer */
	void (*string)(struct tl_text *text, const char *bytes, size_t size, bool more);
	/* The walk's own words: UTF-8 without a quote or control character. */
	void (*remark)(struct tl_text *text, const char *bytes, size_t size);
};

/* Variables that lie together: a function's parameters in their words, or a struct's members in its
 * bytes. */
struct tl_scope {
	const struct tl_variable *variables;
	uint32_t count;
	const char *base;
	uint32_t unit; /* the unit of offsets: 8 bytes, or 1 */
};

struct tl_visitor {
	const struct tl_sink *sink;
	struct tl_text *text;
	struct tl_blobs *blobs; /* the blobs of this capture (.when) */
	enum tl_capture_when when;
	bool inputs; /* leave out members that only the call fills in */
	const struct tl_api *api;
};

/* It contains pointers into itself: do not move or copy it. */
struct tl_args_walk {
	struct tl_blobs before, after;
	struct tl_visitor at_entry, at_exit;
	struct tl_scope params;
};

void tl_args_walk_start(struct tl_args_walk *walk, const struct tl_sink *sink, struct tl_text *text,
			const struct tl_function *function, const struct tl_args_kept *kept);

/*
 * Visit a parameter. `first`: it is the first of the object. Visit parameters that lead to blobs in
 * their order. Returns whether it fitted; if not, nothing was appended, and .cut is set.
 */
bool tl_args_walk_param(struct tl_args_walk *walk, uint32_t param, bool first);

/* Visit one value. Pointers are not followed. */
void tl_value_visit(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		    const void *value);

/* Visit a struct, union or array with its members or elements. Pointers in it are not followed. */
void tl_visit_members(const struct tl_sink *sink, struct tl_text *text, const struct tl_type *type,
		      const void *value);

/*
 * Visit the members of a call's result: "result", as text if the call kept some; then "errno" if the
 * call failed and kept it. Appends all of them or, where they don't fit, nothing, and sets .cut.
 */
void tl_args_visit_result(const struct tl_sink *sink, struct tl_text *text,
			  const struct tl_function *function, const struct tl_args_kept *kept,
			  uint64_t result);

/* Visit a result: the text that it leads to (`blob`), or with NULL its value. */
void tl_result_visit(const struct tl_sink *sink, struct tl_text *text,
		     const struct tl_function *function, const struct tl_blob *blob,
		     uint64_t result);

/* The text for .flags: "READ|WRITE|0x8". */
void tl_flags_text(struct tl_text *text, const struct tl_type *type, uint64_t value);

/* Kinds of values that can be shown from their type and bytes alone; all others are walked. */
enum tl_how {
	TL_HOW_WALKED,
	TL_HOW_HANDLE,
	TL_HOW_ADDRESS,	 /* of a pointer that is never followed */
	TL_HOW_FOLLOWED, /* a pointer: an address where it is NULL, or where nothing was captured */
	TL_HOW_UNSIGNED,
	TL_HOW_SIGNED,
	TL_HOW_TRUTH,
	TL_HOW_NAMED, /* an enumerator */
	TL_HOW_REAL,
};

/* The kind of a parameter or result. Values that are not walked have at most 8 bytes. */
enum tl_how tl_how_of(const struct tl_variable *variable);

/* The bits of the double that a float or a double is. */
static inline uint64_t tl_double_bits(const struct tl_type *type, const void *place)
{
	uint64_t bits;
	double wide;
	float narrow;

	if (type->size == sizeof(float)) {
		memcpy(&narrow, place, sizeof(narrow));
		wide = narrow;
		memcpy(&bits, &wide, sizeof(bits));
	} else {
		memcpy(&bits, place, sizeof(bits));
	}
	return bits;
}

/* The name of an enumeration's value, given as the type's bytes; NULL: it has no name. */
const char *tl_enumerator_name(const struct tl_type *type, uint64_t value);

#endif
