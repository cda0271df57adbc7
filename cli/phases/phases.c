/* SPDX-License-Identifier: MIT */
/*
 * phases.c: `tracelayer phases`: what the layers of Android's neural networks API spent in its
 * phases, from a systrace. The numbers are those of Android's own tool, to the digit;
 * tracelayer-phases(1) lists the differences.
 *
 * The trace is read twice: even its last row may tell which threads are of interest, or which
 * processes are drivers.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/phases/phases.h"
#include "cli/phases/phase_detail.h"
#include "cli/phases/phase_print.h"
#include "cli/phases/phase_select.h"
#include "cli/systrace/systrace.h"
#include "cli/phases/phase_times.h"
#include "cli/phases/phase_threads.h"

struct wishes {
	struct phase_style style;
	bool json, detail, like_android;
	const char *path;
	struct phase_select select;
};

struct phases {
	struct wishes *wishes;
	struct systrace_text text;
	struct reader reader;
	struct threads threads;
	struct run run;
	bool any_run; /* the first mark of a run was found */
	bool any_printed;
	bool any_incomplete;
	bool is_empty; /* the input has no trace; a message said so */
};

/* ---- faults ---- */

#define SHOWN_MARK 200 /* bytes of it */

/* Prints a fault of a row: file, line and thread, and why. */
__attribute__((format(printf, 4, 5))) static int
row_fault(struct phases *phases, uint64_t offset, const uint64_t *thread, const char *format, ...)
{
	char mark[SHOWN_MARK], where[64], why[1024], whose[48] = "";
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	if (thread)
		snprintf(whose, sizeof(whose), "thread %" PRIu64 ": ", *thread);
	phase_detail_mark(&phases->text, offset, mark, sizeof(mark));
	phase_detail_place(&phases->text, offset, where, sizeof(where));
	say("%s%s: %s\"%s\" %s", phases->text.path, where, whose, mark, why);
	return EXIT_BROKEN;
}

/* A fault of a mark and the one above it. */
static int nesting_fault(struct phases *phases, const char *format)
{
	const struct pool *pool = &phases->run.pool;
	const struct node *node = &pool->nodes[phases->run.fault.node],
			  *above = &pool->nodes[node->above];
	bool is_phase = !strcmp(format, "phase");
	char mark[SHOWN_MARK], where[64];

	phase_detail_place(&phases->text, above->offset, where, sizeof(where));
	phase_detail_mark(&phases->text, above->offset, mark, sizeof(mark));
	return row_fault(
		phases, node->offset, &phases->run.fault.tracker->thread,
		"%sstands below \"%s\" (%s): %s %s may not be within %s; end that one before, or take this one out of it with [SUB]",
		node->kind == NODE_MARK ? "" : "counts where it belongs, and there ", mark, where,
		is_phase ? "phase" : "layer",
		is_phase ? nn_phase_name(node->nn_phase) : nn_layer_name(node->nn_layer),
		is_phase ? nn_phase_name(above->nn_phase) : nn_layer_name(above->nn_layer));
}

/* Faults that come from more than one row. */
static int count_fault(struct phases *phases, enum run_fault why)
{
	const struct run *run = &phases->run;

	if (why == RUN_WAITS)
		say("%s: run \"%.*s\": thread %" PRIu64
		    " started %zu executions and waited for %zu (%s); trace until all have been waited for",
		    phases->text.path, (int)run->starting_size,
		    run->starting_mark ? run->starting_mark : "", run->fault.tracker->thread,
		    run->fault.begun, run->fault.ended, nn_overall_name(run->fault.overall));
	else
		say("%s: run \"%.*s\": drivers began %zu executions (HIDL::IPreparedModel::execute::server) and notified of %zu "
		    "(HIDL::IExecutionCallback::notify::client, %s); trace the drivers' threads, too, until all executions have ended",
		    phases->text.path, (int)run->starting_size,
		    run->starting_mark ? run->starting_mark : "", run->fault.begun,
		    run->fault.ended, nn_overall_name(run->fault.overall));
	return EXIT_BROKEN;
}

