/* SPDX-License-Identifier: MIT */
/*
 * slow_path.c: calls that are out of the ordinary, and the ends that a call may find.
 *
 * What is served in the entry (tracelayer/shim.h) is a call of a known function, by a thread known
 * to us, that records scalars. The rest comes here: first calls, arguments captured from memory,
 * functions that give out pointers, calls through a loader; and the calls that end otherwise than
 * by returning.
 *
 * Calls that never return
 *
 * An exception, a cancellation or pthread_exit runs the shim's cleanup, and so tl_call_unwound.
 * After a longjmp nothing runs: the call's entry stays on the stack of open calls. It is found when
 * a later call's part of the stack does not lie below it, or when an outer call returns and is not
 * on top. Neither proves that the inner call is over: it may live on another stack (of a signal
 * handler, or a coroutine), and an outer call must never be ended by mistake. longjmp.c says what
 * is known of it. A call that may go on is suspect: it is asked about again at later calls, and
 * when it turns out to be over, it ended where it became suspect. What is left at the thread's end
 * is ended then.
 *
 * A call that was left may also look like an outer one, as frames that came later cover it without
 * having written there. That does no harm, but where something depends on it: in destroy, when a
 * thread seems to be inside a callback, when calls inside of calls are not wanted, and when the
 * stack of open calls is full. There it is asked about, too.
 */
#include "layer/calls/slow_path.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/args/args.h"
#include "format/file/record.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/write/recording_control.h"
#include "layer/device/device.h"
#include "layer/device/inside_hook.h"
#include "layer/calls/longjmp.h"
#include "layer/base/cache_near.h"
#include "layer/resolve/newer_loader.h"
#include "layer/base/run_report.h"
#include "layer/calls/request.h"
#include "layer/resolve/real_function.h"
#include "layer/process/runtime.h"
#include "layer/calls/thread.h"
#include "layer/process/tool_libraries.h"
#include "layer/calls/tracers.h"

/* bytes of arguments captured at the entries of a thread's open calls */
#define SCRATCH (64u * 1024)
/* for as many struct tl_blob_sizes as there can be open calls, behind it */
#define SCRATCH_HEADS 4096u
/* functions with more words of parameters get no captured memory */
#define WORDS	64u
#define WATCHED (TL_MODE_RECORD | TL_MODE_TRACERS | TL_MODE_DEVICE | TL_MODE_OPEN)

static struct tl_producer *producer_of(struct tl_thread *thread)
{
	return (struct tl_producer *)thread;
}

static struct tl_open_call *top_of(struct tl_thread *thread)
{
	return atomic_load_explicit(&thread->top, memory_order_relaxed);
}

/*
 * Claim or free entries. What follows is not done before, and what precedes not after, as a signal
 * handler sees it.
 */
static void set_top(struct tl_thread *thread, struct tl_open_call *top)
{
	atomic_store_explicit(&thread->top, top, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
}

static uintptr_t frame_of(const struct tl_open_call *open)
{
	return atomic_load_explicit(&open->frame, memory_order_relaxed);
}

static void clear(struct tl_open_call *open)
{
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	open->mode = 0;
}

/* --- parameters and what they lead to */

/* The words that the shim's body would make of its parameters. */
static void words_of(const struct tl_call *call, uint64_t *words)
{
	const struct tl_function *function = call->shim->function;

	memset(words, 0, 8 * (size_t)function->words);
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		uint64_t *word = &words[param->offset];
		tl_call_copy(word, call->params[i], param->type->size);
		if (param->type->kind != TL_KIND_INT || param->type->size >= 8)
			continue;
		unsigned unused = 64 - 8 * param->type->size;
		*word = (uint64_t)((int64_t)(*word << unused) >> unused);
	}
}

