/* SPDX-License-Identifier: MIT */
/*
 * phase_tree.c: see phase_tree.h. No function here is recursive: trees are as deep as the trace
 * says.
 *
 * The order of children matters where times are added: the last digit of a sum of doubles depends
 * on it, and must be that of Android's tool. So a removed node leaves its children at the end of
 * its parent's list, and an added node goes there, as in that tool.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/phases/phase_tree.h"

static struct node *node_at(const struct pool *pool, uint32_t node)
{
	return &pool->nodes[node];
}

/* ---- growing ---- */

void pool_clear(struct pool *pool)
{
	pool->count = 0;
	pool->free = NO_NODE;
}

void pool_free(struct pool *pool)
{
	free(pool->nodes);
	memset(pool, 0, sizeof(*pool));
}

static uint32_t pool_take(struct pool *pool, const struct node *node)
{
	uint32_t number = pool->free;

	if (number) {
		pool->free = node_at(pool, number)->after;
	} else {
		if (!pool->count)
			pool->count = 1; /* NO_NODE is none */
		if (pool->count >= pool->room) {
			uint64_t room = pool->room ? 2 * (uint64_t)pool->room : 1024;

			pool->room = room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
			pool->nodes =
				need(pool->count < pool->room
					     ? reallocarray(pool->nodes, pool->room, sizeof(*node))
					     : NULL);
		}
		number = pool->count++;
	}
	pool->nodes[number] = *node;
	return number;
}

static void node_append(struct pool *pool, uint32_t above, uint32_t number)
{
	struct node *node = node_at(pool, number), *parent = node_at(pool, above);

	node->above = above;
	node->after = NO_NODE;
	node->before = parent->last;
	if (parent->last)
		node_at(pool, parent->last)->after = number;
	else
		parent->first = number;
	parent->last = number;
}

static void unlink_node(struct pool *pool, uint32_t number)
{
	struct node *node = node_at(pool, number), *parent = node_at(pool, node->above);

	if (node->before)
		node_at(pool, node->before)->after = node->after;
	else
		parent->first = node->after;
	if (node->after)
		node_at(pool, node->after)->before = node->before;
	else
		parent->last = node->before;
}

uint32_t tree_new(struct pool *pool)
{
	return pool_take(pool,
			 &(struct node){.nn_layer = NN_LAYER_NONE, .nn_phase = NN_PHASE_NONE});
}

uint32_t tree_grow(struct pool *pool, uint32_t above, const struct node *node)
{
	uint32_t number = pool_take(pool, node);

	node_append(pool, above, number);
	return number;
}

static bool is_invisible(const struct node *node)
{
	return node->kind == NODE_DUMMY || node->nn_layer == NN_LAYER_LX;
}

void tree_ended(struct pool *pool, uint32_t number, double end)
{
	struct node *node = node_at(pool, number);

	node->end = end;
	if (!is_invisible(node) || node->first)
		return;
	unlink_node(pool, number);
	node->after = pool->free;
	pool->free = number;
}

/* ---- walking ---- */

uint32_t tree_next(const struct pool *pool, uint32_t root, uint32_t number)
{
	const struct node *node = node_at(pool, number);

	if (node->first)
		return node->first;
	for (; number != root; number = node->above, node = node_at(pool, number))
		if (node->after)
			return node->after;
	return NO_NODE;
}

/* Nodes, as they were found. */
struct found {
	uint32_t *nodes;
	size_t count, room;
};

static void found_add(struct found *found, uint32_t node)
{
	if (found->count == found->room) {
		found->room = found->room ? 2 * found->room : 256;
		found->nodes = need(reallocarray(found->nodes, found->room, sizeof(*found->nodes)));
	}
	found->nodes[found->count++] = node;
}

/* Finds all nodes of a kind before the first is treated, because treating one moves others. */
static struct found find_nodes(const struct pool *pool, uint32_t root,
			       bool (*wanted)(const struct pool *, uint32_t))
{
	struct found found = {0};

	for (uint32_t node = tree_next(pool, root, root); node; node = tree_next(pool, root, node))
		if (wanted(pool, node))
			found_add(&found, node);
	return found;
}

