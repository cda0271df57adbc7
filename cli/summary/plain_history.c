/* SPDX-License-Identifier: MIT */
/*
 * plain_history.c: see plain_history.h.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/summary/plain_history.h"

/* Of the text's size, its first bytes and its last. */
static unsigned near_of(const struct plain_text *text)
{
	const unsigned char *bytes = (const unsigned char *)text->at;
	size_t size = text->size;

	if (!size)
		return 0;
	return (unsigned)(size * 31 + bytes[0] + bytes[size / 2] * 7u + bytes[size - 1] * 13u +
			  bytes[size * 3 / 4] * 17u);
}

static uint32_t name_of(struct history *history, struct plain_memory *memory,
			const struct plain_text *text)
{
	unsigned place = near_of(text) % PLAIN_NEAR;
	uint32_t number = memory->names[place].number;

	if (memory->names[place].size == text->size && number < history->names.count &&
	    !memcmp(history->names.list[number], text->at, text->size + 1))
		return number;
	number = names_number(&history->names, text->at);
	memory->names[place].size = text->size;
	memory->names[place].number = number;
	return number;
}

static struct event_category category_in(struct plain_memory *memory, const struct plain_text *text)
{
	struct plain_category *near;

	if (!text->at || text->size >= sizeof(near->text) || !text->size)
		return category_of(plain_text_end(text));
	near = &memory->categories[near_of(text) %
				   (sizeof(memory->categories) / sizeof(*memory->categories))];
	if (near->size == text->size && !memcmp(near->text, text->at, text->size))
		return near->category;
	memcpy(near->text, text->at, text->size);
	near->size = text->size;
	near->category = category_of(plain_text_end(text));
	return near->category;
}

static uint32_t lane_in(struct history *history, struct plain_memory *memory,
			const struct plain_event *event)
{
	unsigned place = (event->thread + event->process * 31u) % PLAIN_NEAR;
	char process[16], thread[16];

	if (memory->lanes[place].lane && memory->lanes[place].thread == event->thread &&
	    memory->lanes[place].process == event->process)
		return memory->lanes[place].lane - 1;
	snprintf(process, sizeof(process), "%u", event->process);
	snprintf(thread, sizeof(thread), "%u", event->thread);
	uint32_t lane = history_lane(history, memory->file, process, thread);

	memory->lanes[place].process = event->process;
	memory->lanes[place].thread = event->thread;
	memory->lanes[place].lane = lane + 1;
	return lane;
}

static uint32_t stack_of(struct history *history, int file, const struct plain_event *event)
{
	if (!history->symbols)
		return 0;
	if (event->frame.size)
		return event_stack_id(&history->stacks, file, plain_text_end(&event->frame));
	return event->stack.size
		       ? event_stack_list(&history->stacks, event->stack.at, event->stack.size)
		       : 0;
}

void plain_memory_forget(struct plain_memory *memory, int file)
{
	memory->file = file;
	memset(memory->lanes, 0, sizeof(memory->lanes));
}

void history_plain(struct history *history, struct plain_memory *memory, struct plain_event *event)
{
	if (!history->requests.count)
		history_request(history, 0);
	if ((event->phase != 'X' && event->phase != 'B' && event->phase != 'E') ||
	    (event->phase != 'E' && !event->name.at))
		return;
	/* The list is no text with a quote behind it: before any quote becomes a NUL byte. */
	uint32_t stack = stack_of(history, memory->file, event);
	const char *name = plain_text_end(&event->name);
	const struct slice slice = {
		.phase = event->phase,
		.lane = lane_in(history, memory, event),
		.start = history_time(event->start),
		.duration = history_duration(event->duration),
		.name = name,
		.name_number = event->phase == 'E' ? 0 : name_of(history, memory, &event->name),
		.category = category_in(memory, &event->category),
		.request = event->request,
		.correlation = event->correlation,
		.queue = event->queue,
		.stack = stack,
		.kind = plain_text_end(&event->kind),
		.device = plain_text_end(&event->device),
		.peer = plain_text_end(&event->peer),
		.pci = plain_text_end(&event->pci),
		.uuid = plain_text_end(&event->uuid),
		.global = plain_text_end(&event->global),
		.local = plain_text_end(&event->local),
		.kernel = event->kernel,
		.bytes = event->bytes,
		.has_bytes = event->has_bytes,
		.unfinished = event->unfinished,
		.cut = event->cut,
	};

	history_slice(history, &slice);
}
