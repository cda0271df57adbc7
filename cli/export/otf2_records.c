/* SPDX-License-Identifier: MIT */
/*
 * otf2_records.c: see otf2_records.h.
 */
#include "config.h"

#if HAVE_OTF2

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/otf2_definitions.h"
#include "cli/export/otf2_records.h"
#include "format/encode/encode.h"
#include "tracelayer/api.h"

static char *text_copy(const struct otf2_writer *writer, uint32_t number, const char *none)
{
	size_t size = 0;
	const char *text = tl_trace_string(writer->records.trace, number, &size);

	return need(text ? strndup(text, size) : strdup(none));
}

void otf2_find_locations(struct otf2_writer *writer)
{
	const struct tl_trace *trace = writer->records.trace;
	struct timeline_numbers *numbers = &writer->timeline->numbers;

	for (size_t i = 0; i < trace->nlanes; i++)
		if (timeline_records_has_lane(&writer->records, trace->lanes[i].shown))
			otf2_location_add(writer, timeline_number(numbers, trace->lanes[i].shown),
					  trace->lanes[i].name, false);
	for (size_t i = 0; i < trace->nnamed; i++) {
		char *name = text_copy(writer, trace->named[i].name, "queue");
		if (timeline_records_has_lane(&writer->records, trace->named[i].shown))
			otf2_location_add(writer, timeline_number(numbers, trace->named[i].shown),
					  name, true);
		free(name);
	}
}

static uint64_t writer_ns(const struct otf2_writer *writer, uint64_t ticks)
{
	return timeline_ns(writer->records.process, tl_trace_ns(writer->records.trace, ticks));
}

static void slice_add(struct otf2_writer *writer, struct otf2_slice slice)
{
	if (slice.end < slice.start)
		slice.end = slice.start;
	if (slice.start < writer->first)
		writer->first = slice.start;
	if (slice.end > writer->last)
		writer->last = slice.end;
	otf2_slices_add(&writer->slices, slice);
}

/* The location of a call: of those of a thread that overlap, one has a further lane's. */
static uint32_t call_location(struct otf2_writer *writer, uint32_t tid, uint64_t start,
			      uint64_t end)
{
	uint32_t further =
		tl_touching_next(writer->touching, tid, start, end, !tl_further_is_lane(tid))
			.further;
	char name[40];

	if (further) {
		snprintf(name, sizeof(name), TL_FURTHER_NAME "%u", tid);
		tid = tl_further_lane(tid, further);
		otf2_location_add(writer, tid, name, false);
	}
	return numbers_add(&writer->location_keys, tid);
}

static void call_add(struct otf2_writer *writer, uint32_t tid, uint32_t function, uint64_t start,
		     uint64_t end)
{
	const struct tl_function *called = tl_trace_function(writer->records.trace, function);
	uint64_t from = writer_ns(writer, start), to = writer_ns(writer, end);

	to = to > from ? to : from;
	if (called)
		slice_add(writer,
			  (struct otf2_slice){.location = call_location(writer, tid, from, to),
					      .region = otf2_region_of(writer, called->name,
								       called->api->name, false),
					      .start = from,
					      .end = to,
					      .metric = OTF2_NO_METRIC});
}

/* An argument of this name, which is a number. */
static const struct tl_event_arg *event_arg(const struct otf2_writer *writer,
					    const struct tl_event_record *event, const char *name)
{
	for (unsigned i = 0; i < event->args; i++) {
		size_t size = 0;
		const char *key = tl_trace_string(writer->records.trace, event->arg[i].key, &size);
		if (key && size == strlen(name) && !memcmp(key, name, size) &&
		    event->arg[i].kind == TL_VALUE_UNSIGNED_64)
			return &event->arg[i];
	}
	return NULL;
}

static struct otf2_slice event_slice(struct otf2_writer *writer,
				     const struct tl_event_record *event, uint32_t tid)
{
	char *name = text_copy(writer, event->name, "?"),
	     *category = text_copy(writer, event->category, "tracelayer");
	const struct tl_event_arg *bytes =
		event->phase == 'X' && event->lane ? event_arg(writer, event, "bytes") : NULL;
	bool ns = event->flags & TL_EVENT_NS;
	uint64_t end = tl_record_end(event->start, event->duration);
	struct otf2_slice slice = {
		.location = numbers_add(&writer->location_keys, tid),
		.region = otf2_region_of(writer, name, category, bytes),
		.start = ns ? event->start : writer_ns(writer, event->start),
		.end = ns ? end : writer_ns(writer, end),
		.metric = bytes ? otf2_metric_of(writer, "bytes", "bytes", OTF2_TYPE_UINT64)
				: OTF2_NO_METRIC,
		.value = bytes ? bytes->value : 0};

	free(name);
	free(category);
	return slice;
}

/* The stack of a location's marks grows in steps. */
#define MARKS_STEP 16

static uint32_t marks_of(struct otf2_writer *writer, uint32_t location)
{
	uint32_t count = writer->open_keys.count, place = numbers_add(&writer->open_keys, location);

	if (place == count) {
		writer->open = need(reallocarray(writer->open, place + 1, sizeof(*writer->open)));
		writer->depths =
			need(reallocarray(writer->depths, place + 1, sizeof(*writer->depths)));
		writer->open[place] = NULL;
		writer->depths[place] = 0;
	}
	return place;
}

static void mark_begin(struct otf2_writer *writer, struct otf2_slice slice)
{
	uint32_t place = marks_of(writer, slice.location);
	size_t depth = writer->depths[place]++;

	if (depth % MARKS_STEP == 0)
		writer->open[place] = need(reallocarray(writer->open[place], depth + MARKS_STEP,
							sizeof(struct otf2_slice)));
	writer->open[place][depth] = slice;
}

