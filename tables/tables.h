/* SPDX-License-Identifier: MIT */
/*
 * tables.h: the contract of tables: rows and columns, and how they are printed as text, CSV or JSON
 * (table.h); the tables of calls and device commands (call_tables.h); when a queue was busy and
 * what it waited for (queue_time.h); durations counted by size (histogram.h).
 *
 * The tracelayer command and the summary tool (callbacks/) use it, so that both print the same
 * tables. The room uses common and include/. One thread at a time. Functions of this room never
 * report that memory is short: a program that links the room defines need() (needed_memory.h).
 */
#ifndef TL_TABLES_TABLES_H
#define TL_TABLES_TABLES_H

#include "tables/call_tables.h"
#include "tables/histogram.h"
#include "tables/needed_memory.h"
#include "tables/queue_time.h"
#include "tables/table.h"

#endif
