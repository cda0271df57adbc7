/* SPDX-License-Identifier: MIT */
/*
 * mpi_comms.c: see mpi_comms.h.
 *
 * From the world downwards: the k-th call that makes a communicator of another one is the same call in all
 * ranks of the latter.
 */
#include "config.h"

#include "cli/export/mpi_comms.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_hosts.h"
#include "cli/export/mpi_intercomms.h"

/* --- processes */

/* Inputs, and so processes, are sorted by rank. */
struct mpi_process *mpi_process_of_rank(const struct mpi_job *job, int64_t rank)
{
	size_t low = 0, high = job->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (job->list[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low < job->count && job->list[low].rank == rank ? &job->list[low] : NULL;
}

/* --- communicators */

uint32_t mpi_comm_add(struct mpi_job *job, size_t count, uint32_t parent, bool is_whole)
{
	struct mpi_messages *messages = job->messages;

	messages->comms =
		need(reallocarray(messages->comms, messages->ncomms + 1, sizeof(*messages->comms)));
	messages->comms[messages->ncomms] =
		(struct mpi_comm){.ranks = need(calloc(count + 1, sizeof(int64_t))),
				  .count = count,
				  .parent = parent,
				  .is_whole = is_whole};
	job->ranks += count;
	return (uint32_t)messages->ncomms++;
}

/* All ranks of the world, if the launcher told how many there are; else those that are there. False: too many. */
static bool world_add(struct mpi_job *job)
{
	int64_t size = job->count ? job->list[0].size : 0, most = 0;

	for (size_t i = 0; i < job->count; i++) {
		if (job->list[i].size != size)
			size = 0;
		if (job->list[i].rank > most)
			most = job->list[i].rank;
	}
	bool is_whole = size > most && size <= MPI_RANKS_MOST;
	size_t count = (size_t)(is_whole ? size : most + 1);
	if (job->ranks + count > MPI_ALL_RANKS_MOST)
		return false;
	uint32_t number = mpi_comm_add(job, count, NO_COMM, is_whole);

	for (size_t i = 0; i < count; i++)
		job->messages->comms[number].ranks[i] = (int64_t)i;
	for (size_t i = 0; i < job->count; i++) {
		job->list[i].comms[0].comm = number;
		job->list[i].comms[0].rank = (int)job->list[i].rank;
	}
	job->world = number;
	return true;
}

/* The process's own number of a communicator of the job. */
static uint32_t own_number(const struct mpi_process *process, uint32_t comm)
{
	for (uint32_t i = 0; i < process->ncomms; i++)
		if (process->comms[i].comm == comm)
			return i;
	return NO_COMM;
}

/* What a rank did in the call that made communicators of another one. */
struct part {
	struct mpi_process *process;
	struct mpi_own_comm *made; /* NULL: not known */
	int place;		   /* the rank in the parent */
};

struct mpi_own_comm *mpi_own_made(const struct mpi_process *process, uint32_t parent,
				  uint32_t place)
{
	uint32_t own = own_number(process, parent);

	for (size_t i = own == NO_COMM ? process->ncomms : own + 1; i < process->ncomms; i++)
		if (process->comms[i].parent == own && process->comms[i].place == place)
			return &process->comms[i];
	return NULL;
}

/* How many of the parts are known, all of one role. 0: roles differ. */
static size_t parts_find(const struct mpi_job *job, uint32_t parent, uint32_t place,
			 struct part *parts)
{
	const struct mpi_comm *comm = &job->messages->comms[parent];
	const struct mpi_own_comm *first = NULL;
	size_t known = 0;

	for (size_t i = 0; i < comm->count; i++) {
		struct mpi_process *process = mpi_process_of_rank(job, comm->ranks[i]);
		struct mpi_own_comm *made =
			process && !process->lost ? mpi_own_made(process, parent, place) : NULL;

		parts[i] = (struct part){process, made, (int)i};
		if (made && first && made->role != first->role)
			return 0;
		first = first ? first : made;
		known += made != NULL;
	}
	return known;
}

static int parts_by_key(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->made->color != y->made->color)
		return x->made->color < y->made->color ? -1 : 1;
	if (x->made->key != y->made->key)
		return x->made->key < y->made->key ? -1 : 1;
	return x->place - y->place;
}

/* The parts are a communicator's ranks, in their order. */
static void parts_become(struct mpi_job *job, const struct part *parts, size_t count,
			 uint32_t parent, bool is_whole)
{
	uint32_t number = mpi_comm_add(job, count, parent, is_whole);
	const int64_t *above = job->messages->comms[parent].ranks;

	for (size_t i = 0; i < count; i++) {
		job->messages->comms[number].ranks[i] = above[parts[i].place];
		if (!parts[i].made)
			continue;
		parts[i].made->comm = number;
		parts[i].made->rank = (int)i;
	}
}

/* Ranks of one color, sorted by their keys. Ranks without a color get none. */
static void parts_split(struct mpi_job *job, struct part *parts, size_t count, uint32_t parent)
{
	size_t first = 0;

	qsort(parts, count, sizeof(*parts), parts_by_key);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && parts[i].made->color == parts[first].made->color)
			continue;
		if (parts[first].made->color >= 0)
			parts_become(job, parts + first, i - first, parent, true);
		first = i;
	}
}

