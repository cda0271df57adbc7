/* SPDX-License-Identifier: MIT */
/*
 * itt_abi.h: ITT's binary interface for collectors. Source: Intel's headers ittnotify.h and
 * ittnotify_config.h, from version 3.0 to 3.26.
 *
 * Members that are "reserved to the runtime" are the collector's own.
 */
#ifndef TL_ANNOTATIONS_ITT_ABI_H
#define TL_ANNOTATIONS_ITT_ABI_H

#include <pthread.h>
#include <stdint.h>

/* A function of ITT: the collector stores its own in *function, or else `null_function`. */
struct itt_function {
	const char *name; /* "__itt_task_begin" */
	void **function;
	void *init_function, *null_function;
	uint32_t group;
};

/* What the program's copy of ITT has. */
struct itt_global {
	unsigned char magic[8];
	unsigned long version_major, version_minor, version_build;
	volatile long api_initialized, mutex_initialized, atomic_counter;
	pthread_mutex_t mutex;
	void *library, *error_handler;
	const char **library_path;
	struct itt_function *functions; /* up to one without a name */
					/* more follows */
};

struct itt_id {
	unsigned long long words[3]; /* all 0: none */
};

struct itt_domain {
	volatile int enabled;
	const char *name;
	void *wide;
	int reserved;
	_Atomic(void *) own; /* reserved to the runtime */
	struct itt_domain *next;
};

struct itt_string {
	const char *text;
	void *wide;
	int reserved;
	_Atomic uint64_t own; /* reserved to the runtime */
	struct itt_string *next;
};

/* The first members are as in the program's own list of counters. */
struct itt_counter {
	const char *name;
	void *wide;
	const char *domain;
	void *domain_wide;
	int type;
	long index;
	int reserved;
	_Atomic(void *) own; /* reserved to the runtime */
	struct itt_counter *next;
};

enum itt_type {
	ITT_U64 = 1,
	ITT_S64,
	ITT_U32,
	ITT_S32,
	ITT_U16,
	ITT_S16,
	ITT_FLOAT,
	ITT_DOUBLE,
};

enum { ITT_SCOPE_TASK = 4 };
/* Of pause_scoped, a bit. */
enum { ITT_COLLECTION_HOST = 1 };

#define ITT_NO_TIMESTAMP UINT64_MAX

#endif
