/* SPDX-License-Identifier: MIT */
/*
 * opencl_collect.c: see opencl_collect.h.
 *
 * Commands are collected after a call has waited for them, so that the trace can have an arrow from
 * the command to the call. Where nobody waits, they are collected when there are many, and at the
 * end. In an in-order queue the driver is asked only about the oldest command that has not ended.
 *
 * Reporting a command takes a third of a microsecond, and several times as much for a single
 * command as for one of many. The program's next call should not wait for that. So a thread of the
 * layer (background.h) reports, each millisecond, the commands that have been waited for since. The
 * program's threads do it only where that thread can't be created or falls behind, and at the end.
 * Before the program makes a call that could show that the layer still holds an event, the layer
 * releases the events that only the layer still has, of all ended commands. The commands stay in
 * the list, until a call has waited for them: another thread may do so, or be doing it just now.
 * Events that the program still has stay, too. They hold their queue and context with the layer or
 * without it. The trace of a killed process may lack the commands of its last milliseconds.
 *
 * The thread that submits the next command asks about the events and releases them, directly after
 * that submission: the device is busy then, and there is time. In another thread it would cost
 * more, because an event and its memory lie in the cache of the processor that made it. So the
 * background thread gets commands that only have to be reported (.untold).
 *
 * The claimer releases the events before it gives up its claim. So code that counts an event's
 * references (tl_cl_queue_claim_with) knows which of them are the layer's.
 */
#include "layer/device/opencl/opencl_collect.h"

#include <time.h>

#include "layer/base/cache_near.h"
#include "layer/buffers/clock.h"
#include "layer/device/background.h"
#include "layer/device/device_lanes.h"
#include "layer/device/opencl/opencl_commands.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/opencl/opencl_driver_functions.h"

/*
 * Commands that nobody waits for; beyond it the oldest are collected. In queues without order each
 * look passes all of them.
 */
#define KEEP	       512u
#define KEEP_UNORDERED 16u
/* commands that have ended, and whose events a program has that asks for counts of references */
#define KEEP_THEIRS 64u
/* commands waited for and not reported: beyond this the program's threads help */
#define MANY 1024u
#define SOME 64u /* commands reported at a time */
/* out-of-order queue: how many unfinished commands are asked about at a time */
#define LOOKS	   64u
#define LAST_LOOKS 65536u /* the same, at the end */
/* rounds of the background thread between two looks at queues that the program has released */
#define SELDOM 4u

/* --- what events say */

static bool command_time(const struct tl_cl_command *command, cl_profiling_info which,
			 uint64_t *time)
{
	cl_ulong value = 0;

	if (tl_cl.clGetEventProfilingInfo(command->event, which, sizeof(value), &value, NULL) !=
	    CL_SUCCESS)
		return false;
	*time = value;
	return true;
}

/*
 * Mesa's rusticl 22.3 does not time commands, but answers 0, 1, 2 and 3 for each of them. No clock
 * has just begun at each command.
 */
static bool times_are_made_up(const struct tl_cl_command *command)
{
	return command->has == (TL_RAW_QUEUED | TL_RAW_SUBMIT | TL_RAW_START | TL_RAW_END) &&
	       command->queued == 0 && command->submit == 1 && command->raw_start == 2 &&
	       command->raw_end == 3;
}

/* It has ended, and its driver has timed it. */
static bool command_is_timed(struct tl_cl_command *command)
{
	if (!atomic_load_explicit(&command->queue->profiles, memory_order_relaxed) ||
	    !command_time(command, CL_PROFILING_COMMAND_END, &command->raw_end) ||
	    !command->raw_end)
		return false;
	command->has = TL_RAW_END;
	command->has |= command_time(command, CL_PROFILING_COMMAND_START, &command->raw_start)
				? TL_RAW_START
				: 0;
	command->has |= command_time(command, CL_PROFILING_COMMAND_SUBMIT, &command->submit)
				? TL_RAW_SUBMIT
				: 0;
	command->has |= command_time(command, CL_PROFILING_COMMAND_QUEUED, &command->queued)
				? TL_RAW_QUEUED
				: 0;
	if (TL_UNLIKELY(times_are_made_up(command)))
		command->has = 0;
	return command->has;
}

static cl_int command_status(const struct tl_cl_command *command)
{
	cl_int status = CL_QUEUED;

	tl_cl.clGetEventInfo(command->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			     &status, NULL);
	return status;
}

/*
 * Whether it has ended. Then .done and everything that can be known of it are set. That is asked
 * once of a command that stays in the list after its end (.seen). A command is asked for its times
 * only after its end, also one that a call has waited for: the call may have waited for another
 * one. A driver may report a question that comes too early to the program's callback.
 */
