/* SPDX-License-Identifier: MIT */
/*
 * lane_keys.c: see lane_keys.h.
 */
#include "config.h"

#include <stdio.h>

#include "cli/read/lane_keys.h"
#include "cli/read/trace_events.h"

#if HAVE_JANSSON

void lane_number_print(char to[LANE_NUMBER_ROOM], const json_t *event, const char *member)
{
	trace_number_print(to, LANE_NUMBER_ROOM, json_object_get(event, member));
}

#endif

static bool key_number(struct names *names, size_t of, const char *text, uint32_t *number)
{
	char key[LANE_NUMBER_ROOM + 24];
	uint32_t count = names->count;

	snprintf(key, sizeof(key), "%zu %s", of, text);
	*number = names_number(names, key);
	return *number == count;
}

bool lane_keys_process(struct lane_keys *keys, size_t file, const char *pid, uint32_t *process)
{
	return key_number(&keys->processes, file, pid, process);
}

bool lane_keys_lane(struct lane_keys *keys, uint32_t process, const char *tid, uint32_t *lane)
{
	return key_number(&keys->lanes, process, tid, lane);
}

void lane_keys_free(struct lane_keys *keys)
{
	names_free(&keys->processes);
	names_free(&keys->lanes);
}
