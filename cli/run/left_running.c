/* SPDX-License-Identifier: MIT */
/*
 * left_running.c: see left_running.h.
 */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/run/left_running.h"
#include "common/proc.h"

/* Linux keeps arguments and environment below a quarter of the stack's limit, which is 2 MiB by default. */
#define ENVIRONMENT_MAX ((size_t)2 << 20)

/* `line`: NAME=VALUE, and `length` counts the NUL at its end, too. */
static bool environment_has(pid_t pid, const char *line, size_t length, char *room)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	size_t got = tl_proc_read(path, room, ENVIRONMENT_MAX);
	const char *end = room + got;

	for (const char *at = room; at < end; at += strnlen(at, (size_t)(end - at)) + 1)
		if ((size_t)(end - at) >= length && !memcmp(at, line, length))
			return true;
	return false;
}

static void note_process(struct left_running *left, pid_t pid)
{
	char path[64];

	if (left->count++ && pid > left->pid)
		return;
	left->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (!tl_proc_line(path, left->name, sizeof(left->name)))
		left->name[0] = '\0';
}

struct left_running left_running_find(const char *variable, const char *value)
{
	struct left_running left = {0};
	size_t length = strlen(variable) + strlen(value) + 2;
	char *line = need(malloc(length)), *room = need(malloc(ENVIRONMENT_MAX));
	DIR *processes = opendir("/proc");
	struct dirent *process;

	snprintf(line, length, "%s=%s", variable, value);
	while (processes && (process = readdir(processes))) {
		int pid = atoi(process->d_name);

		if (pid > 0 && environment_has(pid, line, length, room))
			note_process(&left, pid);
	}
	if (processes)
		closedir(processes);
	free(line);
	free(room);
	return left;
}
