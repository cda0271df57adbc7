/* SPDX-License-Identifier: MIT */
/*
 * ze_collect.c: what lists record, what comes of each execution of it, and when that is read and
 * shown (ze.h has the whole).
 *
 * An item (a command of an execution) is read as soon as a hook finds it ready: then its times are
 * the host's, and the event or slot is fit for the next execution. It is shown once the call that
 * submitted it has returned, whose times go with it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/device/ze/ze.h"

/* nanoseconds: so much later than the program's signal the timestamp behind it may come */
#define STAMP_AFTER    100000u
#define STAMP_PATIENCE 2000000u /* that who destroys or resets a list waits for it */
/*
 * items that are not ready, after which a collection gives up; more that are ready may lie behind
 */
#define STUCK 8u

/* --- recordings */

struct ze_recording *tl_ze_recording_new(struct ze_context *context, struct ze_device *device,
					 uint32_t group, bool immediate)
{
	struct ze_recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	*recording = (struct ze_recording){.references = 1,
					   .context = context,
					   .device = device,
					   .group = group,
					   .immediate = immediate};
	recording->next = context->recordings;
	recording->link = &context->recordings;
	if (recording->next)
		recording->next->link = &recording->next;
	context->recordings = recording;
	return recording;
}

static void unlink_recording(struct ze_recording *recording)
{
	if (!recording->context)
		return;
	*recording->link = recording->next;
	if (recording->next)
		recording->next->link = recording->link;
}

struct ze_command *tl_ze_command_next(struct ze_recording *recording)
{
	if (recording->count == recording->room) {
		uint32_t room = recording->room	       ? 2 * recording->room
				: recording->immediate ? 1
						       : 8;
		struct ze_command *commands =
			realloc(recording->commands, room * sizeof(*commands));
		if (!commands)
			return NULL;
		recording->commands = commands;
		recording->room = room;
	}
	struct ze_command *command = &recording->commands[recording->count];
	memset(command, 0, sizeof(*command));
	return command;
}

/*
 * A slot of a regular list's recording lies with its others, so that a capture copies them
 * together.
 */
struct ze_slot *tl_ze_recording_slot(struct ze_recording *recording)
{
	struct ze_run *run = recording->runs;

	if (recording->immediate)
		return tl_ze_slot_take(recording->context);
	if (!run || recording->in_run == ZE_RUN) {
		run = tl_ze_run_take(recording->context);
		if (!run)
			return NULL;
		run->next = recording->runs;
		recording->runs = run;
		recording->in_run = 0;
	}
	return &run->slots[recording->in_run++];
}

/*
 * A tool's event, or another one that was not seen being created, may still have times when the
 * call that appends returns, or in one that waits for it.
 */
void tl_ze_choose_for_event(bool in_order, bool regular, struct ze_recording *recording,
			    struct ze_command *command)
{
	const struct ze_event *event = command->event;

	command->source = ZE_NONE;
	if (event && tl_ze_event_has_times(event)) {
		command->source = ZE_THEIRS;
	} else if (in_order) {
		command->slot = tl_ze_recording_slot(recording);
		command->source = command->slot ? ZE_BRACKET : ZE_NONE;
	} else if (event && !regular && !event->seen) {
		command->source = ZE_THEIRS;
	}
}

static void let_event_go(struct ze_recording *recording, struct ze_command *command)
{
	if (command->event && command->event->recorded == recording)
		command->event->recorded = NULL;
	if (command->event && command->event->kept_in == recording)
		command->event->kept_in = NULL;
	tl_ze_event_release(command->event);
	command->event = NULL;
}

void tl_ze_command_clear(struct ze_recording *recording, struct ze_command *command, bool clean)
{
	if (recording->context && clean && command->own)
		tl_ze_event_give(recording->context, command->own);
	if (recording->context && clean && command->slot && recording->immediate)
		tl_ze_slot_give(recording->context, command->slot);
	let_event_go(recording, command);
	free(command->name);
	memset(command, 0, sizeof(*command));
}

