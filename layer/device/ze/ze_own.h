/* SPDX-License-Identifier: MIT */
/*
 * ze_own.h: what the layer has in a program's context: events, and memory for timestamps. With
 * tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_OWN_H
#define TL_LAYER_DEVICE_ZE_ZE_OWN_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/calls/hook.h"
#include "layer/device/handles.h"

/*
 * What the device writes for a command: the result of a query of an event, or two global
 * timestamps. 0: not yet.
 */
struct ze_slot {
	uint64_t start, end;
	uint64_t context[2];
};
_Static_assert(sizeof(struct ze_slot) == sizeof(ze_kernel_timestamp_result_t),
	       "an event's timestamps are copied into a slot");

#define ZE_RUN 64u /* slots in one piece */

struct ze_run {
	struct ze_run *next;
	struct ze_slot *slots;
};

struct ze_own_event {
	struct ze_own_event *next;
	ze_event_handle_t event;
};

/* A context of the program. Once known, it stays, since there may still be pointers to it. */
struct ze_context {
	struct tl_handle handle;
	bool gone;
	struct ze_pools *pools;	     /* the layer's */
	struct ze_own_event *events; /* free, and not signalled */
	struct ze_slab *slabs;
	struct ze_run *runs;	     /* free */
	struct ze_slot *single_free; /* single slots, linked by .start */
	struct ze_capture *captures; /* captures that are no longer needed */
	ze_event_pool_handle_t plain_pool;
	ze_event_handle_t plain[2]; /* without timestamps; the second is signalled */
	/* the device may still write to the layer's memory in it */
	bool outlived;
	struct ze_recording *recordings; /* that live in it */
};

struct ze_context *tl_ze_context(ze_context_handle_t handle); /* made if there is none yet */
/* Also frees everything of the layer's in the context. */
void tl_ze_context_destroy(ze_context_handle_t handle);
void tl_ze_contexts_forget(void);
struct ze_own_event *tl_ze_event_take(struct ze_context *context);
void tl_ze_event_give(struct ze_context *context, struct ze_own_event *event);
struct ze_slot *tl_ze_slot_take(struct ze_context *context);
void tl_ze_slot_give(struct ze_context *context, struct ze_slot *slot);
struct ze_run *tl_ze_run_take(struct ze_context *context);
void tl_ze_run_give(struct ze_context *context, struct ze_run *run);
void *tl_ze_memory_take(struct ze_context *context, size_t size);
void tl_ze_memory_give(struct ze_context *context, void *memory);
/* The layer's event without timestamps: the signalled one, or the other. NULL: there is none. */
ze_event_handle_t tl_ze_plain(struct ze_context *context, bool signalled);

extern const struct tl_hook tl_ze_context_hooks[];

#endif
