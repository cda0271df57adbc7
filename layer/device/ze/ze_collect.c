/* SPDX-License-Identifier: MIT */
/*
 * ze_collect.c: see ze_collect.h.
 *
 * An item is shown once it is read and the call that submitted it has returned, since the item
 * needs the call's times.
 */
#include "layer/device/ze/ze_collect.h"

#include <time.h>

#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_capture.h"
#include "layer/device/ze/ze_driver_functions.h"

/* nanoseconds by which the timestamp may come later than the program's signal before it */
#define STAMP_AFTER 100000u
/* nanoseconds that a wait's end may be wrong by, besides the device's clock */
#define WAIT_ERROR 1000u
/* nanoseconds that a call which destroys or resets a list waits for it */
#define STAMP_PATIENCE 2000000u
/* after so many items that are not ready, a collection gives up; more ready ones may lie behind */
#define STUCK 8u

/* --- showing */

static bool command_has_global_times(const struct ze_command *command)
{
	return command->source == ZE_BRACKET || command->source == ZE_INSTANT;
}

/*
 * Converts a command's times. A clock may step, so each time is converted near to where it must be.
 * Returns by how much the end may be wrong; UINT64_MAX: nothing is known of the clock.
 */
static uint64_t work_convert(struct ze_device *device, const struct ze_command *command,
			     const struct ze_execution *execution, struct tl_device_work *work)
{
	unsigned bits = command_has_global_times(command) ? device->bits : device->kernel_bits;
	uint64_t mask = tl_clock_fit_mask(bits);
	double half = (double)(mask / 2) * device->clock.nominal;
	uint64_t now = tl_device_now();
	bool near = (double)(now - execution->began) < half * 0.9;
	uint64_t about = near ? execution->began : execution->began + (uint64_t)(half * 0.9);

	work->raw_start &= mask;
	work->raw_end &= mask;
	work->start = tl_clock_fit_convert(&device->clock, work->raw_start, bits, about).ns;
	uint64_t lasted = (uint64_t)((double)((work->raw_end - work->raw_start) & mask) *
				     device->clock.nominal);
	if (work->start + lasted > now + now / 1024)
		lasted = 0;
	const struct tl_clock_fit_time end =
		tl_clock_fit_convert(&device->clock, work->raw_end, bits, work->start + lasted);
	work->end = end.ns;
	return end.error;
}

/*
 * Whether a command's times allow that the call has waited for it: the call had not returned when
 * the command began, nor, by more than `after`, when it ended.
 */
static bool work_fits_wait(const struct tl_device_work *work, const struct tl_device_call *call,
			   uint64_t error, uint64_t after)
{
	return error == UINT64_MAX || (work->start <= call->end + error + WAIT_ERROR &&
				       work->end <= call->end + error + after);
}

/* Converts an item's times, and finds out which call has waited for it. */
static void item_times(const struct ze_execution *execution, uint32_t index,
		       struct tl_device_work *work)
{
	const struct ze_command *command = &execution->recording->commands[index];
	const struct ze_item *item = &execution->items[index];
	struct ze_device *device = execution->recording->device;
	uint64_t error = work_convert(device, command, execution, work);
	bool open = !work->waited.end && item->near.end;

	if (open && item->told && work_fits_wait(work, &item->near, error, WAIT_ERROR))
		work->waited = item->near;
	if (!device->pairs) {
		/* The slice's own bounds: what the clock is known by then needs no cutting. */
		const struct tl_work_room room =
			tl_work_room(work, execution->began, tl_device_now());
		tl_clock_fit_bracket(&device->clock, work->raw_start, work->raw_end, room.first,
				     room.last);
		error = work_convert(device, command, execution, work);
	}
	if (open && !item->told && work_fits_wait(work, &item->near, error, STAMP_AFTER))
		work->waited = item->near;
}

