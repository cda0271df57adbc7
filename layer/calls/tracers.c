/* SPDX-License-Identifier: MIT */
/*
 * tracers.c: tracers, their tables of callbacks, and when these may be freed.
 *
 * The algorithm
 *
 * Each shim has a dispatch table: the callbacks of every enabled tracer that has any on this
 * function, in the order of enabling. A table never changes once it is published in shim->dispatch;
 * enabling and disabling publish a new one in its place and retire the old.
 *
 * A call pins the table that it uses: it loads shim->dispatch, stores it in its frame's .pin, and
 * loads shim->dispatch again. If that is still the same, the table is its own until it clears .pin,
 * after the last epilogue; otherwise it starts over. So a call sees one table from prologue to
 * epilogue, whatever is enabled or disabled in between: that is what makes pairs.
 *
 * A writer (they exclude each other by `lock`) publishes, executes membarrier, and then scans the
 * pins of all threads. membarrier makes every running thread execute a full barrier. A caller whose
 * second load came before it has its pin in memory, and the scan sees it; one whose second load
 * comes after sees the new table, and starts over. Hence a retired table that the scan doesn't find
 * is used by nobody and never will be, and is freed. The callers' side costs a store, a compiler
 * barrier and a load, and no fence. Where the kernel has no membarrier (or a build asks for it,
 * -DTL_PIN_SEQ_CST, for ThreadSanitizer), callers execute the fence themselves.
 *
 * Destroy waits until no pinned table contains the tracer. It counts itself in tl_tracer_attention,
 * executes membarrier, notes the futex word, scans, and sleeps until the word changes. A caller
 * clears its pin and then looks at the count: by the same argument either the scan sees the cleared
 * pin, or the caller sees the count, adds to the word and wakes the sleeper.
 *
 * dispatch_table.h has the callers' side, traced_path.c the calls that are traced and nothing else.
 *
 * models/tracer.pml is this, for spin, with the store buffers.
 */
#include "layer/calls/tracers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/settings.h"
#include "layer/base/futex.h"
#include "layer/base/membarrier.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/parameters.h"
#include "layer/calls/dispatch_table.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"
#include "layer/calls/thread.h"

/* The callbacks that a tracer has on one function. */
struct registered {
	struct tl_shim *shim;
	tl_callback callback[2]; /* by enum tl_phase */
	bool generic[2];
};

enum state { FREE, DISABLED, ENABLED, ENDING };

struct tracer {
	uint64_t generation;
	enum state state;
	void *user_data;
	unsigned levels;
	bool of_tool;
	bool gated;		       /* its callbacks run only while the gate is open */
	uint64_t turn;		       /* number of its last enabling: tables are in this order */
	struct registered *registered; /* ascending by shim */
	size_t count, room;
};

/*
 * Protects everything below, all tables but published ones, and what is retired. Nothing else is
 * locked under it, and no callback runs.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tracer *tracers;
static size_t ntracers;
static struct tl_dispatch *retired;
static bool fences;		 /* no membarrier: callers fence */
static bool gate_is_open = true; /* tl_tracer_gate */
static uint64_t turns;		 /* tracers enabled so far */

_Atomic uint32_t tl_tracer_attention;
static _Atomic uint32_t word; /* the futex of destroys that sleep */
static _Atomic(struct tl_frames *) blocks;

#define SLOT_BITS 20

static struct tl_tracer *handle_of(size_t slot)
{
	return (struct tl_tracer *)(uintptr_t)(tracers[slot].generation << SLOT_BITS | (slot + 1));
}

/* NULL for what is no living tracer. Under lock. */
static struct tracer *find(struct tl_tracer *handle)
{
	uint64_t value = (uintptr_t)handle;
	size_t slot = (value & ((1u << SLOT_BITS) - 1)) - 1;

	if (slot >= ntracers || tracers[slot].generation != value >> SLOT_BITS)
		return NULL;
	return tracers[slot].state == DISABLED || tracers[slot].state == ENABLED ? &tracers[slot]
										 : NULL;
}

/* ---- the callers' side ---- */

void tl_tracer_attend(void)
{
	/*
	 * Where callers fence: between the pin's clearing and the look at the count. Pairs with
	 * heavy_barrier.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!(atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) & ~TL_TRACER_FENCES))
		return;
	/* Release pairs with destroy's acquire load of the word: it then sees the pin cleared. */
	atomic_fetch_add_explicit(&word, 1, memory_order_acq_rel);
	int kept = errno;
	tl_futex_wake(&word);
	errno = kept;
}

