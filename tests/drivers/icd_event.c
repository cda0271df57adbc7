/* SPDX-License-Identifier: MIT */
/*
 * icd_event.c: events of the OpenCL test driver. All threads see an event's status before its
 * callbacks run.
 */
#include "tests/drivers/icd_driver.h"

cl_event icd_new_event(cl_context context, cl_command_queue queue, cl_command_type type)
{
	cl_event event = icd_new(EVENT, sizeof(*event));

	if (!event)
		return NULL;
	event->context = context;
	event->queue = queue;
	event->type = type;
	event->status = queue ? CL_QUEUED : CL_SUBMITTED;
	event->at[QUEUED] = icd_now();
	event->profiled = queue && queue->properties & CL_QUEUE_PROFILING_ENABLE;
	strcpy(event->kernel, "-");
	icd_hold(context);
	return event;
}

void icd_destroy_event(void *event_)
{
	cl_event event = event_;

	while (event->callbacks) {
		struct callback *first = event->callbacks;

		event->callbacks = first->next;
		free(first);
	}
	icd_drop(event->context);
}

/* The first callback whose time has come, taken out of the event. */
static struct callback *due_callback(cl_event event)
{
	for (struct callback **at = &event->callbacks; *at; at = &(*at)->next)
		if (event->status <= (*at)->at) {
			struct callback *due = *at;

			*at = due->next;
			return due;
		}
	return NULL;
}

void icd_advance(cl_event event, cl_int status)
{
	struct callback *due;

	event->object.holds++;
	event->status = status;
	pthread_cond_broadcast(&icd_changed);
	while ((due = due_callback(event)) != NULL) {
		pthread_mutex_unlock(&icd_lock);
		due->function(event, status < 0 ? status : due->at, due->with);
		free(due);
		pthread_mutex_lock(&icd_lock);
	}
	pthread_mutex_unlock(&icd_lock);
	icd_drop(event);
	pthread_mutex_lock(&icd_lock);
}

cl_int icd_await(cl_event event)
{
	icd_hold(event);
	pthread_mutex_lock(&icd_lock);
	while (event->status > CL_COMPLETE)
		pthread_cond_wait(&icd_changed, &icd_lock);
	cl_int status = event->status;

	pthread_mutex_unlock(&icd_lock);
	icd_drop(event);
	return status;
}

cl_int icd_clWaitForEvents(cl_uint count, const cl_event *events)
{
	cl_int result = CL_SUCCESS;

	COUNT(clWaitForEvents);
	if (!count || !events)
		return CL_INVALID_VALUE;
	if (!icd_all_live(count, events, EVENT, "clWaitForEvents"))
		return CL_INVALID_EVENT;
	for (cl_uint i = 0; i < count; i++)
		if (icd_await(events[i]) < 0)
			result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return result;
}
EXPORTED(clWaitForEvents);

static const struct property event_properties[] = {
	A_FIELD(CL_EVENT_COMMAND_QUEUE, struct _cl_event, queue),
	A_FIELD(CL_EVENT_CONTEXT, struct _cl_event, context),
	A_FIELD(CL_EVENT_COMMAND_TYPE, struct _cl_event, type),
	A_FIELD(CL_EVENT_COMMAND_EXECUTION_STATUS, struct _cl_event, status),
	A_FIELD(CL_EVENT_REFERENCE_COUNT, struct _cl_event, object.references),
};

cl_int icd_clGetEventInfo(cl_event event, cl_event_info which, size_t room, void *to,
			  size_t *needed)
{
	COUNT(clGetEventInfo);
	if (!icd_live(event, EVENT, "clGetEventInfo"))
		return CL_INVALID_EVENT;
	return GIVE_PROPERTY(event_properties, event, which, room, to, needed);
}
EXPORTED(clGetEventInfo);

