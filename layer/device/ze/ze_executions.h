/* SPDX-License-Identifier: MIT */
/*
 * ze_executions.h: executions of what lists record, and reading what they leave. With tl_ze_lock
 * held.
 *
 * Each execution of a recording overwrites the same events and slots. The host reads them, in
 * hooks, as soon as they are ready: before the program resets, reuses or destroys an event, and at
 * the latest before the recording is executed again. If the device has not finished by then, a list
 * of the layer's goes before that execution, which copies the last one's results to memory of their
 * own (ze_capture.h). So a list that is waited for between its executions costs the device nothing
 * but its events.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_EXECUTIONS_H
#define TL_LAYER_DEVICE_ZE_ZE_EXECUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/device/work.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_recordings.h"

struct ze_item {
	struct tl_device_command *command; /* NULL: it has been shown, or will not be */
	bool read;
	bool lost; /* its times can't be had */
	bool shown;
	uint64_t start, end; /* as read */
	struct tl_device_call waited;
	/*
	 * a call that waited for its event, and may have seen an earlier command's signal: the
	 * times decide
	 */
	struct tl_device_call near;
	bool told; /* its times were there after that call; else they were written later */
};

struct ze_execution {
	struct ze_execution *next, **link; /* of the queue */
	struct ze_recording *recording;
	struct ze_queue *queue;
	struct ze_capture *capture; /* the copy of its results; NULL: none */
	/*
	 * the executions of the same recording around this one, if there is a capture in between;
	 * NULL: it is over
	 */
	struct ze_execution *before, *behind;
	uint64_t number;
	uint64_t began; /* when it was about to be submitted */
	uint32_t correlation, request;
	bool submitted; /* the call has returned */
	struct tl_device_call call;
	uint32_t left, first_left; /* items that are not shown; the first of them */
	struct ze_item items[];
};

/*
 * An execution of all that is recorded, which is about to be submitted; the last one of its queue.
 * NULL: nothing of it will be shown, or memory is short.
 */
struct ze_execution *tl_ze_execution_new(struct ze_recording *recording, struct ze_queue *queue,
					 uint32_t correlation, uint32_t request);
/* It was not submitted. */
void tl_ze_execution_cancel(struct ze_execution *execution);

/* It is over: all items have been shown, or will not be. */
void tl_ze_execution_free(struct ze_execution *execution);

/* Read an item, if it is ready. */
bool tl_ze_item_read(struct ze_execution *execution, uint32_t index);

/* Once for each item, when it is read or given up. */
void tl_ze_item_not_pending(struct ze_execution *execution, uint32_t index);

/* Read all items that are ready. False: some are not. */
bool tl_ze_execution_read(struct ze_execution *execution);

/* The number of the last execution of all. */
uint64_t tl_ze_last_number(void);

/* The event's signal comes after everything that was submitted to the queue so far. */
void tl_ze_event_behind(struct ze_event *event, struct ze_queue *queue);

/* The event is going to be reset, reused or destroyed: read it. False: it is not ready. */
bool tl_ze_settle(struct ze_event *event);

#endif
