/* SPDX-License-Identifier: MIT */
/*
 * timeline_selected.c: see timeline_selected.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_selected.h"
#include "cli/read/read.h"
#include "common/settings.h"
#include "format/args/args_kept.h"
#include "tracelayer/api.h"

static uint64_t records_ns(const struct timeline_records *records,
			   const struct tl_event_record *event, uint64_t time)
{
	return event->flags & TL_EVENT_NS ? time : tl_trace_ns(records->trace, time);
}

void timeline_event_span(const struct timeline_records *records,
			 const struct tl_event_record *event, uint64_t *start, uint64_t *end)
{
	*end = *start = records_ns(records, event, event->start);
	if (event->phase == 'X')
		*end = records_ns(records, event, tl_record_end(event->start, event->duration));
	if (*end < *start)
		*end = *start;
}

bool timeline_selects_span(const struct timeline_records *records, uint64_t start, uint64_t end)
{
	return start <= records->to && end >= records->from &&
	       end - start >= (uint64_t)records->selection->longer;
}

bool timeline_text_is(const struct timeline_records *records, uint32_t number, const char *word)
{
	size_t size = 0;
	const char *text = tl_trace_string(records->trace, number, &size);

	return text && size == strlen(word) && !memcmp(text, word, size);
}

/* The event's argument of this name; NULL: it has none. */
static const struct tl_event_arg *arg_named(const struct timeline_records *records,
					    const struct tl_event_record *event, const char *name)
{
	for (unsigned i = 0; i < event->args; i++)
		if (timeline_text_is(records, event->arg[i].key, name))
			return &event->arg[i];
	return NULL;
}

static struct event_category event_category(const struct timeline_records *records,
					    const struct tl_event_record *event)
{
	size_t size = 0;
	const char *text = tl_trace_string(records->trace, event->category, &size);
	char words[128];

	size = text ? strnlen(text, size < sizeof(words) ? size : sizeof(words) - 1) : 0;
	memcpy(words, text ? text : "", size);
	words[size] = 0;
	return category_of(words);
}

static bool request_is_selected(const struct timeline_records *records, uint32_t request)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", request);
	return selection_has_request(records->selection, id);
}

bool timeline_selects_event(const struct timeline_records *records,
			    const struct tl_event_record *event)
{
	const struct selection *selection = records->selection;

	if (selection->failed && !event_category(records, event).failed)
		return false;
	if (!selection->request)
		return true;
	const struct tl_event_arg *arg = arg_named(records, event, "request");

	return request_is_selected(records, event->request ? event->request
					    : arg	   ? (uint32_t)arg->value
							   : 0);
}

bool timeline_selects_text(const struct timeline_records *records, uint32_t number)
{
	const char *list = records->selection->name;
	size_t size = 0;
	const char *text = list ? tl_trace_string(records->trace, number, &size) : NULL;
	char name[512];

	if (!list)
		return true;
	size = text ? strnlen(text, size < sizeof(name) ? size : sizeof(name) - 1) : 0;
	memcpy(name, text ? text : "", size);
	name[size] = 0;
	return tl_glob_any(list, name);
}

bool timeline_selects_call(const struct timeline_records *records, uint32_t function)
{
	const struct tl_function *called = tl_trace_function(records->trace, function);

	return !records->selection->name ||
	       (called && name_matches(records->selection->name, called->name));
}

bool timeline_selects_result(const struct timeline_records *records,
			     const struct tl_call_record *call)
{
	const struct selection *selection = records->selection;

	if (selection->request && !request_is_selected(records, tl_record_cause(call).request))
		return false;
	if (!selection->failed)
		return true;
	const struct tl_function *function = tl_trace_function(records->trace, call->function);

	return function && tl_call_has_result(function) && !(call->flags & TL_RECORD_UNWOUND) &&
	       tl_call_failed(function, call->result);
}

uint32_t timeline_event_shown(const struct timeline_records *records,
			      const struct tl_event_record *event, uint32_t tid)
{
	if (!event->lane)
		return tid;
	if (event->flags & TL_EVENT_TID)
		return event->lane;
	uint32_t shown = tl_trace_shown_lane(records->trace, event->lane);
	return shown ? shown : tid;
}

/* Lanes of a file that have device commands, and their queues' numbers. */
static void find_queues(struct timeline_records *records)
{
	for (size_t i = 0; i < records->trace->nruns; i++) {
		const struct tl_trace_run *run = &records->trace->runs[i];
		uint32_t tid = records->trace->lanes[run->lane].shown;
		struct tl_trace_place place = {0};
		const struct tl_event_record *event;

		while ((event = (const void *)tl_trace_next(run, &place))) {
			if (event->type != TL_RECORD_EVENT || event->phase != 'X' ||
			    !event_category(records, event).device)
				continue;
			uint32_t shown = timeline_event_shown(records, event, tid);

			if (numbers_find(&records->queues, shown) != NO_NUMBER)
				continue;
			const struct tl_event_arg *arg = arg_named(records, event, "queue");

			numbers_add(&records->queues, shown);
			records->queue_numbers =
				need(reallocarray(records->queue_numbers, records->queues.count,
						  sizeof(*records->queue_numbers)));
			records->queue_numbers[records->queues.count - 1] = arg ? arg->value : 0;
		}
	}
}

static bool lane_is_selected(const struct timeline_records *records, const char *name,
			     uint32_t shown)
{
	char number[16], queue[24];
	uint32_t place = numbers_find(&records->queues, shown);
	const struct selected_lane about = {
		.name = name,
		.number = number,
		.is_queue = place != NO_NUMBER,
		.queue = place != NO_NUMBER ? queue : NULL,
	};

	snprintf(number, sizeof(number), "%u", shown);
	if (place != NO_NUMBER)
		snprintf(queue, sizeof(queue), "%" PRIu64, records->queue_numbers[place]);
	return selection_has_lane(records->selection, &about);
}

void timeline_find_left_out(struct timeline_records *records)
{
	const struct tl_trace *trace = records->trace;
	const struct selection *selection = records->selection;
	bool selects = selection->thread || selection_wants_queues(selection);

	numbers_free(&records->left_out);
	records->left_out = (struct numbers){0};
	numbers_free(&records->queues);
	records->queues = (struct numbers){0};
	if (selection_wants_queues(selection))
		find_queues(records);
	for (size_t i = 0; i < trace->nlanes && selects; i++)
		if (!lane_is_selected(records, trace->lanes[i].name, trace->lanes[i].shown))
			numbers_add(&records->left_out, trace->lanes[i].shown);
	for (size_t i = 0; i < trace->nnamed && selects; i++) {
		size_t size = 0;
		const char *text = tl_trace_string(trace, trace->named[i].name, &size);
		char *name = need(strndup(text ? text : "", size));

		if (!lane_is_selected(records, name, trace->named[i].shown))
			numbers_add(&records->left_out, trace->named[i].shown);
		free(name);
	}
}
