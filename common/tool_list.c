/* SPDX-License-Identifier: MIT */
/*
 * tool_list.c: the list of tools, and where tools lie. See tool_list.h.
 */
#include "common/tool_list.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char *word_take(const char **from, const char *ends, char *to, size_t room)
{
	char *start = to;

	while (**from && !strchr(ends, **from)) {
		if (**from == '\\' && (*from)[1] == ':')
			++*from;
		if (to < start + room - 1)
			*to++ = **from;
		++*from;
	}
	*to = 0;
	return start;
}

bool tl_tools_next(const char **list, struct tl_tool_item *item)
{
	while (**list == ':')
		++*list;
	if (!**list)
		return false;
	word_take(list, ":=", item->name, sizeof(item->name));
	item->options[0] = 0;
	if (**list == '=') {
		++*list;
		word_take(list, ":", item->options, sizeof(item->options));
	}
	return true;
}

size_t tl_tools_valueless(const char *options, const char **option)
{
	static const char *const valued[] = {"file", "calls", "format", "seed"};

	for (const char *at = options; *(at += strspn(at, ","));) {
		size_t size = strcspn(at, ",");
		size_t length = strcspn(at, ",=");

		for (size_t i = 0; length + 1 >= size && i < sizeof(valued) / sizeof(*valued); i++)
			if (strlen(valued[i]) == length && !memcmp(at, valued[i], length)) {
				*option = at;
				return length;
			}
		at += size;
	}
	return 0;
}

static bool path_is_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Beside the library: as installed, and as built. */
static bool tool_find_own(const char *name, const char *library, char *path, size_t room)
{
	static const char *const places[] = {"tracelayer/tools", "../callbacks/.libs"};
	const char *slash = strrchr(library, '/');
	int length = slash ? (int)(slash - library) : 0;

	for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
		int size = snprintf(path, room, "%.*s/%s/%s.so", length, library, places[i], name);
		if (size > 0 && (size_t)size < room && path_is_file(path))
			return true;
	}
	return false;
}

bool tl_tools_is_ours(const char *name, const char *library)
{
	char path[TL_TOOL_NAME];

	return *name && !strchr(name, '/') && tool_find_own(name, library, path, sizeof(path));
}

bool tl_tools_find(const char *name, const char *library, const char *folder, char *path,
		   size_t room)
{
	if (!*name || (!strchr(name, '/') && tool_find_own(name, library, path, room)))
		return *name;
	int size = *name == '/' ? snprintf(path, room, "%s", name)
				: snprintf(path, room, "%s/%s", folder, name);

	return size > 0 && (size_t)size < room && path_is_file(path);
}
