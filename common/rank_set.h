/* SPDX-License-Identifier: MIT */
/*
 * rank_set.h: sets of ranks as a user writes them: numbers, ranges and every Nth, with commas
 * between: 0,8-15,64-127/8. A star is all ranks. Nothing is allocated: the text is read each time.
 */
#ifndef TL_COMMON_RANK_SET_H
#define TL_COMMON_RANK_SET_H

#include <stdbool.h>
#include <stdint.h>

/* False: the text is no such set. */
bool tl_rank_set_is(const char *text);

/* Whether the set, which must be one, has the rank. */
bool tl_rank_set_has(const char *text, int64_t rank);

#endif
