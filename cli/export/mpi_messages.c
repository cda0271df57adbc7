/* SPDX-License-Identifier: MIT */
/*
 * mpi_messages.c: see mpi_messages.h.
 *
 * First each process is read by itself. Then communicators are found (mpi_comms.h). Then the ends
 * are sorted by what they match by, and those of equal place belong together.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_comms.h"
#include "cli/export/mpi_messages.h"
#include "cli/export/mpi_process.h"

/* A flow's number has so many bits below those of other flows (timeline_numbers.c). */
#define NUMBERS_MOST ((1u << 30) - 1)

/* --- processes */

static bool input_is_rank(const struct timeline_process *input)
{
	return input->has_rank && input->rank >= 0 && input->rank < MPI_RANKS_MOST;
}

/* Several processes of one rank that send: which of them is meant is not known. */
static void job_lose_doubles(struct mpi_job *job)
{
	for (size_t i = 1; i < job->count; i++)
		if (job->list[i].rank == job->list[i - 1].rank)
			job->list[i].lost = job->list[i - 1].lost = true;
}

static void job_read(struct mpi_job *job, uint32_t world, const struct selection *selection)
{
	const struct timeline_inputs *inputs = job->inputs;

	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->list[i].world != world || !input_is_rank(&inputs->list[i]))
			continue;
		job->list = need(reallocarray(job->list, job->count + 1, sizeof(*job->list)));
		struct mpi_process *process = &job->list[job->count];

		mpi_process_read(process, inputs, i, selection);
		if (process->count || process->ncomms > 1)
			job->count++;
		else
			mpi_process_free(process);
	}
	job_lose_doubles(job);
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

/*
 * Between groups, calls name the other group's ranks, which stand behind those of the first group. So each
 * rank has a number of its own, as in other communicators.
 */
static void end_set_ranks(struct mpi_end *end, const struct mpi_own_comm *own,
			  const struct mpi_comm *comm)
{
	int *self = end->is_receive ? &end->destination : &end->source,
	    *peer = end->is_receive ? &end->source : &end->destination;

	*self = own->rank;
	if ((size_t)own->rank < comm->first_group && *peer >= 0)
		*peer = (int)((unsigned)*peer + (unsigned)comm->first_group);
}

/* The ends of all processes, with the job's communicators. */
static void job_take_ends(struct mpi_job *job, struct doubts *doubts)
{
	for (size_t i = 0; i < job->count; i++) {
		const struct mpi_process *process = &job->list[i];

		for (size_t k = 0; k < process->count && !process->lost; k++) {
			struct mpi_end end = process->ends[k];
			const struct mpi_own_comm *comm = &process->comms[end.comm];

			if (comm->comm == NO_COMM || !end.is_wanted)
				continue;
			end_set_ranks(&end, comm, &job->messages->comms[comm->comm]);
			end.comm = comm->comm;
			end.may_lack = !process->finalized;
			if (end.is_receive && !end.channel &&
			    (end.is_in_doubt || end.source < 0 || end.tag < 0))
				doubt_add(doubts, &end);
			else
				end_take(job->messages, end);
		}
	}
}

static int ends_compare_keys(const struct mpi_end *x, const struct mpi_end *y)
{
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->destination != y->destination)
		return x->destination < y->destination ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return (x->channel > y->channel) - (x->channel < y->channel);
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

/* Calls of several threads have an order if none began while one of another thread had not returned. */
static bool in_order(const struct mpi_end *ends, size_t count)
{
	uint64_t returned = 0;

	for (size_t i = 0; i < count; i++) {
		if (i && ends[i].posted_tid != ends[i - 1].posted_tid && ends[i].posted < returned)
			return false;
		returned = ends[i].posted_end > returned ? ends[i].posted_end : returned;
	}
	return true;
}

