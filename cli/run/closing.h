/* SPDX-License-Identifier: MIT */
/*
 * closing.h: the line that `tracelayer run` prints at the end: where the trace is, or why there is
 * none.
 */
#ifndef TL_CLI_RUN_CLOSING_H
#define TL_CLI_RUN_CLOSING_H

#include "cli/run/launch.h"
#include "cli/run/program_path.h"
#include "cli/run/run_job.h"
#include "common/settings.h"

/*
 * Make the folder that the layer reports into, and name it in the environment. Without one, the
 * closing line knows less. Returns a descriptor that launch() must keep open; -1: none.
 */
int closing_prepare(void);

/* Print the line and remove the folder. `speak` false: only if something went
 * wrong. */
void closing_line(const struct program *program, const struct ending *ending,
		  const struct tl_config *config, const struct run_job *job, bool speak);

/* Remove the folder only: the program did not start. */
void closing_drop(void);

#endif
