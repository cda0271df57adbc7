/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tracelayer.h: for programs that control what tracelayer records of them.
 *
 * A program needs nothing of this to be traced. With it, a program can record only the part that
 * matters, and can write out what was recorded when something has gone wrong:
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
 *		tl_pause();			and cost nothing from here on
 *		clean_up();
 *	}
 *
 * Nothing has to be linked. Where the program runs without tracelayer, each function does nothing and
 * returns TL_ABSENT. The first call in a source file finds the library by dlsym, which needs -ldl with
 * C libraries before glibc 2.34. A program that is linked with -ltracelayer may define
 * TRACELAYER_LINKED before it includes this header; then these are ordinary functions.
 *
 * `tracelayer pause|resume|snapshot|stop` does the same from outside; see tracelayer-pause(1).
 *
 * For all functions:
 *
 * Threads		Any thread may call them at any time: also before the first traced call, in exit
 *		handlers, and in a forked child, where they control the child alone. They control
 *		the whole process: where two threads want different things, the last call counts.
 *		There is one switch; pauses are not counted.
 * Signals		Signal handlers may call them. But the first call in a source file looks the
 *		library up, which a signal handler must not do: call tl_recording() once before.
 * errno		They keep errno.
 * Tracers		They do not affect tracers (tracelayer/tracer.h) and tools: these callbacks run
 *		whether calls are recorded or not.
 */
#ifndef TRACELAYER_TRACELAYER_H
#define TRACELAYER_TRACELAYER_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions return. */
enum tl_answer {
	TL_DONE = 0,
	/* tracelayer is not in this process, or must not be (set-user-id programs) */
	TL_ABSENT = 1,
	TL_STOPPED = 2, /* recording has ended for good */
	/* the file could not be written; the library keeps the events and tries again later */
	TL_FAILED = 3,
};

/*
 * The library's functions, for programs that are not linked with it. New members are added only at the
 * end.
 */
struct tl_switch {
	size_t size;
	int (*pause)(void), (*resume)(void), (*snapshot)(void), (*stop)(void), (*recording)(void);
};

#ifdef TRACELAYER_LINKED

/*
 * Stop recording until tl_resume. Calls that begin from now on are not recorded, and go straight to the
 * driver. Calls that are open are recorded when they return. Takes some microseconds, never waits, and
 * writes nothing. Returns TL_DONE, also where recording is paused already; TL_STOPPED; TL_ABSENT.
 */
int tl_pause(void);

/*
 * Record the calls that begin from now on, as far as level, include and exclude select them. Also
 * starts recording in a program that is only linked with the library. Both tl_resume and tl_pause end
 * TRACELAYER_WINDOW. Costs and returns the same as tl_pause.
 */
int tl_resume(void);

/*
 * Write all calls that have returned so far, and end the file, so that it is complete and valid when
 * this returns. With TRACELAYER_FULL=ring these are the newest calls of each thread. Recording goes
 * on; later events follow in the same file, each once. Waits until the file is written, which takes
 * milliseconds or more; other threads do not wait. Returns TL_DONE, also where there was nothing to
 * write; TL_FAILED; TL_ABSENT.
 */
int tl_snapshot(void);

/*
 * End recording for good: the same as tl_pause and then tl_snapshot, but from now on tl_resume returns
 * TL_STOPPED. Returns what tl_snapshot returns.
 */
int tl_stop(void);

/* Returns 1 while calls are recorded, otherwise 0. */
int tl_recording(void);

#else

/* Used where tracelayer is not in the process. */
static const struct tl_switch tl_no_switch = {
	sizeof(struct tl_switch), NULL, NULL, NULL, NULL, NULL};

/* For the functions below: the library's functions, or tl_no_switch. */
static inline const struct tl_switch *tl_find_switch(void)
{
	static const struct tl_switch *found;
	const struct tl_switch *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	if (!known) {
		/* NULL is RTLD_DEFAULT, which has no name without _GNU_SOURCE. */
		known = (const struct tl_switch *)dlsym(NULL, "tl_switch_here");
		if (!known)
			known = &tl_no_switch;
		__atomic_store_n(&found, known, __ATOMIC_RELEASE);
	}
	return known;
}

/* The same functions as above, for programs that are not linked with the library. */
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