static int run_faulty(struct phases *phases, enum run_fault why)
{
	const struct run *run = &phases->run;
	const uint64_t *thread = run->fault.tracker ? &run->fault.tracker->thread : NULL;
	uint64_t offset = run->fault.offset;

	switch (why) {
	case RUN_TAG:
		return row_fault(
			phases, offset, thread,
			"has brackets that are not [NN_LAYER_PHASE]; other marks of this thread must not have any");
	case RUN_OTHER:
		return row_fault(
			phases, offset, thread,
			"is a HIDL call without ::client or ::server, so its layer is unknown; name one of them in the mark");
	case RUN_END:
		return row_fault(
			phases, offset, thread,
			"ends what has not begun; trace from before the program starts, and all of each run");
	case RUN_SWITCH:
		return row_fault(
			phases, offset, thread,
			"switches from a mark, but none is open; the mark before must be in the same scope");
	case RUN_DEEP:
		return row_fault(
			phases, offset, thread,
			"lies within more than %u other marks, whose ends are missing; trace all of each run",
			DEEPEST_MARK);
	case RUN_PHASE:
		return nesting_fault(phases, "phase");
	case RUN_LAYER:
		return nesting_fault(phases, "layer");
	case RUN_UNSPECIFIED:
		return row_fault(
			phases, offset, thread,
			"takes its phase from the mark above it, but no mark above has one; give one of them a phase");
	case RUN_WAITS:
	case RUN_NOTIFIES:
		return count_fault(phases, why);
	case RUN_SOUND:
		break;
	}
	return EXIT_DONE;
}

/* ---- a run's end ---- */

static void print_run(struct phases *phases, const struct phase_times *times)
{
	const struct wishes *wishes = phases->wishes;
	const struct run *run = &phases->run;

	progress_hide();
	if (times->is_half)
		say("%s: run \"%.*s\" has executions in %s and none in the other of PWU and PBM; all are in the tables together",
		    phases->text.path, (int)run->starting_size,
		    run->starting_mark ? run->starting_mark : "",
		    times->executions[OVERALL_PWU] ? "PWU" : "PBM");
	if (wishes->json) {
		fputs(phases->any_printed ? ",\n" : "[\n", stdout);
		phase_print_json(stdout, &wishes->style, times,
				 run->starting_mark ? run->starting_mark : "", run->starting_size);
	} else {
		phase_print_text(stdout, &wishes->style, times,
				 run->starting_mark ? run->starting_mark : "", run->starting_size);
		if (wishes->detail)
			phase_detail_print(stdout, run, &phases->text);
	}
	phases->any_printed = true;
}

static void say_incomplete(struct phases *phases, const struct tracker *tracker)
{
	uint64_t offset = phases->run.pool.nodes[tracker->open].offset;

	phases->any_incomplete = true;
	row_fault(phases, offset, &tracker->thread,
		  "has not ended when its run did; the run is incomplete, and not in the tables");
}

static int end_run(struct phases *phases)
{
	const struct tracker *open = run_open(&phases->run);
	struct phase_times times = {0};
	enum run_fault why;

	if (open) {
		say_incomplete(phases, open);
		return EXIT_DONE;
	}
	why = run_add_up(&phases->run, &times);
	if (why)
		return run_faulty(phases, why);
	if (!phases->run.limits || run_has_marks(&phases->run))
		print_run(phases, &times);
	return EXIT_DONE;
}

/* ---- the passes ---- */

static bool open_trace(struct phases *phases)
{
	const char *path = phases->wishes->path;
	enum systrace_kind kind = systrace_text_open(&phases->text, path);

	phases->run.is_ours = kind == SYSTRACE_OTHER_TRACE;
	return kind == SYSTRACE_TEXT ||
	       (kind == SYSTRACE_OTHER_TRACE &&
		systrace_text_make(&phases->text, path, systrace_write_events));
}

