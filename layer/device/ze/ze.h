/* SPDX-License-Identifier: MIT */
/*
 * ze.h: Level Zero's device lanes: what their files know of a program's objects, and what they
 * offer each other.
 *
 * Where times come from
 *
 *	a command without an event	The kernel timestamps of an event of ours. In regular lists
 *					of engines that only copy, and so can't copy an event's
 *					timestamps,
 *				global timestamps before and behind it.
 *	one with an event	That event's own kernel timestamps, if it has some that the host can
 *				read. The program may have asked for them; or its pool got the flags
 *				for that unseen when it was created. Pools that other processes
 *				share, extended ones and events that count are left as they are.
 *	one whose event can't serve	In lists that keep the order, global timestamps before and
 *					behind it. In others there are none: the command is shown
 *					with the
 *				host's times, and its slice says so.
 *	one that signals nothing	Global timestamps before and behind it: signals, waits,
 *					resets, prefetches.
 *
 * The program's event stays on its command, always: what it reads from it, and when it is
 * signalled, is what it would be without us. So nothing of ours waits for an event of the program's
 * on the device, nor for one that the host resets. A timestamp behind a command is the one thing of
 * ours that may stand in a list behind the program's signal: who destroys or resets a list then
 * waits a moment for it (tl_ze_wait_for_stamps), and a context's memory outlives it.
 *
 * Events that were not seen being created (a tool makes them inside its callbacks, a driver gives
 * out functions by pointer) may be destroyed unseen as well: they are asked only from inside of a
 * call of the program's that names them.
 *
 * Which execution they belong to
 *
 * What a list records is a recording (struct ze_recording): commands, our events, and slots for
 * global timestamps. Each execution of it overwrites the same events and slots. They are read by
 * the host, in hooks, as soon as they are ready: before the program resets, uses again or destroys
 * an event, and at the latest before the recording is executed again. If by then the device has not
 * come that far, a list of ours goes before it, which copies the last execution's results to memory
 * of their own (a capture). So a list that is waited for between its executions costs the device
 * nothing but its events.
 *
 * Locking: tl_ze_lock protects everything here. It may be held over driver calls that never wait
 * for the device (creating, querying, recording into a list of ours); those that may (appending to
 * the program's immediate lists, executing) are made without. A program records into a list by one
 * thread at a time, so what an append's hook has of a list stays while the lock is open.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_H
#define TL_LAYER_DEVICE_ZE_ZE_H

#include <level_zero/ze_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/clock_fit.h"
#include "layer/device/device.h"
#include "layer/device/handles.h"
#include "layer/device/work.h"
#include "layer/buffers/strings.h"

extern pthread_mutex_t tl_ze_lock;

/* The i-th parameter of a call. */
#define ZE_PARAM(call, i, type) (*(type *)(call)->params[i])

/* --- the driver: ze.c */

#define ZE_REAL_EACH(X)                                                                            \
	X(zeCommandListAppendBarrier)                                                              \
	X(zeCommandListAppendEventReset)                                                           \
	X(zeCommandListAppendMemoryCopy)                                                           \
	X(zeCommandListAppendMemoryFill)                                                           \
	X(zeCommandListAppendQueryKernelTimestamps)                                                \
	X(zeCommandListAppendSignalEvent)                                                          \
	X(zeCommandListAppendWriteGlobalTimestamp)                                                 \
	X(zeCommandListClose)                                                                      \
	X(zeCommandListCreate)                                                                     \
	X(zeCommandListDestroy)                                                                    \
	X(zeDeviceGetCommandQueueGroupProperties)                                                  \
	X(zeDeviceGetGlobalTimestamps)                                                             \
	X(zeDeviceGetProperties)                                                                   \
	X(zeEventCreate)                                                                           \
	X(zeEventDestroy)                                                                          \
	X(zeEventHostReset)                                                                        \
	X(zeEventHostSignal)                                                                       \
	X(zeEventPoolCreate)                                                                       \
	X(zeEventPoolDestroy)                                                                      \
	X(zeEventQueryKernelTimestamp)                                                             \
	X(zeEventQueryStatus)                                                                      \
	X(zeMemAllocHost)                                                                          \
	X(zeMemFree)                                                                               \
	X(zeMemGetAllocProperties)

