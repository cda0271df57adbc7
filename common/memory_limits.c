/* SPDX-License-Identifier: MIT */
/*
 * memory_limits.c: see memory_limits.h.
 *
 * /proc/self/cgroup says which cgroup the process is in, /proc/self/mountinfo where the tree of
 * cgroups is mounted, and which part of it: in a container that is often not the whole. A limit
 * holds for everything below it, so the code reads every folder from the process's own up to the
 * mount.
 */
#include "common/memory_limits.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/text.h"

#define LINE 4096
/* version 1 has a number near 2 to the 63 where there is none */
#define NO_LIMIT (UINT64_C(1) << 60)

/* A file, line by line. What is longer than a line's room is cut. */
struct lines {
	int fd;
	size_t at, size;
	char buffer[LINE];
};

static bool next_byte(struct lines *lines, char *byte)
{
	if (lines->at == lines->size) {
		long size = syscall(SYS_read, lines->fd, lines->buffer, sizeof(lines->buffer));
		if (size <= 0)
			return false;
		lines->at = 0;
		lines->size = (size_t)size;
	}
	*byte = lines->buffer[lines->at++];
	return true;
}

static bool next_line(struct lines *lines, char line[LINE])
{
	size_t length = 0;
	bool any = false;
	char byte;

	while (next_byte(lines, &byte)) {
		any = true;
		if (byte == '\n')
			break;
		if (length < LINE - 1)
			line[length++] = byte;
	}
	line[length] = 0;
	return any;
}

static void path_join(char path[LINE], const char *first, const char *second, const char *third)
{
	struct tl_text text = {path, path + LINE - 1, false};

	tl_text_string(&text, first);
	tl_text_string(&text, second);
	tl_text_string(&text, third);
	*text.at = 0;
}

static bool open_lines(struct lines *lines, const char *root, const char *name)
{
	static char path[LINE];

	path_join(path, root, name, "");
	lines->at = lines->size = 0;
	lines->fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	return lines->fd >= 0;
}

static void close_lines(struct lines *lines)
{
	syscall(SYS_close, lines->fd);
}

/* One of the words that commas separate. */
static bool has_word(const char *list, size_t length, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list, *end = list + length; at < end; at++) {
		size_t part = 0;
		while (at + part < end && at[part] != ',')
			part++;
		if (part == size && !memcmp(at, word, size))
			return true;
		at += part;
	}
	return false;
}

/*
 * The process's place in the tree of memory cgroups of that version: "4:memory:/a/b", or "0::/a/b".
 */
static bool find_cgroup(const char *root, int version, char cgroup[LINE])
{
	static struct lines lines;
	static char line[LINE];
	bool found = false;

	if (!open_lines(&lines, root, "/proc/self/cgroup"))
		return false;
	while (!found && next_line(&lines, line)) {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		if (!path)
			continue;
		size_t length = (size_t)(path - ++names);
		found = version == 2 ? !length : has_word(names, length, "memory");
		if (found)
			strcpy(cgroup, path + 1);
	}
	close_lines(&lines);
	return found;
}

/*
 * The field of a line at which `at` stands, ended by a NUL, with its escapes (\040) undone. Returns
 * what follows; NULL: there is none.
 */
static char *field_take(char *at, char **field)
{
	char *to = at;

	*field = at;
	for (; *at && *at != ' '; at++) {
		bool escape = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3];
		*to++ = escape ? (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'))
			       : *at;
		at += escape ? 3 : 0;
	}
	char *rest = *at ? at + 1 : NULL;
	*to = 0;
	return rest;
}

