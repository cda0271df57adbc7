/* SPDX-License-Identifier: MIT */
/*
 * opencl_commands.c: see opencl_commands.h.
 */
#include "layer/device/opencl/opencl_commands.h"

#include <time.h>

#include "layer/device/device_lanes.h"
#include "layer/base/cache_near.h"
#include "layer/buffers/buffer.h"
#include "layer/calls/hook.h"
#include "layer/calls/inside_hook.h"

/* how far behind the last one that was waited for the list is searched for another */
#define SEARCH 64u
/* nanoseconds that a call of the program may wait for a thread that is collecting */
#define CLAIM_WAIT 100000000u

/* --- their memory */

TL_NEAR_CODE struct tl_cl_command *tl_cl_command_new(struct tl_cl_queue *queue)
{
	struct tl_cl_thread *thread =
		tl_cl_thread_of((const struct tl_producer *)(const void *)tl_self);

	return tl_spare_take(&thread->spare, &queue->spare, sizeof(struct tl_cl_command));
}

void tl_cl_command_give_back(struct tl_cl_command *command)
{
	tl_spare_give_back(&command->queue->spare, command);
}

/* --- the list */

/*
 * Of the queue's last finishes that began after the command's submission, the one that ended first.
 * NULL: there is none.
 */
static const struct tl_cl_call *queue_finish_of(const struct tl_cl_queue *queue,
						const struct tl_cl_command *command)
{
	uint32_t i = queue->finished < TL_CL_FINISHES ? queue->finished : TL_CL_FINISHES;
	const struct tl_cl_call *first = NULL;

	if (queue->finish_began < command->submitted.end)
		return NULL;
	while (i--) {
		const struct tl_cl_call *finish = &queue->finishes[i];
		if (finish->start >= command->submitted.end && (!first || finish->end < first->end))
			first = finish;
	}
	return first;
}

TL_NEAR_CODE void tl_cl_command_keep(struct tl_cl_command *command)
{
	struct tl_cl_queue *queue = command->queue;

	command->next = command->next_held = NULL;
	command->done = false;
	atomic_store_explicit(&command->noted, false, memory_order_relaxed);
	command->status = CL_SUCCESS;
	command->waited.end = 0;
	command->seen = 0;
	command->has = 0;
	tl_spin_lock_take(&queue->lock);
	*(queue->last ? &queue->last->next : &queue->first) = command;
	queue->last = command;
	*(queue->last_held ? &queue->last_held->next_held : &queue->first_held) = command;
	queue->last_held = command;
	if (!tl_cl_unnoted(queue))
		tl_cl_note_from(queue, command);
	tl_cl_count_add(&queue->count, 1);
	tl_cl_count_add(&queue->submitted, 1);
	const struct tl_cl_call *finish = queue_finish_of(queue, command);
	if (finish) {
		tl_cl_note(queue, command, finish);
		tl_cl_pass_noted(queue);
	}
	tl_spin_lock_release(&queue->lock);
}

/* --- claims */

/*
 * The last one that a call has waited for. There may be others far behind it in the list, which are
 * not found. Under the lock.
 */
static struct tl_cl_command *queue_last_noted(const struct tl_cl_queue *queue)
{
	struct tl_cl_command *last = NULL;
	uint32_t passed = 0;

	for (struct tl_cl_command *command = queue->first; command && (passed < SEARCH || !last);
	     command = command->next, passed++)
		if (command->waited.end)
			last = command;
	return last;
}

bool tl_cl_queue_claim(struct tl_cl_queue *queue, struct tl_cl_command **last, bool noted)
{
	tl_spin_lock_take(&queue->lock);
	bool free_one = !queue->claimed;

	queue->claimed = true;
	*last = noted ? queue_last_noted(queue) : queue->last;
	tl_spin_lock_release(&queue->lock);
	return free_one;
}

void tl_cl_queue_unclaim(struct tl_cl_queue *queue)
{
	tl_spin_lock_take(&queue->lock);
	queue->claimed = false;
	tl_spin_lock_release(&queue->lock);
}

bool tl_cl_queue_claim_patiently(struct tl_cl_queue *queue, struct tl_cl_command **last)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t deadline = 0;

	while (!tl_cl_queue_claim(queue, last, false)) {
		uint64_t now = tl_device_now();
		if (!deadline)
			deadline = now + CLAIM_WAIT;
		if (now >= deadline)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

static bool queue_has_event(struct tl_cl_queue *queue, cl_event event)
{
	tl_spin_lock_take(&queue->lock);
	const struct tl_cl_command *command = queue->first_held;
	while (command && command->event != event)
		command = command->next_held;
	tl_spin_lock_release(&queue->lock);
	return command;
}

static bool queue_claim_if_it_has(struct tl_cl_queue *queue, cl_event event)
{
	struct tl_cl_command *last;

	if (!tl_cl_queue_claim_patiently(queue, &last))
		return false;
	if (queue_has_event(queue, event))
		return true;
	tl_cl_queue_unclaim(queue);
	return false;
}

/*
 * A command that another thread is just reporting is in none of its queue's lists, so all are
 * searched.
 */
struct tl_cl_queue *tl_cl_queue_claim_with(cl_event event)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (queue_claim_if_it_has(queue, event))
			return queue;
	return NULL;
}

