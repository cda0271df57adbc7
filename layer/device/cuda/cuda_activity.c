/* SPDX-License-Identifier: MIT */
/*
 * cuda_activity.c: see cuda_activity.h.
 *
 * CUPTI writes records into buffers of the layer and hands a buffer back, in any of its threads or
 * inside of cuptiActivityFlushAll. The record of an external correlation relates a command's number
 * to CUPTI's number of the call. It comes before the record of the command, which has CUPTI's
 * number only. So two tables are kept: the first by CUPTI's number, the second by the command's.
 * Both are arrays in which a later entry takes the place of an earlier one, so they do not grow: a
 * command whose record comes after TABLE other ones has the times of its calls.
 *
 * The records' beginnings are declared here, so that no header of NVIDIA is needed. They are the
 * same in CUPTI of CUDA 11.6 to 12.8: later releases of a record only add members at its end.
 * tests/drivers/cupti.c compares them with the header.
 */
#include "layer/device/cuda/cuda_activity.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/environment.h"
#include "layer/base/message.h"
#include "layer/device/cuda/cuda_driver_functions.h"
#include "layer/device/cuda/cupti_abi.h"
#include "layer/device/device_lanes.h"

#define TABLE  65536u /* a power of two */
#define BUFFER ((size_t)256 << 10)
#define ALIGN  8u

enum state { UNKNOWN, STARTING, OFF, ON };

static struct {
#define CUPTI_MEMBER(function, parameters) int(*function) parameters;
	CUPTI_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
} cupti;

/* Stored with release, loaded with acquire: then cupti and the tables are there. */
static _Atomic int state;
static _Atomic uint64_t last_number;

struct related {
	uint64_t number;
	uint32_t correlation;
};
struct finished {
	uint64_t number, start, end;
};
/* Protects the tables' entries. No function of CUPTI is called under it. */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;
static struct related *related;	  /* TABLE of them, by CUPTI's number */
static struct finished *finished; /* TABLE of them, by the command's number */

/* --- records */

/* Under the lock. */
static void record_relate(const struct cupti_correlation *record)
{
	struct related *entry = &related[record->correlation % TABLE];

	if (record->external_kind != CUPTI_CUSTOM)
		return;
	entry->number = record->external;
	entry->correlation = record->correlation;
}

/*
 * Under the lock. The times are 0 where CUPTI could not get them. A call may have caused several
 * commands: their times are joined.
 */
static void record_finish(uint32_t correlation, uint64_t start, uint64_t end)
{
	const struct related *known = &related[correlation % TABLE];
	struct finished *entry = &finished[known->number % TABLE];

	if (!known->number || known->correlation != correlation || !start || !end)
		return;
	if (entry->number != known->number)
		*entry = (struct finished){known->number, start, end};
	if (start < entry->start)
		entry->start = start;
	if (end > entry->end)
		entry->end = end;
}

#define FINISH(record, type)                                                                       \
	record_finish(((const struct type *)(record))->correlation,                                \
		      ((const struct type *)(record))->start,                                      \
		      ((const struct type *)(record))->end)

/* Under the lock. */
static void record_read(const void *record)
{
	switch (*(const uint32_t *)record) {
	case CUPTI_EXTERNAL_CORRELATION:
		record_relate(record);
		break;
	case CUPTI_KERNEL:
	case CUPTI_CONCURRENT_KERNEL:
		FINISH(record, cupti_kernel);
		break;
	case CUPTI_MEMCPY:
		FINISH(record, cupti_memcpy);
		break;
	case CUPTI_MEMCPY2:
		FINISH(record, cupti_memcpy_peer);
		break;
	case CUPTI_MEMSET:
		FINISH(record, cupti_memset);
		break;
	case CUPTI_GRAPH_TRACE:
		FINISH(record, cupti_graph);
		break;
	default:
		break;
	}
}

static void buffer_give(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(ALIGN, BUFFER);
	*size = *buffer ? BUFFER : 0;
	*records = 0;
}

static void buffer_take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	void *record = NULL;

	(void)context, (void)stream, (void)size;
	pthread_mutex_lock(&tables);
	while (valid && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_DONE)
		record_read(record);
	pthread_mutex_unlock(&tables);
	free(buffer);
}

/* --- the start */