typedef void (*typed_void)(void *params, void *user_data, void **instance_data);
typedef void (*typed_float)(void *params, float result, void *user_data, void **instance_data);
typedef void (*typed_double)(void *params, double result, void *user_data, void **instance_data);

static __attribute__((noinline)) void call_unusual(const struct tl_function *function,
						   tl_callback callback, void *params,
						   const void *result, void *user_data,
						   void **instance_data)
{
	double d = 0;
	float f = 0;

	if (function->result->kind == TL_KIND_VOID) {
		((typed_void)callback)(params, user_data, instance_data);
	} else if (function->result->size == sizeof(f)) {
		if (result)
			memcpy(&f, result, sizeof(f));
		((typed_float)callback)(params, f, user_data, instance_data);
	} else {
		if (result)
			memcpy(&d, result, sizeof(d));
		((typed_double)callback)(params, d, user_data, instance_data);
	}
}

static bool is_unusual(const struct tl_function *function)
{
	return function->result->kind == TL_KIND_VOID || function->result->kind == TL_KIND_FLOAT;
}

/* The others come on the stack or in several registers: only generic callbacks can take them. */
static bool can_be_typed(const struct tl_function *function)
{
	uint8_t kind = function->result->kind;

	return kind != TL_KIND_STRUCT && kind != TL_KIND_UNION && function->result->size <= 8;
}

static struct tl_view view_of(const struct tl_frame *frame, void *const *params, void *result)
{
	return (struct tl_view){.function = frame->shim->function,
				.params = params,
				.result = result,
				.flags = frame->flags,
				.depth = frame->depth,
				.caller = frame->caller,
				.start = frame->start,
				.end = frame->end};
}

static bool can_be_skipped(const struct tl_function *function)
{
	return function->result->size <= sizeof(((struct tl_frame *)NULL)->skipped);
}

static __attribute__((noinline)) void generic_prologue(struct tl_frame *frame,
						       const struct tl_entry *entry,
						       void **instance, void *const *params,
						       void *result)
{
	struct tl_view view = view_of(frame, params, result);

	if (((tl_generic_prologue)entry->prologue)(&view, entry->user_data, instance) == TL_SKIP &&
	    can_be_skipped(view.function))
		frame->flags |= TL_VIEW_SKIPPED;
}

static __attribute__((noinline)) void generic_epilogue(struct tl_frame *frame,
						       const struct tl_entry *entry,
						       void **instance, void *const *params,
						       void *result)
{
	struct tl_view view = view_of(frame, params, result);

	((tl_generic_epilogue)entry->epilogue)(&view, entry->user_data, instance);
}

/* The same from prologue to epilogue. */
static void **instances_of(struct tl_frame *frame, const struct tl_dispatch *table)
{
	return table->count <= TL_FRAME_INSTANCES || frame->room < table->count ? frame->instance
										: frame->more;
}

/*
 * No malloc: the program may be in it. Returns for how many of the table's entries there is room;
 * where memory is short, the last don't see this call.
 */
