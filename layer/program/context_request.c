/* SPDX-License-Identifier: MIT */
/*
 * context_request.c: the requests that threads work on (tl_context_enter).
 *
 * A thread keeps a list of the contexts that it has entered, the innermost first. The layer sees
 * only the innermost (layer/calls/request.h). Number and levels are copied when a context is
 * entered. So the code looks at a context later only when the program leaves it, and then it still
 * exists. A context that was left by an exception or a longjmp is ended when the thread leaves one
 * further out, or at the thread's end.
 */
#include <errno.h>
#include <stdlib.h>

#include "layer/program/context.h"
#include "layer/base/once.h"
#include "layer/calls/request.h"
#include "layer/buffers/process_state.h"
#include "tracelayer/shim.h"

struct entered {
	struct entered *outer;
	struct tl_context *context;
	uint64_t start;
	uint32_t request;
	unsigned levels;
};

static __thread struct entered *innermost __attribute__((tls_model("initial-exec")));

static struct tl_once once;
static pthread_key_t key;
static bool have_key;

/* The slice of a request that ends now. */
static struct tl_context_event slice_of(const struct entered *entered)
{
	uint64_t end = tl_clock_gettime_ticks();

	return (struct tl_context_event){.name = "request",
					 .type = 'X',
					 .level = TL_TRACE_REQUEST,
					 .time = entered->start,
					 .request = entered->request,
					 .duration =
						 end > entered->start ? end - entered->start : 0};
}

static void request_serve(void)
{
	if (innermost)
		tl_request_set(innermost->request, innermost->levels);
	else
		tl_request_set_none();
}

/* End the innermost request. `context`: its context; NULL if that may have been destroyed. */
static void entered_end(struct tl_context *context)
{
	struct entered *entered = innermost;
	struct tl_context_event slice = slice_of(entered);

	innermost = entered->outer;
	if (!(entered->levels & TL_TRACE_REQUEST))
		;
	else if (context)
		tl_context_log_here(context, &slice);
	else
		tl_context_record(&slice);
	free(entered);
	request_serve();
}

static void thread_ends(void *unused)
{
	(void)unused;
	while (innermost)
		entered_end(NULL);
}

static void thread_note_end(void)
{
	if (tl_once_begin(&once) == TL_ONCE_DO) {
		have_key = pthread_key_create(&key, thread_ends) == 0;
		tl_once_done(&once);
	}
	if (have_key)
		pthread_setspecific(key, &key);
}

void tl_context_enter_here(struct tl_context *seen)
{
	struct entered *entered;
	int error = errno;

	tl_process_notice_fork();
	if (!innermost)
		thread_note_end();
	entered = malloc(sizeof(*entered));
	if (entered) {
		*entered = (struct entered){.outer = innermost,
					    .context = seen,
					    .start = tl_clock_gettime_ticks(),
					    .request = tl_context_request(seen),
					    .levels = tl_context_level(seen)};
		innermost = entered;
		request_serve();
	}
	errno = error;
}

void tl_context_leave_here(struct tl_context *seen)
{
	const struct entered *entered = innermost;
	int error = errno;

	tl_process_notice_fork();
	while (entered && entered->context != seen)
		entered = entered->outer;
	while (entered && innermost != entered)
		entered_end(NULL);
	if (entered)
		entered_end(seen);
	errno = error;
}

struct tl_context *tl_context_entered_here(void)
{
	return innermost ? innermost->context : NULL;
}

void tl_context_after_fork(void)
{
	uint64_t now = tl_clock_gettime_ticks();

	for (struct entered *entered = innermost; entered; entered = entered->outer)
		entered->start = now;
}
