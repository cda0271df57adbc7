/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/trace_context.h: for frameworks that log events of their own. Each request chooses how
 * much is logged.
 *
 *	#include <tracelayer/trace_context.h>
 *
 *	void run(struct graph *graph, struct tl_context *trace)		(NULL: log nothing)
 *	{
 *		TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "run");
 *		TL_TRACE_BEGIN(trace, TL_TRACE_REQUEST, "prepare");
 *		prepare(graph);
 *		TL_TRACE_END(trace, TL_TRACE_REQUEST, "prepare");
 *		launch(graph);
 *	}
 *
 *	struct tl_context *trace = tl_context_create(TL_TRACE_STANDARD);
 *	run(graph, trace);
 *	tl_context_dump(trace, "run.json", "my framework");
 *	tl_context_destroy(trace);
 *
 * An event goes to two places. It goes into the context, which can be read, merged and dumped as
 * Chrome trace JSON at any time. While tracelayer records the process, it also goes into the
 * process's trace, beside the driver's calls.
 *
 * Nothing has to be linked. Where tracelayer is not in the process, tl_context_create returns NULL,
 * all other functions take NULL and do nothing, and a macro costs a load and a branch. dlsym finds
 * the library (it needs -ldl before glibc 2.34); the linker does, where the program defines
 * TRACELAYER_LINKED before it includes this header.
 *
 * A thread that works on a request enters the request's context (tl_context_enter). Meanwhile its
 * driver calls, and the work on the device that they cause, carry the number of the request in the
 * process's trace. They are recorded only where the context's level includes theirs.
 *
 * Levels are a mask and have no order: DEBUG does not include OPERATOR. An event is logged if its
 * level and the context's level have a bit in common. So an event of level NONE is never logged.
 * TRACELAYER_CONTEXT_LEVEL adds bits to the level of every context.
 *
 * Threads	Any number of threads may log into a context. Others may read, copy or dump
 *		it meanwhile; they get what was logged before. Logging takes no lock. When a thread
 *		destroys a context, clears it, or merges it into another, no other thread may use
 *		it.
 * Time		Nanoseconds of CLOCK_MONOTONIC.
 * Lanes	The events of a thread are on the lane that the thread has in the process's
 *		trace. The number of the lane is the kernel's thread id; where an earlier thread had
 *		the same id, it is a number that the kernel never uses. tl_context_lane makes lanes
 *		for devices.
 * Texts	UTF-8. The context copies them. Names are cut after 1,024 bytes; an event
 *		has at most 32 arguments. Where a key comes twice in an event, the file and the
 *		process's trace put a number behind the second ("key 2").
 * Errors	Where memory is short, or its type is none of B, E, I and X, an event is left
 *		out and counted (tl_context_lost).
 *		All functions that log keep errno.
 * Signals	Signal handlers must not call these functions.
 * Forks	A forked child has its parent's contexts with their events. What the child
 *		logs is in its own. The child goes on with the request that its thread was in.
 */
#ifndef TRACELAYER_TRACE_CONTEXT_H
#define TRACELAYER_TRACE_CONTEXT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who an event is for; a mask. */
enum tl_trace_level {
	TL_TRACE_NONE = 0,
	TL_TRACE_REQUEST = 1,  /* whole requests */
	TL_TRACE_RUNTIME = 2,  /* work on the host */
	TL_TRACE_OPERATOR = 4, /* work on the device */
	TL_TRACE_DEBUG = 8,    /* everything else */
	TL_TRACE_STANDARD = TL_TRACE_RUNTIME | TL_TRACE_OPERATOR
};

/* An argument of an event. */
struct tl_context_arg {
	const char *key, *value;
};

/* An event. Zero in .lane, .request and .time means the default when the event is logged. */
struct tl_context_event {
	const char *name;
	char type; /* B begin, E end, I (or i) instant, X complete */
	unsigned level;
	uint32_t lane;	   /* 0 when logging: the calling thread's */
	uint32_t request;  /* 0 when logging: the context's */
	uint64_t time;	   /* nanoseconds; 0 when logging: now */
	uint64_t duration; /* of X, in nanoseconds */
	size_t nargs;
	const struct tl_context_arg *args;
};

