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

static bool option_is_among(const char *option, size_t length, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == length && !memcmp(option, *names, length))
			return true;
	return false;
}

const char *tl_tools_fault(const char *options, const char **option, int *length)
{
	static const char *const valued[] = {"file", "calls", "format", "seed", NULL},
				 *const flags[] = {"begin", "late", "quiet", "threads", NULL};

	for (*option = options; **option; *option += strcspn(*option, ",")) {
		*option += strspn(*option, ",");
		size_t size = strcspn(*option, ","), name = strcspn(*option, ",=");

		*length = (int)name;
		if (name + 1 >= size && option_is_among(*option, name, valued))
			return "has no value; give one, or leave it out";
		if (name < size && option_is_among(*option, name, flags))
			return "takes no value; give it alone, or leave it out";
	}
	return NULL;
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