/* Adds the arguments that only this API has. Returns how many. */
static uint32_t item_arguments(const struct ze_command *command, const struct ze_item *item,
			       bool unfinished, struct tl_event_arg *args)
{
	uint32_t count = 0;

	if (command->kernels)
		args[count++] = tl_event_number("kernels", TL_VALUE_UNSIGNED_64, command->kernels);
	if (item->read && command_has_global_times(command))
		args[count++] = tl_event_text("times", "global");
	else if (!item->read && !unfinished)
		args[count++] = tl_event_text("times", "host");
	return count;
}

/* Shows an item, without asking a driver. */
static void item_show(struct ze_execution *execution, uint32_t index, bool unfinished)
{
	const struct ze_command *command = &execution->recording->commands[index];
	struct ze_item *item = &execution->items[index];
	struct tl_event_arg args[2];
	struct tl_device_work work = {
		.facts = &command->facts,
		.unfinished = unfinished,
		.raw_start = item->start,
		.raw_end = item->end,
		.start = execution->began,
		.end = tl_device_now(),
		.correlation = execution->correlation,
		.request = execution->request,
		.submitted = execution->call,
		.waited = item->waited,
		.nargs = item_arguments(command, item, unfinished, args),
		.args = args,
	};

	if (item->read) {
		work.has = TL_RAW_START | TL_RAW_END;
		item_times(execution, index, &work);
	}
	if (item->command)
		tl_device_done(item->command, &work);
	item->command = NULL;
	item->shown = true;
	execution->left--;
	if (!item->read)
		tl_ze_item_not_pending(execution, index);
}

/* Whether the item's event may be gone: then its times never come. */
static bool item_may_never_be_read(const struct ze_execution *execution, uint32_t index)
{
	const struct ze_command *command = &execution->recording->commands[index];

	return execution->items[index].lost ||
	       (command->source == ZE_THEIRS && !command->event->seen);
}

/*
 * Shows an item whose times are known, and whose call is. An item whose times are lost has ended
 * when something that was submitted after it has, or when a call has waited for it. False: it may
 * be ready later.
 */
static bool item_show_if_ready(struct ze_execution *execution, uint32_t index)
{
	const struct ze_item *item = &execution->items[index];

	if (item->shown)
		return true;
	if (!execution->submitted)
		return false;
	if (tl_ze_item_read(execution, index) || (item_may_never_be_read(execution, index) &&
						  execution->number < execution->queue->over))
		item_show(execution, index, false);
	return item->shown || item->lost;
}

/*
 * Shows what is ready, from the first item that was not shown. Returns how many may become ready,
 * up to `most`.
 */
static uint32_t execution_collect(struct ze_execution *execution, uint32_t most)
{
	uint32_t count = execution->recording->count, stuck = 0;

	for (uint32_t i = execution->first_left; i < count && stuck < most; i++)
		if (!item_show_if_ready(execution, i))
			stuck++;
	while (execution->first_left < count && execution->items[execution->first_left].shown)
		execution->first_left++;
	return stuck;
}

void tl_ze_collect(struct ze_queue *queue)
{
	struct ze_execution *next;
	uint32_t stuck = 0;

	tl_ze_pair(queue->device);
	for (struct ze_execution *execution = queue->first; execution && stuck < STUCK;
	     execution = next) {
		next = execution->next;
		stuck += execution_collect(execution, STUCK - stuck);
		if (execution->left == 0)
			tl_ze_execution_free(execution);
	}
}

/*
 * When a queue or a list is destroyed, its commands are over; when the process ends, they may not
 * be.
 */
static bool item_is_unfinished(const struct ze_execution *execution, uint32_t index)
{
	return tl_device_has_ended() ? !execution->items[index].lost
				     : !item_may_never_be_read(execution, index);
}

/* Shows all other items: what can't be read now never will be. */
static void execution_show_rest(struct ze_execution *execution, const struct tl_device_call *waited,
				bool unfinished)
{
	for (uint32_t i = 0; i < execution->recording->count; i++) {
		struct ze_item *item = &execution->items[i];
		if (item->shown)
			continue;
		if (waited && !item->waited.end)
			item->waited = *waited;
		bool read = tl_ze_item_read(execution, i);
		if (!read && !item->lost)
			execution->recording->dirty = true;
		item_show(execution, i, unfinished && !read && item_is_unfinished(execution, i));
	}
}

