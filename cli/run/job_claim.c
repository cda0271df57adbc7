/* SPDX-License-Identifier: MIT */
/*
 * job_claim.c: see job_claim.h.
 *
 * All ranks of a run on this host have one starter: the launcher's process here. The first of them
 * leaves a link in the host's folder, whose target names the starter.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/job/job.h"
#include "cli/run/job_claim.h"
#include "common/proc.h"

/* The process was started with the variable. False also if this user can't read its environment. */
static bool process_has(uint32_t pid, const char *variable)
{
	size_t length = strlen(variable), room = 0;
	char path[64], *entry = NULL;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	FILE *file = fopen(path, "re");
	while (file && !found && getdelim(&entry, &room, 0, file) > 0)
		found = !strncmp(entry, variable, length) && entry[length] == '=';
	if (file)
		fclose(file);
	free(entry);
	return found;
}

/* The nearest parent that has no rank; 0: none is known. */
static uint32_t starter_find(const struct tl_launched *launched)
{
	uint32_t pid = tl_launcher_proxy();

	if (pid && !strcmp(launched->launcher, "hydra"))
		return pid;
	pid = (uint32_t)getppid();
	for (int i = 0; i < 64 && pid; i++) {
		if (!process_has(pid, launched->rank_variable))
			return pid;
		pid = tl_launcher_parent(pid);
	}
	return 0;
}

bool job_claim(const char *host_folder, const struct tl_launched *launched)
{
	char link[PATH_MAX + 16], boot[TL_PROC_BOOT], ours[128], theirs[128];
	uint32_t starter = starter_find(launched);

	if (!starter)
		return true;
	tl_proc_boot(boot);
	snprintf(link, sizeof(link), "%s/" JOB_STARTER, host_folder);
	snprintf(ours, sizeof(ours), "%s.%u.%llu", boot, starter,
		 (unsigned long long)tl_proc_start_time(starter));
	if (!symlink(ours, link))
		return true;
	ssize_t length = errno == EEXIST ? readlink(link, theirs, sizeof(theirs) - 1) : -1;

	/* No link can be made there: then the step has to do. */
	if (length < 0)
		return true;
	theirs[length] = 0;
	return !strcmp(ours, theirs);
}