static uint32_t make_room(struct tl_frame *frame, const struct tl_dispatch *table)
{
	if (table->count <= TL_FRAME_INSTANCES || frame->room >= table->count)
		return table->count;
	uint32_t room = 2 * table->count;
	void **more = mmap(NULL, room * sizeof(*more), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (more == MAP_FAILED)
		return TL_FRAME_INSTANCES;
	if (frame->more)
		munmap(frame->more, frame->room * sizeof(*more));
	frame->more = more;
	frame->room = room;
	return table->count;
}

void tl_tracer_prologues(struct tl_call *call, struct tl_frame *frame,
			 const struct tl_dispatch *table)
{
	struct tl_shim *shim = call->shim;

	frame->shim = shim;
	frame->caller = call->caller.address;
	frame->begun = frame->ended = frame->flags = 0;
	frame->start = frame->end = 0;
	frame->skipped[0] = frame->skipped[1] = 0;
	tl_params_keep(shim->function, call->params, frame->words, TL_FRAME_WORDS);
	uint32_t count = make_room(frame, table);
	void **instance = instances_of(frame, table);
	for (uint32_t i = 0; i < count; i++, instance++) {
		const struct tl_entry *entry = &table->entries[i];
		*instance = NULL;
		frame->begun = i + 1;
		if (!entry->prologue)
			continue;
		if (entry->plain)
			((tl_typed)entry->prologue)((void *)call->params, 0, entry->user_data,
						    instance);
		else if (entry->generic_prologue)
			generic_prologue(frame, entry, instance, call->params, frame->skipped);
		else
			call_unusual(shim->function, entry->prologue, (void *)call->params, NULL,
				     entry->user_data, instance);
	}
}

bool tl_tracer_enter(struct tl_call *call, struct tl_frame *frame)
{
	const struct tl_dispatch *table = tl_pin(call->shim, frame);

	if (!table)
		return false;
	tl_tracer_prologues(call, frame, table);
	return true;
}

static void epilogues(struct tl_frame *frame, void *const *params, void *result, uint64_t word_)
{
	const struct tl_dispatch *table = atomic_load_explicit(&frame->pin, memory_order_relaxed);
	void **instances = instances_of(frame, table);

	while (frame->ended < frame->begun) {
		/* first, so that an epilogue that throws isn't run again */
		uint32_t i = frame->ended++;
		const struct tl_entry *entry = &table->entries[i];
		void **instance = &instances[i];
		if (!entry->epilogue)
			continue;
		if (entry->plain)
			((tl_typed)entry->epilogue)((void *)params, word_, entry->user_data,
						    instance);
		else if (entry->generic_epilogue)
			generic_epilogue(frame, entry, instance, params, result);
		else
			call_unusual(frame->shim->function, entry->epilogue, (void *)params, result,
				     entry->user_data, instance);
	}
	tl_unpin(frame);
}

/* The result as the register that passes it: integers by their low bytes, pointers whole. */
static uint64_t result_word(const struct tl_function *function, const void *result)
{
	uint64_t value = 0;

	if (function->result && function->result->size && function->result->size <= 8)
		memcpy(&value, result, function->result->size);
	return value;
}

uint64_t tl_tracer_skipped(struct tl_call *call, struct tl_frame *frame)
{
	memcpy(call->result, frame->skipped, call->shim->function->result->size);
	return result_word(call->shim->function, frame->skipped);
}

void tl_tracer_leave(struct tl_call *call, struct tl_frame *frame)
{
	uint64_t value = 0;

	if (__builtin_expect(call->shim->function->result->size == 4, 1))
		value = *(const uint32_t *)call->result;
	else
		value = result_word(call->shim->function, call->result);
	epilogues(frame, call->params, call->result, value);
}

void tl_tracer_unwind(struct tl_call *call, struct tl_frame *frame)
{
	uint64_t none[8] = {0};

	frame->flags |= TL_VIEW_UNWOUND;
	epilogues(frame, call->params, none, 0);
}

void tl_tracer_abandon(struct tl_frame *frame)
{
	const struct tl_function *function = frame->shim->function;
	void *params[TL_FRAME_WORDS];
	uint64_t none[8] = {0};

	for (uint32_t i = 0; i < function->count && i < TL_FRAME_WORDS; i++) {
		uint32_t at = function->params[i].offset;
		params[i] = at < TL_FRAME_WORDS ? (void *)&frame->words[at] : (void *)none;
	}
	frame->flags |= TL_VIEW_UNWOUND;
	epilogues(frame, params, none, 0);
}

/* ---- frames ---- */

struct tl_frames *tl_tracer_frames(uint32_t count)
{
	struct tl_frames *block;

	/* Acquire pairs with the give-back's release: the frames are clear. */
	for (block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		bool no = false;
		if (block->count >= count &&
		    atomic_compare_exchange_strong_explicit(
			    &block->taken, &no, true, memory_order_acquire, memory_order_relaxed)) {
			atomic_store_explicit(&block->owner, pthread_self(), memory_order_relaxed);
			return block;
		}
	}
	size_t size = sizeof(*block) + count * sizeof(struct tl_frame);
	block = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	block->count = count;
	for (uint32_t i = 0; i < count; i++)
		block->frames[i].depth = i;
	atomic_store_explicit(&block->owner, pthread_self(), memory_order_relaxed);
	atomic_store_explicit(&block->taken, true, memory_order_relaxed);
	struct tl_frames *first = atomic_load_explicit(&blocks, memory_order_relaxed);
	do
		atomic_store_explicit(&block->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&blocks, &first, block, memory_order_release,
						      memory_order_relaxed));
	return block;
}