static void recording_free(struct ze_recording *recording)
{
	for (uint32_t i = 0; i < recording->count; i++)
		tl_ze_command_clear(recording, &recording->commands[i], !recording->dirty);
	while (recording->runs) {
		struct ze_run *run = recording->runs;
		recording->runs = run->next;
		if (recording->context && !recording->dirty)
			tl_ze_run_give(recording->context, run);
	}
	while (recording->captures) {
		struct ze_capture *capture = recording->captures;
		recording->captures = capture->next;
		if (recording->context)
			tl_ze_capture_discard(recording->context, capture);
		else
			free(capture);
	}
	unlink_recording(recording);
	free(recording->commands);
	free(recording);
}

void tl_ze_recording_release(struct ze_recording *recording)
{
	if (recording && --recording->references == 0)
		recording_free(recording);
}

/* --- reading */

/* The device writes the end last. Acquire: and the start before it, as far as the host can say. */
static bool read_slot(const struct ze_slot *slot, bool instant, struct ze_item *item)
{
	const uint64_t *last = instant ? &slot->start : &slot->end;

	item->end = __atomic_load_n(last, __ATOMIC_ACQUIRE);
	item->start = __atomic_load_n(&slot->start, __ATOMIC_RELAXED);
	return item->end != 0;
}

static bool read_event(ze_event_handle_t event, struct ze_item *item)
{
	ze_kernel_timestamp_result_t result;

	if (tl_ze_real.zeEventQueryStatus(event) != ZE_RESULT_SUCCESS ||
	    tl_ze_real.zeEventQueryKernelTimestamp(event, &result) != ZE_RESULT_SUCCESS)
		return false;
	item->start = result.global.kernelStart;
	item->end = result.global.kernelEnd;
	return true;
}

/*
 * What was read of the program's event. The same once more is no news: nobody reset it, and it has
 * not been signalled again.
 */
static bool is_news(struct ze_event *event, const struct ze_item *item)
{
	if (event->told && item->start == event->last_start && item->end == event->last_end)
		return false;
	event->told = true;
	event->last_start = item->start;
	event->last_end = item->end;
	return true;
}

static bool read_theirs(struct ze_execution *execution, uint32_t index, struct ze_command *command,
			struct ze_item *item)
{
	struct ze_event *event = command->event;

	if (event->destroyed || event->pending != execution || event->index != index) {
		item->lost = true;
		return false;
	}
	/* It may have been destroyed, and nobody said so. */
	if (!event->seen && !event->here)
		return false;
	/*
	 * Those of the command before, in this execution or in the one before, have to be known, to
	 * tell them apart.
	 */
	if (event->kept ||
	    (command->previous && !tl_ze_item_read(execution, command->previous - 1)) ||
	    (execution->before && !tl_ze_item_read(execution->before, index)))
		return false;
	return read_event((ze_event_handle_t)(uintptr_t)event->handle.key, item) &&
	       is_news(event, item);
}

static bool read_slotted(struct ze_command *command, struct ze_item *item)
{
	if (!read_slot(command->slot, command->source == ZE_INSTANT, item))
		return false;
	memset(command->slot, 0, sizeof(*command->slot));
	if (command->source == ZE_QUERY)
		is_news(command->event, item);
	return true;
}

static bool read_source(struct ze_execution *execution, uint32_t index, struct ze_command *command,
			struct ze_item *item)
{
	switch (command->source) {
	case ZE_OWN:
		return read_event(command->own->event, item) &&
		       tl_ze_real.zeEventHostReset(command->own->event) == ZE_RESULT_SUCCESS;
	case ZE_NONE:
		item->lost = true;
		return false;
	case ZE_THEIRS:
		return read_theirs(execution, index, command, item);
	case ZE_BRACKET:
	case ZE_INSTANT:
	case ZE_QUERY:
		return read_slotted(command, item);
	}
	return false;
}