/* All of the execution is over. */
static void execution_finish(struct ze_execution *execution, const struct tl_device_call *waited,
			     bool unfinished)
{
	execution_show_rest(execution, waited, unfinished);
	tl_ze_execution_free(execution);
}

void tl_ze_drain(struct ze_queue *queue, uint64_t number, const struct tl_device_call *waited)
{
	tl_ze_pair(queue->device);
	while (queue->first && queue->first->number <= number && queue->first->submitted)
		execution_finish(queue->first, waited, false);
}

/*
 * An execution whose call has not returned stays: the call, in another thread, has a pointer to it,
 * and frees it.
 */
void tl_ze_give_up(struct ze_queue *queue)
{
	struct ze_execution *next;

	for (struct ze_execution *execution = queue->first; execution; execution = next) {
		next = execution->next;
		execution_show_rest(execution, NULL, true);
		if (execution->submitted)
			tl_ze_execution_free(execution);
	}
}

/*
 * If the event's reset is still to come, the wait may have seen an earlier command's signal. So the
 * event's times decide. Without times, the command is over if its event was not signalled before.
 */
static void event_note_wait(const struct ze_event *event, struct ze_execution *execution,
			    uint32_t index, const struct tl_device_call *waited)
{
	struct ze_item *item = &execution->items[index];

	if (tl_ze_item_read(execution, index)) {
		item->near = *waited;
		item->told = true;
	} else if (!item->lost) {
		item->near = item->near.end ? item->near : *waited;
	} else if (execution->submitted && !item->shown && !event->stale) {
		item->waited = *waited;
		item_show(execution, index, false);
	}
}

void tl_ze_signalled(struct ze_event *event, const struct tl_device_call *waited)
{
	struct ze_execution *execution = event->pending;
	uint32_t index = event->index;
	struct ze_queue *queue = tl_ze_queues();

	while (queue && queue != event->behind)
		queue = queue->next;
	if (queue) {
		tl_ze_drain(queue, event->number, waited);
		event->behind = NULL;
		return;
	}
	if (!execution)
		return;
	if (waited)
		event_note_wait(event, execution, index, waited);
	item_show_if_ready(execution, index);
	tl_ze_collect(execution->queue);
}

/* Each execution of the recording that has not been shown completely. */
#define EACH_EXECUTION(recording_)                                                                 \
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next)                  \
		for (struct ze_execution *execution = queue->first; execution;                     \
		     execution = execution->next)                                                  \
			if (execution->recording == (recording_))

void tl_ze_recording_collect(const struct ze_recording *recording)
{
	EACH_EXECUTION(recording)
	execution_collect(execution, UINT32_MAX);
}

/* Drops the captures, whose results belong to the commands before the change. */
static void recording_drop_captures(struct ze_recording *recording)
{
	while (recording->captures) {
		struct ze_capture *capture = recording->captures;
		recording->captures = capture->next;
		tl_ze_capture_discard(recording->context, capture);
	}
}

static void recording_lose(const struct ze_recording *recording, uint32_t index)
{
	EACH_EXECUTION(recording)
	if (!tl_ze_item_read(execution, index))
		execution->items[index].lost = true;
}

void tl_ze_recording_signal(struct ze_recording *recording, struct ze_command *command,
			    struct ze_event *event)
{
	uint32_t index = (uint32_t)(command - recording->commands);

	if (!recording->context || event == command->event)
		return;
	recording_lose(recording, index);
	EACH_EXECUTION(recording)
	tl_ze_item_not_pending(execution, index);
	recording_drop_captures(recording);
	tl_ze_command_drop_event(recording, command);
	command->event = event;
	if (event)
		event->references++;
	/* The timestamps around the command remain. */
	if (command->source != ZE_BRACKET)
		tl_ze_choose_for_event(false, true, recording, command);
}

