/* SPDX-License-Identifier: MIT */
/*
 * queue_map.c: see queue_map.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/queue_map.h"

static uint64_t queues_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 32 | correlation / QUEUES_TOGETHER;
}

void queue_map_add(struct queue_map *map, const struct history *history, uint32_t queue,
		   uint32_t correlation)
{
	const struct queue *queues = history->queues;
	uint32_t count = map->keys.count,
		 place = numbers_add(&map->keys, queues_key(queues[queue].process, correlation));

	if (place == map->room) {
		map->room = map->room ? 2 * map->room : 64;
		map->queues = need(reallocarray(map->queues, map->room, sizeof(*map->queues)));
	}
	if (place == count)
		memset(map->queues[place], 0xff, sizeof(*map->queues));
	uint32_t *to = &map->queues[place][correlation % QUEUES_TOGETHER];

	if (*to == NOBODY || queues[queue].number < queues[*to].number)
		*to = queue;
}

uint32_t queue_map_find(const struct queue_map *map, uint32_t process, uint32_t correlation)
{
	uint32_t place = numbers_find(&map->keys, queues_key(process, correlation));

	return place == NO_NUMBER ? NOBODY : map->queues[place][correlation % QUEUES_TOGETHER];
}

void queue_map_free(struct queue_map *map)
{
	numbers_free(&map->keys);
	free(map->queues);
}
