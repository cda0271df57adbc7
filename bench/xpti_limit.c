/* SPDX-License-Identifier: MIT */
/*
 * xpti_limit.c: a subscriber that subscribes to all that the timeline does
 * (xpti/timeline/timeline_subscriber.c), and whose callback returns at once. What a program takes
 * longer with it is what its runtime takes for XPTI, whoever listens: the limit of `run --xpti`.
 */
#include <stdint.h>

#include "tracelayer/xpti.h"

#define TYPES 128u /* that are not user defined */
#define TOOLS 8u

static void notified(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		     const void *user_data)
{
	(void)type, (void)parent, (void)object, (void)instance, (void)user_data;
}

XPTI_API void xptiTraceInit(unsigned int major, unsigned int minor, const char *version,
			    const char *stream)
{
	xpti_stream_id number = xptiRegisterStream(stream);

	(void)major, (void)minor, (void)version;
	for (unsigned type = 1; type < TYPES; type++)
		xptiRegisterCallback(number, (uint16_t)type, notified);
	for (unsigned tool = 1; tool <= TOOLS; tool++)
		for (unsigned value = 0; value < TYPES; value++)
			xptiRegisterCallback(
				number,
				(uint16_t)(tool << 8 | (unsigned)xpti_trace_user_defined | value),
				notified);
}

XPTI_API void xptiTraceFinish(const char *stream)
{
	(void)stream;
}
