/* SPDX-License-Identifier: MIT */
/*
 * model.h: an API as tracegen knows it, between parsing and emitting.
 *
 *	parse.c		headers (libclang)        -> struct model
 *	debug_*.c	debug information (libdw) -> struct model
 *	model_json.c	struct model             <-> JSON (jansson)
 *	descriptor.c	gen/apis/NAME.json        -> facts added to the model, checked against it
 *	emit_*.c	struct model              -> C, one file of output each; never looks at libclang
 *	check.c		struct model + a library  -> which exports have a shim
 *	model.c		memory and look-ups
 *	comment.c	what headers say in comments, for parse.c and descriptor.c
 *
 * Everything is allocated once and lives as long as the process. Lists are arrays in header order.
 */
#ifndef TL_GEN_MODEL_H
#define TL_GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tracelayer/api.h"

struct location {
	const char *file; /* as included: level_zero/ze_api.h */
	unsigned line, column;
};

struct enumerator {
	const char *name;
	int64_t value;
	/* an earlier enumerator has the same value, or it is a FORCE_UINT32 filler */
	bool alias;
	const char *comment;
};

struct length {
	enum tl_length_kind kind;
	bool bytes;
	/* name of the parameter or member; NULL unless VALUE, POINTEE, MEMBER */
	const char *sibling;
	const char *member; /* MEMBER: of the struct that the sibling points to; else NULL */
	uint32_t constant;
};

/* A parameter or a member. */
struct variable {
	const char *name; /* never empty: arg0, arg1 where the header gives none */
	struct type *type;
	const char *
		spelling; /* C type as written, canonical enough to compile: "const ze_init_flags_t *" */
	unsigned direction; /* enum tl_direction */
	struct length length;
	uint64_t offset; /* members: bytes */
	unsigned bit_offset, bit_width;
	/* members that are function pointers: their parameters' names, not part of a model's file */
	const char **argument_names;
	size_t nargument_names;
	const char *
		comment; /* cleaned of its stars and tags' brackets kept: "[in][optional] handle of …" */
	struct location where;
};

/*
 * Types that the generic entry can pass on and generated C code can't: calling conventions treat
 * them differently from other types of their size.
 */
enum wide {
	WIDE_NONE,
	WIDE_LONG_DOUBLE,
	WIDE_FLOAT128,
	WIDE_FLOAT16,
	WIDE_INT128,
	WIDE_COMPLEX, /* of .target, a float, double or long double; .count is 2 */
	WIDE_VECTOR,  /* of .count elements .target */
};

struct type {
	/* typedef's or tag's name; NULL for pointers, arrays, anonymous ones */
	const char *name;
	const char
		*spelling; /* as C writes it: "struct z_stream_s", "ze_result_t", "const char *" */
	enum tl_kind kind;
	uint64_t size, align;
	enum wide wide;
	bool is_const; /* for a POINTER: its target is const */
	bool incomplete;
	bool partial;	     /* not all members are known: a value can't be passed on */
	struct type *target; /* POINTER, ARRAY, FUNCTION (its result) */
	uint64_t count;	     /* ARRAY */
	struct enumerator *enumerators;
	size_t nenumerators;
	struct variable *members; /* STRUCT, UNION; FUNCTION: its parameters */
	size_t nmembers;
	/*
	 * the value that announces this struct in a chain: what its member stype is set to. Unique
	 * among the structs whose stype has the same enum, no further: ze_, zes_ and zet_ count
	 * from 1 each
	 */
	int64_t stype;
	bool has_stype;
	const char *comment;
	struct location where;
	size_t index; /* among model.types */
};

/* Words that a function known by its name alone may be passed. */
#define TL_PASSED_MAX 24

/* Why a function with "..." is left out; a descriptor may say what callers pass there. */
#define LEFT_OUT_VARIADIC "variadic: its arguments can't be passed on"
#define LEFT_OUT_FORTRAN  "Fortran: the lengths of its texts can't be passed on"
/* As vkd3d's D3D12CreateDevice, which is called as functions of Windows are (ms_abi). */
#define LEFT_OUT_CONVENTION                                                                        \
	"it is called in another way than functions of C: a shim would change registers that it keeps"

