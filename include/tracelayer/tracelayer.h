/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tracelayer.h: for programs that want a word in what of them is traced.
 *
 * A program needs nothing of this to be traced. With it, it can record only the part that matters,
 * and write out what was recorded when something has gone wrong:
 *
 *	#include <tracelayer/tracelayer.h>
 *
 *	int main(void)
 *	{
 *		prepare();			(run by: tracelayer run --paused -- ./app)
 *		tl_resume();			calls are recorded from here on,
 *		for (int i = 0; i < STEPS; i++)
 *			if (step(i) > LIMIT)
 *				tl_snapshot();	are in the file up to here,
 *		tl_pause();			and from here on they cost nothing
 *		clean_up();
 *	}
 *
 * Nothing has to be linked: where the program runs without tracelayer, each of these functions does
 * nothing and returns TL_ABSENT. It is found by dlsym when the first of them is called in a source
 * file, which with C libraries before glibc 2.34 needs -ldl. A program that is linked with
 * -ltracelayer anyway may define TRACELAYER_LINKED before it includes this; then they are ordinary
 * functions.
 *
 * From outside the same is had by `tracelayer pause|resume|snapshot|stop`, see tracelayer-pause(1).
 *
 * What holds for all of them:
 *
 *	Threads		They may be called by any thread, at any time, also before the first traced
 *			call, in exit handlers, and in a forked child, where they mean the child
 *			alone. They speak of the whole process: of two threads that want different
 *			things the last has its way. There is one switch; pauses are not counted.
 *	Signals		They may be called in signal handlers, but the first call in a source file
 *			looks the library up, which may not be done there: call tl_recording() once
 *			before.
 *	errno		is left as it is.
 *	Tracers		(tracelayer/tracer.h) and tools are not concerned: their callbacks run
 *			whether calls are recorded or not.
 */
#ifndef TRACELAYER_TRACELAYER_H
#define TRACELAYER_TRACELAYER_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tl_answer {
	TL_DONE = 0,
	/* tracelayer is not in this process, or must not be (a set-user-id program) */
	TL_ABSENT = 1,
	TL_STOPPED = 2, /* recording was ended for good */
	/* the file could not be written; what was recorded is kept, and tried again later */
	TL_FAILED = 3,
};

/* How the library is found where it isn't linked. Members are only ever added at the end. */
struct tl_switch {
	size_t size;
	int (*pause)(void), (*resume)(void), (*snapshot)(void), (*stop)(void), (*recording)(void);
};

#ifdef TRACELAYER_LINKED

/*
 * Stop recording until tl_resume. Calls that begin from now on are not recorded, and go to the
 * driver as if nobody watched; calls that are open are recorded when they return. Takes some
 * microseconds, waits for nobody, and writes nothing. Returns TL_DONE, also where recording is
 * paused already; TL_STOPPED, TL_ABSENT.
 */
int tl_pause(void);

/*
 * Record the calls that begin from now on: those that level, include and exclude select. Also
 * begins recording in a program that is only linked with the library. It ends TRACELAYER_WINDOW, as
 * tl_pause does. Costs what that costs, and returns the same.
 */
int tl_resume(void);

/*
 * Put all calls that have returned so far into the file, and end it, so that it is complete and
 * valid when this returns; with TRACELAYER_FULL=ring that is the newest of each thread. Recording
 * goes on, and later events follow in the same file, each once. Waits until that is written:
 * milliseconds or more; other threads are not held up. Returns TL_DONE, also where there was
 * nothing to write; TL_FAILED; TL_ABSENT.
 */
int tl_snapshot(void);

/*
 * End recording for good: as tl_pause and then tl_snapshot, but tl_resume returns TL_STOPPED from
 * now on. Returns what tl_snapshot does.
 */
int tl_stop(void);

/* 1 while calls are recorded, else 0. */
int tl_recording(void);

#else

static const struct tl_switch tl_no_switch = {
	sizeof(struct tl_switch), NULL, NULL, NULL, NULL, NULL};

static inline const struct tl_switch *tl_find_switch(void)
{
	static const struct tl_switch *found;
	const struct tl_switch *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	if (!known) {
		/* NULL is what RTLD_DEFAULT is, which not every way of compiling has a name for. */
		known = (const struct tl_switch *)dlsym(NULL, "tl_switch_here");
		if (!known)
			known = &tl_no_switch;
		__atomic_store_n(&found, known, __ATOMIC_RELEASE);
	}
	return known;
}

/* What these do is said above. */
static inline int tl_pause(void)
{
	const struct tl_switch *here = tl_find_switch();

	return here->pause ? here->pause() : TL_ABSENT;
}

static inline int tl_resume(void)
{
	const struct tl_switch *here = tl_find_switch();

	return here->resume ? here->resume() : TL_ABSENT;
}

static inline int tl_snapshot(void)
{
	const struct tl_switch *here = tl_find_switch();

	return here->snapshot ? here->snapshot() : TL_ABSENT;
}

static inline int tl_stop(void)
{
	const struct tl_switch *here = tl_find_switch();

	return here->stop ? here->stop() : TL_ABSENT;
}

static inline int tl_recording(void)
{
	const struct tl_switch *here = tl_find_switch();

	return here->recording ? here->recording() : 0;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
