/* SPDX-License-Identifier: MIT */
/*
 * timeline_align.c: see timeline_align.h.
 *
 * Which calls belong together is known by their order: the k-th call of this kind on the world's
 * communicator is the same in all ranks. The world's handle differs from rank to rank. It is the
 * first one that a rank uses at all, since any other is made from it. If the ranks' calls do not
 * have the same names in the same order, only those before the first difference count.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/align_fit.h"
#include "cli/export/timeline_align.h"
#include "cli/read/read.h"
#include "format/file/file.h"

/* ---- calls ---- */

/* Calls in which each rank waits for all others. */
static const char *const all_wait[] = {
	"MPI_Barrier",
	"MPI_Allreduce",
	"MPI_Allgather",
	"MPI_Allgatherv",
	"MPI_Alltoall",
	"MPI_Reduce_scatter",
	"MPI_Reduce_scatter_block",
};

struct call {
	int64_t enter, exit; /* by the process's clock, in nanoseconds since 1970 */
	uint64_t comm;
	uint32_t kind;
};

struct rank_calls {
	size_t process;
	struct call *list;
	size_t count, room;
	uint64_t world; /* the communicator of the call that came first, */
	int64_t first;	/* and when */
};

struct reading {
	const struct tl_trace *trace;
	int64_t offset;
	struct rank_calls *calls;
	/* of the function that was seen last */
	uint32_t function;
	int comm; /* the parameter's number; -1: none */
	int kind; /* in all_wait; -1: another call */
};

static int parameter_named(const struct tl_function *function, const char *name)
{
	for (uint16_t i = 0; i < function->count; i++)
		if (!strcmp(function->params[i].name, name))
			return i;
	return -1;
}

static void reading_know(struct reading *reading, uint32_t id)
{
	const struct tl_function *function = tl_trace_function(reading->trace, id);

	reading->function = id;
	reading->comm = reading->kind = -1;
	if (!function || strncmp(function->name, "MPI_", 4) || function->words != function->count)
		return;
	reading->comm = parameter_named(function, "comm");
	for (size_t i = 0; i < sizeof(all_wait) / sizeof(*all_wait); i++)
		if (!strcmp(function->name, all_wait[i]))
			reading->kind = (int)i;
}

static void call_add(struct rank_calls *calls, const struct call *call)
{
	if (calls->count == calls->room) {
		calls->room = calls->room ? 2 * calls->room : 256;
		calls->list = need(reallocarray(calls->list, calls->room, sizeof(*calls->list)));
	}
	calls->list[calls->count++] = *call;
}

static void read_record(struct reading *reading, const struct tl_call_record *record)
{
	if (record->function != reading->function)
		reading_know(reading, record->function);
	if (reading->comm < 0 || !(record->flags & TL_RECORD_WORDS))
		return;
	const uint64_t *words =
		(const uint64_t *)(const void *)(record + 1) + !!(record->flags & TL_RECORD_CAUSE);
	struct call call = {.comm = words[reading->comm]};

	if ((const char *)(words + reading->comm + 1) >
	    (const char *)record + (size_t)record->size * 8)
		return;
	call.enter = (int64_t)tl_trace_ns(reading->trace, record->start) + reading->offset;
	call.exit = (int64_t)tl_trace_ns(reading->trace,
					 tl_record_end(record->start, record->duration)) +
		    reading->offset;
	if (call.enter < reading->calls->first) {
		reading->calls->first = call.enter;
		reading->calls->world = call.comm;
	}
	if (reading->kind < 0 || record->flags & TL_RECORD_UNWOUND || record->result)
		return;
	call.kind = (uint32_t)reading->kind;
	call_add(reading->calls, &call);
}

static void read_file(struct rank_calls *calls, const char *path, int64_t offset)
{
	struct tl_trace *trace = record_file_open(path);
	struct reading reading = {.trace = trace,
				  .offset = offset,
				  .calls = calls,
				  .function = UINT32_MAX,
				  .comm = -1,
				  .kind = -1};
	struct tl_trace_passed passed = {.bytes = 0};

	for (size_t i = 0; trace && i < trace->nruns; i++) {
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		while ((record = tl_trace_next(&trace->runs[i], &place)))
			if (record->type == TL_RECORD_CALL)
				read_record(&reading, record);
		tl_trace_left(trace, &trace->runs[i], &place, &passed);
	}
	tl_trace_close(trace);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->enter > y->enter) - (x->enter < y->enter);
}

/* The process's calls on the world's communicator, in their order. */
static void read_process(struct rank_calls *calls, const struct timeline_process *process)
{
	size_t kept = 0;

	calls->first = INT64_MAX;
	for (size_t i = 0; i < process->nparts; i++)
		read_file(calls, process->parts[i].path, process->offset);
	for (size_t i = 0; i < calls->count; i++)
		if (calls->list[i].comm == calls->world)
			calls->list[kept++] = calls->list[i];
	calls->count = kept;
	if (kept)
		qsort(calls->list, kept, sizeof(*calls->list), compare_calls);
}

