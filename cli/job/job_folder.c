/* SPDX-License-Identifier: MIT */
/*
 * job_folder.c: see job_folder.h.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/basics/basics.h"
#include "cli/job/job_folder.h"

#define NODE_SUM "NODE.sum"

/* ---- names ---- */

static bool take_number(const char **at, uint64_t *number)
{
	const char *start = *at;

	for (*number = 0; **at >= '0' && **at <= '9' && *number < UINT32_MAX; ++*at)
		*number = *number * 10 + (uint64_t)(**at - '0');
	return *at > start;
}

/* Reads RANK.tlt, RANK.N.tlt, none.PID.tlt, none.PID.N.tlt, or the same with .sum. */
static bool file_named(const char *name, struct job_file *file)
{
	uint64_t number, child = 0;

	*file = (struct job_file){.rank = -1};
	bool none = !strncmp(name, "none.", 5);
	name += none ? 5 : 0;
	if (!take_number(&name, &number))
		return false;
	if (name[0] == '.' && name[1] >= '0' && name[1] <= '9') {
		name++;
		take_number(&name, &child);
	}
	if (none)
		file->pid = (uint32_t)number;
	else
		file->rank = (int64_t)number;
	file->child = (uint32_t)child;
	file->trace = !strcmp(name, ".tlt");
	file->sum = !strcmp(name, ".sum");
	return file->trace || file->sum;
}

static char *path_join(const char *folder, const char *name)
{
	size_t length = strlen(folder);
	char *path;

	while (length > 1 && folder[length - 1] == '/')
		length--;
	if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0)
		need(NULL);
	return path;
}

/* ---- which folder ---- */

enum level { LEVEL_NONE = -1, LEVEL_HOST, LEVEL_STEP, LEVEL_JOB };

/* How far below the folder the first file lies. */
static enum level folder_level(const char *path, enum level most)
{
	DIR *folder = opendir(path);
	enum level found = LEVEL_NONE;
	struct job_file file;
	struct dirent *entry;

