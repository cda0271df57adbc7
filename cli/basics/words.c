/* SPDX-License-Identifier: MIT */
/*
 * words.c: see words.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/words.h"
#include "tables/needed_memory.h"

void words_add(struct words *words, const char *word)
{
	words->item = need(reallocarray(words->item, words->count + 2, sizeof(*words->item)));
	words->item[words->count++] = word;
	words->item[words->count] = NULL;
}

void words_add_all(struct words *words, const struct words *more)
{
	for (size_t i = 0; i < more->count; i++)
		words_add(words, more->item[i]);
}

void words_free(struct words *words)
{
	free(words->item);
	*words = (struct words){0};
}
