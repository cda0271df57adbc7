/* SPDX-License-Identifier: MIT */
/*
 * top_screen.h: shows an interval: on a terminal, or as rows for scripts.
 */
#ifndef TL_CLI_TOP_TOP_SCREEN_H
#define TL_CLI_TOP_TOP_SCREEN_H

#include "cli/top/top_sums.h"

/* Takes the terminal over; gives it back. */
void top_screen_begin(void);
void top_screen_end(void);

/* Waits so many milliseconds. True: the user wants to leave. */
bool top_screen_wait(int milliseconds);

/* Redraws the screen. Tables are cut to its height. */
void top_screen_show(const struct top_sums *sums);

/* Prints rows of CSV. `elapsed`: seconds since the beginning; the first call prints the header, too. */
void top_rows_print(const struct top_sums *sums, double elapsed);

#endif
