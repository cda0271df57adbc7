/* SPDX-License-Identifier: MIT */
/*
 * summary.h: the contract of cli/summary, `tracelayer summary`: tables of the calls and the device
 * commands in trace files. Called by tracelayer.c; run, diff and report use its sums and tables.
 *
 * The room uses read for the events, tally and job for the sums of a job, outputs for a sum that is
 * saved, format/encode and format/args. Files become a history (history.h), or sums (flat.h). Their
 * tables are made (tabulate.h), with what the queues waited for (waits.h), and printed.
 * record_scan.c has threads of its own; all else runs in one.
 */
#ifndef TL_CLI_SUMMARY_SUMMARY_H
#define TL_CLI_SUMMARY_SUMMARY_H

#include "cli/summary/any_sum.h"
#include "cli/summary/flat.h"
#include "cli/summary/history.h"
#include "cli/summary/job_summary.h"
#include "cli/summary/job_sums.h"
#include "cli/summary/plain_history.h"
#include "cli/summary/table_options.h"
#include "cli/summary/tabulate.h"
#include "cli/summary/trace_sum.h"

int command_summary(int argc, char **argv);

#endif
