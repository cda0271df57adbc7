/* SPDX-License-Identifier: MIT */
/*
 * ze_collect.h: showing commands whose times are known, or can never be known. With tl_ze_lock
 * held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_COLLECT_H
#define TL_LAYER_DEVICE_ZE_ZE_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/device/work.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_recordings.h"

/* Show those of a queue's commands that are ready. */
void tl_ze_collect(struct ze_queue *queue);

/* Show those of a recording's commands that are ready, wherever they are executed. */
void tl_ze_recording_collect(const struct ze_recording *recording);

/* The executions up to this number are over; `waited`: this call waited for them. Show them. */
void tl_ze_drain(struct ze_queue *queue, uint64_t number, const struct tl_device_call *waited);

/* The event is signalled: show the command that was to signal it. `waited` may be NULL. */
void tl_ze_signalled(struct ze_event *event, const struct tl_device_call *waited);

/*
 * From now on the results of this recording's commands can't be told from those that others leave
 * in the same places.
 */
void tl_ze_recording_spoil(struct ze_recording *recording);

/* The program changes this command: it is going to signal this event, or none (NULL). */
void tl_ze_recording_signal(struct ze_recording *recording, struct ze_command *command,
			    struct ze_event *event);

/* The recording's context is going to be destroyed: what has not ended never will. */
void tl_ze_recording_orphan(struct ze_recording *recording);

/*
 * The program may have seen the events of commands whose last timestamp is still to come: wait
 * until those timestamps are written, 2 ms at most. Either the queue or the recording is NULL.
 */
void tl_ze_wait_for_stamps(struct ze_queue *queue, const struct ze_recording *recording);

/*
 * The early end, without the lock held: read what has ended, and what is about to. It is shown later,
 * by then without the driver.
 */
void tl_ze_collect_await(uint64_t deadline);

/* The end: the queue, or some queue, has commands that no early end has asked about. */
bool tl_ze_queue_is_asked(const struct ze_queue *queue);
bool tl_ze_queues_are_asked(void);

/* The queue is gone, or the process ends: show what is left as unfinished. */
void tl_ze_give_up(struct ze_queue *queue);

#endif
