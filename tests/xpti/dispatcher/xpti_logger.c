/* SPDX-License-Identifier: MIT */
/*
 * xpti_logger.c: an XPTI subscriber for tests. It writes all that it is told to the file that
 * XPTI_LOG names, a line for each notification, with the names of events, their places, metadata
 * and kinds. There are no ids in it, so that two runs of a program can be compared, and two
 * dispatchers. Addresses are only in names.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/xpti.h"

static FILE *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Instances are numbered as they come. */
static unsigned instance_number(uint64_t instance)
{
	enum { INSTANCES = 1 << 16 };
	static uint64_t instances[INSTANCES];
	static unsigned count;
	unsigned i = count;

	while (i && instances[i - 1] != instance)
		i--;
	if (!i && count < INSTANCES) {
		instances[count] = instance;
		i = ++count;
	}
	return i;
}

static unsigned thread_number(void)
{
	static unsigned threads;
	static _Thread_local unsigned number;

	if (!number)
		number = ++threads;
	return number;
}

/* ---- what is known of an event */

static void log_object(xpti_object object)
{
	/* Numbers may be addresses. */
	if (object.type == xpti_metadata_string)
		fprintf(file, "\"%.*s\"", (int)object.size, object.data);
	else
		fprintf(file, "type %u size %zu", object.type, object.size);
}

static int key_compare(const void *a, const void *b)
{
	const xpti_metadata_node *const *x = a, *const *y = b;

	return strcmp(xptiLookupString((*x)->key), xptiLookupString((*y)->key));
}

static void log_metadata(xpti_event *event)
{
	const xpti_metadata *metadata = xptiQueryMetadata(event);
	const xpti_metadata_node *nodes[64];
	size_t count = 0;

	for (const xpti_metadata_node *node = metadata ? metadata->first : NULL; node && count < 64;
	     node = node->next)
		nodes[count++] = node;
	qsort(nodes, count, sizeof(nodes[0]), key_compare);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, ", %s ", xptiLookupString(nodes[i]->key));
		log_object(xptiLookupObject(nodes[i]->value));
	}
}

static const char *text_or_dash(const char *text)
{
	return text ? text : "-";
}

static const char *name_of(uint64_t uid)
{
	const xpti_payload *payload = xptiQueryPayloadByUID(uid);

	return payload ? text_or_dash(payload->name) : "?";
}

static void log_event(const char *what, xpti_event *event)
{
	if (!event)
		return;
	const xpti_payload *payload = xptiQueryPayload(event);
	const xpti_payload *by_uid = xptiQueryPayloadByUID(event->unique_id);
	fprintf(file, " %s kind %u activity %d flags %" PRIx64 " found %d", what, event->event_type,
		event->activity_type, event->flags, xptiFindEvent(event->unique_id) == event);
	if (payload)
		fprintf(file, " \"%s\" %s:%u:%u flags %" PRIx64, text_or_dash(payload->name),
			text_or_dash(payload->source_file), payload->line_no, payload->column_no,
			payload->flags);
	fprintf(file, " by uid %d",
		by_uid && payload && by_uid->name && payload->name
			? strcmp(by_uid->name, payload->name) == 0
			: !payload == !by_uid);
	if (event->source_id || event->target_id)
		fprintf(file, " from \"%s\" to \"%s\"", name_of(event->source_id),
			name_of(event->target_id));
	log_metadata(event);
}

static void log_user_data(uint16_t type, const void *user_data)
{
	const xpti_function_with_args *call = user_data;

	if (!user_data)
		return;
	if ((type | 1) == xpti_trace_function_with_args_end)
		fprintf(file, " call %u %s result %s", call->function_id, call->function_name,
			call->ret_data ? "yes" : "no");
	else if ((type | 1) == xpti_trace_function_end || type == xpti_trace_diagnostics)
		fprintf(file, " text \"%s\"", (const char *)user_data);
	else
		fprintf(file, " with data");
}

/* ---- notifications */

#define STREAMS 12
static char stream_names[STREAMS][64];

static void log_notification(unsigned stream, uint16_t type, xpti_event *parent, xpti_event *event,
			     uint64_t instance, const void *user_data)
{
	char *key = NULL;
	uint64_t value = 0;

	pthread_mutex_lock(&lock);
	fprintf(file, "thread %u %s type %u instance %u", thread_number(), stream_names[stream],
		type, instance_number(instance));
	log_event("parent", parent);
	log_event("event", event);
	log_user_data(type, user_data);
	if (xptiGetStashedTuple(&key, &value) == XPTI_RESULT_SUCCESS)
		fprintf(file, " stashed %s", key);
	fprintf(file, " scope %d universal %d\n", xptiGetTracepointScopeData() != NULL,
		xptiGetUniversalId() != 0);
	pthread_mutex_unlock(&lock);
}

#define CALLBACK(n)                                                                                \
	static void on_##n(uint16_t type, xpti_event *parent, xpti_event *event,                   \
			   uint64_t instance, const void *user_data)                               \
	{                                                                                          \
		log_notification(n, type, parent, event, instance, user_data);                     \
	}
CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
CALLBACK(4)
CALLBACK(5)
CALLBACK(6)
CALLBACK(7)
CALLBACK(8)
CALLBACK(9)
CALLBACK(10)
CALLBACK(11)
static const xpti_callback callbacks[STREAMS] = {on_0, on_1, on_2, on_3, on_4,	on_5,
						 on_6, on_7, on_8, on_9, on_10, on_11};

static unsigned stream_place(const char *name)
{
	unsigned i = 0;

	while (i < STREAMS - 1 && *stream_names[i] && strcmp(stream_names[i], name) != 0)
		i++;
	snprintf(stream_names[i], sizeof(stream_names[i]), "%s", name);
	return i;
}

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	pthread_mutex_lock(&lock);
	if (!file)
		file = fopen(getenv("XPTI_LOG"), "w");
	if (!file)
		abort();
	unsigned place = stream_place(stream);
	fprintf(file, "thread %u init %s %u.%u %s enabled %d\n", thread_number(), stream, major,
		minor, version, xptiTraceEnabled());
	pthread_mutex_unlock(&lock);
	uint8_t number = xptiRegisterStream(stream);
	for (uint16_t type = 1; type < 128; type++)
		xptiRegisterCallback(number, type, callbacks[place]);
}

void xptiTraceFinish(const char *stream)
{
	pthread_mutex_lock(&lock);
	fprintf(file, "thread %u finish %s\n", thread_number(), stream);
	fflush(file);
	pthread_mutex_unlock(&lock);
}
