/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/trace_context.h: for frameworks that log events of their own, at a verbosity that each
 * request chooses.
 *
 *	#include <tracelayer/trace_context.h>
 *
 *	void run(struct graph *graph, struct tl_context *trace)		(NULL: this run is not
 *									traced)
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
 * What is logged goes two ways: into the context, which can be read, merged and dumped as Chrome
 * trace JSON of its own at any time; and, while tracelayer records the process, into its trace,
 * beside the driver's calls.
 *
 * Nothing has to be linked. Without tracelayer in the process tl_context_create returns NULL,
 * everything else takes NULL and does nothing, and a macro costs a load and a branch. The library
 * is found by dlsym (which needs -ldl before glibc 2.34), or, where TRACELAYER_LINKED is defined
 * before this is included, by the linker.
 *
 * A thread that works on a request enters its context (tl_context_enter): what it does meanwhile,
 * its driver calls and the work on the device that they cause, is marked with the request's number
 * in the process's trace, and is there only where the context's level has it.
 *
 * Levels are a mask, not an order: DEBUG does not bring OPERATOR. An event is logged if its level
 * and the context's have a bit in common, so one of level NONE never is. TRACELAYER_CONTEXT_LEVEL
 * adds bits to every context's level.
 *
 * Threads	Any number of them may log into a context, and read, copy or dump it meanwhile (they
 *		get what was logged before). Logging takes no lock. Destroying is for when nobody
 *		uses the context any more; so are clearing, and being the source of a merge.
 * Time		Nanoseconds of CLOCK_MONOTONIC.
 * Lanes	A thread's events are on the lane that it has in the trace, whose number is the
 *		kernel's thread id, or, where an earlier thread had that, one that the kernel never
 *		gives. Lanes for devices are made by tl_context_lane.
 * Texts	UTF-8, copied. Names are cut after 1,024 bytes, an event takes up to 32 arguments.
 * Errors	Where memory is short an event is left out, and counted (tl_context_lost). errno is
 *		kept by all that logs.
 * Signals	Not in signal handlers.
 * Forks	A child has its parent's contexts, with what they had; what it logs is in its own.
 *		It goes on with the request that the thread was in.
 */
#ifndef TRACELAYER_TRACE_CONTEXT_H
#define TRACELAYER_TRACE_CONTEXT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whom an event is for. */
enum tl_trace_level {
	TL_TRACE_NONE = 0,
	TL_TRACE_REQUEST = 1,  /* whole requests */
	TL_TRACE_RUNTIME = 2,  /* the host's part of the work */
	TL_TRACE_OPERATOR = 4, /* work on the device */
	TL_TRACE_DEBUG = 8,    /* everything else */
	TL_TRACE_STANDARD = TL_TRACE_RUNTIME | TL_TRACE_OPERATOR
};

struct tl_context_arg {
	const char *key, *value;
};

struct tl_context_event {
	const char *name;
	char type; /* B begin, E end, I instant, X complete */
	unsigned level;
	uint32_t lane;	   /* 0, where an event is logged: the calling thread's */
	uint32_t request;  /* 0, where an event is logged: the context's */
	uint64_t time;	   /* 0, where an event is logged: now */
	uint64_t duration; /* of X */
	size_t nargs;
	const struct tl_context_arg *args;
};

/* Called with each event; what it points to is valid until it returns. Not 0: no more of them. */
typedef int (*tl_context_visit)(const struct tl_context_event *event, void *user);

struct tl_context;

/* How the library is found where it isn't linked. Members are only ever added at the end. */
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

/* What is seen of a context here; the rest is the library's. */
struct tl_context {
	const struct tl_contexts *functions;
	unsigned level;
	uint32_t request;
};

#ifdef TRACELAYER_LINKED
extern const struct tl_contexts tl_contexts_here;
#endif

/* A library that is older than this header is as none. */
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
	/* NULL is what RTLD_DEFAULT is, which not every way of compiling has a name for. */
	known = (const struct tl_contexts *)dlsym(NULL, "tl_contexts_here");
#endif
	if (!known || known->size < sizeof(none))
		known = &none;
	/* Release: the pointer may have come from a library that was loaded just now. */
	__atomic_store_n(&found, known, __ATOMIC_RELEASE);
	return known;
}

/* ---- Contexts */

/*
 * NULL: tracelayer is not in the process, or memory is short. A level of TL_TRACE_NONE makes one
 * that others are merged into.
 */
static inline struct tl_context *tl_context_create(unsigned level)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->create ? here->create(level) : NULL;
}

