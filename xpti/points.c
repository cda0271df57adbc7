/*
 * points.c: trace points: places in the code, the events that are made of them, and their uids.
 *
 * A place is (source file, function, line, column); it is put in once, and counts its events. Each call that registers or makes something makes a new
 * trace point of the place, with a uid of its own.
 *
 * Slabs are 256 KiB, aligned to that, of one pool; threads are spread over the pools. A uid is generation << 32 | slab << 10 | slot, plus 1; the
 * generation starts from 1 and is counted up each time that a slot is used, so no small number is a uid, and none names two trace points.
 *
 * A released trace point is at once found no more. Its slot becomes free in batches, when every notification has ended that had begun
 * by then: its metadata may be iterated in a callback.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "xpti/dispatcher.h"
#include "xpti/ids.h"
#include "xpti/index.h"
#include "xpti/pins.h"

/* ---- places ---- */

enum { SHARDS = 32 };

struct place {
	struct tl_entry_head head;
	struct tl_xpti_text *name, *file;
	uint32_t line, column;
	_Atomic uint64_t instances;
};

static struct tl_index places[SHARDS] = { [0 ... SHARDS - 1] = TL_INDEX_INITIALIZER };

static bool same_place(const struct tl_entry_head *entry, const void *key_)
{
	const struct place *place = (const struct place *)entry, *key = key_;

	return place->name == key->name && place->file == key->file && place->line == key->line && place->column == key->column;
}

/* Under the shard's lock. */
static struct place *put_in(struct tl_index *shard, uint64_t hash, const struct place *key)
{
	struct place *place = tl_index_alloc(shard, sizeof(*place));

	if (!place)
		return NULL;
	place->head.hash = hash;
	place->name = key->name;
	place->file = key->file;
	place->line = key->line;
	place->column = key->column;
	atomic_store_explicit(&place->instances, 0, memory_order_relaxed);
	return tl_index_put(shard, &place->head) ? place : NULL;
}

static struct place *place_of(const struct place *key)
{
	uint64_t hash = tl_hash_mix(tl_hash_mix((uintptr_t)key->name, (uintptr_t)key->file), (uint64_t)key->line << 32 | key->column);
	struct tl_index *shard = &places[tl_index_shard(hash, SHARDS)];
	struct place *place = (struct place *)tl_index_find(shard, hash, same_place, key);

	if (!place) {
		pthread_mutex_lock(&shard->lock);
		place = (struct place *)tl_index_find(shard, hash, same_place, key);
		if (!place)
			place = put_in(shard, hash, key);
		pthread_mutex_unlock(&shard->lock);
	}
	return place;
}

/* Under all locks. */
static void forget_instances(void)
{
	for (int i = 0; i < SHARDS; i++) {
		struct tl_index_array *array = atomic_load_explicit(&places[i].array, memory_order_relaxed);
		for (size_t k = 0; array && k <= array->mask; k++) {
			struct tl_entry_head *entry = atomic_load_explicit(&array->at[k], memory_order_relaxed);
			if (entry)
				atomic_store_explicit(&((struct place *)entry)->instances, 0, memory_order_relaxed);
		}
	}
}

/* ---- slabs ---- */

enum { POOLS = 16, SLAB = 256 << 10, SLOT_BITS = 10, BATCH = 256 };

struct pool;

struct slab {
	struct tl_entry_head head;		/* of the index of slabs, by address */
	struct pool *pool;
	uint32_t number;
	_Atomic uint32_t used;			/* slots that have ever been */
	_Alignas(64) struct tl_xpti_point points[];
};

enum { SLOTS = (SLAB - sizeof(struct slab)) / sizeof(struct tl_xpti_point) };
_Static_assert(SLOTS <= 1 << SLOT_BITS, "a slot's number has room");

/* Released trace points that wait. */
struct batch {
	struct tl_xpti_point *first;
	uint32_t count;
	uint64_t epoch;				/* free when all notifications are of this one, or later */
};

struct pool {
	_Alignas(64) pthread_mutex_t lock;
	struct slab *slab;			/* with slots that have never been used */
	struct tl_xpti_point *free;
	struct batch released, sealed;
};

static struct pool pools[POOLS] = { [0 ... POOLS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER } };
static struct tl_ids slabs;
static struct tl_index addresses = TL_INDEX_INITIALIZER;
static uint32_t nslabs;				/* protected by addresses.lock */
static _Atomic uint32_t threads;

static struct pool *own_pool(void)
{
	if (unlikely(!tl_xpti_thread.number))
		tl_xpti_thread.number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
	return &pools[tl_xpti_thread.number % POOLS];
}

