/* SPDX-License-Identifier: MIT */
/*
 * debug_info.h: a model from a library's debug information (DWARF, by libdw), where there is no
 * header.
 *
 *	debug_info.c		the model, and what is said of where it comes from
 *	debug_files.c		where a library's debug information is, on this machine
 *	debug_units.c		a pass over all units: functions of the library, definitions, typedefs
 *	debug_functions.c	functions and their parameters
 *	debug_types.c		types
 *	debug_records.c		structs, unions and enums
 *	debug_spelling.c	types as C writes them
 *
 * Nothing is ever fetched from a network.
 */
#ifndef TL_GEN_DEBUG_INFO_H
#define TL_GEN_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "gen/exports.h"
#include "gen/model.h"

/*
 * All that the libraries export: functions that debug information tells of with their types, others
 * by name alone. Its .files are the files that were read, and .absent those that were looked for.
 * Writes a line to `to` for each library: "types: " and where they come from, or why there are none.
 * With `damaged`, debug information is looked for and not read.
 */
struct model *model_from_debug_info(const struct exports *exports, bool damaged, FILE *to);

/*
 * Call job(with) in a process of its own, because damaged debug information may end it. Returns
 * what it returned, which is 0 to 127; -1 where the process was killed.
 */
int debug_guard(int (*job)(void *with), void *with);

/* ---- debug_files.c */

struct debug_files {
	const char *library;
	const char *path;      /* of the debug information; NULL: there is none */
	const char *companion; /* what dwz took out of it, or NULL */
	const char *missing;   /* the companion's name, if it has one that isn't here */
	const char **read;     /* the files that were read, the library among them */
	size_t nread;
	const char **absent; /* files that would have been preferred */
	size_t nabsent;
};

void debug_files_find(struct debug_files *files, const char *library);

/* A file was looked for: it counts as read, or as absent. */
bool debug_files_note(struct debug_files *files, const char *path);

/* ---- the reading */

/* A definition of a struct, union or enum, or a typedef; by tag and name. */
struct definition {
	unsigned tag;
	const char *name;
	Dwarf_Die die;
};

/* What debug information has for an exported function. */
struct candidate {
	Dwarf_Die die;
	unsigned rank; /* 0: nothing */
};

/* The name that conflicting declarations in several units share. */
struct debug_label;

struct debug {
	struct model *model;
	struct type **types; /* all that were made */
	size_t ntypes;
	void *by_die, *by_spelling; /* tsearch(3)'s trees */
	void *labels, *die_labels;
	unsigned labelling;    /* how deep */
	void *naming;	       /* of a struct, union or enum: the typedefs for it */
	unsigned nesting;      /* types that are being made */
	bool foreign;	       /* the function that is being read is not of C */
	struct type **filling; /* records among them */
	size_t nfilling;
	struct definition *definitions;
	size_t ndefinitions, nsorted;
};

/* Of one library: its exports, in their order and by address. */
struct debug_exports {
	const struct exports *exports;
	const struct export **by_address;
	struct candidate *candidates; /* as exports->list */
	size_t nunits;
	size_t nlost;	  /* units whose .dwo file isn't there */
	const char *lost; /* the first of these */
};

/* ---- debug_units.c */

/* Read all units. Notes the .dwo files that it meets. False: the file is damaged. */
bool debug_read_units(struct debug *debug, struct debug_exports *of, Dwarf *dwarf,
		      struct debug_files *files);

/* The definition of a declared struct, union or enum; false: there is none. */
bool debug_definition(struct debug *debug, unsigned tag, const char *name, Dwarf_Die *die);

/* The typedefs that name a struct, union or enum, or pointers to it; NULL: none. */
struct naming {
	const void *key;
	Dwarf_Die name; /* of the type itself */
	Dwarf_Die pointer;
	bool has_name, has_pointer;
};
const struct naming *debug_naming(const struct debug *debug, const Dwarf_Die *die);

/* Units of this language may have types that C has not. */
bool debug_is_foreign(const struct debug *debug, Dwarf_Die *die);
bool debug_is_cxx(Dwarf_Die *die);

/* ---- debug_spelling.c */

/* How deep types may refer to each other: damaged ones have cycles. */
#define DEBUG_DEPTH 64
/* How many types may wait for one another. */
#define DEBUG_NESTING 3000

/* The type that a DIE has; false: none, which is void. */
bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Const, volatile and the like stripped off. *is_const: const was among them. */
bool debug_unqualified(Dwarf_Die *die, bool *is_const);

/* The same, and typedefs, too. False: it is void. */
bool debug_bare(Dwarf_Die *die, bool *is_const);

/* As C writes it, around `inner`; NULL: C has no such type, or it is damaged. */
const char *debug_spelling(struct debug *debug, Dwarf_Die *die, const char *inner);

/* Of a variable: without outer const, and without the names of unnamed types. */
const char *debug_variable_spelling(struct debug *debug, Dwarf_Die *of);

/* "unsigned long" of what compilers call "long unsigned int" */
const char *debug_scalar_name(Dwarf_Die *die);

/* Array dimensions; the caller passes room for DEBUG_DIMENSIONS. */
#define DEBUG_DIMENSIONS 8
unsigned debug_dimensions(Dwarf_Die *array, uint64_t *counts);

/* "struct foo", "foo_t", "struct (unnamed at foo.c:3:1)" */
const char *debug_label(struct debug *debug, Dwarf_Die *die);

/* Without bytes that are no text; NULL: it has none. */
const char *debug_name(Dwarf_Die *die);
/* The file that declares it; NULL: unknown. */
const char *debug_file(Dwarf_Die *die);
struct location debug_location(Dwarf_Die *die);
bool debug_number(Dwarf_Die *die, unsigned name, uint64_t *value);
bool debug_flag(Dwarf_Die *die, unsigned name);

/* ---- debug_types.c, debug_records.c */

/* NULL: C has no such type, or it is damaged. */
struct type *debug_type(struct debug *debug, Dwarf_Die *die);
/* The type of a DIE that has one; void where it has none. */
struct type *debug_type_of_variable(struct debug *debug, Dwarf_Die *die);
struct type *debug_void(struct debug *debug);
struct type *debug_type_known(const struct debug *debug, const char *spelling);
struct type *debug_type_new(struct debug *debug, enum tl_kind kind, const char *name,
			    const char *spelling, uint64_t size, uint64_t align);

/* Its contents are not for programs to see: no definition, or one that the library hides. */
bool debug_is_opaque(struct debug *debug, Dwarf_Die *record);
struct type *debug_record(struct debug *debug, Dwarf_Die *die);

/* X_flags_t holds bits of the enum X_flag_t. */
void debug_flags(struct debug *debug);

/* ---- debug_functions.c */

/* False: of its types, some are none of C's, or damaged. */
bool debug_function(struct debug *debug, Dwarf_Die *die, struct function *function);
/* Nothing is known of it but its name. */
struct function debug_function_named(struct debug *debug, const char *name);

#endif
