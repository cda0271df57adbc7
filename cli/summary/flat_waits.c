/* SPDX-License-Identifier: MIT */
/*
 * flat_waits.c: what threads did while queues waited: see flat.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/summary/flat_work.h"

static int compare_stays(const void *a, const void *b)
{
	const struct flat_stay *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

/* The times of all parts that lie in the search's; those of a thread that overlap become one. */
static void search_find_stays(struct flat *flat)
{
	const struct wait_search *waits = &flat->waits;
	struct flat_search *search = &flat->search;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < waits->nparts; i++) {
		const struct part *part = &waits->parts[i];
		if (part->from < search->until && part->host > search->from)
			search->stays[count++] = (struct flat_stay){
				.thread = part->thread,
				.from = time_within(part->from, search->from, search->until),
				.to = time_within(part->host, search->from, search->until)};
	}
	qsort(search->stays, count, sizeof(*search->stays), compare_stays);
	for (size_t i = 0; i < count; i++) {
		struct flat_stay *last = kept ? &search->stays[kept - 1] : NULL;

		if (!last || last->thread != search->stays[i].thread ||
		    last->to < search->stays[i].from)
			search->stays[kept++] = search->stays[i];
		else if (search->stays[i].to > last->to)
			last->to = search->stays[i].to;
	}
	search->nstays = kept;
}

/* Whether a call takes some of a stay: of the last one that begins before the call ends. */
static bool search_wants_call(const struct flat_search *search, const struct host_call *call)
{
	int64_t end = call->start + call->duration;
	size_t low = 0, high = search->nstays;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct flat_stay *stay = &search->stays[middle];

		if (stay->thread < call->thread ||
		    (stay->thread == call->thread && stay->from < end))
			low = middle + 1;
		else
			high = middle;
	}
	return low && search->stays[low - 1].thread == call->thread &&
	       search->stays[low - 1].to > call->start;
}

static bool run_has_calls(const void *user, const struct scan_run *run)
{
	const struct flat_search *search = &((const struct flat_worker *)user)->flat->search;

	return run->first < search->until && run->last > search->from;
}

static void worker_find_call(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;

	/* Also one that the filter leaves out: a queue waited for it all the same. */
	if (search_wants_call(&worker->flat->search, call))
		flat_worker_keep(worker, call);
}

/* The calls between two times. False: there are too many. */
static bool search_find_calls(struct flat *flat, int64_t from, int64_t until)
{
	static const struct scan_visitor visitor = {.wants = run_has_calls,
						    .call = worker_find_call};
	struct flat_search *search = &flat->search;

	flat_search_begin(flat, from, until, CALLS_AT_ONCE);
	search_find_stays(flat);
	if (!search->nstays)
		return true;
	record_scan_all(flat->scan, &visitor, flat->users, &search->stop);
	if (record_scan_has_marks(flat->scan) && !atomic_load(&search->stop))
		record_scan_marks(flat->scan, &visitor, flat->users[0]);
	return !atomic_load(&search->stop);
}

void flat_find_calls(struct flat *flat)
{
	struct wait_search *waits = &flat->waits;
	int64_t from = INT64_MAX, end = INT64_MIN;

	for (size_t i = 0; i < waits->nparts; i++) {
		from = waits->parts[i].from < from ? waits->parts[i].from : from;
		end = waits->parts[i].host > end ? waits->parts[i].host : end;
	}
	flat->search.stays = need(calloc(waits->nparts + 1, sizeof(struct flat_stay)));
	while (from < end) {
		int64_t until = end - from <= flat->step ? end : from + flat->step;

		if (!search_find_calls(flat, from, until)) {
			flat->step = (until - from) / 2;
			continue;
		}
		flat_take_calls(flat);
		wait_search_calls(waits, from, until);
		from = until;
		flat->step += flat->step < LATEST ? flat->step : 0;
	}
	free(flat->search.stays);
	flat->search.stays = NULL;
	waits->nparts = 0;
}