static bool has_scratch(struct tl_producer *producer)
{
	if (producer->scratch)
		return producer->scratch_used < SCRATCH + SCRATCH_HEADS;
	void *memory = mmap(NULL, SCRATCH + SCRATCH_HEADS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	producer->scratch = memory;
	return true;
}

/*
 * What is captured of a call lies in the scratch as it will in the record: the sizes of what was
 * read at entry and at exit, and both.
 */
static struct tl_blob_sizes *captured(const struct tl_producer *producer,
				      const struct tl_open_call *open)
{
	return (struct tl_blob_sizes *)(producer->scratch + open->scratch);
}

/* Bytes of blobs that the scratch from `at` on, and the call's record, have room for. */
static uint32_t blob_room(const struct tl_function *function, uint32_t at)
{
	uint32_t most = TL_RECORD_MAX - (uint32_t)sizeof(struct tl_call_record) -
			(uint32_t)sizeof(struct tl_cause) - 8 * (uint32_t)function->words -
			(uint32_t)sizeof(struct tl_blob_sizes);
	uint32_t left = at < SCRATCH ? SCRATCH - at : 0;

	return left < most ? left : most;
}

/*
 * Capture at `at`, behind what is in use. All that it may take is claimed first, so that the calls
 * of a signal handler that comes in between capture behind it. Returns the bytes used.
 */
static uint32_t capture(struct tl_producer *producer, const struct tl_function *function,
			const uint64_t *words, enum tl_capture_when when, uint32_t at,
			uint32_t room, bool *cut)
{
	producer->scratch_used = at + room;
	atomic_signal_fence(memory_order_seq_cst);
	uint32_t size =
		(uint32_t)tl_args_capture(function, words, when, producer->scratch + at, room, cut);
	atomic_signal_fence(memory_order_seq_cst);
	producer->scratch_used = at + size;
	return size;
}

/*
 * Memory that IN parameters lead to, before the driver may change it. Until the call ends, .exit
 * says if something did not fit.
 */
TL_NEAR_CODE static void capture_entry(struct tl_producer *producer, struct tl_open_call *open,
				       const struct tl_function *function, const uint64_t *words)
{
	uint32_t at = producer->scratch_used + (uint32_t)sizeof(struct tl_blob_sizes);
	bool cut = false;

	open->scratch = producer->scratch_used;
	open->mode |= TL_OPEN_SCRATCH;
	uint32_t size = capture(producer, function, words, TL_CAPTURE_ENTRY, at,
				blob_room(function, at), &cut);
	*captured(producer, open) = (struct tl_blob_sizes){.entry = size, .exit = cut};
}

/* And that OUT parameters lead to, after a success. */
static void capture_exit(struct tl_producer *producer, const struct tl_open_call *open,
			 const struct tl_function *function, const uint64_t *words, bool *cut)
{
	struct tl_blob_sizes *sizes = captured(producer, open);
	uint32_t at = open->scratch + (uint32_t)sizeof(*sizes) + sizes->entry;
	uint32_t room = blob_room(function, at);

	room = room > sizes->entry ? room - sizes->entry : 0;
	sizes->exit = capture(producer, function, words, TL_CAPTURE_EXIT, at, room, cut);
}

static void capture_entry_traced(struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;
	uint64_t words[WORDS];

	if (!call->open || function->words > WORDS || !has_scratch(producer_of(call->thread))) {
		call->mode &= ~(uint32_t)TL_MODE_FOLLOW;
		return;
	}
	words_of(call, words);
	capture_entry(producer_of(call->thread), call->open, function, words);
}

/* --- records */

/* As memcpy, for what is short as a rule. */
static void copy_words(uint64_t *to, const void *from, uint64_t count)
{
	const uint64_t *words = from;

	if (count > 16) {
		memcpy(to, from, 8 * count);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		to[i] = words[i];
		/* Else compilers call memcpy for the loop. */
		__asm__ volatile("");
	}
}

static uint64_t head_of(uint64_t size, uint32_t flags, uint32_t function)
{
	return size / 8 | (uint64_t)TL_RECORD_CALL << 16 | (uint64_t)flags << 24 |
	       (uint64_t)function << 32;
}

/* What becomes a call's record. */
struct draft {
	const struct tl_function *function;
	uint32_t id;
	uint32_t mode;	/* FOLLOW: with what is captured; WORDS: with the words */
	uint32_t count; /* of words */
	uint32_t flags;
	uint64_t start, end, result;
	const uint64_t *words;
	struct tl_cause cause;
};

static TL_ALWAYS_INLINE bool has_cause(const struct draft *draft)
{
	return draft->cause.correlation || draft->cause.request;
}

static TL_ALWAYS_INLINE uint64_t size_of(const struct draft *draft)
{
	uint64_t size = sizeof(struct tl_call_record) + 8 * (uint64_t)draft->count;

	return has_cause(draft) ? size + sizeof(draft->cause) : size;
}

/* All of the record but its blobs, not committed. Returns where these go. */
static TL_ALWAYS_INLINE uint64_t *fill(uint64_t *record, const struct draft *draft)
{
	record[1] = draft->start;
	record[2] = draft->end - draft->start;
	record[3] = draft->result;
	record += 4;
	if (has_cause(draft))
		memcpy(record++, &draft->cause, sizeof(draft->cause));
	copy_words(record, draft->words, draft->count);
	return record + draft->count;
}

static TL_ALWAYS_INLINE void commit(uint64_t *record, uint64_t size, const struct draft *draft)
{
	uint32_t flags = draft->flags | (draft->mode & TL_MODE_WORDS ? TL_RECORD_WORDS : 0) |
			 (has_cause(draft) ? TL_RECORD_CAUSE : 0);

	tl_record_commit(record, head_of(size, flags, draft->id));
}

/* A call that left no more than its entry. */
static void record_entry(struct tl_thread *thread, const struct tl_open_call *open, uint64_t start,
			 uint64_t duration, struct tl_cause cause)
{
	struct draft draft = {.id = open->function,
			      .flags = TL_RECORD_UNWOUND,
			      .start = start,
			      .end = start + duration,
			      .cause = cause};

	if (!(open->mode & TL_MODE_RECORD))
		return;
	uint64_t *record = tl_record_reserve(thread, size_of(&draft));
	if (!record)
		return;
	fill(record, &draft);
	commit(record, size_of(&draft), &draft);
}

/* `open`: the call's entry, with what was captured. */
TL_NEAR_CODE static void record_captured(struct tl_thread *thread, const struct tl_open_call *open,
					 struct draft *draft)
{
	struct tl_producer *producer = producer_of(thread);
	struct tl_blob_sizes *sizes = captured(producer, open);
	bool cut = sizes->exit;

	sizes->exit = 0;
	if (!(draft->flags & TL_RECORD_UNWOUND) && !tl_call_failed(draft->function, draft->result))
		capture_exit(producer, open, draft->function, draft->words, &cut);
	draft->flags |= cut ? TL_RECORD_BLOBS | TL_RECORD_CUT : TL_RECORD_BLOBS;
	uint64_t blobs = sizeof(*sizes) + sizes->entry + sizes->exit, size = size_of(draft) + blobs;
	uint64_t *record = tl_record_reserve(thread, size);
	if (!record)
		return;
	copy_words(fill(record, draft), sizes, blobs / 8);
	commit(record, size, draft);
}

static TL_ALWAYS_INLINE void record_draft(struct tl_thread *thread, const struct draft *draft)
{
	uint64_t *record = tl_record_reserve(thread, size_of(draft));

	if (!record)
		return;
	fill(record, draft);
	commit(record, size_of(draft), draft);
}

static struct tl_cause cause_of(const struct tl_call *call)
{
	return (struct tl_cause){call->mode & TL_MODE_DEVICE ? tl_hook_correlation(call) : 0,
				 call->request};
}

static void record_call(const struct tl_call *call, uint64_t end, uint32_t flags, uint64_t result,
			const uint64_t *words, uint32_t count)
{
	struct draft draft = {.function = call->shim->function,
			      .id = call->shim->id,
			      .mode = call->mode,
			      .flags = flags,
			      .start = call->start,
			      .end = end,
			      .result = result,
			      .words = words,
			      .cause = cause_of(call)};

	if (count < draft.function->words)
		draft.mode &= ~(uint32_t)TL_MODE_WORDS;
	draft.count = draft.mode & TL_MODE_WORDS ? draft.function->words : 0;
	if (draft.mode & TL_MODE_FOLLOW && frame_of(call->open) == call->frame) {
		record_captured(call->thread, call->open, &draft);
		return;
	}
	record_draft(call->thread, &draft);
}

/* --- tracers */

/* The frame of an open call that owes epilogues; NULL: it owes none. */
static struct tl_frame *tracing_of(struct tl_thread *thread, struct tl_open_call *open)
{
	struct tl_frames *block = producer_of(thread)->frames;
	uint32_t index = (uint32_t)(open - thread->open);

	if (!block || index >= atomic_load_explicit(&block->used, memory_order_relaxed) ||
	    !tl_frame_in_use(&block->frames[index]))
		return NULL;
	return &block->frames[index];
}

static void free_again(struct tl_thread **thread)
{
	if (*thread)
		tl_thread_free(*thread);
}

/*
 * Callbacks follow, up to the end of the block or an exception: the calls that they make pass
 * through.
 */
#define WHILE_BUSY(thread)                                                                         \
	struct tl_thread *busy_ __attribute__((cleanup(free_again))) = (thread);                   \
	if (busy_)                                                                                 \
	tl_thread_busy(busy_)

static void begin_tracing(struct tl_call *call)
{
	struct tl_producer *producer = producer_of(call->thread);
	uint32_t depth = (uint32_t)(call->open - call->thread->open);

	if (!producer->frames)
		producer->frames =
			tl_tracer_frames((uint32_t)(producer->open_end - call->thread->open));
	if (!producer->frames)
		return;
	struct tl_frame *frame = tl_frame_at(producer->frames, depth);
	producer->framed_end = call->thread->open +
			       atomic_load_explicit(&producer->frames->used, memory_order_relaxed);
	if (producer->framed_end > producer->inline_end)
		producer->framed_end = producer->inline_end;
	call->more = frame; /* before an exception can come */
	WHILE_BUSY(call->thread);
	if (!tl_tracer_enter(call, frame))
		call->more = NULL;
}

static struct tl_frame *tracing(const struct tl_call *call)
{
	return call->mode & TL_MODE_TRACERS ? call->more : NULL;
}

static bool is_skipped(const struct tl_call *call)
{
	const struct tl_frame *frame = tracing(call);

	return frame && frame->flags & TL_VIEW_SKIPPED;
}

/*
 * Also in a process forked inside the call, and on another thread than it began on: the epilogues
 * are owed all the same.
 */
static void end_tracing(struct tl_call *call, bool unwound)
{
	struct tl_frame *frame = tracing(call);

	if (!frame || !tl_frame_in_use(frame))
		return;
	WHILE_BUSY(tl_self);
	if (unwound)
		tl_tracer_unwind(call, frame);
	else
		tl_tracer_leave(call, frame);
}

/*
 * The entry stays until the epilogues have run, now as ours: should one of them leave by longjmp,
 * this is found to be gone, as a call is.
 */
__attribute__((noinline)) void tl_call_abandon(struct tl_thread *thread, struct tl_open_call *open,
					       struct tl_frame *frame)
{
	struct tl_call here = {.open = open};

	atomic_store_explicit(&open->frame, (uintptr_t)&here, memory_order_release);
	WHILE_BUSY(thread);
	tl_tracer_abandon(frame);
	/* The memory may look the same for long. */
	here.open = NULL;
	__asm__ volatile("" : : "r"(&here) : "memory");
}

/* --- the stack of open calls */

static void release_scratch(struct tl_thread *thread, const struct tl_open_call *open)
{
	if (open->mode & TL_OPEN_SCRATCH)
		producer_of(thread)->scratch_used = open->scratch;
}

static void suspect(struct tl_open_call *open, uint64_t now)
{
	uint64_t lasted = (now - open->start) / 256;

	if (open->mode & TL_OPEN_SUSPECT)
		return;
	open->lasted = lasted < UINT32_MAX ? (uint32_t)lasted : UINT32_MAX;
	open->mode |= TL_OPEN_SUSPECT;
}

/* What the epilogues are told. */
static void set_times(struct tl_frame *frame, uint64_t start, uint64_t end)
{
	frame->start = start ? start : end;
	frame->end = end;
}

/* The entry goes, and its call with it, which never returned. */
static void pop_left(struct tl_thread *thread, struct tl_open_call *open, uint64_t now)
{
	struct tl_frame *frame = tracing_of(thread, open);
	/* A call that was left before the driver was called has not begun. */
	uint64_t start = open->start ? open->start : now, duration = now - start;

	if (open->mode & TL_OPEN_SUSPECT && duration > (uint64_t)open->lasted * 256)
		duration = (uint64_t)open->lasted * 256;
	release_scratch(thread, open);
	struct tl_cause cause = open->mode & TL_MODE_DEVICE
					? tl_hook_abandon(thread, open, now)
					: (struct tl_cause){0, tl_request_current()};
	if (frame_of(open) != TL_NO_FRAME)
		record_entry(thread, open, start, duration, cause);
	open->mode = 0;
	if (frame) {
		set_times(frame, start, start + duration);
		tl_call_abandon(thread, open, frame);
	}
	clear(open);
	set_top(thread, open);
}

/*
 * End the calls above `bottom` that are known to be over, from the top, as seen from a call whose
 * part of the stack is below `stack`: one that is just being made (bottom is the stack's) or that
 * has returned. `now`: ticks, 0 where they are not known yet.
 */
static void settle(struct tl_thread *thread, const struct tl_open_call *bottom,
		   struct tl_caller caller, bool returned, uint64_t now)
{
	struct tl_open_call *top;

	while ((top = top_of(thread)) > bottom) {
		struct tl_open_call *open = top - 1;
		if (frame_of(open) == TL_NO_FRAME) {
			/* Interrupted while it came or went. */
			if (!(open->mode & TL_OPEN_FINISHED))
				return;
		} else if (!returned && frame_of(open) >= caller.stack &&
			   !(open->mode & TL_OPEN_SUSPECT)) {
			return; /* An ordinary outer call. */
		}
		now = now ? now : tl_ticks(thread);
		if (frame_of(open) != TL_NO_FRAME &&
		    tl_left_ask(thread, open, caller) != TL_LEFT_YES) {
			suspect(open, now);
			return;
		}
		pop_left(thread, open, now);
	}
}

/*
 * The same for those that may also look like outer calls: they lie above us, where a frame that
 * came later has not written to them.
 */
static void settle_all(struct tl_thread *thread, struct tl_caller caller)
{
	struct tl_open_call *top;

	while ((top = top_of(thread)) > thread->open) {
		struct tl_open_call *open = top - 1;
		if (frame_of(open) == TL_NO_FRAME
			    ? !(open->mode & TL_OPEN_FINISHED)
			    : tl_left_ask(thread, open, caller) != TL_LEFT_YES)
			return;
		pop_left(thread, open, tl_ticks(thread));
	}
}

/* A call has returned and is not on top: some above it never did. `now`: as in settle. */
static void end_inner(struct tl_call *call, uint64_t now)
{
	struct tl_open_call *open = call->open;

	if (open && frame_of(open) == call->frame && top_of(call->thread) > open + 1)
		settle(call->thread, open + 1, (struct tl_caller){NULL, call->frame}, true, now);
}

/* The innermost call is over; with it go those below it that have been for a while. */
static inline void pop(struct tl_thread *thread, struct tl_open_call *open)
{
	release_scratch(thread, open);
	clear(open);
	set_top(thread, open);
	while (TL_UNLIKELY(open > thread->open && open[-1].mode & TL_OPEN_FINISHED)) {
		clear(--open);
		set_top(thread, open);
	}
}

/* Take a call that is over off the stack; it need not be on top. */
static void close_entry(struct tl_call *call)
{
	struct tl_thread *thread = call->thread;
	struct tl_open_call *open = call->open;

	if (!open || frame_of(open) != call->frame)
		return;
	if (top_of(thread) > open + 1) {
		open->mode |= TL_OPEN_FINISHED;
		atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
		return;
	}
	pop(thread, open);
}

/* Calls that found no room were left. */
static void count_unentered(struct tl_producer *producer)
{
	producer->full = 0;
	if (TL_LIKELY(!atomic_load_explicit(&producer->unentered, memory_order_relaxed)))
		return;
	tl_buffer_lose_here(
		producer, atomic_exchange_explicit(&producer->unentered, 0, memory_order_relaxed));
}

void tl_call_end_all(struct tl_thread *thread)
{
	struct tl_open_call *top;
	uint64_t now = tl_ticks(thread);

	while ((top = top_of(thread)) > thread->open)
		pop_left(thread, top - 1, now);
	count_unentered(producer_of(thread));
}

/*
 * The thread is inside a callback, of its innermost open call. Unless the callback was left by
 * longjmp: then the call was too, and what it owes is done by who settles. And unless it goes on on
 * another stack, while this one has nothing to do with it.
 */
static bool is_in_callback(struct tl_thread *thread, struct tl_caller caller)
{
	struct tl_open_call *top = top_of(thread);

	if (!thread->busy)
		return false;
	if (top == thread->open || frame_of(top - 1) == TL_NO_FRAME)
		return true;
	enum tl_left left = tl_left_ask(thread, top - 1, caller);
	if (left == TL_LEFT_NO || left == TL_LEFT_UNKNOWN)
		return true;
	thread->busy = 1;
	tl_thread_free(thread);
	return false;
}

void tl_call_end_left(struct tl_thread *thread, struct tl_caller caller)
{
	if (!is_in_callback(thread, caller))
		settle_all(thread, caller);
}

/* --- entering */

/* The call is none of ours: let it pass. */
static void *pass(struct tl_call *call, void *real)
{
	call->shim = NULL;
	call->open = NULL;
	return real;
}

static void *resolve(struct tl_call *call)
{
	struct tl_shim *shim = call->shim;
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	/*
	 * dlsym may have found it before the first call, but what was loaded since has yet to be
	 * looked at.
	 */
	if (real && !(atomic_load_explicit(&shim->mode, memory_order_relaxed) & TL_MODE_RESOLVE))
		return real;
	real = tl_resolve_real(shim, call->caller.address);
	if (real)
		tl_runtime_resolved(shim);
	return real;
}

/* The calling thread's state; NULL: nothing of this call is kept. */
static struct tl_thread *thread_for(struct tl_call *call)
{
	struct tl_thread *thread = tl_self;

	if (!thread) {
		if (!tl_runtime_begin())
			return NULL;
		thread = tl_thread_attach();
		if (thread)
			tl_runtime_describe();
		else
			tl_buffer_lose();
	}
	return thread && !is_in_callback(thread, call->caller) ? thread : NULL;
}

/* Made inside another call of the same API, and such calls are not traced. */
static bool is_unwanted(struct tl_call *call)
{
	struct tl_thread *thread = call->thread;

	if (tl_config.nested)
		return false;
	settle(thread, thread->open, call->caller, false, 0);
	const struct tl_open_call *outer = top_of(thread) - 1;
	return outer >= thread->open && frame_of(outer) != TL_NO_FRAME &&
	       frame_of(outer) >= call->caller.stack && !(outer->mode & TL_OPEN_SUSPECT) &&
	       outer->function >> 16 == call->shim->id >> 16 &&
	       tl_left_ask(thread, outer, call->caller) != TL_LEFT_YES;
}

/* Directly before the driver's function, if that is going to be called. */
static void begin_hook(struct tl_call *call, const void *real)
{
	if (!call->open || !real || is_skipped(call) || !tl_hook_enter(call))
		call->mode &= ~(uint32_t)TL_MODE_DEVICE;
}

/*
 * The stack of open calls is full. The call is recorded when it returns. Should it be left instead,
 * nobody will ever know but by this count, which is taken for lost events when there is room for an
 * entry again: by then the call is over.
 */
static void open_without_entry(struct tl_call *call)
{
	call->mode &= ~(uint32_t)(TL_MODE_FOLLOW | TL_MODE_DEVICE);
	call->start = tl_ticks(call->thread);
	if (call->mode & TL_MODE_RECORD)
		atomic_fetch_add_explicit(&producer_of(call->thread)->unentered, 1,
					  memory_order_relaxed);
}

static void close_without_entry(const struct tl_call *call)
{
	_Atomic uint64_t *count = &producer_of(call->thread)->unentered;

	if (call->mode & TL_MODE_RECORD && atomic_load_explicit(count, memory_order_relaxed))
		atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
}

/* Calls may really be that deep: then one finds out ever more seldom. */
static bool is_worth_asking(struct tl_producer *producer)
{
	uint32_t times = producer->full++;

	return (times & (times + 1)) == 0;
}

static void open_entry(struct tl_call *call, const void *real)
{
	struct tl_thread *thread = call->thread;

	settle(thread, thread->open, call->caller, false, 0);
	if (top_of(thread) >= producer_of(thread)->open_end && is_worth_asking(producer_of(thread)))
		settle_all(thread, call->caller);
	struct tl_open_call *open = top_of(thread);
	call->open = open < producer_of(thread)->open_end ? open : NULL;
	if (!call->open) {
		open_without_entry(call);
		return;
	}
	count_unentered(producer_of(thread));
	set_top(thread, open + 1);
	open->function = call->shim->id;
	open->mode = 0;
	if (call->mode & (TL_MODE_TRACERS | TL_MODE_DEVICE)) {
		/* Callbacks may never come back, so the entry is whole before them. */
		open->mode = call->mode | TL_OPEN_TRACED;
		open->start = call->start = tl_ticks(thread);
		atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	}
	if (call->mode & TL_MODE_TRACERS)
		begin_tracing(call);
	/*
	 * After the prologues: they may have changed parameters, and their time is not the
	 * driver's.
	 */
	if (call->mode & TL_MODE_FOLLOW)
		capture_entry_traced(call);
	if (call->mode & TL_MODE_DEVICE)
		begin_hook(call, real);
	open->mode |= call->mode | TL_OPEN_TRACED;
	open->start = call->start = tl_ticks(thread);
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	if (call->mode & TL_MODE_DEVICE)
		tl_hook_starts(call);
}

static void *enter(struct tl_call *call)
{
	tl_runtime_start();
	tl_runtime_notice_fork();
	if (TL_UNLIKELY(tl_runtime_is_confined()))
		return pass(call, resolve(call));
	/*
	 * First: once its function is found, a shim that nobody watches lets other threads' calls
	 * by.
	 */
	if (TL_UNLIKELY(tl_device_waits()))
		tl_device_begin();
	void *real = resolve(call);
	tl_tools_load();
	if (TL_UNLIKELY(tl_control_waits()))
		tl_control_begin();
	/*
	 * Finding it may have shown that callers have to be told apart, and tools may have
	 * callbacks.
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
		void *foreign = tl_resolve_foreign(call);
		if (foreign)
			return pass(call, foreign);
		if (tl_resolve_is_linked_loaders(call)) {
			call->mode = mode & TL_MODE_AFTER;
			return call->mode ? real : pass(call, real);
		}
	}
	tl_report_called(call->shim->function->name);
	if (mode & TL_MODE_RECORD && wanted) {
		tl_report_recorded();
		tl_newer_loader_look(call->shim->function->api);
	}
	if (mode & WATCHED)
		call->thread = thread_for(call);
	if (call->thread && is_unwanted(call))
		call->thread = NULL;
	call->mode = mode & (TL_MODE_CAPTURED | TL_MODE_TRACERS | TL_MODE_AFTER | TL_MODE_DEVICE |
			     TL_MODE_OPEN);
	if (!wanted)
		call->mode &= ~(uint32_t)TL_MODE_CAPTURED;
	if (call->thread)
		open_entry(call, real);
	else if (mode & TL_MODE_AFTER)
		call->mode = TL_MODE_AFTER;
	else
		return pass(call, real);
	return is_skipped(call) ? NULL : real;
}

void *tl_call_enter_other(struct tl_call *call)
{
	int error = errno;
	void *real = enter(call);

	errno = error;
	return real;
}

/* --- leaving */

/*
 * False: there is nothing of it to record, since this process was forked inside it, or it has been
 * ended.
 */
static bool is_ours(const struct tl_call *call)
{
	return call->thread && !tl_buffer_is_stale(call->thread);
}

/*
 * A coroutine has carried it over to another thread: that one records it, and its first thread only
 * learns that it is over.
 */
static void move_over(struct tl_call *call)
{
	if (call->open && frame_of(call->open) == call->frame) {
		call->open->mode |= TL_OPEN_FINISHED;
		atomic_store_explicit(&call->open->frame, TL_NO_FRAME, memory_order_relaxed);
	}
	call->open = NULL;
	call->mode &= ~(uint32_t)TL_MODE_FOLLOW;
	call->thread = thread_for(call);
}

static void end(struct tl_call *call, uint32_t flags, uint64_t result, const uint64_t *words,
		uint32_t count)
{
	tl_runtime_notice_fork();
	bool ours = is_ours(call);
	uint64_t now = call->start;

	/* It was taken for one that was left, and ended: what it had is another call's by now. */
	if (ours && call->open && frame_of(call->open) != call->frame)
		return;

	if (ours) {
		now = call->mode & TL_MODE_DEVICE ? call->end : tl_ticks(call->thread);
		if (call->thread != tl_self)
			move_over(call);
		ours = call->thread != NULL;
		if (ours)
			end_inner(call, now);
		if (ours && !call->open)
			close_without_entry(call);
		if (ours && call->mode & TL_MODE_RECORD) {
			record_call(call, now, flags, result, words, count);
			tl_clock_keep_up(now);
		}
	}
	if (tracing(call)) {
		set_times(tracing(call), call->start, now);
		/*
		 * An epilogue that throws, or is left by longjmp, must not have it recorded again.
		 */
		call->mode &= ~(uint32_t)TL_MODE_RECORD;
		if (ours && call->open)
			call->open->mode &= ~(uint32_t)TL_MODE_RECORD;
		end_tracing(call, flags & TL_RECORD_UNWOUND);
	}
	if (ours)
		close_entry(call);
}

static void after(struct tl_call *call, uint64_t result, const uint64_t *words)
{
	const struct tl_function *function = call->shim->function;

	if (function->flags & TL_FUNCTION_GETPROC && !tl_call_failed(function, result))
		tl_resolve_wrap(call->shim, words, call->result);
	/* Also where its request does not want this call. */
	bool recorded =
		atomic_load_explicit(&call->shim->mode, memory_order_relaxed) & TL_MODE_RECORD;
	if (function->flags & TL_FUNCTION_INITIALISES && (recorded || tl_tools_given()))
		tl_runtime_renew_exit();
}

/* The driver's function is over, and the parameters are the program's again. */
static void end_hook(struct tl_call *call, uint64_t result, bool unwound)
{
	tl_runtime_notice_fork();
	if (is_ours(call) && call->thread == tl_self)
		end_inner(call, 0);
	tl_hook_leave(call, result, unwound);
}

/* A hook that had to try again has another result. */
static uint64_t result_again(const struct tl_call *call, uint64_t result)
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
	uint64_t own[WORDS];

	int error = errno;
	bool skipped = is_skipped(call);
	if (skipped)
		result = tl_tracer_skipped(call, tracing(call));
	/* The words were taken from parameters that may be the hook's. */
	if (call->mode & TL_MODE_DEVICE) {
		end_hook(call, result, false);
		words_of(call, own);
		words = own;
		if (!skipped)
			result = result_again(call, result);
	}
	end(call, 0, result, words, count);
	if (call->mode & TL_MODE_AFTER && !skipped)
		after(call, result, words);
	errno = error;
}

void tl_call_unwound(struct tl_call *call)
{
	int error = errno;
	uint64_t words[WORDS];
	uint32_t count = call->shim->function->words;

	if (call->mode & TL_MODE_DEVICE)
		end_hook(call, 0, true);
	if (count <= WORDS)
		words_of(call, words);
	else
		count = 0;
	end(call, TL_RECORD_UNWOUND, 0, words, count);
	call->shim = NULL;
	errno = error;
}

/*
 * --- calls with a straight hook, recorded or not, and nothing else: what is said in hook.h of them
 *
 * A driver's work comes in between two of these, and other threads' besides: so nothing of this is
 * near when it is needed, and what counts is how little it is.
 */

static inline void words_of_simple(const struct tl_call *call, const struct tl_hook_place *place,
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
 * Its entry is whole before the hook, which may never come back; until that is over there is
 * nothing to recover of it.
 */
static inline void open_hooked(struct tl_call *call, struct tl_open_call *open,
			       uint64_t mode_and_id, const struct tl_hook_place *place)
{
	struct tl_producer *producer = producer_of(call->thread);
	struct tl_hooked *hooked = call->hooked;
	int *error_at = producer->error, error = *error_at;

	set_top(call->thread, open + 1);
	open->start = call->start = 0;
	open->mode_and_function = mode_and_id | TL_OPEN_TRACED | TL_OPEN_FINISHED;
	call->open = open;
	call->frame = (uintptr_t)call;
	call->mode = (uint32_t)mode_and_id;
	call->request = 0;
	call->more = NULL;
	if (TL_LIKELY(place->simple))
		words_of_simple(call, place, hooked->words);
	else
		words_of(call, hooked->words);
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	if (mode_and_id & TL_MODE_FOLLOW)
		capture_entry(producer, open, call->shim->function, hooked->words);
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
	/* As calls that are served in their entries. */
	struct tl_open_call *open = top_of(thread);
	struct tl_hooked *hooked = tl_device_thread_of(producer_of(thread))->hooked;
	const struct tl_hook_place *place = tl_hook_straight((uint32_t)(mode_and_id >> 32));
	if (TL_UNLIKELY(open >= thread->end || frame_of(open - 1) < call->caller.stack || !hooked ||
			!place ||
			(mode_and_id & TL_MODE_FOLLOW && !has_scratch(producer_of(thread)))))
		return tl_call_enter_other(call);
	call->thread = thread;
	call->hooked = &hooked[open - thread->open];
	open_hooked(call, open, mode_and_id, place);
	return real;
}

static TL_ALWAYS_INLINE struct draft draft_of_hooked(const struct tl_call *call, uint64_t result,
						     const struct tl_hook_place *place)
{
	return (struct draft){.function = call->shim->function,
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
record_hooked_captured(const struct tl_call *call, uint64_t result,
		       const struct tl_hook_place *place)
{
	struct draft draft = draft_of_hooked(call, result, place);

	record_captured(call->thread, call->open, &draft);
}

/* No draft in memory, here. */
static TL_ALWAYS_INLINE void record_hooked(const struct tl_call *call, uint64_t result,
					   const struct tl_hook_place *place)
{
	const struct draft draft = draft_of_hooked(call, result, place);

	record_draft(call->thread, &draft);
}

/* On the thread that it began on, on top, and begun on the short way. */
static inline bool is_straight(const struct tl_call *call, const struct tl_thread *thread)
{
	return thread && call->thread == thread && top_of(call->thread) == call->open + 1 &&
	       frame_of(call->open) == call->frame && tl_hook_is_owed(call) &&
	       call->hooked->straight;
}

TL_NEAR_CODE void tl_call_leave_hooked(struct tl_call *call, uint64_t result, const uint64_t *words,
				       uint32_t count)
{
	struct tl_thread *thread = tl_self;
	struct tl_hooked *hooked = call->hooked;

	if (TL_UNLIKELY(!is_straight(call, thread)))
		return tl_call_leave_other(call, result, words, count);
	const struct tl_hook_place *place = tl_hook_place_of(call->shim->id);
	struct tl_producer *producer = producer_of(thread);
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
			record_hooked_captured(call, result, place);
		else
			record_hooked(call, result, place);
		tl_clock_keep_up(call->end);
	}
	pop(thread, call->open);
}

/* --- calls recorded in the entry, when there is more to do */

static struct tl_open_call *entry_of(const uint64_t *recorded)
{
	return (struct tl_open_call *)recorded[0];
}

struct tl_shim *tl_call_shim_of(const struct tl_open_call *open)
{
	return &tl_runtime_library(open->function >> 16)->shims[open->function & 0xffff];
}

static struct draft draft_of(const struct tl_open_call *open, const uint64_t *recorded,
			     uint64_t result, uint64_t end)
{
	const struct tl_function *function = tl_call_shim_of(open)->function;

	return (struct draft){.function = function,
			      .id = open->function,
			      .mode = open->mode,
			      .count = open->mode & TL_MODE_WORDS ? function->words : 0,
			      .start = open->start,
			      .end = end,
			      .result = result,
			      .words = recorded + 1};
}

/*
 * The same as calls out of line are. False: this process was forked inside it, or it has been
 * ended.
 */
static bool as_traced(struct tl_call *call, const uint64_t *recorded)
{
	struct tl_open_call *open = entry_of(recorded);

	if (frame_of(open) != (uintptr_t)recorded)
		return false;
	*call = (struct tl_call){.open = open,
				 .shim = tl_call_shim_of(open),
				 .mode = open->mode & TL_MODE_CAPTURED,
				 .start = open->start,
				 .frame = (uintptr_t)recorded,
				 .caller.stack = (uintptr_t)recorded,
				 .thread = tl_buffer_thread_of(open)};
	return true;
}

static void end_recorded(const uint64_t *recorded, uint32_t flags, uint64_t result)
{
	struct tl_call call;
	int error = errno;

	if (as_traced(&call, recorded))
		end(&call, flags, result, recorded + 1, (uint32_t)call.shim->function->words);
	errno = error;
}

void *tl_recorded_enter_captured(uint64_t *recorded, struct tl_shim *shim, uintptr_t stack)
{
	struct tl_thread *thread = tl_self;
	uint64_t mode_and_id = atomic_load_explicit(&shim->mode_and_id, memory_order_relaxed);
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);

	bool captured = (uint32_t)mode_and_id == TL_MODE_CAPTURED;
	if (!thread || !real ||
	    (captured ? shim->function->words > WORDS : (uint32_t)mode_and_id != TL_MODE_OPEN))
		return NULL;
	struct tl_open_call *open = top_of(thread);
	if (open >= thread->end || frame_of(open - 1) < stack ||
	    (captured && !has_scratch(producer_of(thread))))
		return NULL;
	set_top(thread, open + 1);
	recorded[0] = (uintptr_t)open;
	open->mode_and_function = mode_and_id;
	if (captured)
		capture_entry(producer_of(thread), open, shim->function, recorded + 1);
	open->start = tl_counter();
	/* As in tl_recorded_enter. */
	atomic_store_explicit(&open->frame, (uintptr_t)recorded, memory_order_release);
	return real;
}

/* In order, on the thread that it began on, and nothing has happened to it. */
static bool is_plain(const struct tl_thread *thread, const struct tl_open_call *open,
		     const uint64_t *recorded, uint32_t mode)
{
	return thread && atomic_load_explicit(&thread->top, memory_order_relaxed) == open + 1 &&
	       frame_of(open) == (uintptr_t)recorded && open->mode == mode;
}

uint64_t tl_recorded_leave_slow(uint64_t *recorded, uint64_t result)
{
	struct tl_open_call *open = entry_of(recorded);
	struct tl_thread *thread = tl_self;

	if (is_plain(thread, open, recorded, TL_MODE_OPEN)) {
		clear(open);
		set_top(thread, open);
		return result;
	}
	if (!is_plain(thread, open, recorded, TL_MODE_CAPTURED | TL_OPEN_SCRATCH)) {
		end_recorded(recorded, 0, result);
		return result;
	}
	uint64_t end = tl_counter();
	struct draft draft = draft_of(open, recorded, result, end);
	record_captured(thread, open, &draft);
	release_scratch(thread, open);
	clear(open);
	set_top(thread, open);
	tl_clock_keep_up(end);
	return result;
}

void tl_recorded_unwound(uint64_t *recorded)
{
	end_recorded(recorded, TL_RECORD_UNWOUND, 0);
}

uint64_t tl_recorded_leave_full(uint64_t *recorded, uint64_t result, uint64_t at, uint64_t end)
{
	struct tl_thread *thread = tl_self;
	struct tl_open_call *open = entry_of(recorded);
	struct draft draft = draft_of(open, recorded, result, end);
	uint64_t size = size_of(&draft);
	uint64_t *record = tl_record_reserve_slow(thread, size, at);

	if (record) {
		tl_record_sized(record, size);
		fill(record, &draft);
		commit(record, size, &draft);
	}
	clear(open);
	set_top(thread, open);
	return result;
}
