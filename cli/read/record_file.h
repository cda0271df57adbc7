/* SPDX-License-Identifier: MIT */
/*
 * record_file.h: .tlt files for commands that read them: the messages about them, and the exit codes.
 */
#ifndef TL_CLI_READ_RECORD_FILE_H
#define TL_CLI_READ_RECORD_FILE_H

#include <stdbool.h>

#include "format/file/record_reader.h"

/*
 * The file begins like one in the record format. False for standard input, which can be read only
 * once.
 */
bool record_file_is(const char *path);

/* Opens the file. NULL, after a message: it cannot be read, or is a buffers file. */
struct tl_trace *record_file_open(const char *path);

/* A run could not be read to its end. */
void record_file_damaged(struct tl_trace *trace, uint64_t byte);

/* Events that the process could not keep. */
uint64_t record_file_lost(const struct tl_trace *trace);

/*
 * After all is read: say what was not sound, and return the exit code. `unknown` is how many
 * records are of functions that the file does not describe; `where` is what has the rest ("the
 * table").
 */
int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown,
		      const char *where);

#endif
