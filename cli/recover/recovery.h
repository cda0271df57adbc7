/* SPDX-License-Identifier: MIT */
/*
 * recovery.h: puts what a dead process left in a buffers file into its trace.
 */
#ifndef TL_CLI_RECOVER_RECOVERY_H
#define TL_CLI_RECOVER_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/leftovers/leftovers.h"
#include "common/output.h"

#define RECOVERY_WHY 512

struct recovery_wishes {
	const char *output; /* pattern of a new file; NULL: go on with the process's own */
	/* pattern for a process that had no output yet and says none; NULL: the default */
	const char *fallback;
	bool keep; /* the buffers stay */
	/*
	 * buffers made before this machine was started, or on another, are wanted too. The latter
	 * are kept
	 */
	bool foreign;
	/* the process itself has told of the file: it may be deleted though it is empty */
	bool told;
	/*
	 * pid of a process of which is known when it died: at this tick of the counter, or
	 * nanosecond; 0: none
	 */
	uint32_t died;
	uint64_t died_ticks, died_ns;
};

enum recovery_result {
	RECOVERY_WRITTEN, /* the trace has it all, and its end */
	RECOVERY_NOTHING, /* there was nothing that the trace lacked */
	RECOVERY_LEFT,	  /* not touched: .why, if it is worth saying */
	/* no buffers, or beyond reading: .why, and what to do. They are kept */
	RECOVERY_BROKEN,
	/* the trace could not be written: .why, for .path. The buffers are kept */
	RECOVERY_FAILED,
};

struct recovery {
	enum leftover_state state; /* LEFT: why */
	uint32_t pid;
	bool confined; /* it ended its recording since it confines itself by a seccomp filter */
	char program[256];
	char path[TL_OUTPUT_PATH];     /* the trace */
	char intended[TL_OUTPUT_PATH]; /* where it should have gone on, but could not; "" */
	char why[RECOVERY_WHY];	       /* … because; in other results: see there */
	uint64_t recovered;	       /* finished calls, and other events */
	uint64_t unfinished;	       /* calls that had not returned */
	uint64_t events;	       /* in the trace, all in all */
	uint64_t lost;		       /* of these there is nothing left */
	char **problems;	       /* what was not sound */
	size_t nproblems;
};

enum recovery_result recover_buffers(const char *path, const struct recovery_wishes *wishes,
				     struct recovery *recovery);

/* A line for each, up to a dozen. */
void recovery_say_problems(const char *path, const struct recovery *recovery);

void recovery_forget(struct recovery *recovery);

#endif
