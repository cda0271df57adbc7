/* SPDX-License-Identifier: MIT */
/*
 * pftrace_names.h: strings that a trace contains once and refers to by number: InternedData.
 *
 * A string keeps its number for ever. It is written where the file may not contain it yet: if a
 * block with new strings is dropped, they are written again. There is room for a few thousand
 * strings; later ones get no number.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_NAMES_H
#define TL_FORMAT_ENCODE_PFTRACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_PF_NAMES	 4096 /* places in the table; a power of 2 */
#define TL_PF_NAMES_MOST 3072 /* how many of them are used at most */
#define TL_PF_NAMES_TEXT (128u * 1024)
#define TL_PF_NAME_MAX	 1024	      /* bytes of a string that gets a number */
#define TL_PF_NAMES_NEW	 (16u * 1024) /* bytes of new strings in one packet */

struct tl_pf_name {
	uint32_t hash;
	uint32_t at; /* where it is in .text */
	uint32_t iid;
	uint32_t block; /* 1 + the block that has it; 0: no block in the file */
	uint16_t size;
	uint8_t field; /* of InternedData; 0: the place is free */
};

struct tl_pf_names {
	struct tl_pf_name places[TL_PF_NAMES];
	uint32_t count, used; /* names, bytes of .text */
	uint32_t last[32];    /* the last number given out, by field */
	uint32_t block;	      /* the block that is being made, from 0 */
	bool changed;	      /* the block has new strings */
	char text[TL_PF_NAMES_TEXT];
	/* What the packet that is being made has to define: the content of its InternedData. */
	uint32_t told;
	char tell[TL_PF_NAMES_NEW];
};

/* Finds a string, or gives it a number. NULL: it can't have one. */
struct tl_pf_name *tl_pf_name_find(struct tl_pf_names *names, uint32_t field, const char *string,
				   size_t size);

/* The number, for the packet that is being made; 0: this packet has no room for a new string. */
uint32_t tl_pf_name_use(struct tl_pf_names *names, struct tl_pf_name *name);

/*
 * For names that are written in another way than by InternedData, in a field of their own: whether
 * the file lacks the name. The caller writes it then.
 */
bool tl_pf_name_is_new(struct tl_pf_names *names, struct tl_pf_name *name);
#define TL_PF_COUNTERS	   31 /* such fields: tracks of counters */
#define TL_PF_LANE_NAMES   30 /* lanes that are not threads' */
#define TL_PF_KERNEL_NAMES 28 /* in the table, for TL_PF_COMPUTE_KERNELS */

/* The names written since the last of these two calls are in the file (keep), or not (drop). */
void tl_pf_names_keep(struct tl_pf_names *names);
void tl_pf_names_drop(struct tl_pf_names *names);

#endif