static bool is_own(const struct tl_frames *block)
{
	return pthread_equal(atomic_load_explicit(&block->owner, memory_order_relaxed),
			     pthread_self());
}

void tl_tracer_frames_give_back(struct tl_frames *block)
{
	/*
	 * Release pairs with the scans' acquire loads: they don't look at the pins, whose tables
	 * are done with.
	 */
	atomic_store_explicit(&block->used, 0, memory_order_release);
	atomic_store_explicit(&block->taken, false, memory_order_release);
}

/* ---- the writers' side; all under lock ---- */

static void start_barriers(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	if (!tl_membarrier_register()) {
		fences = true;
		/* Before any table is published: who sees one sees this. */
		atomic_fetch_or_explicit(&tl_tracer_attention, TL_TRACER_FENCES,
					 memory_order_seq_cst);
	}
}

static void heavy_barrier(void)
{
	atomic_thread_fence(memory_order_seq_cst);
#ifndef TL_PIN_SEQ_CST
	if (!fences)
		tl_membarrier();
#endif
}

/*
 * The pins of all threads, sorted. A pin is compared, never followed: a caller that is about to
 * start over may still hold the address of a table that has been freed. Where memory is short,
 * NULL: everything counts as pinned.
 */
struct pins {
	uintptr_t *at;
	size_t count, room;
};

static int compare_pins(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

static bool collect_pins(struct pins *pins)
{
	pins->count = 0;
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (uint32_t i = 0; i < used && i < block->count; i++) {
			/*
			 * Acquire pairs with unpin's release: what the callbacks did is seen by who
			 * waited for them.
			 */
			struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_acquire);
			if (!table)
				continue;
			if (pins->count == pins->room) {
				size_t room = pins->room ? 2 * pins->room : 256;
				uintptr_t *more = realloc(pins->at, room * sizeof(*more));
				if (!more)
					return false;
				pins->at = more;
				pins->room = room;
			}
			pins->at[pins->count++] = (uintptr_t)table;
		}
	}
	if (pins->count)
		qsort(pins->at, pins->count, sizeof(*pins->at), compare_pins);
	return true;
}

static bool pinned(const struct pins *pins, const struct tl_dispatch *table)
{
	uintptr_t key = (uintptr_t)table;

	return pins->count && bsearch(&key, pins->at, pins->count, sizeof(key), compare_pins);
}

static bool contains(const struct tl_dispatch *table, const struct tl_tracer *tracer)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].tracer == tracer)
			return true;
	return false;
}

/* Free what is retired and not pinned. After a heavy barrier. */
static void reclaim(void)
{
	static struct pins pins;

	if (!retired || !collect_pins(&pins))
		return;
	for (struct tl_dispatch **at = &retired; *at;) {
		struct tl_dispatch *table = *at;
		if (pinned(&pins, table)) {
			at = &table->next;
		} else {
			*at = table->next;
			free(table);
		}
	}
}

static void publish(struct tl_shim *shim, struct tl_dispatch *table)
{
	struct tl_dispatch *old = atomic_load_explicit(&shim->dispatch, memory_order_relaxed);

	tl_api_set_dispatch(shim, table);
	if (old) {
		old->next = retired;
		retired = old;
	}
}

/* ---- which tracers are on a function ---- */

static struct registered *find_registered(const struct tracer *tracer, const struct tl_shim *shim)
{
	size_t low = 0, high = tracer->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (tracer->registered[middle].shim < shim)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tracer->count && tracer->registered[low].shim == shim
		       ? &tracer->registered[low]
		       : NULL;
}

/* What the quick path wants to know of the whole table. */
static void sum_up(struct tl_dispatch *table, const struct tl_function *function)
{
	table->words = (uint32_t)function->count;
	table->plain = function->words == function->count && function->count <= TL_FRAME_WORDS &&
		       table->count <= TL_FRAME_INSTANCES;
	for (uint32_t i = 0; i < table->count; i++)
		table->plain &= table->entries[i].plain;
}

/* The table without one tracer; *table NULL where it was the only one. */
static bool table_without(const struct tl_dispatch *old, const struct tl_shim *shim,
			  const struct tl_tracer *handle, struct tl_dispatch **table)
{
	*table = NULL;
	if (old->count == 1)
		return true;
	struct tl_dispatch *new = malloc(sizeof(*new) + (old->count - 1) * sizeof(struct tl_entry));
	if (!new)
		return false;
	new->count = 0;
	for (uint32_t i = 0; i < old->count; i++)
		if (old->entries[i].tracer != handle)
			new->entries[new->count++] = old->entries[i];
	sum_up(new, shim->function);
	*table = new;
	return true;
}

