/* SPDX-License-Identifier: MIT */
/*
 * descriptor.h: what the descriptor_*.c share: an API's descriptor while it is read. describe_KEY
 * adds to the model what the descriptor says under KEY. gen/model.h has
 * model_describe, which is all that other files need.
 */
#ifndef TL_GEN_DESCRIPTOR_H
#define TL_GEN_DESCRIPTOR_H

#include <jansson.h>

#include "gen/model.h"

struct descriptor {
	const char *path;
	char *text; /* the file, for line numbers in messages */
	json_t *root;
	struct model *model;
	bool failed;
};

/* ---- descriptor_values.c: reading values, and finding what they name in the headers */

/*
 * Prints what is wrong. `key` and `text` (or NULL) are strings of the file, and give the line. The
 * command fails in the end.
 */
void descriptor_wrong(struct descriptor *descriptor, const char *key, const char *text,
		      const char *what);
unsigned descriptor_line(const struct descriptor *descriptor, const char *key, const char *text);

/* Values of an object. NULL where there is none, or after an error. */
const char *descriptor_text(struct descriptor *descriptor, json_t *object, const char *key,
			    bool needed);
json_t *descriptor_value(struct descriptor *descriptor, json_t *object, const char *key,
			 json_type kind);
const char *descriptor_string(struct descriptor *descriptor, const char *key, json_t *value);
const char **descriptor_texts(struct descriptor *descriptor, json_t *object, const char *key,
			      size_t *count);

/* An object may have these keys and no others. `allowed` ends with NULL. */
void descriptor_check_keys(struct descriptor *descriptor, json_t *object,
			   const char *const *allowed);

bool name_is_pattern(const char *name);
bool pattern_matches(const char *pattern, const char *name);
bool pattern_any_matches(json_t *list, const char *name);

/* A name that matched nothing is an error, unless it begins with "?" or is a pattern. */
void descriptor_check_matched(struct descriptor *descriptor, const char *key, const char *name,
			      bool matched, const char *what);

/* Calls `each` for the functions, or for the types, that a name or pattern means. */
void descriptor_each_function(struct descriptor *descriptor, const char *key, const char *name,
			      void (*each)(struct descriptor *descriptor, struct function *function,
					   void *more),
			      void *more);
void descriptor_each_type(struct descriptor *descriptor, const char *key, const char *name,
			  void (*each)(struct descriptor *descriptor, struct type *type,
				       void *more),
			  void *more);

/* The type that is spelled so somewhere in the headers; NULL: none is. */
struct type *model_type_spelled(const struct model *model, const char *spelling);

/* The value of an enumerator or a constant by its name. */
bool model_constant_value(const struct model *model, const char *name, int64_t *value);

/* ---- descriptor_types.c */

void describe_version(struct descriptor *descriptor);
void describe_kinds(struct descriptor *descriptor);
void describe_chains(struct descriptor *descriptor);

/* ---- descriptor_variables.c */

void describe_variables(struct descriptor *descriptor);
void describe_outputs(struct descriptor *descriptor);
void describe_enums(struct descriptor *descriptor);

/* ---- descriptor_functions.c */

void describe_variadic(struct descriptor *descriptor);
void describe_fortran(struct descriptor *descriptor);
void describe_more_words(struct descriptor *descriptor);
void describe_results(struct descriptor *descriptor);
void describe_successes(struct descriptor *descriptor);
void describe_levels(struct descriptor *descriptor);
void describe_phases(struct descriptor *descriptor);
void describe_flags(struct descriptor *descriptor);
void describe_exports(struct descriptor *descriptor);
void describe_left_out(struct descriptor *descriptor);

/* ---- descriptor_objects.c */

/* The functions of the tables, then who gives such tables: lists of functions grow in between. */
void describe_objects(struct descriptor *descriptor);
void describe_object_getprocs(struct descriptor *descriptor);

/* ---- descriptor_getprocs.c */

void describe_newer(struct descriptor *descriptor);
void describe_getprocs(struct descriptor *descriptor);
void describe_newer_members(struct descriptor *descriptor);
void describe_tables(struct descriptor *descriptor);

#endif
