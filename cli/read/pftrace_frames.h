/* SPDX-License-Identifier: MIT */
/*
 * pftrace_frames.h: who called, in a Perfetto trace: packets define stacks, frames and the files that
 * these are in by number, and events name stacks. They become the "stackFrames" of Chrome's format:
 * a tree, in which each frame names the one that called it.
 */
#ifndef TL_CLI_READ_PFTRACE_FRAMES_H
#define TL_CLI_READ_PFTRACE_FRAMES_H

#include "cli/basics/interned.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/pftrace_values.h"

/* What a sequence has defined, by number. Begins as zeros. */
struct pf_stacks {
	struct pf_frame *frames;
	uint64_t *mappings; /* each: the number of its path; 0: it has none */
	struct pf_callstack *stacks;
	size_t frame_room, mapping_room, stack_room;
};

/* Takes what a packet defines: its InternedData. Texts are names (pf_names_take). */
void pf_stacks_take(struct pf_stacks *stacks, struct pb_bytes data);
void pf_stacks_forget(struct pf_stacks *stacks);

/* The frames that the visitor was told. Begins as zeros. */
struct pf_tree {
	struct numbers frames; /* what called it (0: nothing) << 32 | its text; an id is one more */
	struct names texts;    /* FILE/NAME; FILE has no slash */
};

/*
 * The id of the innermost frame of a stack, a text, which stays the sequence's. Tells the visitor
 * frames that are new. NULL: there is no such stack, or the visitor wants none.
 */
json_t *pf_stack(struct pf_tree *tree, const struct pf_names *names, struct pf_stacks *stacks,
		 uint64_t number, const struct trace_visitor *visitor, void *user);

void pf_tree_free(struct pf_tree *tree);

#endif
