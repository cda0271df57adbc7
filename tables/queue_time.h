/* SPDX-License-Identifier: MIT */
/*
 * queue_time.h: when a device queue was busy and when it was idle.
 *
 * Busy is the union of its commands: what overlaps counts once. Idle is what lies between, from the
 * first command's start to the last one's end; the time before and after does not count. Times are
 * nanoseconds.
 *
 * The command that ended a gap, the first to start after it, shows what the idle queue waited for:
 *
 * 	gap   |- - - - - - - - - - - - - - - - - - - |
 * 	      ^from        ^submitting call  ^ends    ^to: the command starts
 * 	      |--- host ---|----- call ------|--device--|
 *
 * Until the call that submitted it began, the queue waited for the host, whatever the submitting
 * thread did in that time; then for that call; then for the device. If that call had begun before
 * the gap did, all of the gap is the device's.
 */
#ifndef TL_TABLES_QUEUE_TIME_H
#define TL_TABLES_QUEUE_TIME_H

#include <stdint.h>

static inline int64_t time_within(int64_t at, int64_t least, int64_t most)
{
	return at < least ? least : at > most ? most : at;
}

struct queue_time {
	int64_t first, end; /* of the commands so far */
	int64_t busy, idle, longest;
	int64_t commands, gaps;
};

/*
 * Add a command; they come in the order of their starts. Returns how long the queue was idle before
 * it.
 */
int64_t queue_time_add(struct queue_time *time, int64_t start, int64_t end);

struct gap {
	int64_t from, to;
	int64_t submit_start, submit_end; /* the call that submitted the command that came then */
};

/*
 * Where the host's part of the gap ends, and where the call's part does: from <= host <= call <=
 * to.
 */
struct gap_parts {
	int64_t host, call;
};

struct gap_parts gap_parts(const struct gap *gap);

#define GAP_PROGRAM "(program)" /* the thread was in no call */
#define GAP_DEVICE  "(device)"	/* the work was submitted */
#define GAP_UNKNOWN "(unknown)" /* no call is known to have submitted the work */

#endif
