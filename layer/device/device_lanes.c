/* SPDX-License-Identifier: MIT */
/*
 * device_lanes.c: see device_lanes.h.
 */
#include "layer/device/device_lanes.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "layer/calls/open_calls.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/message.h"
#include "layer/device/background.h"
#include "layer/device/device_api.h"
#include "layer/calls/hook_thread.h"
#include "layer/buffers/buffer.h"
#include "layer/calls/hook.h"
#include "layer/device/watch.h"
#include "layer/device/work.h"
#include "layer/base/cache_near.h"
#include "layer/base/once.h"
#include "layer/base/start_page.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/thread.h"
#include "tracelayer/api.h"

#define PATIENCE 200000000u /* nanoseconds that the end may take */

static struct tl_once begun TL_START;

static bool lanes_have_begun(void)
{
	return atomic_load_explicit(&begun.owner, memory_order_acquire) == TL_ONCE_OVER;
}

static bool apis_are_there(void)
{
	return tl_device_apis && tl_device_apis[0];
}

bool tl_device_look(void)
{
	if (lanes_have_begun() || !apis_are_there() || !tl_config.device)
		return false;
	if (!tl_device_is_watched() &&
	    (!(tl_config.level & TL_LEVEL_OPERATOR) || !tl_process_may_record()))
		return false;
	return !tl_first_call_await(TL_FIRST_CALL_DEVICE);
}

static void thread_begins(struct tl_producer *producer)
{
	atomic_store_explicit(&tl_hook_thread_of(producer)->hooking, 0, memory_order_relaxed);
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
		if ((*api)->thread_begins)
			(*api)->thread_begins(producer);
}

void tl_device_begin(void)
{
	sigset_t all, signals;

	if (!tl_process_begin())
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	if (tl_once_begin(&begun) == TL_ONCE_DO) {
		atomic_store_explicit(&tl_buffer_begins, thread_begins, memory_order_relaxed);
		bool are_set = true;
		for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
			are_set &= tl_hook_set(TL_HOOKS_OF_DEVICES, (*api)->hooks);
		/*
		 * The hooks of a library are set together or not at all. Without them, its
		 * functions are called as if there were no lanes.
		 */
		if (!are_set)
			tl_message_say(
				"tracelayer: no memory for hooks of a driver's functions, so devices' commands are missing; "
				"raise the limit of memory (ulimit -v)\n");
		tl_once_done(&begun);
	}
	/*
	 * Later threads do this, too: another thread may have checked for this just before it was
	 * done, and stored its result after that.
	 */
	if (lanes_have_begun())
		tl_first_call_done(TL_FIRST_CALL_DEVICE);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

bool tl_device_awaits_end(void)
{
	return apis_are_there() && lanes_have_begun() && !tl_device_has_ended();
}

/* The calling thread is inside of a driver. */
static bool thread_is_in_call(void)
{
	if (!tl_self)
		return false;
	tl_call_end_left(tl_self, TL_CALLER);
	return atomic_load_explicit(&tl_self->top, memory_order_relaxed) != tl_self->open;
}

bool tl_device_is_driver_here(void)
{
	struct tl_thread *thread = tl_self;

	if (!thread)
		/* A driver registers thousands of handlers, one after the other. */
		return !tl_thread_is_first();
	return atomic_load_explicit(&thread->top, memory_order_relaxed) != thread->open;
}

/*
 * The calling thread's state. Its calls pass unwatched until tl_thread_free. NULL: memory is short.
 */
static struct tl_thread *thread_take(void)
{
	struct tl_thread *thread = tl_self ? tl_self : tl_thread_attach();

	if (thread)
		tl_thread_busy(thread);
	return thread;
}

static _Atomic bool late;

bool tl_device_is_late(void)
{
	return atomic_load_explicit(&late, memory_order_relaxed);
}

void tl_device_await(void)
{
	uint64_t deadline = tl_device_now() + PATIENCE;

	if (!tl_device_awaits_end() || tl_hook_is_here() || thread_is_in_call())
		return;
	struct tl_thread *thread = thread_take();
	if (!thread)
		return;
	tl_device_background_end(deadline);
	atomic_store_explicit(&late, true, memory_order_relaxed);
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
		if ((*api)->await)
			(*api)->await(deadline);
	tl_thread_free(thread);
}

/* The calling thread may have interrupted a hook. */
void tl_device_end(void)
{
	uint64_t deadline = tl_device_now() + PATIENCE;

	if (!tl_device_awaits_end() ||
	    atomic_exchange_explicit(&tl_hook_driver_ended, true, memory_order_seq_cst) ||
	    tl_hook_is_here())
		return;
	bool asks = !thread_is_in_call();
	struct tl_thread *thread = thread_take();
	if (!thread)
		return;
	tl_hook_drain(deadline);
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++) {
		void (*end)(uint64_t deadline) = asks ? (*api)->end : (*api)->give_up;
		if (end)
			end(deadline);
	}
	tl_device_work_end();
	tl_thread_free(thread);
}

void tl_device_after_fork(void)
{
	/* Its lock was taken before the fork in any case. */
	tl_device_background_after_fork_child();
	atomic_store_explicit(&late, false, memory_order_relaxed);
	if (!apis_are_there() || !lanes_have_begun())
		return;
	tl_hook_after_fork();
	if (tl_config.left_alone)
		atomic_store_explicit(&tl_hook_driver_ended, true, memory_order_relaxed);
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
		if ((*api)->after_fork)
			(*api)->after_fork();
	tl_device_work_after_fork();
}

bool tl_device_lock_until(pthread_mutex_t *lock, uint64_t deadline)
{
	uint64_t now = tl_device_now(), left = deadline > now ? deadline - now : 0;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	left += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(left / 1000000000);
	until.tv_nsec = (long)(left % 1000000000);
	return pthread_mutex_timedlock(lock, &until) == 0;
}
