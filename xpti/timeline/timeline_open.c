/* SPDX-License-Identifier: MIT */
/*
 * timeline_open.c: see timeline.h.
 *
 * A thread keeps what it began in a stack. Mostly what ends is on top of it, and its slice goes to
 * the thread's lane of the stream. Where something that began later is still open, the two
 * interleave: then what began later goes aside when it ends. So it does where another thread ends
 * it.
 *
 * Only its own thread pushes, and moves the top. Anybody may take what is open, by compare and
 * exchange of its state, which is another number each time that the place is filled: so what was
 * read of it before is right if the exchange succeeds. Others hold the thread's lock meanwhile,
 * since it moves what is open when there is no room left; the thread itself does without for all
 * else.
 *
 * What never ends: begins of user-defined types may be meant as events of their own, which have no
 * end, and are told as such when there is no room left, or in the end, if nothing of their type has
 * ever ended. All else that is still open then is unfinished.
 *
 * Ordered accesses
 *
 *	timeline_open.state	release by who fills it, acquire by who reads it: the words; release
 *				by who takes it
 *	timeline.threads	release push, acquire by who goes through it
 *	timeline_thread.over	release by the thread, acquire by the next one that has it: all that
 *				the thread had done
 *	timeline_thread.flushed	sequentially consistent both sides: see flush
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "xpti/timeline/timeline.h"

#define LEAVE (TIMELINE_OPEN / 4) /* room that is made */
#define NOW   UINT64_MAX	  /* it is being done */

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

static bool is_open(struct timeline_open *open)
{
	return atomic_load_explicit(&open->state, memory_order_acquire) & 1;
}

static void lower_top(struct timeline_thread *thread)
{
	while (thread->top && !is_open(&thread->open[thread->top - 1]))
		thread->top--;
}

/* One whose thread has ended, and what it had open, too. Under the lock of the list. */
static struct timeline_thread *find_free(void)
{
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_relaxed);

	for (; thread; thread = thread->next) {
		if (!atomic_load_explicit(&thread->over, memory_order_acquire))
			continue;
		lower_top(thread);
		if (!thread->top)
			break;
	}
	return thread;
}

static void add(struct timeline_thread *thread)
{
	thread->next = atomic_load_explicit(&timeline->threads, memory_order_relaxed);
	atomic_store_explicit(&timeline->threads, thread, memory_order_release);
}

/* In a child of fork the calling thread has the memory already. */
static struct timeline_thread *attach(void)
{
	struct timeline_thread *thread = self, *free = NULL;

	if (!timeline)
		return NULL;
	pthread_mutex_lock(&timeline->lock);
	if (!thread && (thread = free = find_free())) {
		memset(thread->lanes, 0, sizeof(thread->lanes));
		for (int i = 0; i < 256; i++)
			atomic_store_explicit(&thread->flushed[i], 0, memory_order_relaxed);
		atomic_store_explicit(&thread->over, 0, memory_order_relaxed);
	}
	if (!thread)
		thread = timeline_memory(sizeof(*thread));
	if (thread && !free)
		add(thread);
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

struct timeline_thread *timeline_this_thread(void)
{
	struct timeline_thread *thread = self;

	if (TL_LIKELY(thread && atomic_load_explicit(&thread->attached, memory_order_relaxed)))
		return thread;
	return attach();
}

/* ---- what is open */

static void put(struct timeline_open *open, const struct timeline_begun *begun)
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

/* 0: it isn't open. */
static uint64_t look(struct timeline_open *open, struct timeline_begun *begun)
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

static bool take(struct timeline_open *open, uint64_t state)
{
	return atomic_compare_exchange_strong_explicit(&open->state, &state, state + 1,
						       memory_order_acq_rel, memory_order_relaxed);
}

/* Before all of it is looked at. */
static bool may_match(struct timeline_open *open, const struct timeline_begun *end)
{
	const size_t object = offsetof(struct timeline_begun, object) / 8;

	return is_open(open) &&
	       atomic_load_explicit(&open->words[object], memory_order_relaxed) == end->object;
}

/* `loosely`: one of the two doesn't know which instance it is. */
static bool matches(const struct timeline_begun *begun, const struct timeline_begun *end,
		    bool loosely)
{
	if (begun->type != end->type || begun->stream != end->stream ||
	    begun->object != end->object)
		return false;
	return loosely ? !begun->instance || !end->instance : begun->instance == end->instance;
}

/* What began after it on its stream, and is still open, interleaves with it. */
static void put_aside_above(struct timeline_thread *thread, uint32_t at)
{
	for (uint32_t i = at + 1; i < thread->top; i++)
		if (thread->open[i].stream == thread->open[at].stream)
			atomic_store_explicit(&thread->open[i].aside, true, memory_order_relaxed);
}

static uint8_t more_of(struct timeline_open *open)
{
	return atomic_load_explicit(&open->aside, memory_order_relaxed) ? TIMELINE_ASIDE : 0;
}

/*
 * Of those below `top`, take the latest that matches, and replace *end by it. Its index, or -1. Of
 * its own, a thread puts aside what is above before it takes one: who finds it taken finds that,
 * too.
 */
static int take_match(struct timeline_thread *thread, uint32_t top, struct timeline_begun *end,
		      bool own, bool loosely)
{
	struct timeline_begun begun;

	while (top) {
		struct timeline_open *open = &thread->open[--top];
		uint64_t state = may_match(open, end) ? look(open, &begun) : 0;
		if (!state || !matches(&begun, end, loosely))
			continue;
		if (own)
			put_aside_above(thread, top);
		if (take(open, state)) {
			*end = begun;
			return (int)top;
		}
	}
	return -1;
}

/* It began before others ended, as unfinished, what it is in. */
static bool outlived_flush(struct timeline_thread *thread, const struct timeline_begun *end)
{
	return end->start < atomic_load_explicit(&thread->flushed[0], memory_order_seq_cst) ||
	       end->start <
		       atomic_load_explicit(&thread->flushed[end->stream], memory_order_seq_cst);
}

static bool pop_own(struct timeline_thread *thread, struct timeline_begun *end, bool loosely)
{
	lower_top(thread);
	int at = take_match(thread, thread->top, end, true, loosely);
	if (at < 0)
		return false;
	end->more = more_of(&thread->open[at]);
	if (TL_UNLIKELY(outlived_flush(thread, end)))
		end->more |= TIMELINE_ASIDE;
	return true;
}

static bool pop_others(struct timeline_thread *own, struct timeline_begun *end)
{
	/* Acquire: their states are whole. */
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_acquire);
	bool found = false;

