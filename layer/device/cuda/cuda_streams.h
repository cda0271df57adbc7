/* SPDX-License-Identifier: MIT */
/*
 * cuda_streams.h: the program's streams, and their lanes.
 *
 * A created stream is known by its handle. Each context has one default stream, and one more for
 * each thread that uses the default stream per thread. The struct of a destroyed stream stays until
 * its commands are reported, and serves a later stream after that.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_STREAMS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_STREAMS_H

#include "layer/device/cuda/cuda_contexts.h"

struct cuda_stream {
	struct tl_handle handle;  /* of a created stream */
	struct cuda_stream *next; /* of the context, or of spare ones */
	struct cuda_context *context;
	void *record; /* what the layer's calls name it by: the handle, or that of a default stream */
	uint32_t thread; /* of a default stream per thread: the kernel's number */
	uint32_t slot;	 /* of the device's lanes */
	uint32_t life;	 /* the struct has served so many streams */
	bool destroyed;
	struct tl_device_queue *lanes;
	/* nanoseconds: the end of the last command with times; under tl_cuda_looking */
	uint64_t ended;
	/* under tl_cuda_lock */
	uint64_t number;  /* of the last command; the first has 1 */
	uint64_t waited;  /* of the last command that a call has waited for */
	uint64_t looked;  /* .number when the end looked last */
	uint64_t awaited; /* an earlier end has asked about commands up to this one */
	uint32_t count;	  /* of commands in the list */
	struct cuda_command *first, **last;
};

/*
 * The stream with this handle, or the default one (CUDA_LEGACY_STREAM, CUDA_PER_THREAD_STREAM) of
 * the current context and of a thread. It is made where there is none. NULL: it can't be. Holding no
 * lock.
 */
struct cuda_stream *tl_cuda_stream(void *handle, uint32_t thread);

/* Under tl_cuda_lock. NULL: the layer does not know a created stream with this handle. */
struct cuda_stream *tl_cuda_stream_find(const void *handle);

/* Under tl_cuda_lock: the program has destroyed it; no later stream is taken for it. */
void tl_cuda_stream_destroyed(struct cuda_stream *stream);

/* Under both locks: nothing is left of it. */
void tl_cuda_stream_drop(struct cuda_stream *stream);

void tl_cuda_streams_forget(void);

#endif
