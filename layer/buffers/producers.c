/* SPDX-License-Identifier: MIT */
/*
 * producers.c: see producers.h.
 *
 * A producer is never freed. When its thread has ended it goes to a list. A new thread takes it
 * from there once the kernel no longer knows the old thread and the writer has given back all its
 * chunks. Until then late destructors may still record, and the writer still needs its name.
 *
 * tl_producer.unwritten: release by the side that gives a chunk back, acquire by the thread that
 * recycles the producer.
 */
#include "layer/buffers/producers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/environment.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/blocked.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/current_chunk.h"
#include "layer/buffers/free_list.h"
#include "layer/buffers/lane_numbers.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/process_state.h"
#include "layer/buffers/rings.h"

#define PRODUCER_SIZE TL_FILE_PAGE /* a thread's piece, with its open calls */
#define PRODUCER_LINK offsetof(struct tl_producer, next_free)
#define RECYCLE_TRIES 64 /* producers looked at before a new one is made */

_Static_assert(sizeof(struct tl_thread_piece) == 128, "open calls begin at a cache line");

__thread struct tl_thread *tl_self __attribute__((tls_model("initial-exec")));

static uint32_t generation = 1;

static struct tl_free_list fresh_producers, ended_producers, checked_producers;
static struct tl_producer nobody; /* counts the losses of threads that got no producer */
static _Atomic(struct tl_producer *) producers = &nobody;

bool tl_producer_is_unknown_to_kernel(const struct tl_producer *producer)
{
	return syscall(SYS_tgkill, getpid(), producer->tid, 0) < 0 && errno == ESRCH;
}

void tl_producer_set_name(struct tl_producer *producer, const char name[16])
{
	for (size_t i = 0; i < sizeof(producer->name); i++) {
		__atomic_store_n(&producer->name[i], name[i], __ATOMIC_RELAXED);
		__atomic_store_n(&producer->piece->name[i], name[i], __ATOMIC_RELAXED);
	}
}

void tl_buffer_name(const struct tl_producer *producer, char name[16])
{
	for (size_t i = 0; i < sizeof(producer->name); i++)
		name[i] = __atomic_load_n(&producer->name[i], __ATOMIC_RELAXED);
}

void tl_producer_read_own_name(struct tl_producer *producer)
{
	char name[16];

	if (syscall(SYS_prctl, PR_GET_NAME, name) == 0)
		tl_producer_set_name(producer, name);
}

/* With --stack, each open call has room for its stack's number behind all of them. */
static void piece_divide(struct tl_thread_piece *piece)
{
	size_t room = PRODUCER_SIZE - sizeof(*piece), entry = sizeof(piece->open[0]);

	piece->opens = (uint32_t)(room / entry);
	if (!tl_config_wants_stacks())
		return;
	piece->opens = (uint32_t)(room / (entry + sizeof(uint32_t)));
	piece->stacks = (uint32_t)(sizeof(*piece) + piece->opens * entry);
}

/* Makes several at a time, since each page that is made costs a system call. */
static void producers_make_some(void)
{
	for (int i = 0; i < 4; i++) {
		/* Checked first, since the pool takes nothing back. */
		struct tl_producer *producer =
			tl_arena_begin() ? tl_pool_take(sizeof(*producer)) : NULL;
		struct tl_thread_piece *piece =
			producer ? tl_arena_take(TL_PIECE_THREAD, PRODUCER_SIZE) : NULL;
		if (!piece)
			return;
		piece->owner = (uintptr_t)producer;
		piece_divide(piece);
		producer->piece = piece;
		tl_free_list_push(&fresh_producers, producer, PRODUCER_LINK);
	}
}

static struct tl_producer *producer_make(void)
{
	struct tl_producer *producer = tl_free_list_pop(&fresh_producers, PRODUCER_LINK);

	if (!producer) {
		producers_make_some();
		producer = tl_free_list_pop(&fresh_producers, PRODUCER_LINK);
	}
	if (!producer)
		return NULL;
	producer->next = atomic_load_explicit(&producers, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&producers, &producer->next, producer,
						      memory_order_release, memory_order_relaxed))
		;
	return producer;
}

/*
 * The calling thread has no producer yet, so a producer with its number belongs to an earlier
 * thread.
 */
