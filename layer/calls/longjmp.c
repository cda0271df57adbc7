/* SPDX-License-Identifier: MIT */
/*
 * longjmp.c: see longjmp.h.
 *
 * The entry of an open call has the address of something on the call's frame that points back to
 * the entry. If that does not point back any more, or lies where our own frames are, the call is
 * over. But memory below the stack pointer keeps its content until somebody writes there; and above
 * it, a frame with a large array that is not filled may cover it for long. So the thread's chain of
 * frames is walked (stack_frames.h):
 *
 *	The address lies in a frame of a shim: the thread is inside the call.
 *	It lies in another function's frame: the call's frame is gone.
 *	It lies in no frame, the chain ends with the thread's first function, and the memory from
 *		the address up to our frame has no gap: so the address lies on the thread's own
 *		stack, below what is in use, and the call's frame is gone.
 *	The same if the chain ends with a coroutine's first function, if no other such
 *		function's frame lies in between, and if the address isn't on the thread's own
 *		stack: there an array may be the coroutine's stack.
 *
 * In all other cases nobody knows: a call on another stack may have been left, or may go on later.
 *
 * Three things this cannot see. A coroutine's stack may be an array in a frame that is in use: its
 * calls count as overwritten (the second case) if the question comes from that frame's own stack.
 * A coroutine's stack may be copied away, to be put back later (Python's greenlet): its calls count
 * as overwritten, too. And code that a JIT made ends the chain, which then counts as the thread's
 * own.
 */
#include "layer/calls/longjmp.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/args/args.h"
#include "layer/buffers/buffer.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/call_tracing.h"
#include "layer/calls/generic_call.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/stack_frames.h"
#include "layer/calls/stack_memory.h"

/* no kernel makes a larger frame for a handler on the same stack */
#define SIGNAL_FRAME (64u * 1024)
#define FARTHEST     ((uintptr_t)1 << 30)
/* our frames around that of a call: traced body, invoke, libffi's two */
#define AROUND 4
#define USES   64 /* how often an answer is used */

struct question {
	const struct tl_open_call *open;
	uintptr_t frame;	 /* the entry's .frame */
	uintptr_t stack;	 /* up to here all frames belong to the code that asks */
	struct tl_caller caller; /* TL_OPEN_TRACED: its caller */
	const struct tl_shim *shim;
	bool is_past; /* the walk has passed it */
	/* the lowest address in use on the stack that the walk is on */
	uintptr_t own;
	/* how many more frames may be the entry's; 0: the call's own has not been seen */
	unsigned around;
	enum tl_left answer;
};

/* Whether what made this entry is still in its place. */
static bool question_is_intact(const struct tl_thread *thread, struct question *question)
{
	const struct tl_open_call *open = question->open;
	struct tl_call call;
	size_t size = open->mode & TL_OPEN_TRACED ? sizeof(call) : sizeof(call.open);

	if (tl_checked_copy(&call, (const void *)question->frame, size) != size ||
	    call.open != open)
		return false;
	if (size != sizeof(call))
		return true;
	question->caller = call.caller;
	return call.shim && call.thread == thread && call.start == open->start;
}

/*
 * Whether the call was on the alternate signal stack, and nothing runs there now, or only what lies
 * above it.
 */
static bool call_lay_on_signal_stack(uintptr_t frame, uintptr_t stack)
{
	stack_t signals;

	if (sigaltstack(NULL, &signals) != 0 || signals.ss_flags & SS_DISABLE ||
	    frame - (uintptr_t)signals.ss_sp >= signals.ss_size)
		return false;
	return !(signals.ss_flags & SS_ONSTACK) ||
	       (stack - (uintptr_t)signals.ss_sp < signals.ss_size && frame < stack);
}

/*
 * Whether this is a frame of a shim. In a library of shims, all frames are; shims that are linked
 * into a program are recognised by their address.
 */
static bool frame_is_shims(const struct question *question, const struct tl_chain_frame *frame)
{
	if (frame->function == (uintptr_t)question->shim->entry ||
	    (frame->function >= (uintptr_t)tl_generic_entries &&
	     frame->function < (uintptr_t)tl_generic_entries_end) ||
	    frame->function == (uintptr_t)tl_call_abandon)
		return true;
	return !frame->program && (frame->library == tl_chain_library(question->shim) ||
				   frame->library == tl_chain_library((void *)tl_left_ask));
}

/* Whether this is the frame of the call's shim: it was called as the entry says. */
static bool frame_is_called_so(const struct question *question, const struct tl_chain_frame *frame)
{
	return frame->high == question->caller.stack &&
	       (!question->caller.address || frame->back == (uintptr_t)question->caller.address);
}

static bool question_answer(struct question *question, enum tl_left answer)
{
	question->answer = answer;
	return true;
}

