/* SPDX-License-Identifier: MIT */
/*
 * rank_set.c: see rank_set.h.
 */
#include "common/rank_set.h"

#include <stddef.h>

/* One member of a set: every .every-th rank from .first to .last. */
struct ranks {
	int64_t first, last, every;
};

static bool read_number(const char **at, int64_t *number)
{
	const char *start = *at;

	*number = 0;
	while (**at >= '0' && **at <= '9' && *number < INT64_C(100000000000))
		*number = *number * 10 + *(*at)++ - '0';
	return *at > start && !(**at >= '0' && **at <= '9');
}

/* Reads one member, and the comma behind it. */
static bool read_ranks(const char **at, struct ranks *ranks)
{
	*ranks = (struct ranks){0, INT64_MAX, 1};
	if (**at == '*') {
		++*at;
	} else {
		if (!read_number(at, &ranks->first))
			return false;
		ranks->last = ranks->first;
		if (**at == '-' && (++*at, !read_number(at, &ranks->last)))
			return false;
	}
	if (**at == '/' && (++*at, !read_number(at, &ranks->every) || !ranks->every))
		return false;
	if (**at == ',')
		return *++*at != 0;
	return !**at;
}

bool tl_rank_set_is(const char *text)
{
	struct ranks ranks;

	if (!*text)
		return false;
	while (*text)
		if (!read_ranks(&text, &ranks) || ranks.last < ranks.first)
			return false;
	return true;
}

bool tl_rank_set_has(const char *text, int64_t rank)
{
	struct ranks ranks;

	while (*text && read_ranks(&text, &ranks))
		if (rank >= ranks.first && rank <= ranks.last &&
		    (rank - ranks.first) % ranks.every == 0)
			return true;
	return false;
}
