/* SPDX-License-Identifier: MIT */
/*
 * work.c: commands, from their submission until they are done; and memory.
 *
 * tl_device_submit puts a command on its queue's `inbox`, a stack that is pushed to by compare and
 * exchange, and only then reads the clock. So a thread that takes the inbox knows that every
 * command that was not in it has a submission time after the taking. The same holds for
 * tl_device_submit_untimed, whose caller stores the time later. The holder of the queue's lock
 * moves the inbox to the `pending` list, in the order of submission. A command leaves that list
 * when it and all before it are done.
 *
 * A command that very many later ones have overtaken still counts as submitted, but the list no
 * longer waits for it (TL_COMMAND_STUCK).
 *
 * Ordered accesses: .inbox is pushed to with release and taken with acquire, so that a command's
 * fields are there; .submitted is stored with release after that, and read with acquire by the
 * lock's holder.
 */
#include "layer/device/work.h"

#include <stdlib.h>

#include "layer/device/device_lanes.h"
#include "layer/base/cache_near.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/strings.h"
#include "layer/calls/request.h"
#include "layer/device/command_slice.h"
#include "layer/device/device_lanes.h"
#include "layer/device/device_queue.h"
#include "layer/device/device_texts.h"
#include "layer/device/device_thread.h"
#include "layer/device/kernel_facts.h"
#include "layer/calls/hook.h"
#include "layer/calls/hook_thread.h"
#include "layer/device/queue_depth.h"
#include "layer/device/queue_lanes.h"
#include "layer/device/watch.h"
#include "tracelayer/api.h"

#define STUCK	     65536u /* commands that may be done behind one that is not */
#define CORRELATIONS 64u    /* numbers that a thread takes at a time; a power of two */

static _Atomic uint32_t correlations; /* blocks of them are taken */

/* A number whose last bits are all 0 is never used. */
TL_NEAR_CODE uint32_t tl_device_correlation(void)
{
	struct tl_hook_thread *thread = tl_hook_thread_here();
	uint32_t number = thread ? thread->correlation : 0;

	if (!number)
		number = atomic_fetch_add_explicit(&correlations, CORRELATIONS,
						   memory_order_relaxed) +
			 1;
	if (thread)
		thread->correlation = (number + 1) % CORRELATIONS ? number + 1 : 0;
	return number;
}

struct tl_device_call tl_device_call_of(const struct tl_call *call)
{
	const struct tl_producer *thread = (const struct tl_producer *)(const void *)call->thread;

	return (struct tl_device_call){.tid = tl_hook_is_recorded(call) ? thread->shown : 0,
				       .thread = thread->tid,
				       .start = tl_hook_start(call),
				       .end = tl_hook_end(call)};
}

/* --- commands that are pending */

static struct tl_device_command *command_take(struct tl_device_queue *queue)
{
	struct tl_device_thread *thread = tl_device_thread_here();
	size_t size = sizeof(struct tl_device_command);

	return thread ? tl_spare_take(&thread->spare, &queue->spare, size) : malloc(size);
}

TL_NEAR_CODE void tl_device_will_submit(void)
{
	const struct tl_device_thread *thread = tl_device_thread_here();

	if (thread && thread->spare)
		tl_near_soon(thread->spare);
}

static void command_give_back(struct tl_device_command *command)
{
	tl_spare_give_back(&command->queue->spare, command);
}

TL_NEAR_CODE struct tl_device_command *tl_device_submit_untimed(struct tl_device_queue *queue)
{
	bool recorded = tl_event_wanted(TL_LEVEL_OPERATOR) && tl_request_wants(TL_LEVEL_OPERATOR);
	struct tl_device_command *command =
		queue && (recorded || tl_device_is_watched()) ? command_take(queue) : NULL;

	if (!command)
		return NULL;
	command->queue = queue;
	command->recorded = recorded;
	atomic_init(&command->submitted, 0);
	if (!recorded)
		return command;
	command->state = TL_COMMAND_PENDING;
	command->next = atomic_load_explicit(&queue->inbox, memory_order_relaxed);
	/* Release: pairs with the acquire in queue_take_inbox. */
	while (!atomic_compare_exchange_weak_explicit(&queue->inbox, &command->next, command,
						      memory_order_release, memory_order_relaxed))
		;
	return command;
}

