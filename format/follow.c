/*
 * follow.c: see follow.h.
 */
#include "format/follow.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/text.h"

static uint64_t number_at(const char *text)
{
	uint64_t number = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* Field 22 of /proc/self/stat. The second one, the program's name, may have spaces and parentheses in it. */
static uint64_t start_time(void)
{
	char text[1024];
	int fields = 2;

	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	long size = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[size < 0 ? 0 : size] = 0;
	const char *at = strrchr(text, ')');
	while (at && fields < 22) {
		at = strchr(at + 1, ' ');
		fields++;
	}
	return at ? number_at(at + 1) : 0;
}

/* The link reads pid:[4026531836]. */
static uint64_t namespace(void)
{
	char text[64];
	long size = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", text, sizeof(text) - 1);

	text[size < 0 ? 0 : size] = 0;
	const char *at = strchr(text, '[');
	return at ? number_at(at + 1) : 0;
}

void tl_follow_mark(char mark[TL_FOLLOW_MARK])
{
	struct tl_text text = {.at = mark, .end = mark + TL_FOLLOW_MARK - 1};

	tl_text_unsigned(&text, (uint64_t)syscall(SYS_getpid));
	tl_text_char(&text, '.');
	tl_text_unsigned(&text, start_time());
	tl_text_char(&text, '.');
	tl_text_unsigned(&text, namespace());
	*text.at = 0;
}
