/* SPDX-License-Identifier: MIT */
/*
 * dispatcher.h: what the files of libtracelayer-xpti.so offer each other.
 *
 * How it is built
 *
 * Everything that is looked up lies in tables that only grow and are published entry by entry:
 * texts, objects, places and slabs of trace points are put into memory that is never given back
 * (pools.h), and then stored where readers find them (id_table.h by number, hash_trie.h by hash).
 * So readers take no lock, and whatever they have in hand stays readable. Reset takes numbers away,
 * not memory: a text that is registered again afterwards is the same text with a new number. What
 * is kept is bounded by the number of different texts, objects and places that there ever were, and
 * of trace points that there were at one time.
 *
 * Trace points lie in slabs, each slot with a generation that is part of its uid. A uid is checked
 * by looking at the slot that it names; an event's address, by looking for its slab. Both are safe
 * for any value, and find nothing once the trace point has been released.
 *
 * Callbacks are lists that never change once they are published; who notifies pins the list it uses
 * (pins.h). What a released trace point owns beyond its slot, its metadata, is freed when every
 * notification that had begun by then has ended.
 *
 * Locks: who puts something in holds the lock of its thread's pool; other locks protect the writers
 * of one table. None is held while a callback, a subscriber or the loader runs, but framework.c's,
 * which is held while subscribers are loaded. They nest in the order of framework.c's lock_all,
 * which takes them all before a fork.
 */
#ifndef TL_XPTI_DISPATCHER_DISPATCHER_H
#define TL_XPTI_DISPATCHER_DISPATCHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/xpti.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Variables that are read often: code that is told so reads them without asking where they are. */
#define TL_HIDDEN __attribute__((visibility("hidden")))

/* ---- framework.c ---- */

enum { TL_XPTI_STARTED = 1, TL_XPTI_ENABLED = 2 };
extern _Atomic uint32_t tl_xpti_state TL_HIDDEN;

void tl_xpti_start_slowly(void);

/* Before anything else in every function: the first one loads the subscribers. */
static inline void tl_xpti_start(void)
{
	/* Acquire pairs with the starter's release: the subscribers and the streams. */
	if (unlikely(!(atomic_load_explicit(&tl_xpti_state, memory_order_acquire) &
		       TL_XPTI_STARTED)))
		tl_xpti_start_slowly();
}

/* The same, and if tracing is on. One load where it is. */
static inline bool tl_xpti_enabled(void)
{
	/* Acquire as in tl_xpti_start. */
	uint32_t state = atomic_load_explicit(&tl_xpti_state, memory_order_acquire);

	if (unlikely(!(state & TL_XPTI_STARTED))) {
		tl_xpti_start_slowly();
		state = atomic_load_explicit(&tl_xpti_state, memory_order_acquire);
	}
	return state & TL_XPTI_ENABLED;
}

/* The same, without beginning: false where that is yet to be done. */
static inline bool tl_xpti_is_on(void)
{
	/* Acquire as in tl_xpti_start. */
	return atomic_load_explicit(&tl_xpti_state, memory_order_acquire) ==
	       (TL_XPTI_STARTED | TL_XPTI_ENABLED);
}

/* ---- string_table.c ---- */

/* A text that is known; never freed. */
struct tl_xpti_text;
struct tl_pool;
/*
 * Put in where it isn't known, and given a number if it is to have one. Under the pool's lock.
 * NULL: memory is short.
 */
struct tl_xpti_text *tl_xpti_text(struct tl_pool *pool, const char *text, bool numbered);
const char *tl_xpti_text_of(const struct tl_xpti_text *text);
/* 0: it has none. */
xpti_string_id tl_xpti_text_number(const struct tl_xpti_text *text);
/*
 * Its number, given to it now where it has none, and the text; XPTI_INVALID_STRING and NULL where
 * memory is short.
 */
xpti_string_id tl_xpti_text_register(const char *string, const struct tl_xpti_text **text);
void tl_xpti_strings_reset(void);

/* ---- stream_names.c: streams and vendors ---- */

uint8_t tl_xpti_stream_number(const char *name);
/* A stream of that number is registered. */
bool tl_xpti_stream_exists(uint8_t stream);
void tl_xpti_stream_set_detail(uint8_t stream, uint8_t level);
void tl_xpti_names_lock(void);
void tl_xpti_names_unlock(void);

