/* SPDX-License-Identifier: MIT */
/*
 * timeline_align.c: see timeline_align.h.
 *
 * Which calls belong together is known by their order: the k-th call of this kind on the world's
 * communicator is the same in all ranks (mpi_comm_world.h). If the ranks' calls do not have the same names
 * in the same order, only those before the first difference count. A rank whose calls may be missing
 * takes no part: what the others say of their clocks stays true.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/align_fit.h"
#include "cli/export/mpi_comm_world.h"
#include "cli/export/timeline_align.h"
#include "cli/read/read.h"
#include "format/file/file.h"

/* ---- calls ---- */

/* Calls in which each rank waits for all others. With large counts, their names end in _c. */
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
	struct mpi_world world;
	int64_t from, to; /* of all records */
	bool has_gaps; /* calls may be missing, or failed: the others' calls are not the same ones */
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

static bool is_called(const char *name, const char *wanted)
{
	size_t size = strlen(wanted);

	return !strncmp(name, wanted, size) && (!name[size] || !strcmp(name + size, "_c"));
}

static void reading_know(struct reading *reading, uint32_t id)
{
	const struct tl_function *function = tl_trace_function(reading->trace, id);

	reading->function = id;
	reading->comm = reading->kind = -1;
	if (!function)
		return;
	reading->comm = mpi_world_parameter(function);
	for (size_t i = 0; i < sizeof(all_wait) / sizeof(*all_wait); i++)
		if (is_called(function->name, all_wait[i]))
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
	struct rank_calls *calls = reading->calls;
	struct call call = {
		.enter = (int64_t)tl_trace_ns(reading->trace, record->start) + reading->offset,
		.exit = (int64_t)tl_trace_ns(reading->trace,
					     tl_record_end(record->start, record->duration)) +
			reading->offset};

	calls->from = call.enter < calls->from ? call.enter : calls->from;
	calls->to = call.exit > calls->to ? call.exit : calls->to;
	if (record->function != reading->function)
		reading_know(reading, record->function);
	if (reading->comm < 0 || !(record->flags & TL_RECORD_WORDS))
		return;
	const uint64_t *words =
		(const uint64_t *)(const void *)(record + 1) + !!(record->flags & TL_RECORD_CAUSE);

	if ((const char *)(words + reading->comm + 1) >
	    (const char *)record + (size_t)record->size * 8)
		return;
	call.comm = words[reading->comm];
	mpi_world_see(&calls->world, call.comm, (uint64_t)call.enter);
	if (reading->kind < 0)
		return;
	if (record->flags & TL_RECORD_UNWOUND || record->result) {
		calls->has_gaps = true;
		return;
	}
	call.kind = (uint32_t)reading->kind;
	call_add(calls, &call);
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

	if (trace)
		mpi_world_read(&calls->world, trace);
	for (size_t i = 0; trace && i < trace->nruns; i++) {
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		while ((record = tl_trace_next(&trace->runs[i], &place))) {
			calls->has_gaps |= tl_record_is_gap(record);
			if (record->type == TL_RECORD_CALL)
				read_record(&reading, record);
		}
		calls->has_gaps |= place.unsound != 0;
		tl_trace_left(trace, &trace->runs[i], &place, &passed);
	}
	for (size_t i = 0; trace && i < trace->nlanes; i++)
		calls->has_gaps |= trace->lanes[i].lost != 0;
	calls->has_gaps |= !trace || trace->overwritten;
	tl_trace_close(trace);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->enter > y->enter) - (x->enter < y->enter);
}

/* Leaves out calls that the library made within others. */
static void calls_leave_inner(struct rank_calls *calls)
{
	size_t kept = 0;

	for (size_t i = 0; i < calls->count; i++)
		if (!kept || calls->list[i].enter >= calls->list[kept - 1].exit)
			calls->list[kept++] = calls->list[i];
	calls->count = kept;
}

