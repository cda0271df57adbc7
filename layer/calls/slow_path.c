/* SPDX-License-Identifier: MIT */
/*
 * slow_path.c: the slow path: how a call begins and ends that the shim's entry does not serve.
 *
 * The entry (tracelayer/shim.h) serves a call of a known function, by a known thread, that records
 * scalars. Everything else comes here: first calls, arguments captured from memory, functions that
 * give out pointers, calls through a loader; and the calls that do not end by returning. Three
 * files have shorter paths for calls of which more is known: recorded_path.c, hooked_path.c and
 * traced_path.c.
 */
#include "layer/calls/slow_path.h"

#include <errno.h>
#include <string.h>

#include "format/args/args.h"
#include "format/file/record.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/run_report.h"
#include "layer/base/start_page.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/call_record.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/call_tracing.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/hook.h"
#include "layer/calls/longjmp.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/parameters.h"
#include "layer/calls/request.h"
#include "layer/calls/stack_numbers.h"
#include "layer/calls/thread.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/newer_loader.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/call_origin.h"
#include "layer/resolve/function_tables.h"
#include "layer/resolve/real_function.h"

#define WATCHED (TL_MODE_RECORD | TL_MODE_TRACERS | TL_MODE_DEVICE | TL_MODE_OPEN)

/* --- entering */

static void (*after_initialising)(void) TL_START; /* set once, at the start */

/* Handlers were registered inside of calls that are not over. NULL: none were. */
static _Atomic(void (*)(void)) after_handlers;

void tl_call_after_initialising(void (*then)(void))
{
	after_initialising = then;
}

bool tl_call_after_handlers(void (*then)(void))
{
	const struct tl_open_call *open = tl_self ? tl_open_top(tl_self) - 1 : NULL;

	if (!open || open < tl_self->open || !(open->mode & TL_OPEN_OTHER))
		return false;
	atomic_store_explicit(&after_handlers, then, memory_order_relaxed);
	return true;
}

/* The call is over. */
static void call_follow_handlers(void)
{
	if (TL_LIKELY(!atomic_load_explicit(&after_handlers, memory_order_relaxed)))
		return;
	void (*then)(void) = atomic_exchange_explicit(&after_handlers, NULL, memory_order_relaxed);

	if (then)
		then();
}

/* The layer has nothing to do with the call: it passes unwatched. */
static void *call_pass(struct tl_call *call, void *real)
{
	call->shim = NULL;
	call->open = NULL;
	return real;
}

static void *call_resolve(struct tl_call *call)
{
	struct tl_shim *shim = call->shim;
	/* Acquire: pairs with the exchange in real_settle (layer/resolve/real_function.c). */
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	/*
	 * dlsym may have found the function before the first call, and libraries may have been
	 * loaded since.
	 */
	if (real && !(atomic_load_explicit(&shim->mode, memory_order_relaxed) & TL_MODE_RESOLVE))
		return real;
	real = tl_resolve_real(shim, call->caller.address);
	if (real)
		tl_api_resolved(shim);
	return real;
}

/* The calling thread's state; NULL: nothing is kept of this call. */
static struct tl_thread *call_thread(struct tl_call *call)
{
	struct tl_thread *thread = tl_self;

	if (!thread) {
		if (!tl_process_begin()) {
			tl_buffer_lose_early();
			return NULL;
		}
		thread = tl_thread_attach();
		if (!thread)
			tl_buffer_lose();
	}
	return thread && !tl_thread_is_in_callback(thread, call->caller) ? thread : NULL;
}

/*
 * Whether the call is made inside another call of the same API, and the settings exclude such
 * calls.
 */
static bool call_is_unwanted(struct tl_call *call)
{
	struct tl_thread *thread = call->thread;

	if (tl_config.nested)
		return false;
	tl_open_settle(thread, thread->open, call->caller, false, 0);
	const struct tl_open_call *outer = tl_open_top(thread) - 1;
	return outer >= thread->open && tl_open_frame(outer) != TL_NO_FRAME &&
	       tl_open_frame(outer) >= call->caller.stack && !(outer->mode & TL_OPEN_SUSPECT) &&
	       outer->function >> 16 == call->shim->id >> 16 &&
	       tl_left_ask(thread, outer, call->caller) != TL_LEFT_YES;
}