/* ---- streams.c: callbacks ---- */

/*
 * Turn a stream's callbacks off. False: it never had any. Returns when none of them runs in another
 * thread.
 */
bool tl_xpti_callbacks_off(uint8_t stream);
/* Turn all off, and forget that there were any. Returns when none runs in another thread. */
void tl_xpti_callbacks_reset(void);
void tl_xpti_callbacks_lock(void);
void tl_xpti_callbacks_unlock(void);

/* The calling thread is in a callback. */
bool tl_xpti_in_callback(void);

/* ---- trace_points.c ---- */

/*
 * A trace point: four interface objects, its event and its payload. The first four words are what
 * the interfaces' pointers point at: each begins with a vtable pointer.
 */
struct tl_xpti_point {
	xpti_payload_if payload_if;
	xpti_event_if event_if;
	xpti_metadata_if metadata_if;
	xpti_tracepoint_if tracepoint_if;
	xpti_event event;
	xpti_payload payload;
	_Atomic uint64_t uid; /* 0: released, or never used */
	uint32_t generation;
	xpti_string_id name_id, file_id;
	struct tl_xpti_point *next; /* of those that are free, or are going to be */
	xpti_metadata_node *cursor; /* where first_item and next_item are */
};

/* The living trace point that has this at `offset`; NULL for every other address. */
struct tl_xpti_point *tl_xpti_point_at(const void *address, size_t offset);
#define tl_xpti_point_of(pointer, member)                                                          \
	tl_xpti_point_at(pointer, offsetof(struct tl_xpti_point, member))
bool tl_xpti_point_release(struct tl_xpti_point *point);
/* The metadata of an event, one of ours or a program's own; NULL: it is no event. */
xpti_metadata *tl_xpti_metadata_of(xpti_event *event);
void tl_xpti_points_reset(void);
void tl_xpti_slabs_lock(void);
void tl_xpti_slabs_unlock(void);

static inline uint64_t tl_xpti_point_uid(const struct tl_xpti_point *point)
{
	/* Acquire pairs with the maker's release: the trace point is whole. */
	return atomic_load_explicit(&point->uid, memory_order_acquire);
}

/* ---- interfaces.c ---- */

void tl_xpti_interfaces_init(struct tl_xpti_point *point);

/* ---- metadata.c ---- */

void tl_xpti_metadata_init(xpti_metadata *map);
/*
 * What was found at an address looks like an event's map, or like one that a program in C has set
 * to zero.
 */
bool tl_xpti_metadata_can_be(const xpti_event *found, const xpti_event *address);
/* Free what it holds, and make it empty. */
void tl_xpti_metadata_clear(xpti_metadata *map);
void tl_xpti_metadata_lock(void);
void tl_xpti_metadata_unlock(void);

/* ---- subscribers.c ---- */

/* Load those that XPTI_SUBSCRIBERS names. Returns how many can be used. */
unsigned tl_xpti_subscribers_load(void);
struct tl_xpti_subscriber;
/*
 * From here on none is told anything. NULL: there are none, or one of them is being told something,
 * or calls this from a callback: then they stay loaded.
 */
struct tl_xpti_subscriber *tl_xpti_subscribers_take(void);
void tl_xpti_subscribers_unload(struct tl_xpti_subscriber *taken);
void tl_xpti_subscribers_init(uint32_t major, uint32_t minor, const char *version,
			      const char *stream);
void tl_xpti_subscribers_finish(const char *stream);
/* The highest that a subscriber wants of this stream. */
uint8_t tl_xpti_subscribers_detail(const char *stream);

/* ---- the calling thread's ---- */

struct tl_xpti_reader;
struct tl_xpti_told;

struct tl_xpti_thread {
	struct tl_xpti_reader *reader;	 /* its pins; NULL until it first notifies someone */
	const struct tl_xpti_told *told; /* of subscribers.c */
	uint32_t number;		 /* from 1; 0: not given yet */
	bool stashed;
	bool starting, ending; /* it begins, or ends, the framework */
	const char *stash_key;
	uint64_t stash_value;
	uint64_t universal_id;
	xpti_tracepoint_if *scope;
	/* to see that the scope's trace point is still the one that it was */
	uint64_t scope_uid;
};

extern _Thread_local struct tl_xpti_thread tl_xpti_thread
	__attribute__((tls_model("initial-exec")));

#endif
