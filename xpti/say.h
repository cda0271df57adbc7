/*
 * say.h: the one line that a user reads when a library that a setting names can't be used. The dispatcher says it of subscribers, the proxy of the dispatcher.
 */
#ifndef TL_XPTI_SAY_H
#define TL_XPTI_SAY_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void tl_xpti_say(const char *what, const char *path, const char *why, const char *setting)
{
	char line[1024];
	size_t size = strlen(path);

	/* The loader's messages begin with the path, mostly. */
	if (strncmp(why, path, size) == 0 && strncmp(why + size, ": ", 2) == 0)
		why += size + 2;
	int length = snprintf(line, sizeof(line), "tracelayer: %s %s: %s; check %s\n", what, *path ? path : "(no name)", why, setting);
	if (length < 0)
		return;
	if ((size_t)length >= sizeof(line)) {
		length = sizeof(line) - 1;
		line[length - 1] = '\n';
	}
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;		/* there is nobody to tell */
}

#endif
