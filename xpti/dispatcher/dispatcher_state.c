/* SPDX-License-Identifier: MIT */
/*
 * dispatcher_state.c: the shared state of the dispatcher; see dispatcher_state.h.
 */
#include "xpti/dispatcher/dispatcher_state.h"

#include <pthread.h>

_Alignas(64) _Atomic uint32_t tl_xpti_state;

_Thread_local struct tl_xpti_thread tl_xpti_thread __attribute__((tls_model("initial-exec")));

/* The life lock. */
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t life_changed = PTHREAD_COND_INITIALIZER;

bool tl_xpti_life_enter(void)
{
	if (tl_xpti_thread.starting)
		return false;
	pthread_mutex_lock(&life_lock);
	tl_xpti_thread.starting = true;
	return true;
}

void tl_xpti_life_leave(bool entered)
{
	if (!entered)
		return;
	tl_xpti_thread.starting = false;
	pthread_mutex_unlock(&life_lock);
}

void tl_xpti_life_wait(void)
{
	pthread_cond_wait(&life_changed, &life_lock);
}

void tl_xpti_life_changed(void)
{
	pthread_cond_broadcast(&life_changed);
}

void tl_xpti_life_after_fork(void)
{
	life_changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
