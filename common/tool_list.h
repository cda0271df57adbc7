/* SPDX-License-Identifier: MIT */
/*
 * tool_list.h: the list of tools that TRACELAYER_TOOLS and `tracelayer run --tool` take.
 *
 *	NAME[=OPTIONS][:NAME[=OPTIONS]]...	a colon in either is written \:
 *
 * A name with a slash is a path. Any other is one of the tools that come with tracelayer, or a file
 * in the current folder. Nothing here allocates or prints.
 */
#ifndef TL_COMMON_TOOL_LIST_H
#define TL_COMMON_TOOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define TL_TOOL_NAME	4096 /* longest name or path, with its NUL */
#define TL_TOOL_OPTIONS 4096

struct tl_tool_item {
	char name[TL_TOOL_NAME];
	char options[TL_TOOL_OPTIONS];
};

/* Take the first item off the list; false: there is none. Longer items are cut. */
bool tl_tools_next(const char **list, struct tl_tool_item *item);

/*
 * Of the options of a tool that comes with tracelayer: the first that lacks its value, or has one though
 * it takes none. Returns what to say behind its name, which is at `*option`; NULL: there is none.
 */
const char *tl_tools_fault(const char *options, const char **option, int *length);

/*
 * The file of a tool. `library` is the path of libtracelayer.so; relative paths start at `folder`.
 * False: there is no such file.
 */
bool tl_tools_find(const char *name, const char *library, const char *folder, char *path,
		   size_t room);

/* Whether a tool that comes with tracelayer has this name. */
bool tl_tools_is_ours(const char *name, const char *library);

#endif
