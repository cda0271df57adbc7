/* SPDX-License-Identifier: MIT */
/*
 * opencl_collect.c: commands under way, what their events say of them, and the calls that waited
 * for them.
 *
 * A queue keeps its commands in the order of their submission. They are collected when a call has
 * waited for them, so that the trace can lead from the one to the other; and where nobody waits,
 * when many have gathered, and at the end. Of a queue that keeps the order only the oldest command
 * that has not ended is asked about.
 *
 * Telling of a command takes a third of a microsecond, and several times as much for one alone as
 * for one of many. What the program does next had better not wait for that. So it is done by a
 * thread of ours (background.h), each millisecond, for all that has been waited for since; by the
 * program's own threads only where that one can't be had or doesn't get on, and at the end. Where
 * the program might see that we still hold an event all that has ended is let go of before it
 * looks. A process that is killed may lack its last commands, those of some milliseconds.
 *
 * The events, however, are asked about and let go of by the thread that submits the next command,
 * directly after that, if it comes: then the device is busy, and there is time. Elsewhere it would
 * cost more: an event and its memory lie in the cache of the processor that made it. So what our
 * thread has from there is only to be told of (.untold).
 *
 * Who collects claims the queue first: then he alone takes commands out, and may read the list up
 * to where it ended when he claimed it, without the lock. Others go on adding to it. So no lock is
 * held while the driver is called, and whoever finds the queue claimed leaves it to the other one;
 * also where a driver calls the program back, from inside our own call.
 *
 * Who waited is noted under the lock, before that. Several calls may have waited for the same
 * command, and their hooks come in any order; where no driver's time says when it ended, it had
 * when the first of them did. So such a command is not told of while another thread's call is on
 * its way, from before it goes to the driver until it is noted, which may have waited for it and
 * have ended before what we know (is_held).
 *
 * It is the claimer who lets go of events, before the queue is free again, so that who counts an
 * event's references (tl_cl_claim) knows what of them is ours.
 */
#include "layer/device/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/device/background.h"
#include "layer/device/device.h"
#include "layer/device/inside_hook.h"
#include "layer/base/cache_near.h"

/* commands that nobody waits for; beyond it the oldest are collected */
#define KEEP 512u
/* commands that have been waited for and not told of: beyond that the program's threads help */
#define MANY 1024u
#define SOME 64u /* are told of at a time */
/* commands of a queue without order that are asked about and have not ended, at a time */
#define LOOKS	   64u
#define LAST_LOOKS 65536u /* the same, at the end */
/* nanoseconds that the process's end may wait for commands that are about to end */
#define LAST_WAIT 20000000u
/* rounds of our thread between two in which it looks at queues that the program has given up */
#define SELDOM	    16u
#define MANY_EVENTS 32u /* of one wait: these are sorted */
/* nanoseconds that a call of the program may wait for who is just collecting */
#define CLAIM_WAIT 100000000u

/* --- the list */

/*
 * A command's memory goes back to its queue, by whoever collects, and from there to the next thread
 * that has used up what it had: so no lock is needed to have some. The thread's own: hooks are the
 * only ones to ask, and no signal handler's call has one while they run.
 */
TL_NEAR_CODE struct tl_cl_command *tl_cl_command_new(struct tl_cl_queue *queue)
{
	struct tl_producer *producer = (struct tl_producer *)tl_self;
	struct tl_cl_command *command = producer->cl_spare;

	/* Pairs with put_spare. */
	if (!command && atomic_load_explicit(&queue->spare, memory_order_relaxed))
		command = atomic_exchange_explicit(&queue->spare, NULL, memory_order_acquire);
	if (!command)
		return malloc(sizeof(*command));
	producer->cl_spare = command->next;
	return command;
}

static void put_spare(struct tl_cl_command *command)
{
	struct tl_cl_queue *queue = command->queue;

	command->next = atomic_load_explicit(&queue->spare, memory_order_relaxed);
	/* Release pairs with tl_cl_command_new's acquire: nothing of it is used any more. */
	while (!atomic_compare_exchange_weak_explicit(&queue->spare, &command->next, command,
						      memory_order_release, memory_order_relaxed))
		;
}

/* By who has the lock, which others read without. */
static void count(_Atomic uint32_t *number, uint32_t change)
{
	atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + change,
			      memory_order_relaxed);
}

