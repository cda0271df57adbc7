/* SPDX-License-Identifier: MIT */
/*
 * opencl_events.c: what the program learns about its events. It sees only its own references, and
 * no times unless it asked for profiling.
 *
 * How a driver refuses to give times differs between drivers. So the layer asks it about an event
 * that never has times, a user event in the program's context, and passes on that answer.
 */
#include "layer/device/opencl/opencl_events.h"

#include "layer/device/opencl/opencl_collect.h"
#include "layer/device/opencl/opencl_commands.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/opencl/opencl_queues.h"
#include "layer/device/opencl/opencl_waits.h"

struct asking {
	struct tl_cl_queue
		*claimed; /* its command is under way; the layer holds a reference, too */
	cl_event other;	  /* the event that the driver is asked about */
};

_Static_assert(sizeof(struct asking) <= TL_HOOK_STATE, "it fits");

static bool event_ask(cl_event event, cl_event_info name, void *value, size_t size)
{
	return tl_cl.clGetEventInfo(event, name, size, value, NULL) == CL_SUCCESS;
}

/* First release the events that only the layer has. */
TL_CL_BEFORE(tl_cl_event_info_before)
{
	struct asking *asking = state;

	if (TL_CL_PARAM(cl_event_info, call, 1) != CL_EVENT_REFERENCE_COUNT || !tl_cl_ready())
		return;
	tl_cl_all_queues(tl_cl_yield);
	asking->claimed = tl_cl_queue_claim_with(TL_CL_PARAM(cl_event, call, 0));
}

/* A call that learns by asking that a command has ended has waited for it. */
TL_CL_AFTER(tl_cl_event_info_after)
{
	struct asking *asking = state;
	const void *value = TL_CL_PARAM(void *, call, 3);

	if (asking->claimed) {
		if (value && tl_cl_succeeded(result, unwound))
			--*(cl_uint *)TL_CL_PARAM(void *, call, 3);
		tl_cl_queue_unclaim(asking->claimed);
		return;
	}
	if (TL_CL_PARAM(cl_event_info, call, 1) == CL_EVENT_COMMAND_EXECUTION_STATUS && value &&
	    tl_cl_succeeded(result, unwound) && *(const cl_int *)value <= CL_COMPLETE &&
	    tl_cl_ready())
		tl_cl_waited_events(call, &TL_CL_PARAM(cl_event, call, 0), 1);
}

static bool event_is_timed_unasked(cl_event event)
{
	cl_command_queue handle = NULL;
	struct tl_cl_queue *queue;

	if (!event || !event_ask(event, CL_EVENT_COMMAND_QUEUE, &handle, sizeof(handle)) || !handle)
		return false;
	queue = tl_cl_queue_find(handle);
	/* A driver of OpenCL 1.0 has no user event that could answer in its place. */
	return queue && atomic_load_explicit(&queue->given, memory_order_relaxed) &&
	       queue->device->version >= 11;
}

TL_CL_BEFORE(tl_cl_event_times_before)
{
	cl_event event = TL_CL_PARAM(cl_event, call, 0);
	struct asking *asking = state;
	cl_context context = NULL;

	if (!tl_cl_queues_are_given() || !tl_cl_ready() || !event_is_timed_unasked(event) ||
	    !event_ask(event, CL_EVENT_CONTEXT, &context, sizeof(context)))
		return;
	asking->other = tl_cl.clCreateUserEvent(context, NULL);
	if (asking->other)
		TL_CL_PARAM(cl_event, call, 0) = asking->other;
}

TL_CL_AFTER(tl_cl_event_times_after)
{
	struct asking *asking = state;

	(void)call;
	(void)result;
	(void)unwound;
	if (asking->other && tl_cl_ready())
		tl_cl.clReleaseEvent(asking->other);
}