/* The colors and keys of MPI_Cart_sub. False: they are not known, or the ranks disagree. */
static bool parts_color_grid(const struct part *parts, size_t count)
{
	const struct mpi_own_comm *made = parts[0].made;
	const struct mpi_grid grid = parts[0].process->comms[made->parent].grid;

	if (!made->remaining.is_known || !grid.is_known ||
	    mpi_dims_ranks(grid.dims, grid.count) != (int64_t)count)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct mpi_own_comm *other = parts[i].made;

		if (!mpi_grids_are_equal(&grid, &parts[i].process->comms[other->parent].grid) ||
		    !other->remaining.is_known || other->remaining.bits != made->remaining.bits)
			return false;
		mpi_grid_divide(&grid, made->remaining, parts[i].place, &other->color, &other->key);
	}
	return true;
}

/* Those of MPI_Comm_split_type. False: they are not known. */
static bool parts_color_hosts(const struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!parts[i].made->by_host || parts[i].process->host == NO_HOST)
			return false;
		if (parts[i].made->color >= 0)
			parts[i].made->color = parts[i].process->host;
	}
	return true;
}

/* All parts are known. False: not which ranks belong together. */
static bool parts_color(const struct part *parts, size_t count)
{
	switch (parts[0].made->role) {
	case MPI_ROLE_COMM_SPLIT:
		return true;
	case MPI_ROLE_COMM_SPLIT_TYPE:
		return parts_color_hosts(parts, count);
	case MPI_ROLE_COMM_CART_SUB:
		return parts_color_grid(parts, count);
	default:
		return false;
	}
}

/* --- communicators of groups */

/* Whose own communicators are meant. */
struct own_comms {
	const struct mpi_job *job;
	const struct mpi_process *process;
};

static bool own_comm_ranks(const void *context, uint32_t own, const int64_t **list, size_t *count)
{
	const struct own_comms *comms = context;
	uint32_t number = own < comms->process->ncomms ? comms->process->comms[own].comm : NO_COMM;
	const struct mpi_comm *comm =
		number == NO_COMM ? NULL : &comms->job->messages->comms[number];

	if (!comm || !comm->is_whole)
		return false;
	*list = comm->ranks;
	*count = comm->count;
	/* An intercommunicator's group is that of the process. */
	if (comm->first_group && (size_t)comms->process->comms[own].rank < comm->first_group) {
		*count = comm->first_group;
	} else if (comm->first_group) {
		*list += comm->first_group;
		*count -= comm->first_group;
	}
	return true;
}

static struct mpi_ranks made_ranks(const struct mpi_job *job, const struct mpi_process *process,
				   const struct mpi_own_comm *made)
{
	const struct own_comms comms = {job, process};

	return mpi_group_ranks(&process->groups, made->group, own_comm_ranks, &comms);
}

static bool comm_has_ranks(const struct mpi_job *job, uint32_t number,
			   const struct mpi_ranks *ranks)
{
	const struct mpi_comm *comm = &job->messages->comms[number];

	return comm->count == ranks->count &&
	       !memcmp(comm->ranks, ranks->list, ranks->count * sizeof(*ranks->list));
}

