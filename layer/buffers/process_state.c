/* SPDX-License-Identifier: MIT */
/*
 * process_state.c: see process_state.h.
 */
#include "layer/buffers/process_state.h"

#include <linux/kcmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/cache_near.h"
#include "layer/base/environment.h"
#include "layer/base/libc/kernel.h"
#include "layer/base/once.h"
#include "layer/base/start_page.h"
#include "layer/buffers/pool.h"
#include "tracelayer/shim.h"

static struct tl_once started TL_START, begun TL_START;
static _Atomic bool confined TL_START;
static pid_t home TL_START; /* the process that this memory was loaded in, or forked to */
/* the process whose calls are kept here, from the first watched call on */
static _Atomic pid_t owner TL_START;

static _Atomic bool recording TL_NEAR;
static _Atomic bool watched TL_START;	  /* open calls are kept though nothing is recorded */
static _Atomic uint32_t state TL_START;	  /* enum tl_file_recording */
static _Atomic uint32_t resumed TL_START; /* how many times recording began after the start */
static _Atomic bool wanted_once TL_START; /* somebody has asked for recording */
/* set by the start, since the writer's thread asks, too, and can't read LD_PRELOAD */
static bool preloaded TL_START;

/*
 * By the kernel's own call: in a child made by clone() the C library may answer with another
 * process's number.
 */
static pid_t process_id(void)
{
	return (pid_t)syscall(SYS_getpid);
}

/* --- start and first call */

void tl_process_start(void)
{
	if (tl_once_begin(&started) != TL_ONCE_DO)
		return;
	home = process_id();
	tl_process_stages.start();
	tl_once_done(&started);
}

bool tl_process_is_started(void)
{
	return tl_once_is_over(&started);
}

bool tl_process_begin(void)
{
	sigset_t all, signals;

	if (tl_once_is_over(&begun))
		return true;
	if (tl_process_is_early_guest())
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	enum tl_once_answer answer = tl_once_begin(&begun);
	if (answer == TL_ONCE_DO) {
		atomic_store_explicit(&owner, process_id(), memory_order_relaxed);
		tl_process_stages.begin();
		tl_once_done(&begun);
	}
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	return answer != TL_ONCE_INSIDE;
}

bool tl_process_has_begun(void)
{
	return tl_once_is_over(&begun);
}

/* --- whose process */

bool tl_process_is_owner(void)
{
	return atomic_load_explicit(&owner, memory_order_relaxed) == process_id();
}

/*
 * Of a child that no fork handler announced. If the kernel does not say it (the parent is gone or in
 * another namespace, or a sandbox forbids the question), the child has a copy, as most do that make
 * such a child.
 */
static bool shares_memory(pid_t own)
{
	return TL_KERNEL(SYS_kcmp, own, home, KCMP_VM) == 0;
}

bool tl_process_is_home(void)
{
	pid_t own = process_id();

	return own == home || !shares_memory(own);
}

bool tl_process_is_early_guest(void)
{
	pid_t own = process_id();

	return home && own != home && !tl_process_has_begun() && shares_memory(own);
}

pid_t tl_process_home(void)
{
	return home;
}

void tl_process_notice_fork(void)
{
	if (TL_LIKELY(!tl_pool_wiped()) || tl_process_is_confined())
		return;
	tl_process_stages.unseen_fork();
}

void tl_process_forked(void)
{
	home = process_id();
	atomic_store_explicit(&owner, home, memory_order_relaxed);
	atomic_store_explicit(&resumed, 0, memory_order_relaxed);
}

bool tl_process_is_confined(void)
{
	return atomic_load_explicit(&confined, memory_order_relaxed);
}

void tl_process_set_confined(void)
{
	atomic_store_explicit(&confined, true, memory_order_relaxed);
}

/* --- recording */

TL_NEAR_CODE bool tl_process_is_recording(void)
{
	return atomic_load_explicit(&recording, memory_order_relaxed);
}

enum tl_file_recording tl_process_recording(void)
{
	return (enum tl_file_recording)atomic_load_explicit(&state, memory_order_relaxed);
}

bool tl_process_is_watched(void)
{
	return atomic_load_explicit(&watched, memory_order_relaxed);
}

bool tl_process_may_record(void)
{
	return !tl_config.secure && tl_config.level != TL_LEVEL_NONE &&
	       (tl_config.output_set || preloaded ||
		atomic_load_explicit(&wanted_once, memory_order_relaxed));
}

bool tl_process_has_records(void)
{
	return !tl_process_is_confined() && tl_process_has_begun() && tl_process_is_owner() &&
	       !tl_config.left_alone;
}

bool tl_process_set_recording(enum tl_file_recording to, bool on)
{
	bool was = atomic_exchange_explicit(&recording, on, memory_order_relaxed);

	atomic_store_explicit(&state, to, memory_order_relaxed);
	if (on)
		atomic_store_explicit(&wanted_once, true, memory_order_relaxed);
	return was;
}

uint32_t tl_process_resumed(void)
{
	return atomic_load_explicit(&resumed, memory_order_relaxed);
}

void tl_process_set_resumed(void)
{
	atomic_fetch_add_explicit(&resumed, 1, memory_order_relaxed);
}

bool tl_process_set_watched(bool on)
{
	return atomic_exchange_explicit(&watched, on, memory_order_relaxed);
}

void tl_process_set_preloaded(bool yes)
{
	preloaded = yes;
}

bool tl_process_is_preloaded(void)
{
	return preloaded;
}
