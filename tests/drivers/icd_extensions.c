/* SPDX-License-Identifier: MIT */
/*
 * icd_extensions.c: commands of extensions in the OpenCL test driver: copies and fills of
 * cl_intel_unified_shared_memory, the semaphores of cl_khr_semaphore, and
 * cl_khr_external_memory's acquire and release. Programs find the functions by name alone.
 *
 * A wait for semaphores ends when all of them were signalled, and takes the signals away, as
 * binary semaphores do.
 */
#include "tests/drivers/icd_driver.h"

/* What all these functions end with. */
struct waits {
	cl_uint count;
	const cl_event *events;
};

#define WAITS                                                                                      \
	&(const struct waits)                                                                      \
	{                                                                                          \
		nwaits, waits                                                                      \
	}

/* --- memory that is shared by pointers */

static cl_int run_copy(struct command *command)
{
	memmove(command->to.host, command->from.host, command->region[0]);
	return CL_COMPLETE;
}

static cl_int run_fill(struct command *command)
{
	for (size_t at = 0; at < command->region[0]; at += command->pattern_bytes)
		memcpy(command->to.host + at, command->pattern, command->pattern_bytes);
	return CL_COMPLETE;
}

static cl_int enqueue_memcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
			     size_t size, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueMemcpyINTEL);
	if (queue && (!to || !from || !size))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_MEMCPY_INTEL, "clEnqueueMemcpyINTEL", nwaits, waits,
			      &error);
	if (!command)
		return error;
	command->to.host = to;
	command->from.host = (char *)from;
	command->region[0] = size;
	command->run = run_copy;
	return icd_submit(command, "clEnqueueMemcpyINTEL", blocking, event);
}

static cl_int enqueue_fill(cl_command_queue queue, void *to, const void *pattern,
			   size_t pattern_bytes, size_t size, cl_uint nwaits, const cl_event *waits,
			   cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueMemFillINTEL);
	if (queue && (!to || !pattern || !pattern_bytes || size % pattern_bytes ||
		      pattern_bytes > sizeof(command->pattern)))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_MEMFILL_INTEL, "clEnqueueMemFillINTEL", nwaits,
			      waits, &error);
	if (!command)
		return error;
	command->to.host = to;
	command->region[0] = size;
	memcpy(command->pattern, pattern, pattern_bytes);
	command->pattern_bytes = pattern_bytes;
	command->run = run_fill;
	return icd_submit(command, "clEnqueueMemFillINTEL", false, event);
}

/* --- commands that move nothing here: all memory is the host's */

static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, const char *function,
			      const struct waits *waits, cl_event *event)
{
	cl_int error;
	struct command *command =
		icd_command(queue, type, function, waits->count, waits->events, &error);

	return command ? icd_submit(command, function, false, event) : error;
}

static cl_int enqueue_migrate(cl_command_queue queue, const void *memory, size_t size,
			      cl_mem_migration_flags flags, cl_uint nwaits, const cl_event *waits,
			      cl_event *event)
{
	COUNT(clEnqueueMigrateMemINTEL);
	if (queue && (!memory || !size))
		return CL_INVALID_VALUE;
	return enqueue_nothing(queue, CL_COMMAND_MIGRATEMEM_INTEL, "clEnqueueMigrateMemINTEL",
			       WAITS, event);
}

static cl_int enqueue_advise(cl_command_queue queue, const void *memory, size_t size,
			     cl_mem_advice_intel advice, cl_uint nwaits, const cl_event *waits,
			     cl_event *event)
{
	COUNT(clEnqueueMemAdviseINTEL);
	if (queue && (!memory || !size))
		return CL_INVALID_VALUE;
	return enqueue_nothing(queue, CL_COMMAND_MEMADVISE_INTEL, "clEnqueueMemAdviseINTEL", WAITS,
			       event);
}

/* --- memory of another API's */

static cl_int hand_over(cl_command_queue queue, cl_command_type type, const char *function,
			cl_uint count, const cl_mem *mems, const struct waits *waits,
			cl_event *event)
{
	struct command *command;
	cl_int error;

	if (queue && (!count || !mems || !icd_all_live(count, mems, MEM, function)))
		return CL_INVALID_MEM_OBJECT;
	command = icd_command(queue, type, function, waits->count, waits->events, &error);
	if (!command)
		return error;
	if (icd_command_mems(command, count))
		memcpy(command->mems, mems, count * sizeof(*mems));
	return icd_submit(command, function, false, event);
}

static cl_int enqueue_acquire(cl_command_queue queue, cl_uint count, const cl_mem *mems,
			      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueAcquireExternalMemObjectsKHR);
	return hand_over(queue, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
			 "clEnqueueAcquireExternalMemObjectsKHR", count, mems, WAITS, event);
}

