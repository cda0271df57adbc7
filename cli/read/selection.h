/* SPDX-License-Identifier: MIT */
/*
 * selection.h: which part of a trace the user wants: ranks and processes, and of these the threads,
 * the queues, the names, the time and so on. The options for it are the same in all commands.
 */
#ifndef TL_CLI_READ_SELECTION_H
#define TL_CLI_READ_SELECTION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/rank_set.h"

/* A time, as the user says it. */
struct time_point {
	enum {
		POINT_NONE,
		POINT_START, /* since the start of the trace */
		POINT_CLOCK, /* by the trace's clock */
		POINT_DATE,  /* since 1970 */
		POINT_NAME,  /* of the first slice or mark of this name */
	} kind;
	uint64_t ns;
	char *name;
};

/* Begins as zeros: everything. Lists are globs with commas between them; NULL: all. */
struct selection {
	const char *ranks; /* a set; NULL: all */
	char *process, *thread, *name, *queue, *device, *request;
	bool failed;	/* only calls that failed */
	int64_t longer; /* nanoseconds: only what took so long */
	bool has_time;
	struct time_point points[2]; /* what the user gave */
	uint64_t from, to; /* nanoseconds since the start of the trace; see selection_time.h */
};

/*
 * The options. They parse into a struct selection, which the command gives as the child's input.
 * All of them; those of marks, which have a time, a thread, a name and a length; those of samples,
 * which have no length.
 */
extern const struct argp selection_argp, selection_marks_argp, selection_threads_argp;

/* Adds globs to a list. */
void selection_add(char **list, const char *globs);

/*
 * Takes "FROM:TO" or "FROM-TO", where either may be missing, or "@NAME". False: it is no such
 * text.
 */
bool selection_take_time(struct selection *selection, const char *text);

/* The time is not known from the options alone: selection_time.h finds it in the trace. */
bool selection_time_is_open(const struct selection *selection);

/* Takes a duration: a number and ns, us, ms or s. False: it is none, or longer than 30 years. */
bool duration_take(int64_t *ns, const char *text);

/* The list names this text, or this number. */
bool selection_has(const char *list, const char *text, uint64_t number);

/* A lane: a thread's or a queue's. Texts may be NULL. */
struct selected_lane {
	const char *name, *number;
	bool is_queue;
	const char *queue;  /* the queue's number */
	const char *device; /* its name; NULL: it is in the lane's name, after a comma */
	const char *hardware;
};

/*
 * Threads and queues: --thread names lanes of either kind; --queue and --device name queues. Where
 * both are given, lanes of either are selected.
 */
bool selection_has_lane(const struct selection *selection, const struct selected_lane *lane);

/* The options that look at lanes need to know which of them are queues'. */
static inline bool selection_wants_queues(const struct selection *selection)
{
	return selection->queue || selection->device;
}

/* `id`: as text; "0", "-" and "" are none. */
bool selection_has_request(const struct selection *selection, const char *id);

/* Something is left out of processes that are selected. */
bool selection_is_within(const struct selection *selection);

/* Something is left out. */
bool selection_is_any(const struct selection *selection);

/* Says so: of so many files nothing is selected. */
void selection_say_empty(size_t files);

void selection_free(struct selection *selection);

#endif
