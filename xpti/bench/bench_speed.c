/* SPDX-License-Identifier: MIT */
/*
 * bench_speed.c: what the operations of a dispatcher cost. They are called through a table of
 * functions that dlsym fills, as proxies do.
 *
 * The work is that of the original's benchmark. Test 1 measures the operations one by one. Test 2
 * makes trace points and visits them, as an instrumented program does. A visit does what the
 * original's scoped notification does: it asks whether tracing is on, finds the stream by its name,
 * and notifies.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"
#include "xpti/bench/bench_plan.h"
#include "xpti/bench/bench_work.h"
#include "xpti/table.h"

#define STREAM "tracelayer.bench"

enum { TYPE = xpti_trace_region_begin };

/* Operations that can be repeated are done at least this often. */
enum { LEAST = 1000000, PROBES = 100000 };

struct bench {
	const struct bench_work *work;
	struct bench_team *team;
	uint8_t stream;
	char **names;	     /* the names to insert */
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

static void part_insert(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	char *text;

	for (uint32_t i = from; i < to; i++)
		bench->ids[i] = xptiRegisterString(bench->names[i], &text);
}

static void part_lookup(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiLookupString(bench->ids[order[i]]);
}

static void part_lookup_twice(void *bench, uint32_t from, uint32_t to)
{
	part_lookup(bench, from, to);
	part_lookup(bench, from, to);
}

static xpti_event *event_create(struct bench *bench, uint32_t i)
{
	xpti_payload payload = XPTI_PAYLOAD(bench->work->functions[i], "foo.cpp", i, i % 80);
	uint64_t instance;

	return xptiMakeEvent(payload.name, &payload, xpti_event_algorithm, xpti_activity_active,
			     &instance);
}

static void part_create(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;

	for (uint32_t i = from; i < to; i++) {
		xpti_event *event = event_create(bench, i);
		bench->events[i] = event;
		bench->uids[i] = event ? event->unique_id : 0;
	}
}

static void part_recreate(void *bench, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		event_create(bench, i);
}

static void part_find(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiFindEvent(bench->uids[order[i]]);
}

static void part_notify(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++)
		xptiNotifySubscribers(bench->stream, TYPE, NULL, bench->events[order[i]], i, NULL);
}

static void part_visit(void *bench_, uint32_t from, uint32_t to)
{
	struct bench *bench = bench_;
	const uint32_t *order = bench->work->order;

	for (uint32_t i = from; i < to; i++) {
		uint8_t stream = xptiTraceEnabled() ? xptiRegisterStream(STREAM) : 0;
		xptiNotifySubscribers(stream, TYPE, NULL, bench->events[order[i]], i, NULL);
	}
}

/* ---- the probe: an indirect call and an uncontended compare-and-swap ---- */

static void part_nothing(uint64_t i)
{
	__asm__ volatile("" : : "r"(i));
}

static void call_and_swap(void *unused, uint32_t from, uint32_t to)
{
	static void (*volatile call)(uint64_t) = part_nothing;
	static _Alignas(64) _Atomic uint64_t word;
	uint64_t seen = atomic_load_explicit(&word, memory_order_relaxed);

	for (uint32_t i = from; i < to; i++) {
		call(i);
		atomic_compare_exchange_strong_explicit(&word, &seen, seen + 1,
							memory_order_relaxed, memory_order_relaxed);
		seen++;
	}
}

static double measure_probe(void)
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

/* The nanoseconds of one operation of `count`. */
static double measure_once(struct bench *bench, bench_part *part, uint32_t count)
{
	return bench_team_do(bench->team, part, bench, count) / count;
}

/*
 * The same for an operation that can be repeated: the best of several short runs, so that at least
 * one run is not disturbed by other work of the machine.
 */
static double measure_repeatedly(struct bench *bench, bench_part *part)
{
	double best = 0;

	for (uint32_t done = 0; done < LEAST; done += bench->work->visits) {
		double ns = measure_once(bench, part, bench->work->visits);
		if (!best || ns < best)
			best = ns;
	}
	return best;
}

static void callbacks_register(struct bench *bench, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		xptiRegisterCallback(bench->stream, TYPE, callbacks[i]);
}

static void callbacks_unregister(struct bench *bench, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		xptiUnregisterCallback(bench->stream, TYPE, callbacks[i]);
}

static double notify_with(struct bench *bench, unsigned count)
{
	callbacks_register(bench, count);
	double ns = measure_repeatedly(bench, part_notify);
	callbacks_unregister(bench, count);
	return ns;
}

static void test_operations(struct bench *bench, double *ns)
{
	uint32_t points = bench->work->points;

	xptiForceSetTraceEnabled(false);
	bench->names = bench->work->inserted;
	ns[BENCH_INSERT] = measure_once(bench, part_insert, points);
	ns[BENCH_LOOKUP] = measure_repeatedly(bench, part_lookup);
	bench->names = bench->work->inserted_later;
	ns[BENCH_INSERT_LOOKUP] = (measure_once(bench, part_insert, points) +
				   measure_once(bench, part_lookup_twice, points)) /
				  3;
	ns[BENCH_CREATE] = measure_once(bench, part_create, points);
	ns[BENCH_RECREATE] = measure_once(bench, part_recreate, points);
	ns[BENCH_FIND] = measure_repeatedly(bench, part_find);
	callbacks_register(bench, 1);
	ns[BENCH_NOTIFY_OFF] = measure_repeatedly(bench, part_visit);
	callbacks_unregister(bench, 1);
	xptiForceSetTraceEnabled(true);
	ns[BENCH_NOTIFY_1] = notify_with(bench, 1);
	ns[BENCH_NOTIFY_4] = notify_with(bench, 4);
}

/* A visit is two events, a begin and an end. */
static double test_composite(struct bench *bench, bool on)
{
	uint32_t points = bench->work->points, visits = bench->work->visits;

	xptiReset();
	xptiForceSetTraceEnabled(on);
	bench->stream = xptiRegisterStream(STREAM);
	callbacks_register(bench, 1);
	double all = measure_once(bench, part_create, points) * points +
		     measure_once(bench, part_visit, visits) * visits;
	callbacks_unregister(bench, 1);
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
	times->ns[BENCH_PROBE] = measure_probe();
	if (plan->tests[1])
		test_operations(&bench, times->ns);
	if (plan->tests[2]) {
		times->ns[BENCH_COMPOSITE_OFF] = test_composite(&bench, false);
		times->ns[BENCH_COMPOSITE_ON] = test_composite(&bench, true);
	}
	return NULL;
}
