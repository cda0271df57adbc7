/* SPDX-License-Identifier: MIT */
/*
 * cuda_clock.h: a context's clock.
 *
 * CUDA tells only how long one event came after another, in milliseconds, as a float. So the
 * clock's ticks are nanoseconds since the layer's first event in the context, plus CUDA_FIRST_TICKS.
 * Now and then an event is recorded on a stream of the layer's, where nothing is before it. It
 * happens between that call and the moment when it is seen to have happened: that relates the clock
 * to the host's. A float has 24 bits, so the time since a recent one of these events, the anchor, is
 * exact enough.
 *
 * Under tl_cuda_looking, with the context current and the capture mode relaxed, unless a function
 * says otherwise.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_CLOCK_H
#define TL_LAYER_DEVICE_CUDA_CUDA_CLOCK_H

#include "layer/device/cuda/cuda_contexts.h"

/* A new context. Under tl_cuda_lock only. */
void tl_cuda_clock_start(struct cuda_context *context);

/* Any thread, without a lock: a reading may be due. True: the background thread has to be woken. */
bool tl_cuda_clock_ask(struct cuda_context *context, uint64_t now);

/* Read both clocks, if it is time to; `anyway`: in any case. It takes 2 ms at most. */
void tl_cuda_clock_read(struct cuda_context *context, bool anyway);

/*
 * The clock has been read, or can't be. Until then events say nothing: their commands are reported
 * later.
 */
static inline bool tl_cuda_clock_is_read(const struct cuda_context *context)
{
	return context->nanchors || context->broken;
}

/* When the event happened, in ticks. `about`: the host's time, roughly. False: not known. */
bool tl_cuda_clock_ticks(const struct cuda_context *context, void *event, uint64_t about,
			 uint64_t *ticks);

#endif
