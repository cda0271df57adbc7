/* SPDX-License-Identifier: MIT */
/*
 * tally.c: see tally.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/tally/tally_rows.h"

static uint64_t tally_key(enum tally_kind kind, uint32_t group, uint32_t name)
{
	return (uint64_t)kind << 61 | (uint64_t)(group % TALLY_GROUPS) << 30 | name % TALLY_NAMES;
}

struct tally_row *tally_row(struct tally *tally, enum tally_kind kind, uint32_t group,
			    uint32_t name)
{
	uint32_t place = numbers_add(&tally->keys, tally_key(kind, group, name));

	if (place < tally->nrows)
		return &tally->rows[place];
	if (tally->nrows == tally->room) {
		tally->room = tally->room ? 2 * tally->room : 64;
		tally->rows = need(reallocarray(tally->rows, tally->room, sizeof(*tally->rows)));
	}
	tally->nrows++;
	tally->rows[place] = (struct tally_row){.kind = kind, .group = group, .name = name};
	return &tally->rows[place];
}

void tally_row_merge(struct tally_row *to, const struct tally_row *from)
{
	to->failed = tally_add(to->failed, from->failed);
	to->bytes = tally_add(to->bytes, from->bytes);
	to->bytes_time = tally_add(to->bytes_time, from->bytes_time);
	to->best = from->best > to->best ? from->best : to->best;
	histogram_merge(&to->times, &from->times);
}

void tally_merge(struct tally *to, const struct tally *from, const uint32_t *groups,
		 const uint32_t *names)
{
	for (uint32_t i = 0; i < from->nrows; i++) {
		const struct tally_row *row = &from->rows[i];

		tally_row_merge(tally_row(to, row->kind, groups ? groups[row->group] : row->group,
					  names ? names[row->name] : row->name),
				row);
	}
}

void tally_free(struct tally *tally)
{
	for (uint32_t i = 0; i < tally->nrows; i++)
		histogram_clear(&tally->rows[i].times);
	free(tally->rows);
	numbers_free(&tally->keys);
	memset(tally, 0, sizeof(*tally));
}
