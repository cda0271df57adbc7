/* SPDX-License-Identifier: MIT */
/*
 * systrace_writer.c: see systrace_writer.h.
 *
 * Each thread has a stack of the slices that are open at its next row. A heap finds the
 * thread whose next row is the earliest.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/systrace/nn_mark.h"
#include "cli/systrace/nn_names.h"
#include "cli/systrace/slices.h"
#include "cli/systrace/systrace_writer.h"
#include "cli/read/read.h"

#if !HAVE_JANSSON

int systrace_write(const char *path, const char *where, FILE *to)
{
	(void)where, (void)to;
	return say_without_json(path);
}

int systrace_write_events(const char *path, const char *where, FILE *to)
{
	return systrace_write(path, where, to);
}

#else

#define TASK_NAME      15 /* characters that the kernel keeps */
#define NAME_MAX_SHOWN 1024
#define NEVER	       INT64_MAX

/*
 * An open slice and what it counts for. A slice without a layer and phase of its own counts for
 * those around it.
 */
struct frame {
	int64_t start, end;
	uint16_t nn_layer, nn_phase;
	unsigned rows; /* that began it */
};

/* A thread's rows. */
struct lane {
	const struct slice_thread *thread;
	struct frame *open;
	size_t depth, room;
	size_t next; /* the slice that begins next */
	char task[TASK_NAME + 1];
};

struct rows {
	const struct slices *slices;
	FILE *to;
	struct lane *lanes;
	uint32_t *heap; /* numbers of lanes, the earliest first */
	uint32_t nheap;
};

/* ---- what a call counts for ---- */

struct stage {
	uint16_t nn_layer, nn_phase;
	bool through; /* it goes through the runtime, which has no slice of its own */
};

/* The phase may stand below the other one, or the contract moves it to its place. */
static bool phase_fits(const struct frame *above, uint16_t nn_phase)
{
	bool executes = nn_phase == NN_PHASE_PE || nn_phase_is_of_execution(nn_phase);

	return above->nn_phase == NN_PHASE_NONE || nn_phase == above->nn_phase ||
	       nn_phase == NN_PHASE_PI || nn_phase_nests(above->nn_phase, nn_phase) ||
	       (executes && nn_phase_nests(above->nn_phase, NN_PHASE_PE)) ||
	       (above->nn_layer == NN_LAYER_LA && above->nn_phase != NN_PHASE_PO && !executes);
}

static uint16_t phase_within(const struct frame *above, uint16_t nn_phase)
{
	if (phase_fits(above, nn_phase))
		return nn_phase;
	return nn_phase_nests(above->nn_phase, NN_PHASE_PE) && above->nn_phase != NN_PHASE_PO
		       ? NN_PHASE_PE
		       : above->nn_phase;
}

static struct stage stage_within(const struct frame *above, const struct slice *call)
{
	bool drives = call->nn_layer == NN_LAYER_LD,
	     works = above->nn_layer == NN_LAYER_LD || above->nn_layer == NN_LAYER_LC;

	if (above->nn_layer == NN_LAYER_NONE || above->nn_layer == NN_LAYER_LA)
		return (struct stage){call->nn_layer, phase_within(above, call->nn_phase), drives};
	if (above->nn_layer == NN_LAYER_LR)
		return (struct stage){call->nn_layer, phase_within(above, call->nn_phase), false};
	if (drives && works)
		return (struct stage){above->nn_layer, phase_within(above, call->nn_phase), false};
	return (struct stage){NN_LAYER_LU, NN_PHASE_PU, false};
}

/* ---- rows ---- */

static void put_row(const struct rows *rows, const struct lane *lane, int64_t time, char kind)
{
	const struct slice_thread *thread = lane->thread;

	fprintf(rows->to,
		"%16s-%-7" PRIu64 " (%5" PRIu64 ") [000] .... %6" PRId64 ".%09" PRId64
		": tracing_mark_write: %c|%" PRIu64,
		lane->task, thread->tid, thread->pid, time / 1000000000, time % 1000000000, kind,
		thread->pid);
}

/* Brackets are for marks of layers and phases, and a row is a line. */
static void name_put_plain(FILE *to, const char *name)
{
	for (size_t i = 0; name[i] && i < NAME_MAX_SHOWN; i++)
		fputc(name[i] == '['		     ? '('
		      : name[i] == ']'		     ? ')'
		      : (unsigned char)name[i] < ' ' ? ' '
						     : name[i],
		      to);
}

static void row_put_begin(const struct rows *rows, const struct lane *lane, int64_t time,
			  const struct stage *stage, const char *name)
{
	put_row(rows, lane, time, 'B');
	fputc('|', rows->to);
	if (stage)
		fprintf(rows->to, "[NN_%s_%s]", nn_layer_name(stage->nn_layer),
			nn_phase_name(stage->nn_phase));
	name_put_plain(rows->to, name);
	fputc('\n', rows->to);
}

