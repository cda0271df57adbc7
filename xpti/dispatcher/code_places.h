/* SPDX-License-Identifier: MIT */
/*
 * code_places.h: places in the code: (function, source file, line, column). Each is stored once,
 * and counts its trace points.
 */
#ifndef TL_XPTI_DISPATCHER_CODE_PLACES_H
#define TL_XPTI_DISPATCHER_CODE_PLACES_H

#include <stdatomic.h>

#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/string_table.h"

struct tl_xpti_place {
	struct tl_entry entry;
	const struct tl_xpti_text *name, *file;
	uint32_t line, column;
	_Atomic uint64_t instances;
};

/*
 * Find the place, or add it. Both strings have numbers then. The caller holds the pool's lock.
 * NULL: memory is short.
 */
struct tl_xpti_place *tl_xpti_place(struct tl_pool *pool, const char *name, const char *file,
				    uint32_t line, uint32_t column);
/* Let all places count from 0. The caller holds the locks of all pools. */
void tl_xpti_places_reset(void);

#endif
