/* SPDX-License-Identifier: MIT */
/*
 * debug_info.h: a model from a library's debug information (DWARF, by libdw), where there is no
 * header.
 *
 *	debug_info.c		the model, and the line that says where it comes from
 *	debug_files.c		where a library's debug information is, on this machine
 *	debug_units.c		one pass over all units: the library's functions, definitions, typedefs
 *	debug_functions.c	functions and their parameters
 *	debug_types.c		types
 *	debug_records.c		structs, unions and enums
 *	debug_spelling.c	types as C writes them
 *
 * Nothing is fetched from a network.
 */
#ifndef TL_GEN_DEBUG_INFO_H
#define TL_GEN_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "gen/exports.h"
#include "gen/model.h"

/*
 * A model of all that the libraries export. A function has types if debug information has them,
 * otherwise only its name. The model's .files are the files that were read, .absent those that were
 * looked for and not found. For each library, one line goes to `to`: "types: ", then where the types
 * come from, or why there are none. With `damaged`, debug information is looked for but not read.
 */
struct model *model_from_debug_info(const struct exports *exports, bool damaged, FILE *to);

/*
 * Call job(with) in a process of its own, because damaged debug information may crash it. Returns
 * the job's result, which is 0 to 127, or -1 if the process was killed.
 */
int debug_guard(int (*job)(void *with), void *with);

/* ---- debug_files.c */

struct debug_files {
	const char *library;
	const char *path;      /* of the file with debug information; NULL: there is none */
	const char *companion; /* the file to which dwz moved parts of it, or NULL */
	const char *missing; /* the companion's name, if there should be one and it was not found */
	const char **read;   /* the files that were read, the library among them */
	size_t nread;
	const char **absent; /* files that would have come first, and do not exist */
	size_t nabsent;
};

void debug_files_find(struct debug_files *files, const char *library);

/* Notes a file among those read or those absent. Returns whether it exists. */
bool debug_files_note(struct debug_files *files, const char *path);

/* ---- the state of one run */

/* A definition of a struct, union or enum, or a typedef; by tag and name. */
struct definition {
	unsigned tag;
	const char *name;
	Dwarf_Die die;
};

/* The best DIE so far for an exported function. */
struct candidate {
	Dwarf_Die die;
	unsigned rank; /* how good it is; 0: none was found */
};

/* A name that several units declare, and their different declarations. */
struct debug_label;

struct debug {
	struct model *model;
	struct type **types; /* all types that were made */
	size_t ntypes;
	void *by_die, *by_spelling; /* tsearch(3)'s trees */
	void *labels, *die_labels;
	unsigned labelling;    /* how deep the making of labels is nested */
	void *naming;	       /* the typedefs for a struct, union or enum */
	unsigned nesting;      /* how many types are being made */
	bool foreign;	       /* the function that is being read is in another language than C */
	struct type **filling; /* the structs and unions that are being made */
	size_t nfilling;
	struct definition *definitions;
	size_t ndefinitions, nsorted;
};

/* One library's exports, in their own order and by address. */
struct debug_exports {
	const struct exports *exports;
	const struct export **by_address;
	struct candidate *candidates; /* in the order of exports->list */
	size_t nunits;
	size_t nlost;	  /* units whose .dwo file was not found */
	const char *lost; /* the first of these files */
};

/* ---- debug_units.c */

/* Read all units, and note the .dwo files that they name. False: the file is damaged. */
bool debug_read_units(struct debug *debug, struct debug_exports *of, Dwarf *dwarf,
		      struct debug_files *files);

/* The definition of a declared struct, union or enum; false: there is none. */
bool debug_definition(struct debug *debug, unsigned tag, const char *name, Dwarf_Die *die);

/* The typedefs that name a struct, union or enum, or pointers to it; NULL: none. */
struct naming {
	const void *key;
	Dwarf_Die name; /* a typedef for the type itself */
	Dwarf_Die pointer;
	bool has_name, has_pointer;
};
const struct naming *debug_naming(const struct debug *debug, const Dwarf_Die *die);

/* Whether the unit is in a language whose types C may lack. */
bool debug_is_foreign(const struct debug *debug, Dwarf_Die *die);

/*
 * Whether the unit is in Fortran, which passes parameters by address. Its debug information does not
 * say so.
 */
bool debug_is_fortran(Dwarf_Die *die);
bool debug_is_cxx(Dwarf_Die *die);

/* ---- debug_spelling.c */

/* How deep types may refer to each other. Damaged files have cycles. */
#define DEBUG_DEPTH 64
/* How many types may wait for each other while they are made. */
#define DEBUG_NESTING 3000

/* The type of a DIE. False: it has none, which means void. */
bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Removes const, volatile and the like from a type. *is_const: const was among them. */
bool debug_unqualified(Dwarf_Die *die, bool *is_const);

/* Removes typedefs, too. False: the type is void. */
bool debug_bare(Dwarf_Die *die, bool *is_const);

/* A type as C writes it around `inner`. NULL: C has no such type, or the file is damaged. */
const char *debug_spelling(struct debug *debug, Dwarf_Die *die, const char *inner);

/* The spelling of a variable's type, without outer const and the names of unnamed types. */
const char *debug_variable_spelling(struct debug *debug, Dwarf_Die *of);

/* "unsigned long" for the type that compilers call "long unsigned int" */
const char *debug_scalar_name(Dwarf_Die *die);

/* The dimensions of an array. Returns how many; the caller has room for DEBUG_DIMENSIONS. */
#define DEBUG_DIMENSIONS 8
unsigned debug_dimensions(Dwarf_Die *array, uint64_t *counts);

/* The name of a type: "struct foo", "foo_t", "struct (unnamed at foo.c:3:1)". */
const char *debug_label(struct debug *debug, Dwarf_Die *die);

/* The name of a DIE, without bytes that are no text. NULL: it has none. */
const char *debug_name(Dwarf_Die *die);
/* The file that declares a DIE. NULL: unknown. */
const char *debug_file(Dwarf_Die *die);
struct location debug_location(Dwarf_Die *die);
bool debug_number(Dwarf_Die *die, unsigned name, uint64_t *value);
bool debug_flag(Dwarf_Die *die, unsigned name);

/* ---- debug_types.c, debug_records.c */

/* The model's type for a DIE. NULL: C has no such type, or the file is damaged. */
struct type *debug_type(struct debug *debug, Dwarf_Die *die);
/* The type that a variable, parameter or function has; void if it has none. */
struct type *debug_type_of_variable(struct debug *debug, Dwarf_Die *die);
struct type *debug_void(struct debug *debug);
struct type *debug_type_known(const struct debug *debug, const char *spelling);
struct type *debug_type_new(struct debug *debug, enum tl_kind kind, const char *name,
			    const char *spelling, uint64_t size, uint64_t align);

/* Whether programs do not see the contents: there is no definition, or the library hides it. */
bool debug_is_opaque(struct debug *debug, Dwarf_Die *record);
struct type *debug_record(struct debug *debug, Dwarf_Die *die);

/* Finds types such as X_flags_t, whose values are sums of enumerators of X_flag_t. */
void debug_flags(struct debug *debug);

/* ---- debug_functions.c */

/* Fill in a function. False: C lacks one of its types, or the file is damaged. */
bool debug_function(struct debug *debug, Dwarf_Die *die, struct function *function);
/* A function of which only the name is known. */
struct function debug_function_named(struct debug *debug, const char *name);

#endif
