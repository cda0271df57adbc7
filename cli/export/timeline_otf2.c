/* SPDX-License-Identifier: MIT */
/*
 * timeline_otf2.c: an archive of OTF2, for Vampir and Scalasca: a location for each thread and queue, a
 * location group for each process and for its queues, a node of the system tree for each host.
 * Calls, commands and marks are regions; transfers' bytes and counters are metrics. MPI messages are
 * events of their ranks' threads (otf2_messages.c).
 *
 * Numbers of definitions count from 0 in the order in which things come. The definitions are written
 * last.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/export/export_timeline.h"

#if !HAVE_OTF2

int timeline_write_otf2(struct timeline *timeline, const char *path, bool force)
{
	say("%s: this tracelayer was built without OTF2; install libopen-trace-format2-dev and build it again, or write .pftrace, .json or .tar",
	    path);
	return EXIT_USAGE;
}

#else

#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/otf2_archive.h"
#include "cli/export/otf2_messages.h"
#include "cli/export/otf2_slices.h"
#include "cli/export/timeline_records.h"
#include "tracelayer/api.h"

#define EVENTS_CHUNK (1024u * 1024)
#define DEFS_CHUNK   (4u * 1024 * 1024)

struct location {
	uint32_t name, group; /* .name: a string */
	bool is_queue;
	uint64_t events; /* 0: it is left out */
	uint32_t number; /* in the archive */
};

/* A process, or the queues of one. */
struct group {
	uint32_t name, node, process;
	bool is_queues;
};

struct region {
	uint32_t name, category;
	bool is_transfer;
};

struct metric {
	uint32_t name, unit;
	OTF2_Type type;
};

struct writer {
	struct timeline *timeline;
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;
	char *error; /* the first one's words */

	struct names strings, region_keys, metric_keys;
	struct numbers location_keys; /* the numbers that threads and lanes have in an output */
	struct numbers nodes;	      /* hosts' strings */
	struct region *regions;
	struct metric *metrics;
	struct location *locations;
	struct group *groups;
	uint32_t ngroups;
	uint64_t first, last;
	struct otf2_messages messages;

	/* The process that is being read. */
	struct timeline_records records;
	uint32_t group, queues; /* .queues: UINT32_MAX while it has none */
	struct otf2_slices slices;
	struct numbers open_keys; /* locations with marks */
	struct otf2_slice **open; /* their open marks, by place in .open_keys */
	size_t *depths;
	uint32_t location;   /* that .events is of */
	uint32_t nlocations; /* in the archive */
};

/* --- definitions */

static uint32_t string_of(struct writer *writer, const char *text)
{
	return names_number(&writer->strings, text);
}

/* The name and the category are one key; neither has a byte of this value. */
static uint32_t region_of(struct writer *writer, const char *name, const char *category,
			  bool is_transfer)
{
	uint32_t count = writer->region_keys.count, number;
	char *key;

	if (asprintf(&key, "%s\1%s", name, category) < 0)
		need(NULL);
	number = names_number(&writer->region_keys, key);
	free(key);
	if (number < count)
		return number;
	writer->regions = need(reallocarray(writer->regions, number + 1, sizeof(struct region)));
	writer->regions[number] =
		(struct region){string_of(writer, name), string_of(writer, category), is_transfer};
	return number;
}

static uint32_t metric_of(struct writer *writer, const char *name, const char *unit, OTF2_Type type)
{
	uint32_t count = writer->metric_keys.count, number;
	char *key;

	if (asprintf(&key, "%s\1%u", name, (unsigned)type) < 0)
		need(NULL);
	number = names_number(&writer->metric_keys, key);
	free(key);
	if (number < count)
		return number;
	writer->metrics = need(reallocarray(writer->metrics, number + 1, sizeof(struct metric)));
	writer->metrics[number] =
		(struct metric){string_of(writer, name), string_of(writer, unit), type};
	return number;
}

static uint32_t group_add(struct writer *writer, struct group group)
{
	writer->groups =
		need(reallocarray(writer->groups, writer->ngroups + 1, sizeof(struct group)));
	writer->groups[writer->ngroups] = group;
	return writer->ngroups++;
}

static uint32_t queues_of(struct writer *writer)
{
	struct group group = writer->groups[writer->group];
	char name[400];

	if (writer->queues != UINT32_MAX)
		return writer->queues;
	snprintf(name, sizeof(name), "%s, queues", writer->strings.list[group.name]);
	group.name = string_of(writer, name);
	group.process = writer->group;
	group.is_queues = true;
	return writer->queues = group_add(writer, group);
}

