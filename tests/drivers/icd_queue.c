/* SPDX-License-Identifier: MIT */
/*
 * icd_queue.c: queues of the OpenCL test driver, and the threads that run their commands.
 *
 * A queue keeps its commands in the order of their coming until they have ended. An in-order queue
 * has one thread, which runs the first. An out-of-order queue has several, each of which takes any
 * command that need not wait: for the events of its list; for a barrier before it; a barrier or a
 * marker without a list, for all before it. The threads keep the queue alive while it has commands.
 */
#include "tests/drivers/icd_driver.h"

#define WORKERS 3

static unsigned queues, commands;

/* --- commands */

struct command *icd_command(cl_command_queue queue, cl_command_type type, const char *function,
			    cl_uint nwaits, const cl_event *waits, cl_int *error)
{
	struct command *command;

	*error = CL_SUCCESS;
	if (!icd_live(queue, QUEUE, function))
		*error = CL_INVALID_COMMAND_QUEUE;
	else if (!nwaits != !waits || !icd_all_live(nwaits, waits, EVENT, function))
		*error = CL_INVALID_EVENT_WAIT_LIST;
	if (*error)
		return NULL;
	command = calloc(1, sizeof(*command));
	cl_event *kept = calloc(nwaits ? nwaits : 1, sizeof(*kept));
	cl_event event = command && kept ? icd_new_event(queue->context, queue, type) : NULL;

	if (!event) {
		free(command);
		free(kept);
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	icd_hold(event);
	command->event = event;
	command->waits = kept;
	command->nwaits = nwaits;
	for (cl_uint i = 0; i < nwaits; i++)
		icd_hold(kept[i] = waits[i]);
	return command;
}

bool icd_command_mems(struct command *command, cl_uint count)
{
	command->mems = calloc(count ? count : 1, sizeof(*command->mems));
	command->nmems = command->mems ? count : 0;
	return command->mems;
}

/* Release all that it held, except its event. */
static void drop_contents(struct command *command)
{
	for (cl_uint i = 0; i < command->nwaits; i++)
		icd_drop(command->waits[i]);
	for (cl_uint i = 0; i < command->nmems; i++)
		icd_drop(command->mems[i]);
	icd_drop(command->from.mem);
	icd_drop(command->to.mem);
	if (command->kernel)
		BY_NAME(clReleaseKernel(command->kernel));
	free(command->waits);
	free(command->mems);
	free(command->native_with);
	free(command->shared);
}

void icd_free_command(struct command *command)
{
	cl_event event = command->event;

	drop_contents(command);
	free(command);
	icd_drop(event);
}

static void hold_contents(struct command *command)
{
	for (cl_uint i = 0; i < command->nmems; i++)
		icd_hold(command->mems[i]);
	if (command->from.mem)
		icd_hold(command->from.mem);
	if (command->to.mem)
		icd_hold(command->to.mem);
	if (command->kernel)
		icd_retain(command->kernel, KERNEL, "a command");
}

/* The objects that it uses are held from here on, also if it fails. */
cl_int icd_submit(struct command *command, const char *function, bool blocking, cl_event *given)
{
	cl_int status = icd_wished_failure(function);
	cl_event event = command->event;
	cl_command_queue queue = event->queue;

	hold_contents(command);
	if (status) {
		icd_free_command(command);
		icd_release(event, EVENT, function);
		return status;
	}
	if (command->kernel)
		snprintf(event->kernel, sizeof(event->kernel), "%s", command->kernel->name);
	pthread_mutex_lock(&icd_lock);
	event->number = ++commands;
	event->queue_number = queue->number;
	event->at[QUEUED] = icd_now();
	icd_log_enqueued(event);
	*queue->last = command;
	queue->last = &command->next;
	pthread_cond_broadcast(&icd_changed);
	pthread_mutex_unlock(&icd_lock);
	if (blocking)
		status = icd_await(event);
	if (given)
		*given = event;
	else
		icd_release(event, EVENT, function);
	return status;
}

/* --- running them; all with the lock, except for the command's own work */

static bool waits_are_over(const struct command *command)
{
	for (cl_uint i = 0; i < command->nwaits; i++)
		if (command->waits[i]->status > CL_COMPLETE)
			return false;
	return true;
}

static bool a_wait_failed(const struct command *command)
{
	for (cl_uint i = 0; i < command->nwaits; i++)
		if (command->waits[i]->status < 0)
			return true;
	return false;
}

static struct command *unsubmitted(cl_command_queue queue)
{
	for (struct command *it = queue->first; it; it = it->next)
		if (it->event->status == CL_QUEUED)
			return it;
	return NULL;
}

static struct command *ready(cl_command_queue queue)
{
	bool in_order = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);

	for (struct command *it = queue->first; it; it = it->next) {
		bool first = it == queue->first;

		if (it->event->status == CL_SUBMITTED && waits_are_over(it) &&
		    (first || !it->after_all))
			return it;
		if (in_order || it->before_all)
			return NULL;
	}
	return NULL;
}

