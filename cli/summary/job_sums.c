/* SPDX-License-Identifier: MIT */
/*
 * job_sums.c: see job_sums.h.
 *
 * A NODE.sum stands for its host as long as no file of the host is newer. Several processes may
 * make the same sum at the same time: each writes a file of its own and renames it, and all of them
 * have the same content.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/basics/basics.h"
#include "cli/read/shown_names.h"
#include "cli/summary/job_sums.h"
#include "cli/summary/trace_sum.h"
#include "common/rank_set.h"

#define NODE_SUM "NODE.sum"

/* ---- adding up ---- */

static struct job_rank *rank_new(struct job_sums *sums)
{
	if (sums->nranks == sums->ranks_room) {
		sums->ranks_room = sums->ranks_room ? 2 * sums->ranks_room : 64;
		sums->ranks =
			need(reallocarray(sums->ranks, sums->ranks_room, sizeof(*sums->ranks)));
	}
	sums->ranks[sums->nranks] = (struct job_rank){.rank = -1};
	return &sums->ranks[sums->nranks++];
}

/* A rank's further processes are counted with it. */
static uint32_t rank_place(struct job_sums *sums, const struct rank_sum *sum)
{
	if (sum->rank >= 0) {
		uint32_t known = numbers_find(&sums->places, (uint64_t)sum->rank);
		if (known != NO_NUMBER)
			return known;
	}
	/* Those without a rank have numbers that no rank has. */
	numbers_add(&sums->places,
		    sum->rank >= 0 ? (uint64_t)sum->rank : UINT64_MAX - (uint64_t)sums->nranks);
	struct job_rank *rank = rank_new(sums);

	rank->rank = sum->rank;
	rank->host = names_number(&sums->hosts, sum->host);
	return sums->nranks - 1;
}

static struct job_row *row_of(struct job_sums *sums, uint32_t row)
{
	if (row >= sums->rows_room) {
		uint32_t room = sums->rows_room ? 2 * sums->rows_room : 64;

		room = room > row ? room : row + 1;
		sums->rows = need(reallocarray(sums->rows, room, sizeof(*sums->rows)));
		memset(sums->rows + sums->rows_room, 0,
		       (room - sums->rows_room) * sizeof(*sums->rows));
		sums->rows_room = room;
	}
	return &sums->rows[row];
}

static void row_add_time(struct job_sums *sums, uint32_t number, uint32_t place, int64_t time)
{
	struct job_row *row = row_of(sums, number);

	if (place >= row->room) {
		uint32_t room = row->room ? 2 * row->room : 64;

		room = room > place ? room : place + 1;
		row->times = need(reallocarray(row->times, room, sizeof(*row->times)));
		/* -1: the rank does not have it */
		memset(row->times + row->room, 0xff, (room - row->room) * sizeof(*row->times));
		row->room = room;
	}
	if (row->times[place] < 0) {
		row->times[place] = 0;
		row->ranks++;
	}
	row->times[place] = tally_add(row->times[place], time);
}

static void rank_add_row(struct job_rank *rank, const struct tally_row *row)
{
	switch (row->kind) {
	case TALLY_CALLS:
		rank->calls = tally_add(rank->calls, row->times.count);
		rank->failed = tally_add(rank->failed, row->failed);
		rank->calls_time = tally_add(rank->calls_time, row->times.sum);
		break;
	case TALLY_KERNELS:
	case TALLY_TRANSFERS:
	case TALLY_OTHERS:
		rank->commands = tally_add(rank->commands, row->times.count);
		rank->commands_time = tally_add(rank->commands_time, row->times.sum);
		rank->bytes = tally_add(rank->bytes, row->bytes);
		break;
	default:
		break;
	}
}

