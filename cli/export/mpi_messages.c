/* SPDX-License-Identifier: MIT */
/*
 * mpi_messages.c: see mpi_messages.h.
 *
 * First each process is read by itself. Then communicators are found, from the world downwards: the
 * k-th call that makes one of a communicator is the same call in all of its ranks. Then the ends
 * are sorted by what they match by, and those of equal place belong together.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_messages.h"
#include "cli/export/mpi_process.h"

/* A flow's number has so many bits below those of other flows (timeline_numbers.c). */
#define NUMBERS_MOST ((1u << 30) - 1)

/* Of all communicators. With more, further communicators are not known: a file may claim any number. */
#define ALL_RANKS_MOST ((size_t)2 * MPI_RANKS_MOST)

struct job {
	struct mpi_messages *messages;
	const struct timeline_inputs *inputs;
	struct mpi_process *list; /* those that use MPI */
	size_t count;
	size_t ranks; /* of all communicators */
};

/* --- processes */

static bool input_is_rank(const struct timeline_process *input)
{
	return input->has_rank && input->rank >= 0 && input->rank < MPI_RANKS_MOST;
}

/* Several processes of one rank that send: which of them is meant is not known. */
static void job_lose_doubles(struct job *job)
{
	for (size_t i = 1; i < job->count; i++)
		if (job->list[i].rank == job->list[i - 1].rank)
			job->list[i].lost = job->list[i - 1].lost = true;
}

static void job_read(struct job *job, const struct selection *selection)
{
	job->list = need(calloc(job->inputs->count + 1, sizeof(*job->list)));
	for (size_t i = 0; i < job->inputs->count; i++) {
		struct mpi_process *process = &job->list[job->count];

		if (!input_is_rank(&job->inputs->list[i]))
			continue;
		mpi_process_read(process, job->inputs, i, selection);
		if (process->count || process->ncomms > 1)
			job->count++;
		else
			mpi_process_free(process);
	}
	job_lose_doubles(job);
}

/* NULL: the rank's trace is not there. Inputs, and so processes, are sorted by rank. */
static struct mpi_process *process_of_rank(const struct job *job, int64_t rank)
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

static uint32_t comm_add(struct job *job, size_t count, uint32_t parent, bool is_whole)
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

/* All ranks of the world, if the launcher told how many there are; else those that are there. */
static void world_add(struct job *job)
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
	uint32_t number = comm_add(job, count, NO_COMM, is_whole);

	for (size_t i = 0; i < count; i++)
		job->messages->comms[number].ranks[i] = (int64_t)i;
	for (size_t i = 0; i < job->count; i++)
		job->list[i].comms[0].rank = (int)job->list[i].rank;
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

static struct mpi_own_comm *own_made(const struct mpi_process *process, uint32_t parent,
				     uint32_t place)
{
	uint32_t own = own_number(process, parent);

	for (size_t i = own == NO_COMM ? process->ncomms : own + 1; i < process->ncomms; i++)
		if (process->comms[i].parent == own && process->comms[i].place == place)
			return &process->comms[i];
	return NULL;
}

