/* SPDX-License-Identifier: MIT */
/*
 * warning.h: the line on standard error that says why a library that a setting names can't be used.
 * The dispatcher prints it about subscribers, the proxy about the dispatcher.
 */
#ifndef TL_XPTI_DISPATCHER_WARNING_H
#define TL_XPTI_DISPATCHER_WARNING_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A message of the dynamic loader without the path with which most of them begin. */
static inline const char *tl_xpti_reason(const char *path, const char *error)
{
	size_t size = strlen(path);

	return strncmp(error, path, size) == 0 && strncmp(error + size, ": ", 2) == 0
		       ? error + size + 2
		       : error;
}

/* Of a long path only the end is printed. Control characters become '?', so that it is one line. */
static inline void tl_xpti_say(const char *what, const char *path, const char *why,
			       const char *setting)
{
	enum { MOST = 600 };
	char line[1024];
	size_t size = strlen(path);
	int length = snprintf(line, sizeof(line), "tracelayer: %s %s%s: %.300s; check %s\n", what,
			      size > MOST ? "..." : "",
			      !size	    ? "(no name)"
			      : size > MOST ? path + size - MOST
					    : path,
			      why, setting);

	for (int i = 0; i < length - 1; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* there is nobody to tell */
}

#endif
