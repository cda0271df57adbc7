/* SPDX-License-Identifier: MIT */
/*
 * trace_points.c: trace points, their events and their uids.
 *
 * Each call that registers a payload or makes an event makes a new trace point of the place
 * (code_places.h), with a uid of its own.
 *
 * A slab has 256 KiB, aligned to its size, and belongs to one pool (pools.h). A uid is
 * (generation << 32 | slab << 10 | slot) + 1. The generation of a slot starts at 1 and grows each
 * time that the slot is used. So no small number is a uid, and no uid names two trace points.
 *
 * A released trace point can't be found any more. Its slot becomes free later, in a batch, when all
 * notifications have ended that had begun by then: a callback may be iterating its metadata.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "xpti/dispatcher/trace_points.h"
#include "xpti/dispatcher/cxx_interfaces.h"
#include "xpti/dispatcher/event_metadata.h"
#include "xpti/dispatcher/id_table.h"
#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/pins.h"
#include "xpti/dispatcher/code_places.h"
#include "xpti/dispatcher/pools.h"
#include "xpti/dispatcher/string_table.h"

/* ---- slabs ---- */

enum { SLAB = 256 << 10, SLOT_BITS = 10, BATCH = 256 };

struct slab {
	struct tl_entry entry; /* of the index of slabs, by address */
	struct tl_pool *pool;
	uint32_t number;
	_Atomic uint32_t used; /* slots that have ever been */
	_Alignas(64) struct tl_xpti_point points[];
};

enum { SLOTS = (SLAB - sizeof(struct slab)) / sizeof(struct tl_xpti_point) };
enum { TOGETHER = 64 }; /* how many slots get their memory at once */
_Static_assert(SLOTS <= 1 << SLOT_BITS, "a slot's number has room");

/* Released trace points that wait to become free. */
struct batch {
	struct tl_xpti_point *first;
	uint32_t count;
	/* free when all notifications began in this epoch or later */
	uint64_t epoch;
};

/* A pool's trace points; protected by its lock. */
struct points {
	_Alignas(64) struct slab *slab; /* with slots that have never been used */
	struct tl_xpti_point *free;
	struct batch released, sealed;
};

static struct points points_of[TL_POOLS];
static struct tl_ids slabs;
static struct tl_index addresses;
/* Held by a thread that makes a slab, so that numbers have no gaps. */
static pthread_mutex_t slabs_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t nslabs; /* protected by it */

static bool slab_is_at(const struct tl_entry *entry, const void *address)
{
	return entry == address;
}

static uint64_t slab_hash(const void *slab)
{
	return tl_hash_mix((uintptr_t)slab, 0);
}

/* Where a program has LeakSanitizer: what trace points point to is not lost. */
extern void __lsan_register_root_region(const void *begin, size_t size) __attribute__((weak));

static struct slab *slab_make(struct tl_pool *pool)
{
	struct slab *slab = tl_region_take(SLAB, SLAB);
	struct tl_index_place at;

	if (!slab)
		return NULL;
	slab->pool = pool;
	pthread_mutex_lock(&slabs_lock);
	slab->number = nslabs;
	/*
	 * Once an address or a uid can lead to the slab it stays, even where memory is too short
	 * to use it.
	 */
	bool in = nslabs < 1u << (32 - SLOT_BITS) && tl_ids_put(&slabs, nslabs, slab);
	if (in) {
		nslabs++;
		tl_index_find_at(&addresses, &at, slab_hash(slab), slab_is_at, slab);
		tl_index_put(&at, &slab->entry, slab_is_at, slab);
	}
	pthread_mutex_unlock(&slabs_lock);
	if (in && __lsan_register_root_region)
		__lsan_register_root_region(slab, SLAB);
	return in ? slab : NULL;
}

struct tl_xpti_point *tl_xpti_point_at(const void *address, size_t offset)
{
	uintptr_t at = (uintptr_t)address - offset;
	struct slab *slab = (struct slab *)(at & ~(uintptr_t)(SLAB - 1));

