/* SPDX-License-Identifier: MIT */
/*
 * list_room.h: lists that grow: LIST_ROOM makes room for one more member at .list[.count].
 */
#ifndef TL_CLI_BASICS_LIST_ROOM_H
#define TL_CLI_BASICS_LIST_ROOM_H

#include <stdlib.h>

#include "tables/needed_memory.h"

#define LIST_ROOM(list, count, room)                                                               \
	do {                                                                                       \
		if ((count) == (room)) {                                                           \
			(room) = (room) ? 2 * (room) : 64;                                         \
			(list) = need(reallocarray(list, room, sizeof(*(list))));                  \
		}                                                                                  \
	} while (0)

#endif
