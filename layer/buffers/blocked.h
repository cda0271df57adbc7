/* SPDX-License-Identifier: MIT */
/*
 * blocked.h: a while in which nothing of the program runs in the calling thread: no signal handler,
 * no cancellation. errno is kept.
 */
#ifndef TL_LAYER_BUFFERS_BLOCKED_H
#define TL_LAYER_BUFFERS_BLOCKED_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

struct tl_blocked {
	sigset_t signals;
	int cancel;
	int error;
};

/* Nothing of the program runs in this thread from here to tl_blocked_end. */
static inline void tl_blocked_begin(struct tl_blocked *blocked)
{
	sigset_t all;

	blocked->error = errno;
	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &blocked->signals, 8);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &blocked->cancel);
}

static inline void tl_blocked_end(const struct tl_blocked *blocked)
{
	int ignored;

	pthread_setcancelstate(blocked->cancel, &ignored);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked->signals, NULL, 8);
	errno = blocked->error;
}

#endif
