/* SPDX-License-Identifier: MIT */
/*
 * levels.c: see levels.h.
 */
#include "common/levels.h"

const char *const tl_level_words[TL_LEVEL_WORDS] = {"request", "runtime", "operator", "debug"};

void tl_text_levels(struct tl_text *text, unsigned mask)
{
	for (unsigned i = 0; i < TL_LEVEL_WORDS; i++) {
		if (!(mask & 1u << i))
			continue;
		tl_text_char(text, ',');
		tl_text_string(text, tl_level_words[i]);
	}
}
