/* SPDX-License-Identifier: MIT */
/*
 * opencl_queues.h: the queues that the program has created, and what is kept of each. What a queue
 * keeps of its commands is opencl_commands.c's.
 *
 * A queue stays in the table for ever; a new one with the same handle takes its place.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_QUEUES_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_QUEUES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/base/spin_lock.h"
#include "layer/device/handles.h"
#include "layer/device/opencl/opencl_call.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/spare_stack.h"

struct tl_cl_command;

#define TL_CL_FINISHES 256u

struct tl_cl_queue {
	struct tl_handle handle;  /* cl_command_queue */
	struct tl_cl_queue *next; /* of all; never changes */
	struct tl_cl_device *device;
	struct tl_device_queue *lanes;
	_Atomic uint32_t references; /* the program's */
	_Atomic bool profiles;	     /* the driver times its commands */
	_Atomic bool given;	     /* because the layer asked for it, and the program did not */
	bool in_order;
	/* what the program gave, with the 0 that ends it; NULL: nothing */
	cl_queue_properties *list;
	size_t list_bytes;
	size_t driver_bytes; /* of the list that the driver got */

	/* Protects what follows; no driver is called under it. */
	struct tl_spin_lock lock;
	struct tl_cl_command *first, *last; /* under way, in the order of their submission */
	/* those of them that have an event, in the same order */
	struct tl_cl_command *first_held, *last_held;
	uint32_t theirs; /* that had ended, and that the program still had at its last question */
	/* for commands of threads that have none of their own; without the lock (spare_stack.h) */
	_Atomic(struct tl_spare *) spare;
	/*
	 * No command before this one is without a call that has waited for it; NULL: none at all.
	 * Written under the lock, with release.
	 */
	struct tl_cl_command *_Atomic unnoted;
	_Atomic uint32_t count;	    /* commands under way; written under the lock */
	_Atomic uint32_t submitted; /* commands so far, modulo 2 to the 32; likewise */
	uint32_t awaited; /* so many of them a process's end has asked about; the ending thread's */
	_Atomic uint32_t noted; /* how many of these have been waited for; likewise */
	bool claimed;		/* a thread collects; only that thread takes commands out */
	/* taken out, events released: to be reported */
	struct tl_cl_command *untold, *last_untold;
	_Atomic uint32_t untolds; /* how many; written under the lock */
	/* the latest end of a call that is noted as having waited; written under the lock */
	_Atomic uint64_t waited;
	/*
	 * The last calls that waited for the whole queue: for commands whose enqueuing call had
	 * returned before, but that came into the list only afterwards.
	 */
	uint32_t finished;     /* how many there were */
	uint64_t finish_began; /* of these, when the last began */
	struct tl_cl_call finishes[TL_CL_FINISHES];
	uint32_t looked; /* the ending thread's: .submitted, when it looked last */
};

/* The queue, if it is known. */
struct tl_cl_queue *tl_cl_queue_find(cl_command_queue handle);

/* The queue, by asking the driver if it is not known yet. NULL: it is none, or memory is short. */
struct tl_cl_queue *tl_cl_queue_of(cl_command_queue handle);

/* What there is to know of a queue when it is created, or first met. */
struct tl_cl_queue_facts {
	struct tl_cl_device *device;
	uint32_t references;
	bool profiles, given, in_order;
	cl_queue_properties *list; /* the table's, unless NULL is returned */
	size_t list_bytes, driver_bytes;
};

/* A queue that was just created. NULL: memory is short. */
struct tl_cl_queue *tl_cl_queue_created(cl_command_queue handle,
					const struct tl_cl_queue_facts *facts);

#define TL_CL_PROFILING ((cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE)
static inline bool tl_cl_is_in_order(cl_command_queue_properties properties)
{
	return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* All queues there ever were, by .next. */
struct tl_cl_queue *tl_cl_queues(void);

/* Whether the layer added profiling to any queue; and: it has now. */
bool tl_cl_queues_are_given(void);
void tl_cl_queues_note_given(void);

void tl_cl_queues_after_fork(void);

#endif
