/* SPDX-License-Identifier: MIT */
/*
 * shown_names.c: see shown_names.h.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/basics/list_room.h"
#include "cli/read/event_category.h"
#include "cli/read/shown_names.h"
#include "common/settings.h"

#define NONE UINT32_MAX

/* A name that a compiler made. */
struct made_name {
	uint32_t shown; /* its place there; NONE: it is shown as it is */
	uint32_t next;	/* another that is shown so; NONE: there is none */
};

static struct {
	pthread_mutex_t lock;
	name_maker maker;
	struct names made, shown;
	struct made_name *of_made; /* by place */
	uint32_t *of_shown;	   /* by place: the last that is shown so */
	size_t of_made_room, of_shown_room;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

name_maker names_made_by(name_maker maker)
{
	name_maker before = known.maker;

	known.maker = maker;
	return before;
}

static void name_add(uint32_t made)
{
	char *name = known.maker(known.made.list[made]);

	LIST_ROOM(known.of_made, made, known.of_made_room);
	known.of_made[made] = (struct made_name){NONE, NONE};
	if (!name)
		return;
	uint32_t count = known.shown.count, shown = names_number(&known.shown, name);

	LIST_ROOM(known.of_shown, shown, known.of_shown_room);
	known.of_made[made] =
		(struct made_name){shown, shown == count ? NONE : known.of_shown[shown]};
	known.of_shown[shown] = made;
	free(name);
}

/* A copy of the name that stays, and how it is shown. */
static const char *made_keep(const char *made, const char **shown)
{
	pthread_mutex_lock(&known.lock);
	uint32_t count = known.made.count, place = names_number(&known.made, made);

	if (place == count)
		name_add(place);
	uint32_t number = known.of_made[place].shown;
	const char *kept = known.made.list[place];

	*shown = number == NONE ? kept : known.shown.list[number];
	pthread_mutex_unlock(&known.lock);
	return kept;
}

const char *name_of_made(const char *made)
{
	const char *shown = made;

	if (known.maker)
		made_keep(made, &shown);
	return shown;
}

/* Globs that may be meant for what compilers made. */
static bool globs_name_made(const char *globs)
{
	return strstr(globs, "_Z") || strstr(globs, "_R");
}

static bool made_matches(const char *globs, const char *shown)
{
	bool matches = false;

	pthread_mutex_lock(&known.lock);
	uint32_t place = names_find(&known.shown, shown);
	uint32_t made = place == NO_NUMBER ? NONE : known.of_shown[place];

	for (; made != NONE && !matches; made = known.of_made[made].next)
		matches = tl_glob_any(globs, known.made.list[made]);
	pthread_mutex_unlock(&known.lock);
	return matches;
}

bool name_matches(const char *globs, const char *shown)
{
	return tl_glob_any(globs, shown) || !strcmp(globs, shown) ||
	       (globs_name_made(globs) && made_matches(globs, shown));
}

#if HAVE_JANSSON

/* A .tlt has names of functions apart from others: of device commands and of the program's own events. */
static bool category_is_calls(const char *words)
{
	struct event_category category = category_of(words);

	return !category.own && !category.device;
}

static bool phase_is_calls(char phase)
{
	return phase == 'X' || phase == 'B' || phase == 'E';
}

static bool plain_is_call(struct near_names *near, const struct plain_text *words)
{
	size_t size = words->size;

	if (!words->at || !size || size > sizeof(near->words))
		return category_is_calls(plain_text_end(words));
	if (near->words_size != size || memcmp(near->words, words->at, size) != 0) {
		memcpy(near->words, words->at, size);
		near->words_size = size;
		near->is_call = category_is_calls(plain_text_end(words));
	}
	return near->is_call;
}

/* Of the text's size and some of its bytes; those of the end differ most. */
static unsigned near_place(const struct plain_text *text)
{
	const unsigned char *bytes = (const unsigned char *)text->at;
	size_t size = text->size;

	return (unsigned)(size * 31 + bytes[size - 1] * 13u + bytes[size - 2] * 5u +
			  bytes[size / 2] * 7u + bytes[size * 3 / 4] * 17u) %
	       NAMES_NEAR;
}

void plain_event_show_made(struct plain_event *event, struct near_names *near)
{
	struct plain_text *name = &event->name;

	if (!known.maker || !phase_is_calls(event->phase) || !plain_is_call(near, &event->category))
		return;
	unsigned place = near_place(name);

	if (near->names[place].made_size != name->size ||
	    memcmp(near->names[place].made, name->at, name->size) != 0) {
		const char *shown, *made = made_keep(plain_text_end(name), &shown);

		near->names[place].made = made;
		near->names[place].made_size = name->size;
		near->names[place].shown = shown;
		near->names[place].shown_size = strlen(shown);
	}
	/* What follows a text may be replaced, but not its bytes. */
	*name = (struct plain_text){(char *)near->names[place].shown,
				    near->names[place].shown_size};
}

void event_show_name(json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "name"));

	if (!name || !name_is_made(name))
		return;
	const char *phase = json_string_value(json_object_get(event, "ph"));
	const char *words = json_string_value(json_object_get(event, "cat"));

	if (!phase || !phase_is_calls(*phase) || !category_is_calls(words))
		return;
	const char *shown = name_of_made(name);

	if (strcmp(shown, name) != 0)
		json_object_set_new(event, "name", json_string(shown));
}

#endif
