/* SPDX-License-Identifier: MIT */
/*
 * timeline_args.h: the arguments of an event of the trace.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_ARGS_H
#define TL_XPTI_TIMELINE_TIMELINE_ARGS_H

#include <stdint.h>

#include "layer/program/xpti_events.h"
#include "tracelayer/xpti.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_state.h"

struct timeline_args {
	uint32_t count;
	struct tl_event_arg at[TL_EVENT_ARGS];
};

extern const char *const timeline_key_texts[TIMELINE_KEYS];

/* The number of a key that this library uses. */
#define TIMELINE_KEY(name)                                                                         \
	timeline_kept_number(&timeline->keys[TIMELINE_KEY_##name],                                 \
			     timeline_key_texts[TIMELINE_KEY_##name])

/* An argument that does not fit is left out. */
static inline void timeline_add(struct timeline_args *args, uint32_t key, enum tl_event_value kind,
				uint64_t value)
{
	if (key && args->count < TL_EVENT_ARGS)
		args->at[args->count++] =
			(struct tl_event_arg){.key = key, .kind = kind, .value = value};
}

/* `number`: a string; 0: nothing is added. */
static inline void timeline_add_text(struct timeline_args *args, uint32_t key, uint32_t number)
{
	if (number)
		timeline_add(args, key, TL_VALUE_STRING, number);
}

/* 0: nothing is added. */
static inline void timeline_add_hex(struct timeline_args *args, uint32_t key, uint64_t value)
{
	if (value)
		timeline_add(args, key, TL_VALUE_HEX_64, value);
}

/* Some readers of traces know no larger integers. */
static inline void timeline_add_count(struct timeline_args *args, uint32_t key, uint64_t value)
{
	timeline_add(args, key, value > INT64_MAX ? TL_VALUE_HEX_64 : TL_VALUE_UNSIGNED_64, value);
}

void timeline_add_type(struct timeline_args *args, uint16_t type);
void timeline_add_begun(struct timeline_args *args, const struct timeline_begun *begun);
/* The metadata of an event, as far as there is room. */
void timeline_add_metadata(struct timeline_args *args, xpti_event *event);

#endif