/* Called for each event, which is valid until it returns. A result other than 0 ends the visit. */
typedef int (*tl_context_visit)(const struct tl_context_event *event, void *user);

struct tl_context;

/*
 * The library's functions. New members are added only at the end. Programs use the functions below.
 */
struct tl_contexts {
	size_t size;
	struct tl_context *(*create)(unsigned level);
	void (*destroy)(struct tl_context *context);
	void (*set_level)(struct tl_context *context, unsigned level);
	void (*log)(struct tl_context *context, const struct tl_context_event *event);
	void (*name)(struct tl_context *context, uint32_t lane, const char *name);
	uint32_t (*lane)(struct tl_context *context, const char *name);
	int (*each)(struct tl_context *context, tl_context_visit visit, void *user);
	size_t (*count)(struct tl_context *context, size_t *bytes, size_t *lost);
	int (*add)(struct tl_context *into, struct tl_context *from);
	void (*clear)(struct tl_context *context);
	int (*dump)(struct tl_context *context, const char *path, const char *process);
	uint32_t (*request)(struct tl_context *context, uint32_t id);
	void (*enter)(struct tl_context *context);
	void (*leave)(struct tl_context *context);
	struct tl_context *(*entered)(void);
	uint64_t (*now)(void);
};

/* The part of a context that this header uses; the library's part follows. Do not write to it. */
struct tl_context {
	const struct tl_contexts *functions;
	unsigned level;
	uint32_t request;
};

#ifdef TRACELAYER_LINKED
extern const struct tl_contexts tl_contexts_here;
#endif

/*
 * The library's functions. All NULL: tracelayer is not in the process, or is older than this
 * header.
 */
static inline const struct tl_contexts *tl_contexts_find(void)
{
	static struct tl_contexts none; /* with no function */
	static const struct tl_contexts *found;
	const struct tl_contexts *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	if (__builtin_expect(known != NULL, 1))
		return known;
#ifdef TRACELAYER_LINKED
	known = &tl_contexts_here;
#else
	/* NULL is RTLD_DEFAULT, which has no name without _GNU_SOURCE. */
	known = (const struct tl_contexts *)dlsym(NULL, "tl_contexts_here");
#endif
	if (!known || known->size < sizeof(none))
		known = &none;
	/* Release pairs with the acquire above: the library may have been loaded just now. */
	__atomic_store_n(&found, known, __ATOMIC_RELEASE);
	return known;
}

/* ---- Contexts */

/*
 * Make a context. `level`: a mask of enum tl_trace_level; TL_TRACE_NONE for a context that only
 * others are merged into. The caller destroys it. NULL: tracelayer is not in the process, or memory
 * is short.
 */
static inline struct tl_context *tl_context_create(unsigned level)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->create ? here->create(level) : NULL;
}

/* Free a context and its events. No thread may use it any more. */
static inline void tl_context_destroy(struct tl_context *context)
{
	if (context)
		context->functions->destroy(context);
}

/* The level of a context: a mask of enum tl_trace_level. NULL has level 0. */
static inline unsigned tl_context_level(const struct tl_context *context)
{
	return context ? __atomic_load_n(&context->level, __ATOMIC_RELAXED) : 0;
}

/*
 * Change the level; any thread may do so at any time. It holds for events that are logged, and for
 * requests that are entered, from now on.
 */
static inline void tl_context_set_level(struct tl_context *context, unsigned level)
{
	if (context)
		context->functions->set_level(context, level);
}

/* Returns 1 if an event of this level would be logged, otherwise 0. */
static inline int tl_context_wants(const struct tl_context *context, unsigned level)
{
	return (tl_context_level(context) & level) != 0;
}

/* ---- Logging */

/* The time now, in nanoseconds. 0: tracelayer is not in the process. */
static inline uint64_t tl_context_now(void)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->now ? here->now() : 0;
}

