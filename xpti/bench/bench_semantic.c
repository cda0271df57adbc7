/* SPDX-License-Identifier: MIT */
/*
 * bench_semantic.c: checks that a dispatcher does what the document says, with all threads at once:
 * strings, trace points, notifications.
 *
 * The checks ask only for what all generations of the framework have in common. They differ, for
 * example, in whether the same payload gives the same event or a new one.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/xpti.h"
#include "xpti/bench/bench_plan.h"
#include "xpti/bench/bench_work.h"
#include "xpti/table.h"

#define STREAM "tracelayer.bench"

enum { TYPE = xpti_trace_region_begin };

struct check {
	const struct bench_work *work;
	unsigned threads; /* that do everything, each; at least 1 */
	uint8_t stream;
	struct bench_verdict *verdict;
	_Atomic(const char *) *texts; /* the table's, of each string */
	_Atomic xpti_string_id *ids;
	xpti_event **events;
	_Atomic uint32_t *calls; /* of each event's callback */
	bool on;		 /* callbacks may be called */
};

static void check_equal(struct check *check, bool holds, const char *what)
{
	struct bench_verdict *verdict = check->verdict;

	/* The struct has no _Atomic members, so that it can go through a pipe. */
	__atomic_fetch_add(&verdict->checked, 1, __ATOMIC_RELAXED);
	if (!holds && !__atomic_fetch_add(&verdict->wrong, 1, __ATOMIC_RELAXED))
		snprintf(verdict->first, sizeof(verdict->first), "%s", what);
}

/* Each thread does the whole part. */
static void check_by_all(struct check *check, struct bench_team *team, bench_part *part)
{
	bench_team_do(team, part, check, check->threads);
}

/* ---- 1: strings ---- */

/* All threads register all strings; all must get the id and text that the first one got. */
static void strings_register(void *check_, uint32_t from, uint32_t to)
{
	struct check *check = check_;

	for (uint32_t i = 0; i < BENCH_STRINGS; i++) {
		uint32_t at = (i + from * 37) % BENCH_STRINGS;
		char *text = NULL;
		xpti_string_id id = xptiRegisterString(check->work->inserted[at], &text), first = 0;
		check_equal(check,
			    id != XPTI_INVALID_STRING && text &&
				    strcmp(text, check->work->inserted[at]) == 0,
			    "a string has a wrong text");
		const char *none = NULL;
		check_equal(check,
			    atomic_compare_exchange_strong(&check->ids[at], &first, id) ||
				    first == id,
			    "a string has two ids");
		check_equal(check,
			    atomic_compare_exchange_strong(&check->texts[at], &none, text) ||
				    none == text,
			    "a string has two texts");
		check_equal(check, xptiLookupString(id) == text,
			    "an id has another text than registering returned");
	}
}

static int id_compare(const void *a, const void *b)
{
	return *(const xpti_string_id *)a < *(const xpti_string_id *)b
		       ? -1
		       : *(const xpti_string_id *)a > *(const xpti_string_id *)b;
}

static void check_strings(struct check *check, struct bench_team *team)
{
	xpti_string_id ids[BENCH_STRINGS];

	check_by_all(check, team, strings_register);
	for (uint32_t i = 0; i < BENCH_STRINGS; i++)
		ids[i] = check->ids[i];
	qsort(ids, BENCH_STRINGS, sizeof(ids[0]), id_compare);
	for (uint32_t i = 1; i < BENCH_STRINGS; i++)
		check_equal(check, ids[i - 1] != ids[i], "two strings have one id");
	check_equal(check, !xptiLookupString(XPTI_INVALID_STRING), "the invalid id has a text");
}

/* ---- 2: trace points ---- */

static xpti_event *event_make(struct check *check, uint32_t i, uint64_t *instance)
{
	xpti_payload payload = XPTI_PAYLOAD(check->work->functions[i], "foo.cpp", i, i % 80);

	return xptiMakeEvent(payload.name, &payload, xpti_event_algorithm, xpti_activity_active,
			     instance);
}

static bool event_is_of(const struct check *check, xpti_event *event, uint32_t i)
{
	const xpti_payload *payload = xptiQueryPayload(event);

	return payload && payload->name && strcmp(payload->name, check->work->functions[i]) == 0 &&
	       payload->source_file && strcmp(payload->source_file, "foo.cpp") == 0 &&
	       payload->line_no == i;
}