	if (!address || !tl_index_find(&addresses, slab_hash(slab), slab_is_at, slab))
		return NULL;
	size_t in = at - (uintptr_t)slab->points;
	/*
	 * Acquire pairs with slot_take's release: this thread sees the slot's generation and
	 * interfaces.
	 */
	if (in % sizeof(struct tl_xpti_point) ||
	    in / sizeof(struct tl_xpti_point) >=
		    atomic_load_explicit(&slab->used, memory_order_acquire))
		return NULL;
	struct tl_xpti_point *point = &slab->points[in / sizeof(struct tl_xpti_point)];
	return tl_xpti_point_uid(point) ? point : NULL;
}

static inline __attribute__((always_inline)) struct tl_xpti_point *point_of_uid(uint64_t uid)
{
	uint32_t at = (uint32_t)uid - 1;
	struct slab *slab = uid >> 32 ? tl_ids_get_low(&slabs, at >> SLOT_BITS) : NULL;
	uint32_t slot = at & ((1u << SLOT_BITS) - 1);

	if (!slab || slot >= SLOTS || tl_xpti_point_uid(&slab->points[slot]) != uid)
		return NULL;
	return &slab->points[slot];
}

static struct slab *slab_of(const struct tl_xpti_point *point)
{
	return (struct slab *)((uintptr_t)point & ~(uintptr_t)(SLAB - 1));
}

/* ---- releasing; the caller holds the pool's lock ---- */

static void batch_make_free(struct points *points, struct batch *batch)
{
	while (batch->first) {
		struct tl_xpti_point *point = batch->first;
		batch->first = point->next;
		tl_xpti_metadata_clear(&point->event.metadata);
		point->cursor = NULL;
		point->next = points->free;
		points->free = point;
	}
	batch->count = 0;
}

/* Free the batches that can be freed, and seal what was released since then: it begins to wait. */
static void points_turn_over(struct points *points)
{
	tl_xpti_heavy_barrier();
	if (points->sealed.first && tl_xpti_all_since(points->sealed.epoch))
		batch_make_free(points, &points->sealed);
	if (!points->sealed.first) {
		points->sealed = points->released;
		points->sealed.epoch =
			atomic_fetch_add_explicit(&tl_xpti_epoch, 1, memory_order_seq_cst) + 1;
		points->released = (struct batch){NULL, 0, 0};
	}
}

static bool point_release_in(struct points *points, struct tl_xpti_point *point)
{
	if (!atomic_exchange_explicit(&point->uid, 0, memory_order_acq_rel))
		return false;
	point->next = points->released.first;
	points->released.first = point;
	points->released.count++;
	return true;
}

bool tl_xpti_point_release(struct tl_xpti_point *point)
{
	struct tl_pool *pool = slab_of(point)->pool;
	struct points *points = &points_of[tl_pool_number(pool)];

	pthread_mutex_lock(&pool->lock);
	bool was = point_release_in(points, point);
	if (points->released.count >= BATCH && points->released.count % BATCH == 0)
		points_turn_over(points);
	pthread_mutex_unlock(&pool->lock);
	return was;
}

/* ---- making ---- */

/* A slot that is free or was never used. The caller holds the pool's lock. */
static struct tl_xpti_point *slot_take(struct tl_pool *pool)
{
	struct points *points = &points_of[tl_pool_number(pool)];
	struct tl_xpti_point *point = points->free;

	if (point) {
		points->free = point->next;
		return point;
	}
	if (!points->slab ||
	    atomic_load_explicit(&points->slab->used, memory_order_relaxed) == SLOTS)
		points->slab = slab_make(pool);
	if (!points->slab)
		return NULL;
	uint32_t used = atomic_load_explicit(&points->slab->used, memory_order_relaxed);
	point = &points->slab->points[used];
	if (used % TOGETHER == 0)
		tl_region_populate(point, (SLOTS - used < TOGETHER ? SLOTS - used : TOGETHER) *
						  sizeof(*point));
	/*
	 * All of a slot is written before it is read. A page that is read first faults again when
	 * it is written, and that second fault stops all threads that run.
	 */
	point->generation = 0;
	tl_xpti_interfaces_init(point);
	tl_xpti_metadata_init(&point->event.metadata);
	/* Release pairs with tl_xpti_point_at's acquire. */
	atomic_store_explicit(&points->slab->used, used + 1, memory_order_release);
	return point;
}