/* Adds a device that the rank used, if it is not there. */
static void rank_add_device(struct job_rank *rank, const char *device)
{
	char *devices;

	if (!*device || (rank->devices && strstr(rank->devices, device)))
		return;
	if (asprintf(&devices, "%s%s%s", rank->devices ? rank->devices : "",
		     rank->devices ? ", " : "", device) < 0)
		need(NULL);
	free(rank->devices);
	rank->devices = devices;
}

static void rank_add(struct job_rank *rank, const struct rank_sum *sum)
{
	for (uint32_t i = 0; i < sum->tally.nrows; i++)
		rank_add_row(rank, &sum->tally.rows[i]);
	for (uint32_t i = 0; i < sum->nqueues; i++) {
		rank->busy = tally_add(rank->busy, sum->queues[i].busy);
		rank->span = tally_add(rank->span, sum->queues[i].span);
		rank_add_device(rank, sum->names.list[sum->queues[i].hardware]);
	}
	rank->nqueues += sum->nqueues;
	rank->files += sum->files;
	rank->lost += sum->lost;
	/* Times of a clock are not negative: the difference can't overflow. */
	if (sum->begin < 0 || sum->end <= sum->begin)
		return;
	if (!rank->end || sum->begin < rank->begin)
		rank->begin = sum->begin;
	if (sum->end > rank->end)
		rank->end = sum->end;
}

/* What a rank took for each row. */
static void sums_note_rank(struct job_sums *sums, const struct rank_sum *sum)
{
	uint32_t place = rank_place(sums, sum);

	rank_add(&sums->ranks[place], sum);
	for (uint32_t i = 0; i < sum->tally.nrows; i++) {
		const struct tally_row *row = &sum->tally.rows[i];
		uint32_t name = names_number(&sums->all.names, sum->names.list[row->name]);
		struct tally_row *whole = tally_row(&sums->all.tally, row->kind, 0, name);

		row_add_time(sums, (uint32_t)(whole - sums->all.tally.rows), place, row->times.sum);
	}
}

/* ---- names ---- */

void sum_show_names(struct rank_sum *sum)
{
	for (uint32_t i = 0; i < sum->tally.nrows; i++) {
		struct tally_row *row = &sum->tally.rows[i];

		if (row->kind == TALLY_CALLS)
			row->name =
				names_number(&sum->names, name_shown(sum->names.list[row->name]));
	}
}

/* For a file: sums have the names that traces have, whoever makes them. */
static int trace_sum_as_is(struct rank_sum *sum, const char *trace)
{
	name_maker maker = names_made_by(NULL);
	int code = trace_sum(sum, trace, NULL);

	names_made_by(maker);
	return code;
}

/* ---- reading ---- */

struct taking {
	struct job_sums *sums;
	bool node; /* the file is a NODE.sum */
	uint32_t taken;
};

static void take_sum(void *user, struct rank_sum *sum)
{
	struct taking *taking = user;

	sum_show_names(sum);
	/* The first of a NODE.sum is that of all its ranks. */
	if (!taking->node || !taking->taken)
		rank_sum_merge(&taking->sums->all, sum, false);
	if (!taking->node || taking->taken)
		sums_note_rank(taking->sums, sum);
	taking->taken++;
}

static char *sum_path(const char *trace)
{
	char *path = need(strdup(trace));

	strcpy(strrchr(path, '.'), ".sum");
	return path;
}

