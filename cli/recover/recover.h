/* SPDX-License-Identifier: MIT */
/*
 * recover.h: the contract of cli/recover: makes traces of what dead processes left behind.
 * `tracelayer recover` is called by tracelayer.c; recovery.h is the same for one buffers file, and
 * `tracelayer run` uses it when its program was killed.
 *
 * The room uses leftovers, job and outputs. One thread only.
 */
#ifndef TL_CLI_RECOVER_RECOVER_H
#define TL_CLI_RECOVER_RECOVER_H

#include "cli/recover/recovery.h"

int command_recover(int argc, char **argv);

#endif
