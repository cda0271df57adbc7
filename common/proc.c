/* SPDX-License-Identifier: MIT */
/*
 * proc.c: see proc.h.
 */
#include "common/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/text.h"

size_t tl_proc_read(const char *path, char *to, size_t room)
{
	size_t done = 0;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	for (;;) {
		long size = syscall(SYS_read, fd, to + done, room - done);
		if (size <= 0 && !(size < 0 && errno == EINTR))
			break;
		done += size > 0 ? (size_t)size : 0;
	}
	syscall(SYS_close, fd);
	return done;
}

size_t tl_proc_line(const char *path, char *to, size_t room)
{
	size_t length;

	to[tl_proc_read(path, to, room - 1)] = 0;
	length = strcspn(to, "\n");
	to[length] = 0;
	return length;
}

static uint64_t number_at(const char *text)
{
	uint64_t number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* The namespaces' links read time:[4026531834]. */
static bool is_in_childrens_time(void)
{
	char own[64] = "", children[64] = "";

	syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/time", own, sizeof(own) - 1);
	syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/time_for_children", children,
		sizeof(children) - 1);
	return !strcmp(own, children);
}

/*
 * How many nanoseconds the time namespace adds to a clock. Its line reads "monotonic 1000 0":
 * seconds, which may be negative, and nanoseconds. The file is about the namespace of the children.
 */
static int64_t time_offset(const char *clock)
{
	char text[256];

	text[tl_proc_read("/proc/self/timens_offsets", text, sizeof(text) - 1)] = 0;
	const char *at = strstr(text, clock);
	if (!at)
		return 0;
	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	bool negative = *at == '-';
	int64_t seconds = (int64_t)number_at(at + negative);
	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	int64_t offset = (negative ? -seconds : seconds) * 1000000000 + (int64_t)number_at(at);
	return offset && is_in_childrens_time() ? offset : 0;
}

int64_t tl_proc_time_offset(void)
{
	return time_offset("monotonic");
}

const char *tl_proc_stat_field(const char *stat, int field)
{
	const char *at = strrchr(stat, ')');

	for (int before = 2; at && before < field; before++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : "";
}

uint64_t tl_proc_stat_number(const char *stat, int field)
{
	return number_at(tl_proc_stat_field(stat, field));
}

/* To field 22 the kernel adds the offset of the reader's time namespace. */
uint64_t tl_proc_start_time(uint32_t pid)
{
	char path[32], stat[1024];
	struct tl_text name = {path, path + sizeof(path) - 1, false};

	tl_text_string(&name, "/proc/");
	tl_text_unsigned(&name, pid);
	tl_text_string(&name, "/stat");
	*name.at = 0;
	stat[tl_proc_read(path, stat, sizeof(stat) - 1)] = 0;
	const char *at = tl_proc_stat_field(stat, 22);
	return *at ? number_at(at) - (uint64_t)(time_offset("boottime") / 10000000) : 0;
}

/* The link reads pid:[4026531836]. */
uint64_t tl_proc_namespace(void)
{
	char text[64];
	long size = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", text, sizeof(text) - 1);

	text[size < 0 ? 0 : size] = 0;
	const char *at = strchr(text, '[');
	return at ? number_at(at + 1) : 0;
}

void tl_proc_boot(char boot[TL_PROC_BOOT])
{
	tl_proc_line("/proc/sys/kernel/random/boot_id", boot, TL_PROC_BOOT);
}
