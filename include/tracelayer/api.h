/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/api.h: an API as constant tables: its functions, types and enums.
 *
 * tracegen writes one `struct tl_api` for each API whose headers it has read. The runtime captures
 * arguments by walking these tables; the encoders print arguments by the same walk. A tool's
 * generic callback receives the `struct tl_function` of its call.
 *
 * All tables are constant and never freed. Any thread and any signal handler may read them.
 */
#ifndef TRACELAYER_API_H
#define TRACELAYER_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who an event is for; a bit mask. One setting (TRACELAYER_LEVEL) filters all events. */
enum tl_level {
	TL_LEVEL_NONE = 0,
	TL_LEVEL_REQUEST = 1,  /* whole requests */
	TL_LEVEL_RUNTIME = 2,  /* host calls that submit, wait, allocate */
	TL_LEVEL_OPERATOR = 4, /* work on the device */
	TL_LEVEL_DEBUG = 8,    /* queries, getters, everything else */
	TL_LEVEL_STANDARD = TL_LEVEL_RUNTIME | TL_LEVEL_OPERATOR,
	TL_LEVEL_ALL = 15,
};

/* What a type is, and how its values are printed. */
enum tl_kind {
	TL_KIND_VOID,
	TL_KIND_BOOL,  /* printed as false or true; other values as numbers */
	TL_KIND_INT,   /* signed, .size bytes */
	TL_KIND_UINT,  /* unsigned, .size bytes */
	TL_KIND_CHAR,  /* an array or counted run of characters is printed as a string */
	TL_KIND_FLOAT, /* float or double, by .size */
	TL_KIND_ENUM,  /* one of .enumerators; other values are printed as numbers */
	TL_KIND_FLAGS, /* a sum of .enumerators; bits without a name are printed in hex */
	/* an opaque pointer or integer, never followed; printed as one of .enumerators or in hex */
	TL_KIND_HANDLE,
	/* pointer to .target; the variable's length and direction say how it is followed */
	TL_KIND_POINTER,
	TL_KIND_FUNCTION, /* a pointer to a function, printed as an address */
	TL_KIND_ARRAY,	  /* .count elements of .target, in place */
	TL_KIND_STRUCT,
	TL_KIND_UNION, /* the first member is printed */
};

/* How much memory a pointer leads to, or how many elements of an array count. */
enum tl_length_kind {
	TL_LENGTH_NONE,	    /* not known, or not memory of the host: printed as an address */
	TL_LENGTH_CONSTANT, /* .constant units; a single object is 1 */
	TL_LENGTH_VALUE,    /* the value of the sibling numbered .sibling, times .constant */
	TL_LENGTH_POINTEE,  /* what the sibling numbered .sibling points to, times .constant */
	/* up to a NUL; if .constant is TL_LENGTH_DOUBTED, and it isn't text, it is an address */
	TL_LENGTH_STRING,
	/*
	 * elements up to one that is all zero (property lists); .constant 2: pairs, up to a pair
	 * whose first element is zero
	 */
	TL_LENGTH_ZERO_ENDED,
	/*
	 * the value of a member of the struct that the sibling numbered .sibling points to:
	 * .constant is the member's number
	 */
	TL_LENGTH_MEMBER,
};

/* .constant of a string that may be something else: what a variadic function was passed. */
#define TL_LENGTH_DOUBTED 2

/* The length of a variable. */
struct tl_length {
	uint8_t kind; /* enum tl_length_kind */
	/* 1: a unit is a byte; 0: a unit is an element of the target type */
	uint8_t bytes;
	uint16_t sibling; /* index among the function's parameters, or the struct's members */
	uint32_t constant;
};

