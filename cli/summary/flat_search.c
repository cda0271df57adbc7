/* SPDX-License-Identifier: MIT */
/*
 * flat_search.c: searches for calls and commands in all files by all workers: see flat_work.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/summary/flat_work.h"

bool flat_search_count(struct flat_search *search)
{
	if (atomic_load_explicit(&search->stop, memory_order_relaxed))
		return false;
	if (atomic_fetch_add_explicit(&search->found, 1, memory_order_relaxed) < search->most_found)
		return true;
	atomic_store_explicit(&search->stop, true, memory_order_relaxed);
	return false;
}

void flat_search_begin(struct flat *flat, int64_t from, int64_t until, size_t most)
{
	struct flat_search *search = &flat->search;

	search->from = from;
	search->until = until;
	search->most_found = until - from > 1 ? most : SIZE_MAX;
	atomic_store(&search->found, 0);
	atomic_store(&search->stop, false);
	for (unsigned i = 0; i < flat->nworkers; i++)
		flat->workers[i].ncalls = flat->workers[i].ncommands = 0;
}

void flat_worker_keep(struct flat_worker *worker, const struct host_call *call)
{
	if (!flat_search_count(&worker->flat->search))
		return;
	if (worker->ncalls == worker->calls_room) {
		worker->calls_room = worker->calls_room ? 2 * worker->calls_room : 1024;
		worker->calls = need(
			reallocarray(worker->calls, worker->calls_room, sizeof(*worker->calls)));
	}
	worker->calls[worker->ncalls++] = *call;
}

void flat_take_calls(struct flat *flat)
{
	struct history *history = flat->history;

	history->ncalls = 0;
	for (unsigned i = 0; i < flat->nworkers; i++) {
		const struct flat_worker *worker = &flat->workers[i];
		size_t count = history->ncalls + worker->ncalls;

		if (count > history->calls_room) {
			history->calls_room = count;
			history->calls =
				need(reallocarray(history->calls, count, sizeof(*history->calls)));
		}
		if (worker->ncalls)
			memcpy(&history->calls[history->ncalls], worker->calls,
			       worker->ncalls * sizeof(*worker->calls));
		history->ncalls = count;
	}
}