/* How many of the parts are known, all of one role. 0: roles differ. */
static size_t parts_find(const struct job *job, uint32_t parent, uint32_t place, struct part *parts)
{
	const struct mpi_comm *comm = &job->messages->comms[parent];
	const struct mpi_own_comm *first = NULL;
	size_t known = 0;

	for (size_t i = 0; i < comm->count; i++) {
		struct mpi_process *process = process_of_rank(job, comm->ranks[i]);
		struct mpi_own_comm *made =
			process && !process->lost ? own_made(process, parent, place) : NULL;

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
static void parts_become(struct job *job, const struct part *parts, size_t count, uint32_t parent,
			 bool is_whole)
{
	uint32_t number = comm_add(job, count, parent, is_whole);
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
static void parts_split(struct job *job, struct part *parts, size_t count, uint32_t parent)
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

/* --- communicators of groups */

/* What process of a job looks for the ranks of its own communicators. */
struct own_comms {
	const struct job *job;
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
	return true;
}

static struct mpi_ranks made_ranks(const struct job *job, const struct mpi_process *process,
				   const struct mpi_own_comm *made)
{
	const struct own_comms comms = {job, process};

	return mpi_group_ranks(&process->groups, made->group, own_comm_ranks, &comms);
}

static bool comm_has_ranks(const struct job *job, uint32_t number, const struct mpi_ranks *ranks)
{
	const struct mpi_comm *comm = &job->messages->comms[number];

	return comm->count == ranks->count &&
	       !memcmp(comm->ranks, ranks->list, ranks->count * sizeof(*ranks->list));
}

/* The process has made that communicator, if it is one of its ranks. */
static void made_become(const struct job *job, const struct mpi_process *process,
			struct mpi_own_comm *made, uint32_t number)
{
	const struct mpi_comm *comm = &job->messages->comms[number];

	for (size_t i = 0; i < comm->count; i++)
		if (comm->ranks[i] == process->rank) {
			made->comm = number;
			made->rank = (int)i;
		}
}

static uint32_t comm_of_ranks(struct job *job, const struct mpi_ranks *ranks, uint32_t parent)
{
	uint32_t number = comm_add(job, ranks->count, parent, true);

	memcpy(job->messages->comms[number].ranks, ranks->list,
	       ranks->count * sizeof(*ranks->list));
	return number;
}

/* MPI_Comm_create: the ranks of a group name the same one. There may be several groups. */
static void parts_create(struct job *job, const struct part *parts, size_t count, uint32_t parent)
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

/* Communicators that MPI_Comm_create_group made of one communicator, in the order in which they were found. */
struct creations {
	struct creation {
		uint32_t comm;
		int tag;
		size_t taken_by; /* 1 + the process that was the last to make it */
		size_t before;	 /* 1 + the place of the last one of the same ranks and tag */
	} * list;
	size_t count;
};

/*
 * The place of the first such communicator that the process has not made yet; a new one's, if there is
 * none. Processes mostly make them in one order, so the search goes on behind the last one. With
 * several threads the orders differ, so there may be an earlier one.
 */
static size_t creation_place(struct job *job, struct creations *creations,
			     const struct mpi_ranks *ranks, uint32_t parent, int tag,
			     size_t process, size_t from)
{
	size_t before = 0;

	for (size_t i = 0; i < creations->count; i++) {
		size_t place = (from + i) % creations->count;
		const struct creation *creation = &creations->list[place];

		if (creation->tag != tag || !comm_has_ranks(job, creation->comm, ranks))
			continue;
		if (creation->taken_by == process + 1) {
			before = place >= before ? place + 1 : before;
			continue;
		}
		while (creation->before &&
		       creations->list[creation->before - 1].taken_by != process + 1) {
			place = creation->before - 1;
			creation = &creations->list[place];
		}
		return place;
	}
	creations->list =
		need(reallocarray(creations->list, creations->count + 1, sizeof(*creations->list)));
	creations->list[creations->count] = (struct creation){
		.comm = comm_of_ranks(job, ranks, parent), .tag = tag, .before = before};
	return creations->count++;
}

static void process_create_groups(struct job *job, size_t at, uint32_t parent,
				  struct creations *creations)
{
	struct mpi_process *process = &job->list[at];
	uint32_t own = own_number(process, parent);
	size_t next = 0;

	for (size_t i = own == NO_COMM ? process->ncomms : own + 1; i < process->ncomms; i++) {
		struct mpi_own_comm *made = &process->comms[i];

		if (made->parent != own || made->role != MPI_ROLE_COMM_CREATE_GROUP ||
		    job->ranks >= ALL_RANKS_MOST)
			continue;
		struct mpi_ranks ranks = made_ranks(job, process, made);
		if (ranks.is_known) {
			size_t place =
				creation_place(job, creations, &ranks, parent, made->tag, at, next);
			creations->list[place].taken_by = at + 1;
			next = place + 1;
			made_become(job, process, made, creations->list[place].comm);
		}
		free(ranks.list);
	}
}

/*
 * MPI_Comm_create_group: only a group's ranks call it, so it is no creation by all ranks. The n-th of one
 * group with one tag is the same in all of them.
 */
static void comm_create_groups(struct job *job, uint32_t parent)
{
	struct creations creations = {0};

	for (size_t i = 0; i < job->messages->comms[parent].count; i++) {
		const struct mpi_process *process =
			process_of_rank(job, job->messages->comms[parent].ranks[i]);

		if (process && !process->lost)
			process_create_groups(job, (size_t)(process - job->list), parent,
					      &creations);
	}
	free(creations.list);
}

/* --- all communicators */

/* What the place-th call made of a communicator. False: no rank is known to have made it. */
static bool comm_make(struct job *job, uint32_t parent, uint32_t place, struct part *parts)
{
	const struct mpi_comm comm = job->messages->comms[parent];
	size_t known = job->ranks < ALL_RANKS_MOST ? parts_find(job, parent, place, parts) : 0;
	const struct mpi_own_comm *made = NULL;

	for (size_t i = 0; i < comm.count && known && !made; i++)
		made = parts[i].made;
	if (!made)
		return false;
	if (made->role == MPI_ROLE_COMM_DUP)
		parts_become(job, parts, comm.count, parent, comm.is_whole);
	else if (made->role == MPI_ROLE_COMM_SPLIT && comm.is_whole && known == comm.count)
		parts_split(job, parts, comm.count, parent);
	else if (made->role == MPI_ROLE_COMM_CREATE)
		parts_create(job, parts, comm.count, parent);
	else if (made->role == MPI_ROLE_COMM_CART && made->members > 0 &&
		 (size_t)made->members <= comm.count)
		parts_become(job, parts, (size_t)made->members, parent, comm.is_whole);
	return true;
}

static void job_find_comms(struct job *job)
{
	world_add(job);
	for (uint32_t parent = 0; parent < job->messages->ncomms; parent++) {
		size_t count = job->messages->comms[parent].count;
		struct part *parts = need(calloc(count + 1, sizeof(*parts)));
		uint32_t place = 0;

		while (comm_make(job, parent, place, parts))
			place++;
		comm_create_groups(job, parent);
		free(parts);
	}
}

/* --- ends */

static void end_take(struct mpi_messages *messages, struct mpi_end end)
{
	if (messages->count == messages->room) {
		messages->room = 2 * messages->room + 256;
		messages->list = need(reallocarray(messages->list, messages->room, sizeof(end)));
	}
	messages->list[messages->count++] = end;
}

/*
 * A key that a receive of an unknown message may have had. Receives take messages in the order in which
 * they were begun, so what was begun before it is known.
 */
struct doubt {
	uint32_t comm;
	int destination, source, tag; /* MPI_ANY: all */
	uint64_t since;		      /* when the receive was begun */
	uint32_t tid;		      /* and by which thread: threads have no order */
};

struct doubts {
	struct doubt *list;
	size_t count, room;
};

static int doubts_compare_keys(const struct doubt *x, const struct doubt *y)
{
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->destination != y->destination)
		return x->destination < y->destination ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

static int doubts_compare(const void *a, const void *b)
{
	const struct doubt *x = a, *y = b;
	int compared = doubts_compare_keys(x, y);

	return compared ? compared : (x->since > y->since) - (x->since < y->since);
}

static void doubt_add(struct doubts *doubts, const struct mpi_end *end)
{
	if (doubts->count == doubts->room) {
		doubts->room = 2 * doubts->room + 64;
		doubts->list =
			need(reallocarray(doubts->list, doubts->room, sizeof(*doubts->list)));
	}
	doubts->list[doubts->count++] = (struct doubt){
		end->comm, end->destination, end->source, end->tag, end->posted, end->posted_tid};
}

/* Since when receives of the key are in doubt. Never: UINT64_MAX; another thread's receive: always. */
static uint64_t doubts_since(const struct doubts *doubts, const struct mpi_end *receive, int source,
			     int tag)
{
	const struct doubt key = {receive->comm, receive->destination, source, tag, 0, 0};
	size_t low = 0, high = doubts->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (doubts_compare(&doubts->list[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	uint64_t since = UINT64_MAX;
	for (; low < doubts->count && !doubts_compare_keys(&doubts->list[low], &key); low++) {
		if (doubts->list[low].tid != receive->posted_tid)
			return 0;
		since = doubts->list[low].since < since ? doubts->list[low].since : since;
	}
	return since;
}

static uint64_t end_doubted_since(const struct doubts *doubts, const struct mpi_end *receive)
{
	uint64_t since = UINT64_MAX;

	for (int any = 0; any < 4; any++) {
		uint64_t one = doubts_since(doubts, receive, any & 1 ? MPI_ANY : receive->source,
					    any & 2 ? MPI_ANY : receive->tag);
		since = one < since ? one : since;
	}
	return since;
}

/* The ends of all processes, with the job's communicators. */
static void job_take_ends(struct job *job, struct doubts *doubts)
{
	for (size_t i = 0; i < job->count; i++) {
		const struct mpi_process *process = &job->list[i];

		for (size_t k = 0; k < process->count && !process->lost; k++) {
			struct mpi_end end = process->ends[k];
			const struct mpi_own_comm *comm = &process->comms[end.comm];

			if (comm->comm == NO_COMM || !end.is_wanted)
				continue;
			*(end.is_receive ? &end.destination : &end.source) = comm->rank;
			end.comm = comm->comm;
			end.may_lack = !process->finalized;
			if (end.is_receive && (end.is_in_doubt || end.source < 0 || end.tag < 0))
				doubt_add(doubts, &end);
			else
				end_take(job->messages, end);
		}
	}
	if (doubts->count)
		qsort(doubts->list, doubts->count, sizeof(*doubts->list), doubts_compare);
}

static int ends_compare_keys(const struct mpi_end *x, const struct mpi_end *y)
{
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->destination != y->destination)
		return x->destination < y->destination ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

/* By key: first the sends, then the receives, each in their order. */
static int ends_by_key(const void *a, const void *b)
{
	const struct mpi_end *x = a, *y = b;
	int compared = ends_compare_keys(x, y);

	if (compared)
		return compared;
	if (x->is_receive != y->is_receive)
		return x->is_receive ? 1 : -1;
	return (x->posted > y->posted) - (x->posted < y->posted);
}

static int ends_by_process(const void *a, const void *b)
{
	const struct mpi_end *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (mpi_end_ns(x) != mpi_end_ns(y))
		return mpi_end_ns(x) < mpi_end_ns(y) ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* --- matching */

static bool one_thread(const struct mpi_end *ends, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (ends[i].posted_tid != ends[0].posted_tid)
			return false;
	return true;
}

/* On one clock, no message arrives before it is sent. */
static bool in_time(const struct job *job, const struct mpi_end *sends,
		    const struct mpi_end *receives, size_t count)
{
	const struct timeline_process *from = &job->inputs->list[sends->process],
				      *to = &job->inputs->list[receives->process];

	if (from->clock != to->clock || !from->clock)
		return true;
	for (size_t i = 0; i < count; i++)
		if (receives[i].is_finished && receives[i].end < sends[i].start)
			return false;
	return true;
}

static bool all_finished(const struct mpi_end *receives, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!receives[i].is_finished)
			return false;
	return true;
}

/*
 * How many of the sends are known: the first of them is the first of the receives, and so on. If as many
 * receives have ended as were sent, no unknown receive took a message of this key.
 */
static size_t key_known(const struct job *job, const struct mpi_end *sends, size_t nsends,
			const struct mpi_end *receives, size_t nreceives,
			const struct doubts *doubts)
{
	size_t count = nsends < nreceives ? nsends : nreceives;
	uint64_t since = UINT64_MAX;

	if (!count || !one_thread(sends, nsends) || !one_thread(receives, nreceives))
		return 0;
	if (nsends != nreceives || !all_finished(receives, nreceives))
		since = end_doubted_since(doubts, receives);
	if ((nsends > count && !receives->may_lack && since == UINT64_MAX) ||
	    (nreceives > count && !sends->may_lack))
		return 0;
	while (count && receives[count - 1].posted >= since)
		count--;
	return in_time(job, sends, receives, count) ? count : 0;
}

/* All ends of a key. */
static void key_match(const struct job *job, struct mpi_end *ends, size_t count,
		      const struct doubts *doubts, uint64_t *number)
{
	size_t sends = 0;

	while (sends < count && !ends[sends].is_receive)
		sends++;
	size_t known = key_known(job, ends, sends, ends + sends, count - sends, doubts);
	for (size_t i = 0; i < known; i++) {
		struct mpi_end *send = &ends[i], *receive = &ends[sends + i];

		if (!receive->is_finished || !send->is_selected || !receive->is_selected ||
		    *number >= NUMBERS_MOST)
			continue;
		send->number = receive->number = ++*number;
		send->bytes = receive->bytes;
	}
}

static void job_match(struct job *job, const struct doubts *doubts)
{
	struct mpi_messages *messages = job->messages;
	uint64_t number = 0;
	size_t first = 0, kept = 0;

	if (messages->count)
		qsort(messages->list, messages->count, sizeof(*messages->list), ends_by_key);
	for (size_t i = 1; i <= messages->count; i++) {
		if (i < messages->count &&
		    !ends_compare_keys(&messages->list[first], &messages->list[i]))
			continue;
		key_match(job, &messages->list[first], i - first, doubts, &number);
		first = i;
	}
	for (size_t i = 0; i < messages->count; i++)
		if (messages->list[i].number)
			messages->list[kept++] = messages->list[i];
	messages->count = kept;
	if (kept)
		qsort(messages->list, kept, sizeof(*messages->list), ends_by_process);
}

void mpi_messages_find(struct mpi_messages *messages, const struct timeline_inputs *inputs,
		       const struct selection *selection)
{
	struct job job = {.messages = messages, .inputs = inputs};
	struct doubts doubts = {0};

	job_read(&job, selection);
	if (job.count) {
		job_find_comms(&job);
		job_take_ends(&job, &doubts);
		job_match(&job, &doubts);
	}
	for (size_t i = 0; i < job.count; i++)
		mpi_process_free(&job.list[i]);
	free(job.list);
	free(doubts.list);
}

const struct mpi_end *mpi_messages_of(const struct mpi_messages *messages, size_t process,
				      size_t *count)
{
	size_t low = 0, high = messages->count, end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (messages->list[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < messages->count && messages->list[end].process == process; end++)
		;
	*count = end - low;
	return messages->list ? messages->list + low : NULL;
}

void mpi_messages_free(struct mpi_messages *messages)
{
	for (size_t i = 0; i < messages->ncomms; i++)
		free(messages->comms[i].ranks);
	free(messages->comms);
	free(messages->list);
}
