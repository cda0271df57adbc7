/* SPDX-License-Identifier: MIT */
/*
 * top_sums.c: see top_sums.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/shown_names.h"
#include "cli/top/top_sums.h"

#define OPENS_MOST 64u

/* Of calls; or of a queue's commands: .time is when it was busy, .ended what they were pending. */
struct counts {
	double calls, failed, time, ended;
};

/*
 * What one look has read is scaled by what that look has missed, and then added to the interval: a call
 * that comes once counts once, whatever was missed before and after.
 */
struct row {
	uint32_t function;
	bool used;
	struct counts look, all;
};

/* A time in which the thread was in a call, with all calls that it made. */
struct span {
	uint64_t start, length;
};

/* A thread; or a queue, as far as one thread has recorded its commands. */
struct top_lane {
	uint32_t lane, from; /* from: a queue's; 0: it is a thread */
	double factor;	     /* how many calls one that was read stands for */
	bool ever;	     /* it has made calls */
	struct row *rows;    /* a table with open addressing */
	size_t nrows, room;
	struct span *spans; /* one after the other */
	size_t nspans, spans_room;
	struct counts look, all; /* of a thread, .time is when it was in a call */
};

/* When a queue was busy in this interval: times apart, in order. */
struct top_busy {
	uint32_t queue; /* its number; 0: it is known by its lane alone */
	uint32_t lane;	/* the first that was seen: the queue's in the list of lanes */
	uint32_t named; /* the first that the queue had: its name is the queue's */
	struct span *spans;
	size_t nspans, room;
};

static struct top_lane *lane_of(struct top_process *process, uint32_t lane, uint32_t from)
{
	/* Records come in runs of one thread. */
	if (process->last < process->nlanes && process->lanes[process->last].lane == lane &&
	    process->lanes[process->last].from == from)
		return &process->lanes[process->last];
	for (size_t i = process->nlanes; i--;)
		if (process->lanes[i].lane == lane && process->lanes[i].from == from) {
			process->last = i;
			return &process->lanes[i];
		}
	process->lanes =
		need(reallocarray(process->lanes, process->nlanes + 1, sizeof(*process->lanes)));
	process->lanes[process->nlanes] = (struct top_lane){.lane = lane, .from = from};
	return &process->lanes[process->nlanes++];
}

static struct row *row_place(struct row *rows, size_t room, uint32_t function)
{
	size_t at = function * 0x9e3779b1u >> 7 & (room - 1);

	while (rows[at].used && rows[at].function != function)
		at = (at + 1) & (room - 1);
	return &rows[at];
}

static struct row *row_of(struct top_lane *lane, uint32_t function)
{
	if (2 * lane->nrows >= lane->room) {
		size_t room = lane->room ? 2 * lane->room : 64;
		struct row *rows = need(calloc(room, sizeof(*rows)));
		for (size_t i = 0; i < lane->room; i++)
			if (lane->rows[i].used)
				*row_place(rows, room, lane->rows[i].function) = lane->rows[i];
		free(lane->rows);
		lane->rows = rows;
		lane->room = room;
	}
	struct row *row = row_place(lane->rows, lane->room, function);

	if (!row->used) {
		*row = (struct row){.used = true, .function = function};
		lane->nrows++;
	}
	return row;
}

/* The thread was in a call. Calls that it made within are in the list already. */
static void lane_inside(struct top_lane *lane, uint64_t start, uint64_t end)
{
	while (lane->nspans && lane->spans[lane->nspans - 1].start >= start)
		lane->look.time -= (double)lane->spans[--lane->nspans].length;
	if (lane->nspans == lane->spans_room) {
		lane->spans_room = lane->spans_room ? 2 * lane->spans_room : 256;
		lane->spans =
			need(reallocarray(lane->spans, lane->spans_room, sizeof(*lane->spans)));
	}
	lane->spans[lane->nspans++] = (struct span){start, end - start};
	lane->look.time += (double)(end - start);
}

/* The part of a time that lies in the interval. */
static bool times_clip(const struct top_process *process, uint64_t *start, uint64_t end)
{
	if (*start < process->since)
		*start = process->since;
	return end > *start;
}

static void process_call(void *user, const struct live_call *call)
{
	struct top_process *process = user;
	struct top_lane *lane = lane_of(process, call->lane, 0);
	struct row *row = row_of(lane, call->function);
	uint64_t start = call->start;

	row->look.calls++;
	row->look.failed += call->failed;
	row->look.ended += (double)(call->end - call->start);
	lane->look.calls++;
	lane->ever = true;
	if (!times_clip(process, &start, call->end))
		return;
	row->look.time += (double)(call->end - start);
	lane_inside(lane, start, call->end);
}

static struct top_busy *busy_of(struct top_process *process, const struct live_command *command)
{
	struct top_busy *busy = process->busy;

	for (size_t i = 0; i < process->nbusy; i++, busy++)
		if (busy->queue == command->queue &&
		    (command->queue || busy->lane == command->lane)) {
			if (command->lane < busy->named)
				busy->named = command->lane;
			return busy;
		}
	process->busy =
		need(reallocarray(process->busy, process->nbusy + 1, sizeof(*process->busy)));
	busy = &process->busy[process->nbusy++];
	*busy = (struct top_busy){
		.queue = command->queue, .lane = command->lane, .named = command->lane};
	return busy;
}