/* Which way a variable passes data; a bit mask. */
enum tl_direction {
	TL_IN = 1,
	TL_OUT = 2,	 /* valid after the call succeeded */
	TL_OPTIONAL = 4, /* may be NULL */
	/*
	 * the API obliges the caller to supply the memory: it is read directly. Otherwise it is
	 * read by a checked copy.
	 */
	TL_OBLIGED = 8,
	TL_ALWAYS =
		16, /* with TL_OUT: valid after a failure, too, as what holds an error code is */
	/*
	 * kept, and printed as an address: the length is a guess, so some elements may be other
	 * memory than the caller's. Not for elements with pointers.
	 */
	TL_UNSHOWN = 32,
};

/* A parameter of a function, or a member of a struct or union. */
struct tl_variable {
	const char *name;
	const struct tl_type *type;
	/*
	 * of a member: bytes from the start of the struct. Of a parameter: the first of its 8-byte
	 * words; a struct that is passed by value has several
	 */
	uint32_t offset;
	uint16_t words; /* of a parameter: how many words */
	/*
	 * enum tl_direction; a member without IN and OUT has the direction of the pointer to its
	 * struct
	 */
	uint8_t direction;
	/* of a member: 1: it is the pNext of a chain (see tl_api.chains); 2: it is the stype */
	uint8_t chain;
	/*
	 * of a bit-field: its first bit, counted from .offset, and how many there are; width 0: no
	 * bit-field. In a packed struct it may begin in one unit of .type and end in the next.
	 */
	uint8_t bit_offset, bit_width;
	struct tl_length length;
};

/*
 * Bytes from a bit-field's .offset on that it lies in, 16 at most. A packed struct may end there,
 * before the whole unit of its type: read no others.
 */
static inline uint32_t tl_bit_field_size(const struct tl_variable *field)
{
	return (field->bit_offset + field->bit_width + 7u) / 8;
}

/* A name of an enum or of a mask. */
struct tl_enumerator {
	const char *name;
	uint64_t value; /* sign-extended to 64 bits */
};

/* A type. */
struct tl_type {
	/* as in C: ze_result_t, const char *, cl_device_type */
	const char *name;
	uint8_t kind;  /* enum tl_kind */
	uint32_t size; /* bytes */
	/* of an ARRAY: elements; ENUM, FLAGS, HANDLE: enumerators; STRUCT, UNION: members */
	uint32_t count;
	const struct tl_type *target; /* of a POINTER or ARRAY; NULL: void */
	/*
	 * ENUM, HANDLE: by ascending value (as unsigned), unique values; FLAGS: widest first, then
	 * ascending
	 */
	const struct tl_enumerator *enumerators;
	const struct tl_variable *members; /* of a STRUCT or UNION */
};

/* Which results of a function mean that the call failed. */
enum tl_failure {
	TL_FAILURE_NEVER,
	TL_FAILURE_NONZERO, /* any value except 0 and those in tl_api.successes */
	TL_FAILURE_NEGATIVE,
	TL_FAILURE_NULL, /* a handle or pointer that is 0 */
};

/*
 * The layer and the phase for which tracelayer-phases(1) counts the time of a call. NONE: the
 * descriptor does not say.
 */
enum tl_work_layer {
	TL_LAYER_NONE,
	TL_LAYER_APPLICATION,
	TL_LAYER_RUNTIME, /* what prepares work, on the host */
	TL_LAYER_IPC,
	TL_LAYER_DRIVER, /* what does work, and waits for it */
	TL_LAYER_CPU,
};

/* See enum tl_work_layer. */
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

/* Flags of tl_function.flags. */
enum tl_function_flag {
	/* full arguments show more than words: memory behind parameters or result, errno */
	TL_FUNCTION_FOLLOWS = 1,
	/* the library exports it; otherwise a get-proc function returns it */
	TL_FUNCTION_EXPORTED = 2,
	TL_FUNCTION_INITIALISES = 4, /* the driver may set itself up in this call */
	TL_FUNCTION_GETPROC = 8,     /* returns function pointers: see tl_getproc */
	TL_FUNCTION_CREATES =
		16, /* it creates an object (for the leaks tool); the descriptor says so */
	TL_FUNCTION_DESTROYS = 32,
	/* it takes one more reference to an object: one more call of a destroying function */
	TL_FUNCTION_RETAINS = 64,
	TL_FUNCTION_TEXT = 128,	 /* its result is text, up to a NUL: full arguments show it */
	TL_FUNCTION_ERRNO = 256, /* a call that failed has set errno: full arguments show it */
	/* the library may compare pointers with the function's address: programs get that one */
	TL_FUNCTION_COMPARED = 512,
};

