/* SPDX-License-Identifier: MIT */
/*
 * output.h: the trace file's name, and how it is opened. The layer's writer and the command use it
 * alike.
 *
 * Only system calls: it runs on the writer's thread. One thread at a time (in the layer: the holder
 * of the pen, layer/write/writer.c). Errors are returned as negative errno values.
 */
#ifndef TL_COMMON_OUTPUT_H
#define TL_COMMON_OUTPUT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_OUTPUT_PATH 4096

/* The default name of a trace, also in a folder that the user gave. */
#define TL_OUTPUT_STANDARD "trace.%e.%p.json"

/* This file's own reasons, as errno values that no file system returns. */
#define TL_OUTPUT_FOREIGN ENOTNAM /* a pipe that is there belongs to somebody else */
/* the descriptor that is named (/dev/stdout) leads to a file, which others write, too */
#define TL_OUTPUT_SHARED EISNAM

/* An open file, and what is needed to open it again. */
struct tl_output {
	char path[TL_OUTPUT_PATH];
	uint64_t device, inode;
	bool regular; /* it can be cut, and its end overwritten */
	bool stream;  /* a pipe: what was written is gone */
	bool gzip;
	uint32_t number; /* of its name: see tl_output_create */
};

/* Base name of the running executable. */
void tl_output_program(char *name, size_t room);

/* What a pattern's letters stand for. */
struct tl_output_names {
	uint32_t pid;
	int64_t rank;	  /* below 0: no launcher gave one */
	uint64_t seconds; /* since 1970 */
	const char *program, *host;
	/* the name of a file in a folder, where a folder is named; NULL: the path stays as it is */
	const char *standard;
};

/*
 * Fill in a pattern: %p process, %e program, %h host, %r rank, %t time in UTC, %% a %. Characters
 * that don't belong into a file's name become _. Without a rank %r is nothing, and the dot, dash or
 * underscore before it goes, too; at the front of a name it is "none". A path that ends with a
 * slash, or is a folder, gets the standard name behind it. False where it gets too long.
 */
bool tl_output_expand_for(char *path, size_t room, const char *pattern,
			  const struct tl_output_names *names);

/* The same for the calling process, and now, with TL_OUTPUT_STANDARD. */
bool tl_output_expand(char *path, size_t room, const char *pattern, int64_t rank);

/*
 * Create the file that output->path names, mode 0600. A name that is taken gets .1, .2, … before
 * its ending; numbers below output->number are passed over, which then is the one that the name got
 * (0: none). A device is opened as it is, and so is a pipe that belongs to the user or to root:
 * -ENXIO while nobody has it open to read. What /dev/stdout and the like name is opened if it is a
 * pipe or a device. No symbolic link on the way is followed but the user's own and root's. Returns
 * a descriptor.
 */
int tl_output_create(struct tl_output *output);

/*
 * Would tl_output_create have a place for the file? 0, or why not. Nothing is made. One caller at a
 * time, but beside those of the others.
 */
int tl_output_check(const char *path);

/*
 * Words for errors of these functions that the system has none for, or misleading ones; else NULL.
 */
const char *tl_output_words(int error);

/*
 * For what is made beside its name first: the folder that a path's last component is in, found in
 * the same way; `name` (NAME_MAX + 1) becomes that component. A descriptor (O_PATH), or why not.
 * Not thread safe.
 */
int tl_output_folder(const char *path, char *name);

/*
 * What is in the folder by that name, if it is a device or a pipe: opened for writing with these
 * flags, by the rules above. -EEXIST: neither.
 */
int tl_output_special(int folder, const char *name, int flags);

/* name.json becomes name.N.json. False where it gets too long. */
bool tl_output_number(char *name, size_t room, uint32_t number);

/* Open the file again. -ESTALE where the name leads to something else now. */
int tl_output_reopen(const struct tl_output *output);

#endif