static bool command_look(struct tl_cl_command *command)
{
	if (command->seen)
		return command->done = true;
	command->status = command_status(command);
	command->done = command->status <= CL_COMPLETE;
	if (command->status == CL_COMPLETE)
		command_is_timed(command);
	return command->done;
}

enum collecting {
	FRONT, /* what has ended among the oldest */
	ENDED, /* what has ended */
	/* those of them that were waited for: a call may wait for the others later */
	NOTED,
	LAST, /* what has ended, however many have not */
};

/*
 * Returns the last one that has ended, or NULL. After a number of unfinished commands, and where no
 * others are wanted, only those that have been waited for are asked about.
 */
static const struct tl_cl_command *queue_look(const struct tl_cl_queue *queue,
					      const struct tl_cl_command *last, uint32_t most,
					      enum collecting what)
{
	uint32_t looks = what == LAST ? LAST_LOOKS : LOOKS;
	const struct tl_cl_command *ended = NULL;

	for (struct tl_cl_command *command = queue->first; command && most;
	     command = command == last ? NULL : command->next) {
		if (!looks && what == FRONT)
			break;
		if ((!looks || what == NOTED) &&
		    !atomic_load_explicit(&command->noted, memory_order_relaxed))
			continue;
		if (command_look(command)) {
			ended = command;
			most--;
		} else if (queue->in_order) {
			break;
		} else if (looks) {
			looks--;
		}
	}
	return ended;
}

/* --- what becomes of them */

static struct tl_device_call call_in_ns(const struct tl_cl_call *call)
{
	if (!call->end)
		return (struct tl_device_call){.tid = 0};
	return (struct tl_device_call){.tid = call->tid,
				       .thread = call->thread,
				       .start = tl_clock_ns(call->start),
				       .end = tl_clock_ns(call->end),
				       .exact = true};
}

/* Everything that is known, except when it ran. */
static struct tl_device_work command_work(const struct tl_cl_command *command)
{
	return (struct tl_device_work){
		.facts = &command->facts,
		.has = command->has,
		.queued = command->queued,
		.submit = command->submit,
		.raw_start = command->raw_start,
		.raw_end = command->raw_end,
		.correlation = command->correlation,
		.request = command->request,
		.submitted = call_in_ns(&command->submitted),
		.waited = call_in_ns(&command->waited),
	};
}

/*
 * Without the driver's times, it ran at some time between its submission and the moment when its
 * end was seen.
 */
static void command_tell(struct tl_cl_command *command, uint64_t now, bool more)
{
	struct tl_device_work work = command_work(command);
	uint64_t seen = tl_clock_ns(command->seen);
	struct tl_event_arg args[2];

	if (work.has & TL_RAW_END) {
		tl_cl_device_convert(command->queue->device, &work,
				     work.waited.end ? work.waited.end : seen);
	} else {
		work.start = work.submitted.start;
		work.end = seen;
		args[work.nargs++] = tl_event_text("times", "host");
	}
	if (command->status < 0)
		args[work.nargs++] = tl_event_number("status", TL_VALUE_SIGNED_64,
						     (uint64_t)(int64_t)command->status);
	work.args = args;
	work.now = now;
	work.more = more;
	tl_device_done(command->lane, &work);
}

static void commands_tell(struct tl_cl_command *done)
{
	uint64_t now = tl_device_now();
	struct tl_cl_command *next;
	unsigned told = 0;

	tl_clock_freshen();
	for (; done; done = next) {
		next = done->next;
		command_tell(done, now, next && ++told % SOME);
		tl_cl_command_give_back(done);
	}
}

/* By the claimer, for commands that are to be reported. */
static void commands_let_go(struct tl_cl_command *done, uint64_t seen)
{
	for (; done; done = done->next) {
		if (!done->seen)
			done->seen = seen;
		if (done->event)
			tl_cl.clReleaseEvent(done->event);
	}
}

/*
 * Nobody but the layer has the event: no call can wait for it, and only the layer keeps what it
 * holds. The call that waits for its own command is about to look for the event.
 */
static bool command_is_ours_alone(const struct tl_cl_command *command)
{
	cl_uint references = 0;

	if (command->blocking && !atomic_load_explicit(&command->noted, memory_order_relaxed))
		return false;
	return command->owned ||
	       tl_cl.clGetEventInfo(command->event, CL_EVENT_REFERENCE_COUNT, sizeof(references),
				    &references, NULL) != CL_SUCCESS ||
	       references <= 1;
}

