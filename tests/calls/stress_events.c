/* SPDX-License-Identifier: MIT */
/*
 * stress_events.c: threads that record, come and go, are interrupted, paused and resumed, while all
 * is flushed and processes are forked, for the seconds given. What must be recorded is known
 * exactly, and is compared.
 *
 *	stress_events grow|ring SECONDS
 *
 * Workers make calls in batches. Recording is switched between batches (a lock sees to that), so a
 * worker knows whether its batch is recorded, and counts; its signal handler does, too. Every call
 * has its worker's number and one that counts up. Wild threads make calls without regard to that:
 * of theirs it is only known how many there can be. Each child of fork makes calls of its own, and
 * must find those alone.
 *
 * With `ring` what was recorded and not overwritten must be there, in order; with `grow`
 * everything, each once. What is wrong is said in a line, and the exit status is 1.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "layer/buffers/arena.h"
#include "layer/base/environment.h"
#include "tests/lib/core_doubles.h"

#define TRACELAYER_LINKED
#include "tracelayer/tracelayer.h"

#define WORKERS 4
#define WILD	2
#define BATCH	40
/* calls of a worker's signal handler have its number and this */
#define HANDLERS WORKERS
#define LIFE	 50	    /* batches that a thread lives */
#define LANES	 (1u << 20) /* threads at most */

static _Atomic bool over, broken;
static pthread_rwlock_t switching = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic uint64_t expected[2 * WORKERS], wild_calls, wild_seen, toggles, forks, flushes,
	lives;
static uint64_t seen_calls[2 * WORKERS];
static int64_t last[LANES][2]; /* numbers of each thread's calls, and of its handler's; plus 1 */

static __thread struct {
	int worker;
	volatile bool counts; /* in a batch that is recorded */
} me;
static int64_t numbers[2 * WORKERS]; /* of each worker's next call; its thread's own */

static void fail(const char *what, long detail)
{
	fprintf(stderr, "stress_events: %s (%ld)\n", what, detail);
	broken = true;
}

static void look(const struct seen *one)
{
	int64_t number = (int64_t)one->words[1];
	uint64_t worker = one->words[0];

	if (one->call.type == TL_RECORD_LOST)
		return;
	if (one->call.function == TOY_INIT) {
		wild_seen++;
		return;
	}
	if (one->call.function != TOY_ADD || worker >= 2 * WORKERS ||
	    one->call.result != (uint32_t)(worker + (uint64_t)number)) {
		fail("a record is torn", (long)one->call.function);
		return;
	}
	int64_t *before = &last[one->lane % LANES][worker / HANDLERS];
	if (number < *before)
		fail("a record comes twice, or out of order", (long)number);
	*before = number + 1;
	seen_calls[worker]++;
}

static void on_signal(int number)
{
	int error = errno, worker = me.worker + HANDLERS;

	(void)number;
	if (me.counts)
		for (int i = 0; i < 2; i++) {
			toy_add(worker, numbers[worker]++);
			expected[worker]++;
		}
	errno = error;
}

static void batch(int worker)
{
	pthread_rwlock_rdlock(&switching);
	me.worker = worker;
	bool counts = tl_recording();
	me.counts = counts;
	for (int i = 0; i < BATCH; i++)
		toy_add(worker, numbers[worker]++);
	me.counts = false;
	if (counts)
		expected[worker] += BATCH;
	pthread_rwlock_unlock(&switching);
	/* The reader is slower than a writer; it is not to be the only one at work. */
	if (numbers[worker] / BATCH % 8 == 0)
		usleep(200);
}

static void *live(void *worker)
{
	for (int i = 0; i < LIFE && !over; i++)
		batch((int)(intptr_t)worker);
	lives++;
	return NULL;
}

/* A worker is one thread after the other. */
static void *work(void *worker)
{
	while (!over) {
		pthread_t thread;
		pthread_create(&thread, NULL, live, worker);
		for (struct timespec soon = {0, 300000}; pthread_tryjoin_np(thread, NULL);
		     nanosleep(&soon, NULL))
			pthread_kill(thread, SIGUSR1);
	}
	return NULL;
}

static void *run_wild(void *unused)
{
	for (; !over; usleep(100))
		for (int i = 0; i < BATCH; i++) {
			wild_calls++;
			toy_init();
		}
	return unused;
}

