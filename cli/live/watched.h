/* SPDX-License-Identifier: MIT */
/*
 * watched.h: which calls are open on each thread of a traced process, and which labels are on.
 */
#ifndef TL_CLI_LIVE_WATCHED_H
#define TL_CLI_LIVE_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

struct watched;

struct watched_thread {
	uint32_t pid, tid;
	char name[16];
	void *of_caller;
};

#define WATCHED_CALLS	512u /* at most so many open calls of a thread are read */
#define WATCHED_DEEPEST (TL_LABELS_MOST + WATCHED_CALLS)

/*
 * Calls and labels of a thread, the outermost first, at most WATCHED_DEEPEST; texts stay for ever.
 * NULL: one that the parent of a forked process had put on.
 */
typedef void (*watched_visit)(void *context, struct watched_thread *thread,
			      const struct tl_label *stack, uint32_t count);

/* NULL: there is no such file, or it is not (yet) a buffers file. */
struct watched *watched_open(const char *path);
void watched_close(struct watched *watched);

/* Look at all of the program's threads that live. False: the process has ended. */
bool watched_look(struct watched *watched, watched_visit visit, void *context);

/* What it records, and whether it keeps open calls. */
const struct tl_file_header *watched_header(const struct watched *watched);
const char *watched_path(const struct watched *watched);

/* The program's name; "" until it is known. Stays until the process is closed. */
const char *watched_program(struct watched *watched);

#endif
