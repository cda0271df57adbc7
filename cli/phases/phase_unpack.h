/* SPDX-License-Identifier: MIT */
/*
 * phase_unpack.h: files without names, and what is compressed in another file put into one.
 */
#ifndef TL_CLI_PHASES_PHASE_UNPACK_H
#define TL_CLI_PHASES_PHASE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A temporary file; -1 where there can be none, which was said. */
int spool_open(void);

/* False where it can't be written, which was said. */
bool spool_write(int spool, const unsigned char *bytes, size_t size);

/* pread, without interruptions; what fails is said of `path`. */
ssize_t file_read(int file, const char *path, void *to, size_t size, uint64_t offset);

/* All that is still to come from a pipe, in a temporary file; -1: it failed, which was said. */
int spool_pipe(int file, const char *path);

/*
 * What is compressed by gzip or zlib in the file from this offset on, in a temporary file; in
 * base64, up to what is no letter of that. -1: it failed, which was said. Where it ends early that
 * was said, and *is_cut is set.
 */
int unpack_file(int file, const char *path, uint64_t offset, bool is_base64, bool *is_cut);

#endif
