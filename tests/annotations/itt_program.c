/* SPDX-License-Identifier: MIT */
/*
 * itt_program.c COLLECTOR: a program that has a table of ITT's functions, as the part of ITT that is
 * linked into programs has it. It loads the collector as that part does, and calls what has no
 * interface in Python: markers, metadata, counters, regions, frames.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/annotations/itt_client.h"

typedef struct itt_counter *counter_t;

static void (*task_begin_fn)(domain_t, struct itt_id, struct itt_id, void *);
static void (*frame_submit)(domain_t, struct itt_id *, unsigned long long, unsigned long long);
static unsigned long long (*get_timestamp)(void);
static void (*metadata_str_add)(domain_t, struct itt_id, string_t, const char *, size_t);
static void (*formatted_metadata_add)(domain_t, string_t, ...);
static counter_t (*counter_create)(const char *, const char *);
static counter_t (*counter_create_typed)(const char *, const char *, int);
static void (*counter_set_value)(counter_t, void *);
static void (*counter_inc_delta)(counter_t, unsigned long long);
static void (*counter_dec)(counter_t);
static void (*counter_inc_v3)(domain_t, string_t);
static void (*sync_prepare)(void *);

static struct itt_function functions[] = {
	COMMON_ROWS,
	ROW("task_begin_fn", task_begin_fn),
	ROW("frame_submit_v3", frame_submit),
	ROW("get_timestamp", get_timestamp),
	ROW("metadata_str_add", metadata_str_add),
	ROW("formatted_metadata_add", formatted_metadata_add),
	ROW("counter_create", counter_create),
	ROW("counter_create_typed", counter_create_typed),
	ROW("counter_set_value", counter_set_value),
	ROW("counter_inc_delta", counter_inc_delta),
	ROW("counter_dec", counter_dec),
	ROW("counter_inc_v3", counter_inc_v3),
	ROW("sync_prepare", sync_prepare),
	{0},
};

static const struct itt_id none, one = {{1, 0, 0}}, two = {{2, 0, 5}};
static domain_t solver;

static void tasks(void)
{
	unsigned long long many[] = {1, 2, 18446744073709551615ull};
	short negative = -7;
	float half = 0.5f;

	task_begin(solver, one, none, string_create("outer"));
	metadata_str_add(solver, none, string_create("file"), "a.txtXXX", 5);
	task_begin(solver, two, one, string_create("inner"));
	metadata_add(solver, one, string_create("many"), ITT_U64, 3, many);
	metadata_add(solver, none, string_create("negative"), ITT_S16, 1, &negative);
	formatted_metadata_add(solver, string_create("%d of %s"), 3, "four");
	task_end(solver);
	task_end(solver);
	task_end(solver);
	metadata_add(solver, one, string_create("late"), ITT_FLOAT, 1, &half);
	task_begin_fn(solver, none, none, (void *)0x1234);
	task_end(solver);
}

static void ranges(void)
{
	domain_t frames = domain_create("frames");
	unsigned long long begin;

	region_begin(solver, one, none, string_create("region"));
	region_begin(solver, two, none, string_create("crosses"));
	region_end(solver, one);
	region_end(solver, two);
	region_end(solver, two);
	frame_begin(frames, NULL);
	frame_end(frames, NULL);
	begin = get_timestamp();
	frame_submit(frames, NULL, begin, (unsigned long long)-1);
	frame_submit(frames, NULL, begin + 1000000000000ull, begin);
	marker(solver, none, string_create("mark"), 1);
}

static void counters(void)
{
	counter_t whole = counter_create("bytes", "net"),
		  real = counter_create_typed("load", "cpu", ITT_DOUBLE);
	unsigned long long value = 40;
	double load = 0.75;

	counter_set_value(whole, &value);
	counter_inc_delta(whole, 5);
	counter_dec(whole);
	counter_set_value(real, &load);
	counter_inc_v3(solver, string_create("steps"));
	counter_inc_v3(solver, string_create("steps"));
	if (counter_create("bytes", "net") != whole ||
	    string_create("steps") != string_create("steps") || domain_create("solver") != solver)
		printf("another handle for the same name\n");
}

int main(int argc, char **argv)
{
	collector_load(argv[argc - 1], functions);
	if ((void *)domain_create == (void *)nothing) {
		printf("no collector\n");
		return 0;
	}
	if ((void *)sync_prepare != (void *)nothing)
		printf("a function that the collector lacks has changed\n");
	solver = domain_create("solver");
	if (!solver->enabled)
		printf("the domain is off\n");
	tasks();
	ranges();
	counters();
	task_begin(solver, none, none, string_create("left open"));
	fflush(stdout);
	if (!fork()) {
		task_end(solver);
		task_begin(solver, none, none, string_create("inner"));
		task_end(solver);
		return 0;
	}
	wait(NULL);
	return 0;
}
