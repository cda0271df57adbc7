/* SPDX-License-Identifier: MIT */
/*
 * timeline_open.c: what has begun and not ended, by thread.
 *
 * A thread keeps what it began on a stack. Mostly the top of the stack ends, and its slice goes to
 * the thread's lane of the stream. Where an entry ends while a later one is still open, the two
 * interleave; then the later one goes aside when it ends. An entry that another thread ends goes
 * aside, too.
 *
 * Only the thread itself pushes entries and moves the top. Any thread may take an open entry, by a
 * compare-and-exchange of its state. The state has another value each time that the entry is
 * filled. So if the exchange succeeds, what was read of the entry before is right. Other threads
 * hold the thread's lock while they take entries, since the thread moves its entries where it has
 * no room left. The thread itself needs the lock only for that.
 *
 * Entries that never end: begins of user-defined types may be meant as events of their own, without
 * an end. If no end of that type ever came, they are recorded as instants: when there is no room
 * left, or at the end of the stream or process. All other open entries are unfinished then.
 *
 * Ordered accesses
 *
 *	timeline_open.state	release when an entry is filled, acquire when it is read: the words;
 *				release when it is taken
 *	timeline.threads	release when a thread is added, acquire when the list is read
 *	timeline_thread.over	release by the thread, acquire by the next thread that uses its
 *				memory: all that the thread had done
 *	timeline_thread.flushed	sequentially consistent on both sides: see flush_thread
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_slices.h"
#include "xpti/timeline/timeline_state.h"
#include "xpti/timeline/timeline_types.h"

#define LEAVE (TIMELINE_OPEN / 4) /* how many entries become free where there is no room */
#define NOW   UINT64_MAX	  /* in .flushed: a flush is under way */

static _Thread_local struct timeline_thread *self __attribute__((tls_model("initial-exec")));
static pthread_key_t key;

/* ---- threads */

static void thread_ends(void *thread)
{
	self = NULL;
	atomic_store_explicit(&((struct timeline_thread *)thread)->over, 1, memory_order_release);
}

bool timeline_threads_start(void)
{
	return pthread_key_create(&key, thread_ends) == 0;
}

static bool entry_is_open(struct timeline_open *open)
{
	return atomic_load_explicit(&open->state, memory_order_acquire) & 1;
}

static void thread_lower_top(struct timeline_thread *thread)
{
	while (thread->top && !entry_is_open(&thread->open[thread->top - 1]))
		thread->top--;
}

/* The memory of a thread that has ended, as have all its entries. Under the lock of the list. */
static struct timeline_thread *thread_find_free(void)
{
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_relaxed);

	for (; thread; thread = thread->next) {
		if (!atomic_load_explicit(&thread->over, memory_order_acquire))
			continue;
		thread_lower_top(thread);
		if (!thread->top)
			break;
	}
	return thread;
}

static void thread_add(struct timeline_thread *thread)
{
	thread->next = atomic_load_explicit(&timeline->threads, memory_order_relaxed);
	atomic_store_explicit(&timeline->threads, thread, memory_order_release);
}

/* In a child of fork the calling thread has the memory already. */
static struct timeline_thread *thread_attach(void)
{
	struct timeline_thread *thread = self, *free = NULL;

	if (!timeline)
		return NULL;
	pthread_mutex_lock(&timeline->lock);
	if (!thread && (thread = free = thread_find_free())) {
		memset(thread->lanes, 0, sizeof(thread->lanes));
		for (int i = 0; i < 256; i++)
			atomic_store_explicit(&thread->flushed[i], 0, memory_order_relaxed);
		atomic_store_explicit(&thread->over, 0, memory_order_relaxed);
	}
	if (!thread)
		thread = timeline_memory(sizeof(*thread));
	if (thread && !free)
		thread_add(thread);
	if (thread) {
		thread->order = timeline->thread_count++;
		atomic_store_explicit(&thread->attached, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&timeline->lock);
	self = thread;
	if (thread)
		pthread_setspecific(key, thread);
	return thread;
}

struct timeline_thread *timeline_thread_here(void)
{
	struct timeline_thread *thread = self;

	return thread && atomic_load_explicit(&thread->attached, memory_order_relaxed) ? thread
										       : NULL;
}

struct timeline_thread *timeline_this_thread(void)
{
	struct timeline_thread *thread = timeline_thread_here();

