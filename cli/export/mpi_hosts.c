/* SPDX-License-Identifier: MIT */
/*
 * mpi_hosts.c: see mpi_hosts.h.
 */
#include "config.h"

#include "cli/export/mpi_hosts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"

/* A process, and what its trace says of its host. */
struct place {
	struct mpi_process *process;
	const struct timeline_process *input;
};

static int hosts_compare(const struct place *x, const struct place *y)
{
	int compared = strcmp(x->input->host, y->input->host);

	return compared ? compared : strcmp(x->input->clock_name.boot, y->input->clock_name.boot);
}

static int places_by_host(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int compared = hosts_compare(x, y);
	int64_t left = x->process->local_rank, right = y->process->local_rank;

	return compared ? compared : (left > right) - (left < right);
}

/* The ranks of one host, sorted by what the launcher told. */
static bool host_agrees(const struct place *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t size = places[i].process->local_size;

		if (places[i].process->local_rank != (int64_t)i ||
		    (size >= 0 && size != (int64_t)count))
			return false;
	}
	return true;
}

static bool all_agree(const struct place *places, size_t count)
{
	size_t first = 0;

	for (size_t i = 1; i <= count; i++) {
		if (i < count && !hosts_compare(&places[first], &places[i]))
			continue;
		if (!host_agrees(places + first, i - first))
			return false;
		first = i;
	}
	return true;
}

static void hosts_number(const struct place *places, size_t count)
{
	int host = 0;

	for (size_t i = 0; i < count; i++) {
		host += i && hosts_compare(&places[i - 1], &places[i]);
		places[i].process->host = host;
	}
}

void mpi_hosts_find(struct mpi_job *job)
{
	struct place *places = need(calloc(job->count + 1, sizeof(*places)));
	bool is_whole = true;

	for (size_t i = 0; i < job->count; i++) {
		struct mpi_process *process = &job->list[i];

		places[i] = (struct place){process, &job->inputs->list[process->process]};
		process->host = NO_HOST;
		is_whole &= process->rank == (int64_t)i && process->size == (int64_t)job->count;
	}
	qsort(places, job->count, sizeof(*places), places_by_host);
	if (is_whole && all_agree(places, job->count))
		hosts_number(places, job->count);
	free(places);
}
