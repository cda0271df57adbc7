/* SPDX-License-Identifier: MIT */
/*
 * phase_detail.h: prints the marks that a run's tables add up, so that people can check a number.
 */
#ifndef TL_CLI_PHASES_PHASE_DETAIL_H
#define TL_CLI_PHASES_PHASE_DETAIL_H

#include <stdio.h>

#include "cli/phases/phase_run.h"
#include "cli/systrace/systrace.h"

/* The run must have been added up. Marks are read from the text again. */
void phase_detail_print(FILE *to, const struct run *run, struct systrace_text *text);

/* The mark in this row: at most `size` - 1 bytes, safe for a terminal. */
void phase_detail_mark(struct systrace_text *text, uint64_t offset, char *to, size_t size);

/*
 * Where a row is, to print after the file's name: ":LINE", or ": at TIME s" in text that we made.
 */
void phase_detail_place(struct systrace_text *text, uint64_t offset, char *to, size_t size);

#endif
