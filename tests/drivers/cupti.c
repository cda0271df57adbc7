/* SPDX-License-Identifier: MIT */
/*
 * cupti.c: a software libcupti.so.12 for the software libcuda.so.1 (cuda_driver.c): CUPTI's
 * activity records, as NVIDIA's cupti_activity.h documents them. It is compiled with that header.
 *
 * A record is put into the buffer when its command is submitted, and its times when the command has
 * ended. A buffer is handed back when it is full, or asked for, and none of its commands is under
 * way; or by force. A command's record comes after that of its call, and that after the record of
 * the external correlation, if the thread is in one. Without records of calls there are no external
 * correlations. At its end it writes how many records it made to the file that CUPTI_LOG names. With
 * CUDA_DRIVER_PASSES it goes as the driver does.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda.h>
#include <cupti.h>

#include "cuda_listener.h"
#include "tests/lib/passing.h"

#define EXPORTED __attribute__((visibility("default"))) CUptiResult
#define KINDS	 64
#define DEEPEST	 16

struct buffer {
	struct buffer *next;
	uint8_t *bytes;
	size_t size, used;
	unsigned pending; /* commands that have not ended */
	bool gone;	  /* handed back all the same */
};

struct command {
	struct buffer *buffer;
	uint64_t *start, *end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool enabled[KINDS];
static unsigned made[KINDS];
static CUpti_BuffersCallbackRequestFunc buffer_wanted;
static CUpti_BuffersCallbackCompleteFunc buffer_full;
static CUpti_TimestampCallbackFunc clock_now;
static struct buffer *buffers; /* the first one is being filled */
static uint32_t correlations;
static __thread uint64_t external[DEEPEST];
static __thread CUpti_ExternalCorrelationKind external_kind[DEEPEST];
static __thread unsigned depth;

static uint64_t clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A time of CLOCK_MONOTONIC by the clock of the records. */
static uint64_t clock_of_records(uint64_t time)
{
	uint64_t now = clock_now ? clock_now() : clock_read(CLOCK_REALTIME);

	return now - (clock_read(CLOCK_MONOTONIC) - time);
}

/* --- buffers; with the lock */

static struct buffer *buffer_new(void)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));
	size_t most = 0;

	buffer_wanted(&buffer->bytes, &buffer->size, &most);
	if (!buffer->bytes) {
		free(buffer);
		return NULL;
	}
	buffer->next = buffers;
	return buffers = buffer;
}

static void *record_new(CUpti_ActivityKind kind, size_t size)
{
	struct buffer *buffer = buffers;

	if (!buffer || buffer->size - buffer->used < size)
		buffer = buffer_new();
	if (!buffer || buffer->size < size)
		return NULL;
	void *record = buffer->bytes + buffer->used;
	memset(record, 0, size);
	memcpy(record, &kind, sizeof(kind));
	buffer->used += size;
	made[kind]++;
	return record;
}

/* Takes out one buffer that can be handed back. */
static struct buffer *buffer_take(bool current, bool all)
{
	struct buffer **at = &buffers, *buffer;

	if (*at && !current)
		at = &(*at)->next;
	while ((buffer = *at) && buffer->pending && !all)
		at = &buffer->next;
	if (buffer) {
		*at = buffer->next;
		buffer->gone = true;
	}
	return buffer;
}

/* Without the lock. */
static void buffers_return(bool current, bool all)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		struct buffer *buffer = buffer_take(current, all);
		pthread_mutex_unlock(&lock);
		if (!buffer)
			return;
		buffer_full(NULL, 0, buffer->bytes, buffer->size, buffer->used);
		if (!buffer->pending)
			free(buffer);
	}
}

/* --- what the driver tells */

#define RECORD(type, kind) type *record = record_new(kind, sizeof(type))

static void call_record(uint32_t correlation)
{
	for (unsigned i = depth; i-- && enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION];) {
		RECORD(CUpti_ActivityExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
		if (!record)
			return;
		record->externalKind = external_kind[i];
		record->externalId = external[i];
		record->correlationId = correlation;
	}
	RECORD(CUpti_ActivityAPI, CUPTI_ACTIVITY_KIND_DRIVER);
	if (record)
		record->correlationId = correlation;
}

