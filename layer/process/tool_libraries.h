/* SPDX-License-Identifier: MIT */
/*
 * tool_libraries.h: tool libraries (tracelayer/tool.h): when they are loaded, and when their end is
 * called.
 */
#ifndef TL_LAYER_PROCESS_TOOL_LIBRARIES_H
#define TL_LAYER_PROCESS_TOOL_LIBRARIES_H

#include <stdbool.h>

/*
 * From the constructor, after the settings were read: note that there are tools, and the current
 * folder.
 */
void tl_tools_start(void);

/* At exit: call the tools' end functions, once in a process. Not async-signal-safe. */
void tl_tools_end(void);

/*
 * Tells `tracelayer run` that the process ends in a way that the layer sees, or becomes another
 * program. Any thread.
 */
void tl_tools_report_end(void);

/* There are tools whose end function has not been called. */
bool tl_tools_await_end(void);

/* Without --follow the child has no tools. */
void tl_tools_after_fork_child(void);

#endif
