/* SPDX-License-Identifier: MIT */
/*
 * cuda_clock.c: see cuda_clock.h.
 */
#include "layer/device/cuda/cuda_clock.h"

#include <string.h>

#define CUDA_FIRST_TICKS 1000000000u
#define HZ		 1000000000u
#define BITS		 64u
#define TRIES		 4u
#define CLOSE		 20000u	 /* nanoseconds: a reading this short needs no other try */
#define PATIENCE	 200000u /* nanoseconds that a reading may take */
/* the same for the last chance to know when commands ran */
#define LAST_PATIENCE 2000000u
#define LATE	      8u /* readings that took longer, after which one counts all the same */

void tl_cuda_clock_start(struct cuda_context *context)
{
	tl_clock_fit_start(&context->clock, HZ, BITS);
	memset(context->anchors, 0, sizeof(context->anchors));
	context->own_stream = context->pending = NULL;
	context->nanchors = context->late = 0;
	context->broken = false;
	atomic_store_explicit(&context->wants_pair, false, memory_order_relaxed);
	atomic_store_explicit(&context->looked, 0, memory_order_relaxed);
}

bool tl_cuda_clock_ask(struct cuda_context *context, uint64_t now)
{
	uint64_t looked = atomic_load_explicit(&context->looked, memory_order_relaxed);

	if (now < looked + TL_CLOCK_FIT_SOON)
		return false;
	atomic_store_explicit(&context->looked, now, memory_order_relaxed);
	atomic_store_explicit(&context->wants_pair, true, memory_order_relaxed);
	return true;
}

static int64_t ns_of(float milliseconds)
{
	return (int64_t)((double)milliseconds * 1e6);
}

/* The anchor that is nearest to that time. The oldest one's event may have been recorded again. */
static const struct cuda_anchor *anchor_near(const struct cuda_context *context, uint64_t host)
{
	uint32_t count = context->nanchors < CUDA_ANCHORS ? context->nanchors : CUDA_ANCHORS - 1;
	const struct cuda_anchor *nearest = NULL;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 1; i <= count; i++) {
		const struct cuda_anchor *anchor =
			&context->anchors[(context->nanchors - i) % CUDA_ANCHORS];
		uint64_t away = anchor->host > host ? anchor->host - host : host - anchor->host;

		if (away < least) {
			least = away;
			nearest = anchor;
		}
	}
	return nearest;
}

bool tl_cuda_clock_ticks(const struct cuda_context *context, void *event, uint64_t about,
			 uint64_t *ticks)
{
	const struct cuda_anchor *anchor = anchor_near(context, about);
	float passed;

	if (!anchor ||
	    tl_cuda_real.cuEventElapsedTime(&passed, anchor->event, event) != CUDA_SUCCESS)
		return false;
	*ticks = anchor->ticks + (uint64_t)ns_of(passed);
	return true;
}

/* The layer's stream, and an event for the next reading: the oldest anchor's, once there are many. */
static void *reading_event(struct cuda_context *context)
{
	struct cuda_anchor *oldest = &context->anchors[context->nanchors % CUDA_ANCHORS];
	void *event = oldest->event;

	if (!context->own_stream &&
	    tl_cuda_real.cuStreamCreate(&context->own_stream, CUDA_STREAM_NON_BLOCKING) !=
		    CUDA_SUCCESS) {
		context->own_stream = NULL;
		return NULL;
	}
	if (!event && tl_cuda_real.cuEventCreate(&event, 0) != CUDA_SUCCESS)
		return NULL;
	oldest->event = event;
	return event;
}

/*
 * The event has happened, at some time between these two. An anchor's place already holds its event;
 * until now it did not count as one, because only those before .nanchors do, or it was the oldest.
 */
static void reading_keep(struct cuda_context *context, uint64_t before, uint64_t after)
{
	struct cuda_anchor *place = &context->anchors[context->nanchors % CUDA_ANCHORS];
	uint64_t ticks = CUDA_FIRST_TICKS;

	if (context->nanchors) {
		const struct cuda_anchor *last =
			&context->anchors[(context->nanchors - 1) % CUDA_ANCHORS];
		float passed;

		if (tl_cuda_real.cuEventElapsedTime(&passed, last->event, place->event) !=
		    CUDA_SUCCESS)
			return;
		ticks = last->ticks + (uint64_t)ns_of(passed);
	}
	place->ticks = ticks;
	place->host = before + (after - before) / 2;
	context->nanchors++;
	tl_clock_fit_pair(&context->clock, ticks, before, after);
}

/* One reading. Returns how long it took; UINT64_MAX: it failed, or the event has not happened. */
static uint64_t clock_read_once(struct cuda_context *context, uint64_t patience, uint64_t *before)
{
	void *event = reading_event(context);
	int result;

	*before = tl_device_now();
	if (!event || tl_cuda_real.cuEventRecord(event, context->own_stream) != CUDA_SUCCESS) {
		context->broken = true;
		return UINT64_MAX;
	}
	uint64_t now;
	do {
		result = tl_cuda_real.cuEventQuery(event);
		now = tl_device_now();
	} while (result == CUDA_ERROR_NOT_READY && now - *before < patience);
	if (result == CUDA_SUCCESS)
		return now - *before;
	context->broken = result != CUDA_ERROR_NOT_READY;
	context->pending = event;
	context->asked = *before;
	return UINT64_MAX;
}

/*
 * An earlier reading's event happened some time after that reading. As a rule its time is too
 * uncertain, and there is another reading. False: it has still not happened.
 */
static bool clock_settle_late(struct cuda_context *context)
{
	if (!context->pending)
		return true;
	int result = tl_cuda_real.cuEventQuery(context->pending);
	if (result == CUDA_ERROR_NOT_READY)
		return false;
	context->broken = result != CUDA_SUCCESS;
	context->pending = NULL;
	if (!context->broken && !context->nanchors && ++context->late > LATE)
		reading_keep(context, context->asked, tl_device_now());
	return !context->broken;
}

/* False: there is to be another reading soon. */
static bool clock_read_now(struct cuda_context *context, uint64_t patience)
{
	uint64_t enough = 2 * context->clock.usual > CLOSE ? 2 * context->clock.usual : CLOSE;
	uint64_t width, before;
	unsigned tries = 0;

	if (!clock_settle_late(context))
		return context->broken;
	do
		width = clock_read_once(context, patience, &before);
	while (width != UINT64_MAX && width > enough && ++tries < TRIES);
	if (width != UINT64_MAX)
		reading_keep(context, before, before + width);
	return width != UINT64_MAX || context->broken;
}

void tl_cuda_clock_read(struct cuda_context *context, bool anyway)
{
	bool last = anyway && !context->nanchors;
	bool done = context->broken ||
		    !(anyway || tl_clock_fit_due(&context->clock, tl_device_now())) ||
		    clock_read_now(context, last ? LAST_PATIENCE : PATIENCE);

	if (done)
		atomic_store_explicit(&context->wants_pair, false, memory_order_relaxed);
}
