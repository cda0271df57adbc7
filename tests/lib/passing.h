/* SPDX-License-Identifier: MIT */
/* passing.h: for a driver's layer that is gone after its exit handler has run. */
#ifndef TESTS_LIB_PASSING_H
#define TESTS_LIB_PASSING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_bool gone;

/* The exit handler, which takes its time. */
static void leave(void)
{
	gone = true;
	usleep(100000);
}

/* Ends the process from then on. */
static void check(void)
{
	static const char line[] = "passing: called after its exit handler\n";

	if (gone && write(STDERR_FILENO, line, sizeof(line) - 1) > 0)
		abort();
}

#endif
