/* SPDX-License-Identifier: MIT */
/*
 * interned.c: a hash table with open addresses that is at most half full. See interned.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interned.h"

/* FNV-1a. */
static size_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return (size_t)(hash ^ hash >> 32);
}

/* Where the text stands, or would. */
static uint32_t *place_of(const struct names *names, const char *text)
{
	size_t mask = names->nplaces - 1, at = hash_of(text) & mask;

	while (names->places[at] && strcmp(names->list[names->places[at] - 1], text))
		at = (at + 1) & mask;
	return &names->places[at];
}

static void grow(struct names *names)
{
	names->nplaces = names->nplaces ? 2 * names->nplaces : 64;
	free(names->places);
	names->places = need(calloc(names->nplaces, sizeof(*names->places)));
	names->list = need(reallocarray(names->list, names->nplaces / 2, sizeof(*names->list)));
	for (uint32_t i = 0; i < names->count; i++)
		*place_of(names, names->list[i]) = i + 1;
}

uint32_t names_number(struct names *names, const char *text)
{
	if (names->count == names->nplaces / 2)
		grow(names);
	uint32_t *place = place_of(names, text);

	if (!*place) {
		names->list[names->count] = need(strdup(text));
		*place = ++names->count;
	}
	return *place - 1;
}

void names_free(struct names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	free(names->places);
}
