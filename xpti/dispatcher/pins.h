/* SPDX-License-Identifier: MIT */
/*
 * pins.h: how a notification keeps the list of callbacks that it uses, and how other threads wait
 * for it.
 *
 * The method is that of layer/calls/tracers.c. A notifier stores the list in a slot of its own
 * thread, and then loads the head of the list again. If the head is still the same, the list stays
 * valid until the notifier clears the slot. A writer publishes a new list, executes membarrier, and
 * scans the slots of all threads. If a notifier's second load came before the barrier, the scan sees
 * its slot; if the load comes after the barrier, it sees the new list, and the notifier starts over.
 *
 * Beside the list, the slot names the callback that is running. The notifier stores that name
 * before it loads the callback from the list; unregistering replaces the callback in the list before
 * the barrier. So one of the two sees the other.
 *
 * A single callback needs no list. Head and slot then name the callback itself, plus TL_PIN_ALONE,
 * and the second load of the head decides whether the notifier calls it.
 *
 * A thread that waits adds 1 to tl_xpti_attention, executes the barrier, reads the futex word, scans
 * and sleeps. A notifier clears its slot and then looks at tl_xpti_attention.
 *
 * Memory that must stay until all earlier notifications have ended is freed by epochs: the outermost
 * notification of a thread notes the epoch in which it began.
 *
 * Where the kernel has no membarrier, notifiers execute the fences. They also do so in a build with
 * -DTL_PIN_SEQ_CST, which ThreadSanitizer needs.
 */
#ifndef TL_XPTI_DISPATCHER_PINS_H
#define TL_XPTI_DISPATCHER_PINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "xpti/dispatcher/dispatcher_state.h"

/* How deep notifications nest in callbacks before a thread needs more slots. */
enum { TL_PIN_SLOTS = 16 };

/* Added to an address: it is that of a single callback instead of a list. */
#define TL_PIN_ALONE 1u

struct tl_xpti_slot {
	_Atomic(const void *) list;    /* the list in use, or the single callback that runs */
	_Atomic(const void *) running; /* the callback in the list */
};

struct tl_xpti_slots {
	_Atomic(struct tl_xpti_slots *) deeper;
	struct tl_xpti_slot at[TL_PIN_SLOTS];
};

/* A thread's slots; linked, recycled, never freed. Only its own thread writes them. */
struct tl_xpti_reader {
	_Alignas(64) struct tl_xpti_slots slots;
	/* when the outermost notification began; 0: none is under way */
	_Atomic uint64_t epoch;
	/* how many notifications are nested in it; only its own thread uses this */
	uint32_t nested;
	_Atomic bool waiting; /* in tl_xpti_wait_while, called from a callback */
	_Atomic bool taken;
	_Atomic(struct tl_xpti_reader *) next;
};

extern _Atomic uint64_t tl_xpti_epoch TL_HIDDEN;

/* How many threads wait; plus TL_PIN_FENCES where notifiers have to execute fences. */
#define TL_PIN_FENCES (1u << 31)
extern _Atomic uint32_t tl_xpti_attention TL_HIDDEN;

/* Make the calling thread's reader. NULL: memory is short. */
struct tl_xpti_reader *tl_xpti_reader_make(void);
/* The slot of a level beyond the first TL_PIN_SLOTS. NULL: memory is short. */
struct tl_xpti_slot *tl_xpti_slot_deep(struct tl_xpti_reader *reader, uint32_t level);
/* Call this when a slot was cleared and tl_xpti_attention was not 0. Keeps errno. */
void tl_xpti_attend(void);

/* Afterwards all notifiers see what the caller stored before, and the caller sees their slots. */
void tl_xpti_heavy_barrier(void);
/* Call this before anything is pinned. Any thread may call it, any number of times. */
void tl_xpti_pins_start(void);
/* A question about a slot. */
typedef bool (*tl_xpti_slot_matches)(struct tl_xpti_slot *slot, const void *key);
/*
 * Return when no other thread runs a callback whose slot `matches`. The caller has removed these
 * callbacks from all lists.
 */
void tl_xpti_wait_while(tl_xpti_slot_matches matches, const void *key);
/* True if a notification uses the list. Call it after the list was replaced and a heavy barrier. */
bool tl_xpti_is_pinned(const void *list);
/* True if all notifications under way began in this epoch or later. Call it after a heavy barrier. */
bool tl_xpti_all_since(uint64_t epoch);
/* In a forked child: the other threads are gone. */
void tl_xpti_pins_after_fork(void);

/* True if a notification of the reader's thread is under way. For that thread only. */
static inline bool tl_xpti_in_notification(struct tl_xpti_reader *reader)
{
	return atomic_load_explicit(&reader->epoch, memory_order_relaxed) != 0;
}

/* True if the calling thread is in a callback. */
static inline bool tl_xpti_in_callback(void)
{
	return tl_xpti_thread.reader && tl_xpti_in_notification(tl_xpti_thread.reader);
}

/* The single callback that stands instead of a list; NULL: it is a list, or nothing. */
static inline const void *tl_xpti_alone(const void *list)
{
	return (uintptr_t)list & TL_PIN_ALONE ? (const char *)list - TL_PIN_ALONE : NULL;
}

/* The callback that the slot's notification runs, or is about to; NULL: none. */
static inline const void *tl_xpti_slot_running(struct tl_xpti_slot *slot)
{
	/*
	 * Acquire, both loads, pairs with the clearing release: a thread that waited for the
	 * callback sees what it did.
	 */
	const void *running = atomic_load_explicit(&slot->running, memory_order_acquire);

	return running ? running
		       : tl_xpti_alone(atomic_load_explicit(&slot->list, memory_order_acquire));
}

/* Between the store to a slot and the second load. Pairs with tl_xpti_heavy_barrier. */
static inline void tl_xpti_pin_barrier(void)
{
#ifdef TL_PIN_SEQ_CST
	atomic_thread_fence(memory_order_seq_cst);
#else
	atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&tl_xpti_attention, memory_order_relaxed) != 0))
		atomic_thread_fence(memory_order_seq_cst);
#endif
}

/*
 * Call this after a slot was cleared or names another callback; in the second case it serves as
 * tl_xpti_pin_barrier, too. Pairs with tl_xpti_heavy_barrier; tl_xpti_attend has the fence.
 */
static inline void tl_xpti_pin_cleared(void)
{
#ifdef TL_PIN_SEQ_CST
	atomic_thread_fence(memory_order_seq_cst);
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
	if (unlikely(atomic_load_explicit(&tl_xpti_attention, memory_order_relaxed) != 0))
		tl_xpti_attend();
}

#endif