/* Called directly before the driver's function, if that is going to be called. */
static void call_begin_hook(struct tl_call *call, const void *real)
{
	if (!call->open || !real || tl_call_is_skipped(call) || !tl_hook_enter(call))
		call->mode &= ~(uint32_t)TL_MODE_DEVICE;
}

/*
 * The stack of open calls is full. The call is recorded when it returns. If it never does, only
 * this count has it. There may be room again before it returns, if it is a coroutine's.
 */
static void call_begin_unentered(struct tl_call *call)
{
	call->mode &= ~(uint32_t)(TL_MODE_FOLLOW | TL_MODE_DEVICE | TL_MODE_STACK);
	call->start = tl_ticks(call->thread);
	if (call->mode & TL_MODE_RECORD)
		tl_buffer_unentered_begins(tl_producer_of(call->thread));
}

/* Calls may really be nested that deeply, so the question is asked at growing intervals. */
static bool producer_is_worth_asking(struct tl_producer *producer)
{
	uint32_t times = tl_call_thread_of(producer)->full++;

	return (times & (times + 1)) == 0;
}

static void call_capture_entry(struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;
	uint64_t words[TL_CAPTURE_WORDS];

	if (!call->open || function->words > TL_CAPTURE_WORDS ||
	    !tl_scratch_has_room(tl_producer_of(call->thread))) {
		call->mode &= ~(uint32_t)TL_MODE_FOLLOW;
		return;
	}
	tl_params_words(call->shim->function, call->params, words);
	tl_scratch_capture_entry(tl_producer_of(call->thread), call->open, function, words);
}

static void call_open_entry(struct tl_call *call, const void *real)
{
	struct tl_thread *thread = call->thread;
	uint32_t follow = call->mode & TL_MODE_FOLLOW;

	tl_open_settle(thread, thread->open, call->caller, false, 0);
	if (tl_open_top(thread) >= tl_producer_of(thread)->open_end &&
	    producer_is_worth_asking(tl_producer_of(thread)))
		tl_open_settle_all(thread, call->caller);
	struct tl_open_call *open = tl_open_top(thread);
	call->open = open < tl_producer_of(thread)->open_end ? open : NULL;
	if (!call->open) {
		call_begin_unentered(call);
		return;
	}
	tl_call_thread_of(tl_producer_of(thread))->full = 0;
	tl_open_set_top(thread, open + 1);
	open->function = call->shim->id;
	open->mode = 0;
	if (TL_UNLIKELY(call->mode & TL_MODE_STACK))
		tl_open_take_stack(tl_producer_of(thread), open, call->caller);
	if (call->mode & (TL_MODE_TRACERS | TL_MODE_DEVICE)) {
		/*
		 * Callbacks may never return, so the entry is complete before them. Nothing is
		 * captured yet.
		 */
		call->mode &= ~(uint32_t)TL_MODE_FOLLOW;
		open->mode = call->mode | TL_OPEN_TRACED;
		open->start = call->start = tl_ticks(thread);
		atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	}
	if (call->mode & TL_MODE_TRACERS)
		tl_call_begin_tracing(call);
	/*
	 * After the prologues: they may have changed parameters, and their time must not count as
	 * the driver's.
	 */
	call->mode |= follow;
	if (follow)
		call_capture_entry(call);
	if (call->mode & TL_MODE_DEVICE)
		call_begin_hook(call, real);
	open->mode |= call->mode | TL_OPEN_TRACED | TL_OPEN_OTHER;
	open->start = call->start = tl_ticks(thread);
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	if (call->mode & TL_MODE_DEVICE)
		tl_hook_starts(call);
}

/* The call is a jump by the function of the call around it: tl_resolve_is_jump_of_others. */
static bool call_is_jump_of_others(const struct tl_call *call)
{
	struct tl_thread *thread = tl_self;
	const struct tl_open_call *outer = thread ? tl_open_top(thread) - 1 : NULL;

	return outer && outer >= thread->open && tl_open_frame(outer) != TL_NO_FRAME &&
	       tl_open_frame(outer) >= call->caller.stack && !(outer->mode & TL_OPEN_SUSPECT) &&
	       tl_resolve_is_jump_of_others(call, tl_call_shim_of(outer));
}

