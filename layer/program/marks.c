/* SPDX-License-Identifier: MIT */
/*
 * marks.c: marks of layer and phase (tracelayer/nntrace.h) in the process's trace: events B and E,
 * whose name is the mark.
 *
 * A mark is two events, not one with both times. So if a process is killed or exits within a mark,
 * the mark stays open, and `tracelayer phases` sees that. The end of a mark is recorded even if
 * recording was paused meanwhile; but not in a forked child, whose trace does not have the
 * beginning. Times are ticks, like those of calls, so a mark encloses the calls within it to the
 * nanosecond.
 */
#include <errno.h>
#include <stdatomic.h>

#include "layer/calls/event.h"
#include "layer/program/marks.h"
#include "layer/buffers/process_state.h"
#include "tracelayer/api.h"
#include "tracelayer/nntrace.h"
#include "tracelayer/shim.h"

/* The process's generation: 1, plus the forks since the library was loaded. */
static _Atomic uint32_t process = 1;

/* The number of the text "nntrace" in this process, which is looked up once. */
static uint32_t mark_category(void)
{
	static _Atomic uint64_t known;
	uint64_t now = (uint64_t)atomic_load_explicit(&process, memory_order_relaxed) << 32,
		 had = atomic_load_explicit(&known, memory_order_relaxed);

	if (had >> 32 == now >> 32)
		return (uint32_t)had;
	uint32_t number = tl_string_of("nntrace");
	atomic_store_explicit(&known, now | number, memory_order_relaxed);
	return number;
}

static struct tl_event mark_event(char phase, uint32_t name)
{
	return (struct tl_event){.phase = phase,
				 .level = TL_LEVEL_RUNTIME,
				 .name = name,
				 .category = mark_category(),
				 .start = tl_event_now()};
}

/* Returns the mark's name, with the process's generation above it; 0: not recorded. */
static uint64_t mark_begin(const char *mark)
{
	int error = errno;
	uint64_t begun = 0;

	tl_process_start();
	tl_process_notice_fork();
	if (tl_event_wanted(TL_LEVEL_RUNTIME) && tl_process_begin()) {
		uint32_t name = tl_string_of(mark);
		struct tl_event event = mark_event('B', name);
		if (name && tl_event_put(&event))
			begun = (uint64_t)atomic_load_explicit(&process, memory_order_relaxed)
					<< 32 |
				name;
	}
	errno = error;
	return begun;
}

static void mark_end(uint64_t begun)
{
	int error = errno;

	tl_process_notice_fork();
	if (begun >> 32 == atomic_load_explicit(&process, memory_order_relaxed)) {
		struct tl_event event = mark_event('E', (uint32_t)begun);
		tl_event_put_end(&event);
	}
	errno = error;
}

void tl_marks_after_fork(void)
{
	atomic_fetch_add_explicit(&process, 1, memory_order_relaxed);
}

extern TL_EXPORT const struct tl_marks tl_marks_here;
const struct tl_marks tl_marks_here = {
	.size = sizeof(struct tl_marks), .begin = mark_begin, .end = mark_end};
