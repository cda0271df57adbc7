/* SPDX-License-Identifier: MIT */
/*
 * interposer_image.c: the parts of a file while they are made. A pointer is kept as the place that
 * it stands at and the place that it leads to: addresses are known when all parts have their size.
 */
#include <string.h>

#include "gen/allocate.h"
#include "gen/interposer.h"

struct string_slot {
	const char *text; /* NULL: free */
	struct spot spot;
};

struct spot image_reserve(struct image *image, enum part part, size_t size, size_t align)
{
	size_t at = (image->parts[part].size + align - 1) / align * align;

	if (at + size > image->parts[part].room) {
		size_t room = 2 * (at + size) + 4096;

		image->parts[part].bytes = reallocate(image->parts[part].bytes, room);
		memset(image->parts[part].bytes + image->parts[part].room, 0,
		       room - image->parts[part].room);
		image->parts[part].room = room;
	}
	image->parts[part].size = at + size;
	return (struct spot){part, (uint32_t)at};
}

void *image_at(const struct image *image, struct spot spot)
{
	return image->parts[spot.part].bytes + spot.offset;
}

struct spot image_add(struct image *image, enum part part, const void *bytes, size_t size,
		      size_t align)
{
	struct spot spot = image_reserve(image, part, size, align);

	if (size)
		memcpy(image_at(image, spot), bytes, size);
	return spot;
}

struct spot spot_behind(struct spot spot, size_t offset)
{
	return (struct spot){spot.part, spot.offset + (uint32_t)offset};
}

static struct string_slot *string_find(const struct image *image, const char *text)
{
	uint64_t hash = 5381;

	for (const char *c = text; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	size_t i = hash & (image->string_slots - 1);
	while (image->strings[i].text && strcmp(image->strings[i].text, text) != 0)
		i = (i + 1) & (image->string_slots - 1);
	return &image->strings[i];
}

static void strings_grow(struct image *image)
{
	struct string_slot *old = image->strings;
	size_t count = image->string_slots;

	image->string_slots = count ? 2 * count : 1024;
	image->strings = allocate(image->string_slots * sizeof *image->strings);
	for (size_t i = 0; i < count; i++)
		if (old[i].text)
			*string_find(image, old[i].text) = old[i];
}

struct spot image_string(struct image *image, const char *text)
{
	if (2 * image->nstrings >= image->string_slots)
		strings_grow(image);
	struct string_slot *slot = string_find(image, text);
	if (!slot->text) {
		slot->text = text;
		slot->spot = image_add(image, PART_RODATA, text, strlen(text) + 1, 1);
		image->nstrings++;
	}
	return slot->spot;
}

void image_point(struct image *image, struct spot at, struct spot to)
{
	*APPEND(image->pointers, image->npointers) = (struct pointer){.at = at, .to = to};
}

size_t image_late_words(const struct image *image)
{
	size_t count = 0;

	for (size_t i = 0; i < image->npointers; i++)
		count += image->pointers[i].at.part == PART_LATE;
	return count;
}

void image_point_string(struct image *image, struct spot at, const char *text)
{
	if (text)
		image_point(image, at, image_string(image, text));
}
