/* SPDX-License-Identifier: MIT */
/*
 * queue_map.h: by process and correlation, the queue that a call submitted to: for rows by queue.
 * Correlations are given out one after the other: those that differ in the last bits only lie together, and
 * take five bytes each.
 */
#ifndef TL_CLI_SUMMARY_QUEUE_MAP_H
#define TL_CLI_SUMMARY_QUEUE_MAP_H

#include "cli/summary/history.h"

#define QUEUES_TOGETHER 16u

/* Begins as zeros. One thread adds; after that, several may look. */
struct queue_map {
	struct numbers keys;
	uint32_t (*queues)[QUEUES_TOGETHER]; /* NOBODY: none */
	uint32_t room;
};

/* A command of this queue. Of several with one correlation the queue with the least number counts. */
void queue_map_add(struct queue_map *map, const struct history *history, uint32_t queue,
		   uint32_t correlation);

/* NOBODY: no command had this correlation. */
uint32_t queue_map_find(const struct queue_map *map, uint32_t process, uint32_t correlation);

void queue_map_free(struct queue_map *map);

#endif
