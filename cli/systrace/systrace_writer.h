/* SPDX-License-Identifier: MIT */
/*
 * systrace_writer.h: writes a trace of tracelayer as ftrace's text, with marks of layers and
 * phases by the contract of NNAPI's marks, so that Android's tool and `tracelayer phases` read it.
 *
 * Slices become rows B and E, of all threads in the order of time. Marks of tracelayer/nntrace.h
 * stay as the program made them. Driver calls that have a layer and a phase get a mark by these
 * rules:
 *
 *	- a call of the driver's layer gets a mark of the runtime around it, since it goes through
 *	  the runtime;
 *	- a call whose phase may not stand within the mark around it gets that mark's phase; a call
 *	  whose layer may not becomes utility code, which counts for what it lies in;
 *	- a call in which the program made marks gets none: they count for what lies around it.
 *
 * Other calls, a program's own events and device commands have no mark, and no table counts them.
 * If a program makes no marks at all, one mark of the application, overall, is put around
 * everything.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_WRITER_H
#define TL_CLI_SYSTRACE_SYSTRACE_WRITER_H

#include <stdio.h>

/*
 * Write the trace of that path ("-": standard input), JSON or .tlt, to a stream. Faults of
 * the trace are printed on stderr; `where` names what has the rest ("the table"). Returns an exit
 * code: EXIT_DONE, EXIT_BROKEN, EXIT_INCOMPLETE. After a failed write the stream has an error.
 */
int systrace_write(const char *path, const char *where, FILE *to);

/* The same, but for a file without any event it writes nothing. */
int systrace_write_events(const char *path, const char *where, FILE *to);

#endif
