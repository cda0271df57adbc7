/* SPDX-License-Identifier: MIT */
/*
 * follow.c: see follow.h.
 */
#include "common/follow.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/text.h"

void tl_follow_mark(char mark[TL_FOLLOW_MARK])
{
	struct tl_text text = {.at = mark, .end = mark + TL_FOLLOW_MARK - 1};
	uint32_t pid = (uint32_t)syscall(SYS_getpid);

	tl_text_unsigned(&text, pid);
	tl_text_char(&text, '.');
	tl_text_unsigned(&text, tl_proc_start_time(pid));
	tl_text_char(&text, '.');
	tl_text_unsigned(&text, tl_proc_namespace());
	*text.at = 0;
}