static void *library_open(const char *wanted)
{
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
	void *handle = NULL;

	if (strcmp(wanted, "yes") != 0)
		return dlopen(wanted, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; !handle && i < sizeof(names) / sizeof(*names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return handle;
}

/* A program that uses CUPTI itself would lose its own callbacks. */
static bool program_has_cupti(void)
{
	return dlsym(RTLD_DEFAULT, "cuptiActivityEnable") ||
	       dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD) ||
	       dlopen("libcupti.so.12", RTLD_LAZY | RTLD_NOLOAD);
}

static const char *functions_find(void *library)
{
	const char *missing = NULL;
	void *found;

#define FIND(function, parameters)                                                                 \
	if (!(found = dlsym(library, #function)))                                                  \
		missing = #function;                                                               \
	memcpy(&cupti.function, &found, sizeof(found));
	CUPTI_FUNCTIONS(FIND)
#undef FIND
	return missing;
}

static bool tables_make(void)
{
	related = calloc(TABLE, sizeof(*related));
	finished = calloc(TABLE, sizeof(*finished));
	return related && finished;
}

/* The kinds of records that are wanted. CUPTI relates commands to calls if it records the calls. */
static int kinds_enable(void)
{
	static const uint32_t kinds[] = {CUPTI_EXTERNAL_CORRELATION,
					 CUPTI_DRIVER,
					 CUPTI_CONCURRENT_KERNEL,
					 CUPTI_MEMCPY,
					 CUPTI_MEMCPY2,
					 CUPTI_MEMSET,
					 CUPTI_GRAPH_TRACE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int error = cupti.cuptiActivityEnable(kinds[i]);
		if (error == CUPTI_DONE)
			continue;
		while (i--)
			cupti.cuptiActivityDisable(kinds[i]);
		return error;
	}
	return CUPTI_DONE;
}

/* Returns why CUPTI can't be used; NULL: it can. */
static const char *activity_start(char *why, size_t room)
{
	const char *name = "", *missing;

	if (program_has_cupti())
		return "the program uses it itself";
	void *library = library_open(tl_config.cupti);
	if (!library) {
		const char *error = dlerror();
		snprintf(why, room, "%s", error ? error : "it is not there");
		return why;
	}
	if ((missing = functions_find(library))) {
		snprintf(why, room, "it lacks %s; take CUDA 11.6's or a later one", missing);
		return why;
	}
	if (!tables_make())
		return "memory is short";
	int error = cupti.cuptiActivityRegisterTimestampCallback(tl_device_now);
	if (error == CUPTI_DONE)
		error = cupti.cuptiActivityRegisterCallbacks(buffer_give, buffer_take);
	if (error == CUPTI_DONE)
		error = kinds_enable();
	if (error == CUPTI_DONE)
		return NULL;
	if (cupti.cuptiGetResultString(error, &name) != CUPTI_DONE)
		name = "unknown error";
	snprintf(why, room, "it answers %s", name);
	return why;
}

static int activity_start_saying(void)
{
	char why[256], line[400];
	const char *reason = activity_start(why, sizeof(why));

	if (!reason)
		return ON;
	snprintf(line, sizeof(line),
		 "tracelayer: cupti: can't be used: %s; device lanes have the times of events\n",
		 reason);
	tl_message_say(line);
	return OFF;
}

bool tl_cuda_activity_usable(void)
{
	/* Pairs with the release below. */
	int now = atomic_load_explicit(&state, memory_order_acquire);
	int unknown = UNKNOWN;

	if (now != UNKNOWN)
		return now == ON;
	/* CUPTI calls the driver meanwhile, also in other threads: nobody waits for it. */
	if (!atomic_compare_exchange_strong_explicit(&state, &unknown, STARTING,
						     memory_order_relaxed, memory_order_relaxed))
		return false;
	now = tl_config.cupti[0] && strcmp(tl_config.cupti, "no") != 0 && !tl_config.secure
		      ? activity_start_saying()
		      : OFF;
	atomic_store_explicit(&state, now, memory_order_release);
	return now == ON;
}

/* Before the program has a context, so that no thread's first command finds CUPTI half started. */
static void init_after(struct tl_call *call, void *hook_state, uint64_t result, bool unwound)
{
	(void)hook_state;
	if (!tl_cuda_call_failed(result, unwound) && tl_cuda_is_known(call) && tl_cuda_usable())
		tl_cuda_activity_usable();
}

const struct tl_hook tl_cuda_activity_hooks[] = {
	{"cuInit", NULL, init_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

/* --- commands */

uint64_t tl_cuda_activity_enter(void)
{
	uint64_t number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;

	return cupti.cuptiActivityPushExternalCorrelationId(CUPTI_CUSTOM, number) == CUPTI_DONE
		       ? number
		       : 0;
}

void tl_cuda_activity_leave(void)
{
	uint64_t number;

	cupti.cuptiActivityPopExternalCorrelationId(CUPTI_CUSTOM, &number);
}

void tl_cuda_activity_fetch(bool all)
{
	if (atomic_load_explicit(&state, memory_order_acquire) == ON)
		cupti.cuptiActivityFlushAll(all ? CUPTI_FLUSH_FORCED : 0);
}

bool tl_cuda_activity_times(uint64_t number, uint64_t *start, uint64_t *end)
{
	pthread_mutex_lock(&tables);
	const struct finished *entry = &finished[number % TABLE];
	bool known = entry->number == number;
	if (known) {
		*start = entry->start;
		*end = entry->end;
	}
	pthread_mutex_unlock(&tables);
	return known;
}

void tl_cuda_activity_forget(void)
{
	pthread_mutex_init(&tables, NULL);
	atomic_store_explicit(&state, OFF, memory_order_relaxed);
}
