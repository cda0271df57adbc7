/* SPDX-License-Identifier: MIT */
/*
 * leftovers.h: the contract of cli/leftovers: finds the buffers files of traced processes
 * (format/file/trace_file.h), and tells whether a live process still uses them.
 *
 * Files of another user than the effective one are neither opened nor mentioned. Symbolic links
 * are not followed. A file is a leftover if it begins with tracelayer's magic and version, whatever
 * its name. No other file is ever deleted.
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
	/* its process is dead, and we hold the claim until leftover_release */
	LEFTOVER_OURS,
	LEFTOVER_LIVE, /* its process maps it */
	/* we hold the claim, but cannot see from here whether its process lives */
	LEFTOVER_UNCLEAR,
	LEFTOVER_CLAIMED, /* another command has the claim */
	/* there is no such file (any more), or it is another user's, or no regular file */
	LEFTOVER_NONE,
	/* not a buffers file, and closed: .header has its first bytes */
	LEFTOVER_ALIEN,
	LEFTOVER_UNREADABLE, /* .error */
};

struct leftover {
	char path[PATH_MAX];
	int fd; /* open for reading */
	int error;
	struct stat stat;
	bool sound; /* its header is complete and sound */
	/* it has only magic and version: nothing was recorded */
	bool unbegun;
	/* made before this machine was started, or on another: then UNCLEAR */
	bool elsewhere;
	uint32_t pid; /* from the header, otherwise from the name; 0: unknown */
	struct tl_file_header header;
};

/*
 * Opens a file and reads its header. False: it is closed; .error says why it cannot be read, or is
 * 0 if LEFTOVER_NONE holds.
 */
bool leftover_open(const char *path, struct leftover *leftover);

/* The file is open, and its process runs on this machine under the pid in the header. */
bool leftover_is_live(const struct leftover *leftover);

/*
 * Opens a file, and claims it if its process is not seen to live. Unless the answer is OURS or
 * UNCLEAR, the file is closed again.
 */
enum leftover_state leftover_claim(const char *path, struct leftover *leftover);

/* What stat found is that file. */
bool leftover_is_file(const struct leftover *leftover, const struct stat *found);

/* Closes the file, and gives up the claim. */
void leftover_release(struct leftover *leftover);

/* Deletes a claimed file, unless another file has the name now. Returns 0 or an errno. */
int leftover_delete(struct leftover *leftover);

/* How many bytes of memory, or of a disk, the file takes. */
uint64_t leftover_size(const struct leftover *leftover);

/*
 * Paths of buffers files. `folder` NULL: in all places where they are made, and where a run that
 * was killed has noted them; `pid` 0: of all processes.
 */
struct leftover_paths {
	char **path;
	size_t count;
};
void leftover_find(struct leftover_paths *paths, const char *folder, uint32_t pid);
void leftover_forget(struct leftover_paths *paths);

/*
 * The folder that `tracelayer run` makes for what the layer tells it: this prefix and six
 * characters. Its file LEFTOVER_LOCK is locked for as long as that run lives.
 */
#define LEFTOVER_RUN  "tracelayer-run-"
#define LEFTOVER_LOCK ".lock"

/*
 * Deletes such folders of this user that nobody uses any more: those whose run has ended, and that
 * name no buffers file that is still there. A folder without lock has to be a day old, too, and no
 * process may live that reported there.
 * `done`: before that, deletes buffers files that dead processes of this user left although they had
 * written all. A process that has given up root can't delete the file that it made as root.
 */
void leftover_remove(bool done);

/*
 * All threads of the process are about to end: it was killed, and only needs time.
 * LEFTOVER_DYING_MS should be enough.
 */
#define LEFTOVER_DYING_MS 3000
bool leftover_is_dying(uint32_t pid);

/* 1: no process has the file open or mapped for writing; 0: one has; -1: unknown. */
int leftover_unwritten(int fd);

#endif