static void unlink_command(cl_command_queue queue, struct command *command)
{
	struct command **at = &queue->first;

	while (*at != command)
		at = &(*at)->next;
	*at = command->next;
	if (!*at)
		queue->last = at;
	pthread_cond_broadcast(&icd_changed);
}

static void execute(cl_command_queue queue, struct command *command)
{
	cl_event event = command->event;
	cl_int status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	bool failed = a_wait_failed(command);

	event->at[STARTED] = icd_now();
	icd_advance(event, CL_RUNNING);
	pthread_mutex_unlock(&icd_lock);
	if (!failed)
		status = command->run ? command->run(command) : CL_COMPLETE;
	event->at[ENDED] = icd_now();
	icd_log_ended(event, status);
	pthread_mutex_lock(&icd_lock);
	icd_advance(event, status);
	pthread_mutex_unlock(&icd_lock);
	drop_contents(command);
	pthread_mutex_lock(&icd_lock);
	unlink_command(queue, command);
	pthread_mutex_unlock(&icd_lock);
	free(command);
	icd_drop(event);
	pthread_mutex_lock(&icd_lock);
}

static void *serve(void *queue_)
{
	cl_command_queue queue = queue_;
	struct command *command;

	pthread_mutex_lock(&icd_lock);
	while (queue->first || !queue->ends) {
		if ((command = unsubmitted(queue))) {
			command->event->at[SUBMITTED] = icd_now();
			icd_advance(command->event, CL_SUBMITTED);
		} else if ((command = ready(queue))) {
			execute(queue, command);
		} else {
			pthread_cond_wait(&icd_changed, &icd_lock);
		}
	}
	pthread_mutex_unlock(&icd_lock);
	icd_drop(queue);
	return NULL;
}

/* --- queues */

static bool start_workers(cl_command_queue queue)
{
	bool in_order = !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	int started = 0;
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < (in_order ? 1 : WORKERS); i++) {
		icd_hold(queue);
		if (!pthread_create(&thread, &detached, serve, queue))
			started++;
		else
			icd_drop(queue);
	}
	pthread_attr_destroy(&detached);
	return started;
}

static cl_int refusal(cl_command_queue_properties properties)
{
	cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

	if (!icd_setting_is("PROFILING", "refused"))
		known |= CL_QUEUE_PROFILING_ENABLE;
	return properties & ~known ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

/* The list's properties and priority, and the list itself, for those that ask for it. */
static cl_int read_list(cl_command_queue queue, const cl_queue_properties *list)
{
	size_t used = 0;

	for (; list && list[used]; used += 2) {
		if ((list[used] != CL_QUEUE_PROPERTIES && list[used] != CL_QUEUE_PRIORITY_KHR) ||
		    used + 2 >= COUNT_OF(queue->list))
			return CL_INVALID_VALUE;
		if (list[used] == CL_QUEUE_PROPERTIES)
			queue->properties = list[used + 1];
		memcpy(queue->list + used, list + used, 2 * sizeof(*list));
	}
	queue->list_size = list ? (used + 1) * sizeof(*list) : 0;
	return refusal(queue->properties);
}

cl_command_queue icd_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
							const cl_queue_properties *properties,
							cl_int *error)
{
	struct _cl_command_queue asked = {.device = device};
	cl_int result = icd_wished_failure("clCreateCommandQueueWithProperties");
	cl_command_queue queue = NULL;

	COUNT_NEW(clCreateCommandQueueWithProperties, NULL);
	if (!icd_live(context, CONTEXT, "clCreateCommandQueueWithProperties")) {
		result = CL_INVALID_CONTEXT;
	} else if (device != &icd_device) {
		result = CL_INVALID_DEVICE;
		icd_misuse("clCreateCommandQueueWithProperties", "no device");
	} else if (!result) {
		result = read_list(&asked, properties);
	}
	if (!result)
		queue = icd_new(QUEUE, sizeof(*queue));
	if (queue) {
		asked.object = queue->object;
		*queue = asked;
		queue->context = context;
		queue->last = &queue->first;
		icd_hold(context);
		queue->number = __atomic_add_fetch(&queues, 1, __ATOMIC_RELAXED);
		if (!start_workers(queue))
			result = CL_OUT_OF_RESOURCES;
	}
	icd_set(error, result);
	return result ? NULL : queue;
}
EXPORTED(clCreateCommandQueueWithProperties);

cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
					  cl_command_queue_properties properties, cl_int *error)
{
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
	cl_command_queue queue;

	COUNT(clCreateCommandQueue);
	queue = BY_NAME(clCreateCommandQueueWithProperties(context, device, list, error));
	if (queue)
		queue->list_size = 0;
	return queue;
}
EXPORTED(clCreateCommandQueue);

/* OpenCL 1.0 had it, and drivers keep it: for the commands that come after it. */
cl_int icd_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
				     cl_bool enable, cl_command_queue_properties *old)
{
	COUNT(clSetCommandQueueProperty);
	if (!icd_live(queue, QUEUE, "clSetCommandQueueProperty"))
		return CL_INVALID_COMMAND_QUEUE;
	if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE ||
	    refusal(properties))
		return CL_INVALID_QUEUE_PROPERTIES;
	pthread_mutex_lock(&icd_lock);
	if (old)
		*old = queue->properties;
	queue->properties =
		enable ? queue->properties | properties : queue->properties & ~properties;
	pthread_mutex_unlock(&icd_lock);
	return CL_SUCCESS;
}
EXPORTED(clSetCommandQueueProperty);

void icd_destroy_queue(void *queue)
{
	icd_drop(((cl_command_queue)queue)->context);
}

REFERENCES(CommandQueue, cl_command_queue, QUEUE);

static const struct property queue_properties[] = {
	A_FIELD(CL_QUEUE_CONTEXT, struct _cl_command_queue, context),
	A_FIELD(CL_QUEUE_DEVICE, struct _cl_command_queue, device),
	A_FIELD(CL_QUEUE_REFERENCE_COUNT, struct _cl_command_queue, object.references),
	A_FIELD(CL_QUEUE_PROPERTIES, struct _cl_command_queue, properties),
};

cl_int icd_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info which, size_t room,
				 void *to, size_t *needed)
{
	COUNT(clGetCommandQueueInfo);
	if (!icd_live(queue, QUEUE, "clGetCommandQueueInfo"))
		return CL_INVALID_COMMAND_QUEUE;
	if (which == CL_QUEUE_PROPERTIES_ARRAY && !icd_is_old())
		return icd_give(&(struct answer){which, room, to, needed}, queue->list,
				queue->list_size);
	return GIVE_PROPERTY(queue_properties, queue, which, room, to, needed);
}
EXPORTED(clGetCommandQueueInfo);

cl_int icd_clFlush(cl_command_queue queue)
{
	COUNT(clFlush);
	return icd_live(queue, QUEUE, "clFlush") ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}
EXPORTED(clFlush);

cl_int icd_clFinish(cl_command_queue queue)
{
	COUNT(clFinish);
	if (BY_NAME(clFlush(queue)))
		return CL_INVALID_COMMAND_QUEUE;
	icd_hold(queue);
	pthread_mutex_lock(&icd_lock);
	while (queue->first)
		pthread_cond_wait(&icd_changed, &icd_lock);
	pthread_mutex_unlock(&icd_lock);
	icd_drop(queue);
	return CL_SUCCESS;
}
EXPORTED(clFinish);