static bool producer_thread_is_gone(const struct tl_producer *producer)
{
	return producer->tid == (uint32_t)syscall(SYS_gettid) ||
	       tl_producer_is_unknown_to_kernel(producer);
}

/* Records the losses that no record tells of yet. */
static void producer_say_last_losses(struct tl_producer *producer)
{
	if (atomic_load_explicit(&producer->lost, memory_order_relaxed) == producer->lost_said)
		return;
	if (!atomic_load_explicit(&producer->current, memory_order_relaxed)) {
		struct tl_chunk *chunk = tl_chunk_get(false);
		if (chunk)
			tl_current_open(producer, chunk);
	}
	tl_current_say_lost(producer);
}

/*
 * Whether a producer of the list can be given to a new thread. If its thread is gone, nobody else
 * touches it, and what that thread recorded last is handed over here.
 */
static bool producer_is_recyclable(struct tl_producer *producer)
{
	/*
	 * Checked first, since it costs no system call; and again at the end, for what is handed
	 * over here.
	 */
	if (atomic_load_explicit(&producer->unwritten, memory_order_relaxed) ||
	    !producer_thread_is_gone(producer))
		return false;
	tl_buffer_lose_unentered(producer);
	producer_say_last_losses(producer);
	tl_current_hand_over(producer);
	return !atomic_load_explicit(&producer->unwritten, memory_order_acquire) &&
	       atomic_load_explicit(&producer->lost, memory_order_relaxed) == producer->lost_said;
}

/*
 * The next producer whose thread has ended. Those looked at go to a second list, so that each has
 * its turn.
 */
static struct tl_producer *producer_next_ended(bool *again)
{
	struct tl_producer *producer = tl_free_list_pop(&ended_producers, PRODUCER_LINK), *moved;

	if (producer || !*again)
		return producer;
	*again = false;
	while ((moved = tl_free_list_pop(&checked_producers, PRODUCER_LINK)))
		tl_free_list_push(&ended_producers, moved, PRODUCER_LINK);
	return tl_free_list_pop(&ended_producers, PRODUCER_LINK);
}

static struct tl_producer *producer_recycle(void)
{
	struct tl_producer *producer;
	bool again = true;

	for (int tries = 0; tries < RECYCLE_TRIES && (producer = producer_next_ended(&again));
	     tries++) {
		if (producer_is_recyclable(producer))
			return producer;
		tl_free_list_push(&checked_producers, producer, PRODUCER_LINK);
	}
	return NULL;
}

/*
 * Writes who this thread is into the memory that outlives the process. The lane is stored last;
 * before that a reader ignores the rest.
 */
