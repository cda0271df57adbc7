/* SPDX-License-Identifier: MIT */
/*
 * args_table.h: an API made up by hand, in the form in which tracegen writes tables: one of each
 * thing that capture and print meet. Shared by the unit tests and the fuzzer.
 */
#ifndef TESTS_ARGS_TABLE_H
#define TESTS_ARGS_TABLE_H

#include <stddef.h>

#include "tracelayer/api.h"

enum stype { STYPE_DESC = 1, STYPE_HINT = 2, STYPE_NAME = 7, STYPE_NOBODY_KNOWS = 99 };

struct desc {
	enum stype stype;
	const void *pNext;
	uint32_t flags;
	uint32_t count;
	const uint32_t *values; /* .count of them */
};

struct hint {
	enum stype stype;
	const void *pNext;
	double ratio;
};

struct name {
	enum stype stype;
	const void *pNext;
	const char *text;
};

struct node {
	int value;
	const struct node *next;
};

struct mixed {
	char label[8];
	uint8_t uuid[4];
	float weight;
	unsigned low : 3;
	signed high : 5;
	union {
		int32_t number;
		float real;
	} either;
	uint16_t pair[2];
	struct {
		_Bool on;
		int64_t big;
	} inner;
	int used;
	int slots[4]; /* .used of them */
};

/* A struct of the kind that has members that only the call fills in. */
struct properties {
	enum stype stype;
	void *pNext;
	uint32_t asked;	 /* [in] */
	uint32_t answer; /* [out] */
};

enum {
	T_VOID,
	T_CHAR,
	T_INT,
	T_UINT,
	T_U8,
	T_U16,
	T_I64,
	T_U64,
	T_SIZE,
	T_FLOAT,
	T_DOUBLE,
	T_BOOL,
	T_RESULT,
	T_FLAGS,
	T_HANDLE,
	T_STYPE,
	T_STRING,
	T_STRINGS,
	T_VOIDP,
	T_UINTP,
	T_UINTS,
	T_HANDLES,
	T_DESC,
	T_DESCP,
	T_HINT,
	T_NAME,
	T_NODE,
	T_NODEP,
	T_MIXED,
	T_MIXEDP,
	T_LABEL,
	T_UUID,
	T_EITHER,
	T_PAIR,
	T_INNER,
	T_SLOTS,
	T_PROPERTIES,
	T_PROPERTIESP,
	T_FUNCTION,
	T_BYTESP,
	T_I64P,
	T_WORLD,
	T_WORLDS,
	T_COUNT
};
static const struct tl_type table_types[T_COUNT];
static const struct tl_api table_api;
#define T(x) (&table_types[T_##x])

static const struct tl_enumerator world_names[] = {
	{"WORLD_NONE", 0x04000000},
	{"WORLD_ALL", 0xffffffff84000000ull},
};

static const struct tl_enumerator result_names[] = {
	{"RESULT_OK", 0},
	{"RESULT_LATER", 1},
	{"RESULT_LOST", 0xfffffffffffffffbull},
	{"RESULT_BAD", 0xffffffffffffffffull},
};
static const struct tl_enumerator flag_names[] = {
	{"BOTH", 3}, {"NONE", 0}, {"READ", 1}, {"WRITE", 2}, {"TOP", 0x80000000}};
static const struct tl_enumerator stype_names[] = {
	{"STYPE_DESC", STYPE_DESC},
	{"STYPE_HINT", STYPE_HINT},
	{"STYPE_NAME", STYPE_NAME},
};

#define MEMBER(s, m, t, ...)                                                                       \
	{                                                                                          \
		.name = #m, .type = T(t), .offset = offsetof(struct s, m), __VA_ARGS__             \
	}
