/* SPDX-License-Identifier: MIT */
/*
 * pins.c: the side of pins.h that is not called for each notification: making readers, scanning
 * slots, waiting.
 */
#include "xpti/dispatcher/pins.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Atomic uint64_t tl_xpti_epoch = 1;
_Atomic uint32_t tl_xpti_attention;

static _Atomic uint32_t wake_word; /* the futex of threads that wait */
static _Atomic(struct tl_xpti_reader *) readers;
static pthread_key_t at_thread_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

/* ---- notifiers ---- */

static void reader_give_back(void *reader_)
{
	struct tl_xpti_reader *reader = reader_;

	tl_xpti_thread.reader = NULL;
	/* Release pairs with the taker's acquire. */
	atomic_store_explicit(&reader->taken, false, memory_order_release);
}

static void pins_register(void)
{
	has_key = pthread_key_create(&at_thread_end, reader_give_back) == 0;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
		/* Before any list is published: a thread that sees a list sees this, too. */
		atomic_fetch_or_explicit(&tl_xpti_attention, TL_PIN_FENCES, memory_order_seq_cst);
}

void tl_xpti_pins_start(void)
{
	pthread_once(&once, pins_register);
}

static struct tl_xpti_reader *reader_recycle(void)
{
	/* Acquire pairs with the linking release. */
	struct tl_xpti_reader *reader = atomic_load_explicit(&readers, memory_order_acquire);

	for (; reader; reader = atomic_load_explicit(&reader->next, memory_order_relaxed)) {
		bool no = false;
		/* Acquire pairs with reader_give_back's release: the slots are clear. */
		if (atomic_compare_exchange_strong_explicit(
			    &reader->taken, &no, true, memory_order_acquire, memory_order_relaxed))
			return reader;
	}
	return NULL;
}

struct tl_xpti_reader *tl_xpti_reader_make(void)
{
	struct tl_xpti_reader *reader = reader_recycle();

	if (!reader) {
		reader = aligned_alloc(64, (sizeof(*reader) + 63) & ~(size_t)63);
		if (!reader)
			return NULL;
		memset(reader, 0, sizeof(*reader));
		atomic_store_explicit(&reader->taken, true, memory_order_relaxed);
		struct tl_xpti_reader *first = atomic_load_explicit(&readers, memory_order_relaxed);
		do
			atomic_store_explicit(&reader->next, first, memory_order_relaxed);
		/* Release pairs with the scans' acquire: it is clear. */
		while (!atomic_compare_exchange_weak_explicit(
			&readers, &first, reader, memory_order_release, memory_order_relaxed));
	}
	reader->nested = 0;
	tl_xpti_thread.reader = reader;
	if (has_key)
		pthread_setspecific(at_thread_end, reader);
	return reader;
}

struct tl_xpti_slot *tl_xpti_slot_deep(struct tl_xpti_reader *reader, uint32_t level)
{
	struct tl_xpti_slots *slots = &reader->slots;

	for (uint32_t left = level / TL_PIN_SLOTS; left; left--) {
		struct tl_xpti_slots *deeper =
			atomic_load_explicit(&slots->deeper, memory_order_relaxed);
		if (!deeper) {
			deeper = calloc(1, sizeof(*deeper));
			if (!deeper)
				return NULL;
			/* Release pairs with the scans' acquire: it is clear. */
			atomic_store_explicit(&slots->deeper, deeper, memory_order_release);
		}
		slots = deeper;
	}
	return &slots->at[level % TL_PIN_SLOTS];
}

