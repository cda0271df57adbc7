/* SPDX-License-Identifier: MIT */
/*
 * timeline_edges.c: edges, runs of nodes, and arrows.
 *
 * An edge leads from the uid of one node to the uid of another. A slice with such a uid is a run of
 * the node. Each run of an edge's target gets an arrow from the run of the source that began last
 * before it. The arrow starts at the end of that run, or inside of it where the run had not ended
 * yet. The run that ends last draws the arrow.
 *
 * Where there are too many edges, the library forgets the oldest, and a node with its last edge. So
 * a program that makes graphs all the time takes no more memory than this. Edges are forgotten in
 * the order in which they were made. So the oldest edge is the first one of each list that it is
 * in.
 */
#include <string.h>

#include "xpti/timeline/timeline_edges.h"
#include "xpti/timeline/timeline_state.h"
#include "xpti/timeline/timeline_types.h"

/* Ticks between an arrow's end and the bounds of its slice, so that the arrow ends inside. */
#define INSIDE 16u

static struct timeline_edges *edges_here(void)
{
	return &timeline->edges;
}

static uint32_t edge_hash(uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ b * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;

	return (uint32_t)(hash >> 32) % TIMELINE_EDGES;
}

/* ---- nodes and edges; the caller holds the lock */

static struct timeline_node *node_find(uint64_t uid)
{
	uint32_t at = edges_here()->node_table[edge_hash(uid, 0)];

	while (at && edges_here()->node[at].uid != uid)
		at = edges_here()->node[at].next_same;
	return at ? &edges_here()->node[at] : NULL;
}

static uint32_t node_number(const struct timeline_node *node)
{
	return (uint32_t)(node - edges_here()->node);
}

static void node_forget(struct timeline_node *node)
{
	uint32_t *link = &edges_here()->node_table[edge_hash(node->uid, 0)],
		 number = node_number(node);

	while (*link != number)
		link = &edges_here()->node[*link].next_same;
	*link = node->next_same;
	node->next_same = edges_here()->free_nodes;
	edges_here()->free_nodes = number;
}

static uint32_t *edge_list(const struct timeline_edge *edge)
{
	return &edges_here()->edge_table[edge_hash(edges_here()->node[edge->source].uid,
						   edges_here()->node[edge->target].uid)];
}

static void edge_forget_oldest(void)
{
	uint32_t number = (uint32_t)(edges_here()->oldest++ % TIMELINE_EDGES) + 1;
	struct timeline_edge *edge = &edges_here()->edge[number];
	struct timeline_node *source = &edges_here()->node[edge->source],
			     *target = &edges_here()->node[edge->target];
	uint32_t *link = edge_list(edge);

	while (*link != number)
		link = &edges_here()->edge[*link].next_same;
	*link = edge->next_same;
	source->first_out = edge->next_out;
	target->first_in = edge->next_in;
	if (!source->first_out && !source->first_in)
		node_forget(source);
	if (source != target && !target->first_out && !target->first_in)
		node_forget(target);
}

static uint32_t node_make(uint64_t uid)
{
	struct timeline_node *node = node_find(uid);

	if (node)
		return node_number(node);
	uint32_t number = edges_here()->free_nodes;
	if (number)
		edges_here()->free_nodes = edges_here()->node[number].next_same;
	else
		number = ++edges_here()->nodes;
	node = &edges_here()->node[number];
	*node = (struct timeline_node){.uid = uid,
				       .next_same = edges_here()->node_table[edge_hash(uid, 0)]};
	edges_here()->node_table[edge_hash(uid, 0)] = number;
	return number;
}

static bool edge_is_known(uint64_t source, uint64_t target)
{
	for (uint32_t at = edges_here()->edge_table[edge_hash(source, target)]; at;
	     at = edges_here()->edge[at].next_same)
		if (edges_here()->node[edges_here()->edge[at].source].uid == source &&
		    edges_here()->node[edges_here()->edge[at].target].uid == target)
			return true;
	return false;
}

/* Make room for two more nodes and an edge. */
static void edges_make_room(void)
{
	uint64_t made = atomic_load_explicit(&edges_here()->made, memory_order_relaxed);

	while (edges_here()->oldest < made &&
	       (made - edges_here()->oldest == TIMELINE_EDGES ||
		(edges_here()->nodes + 2 > TIMELINE_EDGES &&
		 !(edges_here()->free_nodes &&
		   edges_here()->node[edges_here()->free_nodes].next_same))))
		edge_forget_oldest();
}

