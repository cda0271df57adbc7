/* SPDX-License-Identifier: MIT */
/*
 * selected_arrows.h: the arrows between slices of a process that are selected. The first of two
 * readings lists slices (records->slices) and where flows begin; the second asks which arrows have
 * both ends in slices of the list.
 */
#ifndef TL_CLI_EXPORT_SELECTED_ARROWS_H
#define TL_CLI_EXPORT_SELECTED_ARROWS_H

#include "cli/export/timeline_records.h"

/* A call of the thread is there at that time, and is selected. */
bool selected_has_call(const struct timeline_records *records, uint32_t tid, uint64_t ns);

/* An event of a flow: where the flow begins is listed. */
void selected_flow_add(struct timeline_records *records, const struct tl_event_record *event,
		       uint32_t shown, uint64_t ns);

/* After slices were sorted: the flows that begin in one of them are records->flows. */
void selected_flows_find(struct timeline_records *records);

#endif