/* ---- what the contract says of two nodes ---- */

bool tree_is_detail(const struct pool *pool, uint32_t number)
{
	const struct node *node = node_at(pool, number), *above = node_at(pool, node->above);

	return node->above && above->above && node->nn_layer == above->nn_layer &&
	       !node->subtracts && !nn_phase_nests(above->nn_phase, node->nn_phase) &&
	       (node->nn_phase != NN_PHASE_PI || above->nn_phase == NN_PHASE_PI);
}

/* The application is in another phase than what it calls. Executing may be part of any. */
static bool is_of_another_phase(const struct pool *pool, uint32_t number)
{
	const struct node *node = node_at(pool, number), *above = node_at(pool, node->above);

	return above->nn_layer == NN_LAYER_LA &&
	       (node->nn_layer == NN_LAYER_LR || node->nn_layer == NN_LAYER_LI) &&
	       above->nn_phase != NN_PHASE_PO && above->nn_phase != node->nn_phase &&
	       node->nn_phase != NN_PHASE_PE && !nn_phase_is_of_execution(node->nn_phase);
}

/* ---- arranging ---- */

static bool is_ignored(const struct pool *pool, uint32_t node)
{
	return node_at(pool, node)->nn_layer == NN_LAYER_LX;
}

static bool is_dummy(const struct pool *pool, uint32_t node)
{
	return node_at(pool, node)->kind == NODE_DUMMY;
}

static void remove_nodes(struct pool *pool, uint32_t root,
			 bool (*wanted)(const struct pool *, uint32_t))
{
	struct found found = find_nodes(pool, root, wanted);

	for (size_t i = 0; i < found.count; i++) {
		uint32_t child, above = node_at(pool, found.nodes[i])->above;

		unlink_node(pool, found.nodes[i]);
		while ((child = node_at(pool, found.nodes[i])->first)) {
			unlink_node(pool, child);
			node_append(pool, above, child);
		}
	}
	free(found.nodes);
}

/* A node without a phase takes the phase of the node above it. */
static enum tree_fault resolve_phases(struct pool *pool, uint32_t root, uint32_t *fault)
{
	for (uint32_t number = tree_next(pool, root, root); number;
	     number = tree_next(pool, root, number)) {
		struct node *node = node_at(pool, number);

		if (node->nn_phase == NN_PHASE_PU)
			node->nn_phase = node_at(pool, node->above)->nn_phase;
		if (node->nn_phase == NN_PHASE_NONE) {
			*fault = number;
			return TREE_UNSPECIFIED;
		}
	}
	return TREE_SOUND;
}

static bool is_left_out(const struct pool *pool, uint32_t node)
{
	return node_at(pool, node)->is_left_out;
}

/*
 * What is left out is removed, and what lies in it stands below the next mark around it. The others
 * are cut to the time.
 */
static void select_nodes(struct pool *pool, uint32_t root, const struct mark_limits *limits)
{
	for (uint32_t number = tree_next(pool, root, root); number;
	     number = tree_next(pool, root, number)) {
		struct node *node = node_at(pool, number);

		node->is_left_out = (limits->by_name && !node->is_named) ||
				    node->end - node->start < limits->shortest ||
				    node->start > limits->to || node->end < limits->from;
		if (node->start < limits->from)
			node->start = limits->from;
		if (node->end > limits->to)
			node->end = limits->to;
	}
	remove_nodes(pool, root, is_left_out);
}

static bool node_is_elsewhere(const struct pool *pool, uint32_t number)
{
	const struct node *node = node_at(pool, number);

	return node->subtracts ||
	       (node->nn_phase == NN_PHASE_PI &&
		node_at(pool, node->above)->nn_phase != NN_PHASE_PI) ||
	       is_of_another_phase(pool, number);
}

