/* SPDX-License-Identifier: MIT */
/*
 * temporary_file.h: temporary files without names ("spools"), and reads that are not interrupted.
 * Errors are printed on standard error.
 */
#ifndef TL_CLI_READ_TEMPORARY_FILE_H
#define TL_CLI_READ_TEMPORARY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* A new temporary file. -1: it could not be made. */
int spool_open(void);

/* Appends. False: it failed. */
bool spool_write(int spool, const unsigned char *bytes, size_t size);

/* Closes a stream that wrote to one. False: not all was written; a message has said why. */
bool spool_close(FILE *spool);

/* Shows how much there is, while more is coming (progress.h). */
void spool_show(int spool);

/* Copies the rest of a pipe to a new temporary file. -1: it failed. */
int spool_pipe(int file, const char *path);

/* pread, which goes on after signals. */
ssize_t file_read(int file, const char *path, void *to, size_t size, uint64_t offset);

#endif
