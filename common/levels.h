/* SPDX-License-Identifier: MIT */
/*
 * levels.h: the levels of events, by name.
 */
#ifndef TL_COMMON_LEVELS_H
#define TL_COMMON_LEVELS_H

#include "common/text.h"

#define TL_LEVEL_WORDS 4

/* "request", "runtime", "operator", "debug": of enum tl_level's bits, the lowest first. */
extern const char *const tl_level_words[TL_LEVEL_WORDS];

/* The levels, for behind a category: ",runtime,operator". */
void tl_text_levels(struct tl_text *text, unsigned mask);

#endif