/* How many calls all ranks have made alike. */
static size_t count_alike(const struct rank_calls *ranks, size_t count)
{
	size_t alike = ranks[0].count;

	for (size_t i = 1; i < count; i++) {
		alike = ranks[i].count < alike ? ranks[i].count : alike;
		for (size_t k = 0; k < alike; k++)
			if (ranks[i].list[k].kind != ranks[0].list[k].kind)
				alike = k;
	}
	return alike;
}

/* ---- clocks ---- */

static bool same_clock(const struct timeline_process *a, const struct timeline_process *b)
{
	return a->offset == b->offset && !strcmp(a->identity.boot, b->identity.boot);
}

/* What the k-th call says of one clock's ranks: when the last entered, and the first left. */
struct passage {
	int64_t last_enter, first_exit;
};

static struct passage passage_of(const struct timeline_inputs *inputs,
				 const struct rank_calls *ranks, size_t count, size_t k,
				 const struct timeline_process *clock)
{
	struct passage passage = {INT64_MIN, INT64_MAX};

	for (size_t i = 0; i < count; i++) {
		const struct call *call = &ranks[i].list[k];

		if (!same_clock(&inputs->list[ranks[i].process], clock))
			continue;
		if (call->enter > passage.last_enter)
			passage.last_enter = call->enter;
		if (call->exit < passage.first_exit)
			passage.first_exit = call->exit;
	}
	return passage;
}

/* What to add to the second clock, so that it agrees with the first. */
static struct align_fit clock_fit(const struct timeline_inputs *inputs,
				  const struct rank_calls *ranks, size_t count, size_t alike,
				  const struct timeline_process *first,
				  const struct timeline_process *second)
{
	struct align_bound *bounds = need(calloc(alike + 1, sizeof(*bounds)));

	for (size_t k = 0; k < alike; k++) {
		struct passage a = passage_of(inputs, ranks, count, k, first);
		struct passage b = passage_of(inputs, ranks, count, k, second);

		bounds[k] = (struct align_bound){.at = a.first_exit,
						 .least = a.last_enter - b.first_exit,
						 .most = a.first_exit - b.last_enter};
	}
	struct align_fit fit = align_fit(bounds, alike);

	free(bounds);
	return fit;
}

struct alignment {
	size_t clocks;
	int64_t error; /* the largest */
	bool contradict;
	double drift; /* the largest */
};

/* All clocks by that of the first rank's. */
static void align_clocks(struct timeline_inputs *inputs, const struct rank_calls *ranks,
			 size_t count, size_t alike, struct alignment *alignment)
{
	const struct timeline_process first = inputs->list[ranks[0].process];
	int64_t *more = need(calloc(inputs->count, sizeof(*more)));

	for (size_t i = 1; i < count; i++) {
		const struct timeline_process second = inputs->list[ranks[i].process];
		bool known = same_clock(&second, &first);

		for (size_t j = 1; j < i && !known; j++)
			known = same_clock(&inputs->list[ranks[j].process], &second);
		if (known)
			continue;
		struct align_fit fit = clock_fit(inputs, ranks, count, alike, &first, &second);

		alignment->clocks++;
		if (!fit.found) {
			alignment->contradict = true;
			continue;
		}
		for (size_t j = 0; j < inputs->count; j++)
			if (same_clock(&inputs->list[j], &second))
				more[j] = fit.middle;
		alignment->error = fit.error > alignment->error ? fit.error : alignment->error;
		double drift = fit.drift < 0 ? -fit.drift : fit.drift;
		alignment->drift = drift > alignment->drift ? drift : alignment->drift;
	}
	for (size_t j = 0; j < inputs->count && !alignment->contradict; j++)
		inputs->list[j].offset += more[j];
	free(more);
}

static bool clocks_differ(const struct timeline_inputs *inputs)
{
	for (size_t i = 1; i < inputs->count; i++)
		if (!same_clock(&inputs->list[i], &inputs->list[0]))
			return true;
	return false;
}

static void say_aligned(const struct alignment *alignment, size_t alike)
{
	if (alignment->contradict)
		say("the clocks of %zu machines are set by their time of day: their MPI calls contradict each other",
		    alignment->clocks + 1);
	else if (alignment->clocks)
		say("the clocks of %zu machines are set by %zu MPI calls, to %.1f us (drift: %.2f us a second)",
		    alignment->clocks + 1, alike, (double)alignment->error / 1000,
		    alignment->drift * 1e6);
}

void timeline_align(struct timeline_inputs *inputs)
{
	struct rank_calls *ranks;
	struct alignment alignment = {.clocks = 0};
	size_t count = 0, alike = 0;

	if (!clocks_differ(inputs))
		return;
	ranks = need(calloc(inputs->count + 1, sizeof(*ranks)));
	for (size_t i = 0; i < inputs->count; i++) {
		if (!inputs->list[i].has_rank)
			continue;
		ranks[count] = (struct rank_calls){.process = i};
		read_process(&ranks[count], &inputs->list[i]);
		if (ranks[count].count)
			count++;
		else
			free(ranks[count].list);
	}
	if (count > 1)
		alike = count_alike(ranks, count);
	if (alike)
		align_clocks(inputs, ranks, count, alike, &alignment);
	if (alignment.clocks)
		say_aligned(&alignment, alike);
	for (size_t i = 0; i < count; i++)
		free(ranks[i].list);
	free(ranks);
}
