/* SPDX-License-Identifier: MIT */
/*
 * hook.h: hooks around calls, for higher rooms. Device lanes are made by them.
 *
 * A hook is no tracer: it works for the layer, and neither the program nor tracers notice it.
 * `before` runs after all prologues, and after the memory of IN parameters was captured, directly
 * before the driver's function. It may change parameters (through call->params) and keep what it
 * needs in its state. `after` runs directly after the driver's function, before the epilogues, and
 * before the record is made. It finds the parameters as `before` found them; when it returns, what
 * `before` changed is put back in any case. So epilogues, the record and the program see their own
 * parameters. Memory that parameters point to is not put back: a hook must leave it alone, and may
 * let a parameter point elsewhere instead.
 *
 * For each `before` there is one `after`, on whatever way the call ends. `unwound`: by an
 * exception, thread exit or longjmp; there is no result. After a longjmp, `after` comes at the
 * thread's next call, or at its end. Then call->params leads to copies of the parameters as
 * `before` found them, what they point to may be gone, and call->result is NULL. In a process
 * forked inside the call only the parameters are put back: what `before` made belongs to the
 * parent.
 *
 * Neither runs if a prologue skipped the driver, if the library lacks the function, for calls that
 * pass unwatched (a loader's own, those made inside callbacks and hooks), and where a thread's
 * calls are nested deeper than its stack of open calls. They run whether or not calls are recorded
 * now (see tl_hook_is_recorded).
 *
 * Hooks may allocate, and use pthread mutexes that are held inside hooks only: while a hook runs
 * the thread's calls pass, so that a thread enters no hook twice. Signals may come in between;
 * cancellation is off. errno is kept for them. Hooks call the driver by tl_hook_real, and no longer
 * do so once tl_hook_driver_has_ended.
 *
 * Hooks of calls that a program makes again and again may promise more, and cost less
 * (TL_HOOK_STRAIGHT).
 */
#ifndef TL_LAYER_CALLS_HOOK_H
#define TL_LAYER_CALLS_HOOK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "layer/resolve/api_table.h"
#include "tracelayer/shim.h"

#define TL_HOOK_STATE 64u  /* bytes of state for each call, zeroed, aligned to 16 */
#define TL_HOOK_WORDS 24u  /* functions with more words of parameters have no hooks */
#define TL_HOOK_MAX   512u /* hooks that are set at once */

enum tl_hook_way {
	TL_HOOK_PLAIN,
	TL_HOOK_TIMED, /* tl_hook_start and tl_hook_end are needed */
	/*
	 * `after` leaves the result as it is, and both functions turn cancellation off themselves,
	 * by TL_HOOK_UNCANCELLED, around calls that may be a cancellation point. So ordinary calls
	 * take a shorter path.
	 */
	TL_HOOK_STRAIGHT,
};

struct tl_hook {
	const char *function;
	/* Either may be NULL. */
	void (*before)(struct tl_call *call, void *state);
	void (*after)(struct tl_call *call, void *state, uint64_t result, bool unwound);
	enum tl_hook_way way;
};

/* Up to the end of the block the thread can't be cancelled. */
#define TL_HOOK_UNCANCELLED()                                                                      \
	int uncancelled_ __attribute__((unused, cleanup(tl_hook_cancellable))) =                   \
		tl_hook_uncancelled()
int tl_hook_uncancelled(void);
void tl_hook_cancellable(const int *state);

/*
 * Set hooks for functions of all registered APIs. `lists` ends with NULL, each list with .function
 * NULL; they stay in place. Names without a shim are skipped, and so are functions that have a hook.
 * False: some hooks are missing, as memory was short, or they were more than TL_HOOK_MAX. One thread
 * at a time for each setter.
 */
enum tl_hook_setter { TL_HOOKS_OF_DEVICES, TL_HOOKS_OF_ROCTX, TL_HOOK_SETTERS };
bool tl_hook_set(enum tl_hook_setter setter, const struct tl_hook *const *lists);

/*
 * The real function of that name, which is looked up if need be; NULL if there is none. Slow: keep
 * the answer. If there are several of a name (functions that a driver gives out by pointer), it is
 * the first one that was found; for an object that came with a call, use that call's function.
 */
void *tl_hook_real(const char *function);
void *tl_hook_real_of(const struct tl_call *call);

/*
 * In `after` of a hook that is TL_HOOK_TIMED: nanoseconds of CLOCK_MONOTONIC, both within the call
 * as it is recorded. Otherwise 0. (If the call was left by longjmp, the end is the time when the
 * layer found out.)
 */
uint64_t tl_hook_start(const struct tl_call *call);
uint64_t tl_hook_end(const struct tl_call *call);

/* Whether the call has a slice in the trace, or will have. */
static inline bool tl_hook_is_recorded(const struct tl_call *call)
{
	return call->mode & TL_MODE_RECORD;
}

/*
 * In `before` and `after`: the call of the same API around this one in this thread, if that has a
 * hook; NULL: there is none. If there is one, the driver makes this call, or a callback of the
 * program's that the driver has called.
 */
const struct tl_hooked *tl_hook_outer(const struct tl_call *call);

/*
 * In `before` and `after`: set the number of the work that the call caused, for the call's record.
 */
static inline void tl_call_correlate(struct tl_call *call, uint32_t correlation);

/*
 * Called for each call that has a slice and caused work (tl_call_correlate), when it has ended, in
 * its thread, with its slice's times in ticks. It must not record anything. NULL: nobody listens.
 * Set once, with release, from a higher room.
 */
typedef void tl_submission_listener(uint64_t start, uint64_t end);
extern _Atomic(tl_submission_listener *) tl_submission_listens;

