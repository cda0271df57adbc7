/* SPDX-License-Identifier: MIT */
/*
 * job_ranks.c: see job_ranks.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/job/job_ranks.h"
#include "common/rank_set.h"

/* A file may be damaged: no job has more. */
#define RANKS_MOST (INT64_C(1) << 26)
/* Ranges that are named; of more, the line says how many ranks they have. */
#define RANGES_MOST 16

void job_ranks_told(struct job_ranks *ranks, const struct tl_facts *facts)
{
	int64_t size = trace_fact_number(facts, ",\"size\":", 0);
	char *traced = trace_fact_text(facts, ",\"ranks\":\"");

	if (size > ranks->size && size <= RANKS_MOST)
		ranks->size = size;
	if (ranks->traced || !traced || !tl_rank_set_is(traced))
		free(traced);
	else
		ranks->traced = traced;
}

static bool rank_is_missing(const struct job_ranks *ranks, const char *wanted, int64_t rank)
{
	return numbers_find(&ranks->there, (uint64_t)rank) == NO_NUMBER &&
	       (!wanted || tl_rank_set_has(wanted, rank)) &&
	       (!ranks->traced || tl_rank_set_has(ranks->traced, rank));
}

static void range_print(FILE *to, int64_t first, int64_t last, bool is_first)
{
	fprintf(to, "%s%lld", is_first ? "" : ", ", (long long)first);
	if (last > first)
		fprintf(to, "-%lld", (long long)last);
}

/* 3, 8-15. Returns how many ranks that are. */
static int64_t missing_print(FILE *to, const struct job_ranks *ranks, const char *wanted)
{
	int64_t missing = 0, named = 0, first = 0;
	unsigned ranges = 0;
	bool before = false;

	for (int64_t rank = 0; rank <= ranks->size; rank++) {
		bool is = rank < ranks->size && rank_is_missing(ranks, wanted, rank);

		missing += is;
		if (is && !before)
			first = rank;
		if (!is && before && ranges++ < RANGES_MOST) {
			range_print(to, first, rank - 1, ranges == 1);
			named = missing;
		}
		before = is;
	}
	if (named < missing)
		fprintf(to, " and %lld more", (long long)(missing - named));
	return missing;
}

void job_ranks_say_missing(const struct job_ranks *ranks, const char *wanted)
{
	char *list;
	size_t size;
	FILE *to = need(open_memstream(&list, &size));
	int64_t missing = missing_print(to, ranks, wanted);

	fclose(to);
	need(list);
	if (missing == 1)
		say("rank %s of %lld has no trace in %s, and is missing here; if it was killed, `tracelayer recover %s` on its host gets what it had recorded",
		    list, (long long)ranks->size, ranks->path, ranks->path);
	else if (missing)
		say("ranks %s of %lld have no trace in %s, and are missing here; if they were killed, `tracelayer recover %s` on their hosts gets what they had recorded",
		    list, (long long)ranks->size, ranks->path, ranks->path);
	free(list);
}

void job_ranks_free(struct job_ranks *ranks)
{
	free(ranks->path);
	free(ranks->traced);
	numbers_free(&ranks->there);
	*ranks = (struct job_ranks){.size = 0};
}