static void location_add(struct writer *writer, uint32_t shown, const char *name, bool is_queue)
{
	uint32_t count = writer->location_keys.count,
		 number = numbers_add(&writer->location_keys, shown);

	if (number < count)
		return;
	writer->locations =
		need(reallocarray(writer->locations, number + 1, sizeof(struct location)));
	writer->locations[number] =
		(struct location){.name = string_of(writer, name),
				  .group = is_queue ? queues_of(writer) : writer->group,
				  .is_queue = is_queue};
}

static void process_define(struct writer *writer, const struct timeline_process *process)
{
	uint32_t host = string_of(writer, *process->host ? process->host : "unknown");
	char name[384];

	if (process->has_rank)
		snprintf(name, sizeof(name), "rank %lld (%s %u)", (long long)process->rank,
			 process->program, process->pid);
	else
		snprintf(name, sizeof(name), "%s %u", process->program, process->pid);
	writer->queues = UINT32_MAX;
	writer->group =
		group_add(writer, (struct group){.name = string_of(writer, name),
						 .node = numbers_add(&writer->nodes, host)});
}

/* --- a process's records */

static char *text_copy(const struct writer *writer, uint32_t number, const char *none)
{
	size_t size = 0;
	const char *text = tl_trace_string(writer->records.trace, number, &size);

	return need(text ? strndup(text, size) : strdup(none));
}

static void find_locations(struct writer *writer)
{
	const struct tl_trace *trace = writer->records.trace;
	struct timeline_numbers *numbers = &writer->timeline->numbers;

	for (size_t i = 0; i < trace->nlanes; i++)
		if (timeline_records_has_lane(&writer->records, trace->lanes[i].shown))
			location_add(writer, timeline_number(numbers, trace->lanes[i].shown),
				     trace->lanes[i].name, false);
	for (size_t i = 0; i < trace->nnamed; i++) {
		char *name = text_copy(writer, trace->named[i].name, "queue");
		if (timeline_records_has_lane(&writer->records, trace->named[i].shown))
			location_add(writer, timeline_number(numbers, trace->named[i].shown), name,
				     true);
		free(name);
	}
}

static uint64_t writer_ns(const struct writer *writer, uint64_t ticks)
{
	return timeline_ns(writer->records.process, tl_trace_ns(writer->records.trace, ticks));
}

static void slice_add(struct writer *writer, struct otf2_slice slice)
{
	if (slice.end < slice.start)
		slice.end = slice.start;
	if (slice.start < writer->first)
		writer->first = slice.start;
	if (slice.end > writer->last)
		writer->last = slice.end;
	otf2_slices_add(&writer->slices, slice);
}

static void call_add(struct writer *writer, uint32_t tid, uint32_t function, uint64_t start,
		     uint64_t end)
{
	const struct tl_function *called = tl_trace_function(writer->records.trace, function);

	if (called)
		slice_add(writer,
			  (struct otf2_slice){.location = numbers_add(&writer->location_keys, tid),
					      .region = region_of(writer, called->name,
								  called->api->name, false),
					      .start = writer_ns(writer, start),
					      .end = writer_ns(writer, end),
					      .metric = OTF2_NO_METRIC});
}

/* An argument of this name, which is a number. */
static const struct tl_event_arg *event_arg(const struct writer *writer,
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

static struct otf2_slice event_slice(struct writer *writer, const struct tl_event_record *event,
				     uint32_t tid)
{
	char *name = text_copy(writer, event->name, "?"),
	     *category = text_copy(writer, event->category, "tracelayer");
	const struct tl_event_arg *bytes =
		event->phase == 'X' && event->lane ? event_arg(writer, event, "bytes") : NULL;
	bool ns = event->flags & TL_EVENT_NS;
	uint64_t end = tl_record_end(event->start, event->duration);
	struct otf2_slice slice = {
		.location = numbers_add(&writer->location_keys, tid),
		.region = region_of(writer, name, category, bytes),
		.start = ns ? event->start : writer_ns(writer, event->start),
		.end = ns ? end : writer_ns(writer, end),
		.metric = bytes ? metric_of(writer, "bytes", "bytes", OTF2_TYPE_UINT64)
				: OTF2_NO_METRIC,
		.value = bytes ? bytes->value : 0};

	free(name);
	free(category);
	return slice;
}

/* The stack of a location's marks grows in steps. */
#define MARKS_STEP   16

static uint32_t marks_of(struct writer *writer, uint32_t location)
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

static void mark_begin(struct writer *writer, struct otf2_slice slice)
{
	uint32_t place = marks_of(writer, slice.location);
	size_t depth = writer->depths[place]++;

	if (depth % MARKS_STEP == 0)
		writer->open[place] = need(reallocarray(writer->open[place], depth + MARKS_STEP,
							sizeof(struct otf2_slice)));
	writer->open[place][depth] = slice;
}

static void mark_end(struct writer *writer, uint32_t tid, uint64_t ns)
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
static void counter_add(struct writer *writer, const struct tl_event_record *event, uint32_t tid,
			uint64_t ns)
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
					      .metric = metric_of(writer, series, key,
								  types[event->arg[i].kind]),
					      .value = event->arg[i].value});
		free(series);
		free(key);
	}
	free(name);
}

