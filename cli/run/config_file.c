/* SPDX-License-Identifier: MIT */
/*
 * config_file.c: see config_file.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/run/config_file.h"

/* A value is the name of a file, or a list of such names, at most. */
#define LONGEST 65536u
#define BLANKS	" \t\r\n"

static char *text_trim(char *text)
{
	text += strspn(text, BLANKS);
	size_t size = strlen(text);

	while (size && strchr(BLANKS, text[size - 1]))
		size--;
	text[size] = 0;
	return text;
}

/* False after a message. */
static bool line_take(char *text, struct config_line *line, config_take take, void *user)
{
	char *equals = strchr(text, '=');

	if (equals)
		*equals = 0;
	line->name = text_trim(text);
	line->value = equals ? text_trim(equals + 1) : NULL;
	if (*line->name)
		return take(line, user);
	say("%s:%u: no name before the =; a line is NAME = VALUE, with the name of an option",
	    line->file, line->number);
	return false;
}

bool config_read(FILE *from, const char *file, config_take take, void *user)
{
	struct config_line line = {.file = file};
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	bool good = true;

	while (good && (size = getline(&text, &room, from)) >= 0) {
		line.number++;
		if ((size_t)size > LONGEST || strlen(text) != (size_t)size) {
			say("%s:%u: %s; is it another file?", file, line.number,
			    (size_t)size > LONGEST ? "a very long line" : "no text");
			good = false;
			continue;
		}
		char *said = text_trim(text);

		if (*said && *said != '#')
			good = line_take(said, &line, take, user);
	}
	if (good && ferror(from)) {
		say("%s: cannot be read: %s", file, strerror(errno));
		good = false;
	}
	free(text);
	return good;
}

/* Who could write it could make the program load a library. */
static bool is_trusted(const struct stat *about)
{
	return (about->st_uid == geteuid() || !about->st_uid) &&
	       !(about->st_mode & (S_IWGRP | S_IWOTH));
}

FILE *config_open(const char *file, bool *wrong)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat about;

	*wrong = false;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return NULL;
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");

	if (!from || fstat(fd, &about) || !S_ISREG(about.st_mode)) {
		say("%s: cannot be read: %s", file, from ? "it is no file" : strerror(errno));
		*wrong = true;
	} else if (!is_trusted(&about)) {
		say("%s: it is not read, since another user may have written it; make it yours, and `chmod go-w` it",
		    file);
	} else {
		return from;
	}
	if (from)
		fclose(from);
	else if (fd >= 0)
		close(fd);
	return NULL;
}
