/* SPDX-License-Identifier: MIT */
/*
 * process_fork.c: see process_fork.h. What each part of the layer does about a fork is in the table
 * of process_parts.c.
 */
#include "layer/process/process_fork.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/buffers/buffer.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/process_state.h"
#include "layer/process/process_parts.h"

static void before_fork(void)
{
	if (!tl_process_is_confined())
		tl_parts_before_fork();
}

static void after_fork_in_parent(void)
{
	if (!tl_process_is_confined())
		tl_parts_after_fork_parent();
}

static void after_fork_in_child(void)
{
	/* What this thread's state points to is zeros in the child. */
	if (tl_process_is_confined()) {
		tl_self = NULL;
		return;
	}
	tl_process_forked();
	tl_parts_after_fork_child();
}

void tl_fork_register(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/*
 * The parent's threads may have held the locks. The child has one thread only, unless it has made
 * some since; they wait here for each other.
 */
void tl_fork_unseen(void)
{
	/* the pid of the child that is being told, in the thread that noticed it first */
	static _Atomic uint32_t handling;
	sigset_t all, signals;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	uint32_t pid = (uint32_t)syscall(SYS_getpid);
	/* Acquire and release: a later caller finds everything done. */
	if (atomic_exchange_explicit(&handling, pid, memory_order_acq_rel) != pid) {
		tl_parts_before_unseen_fork();
		after_fork_in_child();
	}
	while (tl_pool_wiped())
		sched_yield();
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}
