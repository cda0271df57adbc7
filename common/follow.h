/* SPDX-License-Identifier: MIT */
/*
 * follow.h: which process is the first one, for TRACELAYER_FOLLOW=no.
 *
 * The first process that reads the setting puts its own mark behind the value, no:MARK, and every
 * process that it starts inherits that. A process whose mark this is, is the first one, whatever
 * program it runs after an exec; all others are children.
 */
#ifndef TL_COMMON_FOLLOW_H
#define TL_COMMON_FOLLOW_H

/* Of a mark with its NUL. */
#define TL_FOLLOW_MARK 72

/*
 * The calling process's mark: PID.START.NAMESPACE. The kernel may give the number to another
 * process later, but not with the same start time (a hundredth of a second of the boot) in the same
 * namespace. A part that can't be read is 0. Async-signal-safe.
 */
void tl_follow_mark(char mark[TL_FOLLOW_MARK]);

#endif