#define TIMES(record)                                                                              \
	(record) ? (struct command){buffers, &(record)->start, &(record)->end} : (struct command)  \
	{                                                                                          \
		0                                                                                  \
	}

static struct command kernel_record(const char *name, unsigned stream, uint32_t correlation)
{
	RECORD(CUpti_ActivityKernel9, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	if (record) {
		record->name = name;
		record->streamId = stream;
		record->correlationId = correlation;
	}
	return TIMES(record);
}

static struct command copy_record(size_t bytes, unsigned stream, uint32_t correlation)
{
	RECORD(CUpti_ActivityMemcpy6, CUPTI_ACTIVITY_KIND_MEMCPY);
	if (record) {
		record->bytes = bytes;
		record->streamId = stream;
		record->correlationId = correlation;
	}
	return TIMES(record);
}

static struct command fill_record(size_t bytes, unsigned stream, uint32_t correlation)
{
	RECORD(CUpti_ActivityMemset4, CUPTI_ACTIVITY_KIND_MEMSET);
	if (record) {
		record->bytes = bytes;
		record->streamId = stream;
		record->correlationId = correlation;
	}
	return TIMES(record);
}

static struct command graph_record(unsigned stream, uint32_t correlation)
{
	RECORD(CUpti_ActivityGraphTrace2, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	if (record) {
		record->streamId = stream;
		record->correlationId = correlation;
	}
	return TIMES(record);
}

static struct command command_record(enum what what, const char *name, size_t bytes,
				     unsigned stream, uint32_t correlation)
{
	if (what == KERNEL && enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL])
		return kernel_record(name, stream, correlation);
	if (what == COPY && enabled[CUPTI_ACTIVITY_KIND_MEMCPY])
		return copy_record(bytes, stream, correlation);
	if (what == FILL && enabled[CUPTI_ACTIVITY_KIND_MEMSET])
		return fill_record(bytes, stream, correlation);
	if (what == GRAPH && enabled[CUPTI_ACTIVITY_KIND_GRAPH_TRACE])
		return graph_record(stream, correlation);
	return (struct command){0};
}

static void *command_put(enum what what, const char *name, size_t bytes, unsigned stream)
{
	struct command *command = NULL;

	pthread_mutex_lock(&lock);
	uint32_t correlation = ++correlations;
	if (enabled[CUPTI_ACTIVITY_KIND_DRIVER])
		call_record(correlation);
	struct command made_now = command_record(what, name, bytes, stream, correlation);
	if (made_now.buffer && (command = malloc(sizeof(*command)))) {
		*command = made_now;
		command->buffer->pending++;
	}
	pthread_mutex_unlock(&lock);
	return command;
}

static void command_ended(void *ended, uint64_t start, uint64_t end)
{
	struct command *command = ended;
	struct buffer *buffer = command->buffer;

	pthread_mutex_lock(&lock);
	if (!buffer->gone) {
		*command->start = clock_of_records(start);
		*command->end = clock_of_records(end);
	}
	buffer->pending--;
	pthread_mutex_unlock(&lock);
	free(command);
	buffers_return(false, false);
}

static const struct cuda_listener listener = {command_put, command_ended};

__attribute__((destructor)) static void records_print(void)
{
	const char *path = getenv("CUPTI_LOG");
	FILE *to = path ? fopen(path, "w") : NULL;

	for (unsigned i = 0; to && i < KINDS; i++)
		if (made[i])
			fprintf(to, "%u %u\n", i, made[i]);
	if (to)
		fclose(to);
}

/* --- CUPTI's functions */

EXPORTED cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now)
{
	clock_now = now;
	return now ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORTED cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc wanted,
					CUpti_BuffersCallbackCompleteFunc full)
{
	if (!wanted || !full)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (getenv("CUDA_DRIVER_PASSES"))
		atexit(leave);
	buffer_wanted = wanted;
	buffer_full = full;
	return CUPTI_SUCCESS;
}

