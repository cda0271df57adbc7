/* SPDX-License-Identifier: MIT */
/*
 * ze_recordings.c: see ze_recordings.h.
 */
#include "layer/device/ze/ze_recordings.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_capture.h"
#include "layer/device/ze/ze_driver_functions.h"

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

void tl_ze_recording_unlink(struct ze_recording *recording)
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

/* The slots of a regular list's recording lie together, so that a capture copies them at once. */
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
 * The creation of a tool's event, and of some others, was not seen. Its times may be there when the
 * call that appends returns, or during a call that waits for the event.
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

void tl_ze_command_drop_event(struct ze_recording *recording, struct ze_command *command)
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
	/* Slots lie in the driver's memory, which may be gone. */
	if (recording->context && clean && command->slot && recording->immediate && tl_ze_usable())
		tl_ze_slot_give(recording->context, command->slot);
	tl_ze_command_drop_event(recording, command);
	free(command->kernel);
	memset(command, 0, sizeof(*command));
}

void tl_ze_command_set_kernel(struct ze_command *command, const char *kernel)
{
	free(command->kernel);
	command->kernel = kernel ? strdup(kernel) : NULL;
	command->facts.name = command->kernel ? command->kernel : "kernel";
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
	tl_ze_recording_unlink(recording);
	free(recording->commands);
	free(recording);
}

void tl_ze_recording_release(struct ze_recording *recording)
{
	if (recording && --recording->references == 0)
		recording_free(recording);
}