	while (folder && found == LEVEL_NONE && (entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		if (file_named(entry->d_name, &file) || !strcmp(entry->d_name, NODE_SUM)) {
			found = LEVEL_HOST;
			break;
		}
		if (most == LEVEL_HOST)
			continue;
		char *inside = path_join(path, entry->d_name);
		if (path_is_folder(inside))
			found = folder_level(inside, (enum level)(most - 1));
		if (found != LEVEL_NONE)
			found = (enum level)(found + 1);
		free(inside);
	}
	if (folder)
		closedir(folder);
	return found;
}

bool job_folder_is(const char *path)
{
	return path_is_folder(path) && folder_level(path, LEVEL_JOB) != LEVEL_NONE;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* The newest step in a job's folder. */
static char *newest_step(const char *path)
{
	DIR *folder = opendir(path);
	struct stat about, best = {0};
	struct dirent *entry;
	char *newest = NULL;
	size_t steps = 0;

	while (folder && (entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		char *inside = path_join(path, entry->d_name);
		if (stat(inside, &about) || folder_level(inside, LEVEL_STEP) != LEVEL_STEP) {
			free(inside);
			continue;
		}
		steps++;
		if (newest && !is_newer(&about, &best)) {
			free(inside);
			continue;
		}
		free(newest);
		newest = inside;
		best = about;
	}
	if (folder)
		closedir(folder);
	if (steps > 1)
		say("%s has %zu runs; this is the newest, %s; name another run's folder for that one",
		    path, steps, strrchr(newest, '/') + 1);
	return newest;
}

/* ---- what is in it ---- */

static void add_file(struct job_folder *folder, size_t *room, const struct job_file *file)
{
	if (folder->nfiles == *room) {
		*room = *room ? 2 * *room : 64;
		folder->files = need(reallocarray(folder->files, *room, sizeof(*folder->files)));
	}
	folder->files[folder->nfiles++] = *file;
}

/* The host's folder, once. .host of files points to its name, which stays. */
static const char *add_host(struct job_folder *folder, const char *path)
{
	struct job_host host = {.path = need(strdup(path))};
	char *sum = path_join(path, NODE_SUM);
	struct stat about;

	while (strlen(host.path) > 1 && host.path[strlen(host.path) - 1] == '/')
		host.path[strlen(host.path) - 1] = 0;
	const char *slash = strrchr(host.path, '/');
	host.name = need(strdup(slash ? slash + 1 : host.path));
	host.sum = !stat(sum, &about);
	free(sum);
	folder->hosts =
		need(reallocarray(folder->hosts, folder->nhosts + 1, sizeof(*folder->hosts)));
	folder->hosts[folder->nhosts++] = host;
	return host.name;
}

static void read_host(struct job_folder *folder, size_t *room, const char *path)
{
	DIR *host = opendir(path);
	const char *name = host ? add_host(folder, path) : NULL;
	struct job_file file;
	struct dirent *entry;

	while (host && (entry = readdir(host))) {
		if (!file_named(entry->d_name, &file))
			continue;
		file.host = name;
		file.path = path_join(path, entry->d_name);
		strcpy(strrchr(file.path, '.'), ".tlt");
		add_file(folder, room, &file);
	}
	if (host)
		closedir(host);
}

static int compare_files(const void *a, const void *b)
{
	const struct job_file *x = a, *y = b;
	uint64_t p = (uint64_t)x->rank, q = (uint64_t)y->rank; /* -1 comes last */

	if (p != q)
		return p > q ? 1 : -1;
	int hosts = strcmp(x->host, y->host);
	if (hosts)
		return hosts;
	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	return (x->child > y->child) - (x->child < y->child);
}

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(((const struct job_host *)a)->name, ((const struct job_host *)b)->name);
}

/* A trace and its sum are one file of the list. */
static void join_files(struct job_folder *folder)
{
	size_t count = 0;

	if (folder->nfiles)
		qsort(folder->files, folder->nfiles, sizeof(*folder->files), compare_files);
	for (size_t i = 0; i < folder->nfiles; i++) {
		struct job_file *last = count ? &folder->files[count - 1] : NULL;
		struct job_file file = folder->files[i];

		if (!last || strcmp(last->path, file.path)) {
			folder->files[count++] = file;
			continue;
		}
		last->trace |= file.trace;
		last->sum |= file.sum;
		free(file.path);
	}
	folder->nfiles = count;
}

static void read_step(struct job_folder *folder)
{
	DIR *step = opendir(folder->path);
	struct dirent *entry;
	size_t room = 0;

	while (step && (entry = readdir(step))) {
		if (*entry->d_name == '.')
			continue;
		char *host = path_join(folder->path, entry->d_name);
		if (folder_level(host, LEVEL_HOST) == LEVEL_HOST)
			read_host(folder, &room, host);
		free(host);
	}
	if (step)
		closedir(step);
}

bool job_folder_open(struct job_folder *folder, const char *path)
{
	enum level level = path_is_folder(path) ? folder_level(path, LEVEL_JOB) : LEVEL_NONE;
	size_t room = 0;

	*folder = (struct job_folder){0};
	if (level == LEVEL_NONE) {
		say("%s: no folder of a job; name one that `tracelayer run --job` has filled",
		    path);
		return false;
	}
	folder->path = level == LEVEL_JOB ? newest_step(path) : need(strdup(path));
	folder->is_host = level == LEVEL_HOST;
	if (level == LEVEL_HOST)
		read_host(folder, &room, path);
	else
		read_step(folder);
	join_files(folder);
	if (folder->nhosts)
		qsort(folder->hosts, folder->nhosts, sizeof(*folder->hosts), compare_hosts);
	for (size_t i = 0; i < folder->nfiles; i++) {
		const struct job_host wanted = {.name = (char *)folder->files[i].host};
		const struct job_host *host = bsearch(&wanted, folder->hosts, folder->nhosts,
						      sizeof(*folder->hosts), compare_hosts);
		folder->files[i].host_number = (size_t)(host - folder->hosts);
	}
	const char *slash = strrchr(folder->path, '/');
	folder->name = need(strdup(slash && slash[1] ? slash + 1 : folder->path));
	return true;
}

void job_folder_close(struct job_folder *folder)
{
	for (size_t i = 0; i < folder->nfiles; i++)
		free(folder->files[i].path);
	for (size_t i = 0; i < folder->nhosts; i++) {
		free(folder->hosts[i].name);
		free(folder->hosts[i].path);
	}
	free(folder->files);
	free(folder->hosts);
	free(folder->path);
	free(folder->name);
}
