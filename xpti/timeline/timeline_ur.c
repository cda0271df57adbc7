/* SPDX-License-Identifier: MIT */
/*
 * timeline_ur.c: the arguments of calls of SYCL's unified runtime.
 *
 * The runtime gives a pointer to each argument. The arguments lie together on the stack of the
 * function that was called, so that one copy reads nearly all of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "xpti/timeline/timeline_places.h"
#include "xpti/timeline/timeline_ur.h"

enum { UR_PARAMETERS = 24, UR_FRAME = 512 };

enum ur_kind {
	UR_ADDRESS, /* a handle, or a pointer to what is not shown */
	UR_UNSIGNED_32,
	UR_UNSIGNED_64,
	UR_SIGNED_32,
	UR_TRUTH_8,
	UR_BITS_32,
	UR_BITS_64,
	UR_ENUM,
	UR_TEXT,
	UR_TRIPLE, /* three sizes */
};

struct ur_name {
	uint32_t value;
	const char *text; /* NULL: the end */
};

struct ur_parameter {
	const char *name;
	enum ur_kind kind;
	const struct ur_name *names;
};

struct ur_function {
	const char *name;
	uint32_t count;
	struct ur_parameter at[UR_PARAMETERS];
};

#include "xpti/timeline/timeline_ur_table.h"

/* A piece of the stack that was copied. */
struct ur_frame {
	uintptr_t from;
	size_t size;
	char bytes[UR_FRAME];
};

static int ur_function_compare(const void *name, const void *function)
{
	return strcmp(name, ((const struct ur_function *)function)->name);
}

static const struct ur_function *ur_function_find(uint32_t name)
{
	char copy[128];
	size_t size = 0;
	const char *text = name ? tl_guest_text(name, &size) : NULL;

	if (!text || size >= sizeof(copy))
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return bsearch(copy, ur_functions, sizeof(ur_functions) / sizeof(ur_functions[0]),
		       sizeof(ur_functions[0]), ur_function_compare);
}

static size_t ur_kind_size(enum ur_kind kind)
{
	switch (kind) {
	case UR_TRUTH_8:
		return 1;
	case UR_UNSIGNED_32:
	case UR_SIGNED_32:
	case UR_BITS_32:
	case UR_ENUM:
		return 4;
	case UR_TRIPLE:
		return 24;
	default:
		return 8;
	}
}

static void ur_frame_read(struct ur_frame *frame, const uintptr_t *pointers, uint32_t count)
{
	frame->from = UINTPTR_MAX;
	for (uint32_t i = 0; i < count; i++)
		if (pointers[i] && pointers[i] < frame->from)
			frame->from = pointers[i];
	frame->size = tl_passed_copy(frame->bytes, (const void *)frame->from, UR_FRAME);
}

/* An argument's bytes. False: they can't be read. */
static bool ur_frame_copy(const struct ur_frame *frame, void *to, uintptr_t from, size_t size)
{
	if (!from)
		return false;
	if (from - frame->from >= frame->size || frame->size - (from - frame->from) < size)
		return tl_passed_copy(to, (const void *)from, size) == size;
	memcpy(to, frame->bytes + (from - frame->from), size);
	return true;
}

static void ur_add_enum(struct timeline_args *args, uint32_t key, const struct ur_name *names,
			uint64_t value)
{
	while (names->text && names->value != value)
		names++;
	if (names->text)
		timeline_add_text(args, key, tl_guest_number(names->text, strlen(names->text)));
	else
		timeline_add_count(args, key, value);
}

static void ur_add_triple(struct timeline_args *args, uint32_t key, const uint64_t *sizes)
{
	char text[80];
	int size = snprintf(text, sizeof(text), "%llu, %llu, %llu", (unsigned long long)sizes[0],
			    (unsigned long long)sizes[1], (unsigned long long)sizes[2]);

	timeline_add_text(args, key, tl_guest_number(text, (size_t)size));
}

/* Text that can't be read is shown as its address. */
static void ur_add_text(struct timeline_args *args, uint32_t key, uint64_t address)
{
	uint32_t text = address ? timeline_text((const char *)(uintptr_t)address, false) : 0;

	if (text)
		timeline_add_text(args, key, text);
	else
		timeline_add(args, key, TL_VALUE_HEX_64, address);
}

static void ur_add(struct timeline_args *args, const struct ur_parameter *parameter,
		   const uint64_t *value)
{
	uint32_t key = tl_guest_number(parameter->name, strlen(parameter->name));

	switch (parameter->kind) {
	case UR_UNSIGNED_32:
	case UR_UNSIGNED_64:
		timeline_add_count(args, key, *value);
		break;
	case UR_SIGNED_32:
		timeline_add(args, key, TL_VALUE_SIGNED_64, (uint64_t)(int64_t)(int32_t)*value);
		break;
	case UR_TRUTH_8:
		timeline_add(args, key, TL_VALUE_TRUTH, *value != 0);
		break;
	case UR_ENUM:
		ur_add_enum(args, key, parameter->names, *value);
		break;
	case UR_TEXT:
		ur_add_text(args, key, *value);
		break;
	case UR_TRIPLE:
		ur_add_triple(args, key, value);
		break;
	default:
		timeline_add(args, key, TL_VALUE_HEX_64, *value);
	}
}

void timeline_add_ur(struct timeline_args *args, uint32_t name, const void *pointers)
{
	const struct ur_function *function = ur_function_find(name);
	uintptr_t at[UR_PARAMETERS];
	struct ur_frame frame;

	if (!function || !function->count ||
	    tl_passed_copy(at, pointers, function->count * sizeof(at[0])) !=
		    function->count * sizeof(at[0]))
		return;
	ur_frame_read(&frame, at, function->count);
	for (uint32_t i = 0; i < function->count; i++) {
		uint64_t value[3] = {0};
		if (ur_frame_copy(&frame, value, at[i], ur_kind_size(function->at[i].kind)))
			ur_add(args, &function->at[i], value);
	}
}
