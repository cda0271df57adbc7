/* SPDX-License-Identifier: MIT */
/*
 * shown.h: prints what a file or a program calls something, where it may go to a terminal: what
 * would steer that is shown as \xNN.
 */
#ifndef TL_CLI_SHOWN_H
#define TL_CLI_SHOWN_H

#include <stdio.h>

void print_shown(FILE *to, const char *bytes, size_t size);

#endif