/* Log an event, if its level is wanted. The event and its texts are copied. */
static inline void tl_context_log_event(struct tl_context *context,
					const struct tl_context_event *event)
{
	if (tl_context_wants(context, event->level))
		context->functions->log(context, event);
}

/* Log an event without arguments, of the calling thread, at a time (0: now). */
static inline void tl_context_log_at(struct tl_context *context, unsigned level, char type,
				     const char *name, uint64_t time)
{
	struct tl_context_event event = {name, type, level, 0, 0, time, 0, 0, NULL};

	tl_context_log_event(context, &event);
}

/* The same, now. */
static inline void tl_context_log(struct tl_context *context, unsigned level, char type,
				  const char *name)
{
	tl_context_log_at(context, level, type, name, 0);
}

/* Log a complete event of the calling thread, from `start` until now. */
static inline void tl_context_complete(struct tl_context *context, unsigned level, const char *name,
				       uint64_t start, const struct tl_context_arg *args,
				       size_t nargs)
{
	if (tl_context_wants(context, level)) {
		uint64_t now = tl_context_now();
		struct tl_context_event event = {
			name, 'X', level, 0, 0, start, now > start ? now - start : 0, nargs, args};
		context->functions->log(context, &event);
	}
}

/* ---- Lanes */

/*
 * Name the lane of the calling thread, or another lane, in the dump of the context. The last name
 * counts. In the process's trace, threads keep the kernel's names.
 */
static inline void tl_context_name_thread(struct tl_context *context, const char *name)
{
	if (context)
		context->functions->name(context, 0, name);
}

static inline void tl_context_name_lane(struct tl_context *context, uint32_t lane, const char *name)
{
	if (context)
		context->functions->name(context, lane, name);
}

/*
 * Make a lane, for example for a device. Returns its number, for tl_context_event.lane. 0: memory
 * is short, or the context is NULL.
 */
static inline uint32_t tl_context_lane(struct tl_context *context, const char *name)
{
	return context ? context->functions->lane(context, name) : 0;
}

/* ---- Reading a context */

/*
 * Call `visit` for each event, in the order of logging. Returns the result of the last call, 0
 * where there was none. `user` is passed to `visit`.
 */
static inline int tl_context_each(struct tl_context *context, tl_context_visit visit, void *user)
{
	return context ? context->functions->each(context, visit, user) : 0;
}

/* How many events the context has. */
static inline size_t tl_context_count(struct tl_context *context)
{
	return context ? context->functions->count(context, NULL, NULL) : 0;
}

/* How many bytes its events take. */
static inline size_t tl_context_bytes(struct tl_context *context)
{
	size_t bytes = 0;

	if (context)
		context->functions->count(context, &bytes, NULL);
	return bytes;
}

/* How many events were left out because memory was short, or because of their types. */
static inline size_t tl_context_lost(struct tl_context *context)
{
	size_t lost = 0;

	if (context)
		context->functions->count(context, NULL, &lost);
	return lost;
}

/*
 * Add the events and lane names of another context, whatever the levels. A lane that has a name
 * keeps it. The process's trace does not get the events again. Returns 0, or -1 where memory is
 * short; then nothing was added.
 */
static inline int tl_context_copy(struct tl_context *into, struct tl_context *from)
{
	return into && from ? into->functions->add(into, from) : 0;
}

/* Remove all events. No other thread may use the context meanwhile. */
static inline void tl_context_clear(struct tl_context *context)
{
	if (context)
		context->functions->clear(context);
}

/* tl_context_copy, and then clear `from`. Merging a context into itself does nothing. */
static inline int tl_context_merge(struct tl_context *into, struct tl_context *from)
{
	int result = into == from ? 0 : tl_context_copy(into, from);

	if (!result && into && into != from)
		tl_context_clear(from);
	return result;
}

/*
 * Write a Chrome trace JSON file. Events are ordered by time; of two at the same time the longer
 * one comes first. `process`: the name of the process; NULL: the name of its program. The file also
 * says how many bytes of events there are for each millisecond of work on lanes of tl_context_lane;
 * 1 to 2 KiB is a good value. Returns 0; -1 and errno where the file can't be written.
 */