/* Adds a time. Returns how much of it is new. */
static uint64_t busy_add(struct top_busy *busy, uint64_t start, uint64_t end)
{
	uint64_t known = 0;
	size_t first = busy->nspans, after;

	while (first && busy->spans[first - 1].start + busy->spans[first - 1].length >= start)
		first--;
	for (after = first; after < busy->nspans && busy->spans[after].start <= end; after++) {
		const struct span *span = &busy->spans[after];

		known += span->length;
		start = span->start < start ? span->start : start;
		end = span->start + span->length > end ? span->start + span->length : end;
	}
	if (busy->nspans == busy->room) {
		busy->room = busy->room ? 2 * busy->room : 64;
		busy->spans = need(reallocarray(busy->spans, busy->room, sizeof(*busy->spans)));
	}
	memmove(&busy->spans[first + 1], &busy->spans[after],
		(busy->nspans - after) * sizeof(*busy->spans));
	busy->spans[first] = (struct span){start, end - start};
	busy->nspans += 1 + first - after;
	return end - start - known;
}

static void process_command(void *user, const struct live_command *command)
{
	struct top_process *process = user;
	struct top_busy *busy = busy_of(process, command);
	struct top_lane *lane;
	uint64_t start = command->start;

	lane_of(process, command->from, 0);
	lane = lane_of(process, busy->lane, command->from);

	lane->look.calls++;
	if (command->submitted && command->submitted < command->end)
		lane->look.ended += (double)(command->end - command->submitted);
	if (times_clip(process, &start, command->end))
		lane->look.time += (double)busy_add(busy, start, command->end);
}

static void lane_find_factor(struct top_process *process, struct top_lane *lane)
{
	uint64_t read, missed;

	live_records_missed(process->records, lane->lane, &read, &missed);
	process->estimated |= read && missed;
	lane->factor = read ? (double)(read + missed) / (double)read : 1;
}

static void counts_add(struct counts *all, struct counts *look, double factor)
{
	all->calls += factor * look->calls;
	all->failed += factor * look->failed;
	all->time += factor * look->time;
	all->ended += factor * look->ended;
	*look = (struct counts){.calls = 0};
}

static void lane_add_look(struct top_lane *lane, double factor)
{
	counts_add(&lane->all, &lane->look, factor);
	for (size_t i = 0; i < lane->room; i++)
		if (lane->rows[i].used)
			counts_add(&lane->rows[i].all, &lane->rows[i].look, factor);
}

void top_process_look(struct top_process *process)
{
	const struct live_visitor visitor = {process, process_call, process_command};

	if (!live_records_look(process->records, &visitor))
		process->ended = true;
	for (size_t i = 0; i < process->nlanes; i++)
		if (!process->lanes[i].from)
			lane_find_factor(process, &process->lanes[i]);
	for (size_t i = 0; i < process->nlanes; i++) {
		struct top_lane *lane = &process->lanes[i];
		lane_add_look(lane,
			      lane->from ? lane_of(process, lane->from, 0)->factor : lane->factor);
	}
}

static void lane_clear_rows(struct top_lane *lane)
{
	if (lane->rows)
		memset(lane->rows, 0, lane->room * sizeof(*lane->rows));
	lane->nrows = 0;
}

static void lane_clear(struct top_lane *lane)
{
	lane_clear_rows(lane);
	lane->nspans = 0;
	lane->look = lane->all = (struct counts){.calls = 0};
}

void top_process_free(struct top_process *process)
{
	for (size_t i = 0; i < process->nlanes; i++) {
		free(process->lanes[i].rows);
		free(process->lanes[i].spans);
	}
	free(process->lanes);
	for (size_t i = 0; i < process->nbusy; i++)
		free(process->busy[i].spans);
	free(process->busy);
	live_records_close(process->records);
}

/* ---- an interval */

static struct top_function *function_of(struct top_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->nfunctions; i++)
		if (!strcmp(sums->functions[i].name, name))
			return &sums->functions[i];
	sums->functions =
		need(reallocarray(sums->functions, sums->nfunctions + 1, sizeof(*sums->functions)));
	sums->functions[sums->nfunctions] = (struct top_function){.name = name};
	return &sums->functions[sums->nfunctions++];
}

/* As the user knows it. NULL: it is not described. */
static const char *function_name(const struct top_process *process, uint32_t function)
{
	const char *name = live_records_function(process->records, function);

	return name ? name_shown(name) : NULL;
}

static void sum_lane(struct top_sums *sums, struct top_process *process, struct top_lane *lane)
{
	for (size_t i = 0; i < lane->room; i++) {
		const struct row *row = &lane->rows[i];
		const char *name = row->used ? function_name(process, row->function) : NULL;
		if (!row->used)
			continue;
		struct top_function *function =
			function_of(sums, name ? name : "(a function that is not described)");
		function->calls += row->all.calls;
		function->failed += row->all.failed;
		function->time += row->all.time;
		function->ended += row->all.ended;
		sums->calls += row->all.calls;
		sums->failed += row->all.failed;
	}
}

