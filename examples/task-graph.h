/* SPDX-License-Identifier: MIT */
/*
 * task-graph.h: a small library that runs tasks on several threads. Each task runs when all tasks
 * that it depends on have finished. It is an example: it notifies of what it does on the XPTI
 * stream "task_graph"; see task-graph.c.
 *
 * Build a graph in one thread. Run it as often as you like, but one run at a time.
 */
#ifndef TASK_GRAPH_H
#define TASK_GRAPH_H

struct graph;
struct task;

/* NULL: no memory, also from graph_add. */
struct graph *graph_create(const char *name);
/* A task that calls work(argument). */
#define graph_add(graph, name, work, argument)                                                     \
	graph_add_at(graph, name, work, argument, __FILE__, __LINE__)
struct task *graph_add_at(struct graph *graph, const char *name, void (*work)(void *),
			  void *argument, const char *file, int line);
/* `after` begins when `before` has ended. Returns 0; -1: no memory. There must be no cycles. */
int graph_edge(struct graph *graph, struct task *before, struct task *after);
/*
 * Run all tasks on so many threads, and return when they are done: 0; -1: not one thread could be
 * made.
 */
int graph_run(struct graph *graph, unsigned threads);
void graph_destroy(struct graph *graph);

#endif
