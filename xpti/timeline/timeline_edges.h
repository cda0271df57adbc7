/* SPDX-License-Identifier: MIT */
/*
 * timeline_edges.h: edges between nodes, and the arrows that are drawn along them.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_EDGES_H
#define TL_XPTI_TIMELINE_TIMELINE_EDGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { TIMELINE_EDGES = 1 << 15, TIMELINE_RUNS = 4 };

struct timeline_edge {
	uint32_t source, target; /* nodes */
	uint32_t name;
	uint32_t next_out, next_in, next_same; /* edges; 0: no more */
};

struct timeline_run {
	uint64_t start, end;
	uint32_t lane;
};

struct timeline_node {
	uint64_t uid;
	uint32_t next_same; /* in its list of the table, or in the list of free nodes */
	/* edges, the oldest first; 0: none */
	uint32_t first_out, last_out, first_in, last_in;
	uint32_t count;				 /* how often the node ran */
	uint64_t began;				 /* when the latest run began, ended or not */
	struct timeline_run runs[TIMELINE_RUNS]; /* the latest runs that have ended */
};

/* Edges and nodes are numbered from 1. */
struct timeline_edges {
	pthread_mutex_t lock;
	_Atomic uint64_t made; /* how many edges there ever were */
	uint32_t nodes, free_nodes;
	uint64_t oldest; /* how many edges were forgotten */
	uint32_t edge_table[TIMELINE_EDGES], node_table[TIMELINE_EDGES];
	struct timeline_edge edge[TIMELINE_EDGES + 1];
	struct timeline_node node[TIMELINE_EDGES + 1];
};

void timeline_edge_made(uint64_t source, uint64_t target, uint32_t name);
/* A run of the node with this uid has begun. */
void timeline_run_begins(uint64_t uid, uint64_t start);
/* The run has ended, and its slice is on that lane. Draws the arrows that are known now. */
void timeline_run_ends(uint64_t uid, uint32_t lane, uint64_t start, uint64_t end);

#endif
