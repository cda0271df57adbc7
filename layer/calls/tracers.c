/* SPDX-License-Identifier: MIT */
/*
 * tracers.c: tracers, and when their tables of callbacks may be freed.
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
 * dispatch_table.h has the callers' side, tracer_frames.c the scans, table_changes.c what a writer
 * does with tables. This file has the tracers themselves, and destroy.
 *
 * models/tracer.pml is this, for spin, with the store buffers.
 */
#include "layer/calls/tracers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/settings.h"
#include "layer/base/futex.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/dispatch_table.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/table_changes.h"
#include "layer/calls/tracer_callbacks.h"
#include "layer/calls/tracer_frames.h"
#include "layer/resolve/api_table.h"

/*
 * The tracers' lock protects everything below, all tables but published ones, and the retired
 * tables (table_changes.c). No other lock is taken under it, and no callback runs.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_tracer_state *tracers;
static size_t ntracers;
static bool gate_is_open = true; /* tl_tracer_gate */
static uint64_t turns;		 /* tracers enabled so far */

_Atomic uint32_t tl_tracer_attention;
/* The futex word of destroys that sleep: counts the pins that were cleared while one did. */
static _Atomic uint32_t cleared;

#define SLOT_BITS 20

static struct tl_tracer *tracer_handle(size_t slot)
{
	return (struct tl_tracer *)(uintptr_t)(tracers[slot].generation << SLOT_BITS | (slot + 1));
}

/* NULL: this is no living tracer. Under the lock. */
static struct tl_tracer_state *tracer_find(struct tl_tracer *handle)
{
	uint64_t value = (uintptr_t)handle;
	size_t slot = (value & ((1u << SLOT_BITS) - 1)) - 1;

	if (slot >= ntracers || tracers[slot].generation != value >> SLOT_BITS)
		return NULL;
	return tracers[slot].life == TL_TRACER_IS_DISABLED ||
			       tracers[slot].life == TL_TRACER_IS_ENABLED
		       ? &tracers[slot]
		       : NULL;
}

/* --- destroys that sleep */

void tl_tracer_attend(void)
{
	/*
	 * If callers must fence: between the pin's clearing and the look at the count. Pairs with
	 * tl_dispatch_barrier.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!(atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) & ~TL_TRACER_FENCES))
		return;
	/*
	 * Release: pairs with the acquire load of the word in destroy, which then sees the pin
	 * cleared.
	 */
	atomic_fetch_add_explicit(&cleared, 1, memory_order_acq_rel);
	int kept = errno;
	tl_futex_wake(&cleared);
	errno = kept;
}

/* The tables have changed: destroys that wait must watch their functions again. Under the lock. */
static void destroys_look_again(void)
{
	if (atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) & ~TL_TRACER_FENCES)
		tl_tracer_attend();
}

static int tracer_change_tables(struct tl_tracer *handle, const struct tl_tracer_state *tracer,
				bool in)
{
	int status = tl_dispatch_change(handle, tracer, in);

	if (status == TL_TRACER_OK)
		destroys_look_again();
	return status;
}

/* --- the tracers */

static struct tl_tracer_state *tracer_take_slot(void)
{
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].life == TL_TRACER_IS_FREE)
			return &tracers[i];
	if (ntracers + 1 >= 1u << SLOT_BITS)
		return NULL;
	struct tl_tracer_state *more = realloc(tracers, (ntracers + 1) * sizeof(*more));
	if (!more)
		return NULL;
	tracers = more;
	tracers[ntracers] = (struct tl_tracer_state){0};
	return &tracers[ntracers++];
}