/* The table with one tracer more, at its end: the order is that of enabling. NULL: no memory. */
static struct tl_dispatch *table_with(const struct tl_dispatch *old, struct tl_tracer *handle,
				      const struct tracer *tracer,
				      const struct registered *registered)
{
	uint32_t count = old ? old->count : 0;

	struct tl_dispatch *new = malloc(sizeof(*new) + (count + 1) * sizeof(struct tl_entry));
	if (!new)
		return NULL;
	if (old)
		memcpy(new->entries, old->entries, count * sizeof(struct tl_entry));
	new->count = count + 1;
	new->entries[count] = (struct tl_entry){
		.tracer = handle,
		.prologue = registered->callback[TL_PROLOGUE],
		.epilogue = registered->callback[TL_EPILOGUE],
		.user_data = tracer->user_data,
		.generic_prologue = registered->generic[TL_PROLOGUE],
		.generic_epilogue = registered->generic[TL_EPILOGUE],
		.plain = !registered->generic[TL_PROLOGUE] && !registered->generic[TL_EPILOGUE] &&
			 !is_unusual(registered->shim->function),
	};
	sum_up(new, registered->shim->function);
	return new;
}

/*
 * One shim's next table. All that a change needs is allocated first, so that it happens whole or
 * not at all.
 */
struct change {
	struct tl_shim *shim;
	struct tl_dispatch *table;
};

static bool wanted(const struct tracer *tracer, const struct registered *registered)
{
	return (registered->callback[TL_PROLOGUE] || registered->callback[TL_EPILOGUE]) &&
	       (!tracer->levels || (registered->shim->function->level & tracer->levels));
}

/* The tables have changed: destroys that wait have to watch their functions again. Under lock. */
static void tell_destroys(void)
{
	if (atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) & ~TL_TRACER_FENCES)
		tl_tracer_attend();
}

/* Put the tracer into (or take it out of) the tables of all functions that it has callbacks for. */
static int change_tables(struct tl_tracer *handle, const struct tracer *tracer, bool in)
{
	struct change *changes = malloc((tracer->count + 1) * sizeof(*changes));
	size_t count = 0;
	bool ok = changes != NULL;

	for (size_t i = 0; ok && i < tracer->count; i++) {
		const struct registered *registered = &tracer->registered[i];
		if (!wanted(tracer, registered))
			continue;
		struct change *change = &changes[count];
		change->shim = registered->shim;
		const struct tl_dispatch *old =
			atomic_load_explicit(&change->shim->dispatch, memory_order_relaxed);
		if (in) {
			change->table = table_with(old, handle, tracer, registered);
			ok = change->table != NULL;
		} else {
			ok = table_without(old, change->shim, handle, &change->table);
		}
		count += ok;
	}
	for (size_t i = 0; i < count; i++) {
		if (ok)
			publish(changes[i].shim, changes[i].table);
		else
			free(changes[i].table);
	}
	free(changes);
	if (!ok)
		return TL_TRACER_NO_MEMORY;
	heavy_barrier();
	reclaim();
	tell_destroys();
	return TL_TRACER_OK;
}

/* ---- the public side ---- */

static struct tracer *free_slot(void)
{
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].state == FREE)
			return &tracers[i];
	if (ntracers + 1 >= 1u << SLOT_BITS)
		return NULL;
	struct tracer *more = realloc(tracers, (ntracers + 1) * sizeof(*more));
	if (!more)
		return NULL;
	tracers = more;
	tracers[ntracers] = (struct tracer){0};
	return &tracers[ntracers++];
}

static void release_slot(struct tracer *tracer)
{
	free(tracer->registered);
	*tracer = (struct tracer){.generation = tracer->generation};
}

static bool (*is_of_tool)(void); /* set once, at the start */

void tl_tracer_at_create(bool (*of_tool)(void))
{
	is_of_tool = of_tool;
}