static void *call_enter(struct tl_call *call)
{
	tl_api_need_of(call->shim);
	tl_process_notice_fork();
	if (TL_UNLIKELY(tl_process_is_confined()))
		return call_pass(call, tl_asked_version_known(call, call_resolve(call)));
	const uint32_t early =
		TL_FIRST_CALL_BIT(TL_FIRST_CALL_DEVICE) | TL_FIRST_CALL_BIT(TL_FIRST_CALL_ROCTX);
	uint32_t awaited = tl_first_call_awaited();
	if (TL_UNLIKELY(awaited & early))
		tl_first_call_serve(awaited & early);
	void *real = call_resolve(call);
	if (TL_UNLIKELY(awaited & ~early))
		tl_first_call_serve(awaited & ~early);
	/*
	 * Only now: the search may have found that callers have to be told apart, and tools may
	 * have enabled callbacks.
	 */
	uint32_t mode = atomic_load_explicit(&call->shim->mode, memory_order_relaxed);
	bool wanted = tl_request_wants(call->shim->function->level);

	call->thread = NULL;
	call->open = NULL;
	call->frame = (uintptr_t)call;
	call->more = NULL;
	call->hooked = NULL;
	call->request = tl_request_current();
	if (mode & TL_MODE_CALLER) {
		void *foreign = call_is_jump_of_others(call) ? NULL : tl_resolve_foreign(call);
		if (foreign)
			return call_pass(call, foreign);
		if (tl_resolve_is_linked_loaders(call)) {
			call->mode = mode & TL_MODE_AFTER;
			return call->mode ? real : call_pass(call, real);
		}
		real = tl_asked_version(call, real);
	}
	if (call->shim->function->flags & TL_FUNCTION_GETPROC)
		tl_function_tables_give(call);
	tl_report_called(call->shim->function->name);
	if (mode & TL_MODE_RECORD && wanted) {
		tl_report_recorded();
		tl_newer_loader_look(call->shim->function->api);
	}
	if (mode & WATCHED)
		call->thread = call_thread(call);
	if (call->thread && call_is_unwanted(call))
		call->thread = NULL;
	call->mode = mode & (TL_MODE_CAPTURED | TL_MODE_TRACERS | TL_MODE_AFTER | TL_MODE_DEVICE |
			     TL_MODE_OPEN | TL_MODE_STACK);
	if (!wanted)
		call->mode &= ~(uint32_t)(TL_MODE_CAPTURED | TL_MODE_STACK);
	if (call->thread)
		call_open_entry(call, real);
	else if (mode & TL_MODE_AFTER)
		call->mode = TL_MODE_AFTER;
	else
		return call_pass(call, real);
	return tl_call_is_skipped(call) ? NULL : real;
}

void *tl_call_enter_other(struct tl_call *call)
{
	int error = errno;
	void *real = call_enter(call);

	errno = error;
	return real;
}

/* --- leaving */

/*
 * False: nothing is recorded, since this process was forked inside the call, or the call was ended.
 */
static bool call_is_ours(const struct tl_call *call)
{
	return call->thread && !tl_buffer_is_stale(call->thread);
}

/*
 * A coroutine has moved the call to another thread, which records it. The thread that it began on
 * only gets to know that it is over.
 */
static void call_move_over(struct tl_call *call)
{
	if (call->open && tl_open_frame(call->open) == call->frame) {
		call->open->mode |= TL_OPEN_FINISHED;
		atomic_store_explicit(&call->open->frame, TL_NO_FRAME, memory_order_relaxed);
	}
	call->open = NULL;
	call->mode &= ~(uint32_t)TL_MODE_FOLLOW;
	call->thread = call_thread(call);
}

/*
 * Of a skipped call: its epilogues have run, which may have given the program values, forked, or
 * moved the call to another thread.
 */
static __attribute__((noinline)) void call_record_skipped(struct tl_call *call, uint64_t now,
							  uint64_t result, const uint64_t *words,
							  uint32_t count, uint32_t stack)
{
	tl_process_notice_fork();
	if (!call_is_ours(call))
		return;
	if (call->thread != tl_self)
		call_move_over(call);
	if (!call->thread)
		return;
	tl_record_call(call, now, 0, result, words, count, stack);
	tl_clock_keep_up(now);
}

