/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h: the contract of cli/sqlite: a trace as an SQLite database, for questions that no table
 * answers. doc/sqlite.md describes what is in it. export calls it.
 *
 * The room uses read for the events, which come one by one, symbols for the names of functions on
 * stacks, and outputs for the file. Only open marks and different stacks take memory; the rest is in
 * the database. One thread only.
 */
#ifndef TL_CLI_SQLITE_SQLITE_H
#define TL_CLI_SQLITE_SQLITE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/read/read.h"

struct symbols;

/* Whether this tracelayer can write one. False, after a message about the path. */
bool sqlite_is_there(const char *path);

/*
 * Writes the database `output` of what is selected of traces: .tlt or Chrome's JSON, plain or compressed. `force`
 * replaces a file of that name; otherwise the new file's name gets a number. `symbols` name the
 * functions on stacks of .tlt files. An exit code, after messages.
 */
int sqlite_write(const char *const *inputs, size_t count, struct selection *selection,
		 struct symbols *symbols, const char *output, bool force);

#endif
