/* SPDX-License-Identifier: MIT */
/*
 * left_running.h: processes of the program that outlive it, such as daemons. They may make their first
 * traced call after `run` has printed its last line.
 */
#ifndef TL_CLI_RUN_LEFT_RUNNING_H
#define TL_CLI_RUN_LEFT_RUNNING_H

#include <stddef.h>
#include <sys/types.h>

struct left_running {
	size_t count;
	pid_t pid;     /* the lowest */
	char name[64]; /* of that one; "": it has ended meanwhile */
};

/*
 * Looks for processes whose environment has this variable with this value. It is what they were started
 * with: a process that has overwritten it (setproctitle), or that can't be read, is not found.
 */
struct left_running left_running_find(const char *variable, const char *value);

#endif
