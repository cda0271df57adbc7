/* SPDX-License-Identifier: MIT */
/*
 * timeline_renumber.c: see timeline_renumber.h.
 */
#include "config.h"

#include <string.h>

#include "cli/export/selected_arrows.h"
#include "cli/export/timeline_renumber.h"
#include "cli/export/timeline_selected.h"
#include "tracelayer/api.h"

static struct tl_event_arrows *event_arrows(struct tl_event_record *event)
{
	return event->flags & TL_EVENT_ARROWS ? (void *)&event->arg[event->args] : NULL;
}

/* A device command's correlation is that of the call that submitted it. */
static void renumber_args(struct timeline_records *records, struct tl_event_record *event)
{
	for (unsigned i = 0; i < event->args && event->phase == 'X' && event->lane; i++) {
		struct tl_event_arg *arg = &event->arg[i];

		if (arg->kind != TL_VALUE_UNSIGNED_64 || arg->value > UINT32_MAX)
			continue;
		if (!records->correlation && timeline_text_is(records, arg->key, "correlation"))
			records->correlation = arg->key;
		if (records->correlation && arg->key == records->correlation)
			arg->value = timeline_number_of_correlation(records->numbers,
								    (uint32_t)arg->value);
	}
}

static void renumber_arrows(struct timeline_records *records, struct tl_event_arrows *arrows)
{
	if (!arrows)
		return;
	if (arrows->from && !selected_has_call(records, arrows->from, arrows->from_ns))
		arrows->from = 0;
	if (arrows->to && !selected_has_call(records, arrows->to, arrows->to_ns))
		arrows->to = 0;
	arrows->from = timeline_number(records->numbers, arrows->from);
	arrows->to = timeline_number(records->numbers, arrows->to);
	arrows->from_ns = timeline_ns(records->process, arrows->from_ns);
	arrows->to_ns = timeline_ns(records->process, arrows->to_ns);
	arrows->number = timeline_number_of_flow(records->numbers, arrows->number);
}

static void renumber_time(const struct timeline_records *records, struct tl_event_record *event)
{
	uint64_t start = timeline_ns(records->process, event->start);

	if (event->phase == 'X')
		event->duration = timeline_ns(records->process,
					      tl_record_end(event->start, event->duration)) -
				  start;
	event->start = start;
}

static void renumber_event(struct timeline_records *records, struct tl_event_record *event)
{
	renumber_args(records, event);
	renumber_arrows(records, event_arrows(event));
	if (event->flags & TL_EVENT_NS)
		renumber_time(records, event);
	if (event->flags & TL_EVENT_TID)
		event->lane = timeline_number(records->numbers, event->lane);
	if (event->phase && strchr("stf", event->phase))
		event->duration = timeline_number_of_flow(records->numbers, event->duration);
}

static void renumber_call(struct timeline_records *records, struct tl_call_record *call)
{
	uint32_t *correlation = (void *)(call + 1);

	if (call->type == TL_RECORD_CALL && call->flags & TL_RECORD_CAUSE)
		*correlation = timeline_number_of_correlation(records->numbers, *correlation);
}

void timeline_renumber(struct timeline_records *records)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&records->batch, &place))) {
		struct tl_call_record *own =
			(void *)(records->bytes + ((const char *)record - records->bytes));

		if (own->type == TL_RECORD_EVENT)
			renumber_event(records, (void *)own);
		else
			renumber_call(records, own);
	}
}
