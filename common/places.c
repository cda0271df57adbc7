/* SPDX-License-Identifier: MIT */
/*
 * places.c: see places.h.
 */
#include "common/places.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static void places_add(struct tl_places *places, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	while (length > 1 && folder[length - 1] == '/')
		length--;
	if (!length || folder[0] != '/' || length >= TL_PLACES_FOLDER)
		return;
	char *to = places->folder[places->count];

	memcpy(to, folder, length);
	to[length] = 0;
	for (unsigned i = 0; i < places->count; i++)
		if (!strcmp(places->folder[i], to))
			return;
	places->count++;
}

void tl_places(struct tl_places *places)
{
	places->count = 0;
	places_add(places, getenv(TL_PLACES_VARIABLE));
	places_add(places, "/dev/shm");
	places_add(places, getenv("XDG_RUNTIME_DIR"));
	places_add(places, getenv("TMPDIR"));
	places_add(places, "/tmp");
	places_add(places, "/var/tmp");
}

void tl_places_path(char path[TL_PLACES_PATH], const char *folder, uint32_t pid, uint32_t number)
{
	struct tl_text text = {path, path + TL_PLACES_PATH - 1, false};

	tl_text_string(&text, folder);
	tl_text_string(&text, "/" TL_PLACES_PREFIX);
	tl_text_unsigned(&text, pid);
	tl_text_string(&text, ".");
	tl_text_unsigned(&text, number);
	*text.at = 0;
}

/* Decimal digits, as tl_places_path writes them; NULL: there are none, or too many. */
static const char *number_at(const char *at, uint32_t *number)
{
	const char *first = at;
	uint64_t value = 0;

	for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == first || value > UINT32_MAX || (*first == '0' && at - first > 1))
		return NULL;
	*number = (uint32_t)value;
	return at;
}

bool tl_places_is_buffers(const char *name, uint32_t *pid)
{
	size_t length = strlen(TL_PLACES_PREFIX);
	uint32_t number;

	if (strncmp(name, TL_PLACES_PREFIX, length))
		return false;
	name = number_at(name + length, pid);
	if (!name || *name != '.')
		return false;
	name = number_at(name + 1, &number);
	return name && !*name;
}
