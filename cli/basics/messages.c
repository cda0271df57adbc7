/* SPDX-License-Identifier: MIT */
/*
 * messages.c: say() and need() of the tracelayer command. See messages.h and
 * tables/needed_memory.h.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/escaped.h"
#include "cli/basics/exit_codes.h"
#include "cli/basics/messages.h"
#include "cli/basics/progress.h"
#include "common/message_line.h"
#include "tables/needed_memory.h"

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	progress_hide();
	message_line("tracelayer", format, arguments);
	va_end(arguments);
}

void say_whole(const char *message)
{
	char *line = NULL;
	size_t size = 0;
	FILE *to = need(open_memstream(&line, &size));

	fputs("tracelayer: ", to);
	print_escaped(to, message, strlen(message));
	fputc('\n', to);
	fclose(to);
	progress_hide();
	/* One write, as in say. */
	fwrite(line, 1, size, stderr);
	fflush(stderr);
	free(line);
}

int say_without_json(const char *what)
{
	say("%s: this tracelayer was built without jansson, which that needs; install libjansson-dev and build it again",
	    what);
	return EXIT_BROKEN;
}

void *need(void *allocated)
{
	if (!allocated) {
		say("out of memory; close other programs, or give fewer files at a time");
		exit(EXIT_BROKEN);
	}
	return allocated;
}

static bool output_failure_said;

void say_output_failed(const char *what)
{
	say("cannot write %s: %s; %s", what, strerror(errno),
	    errno == EBADF ? "it is closed" : "free some space, or send it elsewhere");
	output_failure_said = true;
}

bool output_failure_is_said(void)
{
	return output_failure_said;
}
