/* SPDX-License-Identifier: MIT */
/*
 * opencl.h: what the files of OpenCL's device lanes know of each other.
 *
 *	opencl.c		the hooks, the driver's functions, the end
 *	opencl_commands.h	every function that enqueues something: what that is called, and
 *				where its bytes come from
 *	opencl_commands.c	the hooks of all of these
 *	opencl_collect.c	commands under way, what their events say of them, and the calls
 *				that waited for them
 *	opencl_queues.c		queues, which get profiling, and what the program is told of them
 *	opencl_events.c		what the program is told of its events
 *	opencl_devices.c	devices and their clocks
 *	opencl_kernels.c	kernels' names
 *	opencl_memory.c		memory that the program has
 *
 * Nobody may notice: what the program asks its driver is answered as without us. An event that the
 * program asked for is retained by us until its command is collected; for a command of which it
 * wanted no event we ask for one. All is collected by a thread of ours, or in hooks of the
 * program's own calls: nothing waits.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "layer/buffers/buffer.h"
#include "layer/device/clock_fit.h"
#include "layer/device/device.h"
#include "layer/device/handles.h"
#include "layer/device/hook.h"
#include "layer/base/spin_lock.h"
#include "layer/device/work.h"
#include "layer/base/cache_near.h"
#include "tracelayer/shim.h"

/* --- the driver's functions, for calls of our own; NULL where one is lacking */

#define TL_CL_FUNCTIONS(X)                                                                         \
	X(clCreateUserEvent)                                                                       \
	X(clEnqueueMarker)                                                                         \
	X(clGetCommandQueueInfo)                                                                   \
	X(clGetContextInfo)                                                                        \
	X(clGetDeviceAndHostTimer)                                                                 \
	X(clGetDeviceInfo)                                                                         \
	X(clGetEventInfo)                                                                          \
	X(clGetEventProfilingInfo)                                                                 \
	X(clGetImageInfo)                                                                          \
	X(clGetKernelInfo)                                                                         \
	X(clGetMemObjectInfo)                                                                      \
	X(clReleaseEvent)                                                                          \
	X(clRetainEvent)

#define TL_CL_MEMBER(name) __typeof__(&(name)) name;
struct tl_cl_driver {
	TL_CL_FUNCTIONS(TL_CL_MEMBER)
};
#undef TL_CL_MEMBER
extern struct tl_cl_driver tl_cl;

/* Whether they are known; opencl.c's own. Release, acquire: they are there. */
enum tl_cl_known { TL_CL_UNKNOWN, TL_CL_LACKING, TL_CL_USABLE };
extern _Atomic enum tl_cl_known tl_cl_known;
bool tl_cl_know(void);

/*
 * The driver may be asked: its functions are known, and the lanes have not ended. First thing in
 * hooks that make calls of their own.
 */
static inline bool tl_cl_ready(void)
{
	return !tl_device_has_ended() &&
	       (TL_LIKELY(atomic_load_explicit(&tl_cl_known, memory_order_acquire) ==
			  TL_CL_USABLE) ||
		tl_cl_know());
}

/* A parameter of a hooked call, as the driver sees it. */
#define TL_CL_PARAM(type, call, i) (*(type *)(call)->params[i])

#define TL_CL_BEFORE(name) void name(struct tl_call *call, void *state)
#define TL_CL_AFTER(name)                                                                          \
	void name(struct tl_call *call, void *state, uint64_t result, bool unwound)

/* The call returned CL_SUCCESS. */
static inline bool tl_cl_succeeded(uint64_t result, bool unwound)
{
	return !unwound && (cl_int)result == CL_SUCCESS;
}

/* --- devices */

enum tl_cl_clock {
	TL_CL_TIMERS, /* the driver reads the device's clock for us */
	TL_CL_HOST,   /* it doesn't, but stamps commands with one of the host's clocks */
	TL_CL_QUEUED, /* or with one that we can't read, but while they are enqueued */
	/* all that is known is that commands ran between their submission and their end */
	TL_CL_BRACKETS,
};

struct tl_cl_device {
	struct tl_handle handle;   /* cl_device_id */
	struct tl_cl_device *next; /* of all; never changes */
	struct tl_device *device;
	char *name;
	pthread_mutex_t lock; /* protects what follows; nothing is called under it */
	struct tl_clock_fit fit;
	enum tl_cl_clock _Atomic clock; /* also looked at without the lock */
	/* ticks: when to see if the clock should be read; without the lock */
	_Atomic uint64_t look_again;
	clockid_t host; /* TL_CL_HOST: which one */
	/* commands whose stamps were compared with the host's clocks */
	uint32_t looks;
	bool reading;	 /* some thread reads the clock */
	bool proven;	 /* commands' stamps fit the clock */
	uint64_t forced; /* when stamps that did not fit had it read last */
};

