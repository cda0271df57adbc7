/* SPDX-License-Identifier: MIT */
/*
 * stack_groups.h: stacks as groups of --by=stack: a group's name is "leaf < solve < main", from the
 * innermost function on.
 */
#ifndef TL_CLI_SUMMARY_STACK_GROUPS_H
#define TL_CLI_SUMMARY_STACK_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/summary/history.h"
#include "common/text.h"

#define STACK_NAME_ROOM 4000u

struct stack_name {
	char room[STACK_NAME_ROOM];
	struct tl_text text;
	unsigned count, most; /* functions */
};

/* `most`: the innermost functions that count. */
void stack_name_begin(struct stack_name *name, unsigned most);
/* False: there is no room for more, and the name says so. */
bool stack_name_add(struct stack_name *name, const char *function, size_t size);
const char *stack_name_end(struct stack_name *name);

/*
 * All events and frames are in: makes .stack_groups of the stacks that events have. Until then
 * their groups are the numbers of stacks (event_stacks.h).
 */
void history_group_stacks(struct history *history);

#endif
