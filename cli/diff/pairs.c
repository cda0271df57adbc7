/* SPDX-License-Identifier: MIT */
/*
 * pairs.c: see pairs.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/diff/pairs.h"
#include "cli/read/read.h"

int64_t row_calls(const struct tally_row *row)
{
	return row ? row->times.count : 0;
}

int64_t row_total(const struct tally_row *row)
{
	return row ? row->times.sum : 0;
}

int64_t row_mean(const struct tally_row *row)
{
	return row && row->times.count ? row->times.sum / row->times.count : 0;
}

int64_t row_percentile(const struct tally_row *row, unsigned percent)
{
	return row && row->times.count ? histogram_percentile(&row->times, percent) : 0;
}

int64_t pair_difference(const struct pair *pair)
{
	return row_total(pair->b) - row_total(pair->a);
}

static int64_t distance_from_zero(int64_t number)
{
	return number < 0 ? -number : number;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *x = left, *y = right;
	int64_t dx = distance_from_zero(pair_difference(x)),
		dy = distance_from_zero(pair_difference(y));

	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void pair_judge(struct pair *pair)
{
	if (!row_calls(pair->a) || !row_calls(pair->b)) {
		pair->verdict = row_calls(pair->b) ? PAIR_NEW : PAIR_GONE;
		return;
	}
	pair->test = rank_test_of(&pair->a->times, &pair->b->times);
	int verdict = rank_test_verdict(&pair->test);

	pair->verdict = verdict > 0 ? PAIR_SLOWER : verdict < 0 ? PAIR_FASTER : PAIR_ALIKE;
}

/* What is known of a row while the pairs are made. */
struct pairing {
	struct pairs *pairs;
	struct names names;   /* of both */
	struct numbers known; /* kind and name, by the pair's place */
};

static void pairing_take(struct pairing *pairing, const struct rank_sum *sum, bool second,
			 const char *globs)
{
	struct pairs *pairs = pairing->pairs;

	for (uint32_t i = 0; i < sum->tally.nrows; i++) {
		const struct tally_row *row = &sum->tally.rows[i];
		const char *name = sum->names.list[row->name];

		if (globs && !name_matches(globs, name))
			continue;
		uint32_t number = names_number(&pairing->names, name);
		uint32_t place = numbers_add(&pairing->known, (uint64_t)row->kind << 32 | number);

		if (place == pairs->count)
			pairs->list[pairs->count++] =
				(struct pair){.kind = row->kind, .name = name};
		if (second)
			pairs->list[place].b = row;
		else
			pairs->list[place].a = row;
	}
}

void pairs_of(struct pairs *pairs, const struct rank_sum *a, const struct rank_sum *b,
	      const char *globs)
{
	struct pairing pairing = {.pairs = pairs};
	size_t most = (size_t)a->tally.nrows + b->tally.nrows;

	*pairs = (struct pairs){.list = need(calloc(most + 1, sizeof(*pairs->list)))};
	pairing_take(&pairing, a, false, globs);
	pairing_take(&pairing, b, true, globs);
	for (size_t i = 0; i < pairs->count; i++)
		pair_judge(&pairs->list[i]);
	qsort(pairs->list, pairs->count, sizeof(*pairs->list), compare_pairs);
	names_free(&pairing.names);
	numbers_free(&pairing.known);
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->list);
	*pairs = (struct pairs){0};
}
