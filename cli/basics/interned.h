/* SPDX-License-Identifier: MIT */
/*
 * interned.h: a set of texts, and a set of numbers. Each member is kept once. Its place is its
 * number: 0 for the first that was added, 1 for the second, and so on.
 */
#ifndef TL_CLI_BASICS_INTERNED_H
#define TL_CLI_BASICS_INTERNED_H

#include <stddef.h>
#include <stdint.h>

#define NO_NUMBER UINT32_MAX

/* The hash table of both: open addresses, at most half full. */
struct places {
	uint32_t *list; /* 1 + the member's place, by its hash; 0: free */
	size_t room;
};

struct names {
	char **list; /* by place */
	uint32_t count;
	struct places places;
};

/* The text's place. A text that is new gets one. */
uint32_t names_number(struct names *names, const char *text);
/* The same without adding it: NO_NUMBER. */
uint32_t names_find(const struct names *names, const char *text);
void names_free(struct names *names);

struct numbers {
	uint64_t *list; /* by place */
	uint32_t count;
	struct places places;
};

/* The number's place. numbers_add gives a new number one; numbers_find returns NO_NUMBER. */
uint32_t numbers_add(struct numbers *numbers, uint64_t number);
uint32_t numbers_find(const struct numbers *numbers, uint64_t number);
void numbers_free(struct numbers *numbers);

#endif
