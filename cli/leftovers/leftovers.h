/* SPDX-License-Identifier: MIT */
/*
 * leftovers.h: the contract of cli/leftovers: finds the buffers files of traced processes
 * (format/file/trace_file.h), and tells whether a live process still uses them.
 *
 * Files of another user than the effective one are neither opened nor mentioned. Symbolic links
 * are not followed. Not its name but its first bytes make a file a leftover: tracelayer's magic
 * and version. Nothing else is ever deleted.
 *
 * The room uses basics, format/file and common. One thread only.
 */
#ifndef TL_CLI_LEFTOVERS_LEFTOVERS_H
#define TL_CLI_LEFTOVERS_LEFTOVERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "format/file/trace_file.h"

enum leftover_state {
	/* its process is gone, and nobody else has claimed it: it is ours until it is released */
	LEFTOVER_OURS,
	LEFTOVER_LIVE, /* its process maps it */
	/* ours as well, but whether its process lives can't be seen from here */
	LEFTOVER_UNCLEAR,
	LEFTOVER_CLAIMED, /* another command is at it */
	/* there is no such file (any more), or it is somebody else's, or no regular file */
	LEFTOVER_NONE,
	/*
	 * it is no buffers file: .header has what it begins with, as far as that goes. It is closed
	 */
	LEFTOVER_ALIEN,
	LEFTOVER_UNREADABLE, /* .error */
};

struct leftover {
	char path[PATH_MAX];
	int fd; /* open for reading */
	int error;
	struct stat stat;
	bool sound; /* it has a header that can be relied on */
	/* it has our magic and version, and nothing else yet: nothing was ever recorded */
	bool unbegun;
	/* made before this machine was started, or on another: then UNCLEAR */
	bool elsewhere;
	uint32_t pid; /* by that, else by its name; 0: unknown */
	struct tl_file_header header;
};

/*
 * Open a file and read its header. False where it can't be read (.error), or LEFTOVER_NONE says
 * what it is (no .error); it is closed then.
 */
bool leftover_open(const char *path, struct leftover *leftover);

/* An open one's process lives, here, by the number that the header gives. */
bool leftover_is_live(const struct leftover *leftover);

/*
 * Open a file, and claim it where it is nobody's any more. Any other answer than OURS and UNCLEAR
 * leaves it closed.
 */
enum leftover_state leftover_claim(const char *path, struct leftover *leftover);

/* Close it, and give a claimed one back. */
void leftover_release(struct leftover *leftover);

/* Delete a claimed one, if it is still that file which has the name. Returns 0 or an errno. */
int leftover_delete(struct leftover *leftover);

/* Bytes of memory, or disk, that it takes. */
uint64_t leftover_size(const struct leftover *leftover);

/*
 * Paths of the buffers files in a folder, or (NULL) in all places where they are made; of one
 * process, or (0) of all.
 */
struct leftover_paths {
	char **path;
	size_t count;
};
void leftover_find(struct leftover_paths *paths, const char *folder, uint32_t pid);
void leftover_forget(struct leftover_paths *paths);

/*
 * All of the process's threads are about to end: it was killed, and needs no more than time for it;
 * LEFTOVER_DYING_MS should do.
 */
#define LEFTOVER_DYING_MS 3000
bool leftover_is_dying(uint32_t pid);

/*
 * Nobody has the file open for writing, nor has mapped it so: 1; somebody has: 0; it can't be told:
 * -1.
 */
int leftover_unwritten(int fd);

#endif
