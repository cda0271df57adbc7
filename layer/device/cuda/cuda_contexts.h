/* SPDX-License-Identifier: MIT */
/*
 * cuda_contexts.h: the program's contexts, their devices, and the layer's own events in them.
 *
 * A context's struct stays in memory when the program destroys the context, and serves a later one:
 * a hook of another thread may still have a pointer to it.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_CONTEXTS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_CONTEXTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/clock_fit.h"
#include "layer/device/cuda/cuda_driver_functions.h"
#include "layer/device/handles.h"
#include "layer/device/work.h"

#define CUDA_ANCHORS 16u

struct cuda_stream;
struct cuda_command;

/* One for each device of the process; kept for ever. */
struct cuda_device {
	struct cuda_device *next;
	int ordinal;
	char *name;
	struct tl_device *device;
	/* the lanes of the default stream, and of stream 1, 2, …; which of these are in use */
	struct tl_device_queue **lanes;
	bool *used;
	uint32_t nlanes;
};

/* An event of the layer's stream, and when it happened by both clocks. */
struct cuda_anchor {
	void *event;
	uint64_t ticks, host;
};

struct cuda_context {
	struct tl_handle handle;
	struct cuda_context *next; /* of all, or of spare ones */
	struct cuda_device *device;
	/* what follows is under tl_cuda_lock */
	bool created; /* by cuCtxCreate; otherwise it may be the device's primary context */
	bool closing; /* a call is about to destroy it: the layer asks nothing about it */
	struct cuda_stream *streams;
	struct cuda_command *spare; /* with events */
	/* what follows is under tl_cuda_looking: see cuda_clock.h */
	struct tl_clock_fit clock;
	void *own_stream;
	struct cuda_anchor anchors[CUDA_ANCHORS];
	uint32_t
		nanchors; /* so many were stored; the last at index (nanchors - 1) % CUDA_ANCHORS */
	void *pending;	  /* an event that has not happened yet */
	uint64_t asked;	  /* when it was recorded */
	uint32_t late;	  /* readings that took too long */
	bool broken;	  /* its clock can't be read */
	_Atomic bool wants_pair;
	_Atomic uint64_t looked; /* when .wants_pair was set last */
};

/*
 * The context's entry, which is made where there is none. It must be the calling thread's current
 * one. NULL: memory is short, or the driver can't be asked about it. Holding no lock.
 */
struct cuda_context *tl_cuda_context(void *handle);

/* The same for the stream's context. The stream is no default stream. */
struct cuda_context *tl_cuda_context_of_stream(void *stream);

/* The first of all; under tl_cuda_lock or tl_cuda_looking. */
struct cuda_context *tl_cuda_contexts(void);

/* Under both locks: the driver has destroyed it. */
void tl_cuda_context_drop(struct cuda_context *context);

/*
 * Make the context current for calls of the layer. False: the driver refuses. Otherwise
 * tl_cuda_context_leave follows.
 */
bool tl_cuda_context_enter(const struct cuda_context *context);
void tl_cuda_context_leave(void);

void tl_cuda_contexts_forget(void);

#endif