/* NULL where memory is short. */
struct tl_cl_device *tl_cl_device_of(cl_device_id id);

/* The first device of a context; NULL: not known. */
struct tl_cl_device *tl_cl_device_of_context(cl_context context);

/* Read the device's clock and the host's together, if it is time for that. `now`: ticks. */
void tl_cl_device_keep_up(struct tl_cl_device *device, uint64_t now);

/* Fill in the times of a command that its driver timed, and that was seen complete at `seen`. */
void tl_cl_device_convert(struct tl_cl_device *device, struct tl_device_work *work, uint64_t seen);

void tl_cl_devices_after_fork(void);

/* --- queues */

struct tl_cl_command;

/*
 * As struct tl_device_call, but in ticks, which a call has anyway. What is told of a command is
 * converted as the call's own record is going to be: so they can't be in another order than that in
 * which they were.
 */
struct tl_cl_call {
	uint32_t tid, thread;
	uint64_t start, end;
};

/* In a hook's `after`. */
static inline struct tl_cl_call tl_cl_call_of(const struct tl_call *call)
{
	const struct tl_producer *thread = (const struct tl_producer *)(const void *)call->thread;

	return (struct tl_cl_call){.tid = tl_hook_is_recorded(call) ? thread->shown : 0,
				   .thread = thread->tid,
				   .start = call->start,
				   .end = call->end};
}

#define TL_CL_FINISHES 256u

struct tl_cl_queue {
	struct tl_handle handle;  /* cl_command_queue */
	struct tl_cl_queue *next; /* of all; never changes */
	struct tl_cl_device *device;
	struct tl_device_queue *lanes;
	_Atomic uint32_t references; /* the program's */
	_Atomic bool profiles;	     /* the driver times its commands */
	_Atomic bool given;	     /* because we asked for it, and the program did not */
	bool in_order;
	/* what the program gave, with the 0 that ends it; NULL: nothing */
	cl_queue_properties *list;
	size_t list_bytes;
	size_t driver_bytes; /* of the list that the driver got */

	/* Protects what follows; no driver is called under it. */
	struct tl_spin_lock lock;
	struct tl_cl_command *first, *last; /* under way, in the order of their submission */
	/* for threads that have none of their own; without the lock */
	struct tl_cl_command *_Atomic spare;
	/*
	 * No command before this one is without a call that has waited for it; NULL: none at all.
	 * Written under the lock, with release.
	 */
	struct tl_cl_command *_Atomic unnoted;
	_Atomic uint32_t count; /* under way; written under the lock */
	_Atomic uint32_t noted; /* of these, so many have been waited for; likewise */
	bool claimed;		/* somebody collects, who alone takes commands out */
	/* taken out, their events are let go of: to be told of */
	struct tl_cl_command *untold, *last_untold;
	_Atomic uint32_t untolds; /* so many; written under the lock */
	/* the latest end of a call that is noted as having waited; written under the lock */
	_Atomic uint64_t waited;
	/*
	 * The last calls that waited for all of the queue: for commands whose call had returned
	 * before, and that are not in the list until after.
	 */
	uint32_t finished;     /* how many there were */
	uint64_t finish_began; /* of these, when the last began */
	struct tl_cl_call finishes[TL_CL_FINISHES];
};

/* The queue, if it is known. */
struct tl_cl_queue *tl_cl_queue_find(cl_command_queue handle);

/* The queue, by asking the driver if it is not known yet. NULL: it is none, or memory is short. */
struct tl_cl_queue *tl_cl_queue_of(cl_command_queue handle);

/* All queues there ever were, by .next. */
struct tl_cl_queue *tl_cl_queues(void);

/* Some queue times its commands without the program's knowing. */
bool tl_cl_queues_are_given(void);

void tl_cl_queues_after_fork(void);

TL_CL_BEFORE(tl_cl_create_queue_before);
TL_CL_AFTER(tl_cl_create_queue_after);
TL_CL_BEFORE(tl_cl_create_listed_queue_before);
TL_CL_AFTER(tl_cl_create_listed_queue_after);
TL_CL_AFTER(tl_cl_retain_queue_after);
TL_CL_BEFORE(tl_cl_release_queue_before);
TL_CL_BEFORE(tl_cl_queue_info_before);
TL_CL_AFTER(tl_cl_queue_info_after);
TL_CL_BEFORE(tl_cl_set_queue_before);
TL_CL_AFTER(tl_cl_set_queue_after);

/* --- events */

TL_CL_BEFORE(tl_cl_event_info_before);
TL_CL_AFTER(tl_cl_event_info_after);
TL_CL_BEFORE(tl_cl_event_times_before);
TL_CL_AFTER(tl_cl_event_times_after);

/* --- commands */

/*
 * What is kept of one while it is under way, and no more: it is written at each enqueue. struct
 * tl_device_work says what the fields are.
 */
struct tl_cl_command {
	struct tl_cl_command *next;

