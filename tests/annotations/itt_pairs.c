/* SPDX-License-Identifier: MIT */
/*
 * itt_pairs.c COLLECTOR WHAT: a program that tells ITT what is paired in more than one way: events of
 * two threads, starts without ends, ranges that begin while collection is paused, keys that come
 * twice. `open`: 1100 regions at once. `types`: more types of events than there is room for. `same`: two
 * threads make the same events, strings, domains and counters at once.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/annotations/itt_client.h"

static void (*overlapped_begin)(domain_t, struct itt_id, struct itt_id, string_t);
static void (*overlapped_end)(domain_t, struct itt_id);
static int (*event_create)(const char *, int);
static int (*event_start)(int);
static int (*event_end)(int);
static void (*metadata_add_with_scope)(domain_t, int, string_t, int, size_t, void *);
static void (*metadata_str_add_with_scope)(domain_t, int, string_t, const char *, size_t);
static void (*formatted_overlapped)(domain_t, struct itt_id, string_t, ...);
static void *(*counter_create)(const char *, const char *);
static void (*pause_all)(void), (*resume_all)(void);
static void (*pause_scoped)(int), (*resume_scoped)(int);

static struct itt_function functions[] = {
	COMMON_ROWS,
	ROW("task_begin_overlapped", overlapped_begin),
	ROW("task_end_overlapped", overlapped_end),
	ROW("event_create", event_create),
	ROW("event_start", event_start),
	ROW("event_end", event_end),
	ROW("metadata_add_with_scope", metadata_add_with_scope),
	ROW("metadata_str_add_with_scope", metadata_str_add_with_scope),
	ROW("formatted_metadata_add_overlapped", formatted_overlapped),
	ROW("counter_create", counter_create),
	ROW("pause", pause_all),
	ROW("resume", resume_all),
	ROW("pause_scoped", pause_scoped),
	ROW("resume_scoped", resume_scoped),
	{0},
};

static const struct itt_id none, one = {{1, 0, 0}};
static domain_t solver;
static pthread_barrier_t step;

static void mark(const char *name)
{
	marker(solver, none, string_create(name), 0);
}

/* This thread and the other start and end by turns. */
static void *other_thread(void *unused)
{
	int work = event_create("work", 4), tick = event_create("tick", 4);

	(void)unused;
	pthread_barrier_wait(&step);
	event_start(work);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	event_end(work);
	for (int i = 0; i < 3; i++)
		event_start(tick);
	return NULL;
}

static void events(void)
{
	int work = event_create("work", 4), nest = event_create("nest", 4),
	    often = event_create("often", 5);
	pthread_t thread;

	pthread_barrier_init(&step, NULL, 2);
	pthread_create(&thread, NULL, other_thread, NULL);
	event_start(work);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	event_end(work);
	mark("first work over");
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
	event_start(nest);
	event_start(nest);
	event_end(nest);
	event_end(nest);
	event_end(nest);
	for (int i = 0; i < 5000; i++)
		event_start(often);
}

static void pauses(void)
{
	int paused = event_create("paused", 6);

	event_start(paused);
	region_begin(solver, one, none, string_create("paused region"));
	pause_all();
	event_start(paused);
	event_end(paused);
	region_begin(solver, one, none, string_create("never"));
	region_end(solver, one);
	event_start(event_create("never", 5));
	resume_all();
	mark("resumed");
	event_end(paused);
	region_end(solver, one);
	pause_scoped(1);
	mark("never");
	resume_scoped(1);
	pause_scoped(2);
	mark("on the host");
	resume_scoped(2);
}

static void frames(void)
{
	domain_t frames = domain_create("frames");

	frame_begin(frames, NULL);
	frame_begin(frames, NULL);
	frame_end(frames, NULL);
	mark("frame over");
	frame_end(frames, NULL);
	domain_t late = domain_create("late frames");
	pause_all();
	frame_begin(late, NULL);
	resume_all();
	mark("late frame begins");
	frame_begin(late, NULL);
	frame_end(late, NULL);
}

static void metadata(void)
{
	double many[] = {1234567.125, 0.1, -1.0 / 0.0};
	float few[] = {0.1f, 16777217.f};
	string_t key = string_create("k");

	task_begin(solver, one, none, string_create("task"));
	metadata_add(solver, none, key, ITT_DOUBLE, 3, many);
	metadata_add(solver, none, key, ITT_FLOAT, 2, few);
	metadata_add_with_scope(solver, ITT_SCOPE_TASK, key, ITT_DOUBLE, 1, many);
	metadata_str_add_with_scope(solver, ITT_SCOPE_TASK, string_create("id"), "own", 0);
	metadata_str_add_with_scope(solver, 3, key, "of the track", 0);
	task_end(solver);
	overlapped_begin(solver, one, none, string_create("overlapped"));
	formatted_overlapped(solver, one, string_create("%d of %s"), 3, "four");
	formatted_overlapped(solver, one, string_create("again"));
	overlapped_end(solver, one);
}

static void many_open(void)
{
	for (unsigned i = 1; i <= 1100; i++)
		region_begin(solver, (struct itt_id){{i, 0, 0}}, none, string_create("many"));
	for (unsigned i = 1; i <= 1100; i++)
		region_end(solver, (struct itt_id){{i, 0, 0}});
}

static void many_types(void)
{
	char name[32];
	int number = 0, types = 0;

	for (int i = 0; i < 65600; i++) {
		int size = snprintf(name, sizeof(name), "type %d", i);
		number = event_create(name, size);
		types += number != 0;
	}
	printf("%d %d %d\n", types, number, event_create("type 1000", 9));
	event_start(65535);
	event_end(65535);
	event_start(65536);
}

/* Two threads make the same at once. */
enum { SAME = 6000, SAME_IN_LISTS = 1500 };
struct same {
	int event;
	string_t string;
	domain_t domain;
	void *counter;
};
static _Atomic int arrived;

static void *make_same(void *all)
{
	struct same *same = all;
	char name[32];

	for (int i = 0; i < SAME; i++) {
		int size = snprintf(name, sizeof(name), "same %d", i);

		arrived++;
		for (int spins = 1; arrived < 2 * (i + 1); spins++)
			if (spins % 100000 == 0)
				sched_yield();
		switch (i % 4) {
		case 0:
			same[i].event = event_create(name, size);
			break;
		case 1:
			same[i].string = string_create(name);
			break;
		case 2:
			same[i].domain = i < SAME_IN_LISTS ? domain_create(name) : solver;
			break;
		default:
			same[i].counter = i < SAME_IN_LISTS ? counter_create(name, "same") : NULL;
		}
	}
	return NULL;
}

static void all_same(void)
{
	static struct same here[SAME], there[SAME];
	int events_differ = 0, strings_differ = 0, domains_differ = 0, counters_differ = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, make_same, there);
	make_same(here);
	pthread_join(thread, NULL);
	for (int i = 0; i < SAME; i++) {
		events_differ += here[i].event != there[i].event;
		strings_differ += here[i].string != there[i].string;
		domains_differ += here[i].domain != there[i].domain;
		counters_differ += here[i].counter != there[i].counter;
	}
	printf("%d %d %d %d\n", events_differ, strings_differ, domains_differ, counters_differ);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	collector_load(argv[1], functions);
	solver = domain_create("solver");
	if (!strcmp(argv[2], "open")) {
		many_open();
	} else if (!strcmp(argv[2], "types")) {
		many_types();
	} else if (!strcmp(argv[2], "same")) {
		all_same();
	} else {
		events();
		pauses();
		frames();
		metadata();
	}
	return 0;
}
