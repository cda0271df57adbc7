/* SPDX-License-Identifier: MIT */
/*
 * cuda_streams.c: see cuda_streams.h.
 *
 * Programs create and destroy streams by thousands. So a stream gets the lowest number that no other
 * stream of the device has, and with it the lanes of earlier streams with this number.
 */
#include "layer/device/cuda/cuda_streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_handles table;
static struct cuda_stream *spare;

/* --- lanes */

static bool device_has_slot(struct cuda_device *device, uint32_t slot)
{
	uint32_t room = device->nlanes;

	if (slot < room)
		return true;
	room = room ? 2 * room : 8;
	struct tl_device_queue **lanes = realloc(device->lanes, room * sizeof(*lanes));
	if (!lanes)
		return false;
	device->lanes = lanes;
	bool *used = realloc(device->used, room * sizeof(*used));
	if (!used)
		return false;
	device->used = used;
	memset(lanes + device->nlanes, 0, (room - device->nlanes) * sizeof(*lanes));
	memset(used + device->nlanes, 0, (room - device->nlanes) * sizeof(*used));
	device->nlanes = room;
	return true;
}

static void stream_take_lanes(struct cuda_stream *stream)
{
	struct cuda_device *device = stream->context->device;
	uint32_t slot = stream->record == CUDA_LEGACY_STREAM ? 0 : 1;
	char name[32] = "default stream";

	while (slot < device->nlanes && device->used[slot])
		slot++;
	stream->slot = UINT32_MAX;
	stream->lanes = NULL;
	if (!device_has_slot(device, slot))
		return;
	if (slot)
		snprintf(name, sizeof(name), "stream %u", slot);
	if (!device->lanes[slot])
		device->lanes[slot] = tl_device_queue_new(device->device, name);
	stream->lanes = device->lanes[slot];
	stream->slot = slot;
	device->used[slot] = true;
}

/* --- streams */

struct cuda_stream *tl_cuda_stream_find(const void *handle)
{
	return (struct cuda_stream *)tl_handles_find(&table, handle);
}

static bool stream_is_default(const void *handle)
{
	return handle == CUDA_LEGACY_STREAM || handle == CUDA_PER_THREAD_STREAM;
}

static struct cuda_stream *stream_new(struct cuda_context *context, void *handle, uint32_t thread)
{
	struct cuda_stream *stream = spare;

	if (stream)
		spare = stream->next;
	else
		stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	*stream = (struct cuda_stream){.handle = {.key = handle},
				       .next = context->streams,
				       .context = context,
				       .record = handle,
				       .thread = thread,
				       .life = stream->life + 1};
	stream->last = &stream->first;
	stream_take_lanes(stream);
	context->streams = stream;
	if (!stream_is_default(handle))
		tl_handles_put(&table, &stream->handle);
	return stream;
}

/* Under the lock. */
static struct cuda_stream *context_default_stream(struct cuda_context *context, const void *handle,
						  uint32_t thread)
{
	struct cuda_stream *stream = context->streams;

	while (stream && (stream->record != handle || stream->thread != thread))
		stream = stream->next;
	return stream;
}

static struct cuda_stream *stream_of_default(void *handle, uint32_t thread)
{
	void *current = NULL;

	if (tl_cuda_real.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
		return NULL;
	struct cuda_context *context = tl_cuda_context(current);
	if (!context)
		return NULL;
	if (handle == CUDA_LEGACY_STREAM)
		thread = 0;
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_stream *stream = context_default_stream(context, handle, thread);
	if (!stream)
		stream = stream_new(context, handle, thread);
	pthread_mutex_unlock(&tl_cuda_lock);
	return stream;
}

struct cuda_stream *tl_cuda_stream(void *handle, uint32_t thread)
{
	if (stream_is_default(handle))
		return stream_of_default(handle, thread);
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_stream *stream = tl_cuda_stream_find(handle);
	pthread_mutex_unlock(&tl_cuda_lock);
	if (stream)
		return stream;
	struct cuda_context *context = tl_cuda_context_of_stream(handle);
	if (!context)
		return NULL;
	pthread_mutex_lock(&tl_cuda_lock);
	stream = tl_cuda_stream_find(handle);
	if (!stream)
		stream = stream_new(context, handle, 0);
	pthread_mutex_unlock(&tl_cuda_lock);
	return stream;
}

void tl_cuda_stream_destroyed(struct cuda_stream *stream)
{
	if (!stream->destroyed && !stream_is_default(stream->record))
		tl_handles_remove(&table, &stream->handle);
	stream->destroyed = true;
	stream->waited = stream->number;
}

void tl_cuda_stream_drop(struct cuda_stream *stream)
{
	struct cuda_stream **link = &stream->context->streams;

	tl_cuda_stream_destroyed(stream);
	while (*link && *link != stream)
		link = &(*link)->next;
	if (*link)
		*link = stream->next;
	if (stream->slot != UINT32_MAX)
		stream->context->device->used[stream->slot] = false;
	stream->next = spare;
	spare = stream;
}

void tl_cuda_streams_forget(void)
{
	memset(&table, 0, sizeof(table));
	spare = NULL;
}