/*
 * The queue is claimed. `at`: ticks of a moment before; 0: now. Commands without times are shown as
 * ended by then: a call that waited for one, and has returned since without noting it yet, must not
 * return before the command's end. Returns the commands that were taken out.
 */
static struct tl_cl_command *queue_take_claimed(struct tl_cl_queue *queue,
						struct tl_cl_command *last, uint32_t most,
						enum collecting what, uint64_t at)
{
	TL_HOOK_UNCANCELLED();
	tl_cl_device_keep_up(queue->device, at ? at : tl_event_now());
	uint64_t seen = at ? at : tl_event_now();
	/* Do not look further: this runs at each submission, however many commands there are. */
	const struct tl_cl_command *ended = queue_look(queue, last, most, what);
	struct tl_cl_command *done = ended ? tl_cl_take_done(queue, ended) : NULL;

	commands_let_go(done, seen);
	return done;
}

static bool queue_collect(struct tl_cl_queue *queue, uint32_t most, enum collecting what,
			  uint64_t at)
{
	struct tl_cl_command *last;

	if (!tl_cl_count(&queue->count) || !tl_cl_queue_claim(queue, &last, what == NOTED))
		return false;
	struct tl_cl_command *done = last ? queue_take_claimed(queue, last, most, what, at) : NULL;
	if (done)
		commands_tell(done);
	tl_cl_queue_unclaim(queue);
	return done;
}

/* Nothing has waited for too many. Those that were waited for may stay a while on a busy machine. */
static bool queue_is_full(const struct tl_cl_queue *queue)
{
	uint32_t count = tl_cl_count(&queue->count), noted = tl_cl_count(&queue->noted);

	return count > noted && count - noted > (queue->in_order ? KEEP : KEEP_UNORDERED);
}

/* Report the commands of a queue whose events are released. Returns whether there were any. */
static bool queue_tell_untold(struct tl_cl_queue *queue)
{
	if (!tl_cl_count(&queue->untolds))
		return false;
	tl_spin_lock_take(&queue->lock);
	struct tl_cl_command *untold = queue->untold;
	queue->untold = queue->last_untold = NULL;
	atomic_store_explicit(&queue->untolds, 0, memory_order_relaxed);
	tl_spin_lock_release(&queue->lock);
	commands_tell(untold);
	return untold;
}

/* And free the queue. */
static void queue_put_untold(struct tl_cl_queue *queue, struct tl_cl_command *done)
{
	struct tl_cl_command *end = done;
	uint32_t number = done != NULL;

	for (; done && end->next; end = end->next)
		number++;
	tl_spin_lock_take(&queue->lock);
	if (done) {
		*(queue->last_untold ? &queue->last_untold->next : &queue->untold) = done;
		queue->last_untold = end;
		tl_cl_count_add(&queue->untolds, number);
	}
	queue->claimed = false;
	tl_spin_lock_release(&queue->lock);
}

/*
 * Any thread may release events, but while the background thread exists, it alone reports: viewers
 * want a counter's samples in order, and only samples of one thread are in order.
 */
static void queue_have_told(struct tl_cl_queue *queue)
{
	if (tl_device_has_ended() || !tl_device_do_soon())
		queue_tell_untold(queue);
}

/* The claimer gives up its claim. The events of the commands are released. */
static void queue_unclaim_with(struct tl_cl_queue *queue, struct tl_cl_command *done)
{
	queue_put_untold(queue, done);
	if (tl_cl_count(&queue->untolds))
		queue_have_told(queue);
}

/* Release all that has ended, also where another thread is collecting just now. */
void tl_cl_collect(struct tl_cl_queue *queue)
{
	struct tl_cl_command *last;

	if (tl_cl_queue_claim_patiently(queue, &last))
		queue_unclaim_with(
			queue, last ? queue_take_claimed(queue, last, UINT32_MAX, ENDED, 0) : NULL);
}

/*
 * The queue is claimed. Of the commands that have ended, and whose events the program still has,
 * take out the oldest. Returns them.
 */
static struct tl_cl_command *queue_take_theirs(struct tl_cl_queue *queue,
					       const struct tl_cl_command *end, uint32_t most)
{
	struct tl_cl_command *last = NULL;

	for (struct tl_cl_command *command = end && most ? queue->first_held : NULL; command;
	     command = command == end ? NULL : command->next_held) {
		if (!command->seen || command->blocking)
			continue;
		command->done = true;
		last = command;
		if (!--most)
			break;
	}
	return last ? tl_cl_take_done(queue, last) : NULL;
}

