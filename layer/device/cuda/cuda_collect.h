/* SPDX-License-Identifier: MIT */
/*
 * cuda_collect.h: asking the driver which commands have ended, and reporting them. Nothing here
 * waits for a command, except at the end.
 *
 * A stream's commands end in their order. They are reported after a call has waited for them, so
 * that the trace has an arrow from the command to that call; or when there are many; or when their
 * stream, their context or the process ends.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_COLLECT_H
#define TL_LAYER_DEVICE_CUDA_CUDA_COLLECT_H

#include "layer/device/cuda/cuda_streams.h"
#include "layer/device/device_api.h"

/* A command was put on the stream. Holding no lock. */
void tl_cuda_collect_meanwhile(struct cuda_stream *stream);

/*
 * A call has waited for the stream's commands up to this number that were submitted before the call.
 * Holding no lock.
 */
void tl_cuda_collect_waited(struct cuda_stream *stream, uint64_t number,
			    const struct tl_device_call *call);
/* The same for all streams of the context. */
void tl_cuda_collect_waited_all(struct cuda_context *context, const struct tl_device_call *call);

/* The background thread: see struct tl_device_api. */
enum tl_device_left tl_cuda_collect_some(void);
bool tl_cuda_awaits(void);

/* Under tl_cuda_looking: report all commands of the context that have ended. */
void tl_cuda_collect_context(struct cuda_context *context);

/*
 * Under both locks: the context's commands can't be asked about any more. CUPTI may still have
 * records of those that a call has waited for: these are reported later.
 */
void tl_cuda_give_up(struct cuda_context *context);

/* Something can be collected now. Holding no lock. */
void tl_cuda_collect_soon(void);

/*
 * Under tl_cuda_looking, where the process ends: report what has ended, or is about to. `first`: no
 * earlier end has been; otherwise only contexts that have taken commands since are asked.
 */
void tl_cuda_collect_await(uint64_t deadline, bool first);

/* Give up the rest. It calls no driver. */
void tl_cuda_collect_give_up(void);

/* In a forked child. */
void tl_cuda_collect_forget(void);

#endif
