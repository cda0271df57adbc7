/* SPDX-License-Identifier: MIT */
/*
 * progress.c: see progress.h.
 */
#include "config.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/progress.h"

#define MOMENT_NS 200000000

static struct {
	bool asked, is_terminal, is_shown;
	struct timespec since;
} progress;

static bool is_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!progress.asked) {
		progress.asked = true;
		progress.is_terminal = isatty(STDERR_FILENO);
		progress.since = now;
	}
	if (!progress.is_terminal || (now.tv_sec - progress.since.tv_sec) * 1000000000 +
						     now.tv_nsec - progress.since.tv_nsec <
					     MOMENT_NS)
		return false;
	progress.since = now;
	return true;
}

void progress_show(const char *format, ...)
{
	va_list arguments;

	if (!is_time())
		return;
	fputs("\r\033[Ktracelayer: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fflush(stderr);
	progress.is_shown = true;
}

void progress_hide(void)
{
	if (progress.is_shown)
		fputs("\r\033[K", stderr);
	progress.is_shown = false;
}
