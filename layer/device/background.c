/* SPDX-License-Identifier: MIT */
/*
 * background.c: see background.h.
 *
 * `state` says what the thread does now. A hook that notes work then reads `state`. The thread
 * announces in `state` that it is about to sleep or end, and then looks for work once more. So at
 * least one of the two sees the other. Both sides need a barrier between their write and their
 * read. Hooks run all the time, so the thread pays for both sides (tl_hook_barrier).
 * models/background.pml is a spin model of this.
 */
#include "layer/device/background.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/text.h"
#include "layer/device/device_api.h"
#include "layer/device/device_lanes.h"
#include "layer/device/device_texts.h"
#include "layer/calls/event.h"
#include "layer/calls/inside_hook.h"
#include "layer/base/cache_near.h"
#include "layer/buffers/buffer.h"
#include "layer/base/environment.h"
#include "layer/base/futex.h"
#include "layer/calls/thread.h"
#include "tracelayer/api.h"

/*
 * Nanoseconds between two rounds. A round wakes a processor, which slows the program's thread on the
 * core's other hardware thread.
 */
#define BETWEEN	     4000000u
#define BETWEEN_MOST 4u /* factor for this time while nothing ends */
/* idle rounds before it waits to be woken: a wake-up costs more than a look */
#define IDLE_ROUNDS 4u
/* nanoseconds without work before it ends */
#define LINGER	      200000000u
#define SUSPEND_WAITS 2000u /* of 50 us, for the thread's end */
/* nanoseconds that a fork waits for a driver, which may hold its own locks */
#define FORK_WAIT 20000000u

enum state {
	NONE,	 /* there is no thread */
	AWAKE,	 /* it is going to look for something to do */
	ASLEEP,	 /* it has to be woken */
	LACKING, /* none can be had */
};

static _Atomic uint32_t state;
/* kernel's id of the latest thread */
static _Atomic uint32_t number;
static _Atomic bool suspended; /* it must end */

static uint32_t state_now(void)
{
	return atomic_load_explicit(&state, memory_order_relaxed);
}

static bool state_change(uint32_t from, uint32_t to)
{
	return atomic_compare_exchange_strong_explicit(&state, &from, to, memory_order_relaxed,
						       memory_order_relaxed);
}

/* --- the thread */

/* held inside of a driver, and during a fork */
static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER;

static void apis_collect(void *left)
{
	enum tl_device_left *all = left, one;

	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++) {
		one = (*api)->collect ? (*api)->collect() : TL_DEVICE_NOTHING;
		if (*all < one)
			*all = one;
	}
}

/* --- samples: the thread's own business, so there is no lock */

static uint64_t sample_due; /* nanoseconds; 0: there was none yet */

void tl_device_sample(uint32_t name, uint32_t unit, double value)
{
	struct tl_event_arg arg = {.key = unit, .kind = TL_VALUE_DOUBLE_64};

	memcpy(&arg.value, &value, sizeof(arg.value));
	tl_event_put(&(struct tl_event){.phase = 'C',
					.flags = TL_EVENT_NS,
					.level = TL_LEVEL_OPERATOR,
					.name = name,
					.category = TL_DEVICE_TEXT(device),
					.start = tl_device_now(),
					.nargs = 1,
					.args = &arg});
}

static void apis_sample(void *unused)
{
	(void)unused;
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
		if ((*api)->sample)
			(*api)->sample();
}

/* Takes a sample if one is due. After a late one the next comes a whole period later. */
static void samples_take(void)
{
	uint64_t now = tl_device_now();

	if (!tl_config.sample_device || now < sample_due)
		return;
	tl_hook_run(apis_sample, NULL);
	sample_due += tl_config.sample_device;
	if (sample_due <= now)
		sample_due = now + tl_config.sample_device;
}

/* The kernel keeps the first thread until the others have ended, as a zombie: "1234 (name) Z". */
static bool main_thread_has_ended(void)
{
	char path[64], text[256];
	struct tl_text name = {path, path + sizeof(path) - 1, false};

	tl_text_string(&name, "/proc/self/task/");
	tl_text_unsigned(&name, (uint64_t)getpid());
	tl_text_string(&name, "/stat");
	*name.at = 0;
	size_t size = tl_proc_read(path, text, sizeof(text) - 1);
	text[size] = 0;
	char state = *tl_proc_stat_field(text, 3);
	return !state || state == 'Z';
}

/*
 * After a sleep that nobody ended. A process may end with its last thread, so this one does not
 * stay for its samples if the main thread has ended: then only the program's work keeps it.
 */
static bool samples_go_on(void)
{
	static uint64_t look; /* nanoseconds: when to look again */
	static bool deserted;

	if (!tl_config.sample_device)
		return false;
	if (tl_device_now() >= look) {
		deserted = main_thread_has_ended();
		look = tl_device_now() + LINGER;
	}
	return !deserted && state_change(ASLEEP, AWAKE);
}

static enum tl_device_left thread_round(void)
{
	enum tl_device_left left = TL_DEVICE_NOTHING;

	pthread_mutex_lock(&working);
	if (state_now() != LACKING) {
		tl_hook_run(apis_collect, &left);
		samples_take();
	}
	pthread_mutex_unlock(&working);
	return left;
}

static bool apis_await(void)
{
	for (const struct tl_device_api *const *api = tl_device_apis; *api; api++)
		if ((*api)->awaits && (*api)->awaits())
			return true;
	return false;
}

/* Announce the sleep or end, and look again. False: there is work. */
static bool thread_goes_to(uint32_t to)
{
	if (!state_change(to == ASLEEP ? AWAKE : ASLEEP, to))
		return false;
	tl_hook_barrier();
	return !apis_await() || !state_change(to, AWAKE);
}

