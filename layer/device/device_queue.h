/* SPDX-License-Identifier: MIT */
/*
 * device_queue.h: the structs of a device, a queue and a command, for this room only; users of the
 * room have pointers to them (work.h). work.c handles commands, device_queues.c makes devices and
 * queues, queue_lanes.c and queue_depth.c use the parts of a queue that are named for them.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_QUEUE_H
#define TL_LAYER_DEVICE_DEVICE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/clock.h"
#include "layer/device/spare_stack.h"
#include "layer/device/work.h"

enum tl_command_state { TL_COMMAND_PENDING, TL_COMMAND_DONE, TL_COMMAND_STUCK };

struct tl_device_command {
	struct tl_device_command *next;
	struct tl_device_queue *queue;
	_Atomic uint64_t submitted; /* nanoseconds, or ticks; 0: about to be */
	bool in_ticks;
	/* false: only tools watch it, and it is in no list */
	bool recorded;
	enum tl_command_state state; /* the queue's */
};

/* A time span on a lane. */
struct tl_lane_span {
	uint64_t start, end;
	uint32_t by; /* the lane of the thread that recorded it */
};

struct tl_queue_lane {
	uint32_t number;
	uint64_t forgotten; /* everything before this time counts as occupied */
	uint32_t count, room, look;
	struct tl_lane_span *spans; /* by their start */
};

struct tl_depth_edge {
	uint64_t ns;
	int32_t change;
};

struct tl_device_queue {
	struct tl_device_queue *next; /* of all; never changes */
	struct tl_device *device;
	uint32_t number;
	_Atomic bool released;
	char *name;  /* the one that was asked for, or NULL */
	char *label; /* what its lanes are called */
	_Atomic(struct tl_device_command *) inbox;
	_Atomic(struct tl_spare *) spare; /* for commands (spare_stack.h) */

	pthread_mutex_t lock;			 /* of all that follows */
	struct tl_device_command *first, **last; /* pending */
	uint32_t behind;			 /* done, behind the first */
	struct tl_queue_lane *lanes;		 /* room for a power of two */
	uint32_t nlanes;
	/* the first `crowded` lanes all have something that ends at .crowded_until or later */
	uint32_t crowded;
	uint64_t crowded_until;
	struct tl_depth_edge *edges; /* a heap */
	uint32_t nedges, edges_room;
	int64_t depth;
	uint64_t sampled; /* the time of the last sample */
	bool identified;  /* a slice has told which device it is */
	uint32_t counter; /* its name */
	struct tl_size_text {
		unsigned count;
		uint64_t size[3];
		uint32_t text;
	} global, local; /* printed lately */
};

struct tl_device {
	struct tl_device *next; /* of all; never changes */
	char *name;
	const char *api;       /* NULL: not known */
	char *uuid, *pci;      /* likewise */
	_Atomic uint32_t text; /* number of .name; 0 until it is needed */
	pthread_mutex_t lock;  /* of what follows */
	int64_t bytes;
	uint32_t counter;
};

/*
 * All of them, linked by .next. Release when one is added, acquire by whoever walks: its fields are
 * set.
 */
extern _Atomic(struct tl_device *) tl_devices;
extern _Atomic(struct tl_device_queue *) tl_device_queues;

/* In a forked child. */
void tl_device_queues_after_fork(void);

/*
 * When the command was submitted; 0: it is about to be. Acquire: pairs with the release in
 * command_set_time (work.c); .in_ticks is set.
 */
static inline uint64_t tl_device_submission(const struct tl_device_command *command)
{
	uint64_t time = atomic_load_explicit(&command->submitted, memory_order_acquire);

	return time && command->in_ticks ? tl_clock_ns(time) : time;
}

#endif