static bool same_address(const struct tl_entry_head *entry, const void *address)
{
	return entry == address;
}

static uint64_t hash_of(const void *slab)
{
	return tl_hash_mix((uintptr_t)slab, 0);
}

/* Aligned memory: twice as much, less what is too much. */
static void *map_aligned(void)
{
	char *all = mmap(NULL, 2 * SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	char *aligned = (char *)(((uintptr_t)all + SLAB - 1) & ~(uintptr_t)(SLAB - 1));
	if (aligned > all)
		munmap(all, (size_t)(aligned - all));
	munmap(aligned + SLAB, (size_t)(all + SLAB - aligned));
	return aligned;
}

/* Of LeakSanitizer, where a program has it: what trace points hold is not lost. */
extern void __lsan_register_root_region(const void *begin, size_t size) __attribute__((weak));

static struct slab *make_slab(struct pool *pool)
{
	struct slab *slab = map_aligned();

	if (!slab)
		return NULL;
#ifdef MADV_POPULATE_WRITE
	/* Who has filled one fills this one, too: one call costs less than a fault for every page. Where that doesn't work, they fault. */
	if (pool->slab)
		madvise(slab, SLAB, MADV_POPULATE_WRITE);
#endif
	slab->head.hash = hash_of(slab);
	slab->pool = pool;
	pthread_mutex_lock(&addresses.lock);
	slab->number = nslabs;
	/* Once an address or a uid can lead there it stays, even where memory is too short to use it. */
	bool found = nslabs < 1u << (32 - SLOT_BITS) && tl_index_put(&addresses, &slab->head), in = found && tl_ids_put(&slabs, nslabs, slab);
	nslabs += in;
	pthread_mutex_unlock(&addresses.lock);
	if (!found)
		munmap(slab, SLAB);
	if (in && __lsan_register_root_region)
		__lsan_register_root_region(slab, SLAB);
	return in ? slab : NULL;
}

struct tl_xpti_point *tl_xpti_point_at(const void *address, size_t offset)
{
	uintptr_t at = (uintptr_t)address - offset;
	struct slab *slab = (struct slab *)(at & ~(uintptr_t)(SLAB - 1));

	if (!address || !tl_index_find(&addresses, hash_of(slab), same_address, slab))
		return NULL;
	size_t in = at - (uintptr_t)slab->points;
	/* Acquire pairs with take_slot's release: the slot's generation and interfaces. */
	if (in % sizeof(struct tl_xpti_point) || in / sizeof(struct tl_xpti_point) >= atomic_load_explicit(&slab->used, memory_order_acquire))
		return NULL;
	struct tl_xpti_point *point = &slab->points[in / sizeof(struct tl_xpti_point)];
	return tl_xpti_point_uid(point) ? point : NULL;
}

static struct tl_xpti_point *point_of_uid(uint64_t uid)
{
	uint32_t at = (uint32_t)uid - 1;
	struct slab *slab = uid >> 32 ? tl_ids_get(&slabs, at >> SLOT_BITS) : NULL;
	uint32_t slot = at & ((1u << SLOT_BITS) - 1);

	if (!slab || slot >= SLOTS || tl_xpti_point_uid(&slab->points[slot]) != uid)
		return NULL;
	return &slab->points[slot];
}

static struct slab *slab_of(const struct tl_xpti_point *point)
{
	return (struct slab *)((uintptr_t)point & ~(uintptr_t)(SLAB - 1));
}

/* ---- releasing; under the pool's lock ---- */

static void make_free(struct pool *pool, struct batch *batch)
{
	while (batch->first) {
		struct tl_xpti_point *point = batch->first;
		batch->first = point->next;
		tl_xpti_metadata_clear(&point->event.metadata);
		point->next = pool->free;
		pool->free = point;
	}
	batch->count = 0;
}

/* Make free what can be, and let what has been released since begin to wait. */
static void turn_over(struct pool *pool)
{
	tl_xpti_heavy_barrier();
	if (pool->sealed.first && tl_xpti_all_since(pool->sealed.epoch))
		make_free(pool, &pool->sealed);
	if (!pool->sealed.first) {
		pool->sealed = pool->released;
		pool->sealed.epoch = atomic_fetch_add_explicit(&tl_xpti_epoch, 1, memory_order_seq_cst) + 1;
		pool->released = (struct batch){ NULL, 0, 0 };
	}
}

static bool release(struct pool *pool, struct tl_xpti_point *point)
{
	if (!atomic_exchange_explicit(&point->uid, 0, memory_order_acq_rel))
		return false;
	point->next = pool->released.first;
	pool->released.first = point;
	pool->released.count++;
	return true;
}

bool tl_xpti_point_release(struct tl_xpti_point *point)
{
	struct pool *pool = slab_of(point)->pool;

	pthread_mutex_lock(&pool->lock);
	bool was = release(pool, point);
	if (pool->released.count >= BATCH && pool->released.count % BATCH == 0)
		turn_over(pool);
	pthread_mutex_unlock(&pool->lock);
	return was;
}

/* ---- making ---- */

/* A slot that is free, or has never been used. Under the pool's lock. */
static struct tl_xpti_point *take_slot(struct pool *pool)
{
	struct tl_xpti_point *point = pool->free;

	if (point) {
		pool->free = point->next;
		return point;
	}
	if (!pool->slab || atomic_load_explicit(&pool->slab->used, memory_order_relaxed) == SLOTS)
		pool->slab = make_slab(pool);
	if (!pool->slab)
		return NULL;
	uint32_t used = atomic_load_explicit(&pool->slab->used, memory_order_relaxed);
	point = &pool->slab->points[used];
	tl_xpti_interfaces_init(point);
	tl_xpti_metadata_init(&point->event.metadata);
	/* Release pairs with tl_xpti_point_at's acquire. */
	atomic_store_explicit(&pool->slab->used, used + 1, memory_order_release);
	return point;
}

static uint64_t next_uid(struct tl_xpti_point *point)
{
	struct slab *slab = slab_of(point);

	if (++point->generation == 0)
		point->generation = 1;
	return ((uint64_t)point->generation << 32 | slab->number << SLOT_BITS | (uint32_t)(point - slab->points)) + 1;
}

static bool is_text(const char *text)
{
	return text && *text;
}

static struct tl_xpti_text *text_or(const char *text, bool given, const char *otherwise)
{
	return tl_xpti_text(given && is_text(text) ? text : otherwise);
}

static bool is_valid(const xpti_payload *payload)
{
	return payload && (payload->flags & (xpti_payload_has_name | xpti_payload_has_source_file));
}

static void fill_payload(struct tl_xpti_point *point, const xpti_payload *from, const struct place *place, uint64_t uid)
{
	struct tl_xpti_text *stack = from->flags & xpti_payload_has_stack_trace && is_text(from->stack_trace) ?
				     tl_xpti_text(from->stack_trace) : NULL;

	point->name_id = tl_xpti_text_number(place->name);
	point->file_id = tl_xpti_text_number(place->file);
	point->payload = (xpti_payload){
		.name = tl_xpti_text_of(place->name), .source_file = tl_xpti_text_of(place->file),
		.stack_trace = stack ? tl_xpti_text_of(stack) : NULL,
		.line_no = from->line_no, .column_no = from->column_no, .code_ptr_va = from->code_ptr_va, .internal = uid,
		.flags = from->flags | xpti_payload_registered | xpti_payload_has_hash,
		.uid_p1 = (uint64_t)point->file_id << 32 | from->line_no, .uid_p2 = point->name_id,
	};
}

static void fill_event(struct tl_xpti_point *point, uint64_t uid, uint64_t instance)
{
	xpti_event *event = &point->event;

	event->unique_id = uid;
	event->data_id = event->instance_id = instance;
	event->event_type = event->activity_type = 0;
	event->unused = 0;
	event->source_id = event->target_id = 0;
	event->payload = &point->payload;
	event->global_user_data = NULL;
	event->flags = xpti_event_has_uid | xpti_event_has_payload;
	point->cursor = NULL;
}

/* A new trace point of a valid payload's place. NULL: no memory. */
static struct tl_xpti_point *make(const xpti_payload *payload, uint16_t event_type, int32_t activity)
{
	struct place key = { .name = text_or(payload->name, payload->flags & xpti_payload_has_name, "unknown"),
			     .file = text_or(payload->source_file, payload->flags & xpti_payload_has_source_file, "unknown-file"),
			     .line = payload->line_no, .column = payload->column_no };
	struct place *place = key.name && key.file ? place_of(&key) : NULL;
	struct pool *pool = own_pool();

	if (!place)
		return NULL;
	pthread_mutex_lock(&pool->lock);
	struct tl_xpti_point *point = take_slot(pool);
	if (point) {
		uint64_t uid = next_uid(point);
		fill_payload(point, payload, place, uid);
		fill_event(point, uid, atomic_fetch_add_explicit(&place->instances, 1, memory_order_relaxed) + 1);
		point->event.event_type = event_type;
		point->event.activity_type = (uint16_t)activity;
		if (event_type || activity)
			point->event.flags |= xpti_event_has_event_type | xpti_event_has_activity_type;
		/* Release pairs with tl_xpti_point_uid's acquire. */
		atomic_store_explicit(&point->uid, uid, memory_order_release);
	}
	pthread_mutex_unlock(&pool->lock);
	return point;
}

static void release_all(struct pool *pool, struct slab *slab)
{
	uint32_t used = atomic_load_explicit(&slab->used, memory_order_relaxed);

	for (uint32_t i = 0; i < used; i++)
		release(pool, &slab->points[i]);
}

void tl_xpti_points_reset(void)
{
	tl_xpti_points_lock();
	for (uint32_t i = 0; i < nslabs; i++) {
		struct slab *slab = tl_ids_get(&slabs, i);
		release_all(slab->pool, slab);
	}
	/* Those that were waiting; those of now; and these at once, where no notification is under way. */
	for (int i = 0; i < POOLS; i++)
		for (int turn = 0; turn < 3 && (pools[i].released.first || pools[i].sealed.first); turn++)
			turn_over(&pools[i]);
	forget_instances();
	tl_xpti_points_unlock();
}

void tl_xpti_points_lock(void)
{
	tl_index_lock_all(places, SHARDS);
	for (int i = 0; i < POOLS; i++)
		pthread_mutex_lock(&pools[i].lock);
	pthread_mutex_lock(&addresses.lock);
}

void tl_xpti_points_unlock(void)
{
	pthread_mutex_unlock(&addresses.lock);
	for (int i = 0; i < POOLS; i++)
		pthread_mutex_unlock(&pools[i].lock);
	tl_index_unlock_all(places, SHARDS);
}

/* ---- events that others have made ---- */

/*
 * Programs may pass events that they have filled in themselves. One of those, or NULL where there is none: the memory is asked, not read, and a
 * pointer that leads nowhere does no harm.
 */
static const xpti_event *foreign_event(const xpti_event *event, xpti_event *copy)
{
	struct iovec to = { copy, sizeof(*copy) }, from = { (void *)event, sizeof(*event) };
	struct slab *slab = (struct slab *)((uintptr_t)event & ~(uintptr_t)(SLAB - 1));

	if (!event || (uintptr_t)event % _Alignof(xpti_event) || tl_index_find(&addresses, hash_of(slab), same_address, slab))
		return NULL;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*copy) ? copy : NULL;
}

