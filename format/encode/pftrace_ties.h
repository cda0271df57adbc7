/* SPDX-License-Identifier: MIT */
/*
 * pftrace_ties.h: calls that began at the same nanosecond as a call that was made in them.
 *
 * A chunk has calls in the order in which they ended, so the inner one comes first. In a .pftrace
 * the outer one's beginning has to stand before the inner one's: of events of the same time readers
 * know no other order than the file's, and take the first to begin for the outer one. So an outer
 * call is begun where the first of its inner calls is, and only ended in its own place.
 *
 * Most machines' ticks are shorter than a call, so there are no ties. Where there are, a look
 * through each chunk finds them before it is encoded. Ties across two chunks are not found, nor
 * those after the first TL_PF_TIES.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_TIES_H
#define TL_FORMAT_ENCODE_PFTRACE_TIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/encode/encoder.h"
#include "format/file/record.h"

#define TL_PF_TIES	 256
#define TL_PF_TIES_DEPTH 1024 /* calls whose outer call is not known yet */

struct tl_pf_tie {
	const struct tl_call_record *inner, *outer;
	bool begun; /* the outer call's beginning is written */
};

struct tl_pf_ties {
	const char *next, *end; /* of a chunk: what was looked at, and is not encoded yet */
	uint32_t count, depth;
	struct tl_pf_tie ties[TL_PF_TIES];
	const struct tl_call_record *stack[TL_PF_TIES_DEPTH];
};

/*
 * The next record to encode, and how many bytes lie from it to its chunk's end. Looks through them
 * if that was not done yet. If the memory is used again, it has other records, from its beginning.
 * `encoder` has their clock.
 */
void tl_pf_ties_look(struct tl_pf_ties *ties, const struct tl_call_record *record, size_t size,
		     const struct tl_encoder *encoder);

/* Look at the rest of the chunk again: none of its calls is begun. */
void tl_pf_ties_forget(struct tl_pf_ties *ties);

/* The tie of an inner call; of an outer call. NULL: there is none. */
struct tl_pf_tie *tl_pf_tie_of_inner(struct tl_pf_ties *ties, const struct tl_call_record *inner);
struct tl_pf_tie *tl_pf_tie_of_outer(struct tl_pf_ties *ties, const struct tl_call_record *outer);

#endif
