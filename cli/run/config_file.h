/* SPDX-License-Identifier: MIT */
/*
 * config_file.h: reads tracelayer.conf: options of `tracelayer run` that a user does not want to
 * type each time.
 *
 * A line is NAME = VALUE, or NAME alone, with the name of a long option. Blanks around both are not
 * part of them. Empty lines, and those that begin with #, say nothing.
 */
#ifndef TL_CLI_RUN_CONFIG_FILE_H
#define TL_CLI_RUN_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct config_line {
	const char *file;
	unsigned number;   /* from 1 */
	const char *name;  /* not empty */
	const char *value; /* NULL: the name stands alone */
};

/* False after a message: reading ends. The strings are gone afterwards. */
typedef bool (*config_take)(const struct config_line *line, void *user);

/* Calls `take` for each line that says something. False after a message. */
bool config_read(FILE *from, const char *file, config_take take, void *user);

/*
 * Opens the file. NULL: it is not there, or others than the user and root may have written it, which
 * gives a message. *wrong: it cannot be read, which gives a message, too.
 */
FILE *config_open(const char *file, bool *wrong);

#endif
