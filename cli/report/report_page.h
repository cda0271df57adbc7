/* SPDX-License-Identifier: MIT */
/*
 * report_page.h: writes the page of a model.
 */
#ifndef TL_CLI_REPORT_REPORT_PAGE_H
#define TL_CLI_REPORT_REPORT_PAGE_H

#include <stdio.h>

#include "cli/read/read.h"
#include "cli/report/report_model.h"
#include "tables/table.h"

struct page_files {
	char **paths;
	int count;
	struct selection selection;
	const char *symbol_folders; /* for symbols_open */
};

/* False: the stream failed; errno says why. */
bool page_write(FILE *to, const struct report_model *model, struct table *const *tables,
		size_t ntables, const struct page_files *files);

#endif
