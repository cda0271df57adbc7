/* SPDX-License-Identifier: MIT */
/*
 * rights.c: changes its user, groups or capabilities while its threads record, and looks each time
 * at what all threads of the process have.
 *
 *	rights drop|back|capset SECONDS
 *
 * drop: gives up root for good. back: gives it up and takes it back, for so long. capset: keeps two
 * capabilities. All go on making calls afterwards. Prints how many calls were made, and "threads
 * N", how many there were to look at; what differs goes to stderr, with exit code 1.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callee.h"

int capset(cap_user_header_t header, const cap_user_data_t data);

#define THREADS 3
static _Atomic int stop;
static _Atomic uint64_t calls;
static int most, differences;

static void *make_calls(void *unused)
{
	uint64_t n = 0;

	while (!atomic_load(&stop)) {
		for (int i = 0; i < 100; i++, n++)
			bench_one(n);
		usleep(2000);
	}
	atomic_fetch_add(&calls, n);
	return unused;
}

/* The lines of a thread's status that say what it may do. */
static int read_rights(const char *task, char *to, size_t room)
{
	static const char *const lines[] = {
		"Uid:", "Gid:", "Groups:", "CapInh:", "CapPrm:", "CapEff:"};
	char path[300], line[4096];

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	FILE *file = fopen(path, "r");
	*to = 0;
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
			if (!strncmp(line, lines[i], strlen(lines[i])) &&
			    strlen(to) + strlen(line) < room)
				strcat(to, line);
	fclose(file);
	return 1;
}

/*
 * With capset, which is for one thread, only ours has to have no more than the one that called it.
 */
static void compare(const char *after, int only_named)
{
	char own[16384], other[16384], self[32], path[300], name[32];
	int count = 0;
	DIR *tasks = opendir("/proc/self/task");

	snprintf(self, sizeof(self), "%d", gettid());
	read_rights(self, own, sizeof(own));
	for (struct dirent *task; (task = readdir(tasks));) {
		if (*task->d_name == '.' || !read_rights(task->d_name, other, sizeof(other)))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		FILE *comm = fopen(path, "r");
		*name = 0;
		if (comm && !fgets(name, sizeof(name), comm))
			*name = 0;
		if (comm)
			fclose(comm);
		if (only_named && strcmp(name, "tracelayer\n"))
			continue;
		count++;
		if (!strcmp(own, other))
			continue;
		if (!differences++)
			fprintf(stderr, "after %s: the caller has\n%sand thread %s, %s, has\n%s",
				after, own, task->d_name, name, other);
	}
	closedir(tasks);
	most = count > most ? count : most;
}

#define DO(call)                                                                                   \
	do {                                                                                       \
		if (call) {                                                                        \
			perror(#call);                                                             \
			exit(2);                                                                   \
		}                                                                                  \
		compare(#call, 0);                                                                 \
	} while (0)

static void drop(void)
{
	const gid_t groups[] = {65534, 100};

	DO(setgroups(2, groups));
	DO(initgroups("nobody", 65534));
	DO(setresgid(65534, 65534, 65534));
	DO(setgid(65534));
	DO(setregid(65534, 65534));
	DO(setegid(65534));
	DO(seteuid(65534));
	DO(seteuid(0));
	DO(setuid(65534));
	if (!setuid(0)) {
		fprintf(stderr, "root could be had again\n");
		exit(2);
	}
	DO(setreuid(65534, 65534));
	DO(setresuid(65534, 65534, 65534));
}

static void back(int seconds)
{
	for (time_t end = time(NULL) + seconds; time(NULL) < end;) {
		DO(setegid(65534));
		DO(seteuid(65534));
		DO(seteuid(0));
		DO(setegid(0));
	}
}

static void keep_two(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = 1 << CAP_CHOWN, .permitted = 1 << CAP_CHOWN | 1 << CAP_KILL}};

	if (capset(&header, data)) {
		perror("capset");
		exit(2);
	}
	compare("capset", 1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "drop";
	int seconds = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, make_calls, NULL);
	/* The writer's thread is at work by then. */
	for (uint64_t i = 0; i < 50000; i++)
		bench_one(i);
	usleep(200000);
	if (!strcmp(what, "drop"))
		drop();
	else if (!strcmp(what, "back"))
		back(seconds);
	else
		keep_two();
	sleep((unsigned)seconds);
	compare("a while", !strcmp(what, "capset"));
	atomic_store(&stop, 1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu calls, threads %d\n", (unsigned long long)atomic_load(&calls) + 50000, most);
	return differences != 0;
}