/* No longer than `most` nanoseconds. */
static uint64_t time_to_sample(uint64_t most)
{
	uint64_t now = tl_device_now();

	if (!tl_config.sample_device || sample_due > now + most)
		return most;
	return sample_due > now ? sample_due - now : 1;
}

/* False: nobody has woken it. */
static bool thread_sleep(void)
{
	const struct timespec linger = {.tv_nsec = (long)time_to_sample(LINGER)};

	while (state_now() == ASLEEP)
		if (tl_futex_sleep(&state, ASLEEP, &linger) != 0 && state_now() == ASLEEP)
			return false;
	return true;
}

static void thread_rest(unsigned times)
{
	const struct timespec between = {
		.tv_nsec = (long)time_to_sample(BETWEEN * (times ? times : 1))};

	nanosleep(&between, NULL);
}

/*
 * Before it says that it ends: the next thread goes on with the same counters, and viewers want their
 * samples in order.
 */
static bool thread_hand_over(void)
{
	tl_buffer_hand_over(tl_self);
	return true;
}

static void thread_work(void)
{
	unsigned idle = 0, unended = 0;

	while (!tl_device_has_ended() && state_now() != LACKING) {
		if (atomic_load_explicit(&suspended, memory_order_relaxed) && thread_hand_over() &&
		    state_change(AWAKE, NONE))
			break;
		enum tl_device_left left = thread_round();
		unended = left == TL_DEVICE_UNENDED ? unended + 1 : 0;
		idle = left == TL_DEVICE_NOTHING ? idle + 1 : 0;
		if (left == TL_DEVICE_MORE)
			continue;
		if (left != TL_DEVICE_NOTHING || idle <= IDLE_ROUNDS)
			thread_rest(unended < BETWEEN_MOST ? unended : BETWEEN_MOST);
		else if (thread_goes_to(ASLEEP) && !thread_sleep() && !samples_go_on() &&
			 thread_hand_over() && thread_goes_to(NONE))
			break;
	}
}

static void *thread_run(void *nothing)
{
	(void)nothing;
	atomic_store_explicit(&number, (uint32_t)syscall(SYS_gettid), memory_order_relaxed);
	prctl(PR_SET_NAME, "tracelayer");
	struct tl_thread *thread = tl_thread_attach();
	if (!thread) {
		atomic_store_explicit(&state, LACKING, memory_order_relaxed);
		return NULL;
	}
	tl_thread_busy(thread);
	thread_work();
	return NULL;
}

/* With all signals blocked: a new thread inherits its creator's signal mask. */
static bool thread_start(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	atomic_store_explicit(&number, 0, memory_order_relaxed);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attributes, thread_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

/* --- threads that have work for it */

static bool thread_have_started(void)
{
	if (!state_change(NONE, AWAKE))
		return state_now() != LACKING;
	if (thread_start())
		return true;
	atomic_store_explicit(&state, LACKING, memory_order_relaxed);
	return false;
}

TL_NEAR_CODE bool tl_device_do_soon(void)
{
	tl_hook_barrier_near();
	switch (state_now()) {
	case AWAKE:
		return true;
	case ASLEEP:
		if (state_change(ASLEEP, AWAKE))
			tl_futex_wake_some(&state, 1);
		return true;
	case NONE:
		return thread_have_started();
	default:
		return false;
	}
}

/* --- calls for a process of one thread */

/* Without an id it is about to begin. */
static bool thread_is_there(void)
{
	uint32_t tid = atomic_load_explicit(&number, memory_order_relaxed);

	return !tid || syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

void tl_device_background_suspend(void)
{
	const struct timespec moment = {.tv_nsec = 50000};
	uint32_t now = state_now();
	int error = errno;

	/* It was never created, or can't be. */
	if ((now == LACKING || now == NONE) && !atomic_load_explicit(&number, memory_order_relaxed))
		return;
	atomic_store_explicit(&suspended, true, memory_order_relaxed);
	if (state_change(ASLEEP, AWAKE))
		tl_futex_wake_some(&state, 1);
	for (unsigned i = 0; i < SUSPEND_WAITS && thread_is_there(); i++)
		nanosleep(&moment, NULL);
	errno = error;
}

void tl_device_background_resume(void)
{
	atomic_store_explicit(&suspended, false, memory_order_relaxed);
}

/* --- the end */

void tl_device_background_end(uint64_t deadline)
{
	if (atomic_exchange_explicit(&state, LACKING, memory_order_relaxed) == ASLEEP)
		tl_futex_wake_some(&state, 1);
	/* The lock orders: who gets it afterwards finds the state. */
	if (tl_device_lock_until(&working, deadline))
		pthread_mutex_unlock(&working);
}

/* --- forks */

/* kernel's id of the thread that forks and holds the lock; 0: it did not get the lock */
static _Atomic uint32_t held;

void tl_device_background_before_fork(void)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t deadline = tl_device_now() + FORK_WAIT;

	while (pthread_mutex_trylock(&working) != 0) {
		if (tl_device_now() >= deadline)
			return;
		nanosleep(&moment, NULL);
	}
	atomic_store_explicit(&held, (uint32_t)syscall(SYS_gettid), memory_order_relaxed);
}

void tl_device_background_after_fork_parent(void)
{
	if (atomic_load_explicit(&held, memory_order_relaxed) != (uint32_t)syscall(SYS_gettid))
		return;
	atomic_store_explicit(&held, 0, memory_order_relaxed);
	pthread_mutex_unlock(&working);
}

void tl_device_background_after_fork_child(void)
{
	pthread_mutex_init(&working, NULL);
	atomic_store_explicit(&held, 0, memory_order_relaxed);
	atomic_store_explicit(&state, NONE, memory_order_relaxed);
	atomic_store_explicit(&number, 0, memory_order_relaxed);
}
