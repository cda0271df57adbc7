/* SPDX-License-Identifier: MIT */
/*
 * live_file.h: the buffers file of a process that runs: mapped, and searched for pieces as the process
 * adds them.
 */
#ifndef TL_CLI_LIVE_LIVE_FILE_H
#define TL_CLI_LIVE_LIVE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

struct live_file {
	char path[PATH_MAX];
	int fd;
	const char *memory;
	uint64_t size, at; /* the pieces before this offset are known */
	unsigned holes;
	uint64_t lived; /* when the process was last seen to live */
	uint32_t pid;
};

/* False: there is no such file, or it is not (yet) a buffers file. */
bool live_file_open(struct live_file *file, const char *path);
void live_file_close(struct live_file *file);

const struct tl_file_header *live_file_header(const struct live_file *file);

/* Whether the process lives. Asks the kernel at most every 10 ms. */
bool live_file_lives(struct live_file *file);

/*
 * Whether the process still uses the file; not if it gave it up before an exec. It may take it up
 * again, if the exec fails.
 */
bool live_file_is_used(const struct live_file *file);

/*
 * Calls `found` for each piece that was added since the last search. *head is a copy of the piece's
 * head, and its size is sound.
 */
void live_file_search(struct live_file *file,
		      void (*found)(void *context, const struct tl_piece *piece,
				    const struct tl_piece *head),
		      void *context);

#endif
