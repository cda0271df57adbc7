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
	bool changed;		     /* it got more */
	bool counts;		     /* its events are counter-based */
	struct ze_event *events;
};

struct ze_execution;
struct ze_queue;
struct ze_recording;

struct ze_event {
	struct tl_handle handle;
	struct ze_pool *pool;	       /* NULL: nobody saw the event being created */
	struct ze_event *next, **link; /* of the pool */
	uint32_t references;
	bool seen; /* the layer saw it being created, and so will see it being destroyed */
	/* counter-based: it stands only for the last command that is to signal it */
	bool counts;
	/* it has no pool, and the program asked for timestamps that the host can read */
	bool stamps;
	bool destroyed;
	/* calls of the program's in whose hooks it is used: while there are any, it exists */
	uint32_t here;
	/* it may have been signalled already when .pending was submitted */
	bool stale;
	/* the last command that is to signal it, unless its times have been read */
	struct ze_execution *pending;
	uint32_t index;
	bool told;
	/*
	 * if .told, its times as last read: while it still has these, nobody has signalled it again
	 */
	uint64_t last_start, last_end;
	/*
	 * its signal may come from something that has no times in it: from a command with a slot,
	 * or from the host
	 */
	bool elsewhere;
	/* queries in immediate lists that keep earlier times and have not been read */
	uint32_t kept;
	/* signalled by this recording's command .command, and not reset in it since */
	struct ze_recording *recorded;
	uint32_t command;
	/* its signal comes behind this queue's executions up to .number. The queue may be gone */
	struct ze_queue *behind;
	uint64_t number;
	/* of the graph's capture in which a command was last to signal it */
	uint64_t session;
	/*
	 * a query in this recording keeps the times of its .kept_command before the event is reset
	 */
	struct ze_recording *kept_in;
	uint32_t kept_command;
};

struct ze_event *tl_ze_event_find(ze_event_handle_t handle);
/* The same; an event that nobody saw being created becomes known. NULL: memory is short. */
struct ze_event *tl_ze_event_known(ze_event_handle_t handle);
/* The layer can read its kernel timestamps, at any time. */
bool tl_ze_event_has_times(const struct ze_event *event);
/* Flags of a pool: its events have kernel timestamps. */
#define ZE_STAMPS                                                                                  \
	(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | 8u /* KERNEL_MAPPED_TIMESTAMP, which 1.4 lacks */)
void tl_ze_event_release(struct ze_event *event); /* one reference less; NULL: nothing */
/* It has timestamps, though the program asked for none. */
bool tl_ze_event_hides_times(const struct ze_event *event);
/* The hook of a call that names it begins, and ends, to use it; NULL: nothing happens. */
void tl_ze_event_enter(struct ze_event *event);
void tl_ze_event_leave(struct ze_event *event);

void tl_ze_events_forget(void);

extern const struct tl_hook tl_ze_event_hooks[];

#endif
