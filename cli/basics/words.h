/* SPDX-License-Identifier: MIT */
/*
 * words.h: a list of words that grows, NULL-ended as execve(2) wants it.
 */
#ifndef TL_CLI_BASICS_WORDS_H
#define TL_CLI_BASICS_WORDS_H

#include <stddef.h>

/* Begins as zeros. The list owns its array, but not the texts. */
struct words {
	const char **item; /* NULL-ended; NULL while nothing was added */
	size_t count;
};

void words_add(struct words *words, const char *word);

/* Add all words of the other list. */
void words_add_all(struct words *words, const struct words *more);

void words_free(struct words *words);

#endif