static uint64_t point_next_uid(struct tl_xpti_point *point)
{
	struct slab *slab = slab_of(point);

	if (++point->generation == 0)
		point->generation = 1;
	return ((uint64_t)point->generation << 32 | slab->number << SLOT_BITS |
		(uint32_t)(point - slab->points)) +
	       1;
}

static bool is_text(const char *text)
{
	return text && *text;
}

/* As in the original, a text that is given may be empty. */
static const char *text_or(const char *text, bool given, const char *otherwise)
{
	return given && text ? text : otherwise;
}

#define NO_FUNCTION "<unknown-function>"
#define NO_FILE	    "<unknown-file>"

/*
 * A file says too little without a line (0xffffffff is none). A name, a file or a code address that
 * is NULL says nothing.
 */
static bool payload_is_valid(const xpti_payload *payload)
{
	const uint64_t line = xpti_payload_has_source_file | xpti_payload_has_line;

	return payload &&
	       ((payload->flags & xpti_payload_has_name && payload->name) ||
		((payload->flags & line) == line && payload->source_file &&
		 payload->line_no != UINT32_MAX) ||
		(payload->flags & xpti_payload_has_code_pointer && payload->code_ptr_va));
}

static void point_fill_payload(struct tl_pool *pool, struct tl_xpti_point *point,
			       const xpti_payload *from, const struct tl_xpti_place *place,
			       uint64_t uid)
{
	const struct tl_xpti_text *stack = NULL;

	if (unlikely(from->flags & xpti_payload_has_stack_trace && is_text(from->stack_trace))) {
		struct tl_xpti_key key = tl_xpti_key(from->stack_trace);
		stack = tl_xpti_text(pool, &key, false);
	}

	point->name_id = tl_xpti_text_number(place->name);
	point->file_id = tl_xpti_text_number(place->file);
	point->payload = (xpti_payload){
		.name = place->name->at,
		.source_file = place->file->at,
		.stack_trace = stack ? stack->at : NULL,
		.line_no = from->line_no,
		.column_no = from->column_no,
		.code_ptr_va = from->code_ptr_va,
		.internal = uid,
		/* A name and a file that were missing are there now. */
		.flags = from->flags | xpti_payload_has_name | xpti_payload_has_source_file |
			 xpti_payload_registered | xpti_payload_has_hash,
		.uid_p1 = (uint64_t)point->file_id << 32 | from->line_no,
		.uid_p2 = point->name_id,
	};
}

/* What a trace point's event has from xptiMakeEvent. */
struct kind {
	uint16_t type, activity;
	uint64_t flags;
};

static void point_fill_event(struct tl_xpti_point *point, uint64_t uid, uint64_t instance,
			     const struct kind *kind)
{
	xpti_event *event = &point->event;

	event->unique_id = uid;
	event->data_id = event->instance_id = instance;
	event->event_type = kind->type;
	event->activity_type = kind->activity;
	event->unused = 0;
	event->source_id = event->target_id = 0;
	event->payload = &point->payload;
	event->global_user_data = NULL;
	event->flags = xpti_event_has_uid | xpti_event_has_payload | kind->flags;
	point->cursor = NULL;
}

/* A new trace point at the place of a valid payload. Under the pool's lock. NULL: no memory. */
static struct tl_xpti_point *point_make_in(struct tl_pool *pool, const xpti_payload *payload,
					   const struct kind *kind)
{
	struct tl_xpti_place *place = tl_xpti_place(
		pool, text_or(payload->name, payload->flags & xpti_payload_has_name, NO_FUNCTION),
		text_or(payload->source_file, payload->flags & xpti_payload_has_source_file,
			NO_FILE),
		payload->line_no, payload->column_no);
	struct tl_xpti_point *point = place ? slot_take(pool) : NULL;

	if (!point)
		return NULL;
	uint64_t uid = point_next_uid(point);
	point_fill_payload(pool, point, payload, place, uid);
	point_fill_event(point, uid,
			 atomic_fetch_add_explicit(&place->instances, 1, memory_order_relaxed) + 1,
			 kind);
	/* Release pairs with tl_xpti_point_uid's acquire. */
	atomic_store_explicit(&point->uid, uid, memory_order_release);
	return point;
}