static void *toggle(void *unused)
{
	unsigned seed = 1;

	while (!over) {
		pthread_rwlock_wrlock(&switching);
		if (rand_r(&seed) % 3)
			tl_resume();
		else
			tl_pause();
		pthread_rwlock_unlock(&switching);
		toggles++;
		usleep((useconds_t)rand_r(&seed) % 3000);
	}
	return unused;
}

static void *flush(void *unused)
{
	for (unsigned i = 0; !over; i++) {
		seen_each(tl_config.full == TL_FULL_RING || i % 4 == 0, look);
		tl_snapshot();
		flushes++;
		usleep(1000);
	}
	return unused;
}

/* Leaves nothing behind, and at once. */
static _Noreturn void leave(int status)
{
	tl_arena_delete();
	_exit(status);
}

/* In a child: the calls of the parent are not here, and these are, once. */
static void be_a_child(void)
{
	unsigned mine = 0;

	if (tl_resume())
		leave(2);
	for (int64_t i = 0; i < 300; i++)
		toy_add(1000, i);
	seen_collect(true);
	for (size_t i = 0; i < nseen; i++) {
		if (seen[i].words[0] != 1000 || seen[i].words[1] != mine)
			leave(3);
		mine++;
	}
	leave(mine == 300 ? 0 : 4);
}

/*
 * The other threads are anywhere at that time. (The C library sees to its allocator, which the
 * reader's double uses in the child.)
 */
static void *fork_often(void *unused)
{
	for (; !over; usleep(20000)) {
		int status = 0;
		pid_t child = fork();
		if (!child)
			be_a_child();
		if (child < 0)
			continue;
		waitpid(child, &status, 0);
		if (status)
			fail("a child has not its own calls alone", status);
		forks++;
	}
	return unused;
}

static void check(void)
{
	uint64_t all = 0, found = 0, lost = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		lost += producer->lost;
	for (int i = 0; i < 2 * WORKERS; i++) {
		all += expected[i];
		found += seen_calls[i];
		if (tl_config.full != TL_FULL_RING && seen_calls[i] != expected[i])
			fail(i < HANDLERS ? "calls of a worker are missing"
					  : "calls of a handler are missing",
			     (long)(expected[i] - seen_calls[i]));
		if (seen_calls[i] > expected[i])
			fail("calls were recorded that should not be", i);
	}
	if (lost)
		fail("events were lost", (long)lost);
	if (found + tl_buffer_overwritten() != all)
		fail("the sum of what is there and what was overwritten is wrong",
		     (long)(all - found - tl_buffer_overwritten()));
	if (wild_seen > wild_calls)
		fail("more wild calls than there were", (long)(wild_seen - wild_calls));
	printf("%lu calls of %lu, %lu overwritten, %lu wild, %lu switches, %lu flushes, %lu threads, %lu forks\n",
	       (unsigned long)found, (unsigned long)all, (unsigned long)tl_buffer_overwritten(),
	       (unsigned long)wild_seen, (unsigned long)toggles, (unsigned long)flushes,
	       (unsigned long)lives, (unsigned long)forks);
	if (!found || !toggles || flushes < 2)
		fail("nothing was done", 0);
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS], wild[WILD], toggler, flusher, forker;
	bool ring = argc > 1 && !strcmp(argv[1], "ring"), forking = !getenv("STRESS_NO_FORK");
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	if (argc != 3)
		return 2;
	tl_config.args = TL_ARGS_SCALARS;
	tl_config.full = ring ? TL_FULL_RING : TL_FULL_GROW;
	tl_config.ring = 512 << 10;
	sigaction(SIGUSR1, &action, NULL);
	tl_resume();
	for (intptr_t i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)i);
	/* How many of them are overwritten is not known. */
	for (int i = 0; i < WILD && !ring; i++)
		pthread_create(&wild[i], NULL, run_wild, NULL);
	pthread_create(&toggler, NULL, toggle, NULL);
	pthread_create(&flusher, NULL, flush, NULL);
	if (forking)
		pthread_create(&forker, NULL, fork_often, NULL);
	sleep((unsigned)atoi(argv[2]));
	/* On a busy machine these threads may not have had their turn. */
	while (!toggles || flushes < 2)
		usleep(1000);
	over = true;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < WILD && !ring; i++)
		pthread_join(wild[i], NULL);
	pthread_join(toggler, NULL);
	pthread_join(flusher, NULL);
	if (forking)
		pthread_join(forker, NULL);
	while (seen_each(true, look))
		continue;
	check();
	return broken;
}
