/* SPDX-License-Identifier: MIT */
/* Counting and checking, see ze_app.h: what a program that is not linked with the loader can use
 * too. */
#include "ze_app.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ze_app_call *calls, **last_call = &calls;

/* One function may be called from several places of the program. */
unsigned long ze_app_counted(const char *name)
{
	unsigned long sum = 0;

	for (struct ze_app_call *call = calls; call; call = call->next)
		if (strcmp(call->name, name) == 0)
			sum += atomic_load(&call->count);
	return sum;
}

static bool came_before(const struct ze_app_call *which)
{
	for (const struct ze_app_call *call = calls; call != which; call = call->next)
		if (strcmp(call->name, which->name) == 0)
			return true;
	return false;
}

static void write_counts(void)
{
	const char *path = getenv("TEST_ZE_APP_COUNTS");
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	for (struct ze_app_call *call = calls; call; call = call->next)
		if (!came_before(call))
			fprintf(file, "%s %lu\n", call->name, ze_app_counted(call->name));
	fclose(file);
}

void ze_app_count(struct ze_app_call *call)
{
	if (atomic_fetch_add_explicit(&call->count, 1, memory_order_relaxed) > 0)
		return;
	pthread_mutex_lock(&calls_lock);
	if (!calls)
		atexit(write_counts);
	*last_call = call;
	last_call = &call->next;
	pthread_mutex_unlock(&calls_lock);
}

void ze_app_must(ze_result_t result, const char *call, const char *file, int line)
{
	if (result == ZE_RESULT_SUCCESS)
		return;
	fprintf(stderr, "%s:%d: %s: result 0x%x\n", file, line, call, (unsigned int)result);
	exit(1);
}

void ze_app_expect(bool condition, const char *text, const char *file, int line)
{
	if (condition)
		return;
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
	exit(1);
}
