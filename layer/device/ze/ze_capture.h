/* SPDX-License-Identifier: MIT */
/*
 * ze_capture.h: captures: lists of the layer's that are executed before a recording's next
 * execution, and copy what the last one left in its events and slots. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_CAPTURE_H
#define TL_LAYER_DEVICE_ZE_ZE_CAPTURE_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_own.h"
#include "layer/device/ze/ze_recordings.h"

struct ze_capture {
	struct ze_capture *next;
	ze_command_list_handle_t list;
	struct ze_slot *slots; /* of each command; then copies of the recording's runs */
	size_t size;	       /* of these, in bytes */
	bool executed;
	struct ze_own_event *done;
};

/* NULL: the driver refused one, or memory is short. */
struct ze_capture *tl_ze_capture_take(struct ze_recording *recording);
void tl_ze_capture_give(struct ze_recording *recording, struct ze_capture *capture);
/*
 * The capture is no longer needed, but the device may still use it: it is destroyed later, or with
 * the context.
 */
void tl_ze_capture_discard(struct ze_context *context, struct ze_capture *capture);
void tl_ze_capture_free(struct ze_context *context, struct ze_capture *capture);
bool tl_ze_capture_is_done(const struct ze_capture *capture);
const struct ze_slot *tl_ze_capture_slot(const struct ze_execution *execution, uint32_t index);

#endif
