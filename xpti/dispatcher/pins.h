/* SPDX-License-Identifier: MIT */
/*
 * pins.h: how a notification keeps the list of callbacks that it uses, and how others wait for it.
 *
 * As layer/calls/tracers.c does it: a notifier stores the list in a slot of its own, and loads the
 * list's head again. If it is still the same, the list is its own until it clears the slot. A
 * writer publishes, executes membarrier, and scans the slots of all threads: a notifier whose
 * second load came before the barrier has its slot seen; one whose second load comes after sees the
 * new list and starts over. Beside the list, the slot names the callback that is running: it is
 * stored before the callback is loaded from the list, and unregistering replaces it there before
 * the barrier, so that one of the two sees the other. A callback that is alone needs no list: the
 * head and the slot name it itself, TL_PIN_ALONE added, and the head's second load tells if it is
 * called. Waiting: tl_xpti_attention is counted up, barrier, note the futex word, scan, sleep; a
 * notifier clears its slot and then looks at the count.
 *
 * What is freed when all earlier notifications have ended goes by epochs: the outermost
 * notification of a thread notes the epoch that it began in.
 *
 * Where there is no membarrier (or a build asks for it, -DTL_PIN_SEQ_CST, for ThreadSanitizer),
 * notifiers execute the fences.
 */
#ifndef TL_XPTI_DISPATCHER_PINS_H
#define TL_XPTI_DISPATCHER_PINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "xpti/dispatcher/dispatcher.h"

/* notifications in callbacks of notifications, before more slots are made */
enum { TL_PIN_SLOTS = 16 };

/* Says of a list's address that it is that of the one callback there is, instead. */
#define TL_PIN_ALONE 1u

struct tl_xpti_slot {
	_Atomic(const void *) list;    /* the list in use, or the callback that is running alone */
	_Atomic(const void *) running; /* the callback in the list */
};

struct tl_xpti_slots {
	_Atomic(struct tl_xpti_slots *) deeper;
	struct tl_xpti_slot at[TL_PIN_SLOTS];
};

/* A thread's slots; linked, recycled, never freed. Only its own thread writes them. */
struct tl_xpti_reader {
	_Alignas(64) struct tl_xpti_slots slots;
	/* that the outermost notification began in; 0: none is under way */
	_Atomic uint64_t epoch;
	/* notifications under way in that one's callbacks; its own thread's */
	uint32_t nested;
	_Atomic bool waiting; /* in tl_xpti_wait_while, called from a callback */
	_Atomic bool taken;
	_Atomic(struct tl_xpti_reader *) next;
};

extern _Atomic uint64_t tl_xpti_epoch TL_HIDDEN;

/* How many wait, and TL_PIN_FENCES where notifiers have to fence. */
#define TL_PIN_FENCES (1u << 31)
extern _Atomic uint32_t tl_xpti_attention TL_HIDDEN;

/* The thread's reader, made where it has none; NULL: no memory. */
struct tl_xpti_reader *tl_xpti_reader_make(void);
/* The slot of a level beyond the first TL_PIN_SLOTS; NULL: no memory. */
struct tl_xpti_slot *tl_xpti_slot_deep(struct tl_xpti_reader *reader, uint32_t level);
/* A slot was cleared and tl_xpti_attention was not 0. Keeps errno. */
void tl_xpti_attend(void);

/* All that was stored before is seen by all notifiers, and their slots by the caller. */
void tl_xpti_heavy_barrier(void);
/* Something that was registered before anything can be pinned. Idempotent, thread safe. */
void tl_xpti_pins_start(void);
/* What is asked of a slot. */
typedef bool (*tl_xpti_slot_matches)(struct tl_xpti_slot *slot, const void *key);
/*
 * Return when no other thread runs a callback for whose slot `matches` holds; each is in no list
 * any more.
 */
void tl_xpti_wait_while(tl_xpti_slot_matches matches, const void *key);
/* A list is used by nobody; after a heavy barrier that came after it was replaced. */
bool tl_xpti_is_pinned(const void *list);
/* All notifications that are under way began in this epoch, or later. After a heavy barrier. */
bool tl_xpti_all_since(uint64_t epoch);
/* In a forked child: the other threads are gone. */
void tl_xpti_pins_after_fork(void);

/* The callback that there is instead of a list; NULL: it is a list, or nothing. */
static inline const void *tl_xpti_alone(const void *list)
{
	return (uintptr_t)list & TL_PIN_ALONE ? (const char *)list - TL_PIN_ALONE : NULL;
}

/* The callback that the slot's notification runs, or is about to; NULL: none. */
static inline const void *tl_xpti_slot_running(struct tl_xpti_slot *slot)
{
	/*
	 * Acquire, both, pairs with the clearing release: what the callback did is seen by who
	 * waited for it.
	 */
	const void *running = atomic_load_explicit(&slot->running, memory_order_acquire);

	return running ? running
		       : tl_xpti_alone(atomic_load_explicit(&slot->list, memory_order_acquire));
}

/* Between a slot's store and the load that it is about. Pairs with tl_xpti_heavy_barrier. */
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
 * After a slot was cleared, or names another callback: then it is also what tl_xpti_pin_barrier is.
 * Pairs with tl_xpti_heavy_barrier; tl_xpti_attend has the fence.
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
