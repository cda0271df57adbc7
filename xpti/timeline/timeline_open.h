/* SPDX-License-Identifier: MIT */
/*
 * timeline_open.h: what has begun and not ended, by thread.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_OPEN_H
#define TL_XPTI_TIMELINE_TIMELINE_OPEN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "xpti/timeline/timeline_places.h"
#include "xpti/timeline/timeline_submissions.h"

/* What began. `start` 0: it is not recorded. */
struct timeline_begun {
	uint64_t start;		   /* ticks */
	uint64_t object, instance; /* as the notification had them */
	uint64_t uid;
	union {
		uint64_t bytes; /* memory; 0: not known */
		int64_t result; /* TIMELINE_RESULT: what the function gave back */
	};
	uint64_t address; /* of memory; 0: not known */
	uint32_t name, source;
	uint32_t parent;
	uint16_t type;
	uint8_t stream;
	uint8_t more; /* enum timeline_more */
};

enum timeline_more {
	/* It does not fit its thread's lane: something that began in it ended after it. */
	TIMELINE_ASIDE = 1,
	TIMELINE_UNFINISHED = 2,
	TIMELINE_NO_SLICE = 4, /* it becomes an instant at its begin */
	TIMELINE_RESULT = 8,
};

enum { TIMELINE_OPEN = 1024, TIMELINE_WORDS = sizeof(struct timeline_begun) / 8 };

/* .state is odd while the entry is open. Each filling of the entry gives it another value. */
struct timeline_open {
	_Atomic uint64_t state;
	_Atomic uint64_t words[TIMELINE_WORDS];
	_Atomic bool aside; /* only the thread itself stores it */
	uint8_t stream;	    /* only the thread itself uses it */
};

struct timeline_thread {
	_Atomic uint32_t attached; /* 0: not in the list, or the process is a forked child */
	_Atomic uint32_t over;	   /* the thread has ended */
	struct timeline_thread *next;
	uint32_t order; /* among all threads */
	uint32_t top;	/* the open entries lie below */
	/* when a flush last ended what was open, by stream; [0]: of all streams; or NOW */
	_Atomic uint64_t flushed[256];
	/* other threads hold it while they end entries; the thread itself, while it moves them */
	pthread_mutex_t lock;
	uint32_t lanes[256]; /* by stream; 0: not made yet */
	struct timeline_place places[TIMELINE_PLACES];
	struct timeline_submissions submissions; /* only the thread itself uses it */
	struct timeline_open open[TIMELINE_OPEN];
};

/* The calling thread's state. NULL: memory is short. */
struct timeline_thread *timeline_this_thread(void);
/* The same, if the thread has a state already. NULL: it has none. */
struct timeline_thread *timeline_thread_here(void);
/* To be called once, before all others. False: the process has no thread key left. */
bool timeline_threads_start(void);

/* Where there is no room, the oldest entries become instants. */
void timeline_push(struct timeline_thread *thread, const struct timeline_begun *begun);
/*
 * Find what ends here, on this thread first, and take it out; *end becomes what began. False:
 * nothing that began matches.
 */
bool timeline_pop(struct timeline_thread *thread, struct timeline_begun *end);
/*
 * The calling thread's innermost open task or transfer that is recorded and began before that time.
 * False: there is none.
 */
bool timeline_open_task(struct timeline_thread *thread, uint64_t before,
			struct timeline_begun *begun);
/* Record all that is open as unfinished; `stream` 0: of all streams. */
void timeline_flush(uint8_t stream);

#endif
