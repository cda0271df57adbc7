/* SPDX-License-Identifier: MIT */
/*
 * record_file.h: .tlt files for commands that read them: the messages about them, and the exit
 * codes.
 */
#ifndef TL_CLI_READ_RECORD_FILE_H
#define TL_CLI_READ_RECORD_FILE_H

#include <stdbool.h>

#include "format/file/record_reader.h"

/* Whether the file begins like one in the record format. Standard input ("-") is not used up. */
bool record_file_is(const char *path);

/* Opens the file. NULL, after a message: it cannot be read, or is a buffers file. */
struct tl_trace *record_file_open(const char *path);

/* Notes that a run could not be read to its end. */
void record_file_damaged(struct tl_trace *trace, uint64_t byte);

/* Notes events that the process could not keep. */
uint64_t record_file_lost(const struct tl_trace *trace);

/*
 * Call it at the end: it prints what was not sound, and returns the exit code. `unknown` is the
 * number of records of functions that the file does not describe. `where` names what has the other
 * records ("the table"); NULL: an earlier reading printed it.
 */
int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown,
		      const char *where);

#endif