static inline void tl_context_destroy(struct tl_context *context)
{
	if (context)
		context->functions->destroy(context);
}

static inline unsigned tl_context_level(const struct tl_context *context)
{
	return context ? __atomic_load_n(&context->level, __ATOMIC_RELAXED) : 0;
}

static inline void tl_context_set_level(struct tl_context *context, unsigned level)
{
	if (context)
		context->functions->set_level(context, level);
}

/* An event of this level would be logged. */
static inline int tl_context_wants(const struct tl_context *context, unsigned level)
{
	return (tl_context_level(context) & level) != 0;
}

/* ---- Logging */

/* The time now. 0 where tracelayer is not in the process. */
static inline uint64_t tl_context_now(void)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->now ? here->now() : 0;
}

static inline void tl_context_log_event(struct tl_context *context,
					const struct tl_context_event *event)
{
	if (tl_context_wants(context, event->level))
		context->functions->log(context, event);
}

static inline void tl_context_log_at(struct tl_context *context, unsigned level, char type,
				     const char *name, uint64_t time)
{
	struct tl_context_event event = {name, type, level, 0, 0, time, 0, 0, NULL};

	tl_context_log_event(context, &event);
}

static inline void tl_context_log(struct tl_context *context, unsigned level, char type,
				  const char *name)
{
	tl_context_log_at(context, level, type, name, 0);
}

/* A complete event, of the calling thread, from `start` until now. */
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
 * What the calling thread's lane, or another one, is called in the context's dump. The last name
 * counts. In the process's trace threads have the kernel's names.
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
 * A lane of its own, for a device say: its number for tl_context_event.lane. 0: memory is short, or
 * the context is NULL.
 */
static inline uint32_t tl_context_lane(struct tl_context *context, const char *name)
{
	return context ? context->functions->lane(context, name) : 0;
}

/* ---- What a context has */

/*
 * Calls back with each event in the order of logging. Returns what the last call returned, 0 where
 * there was none.
 */
static inline int tl_context_each(struct tl_context *context, tl_context_visit visit, void *user)
{
	return context ? context->functions->each(context, visit, user) : 0;
}

static inline size_t tl_context_count(struct tl_context *context)
{
	return context ? context->functions->count(context, NULL, NULL) : 0;
}

/* Bytes that its events take. */
static inline size_t tl_context_bytes(struct tl_context *context)
{
	size_t bytes = 0;

	if (context)
		context->functions->count(context, &bytes, NULL);
	return bytes;
}

/* Events that memory was too short for. */
static inline size_t tl_context_lost(struct tl_context *context)
{
	size_t lost = 0;

	if (context)
		context->functions->count(context, NULL, &lost);
	return lost;
}

/*
 * Add the events and lane names of another, whatever the levels; a lane that has a name keeps it.
 * They are not put into the process's trace again. 0, or -1 where memory is short: then nothing was
 * added.
 */
static inline int tl_context_copy(struct tl_context *into, struct tl_context *from)
{
	return into && from ? into->functions->add(into, from) : 0;
}

static inline void tl_context_clear(struct tl_context *context)
{
	if (context)
		context->functions->clear(context);
}

/* The same, and the other has none any more. A context is not merged into itself. */
static inline int tl_context_merge(struct tl_context *into, struct tl_context *from)
{
	int result = into == from ? 0 : tl_context_copy(into, from);

	if (!result && into && into != from)
		tl_context_clear(from);
	return result;
}

/*
 * Write a Chrome trace JSON file: the events by their time, of two at the same time the longer
 * first. `process` is what the process is called, NULL: its program. It says how many bytes of
 * events there are for each millisecond of work on lanes made by tl_context_lane (1 to 2 KiB is a
 * good measure). 0; -1 where the file can't be written, and errno says why.
 */
static inline int tl_context_dump(struct tl_context *context, const char *path, const char *process)
{
	return context ? context->functions->dump(context, path, process) : 0;
}

/* ---- Requests */

/*
 * Events of the context are marked with this request from now on; 0: with none. Returns the one
 * before.
 */
static inline uint32_t tl_context_set_request(struct tl_context *context, uint32_t id)
{
	return context ? context->functions->request(context, id) : 0;
}

static inline uint32_t tl_context_request(const struct tl_context *context)
{
	return context ? __atomic_load_n(&context->request, __ATOMIC_RELAXED) : 0;
}

