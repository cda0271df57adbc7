/* SPDX-License-Identifier: MIT */
/*
 * follow.h: which process is the first one, for TRACELAYER_FOLLOW=no.
 *
 * The first process that reads the setting puts its own mark behind the value, no:MARK, where every
 * process that it starts inherits it. A process whose mark stands there is the first one, whatever
 * program it has become by exec; all others are children.
 */
#ifndef TL_COMMON_FOLLOW_H
#define TL_COMMON_FOLLOW_H

/* Of a mark with its NUL. */
#define TL_FOLLOW_MARK 72

/*
 * The calling process's mark: PID.START.NAMESPACE. The kernel gives its number to another process
 * some day, but not with the same time of start (a hundredth of a second of the boot) in the same
 * namespace. What can't be read stands as 0. Async-signal-safe.
 */
void tl_follow_mark(char mark[TL_FOLLOW_MARK]);

#endif