/* The process has made that communicator, if it is one of its ranks. */
static void made_become(const struct mpi_job *job, const struct mpi_process *process,
			struct mpi_own_comm *made, uint32_t number)
{
	const struct mpi_comm *comm = &job->messages->comms[number];

	for (size_t i = 0; i < comm->count; i++)
		if (comm->ranks[i] == process->rank) {
			made->comm = number;
			made->rank = (int)i;
		}
}

static uint32_t comm_of_ranks(struct mpi_job *job, const struct mpi_ranks *ranks, uint32_t parent)
{
	uint32_t number = mpi_comm_add(job, ranks->count, parent, true);

	memcpy(job->messages->comms[number].ranks, ranks->list,
	       ranks->count * sizeof(*ranks->list));
	return number;
}

/* MPI_Comm_create: the ranks of a group name the same one. There may be several groups. */
static void parts_create(struct mpi_job *job, const struct part *parts, size_t count,
			 uint32_t parent)
{
	uint32_t first = (uint32_t)job->messages->ncomms;

	for (size_t i = 0; i < count; i++) {
		struct mpi_ranks ranks = {0};
		uint32_t number = first;

		if (parts[i].made)
			ranks = made_ranks(job, parts[i].process, parts[i].made);
		if (ranks.is_known && ranks.count) {
			while (number < job->messages->ncomms &&
			       !comm_has_ranks(job, number, &ranks))
				number++;
			if (number == job->messages->ncomms)
				comm_of_ranks(job, &ranks, parent);
			made_become(job, parts[i].process, parts[i].made, number);
		}
		free(ranks.list);
	}
}

/* Communicators that ranks of a group made of one communicator, or of the group alone, in the order in which they were found. */
struct creations {
	struct creation {
		uint32_t comm;
		enum mpi_role role;
		uint32_t tag;
		const struct mpi_process *taken_by; /* that was the last to make it */
		size_t before; /* 1 + the place of the last one of the same ranks and tag */
	} * list;
	size_t count;
};

/*
 * The place of the first such communicator that the process has not made yet; a new one's, if there is
 * none. Processes mostly make them in one order, so the search goes on behind the last one. With
 * several threads the orders differ, so there may be an earlier one.
 */
static size_t creation_place(struct mpi_job *job, struct creations *creations,
			     const struct mpi_ranks *ranks, uint32_t parent,
			     const struct mpi_own_comm *made, const struct mpi_process *process,
			     size_t from)
{
	size_t before = 0;

	for (size_t i = 0; i < creations->count; i++) {
		size_t place = (from + i) % creations->count;
		const struct creation *creation = &creations->list[place];

		if (creation->role != made->role || creation->tag != made->tag ||
		    !comm_has_ranks(job, creation->comm, ranks))
			continue;
		if (creation->taken_by == process) {
			before = place >= before ? place + 1 : before;
			continue;
		}
		while (creation->before &&
		       creations->list[creation->before - 1].taken_by != process) {
			place = creation->before - 1;
			creation = &creations->list[place];
		}
		return place;
	}
	creations->list =
		need(reallocarray(creations->list, creations->count + 1, sizeof(*creations->list)));
	creations->list[creations->count] =
		(struct creation){.comm = comm_of_ranks(job, ranks, parent),
				  .role = made->role,
				  .tag = made->tag,
				  .before = before};
	return creations->count++;
}

static void process_create_groups(struct mpi_job *job, const struct mpi_process *process,
				  uint32_t parent, struct creations *creations)
{
	uint32_t own = own_number(process, parent);
	size_t next = 0;

	for (size_t i = own == NO_COMM ? process->ncomms : own + 1; i < process->ncomms; i++) {
		struct mpi_own_comm *made = &process->comms[i];

		if (made->parent != own || made->place != NO_PLACE ||
		    job->ranks >= MPI_ALL_RANKS_MOST)
			continue;
		struct mpi_ranks ranks = made_ranks(job, process, made);
		if (ranks.is_known) {
			size_t place =
				creation_place(job, creations, &ranks, parent, made, process, next);
			creations->list[place].taken_by = process;
			next = place + 1;
			made_become(job, process, made, creations->list[place].comm);
		}
		free(ranks.list);
	}
}

/*
 * MPI_Comm_create_group, MPI_Comm_create_from_group: only a group's ranks call it, so it is no creation by all
 * ranks. The n-th of one group with one tag is the same in all of them.
 */