void tl_ze_recording_spoil(struct ze_recording *recording)
{
	for (uint32_t i = 0; i < recording->count; i++) {
		if (recording->commands[i].source == ZE_THEIRS)
			continue;
		recording_lose(recording, i);
		recording->commands[i].source = ZE_NONE;
	}
	recording->dirty = true;
	if (recording->context)
		recording_drop_captures(recording);
}

/*
 * Reads what is there, and shows the rest as unfinished. The device and the program have finished
 * with the context, so nothing writes to memory that is freed.
 */
void tl_ze_recording_orphan(struct ze_recording *recording)
{
	recording->references++;
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next) {
		struct ze_execution *next;
		for (struct ze_execution *execution = queue->first; execution; execution = next) {
			next = execution->next;
			if (execution->recording == recording)
				execution_finish(execution, NULL, true);
		}
	}
	tl_ze_recording_unlink(recording);
	recording->context->outlived |= recording->dirty;
	recording->context = NULL;
	tl_ze_recording_release(recording);
}

/* --- timestamps behind commands */

static bool execution_awaits_stamp(struct ze_execution *execution)
{
	const struct ze_recording *recording = execution->recording;

	for (uint32_t i = 0; i < recording->count; i++)
		if (recording->commands[i].source == ZE_BRACKET && recording->commands[i].event &&
		    !execution->items[i].shown && !execution->items[i].lost &&
		    !tl_ze_item_read(execution, i))
			return true;
	return false;
}

static bool queue_awaits_stamps(struct ze_queue *queue, const struct ze_recording *recording)
{
	for (struct ze_queue *one = queue ? queue : tl_ze_queues(); one;
	     one = queue ? NULL : one->next)
		for (struct ze_execution *execution = one->first; execution;
		     execution = execution->next)
			if ((queue || execution->recording == recording) &&
			    execution_awaits_stamp(execution))
				return true;
	return false;
}

void tl_ze_wait_for_stamps(struct ze_queue *queue, const struct ze_recording *recording)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t until = tl_device_now() + STAMP_PATIENCE;

	while (tl_ze_usable() && queue_awaits_stamps(queue, recording) && tl_device_now() < until) {
		pthread_mutex_unlock(&tl_ze_lock);
		nanosleep(&moment, NULL);
		pthread_mutex_lock(&tl_ze_lock);
	}
}

/* --- the early end */

/* False: some of it may be ready later. */
static bool execution_read_last(struct ze_execution *execution)
{
	bool all = true;

	for (uint32_t i = 0; i < execution->recording->count; i++)
		all &= execution->items[i].shown || tl_ze_item_read(execution, i) ||
		       item_may_never_be_read(execution, i);
	return all;
}

static bool queue_read_last(struct ze_queue *queue)
{
	bool all = true;

	for (struct ze_execution *execution = queue->first; execution; execution = execution->next)
		all &= execution_read_last(execution);
	return all;
}

/* A driver that answers slowly is not called any more. */
static bool queues_read_last(uint64_t deadline)
{
	bool all = true;

	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next) {
		if (queue->first && tl_device_now() < deadline)
			all &= queue_read_last(queue);
		queue->awaited = queue->number;
	}
	return all;
}

bool tl_ze_queue_is_asked(const struct ze_queue *queue)
{
	return queue->first && queue->number > queue->awaited;
}

bool tl_ze_queues_are_asked(void)
{
	const struct ze_queue *queue = tl_ze_queues();

	while (queue && !tl_ze_queue_is_asked(queue))
		queue = queue->next;
	return queue;
}

void tl_ze_collect_await(uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + TL_DEVICE_LAST_WAIT;

	if (!tl_device_lock_until(&tl_ze_lock, deadline))
		return;
	if (tl_ze_queues_are_asked() && tl_ze_usable()) {
		tl_ze_pair_all();
		while (!queues_read_last(deadline) && tl_device_now() < patience) {
			pthread_mutex_unlock(&tl_ze_lock);
			nanosleep(&moment, NULL);
			if (!tl_device_lock_until(&tl_ze_lock, deadline))
				return;
		}
	}
	pthread_mutex_unlock(&tl_ze_lock);
}
