/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/api.h: what an API looks like, as constant tables.
 *
 * tracegen writes one `struct tl_api` for each API that it has read the headers of. The runtime
 * captures arguments by walking these tables, the encoders print them by the same walk, and a
 * tool's generic callback receives the `struct tl_function` of the call that it is looking at.
 *
 * Everything here is constant, never freed, and may be read from any thread and from signal
 * handlers.
 */
#ifndef TRACELAYER_API_H
#define TRACELAYER_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who an event is for; a bitmask. One setting (TRACELAYER_LEVEL) filters all producers. */
enum tl_level {
	TL_LEVEL_NONE = 0,
	TL_LEVEL_REQUEST = 1,  /* whole requests */
	TL_LEVEL_RUNTIME = 2,  /* host calls that submit, wait, allocate */
	TL_LEVEL_OPERATOR = 4, /* work on the device */
	TL_LEVEL_DEBUG = 8,    /* queries, getters, everything else */
	TL_LEVEL_STANDARD = TL_LEVEL_RUNTIME | TL_LEVEL_OPERATOR,
	TL_LEVEL_ALL = 15,
};

enum tl_kind {
	TL_KIND_VOID,
	TL_KIND_BOOL,	/* printed as false, true; other values as numbers */
	TL_KIND_INT,	/* signed, .size bytes */
	TL_KIND_UINT,	/* unsigned, .size bytes */
	TL_KIND_CHAR,	/* an array or a counted run of these is printed as a string */
	TL_KIND_FLOAT,	/* float or double, by .size */
	TL_KIND_ENUM,	/* one of .enumerators; otherwise printed as a number */
	TL_KIND_FLAGS,	/* a sum of .enumerators; bits with no name are printed in hex */
	TL_KIND_HANDLE, /* opaque pointer or integer, printed in hex, never followed */
	/* to .target; followed as its variable's length and direction say */
	TL_KIND_POINTER,
	TL_KIND_FUNCTION, /* pointer to a function; printed as an address */
	TL_KIND_ARRAY,	  /* .count elements of .target, in place */
	TL_KIND_STRUCT,
	TL_KIND_UNION, /* the first member is printed */
};

/* How much memory a pointer (or the value of a counted array member) stands for. */
enum tl_length_kind {
	TL_LENGTH_NONE,	    /* not known, or not host memory: shown as an address */
	TL_LENGTH_CONSTANT, /* .constant units; a single object is 1 */
	TL_LENGTH_VALUE,    /* the value of the sibling numbered .sibling, times .constant */
	TL_LENGTH_POINTEE,  /* what the sibling numbered .sibling points to, times .constant */
	TL_LENGTH_STRING,   /* up to a NUL */
	/*
	 * elements up to one that is all zero (property lists); .constant 2: pairs, up to one whose
	 * first element is zero
	 */
	TL_LENGTH_ZERO_ENDED,
};

struct tl_length {
	uint8_t kind; /* enum tl_length_kind */
	/* 1: the unit is a byte, 0: the unit is one element of the target type */
	uint8_t bytes;
	uint16_t sibling; /* index among the function's parameters, or the struct's members */
	uint32_t constant;
};

enum tl_direction {
	TL_IN = 1,
	TL_OUT = 2,	 /* meaningful after the call succeeded */
	TL_OPTIONAL = 4, /* may be NULL */
	/*
	 * the API obliges the caller to supply the memory: it is read directly. Without this it is
	 * read by a checked copy.
	 */
	TL_OBLIGED = 8,
};

/* A parameter of a function, or a member of a struct or union. */
struct tl_variable {
	const char *name;
	const struct tl_type *type;
	/*
	 * member: bytes from the start of the struct. parameter: first of its 8-byte words (a
	 * struct passed by value takes several)
	 */
	uint32_t offset;
	uint16_t words; /* parameter: how many words */
	/*
	 * enum tl_direction; a member without IN and OUT has that of the pointer that led to the
	 * struct
	 */
	uint8_t direction;
	/* member: 1 for the pNext of a chain (see tl_api.chains), 2 for its stype */
	uint8_t chain;
	/* bit-field member: within the .type-sized unit at .offset; width 0: none */
	uint8_t bit_offset, bit_width;
	struct tl_length length;
};

struct tl_enumerator {
	const char *name;
	uint64_t value; /* sign-extended to 64 bits */
};

struct tl_type {
	/* as a C programmer writes it: ze_result_t, const char *, cl_device_type */
	const char *name;
	uint8_t kind;  /* enum tl_kind */
	uint32_t size; /* bytes */
	/* ARRAY: elements; ENUM, FLAGS: enumerators; STRUCT, UNION: members */
	uint32_t count;
	const struct tl_type *target; /* POINTER, ARRAY; NULL: void */
	/*
	 * ENUM: by ascending value (as unsigned), unique values; FLAGS: widest first, then
	 * ascending
	 */
	const struct tl_enumerator *enumerators;
	const struct tl_variable *members; /* STRUCT, UNION */
};

