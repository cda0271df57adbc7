/* SPDX-License-Identifier: MIT */
/*
 * scan_commands.c: device commands that a scan found, made whole: see record_scan.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/summary/scan_worker.h"
#include "common/command_kinds.h"
#include "format/encode/encode.h"

/* ---- in runs of events ---- */

static bool unpacked_fill(struct record_scan *scan, size_t run)
{
	struct event_cursor cursor = {.runs = scan->events};
	struct device_command command;

	scan->unpacked.count = 0;
	scan->unpacked.run = run;
	bool sound = event_cursor_commands(&cursor, run);

	while (sound && event_next_command(&cursor, &command)) {
		if (scan->unpacked.count == scan->unpacked.room) {
			scan->unpacked.room = scan->unpacked.room ? 2 * scan->unpacked.room : 256;
			scan->unpacked.commands =
				need(reallocarray(scan->unpacked.commands, scan->unpacked.room,
						  sizeof(*scan->unpacked.commands)));
		}
		scan->unpacked.commands[scan->unpacked.count++] = command;
	}
	event_cursor_free(&cursor);
	scan->unread |= !sound;
	return sound;
}

/* Commands are asked for in the order of their places, so that a run is unpacked once. */
static struct device_command unpacked_command(struct record_scan *scan, uint64_t place)
{
	size_t run = place >> 32, number = (uint32_t)place;

	if ((!scan->unpacked.count || scan->unpacked.run != run) && !unpacked_fill(scan, run))
		return (struct device_command){.thread = NOBODY, .submit = NOBODY};
	return scan->unpacked.commands[number];
}

/* ---- in files ---- */

uint64_t record_scan_commands(const struct record_scan *scan, int64_t *first, int64_t *last)
{
	uint64_t count = 0;

	for (size_t i = 0; i < scan->nruns; i++) {
		const struct scan_run *run = &scan->runs[i];
		if (!run->ncommands)
			continue;
		if (!count || run->first_command < *first)
			*first = run->first_command;
		if (!count || run->last_command > *last)
			*last = run->last_command;
		count += run->ncommands;
	}
	return count;
}

static const char *command_text(const struct scan_worker *worker, const struct tl_event_arg *arg,
				char room[TEXT_ROOM])
{
	return arg && arg->kind == TL_VALUE_STRING
		       ? scan_text(worker, arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0,
				   room)
		       : NULL;
}

static uint32_t worker_queue(struct scan_worker *worker, uint32_t lane,
			     const struct tl_event_arg *const args[KEYS])
{
	struct history *history = worker->scan->history;
	char room[TEXT_ROOM], more[TEXT_ROOM];
	uint32_t queue = history_queue(history, lane, scan_arg_number(args[KEY_QUEUE]),
				       command_text(worker, args[KEY_DEVICE], room));

	if (args[KEY_PCI] || args[KEY_UUID])
		history_queue_hardware(history, queue, command_text(worker, args[KEY_PCI], room),
				       command_text(worker, args[KEY_UUID], more));
	return queue;
}

static uint32_t worker_size(const struct scan_worker *worker,
			    const struct tl_event_arg *const args[KEYS])
{
	char global[TEXT_ROOM], local[TEXT_ROOM];

	if (!worker->scan->history->wants_sizes)
		return 0;
	return history_size(worker->scan->history, command_text(worker, args[KEY_GLOBAL], global),
			    command_text(worker, args[KEY_LOCAL], local));
}

static void worker_note_kernel(const struct scan_worker *worker, uint32_t row,
			       const struct tl_event_arg *const args[KEYS])
{
	struct event_kernel kernel = {.has = 0};
	double number;

	for (unsigned i = 0; i < KERNEL_FACTS; i++) {
		const struct tl_event_arg *arg = args[KEY_KERNEL + i];

		if (arg && scan_arg_is_number(arg, &number))
			kernel.has |= (uint8_t)(1u << i);
		kernel.of[i] = scan_arg_number(arg);
	}
	history_kernel(worker->scan->history, row, &kernel);
}

static struct device_command worker_make_command(struct scan_worker *worker,
						 const struct scan_command *command)
{
	const struct tl_event_record *event = (const void *)(uintptr_t)command->place;
	struct history *history = worker->scan->history;
	const struct tl_event_arg *args[KEYS];
	char room[TEXT_ROOM], row[1024];
	double bytes = 0;

	scan_args_find(worker, event, args);
	bool own = scan_known(worker, KNOWN_CATEGORY, event->category)->context,
	     has_bytes = args[KEY_BYTES] && scan_arg_is_number(args[KEY_BYTES], &bytes);
	const char *kind_word = own ? NULL : command_text(worker, args[KEY_KIND], room);
	enum tl_device_kind kind = tl_kind_named(kind_word ? kind_word : "");
	uint32_t name = scan_known(worker, KNOWN_NAME, event->name)->number;

	command_row_name(row, sizeof(row), kind, history->names.list[name],
			 command_text(worker, args[KEY_PEER], room));
	uint32_t number = names_number(&history->names, row);

	worker_note_kernel(worker, number, args);
	return (struct device_command){
		.start = command->start,
		.end = command->end,
		.bytes = bytes > 0 && bytes < (double)LONGEST ? (int64_t)bytes : 0,
		.has_bytes = has_bytes,
		.queue = worker_queue(worker, command->lane, args),
		.row = number,
		.correlation = scan_arg_number(args[KEY_CORRELATION]),
		.request = scan_request(worker, scan_event_request(event, args)),
		.thread = NOBODY,
		.submit = NOBODY,
		.size = worker_size(worker, args),
		.kind = (uint8_t)kind,
		.unfinished = args[KEY_UNFINISHED] &&
			      args[KEY_UNFINISHED]->kind == TL_VALUE_TRUTH &&
			      args[KEY_UNFINISHED]->value,
	};
}

struct device_command record_scan_command(struct record_scan *scan,
					  const struct scan_command *command)
{
	if (scan->events)
		return unpacked_command(scan, command->place);
	if (!scan->maker) {
		scan->maker = need(calloc(1, sizeof(*scan->maker)));
		scan_worker_start(scan->maker, scan, NULL, NULL);
	}
	scan_worker_take_file(scan->maker, command->file);
	return worker_make_command(scan->maker, command);
}
