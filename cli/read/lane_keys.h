/* SPDX-License-Identifier: MIT */
/*
 * lane_keys.h: numbers for the processes and lanes of trace files, from 0 on, in the order in which
 * they are first asked for. A process is known by its file and its pid, a lane by its process and its
 * tid.
 */
#ifndef TL_CLI_READ_LANE_KEYS_H
#define TL_CLI_READ_LANE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/interned.h"
#include "cli/read/json.h"

/* Room for a pid or a tid as text. Other tools number processes and threads with strings, too. */
#define LANE_NUMBER_ROOM 256

/* Begins as zeros. */
struct lane_keys {
	struct names processes, lanes; /* by their keys; the counts are how many there are */
};

/* The pid or tid of an event, as text; empty where the event has none. */
void lane_number_print(char to[LANE_NUMBER_ROOM], const json_t *event, const char *member);

/* True: the process is new. */
bool lane_keys_process(struct lane_keys *keys, size_t file, const char *pid, uint32_t *process);

/* True: the lane is new. */
bool lane_keys_lane(struct lane_keys *keys, uint32_t process, const char *tid, uint32_t *lane);

void lane_keys_free(struct lane_keys *keys);

#endif
