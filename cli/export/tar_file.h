/* SPDX-License-Identifier: MIT */
/*
 * tar_file.h: the parts of a tar archive (POSIX.1-1988's ustar), written by hand: a head for each
 * file, padding behind its contents, and the end.
 */
#ifndef TL_CLI_EXPORT_TAR_FILE_H
#define TL_CLI_EXPORT_TAR_FILE_H

#include <stddef.h>
#include <stdint.h>

#define TAR_BLOCK 512u
#define TAR_NAME  100u

/* The head of a file of this name, shorter than TAR_NAME, and size. */
void tar_head(char head[TAR_BLOCK], const char *name, uint64_t size, uint64_t modified);

/* Zeros that follow contents of this size. */
static inline size_t tar_padding(uint64_t size)
{
	return (size_t)(-size & (TAR_BLOCK - 1));
}

/* Zeros at the archive's end. */
#define TAR_END (2 * TAR_BLOCK)

#endif