/* --- taking them out */

/*
 * The call may have waited for the command, and may have ended before the other bounds of the
 * command's end. Its begin is known only on the fast path, and is 0 for a moment after the call is
 * seen to wait. If another call has taken its place meanwhile, this one is noted, and the value
 * read does not matter.
 */
static bool waiting_may_count(const struct tl_producer *producer, const struct tl_hooked *hooked,
			      const struct tl_cl_command *command)
{
	const struct tl_cl_queue *queue =
		((const struct tl_cl_waiting *)(const void *)hooked->state)->queue;
	uint64_t start = *(const volatile uint64_t *)&producer->thread
				  .open[hooked - tl_hook_thread_of(producer)->hooked]
				  .start;

	if (queue && queue != command->queue)
		return false;
	return !hooked->straight || !start ||
	       (start >= command->submitted.end &&
		(!command->waited.end || start < command->waited.end));
}

/*
 * It has ended at a time that its driver does not tell, and a call that waited for it may have
 * returned before that was seen, without being noted yet. Under the lock, so that a call that no
 * longer waits is noted. Not at the end, when calls are no longer noted.
 */
static bool command_is_held(const struct tl_cl_command *command)
{
	if (command->has & TL_RAW_END || tl_device_has_ended())
		return false;
	if (command->blocking && !command->waited.end)
		return true;
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		/*
		 * Acquire: pairs with the release in tl_cl_stops_waiting; queue_see_who_waits came
		 * before.
		 */
		const struct tl_hooked *hooked = atomic_load_explicit(
			&tl_cl_thread_of(producer)->waiting, memory_order_acquire);
		if (hooked && &producer->thread != tl_self &&
		    waiting_may_count(producer, hooked, command))
			return true;
	}
	return false;
}

/*
 * Call it before command_is_held, and after it is known which commands up to `last` have ended.
 * Commands that the driver times do not need it.
 */
static void queue_see_who_waits(const struct tl_cl_queue *queue, const struct tl_cl_command *last)
{
	for (const struct tl_cl_command *command = queue->first; command;
	     command = command == last ? NULL : command->next) {
		if (command->done && !(command->has & TL_RAW_END)) {
			tl_hook_barrier();
			return;
		}
	}
}

struct tl_cl_command *tl_cl_last_held(struct tl_cl_queue *queue)
{
	tl_spin_lock_take(&queue->lock);
	struct tl_cl_command *last = queue->last_held;
	tl_spin_lock_release(&queue->lock);
	return last;
}

/* Under the lock. */
static void queue_unlink_held(struct tl_cl_queue *queue, struct tl_cl_command *before,
			      const struct tl_cl_command *command)
{
	*(before ? &before->next_held : &queue->first_held) = command->next_held;
	if (queue->last_held == command)
		queue->last_held = before;
}

cl_event tl_cl_command_take_event(struct tl_cl_command *command, struct tl_cl_command *before)
{
	struct tl_cl_queue *queue = command->queue;

	tl_spin_lock_take(&queue->lock);
	cl_event event = command->event;
	command->event = NULL;
	queue_unlink_held(queue, before, command);
	tl_spin_lock_release(&queue->lock);
	return event;
}

struct tl_cl_command *tl_cl_take_done(struct tl_cl_queue *queue, const struct tl_cl_command *last)
{
	struct tl_cl_command *done = NULL, **end = &done, *before = NULL, *held = NULL, *command,
			     *next;

	queue_see_who_waits(queue, last);
	tl_spin_lock_take(&queue->lock);
	for (command = queue->first; command; command = next) {
		next = command == last ? NULL : command->next;
		if (!command->done || command_is_held(command)) {
			command->done = false;
			before = command;
			if (command->event)
				held = command;
			continue;
		}
		if (command->event)
			queue_unlink_held(queue, held, command);
		*(before ? &before->next : &queue->first) = command->next;
		if (queue->last == command)
			queue->last = before;
		if (tl_cl_unnoted(queue) == command)
			tl_cl_note_from(queue, command->next);
		if (command->waited.end)
			tl_cl_count_add(&queue->noted, UINT32_MAX);
		tl_cl_count_add(&queue->count, UINT32_MAX);
		*end = command;
		end = &command->next;
	}
	*end = NULL;
	tl_spin_lock_release(&queue->lock);
	return done;
}
