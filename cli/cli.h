/* SPDX-License-Identifier: MIT */
/*
 * cli.h: the contract of cli, the tracelayer command. tracelayer.c finds the command that the user
 * names and calls it. Nothing else may include this header, or stand above this room.
 *
 * The rooms, from the top: profile, top, run, report, diff, summary, recover, export, phases, apis and control are
 * commands, each with a folder; systrace, sqlite, read and outputs are files in and out; tally sums up
 * calls and device commands; live looks at processes that run; leftovers are the buffers files of traced processes; job is the folder
 * of a job; basics is what every command needs. A room uses those that stand after it, then tables,
 * format and common. The command shares no code with the layer.
 *
 * A command's function gets its own name as argv[0] ("tracelayer run"), returns an exit code
 * (cli/basics/exit_codes.h), and is declared in its room's contract.
 */
#ifndef TL_CLI_CLI_H
#define TL_CLI_CLI_H

#include "cli/apis/apis.h"
#include "cli/control/control.h"
#include "cli/diff/diff.h"
#include "cli/export/export.h"
#include "cli/phases/phases.h"
#include "cli/profile/profile.h"
#include "cli/recover/recover.h"
#include "cli/report/report.h"
#include "cli/run/run.h"
#include "cli/summary/summary.h"
#include "cli/top/top.h"

#endif