static const struct tl_variable desc_members[] = {
	MEMBER(desc, stype, STYPE, .chain = 2),
	MEMBER(desc, pNext, VOIDP, .chain = 1),
	MEMBER(desc, flags, FLAGS),
	MEMBER(desc, count, UINT),
	MEMBER(desc, values, UINTP, .length = {TL_LENGTH_VALUE, 0, 3, 1}),
};
static const struct tl_variable hint_members[] = {
	MEMBER(hint, stype, STYPE, .chain = 2),
	MEMBER(hint, pNext, VOIDP, .chain = 1),
	MEMBER(hint, ratio, DOUBLE),
};
static const struct tl_variable name_members[] = {
	MEMBER(name, stype, STYPE, .chain = 2),
	MEMBER(name, pNext, VOIDP, .chain = 1),
	MEMBER(name, text, STRING, .length = {TL_LENGTH_STRING, 0, 0, 0}),
};
static const struct tl_variable node_members[] = {
	MEMBER(node, value, INT),
	MEMBER(node, next, NODEP, .length = {TL_LENGTH_CONSTANT, 0, 0, 1}),
};
static const struct tl_variable either_members[] = {
	{.name = "number", .type = T(INT)},
	{.name = "real", .type = T(FLOAT)},
};
static const struct tl_variable inner_members[] = {
	{.name = "on", .type = T(BOOL)},
	{.name = "big", .type = T(I64), .offset = 8},
};
static const struct tl_variable mixed_members[] = {
	MEMBER(mixed, label, LABEL),
	MEMBER(mixed, uuid, UUID),
	MEMBER(mixed, weight, FLOAT),
	{.name = "low", .type = T(UINT), .offset = 16, .bit_offset = 0, .bit_width = 3},
	{.name = "high", .type = T(INT), .offset = 16, .bit_offset = 3, .bit_width = 5},
	MEMBER(mixed, either, EITHER),
	MEMBER(mixed, pair, PAIR),
	MEMBER(mixed, inner, INNER),
	MEMBER(mixed, used, INT),
	MEMBER(mixed, slots, SLOTS, .length = {TL_LENGTH_VALUE, 0, 8, 1}),
};
static const struct tl_variable properties_members[] = {
	MEMBER(properties, stype, STYPE, .chain = 2, .direction = TL_IN),
	MEMBER(properties, pNext, VOIDP, .chain = 1, .direction = TL_IN | TL_OUT),
	MEMBER(properties, asked, UINT, .direction = TL_IN),
	MEMBER(properties, answer, UINT, .direction = TL_OUT),
};

#define POINTER_TO(n, t)                                                                           \
	{                                                                                          \
		.name = n, .kind = TL_KIND_POINTER, .size = 8, .target = T(t)                      \
	}
#define STRUCT(n, k, s, m)                                                                         \
	{                                                                                          \
		.name = n, .kind = k, .size = s, .count = sizeof m / sizeof m[0], .members = m     \
	}
