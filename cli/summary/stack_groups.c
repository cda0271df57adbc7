/* SPDX-License-Identifier: MIT */
/*
 * stack_groups.c: see stack_groups.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/stack_groups.h"

#define REST " < ..." /* functions that are left out */

void stack_name_begin(struct stack_name *name, unsigned most)
{
	name->text =
		(struct tl_text){name->room, name->room + sizeof(name->room) - sizeof(REST), false};
	name->count = 0;
	name->most = most;
}

bool stack_name_add(struct stack_name *name, const char *function, size_t size)
{
	struct tl_text next = name->text;

	if (name->count++)
		tl_text_string(&next, " < ");
	tl_text_put(&next, function, size);
	if (!next.cut && name->count <= name->most) {
		name->text.at = next.at;
		return true;
	}
	name->text.end += sizeof(REST) - 1;
	tl_text_string(&name->text, REST);
	return false;
}

const char *stack_name_end(struct stack_name *name)
{
	*name->text.at = 0;
	return name->room;
}

static uint32_t stack_group(struct history *history, uint32_t stack)
{
	struct event_stacks *stacks = &history->stacks;
	uint32_t frame = event_stacks_innermost(stacks, stack);
	struct stack_name name;

	if (!frame)
		return 0;
	stack_name_begin(&name, history->frames);
	for (; frame; frame = event_stacks_caller(stacks, frame)) {
		const char *function = event_stacks_name(stacks, frame);

		if (!stack_name_add(&name, function, strlen(function)))
			break;
	}
	return names_number(&history->requests, stack_name_end(&name));
}

void history_group_stacks(struct history *history)
{
	uint32_t count = history->stacks.stacks.count;

	history_request(history, 0);
	history->stack_groups = need(calloc(count + 1ul, sizeof(*history->stack_groups)));
	for (uint32_t i = 1; i <= count; i++)
		history->stack_groups[i] = stack_group(history, i);
}
