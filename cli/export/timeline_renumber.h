/* SPDX-License-Identifier: MIT */
/*
 * timeline_renumber.h: gives the records of a batch the numbers and times of the output, which has
 * other processes, too (timeline_numbers.h). An end of an arrow that is in no call that is selected goes.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_RENUMBER_H
#define TL_CLI_EXPORT_TIMELINE_RENUMBER_H

#include "cli/export/timeline_records.h"

void timeline_renumber(struct timeline_records *records);

#endif