/* Which results mean that the call failed. */
enum tl_failure {
	TL_FAILURE_NEVER,
	TL_FAILURE_NONZERO, /* any value but 0 and those in tl_api.successes */
	TL_FAILURE_NEGATIVE,
	TL_FAILURE_NULL, /* a returned handle or pointer of 0 */
};

/*
 * Whose time a call's is, and what for, where tracelayer-phases(1) sums it up. NONE: it isn't said.
 */
enum tl_work_layer {
	TL_LAYER_NONE,
	TL_LAYER_APPLICATION,
	TL_LAYER_RUNTIME, /* what prepares work, on the host */
	TL_LAYER_IPC,
	TL_LAYER_DRIVER, /* what does work, and waits for it */
	TL_LAYER_CPU,
};

enum tl_work_phase {
	TL_PHASE_NONE,
	TL_PHASE_INITIALIZATION,
	TL_PHASE_PREPARATION,
	TL_PHASE_COMPILATION,
	TL_PHASE_EXECUTION,
	/* inputs and outputs; this and the next three are parts of execution */
	TL_PHASE_TRANSFER,
	TL_PHASE_TRANSFORMATION,
	TL_PHASE_COMPUTATION,
	TL_PHASE_RESULTS,
	TL_PHASE_TERMINATION,
};

enum tl_function_flag {
	/* some parameter points to memory that full arguments show */
	TL_FUNCTION_FOLLOWS = 1,
	/* the real library exports it; else it is reached through a get-proc function */
	TL_FUNCTION_EXPORTED = 2,
	TL_FUNCTION_INITIALISES = 4, /* the driver may set itself up in this call */
	TL_FUNCTION_GETPROC = 8,     /* gives out function pointers: see tl_getproc */
	TL_FUNCTION_CREATES = 16,    /* descriptor's word; the leaks tool uses it */
	TL_FUNCTION_DESTROYS = 32,
};

struct tl_function {
	const char *name;
	const struct tl_type *result;
	const struct tl_variable *params;
	const struct tl_api *api;
	uint32_t index;	      /* among tl_api.functions */
	uint16_t count;	      /* parameters */
	uint16_t words;	      /* 8-byte words that all parameters take */
	uint32_t level;	      /* enum tl_level */
	uint16_t flags;	      /* enum tl_function_flag */
	uint8_t failure;      /* enum tl_failure */
	uint8_t layer, phase; /* enum tl_work_layer, enum tl_work_phase */
	/* known by name only: so many words are passed on, whatever they are; .count is 0 then */
	uint8_t passed;
	const char *file; /* header and line of the declaration */
	uint32_t line;
	/*
	 * .passed words: the first one of each parameter, and of those behind the last; NULL: each
	 * word is one
	 */
	const uint8_t *places;
};

/* A function that hands out function pointers. */
enum tl_getproc_kind {
	/* returns the pointer; .name is the parameter with the function's name */
	TL_GETPROC_RETURNED,
	TL_GETPROC_STORED, /* stores it where the parameter .where points */
	/* fills the table that .where points to; .version is the parameter with its version */
	TL_GETPROC_TABLE,
};

struct tl_table_entry {
	uint32_t offset;   /* bytes into the table */
	uint32_t function; /* index of the function whose pointer stands there */
	uint32_t since;	   /* the table has this field from this version on; 0: always */
};

struct tl_getproc {
	uint8_t kind;		      /* enum tl_getproc_kind */
	uint8_t name, where, version; /* indices of parameters */
	uint32_t function;	      /* index of the get-proc function */
	uint32_t count;
	const struct tl_table_entry *entries; /* TABLE */
};

/*
 * One possible link of a pNext chain: the value of its stype, and what struct that announces.
 * Values repeat between families of structs (ze_, zes_, zet_): the one that is meant has an stype
 * of the same type as the struct that the chain begins with.
 */
struct tl_chain {
	uint64_t stype;
	const struct tl_type *type;
};

struct tl_api {
	const char *name;	    /* "level-zero", "opencl" */
	const char *version;	    /* of the headers: "1.4", "3.0" */
	const char *const *sonames; /* NULL-ended: the libraries that implement it (loaders) */
	const struct tl_function *functions;
	uint32_t count;
	uint32_t nsuccesses, ngetprocs, nchains;
	/* results besides 0 that are no failure (ZE_RESULT_NOT_READY) */
	const int64_t *successes;
	const struct tl_getproc *getprocs;
	const struct tl_chain *chains; /* by ascending stype */
	/* the same as bytes that traces carry: tracelayer-record(5) */
	const void *description;
	size_t description_size;
};

#ifdef __cplusplus
}
#endif
#endif
