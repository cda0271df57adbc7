/* SPDX-License-Identifier: MIT */
/*
 * thread.c: the beginning and the end of a thread. See thread.h.
 *
 * The destructor of a pthread key runs at a thread's end. Destructors of other keys may still make
 * calls, in an order that nothing guarantees. So ours asks for another round and hands the thread's
 * events over in the last round but one (in the last, ThreadSanitizer takes its own state down).
 * After that tl_self stays set, and further events are recorded: a producer is recycled only once
 * the kernel no longer knows its thread.
 */
#include "layer/calls/thread.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/buffers/buffer.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/open_calls.h"
#include "layer/base/environment.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/tracer_frames.h"
#include "layer/resolve/api_table.h"

static pthread_key_t key;
static bool have_key;

static void thread_ends(void *value)
{
	struct tl_producer *producer = value;
	struct tl_call_thread *calls = tl_call_thread_of(producer);

	if (tl_buffer_is_stale(&producer->thread) || tl_process_is_confined())
		return;
	if (++calls->rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
	    pthread_setspecific(key, producer) == 0)
		return;
	tl_call_end_all(&producer->thread);
	if (calls->frames)
		tl_tracer_frames_give_back(calls->frames);
	calls->frames = NULL;
	calls->framed_end = NULL;
	tl_buffer_detach(producer);
}

void tl_thread_start(void)
{
	have_key = pthread_key_create(&key, thread_ends) == 0;
}

bool tl_thread_is_first(void)
{
	static __thread enum {
		NOT_ASKED,
		FIRST,
		OTHER
	} kept __attribute__((tls_model("initial-exec")));

	if (kept == NOT_ASKED)
		kept = syscall(SYS_gettid) == syscall(SYS_getpid) ? FIRST : OTHER;
	return kept == FIRST;
}

/*
 * If calls inside of calls are not traced, these must be checked: then only the outermost call is
 * served inline.
 */
static void producer_serve_outermost(struct tl_producer *producer)
{
	producer->inline_end = producer->thread.open + 1;
}

struct tl_thread *tl_thread_attach(void)
{
	struct tl_producer *producer = tl_buffer_attach();

	if (!producer)
		return NULL;
	struct tl_call_thread *calls = tl_call_thread_of(producer);
	calls->rounds = calls->full = 0;
	calls->framed_end = NULL;
	calls->left.uses = 0;
	/* What was known of the stack of the thread before. */
	memset(producer->stack_slot, 0, sizeof(producer->stack_slot));
	/* A thread that made calls after its end left these; nothing took them back then. */
	if (calls->frames)
		tl_frames_own(calls->frames);
	if (have_key)
		pthread_setspecific(key, producer);
	if (!tl_config.nested)
		producer_serve_outermost(producer);
	tl_thread_serve_inline(&producer->thread);
	/* Whoever attaches first has made the buffers, which `tracelayer recover` can't read without. */
	tl_api_describe();
	return &producer->thread;
}