/* --- for the files of this room that make the calls */

/* What is kept of a call between the two functions; one for each open call of a thread. */
struct tl_hooked {
	const struct tl_hook *hook; /* NULL: `after` is not owed */
	const struct tl_call *call; /* the call's address, to recognise it */
	struct tl_shim *shim;
	uint32_t correlation;
	uint32_t request;
	uint64_t start, end;	       /* nanoseconds, of TL_HOOK_TIMED */
	bool straight;		       /* on the short path: .words are as in the call's record */
	uint64_t words[TL_HOOK_WORDS]; /* of the parameters, as `before` found them */
	_Alignas(16) char state[TL_HOOK_STATE];
};

static inline void tl_call_correlate(struct tl_call *call, uint32_t correlation)
{
	call->hooked->correlation = correlation;
}

/* The call has its entry: run its hook's `before`. False: it has no hook. */
bool tl_hook_enter(struct tl_call *call);

/*
 * The driver's function has been called; `ends`: it has just returned. The start that the record
 * will have is known.
 */
void tl_hook_starts(struct tl_call *call);

/* A function's hook, and what the short path needs of both: in one cache line. */
struct tl_hook_place {
	_Alignas(64) _Atomic(const struct tl_hook *) hook;
	void (*before)(struct tl_call *call, void *state);
	void (*after)(struct tl_call *call, void *state, uint64_t result, bool unwound);
	bool straight;
	bool simple;	       /* each parameter is one word, of 8 or of 4 bytes */
	uint16_t count, words; /* of the function */
	/* a bit for each parameter: it has 4 bytes; its sign is extended */
	uint32_t narrow, negative;
};

/*
 * Indexed by API and function, as in a function's number. A table is stored with release by its
 * maker and loaded with acquire: it is zeroed. A hook is stored with release after the rest of its
 * place, and loaded with acquire before that.
 */
extern struct tl_hook_place *_Atomic tl_hook_tables[TL_API_MAX];

/* NULL: neither the function nor any other of its API has a hook. */
static inline const struct tl_hook_place *tl_hook_place_of(uint32_t id)
{
	const struct tl_hook_place *table =
		atomic_load_explicit(&tl_hook_tables[id >> 16], memory_order_acquire);

	return table ? &table[id & 0xffff] : NULL;
}

/*
 * The place of the function's hook, if its calls may take the short path; else NULL. The short path
 * (hooked_path.c) runs the hook itself (inside_hook.h), and handles .hooked.
 */
static inline const struct tl_hook_place *tl_hook_straight(uint32_t id)
{
	const struct tl_hook_place *place = tl_hook_place_of(id);

	return place && atomic_load_explicit(&place->hook, memory_order_acquire) && place->straight
		       ? place
		       : NULL;
}

/* Fill in what is kept of a call, before its hook is owed: all but the words. */
static inline void tl_hook_set_up(struct tl_hooked *hooked, const struct tl_call *call,
				  bool straight)
{
	hooked->call = call;
	hooked->shim = call->shim;
	hooked->correlation = 0;
	hooked->request = call->request;
	hooked->start = hooked->end = 0;
	hooked->straight = straight;
	memset(hooked->state, 0, sizeof(hooked->state));
}

/* The call's `before` has begun, and `after` has not. */
static inline bool tl_hook_is_owed(const struct tl_call *call)
{
	return call->hooked && call->hooked->call == call && call->hooked->hook;
}

/* Once for each call, before `after`: then `after` is no longer owed. */
static inline const struct tl_hook *tl_hook_take(struct tl_hooked *hooked)
{
	const struct tl_hook *hook = hooked->hook;

	hooked->hook = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	return hook;
}

/*
 * From here on `after` is owed. The rest of .hooked must be written before: a signal handler may
 * leave by longjmp.
 */
static inline void tl_hook_owe(struct tl_hooked *hooked, const struct tl_hook *hook)
{
	atomic_signal_fence(memory_order_seq_cst);
	hooked->hook = hook;
}

/*
 * The process ends: hooks ask nothing of a driver any more. Set once, by device_lanes.c, which then
 * waits for hooks that have not seen it (tl_hook_drain).
 */
extern _Atomic bool tl_hook_driver_ended;
static inline bool tl_hook_driver_has_ended(void)
{
	/* Sequentially consistent: see inside_hook.h. */
	return atomic_load_explicit(&tl_hook_driver_ended, memory_order_seq_cst);
}

/* Run `after`, and put the parameters back. */
void tl_hook_leave(struct tl_call *call, uint64_t result, bool unwound);

/*
 * The same for an open call that was left by longjmp. Returns the number of the work that the call
 * caused and that of its request, for the record. Both are 0 if no hook was owed.
 */
struct tl_cause tl_hook_abandon(struct tl_thread *thread, struct tl_open_call *open, uint64_t end);

/* The number of the work that the call caused; 0: none. */
static inline uint32_t tl_hook_correlation(const struct tl_call *call)
{
	return call->hooked ? call->hooked->correlation : 0;
}

/* The calling thread is inside a hook, which a signal handler has interrupted. */
bool tl_hook_is_here(void);

/*
 * Do some of the layer's own work as inside a hook, on a thread of the layer's. Not once the lanes
 * have ended.
 */
void tl_hook_run(void (*work)(void *), void *user_data);

/* In a forked child. */
void tl_hook_after_fork(void);

/*
 * Wait until no other thread is inside a hook that it entered before now. False: some were still
 * inside at `deadline` (nanoseconds).
 */
bool tl_hook_drain(uint64_t deadline);

#endif
