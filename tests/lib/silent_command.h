/* SPDX-License-Identifier: MIT */
/*
 * silent_command.h: for fuzz targets, in place of cli/basics: messages and progress that nobody sees.
 * Include it in one file of a program.
 */
#ifndef TL_TESTS_LIB_SILENT_COMMAND_H
#define TL_TESTS_LIB_SILENT_COMMAND_H

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/basics/options.h"

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

void say(const char *format, ...)
{
	(void)format;
}

void option_refuse(const struct argp_state *state, const char *format, ...)
{
	(void)state, (void)format;
	abort();
}

void progress_show(const char *format, ...)
{
	(void)format;
}

void progress_hide(void)
{
}

#endif