static uint32_t event_tid(const struct writer *writer, const struct tl_event_record *event)
{
	uint32_t shown = 0;

	if (event->flags & TL_EVENT_TID)
		return event->lane;
	if (event->lane)
		shown = tl_trace_shown_lane(writer->records.trace, event->lane);
	return shown ? timeline_number(&writer->timeline->numbers, shown) : writer->records.tid;
}

static void event_add(struct writer *writer, const struct tl_event_record *event)
{
	uint32_t tid = event_tid(writer, event);
	uint64_t ns = event->flags & TL_EVENT_NS ? event->start : writer_ns(writer, event->start);

	if (numbers_find(&writer->location_keys, tid) == NO_NUMBER)
		location_add(writer, tid, "thread", false);
	if (event->phase == 'X')
		slice_add(writer, event_slice(writer, event, tid));
	else if (event->phase == 'B')
		mark_begin(writer, event_slice(writer, event, tid));
	else if (event->phase == 'E')
		mark_end(writer, tid, ns);
	else if (event->phase == 'C')
		counter_add(writer, event, tid, ns);
}

static void batch_add(struct writer *writer)
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

static void unfinished_add(struct writer *writer)
{
	const struct tl_trace *trace = writer->records.trace;

	for (size_t i = 0; i < trace->nlanes; i++)
		for (size_t open = trace->lanes[i].nopens; open-- > 0;)
			if (timeline_records_has_open(&writer->records, &trace->lanes[i],
						      &trace->lanes[i].opens[open]))
				call_add(writer,
					 timeline_number(&writer->timeline->numbers,
							 trace->lanes[i].shown),
					 trace->lanes[i].opens[open].function,
					 trace->lanes[i].opens[open].start, trace->last);
}

/* --- events, in the order of time */

static void play_close(struct writer *writer)
{
	if (!writer->events)
		return;
	OTF2_EvtWriter_GetNumberOfEvents(writer->events,
					 &writer->locations[writer->location].events);
	OTF2_Archive_CloseEvtWriter(writer->archive, writer->events);
	writer->events = NULL;
}

static void play_location(void *to, uint32_t location)
{
	struct writer *writer = to;

	play_close(writer);
	writer->location = location;
	writer->locations[location].number = writer->nlocations++;
	writer->events =
		OTF2_Archive_GetEvtWriter(writer->archive, writer->locations[location].number);
}

static void play_enter(void *to, uint64_t time, uint32_t region)
{
	OTF2_EvtWriter_Enter(((struct writer *)to)->events, NULL, time, region);
}

static void play_leave(void *to, uint64_t time, uint32_t region)
{
	OTF2_EvtWriter_Leave(((struct writer *)to)->events, NULL, time, region);
}

static void play_value(void *to, uint64_t time, uint32_t metric, uint64_t value)
{
	struct writer *writer = to;
	OTF2_MetricValue values = {.unsigned_int = value};

	OTF2_EvtWriter_Metric(writer->events, NULL, time, metric, 1, &writer->metrics[metric].type,
			      &values);
}

static void play_message(void *to, uint64_t time, uint64_t value)
{
	struct writer *writer = to;

	otf2_messages_event(&writer->messages, writer->events, time,
			    &writer->timeline->messages.list[value / 2], value % 2);
}

/* An event of a message's end; `posts`: of the call that began the receive. */
static void message_add(struct writer *writer, const struct mpi_end *end, bool posts)
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
static void messages_add(struct writer *writer)
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

/* Now locations have their numbers in the archive. */
static void messages_locate(struct writer *writer)
{
	struct timeline *timeline = writer->timeline;
	const struct timeline_process *process = writer->records.process;
	size_t count;
	const struct mpi_end *ends = mpi_messages_of(
		&timeline->messages, (size_t)(process - timeline->inputs.list), &count);

	if (count) {
		uint32_t tid = timeline_number(&timeline->numbers, ends->tid);
		uint32_t location = numbers_add(&writer->location_keys, tid);

		otf2_messages_locate(&writer->messages, process->rank,
				     writer->locations[location].number);
	}
}

