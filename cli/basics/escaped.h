/* SPDX-License-Identifier: MIT */
/*
 * escaped.h: prints a text that comes from a file or a program and may go to a terminal. Bytes
 * that could steer the terminal are printed as \xNN.
 */
#ifndef TL_CLI_BASICS_ESCAPED_H
#define TL_CLI_BASICS_ESCAPED_H

#include <stdio.h>

void print_escaped(FILE *to, const char *bytes, size_t size);

#endif