static const struct tl_type table_types[T_COUNT] = {
	[T_VOID] = {.name = "void", .kind = TL_KIND_VOID},
	[T_CHAR] = {.name = "char", .kind = TL_KIND_CHAR, .size = 1},
	[T_INT] = {.name = "int", .kind = TL_KIND_INT, .size = 4},
	[T_UINT] = {.name = "unsigned", .kind = TL_KIND_UINT, .size = 4},
	[T_U8] = {.name = "uint8_t", .kind = TL_KIND_UINT, .size = 1},
	[T_U16] = {.name = "uint16_t", .kind = TL_KIND_UINT, .size = 2},
	[T_I64] = {.name = "int64_t", .kind = TL_KIND_INT, .size = 8},
	[T_U64] = {.name = "uint64_t", .kind = TL_KIND_UINT, .size = 8},
	[T_SIZE] = {.name = "size_t", .kind = TL_KIND_UINT, .size = 8},
	[T_FLOAT] = {.name = "float", .kind = TL_KIND_FLOAT, .size = 4},
	[T_DOUBLE] = {.name = "double", .kind = TL_KIND_FLOAT, .size = 8},
	[T_BOOL] = {.name = "_Bool", .kind = TL_KIND_BOOL, .size = 1},
	[T_RESULT] = {.name = "result",
		      .kind = TL_KIND_ENUM,
		      .size = 4,
		      .count = 4,
		      .enumerators = result_names},
	[T_FLAGS] = {.name = "flags",
		     .kind = TL_KIND_FLAGS,
		     .size = 4,
		     .count = 5,
		     .enumerators = flag_names},
	[T_HANDLE] = {.name = "handle", .kind = TL_KIND_HANDLE, .size = 8},
	[T_STYPE] = {.name = "enum stype",
		     .kind = TL_KIND_ENUM,
		     .size = 4,
		     .count = 3,
		     .enumerators = stype_names},
	[T_STRING] = POINTER_TO("const char *", CHAR),
	[T_STRINGS] = POINTER_TO("const char **", STRING),
	[T_VOIDP] = {.name = "const void *", .kind = TL_KIND_POINTER, .size = 8},
	[T_UINTP] = POINTER_TO("unsigned *", UINT),
	[T_UINTS] = POINTER_TO("unsigned *", UINT),
	[T_HANDLES] = POINTER_TO("handle *", HANDLE),
	[T_WORLD] = {.name = "world",
		     .kind = TL_KIND_HANDLE,
		     .size = 4,
		     .count = 2,
		     .enumerators = world_names},
	[T_WORLDS] = POINTER_TO("world *", WORLD),
	[T_DESC] = STRUCT("struct desc", TL_KIND_STRUCT, sizeof(struct desc), desc_members),
	[T_DESCP] = POINTER_TO("const struct desc *", DESC),
	[T_HINT] = STRUCT("struct hint", TL_KIND_STRUCT, sizeof(struct hint), hint_members),
	[T_NAME] = STRUCT("struct name", TL_KIND_STRUCT, sizeof(struct name), name_members),
	[T_NODE] = STRUCT("struct node", TL_KIND_STRUCT, sizeof(struct node), node_members),
	[T_NODEP] = POINTER_TO("const struct node *", NODE),
	[T_MIXED] = STRUCT("struct mixed", TL_KIND_STRUCT, sizeof(struct mixed), mixed_members),
	[T_MIXEDP] = POINTER_TO("const struct mixed *", MIXED),
	[T_LABEL] = {.name = "char[8]",
		     .kind = TL_KIND_ARRAY,
		     .size = 8,
		     .count = 8,
		     .target = T(CHAR)},
	[T_UUID] = {.name = "uint8_t[4]",
		    .kind = TL_KIND_ARRAY,
		    .size = 4,
		    .count = 4,
		    .target = T(U8)},
	[T_EITHER] = STRUCT("union either", TL_KIND_UNION, 4, either_members),
	[T_PAIR] = {.name = "uint16_t[2]",
		    .kind = TL_KIND_ARRAY,
		    .size = 4,
		    .count = 2,
		    .target = T(U16)},
	[T_INNER] = STRUCT("struct inner", TL_KIND_STRUCT, 16, inner_members),
	[T_SLOTS] =
		{.name = "int[4]", .kind = TL_KIND_ARRAY, .size = 16, .count = 4, .target = T(INT)},
	[T_PROPERTIES] = STRUCT("struct properties", TL_KIND_STRUCT, sizeof(struct properties),
				properties_members),
	[T_PROPERTIESP] = POINTER_TO("struct properties *", PROPERTIES),
	[T_FUNCTION] = {.name = "void (*)(void)", .kind = TL_KIND_FUNCTION, .size = 8},
	[T_BYTESP] = POINTER_TO("const uint8_t *", U8),
	[T_I64P] = POINTER_TO("const int64_t *", I64),
};

#define PARAM(n, t, word, ...)                                                                     \
	{                                                                                          \
		.name = n, .type = T(t), .offset = word, .words = 1, __VA_ARGS__                   \
	}
#define STRING_LENGTH .length = {TL_LENGTH_STRING, 0, 0, 0}
#define ONE	      .length = {TL_LENGTH_CONSTANT, 0, 0, 1}
#define COUNTED(i)    .length = {TL_LENGTH_VALUE, 0, i, 1}
#define BYTES(i)      .length = {TL_LENGTH_VALUE, 1, i, 1}
#define BEHIND(i)     .length = {TL_LENGTH_POINTEE, 0, i, 1}