static void process_free_marks(struct writer *writer)
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

static void process_write(struct writer *writer, const struct timeline_process *process,
			  const char *where)
{
	static const struct otf2_events events = {play_location, play_enter, play_leave, play_value,
						  play_message};
	struct timeline *timeline = writer->timeline;
	const struct tl_trace *of = NULL;

	timeline_numbers_next(&timeline->numbers);
	if (timeline_records_open(&writer->records, process, &timeline->numbers,
				  &timeline->selection, timeline->inputs.start)) {
		process_define(writer, process);
		while (!otf2_place_is_stopped() &&
		       (timeline_records_next(&writer->records) || !of)) {
			if (writer->records.trace != of)
				find_locations(writer);
			of = writer->records.trace;
			if (writer->records.size)
				batch_add(writer);
		}
		unfinished_add(writer);
		messages_add(writer);
		otf2_slices_play(&writer->slices, &events, writer);
		play_close(writer);
		messages_locate(writer);
		process_free_marks(writer);
		timeline_judge(timeline, &writer->records, 0, where);
	} else {
		timeline->incomplete = true;
	}
	timeline_records_close(&writer->records);
}

/* --- the definitions */

static void define_location(OTF2_GlobalDefWriter *defs, const struct location *location)
{
	OTF2_GlobalDefWriter_WriteLocation(defs, location->number, location->name,
					   location->is_queue
						   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
						   : OTF2_LOCATION_TYPE_CPU_THREAD,
					   location->events, location->group);
}

static void define_places(struct writer *writer, OTF2_GlobalDefWriter *defs, uint32_t job,
			  uint32_t node)
{
	OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, job, job,
						 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < writer->nodes.count; i++) {
		OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, i + 1,
							 (uint32_t)writer->nodes.list[i], node, 0);
		OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(defs, i + 1,
							       OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	}
	for (uint32_t i = 0; i < writer->ngroups; i++) {
		const struct group *group = &writer->groups[i];
		OTF2_GlobalDefWriter_WriteLocationGroup(
			defs, i, group->name,
			group->is_queues ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
					 : OTF2_LOCATION_GROUP_TYPE_PROCESS,
			group->node + 1,
			group->is_queues ? group->process : OTF2_UNDEFINED_LOCATION_GROUP);
	}
	for (uint32_t i = 0; i < writer->location_keys.count; i++)
		if (writer->locations[i].events)
			define_location(defs, &writer->locations[i]);
}

static OTF2_Paradigm paradigm_of(const char *api)
{
	return !strcmp(api, "opencl") ? OTF2_PARADIGM_OPENCL
	       : !strcmp(api, "mpi")  ? OTF2_PARADIGM_MPI
				      : OTF2_PARADIGM_UNKNOWN;
}

static void define_regions(struct writer *writer, OTF2_GlobalDefWriter *defs, uint32_t none)
{
	for (uint32_t i = 0; i < writer->region_keys.count; i++) {
		const struct region *region = &writer->regions[i];
		OTF2_GlobalDefWriter_WriteRegion(
			defs, i, region->name, region->name, region->category,
			region->is_transfer ? OTF2_REGION_ROLE_DATA_TRANSFER
					    : OTF2_REGION_ROLE_FUNCTION,
			paradigm_of(writer->strings.list[region->category]), OTF2_REGION_FLAG_NONE,
			none, 0, 0);
	}
	for (uint32_t i = 0; i < writer->metric_keys.count; i++) {
		const struct metric *metric = &writer->metrics[i];
		OTF2_GlobalDefWriter_WriteMetricMember(defs, i, metric->name, none,
						       OTF2_METRIC_TYPE_OTHER,
						       OTF2_METRIC_ABSOLUTE_POINT, metric->type,
						       OTF2_BASE_DECIMAL, 0, metric->unit);
		OTF2_GlobalDefWriter_WriteMetricClass(defs, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
						      OTF2_RECORDER_KIND_UNKNOWN);
	}
}

static uint32_t *comm_names(struct writer *writer)
{
	size_t count = writer->timeline->messages.ncomms;
	uint32_t *names = need(calloc(count + 1, sizeof(*names)));
	char name[64];

	for (uint32_t i = 0; i < count; i++) {
		otf2_messages_name(i, name, sizeof(name));
		names[i] = string_of(writer, name);
	}
	return names;
}

/* Each location has a file of definitions, though it needs none of its own. */
static void define_locally(struct writer *writer)
{
	OTF2_Archive_OpenDefFiles(writer->archive);
	for (uint32_t i = 0; i < writer->nlocations; i++)
		OTF2_Archive_CloseDefWriter(writer->archive,
					    OTF2_Archive_GetDefWriter(writer->archive, i));
	OTF2_Archive_CloseDefFiles(writer->archive);
}

