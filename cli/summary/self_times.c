/* SPDX-License-Identifier: MIT */
/*
 * self_times.c: see self_times.h. Calls are sorted so that those inside a call follow it. Of a thread, those
 * that are around the present one are open.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/basics/list_room.h"
#include "cli/summary/self_times.h"

/* ---- calls ---- */

void self_calls_add(struct self_calls *calls, const struct host_call *call, uint64_t place,
		    uint32_t group, bool counts)
{
	LIST_ROOM(calls->list, calls->count, calls->room);
	calls->list[calls->count++] = (struct self_call){.start = call->start,
							 .end = call->start + call->duration,
							 .place = place,
							 .thread = call->thread,
							 .group = group,
							 .name = call->name,
							 .own = call->own,
							 .counts = counts};
}

void self_calls_merge(struct self_calls *to, struct self_calls *from, const uint32_t *groups)
{
	size_t count = to->count + from->count;

	if (count > to->room) {
		to->room = count;
		to->list = need(reallocarray(to->list, count, sizeof(*to->list)));
	}
	for (size_t i = 0; i < from->count; i++) {
		struct self_call *call = &to->list[to->count++];

		*call = from->list[i];
		call->group = groups ? groups[call->group] : call->group;
	}
	self_calls_free(from);
}

void self_calls_free(struct self_calls *calls)
{
	free(calls->list);
	*calls = (struct self_calls){NULL, 0, 0};
}

/* By thread; calls inside others behind them. */
static int compare_calls(const void *a, const void *b)
{
	const struct self_call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	if (x->end != y->end)
		return x->end < y->end ? 1 : -1;
	return (x->place < y->place) - (x->place > y->place);
}

/* ---- sums ---- */

static uint64_t row_key(bool own, uint32_t group, uint32_t name)
{
	return (uint64_t)own << 62 | (uint64_t)group << 30 | name;
}

static void sums_take(struct self_sums *sums, const struct self_call *call, int64_t ns)
{
	uint32_t known = sums->rows.count, row;

	if (!call->counts)
		return;
	row = numbers_add(&sums->rows, row_key(call->own, call->group, call->name));
	if (row == known) {
		LIST_ROOM(sums->ns, row, sums->room);
		sums->ns[row] = 0;
	}
	sums->ns[row] += ns;
}

int64_t self_sums_of(const struct self_sums *sums, bool own, uint32_t group, uint32_t name)
{
	uint32_t row = numbers_find(&sums->rows, row_key(own, group, name));

	return row == NO_NUMBER ? 0 : sums->ns[row];
}

void self_sums_free(struct self_sums *sums)
{
	numbers_free(&sums->rows);
	free(sums->ns);
}

/* A call that is around the present one, or was around the last one. */
struct open_call {
	const struct self_call *call;
	int64_t self, covered; /* up to then, calls inside have been taken from .self */
};

struct open_calls {
	struct open_call *list;
	size_t depth, room;
};

static void open_calls_close(struct open_calls *open, struct self_sums *sums)
{
	const struct open_call *last = &open->list[--open->depth];

	sums_take(sums, last->call, last->self);
}

/* The call takes its time from the one around it. What others inside of that have taken counts once. */
static void open_call_cover(struct open_call *around, const struct self_call *call)
{
	int64_t from = call->start > around->covered ? call->start : around->covered;

	if (call->end <= from)
		return;
	around->self -= call->end - from;
	around->covered = call->end;
}

void self_sums_add(struct self_sums *sums, struct self_calls *calls)
{
	struct open_calls open = {NULL, 0, 0};

	if (calls->count)
		qsort(calls->list, calls->count, sizeof(*calls->list), compare_calls);
	for (size_t i = 0; i < calls->count; i++) {
		const struct self_call *call = &calls->list[i];

		while (open.depth && (open.list[open.depth - 1].call->thread != call->thread ||
				      open.list[open.depth - 1].call->end < call->end))
			open_calls_close(&open, sums);
		if (open.depth)
			open_call_cover(&open.list[open.depth - 1], call);
		LIST_ROOM(open.list, open.depth, open.room);
		open.list[open.depth++] =
			(struct open_call){call, call->end - call->start, call->start};
	}
	while (open.depth)
		open_calls_close(&open, sums);
	free(open.list);
}

void self_sums_add_history(struct self_sums *sums, const struct history *history, enum grouping by,
			   struct filter *filter)
{
	struct filter_memory memory = {.names = {NULL, 0}};
	struct self_calls calls = {NULL, 0, 0};

	if (filter)
		filter_start(filter, filter_start_of(history));
	for (size_t i = 0; i < history->ncalls; i++) {
		const struct host_call *call = &history->calls[i];

		self_calls_add(&calls, call, i, group_of_call(history, by, call),
			       !filter || filter_takes_call(filter, &memory, history, NULL, call));
	}
	filter_memory_free(&memory);
	self_sums_add(sums, &calls);
	self_calls_free(&calls);
}