struct function {
	const char *name; /* its symbol, as libraries export it */
	/* its name in the header, where an __asm__ label gives it another symbol; else NULL */
	const char *declared;
	struct type *result;
	const char *result_spelling;
	struct variable *params;
	size_t nparams;
	bool variadic;
	/*
	 * variadic: so many of the parameters, the last ones, stand in place of "...": the
	 * descriptor says what callers pass there
	 */
	unsigned nvariadic;
	/*
	 * so many words come behind the parameters, which no header declares: the lengths of
	 * Fortran's texts
	 */
	unsigned nhidden;
	bool undeclared; /* none of the headers has it: the descriptor's "newer" */
	/* not 0: its parameters are not known, and so many words are passed on in their place */
	unsigned passed;
	/*
	 * of those words, where each parameter begins; as the machine has it where one is a struct
	 */
	unsigned *places;
	size_t nplaces;
	/* the real library exports it (the descriptor's word, checked by `tracegen check`) */
	bool exported;
	unsigned level; /* enum tl_level */
	enum tl_failure failure;
	enum tl_work_layer layer;
	enum tl_work_phase phase;
	unsigned flags; /* enum tl_function_flag */
	/*
	 * C expression returned where the real library lacks the function; it may set parameters
	 * (*errcode_ret), so it is evaluated only then
	 */
	const char *unsupported;
	const char *left_out; /* not NULL: no shim, and this is why */
	/*
	 * left_out is about C code only: the generic entry, which passes registers and stack on
	 * unchanged, can call it
	 */
	bool only_generic;
	const char *
		params_type; /* the header's own params struct ("ze_init_params_t"), or NULL: emitted */
	const char *
		callback_type; /* the header's own callback type ("ze_pfnInitCb_t"), or NULL: emitted */
	const char *comment;
	struct location where;
};

/*
 * Constants that a header groups under one comment: the #defines below it that are whole numbers. Or
 * those of an enum without a name, which no type has.
 */
struct constants {
	const char *
		title; /* the comment, first line: "cl_device_type - bitfield"; "" where there is none */
	struct enumerator *values;
	size_t nvalues;
	struct location where;
	bool is_enum; /* only descriptors name these, no guess does */
};

struct getproc {
	enum tl_getproc_kind kind;
	struct function *function;
	const char *name, *where, *version; /* parameters; OBJECT: .where NULL: the result */
	struct type *table; /* TABLE, OBJECT, GIVEN: the struct of function pointers */
	uint64_t offset;    /* OBJECT: where in the object the pointer to it is */
	const char *sized;  /* OBJECT, GIVEN: the table's member that tells its size; or NULL */
	struct {
		struct variable *member;
		struct function *function;
		uint32_t since;
	} * entries;
	size_t nentries;
	/* STORED: which function it stores for a name, from which version on */
	struct {
		const char *name;
		const struct function *function; /* NULL: the headers lack it */
		uint32_t since;
	} * names;
	size_t nnames;
	uint32_t until; /* STORED: the last version that .names knows of; 0: any */
};

#define REFUSED_UNEXPORTED "the library doesn't export it"

/* A declaration of a header that can't be traced: a static function, a variable. */
struct refused {
	const char *name;
	const char *why; /* "it is static: …" */
	struct location where;
};

