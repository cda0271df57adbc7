/* SPDX-License-Identifier: MIT */
/*
 * old_threads.c: functions of libpthread for --enable-portable, see old_glibc.h.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "common/old_glibc.h"

typedef void (*destructor)(void *value);

OLD(int, pthread_create,
    (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
    (thread, attributes, start, argument))
OLD(int, pthread_join, (pthread_t thread, void **result), (thread, result))
OLD(int, pthread_key_create, (pthread_key_t * key, destructor end), (key, end))
OLD(int, __pthread_key_create, (pthread_key_t * key, destructor end), (key, end))
OLD(void *, pthread_getspecific, (pthread_key_t key), (key))
OLD(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
OLD(int, pthread_once, (pthread_once_t * once, void (*first)(void)), (once, first))
OLD(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
OLD(int, pthread_mutexattr_init, (pthread_mutexattr_t * attributes), (attributes))
OLD(int, pthread_mutexattr_destroy, (pthread_mutexattr_t * attributes), (attributes))
OLD(int, pthread_mutexattr_settype, (pthread_mutexattr_t * attributes, int type),
    (attributes, type))
OLD_IN(OLD_2_3_3, int, pthread_condattr_setclock,
       (pthread_condattr_t * attributes, clockid_t clock), (attributes, clock))
OLD(int, pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *attributes),
    (lock, attributes))
OLD(int, pthread_rwlock_destroy, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
OLD(int, pthread_barrier_init,
    (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count),
    (barrier, attributes, count))
OLD(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
OLD(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old))

/* For conditions that go by the time of day, as they do unless told otherwise. */
OLD_HERE int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				    clockid_t clock, const struct timespec *until)
{
	struct timespec now, real;

	clock_gettime(clock, &now);
	clock_gettime(CLOCK_REALTIME, &real);
	int64_t left = (until->tv_sec - now.tv_sec) * INT64_C(1000000000) + until->tv_nsec -
		       now.tv_nsec,
		at = real.tv_sec * INT64_C(1000000000) + real.tv_nsec + (left > 0 ? left : 0);

	return pthread_cond_timedwait(condition, mutex,
				      &(struct timespec){at / 1000000000, at % 1000000000});
}
