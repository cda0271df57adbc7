/* SPDX-License-Identifier: MIT */
/*
 * cuda_collect.c: see cuda_collect.h.
 *
 * Only the holder of tl_cuda_looking takes commands out of a stream's list, so the first command
 * stays while the driver is asked about it. tl_cuda_lock is taken for each step, and no driver is
 * called under it.
 */
#include "layer/device/cuda/cuda_collect.h"

#include <stdlib.h>
#include <time.h>

#include "layer/device/background.h"
#include "layer/device/cuda/cuda_activity.h"
#include "layer/device/cuda/cuda_clock.h"
#include "layer/device/cuda/cuda_commands.h"

#define KEEP 256u /* commands that nobody waits for; beyond it the oldest are reported */
#define SOME 32u  /* commands reported at a time in the background */
/* nanoseconds after which CUPTI has no record of a command that a call has waited for */
#define RECORD_LOST 2000000000u

enum collecting {
	DUE,
	ALL,
	LAST, /* all of contexts with commands that no earlier end has asked about */
};

/*
 * Commands whose context is gone, that a call has waited for, and of which CUPTI may still have a
 * record. Under tl_cuda_lock.
 */
static struct cuda_command *orphans;

/* --- reporting a command */

/* `waited`: the command's own, as it was under tl_cuda_lock. A call may end and change that meanwhile. */
static struct tl_device_work command_work(const struct cuda_command *command,
					  const struct tl_device_call *waited)
{
	return (struct tl_device_work){.facts = &command->facts,
				       .correlation = command->correlation,
				       .request = command->request,
				       .submitted = command->submitted,
				       .waited = *waited};
}

/* The times by the events. False: they can't be had. */
static bool command_has_times(struct cuda_context *context, const struct cuda_command *command,
			      struct tl_device_work *work)
{
	uint64_t about = work->waited.end ? work->waited.end : command->submitted.end;

	if (!command->timed ||
	    !tl_cuda_clock_ticks(context, command->begin, about, &work->raw_start) ||
	    !tl_cuda_clock_ticks(context, command->end, about, &work->raw_end))
		return false;
	work->has = TL_RAW_START | TL_RAW_END;
	work->start = tl_clock_fit_convert(&context->clock, work->raw_start, 64, about).ns;
	work->end = tl_clock_fit_convert(&context->clock, work->raw_end, 64, about).ns;
	return true;
}

/*
 * Between two commands of a stream are events, so one begins after the other has ended. Two anchors
 * may say otherwise: what the driver tells is rounded.
 */
static void work_follow(struct cuda_stream *stream, struct tl_device_work *work)
{
	if (work->start < stream->ended)
		work->start = stream->ended;
	if (work->end < work->start)
		work->end = work->start;
	stream->ended = work->end;
}

/*
 * It has ended. Without the driver's times, it ran at some time since its submission. stream: NULL
 * where its context is gone.
 */
static void command_tell(struct cuda_stream *stream, const struct cuda_command *command,
			 const struct tl_device_call *waited)
{
	struct tl_device_work work = command_work(command, waited);
	struct tl_event_arg args[1];
	bool recorded = command->activity &&
			tl_cuda_activity_times(command->activity, &work.start, &work.end);

	if (recorded) {
		work.has = TL_RAW_START | TL_RAW_END;
		work.raw_start = work.start;
		work.raw_end = work.end;
		args[work.nargs++] = tl_event_text("times", "cupti");
	} else if (stream && command_has_times(stream->context, command, &work)) {
		work_follow(stream, &work);
	} else {
		work.start = command->submitted.start;
		work.end = waited->end ? waited->end : tl_device_now();
		args[work.nargs++] = tl_event_text("times", "host");
	}
	work.args = args;
	tl_device_done(command->lane, &work);
}

static void command_give_up(const struct cuda_command *command)
{
	const struct tl_device_work work = command_work(command, &command->waited);

	tl_device_give_up(command->lane, &work);
}

/* --- streams; under tl_cuda_looking */

/* What other threads submit meanwhile is left: they may be faster. Under tl_cuda_lock. */
static bool stream_is_last(const struct cuda_stream *stream)
{
	return stream->first && stream->first->number <= stream->looked;
}