static void command_set_time(struct tl_device_command *command, uint64_t time, bool in_ticks)
{
	if (!command)
		return;
	command->in_ticks = in_ticks;
	/* Release: pairs with the acquire in tl_device_submission. */
	atomic_store_explicit(&command->submitted, time, memory_order_release);
}

TL_NEAR_CODE void tl_device_submitted(struct tl_device_command *command, uint64_t ticks)
{
	command_set_time(command, ticks, true);
}

struct tl_device_command *tl_device_submit(struct tl_device_queue *queue)
{
	struct tl_device_command *command = tl_device_submit_untimed(queue);

	/* Only now, after others can see the command. */
	command_set_time(command, tl_device_now(), false);
	return command;
}

static void queue_take_inbox(struct tl_device_queue *queue)
{
	struct tl_device_command *command, *oldest = NULL, *newest;

	if (!atomic_load_explicit(&queue->inbox, memory_order_relaxed))
		return;
	/* Acquire: pairs with the release in tl_device_submit_untimed. */
	newest = command = atomic_exchange_explicit(&queue->inbox, NULL, memory_order_acquire);
	while (command) {
		struct tl_device_command *next = command->next;
		command->next = oldest;
		oldest = command;
		command = next;
	}
	*queue->last = oldest;
	queue->last = &newest->next;
}

/*
 * Take done commands off the list's front. Returns the time before which no further edges can come.
 * `now`: a time before this call.
 */
static uint64_t queue_settle(struct tl_device_queue *queue, uint64_t now)
{
	queue_take_inbox(queue);
	for (struct tl_device_command *command; (command = queue->first);) {
		if (command->state == TL_COMMAND_PENDING && queue->behind < STUCK)
			return tl_device_submission(command);
		if (!(queue->first = command->next))
			queue->last = &queue->first;
		if (command->state == TL_COMMAND_PENDING) {
			tl_depth_change(queue, tl_device_submission(command), 1);
			command->state = TL_COMMAND_STUCK;
		} else {
			queue->behind -= queue->behind > 0;
			command_give_back(command);
		}
	}
	return now;
}

/* It is over. Its edges count if it had a beginning. */
static void command_finish(struct tl_device_command *command, uint64_t begun, uint64_t ended)
{
	struct tl_device_queue *queue = command->queue;
	bool stuck = command->state == TL_COMMAND_STUCK;

	queue_take_inbox(queue);
	if (begun && !stuck)
		tl_depth_change(queue, begun, 1);
	if (ended || (stuck && !begun))
		tl_depth_change(queue, ended ? ended : queue->sampled, -1);
	command->state = TL_COMMAND_DONE;
	if (stuck)
		command_give_back(command);
	else
		queue->behind++;
}

void tl_device_cancel(struct tl_device_command *command)
{
	if (!command)
		return;
	if (!command->recorded) {
		command_give_back(command);
		return;
	}
	struct tl_device_queue *queue = command->queue;
	uint64_t now = tl_device_now();
	pthread_mutex_lock(&queue->lock);
	command_finish(command, 0, 0);
	tl_depth_sample(queue, queue_settle(queue, now));
	pthread_mutex_unlock(&queue->lock);
}

/* --- commands that are done */