static void waiters_wake(void)
{
	int kept = errno;

	/*
	 * Release pairs with the waiter's acquire load of the word: it then sees what was cleared.
	 */
	atomic_fetch_add_explicit(&wake_word, 1, memory_order_acq_rel);
	syscall(SYS_futex, &wake_word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = kept;
}

void tl_xpti_attend(void)
{
	/*
	 * Where notifiers fence: between the slot's clearing and the look at the count. Pairs with
	 * tl_xpti_heavy_barrier.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&tl_xpti_attention, memory_order_relaxed) & ~TL_PIN_FENCES)
		waiters_wake();
}

/* ---- writers ---- */

void tl_xpti_heavy_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
#ifndef TL_PIN_SEQ_CST
	if (!(atomic_load_explicit(&tl_xpti_attention, memory_order_relaxed) & TL_PIN_FENCES))
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#endif
}

/* True if `matches` holds for any slot of the reader. */
static bool slot_any(struct tl_xpti_reader *reader, tl_xpti_slot_matches matches, const void *key)
{
	/* Acquire pairs with the linking release. */
	for (struct tl_xpti_slots *slots = &reader->slots; slots;
	     slots = atomic_load_explicit(&slots->deeper, memory_order_acquire))
		for (int i = 0; i < TL_PIN_SLOTS; i++)
			if (matches(&slots->at[i], key))
				return true;
	return false;
}

static bool pins_of_thread(struct tl_xpti_slot *slot, const void *list)
{
	/* Acquire pairs with the clearing release: the list is done with. */
	return atomic_load_explicit(&slot->list, memory_order_acquire) == list;
}

bool tl_xpti_is_pinned(const void *list)
{
	struct tl_xpti_reader *reader = atomic_load_explicit(&readers, memory_order_acquire);

	for (; reader; reader = atomic_load_explicit(&reader->next, memory_order_relaxed))
		if (slot_any(reader, pins_of_thread, list))
			return true;
	return false;
}

/* True if the reader is in a notification that began before this epoch. */
static bool writer_began_before(struct tl_xpti_reader *reader, uint64_t epoch)
{
	/*
	 * Acquire pairs with the release that ends the notification: then its callbacks have read
	 * everything.
	 */
	uint64_t since = atomic_load_explicit(&reader->epoch, memory_order_acquire);

	return since && since < epoch;
}

bool tl_xpti_all_since(uint64_t epoch)
{
	struct tl_xpti_reader *reader = atomic_load_explicit(&readers, memory_order_acquire);

	for (; reader; reader = atomic_load_explicit(&reader->next, memory_order_relaxed))
		if (writer_began_before(reader, epoch))
			return false;
	return true;
}

/*
 * True if another thread runs a matching callback in a notification that began before this epoch.
 * (In later notifications the callback has been registered again.) `inside`: the caller itself
 * waits inside a callback. Then threads that also wait inside a callback do not count: they may be
 * waiting for the caller.
 */
static bool slot_is_running(tl_xpti_slot_matches matches, const void *key, uint64_t epoch,
			    bool inside)
{
	struct tl_xpti_reader *reader = atomic_load_explicit(&readers, memory_order_acquire);

	for (; reader; reader = atomic_load_explicit(&reader->next, memory_order_relaxed)) {
		if (reader == tl_xpti_thread.reader)
			continue;
		if (inside && atomic_load_explicit(&reader->waiting, memory_order_seq_cst))
			continue;
		/*
		 * In this order: the epoch belongs to the notification that runs the callback, or
		 * to a later one.
		 */
		if (slot_any(reader, matches, key) && writer_began_before(reader, epoch))
			return true;
	}
	return false;
}

void tl_xpti_wait_while(tl_xpti_slot_matches matches, const void *key)
{
	struct tl_xpti_reader *self = tl_xpti_thread.reader;
	bool inside = tl_xpti_in_callback();
	int kept = errno;
	/*
	 * Release pairs with the acquire of a notification that begins: the notification sees what
	 * has been unregistered.
	 */
	uint64_t epoch = atomic_fetch_add_explicit(&tl_xpti_epoch, 1, memory_order_seq_cst) + 1;

	atomic_fetch_add_explicit(&tl_xpti_attention, 1, memory_order_relaxed);
	tl_xpti_heavy_barrier();
	if (inside && slot_is_running(matches, key, epoch, true)) {
		/*
		 * Of two threads that wait for each other, at least one sees the other's flag: the
		 * loads and stores of the flags have one order.
		 */
		atomic_store_explicit(&self->waiting, true, memory_order_seq_cst);
		waiters_wake();
	}
	for (;;) {
		/* Acquire pairs with the release in waiters_wake. */
		uint32_t seen = atomic_load_explicit(&wake_word, memory_order_acquire);
		if (!slot_is_running(matches, key, epoch, inside))
			break;
		syscall(SYS_futex, &wake_word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	if (inside)
		atomic_store_explicit(&self->waiting, false, memory_order_seq_cst);
	atomic_fetch_sub_explicit(&tl_xpti_attention, 1, memory_order_relaxed);
	errno = kept;
}

void tl_xpti_pins_after_fork(void)
{
	struct tl_xpti_reader *reader = atomic_load_explicit(&readers, memory_order_relaxed);

	atomic_fetch_and_explicit(&tl_xpti_attention, TL_PIN_FENCES, memory_order_relaxed);
	for (; reader; reader = atomic_load_explicit(&reader->next, memory_order_relaxed)) {
		if (reader == tl_xpti_thread.reader)
			continue;
		for (struct tl_xpti_slots *slots = &reader->slots; slots;
		     slots = atomic_load_explicit(&slots->deeper, memory_order_relaxed))
			for (int i = 0; i < TL_PIN_SLOTS; i++) {
				atomic_store_explicit(&slots->at[i].running, NULL,
						      memory_order_relaxed);
				atomic_store_explicit(&slots->at[i].list, NULL,
						      memory_order_relaxed);
			}
		atomic_store_explicit(&reader->epoch, 0, memory_order_relaxed);
		atomic_store_explicit(&reader->waiting, false, memory_order_relaxed);
		atomic_store_explicit(&reader->taken, false, memory_order_relaxed);
	}
}