EXPORTED cuptiActivityEnable(CUpti_ActivityKind kind)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	const struct cuda_listener **listens = driver ? dlsym(driver, CUDA_LISTENER) : NULL;
	const char *refused = getenv("CUPTI_REFUSES");

	if (!listens || !buffer_wanted)
		return CUPTI_ERROR_NOT_INITIALIZED;
	if ((unsigned)kind >= KINDS || (refused && atoi(refused) == (int)kind))
		return CUPTI_ERROR_INVALID_KIND;
	enabled[kind] = true;
	*listens = &listener;
	return CUPTI_SUCCESS;
}

EXPORTED cuptiActivityDisable(CUpti_ActivityKind kind)
{
	enabled[kind] = false;
	return CUPTI_SUCCESS;
}

EXPORTED cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
	if (depth == DEEPEST)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	external_kind[depth] = kind;
	external[depth++] = id;
	return CUPTI_SUCCESS;
}

EXPORTED cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *last)
{
	(void)kind;
	if (!depth)
		return CUPTI_ERROR_QUEUE_EMPTY;
	*last = external[--depth];
	return CUPTI_SUCCESS;
}

EXPORTED cuptiActivityFlushAll(uint32_t flag)
{
	const char *passes = getenv("CUDA_DRIVER_PASSES");

	if (passes && !strcmp(passes, "strict"))
		check();
	if (!buffer_full)
		return CUPTI_ERROR_INVALID_OPERATION;
	buffers_return(true, flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	return CUPTI_SUCCESS;
}

static size_t record_size(CUpti_ActivityKind kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
		return sizeof(CUpti_ActivityExternalCorrelation);
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel9);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	default:
		return sizeof(CUpti_ActivityGraphTrace2);
	}
}

EXPORTED cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	uint8_t *at = *record ? (uint8_t *)*record + record_size((*record)->kind) : buffer;

	if (at >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)at;
	return CUPTI_SUCCESS;
}

EXPORTED cuptiGetResultString(CUptiResult result, const char **text)
{
	*text = result == CUPTI_ERROR_INVALID_KIND ? "CUPTI_ERROR_INVALID_KIND" : "CUPTI_ERROR";
	return CUPTI_SUCCESS;
}

/* --- the layer's idea of CUPTI's interface is the header's */

#include "layer/device/cuda/cupti_abi.h"

#define SAME(ours, member, type, theirs)                                                           \
	_Static_assert(offsetof(struct ours, member) == offsetof(type, theirs), #type "." #theirs)
#define SAME_TIMES(ours, type)                                                                     \
	SAME(ours, kind, type, kind);                                                              \
	SAME(ours, start, type, start);                                                            \
	SAME(ours, end, type, end);                                                                \
	SAME(ours, correlation, type, correlationId)
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel4);
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel5);
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel6);
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel7);
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel8);
SAME_TIMES(cupti_kernel, CUpti_ActivityKernel9);
SAME_TIMES(cupti_memcpy, CUpti_ActivityMemcpy4);
SAME_TIMES(cupti_memcpy, CUpti_ActivityMemcpy5);
SAME_TIMES(cupti_memcpy, CUpti_ActivityMemcpy6);
SAME_TIMES(cupti_memcpy_peer, CUpti_ActivityMemcpyPtoP4);
SAME_TIMES(cupti_memset, CUpti_ActivityMemset3);
SAME_TIMES(cupti_memset, CUpti_ActivityMemset4);
SAME_TIMES(cupti_graph, CUpti_ActivityGraphTrace);
SAME_TIMES(cupti_graph, CUpti_ActivityGraphTrace2);
SAME(cupti_correlation, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME(cupti_correlation, external, CUpti_ActivityExternalCorrelation, externalId);
SAME(cupti_correlation, correlation, CUpti_ActivityExternalCorrelation, correlationId);

#define SAME_NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME_NUMBER(CUPTI_DONE, CUPTI_SUCCESS);
SAME_NUMBER(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_NUMBER(CUPTI_CUSTOM, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2);
SAME_NUMBER(CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(CUPTI_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_NUMBER(CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL);
SAME_NUMBER(CUPTI_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(CUPTI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
SAME_NUMBER(CUPTI_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME_NUMBER(CUPTI_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
