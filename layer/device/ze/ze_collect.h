/* SPDX-License-Identifier: MIT */
/*
 * ze_collect.h: showing commands whose times are known, or can't be had any more. With tl_ze_lock
 * held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_COLLECT_H
#define TL_LAYER_DEVICE_ZE_ZE_COLLECT_H

#include <stdint.h>

#include "layer/device/work.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_recordings.h"

/* Show what is ready of a queue's commands. */
void tl_ze_collect(struct ze_queue *queue);

/* Show what is ready of a recording's commands, wherever they are executed. */
void tl_ze_recording_collect(const struct ze_recording *recording);

/* The executions up to this number are over; `waited`: by this call. Show them. */
void tl_ze_drain(struct ze_queue *queue, uint64_t number, const struct tl_device_call *waited);

/* The command that was to signal it has: show it. `waited` may be NULL. */
void tl_ze_signalled(struct ze_event *event, const struct tl_device_call *waited);

/* What its commands leave can't be told from what others leave in the same places, from now on. */
void tl_ze_recording_spoil(struct ze_recording *recording);

/* This command is changed by the program: it is going to signal this event, or none (NULL). */
void tl_ze_recording_signal(struct ze_recording *recording, struct ze_command *command,
			    struct ze_event *event);

/* Its context is going to be destroyed: what of it has not ended never will. */
void tl_ze_recording_orphan(struct ze_recording *recording);

/*
 * Timestamps behind commands whose events the program may have seen: wait until they are written, a
 * moment at most. One of both is NULL. With the lock held.
 */
void tl_ze_wait_for_stamps(struct ze_queue *queue, const struct ze_recording *recording);

/* The queue is gone, or the process ends: show what is left as unfinished. */
void tl_ze_give_up(struct ze_queue *queue);

#endif
