/* SPDX-License-Identifier: MIT */
/*
 * tracer_callbacks.c: see tracer_callbacks.h. traced_path.c has quicker code for tables that have
 * only plain callbacks.
 */
#include "layer/calls/tracer_callbacks.h"

#include <string.h>
#include <sys/mman.h>

#include "layer/calls/dispatch_table.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/parameters.h"
#include "layer/calls/stack_numbers.h"

typedef void (*typed_void)(void *params, void *user_data, void **instance_data);
typedef void (*typed_float)(void *params, float result, void *user_data, void **instance_data);
typedef void (*typed_double)(void *params, double result, void *user_data, void **instance_data);

static __attribute__((noinline)) void callback_call_unusual(const struct tl_function *function,
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

static const struct tl_function *frame_function(const struct tl_frame *frame)
{
	return atomic_load_explicit(&frame->pin, memory_order_relaxed)->shim->function;
}

static struct tl_view frame_view(const struct tl_frame *frame, void *const *params, void *result)
{
	return (struct tl_view){.function = frame_function(frame),
				.params = params,
				.result = result,
				.flags = frame->flags,
				.depth = frame->depth,
				.caller = frame->caller,
				.start = frame->start,
				.end = frame->end};
}

static bool function_can_be_skipped(const struct tl_function *function)
{
	return function->result->size <= sizeof(((struct tl_frame *)NULL)->skipped);
}

static __attribute__((noinline)) void frame_run_generic_prologue(struct tl_frame *frame,
								 const struct tl_entry *entry,
								 void **instance,
								 void *const *params, void *result)
{
	struct tl_view view = frame_view(frame, params, result);

	if (((tl_generic_prologue)entry->prologue)(&view, entry->user_data, instance) == TL_SKIP &&
	    function_can_be_skipped(view.function))
		frame->flags |= TL_VIEW_SKIPPED;
}

static __attribute__((noinline)) void frame_run_generic_epilogue(struct tl_frame *frame,
								 const struct tl_entry *entry,
								 void **instance,
								 void *const *params, void *result)
{
	struct tl_view view = frame_view(frame, params, result);

	((tl_generic_epilogue)entry->epilogue)(&view, entry->user_data, instance);
}

/* The array of instance data: the same from prologue to epilogue. */
static void **frame_instances(struct tl_frame *frame, const struct tl_dispatch *table)
{
	return table->count <= TL_FRAME_INSTANCES || frame->room < table->count ? frame->instance
										: frame->more;
}

/*
 * No malloc: the program may be inside it. Returns how many of the table's entries there is room
 * for. If memory is short, the last tracers don't see this call.
 */
static uint32_t frame_make_room(struct tl_frame *frame, const struct tl_dispatch *table)
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

static bool table_shows_views(const struct tl_dispatch *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].generic_prologue || table->entries[i].generic_epilogue)
			return true;
	return false;
}

void tl_tracer_prologues(struct tl_call *call, struct tl_frame *frame,
			 const struct tl_dispatch *table)
{
	struct tl_shim *shim = call->shim;

	frame->caller = call->caller.address;
	if (TL_UNLIKELY(!frame->caller) && call->thread && table_shows_views(table))
		frame->caller = tl_closure_caller(tl_producer_of(call->thread), call->caller);
	frame->begun = frame->ended = frame->flags = 0;
	frame->start = frame->end = 0;
	frame->skipped[0] = frame->skipped[1] = 0;
	tl_params_keep(shim->function, call->params, frame->words, TL_FRAME_WORDS);
	uint32_t count = frame_make_room(frame, table);
	void **instance = frame_instances(frame, table);
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
			frame_run_generic_prologue(frame, entry, instance, call->params,
						   frame->skipped);
		else
			callback_call_unusual(shim->function, entry->prologue, (void *)call->params,
					      NULL, entry->user_data, instance);
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

static void frame_run_epilogues(struct tl_frame *frame, void *const *params, void *result,
				uint64_t word_)
{
	const struct tl_dispatch *table = atomic_load_explicit(&frame->pin, memory_order_relaxed);
	void **instances = frame_instances(frame, table);

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
			frame_run_generic_epilogue(frame, entry, instance, params, result);
		else
			callback_call_unusual(table->shim->function, entry->epilogue,
					      (void *)params, result, entry->user_data, instance);
	}
	tl_unpin(frame);
}

uint64_t tl_tracer_skipped(struct tl_call *call, struct tl_frame *frame)
{
	memcpy(call->result, frame->skipped, call->shim->function->result->size);
	return tl_result_word(call->shim->function, frame->skipped);
}

void tl_tracer_leave(struct tl_call *call, struct tl_frame *frame)
{
	uint64_t value = 0;

	if (__builtin_expect(call->shim->function->result->size == 4, 1))
		value = *(const uint32_t *)call->result;
	else
		value = tl_result_word(call->shim->function, call->result);
	frame_run_epilogues(frame, call->params, call->result, value);
}

void tl_tracer_unwind(struct tl_call *call, struct tl_frame *frame)
{
	uint64_t none[8] = {0};

	frame->flags |= TL_VIEW_UNWOUND;
	frame_run_epilogues(frame, call->params, none, 0);
}

void tl_tracer_abandon(struct tl_frame *frame)
{
	const struct tl_function *function = frame_function(frame);
	void *params[TL_FRAME_WORDS];
	uint64_t none[8] = {0};

	for (uint32_t i = 0; i < function->count && i < TL_FRAME_WORDS; i++) {
		uint32_t at = function->params[i].offset;
		params[i] = at < TL_FRAME_WORDS ? (void *)&frame->words[at] : (void *)none;
	}
	frame->flags |= TL_VIEW_UNWOUND;
	frame_run_epilogues(frame, params, none, 0);
}
