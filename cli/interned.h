/* SPDX-License-Identifier: MIT */
/*
 * interned.h: texts, each kept once and known by a number, from 0 in the order in which they came.
 */
#ifndef TL_CLI_INTERNED_H
#define TL_CLI_INTERNED_H

#include <stddef.h>
#include <stdint.h>

struct names {
	char **list; /* by number */
	uint32_t count;
	uint32_t *places; /* 1 + number, by hash; 0: free */
	size_t nplaces;
};

uint32_t names_number(struct names *names, const char *text);
void names_free(struct names *names);

#endif