static void put_mark(const struct rows *rows, const struct lane *lane, int64_t time,
		     const char *mark)
{
	put_row(rows, lane, time, 'B');
	fprintf(rows->to, "|%.*s\n", (int)strcspn(mark, "\n\r"), mark);
}

/* ---- slices ---- */

static struct frame *frame_push(struct lane *lane)
{
	static const struct frame none = {.nn_layer = NN_LAYER_NONE, .nn_phase = NN_PHASE_NONE};

	if (lane->depth == lane->room) {
		lane->room = lane->room ? 2 * lane->room : 16;
		lane->open = need(reallocarray(lane->open, lane->room, sizeof(*lane->open)));
	}
	lane->open[lane->depth] = lane->depth ? lane->open[lane->depth - 1] : none;
	lane->open[lane->depth].rows = 1;
	return &lane->open[lane->depth++];
}

/* What the program's mark counts for. */
static void enter_mark(struct frame *frame, const char *text)
{
	char copy[NAME_MAX_SHOWN];
	struct mark mark;
	int size = snprintf(copy, sizeof(copy), "B|0|%s", text);

	if (mark_parse(&mark, copy, size < (int)sizeof(copy) ? (size_t)size : sizeof(copy) - 1) ||
	    mark.nn_layer == NN_LAYER_LX)
		return;
	frame->nn_layer = mark.nn_layer;
	if (mark.nn_phase != NN_PHASE_PU)
		frame->nn_phase = mark.nn_phase;
}

static void enter_call(const struct rows *rows, const struct lane *lane, const struct slice *slice,
		       struct frame *frame, const char *name)
{
	struct stage stage = stage_within(frame, slice),
		     through = {NN_LAYER_LR, stage.nn_phase, false};

	if (stage.through)
		row_put_begin(rows, lane, slice->start, &through, name);
	row_put_begin(rows, lane, slice->start, &stage, name);
	frame->rows = stage.through ? 2 : 1;
	frame->nn_layer = stage.nn_layer;
	if (stage.nn_phase != NN_PHASE_PU)
		frame->nn_phase = stage.nn_phase;
}

static void begin_slice(const struct rows *rows, struct lane *lane)
{
	const struct slice *slice = &rows->slices->list[lane->next++];
	const char *name = rows->slices->names.list[slice->name];
	int64_t outer = lane->depth ? lane->open[lane->depth - 1].end : NEVER;
	struct frame *frame = frame_push(lane);

	frame->start = slice->start;
	frame->end = slice->end < outer ? slice->end : outer;
	if (slice->is_mark) {
		put_mark(rows, lane, slice->start, name);
		enter_mark(frame, name);
	} else if (slice->nn_layer != NN_LAYER_NONE && !slice->holds_mark) {
		enter_call(rows, lane, slice, frame, name);
	} else {
		row_put_begin(rows, lane, slice->start, NULL, name);
	}
}

static void end_slice(const struct rows *rows, struct lane *lane)
{
	const struct frame *frame = &lane->open[--lane->depth];

	for (unsigned i = 0; i < frame->rows; i++) {
		put_row(rows, lane, frame->end, 'E');
		fputc('\n', rows->to);
	}
}

/* Whether the thread's next row is an end. */
static bool ends_next(const struct rows *rows, const struct lane *lane)
{
	const struct frame *frame = lane->depth ? &lane->open[lane->depth - 1] : NULL;

	if (lane->next == lane->thread->last)
		return true;
	return frame && !slice_is_in(&rows->slices->list[lane->next], frame->start, frame->end);
}

/* The time of the thread's next row. NEVER: it has none, and open slices stay open. */
static int64_t next_time(const struct rows *rows, const struct lane *lane)
{
	if (!ends_next(rows, lane))
		return rows->slices->list[lane->next].start;
	return lane->depth ? lane->open[lane->depth - 1].end : NEVER;
}

/* ---- all threads ---- */

static bool lane_is_earlier(const struct rows *rows, uint32_t one, uint32_t other)
{
	int64_t a = next_time(rows, &rows->lanes[one]), b = next_time(rows, &rows->lanes[other]);

	return a != b ? a < b : one < other;
}

static void sift_down(struct rows *rows, uint32_t at)
{
	for (;;) {
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < rows->nheap;
		     child++)
			if (lane_is_earlier(rows, rows->heap[child], rows->heap[least]))
				least = child;
		if (least == at)
			return;
		uint32_t swapped = rows->heap[at];
		rows->heap[at] = rows->heap[least];
		rows->heap[least] = swapped;
		at = least;
	}
}

