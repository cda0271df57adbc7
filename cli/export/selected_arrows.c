/* SPDX-License-Identifier: MIT */
/*
 * selected_arrows.c: see selected_arrows.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/list_room.h"
#include "cli/export/selected_arrows.h"

bool selected_has_call(const struct timeline_records *records, uint32_t tid, uint64_t ns)
{
	for (size_t i = 0; i < records->ntraces; i++)
		if (tl_trace_has_call(records->traces[i], tid, ns))
			return !records->selects ||
			       lane_spans_have(&records->slices, tid, (int64_t)ns);
	return false;
}

void selected_flow_add(struct timeline_records *records, const struct tl_event_record *event,
		       uint32_t shown, uint64_t ns)
{
	if (event->phase != 's')
		return;
	LIST_ROOM(records->begun, records->nbegun, records->begun_room);
	records->begun[records->nbegun++] = (struct timeline_flow){event->duration, ns, shown};
}

void selected_flows_find(struct timeline_records *records)
{
	for (size_t i = 0; i < records->nbegun; i++)
		if (lane_spans_have(&records->slices, records->begun[i].shown,
				    (int64_t)records->begun[i].ns))
			numbers_add(&records->flows, records->begun[i].number);
	free(records->begun);
	records->begun = NULL;
	records->nbegun = records->begun_room = 0;
}
