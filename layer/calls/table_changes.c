/* SPDX-License-Identifier: MIT */
/*
 * table_changes.c: see table_changes.h, and tracers.c for the algorithm.
 */
#include "layer/calls/table_changes.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/membarrier.h"
#include "layer/calls/dispatch_table.h"
#include "layer/calls/tracer_callbacks.h"
#include "layer/calls/tracer_frames.h"
#include "layer/resolve/api_table.h"

/* Both are protected by the tracers' lock. */
static struct tl_dispatch *retired;
static bool fences; /* there is no membarrier: callers execute the fences */

void tl_dispatch_start_barriers(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	if (!tl_membarrier_register()) {
		fences = true;
		/* Before any table is published: a thread that sees a table also sees this. */
		atomic_fetch_or_explicit(&tl_tracer_attention, TL_TRACER_FENCES,
					 memory_order_seq_cst);
	}
}

void tl_dispatch_barrier(void)
{
	/* Pairs with tl_pin_barrier and with the one in tl_unpin (dispatch_table.h). */
	atomic_thread_fence(memory_order_seq_cst);
#ifndef TL_PIN_SEQ_CST
	if (!fences)
		tl_membarrier();
#endif
}

void tl_dispatch_reclaim(void)
{
	static struct tl_pins pins;

	if (!retired || !tl_pins_collect(&pins))
		return;
	for (struct tl_dispatch **at = &retired; *at;) {
		struct tl_dispatch *table = *at;
		if (tl_pins_have(&pins, table)) {
			at = &table->next;
		} else {
			*at = table->next;
			free(table);
		}
	}
}

static void table_publish(struct tl_shim *shim, struct tl_dispatch *table)
{
	struct tl_dispatch *old = atomic_load_explicit(&shim->dispatch, memory_order_relaxed);

	tl_api_set_dispatch(shim, table);
	if (old) {
		old->next = retired;
		retired = old;
	}
}

bool tl_dispatch_is_retired_with(const struct tl_dispatch *pinned, const struct tl_tracer *handle)
{
	for (const struct tl_dispatch *table = retired; table; table = table->next)
		if (table == pinned)
			return tl_dispatch_has(table, handle);
	return false;
}

struct tl_registered *tl_tracer_find_registered(const struct tl_tracer_state *tracer,
						const struct tl_shim *shim)
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

/* Sets the table's fields for the quick path. */
static void table_sum_up(struct tl_dispatch *table, const struct tl_shim *shim)
{
	const struct tl_function *function = shim->function;

	table->shim = shim;
	table->words = (uint32_t)function->count;
	table->plain = function->words == function->count && function->count <= TL_FRAME_WORDS &&
		       table->count <= TL_FRAME_INSTANCES;
	for (uint32_t i = 0; i < table->count; i++)
		table->plain &= table->entries[i].plain;
}

/* Makes the table without one tracer; *table is NULL if that was the only one. */
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
	table_sum_up(new, shim);
	*table = new;
	return true;
}

/*
 * Makes the table with one more tracer at its end, since the order is that of enabling. NULL:
 * memory is short.
 */
static struct tl_dispatch *table_with(const struct tl_dispatch *old, struct tl_tracer *handle,
				      const struct tl_tracer_state *tracer,
				      const struct tl_registered *registered)
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
			 !tl_function_is_unusual(registered->shim->function),
	};
	table_sum_up(new, registered->shim);
	return new;
}

/*
 * One shim's next table. A change first allocates all that it needs, so that it happens completely
 * or not at all.
 */
struct change {
	struct tl_shim *shim;
	struct tl_dispatch *table;
};

static bool tracer_wants(const struct tl_tracer_state *tracer,
			 const struct tl_registered *registered)
{
	return (registered->callback[TL_PROLOGUE] || registered->callback[TL_EPILOGUE]) &&
	       (!tracer->levels || (registered->shim->function->level & tracer->levels));
}

int tl_dispatch_change(struct tl_tracer *handle, const struct tl_tracer_state *tracer, bool in)
{
	struct change *changes = malloc((tracer->count + 1) * sizeof(*changes));
	size_t count = 0;
	bool ok = changes != NULL;

	for (size_t i = 0; ok && i < tracer->count; i++) {
		const struct tl_registered *registered = &tracer->registered[i];
		if (!tracer_wants(tracer, registered))
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
			table_publish(changes[i].shim, changes[i].table);
		else
			free(changes[i].table);
	}
	free(changes);
	if (!ok)
		return TL_TRACER_NO_MEMORY;
	tl_dispatch_barrier();
	tl_dispatch_reclaim();
	return TL_TRACER_OK;
}