void tl_call_end(struct tl_call *call, uint32_t flags, uint64_t result, const uint64_t *words,
		 uint32_t count)
{
	tl_process_notice_fork();
	bool ours = call_is_ours(call);
	/* What a skipped call returns through pointers may come from the epilogues. */
	bool late = tl_call_is_skipped(call) && !(flags & TL_RECORD_UNWOUND);
	uint64_t now = call->start;
	uint32_t stack = 0;

	/* The call counted as left, and was ended. By now its entry belongs to another call. */
	if (ours && call->open && tl_open_frame(call->open) != call->frame)
		return;

	if (ours) {
		now = call->mode & TL_MODE_DEVICE ? call->end : tl_ticks(call->thread);
		stack = call->open ? tl_open_stack(call->open) : 0;
		if (!call->open && call->mode & TL_MODE_RECORD)
			tl_buffer_unentered_returns(tl_producer_of(call->thread));
		if (call->thread != tl_self)
			call_move_over(call);
		ours = call->thread != NULL;
		if (ours)
			tl_call_end_inner(call, now);
		if (!call->start)
			call->start = now; /* an exception left it before the driver was called */
		late = late && ours && call->mode & TL_MODE_RECORD;
		if (ours && !late && call->mode & TL_MODE_RECORD) {
			tl_record_call(call, now, flags, result, words, count, stack);
			tl_clock_keep_up(now);
		}
	}
	if (tl_call_tracing(call)) {
		int error = errno;

		tl_frame_set_times(tl_call_tracing(call), call->start, now);
		/*
		 * An epilogue may throw or be left by longjmp: the call must not be recorded again.
		 */
		if (!late) {
			call->mode &= ~(uint32_t)TL_MODE_RECORD;
			if (ours && call->open)
				call->open->mode &= ~(uint32_t)TL_MODE_RECORD;
		}
		tl_call_end_tracing(call, flags & TL_RECORD_UNWOUND);
		if (late) {
			errno = error;
			call_record_skipped(call, now, result, words, count, stack);
		}
	}
	if (ours)
		tl_call_close_entry(call);
}

static void call_after(struct tl_call *call, uint64_t result, const uint64_t *words)
{
	const struct tl_function *function = call->shim->function;

	if (function->flags & TL_FUNCTION_GETPROC && !tl_call_failed(function, result))
		tl_resolve_wrap(call->shim, words, call->result);
	if (function->flags & TL_FUNCTION_INITIALISES)
		after_initialising();
}

/* The driver's function is over, and the parameters are the program's again. */
static void call_end_hook(struct tl_call *call, uint64_t result, bool unwound)
{
	tl_process_notice_fork();
	if (call_is_ours(call) && call->thread == tl_self)
		tl_call_end_inner(call, 0);
	tl_hook_leave(call, result, unwound);
}

/* A hook that called the driver again has stored another result. */
static uint64_t call_result_again(const struct tl_call *call, uint64_t result)
{
	const struct tl_type *type = call->shim->function->result;
	uint64_t again = 0;

	if (!type || !type->size || type->size > sizeof(again))
		return result;
	memcpy(&again, call->result, type->size);
	return again;
}

void tl_call_leave_other(struct tl_call *call, uint64_t result, const uint64_t *words,
			 uint32_t count)
{
	uint64_t own[TL_CAPTURE_WORDS];

	int error = errno;
	call->frame = (uintptr_t)call; /* not set yet if the call began in traced_path.c */
	bool skipped = tl_call_is_skipped(call);
	if (skipped)
		result = tl_tracer_skipped(call, tl_call_tracing(call));
	/* The words may come from parameters that the hook had changed. */
	if (call->mode & TL_MODE_DEVICE) {
		call_end_hook(call, result, false);
		tl_params_words(call->shim->function, call->params, own);
		words = own;
		if (!skipped)
			result = call_result_again(call, result);
	}
	tl_call_end(call, 0, result, words, count);
	if (call->mode & TL_MODE_AFTER && !skipped)
		call_after(call, result, words);
	call_follow_handlers();
	errno = error;
}

void tl_call_unwound(struct tl_call *call)
{
	int error = errno;
	uint64_t words[TL_CAPTURE_WORDS];
	uint32_t count = call->shim->function->words;

	call->frame = (uintptr_t)call;
	if (call->mode & TL_MODE_DEVICE)
		call_end_hook(call, 0, true);
	if (count <= TL_CAPTURE_WORDS)
		tl_params_words(call->shim->function, call->params, words);
	else
		count = 0;
	tl_call_end(call, TL_RECORD_UNWOUND, 0, words, count);
	call_follow_handlers();
	call->shim = NULL;
	errno = error;
}
