/* SPDX-License-Identifier: MIT */
/*
 * tool_common.h: what the tools that come with tracelayer share: options, a tracer on everything,
 * and where they write.
 */
#ifndef TL_CALLBACKS_TOOL_COMMON_H
#define TL_CALLBACKS_TOOL_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracelayer/tool.h"
#include "tracelayer/tracer.h"

/* An option of a list KEY[=VALUE][,KEY[=VALUE]]...; the value is empty where there is none. */
struct option {
	char key[512];
	char value[4096];
};

/* 0, or what tl_tool_start returns: an option lacks its value, or takes none. */
int options_check(const struct tl_tool_host *host);

/* Take the first option off the list; false where there is none. */
bool option_next(const char **list, struct option *option);
bool option_is(const struct option *option, const char *key);

/*
 * Returns what tl_tool_start returns where the tool can't work. The reason becomes part of a line.
 */
__attribute__((format(printf, 2, 3))) int refuse(const struct tl_tool_host *host,
						 const char *format, ...);

/*
 * A tracer with these callbacks on the functions that match, enabled. 0, or what tl_tool_start
 * returns.
 */
int trace(const struct tl_tool_host *host, const char *globs, tl_generic_prologue prologue,
	  tl_generic_epilogue epilogue);

/*
 * Where a tool writes: standard error, or a file that is named and created as traces are
 * (common/output.h). If the name is taken, the file gets a number and the new name is printed.
 * Another user's file is never written to. If the program closes the descriptor and opens another
 * file under its number, no output goes there. A closed pipe or a limit on file sizes does not kill
 * the program, and is not reported.
 */
struct output {
	char pattern[4096]; /* of the file, as for traces; empty: standard error */
	char standard[128]; /* the name of a file in a folder */
	char tool[128];
	int64_t rank;
	char path[4096];
	int fd;
	dev_t device;
	ino_t inode;
};

/* `pattern` empty: standard error. 0, or what tl_tool_start returns. */
int output_open(struct output *output, const struct tl_tool_host *host, const char *pattern);

/* In a forked child: begin a new file, where the pattern says so. */
void output_after_fork(struct output *output);

/*
 * Write by one write(2), if the file takes it whole: regular files do, and pipes up to PIPE_BUF
 * bytes. Any thread may call it; it takes no lock and keeps errno.
 */
void output_write(const struct output *output, const char *bytes, size_t size);

#endif