/* The process's calls on the world's communicator, in their order. */
static void read_process(struct rank_calls *calls, const struct timeline_process *process)
{
	size_t kept = 0;

	calls->from = INT64_MAX;
	calls->to = INT64_MIN;
	calls->has_gaps = process->is_resumed;
	for (size_t i = 0; i < process->nparts && !calls->has_gaps; i++)
		read_file(calls, process->parts[i].path, process->clock->offset);
	if (calls->has_gaps)
		calls->count = 0;
	const uint64_t world = mpi_world_handle(&calls->world);
	for (size_t i = 0; i < calls->count; i++)
		if (mpi_is_world(calls->list[i].comm, world))
			calls->list[kept++] = calls->list[i];
	calls->count = kept;
	if (kept)
		qsort(calls->list, kept, sizeof(*calls->list), compare_calls);
	calls_leave_inner(calls);
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

/* What a call says of one clock's ranks: when the last entered, and the first left. */
struct passage {
	int64_t last_enter, first_exit;
};

/* A clock, with times in nanoseconds since 1970 by it. */
struct clock_calls {
	struct passage *passages; /* NULL: no rank has this clock */
	int64_t from, to;	  /* what it recorded */
	struct align_fit fit;
};

struct alignment {
	struct timeline_inputs *inputs;
	struct clock_calls *clocks; /* as many as inputs->clocks */
	size_t reference;	    /* the others are corrected to it: the lowest rank's */
	size_t alike, aligned;
	bool contradict;
};

static void clock_take(struct clock_calls *clock, const struct rank_calls *rank, size_t alike)
{
	if (!clock->passages) {
		clock->passages = need(calloc(alike, sizeof(*clock->passages)));
		for (size_t k = 0; k < alike; k++)
			clock->passages[k] = (struct passage){INT64_MIN, INT64_MAX};
	}
	for (size_t k = 0; k < alike; k++) {
		const struct call *call = &rank->list[k];
		struct passage *passage = &clock->passages[k];

		if (call->enter > passage->last_enter)
			passage->last_enter = call->enter;
		if (call->exit < passage->first_exit)
			passage->first_exit = call->exit;
	}
}

/* What a clock recorded, also in processes that have no such calls. */
static void clocks_span(struct alignment *alignment, const struct rank_calls *ranks, size_t count)
{
	const struct timeline_inputs *inputs = alignment->inputs;

	for (size_t i = 0; i < inputs->clocks.count; i++) {
		alignment->clocks[i].from = INT64_MAX;
		alignment->clocks[i].to = INT64_MIN;
	}
	for (size_t i = 0; i < inputs->count; i++) {
		const struct timeline_process *process = &inputs->list[i];
		struct clock_calls *clock = &alignment->clocks[process->clock_number];

		if (!process->clock)
			continue;
		int64_t began = (int64_t)process->identity.monotonic_ns + process->clock->offset,
			ended = (int64_t)process->end + process->clock->offset;
		clock->from = began < clock->from ? began : clock->from;
		clock->to = ended > clock->to ? ended : clock->to;
	}
	for (size_t i = 0; i < count; i++) {
		struct clock_calls *clock =
			&alignment->clocks[inputs->list[ranks[i].process].clock_number];

		clock->from = ranks[i].from < clock->from ? ranks[i].from : clock->from;
		clock->to = ranks[i].to > clock->to ? ranks[i].to : clock->to;
	}
}

/* Whether each rank of a clock waited for the others: a call without data may not wait. */
static bool passage_waits(const struct passage *passage)
{
	return passage->last_enter <= passage->first_exit;
}

/* What to add to the clock, so that it agrees with the reference. */
static void clock_fit(struct clock_calls *clock, const struct clock_calls *reference, size_t alike)
{
	struct align_bound *bounds = need(calloc(alike, sizeof(*bounds)));
	size_t count = 0;

	for (size_t k = 0; k < alike; k++) {
		const struct passage *a = &reference->passages[k], *b = &clock->passages[k];

		if (!passage_waits(a) || !passage_waits(b))
			continue;
		bounds[count++] = (struct align_bound){.at_least = b->first_exit,
						       .least = a->last_enter - b->first_exit,
						       .at_most = b->last_enter,
						       .most = a->first_exit - b->last_enter};
	}
	clock->fit = align_fit(bounds, count, clock->from, clock->to);
	free(bounds);
}

/* The correction becomes the clock's: a constant, and the rest by the clock's own time. */
static void clock_correct(struct timeline_clock *clock, struct align_fit *fit)
{
	int64_t offset = clock->offset, middle = fit->points[fit->count / 2].add;

	for (size_t i = 0; i < fit->count; i++) {
		fit->points[i].at -= offset;
		fit->points[i].add -= middle;
	}
	clock->offset += middle;
	clock->points = fit->points;
	clock->count = fit->count;
	fit->points = NULL;
}

static void align_clocks(struct alignment *alignment)
{
	struct timeline_clocks *clocks = &alignment->inputs->clocks;

	for (size_t i = 0; i < clocks->count; i++) {
		struct clock_calls *clock = &alignment->clocks[i];

		if (!clock->passages)
			continue;
		alignment->aligned++;
		if (i == alignment->reference)
			continue;
		clock_fit(clock, &alignment->clocks[alignment->reference], alignment->alike);
		alignment->contradict |= !clock->fit.found;
	}
	for (size_t i = 0; i < clocks->count && !alignment->contradict; i++) {
		clocks->list[i].is_aligned = alignment->clocks[i].passages;
		if (alignment->clocks[i].fit.found)
			clock_correct(&clocks->list[i], &alignment->clocks[i].fit);
	}
}

/* The largest errors. Two clocks that were corrected to a third may be off to either side. */
struct errors {
	int64_t most, second;
};

static void errors_add(struct errors *errors, int64_t error)
{
	if (error > errors->most) {
		errors->second = errors->most;
		errors->most = error;
	} else if (error > errors->second) {
		errors->second = error;
	}
}

static void say_aligned(const struct alignment *alignment)
{
	struct errors inside = {0}, beyond = {0};
	double drift = 0, drift_error = 0;
	size_t pieces = 0;

	if (alignment->contradict) {
		say("the clocks of %zu machines are set by their time of day: their MPI calls contradict each other",
		    alignment->aligned);
		return;
	}
	for (size_t i = 0; i < alignment->inputs->clocks.count; i++) {
		const struct align_fit *fit = &alignment->clocks[i].fit;

		errors_add(&inside, fit->error);
		errors_add(&beyond, fit->error_beyond);
		if (fabs(fit->drift) >= drift) {
			drift = fabs(fit->drift);
			drift_error = fit->drift_error;
		}
		pieces = fit->pieces > pieces ? fit->pieces : pieces;
	}
	double error = (double)(inside.most + inside.second) / 1000,
	       outside = (double)(beyond.most + beyond.second) / 1000;
	char more[80] = "", many[64] = "";
	if (outside > error)
		snprintf(more, sizeof(more), ", and to %.1f us before and after them", outside);
	if (pieces > 1)
		snprintf(many, sizeof(many), ", which changed %zu times", pieces - 1);
	say("the clocks of %zu machines are set by %zu MPI calls, to %.1f us%s (drift: %.2f us a second, to %.2f%s)",
	    alignment->aligned, alignment->alike, error, more, drift * 1e6, drift_error * 1e6,
	    many);
}

/* Clocks that differ, of which none was set by the calls of another world. */
static bool ranks_have_clocks(const struct timeline_inputs *inputs, const struct rank_calls *ranks,
			      size_t count)
{
	bool differ = false;

	for (size_t i = 0; i < count; i++) {
		const struct timeline_clock *clock = inputs->list[ranks[i].process].clock;

		if (clock->is_aligned)
			return false;
		differ |= clock != inputs->list[ranks[0].process].clock;
	}
	return differ;
}

static void align_ranks(struct timeline_inputs *inputs, const struct rank_calls *ranks,
			size_t count)
{
	struct alignment alignment = {.inputs = inputs, .alike = count_alike(ranks, count)};
	size_t lowest = 0;

	for (size_t i = 1; i < count; i++)
		if (inputs->list[ranks[i].process].rank < inputs->list[ranks[lowest].process].rank)
			lowest = i;
	alignment.reference = inputs->list[ranks[lowest].process].clock_number;
	if (!alignment.alike)
		return;
	alignment.clocks = need(calloc(inputs->clocks.count, sizeof(*alignment.clocks)));
	clocks_span(&alignment, ranks, count);
	for (size_t i = 0; i < count; i++)
		clock_take(&alignment.clocks[inputs->list[ranks[i].process].clock_number],
			   &ranks[i], alignment.alike);
	align_clocks(&alignment);
	say_aligned(&alignment);
	for (size_t i = 0; i < inputs->clocks.count; i++) {
		free(alignment.clocks[i].passages);
		align_fit_free(&alignment.clocks[i].fit);
	}
	free(alignment.clocks);
}

/* Only the ranks of one world wait for each other. */
static void align_world(struct timeline_inputs *inputs, uint32_t world)
{
	struct rank_calls *ranks = need(calloc(inputs->count + 1, sizeof(*ranks)));
	size_t count = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->list[i].world != world || !inputs->list[i].has_rank ||
		    !inputs->list[i].clock)
			continue;
		ranks[count] = (struct rank_calls){.process = i};
		read_process(&ranks[count], &inputs->list[i]);
		if (ranks[count].count)
			count++;
		else
			free(ranks[count].list);
	}
	if (count > 1 && ranks_have_clocks(inputs, ranks, count))
		align_ranks(inputs, ranks, count);
	for (size_t i = 0; i < count; i++)
		free(ranks[i].list);
	free(ranks);
}

void timeline_align(struct timeline_inputs *inputs)
{
	if (inputs->clocks.count < 2)
		return;
	for (uint32_t world = 0; world < inputs->worlds.count; world++)
		align_world(inputs, world);
}