/* Under tl_cuda_lock. */
static bool stream_is_due(const struct cuda_stream *stream)
{
	return stream->first && (stream->first->number <= stream->waited || stream->count > KEEP);
}

static struct cuda_command *stream_first(const struct cuda_stream *stream, enum collecting what,
					 struct tl_device_call *waited)
{
	pthread_mutex_lock(&tl_cuda_lock);
	bool wanted = what == DUE    ? stream_is_due(stream)
		      : what == LAST ? stream_is_last(stream)
				     : true;
	struct cuda_command *first = wanted ? stream->first : NULL;
	if (first)
		*waited = first->waited;
	pthread_mutex_unlock(&tl_cuda_lock);
	return first;
}

/* Under tl_cuda_lock. */
static void stream_take_first(struct cuda_stream *stream)
{
	struct cuda_command *first = stream->first;

	if (!(stream->first = first->next))
		stream->last = &stream->first;
	stream->count--;
}

/* CUPTI's record of it has come, or will not come any more. */
static bool command_is_recorded(const struct cuda_command *command,
				const struct tl_device_call *waited)
{
	uint64_t start, end;

	return tl_cuda_activity_times(command->activity, &start, &end) ||
	       (waited->end && tl_device_now() - waited->end > RECORD_LOST);
}

/* Its events have happened, or say nothing any more. */
static bool command_has_ended(struct cuda_command *command, const struct tl_device_call *waited)
{
	if (command->activity)
		return command_is_recorded(command, waited);
	if (!command->timed)
		return true;
	int result = tl_cuda_real.cuEventQuery(command->end);
	if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
		command->timed = false;
	return result != CUDA_ERROR_NOT_READY;
}

/* Returns how many were reported. */
static unsigned stream_collect(struct cuda_stream *stream, enum collecting what, unsigned most)
{
	struct tl_device_call waited;
	struct cuda_command *command;
	unsigned told = 0;

	while (told < most && (command = stream_first(stream, what, &waited)) &&
	       command_has_ended(command, &waited)) {
		command_tell(stream, command, &waited);
		told++;
		pthread_mutex_lock(&tl_cuda_lock);
		stream_take_first(stream);
		tl_cuda_command_give_back(stream->context, command);
		pthread_mutex_unlock(&tl_cuda_lock);
	}
	return told;
}

/* --- contexts; under tl_cuda_looking */

static struct cuda_stream *context_streams(const struct cuda_context *context)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_stream *first = context->streams;
	pthread_mutex_unlock(&tl_cuda_lock);
	return first;
}

static struct cuda_context *contexts_first(void)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_context *first = tl_cuda_contexts();
	pthread_mutex_unlock(&tl_cuda_lock);
	return first;
}

static unsigned context_collect_streams(const struct cuda_context *context, enum collecting what,
					unsigned most)
{
	struct cuda_stream *stream = context_streams(context), *next;
	unsigned told = 0;

	for (; stream; stream = next) {
		next = stream->next;
		told += stream_collect(stream, what, most);
		pthread_mutex_lock(&tl_cuda_lock);
		if (stream->destroyed && !stream->first)
			tl_cuda_stream_drop(stream);
		pthread_mutex_unlock(&tl_cuda_lock);
	}
	return told;
}

/* Under tl_cuda_lock. */
static bool context_has_commands(const struct cuda_context *context)
{
	const struct cuda_stream *stream = context->streams;

	while (stream && !stream->first)
		stream = stream->next;
	return stream && !context->closing;
}

/*
 * Once an earlier end has been, exit handlers of the driver may have run: a context is asked again only
 * if it has taken commands since. Under tl_cuda_lock.
 */
static bool context_is_asked(const struct cuda_context *context)
{
	const struct cuda_stream *stream = context->streams;

	while (stream && (!stream->first || stream->number == stream->awaited))
		stream = stream->next;
	return stream && !context->closing;
}

/* Something is to be done for it now. Under tl_cuda_lock. */
static bool context_is_due(const struct cuda_context *context)
{
	if (context->closing)
		return false;
	for (const struct cuda_stream *stream = context->streams; stream; stream = stream->next)
		if (stream_is_due(stream) || (stream->destroyed && !stream->first))
			return true;
	return atomic_load_explicit(&context->wants_pair, memory_order_relaxed);
}

