/* SPDX-License-Identifier: MIT */
/*
 * scan_run.c: what is noted of a run's calls and commands: see record_scan.h.
 */
#include "config.h"

#include "cli/summary/record_scan.h"

void scan_run_note_call(struct scan_run *index, const struct host_call *call)
{
	if (call->start < index->first)
		index->first = call->start;
	if (call->start + call->duration > index->last)
		index->last = call->start + call->duration;
	if (!call->correlation)
		return;
	if (!index->least || call->correlation < index->least)
		index->least = call->correlation;
	if (call->correlation > index->most)
		index->most = call->correlation;
}

void scan_run_note_command(struct scan_run *index, int64_t start)
{
	if (!index->ncommands++ || start < index->first_command)
		index->first_command = start;
	if (index->ncommands == 1 || start > index->last_command)
		index->last_command = start;
}