static void points_make(void *check_, uint32_t from, uint32_t to)
{
	struct check *check = check_;

	for (uint32_t i = 0; i < check->work->points; i++) {
		uint64_t first = 0, second = 0;
		xpti_event *event = event_make(check, i, &first),
			   *again = event_make(check, i, &second);
		check_equal(check, event && again, "xptiMakeEvent makes no event");
		if (!event || !again)
			return;
		check_equal(check, event_is_of(check, event, i) && event_is_of(check, again, i),
			    "an event has a wrong payload");
		check_equal(check, xptiFindEvent(event->unique_id) == event,
			    "an event is not found by its id");
		check_equal(check, first && second > first, "instances are not counted up");
		check_equal(check, xptiQueryMetadata(event) == &event->metadata,
			    "an event has the metadata of another");
		if (from == 0)
			check->events[i] = event;
	}
}

static void check_points(struct check *check, struct bench_team *team)
{
	check_by_all(check, team, points_make);
	check_equal(check, !xptiFindEvent(0), "there is an event without an id");
}

/* ---- 3: notifications ---- */

static void count_call(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		       const void *user_data)
{
	struct check *check = (struct check *)user_data;

	check_equal(check,
		    check->on && type == TYPE && !parent && object == check->events[instance],
		    "a callback gets wrong arguments");
	atomic_fetch_add(&check->calls[instance], 1);
}

static void notify_all(void *check_, uint32_t from, uint32_t to)
{
	struct check *check = check_;

	for (uint32_t i = 0; i < check->work->visits; i++) {
		uint32_t at = check->work->order[i];
		xpti_result result = xptiNotifySubscribers(check->stream, TYPE, NULL,
							   check->events[at], at, check);
		check_equal(check, result == (check->on ? XPTI_RESULT_SUCCESS : XPTI_RESULT_FALSE),
			    "a notification returns a wrong result");
	}
}

/* Expect as many calls of each event's callback as all threads made visits to it, times `times`. */
static void check_calls(struct check *check, uint32_t times)
{
	uint32_t *visits = calloc(check->work->points, sizeof(*visits));

	for (uint32_t i = 0; visits && i < check->work->visits; i++)
		visits[check->work->order[i]]++;
	for (uint32_t i = 0; i < check->work->points; i++)
		check_equal(check, visits && check->calls[i] == visits[i] * times * check->threads,
			    "an event's callback is not called once for each visit");
	free(visits);
}

static void check_notifications(struct check *check, struct bench_team *team)
{
	uint64_t instance;

	for (uint32_t i = 0; i < check->work->points; i++)
		if (!check->events[i] && !(check->events[i] = event_make(check, i, &instance)))
			return check_equal(check, false, "xptiMakeEvent makes no event");
	xptiForceSetTraceEnabled(false);
	check_equal(check,
		    xptiRegisterCallback(check->stream, TYPE, count_call) == XPTI_RESULT_SUCCESS,
		    "a callback can't be registered");
	check_by_all(check, team, notify_all);
	check_calls(check, 0);
	xptiForceSetTraceEnabled(true);
	check->on = true;
	check_by_all(check, team, notify_all);
	check_calls(check, 1);
	check_equal(check, xptiCheckTraceEnabled(check->stream, TYPE),
		    "xptiCheckTraceEnabled denies that there is a callback");
	check_equal(check,
		    xptiUnregisterCallback(check->stream, TYPE, count_call) == XPTI_RESULT_SUCCESS,
		    "a callback can't be unregistered");
	check_by_all(check, team, notify_all);
	check_calls(check, 1);
}

const char *bench_semantic(const struct bench_plan *plan, struct bench_verdicts *verdicts)
{
	struct bench_work work;
	const char *why = xpti_table_load(plan->dispatcher);

	if (why)
		return why;
	bench_work_make(&work, plan->points, plan->visits);
	struct bench_team *team = bench_team_make(plan->threads);
	struct check check = {.work = &work,
			      .threads = plan->threads ? plan->threads : 1,
			      .stream = xptiRegisterStream(STREAM),
			      .texts = calloc(BENCH_STRINGS, sizeof(*check.texts)),
			      .ids = calloc(BENCH_STRINGS, sizeof(*check.ids)),
			      .events = calloc(plan->points, sizeof(*check.events)),
			      .calls = calloc(plan->points, sizeof(*check.calls))};
	if (!check.texts || !check.ids || !check.events || !check.calls)
		return "out of memory";
	static void (*const checks[])(struct check *, struct bench_team *) = {
		NULL, check_strings, check_points, check_notifications};
	for (int test = 1; test <= BENCH_TESTS; test++)
		if (plan->tests[test]) {
			check.verdict = &verdicts->tests[test];
			checks[test](&check, team);
		}
	return NULL;
}
