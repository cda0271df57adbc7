/* SPDX-License-Identifier: MIT */
/*
 * opencl_commands.h: commands under way. A queue keeps its commands in the order of their
 * submission, from tl_cl_command_keep until whoever has claimed the queue takes them out.
 *
 * Only the thread that has claimed a queue takes commands out of it. It may read the list without
 * the lock, up to the list's end at the claim; other threads go on adding. So no lock is held while
 * the driver is called. A thread that finds a queue claimed leaves it to the claimer, also where a
 * driver calls the program back from inside of the layer's own call.
 *
 * Calls that waited are noted on the commands, under the queue's lock.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_COMMANDS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_COMMANDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/base/cache_near.h"
#include "layer/device/opencl/opencl_call.h"
#include "layer/device/opencl/opencl_queues.h"
#include "layer/device/opencl/opencl_waiting.h"

/*
 * A command under way. It is kept small, because each enqueue writes it. struct tl_device_work
 * explains the fields. Each enqueue prefetches the cache lines up to .waited.end (tl_cl_command_prepare).
 */
struct tl_cl_command {
	struct tl_cl_command *next;
	struct tl_cl_command *next_held; /* in the list of those that have an event */

	/* The thread that enqueues it fills in all of these. */
	struct tl_cl_queue *queue;
	struct tl_device_command *lane;
	/* the layer holds a reference; NULL: it has released it. Written under the lock */
	cl_event event;
	struct tl_cl_call submitted; /* the call that submitted it */
	uint32_t correlation, request;
	/* sizes as far as there are .dimensions, and .local[0] with them */
	struct tl_device_facts facts;
	bool owned;    /* the event is the layer's alone; else the program has it, too */
	bool blocking; /* the call that submits it waits for it, too */

	/* Its end. */
	/* for the claimer: it has ended, and will be taken out */
	bool done;
	_Atomic bool noted; /* a call has waited for it; written under the lock */
	cl_int status;	    /* negative: it failed */
	uint64_t seen;	    /* ticks: it had ended by then; 0: nobody has seen that yet */
	uint32_t has;	    /* when it has ended: which of the times below */
	/*
	 * of the calls that waited for it, the one that ended first; .end 0: none yet. Written
	 * under the lock
	 */
	struct tl_cl_call waited;
	uint64_t queued, submit, raw_start, raw_end;
};

#define TL_CL_COMMAND_WRITTEN (offsetof(struct tl_cl_command, waited.end) + sizeof(uint64_t))
_Static_assert(TL_CL_COMMAND_WRITTEN <= 3 * 64, "an enqueue writes three lines of the cache");

/* --- their memory */

/* Memory for a command that was enqueued. NULL where it is short. */
struct tl_cl_command *tl_cl_command_new(struct tl_cl_queue *queue);

/* The memory of its next command will be written soon: prefetch it. */
static inline void tl_cl_command_prepare(const struct tl_call *call)
{
	const char *spare = (const char *)tl_cl_thread_of_call(call)->spare;

	for (size_t i = 0; spare && i < TL_CL_COMMAND_WRITTEN; i += 64)
		tl_near_soon(spare + i);
}

/* It was reported: its memory goes back to its queue. */
void tl_cl_command_give_back(struct tl_cl_command *command);

/* --- counts, which others read without the lock */

static inline uint32_t tl_cl_count(const _Atomic uint32_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

/* Written by the lock's holder; others read it without the lock. */
static inline void tl_cl_count_add(_Atomic uint32_t *number, uint32_t change)
{
	atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + change,
			      memory_order_relaxed);
}

/* --- which have been waited for */

/*
 * Acquire: pairs with the release in tl_cl_note_from. A thread that sees, without the lock, that
 * all have been waited for, also sees queue->waited of that moment.
 */
static inline struct tl_cl_command *tl_cl_unnoted(const struct tl_cl_queue *queue)
{
	return atomic_load_explicit(&queue->unnoted, memory_order_acquire);
}

static inline void tl_cl_note_from(struct tl_cl_queue *queue, struct tl_cl_command *command)
{
	atomic_store_explicit(&queue->unnoted, command, memory_order_release);
}

/*
 * Of the calls that waited for a command, the one that ended first counts, whatever the order of
 * their hooks. Returns 1 if no call had waited for the command before, otherwise 0. Under the lock,
 * like the functions below.
 */
static inline uint32_t tl_cl_note(struct tl_cl_queue *queue, struct tl_cl_command *command,
				  const struct tl_cl_call *waited)
{
	bool first = !command->waited.end;

	if (!first && command->waited.end <= waited->end)
		return 0;
	command->waited = *waited;
	if (!first)
		return 0;
	if (atomic_load_explicit(&queue->waited, memory_order_relaxed) < waited->end)
		atomic_store_explicit(&queue->waited, waited->end, memory_order_relaxed);
	atomic_store_explicit(&command->noted, true, memory_order_relaxed);
	tl_cl_count_add(&queue->noted, 1);
	return 1;
}

static inline void tl_cl_pass_noted(struct tl_cl_queue *queue)
{
	struct tl_cl_command *command = tl_cl_unnoted(queue);

	while (command && command->waited.end)
		command = command->next;
	tl_cl_note_from(queue, command);
}

/* Some call that ended later is noted already. */
static inline bool tl_cl_overtaken(const struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	return atomic_load_explicit(&queue->waited, memory_order_relaxed) > waited->end;
}

/*
 * The first command that a call that has waited can change: one that no call has waited for, or
 * only a call that ended later though its hook came first.
 */
static inline struct tl_cl_command *tl_cl_first_for(const struct tl_cl_queue *queue,
						    const struct tl_cl_call *waited)
{
	return tl_cl_overtaken(queue, waited) ? queue->first : tl_cl_unnoted(queue);
}

/* --- the list */

/* A command that was filled in: it is under way. */
void tl_cl_command_keep(struct tl_cl_command *command);

/*
 * Claim the queue. False: another thread collects. *last: the last command that may be looked at,
 * or NULL. `noted`: the last that has been waited for.
 */
bool tl_cl_queue_claim(struct tl_cl_queue *queue, struct tl_cl_command **last, bool noted);

/* The same; wait for a thread that is collecting. False: that takes too long. */
bool tl_cl_queue_claim_patiently(struct tl_cl_queue *queue, struct tl_cl_command **last);

/*
 * Claim the queue that has this event's command under way. NULL: the command is not under way.
 */
struct tl_cl_queue *tl_cl_queue_claim_with(cl_event event);

void tl_cl_queue_unclaim(struct tl_cl_queue *queue);

/*
 * By the claimer: the last command that has an event, or NULL. Up to it, the claimer may read that
 * list without the lock.
 */
struct tl_cl_command *tl_cl_last_held(struct tl_cl_queue *queue);

/*
 * By the claimer, who releases the event. The command stays. `before`: the one before it that has
 * an event, or NULL.
 */
cl_event tl_cl_command_take_event(struct tl_cl_command *command, struct tl_cl_command *before);

/*
 * By the claimer: take out those that are .done, up to `last`, in the order that they were in.
 * Returns them, linked by .next.
 */
struct tl_cl_command *tl_cl_take_done(struct tl_cl_queue *queue, const struct tl_cl_command *last);

#endif
