/* SPDX-License-Identifier: MIT */
/*
 * report_make.h: the page of traces, from reading to writing, for `tracelayer report` and
 * `tracelayer view`.
 */
#ifndef TL_CLI_REPORT_REPORT_MAKE_H
#define TL_CLI_REPORT_REPORT_MAKE_H

#include <argp.h>
#include <stdbool.h>

#include "cli/report/report_page.h"

/*
 * The traces that the user names, and which part of them is wanted: at the end of a command line. They
 * parse into a struct page_files, which the command gives as the child's input.
 */
extern const struct argp_child page_files_argp[];

/* Prints what is wrong, and returns an exit code. If the name PATH is taken, the page gets a free one unless FORCE. */
int report_make(struct page_files *files, const char *path, bool force);

#endif
