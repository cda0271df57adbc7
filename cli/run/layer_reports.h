/* SPDX-License-Identifier: MIT */
/*
 * layer_reports.h: reads what the layer in the traced processes reported
 * (common/run_protocol.h). closing.c makes the closing line of it.
 */
#ifndef TL_CLI_RUN_LAYER_REPORTS_H
#define TL_CLI_RUN_LAYER_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/run/started_images.h"

/* One trace file, as far as it is known. */
struct trace {
	pid_t pid;
	char *path;
	/* number of the first report on it: a process's files in their order */
	unsigned long long created;
	unsigned long long number; /* of the report that the rest is from */
	bool finished;
	uint64_t events, lost;
	bool kept;	/* the buffers have what could not be written, and stay */
	bool recovered; /* here: this many calls, and those that had not returned */
	uint64_t recovered_events, unfinished;
};

/* A process that had no memory for event buffers. */
struct short_of_memory {
	pid_t pid;
	uint64_t lost;
};

/* A process with tools that say something at its end. */
struct tooled {
	pid_t pid;
	char *program;
	unsigned long long loaded, ended; /* numbers of the last reports; 0: none */
};

struct reports {
	bool no_memory; /* of some process */
	struct short_of_memory *shorts;
	size_t short_count;
	struct images images;
	struct tooled *tooled;
	size_t tooled_count;
	struct trace *traces;
	size_t count;
	char **buffers; /* files that processes made */
	size_t buffers_count;
	bool recovered; /* some process was killed, and its events were recovered here */
	bool loaded;	/* the layer got into some process */
	bool confined;	/* a process confined itself, so that recording ended */
	bool recorded;	/* some call was not filtered out */
	bool kept; /* buffers were kept, because the trace could not be written; a message said so */
	char *called, *unshimmed, *bypassed, *preceded, *failed;
	/* an interposer that a program could not read, a newline, that program */
	char *unreadable;
	int error; /* of .failed */
};

/*
 * Makes the folder that the layer reports into, and names it in the environment. Returns a
 * descriptor that must stay open, and close on exec, for as long as the folder is in use; -1: none.
 */
int reports_make_folder(void);

/* False: no folder could be made, so nothing is known. */
bool reports_have_folder(void);

/* Where it lies; and whether it was gone when the reports were read: a mount may have hidden it. */
const char *reports_place(void);
bool reports_are_hidden(void);

/* Reads everything, and removes it. */
void reports_read(struct reports *reports);

/* The trace of this process and path. Adds it where it is new. `number`: the report's. */
struct trace *reports_trace(struct reports *reports, pid_t pid, const char *path,
			    unsigned long long number);

void reports_free(struct reports *reports);

#endif