	return TL_LIKELY(thread != NULL) ? thread : thread_attach();
}

/* ---- what is open */

static void entry_fill(struct timeline_open *open, const struct timeline_begun *begun)
{
	uint64_t words[TIMELINE_WORDS],
		state = atomic_load_explicit(&open->state, memory_order_relaxed);

	memcpy(words, begun, sizeof(words));
	for (int i = 0; i < TIMELINE_WORDS; i++)
		atomic_store_explicit(&open->words[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&open->aside, begun->more & TIMELINE_ASIDE, memory_order_relaxed);
	open->stream = begun->stream;
	atomic_store_explicit(&open->state, state + 1, memory_order_release);
}

/* Returns the state; 0: the entry is not open. */
static uint64_t entry_read(struct timeline_open *open, struct timeline_begun *begun)
{
	uint64_t words[TIMELINE_WORDS],
		state = atomic_load_explicit(&open->state, memory_order_acquire);

	if (!(state & 1))
		return 0;
	for (int i = 0; i < TIMELINE_WORDS; i++)
		words[i] = atomic_load_explicit(&open->words[i], memory_order_relaxed);
	memcpy(begun, words, sizeof(words));
	return state;
}

static bool entry_take(struct timeline_open *open, uint64_t state)
{
	return atomic_compare_exchange_strong_explicit(&open->state, &state, state + 1,
						       memory_order_acq_rel, memory_order_relaxed);
}

/* A quick check, before the whole entry is read. */
static bool entry_may_match(struct timeline_open *open, const struct timeline_begun *end)
{
	const size_t object = offsetof(struct timeline_begun, object) / 8;

	return entry_is_open(open) &&
	       atomic_load_explicit(&open->words[object], memory_order_relaxed) == end->object;
}

/* `loosely`: they match where one of the two has no instance. */
static bool begun_matches(const struct timeline_begun *begun, const struct timeline_begun *end,
			  bool loosely)
{
	if (begun->type != end->type || begun->stream != end->stream ||
	    begun->object != end->object)
		return false;
	return loosely ? !begun->instance || !end->instance : begun->instance == end->instance;
}

/* Entries of the same stream that began later and are still open interleave with this one. */
static void entries_put_aside_above(struct timeline_thread *thread, uint32_t at)
{
	for (uint32_t i = at + 1; i < thread->top; i++)
		if (thread->open[i].stream == thread->open[at].stream)
			atomic_store_explicit(&thread->open[i].aside, true, memory_order_relaxed);
}

static uint8_t entry_more(struct timeline_open *open)
{
	return atomic_load_explicit(&open->aside, memory_order_relaxed) ? TIMELINE_ASIDE : 0;
}

/*
 * Take the latest entry below `top` that matches, and replace *end by it. Returns its index, or -1.
 * A thread that takes an entry of its own first puts the entries above it aside: a thread that
 * finds the entry taken then finds that, too.
 */
static int entry_take_match(struct timeline_thread *thread, uint32_t top,
			    struct timeline_begun *end, bool own, bool loosely)
{
	struct timeline_begun begun;

	while (top) {
		struct timeline_open *open = &thread->open[--top];
		uint64_t state = entry_may_match(open, end) ? entry_read(open, &begun) : 0;
		if (!state || !begun_matches(&begun, end, loosely))
			continue;
		if (own)
			entries_put_aside_above(thread, top);
		if (entry_take(open, state)) {
			*end = begun;
			return (int)top;
		}
	}
	return -1;
}

/* It began before a flush that ended the entries around it as unfinished. */
static bool outlived_flush(struct timeline_thread *thread, const struct timeline_begun *end)
{
	return end->start < atomic_load_explicit(&thread->flushed[0], memory_order_seq_cst) ||
	       end->start <
		       atomic_load_explicit(&thread->flushed[end->stream], memory_order_seq_cst);
}

static bool pop_own(struct timeline_thread *thread, struct timeline_begun *end, bool loosely)
{
	thread_lower_top(thread);
	int at = entry_take_match(thread, thread->top, end, true, loosely);
	if (at < 0)
		return false;
	end->more = entry_more(&thread->open[at]);
	if (TL_UNLIKELY(outlived_flush(thread, end)))
		end->more |= TIMELINE_ASIDE;
	return true;
}

static bool pop_of_others(struct timeline_thread *own, struct timeline_begun *end)
{
	/* Acquire pairs with thread_add's release: the states of the threads are complete. */
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_acquire);
	bool found = false;

	for (; thread && !found; thread = thread->next) {
		if (thread == own)
			continue;
		pthread_mutex_lock(&thread->lock);
		found = entry_take_match(thread, TIMELINE_OPEN, end, false, false) >= 0;
		pthread_mutex_unlock(&thread->lock);
	}
	if (found)
		end->more = TIMELINE_ASIDE;
	return found;
}

bool timeline_pop(struct timeline_thread *thread, struct timeline_begun *end)
{
	return pop_own(thread, end, false) || pop_of_others(thread, end) ||
	       pop_own(thread, end, true);
}

bool timeline_open_task(struct timeline_thread *thread, uint64_t before,
			struct timeline_begun *begun)
{
	for (uint32_t top = thread->top; top; top--)
		if (entry_read(&thread->open[top - 1], begun) &&
		    (begun->type == xpti_trace_task_begin ||
		     begun->type == xpti_trace_transfer_begin) &&
		    begun->start && begun->start <= before)
			return true;
	return false;
}

/* ---- what doesn't end */

static bool is_event_of_its_own(const struct timeline_begun *begun)
{
	return begun->type & xpti_trace_user_defined && !timeline_type_ends(begun->type | 1);
}

/* Record an open entry as if it ended now. */
static void entry_give_up(struct timeline_thread *thread, struct timeline_begun *begun,
			  uint64_t now, uint8_t more)
{
	bool alone = is_event_of_its_own(begun);

	begun->more = alone ? TIMELINE_NO_SLICE : TIMELINE_UNFINISHED | more;
	timeline_tell(thread, begun, alone ? 0 : now, NULL);
}

/*
 * Give up the entries that have no end, or else the oldest ones; the others move together. The
 * caller holds the thread's lock.
 */
static void thread_make_room(struct timeline_thread *thread)
{
	struct timeline_begun begun;
	uint32_t count = 0, oldest = LEAVE;
	uint64_t state;

	for (uint32_t i = 0; i < thread->top; i++)
		if ((state = entry_read(&thread->open[i], &begun)) && is_event_of_its_own(&begun) &&
		    entry_take(&thread->open[i], state))
			entry_give_up(thread, &begun, 0, 0);
	for (uint32_t i = 0; i < thread->top; i++)
		count += entry_is_open(&thread->open[i]);
	for (uint32_t i = 0; i < thread->top && count > TIMELINE_OPEN - LEAVE && oldest; i++)
		if ((state = entry_read(&thread->open[i], &begun)) &&
		    entry_take(&thread->open[i], state)) {
			entry_give_up(thread, &begun, 0, TIMELINE_NO_SLICE);
			oldest--;
			count--;
		}
	count = 0;
	for (uint32_t i = 0; i < thread->top; i++) {
		if (!(state = entry_read(&thread->open[i], &begun)))
			continue;
		begun.more = entry_more(&thread->open[i]);
		if (i != count && entry_take(&thread->open[i], state))
			entry_fill(&thread->open[count], &begun);
		count++;
	}
	thread->top = count;
}

void timeline_push(struct timeline_thread *thread, const struct timeline_begun *begun)
{
	thread_lower_top(thread);
	if (TL_UNLIKELY(thread->top == TIMELINE_OPEN)) {
		pthread_mutex_lock(&thread->lock);
		thread_make_room(thread);
		pthread_mutex_unlock(&thread->lock);
	}
	entry_fill(&thread->open[thread->top], begun);
	thread->top++;
}

/*
 * All open entries of a thread end at one time, `now`. A slice that the thread ends itself must not
 * cross that time. So from before `now` is read, the thread puts aside what it began before `now`;
 * so does the next flush. An entry that the thread had taken before it saw the flush ended earlier
 * than `now`. The loop goes upwards: if the thread has taken an entry, it has marked the entries
 * above that interleave with it before.
 */
static void flush_thread(struct timeline_thread *thread, uint8_t stream)
{
	static struct timeline_begun taken[TIMELINE_OPEN]; /* protected by the list's lock */
	uint32_t count = 0;
	uint64_t state, now = 0;

	pthread_mutex_lock(&thread->lock);
	uint64_t before =
		atomic_exchange_explicit(&thread->flushed[stream], NOW, memory_order_seq_cst);
	for (uint32_t i = 0; i < TIMELINE_OPEN; i++) {
		struct timeline_begun *begun = &taken[count];
		if (!(state = entry_read(&thread->open[i], begun)) ||
		    (stream && begun->stream != stream) || !entry_take(&thread->open[i], state))
			continue;
		begun->more =
			entry_more(&thread->open[i]) | (begun->start < before ? TIMELINE_ASIDE : 0);
		count++;
	}
	if (count)
		now = tl_guest_now();
	atomic_store_explicit(&thread->flushed[stream], count ? now : before, memory_order_seq_cst);
	pthread_mutex_unlock(&thread->lock);
	/* The entry that began last ends first. */
	while (count--)
		if (taken[count].start)
			entry_give_up(thread, &taken[count], now, taken[count].more);
}

void timeline_flush(uint8_t stream)
{
	pthread_mutex_lock(&timeline->lock);
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_relaxed);
	for (; thread; thread = thread->next)
		flush_thread(thread, stream);
	pthread_mutex_unlock(&timeline->lock);
}
