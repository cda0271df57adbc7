/* SPDX-License-Identifier: MIT */
/*
 * bench_speed.c: what a dispatcher's operations cost, through a table of its functions that is
 * filled with dlsym, as proxies have it.
 *
 * The work is that of the original's benchmark: test 1 takes the operations one by one, test 2
 * makes trace points and visits them, as an instrumented program does. A visit is what the
 * original's scoped notification does: ask if tracing is on, find the stream by its name, notify.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"
#include "xpti/bench/xpti_bench.h"
#include "xpti/table.h"

#define STREAM "tracelayer.bench"

enum { TYPE = xpti_trace_region_begin };

/* What can be done again is done at least so often. */
enum { LEAST = 1000000, PROBES = 100000 };

struct bench {
	const struct bench_work *work;
	struct bench_team *team;
	uint8_t stream;
	char **names;	     /* those to insert */
	xpti_string_id *ids; /* of work->inserted */
	xpti_event **events; /* by number of the point */
	uint64_t *uids;
};

/* ---- callbacks that do nothing, each at an address of its own ---- */

#define CALLBACK(n)                                                                                \
	static void callback_##n(uint16_t type, xpti_event *parent, xpti_event *object,            \
				 uint64_t instance, const void *user_data)                         \
	{                                                                                          \
		__asm__ volatile("" : : "i"(n));                                                   \
	}
CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
static const xpti_callback callbacks[] = {callback_0, callback_1, callback_2, callback_3};

/* ---- the parts ---- */

static void insert(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	char *text;

	for (uint32_t i = from; i < to; i++)
		bench->ids[i] = xptiRegisterString(bench->names[i], &text);
}

static void lookup(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiLookupString(bench->ids[order[i]]);
}

static void lookup_twice(void *bench, uint32_t from, uint32_t to)
{
	lookup(bench, from, to);
	lookup(bench, from, to);
}

static xpti_event *create_one(struct bench *bench, uint32_t i)
{
	xpti_payload payload = XPTI_PAYLOAD(bench->work->functions[i], "foo.cpp", i, i % 80);
	uint64_t instance;

	return xptiMakeEvent(payload.name, &payload, xpti_event_algorithm, xpti_activity_active,
			     &instance);
}

static void create(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;

	for (uint32_t i = from; i < to; i++) {
		xpti_event *event = create_one(bench, i);
		bench->events[i] = event;
		bench->uids[i] = event ? event->unique_id : 0;
	}
}

static void recreate(void *bench, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		create_one(bench, i);
}

static void find(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiFindEvent(bench->uids[order[i]]);
}

static void notify(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiNotifySubscribers(bench->stream, TYPE, NULL, bench->events[order[i]], i, NULL);
}

static void visit(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++) {
		uint8_t stream = xptiTraceEnabled() ? xptiRegisterStream(STREAM) : 0;
		xptiNotifySubscribers(stream, TYPE, NULL, bench->events[order[i]], i, NULL);
	}
}

/* ---- the probe: an indirect call and a compare-and-swap that nobody else tries ---- */

static void nothing(uint64_t i)
{
	__asm__ volatile("" : : "r"(i));
}

static void call_and_swap(void *unused, uint32_t from, uint32_t to)
{
	static void (*volatile call)(uint64_t) = nothing;
	static _Alignas(64) _Atomic uint64_t word;
	uint64_t seen = atomic_load_explicit(&word, memory_order_relaxed);

	for (uint32_t i = from; i < to; i++) {
		call(i);
		atomic_compare_exchange_strong_explicit(&word, &seen, seen + 1,
							memory_order_relaxed, memory_order_relaxed);
		seen++;
	}
}

static double probe(void)
{
	struct bench_team *alone = bench_team_make(0);
	double best = 0;

	for (int i = 0; i < 5; i++) {
		double ns = bench_team_do(alone, call_and_swap, NULL, PROBES);
		if (!best || ns < best)
			best = ns;
	}
	free(alone);
	return best / PROBES;
}

/* ---- the tests ---- */

/* How long one of `count` takes. */
static double once(struct bench *bench, bench_part *part, uint32_t count)
{
	return bench_team_do(bench->team, part, bench, count) / count;
}

/*
 * The same of what can be done again: the best of several times, each of them short, so that one is
 * had between whatever else the machine does.
 */
static double repeatedly(struct bench *bench, bench_part *part)
{
	double best = 0;

	for (uint32_t done = 0; done < LEAST; done += bench->work->visits) {
		double ns = once(bench, part, bench->work->visits);
		if (!best || ns < best)
			best = ns;
	}
	return best;
}

static void listen(struct bench *bench, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		xptiRegisterCallback(bench->stream, TYPE, callbacks[i]);
}

static void stop_listening(struct bench *bench, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		xptiUnregisterCallback(bench->stream, TYPE, callbacks[i]);
}

static double notify_with(struct bench *bench, unsigned count)
{
	listen(bench, count);
	double ns = repeatedly(bench, notify);
	stop_listening(bench, count);
	return ns;
}

static void structures(struct bench *bench, double *ns)
{
	uint32_t points = bench->work->points;

	xptiForceSetTraceEnabled(false);
	bench->names = bench->work->inserted;
	ns[BENCH_INSERT] = once(bench, insert, points);
	ns[BENCH_LOOKUP] = repeatedly(bench, lookup);
	bench->names = bench->work->inserted_later;
	ns[BENCH_INSERT_LOOKUP] =
		(once(bench, insert, points) + once(bench, lookup_twice, points)) / 3;
	ns[BENCH_CREATE] = once(bench, create, points);
	ns[BENCH_RECREATE] = once(bench, recreate, points);
	ns[BENCH_FIND] = repeatedly(bench, find);
	listen(bench, 1);
	ns[BENCH_NOTIFY_OFF] = repeatedly(bench, visit);
	stop_listening(bench, 1);
	xptiForceSetTraceEnabled(true);
	ns[BENCH_NOTIFY_1] = notify_with(bench, 1);
	ns[BENCH_NOTIFY_4] = notify_with(bench, 4);
}

/* A visit is two events, a begin and an end. */
static double composite(struct bench *bench, bool on)
{
	uint32_t points = bench->work->points, visits = bench->work->visits;

	xptiReset();
	xptiForceSetTraceEnabled(on);
	bench->stream = xptiRegisterStream(STREAM);
	listen(bench, 1);
	double all = once(bench, create, points) * points + once(bench, visit, visits) * visits;
	stop_listening(bench, 1);
	return all / (2.0 * visits);
}

const char *bench_speed(const struct bench_plan *plan, struct bench_times *times)
{
	struct bench_work work;
	const char *why = xpti_table_load(plan->dispatcher);

	if (why)
		return why;
	bench_work_make(&work, plan->points, plan->visits);
	struct bench bench = {.work = &work,
			      .team = bench_team_make(plan->threads),
			      .stream = xptiRegisterStream(STREAM),
			      .ids = calloc(plan->points, sizeof(*bench.ids)),
			      .events = calloc(plan->points, sizeof(*bench.events)),
			      .uids = calloc(plan->points, sizeof(*bench.uids))};
	if (!bench.ids || !bench.events || !bench.uids)
		return "out of memory";
	times->ns[BENCH_PROBE] = probe();
	if (plan->tests[1])
		structures(&bench, times->ns);
	if (plan->tests[2]) {
		times->ns[BENCH_COMPOSITE_OFF] = composite(&bench, false);
		times->ns[BENCH_COMPOSITE_ON] = composite(&bench, true);
	}
	return NULL;
}
