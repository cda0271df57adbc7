/* SPDX-License-Identifier: MIT */
/*
 * systrace.h: traces of ours as the text that ftrace has, with marks of layers and phases as
 * NNAPI's contract wants them, so that Android's tool takes it, and `tracelayer phases` does.
 *
 * Slices become rows B and E, of all threads by their times. Marks of tracelayer/nntrace.h are as
 * the program made them. Driver calls that have a layer and a phase get a mark of these:
 *
 *	- a call of the driver's layer lies in one of the runtime's, since it goes through that;
 *	- a call whose phase may not stand within what it lies in has that one's phase; one whose
 *	  layer may not is utility code, which counts for what it lies in;
 *	- a call in which the program made marks has none: they count for what lies around it.
 *
 * All else (other calls, a program's own events, devices' commands) stands there without a mark,
 * which counts for nothing. Where a program makes no marks at all, one of the application, overall,
 * is laid around everything.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_WRITER_H
#define TL_CLI_SYSTRACE_SYSTRACE_WRITER_H

#include <stdio.h>

/*
 * Write the trace of that path ("-": standard input), JSON or .tlt, to a stream. What is wrong with
 * the trace is said on stderr; `where` is what has the rest ("the table"). Returns an exit code:
 * EXIT_DONE, EXIT_BROKEN, EXIT_INCOMPLETE. If writing failed the stream says it.
 */
int systrace_write(const char *path, const char *where, FILE *to);

/* The same; but of a file that has no event at all it writes nothing. */
int systrace_write_events(const char *path, const char *where, FILE *to);

#endif