static inline int tl_context_dump(struct tl_context *context, const char *path, const char *process)
{
	return context ? context->functions->dump(context, path, process) : 0;
}

/* ---- Requests */

/*
 * Mark the context's events with this request from now on; 0: with none. Returns the request
 * before.
 */
static inline uint32_t tl_context_set_request(struct tl_context *context, uint32_t id)
{
	return context ? context->functions->request(context, id) : 0;
}

/* The request that the context's events are marked with; 0: none. */
static inline uint32_t tl_context_request(const struct tl_context *context)
{
	return context ? __atomic_load_n(&context->request, __ATOMIC_RELAXED) : 0;
}

/*
 * From tl_context_enter to tl_context_leave the calling thread works on the context's request. Its
 * driver calls, and the work that they give to devices, carry the number of the request. They are
 * recorded only if the context's level includes theirs; request and level are those of the moment
 * of entering. A context does not add what the process does not record (TRACELAYER_LEVEL). Tools
 * see all calls. If the level includes REQUEST, leaving logs a slice called "request".
 *
 * A thread that takes over a request enters its context itself, and leaves it when it is done.
 * Requests nest: the innermost counts. Leaving an outer context also leaves those inside of it.
 * Leaving a context that was not entered does nothing. The end of a thread leaves all.
 */
static inline void tl_context_enter(struct tl_context *context)
{
	if (context)
		context->functions->enter(context);
}

static inline void tl_context_leave(struct tl_context *context)
{
	if (context)
		context->functions->leave(context);
}

/*
 * The context that the calling thread has entered last, to hand it to another thread. NULL: none.
 */
static inline struct tl_context *tl_context_entered(void)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->entered ? here->entered() : NULL;
}

/* ---- Scopes */

/*
 * A complete event, which is logged when its block is left, or when the scope is ended before that.
 */
struct tl_trace_scope {
	/* NULL: the scope has ended, or logs nothing; then the other members are undefined */
	struct tl_context *context;
	unsigned level;
	const char *name; /* must outlive the scope */
	uint64_t start;
	size_t nargs;
	struct tl_context_arg args[8];
};

/* The next four are parts of the macros: the name is evaluated only where an event is logged. */
static inline struct tl_trace_scope tl_trace_scope_of(struct tl_context *context)
{
	struct tl_trace_scope scope;

	scope.context = context;
	return scope;
}

static inline int tl_trace_scope_wants(struct tl_trace_scope *scope, unsigned level)
{
	scope->level = level;
	if (!tl_context_wants(scope->context, level))
		scope->context = NULL;
	return scope->context != NULL;
}

/* Out of line, so that a scope that logs nothing costs a branch at either end. */
static __attribute__((noinline, cold, unused)) struct tl_trace_scope *
tl_trace_scope_start(struct tl_trace_scope *scope, const char *name)
{
	scope->name = name;
	scope->nargs = 0;
	scope->start = scope->context->functions->now();
	return scope;
}

static __attribute__((noinline, cold, unused)) void tl_trace_scope_log(struct tl_trace_scope *scope)
{
	struct tl_context *context = scope->context;

	scope->context = NULL;
	tl_context_complete(context, scope->level, scope->name, scope->start, scope->args,
			    scope->nargs);
}

/* The same as the macros, for a scope that is kept in a struct or elsewhere. */
static inline struct tl_trace_scope tl_trace_scope_begin(struct tl_context *context, unsigned level,
							 const char *name)
{
	struct tl_trace_scope scope = tl_trace_scope_of(context);

	if (context && tl_trace_scope_wants(&scope, level))
		tl_trace_scope_start(&scope, name);
	return scope;
}

/* End a scope and log it. The second call does nothing. */
static inline void tl_trace_scope_end(struct tl_trace_scope *scope)
{
	if (scope->context)
		tl_trace_scope_log(scope);
}

/*
 * Add an argument. Both texts must outlive the scope. Where a key is given twice, the last value
 * counts. A scope has at most 8 arguments; more are left out.
 */