/*
 * The calling thread works on the context's request until it leaves. Meanwhile its driver calls,
 * and the work that they give to devices, are marked with the request's number, and recorded only
 * if their level is among the context's (as both are now). What the process does not record
 * (TRACELAYER_LEVEL) a context does not bring; tools see all calls. If the level has REQUEST, a
 * slice called "request" is logged when it leaves.
 *
 * A thread that a request is handed to enters for itself, and leaves when it is done. Requests
 * nest: the innermost counts. Leaving a context that was entered further out ends those within it;
 * leaving one that was not entered does nothing; a thread's end ends all.
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

/* The context that the calling thread has entered, to be handed to another thread. NULL: none. */
static inline struct tl_context *tl_context_entered(void)
{
	const struct tl_contexts *here = tl_contexts_find();

	return here->entered ? here->entered() : NULL;
}

/* ---- Scopes */

/* A complete event that is logged when its block is left, or ended before that. */
struct tl_trace_scope {
	/* NULL: ended, or nothing to log; then the rest is undefined */
	struct tl_context *context;
	unsigned level;
	const char *name; /* must outlive the scope */
	uint64_t start;
	size_t nargs;
	struct tl_context_arg args[8];
};

/*
 * What the macros make of a context, in two steps: the name is looked at only where it is needed.
 */
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

/* The same as the macros, for who keeps a scope in a place of his own. */
static inline struct tl_trace_scope tl_trace_scope_begin(struct tl_context *context, unsigned level,
							 const char *name)
{
	struct tl_trace_scope scope = tl_trace_scope_of(context);

	if (context && tl_trace_scope_wants(&scope, level))
		tl_trace_scope_start(&scope, name);
	return scope;
}

/* Logs it; does nothing the second time. */
static inline void tl_trace_scope_end(struct tl_trace_scope *scope)
{
	if (scope->context)
		tl_trace_scope_log(scope);
}

/*
 * Both texts must outlive the scope. Of a key that is given twice the last value counts; more than
 * 8 are left out.
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
 * ---- Macros. The context may be NULL, and may be any expression; where nothing is logged, names
 * and times are not evaluated.
 */

/* Statements, also in an unbraced if. */
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
 * From here to the end of the block, on whatever way it is left: by an exception, too, and (C with
 * -fexceptions) when the thread is cancelled. A declaration, so no block has two of them, and C
 * takes none as the whole of an if; the named form, of which a block may have several, can be given
 * arguments.
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

/*
 * The calling thread works on the context's request, up to the end of the block in the same way
 * (tl_context_enter).
 */
#define TL_TRACE_REQUEST_SCOPE(context)                                                            \
	struct tl_context *tl_trace_request_here                                                   \
		__attribute__((cleanup(tl_trace_request_end), unused)) =                           \
			tl_trace_request_begin(context)

/* ---- Events that a device, or a kernel of the program, noted the times of */

/*
 * A device's clock in terms of the host's: a straight line through two or more markers (device time
 * and host time of the same instant, the earlier ones first), or, from one marker, as fast as
 * `ns_per_tick` says. 0; -1 where the markers say nothing: none, or device times that don't grow.
 */
struct tl_marker {
	uint64_t device; /* ticks */
	uint64_t host;	 /* nanoseconds of CLOCK_MONOTONIC */
};

struct tl_device_clock {
	uint64_t device, host; /* a point of the line */
	double slope;	       /* nanoseconds for a tick */
	unsigned bits;	       /* that the device's clock has */
};

/* From one device time to another, by the shorter way around. */
static inline int64_t tl_device_clock_between(const struct tl_device_clock *clock, uint64_t from,
					      uint64_t to)
{
	unsigned unused = 64 - clock->bits;

	return (int64_t)((to - from) << unused) >> unused;
}

/*
 * For a clock of so many bits (1 to 64), which wraps. From each marker to the next, and between a
 * time and the middle of the markers, there may be half of the clock's range.
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

static inline int tl_device_clock_fit(struct tl_device_clock *clock,
				      const struct tl_marker *markers, size_t count,
				      double ns_per_tick)
{
	return tl_device_clock_fit_wrapping(clock, markers, count, ns_per_tick, 64);
}

/* The host's time of a device time. */
static inline uint64_t tl_device_clock_host(const struct tl_device_clock *clock, uint64_t device)
{
	return clock->host +
	       (uint64_t)(int64_t)((double)tl_device_clock_between(clock, clock->device, device) *
				   clock->slope);
}

/*
 * An event of which a device noted the time, or times, in an array: B, E, I at [first]; X from
 * [first] to [last].
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
 * After the run: log the events that the times make, on a lane (0: the calling thread's). `clock`
 * turns the times into the host's; NULL: that's what they are. Slots whose time is 0 (not reached),
 * or beyond the array, are left out. Returns how many were logged.
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
