/* SPDX-License-Identifier: MIT */
/*
 * task-graph-text.c: an XPTI subscriber that writes a line on standard error for each notification
 * of any stream.
 *
 *	cc -shared -fPIC -o text.so task-graph-text.c
 *	XPTI_SUBSCRIBERS=./text.so ...
 *
 * It links no library: the dispatcher that loads it has the functions.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <tracelayer/xpti.h>

static struct timespec begun;

/* Threads are numbered as they come. */
static unsigned thread_number(void)
{
	static _Atomic unsigned threads;
	static _Thread_local unsigned number;

	if (!number)
		number = ++threads;
	return number;
}

/* One call of stdio to a line, or threads would mix theirs. */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	struct timespec now;
	char text[1000];
	va_list arguments;

	clock_gettime(CLOCK_MONOTONIC, &now);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "%8.3f ms  thread %u  %s\n",
		(now.tv_sec - begun.tv_sec) * 1e3 + (now.tv_nsec - begun.tv_nsec) / 1e6,
		thread_number(), text);
}

/* ---- notifications ---- */

static const char *name_of(const xpti_payload *payload)
{
	return payload && payload->name ? payload->name : "?";
}

/* A number or a text of metadata, as text. */
static void print_object(xpti_object object, char *text, size_t size)
{
	uint64_t number = 0;

	if (object.type == xpti_metadata_string) {
		snprintf(text, size, "%.*s", (int)object.size, object.data);
	} else if (object.type == xpti_metadata_unsigned && object.size <= sizeof(number)) {
		/* little endian, as x86-64 and aarch64 are */
		memcpy(&number, object.data, object.size);
		snprintf(text, size, "%" PRIu64, number);
	} else {
		snprintf(text, size, "%zu bytes", object.size);
	}
}

static void print_metadata(xpti_event *event, char *text, size_t size)
{
	const xpti_metadata *metadata = xptiQueryMetadata(event);
	char value[100];

	*text = '\0';
	for (const xpti_metadata_node *node = metadata ? metadata->first : NULL; node;
	     node = node->next) {
		print_object(xptiLookupObject(node->value), value, sizeof(value));
		size_t used = strlen(text);
		snprintf(text + used, size - used, ", %s %s", xptiLookupString(node->key), value);
	}
}

static void on_create(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
		      const void *user_data)
{
	const xpti_payload *place = xptiQueryPayload(event);
	char metadata[500];

	(void)parent, (void)instance, (void)user_data;
	print_metadata(event, metadata, sizeof(metadata));
	say("%s %s, %s:%u%s", type == xpti_trace_graph_create ? "graph" : "node", name_of(place),
	    place->source_file, place->line_no, metadata);
}

/* An edge names its ends by their unique ids. */
static void on_edge(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
		    const void *user_data)
{
	(void)type, (void)parent, (void)instance, (void)user_data;
	say("edge %s -> %s", name_of(xptiQueryPayloadByUID(event->source_id)),
	    name_of(xptiQueryPayloadByUID(event->target_id)));
}

static void on_begin_or_end(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
			    const void *user_data)
{
	static const char *const kinds[] = {[xpti_trace_region_begin] = "run",
					    [xpti_trace_task_begin] = "task",
					    [xpti_trace_wait_begin] = "wait"};

	(void)parent, (void)user_data;
	say("%s %s %" PRIu64 ": %s", type & 1 ? "end  " : "begin", kinds[type & ~1], instance,
	    name_of(xptiQueryPayload(event)));
}

/* ---- what a subscriber has to have ---- */

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	static const uint16_t begins[] = {xpti_trace_region_begin, xpti_trace_task_begin,
					  xpti_trace_wait_begin};
	xpti_stream_id number = xptiRegisterStream(stream);

	(void)version;
	if (!begun.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &begun);
	say("stream %s, version %u.%u", stream, major, minor);
	xptiRegisterCallback(number, xpti_trace_graph_create, on_create);
	xptiRegisterCallback(number, xpti_trace_node_create, on_create);
	xptiRegisterCallback(number, xpti_trace_edge_create, on_edge);
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		xptiRegisterCallback(number, begins[i], on_begin_or_end);
		xptiRegisterCallback(number, begins[i] + 1, on_begin_or_end);
	}
}

void xptiTraceFinish(const char *stream)
{
	say("stream %s ends", stream);
}