struct model {
	const char *name;   /* "level-zero" */
	const char *prefix; /* C identifiers of the output: "ze" -> tl_api_ze, ze_shims */
	const char *version;
	const char **headers; /* as given to #include */
	size_t nheaders;
	/*
	 * compiler flags that the headers' meaning depends on (-D, -U, -std=); folders are not
	 * among them
	 */
	const char **flags;
	size_t nflags;
	const char **sonames;
	size_t nsonames;
	/* more libraries of the same API: an interposer has the functions of those that are there */
	const char **companions;
	size_t ncompanions;
	int64_t *successes;
	size_t nsuccesses;
	/* every named type the functions reach, and no other; by first use */
	struct type **types;
	size_t ntypes;
	struct function *functions;
	size_t nfunctions;
	struct getproc *getprocs;
	size_t ngetprocs;
	struct constants *constants;
	size_t nconstants;
	/* of the headers that were read; not part of a model's file: */
	const char **files; /* every file that was read */
	size_t nfiles;
	const char **absent; /* files that would have been read, and aren't there */
	size_t nabsent;
	struct refused *refused;
	size_t nrefused;
	/* functions of other headers, which were not taken; the first of them */
	size_t nelsewhere;
	struct location elsewhere;
	const char *elsewhere_name;
	/* functions of the headers that the libraries don't export; the first of them */
	size_t nunexported;
	const char *unexported_name;
};

struct exports;

/* What a model is made from. */
struct model_sources {
	const char **headers; /* one that begins with "?" is read where it exists */
	size_t nheaders;
	const char **flags; /* the compiler's */
	size_t nflags;
	/* pkg-config's names: whose flags are taken as well, if it knows them */
	const char **packages;
	size_t npackages;
	/* patterns: functions of an included header count, too, if one is its name */
	const char **included;
	size_t nincluded;
	/* and so do those of headers in the named ones' folders */
	bool beside;
	/*
	 * not NULL: the functions that these libraries export, whatever header declares them, and
	 * no others
	 */
	const struct exports *exports;
};

/*
 * parse.c: read headers. Errors are printed as file:line:column: what; what to do. NULL after an
 * error.
 */
struct model *model_parse(const struct model_sources *sources);

/* refused.c: why nothing can stand between a caller and this function; NULL: it can. */
const char *function_untraceable(const char *symbol);

/* model_json.c */
int model_write(const struct model *model, FILE *to);
struct model *model_read(const char *path);

/* descriptor.c: add what the descriptor says. -1 after an error (printed). */
int model_describe(struct model *model, const char *descriptor);

/* model.c: add an enumerator whose name is new; marks it an alias where it is one. */
void enumerator_add(struct type *type, struct enumerator from);

/*
 * model.c: the name of the type that names the bits of X_flags_t (or XFlags, XFlags2, XFlagsKHR), by
 * convention; NULL where the name is no such name.
 */
const char *model_flag_enum(const char *name);

/*
 * model.c: list the types anew, by first use: what the functions reach, then those of `chained`
 * (the types there were before) that a chain can bring, each followed by what its members reach.
 */
void model_collect(struct model *model, struct type *const *chained, size_t nchained);

/* Look-ups, a function by its symbol or by its name in the header; NULL where there is none. */
struct function *model_function(const struct model *model, const char *name);
struct type *model_type(const struct model *model, const char *name);

/* emit_*.c: write one file each. -1 after an error (printed). */
/* PREFIX_tables.c: struct tl_api tl_api_PREFIX */
int emit_tables(const struct model *model, FILE *to);
/* PREFIX_shims.c: entries, bodies, invokes; registers itself with -DTL_SHIM_LIBRARY */
int emit_shims(const struct model *model, FILE *to);
/* PREFIX_callbacks.h: params structs, callback types */
int emit_callbacks(const struct model *model, FILE *to);
/* the API has Level Zero's tracing interface */
bool emits_tracing(const struct model *model);
/* PREFIX_tracing.c: Level Zero's RegisterCallback functions */
int emit_tracing(const struct model *model, FILE *to);
int emit_tracing_exports(const struct model *model, FILE *to); /* PREFIX_tracing.exports */
/* the API's loader has an interface for layers */
bool emits_layer(const struct model *model);
/* PREFIX_layer.c: what such a layer has for each function */
int emit_layer(const struct model *model, FILE *to);
/* PREFIX.exports: a symbol a line */
int emit_exports(const struct model *model, FILE *to);

#endif
