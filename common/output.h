/* SPDX-License-Identifier: MIT */
/*
 * output.h: the trace file's name, and how it is opened, for the layer's writer and for the
 * command.
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
#define TL_OUTPUT_FOREIGN ENOTNAM /* an existing pipe belongs to another user */
/* the named descriptor (/dev/stdout) is a file, which other code writes, too */
#define TL_OUTPUT_SHARED EISNAM
#define TL_OUTPUT_LINK	 ENAVAIL /* a link on the way belongs to another user */

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
	int64_t rank;	     /* below 0: no launcher gave one */
	const char *step;    /* the folder's name of the job's step; NULL: %j stays as it is */
	uint64_t seconds;    /* since 1970 */
	const char *program; /* NULL: the calling process's */
	const char *host;
	/* the file's name if the path is a folder; NULL: the path stays as it is */
	const char *standard;
};

/*
 * Fill in a pattern: %p process, %e program, %h host, %r rank, %j job and step, %t time in UTC, %%
 * a %. Characters that don't belong in a file's name become _, and so does a dot at the front of a
 * name that %e, %h or %j begins. Without a rank, %r becomes nothing,
 * and the dot, dash or underscore before it is removed; at the front of a name %r becomes "none". %R
 * is the rank, or none.PID. A path that ends with a slash, or is a folder, gets the standard name
 * behind it. False: the path gets too long.
 */
bool tl_output_expand_for(char *path, size_t room, const char *pattern,
			  const struct tl_output_names *names);

/*
 * Fill in %j only, so that the result is still a pattern: for one that other processes fill in.
 * False: it gets too long.
 */
bool tl_output_expand_step(char *pattern, size_t room, const char *from, const char *step);

/* This host's name, as %h stands for it. */
#define TL_OUTPUT_HOST 80
void tl_output_host(char *host, size_t room);

/*
 * The pattern of the files in a job's folder: FOLDER/%j/%h/%R.tlt. False: it gets too long.
 */
bool tl_output_job_pattern(char *pattern, size_t room, const char *folder);

/*
 * Make the folders that a file in a job's folder lies in, if they are missing: those of the step
 * and the host, not the job's folder. 0, or why not.
 */
int tl_output_make_job_folders(const char *path);

/* The same for the calling process, and now, with TL_OUTPUT_STANDARD. %j is filled in already. */
bool tl_output_expand(char *path, size_t room, const char *pattern, int64_t rank);

/*
 * Create the file that output->path names, mode 0600. A name that is taken gets .1, .2, … before
 * its ending; numbers below output->number are skipped. output->number becomes the number that the
 * name got (0: none). A device is opened as it is, and so is a pipe that belongs to the user or to
 * root: -ENXIO while it has no reader. /dev/stdout and the like are opened if they lead to a pipe
 * or a device. Symbolic links on the way are followed only if they belong to the user or to root.
 * Returns a descriptor.
 */
int tl_output_create(struct tl_output *output);

/*
 * Whether tl_output_create could make the file: 0, or why not. Makes nothing. One caller at a time,
 * but it may run beside the other functions.
 */
int tl_output_check(const char *path);

/* Words for errors of these functions if the system's own are missing or misleading; else NULL. */
const char *tl_output_words(int error);

/*
 * For files that are first made under another name: opens the folder of a path's last component,
 * found in the same way; `name` (NAME_MAX + 1) becomes that component. Returns a descriptor
 * (O_PATH), or why not. Not thread safe.
 */
int tl_output_folder(const char *path, char *name);

/*
 * If the folder has a device or a pipe of that name: opens it for writing with these flags, by the
 * rules above. -EEXIST: it is neither.
 */
int tl_output_special(int folder, const char *name, int flags);

/* name.json becomes name.N.json. False: it gets too long. */
bool tl_output_number(char *name, size_t room, uint32_t number);

/*
 * A number from `number` on (1 or more) with which the name is free in the folder: the first one if
 * that is near, else one whose predecessor is taken. Somebody may take it in between.
 */
uint32_t tl_output_free_number(int folder, const char *plain, uint32_t number);

/* Open the file again. -ESTALE: the name leads to another file now. */
int tl_output_reopen(const struct tl_output *output);

#endif