/* A function. */
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
	/* not 0: only the name is known; this many words are passed on, and .count is 0 */
	uint8_t passed;
	const char *file; /* header and line of the declaration */
	uint32_t line;
	/*
	 * with .passed: for each parameter its first word, then the word after the last parameter;
	 * NULL: each word is a parameter
	 */
	const uint8_t *places;
};

/* How a function returns function pointers. */
enum tl_getproc_kind {
	/* as its result; .name is the parameter with the function's name */
	TL_GETPROC_RETURNED,
	TL_GETPROC_STORED, /* it stores the pointer where the parameter .where points */
	/* it fills the table that .where points to; .version is the parameter with its version */
	TL_GETPROC_TABLE,
	/*
	 * it gives an object, where .where points or as its result (.where TL_GETPROC_RESULT): at
	 * .offset of that is a pointer to a table of the library's
	 */
	TL_GETPROC_OBJECT,
	TL_GETPROC_GIVEN, /* .where points to a table of the program's */
};
#define TL_GETPROC_RESULT 255

/* A field of such a table. */
struct tl_table_entry {
	uint32_t offset;   /* bytes into the table */
	uint32_t function; /* index of the function whose pointer is in this field */
	uint32_t since;	   /* the first version of the table with this field; 0: all versions */
};

/*
 * A STORED get-proc function that gets a version may store a later function than the one of that
 * name. This says from which version on it stores which function.
 */
struct tl_versioned_name {
	const char *name;  /* as the program asks */
	uint32_t function; /* index; UINT32_MAX: the headers lack it */
	uint32_t since;
};

/* A function that returns function pointers. */
struct tl_getproc {
	uint8_t kind;		      /* enum tl_getproc_kind */
	uint8_t name, where, version; /* indices of parameters */
	uint32_t function;	      /* index of the get-proc function */
	uint32_t count;
	union {
		const struct tl_table_entry *entries;  /* of a TABLE, OBJECT, GIVEN */
		const struct tl_versioned_name *names; /* of a STORED */
	};
	uint32_t offset; /* of an OBJECT */
	uint32_t size;	 /* OBJECT, GIVEN: bytes of the table */
	/* OBJECT, GIVEN: 1 + offset of the member that tells the table's own size; 0: none does */
	uint32_t sized;
	/* STORED: the last version that .names knows of; 0: they hold for every version */
	uint32_t until;
};

/*
 * A possible link of a pNext chain: the value of its stype, and the struct that has this value.
 * Families of structs (ze_, zes_, zet_) use the same values: the right one has an stype of the same
 * type as the first struct of the chain.
 */
struct tl_chain {
	uint64_t stype;
	const struct tl_type *type;
};

/* An API. */
struct tl_api {
	const char *name;	    /* "level-zero", "opencl" */
	const char *version;	    /* the version of its headers: "1.4", "3.0" */
	const char *const *sonames; /* the libraries that implement it (loaders); ends with NULL */
	const struct tl_function *functions;
	uint32_t count;
	uint32_t nsuccesses, ngetprocs, nchains;
	/* results besides 0 that mean no failure (ZE_RESULT_NOT_READY) */
	const int64_t *successes;
	const struct tl_getproc *getprocs;
	const struct tl_chain *chains; /* by ascending stype */
	/* the same tables as bytes, which traces carry: tracelayer-record(5) */
	const void *description;
	size_t description_size;
};

#ifdef __cplusplus
}
#endif
#endif
