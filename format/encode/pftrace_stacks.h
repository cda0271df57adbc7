/* SPDX-License-Identifier: MIT */
/*
 * pftrace_stacks.h: the stacks of calls in a .pftrace: InternedData's callstacks, and the frames,
 * functions, mappings, build ids and paths that they consist of. They are written in packets of
 * their own, before the first event that needs them.
 *
 * As in pftrace_names.h, what was written in a block that is dropped is written again.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_STACKS_H
#define TL_FORMAT_ENCODE_PFTRACE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct tl_encoder;
struct tl_text;

#define TL_PF_STACKS	  32768 /* places in the table; a power of 2 */
#define TL_PF_STACKS_MOST 24576 /* how many of them are used at most */

struct tl_pf_interned_stack {
	uint64_t hash;	/* of its kind and its content; 0: the place is free */
	uint32_t iid;	/* unique among all kinds */
	uint32_t block; /* 1 + the block that has it; 0: no block in the file */
};

struct tl_pf_stacks {
	struct tl_pf_interned_stack places[TL_PF_STACKS];
	uint32_t count;
	uint32_t block; /* the block that is being made, from 0 */
	bool changed;	/* the block has new ones */
};

/*
 * The number of a call's stack for the event that is made next; 0: it has none, or there is no room
 * for it. `number`: of the stack's text.
 */
uint32_t tl_pf_stack(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number);

/* What was written since the last of these two calls is in the file (keep), or not (drop). */
void tl_pf_stacks_keep(struct tl_pf_stacks *stacks);
void tl_pf_stacks_drop(struct tl_pf_stacks *stacks);

#endif
