/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.h: reads .eh_frame, the tables that compilers make for unwinding: what they have about
 * the function at an address.
 *
 * The formats: DWARF 5, 6.4; Linux Standard Base, "Exception Frames".
 */
#ifndef TL_LAYER_CALLS_EH_FRAME_H
#define TL_LAYER_CALLS_EH_FRAME_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/eh_reader.h"

/* Where a loaded library's tables may lie. Nothing is read outside of its readable segments. */
struct tl_eh_image {
	const uint8_t *table; /* .eh_frame_hdr; NULL: it has none */
	uintptr_t base;	      /* what is added to the segments' addresses */
	const ElfW(Phdr) *segments;
	unsigned count;
};

/* What the tables have about a function. */
struct tl_eh_function {
	uintptr_t start, end;
	struct tl_eh_reader common, own; /* instructions */
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t encoding; /* of addresses */
	bool has_more;	  /* entries have a size, and what a language adds */
	bool of_signal;
	uint64_t back; /* the register that has the return address */
};

/*
 * Find the function at the address. Tables may be damaged: what would be read outside of the image
 * ends the search.
 */
bool tl_eh_find(const struct tl_eh_image *image, uintptr_t address,
		struct tl_eh_function *function);

#endif
