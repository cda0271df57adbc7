/* SPDX-License-Identifier: MIT */
/*
 * timeline_subscriber.c: the functions of a subscriber, and a callback for each stream.
 *
 * The framework does not tell a callback which stream it calls it for. So there is one callback for
 * each number that a stream can have. The types that tools define can't be known beforehand either:
 * the library subscribes to all types that the first 8 tools may have.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xpti/timeline/timeline_notified.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_state.h"

#define TOOLS 8u

/* ---- a callback for each stream */

/* clang-format off */
#define EACH16(each, high)                                                                         \
	each(high##0) each(high##1) each(high##2) each(high##3) each(high##4) each(high##5)        \
	each(high##6) each(high##7) each(high##8) each(high##9) each(high##a) each(high##b)        \
	each(high##c) each(high##d) each(high##e) each(high##f)
#define EACH256(each)                                                                              \
	EACH16(each, 0x0) EACH16(each, 0x1) EACH16(each, 0x2) EACH16(each, 0x3)                    \
	EACH16(each, 0x4) EACH16(each, 0x5) EACH16(each, 0x6) EACH16(each, 0x7)                    \
	EACH16(each, 0x8) EACH16(each, 0x9) EACH16(each, 0xa) EACH16(each, 0xb)                    \
	EACH16(each, 0xc) EACH16(each, 0xd) EACH16(each, 0xe) EACH16(each, 0xf)
/* clang-format on */
#define CALLBACK(number)                                                                           \
	static void on_##number(uint16_t type, xpti_event *parent, xpti_event *object,             \
				uint64_t instance, const void *user_data)                          \
	{                                                                                          \
		timeline_notified(type, parent, object, instance, user_data, number);              \
	}
EACH256(CALLBACK)

#define LISTED(number) on_##number,
static const xpti_callback callbacks[256] = {EACH256(LISTED)};

/* ---- the functions of a subscriber */

/* The number of a stream. 0: it can't be recorded. */
static uint8_t stream_number(const char *stream)
{
	uint8_t number = timeline && stream ? xptiRegisterStream(stream) : 0;

	return number == XPTI_INVALID_STREAM ? 0 : number;
}

static void stream_subscribe(uint8_t stream)
{
	for (uint16_t type = 1; type < TIMELINE_TYPES; type++)
		xptiRegisterCallback(stream, type, callbacks[stream]);
	for (uint16_t tool = 1; tool <= TOOLS; tool++)
		for (uint16_t value = 0; value < TIMELINE_TYPES; value++)
			xptiRegisterCallback(
				stream, (uint16_t)(tool << 8 | xpti_trace_user_defined | value),
				callbacks[stream]);
}

/*
 * SYCL's runtime sends most of what it tells to `X.debug` in place of `X`, once somebody listens
 * to `X.debug`. So we leave that stream to others where there are others: else a subscriber to `X`
 * alone is told nothing. `run --xpti` names us last, so those before us have registered for the
 * stream by now.
 */
static bool stream_is_for_others(const char *stream, uint8_t number)
{
	const char *subscribers = getenv("XPTI_SUBSCRIBERS");
	const char *ending = strrchr(stream, '.');

	return ending && !strcmp(ending, ".debug") && subscribers && strchr(subscribers, ',') &&
	       !xptiCheckTraceEnabled(number, 0);
}

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	uint8_t number = stream_number(stream);
	int error = errno;

	(void)major, (void)minor, (void)version;
	if (number && !stream_is_for_others(stream, number) && tl_guest_joins(TIMELINE_LEVEL)) {
		timeline_stream_set_name(number, stream);
		stream_subscribe(number);
	}
	errno = error;
}

void xptiTraceFinish(const char *stream)
{
	uint8_t number = stream_number(stream);

	if (number)
		timeline_flush(number);
}

static __attribute__((constructor)) void library_load(void)
{
	timeline = timeline_memory(sizeof(*timeline));
	if (!timeline || !timeline_threads_start()) {
		static const char line[] =
			"tracelayer: XPTI streams: no memory, so they are not in the trace; give the program more\n";
		timeline = NULL;
		if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
			return; /* there is nobody to tell */
		return;
	}
	tl_guest_at_end(timeline_at_end);
	tl_guest_at_submission(timeline_submitted);
}