	/*
	 * Who enqueues it fills in all of these (the sizes as far as there are .dimensions, and
	 * .local[0] with them).
	 */
	struct tl_cl_queue *queue;
	struct tl_device_command *lane;
	cl_event event;		     /* we hold it */
	struct tl_cl_call submitted; /* the call that submitted it */
	uint32_t correlation, request;
	const char *name, *peer;
	uint64_t bytes;
	bool owned;    /* ours alone; else the program has it, too */
	bool blocking; /* the call that submits it waits for it, too */
	uint8_t kind, dimensions;
	uint64_t global[3], local[3];

	/* What becomes of it. */
	/* the claimer's: it has ended, and is about to be taken out */
	bool done;
	_Atomic bool noted; /* a call has waited for it; written under the lock */
	cl_int status;	    /* negative: it failed */
	/*
	 * of those that waited for it the one that ended first; .end 0: none yet. Written under the
	 * lock
	 */
	struct tl_cl_call waited;
	/* When it has ended: */
	uint64_t seen; /* ticks: by then */
	uint32_t has;
	uint64_t queued, submit, raw_start, raw_end;
};

/*
 * The call is the driver's own, made inside of one of the program's that enqueues something or
 * creates a queue.
 */
bool tl_cl_is_inner(const struct tl_call *call);
static inline bool tl_cl_is_drivers(const struct tl_call *call)
{
	return TL_UNLIKELY(call->open != call->thread->open) && tl_cl_is_inner(call);
}

TL_CL_BEFORE(tl_cl_enqueue_before);
TL_CL_AFTER(tl_cl_enqueue_after);
TL_CL_AFTER(tl_cl_create_buffer_of_commands_after);
void tl_cl_commands_after_fork(void);

/* --- collecting */

/*
 * Memory for a command that was enqueued, NULL where it is short; and, when that is filled in: keep
 * it.
 */
struct tl_cl_command *tl_cl_command_new(struct tl_cl_queue *queue);
static inline void tl_cl_command_prepare(const struct tl_call *call)
{
	const char *spare =
		(const char *)((const struct tl_producer *)(const void *)call->thread)->cl_spare;

	for (size_t i = 0; spare && i < offsetof(struct tl_cl_command, has); i += 64)
		tl_near_soon(spare + i);
}

void tl_cl_command_keep(struct tl_cl_command *command);

/* Collect what has ended, of one queue and of all, and let go of it. Never waits. */
void tl_cl_collect(struct tl_cl_queue *queue);
void tl_cl_collect_all(void);

/* In the background: see struct tl_device_api. */
enum tl_device_left tl_cl_collect_some(void);
bool tl_cl_awaits(void);

/* A command was enqueued, which the device is busy with: a good time to tell of others. */
void tl_cl_collect_meanwhile(const struct tl_call *call, struct tl_cl_queue *queue);

/*
 * The call has returned, and so it has waited for these events' commands (and, in queues that keep
 * the order, for those before them).
 */
void tl_cl_waited_events(const struct tl_call *call, const cl_event *events, cl_uint count);

/*
 * The queue that has this event's command under way, where nobody collects until tl_cl_release.
 * NULL: it is not under way.
 */
struct tl_cl_queue *tl_cl_claim(cl_event event);
void tl_cl_release(struct tl_cl_queue *queue);

TL_CL_BEFORE(tl_cl_finish_before);
TL_CL_AFTER(tl_cl_finish_after);
TL_CL_BEFORE(tl_cl_wait_before);
TL_CL_AFTER(tl_cl_wait_after);
/* Before calls after which the program might see that we still hold something. */
TL_CL_BEFORE(tl_cl_collect_before);

/* Collect what has ended until `deadline`; the rest is shown as unfinished. */
void tl_cl_collect_end(uint64_t deadline);

/* --- kernels */

/* The kernel's name; NULL: not known. It stays. */
const char *tl_cl_kernel_name(cl_kernel kernel);

TL_CL_BEFORE(tl_cl_release_kernel_before);
void tl_cl_kernels_after_fork(void);

/* --- memory */

/* Bytes of a mapping, which is over with this. 0: not known. */
void tl_cl_memory_mapped(const void *pointer, uint64_t bytes);
uint64_t tl_cl_memory_unmapped(const void *pointer);

/* Bytes of an allocation (SVM, USM). 0: not known. */
uint64_t tl_cl_memory_size(const void *pointer);
void tl_cl_memory_freed(const void *pointer);
void tl_cl_memory_after_fork(void);

TL_CL_AFTER(tl_cl_create_object_after);
TL_CL_AFTER(tl_cl_allocate_after);
TL_CL_AFTER(tl_cl_retain_object_after);
TL_CL_BEFORE(tl_cl_release_object_before);
TL_CL_AFTER(tl_cl_release_object_after);
TL_CL_BEFORE(tl_cl_free_before);

#endif
