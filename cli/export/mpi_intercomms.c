/* SPDX-License-Identifier: MIT */
/*
 * mpi_intercomms.c: see mpi_intercomms.h.
 *
 * Two leaders may make several, one after the other: then the first of the one is the first of the other.
 */
#include "config.h"

#include "cli/export/mpi_intercomms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"

#define ROUNDS_MOST 64 /* a file may claim any number */

void mpi_half_add(struct mpi_halves *halves, struct mpi_half half)
{
	if (halves->count == halves->room) {
		halves->room = 2 * halves->room + 64;
		halves->list =
			need(reallocarray(halves->list, halves->room, sizeof(*halves->list)));
	}
	halves->list[halves->count++] = half;
}

/* Before this one, all that the process made are among the halves if it was the leader: the order has no gap. */
static size_t process_known(const struct mpi_process *process)
{
	for (size_t i = 0; i < process->ncomms; i++) {
		const struct mpi_own_comm *made = &process->comms[i];

		if (made->role == MPI_ROLE_INTERCOMM &&
		    (made->parent == NO_COMM || process->comms[made->parent].comm == NO_COMM))
			return i;
	}
	return process->ncomms;
}

static size_t half_place(const struct mpi_half *half)
{
	return (size_t)(half->made - half->leader->comms);
}

/* The other leader's rank in the world. -1: not known. */
static int64_t half_remote(const struct mpi_job *job, const struct mpi_half *half)
{
	const struct mpi_comm *peer =
		half->peer == NO_COMM ? NULL : &job->messages->comms[half->peer];
	size_t place = (size_t)half->made->remote_leader;

	return peer && !peer->first_group && peer->is_whole && place < peer->count
		       ? peer->ranks[place]
		       : -1;
}

static void half_look(const struct mpi_job *job, struct mpi_half *half)
{
	const struct mpi_process *leader = half->leader;

	half->peer = half->made->peer == NO_COMM ? NO_COMM : leader->comms[half->made->peer].comm;
	int64_t remote = half_remote(job, half);
	if (remote < 0 || remote == leader->rank || half_place(half) >= leader->inters_known)
		half->peer = NO_COMM;
	half->low = remote < leader->rank ? remote : leader->rank;
	half->high = remote < leader->rank ? leader->rank : remote;
}

static int numbers_compare(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

/* The same leaders by the same communicator and tag. */
static int halves_compare_keys(const struct mpi_half *x, const struct mpi_half *y)
{
	const int64_t left[] = {x->peer, x->low, x->high, x->made->tag},
		      right[] = {y->peer, y->low, y->high, y->made->tag};
	int compared = 0;

	for (size_t i = 0; i < sizeof(left) / sizeof(*left) && !compared; i++)
		compared = numbers_compare(left[i], right[i]);
	return compared;
}

/* Of one key: first those of the lower leader, each leader's in the order of its calls. */
static int halves_by_key(const void *a, const void *b)
{
	const struct mpi_half *x = a, *y = b;
	int compared = halves_compare_keys(x, y);

	if (!compared)
		compared = numbers_compare(x->leader->rank, y->leader->rank);
	return compared ? compared
			: numbers_compare((int64_t)half_place(x), (int64_t)half_place(y));
}

/* The group's ranks become those of the new communicator from `first` on. */
static void half_become(struct mpi_job *job, struct mpi_half *half, uint32_t number, size_t first)
{
	const struct mpi_comm *local = &job->messages->comms[half->local];

	half->is_joined = true;
	for (size_t i = 0; i < local->count; i++) {
		struct mpi_process *process = mpi_process_of_rank(job, local->ranks[i]);
		struct mpi_own_comm *made =
			process && !process->lost ? mpi_own_made(process, half->local, half->place)
						  : NULL;

		job->messages->comms[number].ranks[first + i] = local->ranks[i];
		if (!made)
			continue;
		made->comm = number;
		made->rank = (int)(first + i);
	}
}

/* The world is the parent: it has the ranks of both. */
static void halves_become(struct mpi_job *job, struct mpi_half *low, struct mpi_half *high)
{
	const struct mpi_comm *comms = job->messages->comms;
	size_t first = comms[low->local].count, count = first + comms[high->local].count;
	uint32_t number = mpi_comm_add(job, count, job->world, true);

	job->messages->comms[number].first_group = first;
	half_become(job, low, number, 0);
	half_become(job, high, number, first);
}

/* The halves of one key. False: there are no new ones. */
static bool key_join(struct mpi_job *job, struct mpi_half *halves, size_t count)
{
	const struct mpi_comm *comms;
	bool joined = false;
	size_t low = 0;

	if (halves->peer == NO_COMM)
		return false;
	while (low < count && halves[low].leader->rank == halves->low)
		low++;
	for (size_t i = 0; i < low && low + i < count; i++) {
		comms = job->messages->comms;
		if (halves[i].is_joined || job->ranks >= MPI_ALL_RANKS_MOST ||
		    !comms[halves[i].local].is_whole || !comms[halves[low + i].local].is_whole)
			continue;
		halves_become(job, &halves[i], &halves[low + i]);
		joined = true;
	}
	return joined;
}

bool mpi_halves_join(struct mpi_job *job, struct mpi_halves *halves)
{
	bool joined = false;
	size_t first = 0;

	if (!halves->count || halves->rounds++ >= ROUNDS_MOST)
		return false;
	for (size_t i = 0; i < job->count; i++)
		job->list[i].inters_known = process_known(&job->list[i]);
	for (size_t i = 0; i < halves->count; i++)
		half_look(job, &halves->list[i]);
	qsort(halves->list, halves->count, sizeof(*halves->list), halves_by_key);
	for (size_t i = 1; i <= halves->count; i++) {
		if (i < halves->count &&
		    !halves_compare_keys(&halves->list[first], &halves->list[i]))
			continue;
		joined |= key_join(job, &halves->list[first], i - first);
		first = i;
	}
	return joined;
}
