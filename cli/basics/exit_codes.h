/* SPDX-License-Identifier: MIT */
/*
 * exit_codes.h: what tracelayer's commands return. `tracelayer run` returns its program's exit
 * code instead.
 */
#ifndef TL_CLI_BASICS_EXIT_CODES_H
#define TL_CLI_BASICS_EXIT_CODES_H

enum {
	EXIT_DONE = 0,
	EXIT_BROKEN = 1, /* the input is broken, or a check failed */
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* the input is sound, but its end is missing */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

#endif
