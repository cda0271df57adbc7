/* SPDX-License-Identifier: MIT */
/*
 * What each kind of command does on the device.
 */
#include "ze_device.h"

#include <string.h>

const char *command_name(const struct command *command)
{
	static const char *const names[] = {
		[COMMAND_BARRIER] = "barrier",
		[COMMAND_COPY] = "copy",
		[COMMAND_COPY_REGION] = "copy region",
		[COMMAND_IMAGE] = "image",
		[COMMAND_FILL] = "fill",
		[COMMAND_TIMESTAMP] = "timestamp",
		[COMMAND_SIGNAL] = "signal",
		[COMMAND_WAIT] = "wait",
		[COMMAND_RESET] = "reset",
		[COMMAND_QUERY] = "query",
		[COMMAND_LAUNCH] = "launch",
		[COMMAND_PREFETCH] = "prefetch",
		[COMMAND_HOST] = "host",
		[COMMAND_LISTS] = "lists",
		[COMMAND_GRAPH] = "graph",
	};

	if (command->kind == COMMAND_LAUNCH && command->launches[0].name)
		return command->launches[0].name;
	return names[command->kind];
}

static void run_fill(const struct command *command)
{
	char *to = memory_view(command->to);

	for (size_t at = 0; at < command->size; at += command->pattern_size)
		memcpy(to + at, command->pattern, command->pattern_size);
}

static uint64_t run_copy_region(const struct command *command)
{
	const ze_copy_region_t *t = &command->to_region, *f = &command->from_region;
	const char *from = memory_view(command->from);
	char *to = memory_view(command->to);
	uint32_t depth = f->depth ? f->depth : 1, height = f->height ? f->height : 1;

	for (uint32_t z = 0; z < depth; z++)
		for (uint32_t y = 0; y < height; y++) {
			size_t into = (size_t)(t->originZ + z) * command->to_slice +
				      (size_t)(t->originY + y) * command->to_pitch + t->originX;
			size_t at = (size_t)(f->originZ + z) * command->from_slice +
				    (size_t)(f->originY + y) * command->from_pitch + f->originX;

			memmove(to + into, from + at, f->width);
		}
	return (uint64_t)depth * height * f->width;
}

static void run_query(const struct command *command)
{
	char *to = memory_view(command->to);

	for (uint32_t i = 0; i < command->event_count; i++) {
		ze_kernel_timestamp_result_t result = event_timestamps(command->events[i]);
		size_t at = command->offsets ? command->offsets[i] : i * sizeof(result);

		memcpy(to + at, &result, sizeof(result));
	}
}

static uint64_t run_launches(struct command *command, struct queue *queue)
{
	uint32_t count = command->launch_count;
	uint64_t items = 0;

	if (command->launch_limit) {
		uint32_t limit = *(const uint32_t *)memory_view(command->launch_limit);
		count = limit < count ? limit : count;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct launch launch = command->launches[i];
		const ze_group_count_t *groups;

		if (launch.indirect) {
			groups = memory_view(launch.indirect);
			launch.groups = *groups;
		}
		launch.queue = queue;
		launch.builtin->run(&launch);
		items += (uint64_t)launch.groups.groupCountX * launch.groups.groupCountY *
			 launch.groups.groupCountZ * launch.group_size[0] * launch.group_size[1] *
			 launch.group_size[2];
	}
	return items;
}

static void write_timestamp(const struct command *command, struct queue *queue)
{
	uint64_t now = clock_steady ? queue->steady : clock_now(queue->device).ticks;
	uint64_t ticks = clock_wrap(now, clock_bits);

	memcpy(memory_view(command->to), &ticks, sizeof(ticks));
}

void command_run(struct command *command, struct queue *queue, uint64_t *amount)
{
	*amount = command->size;
	switch (command->kind) {
	case COMMAND_COPY:
		memmove(memory_view(command->to), memory_view(command->from), command->size);
		break;
	case COMMAND_COPY_REGION:
	case COMMAND_IMAGE:
		*amount = run_copy_region(command);
		break;
	case COMMAND_FILL:
		run_fill(command);
		break;
	case COMMAND_TIMESTAMP:
		write_timestamp(command, queue);
		break;
	case COMMAND_RESET:
		event_reset(command->events[0]);
		break;
	case COMMAND_QUERY:
		run_query(command);
		break;
	case COMMAND_LAUNCH:
		*amount = run_launches(command, queue);
		break;
	case COMMAND_HOST:
		command->function(command->user_data);
		break;
	case COMMAND_LISTS: /* the queue has done it */
	case COMMAND_GRAPH:
	case COMMAND_BARRIER: /* the queue works in order */
	case COMMAND_SIGNAL:  /* the queue signals after the command */
	case COMMAND_WAIT:    /* the queue waits before the command */
	case COMMAND_PREFETCH:
		break;
	}
}