static void command_record(struct tl_device_command *command, struct tl_device_work *work,
			   uint64_t submitted, uint64_t now)
{
	struct tl_device_queue *queue = command->queue;

	uint64_t ended = work->unfinished ? 0 : work->end;
	struct tl_work_args args;
	struct tl_event_arrows arrows = tl_work_arrows(work);

	args.count = 0;
	pthread_mutex_lock(&queue->lock);
	struct tl_queue_lane *lane =
		tl_queue_lane_for(queue, work, tl_self ? ((struct tl_producer *)tl_self)->lane : 0);
	uint32_t number = lane ? lane->number : 0;
	struct tl_event slice = tl_work_slice(queue, work, number, &args);
	if (arrows.from || arrows.to)
		slice.arrows = &arrows;
	tl_event_put(&slice);
	command_finish(command, work->submitted.start ? work->submitted.start : submitted, ended);
	if (!work->more)
		tl_depth_sample(queue, queue_settle(queue, now));
	pthread_mutex_unlock(&queue->lock);
}

/* Tells the tools that watch commands. */
static void work_tell(const struct tl_device_queue *queue, const struct tl_device_work *work)
{
	tl_device_tell(&(struct tl_device_view){
		.size = sizeof(struct tl_device_view),
		.name = work->facts->name,
		.kind = work->facts->kind,
		.unfinished = work->unfinished,
		.queue_number = queue->number,
		.queue = queue->label,
		.start = work->start,
		.end = work->end,
		.bytes = work->facts->bytes,
		.peer = work->facts->peer,
		.correlation = work->correlation,
		.request = work->request,
		.thread = (int)work->submitted.thread,
		.call_start = work->submitted.start,
		.call_end = work->submitted.end,
	});
}

void tl_device_done(struct tl_device_command *command, const struct tl_device_work *told)
{
	struct tl_device_work work = *told;

	if (!command)
		return;
	const struct tl_device_queue *queue = command->queue;
	uint64_t submitted = work.submitted.start ? work.submitted.start
						  : tl_device_submission(command),
		 now = work.now ? work.now : tl_device_now();
	tl_work_clamp(&work, submitted, now);
	if (command->recorded)
		command_record(command, &work, submitted, now);
	else
		command_give_back(command);
	if (tl_device_is_watched())
		work_tell(queue, &work);
}

void tl_device_give_up(struct tl_device_command *command, const struct tl_device_work *told)
{
	const struct tl_event_arg args[1] = {tl_event_text("times", "host")};
	struct tl_device_work work = *told;

	work.unfinished = !work.waited.end;
	work.start = work.unfinished ? work.submitted.end : work.submitted.start;
	work.end = work.unfinished ? tl_device_now() : work.waited.end;
	work.nargs = !work.unfinished;
	work.args = args;
	tl_device_done(command, &work);
}

/* --- memory */

void tl_device_memory(struct tl_device *device, int64_t bytes)
{
	char name[TL_STRING_MAX];

	if (!device)
		return;
	pthread_mutex_lock(&device->lock);
	device->bytes += bytes;
	if (tl_event_wanted(TL_LEVEL_OPERATOR)) {
		if (!device->counter) {
			snprintf(name, sizeof(name), "memory, %s", device->name);
			device->counter = tl_string_of(name);
		}
		tl_device_counter(device->counter, TL_DEVICE_TEXT(bytes), tl_device_now(),
				  device->bytes);
	}
	pthread_mutex_unlock(&device->lock);
}

/* --- ends */

void tl_device_work_end(void)
{
	for (struct tl_device_queue *queue =
		     atomic_load_explicit(&tl_device_queues, memory_order_acquire);
	     queue; queue = queue->next) {
		pthread_mutex_lock(&queue->lock);
		queue_take_inbox(queue);
		for (struct tl_device_command *command = queue->first; command;
		     command = command->next)
			if (command->state == TL_COMMAND_PENDING && tl_device_submission(command))
				tl_depth_change(queue, tl_device_submission(command), 1);
		tl_depth_sample(queue, UINT64_MAX);
		pthread_mutex_unlock(&queue->lock);
	}
}

void tl_device_work_after_fork(void)
{
	tl_device_texts_after_fork();
	tl_kernel_facts_after_fork();
	tl_device_queues_after_fork();
}
