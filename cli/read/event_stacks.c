/* SPDX-License-Identifier: MIT */
/*
 * event_stacks.c: see event_stacks.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/event_stacks.h"
#include "cli/read/trace_events.h"

#define ID_ROOM	    256			/* bytes of a frame's id */
#define DEEPEST	    4096u		/* frames of a stack; the outer ones are left out */
#define STACK_FRAME (UINT64_C(1) << 32) /* in .stacks: a frame; else an id */

enum told_state { TOLD_NOTHING, TOLD_FRAME, TOLD_OPEN /* is being found */, TOLD_FOUND };

struct frame_told {
	enum told_state state;
	uint32_t name;	 /* in .names; TOLD_FRAME */
	uint32_t caller; /* + 1, in .ids; 0: none */
	uint32_t frame;	 /* TOLD_FOUND */
};

static void id_key(char key[ID_ROOM + 16], int file, const char *id)
{
	snprintf(key, ID_ROOM + 16, "%d %.*s", file, ID_ROOM - 1, id);
}

static uint32_t id_number(struct event_stacks *stacks, int file, const char *id)
{
	char key[ID_ROOM + 16];
	uint32_t count = stacks->ids.count;

	id_key(key, file, id);
	uint32_t number = names_number(&stacks->ids, key);

	if (number == count) {
		LIST_ROOM(stacks->told, number, stacks->told_room);
		stacks->told[number] = (struct frame_told){.state = TOLD_NOTHING};
	}
	return number;
}

/* ---- events ---- */

uint32_t event_stack_id(struct event_stacks *stacks, int file, const char *id)
{
	return numbers_add(&stacks->stacks, id_number(stacks, file, id)) + 1;
}

#if HAVE_JANSSON

/* Ids are texts or numbers. False: there is none. */
static bool id_print(char id[ID_ROOM], const json_t *value)
{
	trace_number_print(id, ID_ROOM, value);
	return *id;
}

static uint32_t list_stack(struct event_stacks *stacks, const json_t *list)
{
	uint32_t frame = 0;

	for (size_t i = json_array_size(list); i-- > 0;) {
		const char *name = json_string_value(json_array_get(list, i));

		if (name)
			frame = event_stacks_called(stacks, frame, name);
	}
	return frame ? numbers_add(&stacks->stacks, STACK_FRAME | frame) + 1 : 0;
}

uint32_t event_stack_list(struct event_stacks *stacks, const char *json, size_t size)
{
	uint32_t count = stacks->lists.count;
	char *text = need(strndup(json, size));
	uint32_t number = names_number(&stacks->lists, text);

	free(text);
	if (number == count) {
		json_t *list = json_loadb(
			json, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY,
			NULL);

		LIST_ROOM(stacks->list_stacks, number, stacks->lists_room);
		stacks->list_stacks[number] = list_stack(stacks, list);
		json_decref(list);
	}
	return stacks->list_stacks[number];
}

uint32_t event_stack(struct event_stacks *stacks, int file, const json_t *event)
{
	const json_t *list = json_object_get(event, "stack");
	char id[ID_ROOM];

	if (id_print(id, json_object_get(event, "sf")))
		return event_stack_id(stacks, file, id);
	return json_is_array(list) ? list_stack(stacks, list) : 0;
}

void event_stacks_frame(struct event_stacks *stacks, int file, const char *id, const json_t *frame)
{
	const char *name = json_string_value(json_object_get(frame, "name"));
	char caller[ID_ROOM];
	struct frame_told told = {.state = TOLD_FRAME};

	told.name = names_number(&stacks->names, name ? name : "?");
	if (id_print(caller, json_object_get(frame, "parent")))
		told.caller = id_number(stacks, file, caller) + 1;
	uint32_t number = id_number(stacks, file, id);

	stacks->told[number] = told;
}

#endif

/* ---- frames ---- */

uint32_t event_stacks_called(struct event_stacks *stacks, uint32_t caller, const char *name)
{
	return numbers_add(&stacks->frames,
			   (uint64_t)caller << 32 | names_number(&stacks->names, name)) +
	       1;
}

void event_stacks_tell(struct event_stacks *stacks, int file, const char *id, uint32_t frame)
{
	uint32_t number = id_number(stacks, file, id);

	stacks->told[number] = (struct frame_told){.state = TOLD_FOUND, .frame = frame};
}

const char *event_stacks_untold(const struct event_stacks *stacks, int file, uint32_t *at)
{
	char own[16];
	size_t size = (size_t)snprintf(own, sizeof(own), "%d ", file);

	while (*at < stacks->ids.count) {
		uint32_t id = (*at)++;

		if (stacks->told[id].state == TOLD_NOTHING &&
		    !strncmp(stacks->ids.list[id], own, size))
			return stacks->ids.list[id] + size;
	}
	return NULL;
}

/*
 * Frames from the id's to the outermost, or to one that was found before; then back. A circle ends
 * where it closes.
 */
static uint32_t id_frame(struct event_stacks *stacks, uint32_t id)
{
	uint32_t chain[DEEPEST], count = 0, frame = 0;

	for (uint32_t next = id + 1; next && count < DEEPEST;) {
		struct frame_told *told = &stacks->told[next - 1];

		if (told->state != TOLD_FRAME) {
			frame = told->state == TOLD_FOUND ? told->frame : 0;
			break;
		}
		told->state = TOLD_OPEN;
		chain[count++] = next - 1;
		next = told->caller;
	}
	while (count > 0) {
		struct frame_told *told = &stacks->told[chain[--count]];

		frame = event_stacks_called(stacks, frame, stacks->names.list[told->name]);
		*told = (struct frame_told){.state = TOLD_FOUND, .frame = frame};
	}
	return frame;
}

uint32_t event_stacks_innermost(struct event_stacks *stacks, uint32_t stack)
{
	if (!stack)
		return 0;
	uint64_t of = stacks->stacks.list[stack - 1];

	return of & STACK_FRAME ? (uint32_t)of : id_frame(stacks, (uint32_t)of);
}

void event_stacks_free(struct event_stacks *stacks)
{
	numbers_free(&stacks->frames);
	names_free(&stacks->names);
	names_free(&stacks->ids);
	free(stacks->told);
	numbers_free(&stacks->stacks);
	names_free(&stacks->lists);
	free(stacks->list_stacks);
}