struct tl_ze_real {
#define ZE_REAL_FIELD(function) __typeof__(&function) function;
	ZE_REAL_EACH(ZE_REAL_FIELD)
#undef ZE_REAL_FIELD
};

/* The driver's functions. Only good where tl_ze_usable. */
extern struct tl_ze_real tl_ze_real;

/* They are all there, and may still be called. With the lock held. */
bool tl_ze_usable(void);

/* One for each file that has hooks. */
extern const struct tl_device_api tl_device_ze, tl_device_ze_events, tl_device_ze_appends,
	tl_device_ze_executions, tl_device_ze_mutations, tl_device_ze_graphs;

/* Hooks of each file. */
extern const struct tl_hook tl_ze_object_hooks[], tl_ze_event_hooks[], tl_ze_append_hooks[],
	tl_ze_execute_hooks[], tl_ze_mutable_hooks[], tl_ze_graph_hooks[];

/* --- devices and their clocks: ze_device.c */

/* queue groups of a device, and engines of a group, that have lanes of their own */
#define ZE_GROUPS  16u
#define ZE_ENGINES 16u

struct ze_device {
	struct tl_handle handle;
	struct ze_device *next;
	struct tl_device *device;
	const char *name;
	struct tl_clock_fit clock;
	bool pairs; /* its clock can be read beside the host's */
	unsigned bits, kernel_bits;
	uint32_t groups;
	ze_command_queue_group_property_flags_t flags[ZE_GROUPS];
	struct tl_device_queue *engines[ZE_GROUPS][ZE_ENGINES];
};

/* NULL: it can't be asked. */
struct ze_device *tl_ze_device(ze_device_handle_t handle);

/* The lanes of an engine. */
struct tl_device_queue *tl_ze_engine(struct ze_device *device, uint32_t group, uint32_t index);

/* Engines of this group only copy. */
bool tl_ze_only_copies(const struct ze_device *device, uint32_t group);

/* Read both clocks, if it is time to. */
void tl_ze_pair(struct ze_device *device);

/* The same for all devices: the last chance. */
void tl_ze_pair_all(void);

/* Where memory lies that no device has. NULL where memory is short. */
struct tl_device *tl_ze_host(void);

void tl_ze_devices_forget(void);

/* --- our own objects in a program's context: ze_own.c */

/*
 * What the device writes for a command: as the result of a query of an event, or two global
 * timestamps. 0: not yet.
 */
struct ze_slot {
	uint64_t start, end;
	uint64_t context[2];
};
_Static_assert(sizeof(struct ze_slot) == sizeof(ze_kernel_timestamp_result_t),
	       "an event's timestamps are copied into a slot");

#define ZE_RUN 64u /* slots that lie together */

struct ze_run {
	struct ze_run *next;
	struct ze_slot *slots;
};

struct ze_own_event {
	struct ze_own_event *next;
	ze_event_handle_t event;
};

/* It stays, once known, for who still has a pointer to it. */
struct ze_context {
	struct tl_handle handle;
	bool gone;
	struct ze_pools *pools;	     /* of ours */
	struct ze_own_event *events; /* free, and not signalled */
	struct ze_slab *slabs;
	struct ze_run *runs;	     /* free */
	struct ze_slot *single_free; /* slots given one by one: linked by .start */
	struct ze_capture *captures; /* that nobody needs any more */
	ze_event_pool_handle_t plain_pool;
	ze_event_handle_t plain[2]; /* without timestamps; the second is signalled */
	/* the device may yet write to memory of ours that is in it */
	bool outlived;
	struct ze_recording *recordings; /* that live in it */
};

struct ze_context *tl_ze_context(ze_context_handle_t handle); /* made where there is none yet */
/* Everything of ours that is in it, too. */
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
/* An event that has no timestamps, in this state. NULL: there is none. */
ze_event_handle_t tl_ze_plain(struct ze_context *context, bool signalled);

