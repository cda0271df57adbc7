/* SPDX-License-Identifier: MIT */
/*
 * profile_select.h: leaves of a profile only the samples that the user selects: those of threads
 * and processes, at a time, and in calls or labels of a name.
 *
 * A sample is of a thread at a moment. It does not say how long a call takes, whether it fails,
 * which request it is for, or what a device does: one long call and many short ones look the same.
 * So those options are not offered.
 */
#ifndef TL_CLI_PROFILE_PROFILE_SELECT_H
#define TL_CLI_PROFILE_PROFILE_SELECT_H

#include "cli/profile/profile.h"
#include "cli/read/selection.h"

/* .keep_runs must have been set while samples were taken. An exit code, after a message. */
int profile_select(struct profiled *profiled, const struct selection *selection);

#endif
