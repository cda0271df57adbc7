/* SPDX-License-Identifier: MIT */
/*
 * selected_slices.c: see selected_slices.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/export/selected_slices.h"

/* --- slices */

void selected_slice_add(struct timeline_records *records, uint32_t shown, uint64_t start,
			uint64_t end)
{
	if (records->nslices == records->slices_room) {
		records->slices_room = 2 * records->slices_room + 1024;
		records->slices = need(reallocarray(records->slices, records->slices_room,
						    sizeof(*records->slices)));
	}
	records->slices[records->nslices++] = (struct timeline_slice){shown, start, end, 0};
}

static int slices_by_start(const void *left, const void *right)
{
	const struct timeline_slice *a = left, *b = right;

	if (a->shown != b->shown)
		return a->shown < b->shown ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

void selected_slices_sort(struct timeline_records *records)
{
	struct timeline_slice *slices = records->slices;

	if (records->nslices)
		qsort(slices, records->nslices, sizeof(*slices), slices_by_start);
	for (size_t i = 0; i < records->nslices; i++) {
		bool same = i && slices[i - 1].shown == slices[i].shown;

		slices[i].latest = same && slices[i - 1].latest > slices[i].end
					   ? slices[i - 1].latest
					   : slices[i].end;
	}
}

bool selected_slices_have(const struct timeline_records *records, uint32_t shown, uint64_t ns)
{
	size_t low = 0, high = records->nslices;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct timeline_slice *slice = &records->slices[middle];

		if (slice->shown < shown || (slice->shown == shown && slice->start <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && records->slices[low - 1].shown == shown &&
	       records->slices[low - 1].latest >= ns;
}

/* --- arrows */

bool selected_has_call(const struct timeline_records *records, uint32_t tid, uint64_t ns)
{
	for (size_t i = 0; i < records->ntraces; i++)
		if (tl_trace_has_call(records->traces[i], tid, ns))
			return !records->selects || selected_slices_have(records, tid, ns);
	return false;
}

void selected_flow_add(struct timeline_records *records, const struct tl_event_record *event,
		       uint32_t shown, uint64_t ns)
{
	if (event->phase != 's')
		return;
	if (records->nbegun == records->begun_room) {
		records->begun_room = 2 * records->begun_room + 64;
		records->begun = need(
			reallocarray(records->begun, records->begun_room, sizeof(*records->begun)));
	}
	records->begun[records->nbegun++] = (struct timeline_flow){event->duration, ns, shown};
}

void selected_flows_find(struct timeline_records *records)
{
	for (size_t i = 0; i < records->nbegun; i++)
		if (selected_slices_have(records, records->begun[i].shown, records->begun[i].ns))
			numbers_add(&records->flows, records->begun[i].number);
	free(records->begun);
	records->begun = NULL;
	records->nbegun = records->begun_room = 0;
}
