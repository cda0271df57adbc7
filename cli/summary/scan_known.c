/* SPDX-License-Identifier: MIT */
/*
 * scan_known.c: what a worker of a scan knows: functions, texts and lanes by its own table, so that it asks
 * the history, which all share under a lock, once for each.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/read/read.h"
#include "cli/summary/scan_worker.h"
#include "cli/summary/stack_groups.h"
#include "common/levels.h"
#include "common/stages.h"
#include "format/args/args.h"
#include "format/encode/encode.h"
#include "format/encode/trace_source.h"

static const char *const kernel_words[] = {EVENT_KERNEL_KEYS};
static const char *const key_words[KEYS - KERNEL_FACTS] = {
	"",	 "kind",       "queue", "correlation", "request", "peer", "device",
	"bytes", "unfinished", "pci",	"uuid",	       "global",  "local"};

const char *scan_text(const struct scan_worker *worker, uint32_t number, char room[TEXT_ROOM])
{
	size_t size = 0;
	const char *bytes = tl_encoder_string(&worker->encoder, number, &size);
	struct tl_text text = {room, room + TEXT_ROOM - 1, false};

	if (!bytes)
		return NULL;
	tl_text_utf8(&text, bytes, size);
	*text.at = 0;
	return room;
}

static void category_know(struct known *known, const char *words)
{
	struct event_category category = category_of(words);

	known->own = category.own;
	known->context = category.context;
	known->failed = category.failed;
	known->device = category.device;
}

static void function_know(struct scan_worker *worker, struct known *known, uint32_t id)
{
	const struct tl_function *function = tl_encoder_function(&worker->encoder, id);
	char category[TEXT_ROOM];
	struct tl_text text = {category, category + sizeof(category) - 1, false};

	if (!function)
		return;
	tl_text_string(&text, function->api->name);
	tl_text_levels(&text, function->level);
	tl_text_stage(&text, function);
	*text.at = 0;
	category_know(known, category);
	known->sound = true;
	known->function = function;
	known->has_result = tl_call_has_result(function);
	known->zero_failed = tl_call_failed(function, 0);
	known->takes_correlation =
		!strcmp(tl_args_own_key(function, "tracelayer_correlation"), "correlation");
	known->takes_request = !strcmp(tl_args_own_key(function, "tracelayer_request"), "request");
	known->number = names_number(&worker->scan->history->names, function->name) & 0x3fffffff;
}

static void lane_know(struct scan_worker *worker, struct known *known, uint32_t shown)
{
	struct history *history = worker->scan->history;
	char number[16];

	snprintf(number, sizeof(number), "%u", shown);
	known->number = history_lane(history, (int)worker->nfile, worker->file->process, number);
	known->no_thread = history->lanes[known->number].no_thread;
}

static void key_know(struct scan_worker *worker, struct known *known, uint32_t number)
{
	char room[TEXT_ROOM];
	const char *key = scan_text(worker, number, room);

	for (uint32_t i = KEY_KIND; key && i < KEYS; i++)
		if (!strcmp(key, i < KEY_KERNEL ? key_words[i] : kernel_words[i - KEY_KERNEL]))
			known->number = i;
}

/* A stack's number among the requests: its functions, from the innermost. */
static uint32_t stack_number(struct scan_worker *worker, uint32_t number)
{
	struct history *history = worker->scan->history;
	struct tl_stack_reader reader;
	struct tl_stack_frame frame;
	struct stack_name name;
	char room[TEXT_ROOM];
	size_t size = 0;
	const char *stack = tl_encoder_string(&worker->encoder, number, &size);

	history_request(history, 0);
	if (!tl_stack_read(&reader, stack, size))
		return 0;
	stack_name_begin(&name, history->frames);
	while (tl_stack_read_frame(&reader, &frame)) {
		struct tl_text function = {room, room + sizeof(room), false};

		tl_frame_name(&worker->encoder, &function, &frame);
		if (!stack_name_add(&name, room, (size_t)(function.at - room)))
			break;
	}
	return names_number(&history->requests, stack_name_end(&name));
}

static void known_fill(struct scan_worker *worker, struct known *known, enum known_kind kind,
		       uint32_t number)
{
	struct history *history = worker->scan->history;
	char room[TEXT_ROOM];
	const char *text;

	switch (kind) {
	case KNOWN_FUNCTION:
		function_know(worker, known, number);
		return;
	case KNOWN_NAME:
		text = scan_text(worker, number, room);
		known->number = names_number(&history->names, text ? text : "?") & 0x3fffffff;
		return;
	case KNOWN_CATEGORY:
		text = scan_text(worker, number, room);
		category_know(known, text ? text : "tracelayer");
		return;
	case KNOWN_KEY:
		key_know(worker, known, number);
		return;
	case KNOWN_LANE:
		lane_know(worker, known, number);
		return;
	case KNOWN_REQUEST:
		known->number = history_request(history, number);
		return;
	case KNOWN_STACK:
		known->number = stack_number(worker, number);
		return;
	}
}

void scan_known_fill(struct scan_worker *worker, uint32_t place, enum known_kind kind,
		     uint32_t number)
{
	if (place == worker->room) {
		worker->room = worker->room ? 2 * worker->room : 256;
		worker->known =
			need(reallocarray(worker->known, worker->room, sizeof(*worker->known)));
	}
	worker->known[place] = (struct known){.number = 0};
	pthread_mutex_lock(&worker->scan->lock);
	known_fill(worker, &worker->known[place], kind, number);
	pthread_mutex_unlock(&worker->scan->lock);
}
