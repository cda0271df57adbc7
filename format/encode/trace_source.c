/* SPDX-License-Identifier: MIT */
/*
 * trace_source.c: see trace_source.h. An encoder's source is the trace.
 */
#include "format/encode/trace_source.h"

#include <string.h>

static uint64_t source_ns(const void *source, uint64_t ticks)
{
	return tl_trace_ns(source, ticks);
}

static const struct tl_function *source_function(const void *source, uint32_t id)
{
	return tl_trace_function(source, id);
}

static const char *source_string(const void *source, uint32_t number, size_t *size)
{
	return tl_trace_string(source, number, size);
}

static uint32_t source_lane(const void *source, uint32_t number)
{
	return tl_trace_shown_lane(source, number);
}

static bool source_has_call(const void *source, uint32_t tid, uint64_t ns)
{
	return tl_trace_has_call(source, tid, ns);
}

bool tl_facts_gpu_events(const struct tl_facts *facts)
{
	static const char member[] = ",\"gpu_tracks\":\"perfetto\"";

	return memmem(facts->members, strnlen(facts->members, sizeof(facts->members)), member,
		      sizeof(member) - 1) != NULL;
}

void tl_encoder_read_from(struct tl_encoder *encoder, const struct tl_format *format,
			  const struct tl_trace *trace, void *state, struct tl_open_marks *marks)
{
	*encoder = (struct tl_encoder){
		.format = format,
		.pid = trace->facts.pid,
		.source = trace,
		.ns = source_ns,
		.function = source_function,
		.string = source_string,
		.lane = source_lane,
		.has_call = source_has_call,
		.marks = marks,
		.state = state,
		.gpu_events = tl_facts_gpu_events(&trace->facts),
	};
}