/*
 * The queue is claimed. Release the events that only the layer has, of commands that have ended.
 * The commands stay. This passes only the commands that have an event, since programs may ask often.
 *
 * The driver is asked about each event that the program still has. So if these are many, now
 * and at the last question, an eighth of those beyond KEEP_THEIRS are taken out, the oldest first:
 * where the program goes on asking, their number falls. Returns those that were taken out.
 */
static struct tl_cl_command *queue_let_events_go(struct tl_cl_queue *queue)
{
	struct tl_cl_command *end = tl_cl_last_held(queue), *before = NULL, *next;
	uint32_t theirs = 0, looks = LOOKS;
	/* Before the look, as in queue_take_claimed. */
	uint64_t seen = tl_event_now();

	TL_HOOK_UNCANCELLED();
	tl_cl_device_keep_up(queue->device, seen);
	for (struct tl_cl_command *command = end ? queue->first_held : NULL; command;
	     command = next) {
		next = command == end ? NULL : command->next_held;
		if (!command_look(command)) {
			if (queue->in_order || !--looks)
				break;
			before = command;
			continue;
		}
		command->done = false;
		if (!command->seen)
			command->seen = seen;
		if (command_is_ours_alone(command)) {
			tl_cl.clReleaseEvent(tl_cl_command_take_event(command, before));
			continue;
		}
		before = command;
		theirs++;
	}
	/* The program may have released most of them since its last question. */
	uint32_t both = theirs < queue->theirs ? theirs : queue->theirs;
	queue->theirs = theirs;
	/* `before` is the last one that was looked at and has an event. */
	struct tl_cl_command *done = queue_take_theirs(
		queue, before, both > KEEP_THEIRS ? (both - KEEP_THEIRS + 7) / 8 : 0);
	commands_let_go(done, seen);
	return done;
}

void tl_cl_yield(struct tl_cl_queue *queue)
{
	struct tl_cl_command *last, *noted, *end;

	if (!tl_cl_queue_claim_patiently(queue, &last))
		return;
	noted = last && tl_cl_count(&queue->noted)
			? queue_take_claimed(queue, last, UINT32_MAX, NOTED, 0)
			: NULL;
	struct tl_cl_command *done = last ? queue_let_events_go(queue) : NULL;
	for (end = noted; end && end->next; end = end->next)
		;
	if (end)
		end->next = done;
	queue_unclaim_with(queue, noted ? noted : done);
}

void tl_cl_all_queues(void (*collect)(struct tl_cl_queue *queue))
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		collect(queue);
}

/*
 * The driver's memory of an event lies in the cache of the thread that made it, and goes back to
 * that thread's allocator. So events that the program's thread has waited for are asked about and
 * released in that thread, while the device is busy with the next command.
 */
static void queue_let_go_meanwhile(struct tl_cl_queue *queue, uint64_t at)
{
	struct tl_cl_command *last;

	if (!tl_cl_queue_claim(queue, &last, true))
		return;
	queue_put_untold(queue, last ? queue_take_claimed(queue, last, SOME,
							  queue_is_full(queue) ? ENDED : NOTED, at)
				     : NULL);
	if (tl_cl_count(&queue->untolds) >= MANY)
		queue_tell_untold(queue);
	else
		queue_have_told(queue);
}

/* Of those that nobody waits for, take two for each new one: so their number falls. */
TL_NEAR_CODE void tl_cl_collect_meanwhile(const struct tl_call *call, struct tl_cl_queue *queue)
{
	if (tl_cl_count(&queue->noted))
		queue_let_go_meanwhile(queue, call->end);
	else if (queue_is_full(queue) && !tl_device_do_soon())
		queue_collect(queue, 2, FRONT, call->end);
}

void tl_cl_collect_waited(struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	/*
	 * The program has released the queue, and may make no further call. Then only the layer's
	 * events keep the queue and its context.
	 */
	if (!tl_cl_count(&queue->references))
		tl_cl_collect(queue);
	else if (!tl_device_do_soon())
		queue_collect(queue, UINT32_MAX, ENDED, waited->end);
}

/* --- in the background */

static bool queue_awaits(const struct tl_cl_queue *queue)
{
	return tl_cl_count(&queue->noted) || tl_cl_count(&queue->untolds) || queue_is_full(queue);
}

/*
 * The program has released the queue, perhaps the context, too, and may make no further call: then
 * only the layer's events keep them.
 */
static bool queue_is_given_up(const struct tl_cl_queue *queue)
{
	return !tl_cl_count(&queue->references) && tl_cl_count(&queue->count);
}

