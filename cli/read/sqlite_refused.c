/* SPDX-License-Identifier: MIT */
/*
 * sqlite_refused.c: sqlite_reader.h, for the program that starts others and so is not linked with
 * SQLite (cli/local.mk).
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/read/sqlite_reader.h"

int sqlite_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		const struct trace_visitor *visitor, void *user)
{
	(void)at, (void)end, (void)visitor, (void)user;
	say("%s: a database is read by tracelayer summary, not here", blocks->shown);
	return EXIT_BROKEN;
}