/* Finds the node that this node's time belongs to. */
static uint32_t place_of(const struct pool *pool, uint32_t root, uint32_t number)
{
	const struct node *node = node_at(pool, number);
	uint32_t place = node->above;

	if (node->subtracts) {
		while (place != root && (node_at(pool, place)->nn_layer != node->nn_layer ||
					 tree_is_detail(pool, place)))
			place = node_at(pool, place)->above;
	} else if (node->nn_phase == NN_PHASE_PI) {
		return root;
	} else {
		place = node_at(pool, place)->above;
	}
	return place == root ? root : node_at(pool, place)->above;
}

/* A node that is not a part of the node above counts where it belongs, and not where it stands. */
static void move_elsewhere(struct pool *pool, uint32_t root)
{
	struct found found = find_nodes(pool, root, node_is_elsewhere);

	for (size_t i = 0; i < found.count; i++) {
		uint32_t number = found.nodes[i], place = place_of(pool, root, number);
		struct node copy = *node_at(pool, number);

		copy.kind = NODE_COPY;
		copy.first = copy.last = NO_NODE;
		copy.subtracts = false;
		tree_grow(pool, place, &copy);
		node_at(pool, number)->subtracts = true;
	}
	free(found.nodes);
}

/*
 * A node's own time. `less` must be set in all nodes below it. One is taken away after the other:
 * the last digits are those of Android's tool.
 */
static double net_of(const struct pool *pool, uint32_t number)
{
	const struct node *node = node_at(pool, number);
	double net = (node->end - node->start) * 1000;

	for (uint32_t child = node->first; child; child = node_at(pool, child)->after)
		net -= node_at(pool, child)->less;
	return net;
}

/*
 * What the node above leaves out: of details what these leave out, of others all that is no part of
 * it.
 */
static double less_of(const struct pool *pool, uint32_t number)
{
	const struct node *node = node_at(pool, number);
	double less = 0;

	if (!tree_is_detail(pool, number))
		return node->subtracts ? (node->end - node->start) * 1000 : 0;
	for (uint32_t child = node->first; child; child = node_at(pool, child)->after)
		less += node_at(pool, child)->less;
	return less;
}

static bool node_any(const struct pool *pool, uint32_t node)
{
	(void)pool;
	(void)node;
	return true;
}

static void tree_tell_less(struct pool *pool, uint32_t root)
{
	struct found all = find_nodes(pool, root, node_any);

	/* From below to above. */
	for (size_t i = all.count; i > 0; i--)
		node_at(pool, all.nodes[i - 1])->less = less_of(pool, all.nodes[i - 1]);
	free(all.nodes);
}

static bool lacks_application(const struct pool *pool, uint32_t number)
{
	return !node_at(pool, number)->subtracts && !tree_is_detail(pool, number) &&
	       is_of_another_phase(pool, number);
}

/* The application is in the phase of what it calls, as long as that takes. */
static void add_application(struct pool *pool, uint32_t root)
{
	struct found found = find_nodes(pool, root, lacks_application);

	if (found.count)
		tree_tell_less(pool, root);
	for (size_t i = 0; i < found.count; i++) {
		uint32_t number = found.nodes[i], above = node_at(pool, number)->above;
		struct node added = *node_at(pool, number);

		added.kind = NODE_ADDED;
		added.nn_layer = NN_LAYER_LA;
		added.first = added.last = NO_NODE;
		added.end = added.start + net_of(pool, number) / 1000;
		unlink_node(pool, number);
		node_append(pool, tree_grow(pool, above, &added), number);
	}
	free(found.nodes);
}

/* Utility code counts for its caller's layer. */
static uint16_t layer_of(const struct pool *pool, uint32_t number)
{
	while (node_at(pool, number)->nn_layer == NN_LAYER_LU && node_at(pool, number)->above)
		number = node_at(pool, number)->above;
	return node_at(pool, number)->nn_layer;
}

