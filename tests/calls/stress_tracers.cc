// SPDX-License-Identifier: MIT
/*
 * stress_tracers.cc: threads that call, toggle, register, destroy, throw, longjmp, exit and fork,
 * all at once, for the seconds given. Half of the time the calls are recorded, too.
 *
 *	stress_tracers SECONDS [SEED]
 *
 * Every call's prologue and epilogue must pair, in every tracer, whatever happens; after destroy
 * has returned nothing of a tracer may run. What breaks is said in one line, and the exit status is
 * 1. Ends with a line of counts, so that a run that did nothing is seen.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

extern "C" {
int toy_add(int a, int64_t b);
int toy_run(void (*inside)(void *), void *with);
int toy_init(void);
struct seen;
bool seen_each(bool flush, void (*each)(const struct seen *one));
void tl_recording_set(bool on);
}
#include "tracelayer/tracer.h"

/* One tracer's life. Never freed: a callback that comes too late must find it. */
struct life {
	std::atomic<bool> over;
	std::atomic<long> begun, ended;
};

static std::atomic<bool> stop;
static std::atomic<long> calls, toggles, lives, throws, jumps, exits, forked, drains, records;
static std::atomic<int> broken;

static void fail(const char *what)
{
	fprintf(stderr, "stress_tracers: %s\n", what);
	broken = 1;
}

static bool is_over()
{
	return stop.load(std::memory_order_relaxed);
}

static void begins(void *, int, void *user_data, void **instance)
{
	life *of = static_cast<life *>(user_data);

	if (of->over)
		fail("a prologue ran after destroy");
	if (*instance)
		fail("instance data was not NULL before the prologue");
	of->begun++;
	*instance = of;
	toy_init(); /* its own call, not traced */
}

static void ends(void *, int, void *user_data, void **instance)
{
	life *of = static_cast<life *>(user_data);

	if (of->over)
		fail("an epilogue ran after destroy");
	if (*instance != of)
		fail("an epilogue ran without its prologue");
	of->ended++;
}

static enum tl_verdict views(const struct tl_view *view, void *user_data, void **instance)
{
	begins(nullptr, 0, user_data, instance);
	if (!view->function || view->function->count > 3)
		fail("a generic callback saw no function");
	return TL_GO_ON;
}

static void views_end(const struct tl_view *, void *user_data, void **instance)
{
	ends(nullptr, 0, user_data, instance);
}

static void throws_inside(void *)
{
	throw 1;
}

static void jumps_inside(void *where)
{
	longjmp(*static_cast<jmp_buf *>(where), 1);
}

static void calls_inside(void *deeper)
{
	int depth = *static_cast<int *>(deeper) - 1;

	if (toy_add(depth, 1) != depth + 1)
		fail("a call gave a wrong result");
	if (depth > 0)
		toy_run(calls_inside, &depth);
}

static void call_chosen(unsigned choice)
{
	int depth = static_cast<int>(choice % 7);

	calls++;
	if (choice % 16 == 0) {
		try {
			toy_run(throws_inside, nullptr);
			fail("an exception got lost");
		} catch (int) {
			throws++;
		}
	} else if (choice % 16 == 1) {
		jmp_buf where;
		if (!setjmp(where))
			toy_run(jumps_inside, &where);
		jumps++;
	} else if (choice % 2) {
		toy_run(calls_inside, &depth);
	} else if (toy_add(static_cast<int>(choice % 1000), 1) !=
		   static_cast<int>(choice % 1000) + 1) {
		fail("a call gave a wrong result");
	}
}

static void *caller(void *seed)
{
	unsigned state = static_cast<unsigned>(reinterpret_cast<uintptr_t>(seed));

	while (!is_over())
		call_chosen(static_cast<unsigned>(rand_r(&state)));
	toy_add(1, 1); /* ends what longjmp left */
	return nullptr;
}

static void exits_inside(void *)
{
	pthread_exit(nullptr);
}

static void *short_lived(void *how)
{
	toy_add(1, 1);
	if (how)
		toy_run(exits_inside, nullptr);
	return nullptr;
}

static void *starter(void *)
{
	for (uintptr_t i = 0; !is_over(); i++) {
		pthread_t thread;
		if (pthread_create(&thread, nullptr, short_lived, reinterpret_cast<void *>(i % 2)))
			continue;
		pthread_join(thread, nullptr);
		exits++;
	}
	return nullptr;
}

static void must(int status, const char *what)
{
	if (status != TL_TRACER_OK) {
		fprintf(stderr, "stress_tracers: %s: status %d\n", what, status);
		broken = 1;
	}
}

static struct tl_tracer *new_tracer(life *of)
{
	struct tl_tracer_desc desc = {sizeof(desc), of, 0};
	struct tl_tracer *tracer = nullptr;

