/* SPDX-License-Identifier: MIT */
/*
 * pftrace_frames.c: see pftrace_frames.h. Nothing in the file is trusted.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/pftrace_frames.h"

#define NUMBER_MOST (1u << 20) /* of what a sequence defines */
#define DEEPEST	    4096u      /* frames of a stack; the inner ones are left out */

struct pf_frame {
	uint64_t function, mapping;
};

struct pf_callstack {
	uint64_t *frames; /* the outermost first */
	size_t count;
	json_t *id; /* NULL: not asked for yet */
};

/* The list with room for this number; what is new is zeros. */
static void *list_grown(void *list, size_t *room, uint64_t number, size_t size)
{
	size_t had = *room;

	if (number < had)
		return list;
	*room = number + number / 2 + 64;
	list = need(reallocarray(list, *room, size));
	memset((char *)list + had * size, 0, (*room - had) * size);
	return list;
}

/* The last field of this number that is a number. 0: the message has none. */
static uint64_t field_number(struct pb_bytes message, uint32_t number)
{
	struct pb_field field;
	uint64_t value = 0;

	while (pb_next(&message, &field))
		if (field.number == number && !field.has_bytes)
			value = field.value;
	return value;
}

/* ---- definitions */

/* A mapping's path may come in parts; the last part has the file's name. */
static void mapping_take(struct pf_stacks *stacks, struct pb_bytes message)
{
	uint64_t number = field_number(message, TL_PF_IID);

	if (number >= NUMBER_MOST)
		return;
	stacks->mappings = list_grown(stacks->mappings, &stacks->mapping_room, number,
				      sizeof(*stacks->mappings));
	stacks->mappings[number] = field_number(message, TL_PF_MAPPING_PATH);
}

static void frame_take(struct pf_stacks *stacks, struct pb_bytes message)
{
	uint64_t number = field_number(message, TL_PF_IID);

	if (number >= NUMBER_MOST)
		return;
	stacks->frames =
		list_grown(stacks->frames, &stacks->frame_room, number, sizeof(*stacks->frames));
	stacks->frames[number] = (struct pf_frame){field_number(message, TL_PF_FRAME_FUNCTION),
						   field_number(message, TL_PF_FRAME_MAPPING)};
}

static void callstack_clear(struct pf_callstack *stack)
{
	free(stack->frames);
	json_decref(stack->id);
	*stack = (struct pf_callstack){.frames = NULL};
}

static void callstack_take(struct pf_stacks *stacks, struct pb_bytes message)
{
	uint64_t number = field_number(message, TL_PF_IID);
	struct pb_field field;
	size_t room = 0;

	if (number >= NUMBER_MOST)
		return;
	stacks->stacks =
		list_grown(stacks->stacks, &stacks->stack_room, number, sizeof(*stacks->stacks));
	struct pf_callstack *stack = &stacks->stacks[number];
	callstack_clear(stack);
	while (pb_next(&message, &field)) {
		if (field.number != TL_PF_CALLSTACK_FRAMES || field.has_bytes ||
		    stack->count == DEEPEST)
			continue;
		LIST_ROOM(stack->frames, stack->count, room);
		stack->frames[stack->count++] = field.value;
	}
}

void pf_stacks_take(struct pf_stacks *stacks, struct pb_bytes data)
{
	struct pb_field field;

	while (pb_next(&data, &field)) {
		if (!field.has_bytes)
			continue;
		switch (field.number) {
		case TL_PF_MAPPINGS:
			mapping_take(stacks, field.bytes);
			break;
		case TL_PF_FRAMES:
			frame_take(stacks, field.bytes);
			break;
		case TL_PF_CALLSTACKS:
			callstack_take(stacks, field.bytes);
			break;
		}
	}
}

void pf_stacks_forget(struct pf_stacks *stacks)
{
	for (size_t i = 0; i < stacks->stack_room; i++)
		callstack_clear(&stacks->stacks[i]);
	free(stacks->frames);
	free(stacks->mappings);
	free(stacks->stacks);
	*stacks = (struct pf_stacks){.frames = NULL};
}

/* ---- the tree */

/* The file's name; "": the frame is in none. A new reference. */
static json_t *frame_file(const struct pf_names *names, const struct pf_stacks *stacks,
			  const struct pf_frame *frame)
{
	uint64_t path =
		frame->mapping < stacks->mapping_room ? stacks->mappings[frame->mapping] : 0;
	json_t *whole = path ? pf_name(names, PF_PATHS, path) : json_string(""), *file;
	const char *slash = strrchr(json_string_value(whole), '/');

	file = slash ? json_string(slash + 1) : json_incref(whole);
	json_decref(whole);
	return file;
}

static void tree_tell(uint32_t number, uint32_t caller, const char *name, const char *file,
		      const struct trace_visitor *visitor, void *user)
{
	json_t *frame = json_object();
	char id[16], parent[16];

	snprintf(id, sizeof(id), "%u", number);
	json_object_set_new(frame, "name", json_string(name));
	if (*file)
		json_object_set_new(frame, "category", json_string(file));
	if (caller) {
		snprintf(parent, sizeof(parent), "%u", caller);
		json_object_set_new(frame, "parent", json_string(parent));
	}
	visitor->frame(user, id, frame);
	json_decref(frame);
}

/* The id of a frame that this one called. */
static uint32_t tree_frame(struct pf_tree *tree, uint32_t caller, const char *name,
			   const char *file, const struct trace_visitor *visitor, void *user)
{
	uint32_t count = tree->frames.count;
	char *text;

	if (asprintf(&text, "%s/%s", file, name) < 0)
		need(NULL);
	uint32_t number = numbers_add(&tree->frames,
				      (uint64_t)caller << 32 | names_number(&tree->texts, text)) +
			  1;
	free(text);
	if (number > count)
		tree_tell(number, caller, name, file, visitor, user);
	return number;
}

json_t *pf_stack(struct pf_tree *tree, const struct pf_names *names, struct pf_stacks *stacks,
		 uint64_t number, const struct trace_visitor *visitor, void *user)
{
	struct pf_callstack *stack = number < stacks->stack_room ? &stacks->stacks[number] : NULL;
	uint32_t frame = 0;

	if (!stack || !stack->count || !visitor->frame)
		return NULL;
	for (size_t i = 0; i < stack->count && !stack->id; i++) {
		static const struct pf_frame unknown;
		const struct pf_frame *of = stack->frames[i] < stacks->frame_room
						    ? &stacks->frames[stack->frames[i]]
						    : &unknown;
		json_t *name = pf_name(names, PF_FUNCTIONS, of->function),
		       *file = frame_file(names, stacks, of);

		frame = tree_frame(tree, frame, json_string_value(name), json_string_value(file),
				   visitor, user);
		json_decref(name);
		json_decref(file);
	}
	if (!stack->id) {
		char id[16];

		snprintf(id, sizeof(id), "%u", frame);
		stack->id = json_string(id);
	}
	return stack->id;
}

void pf_tree_free(struct pf_tree *tree)
{
	numbers_free(&tree->frames);
	names_free(&tree->texts);
}