static inline void tl_trace_scope_arg(struct tl_trace_scope *scope, const char *key,
				      const char *value)
{
	size_t i = 0;

	if (!scope->context)
		return;
	while (i < scope->nargs && __builtin_strcmp(scope->args[i].key, key))
		i++;
	if (i == sizeof(scope->args) / sizeof(scope->args[0]))
		return;
	scope->args[i].key = key;
	scope->args[i].value = value;
	if (i == scope->nargs)
		scope->nargs++;
}

/* The parts of TL_TRACE_REQUEST_SCOPE. */
static inline struct tl_context *tl_trace_request_begin(struct tl_context *context)
{
	tl_context_enter(context);
	return context;
}

static inline void tl_trace_request_end(struct tl_context **context)
{
	tl_context_leave(*context);
}

/*
 * ---- Macros. The context may be any expression, also NULL. Where nothing is logged, names and
 * times are not evaluated.
 */

/* Statements; they may stand in an if without braces. */
#define TL_TRACE_LOG(context_, level_, name_, type_, time_)                                        \
	do {                                                                                       \
		struct tl_context *tl_context_ = (context_);                                       \
		unsigned tl_level_;                                                                \
		if (tl_context_ && tl_context_wants(tl_context_, tl_level_ = (level_)))            \
			tl_context_log_at(tl_context_, tl_level_, (type_), (name_), (time_));      \
	} while (0)
#define TL_TRACE_BEGIN(context, level, name)   TL_TRACE_LOG(context, level, name, 'B', 0)
#define TL_TRACE_END(context, level, name)     TL_TRACE_LOG(context, level, name, 'E', 0)
#define TL_TRACE_INSTANT(context, level, name) TL_TRACE_LOG(context, level, name, 'I', 0)

/*
 * A scope from here to the end of the block, on whatever way the block is left: also by an
 * exception, and (C with -fexceptions) when the thread is cancelled. It is a declaration: a block
 * has at most one, and in C it can't be the whole body of an if. A block may have several scopes of
 * the named form, which can also have arguments (tl_trace_scope_arg).
 */
#define TL_TRACE_SCOPE_NAMED(context_, level_, name_, scope)                                       \
	struct tl_trace_scope scope                                                                \
		__attribute__((cleanup(tl_trace_scope_end),                                        \
			       unused)) = tl_trace_scope_of(context_),                             \
			       *const scope##_begun __attribute__((unused)) =                      \
				       scope.context && tl_trace_scope_wants(&scope, (level_))     \
					       ? tl_trace_scope_start(&scope, (name_))             \
					       : &scope
#define TL_TRACE_SCOPE(context, level, name)                                                       \
	TL_TRACE_SCOPE_NAMED(context, level, name, tl_trace_scope_here)
#define TL_TRACE_SCOPE_END_NAMED(scope) tl_trace_scope_end(&(scope))
#define TL_TRACE_SCOPE_END()		TL_TRACE_SCOPE_END_NAMED(tl_trace_scope_here)

/* Enter the context's request (tl_context_enter), and leave it at the end of the block. */
#define TL_TRACE_REQUEST_SCOPE(context)                                                            \
	struct tl_context *tl_trace_request_here                                                   \
		__attribute__((cleanup(tl_trace_request_end), unused)) =                           \
			tl_trace_request_begin(context)

/* ---- Events whose times a device, or a kernel of the program, has stored */

/* A moment on both clocks. */
struct tl_marker {
	uint64_t device; /* ticks */
	uint64_t host;	 /* nanoseconds of CLOCK_MONOTONIC */
};

/* The clock of a device, as a straight line from device time to host time. */
struct tl_device_clock {
	uint64_t device, host; /* a point of the line */
	double slope;	       /* nanoseconds for a tick */
	unsigned bits;	       /* of the device's counter */
};

/* Ticks from one device time to another, the shorter way around a counter that wraps. */
static inline int64_t tl_device_clock_between(const struct tl_device_clock *clock, uint64_t from,
					      uint64_t to)
{
	unsigned unused = 64 - clock->bits;

	return (int64_t)((to - from) << unused) >> unused;
}