	must(tl_tracer_create(&desc, &tracer), "create");
	return tracer;
}

static void set_callbacks(struct tl_tracer *tracer, unsigned choice)
{
	must(tl_tracer_reset(tracer), "reset");
	if (choice % 3 == 0) {
		must(tl_tracer_register_glob(tracer, "toy", "toy_*", views, views_end),
		     "register_glob");
		return;
	}
	const char *function = choice % 3 == 1 ? "toy_add" : "toy_run";
	must(tl_tracer_register(tracer, function, TL_PROLOGUE, TL_CALLBACK(begins)), "register");
	must(tl_tracer_register(tracer, function, TL_EPILOGUE, TL_CALLBACK(ends)), "register");
}

static void *manager(void *seed)
{
	unsigned state = static_cast<unsigned>(reinterpret_cast<uintptr_t>(seed));

	while (!is_over()) {
		life *of = new life();
		struct tl_tracer *tracer = new_tracer(of);
		for (unsigned i = static_cast<unsigned>(rand_r(&state)) % 20; i-- > 0;) {
			set_callbacks(tracer, static_cast<unsigned>(rand_r(&state)));
			must(tl_tracer_enable(tracer), "enable");
			if (rand_r(&state) % 4 == 0)
				usleep(static_cast<useconds_t>(rand_r(&state)) % 300);
			must(tl_tracer_disable(tracer), "disable");
			toggles++;
		}
		must(tl_tracer_destroy(tracer), "destroy");
		of->over = true;
		if (of->begun != of->ended)
			fail("prologues and epilogues do not pair");
		drains += of->begun > 0;
		lives++;
		if (of->begun == 0)
			delete of;
	}
	return nullptr;
}

/* A child uses tracers as well, and destroys one while another thread of its own calls. */
static void in_child()
{
	life *of = new life();
	struct tl_tracer *tracer = new_tracer(of);
	pthread_t thread;

	alarm(500);
	set_callbacks(tracer, 1);
	must(tl_tracer_enable(tracer), "enable in a child");
	if (pthread_create(&thread, nullptr, short_lived, nullptr) == 0)
		pthread_join(thread, nullptr);
	toy_add(1, 1);
	must(tl_tracer_disable(tracer), "disable in a child");
	must(tl_tracer_destroy(tracer), "destroy in a child");
	if (of->begun < 1 || of->begun != of->ended)
		fail("calls in a child do not pair");
	_exit(broken);
}

static void forks(void *)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		in_child();
	if (child > 0) {
		waitpid(child, &status, 0);
		if (status)
			fail("a child ended badly");
		forked++;
	}
}

static void *forker(void *)
{
	while (!is_over()) {
		toy_run(forks, nullptr);
		usleep(20000);
	}
	return nullptr;
}

static void count_record(const struct seen *)
{
	records++;
}

static void *recorder(void *)
{
	for (bool on = true; !is_over(); on = !on) {
		tl_recording_set(on);
		for (int i = 0; i < 5; i++) {
			usleep(1000);
			while (seen_each(i == 4, count_record))
				;
		}
	}
	tl_recording_set(false);
	return nullptr;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 3;
	uintptr_t seed = argc > 2 ? static_cast<uintptr_t>(atol(argv[2]))
				  : static_cast<uintptr_t>(time(nullptr));
	bool may_fork = !getenv("STRESS_NO_FORK");
	pthread_t threads[8];
	int count = 0;

	printf("# seed %lu\n", static_cast<unsigned long>(seed));
	fflush(stdout);
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&threads[count++], nullptr, caller,
			       reinterpret_cast<void *>(seed + i));
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[count++], nullptr, manager,
			       reinterpret_cast<void *>(seed + 10 + i));
	pthread_create(&threads[count++], nullptr, starter, nullptr);
	pthread_create(&threads[count++], nullptr, recorder, nullptr);
	if (may_fork)
		pthread_create(&threads[count++], nullptr, forker, nullptr);
	sleep(seconds);
	stop = true;
	/* A destroy that never ends is a failure, not a test that hangs. A machine that others slow down twenty times is none. */
	alarm(500);
	while (count > 0)
		pthread_join(threads[--count], nullptr);
	printf("# %ld calls, %ld toggles, %ld tracers, %ld of them called, %ld exceptions, %ld longjmps, %ld threads, %ld forks, %ld records\n",
	       calls.load(), toggles.load(), lives.load(), drains.load(), throws.load(),
	       jumps.load(), exits.load(), forked.load(), records.load());
	if (!calls || !toggles || !drains || !throws || !jumps || !exits || !records ||
	    (may_fork && !forked))
		fail("something that was to be tried did not happen");
	return broken;
}
