/* SPDX-License-Identifier: MIT */
/*
 * control.h: the contract of cli/control, requests to traced processes while they run: `tracelayer
 * pause`, `resume`, `snapshot` and `stop`, called by tracelayer.c, and one request to one process
 * for other commands.
 *
 * The room uses leftovers to find the processes' buffers files. One thread only.
 */
#ifndef TL_CLI_CONTROL_CONTROL_H
#define TL_CLI_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

int command_pause(int argc, char **argv);
int command_resume(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_stop(int argc, char **argv);

/* Sends the request and waits for the answer. False: the process has ended, or is silent for 10 s. */
bool control_request(uint32_t pid, enum tl_file_request what);

#endif