static void add_span(const struct pool *pool, uint32_t number, struct tree_sums *own,
		     const struct node *span, double sign)
{
	const struct node *node = node_at(pool, number);
	uint16_t nn_layer = layer_of(pool, number);

	if (nn_layer < NN_LAYERS && node->nn_phase < NN_PHASES_KNOWN)
		own->times[node->overall][nn_layer]
			  [node->nn_phase < NN_PHASES ? node->nn_phase : NN_PHASE_PO] +=
			sign * (span->end - span->start) * 1000;
}

static void tree_add_own(const struct pool *pool, uint32_t root, struct tree_sums *own)
{
	for (uint32_t number = tree_next(pool, root, root); number;
	     number = tree_next(pool, root, number)) {
		const struct node *node = node_at(pool, number);

		add_span(pool, number, own, node, 1);
		add_span(pool, node->above, own, node, -1);
	}
}

enum tree_fault tree_arrange(struct pool *pool, uint32_t root, const struct mark_limits *limits,
			     struct tree_sums *own, uint32_t *fault)
{
	remove_nodes(pool, root, is_ignored);
	remove_nodes(pool, root, is_dummy);
	if (resolve_phases(pool, root, fault))
		return TREE_UNSPECIFIED;
	if (limits)
		select_nodes(pool, root, limits);
	tree_add_own(pool, root, own);
	move_elsewhere(pool, root);
	add_application(pool, root);
	return TREE_SOUND;
}

/* ---- checking ---- */

static bool phase_may_be(const struct node *above, const struct node *node)
{
	return above->nn_phase == NN_PHASE_NONE || node->nn_phase == above->nn_phase ||
	       node->nn_phase == NN_PHASE_PI || nn_phase_nests(above->nn_phase, node->nn_phase) ||
	       (nn_phase_is_of_execution(node->nn_phase) &&
		nn_phase_nests(above->nn_phase, NN_PHASE_PE)) ||
	       node->subtracts;
}

static bool layer_may_be(const struct node *above, const struct node *node)
{
	return above->nn_layer == NN_LAYER_NONE || node->nn_layer == NN_LAYER_LU ||
	       node->nn_layer == above->nn_layer ||
	       nn_layer_calls(above->nn_layer, node->nn_layer) || node->subtracts;
}

enum tree_fault tree_check(const struct pool *pool, uint32_t root, bool drivers_inside,
			   uint32_t *fault)
{
	for (uint32_t number = tree_next(pool, root, root); number;
	     number = tree_next(pool, root, number)) {
		const struct node *node = node_at(pool, number),
				  *above = node_at(pool, node->above);

		*fault = number;
		if (!phase_may_be(above, node))
			return TREE_PHASE;
		if (!layer_may_be(above, node) &&
		    !(drivers_inside && above->nn_layer == NN_LAYER_LR &&
		      node->nn_layer == NN_LAYER_LD))
			return TREE_LAYER;
	}
	return TREE_SOUND;
}

/* ---- adding up ---- */

double tree_time(const struct pool *pool, uint32_t node)
{
	return net_of(pool, node);
}

/* The layers of which something above is execution. */
static uint8_t executing_below(const struct node *above)
{
	bool more = above->nn_phase == NN_PHASE_PE && above->nn_layer < NN_LAYERS;

	return (uint8_t)(above->executing | (more ? 1u << above->nn_layer : 0));
}

void tree_add_up(struct pool *pool, uint32_t root, struct tree_sums *sums)
{
	tree_tell_less(pool, root);
	node_at(pool, root)->executing = 0;
	for (uint32_t number = tree_next(pool, root, root); number;
	     number = tree_next(pool, root, number)) {
		struct node *node = node_at(pool, number);

		node->executing = executing_below(node_at(pool, node->above));
		if (node->subtracts || tree_is_detail(pool, number) ||
		    node->nn_layer >= NN_LAYERS || node->nn_phase >= NN_PHASES)
			continue;
		double *times = sums->times[node->overall][node->nn_layer],
		       net = net_of(pool, number);

		times[node->nn_phase] += net;
		if (nn_phase_is_of_execution(node->nn_phase) &&
		    !(node->executing >> node->nn_layer & 1))
			times[NN_PHASE_PE] += net;
	}
}
