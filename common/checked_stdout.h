/* SPDX-License-Identifier: MIT */
/*
 * checked_stdout.h: if a command's standard output could not be written, the command prints that
 * and fails, however it ends, also after argp's --help.
 *
 * Call tl_check_stdout(NAME) first in main. For commands of one source file; tracelayer(1) has its
 * own check, which knows more.
 */
#ifndef TL_COMMON_CHECKED_STDOUT_H
#define TL_COMMON_CHECKED_STDOUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *tl_checked_command;

static void tl_fail_if_stdout_failed(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	fprintf(stderr, "%s: cannot write the output: %s; %s\n", tl_checked_command,
		strerror(errno),
		errno == EBADF ? "it is closed" : "free some space, or send it elsewhere");
	_exit(1);
}

static inline void tl_check_stdout(const char *command)
{
	tl_checked_command = command;
	atexit(tl_fail_if_stdout_failed);
}

#endif