static bool is_older(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec < b->st_mtim.tv_sec
						      : a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

/* The sum is there, and its trace was not written to since. */
static bool sum_is_current(const struct job_file *file, const char *sum)
{
	struct stat of_sum, of_trace;

	if (!file->sum || stat(sum, &of_sum))
		return false;
	return !file->trace || stat(file->path, &of_trace) || !is_older(&of_sum, &of_trace);
}

/* Reads the sum of one file, or makes it from the trace, in memory at least. */
static int file_read(struct job_sums *sums, const struct job_file *file)
{
	struct taking taking = {.sums = sums};
	char *path = sum_path(file->path), why[256] = "";
	int code = EXIT_DONE;

	if (sum_is_current(file, path) &&
	    rank_sums_read(path, take_sum, &taking, why, sizeof(why))) {
		free(path);
		return EXIT_DONE;
	}
	if (!file->trace) {
		say("%s: %s, and its trace is not there; what this rank did is missing", path, why);
		free(path);
		return EXIT_INCOMPLETE;
	}
	struct rank_sum sum;

	rank_sum_begin(&sum, file->host, file->rank);
	code = trace_sum_as_is(&sum, file->path);
	if (code != EXIT_BROKEN) {
		rank_sums_write(path, &sum, 1, true);
		take_sum(&taking, &sum);
		sums->made++;
	}
	rank_sum_clear(&sum);
	free(path);
	return code;
}

/* What a host has, as far as the list of files tells. */
static bool node_is_current(const struct job_folder *folder, const struct job_host *host)
{
	struct stat of_node, about;
	char *path;
	bool current = true;

	if (!host->sum)
		return false;
	if (asprintf(&path, "%s/" NODE_SUM, host->path) < 0)
		need(NULL);
	current = !stat(path, &of_node);
	free(path);
	for (size_t i = 0; i < folder->nfiles && current; i++) {
		const struct job_file *file = &folder->files[i];

		if (file->host != host->name)
			continue;
		path = sum_path(file->path);
		if (!stat(path, &about))
			current = !is_older(&of_node, &about);
		if (current && file->trace && !stat(file->path, &about))
			current = !is_older(&of_node, &about);
		free(path);
	}
	return current;
}

static bool node_read(struct job_sums *sums, const struct job_host *host)
{
	struct taking taking = {.sums = sums, .node = true};
	char *path, why[256];

	if (asprintf(&path, "%s/" NODE_SUM, host->path) < 0)
		need(NULL);
	bool taken = rank_sums_read(path, take_sum, &taking, why, sizeof(why));

	free(path);
	return taken;
}

static int worse_code(int a, int b)
{
	return a == EXIT_BROKEN || b == EXIT_DONE ? a : b;
}

int job_sums_read(struct job_sums *sums, const struct job_folder *folder, const char *set)
{
	bool *from_node = need(calloc(folder->nhosts + 1, sizeof(*from_node)));
	int code = EXIT_DONE;

	*sums = (struct job_sums){0};
	rank_sum_begin(&sums->all, "", -1);
	for (size_t i = 0; i < folder->nhosts && !set; i++)
		from_node[i] = folder->hosts[i].sum && node_is_current(folder, &folder->hosts[i]) &&
			       node_read(sums, &folder->hosts[i]);
	for (size_t i = 0; i < folder->nfiles; i++) {
		const struct job_file *file = &folder->files[i];

		if (from_node[file->host_number] ||
		    (set && (file->rank < 0 || !tl_rank_set_has(set, file->rank))))
			continue;
		progress_show("%zu of %zu ranks read", i, folder->nfiles);
		int one = file_read(sums, file);
		sums->broken += one == EXIT_BROKEN;
		code = worse_code(code, one == EXIT_BROKEN ? EXIT_INCOMPLETE : one);
	}
	progress_hide();
	free(from_node);
	return code;
}

void job_sums_free(struct job_sums *sums)
{
	rank_sum_clear(&sums->all);
	for (uint32_t i = 0; i < sums->rows_room; i++)
		free(sums->rows[i].times);
	free(sums->rows);
	for (uint32_t i = 0; i < sums->nranks; i++)
		free(sums->ranks[i].devices);
	free(sums->ranks);
	names_free(&sums->hosts);
	numbers_free(&sums->places);
}

/* ---- making ---- */

int job_sum_trace(const char *trace, const char *host, int64_t rank)
{
	struct rank_sum sum;
	char *path = sum_path(trace);

	rank_sum_begin(&sum, host, rank);
	int code = trace_sum_as_is(&sum, trace);
	if (code != EXIT_BROKEN) {
		int error = rank_sums_write(path, &sum, 1, true);
		if (error) {
			say("%s: %s; `tracelayer summary` makes it later", path, strerror(error));
			code = EXIT_BROKEN;
		}
	}
	rank_sum_clear(&sum);
	free(path);
	return code;
}

void job_sum_nothing(const char *path, const char *host, int64_t rank)
{
	struct rank_sum sum;

	rank_sum_begin(&sum, host, rank);
	rank_sums_write(path, &sum, 1, true);
	rank_sum_clear(&sum);
}

struct gathering {
	struct rank_sum *list; /* the first is that of all */
	size_t count, room;
};

static void gather_sum(void *user, struct rank_sum *sum)
{
	struct gathering *gathering = user;

	if (gathering->count == gathering->room) {
		gathering->room = 2 * gathering->room + 8;
		gathering->list = need(
			reallocarray(gathering->list, gathering->room, sizeof(*gathering->list)));
	}
	rank_sum_merge(&gathering->list[0], sum, true);
	rank_sum_begin(&gathering->list[gathering->count], sum->host, sum->rank);
	rank_sum_merge(&gathering->list[gathering->count++], sum, true);
}

/* All sums of a host become one file. False: some can't be read. */
static bool node_make(const struct job_folder *folder, const struct job_host *host)
{
	struct gathering gathering = {0};
	char *path, why[256];
	bool all = true;

	gathering.list = need(calloc(gathering.room = 8, sizeof(*gathering.list)));
	rank_sum_begin(&gathering.list[0], host->name, -1);
	gathering.count = 1;
	for (size_t i = 0; i < folder->nfiles && all; i++) {
		if (folder->files[i].host != host->name)
			continue;
		path = sum_path(folder->files[i].path);
		all = rank_sums_read(path, gather_sum, &gathering, why, sizeof(why));
		free(path);
	}
	if (asprintf(&path, "%s/" NODE_SUM, host->path) < 0)
		need(NULL);
	if (all)
		all = !rank_sums_write(path, gathering.list, gathering.count, false);
	free(path);
	for (size_t i = 0; i < gathering.count; i++)
		rank_sum_clear(&gathering.list[i]);
	free(gathering.list);
	return all;
}

void job_sum_node(const char *host_folder, int64_t local_size)
{
	struct job_folder folder;
	int64_t ranks = 0;

	if (local_size < 1 || !job_folder_is(host_folder) || !job_folder_open(&folder, host_folder))
		return;
	for (size_t i = 0; i < folder.nfiles; i++)
		ranks += folder.files[i].rank >= 0 && !folder.files[i].child && folder.files[i].sum;
	/* The last two may both see all of them: they write the same. */
	if (ranks >= local_size && folder.nhosts)
		node_make(&folder, &folder.hosts[0]);
	job_folder_close(&folder);
}

static int part_make_file(const struct job_file *file)
{
	char *path = sum_path(file->path);
	int code = EXIT_DONE;

	if (!sum_is_current(file, path) && file->trace)
		code = job_sum_trace(file->path, file->host, file->rank);
	free(path);
	return code;
}

int job_sums_make(const struct job_folder *folder, const struct job_part *part)
{
	bool by_hosts = (int64_t)folder->nhosts >= part->count;
	int code = EXIT_DONE;

	for (size_t i = 0; i < folder->nfiles && !by_hosts; i++)
		if ((int64_t)i % part->count == part->number)
			code = worse_code(code, part_make_file(&folder->files[i]));
	for (size_t i = 0; i < folder->nhosts && by_hosts; i++) {
		if ((int64_t)i % part->count != part->number)
			continue;
		for (size_t j = 0; j < folder->nfiles; j++)
			if (folder->files[j].host_number == i)
				code = worse_code(code, part_make_file(&folder->files[j]));
		/* Each sum is read anew: that of another file may be older than its trace. */
		node_make(folder, &folder->hosts[i]);
	}
	return code;
}