static const struct tl_variable scalar_params[] = {
	PARAM("b", BOOL, 0),	  PARAM("i", INT, 1),	 PARAM("u", U64, 2),
	PARAM("f", FLOAT, 3),	  PARAM("d", DOUBLE, 4), PARAM("r", RESULT, 5),
	PARAM("flags", FLAGS, 6), PARAM("h", HANDLE, 7), PARAM("c", CHAR, 8),
	PARAM("p", VOIDP, 9),	  PARAM("l", I64, 10),	 PARAM("fn", FUNCTION, 11),
};
static const struct tl_variable string_params[] = {
	PARAM("s", STRING, 0, .direction = TL_IN, STRING_LENGTH),
	PARAM("o", STRING, 1, .direction = TL_IN | TL_OBLIGED, STRING_LENGTH),
	PARAM("n", UINT, 2),
	PARAM("run", STRING, 3, .direction = TL_IN, COUNTED(2)),
	PARAM("list", STRINGS, 4, .direction = TL_IN, COUNTED(2)),
};
static const struct tl_variable get_params[] = {
	PARAM("hDriver", HANDLE, 0),
	PARAM("pCount", UINTP, 1, .direction = TL_IN | TL_OUT | TL_OBLIGED, ONE),
	PARAM("phDevices", HANDLES, 2, .direction = TL_OUT | TL_OPTIONAL, BEHIND(1)),
};
static const struct tl_variable create_params[] = {
	PARAM("desc", DESCP, 0, .direction = TL_IN, ONE),
	PARAM("phObject", HANDLES, 1, .direction = TL_OUT, ONE),
};
static const struct tl_variable node_params[] = {
	PARAM("list", NODEP, 0, .direction = TL_IN, ONE),
};
static const struct tl_variable mixed_params[] = {
	PARAM("m", MIXEDP, 0, .direction = TL_IN | TL_OUT, ONE),
};
static const struct tl_variable properties_params[] = {
	PARAM("p", PROPERTIESP, 0, .direction = TL_IN | TL_OUT, ONE),
};
static const struct tl_variable array_params[] = {
	PARAM("count", SIZE, 0),
	PARAM("values", UINTP, 1, .direction = TL_IN, COUNTED(0)),
	PARAM("bytes", VOIDP, 2, .direction = TL_IN, BYTES(0)),
	PARAM("raw", BYTESP, 3, .direction = TL_IN, COUNTED(0)),
	PARAM("list", I64P, 4, .direction = TL_IN, .length = {TL_LENGTH_ZERO_ENDED, 0, 0, 0}),
	PARAM("nodes", NODEP, 5, .direction = TL_IN, COUNTED(0)),
};
static const struct tl_variable value_params[] = {
	{.name = "desc", .type = T(DESC), .offset = 0, .words = 4},
	PARAM("after", INT, 4),
};

static const struct tl_variable info_params[] = {
	PARAM("size", UINT, 0),
	PARAM("values", HANDLES, 1, .direction = TL_OUT, COUNTED(0)),
	PARAM("size_ret", UINTP, 2, .direction = TL_OUT, ONE),
};
static const struct tl_variable pairs_params[] = {
	PARAM("properties", I64P, 0, .direction = TL_IN, .length = {TL_LENGTH_ZERO_ENDED, 0, 0, 2}),
};
static const struct tl_variable exchange_params[] = {
	PARAM("a", UINTP, 0, .direction = TL_IN | TL_OUT, ONE),
	PARAM("b", UINTP, 1, .direction = TL_IN | TL_OUT, ONE),
};

static const struct tl_variable world_params[] = {
	PARAM("world", WORLD, 0, .direction = TL_IN),
	PARAM("worlds", WORLDS, 1, .direction = TL_IN, .length = {TL_LENGTH_CONSTANT, 0, 0, 3}),
};

static const struct tl_variable make_params[] = {
	PARAM("object", HANDLES, 0, .direction = TL_OUT, ONE),
	PARAM("before", UINTP, 1, .direction = TL_IN, ONE),
	PARAM("code", UINTP, 2, .direction = TL_OUT | TL_OPTIONAL | TL_ALWAYS, ONE),
};