bool tl_cl_awaits(void)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (queue_awaits(queue) || queue_is_given_up(queue))
			return true;
	return false;
}

/*
 * A command is reported only after a call has waited for it, so that the trace has its arrow.
 * Exceptions: there are too many; or the program has released the queue, so that perhaps no call
 * will come. Then threads that still have an event get some time to wait for it.
 */
enum tl_device_left tl_cl_collect_some(void)
{
	static uint32_t rounds; /* used by the background thread only */
	enum tl_device_left left = TL_DEVICE_NOTHING;
	bool seldom = ++rounds % SELDOM == 0;

	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		if (seldom && queue_is_given_up(queue))
			queue_collect(queue, UINT32_MAX, ENDED, 0);
		if (left == TL_DEVICE_NOTHING && queue_is_given_up(queue))
			left = TL_DEVICE_UNENDED;
		if (!queue_awaits(queue))
			continue;
		/*
		 * That was all. Commands that were waited for meanwhile are released by the threads
		 * that waited, unless no further call comes.
		 */
		if (queue_tell_untold(queue)) {
			left = left < TL_DEVICE_LATER ? TL_DEVICE_LATER : left;
			continue;
		}
		/* Another thread may have taken those that were waited for: then there is nothing. */
		if (queue_collect(queue, SOME, queue_is_full(queue) ? FRONT : NOTED, 0))
			left = TL_DEVICE_MORE;
		else if (left == TL_DEVICE_NOTHING)
			left = TL_DEVICE_UNENDED;
	}
	return left;
}

TL_CL_BEFORE(tl_cl_context_info_before)
{
	(void)state;
	if (TL_CL_PARAM(cl_context_info, call, 1) == CL_CONTEXT_REFERENCE_COUNT && tl_cl_ready())
		tl_cl_all_queues(tl_cl_yield);
}

/*
 * A queue that the program has keeps its context with the layer's events or without them. Those of
 * queues that the program has released may be the last that keep it.
 */
TL_CL_BEFORE(tl_cl_release_context_before)
{
	(void)call;
	(void)state;
	if (!tl_cl_ready())
		return;
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (queue_is_given_up(queue))
			tl_cl_collect(queue);
}

/* --- the end */

/*
 * It has commands that no earlier end has asked about. Once such an end has been, exit handlers of the
 * driver and of its layers may have run: it is asked again only if it has taken commands since.
 */
static bool queue_is_asked(const struct tl_cl_queue *queue)
{
	return tl_cl_count(&queue->count) && tl_cl_count(&queue->submitted) != queue->awaited;
}

static bool commands_are_under_way(void)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (queue_is_asked(queue))
			return true;
	return false;
}

static bool queue_begin_look(struct tl_cl_queue *queue)
{
	queue->looked = tl_cl_count(&queue->submitted);
	return queue_is_asked(queue);
}

static void queue_ask_last(struct tl_cl_queue *queue)
{
	if (queue_begin_look(queue))
		queue_collect(queue, UINT32_MAX, LAST, 0);
}

static void queue_ask(struct tl_cl_queue *queue)
{
	if (queue_begin_look(queue))
		tl_cl_collect(queue);
}

/* The program may go on. */
void tl_cl_collect_await(uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + TL_DEVICE_LAST_WAIT;

	if (patience > deadline)
		patience = deadline;
	tl_cl_all_queues(queue_ask_last);
	while (commands_are_under_way() && tl_device_now() < patience) {
		nanosleep(&moment, NULL);
		tl_cl_all_queues(queue_ask);
	}
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		queue->awaited = queue->looked;
}

static void queue_give_up(struct tl_cl_queue *queue)
{
	struct tl_cl_command *last;

	queue_tell_untold(queue);
	if (!tl_cl_queue_claim(queue, &last, false))
		return;
	for (struct tl_cl_command *command = last ? queue->first : NULL; command;
	     command = command == last ? NULL : command->next) {
		const struct tl_device_work work = command_work(command);
		if (command->seen)
			command_tell(command, tl_device_now(), false);
		else
			tl_device_give_up(command->lane, &work);
	}
}

/* Events of the rest stay, because the layer calls the driver no more. */
void tl_cl_give_up(uint64_t deadline)
{
	(void)deadline;
	tl_cl_devices_leave();
	tl_clock_freshen();
	tl_cl_all_queues(queue_give_up);
}

void tl_cl_collect_end(uint64_t deadline)
{
	tl_cl_collect_await(deadline);
	tl_cl_give_up(deadline);
}
