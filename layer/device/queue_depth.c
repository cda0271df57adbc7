/* SPDX-License-Identifier: MIT */
/*
 * queue_depth.c: see queue_depth.h.
 */
#include "layer/device/queue_depth.h"

#include <stdio.h>
#include <stdlib.h>

#include "layer/buffers/strings.h"
#include "layer/calls/event.h"
#include "layer/device/device_texts.h"
#include "tracelayer/api.h"

static void edge_swap(struct tl_depth_edge *a, struct tl_depth_edge *b)
{
	struct tl_depth_edge one = *a;

	*a = *b;
	*b = one;
}

void tl_depth_change(struct tl_device_queue *queue, uint64_t ns, int32_t change)
{
	if (queue->nedges == queue->edges_room) {
		uint32_t room = queue->edges_room ? 2 * queue->edges_room : 64;
		struct tl_depth_edge *edges = realloc(queue->edges, room * sizeof(*edges));
		if (!edges)
			return;
		queue->edges = edges;
		queue->edges_room = room;
	}
	uint32_t i = queue->nedges++;
	queue->edges[i] = (struct tl_depth_edge){ns, change};
	for (; i && queue->edges[(i - 1) / 2].ns > queue->edges[i].ns; i = (i - 1) / 2)
		edge_swap(&queue->edges[i], &queue->edges[(i - 1) / 2]);
}

static struct tl_depth_edge edge_pop(struct tl_device_queue *queue)
{
	struct tl_depth_edge *edges = queue->edges, first = edges[0];
	uint32_t n = --queue->nedges, i = 0, least;

	edges[0] = edges[n];
	while ((least = 2 * i + 1) < n) {
		if (least + 1 < n && edges[least + 1].ns < edges[least].ns)
			least++;
		if (edges[i].ns <= edges[least].ns)
			break;
		edge_swap(&edges[i], &edges[least]);
		i = least;
	}
	return first;
}

void tl_device_counter(uint32_t name, uint32_t key, uint64_t ns, int64_t value)
{
	const struct tl_event_arg arg = {
		.key = key, .kind = TL_VALUE_SIGNED_64, .value = (uint64_t)value};

	tl_event_put(&(struct tl_event){.phase = 'C',
					.flags = TL_EVENT_NS,
					.level = TL_LEVEL_OPERATOR,
					.name = name,
					.category = TL_DEVICE_TEXT(device),
					.start = ns,
					.nargs = 1,
					.args = &arg});
}

void tl_depth_sample(struct tl_device_queue *queue, uint64_t until)
{
	char name[32];

	if (!queue->counter) {
		snprintf(name, sizeof(name), "queue %u depth", queue->number);
		queue->counter = tl_string_of(name);
	}
	while (queue->nedges && queue->edges[0].ns < until) {
		struct tl_depth_edge edge = edge_pop(queue);
		queue->depth += edge.change;
		while (queue->nedges && queue->edges[0].ns == edge.ns)
			queue->depth += edge_pop(queue).change;
		if (edge.ns > queue->sampled)
			queue->sampled = edge.ns;
		tl_device_counter(queue->counter, TL_DEVICE_TEXT(commands), queue->sampled,
				  queue->depth);
	}
}
