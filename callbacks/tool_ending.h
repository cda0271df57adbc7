/* SPDX-License-Identifier: MIT */
/*
 * tool_ending.h: when a tool reports what it has gathered: before the program's static destructors, or after
 * them if the user asked for that. For one file of a tool, which defines tool_report.
 */
#ifndef TL_CALLBACKS_TOOL_ENDING_H
#define TL_CALLBACKS_TOOL_ENDING_H

#include <stdbool.h>

#include "tracelayer/tool.h"

static bool report_late; /* the tool's option `late` */
static bool tool_has_ended;

static void tool_report(void);

void tl_tool_end(void)
{
	tool_has_ended = true;
	if (!report_late)
		tool_report();
}

/* After the program's own static destructors. */
static __attribute__((destructor)) void tool_unload(void)
{
	if (report_late && tool_has_ended)
		tool_report();
}

#endif