/* Finds the threads. */
static int phases_read_first(struct phases *phases)
{
	enum reader_state state;
	struct row row;

	reader_start(&phases->reader, &phases->text, 1);
	while ((state = reader_next(&phases->reader, &row)) == READER_ROW)
		threads_row(&phases->threads, &row);
	if (state == READER_BROKEN)
		return EXIT_BROKEN;
	if (state == READER_FAULT)
		return row_fault(
			phases, row.offset, NULL,
			"is not an ftrace row, or its task name is shorter than two letters; remove such lines");
	return EXIT_DONE;
}

/* Finds what the user selects. */
static int phases_select(struct phases *phases)
{
	struct phase_select *select = &phases->wishes->select;

	if (!selection_is_any(&select->selection))
		return EXIT_DONE;
	phases->run.limits = &select->limits;
	return phase_select_begin(select, &phases->text,
				  phases->text.is_made ? phases->wishes->path : NULL);
}

/* Finds those of interest. */
static int choose_threads(struct phases *phases)
{
	struct run *run = &phases->run;

	run->ntrackers = phases->threads.tracked.count;
	run->trackers = need(calloc(run->ntrackers + 1, sizeof(*run->trackers)));
	for (uint32_t i = 0; i < run->ntrackers; i++) {
		const struct thread *thread = threads_at(&phases->threads, i);

		run->trackers[i].thread = phases->threads.tracked.list[i];
		run->trackers[i].is_driver = threads_is_driver(&phases->threads, i);
		run->trackers[i].is_left_out =
			!phase_select_has_thread(&phases->wishes->select, &phases->threads, i);
		if (thread->is_lost && !run->trackers[i].is_left_out)
			return row_fault(
				phases, thread->lost_offset, &run->trackers[i].thread,
				"does not say which process the thread is of; have ftrace record it (trace option record-tgid)");
	}
	if (!phases->text.has_header) {
		if (phases->text.is_made)
			say("%s: no trace in it: it has no events; give a file that systrace or `tracelayer run` wrote",
			    phases->text.path);
		else
			say("%s: no trace in it: ftrace's header line, with TASK-PID and TIMESTAMP, is missing; give the text or page that systrace wrote",
			    phases->text.path);
		phases->is_empty = !phases->wishes->like_android;
	} else if (!phases->threads.has_runtime)
		say("%s: it has no mark of NNAPI's runtime ([NN_LR_...]); check how the trace was set up",
		    phases->text.path);
	return EXIT_DONE;
}

static void begin_run(struct phases *phases, const struct row *row)
{
	struct run *run = &phases->run;

	if (phases->any_run)
		run_clear(run);
	phases->any_run = true;
	run->starting_mark = need(realloc(run->starting_mark, row->mark_size + 1));
	memcpy(run->starting_mark, row->mark, row->mark_size);
	run->starting_size = row->mark_size;
}

static int take_row(struct phases *phases, struct row *row)
{
	uint32_t tracked = threads_tracked(&phases->threads, row->thread);
	struct run *run = &phases->run;
	enum run_fault why;
	int code;

	if (tracked == NO_NUMBER) {
		if (!row_has(row->mark, row->mark_size, MARK_DEVICE))
			return EXIT_DONE;
		return row_fault(
			phases, row->offset, &row->thread,
			"calls a driver, but its thread has no NNAPI mark; set up NNAPI's tracing for all threads");
	}
	if (row->mark[0] == 'B' && row_has(row->mark, row->mark_size, MARK_RUN)) {
		if (phases->any_run && (code = end_run(phases)))
			return code;
		begin_run(phases, row);
	}
	why = row->mark[0] == 'B'
		      ? run_begin(run, &run->trackers[tracked], row_time(row), row->offset,
				  (char *)row->mark, row->mark_size,
				  phase_select_has_name(&phases->wishes->select, row->mark,
							row->mark_size))
		      : run_end(run, &run->trackers[tracked], row_time(row), row->offset);
	return run_faulty(phases, why);
}