/* A task's name as ftrace's readers accept it: at least two printable characters. */
static void name_task(char *task, const char *name)
{
	size_t length = 0;

	for (; name[length] && length < TASK_NAME; length++)
		task[length] = name[length] > ' ' && name[length] < 127 ? name[length] : '_';
	while (length < 2)
		task[length++] = '_';
	task[length] = '\0';
}

static void start_lanes(struct rows *rows)
{
	const struct slices *slices = rows->slices;

	rows->lanes = need(calloc(slices->nthreads + 1, sizeof(*rows->lanes)));
	rows->heap = need(calloc(slices->nthreads + 1, sizeof(*rows->heap)));
	for (uint32_t i = 0; i < slices->nthreads; i++) {
		const struct slice_thread *thread = &slices->threads[i];
		struct lane *lane = &rows->lanes[i];

		lane->thread = thread;
		lane->next = thread->first;
		name_task(lane->task, thread->name	? thread->name
				      : slices->process ? slices->process
							: "");
		if (thread->last > thread->first)
			rows->heap[rows->nheap++] = i;
	}
	for (uint32_t at = rows->nheap / 2; at-- > 0;)
		sift_down(rows, at);
}

static void put_rows(const struct slices *slices, FILE *to)
{
	struct rows rows = {.slices = slices, .to = to};

	start_lanes(&rows);
	while (rows.nheap) {
		struct lane *lane = &rows.lanes[rows.heap[0]];

		if (next_time(&rows, lane) == NEVER)
			rows.heap[0] = rows.heap[--rows.nheap];
		else if (ends_next(&rows, lane))
			end_slice(&rows, lane);
		else
			begin_slice(&rows, lane);
		sift_down(&rows, 0);
	}
	for (uint32_t i = 0; i < slices->nthreads; i++)
		free(rows.lanes[i].open);
	free(rows.lanes);
	free(rows.heap);
}

/* ---- the whole ---- */

/* The thread that shows the application's overall time: the first, or one that has calls. */
static const struct slice *first_call(const struct slices *slices)
{
	const struct slice *found = NULL;

	for (size_t i = 0; i < slices->count; i++) {
		const struct slice *slice = &slices->list[i];
		const struct slice_thread *thread = &slices->threads[slice->thread];

		if (slice->nn_layer == NN_LAYER_NONE)
			continue;
		if (thread->tid == thread->pid)
			return slice;
		if (!found)
			found = slice;
	}
	return found;
}

/*
 * If the program makes no marks, its time from the first call to the end of the last counts as the
 * application's, overall.
 */
static void mark_overall(struct slices *slices)
{
	const struct slice *any = slices->any_mark ? NULL : first_call(slices);
	int64_t start = INT64_MAX, end = 0;
	char *mark;

	if (!any)
		return;
	for (size_t i = 0; i < slices->count; i++) {
		if (slices->list[i].nn_layer == NN_LAYER_NONE)
			continue;
		start = slices->list[i].start < start ? slices->list[i].start : start;
		end = slices->list[i].end > end ? slices->list[i].end : end;
	}
	/* A call of no length at the end counts, too. */
	end += end != SLICE_OPEN;
	if (asprintf(&mark, MARK_RUN "%s", slices->process ? slices->process : "program") < 0)
		need(NULL);
	for (char *c = mark + strlen(MARK_RUN); *c; c++)
		*c = *c == '[' || *c == ']' || *c < ' ' ? '_' : *c;
	slices_add_around(slices, any->thread, mark, start, end);
	free(mark);
}

struct reading {
	struct slices slices;
	bool any_event;
};

static void take_event(void *user, const json_t *event)
{
	struct reading *reading = user;

	reading->any_event = true;
	slices_event(&reading->slices, event);
}

static int write_rows(const char *path, const char *where, FILE *to, bool needs_events)
{
	struct reading reading = {.any_event = false};
	struct trace_totals totals;
	const struct trace_listener listener = {.each = take_event, .further_lanes = true};
	int code = trace_listen(path, where, &listener, &reading, &totals);
	struct slices slices = reading.slices;

	if (code != EXIT_BROKEN) {
		if (totals.lost)
			say("%s: %llu events were lost when it was made, and %s lacks them; give tracelayer run more --memory",
			    path, totals.lost, where);
		if (slices.stray)
			say("%s: %zu ends have no beginning, and are left out of %s; record the threads from their start",
			    path, slices.stray, where);
		mark_overall(&slices);
		slices_arrange(&slices);
		if (reading.any_event || !needs_events)
			fputs("# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
			      "#              | |        |      |   ||||       |         |\n",
			      to);
		put_rows(&slices, to);
	}
	slices_free(&slices);
	return code;
}

int systrace_write(const char *path, const char *where, FILE *to)
{
	return write_rows(path, where, to, false);
}

int systrace_write_events(const char *path, const char *where, FILE *to)
{
	return write_rows(path, where, to, true);
}

#endif
