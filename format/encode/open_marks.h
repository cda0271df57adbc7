/* SPDX-License-Identifier: MIT */
/*
 * open_marks.h: the open marks of each thread: events B that have had no E yet. An encoder keeps
 * them while it goes through the records in order, so that it can close them where records are
 * missing.
 *
 * An E after a gap may belong to another B than the one that was open before the gap. Readers would
 * take the two for one event, across a time of which nothing is known. So the caller that finds a
 * gap (tl_open_marks_gap) ends all open events there, at the last known time of the thread.
 *
 * Nothing is allocated: events for which there is no room are not closed. One thread at a time.
 */
#ifndef TL_FORMAT_ENCODE_OPEN_MARKS_H
#define TL_FORMAT_ENCODE_OPEN_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/record.h"

#define TL_OPEN_MARKS	      1024u /* open at once */
#define TL_OPEN_MARKS_THREADS 512u  /* threads with open marks */

struct tl_open_mark {
	uint32_t below; /* 1 + place of the thread's mark that was open before it; 0: none */
	uint32_t name, category, lane; /* as in its record */
	uint64_t start;		       /* nanoseconds */
	uint8_t flags, level;
};

struct tl_open_marks_thread {
	uint32_t tid;	 /* 0: free */
	uint32_t top;	 /* 1 + place of its last mark; 0: none */
	uint64_t latest; /* nanoseconds: the last known time since it got a mark */
};

/* The state at one time. Zeroed at first. */
struct tl_open_marks_state {
	uint32_t open; /* marks */
	uint32_t used; /* places of .marks so far */
	bool is_over;  /* there was no room for one */
	uint32_t free; /* 1 + first free place below that, linked by .below; 0: none */
	struct tl_open_marks_thread threads[TL_OPEN_MARKS_THREADS];
	struct tl_open_mark marks[TL_OPEN_MARKS];
};

struct tl_open_marks {
	struct tl_open_marks_state now, kept;
	bool changed; /* .now is not .kept */
};

/*
 * An event B or E of this thread. `ns`: its time. False: this is an E without a known B, though the
 * state would know it.
 */
bool tl_open_marks_event(struct tl_open_marks *marks, uint32_t tid,
			 const struct tl_event_record *event, uint64_t ns);

/* Something of a thread ended. */
void tl_open_marks_latest(struct tl_open_marks *marks, uint32_t tid, uint64_t ns);

static inline void tl_open_marks_until(struct tl_open_marks *marks, uint32_t tid, uint64_t ns)
{
	if (marks->now.open)
		tl_open_marks_latest(marks, tid, ns);
}

/*
 * Records of a thread are missing here: takes the innermost of its open marks, and the time to end
 * it at. False: there is none.
 */
bool tl_open_marks_gap(struct tl_open_marks *marks, uint32_t tid, struct tl_open_mark *mark,
		       uint64_t *end);

/*
 * As for struct tl_format: the next .block undoes what was done since the last one, unless .kept
 * was called.
 */
void tl_open_marks_block(struct tl_open_marks *marks);
void tl_open_marks_kept(struct tl_open_marks *marks);

#endif