static bool read_captured(struct ze_execution *execution, uint32_t index, struct ze_item *item)
{
	const struct ze_command *command = &execution->recording->commands[index];
	const struct ze_slot *slot = tl_ze_capture_slot(execution, index);

	if (!tl_ze_capture_is_done(execution->capture))
		return false;
	item->lost = !slot || !read_slot(slot, command->source == ZE_INSTANT, item);
	if (!item->lost && command->event &&
	    (command->source == ZE_THEIRS || command->source == ZE_QUERY))
		is_news(command->event, item);
	return !item->lost;
}

/* Once for each item, when it is read or given up. */
static void not_pending(struct ze_execution *execution, uint32_t index)
{
	const struct ze_command *command = &execution->recording->commands[index];
	struct ze_event *event = command->event;

	if (execution->recording->immediate && command->source == ZE_QUERY)
		event->kept--;
	if (event && event->pending == execution && event->index == index)
		event->pending = NULL;
}

bool tl_ze_item_read(struct ze_execution *execution, uint32_t index)
{
	struct ze_recording *recording = execution->recording;
	struct ze_item *item = &execution->items[index];

	if (item->read || item->lost)
		return item->read;
	if (!tl_ze_usable() || !recording->context)
		return false;
	/* Until the results before are put aside, these are still those. */
	if (execution->before && !tl_ze_capture_is_done(execution->before->capture))
		return false;
	item->read = execution->capture
			     ? read_captured(execution, index, item)
			     : read_source(execution, index, &recording->commands[index], item);
	if (!item->read)
		return false;
	not_pending(execution, index);
	if (execution->queue->over < execution->number)
		execution->queue->over = execution->number;
	return true;
}

bool tl_ze_execution_read(struct ze_execution *execution)
{
	bool all = true;

	for (uint32_t i = 0; i < execution->recording->count; i++)
		all &= tl_ze_item_read(execution, i) || execution->items[i].lost;
	return all;
}

/* --- executions */

/*
 * The event is going to be signalled by a command whose times it will tell. What it says already,
 * by a command that has its times elsewhere or by the host, is no news then; where nobody resets it
 * in between it would be taken for that.
 */
static void note_signalled(struct ze_event *event)
{
	struct ze_item now;

	if (event->elsewhere && tl_ze_usable() &&
	    read_event((ze_event_handle_t)(uintptr_t)event->handle.key, &now)) {
		is_news(event, &now);
		event->elsewhere = false;
	}
}

/* Its command is about to be submitted, so it is there, unless the program is wrong. */
static bool may_be_signalled(const struct ze_event *event)
{
	if (event->counts)
		return false;
	if (event->destroyed)
		return true;
	if (event->pool && !event->pool->changed &&
	    !(event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE))
		return true;
	return !tl_ze_usable() ||
	       tl_ze_real.zeEventQueryStatus((ze_event_handle_t)(uintptr_t)event->handle.key) ==
		       ZE_RESULT_SUCCESS;
}

static void make_pending(struct ze_event *event, struct ze_execution *execution, uint32_t index)
{
	enum ze_source source = execution->recording->commands[index].source;

	event->stale = (source == ZE_NONE || source == ZE_BRACKET) && may_be_signalled(event);
	if (source == ZE_THEIRS)
		note_signalled(event);
	else if (source != ZE_QUERY)
		event->elsewhere = true;
	event->pending = execution;
	event->index = index;
	event->behind = NULL;
}

void tl_ze_event_behind(struct ze_event *event, struct ze_queue *queue)
{
	event->behind = may_be_signalled(event) ? NULL : queue;
	event->number = queue->number;
}

static uint64_t last_number;

uint64_t tl_ze_last_number(void)
{
	return last_number;
}