static struct tl_xpti_point *point_make(const xpti_payload *payload, const struct kind *kind)
{
	struct tl_pool *pool = tl_pool_own();

	pthread_mutex_lock(&pool->lock);
	struct tl_xpti_point *point = point_make_in(pool, payload, kind);
	pthread_mutex_unlock(&pool->lock);
	return point;
}

static const struct kind registered = {xpti_event_algorithm, xpti_activity_active,
				       xpti_event_has_event_type | xpti_event_has_activity_type};

static void slab_release_all(struct slab *slab)
{
	uint32_t used = atomic_load_explicit(&slab->used, memory_order_relaxed);

	for (uint32_t i = 0; i < used; i++)
		point_release_in(&points_of[tl_pool_number(slab->pool)], &slab->points[i]);
}

void tl_xpti_points_reset(void)
{
	tl_pools_lock();
	tl_xpti_slabs_lock();
	for (uint32_t i = 0; i < nslabs; i++)
		slab_release_all(tl_ids_get(&slabs, i));
	/*
	 * First the trace points that were already waiting, then those that were just released. If
	 * no notification is under way, the latter become free at once.
	 */
	for (int i = 0; i < TL_POOLS; i++)
		for (int turn = 0;
		     turn < 3 && (points_of[i].released.first || points_of[i].sealed.first); turn++)
			points_turn_over(&points_of[i]);
	tl_xpti_places_reset();
	tl_xpti_slabs_unlock();
	tl_pools_unlock();
}

void tl_xpti_slabs_lock(void)
{
	pthread_mutex_lock(&slabs_lock);
}

void tl_xpti_slabs_unlock(void)
{
	pthread_mutex_unlock(&slabs_lock);
}

/* ---- events that programs have made themselves ---- */

/* Copy memory that may not be mapped. False: it is not. */
static bool copy_checked(const void *at, void *copy, size_t size)
{
	return tl_checked_copy(copy, at, size) == size;
}

/* True if a map's buckets and its first node are mapped memory. */
static bool map_leads_somewhere(const xpti_metadata *map)
{
	xpti_metadata_node node, *bucket;

	return (!map->buckets || copy_checked(map->buckets, &bucket, sizeof(bucket))) &&
	       (!map->first || copy_checked(map->first, &node, sizeof(node)));
}

/*
 * Programs may pass events that they have filled in themselves. Returns a copy of such an event, or
 * NULL where `event` is none: a pointer to unmapped memory or to something else does no harm.
 */
static const xpti_event *foreign_event(const xpti_event *event, xpti_event *copy)
{
	struct slab *slab = (struct slab *)((uintptr_t)event & ~(uintptr_t)(SLAB - 1));

	if (!event || (uintptr_t)event % _Alignof(xpti_event) ||
	    tl_index_find(&addresses, slab_hash(slab), slab_is_at, slab))
		return NULL;
	if (!copy_checked(event, copy, sizeof(*copy)) || !tl_xpti_metadata_can_be(copy, event))
		return NULL;
	return map_leads_somewhere(&copy->metadata) ? copy : NULL;
}

xpti_metadata *tl_xpti_metadata_of(xpti_event *event)
{
	xpti_event copy;

	return likely(tl_xpti_point_of(event, event) != NULL) || foreign_event(event, &copy)
		       ? &event->metadata
		       : NULL;
}

/* ---- the functions ---- */

uint64_t xptiRegisterPayload(xpti_payload *payload)
{
	tl_xpti_start();
	struct tl_xpti_point *point =
		payload_is_valid(payload) ? point_make(payload, &registered) : NULL;
	if (!point)
		return XPTI_INVALID_UID;
	payload->internal = point->payload.internal;
	/* A name and a file that were missing are there now. */
	if (!(payload->flags & xpti_payload_has_name) || !payload->name)
		payload->name = point->payload.name;
	if (!(payload->flags & xpti_payload_has_source_file) || !payload->source_file)
		payload->source_file = point->payload.source_file;
	payload->flags |= xpti_payload_has_name | xpti_payload_has_source_file;
	/* The original says so of the first payload of a place alone. */
	if (point->event.instance_id == 1)
		payload->flags |= xpti_payload_registered;
	payload->uid_p1 = point->payload.uid_p1;
	payload->uid_p2 = point->payload.uid_p2;
	return payload->internal;
}

