/* SPDX-License-Identifier: MIT */
/*
 * phase_run.c: see phase_run.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/phases/phase_run.h"

enum run_fault run_set_fault(struct run *run, enum run_fault why, const struct tracker *tracker,
			     uint64_t offset, uint32_t node)
{
	run->fault.tracker = tracker;
	run->fault.offset = offset;
	run->fault.node = node;
	return why;
}

void spans_add(struct spans *spans, struct span span)
{
	if (spans->count == spans->room) {
		spans->room = spans->room ? 2 * spans->room : 16;
		spans->list = need(reallocarray(spans->list, spans->room, sizeof(*spans->list)));
	}
	spans->list[spans->count++] = span;
}

static void tracker_start(struct run *run, struct tracker *tracker)
{
	if (tracker->root)
		return;
	tracker->root = tracker->open = tree_new(&run->pool);
}

static void tracker_open_node(struct run *run, struct tracker *tracker, const struct node *node)
{
	tracker->open = tree_grow(&run->pool, tracker->open, node);
	tracker->depth++;
}

static bool run_takes(const struct run *run, double start, double end, bool is_named)
{
	const struct mark_limits *limits = run->limits;

	return !limits || ((is_named || !limits->by_name) && end - start >= limits->shortest &&
			   start <= limits->to && end >= limits->from);
}

/* False where nothing is open. */
static bool tracker_close_node(struct run *run, struct tracker *tracker, double time)
{
	uint32_t number = tracker->open;

	if (number == tracker->root)
		return false;
	const struct node *node = &run->pool.nodes[number];

	if (node->kind == NODE_MARK && node->function)
		spans_add(&tracker->calls[node->overall][node->function],
			  (struct span){node->start * 1000, time * 1000, node->is_named});
	if (node->kind == NODE_MARK && node->nn_layer == NN_LAYER_LA &&
	    node->nn_phase == NN_PHASE_PE && run_takes(run, node->start, time, node->is_named))
		tracker->application_executions[node->overall]++;
	tracker->open = node->above;
	tracker->depth--;
	tree_ended(&run->pool, number, time);
	return true;
}

/* [SW]: the open mark ends here. Its own end is still to come; until then a dummy stands for it. */
static bool tracker_switch(struct run *run, struct tracker *tracker, double time, uint64_t offset)
{
	if (!tracker_close_node(run, tracker, time))
		return false;
	tracker_open_node(run, tracker,
			  &(struct node){.kind = NODE_DUMMY,
					 .nn_layer = NN_LAYER_LX,
					 .nn_phase = NN_PHASE_PO,
					 .start = time,
					 .offset = offset});
	return true;
}

static void run_note_overall(struct run *run, const struct mark *mark)
{
	/* This holds until the next such mark. Android's tool does not go back, either. */
	if (mark->nn_layer == NN_LAYER_LA && mark->nn_phase == NN_PHASE_PWU)
		run->overall = OVERALL_PWU;
	else if (mark->nn_layer == NN_LAYER_LA && mark->nn_phase == NN_PHASE_PBM)
		run->overall = OVERALL_PBM;
}

enum run_fault run_begin(struct run *run, struct tracker *tracker, double time, uint64_t offset,
			 char *text, size_t size, bool is_named)
{
	struct mark mark;
	enum mark_fault why = mark_parse(&mark, text, size);

	tracker_start(run, tracker);
	if (why)
		return run_set_fault(run, why == MARK_TAG ? RUN_TAG : RUN_OTHER, tracker, offset,
				     NO_NODE);
	if (tracker->depth >= DEEPEST_MARK)
		return run_set_fault(run, RUN_DEEP, tracker, offset, tracker->open);
	if (mark.switches && !tracker_switch(run, tracker, time, offset))
		return run_set_fault(run, RUN_SWITCH, tracker, offset, NO_NODE);
	run_note_overall(run, &mark);
	/*
	 * The processor's work in a driver is the driver's; where there is none it is the
	 * processor's.
	 */
	if (mark.nn_layer == NN_LAYER_LC && tracker->is_driver)
		mark.nn_layer = NN_LAYER_LD;
	else if (mark.nn_layer == NN_LAYER_LD && !tracker->is_driver && !run->is_ours)
		mark.nn_layer = NN_LAYER_LC;
	tracker_open_node(
		run, tracker,
		&(struct node){.kind = NODE_MARK,
			       .nn_layer = mark.nn_layer,
			       .nn_phase = mark.nn_phase,
			       .overall = (uint8_t)run->overall,
			       .subtracts = mark.subtracts,
			       .is_named = is_named || run->pool.nodes[tracker->open].is_named,
			       .function = (uint8_t)mark.function,
			       .start = time,
			       .offset = offset});
	return RUN_SOUND;
}

enum run_fault run_end(struct run *run, struct tracker *tracker, double time, uint64_t offset)
{
	tracker_start(run, tracker);
	return tracker_close_node(run, tracker, time)
		       ? RUN_SOUND
		       : run_set_fault(run, RUN_END, tracker, offset, NO_NODE);
}

const struct tracker *run_open(const struct run *run)
{
	for (size_t i = 0; i < run->ntrackers; i++)
		if (!run->trackers[i].is_left_out && run->trackers[i].open != run->trackers[i].root)
			return &run->trackers[i];
	return NULL;
}

bool run_has_marks(const struct run *run)
{
	for (size_t i = 0; i < run->ntrackers; i++)
		if (run->trackers[i].root && run->pool.nodes[run->trackers[i].root].first)
			return true;
	return false;
}

void tracker_clear(struct tracker *tracker)
{
	tracker->root = tracker->open = NO_NODE;
	tracker->depth = 0;
	memset(tracker->application_executions, 0, sizeof(tracker->application_executions));
	for (enum overall overall = 0; overall < OVERALLS; overall++)
		for (unsigned function = 0; function < TIMED_FUNCTIONS; function++)
			tracker->calls[overall][function].count = 0;
}

void run_clear(struct run *run)
{
	pool_clear(&run->pool);
	run->overall = OVERALL_PO;
	for (size_t i = 0; i < run->ntrackers; i++)
		tracker_clear(&run->trackers[i]);
}

void run_free(struct run *run)
{
	for (size_t i = 0; i < run->ntrackers; i++)
		for (enum overall overall = 0; overall < OVERALLS; overall++)
			for (unsigned function = 0; function < TIMED_FUNCTIONS; function++)
				free(run->trackers[i].calls[overall][function].list);
	free(run->trackers);
	free(run->starting_mark);
	pool_free(&run->pool);
}
