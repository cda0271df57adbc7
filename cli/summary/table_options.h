/* SPDX-License-Identifier: MIT */
/*
 * table_options.h: which rows and columns of tables are printed, and as what. The options for it are
 * the same in `tracelayer summary` and `tracelayer diff`.
 */
#ifndef TL_CLI_SUMMARY_TABLE_OPTIONS_H
#define TL_CLI_SUMMARY_TABLE_OPTIONS_H

#include <argp.h>

#include "tables/table.h"

/* Begins as zeros: all, as text. */
struct table_options {
	enum table_format format;
	struct table_wishes wishes;
};

/*
 * The options, in two groups with headings: 2, which tables, and 3, where to and how. They parse into a
 * struct table_options, which the command gives as the child's input. A child without a heading and
 * a group of its own shares these groups with the command.
 */
extern const struct argp table_argp;

#endif