static unsigned context_collect(struct cuda_context *context, enum collecting what, unsigned most)
{
	unsigned told = 0;

	pthread_mutex_lock(&tl_cuda_lock);
	bool due = what == DUE	 ? context_is_due(context)
		   : what == ALL ? context_has_commands(context)
				 : context_is_asked(context);
	pthread_mutex_unlock(&tl_cuda_lock);
	if (!due || !tl_cuda_usable())
		return 0;
	tl_cuda_activity_fetch(false);
	int mode = tl_cuda_capture_relax();
	if (tl_cuda_context_enter(context)) {
		tl_cuda_clock_read(context, what != DUE);
		if (what != DUE || tl_cuda_clock_is_read(context))
			told = context_collect_streams(context, what, most);
		tl_cuda_context_leave();
	}
	tl_cuda_capture_restore(mode);
	return told;
}

void tl_cuda_collect_context(struct cuda_context *context)
{
	context_collect(context, ALL, UINT32_MAX);
}

static void stream_give_up(struct cuda_stream *stream)
{
	struct cuda_command *command;

	while ((command = stream->first)) {
		stream_take_first(stream);
		if (command->activity && command->waited.end) {
			command->next = orphans;
			orphans = command;
			continue;
		}
		command_give_up(command);
		tl_cuda_command_give_back(stream->context, command);
	}
}

void tl_cuda_give_up(struct cuda_context *context)
{
	for (struct cuda_stream *stream = context->streams; stream; stream = stream->next)
		stream_give_up(stream);
}

static bool orphans_are_left(void)
{
	pthread_mutex_lock(&tl_cuda_lock);
	bool left = orphans != NULL;
	pthread_mutex_unlock(&tl_cuda_lock);
	return left;
}

/* `last`: also those that have no record. Returns how many were reported. */
static unsigned orphans_collect(bool last)
{
	struct cuda_command **at = &orphans, *command;
	unsigned told = 0;

	pthread_mutex_lock(&tl_cuda_lock);
	while ((command = *at)) {
		if (!last && !command_is_recorded(command, &command->waited)) {
			at = &command->next;
			continue;
		}
		*at = command->next;
		command_tell(NULL, command, &command->waited);
		free(command);
		told++;
	}
	pthread_mutex_unlock(&tl_cuda_lock);
	return told;
}

void tl_cuda_collect_forget(void)
{
	orphans = NULL;
}

/* --- in the background */

bool tl_cuda_awaits(void)
{
	pthread_mutex_lock(&tl_cuda_lock);
	bool due = orphans != NULL;
	for (const struct cuda_context *context = tl_cuda_contexts(); context && !due;
	     context = context->next)
		due = context_is_due(context);
	pthread_mutex_unlock(&tl_cuda_lock);
	return due;
}

/* Under tl_cuda_looking. Returns how many were reported. */
static unsigned contexts_collect_some(void)
{
	unsigned told = 0;

	for (struct cuda_context *context = contexts_first(); context; context = context->next)
		told += context_collect(context, DUE, SOME);
	if (orphans_are_left() && tl_cuda_usable()) {
		tl_cuda_activity_fetch(false);
		told += orphans_collect(false);
	}
	return told;
}

enum tl_device_left tl_cuda_collect_some(void)
{
	pthread_mutex_lock(&tl_cuda_looking);
	unsigned told = contexts_collect_some();
	pthread_mutex_unlock(&tl_cuda_looking);
	if (told >= SOME)
		return TL_DEVICE_MORE;
	if (told)
		return TL_DEVICE_LATER;
	return tl_cuda_awaits() ? TL_DEVICE_UNENDED : TL_DEVICE_NOTHING;
}

/* There is something to do: the background thread does it, or the calling thread. */
void tl_cuda_collect_soon(void)
{
	if (tl_device_do_soon() || pthread_mutex_trylock(&tl_cuda_looking) != 0)
		return;
	/* What exit handlers submit is collected in their calls alone, but threads may submit without end. */
	uint64_t patience = tl_device_now() + TL_DEVICE_LAST_WAIT;
	while (contexts_collect_some() >= SOME && tl_device_is_late() && tl_device_now() < patience)
		;
	pthread_mutex_unlock(&tl_cuda_looking);
}

