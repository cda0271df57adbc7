/* SPDX-License-Identifier: MIT */
/*
 * timeline_clock.c: see timeline_clock.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_clock.h"

/*
 * Two readings of one clock differ by far less, even while the time of day is being corrected. Time
 * namespaces differ by more: they are set in seconds.
 */
#define SAME_CLOCK_NS 100000000
/* Readings of one clock that differ by more: the time of day was set between them. */
#define WAS_SET_NS 100000
#define HOSTS_SAID 8

/* ---- what a file says */

struct timeline_clock_name timeline_clock_name(const struct tl_trace *trace)
{
	struct timeline_clock_name name;

	memset(&name, 0, sizeof(name));
	/* The reader has ended it. */
	memcpy(name.boot, trace->header.boot, strlen(trace->header.boot));
	name.has_namespace = trace->header.has_time_offset == 1;
	name.ahead = name.has_namespace ? trace->header.time_offset : 0;
	return name;
}

struct timeline_pair timeline_pair_begun(const struct tl_trace *trace)
{
	const struct tl_facts *facts = &trace->facts;
	struct timeline_pair pair = {
		.offset = (int64_t)(facts->realtime_ns - facts->monotonic_ns),
		.error_ns = (uint64_t)trace_fact_number(facts, ",\"clock_error_ns\":", 0),
		.time = {.error_ns = (uint64_t)trace_fact_number(facts, ",\"time_error_ns\":", 0),
			 .estimate_ns =
				 (uint64_t)trace_fact_number(facts, ",\"time_estimate_ns\":", 0)}};

	if (strstr(facts->members, ",\"time_synchronized\":true"))
		pair.time.known = TL_TIME_SYNCHRONIZED;
	else if (strstr(facts->members, ",\"time_synchronized\":false"))
		pair.time.known = TL_TIME_ALONE;
	return pair;
}

struct timeline_pair timeline_pair_ended(const struct tl_trace *trace)
{
	const struct tl_clock_pair *clocks = &trace->end_clocks;

	return (struct timeline_pair){.offset =
					      (int64_t)(clocks->realtime_ns - clocks->monotonic_ns),
				      .error_ns = clocks->error_ns,
				      .time = trace->end_time};
}

/* ---- clocks */

static bool clock_is_of(const struct timeline_clock *clock, const struct timeline_clock_name *name,
			int64_t offset)
{
	int64_t apart = clock->offset - offset;

	if (!*name->boot || strcmp(clock->name.boot, name->boot) != 0)
		return false;
	if (clock->name.has_namespace && name->has_namespace)
		return clock->name.ahead == name->ahead;
	return apart < SAME_CLOCK_NS && apart > -SAME_CLOCK_NS;
}

size_t timeline_clocks_add(struct timeline_clocks *clocks, const struct timeline_clock_name *name,
			   const char *host, int64_t offset)
{
	struct timeline_clock *clock;

	for (size_t i = 0; i < clocks->count; i++)
		if (clock_is_of(&clocks->list[i], name, offset))
			return i;
	clocks->list = need(reallocarray(clocks->list, clocks->count + 1, sizeof(*clocks->list)));
	clock = &clocks->list[clocks->count];
	*clock = (struct timeline_clock){
		.name = *name, .offset = offset, .least = INT64_MAX, .most = INT64_MIN};
	snprintf(clock->host, sizeof(clock->host), "%s", host);
	return clocks->count++;
}

static bool pair_is_better(const struct timeline_pair *pair, const struct timeline_pair *than)
{
	if (pair->time.known != TL_TIME_SYNCHRONIZED)
		return than->time.known == TL_TIME_UNKNOWN && pair->time.known != TL_TIME_UNKNOWN;
	return than->time.known != TL_TIME_SYNCHRONIZED ||
	       pair->time.error_ns < than->time.error_ns;
}