static void archive_define(struct writer *writer)
{
	uint32_t none = string_of(writer, ""), job = string_of(writer, "job"),
		 node = string_of(writer, "node"), *comms = comm_names(writer);
	const struct timeline_inputs *inputs = &writer->timeline->inputs;

	define_locally(writer);
	OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(writer->archive);
	if (!defs) {
		free(comms);
		return;
	}
	uint64_t first = writer->last ? writer->first : 0;
	int64_t offset = inputs->list[0].clock ? inputs->list[0].clock->offset : 0;
	OTF2_GlobalDefWriter_WriteClockProperties(
		defs, 1000000000, first, writer->last - first + 1,
		(uint64_t)((int64_t)first + offset - inputs->list[0].shift));
	for (uint32_t i = 0; i < writer->strings.count; i++)
		OTF2_GlobalDefWriter_WriteString(defs, i, writer->strings.list[i]);
	define_places(writer, defs, job, node);
	define_regions(writer, defs, none);
	otf2_messages_define(&writer->messages, defs, comms, none);
	free(comms);
	OTF2_Archive_CloseGlobalDefWriter(writer->archive, defs);
}

/* --- the archive */

static OTF2_ErrorCode error_keep(void *to, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list arguments)
{
	struct writer *writer = to;

	/* Warnings are below it. */
	if (code > OTF2_SUCCESS && !writer->error &&
	    vasprintf(&writer->error, format, arguments) < 0)
		need(NULL);
	return code;
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	return OTF2_FLUSH;
}

static void archive_write(struct writer *writer, const char *where)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
	const struct timeline_inputs *inputs = &writer->timeline->inputs;

	mpi_messages_find(&writer->timeline->messages, inputs, &writer->timeline->selection);
	otf2_messages_start(&writer->messages, &writer->timeline->messages, inputs);
	OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive);
	OTF2_Archive_SetCreator(writer->archive, PACKAGE_STRING);
	OTF2_Archive_OpenEvtFiles(writer->archive);
	for (size_t i = 0; i < inputs->count && !writer->error && !otf2_place_is_stopped(); i++) {
		progress_show("process %zu of %zu, %.1f million events", i + 1, inputs->count,
			      (double)writer->timeline->events / 1e6);
		process_write(writer, &inputs->list[i], where);
	}
	progress_hide();
	OTF2_Archive_CloseEvtFiles(writer->archive);
	archive_define(writer);
}

static void writer_free(struct writer *writer)
{
	names_free(&writer->strings);
	names_free(&writer->region_keys);
	names_free(&writer->metric_keys);
	numbers_free(&writer->location_keys);
	numbers_free(&writer->nodes);
	otf2_slices_free(&writer->slices);
	otf2_messages_free(&writer->messages);
	free(writer->regions);
	free(writer->metrics);
	free(writer->locations);
	free(writer->groups);
	free(writer->error);
}

/* The archive got another name than the user asked for. */
static void place_say(const struct otf2_place *place, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (strncmp(name, place->name, strlen(place->name)) ||
	    strcmp(name + strlen(place->name), ".otf2"))
		say("%s: that name is taken; written to %s/%s.otf2 (-f overwrites)", path,
		    place->folder, place->name);
}

int timeline_write_otf2(struct timeline *timeline, const char *path, bool force)
{
	struct writer writer = {.timeline = timeline, .first = UINT64_MAX};
	struct otf2_place place;
	int error = otf2_place_open(&place, path, force);

	if (error) {
		say("%s: %s; give another place with -o", path, strerror(error));
		return EXIT_BROKEN;
	}
	OTF2_Error_RegisterCallback(error_keep, &writer);
	writer.archive =
		OTF2_Archive_Open(place.made, place.name, OTF2_FILEMODE_WRITE, EVENTS_CHUNK,
				  DEFS_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (writer.archive) {
		archive_write(&writer, path);
		OTF2_Archive_Close(writer.archive);
	}
	bool written = writer.archive && !writer.error;
	error = otf2_place_close(&place, written);
	if (!written || error)
		say("%s: %s; no archive was left there; free some space, or give another place with -o",
		    path,
		    error == EEXIST ? "another file beside it has a name that the archive needs"
		    : error	    ? strerror(error)
		    : writer.error  ? writer.error
				    : "OTF2 failed");
	else
		place_say(&place, path);
	writer_free(&writer);
	return written && !error ? EXIT_DONE : EXIT_BROKEN;
}

#endif