/*
 * Acquire pairs with note_from's release: whoever finds, without the lock, that all have been
 * waited for, finds queue->waited as it was then.
 */
static struct tl_cl_command *unnoted(const struct tl_cl_queue *queue)
{
	return atomic_load_explicit(&queue->unnoted, memory_order_acquire);
}

static void note_from(struct tl_cl_queue *queue, struct tl_cl_command *command)
{
	atomic_store_explicit(&queue->unnoted, command, memory_order_release);
}

/*
 * Of calls that waited for the same command the one that ended first counts, in whatever order
 * their hooks come. Returns how many have not been waited for before: one or none. Under the lock,
 * as what follows is.
 */
static uint32_t note(struct tl_cl_queue *queue, struct tl_cl_command *command,
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
	count(&queue->noted, 1);
	return 1;
}

static void pass_noted(struct tl_cl_queue *queue)
{
	struct tl_cl_command *command = unnoted(queue);

	while (command && command->waited.end)
		command = command->next;
	note_from(queue, command);
}

/* Some call that ended later is noted already. */
static bool overtaken(const struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	return atomic_load_explicit(&queue->waited, memory_order_relaxed) > waited->end;
}

/*
 * The first command to which a call that has waited can matter: one that nobody has waited for, or
 * whose hook came before ours though its call ended later.
 */
static struct tl_cl_command *first_for(const struct tl_cl_queue *queue,
				       const struct tl_cl_call *waited)
{
	return overtaken(queue, waited) ? queue->first : unnoted(queue);
}

/*
 * Of the queue's last finishes that began when the command had been submitted the one that ended
 * first; NULL: none has.
 */
static const struct tl_cl_call *finish_of(const struct tl_cl_queue *queue,
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

	command->next = NULL;
	command->done = false;
	atomic_store_explicit(&command->noted, false, memory_order_relaxed);
	command->status = CL_SUCCESS;
	command->waited.end = 0;
	command->has = 0;
	tl_spin_lock_take(&queue->lock);
	*(queue->last ? &queue->last->next : &queue->first) = command;
	queue->last = command;
	if (!unnoted(queue))
		note_from(queue, command);
	count(&queue->count, 1);
	const struct tl_cl_call *finish = finish_of(queue, command);
	if (finish) {
		note(queue, command, finish);
		pass_noted(queue);
	}
	tl_spin_lock_release(&queue->lock);
}

/*
 * The last one that a call has waited for; there may be others behind it where that is some way
 * down the list. Under the lock.
 */
static struct tl_cl_command *last_noted(const struct tl_cl_queue *queue)
{
	struct tl_cl_command *last = NULL;
	uint32_t passed = 0;

	for (struct tl_cl_command *command = queue->first; command && (passed < SOME || !last);
	     command = command->next, passed++)
		if (command->waited.end)
			last = command;
	return last;
}

/*
 * False: somebody else is at it. *last: the last command that may be looked at, or NULL. `noted`:
 * that has been waited for.
 */
static bool claim(struct tl_cl_queue *queue, struct tl_cl_command **last, bool noted)
{
	tl_spin_lock_take(&queue->lock);
	bool free_one = !queue->claimed;

	queue->claimed = true;
	*last = noted ? last_noted(queue) : queue->last;
	tl_spin_lock_release(&queue->lock);
	return free_one;
}

void tl_cl_release(struct tl_cl_queue *queue)
{
	tl_spin_lock_take(&queue->lock);
	queue->claimed = false;
	tl_spin_lock_release(&queue->lock);
}

