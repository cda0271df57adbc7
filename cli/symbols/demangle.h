/* SPDX-License-Identifier: MIT */
/*
 * demangle.h: the names of functions in the source of a program in C++ or Rust, of those that its compiler
 * made.
 */
#ifndef TL_CLI_SYMBOLS_DEMANGLE_H
#define TL_CLI_SYMBOLS_DEMANGLE_H

#include <argp.h>

/* The option --no-demangle. A command that has it shows functions by these names (cli/read/shown_names.h). */
extern const struct argp names_argp;

#endif