static cl_int enqueue_release(cl_command_queue queue, cl_uint count, const cl_mem *mems,
			      cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	COUNT(clEnqueueReleaseExternalMemObjectsKHR);
	return hand_over(queue, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
			 "clEnqueueReleaseExternalMemObjectsKHR", count, mems, WAITS, event);
}

/* --- semaphores: they stay in memory, and the lock guards what they hold */

struct _cl_semaphore_khr {
	const cl_icd_dispatch *dispatch;
	bool signalled;
};

static cl_semaphore_khr
create_semaphore(cl_context context, const cl_semaphore_properties_khr *properties, cl_int *error)
{
	COUNT(clCreateSemaphoreWithPropertiesKHR);
	bool good = icd_live(context, CONTEXT, "clCreateSemaphoreWithPropertiesKHR") &&
		    properties && properties[0] == CL_SEMAPHORE_TYPE_KHR &&
		    properties[1] == CL_SEMAPHORE_TYPE_BINARY_KHR;
	cl_semaphore_khr semaphore = good ? calloc(1, sizeof(*semaphore)) : NULL;

	if (semaphore)
		semaphore->dispatch = &icd_table;
	icd_set(error, semaphore ? CL_SUCCESS : CL_INVALID_VALUE);
	return semaphore;
}

static cl_int release_semaphore(cl_semaphore_khr semaphore)
{
	COUNT(clReleaseSemaphoreKHR);
	return semaphore ? CL_SUCCESS : CL_INVALID_SEMAPHORE_KHR;
}

static bool all_signalled(const struct command *command)
{
	for (size_t i = 0; i < command->items; i++)
		if (!((cl_semaphore_khr)command->shared[i])->signalled)
			return false;
	return true;
}

static void set_signals(struct command *command, bool signalled)
{
	for (size_t i = 0; i < command->items; i++)
		((cl_semaphore_khr)command->shared[i])->signalled = signalled;
	pthread_cond_broadcast(&icd_changed);
}

static cl_int run_wait(struct command *command)
{
	pthread_mutex_lock(&icd_lock);
	while (!all_signalled(command))
		pthread_cond_wait(&icd_changed, &icd_lock);
	set_signals(command, false);
	pthread_mutex_unlock(&icd_lock);
	return CL_COMPLETE;
}

static cl_int run_signal(struct command *command)
{
	pthread_mutex_lock(&icd_lock);
	set_signals(command, true);
	pthread_mutex_unlock(&icd_lock);
	return CL_COMPLETE;
}

static cl_int enqueue_semaphores(struct command *command, const char *function, cl_uint count,
				 const cl_semaphore_khr *semaphores, cl_event *event)
{
	command->shared = calloc(count, sizeof(*command->shared));
	if (command->shared)
		memcpy(command->shared, semaphores, count * sizeof(*semaphores));
	command->items = command->shared ? count : 0;
	return icd_submit(command, function, false, event);
}

static cl_int enqueue_wait(cl_command_queue queue, cl_uint count,
			   const cl_semaphore_khr *semaphores,
			   const cl_semaphore_payload_khr *payloads, cl_uint nwaits,
			   const cl_event *waits, cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueWaitSemaphoresKHR);
	if (queue && (!count || !semaphores))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, "clEnqueueWaitSemaphoresKHR",
			      nwaits, waits, &error);
	if (!command)
		return error;
	command->run = run_wait;
	return enqueue_semaphores(command, "clEnqueueWaitSemaphoresKHR", count, semaphores, event);
}

static cl_int enqueue_signal(cl_command_queue queue, cl_uint count,
			     const cl_semaphore_khr *semaphores,
			     const cl_semaphore_payload_khr *payloads, cl_uint nwaits,
			     const cl_event *waits, cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueSignalSemaphoresKHR);
	if (queue && (!count || !semaphores))
		return CL_INVALID_VALUE;
	command = icd_command(queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
			      "clEnqueueSignalSemaphoresKHR", nwaits, waits, &error);
	if (!command)
		return error;
	command->run = run_signal;
	return enqueue_semaphores(command, "clEnqueueSignalSemaphoresKHR", count, semaphores,
				  event);
}

/* --- by name */

void *icd_function_of_extension(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"clEnqueueMemcpyINTEL", (void *)enqueue_memcpy},
		{"clEnqueueMemFillINTEL", (void *)enqueue_fill},
		{"clEnqueueMigrateMemINTEL", (void *)enqueue_migrate},
		{"clEnqueueMemAdviseINTEL", (void *)enqueue_advise},
		{"clEnqueueAcquireExternalMemObjectsKHR", (void *)enqueue_acquire},
		{"clEnqueueReleaseExternalMemObjectsKHR", (void *)enqueue_release},
		{"clCreateSemaphoreWithPropertiesKHR", (void *)create_semaphore},
		{"clReleaseSemaphoreKHR", (void *)release_semaphore},
		{"clEnqueueWaitSemaphoresKHR", (void *)enqueue_wait},
		{"clEnqueueSignalSemaphoresKHR", (void *)enqueue_signal},
	};

	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}