static const struct tl_variable guess_params[] = {
	PARAM("some", UINTP, 0, .direction = TL_IN | TL_UNSHOWN,
	      .length = {TL_LENGTH_CONSTANT, 0, 0, 8}),
	PARAM("desc", DESCP, 1, .direction = TL_IN | TL_UNSHOWN, ONE),
	PARAM("behind", UINTP, 2, .direction = TL_IN, ONE),
};

static const struct tl_variable allocate_params[] = {
	PARAM("desc", DESCP, 0, .direction = TL_IN, ONE),
	PARAM("objects", HANDLES, 1, .direction = TL_OUT, .length = {TL_LENGTH_MEMBER, 0, 0, 3}),
};

enum {
	F_SCALARS,
	F_STRINGS,
	F_GET,
	F_CREATE,
	F_NODES,
	F_MIXED,
	F_PROPERTIES,
	F_ARRAYS,
	F_VALUE,
	F_INFO,
	F_PAIRS,
	F_EXCHANGE,
	F_WORLDS,
	F_ALLOCATE,
	F_MAKE,
	F_GUESS,
	F_COUNT
};
#define FUNCTION(n, i, p, w, f)                                                                    \
	[i] = {.name = n,                                                                          \
	       .result = T(RESULT),                                                                \
	       .params = p,                                                                        \
	       .api = &table_api,                                                                  \
	       .index = i,                                                                         \
	       .count = sizeof p / sizeof p[0],                                                    \
	       .words = w,                                                                         \
	       .level = TL_LEVEL_RUNTIME,                                                          \
	       .failure = f}
static const struct tl_function table_functions[] = {
	FUNCTION("scalars", F_SCALARS, scalar_params, 12, TL_FAILURE_NEVER),
	FUNCTION("strings", F_STRINGS, string_params, 5, TL_FAILURE_NEGATIVE),
	FUNCTION("get", F_GET, get_params, 3, TL_FAILURE_NONZERO),
	FUNCTION("create", F_CREATE, create_params, 2, TL_FAILURE_NULL),
	FUNCTION("nodes", F_NODES, node_params, 1, TL_FAILURE_NEVER),
	FUNCTION("mixed", F_MIXED, mixed_params, 1, TL_FAILURE_NEVER),
	FUNCTION("properties", F_PROPERTIES, properties_params, 1, TL_FAILURE_NEVER),
	FUNCTION("arrays", F_ARRAYS, array_params, 6, TL_FAILURE_NEVER),
	FUNCTION("value", F_VALUE, value_params, 5, TL_FAILURE_NEVER),
	FUNCTION("info", F_INFO, info_params, 3, TL_FAILURE_NEVER),
	FUNCTION("pairs", F_PAIRS, pairs_params, 1, TL_FAILURE_NEVER),
	FUNCTION("exchange", F_EXCHANGE, exchange_params, 2, TL_FAILURE_NEVER),
	FUNCTION("worlds", F_WORLDS, world_params, 2, TL_FAILURE_NEVER),
	FUNCTION("allocate", F_ALLOCATE, allocate_params, 2, TL_FAILURE_NONZERO),
	FUNCTION("make", F_MAKE, make_params, 3, TL_FAILURE_NULL),
	FUNCTION("guess", F_GUESS, guess_params, 3, TL_FAILURE_NEVER),
};

static const struct tl_chain table_chains[] = {
	{STYPE_DESC, T(DESC)},
	{STYPE_HINT, T(HINT)},
	{STYPE_NAME, T(NAME)},
};
static const int64_t table_successes[] = {1};
static const char *const table_sonames[] = {"libmade-up.so.1", NULL};
static const struct tl_api table_api = {
	.name = "made-up",
	.version = "1.0",
	.sonames = table_sonames,
	.functions = table_functions,
	.count = F_COUNT,
	.nsuccesses = 1,
	.nchains = 3,
	.successes = table_successes,
	.chains = table_chains,
};

#endif