void tl_cuda_collect_meanwhile(struct cuda_stream *stream)
{
	bool asks = tl_cuda_clock_ask(stream->context, tl_device_now());

	pthread_mutex_lock(&tl_cuda_lock);
	bool due = stream_is_due(stream);
	pthread_mutex_unlock(&tl_cuda_lock);
	if (asks || due)
		tl_cuda_collect_soon();
}

/* Under tl_cuda_lock. Returns whether the call is the first to wait for some command. */
static bool stream_note(struct cuda_stream *stream, uint64_t number,
			const struct tl_device_call *call)
{
	bool noted = false;

	for (struct cuda_command *command = stream->first; command && command->number <= number;
	     command = command->next) {
		/* A copy that has waited for itself was submitted by this call. */
		if (command->submitted.end > call->start && command->submitted.start != call->start)
			break;
		if (command->waited.end)
			continue;
		command->waited = *call;
		stream->waited = command->number;
		noted = true;
	}
	return noted;
}

void tl_cuda_collect_waited(struct cuda_stream *stream, uint64_t number,
			    const struct tl_device_call *call)
{
	pthread_mutex_lock(&tl_cuda_lock);
	bool noted = stream_note(stream, number, call);
	pthread_mutex_unlock(&tl_cuda_lock);
	if (noted)
		tl_cuda_collect_soon();
}

void tl_cuda_collect_waited_all(struct cuda_context *context, const struct tl_device_call *call)
{
	bool noted = false;

	pthread_mutex_lock(&tl_cuda_lock);
	for (struct cuda_stream *stream = context->streams; stream; stream = stream->next)
		noted |= stream_note(stream, UINT64_MAX, call);
	pthread_mutex_unlock(&tl_cuda_lock);
	if (noted)
		tl_cuda_collect_soon();
}

/* --- the end */

static bool commands_are_left(void)
{
	bool left = false;

	pthread_mutex_lock(&tl_cuda_lock);
	for (const struct cuda_context *context = tl_cuda_contexts(); context && !left;
	     context = context->next)
		left = context_is_asked(context);
	pthread_mutex_unlock(&tl_cuda_lock);
	return left;
}

static void streams_note(void (*note)(struct cuda_stream *stream))
{
	pthread_mutex_lock(&tl_cuda_lock);
	for (struct cuda_context *context = tl_cuda_contexts(); context; context = context->next)
		for (struct cuda_stream *stream = context->streams; stream; stream = stream->next)
			note(stream);
	pthread_mutex_unlock(&tl_cuda_lock);
}

static void stream_begin_look(struct cuda_stream *stream)
{
	stream->looked = stream->number;
}

static void stream_end_looks(struct cuda_stream *stream)
{
	stream->awaited = stream->looked;
}

/* A driver that answers slowly is not called any more. */
static void contexts_collect_until(uint64_t deadline)
{
	streams_note(stream_begin_look);
	for (struct cuda_context *context = contexts_first();
	     context && tl_device_now() <= deadline; context = context->next)
		context_collect(context, LAST, UINT32_MAX);
}

void tl_cuda_collect_await(uint64_t deadline, bool first)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + TL_DEVICE_LAST_WAIT;

	if (patience > deadline)
		patience = deadline;
	contexts_collect_until(deadline);
	while (commands_are_left() && tl_device_now() < patience && tl_cuda_usable()) {
		nanosleep(&moment, NULL);
		contexts_collect_until(deadline);
	}
	if ((commands_are_left() || (first && orphans_are_left())) && tl_device_now() < deadline &&
	    tl_cuda_usable()) {
		tl_cuda_activity_fetch(true);
		contexts_collect_until(deadline);
	}
	streams_note(stream_end_looks);
}

void tl_cuda_collect_give_up(void)
{
	pthread_mutex_lock(&tl_cuda_lock);
	for (struct cuda_context *context = tl_cuda_contexts(); context; context = context->next)
		tl_cuda_give_up(context);
	pthread_mutex_unlock(&tl_cuda_lock);
	orphans_collect(true);
}