static void mark_end(struct otf2_writer *writer, uint32_t tid, uint64_t ns)
{
	uint32_t place = marks_of(writer, numbers_add(&writer->location_keys, tid));
	struct otf2_slice slice;

	if (!writer->depths[place])
		return;
	slice = writer->open[place][--writer->depths[place]];
	slice.end = ns;
	slice_add(writer, slice);
}

/* Each series of a counter is a metric of the thread that reported it. */
static void counter_add(struct otf2_writer *writer, const struct tl_event_record *event,
			uint32_t tid, uint64_t ns)
{
	static const OTF2_Type types[] = {[TL_VALUE_UNSIGNED_64] = OTF2_TYPE_UINT64,
					  [TL_VALUE_SIGNED_64] = OTF2_TYPE_INT64,
					  [TL_VALUE_HEX_64] = OTF2_TYPE_UINT64,
					  [TL_VALUE_DOUBLE_64] = OTF2_TYPE_DOUBLE,
					  [TL_VALUE_TRUTH] = OTF2_TYPE_UINT64};
	char *name = text_copy(writer, event->name, "?"), *series;

	for (unsigned i = 0; i < event->args; i++) {
		if (event->arg[i].kind > TL_VALUE_TRUTH)
			continue;
		char *key = text_copy(writer, event->arg[i].key, "?");
		bool same = !strcmp(name, key);
		if (asprintf(&series, "%s%s%s", name, same ? "" : " ", same ? "" : key) < 0)
			need(NULL);
		slice_add(writer,
			  (struct otf2_slice){.location = numbers_add(&writer->location_keys, tid),
					      .start = ns,
					      .end = ns,
					      .is_value = true,
					      .metric = otf2_metric_of(writer, series, key,
								       types[event->arg[i].kind]),
					      .value = event->arg[i].value});
		free(series);
		free(key);
	}
	free(name);
}

static uint32_t event_tid(const struct otf2_writer *writer, const struct tl_event_record *event)
{
	uint32_t shown = 0;

	if (event->flags & TL_EVENT_TID)
		return event->lane;
	if (event->lane)
		shown = tl_trace_shown_lane(writer->records.trace, event->lane);
	return shown ? timeline_number(&writer->timeline->numbers, shown) : writer->records.tid;
}

static void event_add(struct otf2_writer *writer, const struct tl_event_record *event)
{
	uint32_t tid = event_tid(writer, event);
	uint64_t ns = event->flags & TL_EVENT_NS ? event->start : writer_ns(writer, event->start);

	if (numbers_find(&writer->location_keys, tid) == NO_NUMBER)
		otf2_location_add(writer, tid, "thread", false);
	if (event->phase == 'X')
		slice_add(writer, event_slice(writer, event, tid));
	else if (event->phase == 'B')
		mark_begin(writer, event_slice(writer, event, tid));
	else if (event->phase == 'E')
		mark_end(writer, tid, ns);
	else if (event->phase == 'C')
		counter_add(writer, event, tid, ns);
}

void otf2_batch_add(struct otf2_writer *writer)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&writer->records.batch, &place))) {
		if (record->type == TL_RECORD_CALL)
			call_add(writer, writer->records.tid, record->function, record->start,
				 tl_record_end(record->start, record->duration));
		else if (record->type == TL_RECORD_EVENT)
			event_add(writer, (const void *)record);
		writer->timeline->events += tl_record_counts(record->type);
	}
}

void otf2_unfinished_add(struct otf2_writer *writer)
{
	const struct tl_trace *trace = writer->records.trace;

	for (size_t i = 0; i < trace->nlanes; i++)
		for (size_t open = trace->lanes[i].nopens; open-- > 0;) {
			if (!timeline_records_has_open(&writer->records, &trace->lanes[i],
						       &trace->lanes[i].opens[open]))
				continue;
			call_add(writer,
				 timeline_number(&writer->timeline->numbers, trace->lanes[i].shown),
				 trace->lanes[i].opens[open].function,
				 trace->lanes[i].opens[open].start, trace->last);
			writer->timeline->events++;
		}
}

/* An event of a message's end; `posts`: of the call that began the receive. */
static void message_add(struct otf2_writer *writer, const struct mpi_end *end, bool posts)
{
	struct timeline *timeline = writer->timeline;
	uint32_t tid = timeline_number(&timeline->numbers, posts ? end->posted_tid : end->tid);
	const struct timeline_process *process = writer->records.process;
	uint64_t ns = posts ? timeline_ns(process, end->posted) : mpi_end_shown(end, process);

	slice_add(writer, (struct otf2_slice){
				  .location = numbers_add(&writer->location_keys, tid),
				  .start = ns,
				  .end = ns,
				  .is_value = true,
				  .metric = OTF2_MESSAGE,
				  .value = (uint64_t)(end - timeline->messages.list) * 2 + posts});
}

/* The ends of messages in the process that is being read. */
void otf2_messages_add(struct otf2_writer *writer)
{
	const struct timeline *timeline = writer->timeline;
	const struct timeline_process *process = writer->records.process;
	size_t count;
	const struct mpi_end *ends = mpi_messages_of(
		&timeline->messages, (size_t)(process - timeline->inputs.list), &count);

	for (size_t i = 0; i < count; i++) {
		if (mpi_end_is_request(&ends[i]))
			message_add(writer, &ends[i], true);
		message_add(writer, &ends[i], false);
	}
}

void otf2_free_marks(struct otf2_writer *writer)
{
	for (uint32_t i = 0; i < writer->open_keys.count; i++)
		free(writer->open[i]);
	free(writer->open);
	free(writer->depths);
	numbers_free(&writer->open_keys);
	writer->open = NULL;
	writer->depths = NULL;
	writer->open_keys = (struct numbers){0};
}

#endif
