/* SPDX-License-Identifier: MIT */
/*
 * timeline_types.c: the words of types, their roles and their categories.
 *
 * Tools define types of their own, which can't be known beforehand. An even number is a begin, the
 * next odd number its end.
 */
#include <string.h>

#include "xpti/timeline/timeline_state.h"
#include "xpti/timeline/timeline_types.h"

/* Types that are missing here are instants. */
static const struct {
	const char *word;
	enum timeline_role role;
} kinds[TIMELINE_TYPES] = {
#define PAIR(type, word)                                                                           \
	[xpti_trace_##type##_begin] = {word, TIMELINE_BEGIN},                                      \
	[xpti_trace_##type##_end] = {word, TIMELINE_END}
	[xpti_trace_graph_create] = {"graph_create", TIMELINE_CREATE},
	[xpti_trace_node_create] = {"node_create", TIMELINE_CREATE},
	[xpti_trace_edge_create] = {"edge_create", TIMELINE_CREATE},
	PAIR(region, "region"),
	PAIR(task, "task"),
	PAIR(barrier, "barrier"),
	PAIR(lock, "lock"),
	[xpti_trace_signal] = {"signal", TIMELINE_INSTANT},
	PAIR(transfer, "transfer"),
	PAIR(thread, "thread"),
	PAIR(wait, "wait"),
	PAIR(function, "function"),
	[xpti_trace_metadata] = {"metadata", TIMELINE_CREATE},
	PAIR(function_with_args, "function_with_args"),
	PAIR(mem_alloc, "mem_alloc"),
	PAIR(mem_release, "mem_release"),
	[xpti_trace_offload_memory_object_construct] = {"offload_memory_object_construct",
							TIMELINE_CREATE},
	[xpti_trace_offload_memory_object_destruct] = {"offload_memory_object_destruct",
						       TIMELINE_CREATE},
	[xpti_trace_offload_memory_object_associate] = {"offload_memory_object_associate",
							TIMELINE_CREATE},
	[xpti_trace_offload_memory_object_release] = {"offload_memory_object_release",
						      TIMELINE_CREATE},
	[xpti_trace_offload_accessor] = {"offload_accessor", TIMELINE_CREATE},
	[xpti_trace_queue_create] = {"queue_create", TIMELINE_CREATE},
	[xpti_trace_queue_destroy] = {"queue_destroy", TIMELINE_CREATE},
	[xpti_trace_diagnostics] = {"diagnostics", TIMELINE_INSTANT},
#undef PAIR
};

bool timeline_type_is_user_defined(uint16_t type)
{
	return type & xpti_trace_user_defined || type >= TIMELINE_TYPES;
}

enum timeline_role timeline_type_role(uint16_t type)
{
	if (timeline_type_is_user_defined(type))
		return type & 1 ? TIMELINE_END : TIMELINE_BEGIN;
	return kinds[type].role;
}

const char *timeline_type_name(uint16_t type)
{
	return timeline_type_is_user_defined(type) ? "user_defined" : kinds[type].word;
}

static const char *type_word(uint16_t type)
{
	const char *name = timeline_type_name(type);

	return name ? name : "unknown";
}

/* The place of a type in struct timeline's tables. */
static uint32_t table_place(uint16_t type)
{
	return timeline_type_is_user_defined(type) ? TIMELINE_TYPES : type;
}

uint32_t timeline_type_word(uint16_t type)
{
	return timeline_kept_number(&timeline->words[table_place(type)], type_word(type));
}

uint32_t timeline_category(uint16_t type)
{
	_Atomic uint32_t *kept = &timeline->categories[table_place(type)];
	char category[64] = "xpti,";

	if (TL_LIKELY(atomic_load_explicit(kept, memory_order_relaxed)))
		return atomic_load_explicit(kept, memory_order_relaxed);
	return timeline_kept_number(kept, strcat(category, type_word(type)));
}

bool timeline_type_ends(uint16_t type)
{
	return atomic_load_explicit(&timeline->ends[type / 64], memory_order_relaxed) >> type % 64 &
	       1;
}

void timeline_note_type_ends(uint16_t type)
{
	if (TL_UNLIKELY(!timeline_type_ends(type)))
		atomic_fetch_or_explicit(&timeline->ends[type / 64], UINT64_C(1) << type % 64,
					 memory_order_relaxed);
}
