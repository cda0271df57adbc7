/* SPDX-License-Identifier: MIT */
/*
 * task-graph-lcs.c: computes how much two texts have in common: the length of their longest common
 * subsequence. It works in blocks. Each block is a task, which depends on the blocks above it and
 * to its left. So the number of tasks that can run at the same time grows, and then shrinks again.
 *
 *	cc -o task-graph task-graph-lcs.c task-graph.c -ltracelayer-xptiproxy -ldl -lpthread
 *	./task-graph [FILE FILE]		(without files it makes up two texts)
 *
 *	XPTI_FRAMEWORK_DISPATCHER=/usr/local/lib/libtracelayer-xpti.so \
 *		XPTI_SUBSCRIBERS=./text.so,./statistics.so ./task-graph
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task-graph.h"

enum { BLOCKS = 6, THREADS = 4, RUNS = 2, MADE_UP = 2000 };

struct text {
	char *at;
	size_t size;
};

static struct text a, b;
static uint32_t *lengths; /* of the first i bytes of a and j of b; a row has b.size + 1 */

struct block {
	unsigned row, column;
	char name[24];
	struct task *task;
};

static void compute(void *block_)
{
	const struct block *block = block_;
	size_t row = b.size + 1;

	for (size_t i = a.size * block->row / BLOCKS + 1; i <= a.size * (block->row + 1) / BLOCKS;
	     i++)
		for (size_t j = b.size * block->column / BLOCKS + 1;
		     j <= b.size * (block->column + 1) / BLOCKS; j++) {
			uint32_t above = lengths[(i - 1) * row + j],
				 left = lengths[i * row + j - 1];
			lengths[i * row + j] = a.at[i - 1] == b.at[j - 1]
						       ? lengths[(i - 1) * row + j - 1] + 1
					       : above > left ? above
							      : left;
		}
}

static void no_memory(void)
{
	fprintf(stderr, "task-graph: out of memory\n");
	exit(1);
}

static struct graph *make_graph(struct block blocks[BLOCKS][BLOCKS])
{
	struct graph *graph = graph_create("lcs");

	if (!graph)
		no_memory();
	for (unsigned row = 0; row < BLOCKS; row++)
		for (unsigned column = 0; column < BLOCKS; column++) {
			struct block *block = &blocks[row][column];
			block->row = row;
			block->column = column;
			snprintf(block->name, sizeof(block->name), "block %u.%u", row, column);
			block->task = graph_add(graph, block->name, compute, block);
			if (!block->task ||
			    (row && graph_edge(graph, blocks[row - 1][column].task, block->task)) ||
			    (column &&
			     graph_edge(graph, blocks[row][column - 1].task, block->task)))
				no_memory();
		}
	return graph;
}

static struct text read_file(const char *path)
{
	struct text text = {NULL, 0};
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(1);
	}
	for (size_t got = 1; got; text.size += got) {
		text.at = realloc(text.at, text.size + 4096);
		if (!text.at)
			no_memory();
		got = fread(text.at + text.size, 1, 4096, file);
	}
	fclose(file);
	return text;
}

static struct text make_up(uint32_t seed)
{
	struct text text = {malloc(MADE_UP), MADE_UP};

	if (!text.at)
		no_memory();
	for (size_t i = 0; i < MADE_UP; i++) {
		seed = seed * 1664525 + 1013904223;
		text.at[i] = "ACGT"[seed >> 30];
	}
	return text;
}

int main(int argc, char **argv)
{
	struct block blocks[BLOCKS][BLOCKS];

	if (argc != 1 && argc != 3) {
		fprintf(stderr, "usage: task-graph [FILE FILE]\n");
		return 2;
	}
	a = argc > 1 ? read_file(argv[1]) : make_up(1);
	b = argc > 1 ? read_file(argv[2]) : make_up(2);
	lengths = calloc((a.size + 1) * (b.size + 1), sizeof(lengths[0]));
	if (!lengths)
		no_memory();
	struct graph *graph = make_graph(blocks);
	for (int run = 0; run < RUNS; run++)
		graph_run(graph, THREADS);
	printf("%zu and %zu bytes have %u in common\n", a.size, b.size,
	       lengths[(a.size + 1) * (b.size + 1) - 1]);
	graph_destroy(graph);
	free(lengths);
	free(a.at);
	free(b.at);
	return 0;
}