/* Whoever collects just now is soon done. False: it takes too long. */
static bool claim_patiently(struct tl_cl_queue *queue, struct tl_cl_command **last)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t deadline = 0;

	while (!claim(queue, last, false)) {
		uint64_t now = tl_device_now();
		if (!deadline)
			deadline = now + CLAIM_WAIT;
		if (now >= deadline)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

/* The state of a hook of a call that waits. */
struct waiting {
	struct tl_cl_queue *queue; /* for all of it; NULL: for events */
	struct tl_hooked *outer;   /* inside of which it was called */
};

_Static_assert(sizeof(struct waiting) <= TL_HOOK_STATE, "it fits");

/*
 * The call may have waited for the command, and have ended before what else is known of the
 * command's end. When it began is known on the short way only, and there a moment after it is seen
 * to wait: 0 until then. Should another call have taken its place meanwhile, then it is noted, and
 * what we read doesn't matter.
 */
static bool may_count(const struct tl_producer *producer, const struct tl_hooked *hooked,
		      const struct tl_cl_command *command)
{
	const struct tl_cl_queue *queue =
		((const struct waiting *)(const void *)hooked->state)->queue;
	uint64_t start =
		*(const volatile uint64_t *)&producer->thread.open[hooked - producer->hooked].start;

	if (queue && queue != command->queue)
		return false;
	return !hooked->straight || !start ||
	       (start >= command->submitted.end &&
		(!command->waited.end || start < command->waited.end));
}

/*
 * It has ended, at a time that its driver doesn't tell, and a call that waited for it may have
 * returned before that was seen, and not be noted yet. Under the lock, so that what no longer waits
 * here is noted. Not at the end, when nobody notes anything any more.
 */
static bool is_held(const struct tl_cl_command *command)
{
	if (command->has & TL_RAW_END || tl_device_has_ended())
		return false;
	if (command->blocking && !command->waited.end)
		return true;
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		/* Pairs with stop_waiting's release; see_who_waits came before. */
		const struct tl_hooked *hooked =
			atomic_load_explicit(&producer->waiting, memory_order_acquire);
		if (hooked && &producer->thread != tl_self && may_count(producer, hooked, command))
			return true;
	}
	return false;
}

/*
 * Before is_held, and after it was seen which have ended, up to `last`. Commands that their driver
 * times need no such thing.
 */
static void see_who_waits(const struct tl_cl_queue *queue, const struct tl_cl_command *last)
{
	for (const struct tl_cl_command *command = queue->first; command;
	     command = command == last ? NULL : command->next) {
		if (command->done && !(command->has & TL_RAW_END)) {
			tl_hook_barrier();
			return;
		}
	}
}

/* Take out those that are done, up to `last`. In the order that they were in. */
static struct tl_cl_command *take_done(struct tl_cl_queue *queue, const struct tl_cl_command *last)
{
	struct tl_cl_command *done = NULL, **end = &done, *before = NULL, *command, *next;

	see_who_waits(queue, last);
	tl_spin_lock_take(&queue->lock);
	for (command = queue->first; command; command = next) {
		next = command == last ? NULL : command->next;
		if (!command->done || is_held(command)) {
			command->done = false;
			before = command;
			continue;
		}
		*(before ? &before->next : &queue->first) = command->next;
		if (queue->last == command)
			queue->last = before;
		if (unnoted(queue) == command)
			note_from(queue, command->next);
		if (command->waited.end)
			count(&queue->noted, UINT32_MAX);
		count(&queue->count, UINT32_MAX);
		*end = command;
		end = &command->next;
	}
	*end = NULL;
	tl_spin_lock_release(&queue->lock);
	return done;
}

/* --- what events say */

static bool time_of(const struct tl_cl_command *command, cl_profiling_info which, uint64_t *time)
{
	cl_ulong value = 0;

	if (tl_cl.clGetEventProfilingInfo(command->event, which, sizeof(value), &value, NULL) !=
	    CL_SUCCESS)
		return false;
	*time = value;
	return true;
}

/* It has ended, and its driver has timed it. */
static bool is_timed(struct tl_cl_command *command)
{
	if (!atomic_load_explicit(&command->queue->profiles, memory_order_relaxed) ||
	    !time_of(command, CL_PROFILING_COMMAND_END, &command->raw_end) || !command->raw_end)
		return false;
	command->has = TL_RAW_END;
	command->has |= time_of(command, CL_PROFILING_COMMAND_START, &command->raw_start)
				? TL_RAW_START
				: 0;
	command->has |=
		time_of(command, CL_PROFILING_COMMAND_SUBMIT, &command->submit) ? TL_RAW_SUBMIT : 0;
	command->has |=
		time_of(command, CL_PROFILING_COMMAND_QUEUED, &command->queued) ? TL_RAW_QUEUED : 0;
	return true;
}

static cl_int status_of(const struct tl_cl_command *command)
{
	cl_int status = CL_QUEUED;

	tl_cl.clGetEventInfo(command->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
			     &status, NULL);
	return status;
}

/* It has ended: then .done, and what can be known of it is there. */
static bool look(struct tl_cl_command *command)
{
	if (is_timed(command)) {
		command->done = true;
		return true;
	}
	command->status = status_of(command);
	command->done = command->status <= CL_COMPLETE;
	/* It may have ended in between. */
	if (command->status == CL_COMPLETE)
		is_timed(command);
	return command->done;
}