/* --- the program's objects: ze_objects.c, ze_events.c */

struct ze_kernel {
	struct tl_handle handle;
	char *name;
	uint32_t group[3]; /* [0] 0: not set */
};

struct ze_image {
	struct tl_handle handle;
	uint64_t pixels;
	uint32_t pixel; /* bytes; 0: not known */
};

struct ze_pool {
	struct tl_handle handle;
	struct ze_context *context;
	ze_event_pool_flags_t flags; /* that the program asked for */
	bool changed;		     /* it got more */
	bool counts;		     /* its events are counter-based */
	struct ze_event *events;
};

struct ze_event {
	struct tl_handle handle;
	struct ze_pool *pool;	       /* NULL: not one that was seen being created */
	struct ze_event *next, **link; /* of the pool */
	uint32_t references;
	bool seen; /* being created: so it is seen being destroyed, too */
	/* counter-based: it stands for the command that was last to signal it, and for no other */
	bool counts;
	/* one that has no pool: the program asked for timestamps that the host can read */
	bool stamps;
	bool destroyed;
	/* calls of the program's that name it, which are in their hooks: it exists */
	uint32_t here;
	/* it may have been signalled already when .pending was submitted */
	bool stale;
	/* the last command that is to signal it, unless its times have been read */
	struct ze_execution *pending;
	uint32_t index;
	bool told;
	/*
	 * .told: its times, as last read: while it says so still, it has not been signalled again
	 */
	uint64_t last_start, last_end;
	/*
	 * it may have been signalled by what is not read from it: by a command with a slot, or by
	 * the host
	 */
	bool elsewhere;
	/* queries in immediate lists that are to keep earlier ones, and have not been read */
	uint32_t kept;
	/* signalled by this recording's command .command, and not reset in it since */
	struct ze_recording *recorded;
	uint32_t command;
	/* it is signalled behind this queue's executions up to .number. The queue may be gone */
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

/* A command queue, or an immediate list's. Executions are numbered through all queues. */
struct ze_queue {
	struct tl_handle handle;
	struct ze_device *device;
	struct tl_device_queue *lanes;
	bool synchronous;
	uint64_t number; /* of the last execution */
	/* of the last one of which something has been read: what stands before it is over */
	uint64_t over;
	struct ze_execution *first, **last;
	struct ze_queue *next, **link; /* of all */
};

struct ze_fence {
	struct tl_handle handle;
	ze_command_queue_handle_t queue;
	uint64_t number; /* executions up to this one are over when it is signalled */
};

struct ze_list {
	struct tl_handle handle;
	struct ze_context *context;
	struct ze_device *device;
	uint32_t group;
	bool only_copies;
	bool in_order;
	struct ze_queue *queue;		/* immediate */
	struct ze_recording *recording; /* regular */
	/* that the program asked for, of the next command to be appended; 0: none */
	uint64_t next_id;
	/* the next command's event may be replaced by the program: it is to have none of ours */
	bool next_signals;
	uint64_t session; /* of the graph's capture that it took part in last */
};

struct ze_event *tl_ze_event_find(ze_event_handle_t handle);
/* The same for one that was not seen being created. NULL: memory is short. */
struct ze_event *tl_ze_event_known(ze_event_handle_t handle);
/* Its kernel timestamps can be read by us, at any time. */
bool tl_ze_event_has_times(const struct ze_event *event);
/* Flags of a pool: its events have kernel timestamps. */
#define ZE_STAMPS                                                                                  \
	(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | 8u /* KERNEL_MAPPED_TIMESTAMP, which 1.4 lacks */)
void tl_ze_event_release(struct ze_event *event); /* one reference less; NULL: nothing */
/* The program asked for no timestamps of it, and it has some all the same. */
bool tl_ze_event_hides_times(const struct ze_event *event);
/* Around what is done in the hook of a call that names it; NULL: nothing. */
void tl_ze_event_enter(struct ze_event *event);
void tl_ze_event_leave(struct ze_event *event);
struct ze_image *tl_ze_image_find(ze_image_handle_t handle);
struct ze_kernel *tl_ze_kernel_find(ze_kernel_handle_t handle);
struct ze_list *tl_ze_list_find(ze_command_list_handle_t handle);
struct ze_queue *tl_ze_queue_find(ze_command_queue_handle_t handle);
struct ze_fence *tl_ze_fence_find(ze_fence_handle_t handle);
struct ze_queue *tl_ze_queues(void); /* the first of all */
/* The driver has just made a copy of a regular list. With the lock held. */
void tl_ze_list_clone(const struct ze_list *list, ze_command_list_handle_t clone);
void tl_ze_objects_forget(void);
void tl_ze_events_forget(void);

/* --- recordings and executions: ze_collect.c, ze_capture.c */

enum ze_source {
	ZE_OWN,	    /* our event's */
	ZE_THEIRS,  /* the program's event's */
	ZE_BRACKET, /* the slot's two global timestamps */
	ZE_INSTANT, /* the slot's first */
	/* the slot, to which the program's event's are copied before the list resets it */
	ZE_QUERY,
	ZE_NONE, /* nowhere: memory was short */
};

struct ze_command {
	char *name; /* a kernel's; NULL: what */
	const char *what;
	enum tl_device_kind kind;
	enum ze_source source;
	struct ze_own_event *own;
	struct ze_event *event; /* the program's, that is signalled; a reference */
	struct ze_slot *slot;
	uint64_t bytes;
	const char *peer;
	unsigned dimensions;
	uint64_t global[3], local[3];
	uint32_t kernels; /* of a launch of several; 0: it is none */
	uint64_t id;	  /* by which the program may change it; 0: it may not */
	bool keeps;	  /* its event is the program's to choose: none of ours */
	/* 1 + the command whose times a query before this one keeps; 0: none */
	uint32_t previous;
};

struct ze_recording {
	uint32_t references;	    /* the list's, and each execution's */
	struct ze_context *context; /* NULL: it is gone, and all of ours in it */
	struct ze_device *device;
	uint32_t group;
	bool immediate;
	/* what it has of ours may yet be written by the device: not to be used again */
	bool dirty;
	struct ze_command *commands;
	uint32_t count, room;
	struct ze_run *runs;
	uint32_t in_run; /* slots used of the first */
	/* the last execution, while it has results in events and slots */
	struct ze_execution *live;
	struct ze_capture *captures;	   /* free */
	struct ze_recording *next, **link; /* of the context */
};

struct ze_item {
	struct tl_device_command *command; /* NULL: shown, or not to be shown */
	bool read;
	bool lost; /* its times can't be had */
	bool shown;
	uint64_t start, end; /* as read */
	struct tl_device_call waited;
	/* waited for its event, before the timestamp behind it was there */
	struct tl_device_call near;
};

struct ze_execution {
	struct ze_execution *next, **link; /* of the queue */
	struct ze_recording *recording;
	struct ze_queue *queue;
	struct ze_capture *capture; /* that its results go to */
	/* of the same recording, by a capture between the two; NULL: it is over */
	struct ze_execution *before, *behind;
	uint64_t number;
	uint64_t began; /* when it was about to be submitted */
	uint32_t correlation, request;
	bool submitted; /* the call has returned */
	struct tl_device_call call;
	uint32_t left, first_left; /* items that are not shown; the first of them */
	struct ze_item items[];
};

struct ze_recording *tl_ze_recording_new(struct ze_context *context, struct ze_device *device,
					 uint32_t group, bool immediate);
void tl_ze_recording_release(struct ze_recording *recording);
/* Its context is going to be destroyed: what of it has not ended never will. */
void tl_ze_recording_orphan(struct ze_recording *recording);
/* Room for one more command, to be filled in and counted. NULL: memory is short. */
struct ze_command *tl_ze_command_next(struct ze_recording *recording);
/*
 * What a command holds is let go of. `clean`: our event is not signalled, and the device has no use
 * for event and slot any more.
 */
void tl_ze_command_clear(struct ze_recording *recording, struct ze_command *command, bool clean);
struct ze_slot *tl_ze_recording_slot(struct ze_recording *recording);

/*
 * Where the times of a command come from that has an event of the program's (or may get one): that
 * stays where it is.
 */
void tl_ze_choose_for_event(bool in_order, bool regular, struct ze_recording *recording,
			    struct ze_command *command);

/*
 * An execution of all that is recorded, about to be submitted; the last one of its queue. NULL:
 * nothing of it is to be shown, or memory is short.
 */
struct ze_execution *tl_ze_execution_new(struct ze_recording *recording, struct ze_queue *queue,
					 uint32_t correlation, uint32_t request);
/* It was not submitted. */
void tl_ze_execution_cancel(struct ze_execution *execution);

/* Read what is ready of an item. */
bool tl_ze_item_read(struct ze_execution *execution, uint32_t index);

/* Read what is ready of all of them. False: there are some left. */
bool tl_ze_execution_read(struct ze_execution *execution);

/* What its commands leave can't be told from what others leave in the same places, from now on. */
void tl_ze_recording_spoil(struct ze_recording *recording);

/* This command is changed by the program: it is going to signal this event, or none (NULL). */
void tl_ze_recording_signal(struct ze_recording *recording, struct ze_command *command,
			    struct ze_event *event);

/* Show what is ready of a recording's commands, wherever they are executed. */
void tl_ze_recording_collect(const struct ze_recording *recording);

/* Show what is ready of a queue's commands. */
void tl_ze_collect(struct ze_queue *queue);

/* The executions up to this number are over; `waited`: by this call. Show them. */
void tl_ze_drain(struct ze_queue *queue, uint64_t number, const struct tl_device_call *waited);

/* The number of the last execution of all. */
uint64_t tl_ze_last_number(void);

/* It is signalled behind all that the queue was given so far. */
void tl_ze_event_behind(struct ze_event *event, struct ze_queue *queue);

/* The command that was to signal it has: show it. `waited` may be NULL. */
void tl_ze_signalled(struct ze_event *event, const struct tl_device_call *waited);

/* It is going to be reset, used again or destroyed: read what it has. False: it is not ready. */
bool tl_ze_settle(struct ze_event *event);

/*
 * Timestamps behind commands whose events the program may have seen: wait until they are written, a
 * moment at most. One of both is NULL. With the lock held.
 */
void tl_ze_wait_for_stamps(struct ze_queue *queue, const struct ze_recording *recording);

/* The queue is gone, or the process ends: show what is left as unfinished. */
void tl_ze_give_up(struct ze_queue *queue);

/* --- graphs: ze_graph.c */

/*
 * What is appended to this list is not executed, but captured for a graph: nothing of ours may go
 * there. True for a list that waits for an event of a captured command, too, and from then on.
 */
bool tl_ze_is_captured(struct ze_list *list, ze_event_handle_t signal, uint32_t count,
		       const ze_event_handle_t *waits);
void tl_ze_list_is_gone(const struct ze_list *list);
void tl_ze_graphs_forget(void);

struct ze_capture {
	struct ze_capture *next;
	ze_command_list_handle_t list;
	struct ze_slot *slots; /* of each command; then copies of the recording's runs */
	size_t size;	       /* of these, in bytes */
	bool executed;
	struct ze_own_event *done;
};

/* NULL: can't be had. */
struct ze_capture *tl_ze_capture_take(struct ze_recording *recording);
void tl_ze_capture_give(struct ze_recording *recording, struct ze_capture *capture);
/*
 * Nobody needs it any more, but the device may not be through with it: destroyed later, or with the
 * context.
 */
void tl_ze_capture_discard(struct ze_context *context, struct ze_capture *capture);
void tl_ze_capture_free(struct ze_context *context, struct ze_capture *capture);
bool tl_ze_capture_is_done(const struct ze_capture *capture);
const struct ze_slot *tl_ze_capture_slot(const struct ze_execution *execution, uint32_t index);

#endif
