/* SPDX-License-Identifier: MIT */
/*
 * The driver's entries: the tables that a loader asks for, and what happens at the beginning of
 * every call: counting, the hooks and results that tests want. Also the environment, since all of
 * it is read here.
 *
 * Only the table getters and the test_ze_ functions are exported; the API functions have their API
 * names, for debuggers and so that the compiler checks them against the headers, but are local to
 * the library.
 */
#include "ze_device.h"
#include "ze_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/passing.h"

_Atomic bool entry_watched[ENTRY_COUNT];

static const char *const entry_names[ENTRY_COUNT] = {
#define TABLE(getter, type)
#define HAVE(function, field, since) [ENTRY_##function] = #function,
#define NONE(function, field, since) [ENTRY_##function] = #function,
#define END
#include "ze_functions.def"
#undef HAVE
#undef NONE
};

/* Called in place of a function that this driver does not have. */
#define HAVE(function, field, since)
#define NONE(function, field, since)                                                               \
	static ze_result_t none_##function(void)                                                   \
	{                                                                                          \
		ENTER(function);                                                                   \
		return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;                                        \
	}
#include "ze_functions.def"
#undef HAVE
#undef NONE

static void *const entry_functions[ENTRY_COUNT] = {
#define HAVE(function, field, since) [ENTRY_##function] = (void *)function,
#define NONE(function, field, since) [ENTRY_##function] = (void *)none_##function,
#include "ze_functions.def"
#undef HAVE
#undef NONE
#undef TABLE
#undef END
};

/* ---- the tables */

/* Fields that the asked version does not have lie beyond the end of the caller's table, and are not
 * written. */
