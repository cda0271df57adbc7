/* SPDX-License-Identifier: MIT */
/*
 * pftrace_ties.c: see pftrace_ties.h.
 *
 * While the file looks through a chunk, the stack has the calls so far for which no outer call is
 * known. A call removes from the top those that were made in it; the last of them was the first to
 * begin. Chunks may come from a damaged file: only the part of a record that lies in the chunk is
 * read.
 */
#include "format/encode/pftrace_ties.h"

#include <string.h>

#include "format/file/record_words.h"

/* ticks that are further apart than this are not of the same nanosecond */
#define TICKS_APART 4096

static void tie_add(struct tl_pf_ties *ties, const struct tl_call_record *inner,
		    const struct tl_call_record *outer, const struct tl_encoder *encoder)
{
	if (inner->start - outer->start > TICKS_APART || ties->count == TL_PF_TIES ||
	    tl_encoder_ns(encoder, inner->start) != tl_encoder_ns(encoder, outer->start))
		return;
	ties->ties[ties->count++] = (struct tl_pf_tie){inner, outer, false};
}

static void ties_push(struct tl_pf_ties *ties, const struct tl_call_record *call)
{
	const uint32_t half = TL_PF_TIES_DEPTH / 2;

	if (ties->depth == TL_PF_TIES_DEPTH) {
		memmove(ties->stack, ties->stack + half, half * sizeof(*ties->stack));
		ties->depth = half;
	}
	ties->stack[ties->depth++] = call;
}

static void ties_add_call(struct tl_pf_ties *ties, const struct tl_call_record *call,
			  const struct tl_encoder *encoder)
{
	const struct tl_call_record *first = NULL;

	/* A call that ended when this one began was not made in it. */
	while (ties->depth) {
		const struct tl_call_record *top = ties->stack[ties->depth - 1];
		if (top->start < call->start ||
		    tl_record_end(top->start, top->duration) <= call->start)
			break;
		first = top;
		ties->depth--;
	}
	if (first)
		tie_add(ties, first, call, encoder);
	ties_push(ties, call);
}

void tl_pf_ties_look(struct tl_pf_ties *ties, const struct tl_call_record *record, size_t size,
		     const struct tl_encoder *encoder)
{
	const char *at = (const char *)record, *end = at + size;
	bool known = ties->next && at >= ties->next && at < ties->end;

	ties->next = at + 8;
	if (known)
		return;
	ties->end = end;
	ties->count = ties->depth = 0;
	while (end - at >= 8) {
		const struct tl_call_record *call = (const void *)at;
		size_t bytes = tl_record_step(tl_record_first_word(at));
		if (bytes > (size_t)(end - at))
			break;
		if (call->type == TL_RECORD_CALL && bytes >= sizeof(*call))
			ties_add_call(ties, call, encoder);
		at += bytes;
	}
}

void tl_pf_ties_forget(struct tl_pf_ties *ties)
{
	ties->next = NULL;
}

struct tl_pf_tie *tl_pf_tie_of_inner(struct tl_pf_ties *ties, const struct tl_call_record *inner)
{
	for (uint32_t i = 0; i < ties->count; i++)
		if (ties->ties[i].inner == inner)
			return &ties->ties[i];
	return NULL;
}

struct tl_pf_tie *tl_pf_tie_of_outer(struct tl_pf_ties *ties, const struct tl_call_record *outer)
{
	for (uint32_t i = 0; i < ties->count; i++)
		if (ties->ties[i].outer == outer)
			return &ties->ties[i];
	return NULL;
}