static const struct property times[] = {
	A_FIELD(CL_PROFILING_COMMAND_QUEUED, struct _cl_event, at[QUEUED].ticks),
	A_FIELD(CL_PROFILING_COMMAND_SUBMIT, struct _cl_event, at[SUBMITTED].ticks),
	A_FIELD(CL_PROFILING_COMMAND_START, struct _cl_event, at[STARTED].ticks),
	A_FIELD(CL_PROFILING_COMMAND_END, struct _cl_event, at[ENDED].ticks),
	A_FIELD(CL_PROFILING_COMMAND_COMPLETE, struct _cl_event, at[ENDED].ticks),
};

static const struct constant_times {
	cl_ulong queued, submit, start, end;
} constant_times = {0, 1, 2, 3};

static const struct property constant_properties[] = {
	A_FIELD(CL_PROFILING_COMMAND_QUEUED, struct constant_times, queued),
	A_FIELD(CL_PROFILING_COMMAND_SUBMIT, struct constant_times, submit),
	A_FIELD(CL_PROFILING_COMMAND_START, struct constant_times, start),
	A_FIELD(CL_PROFILING_COMMAND_END, struct constant_times, end),
};

cl_int icd_clGetEventProfilingInfo(cl_event event, cl_profiling_info which, size_t room, void *to,
				   size_t *needed)
{
	COUNT(clGetEventProfilingInfo);
	if (!icd_live(event, EVENT, "clGetEventProfilingInfo"))
		return CL_INVALID_EVENT;
	pthread_mutex_lock(&icd_lock);
	bool ready = event->profiled && event->status == CL_COMPLETE;
	bool early = event->profiled && event->status > CL_COMPLETE;

	pthread_mutex_unlock(&icd_lock);
	if (early)
		icd_misuse("clGetEventProfilingInfo", "asked before the command's end");
	if (!ready || icd_setting_is("PROFILING", "unavailable"))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (icd_setting_is("PROFILING", "constant"))
		return GIVE_PROPERTY(constant_properties, &constant_times, which, room, to, needed);
	return GIVE_PROPERTY(times, event, which, room, to, needed);
}
EXPORTED(clGetEventProfilingInfo);

REFERENCES(Event, cl_event, EVENT);

cl_int icd_clSetEventCallback(cl_event event, cl_int at,
			      void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *with)
{
	struct callback *callback, **last;

	COUNT(clSetEventCallback);
	if (!icd_live(event, EVENT, "clSetEventCallback"))
		return CL_INVALID_EVENT;
	if (!function || at < CL_COMPLETE || at > CL_SUBMITTED)
		return CL_INVALID_VALUE;
	callback = malloc(sizeof(*callback));
	if (!callback)
		return CL_OUT_OF_HOST_MEMORY;
	*callback = (struct callback){NULL, at, function, with};
	pthread_mutex_lock(&icd_lock);
	for (last = &event->callbacks; *last; last = &(*last)->next)
		;
	*last = callback;
	/* A callback that is set after its status was reached is called at once. */
	if (event->status <= at)
		icd_advance(event, event->status);
	pthread_mutex_unlock(&icd_lock);
	return CL_SUCCESS;
}
EXPORTED(clSetEventCallback);

cl_event icd_clCreateUserEvent(cl_context context, cl_int *error)
{
	cl_event event = NULL;

	COUNT(clCreateUserEvent);
	if (icd_live(context, CONTEXT, "clCreateUserEvent"))
		event = icd_new_event(context, NULL, CL_COMMAND_USER);
	icd_set(error, event ? CL_SUCCESS : CL_INVALID_CONTEXT);
	return event;
}
EXPORTED(clCreateUserEvent);

cl_int icd_clSetUserEventStatus(cl_event event, cl_int status)
{
	COUNT(clSetUserEventStatus);
	if (!icd_live(event, EVENT, "clSetUserEventStatus"))
		return CL_INVALID_EVENT;
	if (event->queue || status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	pthread_mutex_lock(&icd_lock);
	bool set = event->status <= CL_COMPLETE;

	if (!set)
		icd_advance(event, status);
	pthread_mutex_unlock(&icd_lock);
	return set ? CL_INVALID_OPERATION : CL_SUCCESS;
}
EXPORTED(clSetUserEventStatus);
