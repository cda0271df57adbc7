/* SPDX-License-Identifier: MIT */
/*
 * sqlite_schema.h: what is in a database: tables before the events come, indexes and views after.
 * doc/sqlite.md explains each column.
 */
#ifndef TL_CLI_SQLITE_SQLITE_SCHEMA_H
#define TL_CLI_SQLITE_SQLITE_SCHEMA_H

#include "cli/read/read.h"

/* The number of this layout, as PRAGMA user_version. */
#define SQLITE_SCHEMA_VERSION "3"

extern const char sqlite_tables[], sqlite_indexes[], sqlite_views[];

#endif
