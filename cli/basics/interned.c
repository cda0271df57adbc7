/* SPDX-License-Identifier: MIT */
/*
 * interned.c: see interned.h. Texts and numbers differ in how they are hashed and compared; each
 * has a loop of its own, so that the compiler sees both.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/interned.h"
#include "tables/needed_memory.h"

/* Makes the table larger and empty. */
static void places_grow(struct places *places)
{
	places->room = places->room ? 2 * places->room : 64;
	free(places->list);
	places->list = need(calloc(places->room, sizeof(*places->list)));
}

/* FNV-1a. */
static size_t hash_of_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return (size_t)(hash ^ hash >> 32);
}

/* The place of the text in the table, or the free place where it belongs. */
static uint32_t *place_of_text(const struct names *names, const char *text)
{
	uint32_t *places = names->places.list;
	size_t mask = names->places.room - 1, at = hash_of_text(text) & mask;

	while (places[at] && strcmp(names->list[places[at] - 1], text))
		at = (at + 1) & mask;
	return &places[at];
}

static void names_grow(struct names *names)
{
	places_grow(&names->places);
	names->list = need(reallocarray(names->list, names->places.room / 2, sizeof(*names->list)));
	for (uint32_t i = 0; i < names->count; i++)
		*place_of_text(names, names->list[i]) = i + 1;
}

uint32_t names_number(struct names *names, const char *text)
{
	if (names->count == names->places.room / 2)
		names_grow(names);
	uint32_t *place = place_of_text(names, text);

	if (!*place) {
		names->list[names->count] = need(strdup(text));
		*place = ++names->count;
	}
	return *place - 1;
}

uint32_t names_find(const struct names *names, const char *text)
{
	return names->count ? *place_of_text(names, text) - 1 : NO_NUMBER;
}

void names_free(struct names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	free(names->places.list);
}

/* The place of the number in the table, or the free place where it belongs. */
static uint32_t *place_of_number(const struct numbers *numbers, uint64_t number)
{
	uint32_t *places = numbers->places.list;
	size_t mask = numbers->places.room - 1;
	size_t at = (size_t)(number * 0x9e3779b97f4a7c15 >> 32) & mask;

	while (places[at] && numbers->list[places[at] - 1] != number)
		at = (at + 1) & mask;
	return &places[at];
}

static void numbers_grow(struct numbers *numbers)
{
	places_grow(&numbers->places);
	numbers->list =
		need(reallocarray(numbers->list, numbers->places.room / 2, sizeof(*numbers->list)));
	for (uint32_t i = 0; i < numbers->count; i++)
		*place_of_number(numbers, numbers->list[i]) = i + 1;
}

uint32_t numbers_add(struct numbers *numbers, uint64_t number)
{
	if (numbers->count == numbers->places.room / 2)
		numbers_grow(numbers);
	uint32_t *place = place_of_number(numbers, number);

	if (!*place) {
		numbers->list[numbers->count] = number;
		*place = ++numbers->count;
	}
	return *place - 1;
}

uint32_t numbers_find(const struct numbers *numbers, uint64_t number)
{
	return numbers->count ? *place_of_number(numbers, number) - 1 : NO_NUMBER;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->list);
	free(numbers->places.list);
}