enum collecting {
	FRONT, /* what has ended among the oldest */
	ENDED, /* what has ended */
	/*
	 * and was waited for, or stands before what was: not a word of what the device is busy with
	 */
	NOTED,
	LAST, /* what has ended, however many have not */
};

/*
 * Returns the last one that has ended, or NULL. Beyond some that have not, only those that have
 * been waited for are asked about.
 */
static const struct tl_cl_command *look_at_all(const struct tl_cl_queue *queue,
					       const struct tl_cl_command *last, uint32_t most,
					       enum collecting what)
{
	uint32_t looks = what == LAST ? LAST_LOOKS : LOOKS;
	const struct tl_cl_command *ended = NULL;

	for (struct tl_cl_command *command = queue->first; command && most;
	     command = command == last ? NULL : command->next) {
		if (!looks && what == FRONT)
			break;
		if (!looks && !atomic_load_explicit(&command->noted, memory_order_relaxed))
			continue;
		if (look(command)) {
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

static struct tl_device_call in_ns(const struct tl_cl_call *call)
{
	if (!call->end)
		return (struct tl_device_call){.tid = 0};
	return (struct tl_device_call){.tid = call->tid,
				       .thread = call->thread,
				       .start = tl_clock_ns(call->start),
				       .end = tl_clock_ns(call->end),
				       .exact = true};
}

/* All that is known but when it ran. */
static struct tl_device_work work_of(const struct tl_cl_command *command)
{
	struct tl_device_work work = {
		.name = command->name,
		.kind = command->kind,
		.has = command->has,
		.queued = command->queued,
		.submit = command->submit,
		.raw_start = command->raw_start,
		.raw_end = command->raw_end,
		.bytes = command->bytes,
		.peer = command->peer,
		.dimensions = command->dimensions,
		.correlation = command->correlation,
		.request = command->request,
		.submitted = in_ns(&command->submitted),
		.waited = in_ns(&command->waited),
	};

	memcpy(work.global, command->global, sizeof(work.global));
	memcpy(work.local, command->local, sizeof(work.local));
	return work;
}

/*
 * Without the driver's times it ran at some time between its submission and when it was seen to
 * have ended.
 */
static void tell(struct tl_cl_command *command, uint64_t now, bool more)
{
	struct tl_device_work work = work_of(command);
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

static void tell_all(struct tl_cl_command *done)
{
	uint64_t now = tl_device_now();
	struct tl_cl_command *next;
	unsigned told = 0;

	tl_clock_freshen();
	for (; done; done = next) {
		next = done->next;
		tell(done, now, next && ++told % SOME);
		put_spare(done);
	}
}

/* By the claimer, of what is to be told of. */
static void let_go(struct tl_cl_command *done, uint64_t seen)
{
	for (; done; done = done->next) {
		done->seen = seen;
		tl_cl.clReleaseEvent(done->event);
	}
}

static uint32_t number_in(const _Atomic uint32_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

/*
 * The queue is claimed. `at`: ticks of a moment before; 0: now. Commands without times have ended
 * by then, as far as is shown: a call that waited for one and has returned since, but has not noted
 * it yet, is not to have returned before that. Returns those that there were.
 */
static struct tl_cl_command *take_claimed(struct tl_cl_queue *queue, struct tl_cl_command *last,
					  uint32_t most, enum collecting what, uint64_t at)
{
	TL_HOOK_UNCANCELLED();
	tl_cl_device_keep_up(queue->device, at ? at : tl_event_now());
	uint64_t seen = at ? at : tl_event_now();
	/*
	 * Not a look further than that: this is done at each submission, however many commands
	 * there are.
	 */
	const struct tl_cl_command *ended = look_at_all(queue, last, most, what);
	struct tl_cl_command *done = ended ? take_done(queue, ended) : NULL;

	let_go(done, seen);
	return done;
}

static bool collect(struct tl_cl_queue *queue, uint32_t most, enum collecting what, uint64_t at)
{
	struct tl_cl_command *last;

	if (!number_in(&queue->count) || !claim(queue, &last, what == NOTED))
		return false;
	struct tl_cl_command *done = last ? take_claimed(queue, last, most, what, at) : NULL;
	if (done)
		tell_all(done);
	tl_cl_release(queue);
	return done;
}

static bool is_full(const struct tl_cl_queue *queue)
{
	return number_in(&queue->count) > KEEP;
}

/* Those of a queue whose events are let go of. Returns whether there were any. */
static bool tell_untold(struct tl_cl_queue *queue)
{
	if (!number_in(&queue->untolds))
		return false;
	tl_spin_lock_take(&queue->lock);
	struct tl_cl_command *untold = queue->untold;
	queue->untold = queue->last_untold = NULL;
	atomic_store_explicit(&queue->untolds, 0, memory_order_relaxed);
	tl_spin_lock_release(&queue->lock);
	tell_all(untold);
	return untold;
}

/* And free the queue. */
static void put_untold(struct tl_cl_queue *queue, struct tl_cl_command *done)
{
	struct tl_cl_command *end = done;
	uint32_t number = done != NULL;

	for (; done && end->next; end = end->next)
		number++;
	tl_spin_lock_take(&queue->lock);
	if (done) {
		*(queue->last_untold ? &queue->last_untold->next : &queue->untold) = done;
		queue->last_untold = end;
		count(&queue->untolds, number);
	}
	queue->claimed = false;
	tl_spin_lock_release(&queue->lock);
}

/*
 * What is let go of, by whomever, is told of by one thread as long as there is ours: viewers want a
 * counter's samples in their order, and each thread's stay in its own.
 */
static void have_told(struct tl_cl_queue *queue)
{
	if (tl_device_has_ended() || !tl_device_do_soon())
		tell_untold(queue);
}

/* All that has ended, also where somebody else is at it just now: it is let go of. */
void tl_cl_collect(struct tl_cl_queue *queue)
{
	struct tl_cl_command *last;

	if (!claim_patiently(queue, &last))
		return;
	put_untold(queue, last ? take_claimed(queue, last, UINT32_MAX, ENDED, 0) : NULL);
	if (number_in(&queue->untolds))
		have_told(queue);
}

void tl_cl_collect_all(void)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		tl_cl_collect(queue);
}

/*
 * An event is its thread's: what its driver keeps of it is in that one's processor's cache, and its
 * memory goes back to where it came from. So those that the program's thread has waited for are
 * asked about and let go of there, and not elsewhere; but while the device is busy with the next
 * command.
 */
static void let_go_meanwhile(struct tl_cl_queue *queue, uint64_t at)
{
	struct tl_cl_command *last;

	if (!claim(queue, &last, true))
		return;
	put_untold(queue, last ? take_claimed(queue, last, SOME, NOTED, at) : NULL);
	if (number_in(&queue->untolds) >= MANY)
		tell_untold(queue);
	else
		have_told(queue);
}

/* Of those that nobody waits for two for each that comes: so it gets on. */
TL_NEAR_CODE void tl_cl_collect_meanwhile(const struct tl_call *call, struct tl_cl_queue *queue)
{
	if (number_in(&queue->noted))
		let_go_meanwhile(queue, call->end);
	else if (is_full(queue) && !tl_device_do_soon())
		collect(queue, 2, FRONT, call->end);
}

/* The call that `waited` says was the first to wait for some commands of the queue. */
static void collect_waited(struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	/*
	 * Where the program has given it up no other call may come, and it is our events that keep
	 * it and its context.
	 */
	if (!number_in(&queue->references))
		tl_cl_collect(queue);
	else if (!tl_device_do_soon())
		collect(queue, UINT32_MAX, ENDED, waited->end);
}

/* --- in the background */

static bool awaits(const struct tl_cl_queue *queue)
{
	return number_in(&queue->noted) || number_in(&queue->untolds) || is_full(queue);
}

/*
 * The program has given it up, and with it perhaps the context, and may make no other call: then it
 * is our events that keep them.
 */
static bool is_given_up(const struct tl_cl_queue *queue)
{
	return !number_in(&queue->references) && number_in(&queue->count);
}

bool tl_cl_awaits(void)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (awaits(queue) || is_given_up(queue))
			return true;
	return false;
}

/*
 * Nothing is told of before somebody has waited for it, that the trace may lead there, unless there
 * are too many; or unless nobody may come any more: then who still has an event is given some time.
 */
enum tl_device_left tl_cl_collect_some(void)
{
	static uint32_t rounds; /* our thread's alone */
	enum tl_device_left left = TL_DEVICE_NOTHING;
	bool seldom = ++rounds % SELDOM == 0;

	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		if (seldom && is_given_up(queue))
			collect(queue, UINT32_MAX, ENDED, 0);
		if (left == TL_DEVICE_NOTHING && is_given_up(queue))
			left = TL_DEVICE_UNENDED;
		if (!awaits(queue))
			continue;
		/*
		 * That was all; what has been waited for meanwhile is about to be let go of by who
		 * did, unless nothing more comes.
		 */
		if (tell_untold(queue)) {
			left = left < TL_DEVICE_LATER ? TL_DEVICE_LATER : left;
			continue;
		}
		if (collect(queue, SOME, number_in(&queue->noted) ? NOTED : FRONT, 0))
			left = TL_DEVICE_MORE;
		else if (left == TL_DEVICE_NOTHING)
			left = TL_DEVICE_UNENDED;
	}
	return left;
}

TL_CL_BEFORE(tl_cl_collect_before)
{
	(void)call;
	(void)state;
	if (tl_cl_ready())
		tl_cl_collect_all();
}

/* --- who waited */

/* That a call waited for. */
struct events {
	const cl_event *all;
	cl_uint count;
	/* where the last one was found: they are mostly in the order of their commands */
	cl_uint from;
	cl_event *sorted; /* where there are many, which may be in any order; NULL: not */
};

static int compare_events(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (const cl_event *)a,
		  right = (uintptr_t) * (const cl_event *)b;

	return (left > right) - (left < right);
}

static struct events events_of(const cl_event *all, cl_uint count)
{
	struct events events = {.all = all, .count = count};

	events.sorted = count > MANY_EVENTS ? malloc(count * sizeof(*all)) : NULL;
	if (events.sorted)
		qsort(memcpy(events.sorted, all, count * sizeof(*all)), count, sizeof(*all),
		      compare_events);
	return events;
}

static bool is_in(cl_event event, struct events *events)
{
	if (events->sorted)
		return bsearch(&event, events->sorted, events->count, sizeof(event),
			       compare_events);
	for (cl_uint i = 0; i < events->count; i++) {
		cl_uint at = (events->from + i) % events->count;
		if (events->all[at] == event) {
			events->from = at;
			return true;
		}
	}
	return false;
}

/*
 * From that command on, the last one that these events are of, as events that we hold can't be
 * others'.
 */
static struct tl_cl_command *last_of(struct tl_cl_command *command, struct events *events)
{
	struct tl_cl_command *last = NULL;

	for (; command; command = command->next)
		if (is_in(command->event, events))
			last = command;
	return last;
}

/*
 * In a queue that keeps the order those before the last one have been waited for, too. Returns how
 * many nobody had waited for.
 */
static uint32_t note_events(struct tl_cl_queue *queue, const struct tl_cl_call *waited,
			    struct events *events)
{
	uint32_t commands = 0;

	tl_spin_lock_take(&queue->lock);
	struct tl_cl_command *first = first_for(queue, waited);
	const struct tl_cl_command *last = last_of(first, events);
	events->from = 0;
	for (struct tl_cl_command *command = last ? first : NULL; command;
	     command = command == last ? NULL : command->next)
		if (queue->in_order || is_in(command->event, events))
			commands += note(queue, command, waited);
	pass_noted(queue);
	tl_spin_lock_release(&queue->lock);
	return commands;
}

void tl_cl_waited_events(const struct tl_call *call, const cl_event *all, cl_uint count)
{
	const struct tl_cl_call waited = tl_cl_call_of(call);
	struct events events = events_of(all, count);

	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		bool matters = unnoted(queue) || overtaken(queue, &waited);
		if (matters && note_events(queue, &waited, &events))
			collect_waited(queue, &waited);
	}
	free(events.sorted);
}

static void start_waiting(const struct tl_call *call, struct waiting *waiting)
{
	struct tl_producer *producer = (struct tl_producer *)(void *)call->thread;

	waiting->outer = atomic_load_explicit(&producer->waiting, memory_order_relaxed);
	atomic_store_explicit(&producer->waiting, call->hooked, memory_order_relaxed);
	/*
	 * With see_who_waits: whoever has seen the command to have ended after this call did sees
	 * that it waits.
	 */
	tl_hook_barrier_near();
}

/* It is noted. Release pairs with is_held. */
static void stop_waiting(const struct tl_call *call, const struct waiting *waiting)
{
	struct tl_producer *producer = (struct tl_producer *)(void *)call->thread;

	atomic_store_explicit(&producer->waiting, waiting->outer, memory_order_release);
}

TL_CL_BEFORE(tl_cl_wait_before)
{
	start_waiting(call, state);
}

/* Also where some of them failed. */
TL_CL_AFTER(tl_cl_wait_after)
{
	cl_int status = (cl_int)result;

	if (!unwound &&
	    (status == CL_SUCCESS || status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) &&
	    tl_cl_ready())
		tl_cl_waited_events(call, TL_CL_PARAM(const cl_event *, call, 1),
				    TL_CL_PARAM(cl_uint, call, 0));
	stop_waiting(call, state);
}

TL_NEAR_CODE TL_CL_BEFORE(tl_cl_finish_before)
{
	struct waiting *waiting = state;

	waiting->queue =
		tl_cl_ready() ? tl_cl_queue_find(TL_CL_PARAM(cl_command_queue, call, 0)) : NULL;
	if (waiting->queue)
		start_waiting(call, waiting);
}

/*
 * What other threads submitted meanwhile is not waited for. Returns how many nobody had waited for.
 */
static uint32_t note_finish(struct tl_cl_queue *queue, const struct tl_cl_call *waited)
{
	uint32_t commands = 0;

	tl_spin_lock_take(&queue->lock);
	queue->finishes[queue->finished++ % TL_CL_FINISHES] = *waited;
	if (queue->finish_began < waited->start)
		queue->finish_began = waited->start;
	for (struct tl_cl_command *command = first_for(queue, waited); command;
	     command = command->next)
		if (command->submitted.end <= waited->start)
			commands += note(queue, command, waited);
	pass_noted(queue);
	tl_spin_lock_release(&queue->lock);
	return commands;
}

TL_NEAR_CODE TL_CL_AFTER(tl_cl_finish_after)
{
	struct tl_cl_queue *queue = ((const struct waiting *)state)->queue;
	const struct tl_cl_call waited = tl_cl_call_of(call);

	if (!queue)
		return;
	bool succeeded = tl_cl_succeeded(result, unwound) && tl_cl_ready();
	bool first = succeeded && note_finish(queue, &waited);
	stop_waiting(call, state);
	if (first)
		collect_waited(queue, &waited);
}

/* --- references */

static bool has_event(struct tl_cl_queue *queue, cl_event event)
{
	struct events events = {.all = &event, .count = 1};

	tl_spin_lock_take(&queue->lock);
	bool has = last_of(queue->first, &events);
	tl_spin_lock_release(&queue->lock);
	return has;
}

static bool claim_with(struct tl_cl_queue *queue, cl_event event)
{
	struct tl_cl_command *last;

	if (!claim_patiently(queue, &last))
		return false;
	if (has_event(queue, event))
		return true;
	tl_cl_release(queue);
	return false;
}

/* What somebody is just telling of is in none of a queue's lists: so all of them are looked at. */
struct tl_cl_queue *tl_cl_claim(cl_event event)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (claim_with(queue, event))
			return queue;
	return NULL;
}

/* --- the end */

static bool is_under_way(void)
{
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		if (atomic_load_explicit(&queue->count, memory_order_relaxed))
			return true;
	return false;
}

/* Those that are left: their events stay, since nobody asks the driver for anything any more. */
static void tell_unfinished(struct tl_cl_queue *queue)
{
	struct tl_cl_command *last;

	if (!claim(queue, &last, false))
		return;
	for (struct tl_cl_command *command = last ? queue->first : NULL; command;
	     command = command == last ? NULL : command->next) {
		struct tl_device_work work = work_of(command);
		work.unfinished = true;
		work.start = work.submitted.end;
		work.end = tl_device_now();
		tl_device_done(command->lane, &work);
	}
}

void tl_cl_collect_end(uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + LAST_WAIT;

	if (patience > deadline)
		patience = deadline;
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next) {
		tell_untold(queue);
		collect(queue, UINT32_MAX, LAST, 0);
	}
	while (is_under_way() && tl_device_now() < patience) {
		nanosleep(&moment, NULL);
		tl_cl_collect_all();
	}
	for (struct tl_cl_queue *queue = tl_cl_queues(); queue; queue = queue->next)
		tell_unfinished(queue);
}