static void producer_introduce(struct tl_producer *producer)
{
	struct tl_thread_piece *piece = producer->piece;

	atomic_store_explicit(&piece->lane, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&producer->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	__atomic_store_n(&producer->shown, tl_lane_number_shown(producer->tid), __ATOMIC_RELAXED);
	/* Release: pairs with the acquires in producer_note_snapshot (.chunks is 0) and tl_lane_of. */
	__atomic_store_n(&producer->lane, tl_lane_number_next(), __ATOMIC_RELEASE);
	piece->tid = producer->tid;
	piece->shown = producer->shown;
	atomic_store_explicit(&piece->ended, 0, memory_order_relaxed);
	piece->floor.frame = TL_NO_FRAME;
	for (uint32_t i = 0; i < piece->opens; i++)
		piece->open[i].frame = TL_NO_FRAME;
	tl_producer_read_own_name(producer);
	/* Release: for a reader after a kill, which must not see the lane without the rest. */
	atomic_store_explicit(&piece->lane, producer->lane, memory_order_release);
}

static void *producer_get(bool large)
{
	struct tl_producer *producer = producer_recycle();

	return producer ? producer : producer_make();
}

void (*_Atomic tl_buffer_begins)(struct tl_producer *producer);

#define LINE 64u
_Static_assert(offsetof(struct tl_producer, inline_end) == LINE &&
		       offsetof(struct tl_producer, device_slot) + 8 == 2 * LINE,
	       "what calls with a hook need is the second line of the cache, and no other");

static void producer_begin(struct tl_producer *producer)
{
	struct tl_open_call *open = producer->piece->open;
	void (*begins)(struct tl_producer *) =
		atomic_load_explicit(&tl_buffer_begins, memory_order_relaxed);

	__atomic_store_n(&producer->chunks, 0, __ATOMIC_RELAXED);
	producer_introduce(producer);
	producer->open_end = open + producer->piece->opens;
	producer->generation = generation;
	producer->oldest = producer->newest = NULL;
	producer->ring = 0;
	producer->scratch_used = 0;
	atomic_store_explicit(&producer->unentered, 0, memory_order_relaxed);
	producer->error = &errno;
	atomic_store_explicit(&producer->ended, 0, memory_order_relaxed);
	producer->thread.clock = tl_clock_is_counter();
	producer->thread.busy = 0;
	producer->thread.open = open;
	producer->inline_end = producer->open_end;
	producer->thread.end = producer->thread.clock ? producer->inline_end : NULL;
	atomic_store_explicit(&producer->thread.top, open, memory_order_relaxed);
	if (begins)
		begins(producer);
}

struct tl_producer *tl_buffer_attach(void)
{
	struct tl_blocked blocked;

	/* While there is no arena, every call comes here: cost no system call. */
	if (tl_arena_is_refused())
		return NULL;
	tl_blocked_begin(&blocked);
	struct tl_producer *producer = (struct tl_producer *)tl_self;
	if (!producer) {
		producer = producer_get(false);
		/*
		 * Producers of threads that have ended come free when their last chunks are
		 * written.
		 */
		if (!producer && tl_arena_header() && tl_chunk_may_wait())
			producer = tl_chunk_wait_for(producer_get, false);
		if (producer) {
			producer_begin(producer);
			tl_self = &producer->thread;
		}
	}
	tl_blocked_end(&blocked);
	return producer;
}

void tl_buffer_detach(struct tl_producer *producer)
{
	struct tl_blocked blocked;

	tl_blocked_begin(&blocked);
	tl_producer_read_own_name(producer);
	atomic_store_explicit(&producer->piece->ended, 1, memory_order_relaxed);
	tl_current_hand_over(producer);
	if (!atomic_load_explicit(&producer->ended, memory_order_relaxed)) {
		tl_ring_retire(producer);
		/* Release: pairs with the acquires of those who take its chunks. */
		atomic_store_explicit(&producer->ended, 1, memory_order_release);
		tl_free_list_push(&ended_producers, producer, PRODUCER_LINK);
	}
	tl_blocked_end(&blocked);
}

void tl_buffer_lose(void)
{
	atomic_fetch_add_explicit(&nobody.lost, 1, memory_order_relaxed);
}

static _Atomic uint64_t early;

void tl_buffer_lose_early(void)
{
	if (!tl_process_is_early_guest())
		return;
	atomic_fetch_add_explicit(&early, 1, memory_order_relaxed);
	tl_buffer_lose();
}

uint64_t tl_buffer_early(void)
{
	return atomic_load_explicit(&early, memory_order_relaxed);
}

uint64_t tl_buffer_overwritten(void)
{
	uint64_t all = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all += atomic_load_explicit(&producer->overwritten, memory_order_relaxed);
	return all;
}

uint64_t tl_buffer_stackless(void)
{
	uint64_t all = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all += atomic_load_explicit(&producer->stackless, memory_order_relaxed);
	return all;
}

struct tl_producer *tl_buffer_producers(void)
{
	return atomic_load_explicit(&producers, memory_order_acquire);
}

/* Each thread's piece begins at a multiple of its size. */
struct tl_thread *tl_buffer_thread_of(const struct tl_open_call *open)
{
	const struct tl_thread_piece *piece =
		(const struct tl_thread_piece *)((uintptr_t)open & ~(uintptr_t)(PRODUCER_SIZE - 1));

	return (struct tl_thread *)(uintptr_t)piece->owner;
}

bool tl_buffer_is_stale(const struct tl_thread *thread)
{
	return ((const struct tl_producer *)thread)->generation != generation;
}

void tl_producer_after_fork(void)
{
	tl_self = NULL;
	generation++;
	tl_free_list_forget(&fresh_producers);
	tl_free_list_forget(&ended_producers);
	tl_free_list_forget(&checked_producers);
	atomic_store_explicit(&producers, &nobody, memory_order_relaxed);
	atomic_store_explicit(&nobody.lost, 0, memory_order_relaxed);
}