/* "31 23 0:28 ROOT MOUNTPOINT options … - cgroup2 source options" */
static bool is_mount(char *line, int version, char **part, char **mount)
{
	char *rest = line, *field, *options, *type = strstr(line, " - ");

	if (!type)
		return false;
	*type = 0;
	for (int i = 0; i < 3 && rest; i++)
		rest = field_take(rest, &field);
	if (!rest || !(rest = field_take(rest, part)))
		return false;
	field_take(rest, mount);
	rest = field_take(type + 3, &field);
	if (version == 2)
		return !strcmp(field, "cgroup2");
	if (strcmp(field, "cgroup") || !rest || !(rest = field_take(rest, &options)))
		return false;
	field_take(rest, &options);
	return has_word(options, strlen(options), "memory");
}

static uint64_t uint64_least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/*
 * The number after a word in a file of a cgroup, or at the file's beginning. False: the file is not
 * there, or has no such word. "max" means no limit.
 */
static bool read_limit(const char *folder, const char *name, const char *word, uint64_t *limit)
{
	static char path[LINE], content[LINE];

	path_join(path, folder, "/", name);
	size_t size = tl_proc_read(path, content, sizeof(content) - 1);
	content[size] = 0;
	const char *at = *word ? strstr(content, word) : content;
	uint64_t value = 0;
	if (!size || !at)
		return false;
	at += strlen(word);
	bool none = *at < '0' || *at > '9';
	for (; *at >= '0' && *at <= '9' && value < NO_LIMIT; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (!none && value < NO_LIMIT && value < *limit)
		*limit = value;
	return true;
}

/*
 * Lowers *limit to what a folder says. True: that holds for all above, too, also for those that are
 * not mounted here. The kernel takes long to make version 1's memory.stat, so one folder's is enough.
 */
static bool folder_limits(const char *folder, int version, uint64_t *limit)
{
	if (version == 1) {
		if (read_limit(folder, "memory.stat", "hierarchical_memory_limit ", limit))
			return true;
		read_limit(folder, "memory.limit_in_bytes", "", limit);
		return false;
	}
	read_limit(folder, "memory.max", "", limit);
	/* Above the second limit the kernel slows the process down until it crawls. */
	read_limit(folder, "memory.high", "", limit);
	return false;
}

/*
 * The least limit from the process's folder up to the mount. If another part of the tree is
 * mounted, only that part is visible.
 */
static uint64_t cgroup_climb(const char *root, const char *mount, const char *part,
			     const char *cgroup, int version)
{
	static char folder[LINE];
	size_t skip = !strcmp(part, "/") ? 0 : strlen(part);
	bool inside =
		!strncmp(cgroup, part, skip) && (!skip || cgroup[skip] == '/' || !cgroup[skip]);

	path_join(folder, root, mount, "");
	size_t bottom = strlen(folder);
	uint64_t limit = UINT64_MAX;
	path_join(folder, root, mount, inside ? cgroup + skip : "");
	for (;;) {
		char *slash = strrchr(folder, '/');
		if (folder_limits(folder, version, &limit) || strlen(folder) <= bottom || !slash)
			return limit;
		*(slash < folder + bottom ? folder + bottom : slash) = 0;
	}
}

uint64_t tl_limits_cgroup(const char *root)
{
	static struct lines lines;
	static char cgroup[LINE], line[LINE];
	uint64_t limit = UINT64_MAX;
	int version = 1;
	char *part, *mount;

	/* Memory is in one tree: where version 1 has it, version 2 has not. */
	if (!find_cgroup(root, version, cgroup) && !find_cgroup(root, ++version, cgroup))
		return limit;
	if (!open_lines(&lines, root, "/proc/self/mountinfo"))
		return limit;
	while (next_line(&lines, line))
		if (is_mount(line, version, &part, &mount))
			limit = uint64_least(limit,
					     cgroup_climb(root, mount, part, cgroup, version));
	close_lines(&lines);
	return limit;
}

static uint64_t limit_of_process(int resource)
{
	struct rlimit limit;

	if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t tl_limits_addresses(void)
{
	return uint64_least(limit_of_process(RLIMIT_AS), limit_of_process(RLIMIT_DATA));
}
