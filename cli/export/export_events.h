/* SPDX-License-Identifier: MIT */
/*
 * export_events.h: traces that are not in the record format: JSON, also of other tools, and .pftrace
 * and .sqlite files of tracelayer, plain or compressed. Their events become JSON, or folded stacks.
 */
#ifndef TL_CLI_EXPORT_EXPORT_EVENTS_H
#define TL_CLI_EXPORT_EXPORT_EVENTS_H

#include "cli/export/export_job.h"

/* Each writes the output of the first input, whose events come one by one. An exit code, after messages. */
int export_events_json(struct export *export);
int export_events_folded(struct export *export);

#endif