static void tracer_release_slot(struct tl_tracer_state *tracer)
{
	free(tracer->registered);
	*tracer = (struct tl_tracer_state){.generation = tracer->generation};
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
	tl_process_begin(); /* registers the fork handlers: a child must not inherit the lock */
	pthread_mutex_lock(&lock);
	tl_dispatch_start_barriers();
	struct tl_tracer_state *tracer = tracer_take_slot();
	if (tracer) {
		tracer->generation++;
		tracer->life = TL_TRACER_IS_DISABLED;
		tracer->user_data = desc->user_data;
		tracer->of_tool = is_of_tool && is_of_tool();
		tracer->levels = desc->size >= sizeof(*desc) ? desc->levels : 0;
		*handle = tracer_handle((size_t)(tracer - tracers));
	} else {
		status = TL_TRACER_NO_MEMORY;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

/*
 * Takes the lock, and finds a tracer in a state in which its callbacks can be changed. If the
 * status is not OK, the lock is not held.
 */
static int tracer_lock_disabled(struct tl_tracer *handle, struct tl_tracer_state **tracer)
{
	if (!handle)
		return TL_TRACER_NULL;
	pthread_mutex_lock(&lock);
	*tracer = tracer_find(handle);
	int status = !*tracer				       ? TL_TRACER_UNKNOWN
		     : (*tracer)->life == TL_TRACER_IS_ENABLED ? TL_TRACER_ENABLED
							       : TL_TRACER_OK;
	if (status != TL_TRACER_OK)
		pthread_mutex_unlock(&lock);
	return status;
}

static struct tl_registered *tracer_registered_for(struct tl_tracer_state *tracer,
						   struct tl_shim *shim)
{
	struct tl_registered *found = tl_tracer_find_registered(tracer, shim);

	if (found)
		return found;
	if (tracer->count == tracer->room) {
		size_t room = tracer->room ? 2 * tracer->room : 16;
		struct tl_registered *more = realloc(tracer->registered, room * sizeof(*more));
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
	tracer->registered[at] = (struct tl_registered){.shim = shim};
	return &tracer->registered[at];
}

static int tracer_set_callback(struct tl_tracer_state *tracer, struct tl_shim *shim,
			       enum tl_phase phase, tl_callback callback, bool generic)
{
	if (!callback && !tl_tracer_find_registered(tracer, shim))
		return TL_TRACER_OK;
	struct tl_registered *registered = tracer_registered_for(tracer, shim);
	if (!registered)
		return TL_TRACER_NO_MEMORY;
	registered->callback[phase] = callback;
	registered->generic[phase] = generic;
	return TL_TRACER_OK;
}

int tl_tracer_register_shim(struct tl_tracer *handle, struct tl_shim *shim, enum tl_phase phase,
			    tl_callback callback)
{
	tl_api_need();
	struct tl_tracer_state *tracer;

	if (!handle)
		return TL_TRACER_NULL;
	if ((unsigned)phase > TL_EPILOGUE || !tl_function_can_be_typed(shim->function))
		return TL_TRACER_ARGUMENT;
	int status = tracer_lock_disabled(handle, &tracer);
	if (status != TL_TRACER_OK)
		return status;
	status = tracer_set_callback(tracer, shim, phase, callback, false);
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
	struct tl_tracer_state *tracer;
	bool matched = false;

	if (!handle || !globs)
		return TL_TRACER_NULL;
	int status = tracer_lock_disabled(handle, &tracer);
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
			status = tracer_set_callback(tracer, &library->shims[i], TL_PROLOGUE,
						     (tl_callback)prologue, true);
			if (status == TL_TRACER_OK)
				status =
					tracer_set_callback(tracer, &library->shims[i], TL_EPILOGUE,
							    (tl_callback)epilogue, true);
		}
	}
	pthread_mutex_unlock(&lock);
	return status == TL_TRACER_OK && !matched ? TL_TRACER_NO_FUNCTION : status;
}

TL_EXPORT int tl_tracer_reset(struct tl_tracer *handle)
{
	struct tl_tracer_state *tracer;
	int status = tracer_lock_disabled(handle, &tracer);

	if (status != TL_TRACER_OK)
		return status;
	tracer->count = 0;
	pthread_mutex_unlock(&lock);
	return TL_TRACER_OK;
}

/* Whether no table has the tracer, be it enabled or not. */
static bool tracer_is_shut_out(const struct tl_tracer_state *tracer)
{
	return tracer->gated && !gate_is_open;
}

static int tracer_set_enabled(struct tl_tracer *handle, bool enable)
{
	int status = TL_TRACER_OK;

	if (!handle)
		return TL_TRACER_NULL;
	pthread_mutex_lock(&lock);
	struct tl_tracer_state *tracer = tracer_find(handle);
	if (tracer && enable && tracer->life != TL_TRACER_IS_ENABLED)
		tracer->turn = ++turns;
	if (!tracer)
		status = TL_TRACER_UNKNOWN;
	else if (enable != (tracer->life == TL_TRACER_IS_ENABLED) && !tracer_is_shut_out(tracer))
		status = tracer_change_tables(handle, tracer, enable);
	if (tracer && status == TL_TRACER_OK)
		tracer->life = enable ? TL_TRACER_IS_ENABLED : TL_TRACER_IS_DISABLED;
	pthread_mutex_unlock(&lock);
	return status;
}

TL_EXPORT int tl_tracer_enable(struct tl_tracer *handle)
{
	return tracer_set_enabled(handle, true);
}

TL_EXPORT int tl_tracer_disable(struct tl_tracer *handle)
{
	return tracer_set_enabled(handle, false);
}

/* The first gated tracer that was enabled after that turn; NULL: there is none. Under the lock. */
static struct tl_tracer_state *tracer_next_gated(uint64_t turn)
{
	struct tl_tracer_state *next = NULL;

	for (size_t i = 0; i < ntracers; i++) {
		struct tl_tracer_state *tracer = &tracers[i];
		if (tracer->gated && tracer->life == TL_TRACER_IS_ENABLED && tracer->turn > turn &&
		    (!next || tracer->turn < next->turn))
			next = tracer;
	}
	return next;
}

int tl_tracer_put_behind_gate(struct tl_tracer *handle)
{
	struct tl_tracer_state *tracer;
	int status = tracer_lock_disabled(handle, &tracer);

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
		for (struct tl_tracer_state *tracer = tracer_next_gated(0);
		     tracer && status == TL_TRACER_OK; tracer = tracer_next_gated(last)) {
			status = tracer_change_tables(tracer_handle((size_t)(tracer - tracers)),
						      tracer, open);
			if (status == TL_TRACER_OK)
				last = tracer->turn;
		}
		if (status == TL_TRACER_OK)
			gate_is_open = open;
		/*
		 * All or none: tracers that were changed are changed back. There is memory for
		 * that, since the change back frees what the change took.
		 */
		for (struct tl_tracer_state *tracer = status == TL_TRACER_OK ? NULL
									     : tracer_next_gated(0);
		     tracer && tracer->turn <= last; tracer = tracer_next_gated(tracer->turn))
			tracer_change_tables(tracer_handle((size_t)(tracer - tracers)), tracer,
					     !open);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

void tl_tracer_disable_tools(void)
{
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].of_tool && tracers[i].life == TL_TRACER_IS_ENABLED)
			tl_tracer_disable(tracer_handle(i));
}