struct ze_execution *tl_ze_execution_new(struct ze_recording *recording, struct ze_queue *queue,
					 uint32_t correlation, uint32_t request)
{
	struct ze_execution *execution =
		calloc(1, sizeof(*execution) + recording->count * sizeof(execution->items[0]));

	if (!execution)
		return NULL;
	execution->recording = recording;
	execution->queue = queue;
	execution->correlation = correlation;
	execution->request = request;
	execution->left = recording->count;
	for (uint32_t i = 0; i < recording->count; i++) {
		struct ze_event *event = recording->commands[i].event;
		execution->items[i].command = tl_device_submit(queue->lanes);
		if (event)
			make_pending(event, execution, i);
	}
	execution->began = tl_device_now();
	execution->number = queue->number = ++last_number;
	recording->references++;
	recording->live = execution;
	execution->link = queue->last;
	*queue->last = execution;
	queue->last = &execution->next;
	return execution;
}

/* What its events and slots may still get is none of ours. */
static void execution_free(struct ze_execution *execution)
{
	struct ze_recording *recording = execution->recording;
	struct ze_queue *queue = execution->queue;

	for (uint32_t i = 0; i < recording->count; i++)
		if (!execution->items[i].read && !execution->items[i].shown)
			not_pending(execution, i);
	if (recording->live == execution)
		recording->live = NULL;
	if (execution->behind)
		execution->behind->before = NULL;
	if (execution->before)
		execution->before->behind = NULL;
	if (execution->capture)
		tl_ze_capture_give(recording, execution->capture);
	*execution->link = execution->next;
	if (execution->next)
		execution->next->link = execution->link;
	else
		queue->last = execution->link;
	tl_ze_recording_release(recording);
	free(execution);
}

void tl_ze_execution_cancel(struct ze_execution *execution)
{
	for (uint32_t i = 0; i < execution->recording->count; i++)
		if (execution->items[i].command)
			tl_device_cancel(execution->items[i].command);
	execution_free(execution);
}

/* --- showing */

static bool has_global_times(const struct ze_command *command)
{
	return command->source == ZE_BRACKET || command->source == ZE_INSTANT;
}

/* Of a clock that steps, each of the two is converted near to where it must be. */
static void convert(struct ze_device *device, const struct ze_command *command,
		    const struct ze_execution *execution, struct tl_device_work *work)
{
	unsigned bits = has_global_times(command) ? device->bits : device->kernel_bits;
	uint64_t mask = tl_clock_fit_mask(bits);
	double half = (double)(mask / 2) * device->clock.nominal;
	uint64_t now = tl_device_now();
	bool near = (double)(now - execution->began) < half * 0.9;
	uint64_t about = near ? execution->began : execution->began + (uint64_t)(half * 0.9);

	work->raw_start &= mask;
	work->raw_end &= mask;
	if (!device->pairs)
		tl_clock_fit_bracket(&device->clock, work->raw_start, work->raw_end,
				     execution->began, now);
	work->start = tl_clock_fit_convert(&device->clock, work->raw_start, bits, about).ns;
	uint64_t lasted = (uint64_t)((double)((work->raw_end - work->raw_start) & mask) *
				     device->clock.nominal);
	if (work->start + lasted > now + now / 1024)
		lasted = 0;
	work->end =
		tl_clock_fit_convert(&device->clock, work->raw_end, bits, work->start + lasted).ns;
}

static void describe(const struct ze_command *command, struct tl_device_work *work)
{
	work->name = command->name ? command->name : command->what;
	work->kind = command->kind;
	work->bytes = command->bytes;
	work->peer = command->peer;
	work->dimensions = command->dimensions;
	memcpy(work->global, command->global, sizeof(work->global));
	memcpy(work->local, command->local, sizeof(work->local));
}

/* What only we know of it. Returns how many there are. */
static uint32_t arguments(const struct ze_command *command, const struct ze_item *item,
			  bool unfinished, struct tl_event_arg *args)
{
	uint32_t count = 0;

	if (command->kernels)
		args[count++] = tl_event_number("kernels", TL_VALUE_UNSIGNED_64, command->kernels);
	if (item->read && has_global_times(command))
		args[count++] = tl_event_text("times", "global");
	else if (!item->read && !unfinished)
		args[count++] = tl_event_text("times", "host");
	return count;
}

