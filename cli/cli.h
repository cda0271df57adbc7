/* SPDX-License-Identifier: MIT */
/*
 * cli.h: the contract of cli, the tracelayer command. tracelayer.c finds the command that the user
 * names and calls it, or becomes the program that has it. Nothing else may include this header, or stand
 * above this room.
 *
 * The rooms, from the top:
 *
 *	profile top run report diff summary recover export phases apis control
 *				commands, each with a folder
 *	systrace sqlite		files of other tools
 *	tally			sums of calls and device commands
 *	read outputs		traces in and out
 *	live			processes that run
 *	leftovers job		buffers files, and the folder of a job
 *	basics			what every command needs
 *
 * A room uses those that stand after it, then tables, format and common. Each room may use basics,
 * tables, format/file and common; its contract names the others. The command shares no code with the
 * layer. It runs in one thread, unless a room's contract says otherwise.
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
