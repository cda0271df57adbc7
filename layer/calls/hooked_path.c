/* SPDX-License-Identifier: MIT */
/*
 * hooked_path.c: calls with a straight hook (TL_HOOK_STRAIGHT in hook.h), recorded or not, and
 * nothing else. All other calls go on to slow_path.c.
 *
 * Between two of these calls a driver works, and other threads do, so nothing that is needed here
 * is in the caches. So this path touches as little memory as it can.
 */
#include <errno.h>

#include "layer/base/cache_near.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/calls/call_record.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/hook.h"
#include "layer/calls/hook_thread.h"
#include "layer/calls/inside_hook.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/parameters.h"
#include "layer/calls/slow_path.h"

static inline void call_words_simple(const struct tl_call *call, const struct tl_hook_place *place,
				     uint64_t *words)
{
	void *const *params = call->params;

	for (uint32_t i = 0; i < place->count; i++) {
		if (!(place->narrow >> i & 1))
			words[i] = *(const uint64_t *)params[i];
		else if (place->negative >> i & 1)
			words[i] = (uint64_t)(int64_t) * (const int32_t *)params[i];
		else
			words[i] = *(const uint32_t *)params[i];
	}
}

/*
 * The entry is complete before the hook runs, since the hook may never return. Until the hook is
 * over the entry counts as finished: there is nothing to recover.
 */
static inline void call_open_hooked(struct tl_call *call, struct tl_open_call *open,
				    uint64_t mode_and_id, const struct tl_hook_place *place)
{
	struct tl_producer *producer = tl_producer_of(call->thread);
	struct tl_hooked *hooked = call->hooked;
	int *error_at = producer->error, error = *error_at;

	tl_open_set_top(call->thread, open + 1);
	open->start = call->start = 0;
	open->mode_and_function = mode_and_id | TL_OPEN_TRACED | TL_OPEN_FINISHED;
	call->open = open;
	call->frame = (uintptr_t)call;
	call->mode = (uint32_t)mode_and_id;
	call->request = 0;
	call->more = NULL;
	if (TL_LIKELY(place->simple))
		call_words_simple(call, place, hooked->words);
	else
		tl_params_words(call->shim->function, call->params, hooked->words);
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	if (mode_and_id & TL_MODE_FOLLOW)
		tl_scratch_capture_entry(producer, open, call->shim->function, hooked->words);
	tl_hook_set_up(hooked, call, true);
	tl_hook_owe(hooked, atomic_load_explicit(&place->hook, memory_order_relaxed));
	if (place->before) {
		TL_HOOK_INSIDE(producer);
		place->before(call, hooked->state);
	}
	*error_at = error;
	open->mode &= ~(uint32_t)TL_OPEN_FINISHED;
	open->start = call->start = tl_counter();
}

TL_NEAR_CODE void *tl_call_enter_hooked(struct tl_call *call, uint64_t mode_and_id)
{
	struct tl_thread *thread = tl_self;
	void *real = atomic_load_explicit(&call->shim->real, memory_order_relaxed);

	if (TL_UNLIKELY(!thread || !real))
		return tl_call_enter_other(call);
	/* The same conditions as in the entry (tl_recorded_enter). */
	struct tl_open_call *open = tl_open_top(thread);
	struct tl_hooked *hooked = tl_hook_thread_of(tl_producer_of(thread))->hooked;
	const struct tl_hook_place *place = tl_hook_straight((uint32_t)(mode_and_id >> 32));
	if (TL_UNLIKELY(
		    open >= thread->end || tl_open_frame(open - 1) < call->caller.stack ||
		    !hooked || !place ||
		    (mode_and_id & TL_MODE_FOLLOW && !tl_scratch_has_room(tl_producer_of(thread)))))
		return tl_call_enter_other(call);
	call->thread = thread;
	call->hooked = &hooked[open - thread->open];
	call_open_hooked(call, open, mode_and_id, place);
	return real;
}

static TL_ALWAYS_INLINE struct tl_draft call_draft(const struct tl_call *call, uint64_t result,
						   const struct tl_hook_place *place)
{
	return (struct tl_draft){.function = call->shim->function,
				 .id = call->shim->id,
				 .mode = call->mode,
				 .count = call->mode & TL_MODE_WORDS ? place->words : 0,
				 .start = call->start,
				 .end = call->end,
				 .result = result,
				 .words = call->hooked->words,
				 .cause = {call->hooked->correlation, 0}};
}

TL_NEAR_CODE static __attribute__((noinline)) void
call_record_captured(const struct tl_call *call, uint64_t result, const struct tl_hook_place *place)
{
	struct tl_draft draft = call_draft(call, result, place);

	tl_draft_record_captured(call->thread, call->open, &draft);
}

/* Inlined, so that the compiler keeps the draft out of memory. */
static TL_ALWAYS_INLINE void call_record(const struct tl_call *call, uint64_t result,
					 const struct tl_hook_place *place)
{
	const struct tl_draft draft = call_draft(call, result, place);

	tl_draft_record(call->thread, &draft);
}

/*
 * Whether the call ends on the thread that it began on, is the innermost, and began on the short
 * path.
 */
static inline bool call_is_straight(const struct tl_call *call, const struct tl_thread *thread)
{
	return thread && call->thread == thread && tl_open_top(call->thread) == call->open + 1 &&
	       tl_open_frame(call->open) == call->frame && tl_hook_is_owed(call) &&
	       call->hooked->straight;
}

TL_NEAR_CODE void tl_call_leave_hooked(struct tl_call *call, uint64_t result, const uint64_t *words,
				       uint32_t count)
{
	struct tl_thread *thread = tl_self;
	struct tl_hooked *hooked = call->hooked;

	if (TL_UNLIKELY(!call_is_straight(call, thread)))
		return tl_call_leave_other(call, result, words, count);
	const struct tl_hook_place *place = tl_hook_place_of(call->shim->id);
	struct tl_producer *producer = tl_producer_of(thread);
	int *error_at = producer->error, error = *error_at;
	call->end = tl_counter();
	tl_hook_take(hooked);
	if (place->after) {
		TL_HOOK_INSIDE(producer);
		place->after(call, hooked->state, result, false);
	}
	*error_at = error;
	if (call->mode & TL_MODE_RECORD) {
		if (call->mode & TL_MODE_FOLLOW)
			call_record_captured(call, result, place);
		else
			call_record(call, result, place);
		tl_clock_keep_up(call->end);
	}
	tl_open_pop(thread, call->open);
}
