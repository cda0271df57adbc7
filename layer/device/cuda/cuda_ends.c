/* SPDX-License-Identifier: MIT */
/*
 * cuda_ends.c: see cuda_ends.h.
 *
 * A context takes the layer's events with it. So the layer looks at them for the last time before
 * the call, and asks nothing about the context until the call is over. A device's primary context
 * may survive its release: the driver says whether it has.
 */
#include "layer/device/cuda/cuda_ends.h"

#include "layer/device/cuda/cuda_collect.h"

/* Which contexts a call may destroy: one, or the primary one of a device. */
struct closing {
	void *handle;
	int ordinal;
	bool begun;
};

static bool context_is_meant(const struct cuda_context *context, const struct closing *closing)
{
	return closing->handle ? context->handle.key == closing->handle
			       : !context->created && context->device->ordinal == closing->ordinal;
}

/* Under tl_cuda_looking. */
static struct cuda_context *context_meant(struct cuda_context *context,
					  const struct closing *closing)
{
	while (context && !context_is_meant(context, closing))
		context = context->next;
	return context;
}

static struct cuda_context *contexts_first(void)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_context *first = tl_cuda_contexts();
	pthread_mutex_unlock(&tl_cuda_lock);
	return first;
}

static void closing_begin(struct closing *closing)
{
	if (!tl_cuda_usable())
		return;
	closing->begun = true;
	pthread_mutex_lock(&tl_cuda_looking);
	for (struct cuda_context *context = context_meant(contexts_first(), closing); context;
	     context = context_meant(context->next, closing)) {
		tl_cuda_collect_context(context);
		pthread_mutex_lock(&tl_cuda_lock);
		context->closing = true;
		pthread_mutex_unlock(&tl_cuda_lock);
	}
	pthread_mutex_unlock(&tl_cuda_looking);
}

static void closing_end(const struct closing *closing, bool gone)
{
	struct cuda_context *context, *next;

	if (!closing->begun)
		return;
	pthread_mutex_lock(&tl_cuda_looking);
	pthread_mutex_lock(&tl_cuda_lock);
	for (context = context_meant(tl_cuda_contexts(), closing); context; context = next) {
		next = context_meant(context->next, closing);
		context->closing = false;
		if (!gone)
			continue;
		tl_cuda_give_up(context);
		tl_cuda_context_drop(context);
	}
	pthread_mutex_unlock(&tl_cuda_lock);
	pthread_mutex_unlock(&tl_cuda_looking);
	/* Some commands may be reported later. */
	tl_cuda_collect_soon();
}

/* --- contexts */

/* cuCtxCreate(context, …): the new context is current. */
static void create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call) || !tl_cuda_usable())
		return;
	struct cuda_context *context = tl_cuda_context(*CUDA_PARAM(call, 0, void **));
	if (!context)
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	context->created = true;
	pthread_mutex_unlock(&tl_cuda_lock);
}

static void destroy_before(struct tl_call *call, void *state)
{
	struct closing *closing = state;

	if (!tl_cuda_is_known(call) || !CUDA_PARAM(call, 0, void *))
		return;
	closing->handle = CUDA_PARAM(call, 0, void *);
	closing_begin(closing);
}

static void destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)call;
	closing_end(state, !tl_cuda_call_failed(result, unwound));
}

static void primary_before(struct tl_call *call, void *state)
{
	struct closing *closing = state;

	if (!tl_cuda_is_known(call))
		return;
	closing->ordinal = CUDA_PARAM(call, 0, int);
	closing_begin(closing);
}

static void primary_release_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const struct closing *closing = state;
	unsigned flags;
	int active = 0;

	(void)call;
	if (closing->begun && tl_cuda_usable() && tl_cuda_real.cuDevicePrimaryCtxGetState &&
	    tl_cuda_real.cuDevicePrimaryCtxGetState(closing->ordinal, &flags, &active) !=
		    CUDA_SUCCESS)
		active = 0;
	closing_end(closing, !tl_cuda_call_failed(result, unwound) && !active);
}

/* --- streams */

/* The handle is taken before the call: another thread may get it for a new stream at once. */
static void stream_destroy_before(struct tl_call *call, void *state)
{
	struct cuda_stream **stream = state;

	if (!tl_cuda_is_known(call))
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	*stream = tl_cuda_stream_find(CUDA_PARAM(call, 0, void *));
	if (*stream)
		tl_cuda_stream_destroyed(*stream);
	pthread_mutex_unlock(&tl_cuda_lock);
}

static void stream_destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct cuda_stream **stream = state;

	(void)call;
	(void)result;
	(void)unwound;
	/* What is left of its commands, and then the stream. */
	if (*stream)
		tl_cuda_collect_soon();
}

const struct tl_hook tl_cuda_end_hooks[] = {
	{"cuCtxCreate", NULL, create_after, TL_HOOK_PLAIN},
	{"cuCtxCreate_v2", NULL, create_after, TL_HOOK_PLAIN},
	{"cuCtxCreate_v3", NULL, create_after, TL_HOOK_PLAIN},
	{"cuCtxCreate_v4", NULL, create_after, TL_HOOK_PLAIN},
	{"cuCtxDestroy", destroy_before, destroy_after, TL_HOOK_PLAIN},
	{"cuCtxDestroy_v2", destroy_before, destroy_after, TL_HOOK_PLAIN},
	{"cuDevicePrimaryCtxRelease", primary_before, primary_release_after, TL_HOOK_PLAIN},
	{"cuDevicePrimaryCtxRelease_v2", primary_before, primary_release_after, TL_HOOK_PLAIN},
	{"cuDevicePrimaryCtxReset", primary_before, destroy_after, TL_HOOK_PLAIN},
	{"cuDevicePrimaryCtxReset_v2", primary_before, destroy_after, TL_HOOK_PLAIN},
	{"cuStreamDestroy", stream_destroy_before, stream_destroy_after, TL_HOOK_PLAIN},
	{"cuStreamDestroy_v2", stream_destroy_before, stream_destroy_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
