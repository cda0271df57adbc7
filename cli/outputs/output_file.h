/* SPDX-License-Identifier: MIT */
/*
 * output_file.h: a file that a command writes. One rule for all commands.
 *
 * The file is made under a temporary name and gets its own when it is complete, so that no
 * reader sees half of it. If the name is taken, the file gets the first free one of name.1.json,
 * name.2.json … (the same rule as in common/output.h), and the command says so. With `force` it
 * replaces what is there. A device, or a pipe of the user, is written to as it is. "-" is standard
 * output.
 */
#ifndef TL_CLI_OUTPUTS_OUTPUT_FILE_H
#define TL_CLI_OUTPUTS_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>

struct output_file {
	const char *asked;   /* the path that the user gave */
	char path[PATH_MAX]; /* the path that the file gets in the end */
	int fd;		     /* to write to */

	/* For output_file.c. */
	bool force, temporary;
	int folder;
	char name[NAME_MAX + 1], made[NAME_MAX + 1];
};

/*
 * Returns 0, or an errno: see output_file_trouble. `asked` must stay valid. Only one file at a
 * time: if a signal ends the command, the incomplete file is removed.
 */
int output_file_open(struct output_file *file, const char *asked, bool force);

/*
 * Closes the file. `keep`: it is complete and gets its name; otherwise it is removed. Returns 0, or
 * an errno after removing it.
 */
int output_file_close(struct output_file *file, bool keep);

/* Prints a message if the file got another name than the user asked for. */
void output_file_say(const struct output_file *file);

/* Checks that the file can be made. Returns 0 or an errno. */
int output_file_check(const char *path);

/* Words for an errno. */
const char *output_file_trouble(int error);
/* What the user can do: raise the limit, where it is one; else `otherwise`. */
const char *output_file_remedy(int error, const char *otherwise);

#endif