static int second_pass(struct phases *phases)
{
	enum reader_state state;
	struct row row;
	int code = EXIT_DONE;

	reader_start(&phases->reader, &phases->text, 2);
	while (!code && (state = reader_next(&phases->reader, &row)) == READER_ROW)
		code = take_row(phases, &row);
	if (!code && state == READER_BROKEN)
		code = EXIT_BROKEN;
	return code ? code : end_run(phases);
}

/* ---- options ---- */

enum {
	OPTION_TOTAL = 256,
	OPTION_TREE,
	OPTION_EXECUTION,
	OPTION_JSON,
	OPTION_DETAIL,
	OPTION_ANDROID
};

static const struct argp_option options[] = {
	{"total-times", OPTION_TOTAL, NULL, 0,
	 "count all that a layer calls in its time, instead of its own time only", 0},
	{"call-tree", OPTION_TREE, NULL, 0,
	 "take each layer's own time from the call tree, where every moment counts once, instead of from the columns",
	 0},
	{"per-execution", OPTION_EXECUTION, NULL, 0,
	 "only execution, divided by the number of executions", 0},
	{"json", OPTION_JSON, NULL, 0,
	 "print an array of JSON objects, one for each run, instead of tables", 0},
	{"print-detail", OPTION_DETAIL, NULL, 0,
	 "after each table, print the marks that it adds up", 0},
	{"like-android", OPTION_ANDROID, NULL, 0,
	 "do as Android's tool does: input without a trace gives an empty table and exit code 0",
	 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->select.selection;
		return 0;
	case OPTION_TOTAL:
		wishes->style.total_times = true;
		return 0;
	case OPTION_TREE:
		wishes->style.call_tree = true;
		return 0;
	case OPTION_EXECUTION:
		wishes->style.per_execution = true;
		return 0;
	case OPTION_JSON:
		wishes->json = true;
		return 0;
	case OPTION_DETAIL:
		wishes->detail = true;
		return 0;
	case OPTION_ANDROID:
		wishes->like_android = true;
		return 0;
	case ARGP_KEY_ARG:
		if (wishes->path)
			option_refuse(state, "more than one file given; give one file at a time");
		wishes->path = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		option_refuse(
			state,
			"no trace file given; name a systrace, as text or HTML page, or - for standard input");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&selection_marks_argp, 0, "What is counted:", 1},
					     {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
	.args_doc = "FILE",
	.doc = "Timing statistics of Android's neural networks API: what each layer spent in each phase. FILE is a systrace (text or HTML page) or a trace of tracelayer; - is "
	       "standard input.\v"
	       "Exit code: 0 done, 1 the trace is broken, 2 usage, 3 a run is incomplete (the tables show the others) or the file has no trace.",
};

int command_phases(int argc, char **argv)
{
	struct wishes wishes = {.style = {.total_times = false}};
	struct phases phases = {.wishes = &wishes};
	int code = EXIT_BROKEN;

	options_parse(&argp, argc, argv, 0, &wishes);
	phases.threads.keeps_tasks =
		wishes.select.selection.thread || wishes.select.selection.process;
	if (open_trace(&phases)) {
		code = phases_read_first(&phases);
		if (!code)
			code = phases_select(&phases);
		if (!code)
			code = choose_threads(&phases);
		if (!code && !phases.is_empty)
			code = second_pass(&phases);
		if (!code && phases.run.limits && !phases.any_printed && !phases.any_incomplete &&
		    !phases.is_empty)
			say("%s: no mark is selected; leave out some of --time, --thread, --process, --name and --longer-than",
			    phases.text.path);
		if (wishes.json)
			fputs(phases.any_printed ? "]\n" : "[\n]\n", stdout);
		if (fflush(stdout) || ferror(stdout)) {
			say_output_failed("the tables");
			code = EXIT_BROKEN;
		}
	}
	if (!code && (phases.any_incomplete || phases.text.is_cut || phases.is_empty))
		code = EXIT_INCOMPLETE;
	run_free(&phases.run);
	threads_free(&phases.threads);
	phase_select_free(&wishes.select);
	nn_names_free();
	systrace_text_close(&phases.text);
	return code;
}
