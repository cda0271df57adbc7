/* SPDX-License-Identifier: MIT */
/*
 * callbacks.h: the contract of callbacks, the tool libraries that come with tracelayer: summary,
 * log, leaks, faults. Each is a library that libtracelayer.so opens inside the traced program
 * (include/tracelayer/tool.h); nothing includes a header of this room from outside.
 *
 * A tool's callbacks run on any thread of the program, inside its traced calls, also in signal
 * handlers and forked children. So they take no lock that a callback may already hold, allocate
 * nothing on a call's path where they can avoid it, and never exit. tool_common.h has what the
 * tools share.
 *
 * The tools use the public headers, tables and common. A tool of your own can do the same things;
 * only these link parts of tracelayer's static code.
 */
#ifndef TL_CALLBACKS_CALLBACKS_H
#define TL_CALLBACKS_CALLBACKS_H

#endif