static bool question_visit_frame(const struct tl_chain_frame *frame, void *closure)
{
	struct question *question = closure;

	if (!question->own)
		question->own = frame->low;
	question->is_past |= frame->high > question->stack;
	if (frame->signal &&
	    (frame->high < frame->low || frame->high - frame->low > SIGNAL_FRAME)) {
		question->own = frame->high;
		question->is_past = true;
		return false;
	}
	if (!question->around) {
		if (question->frame - frame->low >= frame->high - frame->low)
			return false;
		if (!question->is_past)
			return question_answer(question, TL_LEFT_YES);
		if (frame_is_shims(question, frame))
			return question_answer(question, TL_LEFT_NO);
		if (!frame->program || !(question->open->mode & TL_OPEN_TRACED))
			return question_answer(question, TL_LEFT_YES);
		question->around = AROUND;
	}
	if (frame_is_called_so(question, frame))
		return question_answer(question, TL_LEFT_NO);
	return --question->around == 0 && question_answer(question, TL_LEFT_YES);
}

static bool stack_is_mapped_between(uintptr_t from, uintptr_t to)
{
	return from < to && to - from < FARTHEST && tl_stack_is_mapped(from, to);
}

/*
 * Whether this is a thread's own stack. At the top of the first thread's stack is what the kernel
 * gave the process; at the top of any other, what the C library keeps of the thread.
 */
static bool stack_is_threads(uintptr_t frame)
{
	bool first = syscall(SYS_gettid) == syscall(SYS_getpid);

	return stack_is_mapped_between(frame, first ? (uintptr_t)getauxval(AT_RANDOM)
						    : (uintptr_t)pthread_self());
}

/*
 * Whether [from, to), which can be read, has the outermost frame of a coroutine. noinline, since
 * compilers would invert the mark once, and leave it on the stack.
 */
static __attribute__((noinline, no_sanitize("address", "thread"))) bool
stack_has_coroutine(uintptr_t from, uintptr_t to)
{
	uintptr_t mark = tl_chain_coroutine_mark();

	for (const volatile uintptr_t *at = (const uintptr_t *)((from + 7) & ~(uintptr_t)7);
	     (uintptr_t)at < to; at++) {
		__asm__ volatile("" : "+r"(mark));
		if (~*at == mark)
			return true;
	}
	return false;
}

/* Clears what the walk left on the stack: a later question could take it for the program's. */
static __attribute__((noinline)) void stack_wipe(void)
{
	char walks[2048];

	memset(walks, 0, sizeof(walks));
	__asm__ volatile("" : : "r"(walks) : "memory");
}

static enum tl_left question_ask_chain(struct question *question)
{
	enum tl_chain_end end = tl_chain_walk(question_visit_frame, question);

	stack_wipe();
	if (end == TL_CHAIN_STOPPED)
		return question->answer;
	if (end == TL_CHAIN_UNKNOWN || question->around)
		return TL_LEFT_UNKNOWN;
	if (end == TL_CHAIN_COROUTINE)
		return tl_chain_coroutine_mark() &&
				       stack_is_mapped_between(question->frame, question->own) &&
				       !stack_is_threads(question->frame) &&
				       !stack_has_coroutine(question->frame, question->own)
			       ? TL_LEFT_YES
			       : TL_LEFT_UNKNOWN;
	if (stack_is_mapped_between(question->frame, question->own))
		return TL_LEFT_YES;
	return end == TL_CHAIN_THREAD ? TL_LEFT_ELSEWHERE : TL_LEFT_UNKNOWN;
}

/*
 * Callbacks and coroutines make many calls from the same place at the same depth. An answer other
 * than YES is used for all of these, as long as they ask about the same call. But not for ever: a
 * thread may come to the same place by another path.
 */
static enum tl_left question_ask(struct tl_producer *producer, struct question *question,
				 struct tl_caller caller)
{
	struct tl_left_answer *kept = &tl_call_thread_of(producer)->left;

	if (kept->uses && kept->open == question->open && kept->start == question->open->start &&
	    kept->frame == question->frame && kept->caller.stack == caller.stack &&
	    kept->caller.address == caller.address) {
		kept->uses--;
		return (enum tl_left)kept->answer;
	}
	enum tl_left answer = question_ask_chain(question);
	*kept = (struct tl_left_answer){.open = question->open,
					.start = question->open->start,
					.frame = question->frame,
					.caller = caller,
					.answer = answer,
					.uses = answer == TL_LEFT_YES ? 0 : USES};
	return answer;
}

__attribute__((noinline)) enum tl_left
tl_left_ask(struct tl_thread *thread, const struct tl_open_call *open, struct tl_caller caller)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct question question = {.open = open,
				    .frame = tl_open_frame(open),
				    .stack = caller.stack,
				    .shim = tl_call_shim_of(open)};

	if (question.frame - here < caller.stack - here || !question_is_intact(thread, &question) ||
	    call_lay_on_signal_stack(question.frame, caller.stack))
		return TL_LEFT_YES;
	return question_ask((struct tl_producer *)thread, &question, caller);
}
