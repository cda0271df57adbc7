/* SPDX-License-Identifier: MIT */
/*
 * history_events.c: events in JSON, for a history: see history.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/history.h"

static const char *text_in(const json_t *event, const char *member)
{
	return json_string_value(json_object_get(event, member));
}

/* Of what fits into 32 bits; 0 where there is none. */
static uint32_t number_in(const json_t *event, const char *name)
{
	const json_t *value = event_arg(event, name);
	double number = json_number_value(value);

	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static uint32_t process_of(struct history *history, const json_t *event, int file)
{
	char number[LANE_NUMBER_ROOM];

	lane_number_print(number, event, "pid");
	return history_process(history, file, number);
}

static uint32_t lane_of(struct history *history, const json_t *event, int file)
{
	char process[LANE_NUMBER_ROOM], number[LANE_NUMBER_ROOM];

	lane_number_print(process, event, "pid");
	lane_number_print(number, event, "tid");
	return history_lane(history, file, process, number);
}

static const char *arg_text(const json_t *event, const char *name)
{
	return json_string_value(event_arg(event, name));
}

static void note_identity(struct history *history, const json_t *event, int file)
{
	char number[LANE_NUMBER_ROOM],
		*rank = json_dumps(event_arg(event, "rank"), JSON_ENCODE_ANY);

	lane_number_print(number, event, "pid");
	history_identify(history, file, number,
			 &(struct process_identity){.host = arg_text(event, "host"),
						    .rank = rank ? rank : "",
						    .executable = arg_text(event, "executable")});
	free(rank);
}

static void note_start(struct history *history, const json_t *event)
{
	double number = json_number_value(event_arg(event, "monotonic_ns"));

	history_note_start(history, number > 0 && number < (double)LATEST ? (int64_t)number : 0);
}

static void note_metadata(struct history *history, const json_t *event, const char *name, int file)
{
	uint32_t process = process_of(history, event, file);

	if (!strcmp(name, "tracelayer")) {
		note_identity(history, event, file);
		note_start(history, event);
	} else if (!strcmp(name, "tracelayer_end")) {
		history->lost += (unsigned long long)json_number_value(event_arg(event, "lost"));
		history->bytes +=
			(unsigned long long)json_number_value(event_arg(event, "event_bytes"));
	} else if (!strcmp(name, "process_name")) {
		history_text(&history->processes[process].name, arg_text(event, "name"));
	} else if (!strcmp(name, "process_labels")) {
		history_text(&history->processes[process].labels, arg_text(event, "labels"));
	} else if (!strcmp(name, "thread_name")) {
		uint32_t lane = lane_of(history, event, file);

		history_text(&history->lanes[lane].name, arg_text(event, "name"));
	} else if (!strcmp(name, "thread_sort_index")) {
		uint32_t lane = lane_of(history, event, file);

		history->lanes[lane].no_thread = true;
	}
}

static struct event_kernel kernel_in(const json_t *event)
{
	static const char *const keys[] = {EVENT_KERNEL_KEYS};
	struct event_kernel kernel = {.has = 0};

	for (unsigned i = 0; i < KERNEL_FACTS; i++) {
		if (json_is_number(event_arg(event, keys[i])))
			kernel.has |= (uint8_t)(1u << i);
		kernel.of[i] = number_in(event, keys[i]);
	}
	return kernel;
}

/* `name`: NULL only at the end of one that began. */
static struct slice slice_of(struct history *history, const json_t *event, char phase,
			     const char *name, int file)
{
	const json_t *bytes = event_arg(event, "bytes");

	return (struct slice){
		.kernel = history->wants_sizes ? kernel_in(event) : (struct event_kernel){.has = 0},
		.phase = phase,
		.lane = lane_of(history, event, file),
		.start = history_time(event_nanoseconds(event, "ts", 0)),
		.duration = history_duration(event_nanoseconds(event, "dur", 0)),
		.name = name,
		.name_number = phase == 'E' ? 0 : names_number(&history->names, name),
		.category = category_of(text_in(event, "cat")),
		.request = number_in(event, "request"),
		.correlation = number_in(event, "correlation"),
		.queue = number_in(event, "queue"),
		.stack = history->symbols ? event_stack(&history->stacks, file, event) : 0,
		.kind = arg_text(event, "kind"),
		.device = arg_text(event, "device"),
		.peer = arg_text(event, "peer"),
		.pci = arg_text(event, "pci"),
		.uuid = arg_text(event, "uuid"),
		.global = arg_text(event, "global"),
		.local = arg_text(event, "local"),
		.bytes = json_number_value(bytes),
		.has_bytes = json_is_number(bytes),
		.unfinished = json_is_true(event_arg(event, "unfinished")),
		.cut = json_is_true(event_arg(event, "cut")),
	};
}

void history_event(struct history *history, const json_t *event, int file)
{
	const char *phase = text_in(event, "ph"), *name = text_in(event, "name");

	if (!history->requests.count)
		names_number(&history->requests, "-");
	if (!phase || (strcmp(phase, "E") && !name))
		return;
	if (!strcmp(phase, "M")) {
		note_metadata(history, event, name, file);
	} else if (!strcmp(phase, "X") || !strcmp(phase, "B") || !strcmp(phase, "E")) {
		struct slice slice = slice_of(history, event, *phase, name, file);

		history_slice(history, &slice);
	}
}
