/* SPDX-License-Identifier: MIT */
/*
 * cuda_waits.c: see cuda_waits.h.
 *
 * A query that finds that the work is over counts as a wait for it.
 */
#include "layer/device/cuda/cuda_waits.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/cuda/cuda_collect.h"
#include "layer/device/cuda/cuda_per_thread.h"

/* An event of the program: where it was recorded last. */
struct event {
	struct tl_handle handle;
	struct cuda_stream *stream;
	uint32_t life;	 /* of the stream, which may be another one by now */
	uint64_t number; /* of the stream's last command before it */
};

static struct tl_handles events;

/* --- streams and contexts */

static void stream_waited(struct tl_call *call, bool per_thread, uint64_t result, bool unwound)
{
	struct tl_device_call here = tl_device_call_of(call);

	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call) || !tl_cuda_usable())
		return;
	void *handle = tl_cuda_meant_stream(call, CUDA_PARAM(call, 0, void *), per_thread);
	struct cuda_stream *stream = tl_cuda_stream(handle, here.thread);
	if (stream)
		tl_cuda_collect_waited(stream, UINT64_MAX, &here);
}

static void stream_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	stream_waited(call, false, result, unwound);
}

static void stream_per_thread_after(struct tl_call *call, void *state, uint64_t result,
				    bool unwound)
{
	(void)state;
	stream_waited(call, true, result, unwound);
}

static void context_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here = tl_device_call_of(call);
	void *current = NULL;

	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_usable() ||
	    tl_cuda_real.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
		return;
	struct cuda_context *context = tl_cuda_context(current);
	if (context)
		tl_cuda_collect_waited_all(context, &here);
}

/* --- events */

static void event_forget(const void *handle)
{
	free(tl_handles_take(&events, handle));
}

/* Under tl_cuda_lock. */
static void event_keep(void *handle, struct cuda_stream *stream)
{
	struct event *event = (struct event *)tl_handles_find(&events, handle);

	if (!event) {
		if (!(event = calloc(1, sizeof(*event))))
			return;
		event->handle.key = handle;
		tl_handles_put(&events, &event->handle);
	}
	event->stream = stream;
	event->life = stream->life;
	event->number = stream->number;
}

static void event_recorded(struct tl_call *call, bool per_thread, uint64_t result, bool unwound)
{
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call) || !tl_cuda_usable())
		return;
	uint32_t thread = tl_device_call_of(call).thread;
	void *event = CUDA_PARAM(call, 0, void *);
	void *handle = tl_cuda_meant_stream(call, CUDA_PARAM(call, 1, void *), per_thread);
	struct cuda_stream *stream =
		tl_cuda_captures(handle) ? NULL : tl_cuda_stream(handle, thread);
	pthread_mutex_lock(&tl_cuda_lock);
	if (stream)
		event_keep(event, stream);
	else
		event_forget(event);
	pthread_mutex_unlock(&tl_cuda_lock);
}

static void event_record_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	event_recorded(call, false, result, unwound);
}

static void event_record_per_thread_after(struct tl_call *call, void *state, uint64_t result,
					  bool unwound)
{
	(void)state;
	event_recorded(call, true, result, unwound);
}

static void event_waited_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here = tl_device_call_of(call);
	struct cuda_stream *stream = NULL;
	uint64_t number = 0;

	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call))
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	const struct event *event =
		(const struct event *)tl_handles_find(&events, CUDA_PARAM(call, 0, void *));
	if (event && event->life == event->stream->life) {
		stream = event->stream;
		number = event->number;
	}
	pthread_mutex_unlock(&tl_cuda_lock);
	if (stream)
		tl_cuda_collect_waited(stream, number, &here);
}

static void event_destroy_before(struct tl_call *call, void *state)
{
	(void)state;
	if (!tl_cuda_is_known(call))
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	event_forget(CUDA_PARAM(call, 0, void *));
	pthread_mutex_unlock(&tl_cuda_lock);
}

void tl_cuda_waits_forget(void)
{
	memset(&events, 0, sizeof(events));
}

const struct tl_hook tl_cuda_wait_hooks[] = {
	{"cuStreamSynchronize", NULL, stream_after, TL_HOOK_TIMED},
	{"cuStreamSynchronize_ptsz", NULL, stream_per_thread_after, TL_HOOK_TIMED},
	{"cuStreamQuery", NULL, stream_after, TL_HOOK_TIMED},
	{"cuStreamQuery_ptsz", NULL, stream_per_thread_after, TL_HOOK_TIMED},
	{"cuCtxSynchronize", NULL, context_after, TL_HOOK_TIMED},
	{"cuEventRecord", NULL, event_record_after, TL_HOOK_PLAIN},
	{"cuEventRecord_ptsz", NULL, event_record_per_thread_after, TL_HOOK_PLAIN},
	{"cuEventRecordWithFlags", NULL, event_record_after, TL_HOOK_PLAIN},
	{"cuEventRecordWithFlags_ptsz", NULL, event_record_per_thread_after, TL_HOOK_PLAIN},
	{"cuEventSynchronize", NULL, event_waited_after, TL_HOOK_TIMED},
	{"cuEventQuery", NULL, event_waited_after, TL_HOOK_TIMED},
	{"cuEventDestroy", event_destroy_before, NULL, TL_HOOK_PLAIN},
	{"cuEventDestroy_v2", event_destroy_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