/* No driver needs to be asked any more. */
static void show(struct ze_execution *execution, uint32_t index, bool unfinished)
{
	const struct ze_command *command = &execution->recording->commands[index];
	struct ze_item *item = &execution->items[index];
	struct tl_event_arg args[2];
	struct tl_device_work work = {
		.unfinished = unfinished,
		.raw_start = item->start,
		.raw_end = item->end,
		.start = execution->began,
		.end = tl_device_now(),
		.correlation = execution->correlation,
		.request = execution->request,
		.submitted = execution->call,
		.waited = item->waited,
		.nargs = arguments(command, item, unfinished, args),
		.args = args,
	};

	describe(command, &work);
	if (item->read) {
		work.has = TL_RAW_START | TL_RAW_END;
		convert(execution->recording->device, command, execution, &work);
		if (!item->waited.end && item->near.end && work.end <= item->near.end + STAMP_AFTER)
			work.waited = item->near;
	}
	if (item->command)
		tl_device_done(item->command, &work);
	item->command = NULL;
	item->shown = true;
	execution->left--;
	if (!item->read)
		not_pending(execution, index);
}

/* Its event is one that may be gone: who waits for it to have times may wait for ever. */
static bool may_never_be_read(const struct ze_execution *execution, uint32_t index)
{
	const struct ze_command *command = &execution->recording->commands[index];

	return execution->items[index].lost ||
	       (command->source == ZE_THEIRS && !command->event->seen);
}

/*
 * Its times are known, and so is the call that submitted it. One whose times are lost is over when
 * something that was submitted behind it is, or when somebody has waited for it. False: it may be
 * ready when it is asked again.
 */
static bool show_if_ready(struct ze_execution *execution, uint32_t index)
{
	const struct ze_item *item = &execution->items[index];

	if (item->shown)
		return true;
	if (!execution->submitted)
		return false;
	if (tl_ze_item_read(execution, index) ||
	    (may_never_be_read(execution, index) && execution->number < execution->queue->over))
		show(execution, index, false);
	return item->shown || item->lost;
}

/*
 * Show what is ready, from the first item that was not. Returns how many may yet be ready, `most`
 * of them at most.
 */
static uint32_t collect(struct ze_execution *execution, uint32_t most)
{
	uint32_t count = execution->recording->count, stuck = 0;

	for (uint32_t i = execution->first_left; i < count && stuck < most; i++)
		if (!show_if_ready(execution, i))
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
		stuck += collect(execution, STUCK - stuck);
		if (execution->left == 0)
			execution_free(execution);
	}
}

/* Who gives a queue or a list up says that its commands are over; who ends does not. */
static bool is_unfinished(const struct ze_execution *execution, uint32_t index)
{
	return tl_device_has_ended() ? !execution->items[index].lost
				     : !may_never_be_read(execution, index);
}

/* What can't be read now never can. */
static void show_rest(struct ze_execution *execution, const struct tl_device_call *waited,
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
		show(execution, i, unfinished && !read && is_unfinished(execution, i));
	}
}

/* All of it is over. */
static void finish(struct ze_execution *execution, const struct tl_device_call *waited,
		   bool unfinished)
{
	show_rest(execution, waited, unfinished);
	execution_free(execution);
}

void tl_ze_drain(struct ze_queue *queue, uint64_t number, const struct tl_device_call *waited)
{
	tl_ze_pair(queue->device);
	while (queue->first && queue->first->number <= number && queue->first->submitted)
		finish(queue->first, waited, false);
}

/*
 * A call that other threads are inside of has a pointer to its own, and frees it when it returns.
 */
void tl_ze_give_up(struct ze_queue *queue)
{
	struct ze_execution *next;

	for (struct ze_execution *execution = queue->first; execution; execution = next) {
		next = execution->next;
		show_rest(execution, NULL, true);
		if (execution->submitted)
			execution_free(execution);
	}
}

/*
 * What was seen may be an earlier command's signal, if this one's reset is still to come: so times
 * are looked at. Where there are none, the command is over if its event was not signalled before.
 */
