/* SPDX-License-Identifier: MIT */
/*
 * mpi_channels.c: see mpi_channels.h.
 */
#include "config.h"

#include "cli/export/mpi_channels.h"

#include <stdlib.h>

#include "cli/basics/basics.h"

uint32_t mpi_channel_add(struct mpi_channels *channels, struct mpi_channel channel)
{
	if (channels->count == channels->room) {
		channels->room = 2 * channels->room + 64;
		channels->list =
			need(reallocarray(channels->list, channels->room, sizeof(*channels->list)));
	}
	channels->list[channels->count++] = channel;
	return (uint32_t)channels->count;
}

static int keys_compare(const struct mpi_channel *x, const struct mpi_channel *y)
{
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->is_receive != y->is_receive)
		return x->is_receive ? 1 : -1;
	if (x->peer != y->peer)
		return x->peer < y->peer ? -1 : 1;
	return (x->tag > y->tag) - (x->tag < y->tag);
}

/* The list itself tells in which order they were made. */
static int channels_by_key(const void *a, const void *b)
{
	const struct mpi_channel *x = *(const struct mpi_channel *const *)a,
				 *y = *(const struct mpi_channel *const *)b;
	int compared = keys_compare(x, y);

	return compared ? compared : (x > y) - (x < y);
}

/* What each channel becomes, by its number; 0: not known. */
static uint32_t *channels_places(const struct mpi_channels *channels)
{
	const struct mpi_channel **sorted = need(calloc(channels->count + 1, sizeof(*sorted)));
	uint32_t *places = need(calloc(channels->count + 1, sizeof(*places)));
	size_t first = 0;

	for (size_t i = 0; i < channels->count; i++)
		sorted[i] = &channels->list[i];
	qsort(sorted, channels->count, sizeof(*sorted), channels_by_key);
	for (size_t i = 1; i <= channels->count; i++) {
		bool one_thread = true;

		if (i < channels->count && !keys_compare(sorted[first], sorted[i]))
			continue;
		for (size_t k = first; k < i; k++)
			one_thread &= sorted[k]->tid == sorted[first]->tid;
		for (size_t k = first; k < i && one_thread; k++)
			places[sorted[k] - channels->list + 1] = (uint32_t)(k - first + 1);
		first = i;
	}
	free(sorted);
	return places;
}

void mpi_channels_count(const struct mpi_channels *channels, struct mpi_end *ends, size_t count)
{
	uint32_t *places = channels->count ? channels_places(channels) : NULL;

	for (size_t i = 0; i < count && places; i++) {
		if (!ends[i].channel)
			continue;
		ends[i].channel = places[ends[i].channel];
		ends[i].is_wanted &= ends[i].channel != 0;
	}
	free(places);
}

void mpi_channels_free(struct mpi_channels *channels)
{
	free(channels->list);
}