static struct top_queue *queue_of(struct top_sums *sums, const struct top_process *process,
				  uint32_t lane)
{
	for (size_t i = 0; i < sums->nqueues; i++)
		if (sums->queues[i].process == process && sums->queues[i].lane == lane)
			return &sums->queues[i];
	sums->queues = need(reallocarray(sums->queues, sums->nqueues + 1, sizeof(*sums->queues)));
	sums->queues[sums->nqueues] = (struct top_queue){.process = process, .lane = lane};
	return &sums->queues[sums->nqueues++];
}

static void sum_queue(struct top_sums *sums, struct top_process *process,
		      const struct top_lane *lane)
{
	uint32_t named = lane->lane;

	for (size_t i = 0; i < process->nbusy; i++)
		if (process->busy[i].lane == lane->lane)
			named = process->busy[i].named;
	const char *name = live_records_queue(process->records, named);
	struct top_queue *queue = queue_of(sums, process, lane->lane);

	queue->name = name ? name : "?";
	queue->commands += lane->all.calls;
	queue->busy += lane->all.time;
	queue->pending += lane->all.ended;
}

/* Calls that are open count up to now. */
static void sum_opens(struct top_process *process, struct top_lane *lane, uint64_t now,
		      struct top_thread *thread)
{
	struct live_open opens[OPENS_MOST];
	uint32_t count = live_records_opens(process->records, opens, OPENS_MOST);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t start = opens[i].start;
		if (!times_clip(process, &start, now))
			continue;
		row_of(lane, opens[i].function)->look.time += (double)(now - start);
		if (!i)
			lane_inside(lane, start, now);
	}
	if (!count)
		return;
	const struct live_open *inner = &opens[count - 1];
	thread->now = function_name(process, inner->function);
	thread->now_since = now > inner->start ? now - inner->start : 0;
}

static void sum_thread(struct top_sums *sums, struct top_process *process,
		       const struct live_thread *seen, uint64_t now)
{
	struct top_lane *lane = lane_of(process, seen->lane, 0);
	struct top_thread thread = {.process = process, .tid = seen->tid};

	memcpy(thread.name, seen->name, sizeof(thread.name));
	sum_opens(process, lane, now, &thread);
	lane_add_look(lane, 1);
	thread.calls = lane->all.calls;
	thread.inside = lane->all.time;
	sum_lane(sums, process, lane);
	lane->ever |= thread.now != NULL;
	bool shown = lane->ever;
	lane_clear(lane);
	if (!shown)
		return;
	sums->threads =
		need(reallocarray(sums->threads, sums->nthreads + 1, sizeof(*sums->threads)));
	sums->threads[sums->nthreads++] = thread;
}

static void sum_process(struct top_sums *sums, struct top_process *process)
{
	uint64_t now = live_records_now(process->records);
	struct live_thread thread;
	size_t place = 0;

	while (live_records_thread(process->records, &place, &thread))
		sum_thread(sums, process, &thread, now);
	/* Threads that have ended, and queues, which are no threads. */
	for (size_t i = 0; i < process->nlanes; i++) {
		struct top_lane *lane = &process->lanes[i];
		if (lane->from)
			sum_queue(sums, process, lane);
		else if (lane->all.calls > 0)
			sum_lane(sums, process, lane);
		lane_clear(lane);
	}
	for (size_t i = 0; i < process->nbusy; i++)
		process->busy[i].nspans = 0;
	sums->estimated |= process->estimated;
	process->estimated = false;
	double seconds = (double)(now - process->since) / 1e9;
	sums->seconds = seconds > sums->seconds ? seconds : sums->seconds;
	process->since = now;
}

static int functions_by_time(const void *a, const void *b)
{
	const struct top_function *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? 1 : -1;
	return strcmp(left->name, right->name);
}

static int threads_by_time(const void *a, const void *b)
{
	const struct top_thread *left = a, *right = b;

	if (left->inside != right->inside)
		return left->inside < right->inside ? 1 : -1;
	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

static int queues_by_time(const void *a, const void *b)
{
	const struct top_queue *left = a, *right = b;

	if (left->busy != right->busy)
		return left->busy < right->busy ? 1 : -1;
	return strcmp(left->name, right->name);
}

void top_sums_take(struct top_sums *sums, struct top_process *processes, size_t count)
{
	*sums = (struct top_sums){.processes = count};
	for (size_t i = 0; i < count; i++)
		sum_process(sums, &processes[i]);
	if (sums->nfunctions)
		qsort(sums->functions, sums->nfunctions, sizeof(*sums->functions),
		      functions_by_time);
	if (sums->nthreads)
		qsort(sums->threads, sums->nthreads, sizeof(*sums->threads), threads_by_time);
	if (sums->nqueues)
		qsort(sums->queues, sums->nqueues, sizeof(*sums->queues), queues_by_time);
}

void top_sums_free(struct top_sums *sums)
{
	free(sums->functions);
	free(sums->queues);
	free(sums->threads);
}
