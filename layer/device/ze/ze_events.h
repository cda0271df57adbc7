/* SPDX-License-Identifier: MIT */
/*
 * ze_events.h: the program's events and their pools. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_EVENTS_H
#define TL_LAYER_DEVICE_ZE_ZE_EVENTS_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/handles.h"
#include "layer/calls/hook.h"
#include "layer/device/ze/ze_own.h"

struct ze_pool {
	struct tl_handle handle;
	struct ze_context *context;
	ze_event_pool_flags_t flags; /* that the program asked for */
	bool changed;		     /* the driver got more flags */
	bool counts;		     /* its events are counter-based */
	struct ze_event *events;
};

struct ze_execution;
struct ze_queue;
struct ze_recording;

struct ze_event {
	struct tl_handle handle;
	struct ze_pool *pool;	       /* NULL: the event's creation was not seen */
	struct ze_event *next, **link; /* of the pool */
	uint32_t references;
	bool seen; /* the layer saw its creation, and so will see its destruction */
	/* counter-based: it stands only for the last command that signals it */
	bool counts;
	/* it has no pool, and the program asked for timestamps that the host can read */
	bool stamps;
	bool destroyed;
	/*
	 * how many calls of the program use it in their hooks: as long as there are any, it exists
	 */
	uint32_t here;
	/* it may already have been signalled when .pending was submitted */
	bool stale;
	/* the last command that signals it, unless its times have been read */
	struct ze_execution *pending;
	uint32_t index;
	bool told;
	/* if .told: its times as last read; as long as it has these, it was not signalled again */
	uint64_t last_start, last_end;
	/* its signal may have no times: a command with a slot, or the host, may signal it */
	bool elsewhere;
	/* how many queries in immediate lists keep its earlier times and have not been read */
	uint32_t kept;
	/* signalled by command .command of this recording, and not reset in it since */
	struct ze_recording *recorded;
	uint32_t command;
	/* its signal comes after this queue's executions up to .number. The queue may be gone */
	struct ze_queue *behind;
	uint64_t number;
	/* the graph's capture in which a command last signalled it */
	uint64_t session;
	/* in this recording, a query keeps the times of .kept_command before the event is reset */
	struct ze_recording *kept_in;
	uint32_t kept_command;
};

struct ze_event *tl_ze_event_find(ze_event_handle_t handle);
/* The same, but an event whose creation was not seen becomes known. NULL: memory is short. */
struct ze_event *tl_ze_event_known(ze_event_handle_t handle);
/* The layer can read the event's kernel timestamps, at any time. */
bool tl_ze_event_has_times(const struct ze_event *event);
/* Flags of a pool: its events have kernel timestamps. */
#define ZE_STAMPS                                                                                  \
	(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | 8u /* KERNEL_MAPPED_TIMESTAMP, which 1.4 lacks */)
void tl_ze_event_release(struct ze_event *event); /* one reference less; NULL: does nothing */
/* The event has timestamps, though the program asked for none. */
bool tl_ze_event_hides_times(const struct ze_event *event);
/* The hook of a call with this parameter begins, and ends, to use the event. NULL: does nothing. */
void tl_ze_event_enter(struct ze_event *event);
void tl_ze_event_leave(struct ze_event *event);

void tl_ze_events_forget(void);

extern const struct tl_hook tl_ze_event_hooks[];

#endif
