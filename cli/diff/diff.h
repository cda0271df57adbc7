/* SPDX-License-Identifier: MIT */
/*
 * diff.h: the contract of cli/diff, `tracelayer diff`: what changed from one trace to another, by
 * function, kernel and transfer. Called by tracelayer.c.
 *
 * The room uses summary for the sum of each trace, tally, and tables. The two sums become pairs of
 * rows (pairs.h), and a test of ranks compares the durations of each pair (rank_test.h). Then the
 * tables are made (diff_tables.h), and the conditions of --fail-if are checked (conditions.h). One
 * thread only.
 */
#ifndef TL_CLI_DIFF_DIFF_H
#define TL_CLI_DIFF_DIFF_H

int command_diff(int argc, char **argv);

#endif