/* ---- the functions ---- */

uint64_t xptiRegisterPayload(xpti_payload *payload)
{
	tl_xpti_start();
	struct tl_xpti_point *point = is_valid(payload) ? make(payload, 0, 0) : NULL;
	if (!point)
		return XPTI_INVALID_UID;
	payload->internal = point->payload.internal;
	payload->flags |= xpti_payload_registered;
	payload->uid_p1 = point->payload.uid_p1;
	payload->uid_p2 = point->payload.uid_p2;
	return payload->internal;
}

xpti_event *xptiMakeEvent(const char *name, xpti_payload *payload, uint16_t event_type, int32_t activity, uint64_t *instance)
{
	tl_xpti_start();
	struct tl_xpti_point *point = instance && is_valid(payload) ? make(payload, event_type, activity) : NULL;
	if (!point)
		return NULL;
	point->event.flags |= xpti_event_has_event_type | xpti_event_has_activity_type;
	*instance = point->event.instance_id;
	return &point->event;
}

const xpti_event *xptiFindEvent(uint64_t uid)
{
	tl_xpti_start();
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
	if (likely(tl_xpti_point_of(event, event) != NULL))
		return &event->metadata;
	xpti_event copy;
	return foreign_event(event, &copy) ? &event->metadata : NULL;
}

void xptiReleaseEvent(xpti_event *event)
{
	tl_xpti_start();
	struct tl_xpti_point *point = tl_xpti_point_of(event, event);
	if (point)
		tl_xpti_point_release(point);
}

xpti_tracepoint_if *xptiCreateTracepoint(const char *function, const char *file, uint32_t line, uint32_t column, void *code_ptr_va)
{
	xpti_payload payload = XPTI_PAYLOAD(function, file, line, column);

	tl_xpti_start();
	payload.code_ptr_va = code_ptr_va;
	if (!is_text(function) && !is_text(file))
		payload.line_no = payload.column_no = 0;
	struct tl_xpti_point *point = make(&payload, 0, 0);
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