static void note_wait(const struct ze_event *event, struct ze_execution *execution, uint32_t index,
		      const struct tl_device_call *waited)
{
	struct ze_item *item = &execution->items[index];

	if (tl_ze_item_read(execution, index)) {
		item->waited = *waited;
	} else if (!item->lost) {
		item->near = item->near.end ? item->near : *waited;
	} else if (execution->submitted && !item->shown && !event->stale) {
		item->waited = *waited;
		show(execution, index, false);
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
		note_wait(event, execution, index, waited);
	show_if_ready(execution, index);
	tl_ze_collect(execution->queue);
}

/* Executions of it that have not been shown in whole. */
#define EACH_EXECUTION(recording_)                                                                 \
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next)                  \
		for (struct ze_execution *execution = queue->first; execution;                     \
		     execution = execution->next)                                                  \
			if (execution->recording == (recording_))

void tl_ze_recording_collect(const struct ze_recording *recording)
{
	EACH_EXECUTION(recording)
	collect(execution, UINT32_MAX);
}

/* Their results are for commands as they were. */
static void drop_captures(struct ze_recording *recording)
{
	while (recording->captures) {
		struct ze_capture *capture = recording->captures;
		recording->captures = capture->next;
		tl_ze_capture_discard(recording->context, capture);
	}
}

static void lose(const struct ze_recording *recording, uint32_t index)
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
	lose(recording, index);
	EACH_EXECUTION(recording)
	not_pending(execution, index);
	drop_captures(recording);
	let_event_go(recording, command);
	command->event = event;
	if (event)
		event->references++;
	/* Timestamps around it are still there. */
	if (command->source != ZE_BRACKET)
		tl_ze_choose_for_event(false, true, recording, command);
}

void tl_ze_recording_spoil(struct ze_recording *recording)
{
	for (uint32_t i = 0; i < recording->count; i++) {
		if (recording->commands[i].source == ZE_THEIRS)
			continue;
		lose(recording, i);
		recording->commands[i].source = ZE_NONE;
	}
	recording->dirty = true;
	if (recording->context)
		drop_captures(recording);
}

bool tl_ze_settle(struct ze_event *event)
{
	return !event->pending || tl_ze_item_read(event->pending, event->index);
}

/*
 * Read what is there; what is not there is shown as unfinished. The device and the program are
 * through with the context, so nothing is written to what is freed.
 */
void tl_ze_recording_orphan(struct ze_recording *recording)
{
	recording->references++;
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next) {
		struct ze_execution *next;
		for (struct ze_execution *execution = queue->first; execution; execution = next) {
			next = execution->next;
			if (execution->recording == recording)
				finish(execution, NULL, true);
		}
	}
	unlink_recording(recording);
	recording->context->outlived |= recording->dirty;
	recording->context = NULL;
	tl_ze_recording_release(recording);
}

/* --- timestamps behind commands */

static bool awaits_stamp(struct ze_execution *execution)
{
	const struct ze_recording *recording = execution->recording;

	for (uint32_t i = 0; i < recording->count; i++)
		if (recording->commands[i].source == ZE_BRACKET && recording->commands[i].event &&
		    !execution->items[i].shown && !execution->items[i].lost &&
		    !tl_ze_item_read(execution, i))
			return true;
	return false;
}

static bool await_stamps(struct ze_queue *queue, const struct ze_recording *recording)
{
	for (struct ze_queue *one = queue ? queue : tl_ze_queues(); one;
	     one = queue ? NULL : one->next)
		for (struct ze_execution *execution = one->first; execution;
		     execution = execution->next)
			if ((queue || execution->recording == recording) && awaits_stamp(execution))
				return true;
	return false;
}

void tl_ze_wait_for_stamps(struct ze_queue *queue, const struct ze_recording *recording)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t until = tl_device_now() + STAMP_PATIENCE;

	while (tl_ze_usable() && await_stamps(queue, recording) && tl_device_now() < until) {
		pthread_mutex_unlock(&tl_ze_lock);
		nanosleep(&moment, NULL);
		pthread_mutex_lock(&tl_ze_lock);
	}
}