/* On one clock, no message arrives before it is sent. */
static bool in_time(const struct timeline_inputs *inputs, const struct mpi_end *sends,
		    const struct mpi_end *receives, size_t count)
{
	const struct timeline_process *from = &inputs->list[sends->process],
				      *to = &inputs->list[receives->process];

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
static size_t key_known(const struct timeline_inputs *inputs, const struct mpi_end *sends,
			size_t nsends, const struct mpi_end *receives, size_t nreceives,
			const struct doubts *doubts)
{
	size_t count = nsends < nreceives ? nsends : nreceives;
	uint64_t since = UINT64_MAX;

	if (!count || !in_order(sends, nsends) || !in_order(receives, nreceives))
		return 0;
	if (!sends->channel && (nsends != nreceives || !all_finished(receives, nreceives)))
		since = end_doubted_since(doubts, receives);
	if ((nsends > count && !receives->may_lack && since == UINT64_MAX) ||
	    (nreceives > count && !sends->may_lack))
		return 0;
	while (count && receives[count - 1].posted >= since)
		count--;
	return in_time(inputs, sends, receives, count) ? count : 0;
}

/*
 * Sends that were cancelled, or were not. If as many messages were received as were sent in all, they were
 * not; if as many as were sent without these, they were, and are put behind the others. Returns how many
 * sends there are. 0: that is not known, as where other ends of the key may be missing.
 */
static size_t sends_settle(struct mpi_end *sends, size_t nsends, const struct mpi_end *receives,
			   size_t nreceives, const struct doubts *doubts)
{
	size_t certain = 0;

	for (size_t i = 0; i < nsends; i++)
		certain += !sends[i].is_in_doubt;
	if (certain == nsends)
		return nsends;
	if (!nreceives || sends->may_lack || receives->may_lack)
		return 0;
	if (nsends == nreceives)
		return nsends;
	if (certain != nreceives || end_doubted_since(doubts, receives) != UINT64_MAX)
		return 0;
	for (size_t i = 0, kept = 0; i < nsends; i++)
		if (!sends[i].is_in_doubt)
			sends[kept++] = sends[i];
	return certain;
}

/* All ends of a key. */
static void key_match(const struct timeline_inputs *inputs, struct mpi_end *ends, size_t count,
		      const struct doubts *doubts, uint64_t *number)
{
	size_t first = 0; /* of the receives */

	while (first < count && !ends[first].is_receive)
		first++;
	size_t sends = sends_settle(ends, first, ends + first, count - first, doubts);
	size_t known = key_known(inputs, ends, sends, ends + first, count - first, doubts);
	for (size_t i = 0; i < known; i++) {
		struct mpi_end *send = &ends[i], *receive = &ends[first + i];

		if (!receive->is_finished || !send->is_selected || !receive->is_selected ||
		    *number >= NUMBERS_MOST)
			continue;
		send->number = receive->number = ++*number;
		send->bytes = receive->bytes;
	}
}

static bool is_message(const struct mpi_end *end)
{
	return end->number != 0;
}

static bool is_not_partitioned(const struct mpi_end *end)
{
	return !end->channel;
}

static void ends_keep(struct mpi_messages *messages, bool (*is_kept)(const struct mpi_end *end))
{
	size_t kept = 0;

	for (size_t i = 0; i < messages->count; i++)
		if (is_kept(&messages->list[i]))
			messages->list[kept++] = messages->list[i];
	messages->count = kept;
}

static void ends_match(struct mpi_messages *messages, const struct timeline_inputs *inputs,
		       struct doubts *doubts)
{
	uint64_t number = 0;
	size_t first = 0;

	if (doubts->count)
		qsort(doubts->list, doubts->count, sizeof(*doubts->list), doubts_compare);
	if (messages->count)
		qsort(messages->list, messages->count, sizeof(*messages->list), ends_by_key);
	for (size_t i = 1; i <= messages->count; i++) {
		if (i < messages->count &&
		    !ends_compare_keys(&messages->list[first], &messages->list[i]))
			continue;
		key_match(inputs, &messages->list[first], i - first, doubts, &number);
		first = i;
	}
	ends_keep(messages, is_message);
	if (messages->count)
		qsort(messages->list, messages->count, sizeof(*messages->list), ends_by_process);
}

void mpi_messages_find(struct mpi_messages *messages, const struct timeline_inputs *inputs,
		       const struct selection *selection)
{
	struct doubts doubts = {0};
	size_t ranks = 0;

	for (uint32_t world = 0; world < inputs->worlds.count; world++) {
		struct mpi_job job = {.messages = messages, .inputs = inputs, .ranks = ranks};

		job_read(&job, world, selection);
		if (job.count) {
			mpi_comms_find(&job);
			job_take_ends(&job, &doubts);
		}
		ranks = job.ranks;
		for (size_t i = 0; i < job.count; i++)
			mpi_process_free(&job.list[i]);
		free(job.list);
	}
	ends_match(messages, inputs, &doubts);
	free(doubts.list);
}

void mpi_messages_keep_plain(struct mpi_messages *messages, const struct timeline_inputs *inputs)
{
	ends_keep(messages, is_not_partitioned);
	for (size_t i = 1; i < messages->count; i++) {
		size_t one = messages->list[i - 1].process, other = messages->list[i].process;

		if (inputs->list[one].world != inputs->list[other].world)
			messages->count = 0;
	}
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