#define TABLE(getter, type)                                                                        \
	ze_result_t getter(ze_api_version_t version, type *table)                                  \
	{                                                                                          \
		if (!table)                                                                        \
			return ZE_RESULT_ERROR_INVALID_NULL_POINTER;                               \
		if (ZE_MAJOR_VERSION(version) != 1)                                                \
			return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
#define FIELD(function, field, since)                                                              \
	if (version >= ZE_API_VERSION_##since)                                                     \
		memcpy(&table->field, &entry_functions[ENTRY_##function], sizeof(void *));
#define HAVE(function, field, since) FIELD(function, field, since)
#define NONE(function, field, since) FIELD(function, field, since)
#define END                                                                                        \
	return ZE_RESULT_SUCCESS;                                                                  \
	}
#include "ze_functions.def"
#undef TABLE
#undef HAVE
#undef NONE
#undef END

static int entry_number(const char *name)
{
	for (int i = 0; i < ENTRY_COUNT; i++)
		if (strcmp(entry_names[i], name) == 0)
			return i;
	return -1;
}

void *entry_find(const char *name)
{
	int entry = entry_number(name);

	return entry < 0 ? NULL : entry_functions[entry];
}

/* ---- counting, hooks, results, blocking */

struct watch {
	test_ze_hook *hook;
	void *arg;
	ze_result_t result;
	uint64_t nth;  /* 0: every call */
	uint32_t slow; /* microseconds that each call takes longer */
	bool blocked;
	int waiting;
};

static _Atomic uint64_t counts[ENTRY_COUNT];
static struct watch watches[ENTRY_COUNT]; /* watch_lock */
static _Atomic bool hooked[ENTRY_COUNT];  /* the watch has something in it, or had */
static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t watch_released = PTHREAD_COND_INITIALIZER;
static bool counting, passes, strict;
static _Atomic bool finished; /* the counts were written; a later call writes them again */
static char *counts_file;

static ze_result_t watch_take_result(struct watch *watch)
{
	ze_result_t result = watch->result;

	if (watch->nth == 0)
		return result;
	if (--watch->nth > 0)
		return ZE_RESULT_SUCCESS;
	watch->result = ZE_RESULT_SUCCESS;
	return result;
}

static void watch_give_up(void *waiting)
{
	(*(int *)waiting)--;
	pthread_mutex_unlock(&watch_lock);
}

/* A thread that is cancelled while it is blocked here must leave the lock free. */
static void watch_wait(struct watch *watch)
{
	watch->waiting++;
	pthread_cleanup_push(watch_give_up, &watch->waiting);
	while (watch->blocked)
		pthread_cond_wait(&watch_released, &watch_lock);
	pthread_cleanup_pop(0);
	watch->waiting--;
}

ze_result_t entry_watch(enum entry entry)
{
	struct watch *watch = &watches[entry];

	if (strict)
		check();
	if (passes && entry == ENTRY_zeContextCreate)
		atexit(leave);
	if (counting) {
		atomic_fetch_add_explicit(&counts[entry], 1, memory_order_relaxed);
		if (atomic_load_explicit(&finished, memory_order_relaxed))
			test_ze_write_counts();
	}
	if (!atomic_load_explicit(&hooked[entry], memory_order_relaxed))
		return ZE_RESULT_SUCCESS;

	pthread_mutex_lock(&watch_lock);
	watch_wait(watch);
	ze_result_t result = watch_take_result(watch);
	test_ze_hook *hook = watch->hook;
	void *arg = watch->arg;
	uint32_t slow = watch->slow;
	pthread_mutex_unlock(&watch_lock);

	if (slow)
		usleep(slow);
	if (hook)
		hook(entry_names[entry], arg);
	return result;
}

/* Returns the watch, with watch_lock held; NULL, without the lock, for an unknown name. */
static struct watch *watch_lock_named(const char *name)
{
	int entry = entry_number(name);

	if (entry < 0)
		return NULL;
	pthread_mutex_lock(&watch_lock);
	atomic_store_explicit(&hooked[entry], true, memory_order_relaxed);
	atomic_store_explicit(&entry_watched[entry], true, memory_order_relaxed);
	return &watches[entry];
}

int test_ze_set_hook(const char *name, test_ze_hook *fn, void *arg)
{
	struct watch *watch = watch_lock_named(name);

	if (!watch)
		return -1;
	watch->hook = fn;
	watch->arg = arg;
	pthread_mutex_unlock(&watch_lock);
	return 0;
}

int test_ze_set_result(const char *name, uint32_t result, uint64_t nth)
{
	struct watch *watch = watch_lock_named(name);

	if (!watch)
		return -1;
	watch->result = (ze_result_t)result;
	watch->nth = nth;
	pthread_mutex_unlock(&watch_lock);
	return 0;
}

static int watch_set_blocked(const char *name, bool blocked)
{
	struct watch *watch = watch_lock_named(name);

	if (!watch)
		return -1;
	watch->blocked = blocked;
	pthread_cond_broadcast(&watch_released);
	pthread_mutex_unlock(&watch_lock);
	return 0;
}

int test_ze_block(const char *name)
{
	return watch_set_blocked(name, true);
}

int test_ze_release(const char *name)
{
	return watch_set_blocked(name, false);
}

int test_ze_waiting(const char *name)
{
	struct watch *watch = watch_lock_named(name);

	if (!watch)
		return -1;
	int waiting = watch->waiting;
	pthread_mutex_unlock(&watch_lock);
	return waiting;
}

uint64_t test_ze_count(const char *name)
{
	int entry = entry_number(name);

	return entry < 0 ? 0 : atomic_load(&counts[entry]);
}

void test_ze_write_counts(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (!counts_file)
		return;
	pthread_mutex_lock(&lock);
	FILE *file = fopen(counts_file, "we");
	if (file) {
		for (int i = 0; i < ENTRY_COUNT; i++)
			if (atomic_load(&counts[i]))
				fprintf(file, "%s %llu\n", entry_names[i],
					(unsigned long long)atomic_load(&counts[i]));
		fclose(file);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- environment */

const char *config_text(const char *name)
{
	char full[64];

	if (strcmp(ZE_DRIVER_INSTANCE, "a") != 0) {
		snprintf(full, sizeof(full), "TEST_ZE_B_%s", name);
		if (getenv(full))
			return getenv(full);
	}
	snprintf(full, sizeof(full), "TEST_ZE_%s", name);
	return getenv(full);
}

uint64_t config_number(const char *name, uint64_t otherwise)
{
	const char *text = config_text(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

char *config_file(const char *name)
{
	const char *pattern = config_text(name);
	const char *place = pattern ? strstr(pattern, "%p") : NULL;
	const char *ending = strcmp(ZE_DRIVER_INSTANCE, "a") == 0 ? "" : "." ZE_DRIVER_INSTANCE;
	char *file = NULL;
	int rc;

	if (!pattern || !*pattern)
		return NULL;
	if (place)
		rc = asprintf(&file, "%.*s%ld%s%s", (int)(place - pattern), pattern, (long)getpid(),
			      place + 2, ending);
	else
		rc = asprintf(&file, "%s%s", pattern, ending);
	return rc < 0 ? NULL : file;
}

/* NAME=CODE or NAME=CODE@N */
static void fail_parse(char *item)
{
	char *code = strchr(item, '=');
	char *nth = code ? strchr(code, '@') : NULL;

	if (!code)
		return;
	*code++ = 0;
	if (test_ze_set_result(item, (uint32_t)strtoul(code, NULL, 0),
			       nth ? strtoull(nth + 1, NULL, 0) : 0) < 0)
		fprintf(stderr,
			"ze_driver: TEST_ZE_FAIL: no function is called %s; see ze_functions.def\n",
			item);
}

/* NAME=MICROSECONDS */
static void slow_parse(char *item)
{
	char *slow = strchr(item, '=');
	struct watch *watch;

	if (!slow)
		return;
	*slow++ = 0;
	watch = watch_lock_named(item);
	if (watch) {
		watch->slow = (uint32_t)strtoul(slow, NULL, 0);
		pthread_mutex_unlock(&watch_lock);
	} else {
		fprintf(stderr,
			"ze_driver: TEST_ZE_SLOW: no function is called %s; see ze_functions.def\n",
			item);
	}
}

static void config_list(const char *name, void parse(char *item))
{
	const char *text = config_text(name);
	char *rest = text ? strdup(text) : NULL, *list = rest, *item;

	while (rest && (item = strsep(&rest, ",")))
		parse(item);
	free(list);
}

/* A forked child has none of its parent's calls, and writes a file of its own if it can have one.
 */
static void forked(void)
{
	const char *pattern = config_text("COUNTS");

	pthread_mutex_init(&watch_lock, NULL);
	pthread_cond_init(&watch_released, NULL);
	for (int i = 0; i < ENTRY_COUNT; i++) {
		atomic_store(&counts[i], 0);
		watches[i].waiting = 0;
	}
	counts_file = pattern && strstr(pattern, "%p") ? config_file("COUNTS") : NULL;
	queues_forked();
}

static void before_fork(void)
{
	pthread_mutex_lock(&watch_lock);
	pthread_mutex_lock(&device_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&device_lock);
	pthread_mutex_unlock(&watch_lock);
}

__attribute__((constructor)) static void loaded(void)
{
	config_list("FAIL", fail_parse);
	config_list("SLOW", slow_parse);
	counting = config_text("COUNTS") != NULL;
	counts_file = config_file("COUNTS");
	passes = config_text("PASSES") && *config_text("PASSES");
	strict = passes && !strcmp(config_text("PASSES"), "strict");
	for (int i = 0; (counting || passes) && i < ENTRY_COUNT; i++)
		atomic_store(&entry_watched[i], true);
	clock_start();
	queues_configure();
	pthread_atfork(before_fork, after_fork, forked);
}

__attribute__((destructor)) static void unloaded(void)
{
	test_ze_write_counts();
	atomic_store(&finished, true);
}