/*
 * As tl_device_clock_fit, for a counter of `bits` bits (1 to 64), which wraps. Two neighbouring
 * markers may be at most half of the counter's range apart; so may a time and the middle of the
 * markers.
 */
static inline int tl_device_clock_fit_wrapping(struct tl_device_clock *clock,
					       const struct tl_marker *markers, size_t count,
					       double ns_per_tick, unsigned bits)
{
	double x = 0, y = 0, xx = 0, xy = 0, n = (double)count;
	int64_t run = 0; /* ticks since the first marker */
	size_t i;

	clock->device = clock->host = 0;
	clock->slope = ns_per_tick;
	clock->bits = bits;
	if (!count || bits < 1 || bits > 64 || (count == 1 && !(ns_per_tick > 0)))
		return -1;
	clock->device = markers[0].device;
	clock->host = markers[0].host;
	if (count == 1)
		return 0;
	/* Differences, since doubles have no room for the whole. */
	for (i = 0; i < count; i++) {
		run += i ? tl_device_clock_between(clock, markers[i - 1].device, markers[i].device)
			 : 0;
		double dx = (double)run, dy = (double)(int64_t)(markers[i].host - clock->host);
		x += dx;
		y += dy;
		xx += dx * dx;
		xy += dx * dy;
	}
	if (!(n * xx - x * x > 0) || !(n * xy - x * y > 0))
		return -1;
	clock->slope = (n * xy - x * y) / (n * xx - x * x);
	/* Through the middle of the markers. */
	clock->device += (uint64_t)(int64_t)(x / n);
	clock->host += (uint64_t)(int64_t)(y / n);
	return 0;
}

/*
 * Fit a device's clock to the host's. `markers` are ordered by time. With two or more, the line
 * goes through them; with one, its slope is `ns_per_tick`. Returns 0; -1 where there is no marker,
 * or the device times do not grow.
 */
static inline int tl_device_clock_fit(struct tl_device_clock *clock,
				      const struct tl_marker *markers, size_t count,
				      double ns_per_tick)
{
	return tl_device_clock_fit_wrapping(clock, markers, count, ns_per_tick, 64);
}

/* Convert device time (ticks) to host time (nanoseconds). */
static inline uint64_t tl_device_clock_host(const struct tl_device_clock *clock, uint64_t device)
{
	return clock->host +
	       (uint64_t)(int64_t)((double)tl_device_clock_between(clock, clock->device, device) *
				   clock->slope);
}

/*
 * An event whose times a device stores in an array: types B, E and I have the time at [first]; X
 * begins at [first] and ends at [last].
 */
struct tl_trace_slot {
	const char *name;
	char type;
	unsigned level;
	size_t first, last;
	size_t nargs;
	const struct tl_context_arg *args;
};

/*
 * After a run, log the events of `count` slots on a lane (0: the calling thread's). `times` has
 * `ntimes` values; `clock` converts them to host time; NULL: they are host time. Slots whose time
 * is 0 (not reached) or outside of the array are left out. Returns how many events were logged.
 */
static inline size_t tl_context_slots(struct tl_context *context, const struct tl_trace_slot *slots,
				      size_t count, const uint64_t *times, size_t ntimes,
				      const struct tl_device_clock *clock, uint32_t lane)
{
	size_t i, logged = 0;

	for (i = 0; i < count; i++) {
		const struct tl_trace_slot *slot = &slots[i];
		size_t last = slot->type == 'X' ? slot->last : slot->first;
		if (!tl_context_wants(context, slot->level) || slot->first >= ntimes ||
		    last >= ntimes || !times[slot->first] || !times[last])
			continue;
		uint64_t start = clock ? tl_device_clock_host(clock, times[slot->first])
				       : times[slot->first];
		uint64_t end = clock ? tl_device_clock_host(clock, times[last]) : times[last];
		struct tl_context_event event = {slot->name,
						 slot->type,
						 slot->level,
						 lane,
						 0,
						 start,
						 end > start ? end - start : 0,
						 slot->nargs,
						 slot->args};
		context->functions->log(context, &event);
		logged++;
	}
	return logged;
}

#ifdef __cplusplus
}
#endif
#endif
