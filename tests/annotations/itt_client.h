/* SPDX-License-Identifier: MIT */
/*
 * itt_client.h: the part of ITT that is linked into programs: a table of functions, which the collector
 * fills in. For the programs of these tests; functions that only one of them calls are its own.
 */
#include <dlfcn.h>

#include "annotations/itt_abi.h"

typedef struct itt_domain *domain_t;
typedef struct itt_string *string_t;

static domain_t (*domain_create)(const char *);
static string_t (*string_create)(const char *);
static void (*task_begin)(domain_t, struct itt_id, struct itt_id, string_t);
static void (*task_end)(domain_t);
static void (*region_begin)(domain_t, struct itt_id, struct itt_id, string_t);
static void (*region_end)(domain_t, struct itt_id);
static void (*frame_begin)(domain_t, struct itt_id *);
static void (*frame_end)(domain_t, struct itt_id *);
static void (*marker)(domain_t, struct itt_id, string_t, int);
static void (*metadata_add)(domain_t, struct itt_id, string_t, int, size_t, void *);

/* What a function is that the collector has not filled in. */
static void nothing(void)
{
}

#define ROW(name, function)                                                                        \
	{                                                                                          \
		"__itt_" name, (void **)&(function), NULL, (void *)nothing, 1                      \
	}
#define COMMON_ROWS                                                                                \
	ROW("domain_create", domain_create), ROW("string_handle_create", string_create),           \
		ROW("task_begin", task_begin), ROW("task_end", task_end),                          \
		ROW("region_begin", region_begin), ROW("region_end", region_end),                  \
		ROW("frame_begin_v3", frame_begin), ROW("frame_end_v3", frame_end),                \
		ROW("marker", marker), ROW("metadata_add", metadata_add)

/* Loads the collector, as ITT's part does. */
static void collector_load(const char *path, struct itt_function *functions)
{
	struct itt_global global = {.functions = functions};
	void *library = dlopen(path, RTLD_LAZY);
	void (*init)(struct itt_global *, unsigned) =
		(void (*)(struct itt_global *, unsigned))dlsym(library, "__itt_api_init");

	init(&global, ~0u);
}