TL_EXPORT int tl_tracer_create(const struct tl_tracer_desc *desc, struct tl_tracer **handle)
{
	int status = TL_TRACER_OK;

	if (!desc || !handle)
		return TL_TRACER_NULL;
	if (desc->size < offsetof(struct tl_tracer_desc, levels))
		return TL_TRACER_ARGUMENT;
	tl_process_start();
	tl_process_begin(); /* for its handlers of fork: the lock must not be inherited */
	pthread_mutex_lock(&lock);
	start_barriers();
	struct tracer *tracer = free_slot();
	if (tracer) {
		tracer->generation++;
		tracer->state = DISABLED;
		tracer->user_data = desc->user_data;
		tracer->of_tool = is_of_tool && is_of_tool();
		tracer->levels = desc->size >= sizeof(*desc) ? desc->levels : 0;
		*handle = handle_of((size_t)(tracer - tracers));
	} else {
		status = TL_TRACER_NO_MEMORY;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

/*
 * Lock, and find a tracer in the state that its callbacks can be changed in. Unlocked again where
 * the status is not OK.
 */
static int lock_disabled(struct tl_tracer *handle, struct tracer **tracer)
{
	if (!handle)
		return TL_TRACER_NULL;
	pthread_mutex_lock(&lock);
	*tracer = find(handle);
	int status = !*tracer			   ? TL_TRACER_UNKNOWN
		     : (*tracer)->state == ENABLED ? TL_TRACER_ENABLED
						   : TL_TRACER_OK;
	if (status != TL_TRACER_OK)
		pthread_mutex_unlock(&lock);
	return status;
}

static struct registered *registered_for(struct tracer *tracer, struct tl_shim *shim)
{
	struct registered *found = find_registered(tracer, shim);

	if (found)
		return found;
	if (tracer->count == tracer->room) {
		size_t room = tracer->room ? 2 * tracer->room : 16;
		struct registered *more = realloc(tracer->registered, room * sizeof(*more));
		if (!more)
			return NULL;
		tracer->registered = more;
		tracer->room = room;
	}
	size_t at = tracer->count++;
	while (at > 0 && tracer->registered[at - 1].shim > shim) {
		tracer->registered[at] = tracer->registered[at - 1];
		at--;
	}
	tracer->registered[at] = (struct registered){.shim = shim};
	return &tracer->registered[at];
}

static int set_callback(struct tracer *tracer, struct tl_shim *shim, enum tl_phase phase,
			tl_callback callback, bool generic)
{
	if (!callback && !find_registered(tracer, shim))
		return TL_TRACER_OK;
	struct registered *registered = registered_for(tracer, shim);
	if (!registered)
		return TL_TRACER_NO_MEMORY;
	registered->callback[phase] = callback;
	registered->generic[phase] = generic;
	return TL_TRACER_OK;
}

int tl_tracer_register_shim(struct tl_tracer *handle, struct tl_shim *shim, enum tl_phase phase,
			    tl_callback callback)
{
	struct tracer *tracer;

	if (!handle)
		return TL_TRACER_NULL;
	if ((unsigned)phase > TL_EPILOGUE || !can_be_typed(shim->function))
		return TL_TRACER_ARGUMENT;
	int status = lock_disabled(handle, &tracer);
	if (status != TL_TRACER_OK)
		return status;
	status = set_callback(tracer, shim, phase, callback, false);
	pthread_mutex_unlock(&lock);
	return status;
}

TL_EXPORT int tl_tracer_register(struct tl_tracer *handle, const char *function,
				 enum tl_phase phase, tl_callback callback)
{
	if (!handle || !function)
		return TL_TRACER_NULL;
	for (uint32_t api = 0; tl_api_library(api); api++) {
		const struct tl_shim_library *library = tl_api_library(api);
		for (uint32_t i = 0; i < library->api->count; i++)
			if (!strcmp(library->api->functions[i].name, function))
				return tl_tracer_register_shim(handle, &library->shims[i], phase,
							       callback);
	}
	return TL_TRACER_NO_FUNCTION;
}

TL_EXPORT int tl_tracer_register_glob(struct tl_tracer *handle, const char *api_name,
				      const char *globs, tl_generic_prologue prologue,
				      tl_generic_epilogue epilogue)
{
	struct tracer *tracer;
	bool matched = false;

	if (!handle || !globs)
		return TL_TRACER_NULL;
	int status = lock_disabled(handle, &tracer);
	if (status != TL_TRACER_OK)
		return status;
	for (uint32_t api = 0; tl_api_library(api); api++) {
		const struct tl_shim_library *library = tl_api_library(api);
		if (api_name && strcmp(api_name, library->api->name))
			continue;
		for (uint32_t i = 0; status == TL_TRACER_OK && i < library->api->count; i++) {
			if (!tl_glob_any(globs, library->api->functions[i].name))
				continue;
			matched = true;
			status = set_callback(tracer, &library->shims[i], TL_PROLOGUE,
					      (tl_callback)prologue, true);
			if (status == TL_TRACER_OK)
				status = set_callback(tracer, &library->shims[i], TL_EPILOGUE,
						      (tl_callback)epilogue, true);
		}
	}
	pthread_mutex_unlock(&lock);
	return status == TL_TRACER_OK && !matched ? TL_TRACER_NO_FUNCTION : status;
}

TL_EXPORT int tl_tracer_reset(struct tl_tracer *handle)
{
	struct tracer *tracer;
	int status = lock_disabled(handle, &tracer);

	if (status != TL_TRACER_OK)
		return status;
	tracer->count = 0;
	pthread_mutex_unlock(&lock);
	return TL_TRACER_OK;
}

/* Whether it is enabled or not, no table has it. */
static bool is_shut_out(const struct tracer *tracer)
{
	return tracer->gated && !gate_is_open;
}

static int set_enabled(struct tl_tracer *handle, bool enable)
{
	int status = TL_TRACER_OK;

	if (!handle)
		return TL_TRACER_NULL;
	pthread_mutex_lock(&lock);
	struct tracer *tracer = find(handle);
	if (tracer && enable && tracer->state != ENABLED)
		tracer->turn = ++turns;
	if (!tracer)
		status = TL_TRACER_UNKNOWN;
	else if (enable != (tracer->state == ENABLED) && !is_shut_out(tracer))
		status = change_tables(handle, tracer, enable);
	if (tracer && status == TL_TRACER_OK)
		tracer->state = enable ? ENABLED : DISABLED;
	pthread_mutex_unlock(&lock);
	return status;
}

TL_EXPORT int tl_tracer_enable(struct tl_tracer *handle)
{
	return set_enabled(handle, true);
}

TL_EXPORT int tl_tracer_disable(struct tl_tracer *handle)
{
	return set_enabled(handle, false);
}

/* The first gated tracer that was enabled after that turn; NULL: none was. Under lock. */
static struct tracer *next_gated(uint64_t turn)
{
	struct tracer *next = NULL;

	for (size_t i = 0; i < ntracers; i++) {
		struct tracer *tracer = &tracers[i];
		if (tracer->gated && tracer->state == ENABLED && tracer->turn > turn &&
		    (!next || tracer->turn < next->turn))
			next = tracer;
	}
	return next;
}

int tl_tracer_put_behind_gate(struct tl_tracer *handle)
{
	struct tracer *tracer;
	int status = lock_disabled(handle, &tracer);

	if (status != TL_TRACER_OK)
		return status;
	tracer->gated = true;
	pthread_mutex_unlock(&lock);
	return TL_TRACER_OK;
}

int tl_tracer_gate(bool always, const _Atomic uint32_t *count)
{
	int status = TL_TRACER_OK;
	uint64_t last = 0;

	pthread_mutex_lock(&lock);
	bool open = always || atomic_load_explicit(count, memory_order_relaxed);
	if (open != gate_is_open) {
		for (struct tracer *tracer = next_gated(0); tracer && status == TL_TRACER_OK;
		     tracer = next_gated(last)) {
			status = change_tables(handle_of((size_t)(tracer - tracers)), tracer, open);
			if (status == TL_TRACER_OK)
				last = tracer->turn;
		}
		if (status == TL_TRACER_OK)
			gate_is_open = open;
		/*
		 * All or none: those that were changed are changed back. They free what they took,
		 * so there is memory.
		 */
		for (struct tracer *tracer = status == TL_TRACER_OK ? NULL : next_gated(0);
		     tracer && tracer->turn <= last; tracer = next_gated(tracer->turn))
			change_tables(handle_of((size_t)(tracer - tracers)), tracer, !open);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

void tl_tracer_disable_tools(void)
{
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].of_tool && tracers[i].state == ENABLED)
			tl_tracer_disable(handle_of(i));
}

/* A retired table with this tracer; what isn't in the list may have been freed. */
static bool is_retired_with(const struct tl_dispatch *pinned, const struct tl_tracer *handle)
{
	for (const struct tl_dispatch *table = retired; table; table = table->next)
		if (table == pinned)
			return contains(table, handle);
	return false;
}

/*
 * Some call has pinned a table with this tracer, which is no longer in any published one. Under
 * lock, after a heavy barrier. Takes no memory: destroy must not fail, nor wait for what it doesn't
 * know.
 */
static bool still_in(const struct tl_tracer *handle)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire);
	     retired && block; block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (uint32_t i = 0; i < used && i < block->count; i++) {
			/* Acquire pairs with unpin's release, as in collect_pins. */
			const struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_acquire);
			if (table && is_retired_with(table, handle))
				return true;
		}
	}
	return false;
}