static void comm_create_groups(struct mpi_job *job, uint32_t parent)
{
	struct creations creations = {0};

	for (size_t i = 0; i < job->messages->comms[parent].count; i++) {
		const struct mpi_process *process =
			mpi_process_of_rank(job, job->messages->comms[parent].ranks[i]);

		if (process && !process->lost)
			process_create_groups(job, process, parent, &creations);
	}
	free(creations.list);
}

/* --- communicators between groups */

/* The leader knows with which other group it is one. */
static void parts_meet(struct mpi_halves *halves, const struct part *parts, size_t count,
		       const struct mpi_own_comm *made, uint32_t parent, uint32_t place)
{
	size_t leader = (size_t)made->leader;

	if (leader < count && parts[leader].made && parts[leader].made->leader == made->leader)
		mpi_half_add(halves, (struct mpi_half){.local = parent,
						       .place = place,
						       .leader = parts[leader].process,
						       .made = parts[leader].made});
}

/* All ranks of a group say the same. If both groups do, MPI chooses which of them is first. */
static bool parts_are_merged(const struct part *parts, size_t count, size_t first_group)
{
	for (size_t i = 0; i < count; i++)
		if ((parts[i].made->key == parts[0].made->key) != (i < first_group))
			return false;
	return true;
}

/* Of an intercommunicator. */
static void comm_make_between(struct mpi_job *job, struct part *parts, size_t known,
			      enum mpi_role role, uint32_t parent)
{
	const struct mpi_comm comm = job->messages->comms[parent];

	if (role == MPI_ROLE_COMM_DUP) {
		parts_become(job, parts, comm.count, parent, comm.is_whole);
		job->messages->comms[job->messages->ncomms - 1].first_group = comm.first_group;
	} else if (role == MPI_ROLE_INTERCOMM_MERGE && known == comm.count &&
		   parts_are_merged(parts, comm.count, comm.first_group)) {
		parts_split(job, parts, comm.count, parent);
	}
}

/* --- all communicators */

/* What the place-th call made of a communicator. False: no rank is known to have made it. */
static bool comm_make(struct mpi_job *job, uint32_t parent, uint32_t place, struct part *parts,
		      struct mpi_halves *halves)
{
	const struct mpi_comm comm = job->messages->comms[parent];
	size_t known = job->ranks < MPI_ALL_RANKS_MOST ? parts_find(job, parent, place, parts) : 0;
	const struct mpi_own_comm *made = NULL;

	for (size_t i = 0; i < comm.count && known && !made; i++)
		made = parts[i].made;
	if (!made)
		return false;
	if (comm.first_group)
		comm_make_between(job, parts, known, made->role, parent);
	else if (made->role == MPI_ROLE_COMM_DUP)
		parts_become(job, parts, comm.count, parent, comm.is_whole);
	else if (made->role == MPI_ROLE_INTERCOMM && comm.is_whole)
		parts_meet(halves, parts, comm.count, made, parent, place);
	else if (comm.is_whole && known == comm.count && parts_color(parts, comm.count))
		parts_split(job, parts, comm.count, parent);
	else if (made->role == MPI_ROLE_COMM_CREATE)
		parts_create(job, parts, comm.count, parent);
	else if ((made->role == MPI_ROLE_COMM_CART || made->role == MPI_ROLE_COMM_GRAPH) &&
		 made->members > 0 && (size_t)made->members <= comm.count)
		parts_become(job, parts, (size_t)made->members, parent, comm.is_whole);
	return true;
}

static void comm_make_all(struct mpi_job *job, uint32_t parent, struct mpi_halves *halves)
{
	size_t count = job->messages->comms[parent].count;
	struct part *parts = need(calloc(count + 1, sizeof(*parts)));
	uint32_t place = 0;

	while (comm_make(job, parent, place, parts, halves))
		place++;
	comm_create_groups(job, parent);
	free(parts);
}

void mpi_comms_find(struct mpi_job *job)
{
	struct mpi_halves halves = {0};
	if (!world_add(job))
		return;
	uint32_t parent = job->world;

	mpi_hosts_find(job);
	do {
		while (parent < job->messages->ncomms)
			comm_make_all(job, parent++, &halves);
	} while (mpi_halves_join(job, &halves));
	free(halves.list);
}