/*
 * Make the calls of the tracer's functions take the slow path although there are no callbacks any
 * more. A call that was left by longjmp ends at its thread's next call, which must not go straight
 * to the driver while destroy waits for it. Under the lock.
 */
static void tracer_watch(const struct tl_tracer_state *tracer, bool on)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct tl_shim *shim = tracer->registered[i].shim;
		if (!atomic_load_explicit(&shim->dispatch, memory_order_relaxed))
			tl_api_set_mode(shim, on ? TL_MODE_TRACERS : 0, on ? 0 : TL_MODE_TRACERS);
	}
}

TL_EXPORT int tl_tracer_destroy(struct tl_tracer *handle)
{
	struct tl_tracer_state *tracer;

	if (tl_self)
		tl_call_end_left(tl_self, TL_CALLER);
	int status = tracer_lock_disabled(handle, &tracer);
	if (status == TL_TRACER_ENABLED)
		return TL_TRACER_IN_USE;
	if (status != TL_TRACER_OK)
		return status;
	if (tl_frames_own_pin(handle)) {
		pthread_mutex_unlock(&lock);
		return TL_TRACER_IN_USE;
	}
	tracer->life = TL_TRACER_IS_ENDING;
	size_t slot = (size_t)(tracer - tracers);
	bool watched = false;
	/*
	 * Relaxed: tl_dispatch_barrier orders this before the scan, and against the callers' light
	 * barriers.
	 */
	atomic_fetch_add_explicit(&tl_tracer_attention, 1, memory_order_relaxed);
	tl_dispatch_barrier();
	for (;;) {
		/* Acquire: pairs with the release in tl_tracer_attend. */
		uint32_t seen = atomic_load_explicit(&cleared, memory_order_acquire);
		if (!tl_frames_pin_retired(handle))
			break;
		tracer_watch(&tracers[slot], true);
		watched = true;
		pthread_mutex_unlock(&lock);
		tl_futex_sleep(&cleared, seen, NULL);
		pthread_mutex_lock(&lock);
	}
	atomic_fetch_sub_explicit(&tl_tracer_attention, 1, memory_order_relaxed);
	tracer = &tracers[slot]; /* the array may have moved */
	if (watched) {
		tracer_watch(tracer, false);
		destroys_look_again();
	}
	tracer_release_slot(tracer);
	tl_dispatch_reclaim();
	pthread_mutex_unlock(&lock);
	return TL_TRACER_OK;
}

/* --- fork */

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
	tl_frames_after_fork_child();
	/* The registration with membarrier is inherited; destroys in other threads are over. */
	atomic_fetch_and_explicit(&tl_tracer_attention, TL_TRACER_FENCES, memory_order_relaxed);
	for (size_t i = 0; i < ntracers; i++)
		if (tracers[i].life == TL_TRACER_IS_ENDING)
			tracer_release_slot(&tracers[i]);
	pthread_mutex_unlock(&lock);
}
