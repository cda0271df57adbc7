/* SPDX-License-Identifier: MIT */
/*
 * tally.h: the contract of cli/tally: sums of calls and device commands (tally_rows.h), and the file
 * in which a rank of a job leaves its sum (rank_sum.h).
 *
 * All rooms of cli/ above it may use it. The room uses tables and basics. One thread at a time uses a
 * tally.
 */
#ifndef TL_CLI_TALLY_TALLY_H
#define TL_CLI_TALLY_TALLY_H

#include "cli/tally/rank_sum.h"
#include "cli/tally/tally_rows.h"

#endif
