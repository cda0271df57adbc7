/* SPDX-License-Identifier: MIT */
/*
 * export_stacks.c: see export_stacks.h.
 *
 * Chrome's stackFrames are a tree: each frame names the frame that called it. Stacks share their
 * outer frames, which are numbered f1, f2, …; the innermost frame of a stack has the stack's own
 * number.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/export_stacks.h"

#define NAME_ROOM (64u * 1024) /* bytes of a frame's name, escaped */

/* A frame that others share: what calls it, and where it is. */
struct node {
	uint64_t parent; /* 0: the outermost */
	struct tl_stack_frame frame;
	uint64_t id; /* 0: the place is free */
};

struct tree {
	const struct tl_trace *trace;
	struct symbols *symbols;
	FILE *to;
	struct node *nodes;
	size_t count, room; /* room: a power of two */
	bool any;
};

bool export_has_stacks(const struct tl_trace *trace)
{
	struct tl_trace_text_place place = {0};
	struct tl_stack_reader reader;
	uint32_t number;

	return trace_stacks_next(trace, &place, &number, &reader);
}

static struct node *node_place(const struct tree *tree, uint64_t parent,
			       const struct tl_stack_frame *frame)
{
	uint64_t hash = (parent * 0x9e3779b97f4a7c15u ^ frame->address) * 0xe7037ed1a0b428dbu ^
			frame->library;

	for (size_t at = (size_t)(hash >> 16);; at++) {
		struct node *node = &tree->nodes[at & (tree->room - 1)];
		if (!node->id || (node->parent == parent && node->frame.library == frame->library &&
				  node->frame.address == frame->address))
			return node;
	}
}

static void tree_make_room(struct tree *tree)
{
	struct tree old = *tree;

	if (2 * tree->count < tree->room)
		return;
	tree->room = tree->room ? 2 * tree->room : 1024;
	tree->nodes = need(calloc(tree->room, sizeof(*tree->nodes)));
	for (size_t i = 0; i < old.room; i++)
		if (old.nodes[i].id)
			*node_place(tree, old.nodes[i].parent, &old.nodes[i].frame) = old.nodes[i];
	free(old.nodes);
}

/* One frame, by its id: a number, with a letter before it unless it is a stack's own. */
static void tree_put_frame(struct tree *tree, const char *letter, uint64_t id, uint64_t parent,
			   const struct tl_stack_frame *frame)
{
	char room[NAME_ROOM], plain[NAME_ROOM / 6];
	struct tl_text text = {room, room + sizeof(room), false},
		       name = {plain, plain + sizeof(plain), false};
	struct tl_stack_library library;
	bool has = trace_frame_name(tree->trace, tree->symbols, frame, &name, &library);

	tl_text_string(&text, tree->any ? ",\n\"" : "\n\"");
	tree->any = true;
	tl_text_string(&text, letter);
	tl_text_unsigned(&text, id);
	tl_text_string(&text, "\":{\"name\":\"");
	tl_text_escape(&text, plain, (size_t)(name.at - plain));
	if (has) {
		const char *slash = memrchr(library.path, '/', library.path_size);
		const char *from = slash ? slash + 1 : library.path;
		tl_text_string(&text, "\",\"category\":\"");
		tl_text_escape(&text, from, (size_t)(library.path + library.path_size - from));
	}
	if (parent) {
		tl_text_string(&text, "\",\"parent\":\"f");
		tl_text_unsigned(&text, parent);
	}
	tl_text_string(&text, "\"}");
	fwrite(room, 1, (size_t)(text.at - room), tree->to);
}

/* The id of a frame that calls others. */
static uint64_t tree_frame(struct tree *tree, uint64_t parent, const struct tl_stack_frame *frame)
{
	tree_make_room(tree);
	struct node *node = node_place(tree, parent, frame);
	if (!node->id) {
		*node = (struct node){parent, *frame, ++tree->count};
		tree_put_frame(tree, "f", node->id, parent, frame);
	}
	return node->id;
}

static void tree_put_stack(struct tree *tree, uint32_t number, struct tl_stack_reader *reader)
{
	struct tl_stack_frame frames[TL_STACK_FRAMES];
	uint64_t parent = 0;
	uint32_t count = tl_stack_read_frames(reader, frames);

	if (!count)
		frames[count++] = (struct tl_stack_frame){.library = 0};
	for (uint32_t i = count - 1; i > 0; i--)
		parent = tree_frame(tree, parent, &frames[i]);
	tree_put_frame(tree, "", number, parent, &frames[0]);
}

char *export_stack_frames(const struct tl_trace *trace, struct symbols *symbols, size_t *size)
{
	char *bytes = NULL;
	struct tree tree = {.trace = trace, .symbols = symbols};
	struct tl_trace_text_place place = {0};
	struct tl_stack_reader reader;
	uint32_t number;

	tree.to = need(open_memstream(&bytes, size));
	fputs("\n],\n\"stackFrames\":{", tree.to);
	while (trace_stacks_next(trace, &place, &number, &reader))
		tree_put_stack(&tree, number, &reader);
	fputs("\n}}\n", tree.to);
	fclose(tree.to);
	free(tree.nodes);
	return need(bytes);
}