xpti_event *xptiMakeEvent(const char *name, xpti_payload *payload, uint16_t event_type,
			  int32_t activity, uint64_t *instance)
{
	const struct kind kind = {event_type, (uint16_t)activity,
				  xpti_event_has_event_type | xpti_event_has_activity_type};

	tl_xpti_start();
	struct tl_xpti_point *point =
		instance && payload_is_valid(payload) ? point_make(payload, &kind) : NULL;
	if (!point)
		return NULL;
	*instance = point->event.instance_id;
	return &point->event;
}

static __attribute__((noinline)) const xpti_event *find_event_first(uint64_t uid)
{
	tl_xpti_start_slowly();
	return xptiFindEvent(uid);
}

const xpti_event *xptiFindEvent(uint64_t uid)
{
	if (!tl_xpti_has_started())
		return find_event_first(uid);
	struct tl_xpti_point *point = point_of_uid(uid);
	return point ? &point->event : NULL;
}

const xpti_payload *xptiQueryPayload(xpti_event *event)
{
	tl_xpti_start();
	struct tl_xpti_point *point = tl_xpti_point_of(event, event);
	if (likely(point))
		return &point->payload;
	xpti_event copy;
	return foreign_event(event, &copy) ? copy.payload : NULL;
}

const xpti_payload *xptiQueryPayloadByUID(uint64_t uid)
{
	tl_xpti_start();
	struct tl_xpti_point *point = point_of_uid(uid);
	return point ? &point->payload : NULL;
}

xpti_metadata *xptiQueryMetadata(xpti_event *event)
{
	tl_xpti_start();
	return tl_xpti_metadata_of(event);
}

void xptiReleaseEvent(xpti_event *event)
{
	tl_xpti_start();
	struct tl_xpti_point *point = tl_xpti_point_of(event, event);
	if (point)
		tl_xpti_point_release(point);
}

/* What a payload of this place has. Where that says too little, it is the unknown place. */
static xpti_payload payload_of(const char *function, const char *file, uint32_t line,
			       uint32_t column, void *code_ptr_va)
{
	xpti_payload payload = XPTI_PAYLOAD(function, file, line, column);

	if (!is_text(function))
		payload.flags &= ~(uint64_t)xpti_payload_has_name;
	if (!is_text(file))
		payload.flags &= xpti_payload_has_name;
	if (code_ptr_va)
		payload.flags |= xpti_payload_has_code_pointer;
	payload.code_ptr_va = code_ptr_va;
	return payload_is_valid(&payload) ? payload : XPTI_PAYLOAD(NO_FUNCTION, NO_FILE, 0, 0);
}

xpti_tracepoint_if *xptiCreateTracepoint(const char *function, const char *file, uint32_t line,
					 uint32_t column, void *code_ptr_va)
{
	static const struct kind kind = {xpti_event_algorithm, xpti_activity_active,
					 xpti_event_has_event_type | xpti_event_has_activity_type};
	xpti_payload payload = payload_of(function, file, line, column, code_ptr_va);

	tl_xpti_start();
	struct tl_xpti_point *point = point_make(&payload, &kind);
	return point ? &point->tracepoint_if : NULL;
}

xpti_result xptiDeleteTracepoint(xpti_tracepoint_if *tracepoint)
{
	tl_xpti_start();
	if (!tracepoint)
		return XPTI_RESULT_INVALIDARG;
	struct tl_xpti_point *point = tl_xpti_point_of(tracepoint, tracepoint_if);
	return point && tl_xpti_point_release(point) ? XPTI_RESULT_SUCCESS : XPTI_RESULT_NOTFOUND;
}

const xpti_payload_if *xptiLookupPayload(uint64_t uid)
{
	tl_xpti_start();
	struct tl_xpti_point *point = point_of_uid(uid);
	return point ? &point->payload_if : NULL;
}

const xpti_event_if *xptiLookupEvent(uint64_t uid)
{
	tl_xpti_start();
	struct tl_xpti_point *point = point_of_uid(uid);
	return point ? &point->event_if : NULL;
}