	for (; thread && !found; thread = thread->next) {
		if (thread == own)
			continue;
		pthread_mutex_lock(&thread->lock);
		found = take_match(thread, TIMELINE_OPEN, end, false, false) >= 0;
		pthread_mutex_unlock(&thread->lock);
	}
	if (found)
		end->more = TIMELINE_ASIDE;
	return found;
}

bool timeline_pop(struct timeline_thread *thread, struct timeline_begun *end)
{
	return pop_own(thread, end, false) || pop_others(thread, end) || pop_own(thread, end, true);
}

/* ---- what doesn't end */

static bool is_event_of_its_own(const struct timeline_begun *begun)
{
	return begun->type & xpti_trace_user_defined && !timeline_type_ends(begun->type | 1);
}

/* Tell of one that is open as if it ended now. */
static void give_up(struct timeline_thread *thread, struct timeline_begun *begun, uint64_t now,
		    uint8_t more)
{
	bool alone = is_event_of_its_own(begun);

	begun->more = alone ? TIMELINE_NO_SLICE : TIMELINE_UNFINISHED | more;
	timeline_tell(thread, begun, alone ? 0 : now);
}

/*
 * Those that have no end, or else the oldest, go; the others move together. Under the thread's
 * lock.
 */
static void make_room(struct timeline_thread *thread)
{
	struct timeline_begun begun;
	uint32_t count = 0, oldest = LEAVE;
	uint64_t state;

	for (uint32_t i = 0; i < thread->top; i++)
		if ((state = look(&thread->open[i], &begun)) && is_event_of_its_own(&begun) &&
		    take(&thread->open[i], state))
			give_up(thread, &begun, 0, 0);
	for (uint32_t i = 0; i < thread->top; i++)
		count += is_open(&thread->open[i]);
	for (uint32_t i = 0; i < thread->top && count > TIMELINE_OPEN - LEAVE && oldest; i++)
		if ((state = look(&thread->open[i], &begun)) && take(&thread->open[i], state)) {
			give_up(thread, &begun, 0, TIMELINE_NO_SLICE);
			oldest--;
			count--;
		}
	count = 0;
	for (uint32_t i = 0; i < thread->top; i++) {
		if (!(state = look(&thread->open[i], &begun)))
			continue;
		begun.more = more_of(&thread->open[i]);
		if (i != count && take(&thread->open[i], state))
			put(&thread->open[count], &begun);
		count++;
	}
	thread->top = count;
}

void timeline_push(struct timeline_thread *thread, const struct timeline_begun *begun)
{
	lower_top(thread);
	if (TL_UNLIKELY(thread->top == TIMELINE_OPEN)) {
		pthread_mutex_lock(&thread->lock);
		make_room(thread);
		pthread_mutex_unlock(&thread->lock);
	}
	put(&thread->open[thread->top], begun);
	thread->top++;
}

/*
 * What a thread has open is said to end at one time, and what it ends itself must not cross that:
 * so it puts aside, from before that time is read on, what it began before it; and so does the next
 * flush. What it had taken by then without seeing that ended sooner. Going upwards, a place that
 * the thread has taken says that what lies above it interleaves with it, where it does.
 */
static void flush(struct timeline_thread *thread, uint8_t stream)
{
	static struct timeline_begun taken[TIMELINE_OPEN]; /* protected by the list's lock */
	uint32_t count = 0;
	uint64_t state, now = 0;

	pthread_mutex_lock(&thread->lock);
	uint64_t before =
		atomic_exchange_explicit(&thread->flushed[stream], NOW, memory_order_seq_cst);
	for (uint32_t i = 0; i < TIMELINE_OPEN; i++) {
		struct timeline_begun *begun = &taken[count];
		if (!(state = look(&thread->open[i], begun)) ||
		    (stream && begun->stream != stream) || !take(&thread->open[i], state))
			continue;
		begun->more =
			more_of(&thread->open[i]) | (begun->start < before ? TIMELINE_ASIDE : 0);
		count++;
	}
	if (count)
		now = tl_guest_now();
	atomic_store_explicit(&thread->flushed[stream], count ? now : before, memory_order_seq_cst);
	pthread_mutex_unlock(&thread->lock);
	/* What was begun last ends first. */
	while (count--)
		if (taken[count].start)
			give_up(thread, &taken[count], now, taken[count].more);
}

void timeline_flush(uint8_t stream)
{
	pthread_mutex_lock(&timeline->lock);
	struct timeline_thread *thread =
		atomic_load_explicit(&timeline->threads, memory_order_relaxed);
	for (; thread; thread = thread->next)
		flush(thread, stream);
	pthread_mutex_unlock(&timeline->lock);
}