static void edge_add(uint64_t from, uint64_t to, uint32_t name)
{
	edges_make_room();
	uint64_t made = atomic_load_explicit(&edges_here()->made, memory_order_relaxed);
	uint32_t number = (uint32_t)(made % TIMELINE_EDGES) + 1;
	struct timeline_edge *edge = &edges_here()->edge[number];
	*edge = (struct timeline_edge){
		.source = node_make(from), .target = node_make(to), .name = name};
	struct timeline_node *source = &edges_here()->node[edge->source],
			     *target = &edges_here()->node[edge->target];
	edge->next_same = *edge_list(edge);
	*edge_list(edge) = number;
	if (source->first_out)
		edges_here()->edge[source->last_out].next_out = number;
	else
		source->first_out = number;
	source->last_out = number;
	if (target->first_in)
		edges_here()->edge[target->last_in].next_in = number;
	else
		target->first_in = number;
	target->last_in = number;
	atomic_store_explicit(&edges_here()->made, made + 1, memory_order_relaxed);
}

void timeline_edge_made(uint64_t source, uint64_t target, uint32_t name)
{
	if (!source || !target)
		return;
	pthread_mutex_lock(&edges_here()->lock);
	if (!edge_is_known(source, target))
		edge_add(source, target, name);
	pthread_mutex_unlock(&edges_here()->lock);
}

/* ---- runs */

static uint64_t run_inside(const struct timeline_run *run)
{
	uint64_t half = (run->end - run->start) / 2;

	return half < INSIDE ? half : INSIDE;
}

static void arrow_draw(const struct timeline_edge *edge, const struct timeline_run *from,
		       const struct timeline_run *to)
{
	uint64_t number = tl_guest_flows();
	struct tl_event arrow = {.phase = 's',
				 .level = TIMELINE_LEVEL,
				 .lane = from->lane,
				 .name = edge->name,
				 .category = timeline_category(xpti_trace_edge_create),
				 .duration = number};

	arrow.start = from->end - run_inside(from);
	if (arrow.start > to->start)
		arrow.start = to->start - from->start > INSIDE ? to->start - INSIDE : from->start;
	tl_guest_put(&arrow);
	arrow.phase = 'f';
	arrow.lane = to->lane;
	arrow.start = to->start + run_inside(to);
	tl_guest_put(&arrow);
}

/* The run that began last before a time. NULL: it has not ended yet, or is forgotten. */
static const struct timeline_run *run_last_before(const struct timeline_node *node, uint64_t time)
{
	const struct timeline_run *last = NULL;

	for (uint32_t i = 0; i < TIMELINE_RUNS && i < node->count; i++)
		if (node->runs[i].start <= time && (!last || node->runs[i].start > last->start))
			last = &node->runs[i];
	return last && node->began > last->start && node->began <= time ? NULL : last;
}

static void arrows_from_sources(const struct timeline_node *node, const struct timeline_run *run)
{
	for (uint32_t at = node->first_in; at; at = edges_here()->edge[at].next_in) {
		const struct timeline_run *from = run_last_before(
			&edges_here()->node[edges_here()->edge[at].source], run->start);
		if (from)
			arrow_draw(&edges_here()->edge[at], from, run);
	}
}

/* Arrows to runs that began in this run and have ended already. */
static void arrows_to_targets(const struct timeline_node *node, const struct timeline_run *run)
{
	for (uint32_t at = node->first_out; at; at = edges_here()->edge[at].next_out) {
		const struct timeline_node *target =
			&edges_here()->node[edges_here()->edge[at].target];
		for (uint32_t i = 0; target != node && i < TIMELINE_RUNS && i < target->count;
		     i++) {
			const struct timeline_run *to = &target->runs[i];
			if (to->start >= run->start && run_last_before(node, to->start) == run)
				arrow_draw(&edges_here()->edge[at], run, to);
		}
	}
}

static bool edges_exist(void)
{
	return atomic_load_explicit(&edges_here()->made, memory_order_relaxed) != 0;
}

void timeline_run_begins(uint64_t uid, uint64_t start)
{
	if (TL_LIKELY(!edges_exist()) || !uid)
		return;
	pthread_mutex_lock(&edges_here()->lock);
	struct timeline_node *node = node_find(uid);
	if (node && start > node->began)
		node->began = start;
	pthread_mutex_unlock(&edges_here()->lock);
}

void timeline_run_ends(uint64_t uid, uint32_t lane, uint64_t start, uint64_t end)
{
	const struct timeline_run run = {.start = start, .end = end, .lane = lane};

	if (TL_LIKELY(!edges_exist()) || !uid)
		return;
	pthread_mutex_lock(&edges_here()->lock);
	struct timeline_node *node = node_find(uid);
	if (node) {
		arrows_from_sources(node, &run);
		struct timeline_run *kept = &node->runs[node->count++ % TIMELINE_RUNS];
		*kept = run;
		arrows_to_targets(node, kept);
	}
	pthread_mutex_unlock(&edges_here()->lock);
}
