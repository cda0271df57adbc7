/* SPDX-License-Identifier: MIT */
/*
 * diff_tables.h: the tables of `tracelayer diff`, one for each kind of rows.
 */
#ifndef TL_CLI_DIFF_DIFF_TABLES_H
#define TL_CLI_DIFF_DIFF_TABLES_H

#include <stdbool.h>

#include "cli/diff/pairs.h"
#include "tables/table.h"

/* "calls", "events", "kernels", "transfers", "others". */
extern const char *const diff_table_words[TALLY_KINDS];

/*
 * Makes them; the caller frees them. NULL: neither trace has anything of the kind. `changed`: only
 * rows that differ by more than the variation, or that one trace lacks.
 */
void diff_tabulate(struct table *tables[TALLY_KINDS], const struct pairs *pairs, bool changed);

#endif