static bool own_call_has(const struct tl_tracer *handle)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_acquire); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		if (!atomic_load_explicit(&block->taken, memory_order_relaxed) || !is_own(block))
			continue;
		uint32_t used = atomic_load_explicit(&block->used, memory_order_relaxed);
		for (uint32_t i = 0; i < used; i++) {
			const struct tl_dispatch *table =
				atomic_load_explicit(&block->frames[i].pin, memory_order_relaxed);
			if (table && contains(table, handle))
				return true;
		}
	}
	return false;
}

/*
 * Make the calls of the tracer's functions come to us although nobody has callbacks there any more.
 * A call that was left by longjmp ends at its thread's next call, and that must not go straight to
 * the driver while destroy waits for it. Under lock.
 */
static void watch(const struct tracer *tracer, bool on)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct tl_shim *shim = tracer->registered[i].shim;
		if (!atomic_load_explicit(&shim->dispatch, memory_order_relaxed))
			tl_api_set_mode(shim, on ? TL_MODE_TRACERS : 0, on ? 0 : TL_MODE_TRACERS);
	}
}

TL_EXPORT int tl_tracer_destroy(struct tl_tracer *handle)
{
	struct tracer *tracer;

	if (tl_self)
		tl_call_end_left(tl_self, TL_CALLER);
	int status = lock_disabled(handle, &tracer);
	if (status == TL_TRACER_ENABLED)
		return TL_TRACER_IN_USE;
	if (status != TL_TRACER_OK)
		return status;
	if (own_call_has(handle)) {
		pthread_mutex_unlock(&lock);
		return TL_TRACER_IN_USE;
	}
	tracer->state = ENDING;
	size_t slot = (size_t)(tracer - tracers);
	bool watched = false;
	/*
	 * Relaxed: the heavy barrier orders it before the scan, and against callers' light
	 * barriers.
	 */
	atomic_fetch_add_explicit(&tl_tracer_attention, 1, memory_order_relaxed);
	heavy_barrier();
	for (;;) {
		/* Acquire pairs with the release in tl_tracer_attend. */
		uint32_t seen = atomic_load_explicit(&word, memory_order_acquire);
		if (!still_in(handle))
			break;
		watch(&tracers[slot], true);
		watched = true;
		pthread_mutex_unlock(&lock);
		tl_futex_sleep(&word, seen, NULL);
		pthread_mutex_lock(&lock);
	}
	atomic_fetch_sub_explicit(&tl_tracer_attention, 1, memory_order_relaxed);
	tracer = &tracers[slot]; /* the array may have moved */
	if (watched) {
		watch(tracer, false);
		tell_destroys();
	}
	release_slot(tracer);
	reclaim();
	pthread_mutex_unlock(&lock);
	return TL_TRACER_OK;
}

/* ---- fork ---- */

void tl_tracer_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void tl_tracer_before_unseen_fork(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
}

void tl_tracer_after_fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

void tl_tracer_after_fork_child(void)
{
	for (struct tl_frames *block = atomic_load_explicit(&blocks, memory_order_relaxed); block;
	     block = atomic_load_explicit(&block->next, memory_order_relaxed)) {
		if (is_own(block))
			continue;
		for (uint32_t i = 0; i < block->used && i < block->count; i++)
			atomic_store_explicit(&block->frames[i].pin, NULL, memory_order_relaxed);
		tl_tracer_frames_give_back(block);
	}
	/*
	 * Registration with membarrier is inherited; destroys that other threads were in are over.
	 */
	atomic_fetch_and_explicit(&tl_tracer_attention, TL_TRACER_FENCES, memory_order_relaxed);
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].state == ENDING)
			release_slot(&tracers[i]);
	pthread_mutex_unlock(&lock);
}