void timeline_clock_read(struct timeline_clock *clock, const struct timeline_pair *pair)
{
	if (clock->most < clock->least || pair_is_better(pair, &clock->best))
		clock->best = *pair;
	clock->least = pair->offset < clock->least ? pair->offset : clock->least;
	clock->most = pair->offset > clock->most ? pair->offset : clock->most;
}

static uint64_t clock_apart(const struct timeline_clock *clock)
{
	return clock->most > clock->least ? (uint64_t)clock->most - (uint64_t)clock->least : 0;
}

void timeline_clocks_settle(struct timeline_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		if (clock_apart(&clocks->list[i]) > WAS_SET_NS)
			clocks->list[i].offset = clocks->list[i].best.offset;
}

void timeline_clocks_free(struct timeline_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		free(clocks->list[i].points);
	free(clocks->list);
	*clocks = (struct timeline_clocks){0};
}

/* ---- what the user reads about them */

/* How far the clock may be from the true time. */
static uint64_t clock_error(const struct timeline_clock *clock)
{
	uint64_t apart = clock_apart(clock);

	return clock->best.time.error_ns + clock->best.error_ns + (apart > WAS_SET_NS ? 0 : apart);
}

/* The worst first. */
static int clocks_by_error(const void *left, const void *right)
{
	const struct timeline_clock *a = *(const struct timeline_clock *const *)left,
				    *b = *(const struct timeline_clock *const *)right;
	bool a_alone = a->best.time.known == TL_TIME_ALONE,
	     b_alone = b->best.time.known == TL_TIME_ALONE;

	if (a_alone != b_alone)
		return a_alone ? -1 : 1;
	if (!a_alone && clock_error(a) != clock_error(b))
		return clock_error(a) > clock_error(b) ? -1 : 1;
	int order = strcmp(a->host, b->host);
	return order ? order : (a > b) - (a < b);
}

static void clock_print(FILE *to, const struct timeline_clock *clock)
{
	const struct tl_time_of_day *time = &clock->best.time;

	fprintf(to, "%s (", *clock->host ? clock->host : "unknown");
	if (time->known == TL_TIME_SYNCHRONIZED)
		fprintf(to, "right to %.4g ms", (double)clock_error(clock) / 1e6);
	else if (time->known == TL_TIME_ALONE)
		fputs("not synchronized", to);
	else
		fputs("not known how right", to);
	if (clock_apart(clock) > WAS_SET_NS)
		fprintf(to, "; set by %.4g ms while it was recorded",
			(double)clock_apart(clock) / 1e6);
	fputs(")", to);
}

void timeline_clocks_say(const struct timeline_clocks *clocks)
{
	const struct timeline_clock **list = need(calloc(clocks->count + 1, sizeof(*list)));
	bool is_known = false;
	size_t count = 0, size;
	char *text = NULL;

	for (size_t i = 0; i < clocks->count; i++) {
		const struct timeline_clock *clock = &clocks->list[i];

		if (clock->is_aligned)
			continue;
		list[count++] = clock;
		/* All clocks of one machine are related by the same time of day, right or not. */
		is_known |= (clock->best.time.known != TL_TIME_UNKNOWN &&
			     strcmp(clock->name.boot, clocks->list[0].name.boot) != 0) ||
			    clock_apart(clock) > WAS_SET_NS;
	}
	if (clocks->count > 1 && is_known) {
		FILE *to = need(open_memstream(&text, &size));

		qsort(list, count, sizeof(*list), clocks_by_error);
		for (size_t i = 0; i < count && i < HOSTS_SAID; i++) {
			fputs(i ? ", " : "", to);
			clock_print(to, list[i]);
		}
		if (count > HOSTS_SAID)
			fprintf(to, " and %zu better ones", count - HOSTS_SAID);
		fclose(to);
		need(text);
		say("the clock%s of %zu machine%s %s set by the time of day: %s",
		    count > 1 ? "s" : "", count, count > 1 ? "s" : "", count > 1 ? "are" : "is",
		    text);
	}
	free(text);
	free(list);
}
