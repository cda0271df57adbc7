/* SPDX-License-Identifier: MIT */
/*
 * phase_tree.h: what a run's threads were doing, as trees of marks, and the order that the
 * contract of NNAPI's marks asks for.
 *
 * While a run is read, each thread has a tree that grows at one end. When the run is complete, its
 * trees are put in order (tree_arrange), checked (tree_check) and added up (tree_add_up).
 *
 * All nodes of a run are in one pool. A node is known by its number in the pool, a tree by the
 * number of its root.
 */
#ifndef TL_CLI_PHASES_PHASE_TREE_H
#define TL_CLI_PHASES_PHASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/systrace/systrace.h"

#define NO_NODE 0u /* a number that no node has */

/* A thread with more nested marks than these lacks their ends. */
#define DEEPEST_MARK 4096u

enum node_kind {
	NODE_MARK,
	NODE_DUMMY, /* takes the place of a mark that [SW] ended, until the mark's own end */
	NODE_COPY,  /* of another one, where its time belongs */
	NODE_ADDED, /* in between, where the application is in that phase without saying so */
};

struct node {
	uint32_t above, first, last, before, after; /* its parent, its children, its neighbours */
	uint16_t nn_layer, nn_phase;		    /* PU only while the run is read */
	uint8_t overall, kind;
	bool subtracts; /* it is no part of what stands above it */
	bool is_named;	/* its name is selected, or that of something above it */
	bool is_left_out;
	/* while adding up: the layers of which something above is execution, a bit for each */
	uint8_t executing;
	uint8_t function;
	double start, end; /* seconds */
	double less;	   /* while adding up: what its parent has to leave out for it, ms */
	uint64_t offset;   /* of the row that began it */
};

struct pool {
	struct node *nodes;
	uint32_t count, room, free;
};

/* What is selected of a tree. */
struct mark_limits {
	double from, to; /* seconds */
	double shortest; /* seconds */
	bool by_name;
};

/* What a tree adds up to, in ms. */
struct tree_sums {
	double times[OVERALLS][NN_LAYERS][NN_PHASES];
};

/* Which rule of the contract a node breaks. */
enum tree_fault { TREE_SOUND, TREE_PHASE, TREE_LAYER, TREE_UNSPECIFIED };

void pool_clear(struct pool *pool);
void pool_free(struct pool *pool);

/* A new tree. */
uint32_t tree_new(struct pool *pool);

/* A new last child. */
uint32_t tree_grow(struct pool *pool, uint32_t above, const struct node *node);

/* Ends the node. An invisible node without children is removed. */
void tree_ended(struct pool *pool, uint32_t node, double end);

/*
 * Puts the nodes in the order of the contract. If the result is not TREE_SOUND, a node has no
 * phase, and *fault is this node.
 *
 * Nodes that are not selected are removed before that; `limits` may be NULL.
 *
 * Then to `own` is added what the call tree says: each moment once, for the innermost mark
 * that it lies in, by that one's layer (of utilities: that of what they lie in) and phase. What
 * warms up or is measured counts as overall there, as far as it is not execution.
 */
enum tree_fault tree_arrange(struct pool *pool, uint32_t root, const struct mark_limits *limits,
			     struct tree_sums *own, uint32_t *fault);
/* `drivers_inside`: the runtime may call drivers itself. */
enum tree_fault tree_check(const struct pool *pool, uint32_t root, bool drivers_inside,
			   uint32_t *fault);
void tree_add_up(struct pool *pool, uint32_t root, struct tree_sums *sums);

/* The next node, from above to below, first the root; NO_NODE at the end. */
uint32_t tree_next(const struct pool *pool, uint32_t root, uint32_t node);

/* Whether the node only details the time of the node above it, and has no own time. */
bool tree_is_detail(const struct pool *pool, uint32_t node);

/* Its own time, ms, once the tree was added up. */
double tree_time(const struct pool *pool, uint32_t node);

#endif
