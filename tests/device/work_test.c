/* SPDX-License-Identifier: MIT */
/*
 * work_test.c: made-up commands of made-up devices, and what becomes of them in the trace.
 *
 * The host's clock is made up too, where a test sets it: clock_gettime is defined here.
 */
#include <check.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/device/device_queue.h"
#include "layer/device/work.h"
#include "layer/resolve/recording.h"
#include "layer/buffers/strings.h"
#include "layer/calls/thread.h"
#include "tests/lib/assert_often.h"
#include "tests/lib/core_doubles.h"
#include "tests/lib/encoded.h"
#include "tests/lib/random.h"

#ifndef THREADS
#define THREADS 4u
#endif
#ifndef COMMANDS
#define COMMANDS 5000u
#endif

/* nanoseconds; 0: the real one, which Check wants at the end */
static _Atomic uint64_t set_clock;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!set_clock || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, now);
	now->tv_sec = (time_t)(set_clock / 1000000000);
	now->tv_nsec = (long)(set_clock % 1000000000);
	return 0;
}

/* the next array that grows: it lies elsewhere, and its owner does not know it yet */
static _Atomic bool to_hold, is_held;

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	if (!memory || !to_hold)
		return __real_realloc(memory, size);
	void *moved = malloc(size);
	memcpy(moved, memory,
	       malloc_usable_size(memory) < size ? malloc_usable_size(memory) : size);
	memset(memory, 0xa5, malloc_usable_size(memory));
	for (is_held = true; to_hold;)
		nanosleep(&moment, NULL);
	return moved;
}

static uint64_t dice(uint64_t below)
{
	return next_random() % below;
}

/* With a device that has one queue. */
static struct tl_device_queue *begin_queue(void)
{
	begin();
	return tl_device_queue_new(tl_device_new("toy"), NULL);
}

/* --- what was recorded */

struct put {
	uint32_t tid; /* of its lane, as it is shown */
	char phase;
	uint64_t start, end, flow;
	char name[64];
	uint32_t request;
	uint32_t nargs;
	struct tl_event_arg args[24];
};

static struct put *puts_;
static size_t nputs, room;

static void keep(const struct tl_event_record *event, uint32_t thread)
{
	size_t size;

	if (nputs == room)
		puts_ = realloc(puts_, (room = 2 * room + 1024) * sizeof(*puts_));
	struct put *put = &puts_[nputs++];
	const char *name = tl_string_text(event->name, &size);
	*put = (struct put){.tid = event->flags & TL_EVENT_TID ? event->lane
				   : event->lane	       ? shown_of(NULL, event->lane)
							       : thread,
			    .phase = (char)event->phase,
			    .start = event->start,
			    .end = event->start + event->duration,
			    .flow = event->duration,
			    .request = event->request,
			    .nargs = event->args};
	memcpy(put->name, name, size < 63 ? size : 63);
	memcpy(put->args, event->arg, event->args * sizeof(event->arg[0]));
	assert_often(event->flags & TL_EVENT_NS);
	assert_often_eq(event->level, TL_LEVEL_OPERATOR);
}

static void collect(void)
{
	struct tl_chunk *chunk;

	tl_buffer_flush();
	while ((chunk = tl_buffer_take())) {
		for (const char *at = chunk->begin; at < chunk->end;) {
			const struct tl_event_record *event = (const void *)at;
			if (event->type == TL_RECORD_EVENT)
				keep(event, chunk->producer->shown);
			at += event->size ? 8 * event->size : 8;
		}
		tl_buffer_give_back(chunk);
	}
}

static int by_lane_and_time(const void *left, const void *right)
{
	const struct put *a = left, *b = right;

	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* Slices, sorted by lane and time, come first. */
static size_t slices(void)
{
	size_t n = 0;

	for (size_t i = 0; i < nputs; i++) {
		struct put put = puts_[i];
		if (put.phase != 'X')
			continue;
		puts_[i] = puts_[n];
		puts_[n++] = put;
	}
	qsort(puts_, n, sizeof(*puts_), by_lane_and_time);
	return n;
}

static const struct tl_event_arg *arg_of(const struct put *put, const char *key)
{
	for (uint32_t i = 0; i < put->nargs; i++)
		if (put->args[i].key == tl_string_number(key, strlen(key)))
			return &put->args[i];
	return NULL;
}

static uint64_t number_in(const struct put *put, const char *key)
{
	const struct tl_event_arg *arg = arg_of(put, key);

	assert_often_msg(arg, "no %s", key);
	return arg->value;
}

static void text_in(const struct put *put, const char *key, const char *text)
{
	size_t size;
	const char *found = tl_string_text((uint32_t)number_in(put, key), &size);

	ck_assert_uint_eq(size, strlen(text));
	ck_assert_mem_eq(found, text, size);
}

static void lane_is(uint32_t tid, const char *name)
{
	const struct tl_lane_entry *entry = tl_event_lane_entry(tl_event_lane_shown(tid));
	size_t size;

	ck_assert_ptr_nonnull(entry);
	const char *found = tl_string_text(entry->name, &size);
	ck_assert_msg(size == strlen(name) && !memcmp(found, name, size), "%.*s", (int)size, found);
}

/* --- commands */

/* No calls are known. */
static const struct tl_device_facts some_work = {.name = "work"};

static struct tl_device_work work_at(uint64_t start, uint64_t end)
{
	return (struct tl_device_work){.facts = &some_work,
				       .start = start,
				       .end = end,
				       .submitted = {.start = 1, .end = 2}};
}

static void shuffle(unsigned *order, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned other = (unsigned)dice(i), one = order[i - 1];
		order[i - 1] = order[other];
		order[other] = one;
	}
}

/*
 * Slices of a lane follow each other; where the file's order may not be that of time they don't
 * touch either.
 */
static void lanes_are_in_order(size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (puts_[i].tid == puts_[i - 1].tid)
			assert_often(puts_[i].start >= puts_[i - 1].end);
}

START_TEST(overlapping_commands_go_to_further_lanes_in_whatever_order_they_come)
{
	enum { N = 2000 };
	static struct tl_device_command *commands[N];
	static uint64_t starts[N];
	static unsigned order[N];

	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	for (unsigned i = 0; i < N; i++) {
		set_clock += dice(100);
		starts[i] = set_clock;
		commands[i] = tl_device_submit(queue);
	}
	shuffle(order, N);
	set_clock += 10000;
	for (unsigned i = 0; i < N; i++) {
		struct tl_device_work work =
			work_at(starts[order[i]], starts[order[i]] + dice(500));
		work.queued = order[i];
		work.has = TL_RAW_QUEUED;
		tl_device_done(commands[order[i]], &work);
	}
	collect();
	size_t n = slices();
	ck_assert_uint_eq(n, N);
	lanes_are_in_order(n);
	lane_is(puts_[0].tid, "queue 1, toy");
	unsigned lanes = 1;
	for (size_t i = 1; i < n; i++)
		lanes += puts_[i].tid != puts_[i - 1].tid;
	ck_assert_uint_ge(lanes, 5);
	ck_assert_uint_le(lanes, 18);
	for (size_t i = 0; i < n; i++) {
		uint64_t given = starts[number_in(&puts_[i], "queued")];
		ck_assert(puts_[i].start == given || puts_[i].start == given + 1);
		if (i && puts_[i].tid != puts_[i - 1].tid && puts_[i - 1].tid == puts_[0].tid)
			lane_is(puts_[i].tid, "queue 1 (2), toy");
	}
	set_clock = 0;
}
END_TEST

START_TEST(commands_that_follow_each_other_share_one_lane_and_keep_their_times)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	for (unsigned i = 0; i < 1000; i++) {
		struct tl_device_command *command = tl_device_submit(queue);
		struct tl_device_work work = work_at(set_clock, set_clock + i % 5);
		set_clock += i % 5;
		tl_device_done(command, &work);
	}
	collect();
	size_t n = slices();
	ck_assert_uint_eq(n, 1000);
	lanes_are_in_order(n);
	uint64_t at = 1000;
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(puts_[i].tid, puts_[0].tid);
		at += puts_[i].end - puts_[i].start;
	}
	ck_assert_uint_eq(at, set_clock);
	set_clock = 0;
}
END_TEST

/*
 * In a .pftrace the end of the one and the beginning of the other would be taken for each other's.
 */
START_TEST(commands_that_touch_and_come_in_the_wrong_order_are_kept_apart)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 10;
	struct tl_device_command *one = tl_device_submit(queue), *two = tl_device_submit(queue);
	set_clock = 1000;
	struct tl_device_work late = work_at(200, 300), early = work_at(100, 200);
	tl_device_done(two, &late);
	tl_device_done(one, &early);
	collect();
	ck_assert_uint_eq(slices(), 2);
	ck_assert_uint_eq(puts_[0].tid, puts_[1].tid);
	ck_assert_uint_eq(puts_[0].start, 100);
	ck_assert_uint_eq(puts_[0].end, 199);
	ck_assert_uint_eq(puts_[1].start, 200);
	set_clock = 0;
}
END_TEST

/* On the lane of what they stand beside, but not inside of anything. */
START_TEST(commands_without_length_stay_visible)
{
	static const uint64_t times[][2] = {
		{100, 100}, {100, 200}, {200, 200}, {150, 150}, {200, 300}};
	struct tl_device_command *commands[5];

	struct tl_device_queue *queue = begin_queue();
	set_clock = 10;
	for (unsigned i = 0; i < 5; i++)
		commands[i] = tl_device_submit(queue);
	set_clock = 1000;
	for (unsigned i = 0; i < 5; i++) {
		struct tl_device_work work = work_at(times[i][0], times[i][1]);
		work.facts = &(const struct tl_device_facts){.name = "", .kind = TL_DEVICE_SYNC};
		tl_device_done(commands[i], &work);
	}
	collect();
	ck_assert_uint_eq(slices(), 5);
	lanes_are_in_order(5);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(puts_[i].tid, puts_[0].tid);
	ck_assert_uint_ne(puts_[4].tid, puts_[0].tid);
	ck_assert_uint_eq(puts_[4].start, 150);
	ck_assert_uint_eq(puts_[4].end, 150);
	ck_assert_str_eq(puts_[4].name, "sync");
	set_clock = 0;
}
END_TEST

START_TEST(no_command_is_shown_before_its_submission_or_after_who_waited_for_it)
{
	static const uint64_t told[][2] = {{0, 5},	     {0, 20000},   {15000, 900000},
					   {800000, 900000}, {3000, 1000}, {12000, 13000}};
	struct tl_device_command *commands[6];

	struct tl_device_queue *queue = begin_queue();
	set_clock = 10000;
	for (unsigned i = 0; i < 6; i++)
		commands[i] = tl_device_submit(queue);
	set_clock = 700000;
	for (unsigned i = 0; i < 6; i++) {
		struct tl_device_work work = work_at(told[i][0], told[i][1]);
		work.submitted = (struct tl_device_call){.start = 10100, .end = 11000};
		work.waited = (struct tl_device_call){.start = 19000, .end = 600000};
		work.raw_start = i;
		work.has = TL_RAW_START;
		tl_device_done(commands[i], &work);
	}
	collect();
	ck_assert_uint_eq(slices(), 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_gt(puts_[i].start, 10100);
		ck_assert_uint_ge(puts_[i].end, puts_[i].start);
		ck_assert_uint_lt(puts_[i].end, 600000);
		if (number_in(&puts_[i], "start") == 5) {
			ck_assert_uint_eq(puts_[i].start, 12000);
			ck_assert_uint_eq(puts_[i].end, 13000);
		}
	}
	set_clock = 0;
}
END_TEST

START_TEST(a_slice_says_what_its_command_was)
{
	begin();
	struct tl_device_queue *queue = tl_device_queue_new(tl_device_new("toy"), "compute");
	set_clock = 10;
	struct tl_device_command *one = tl_device_submit(queue), *two = tl_device_submit(queue);
	set_clock = 100000;
	const struct tl_event_arg more = {tl_string_number("more", 4), TL_VALUE_UNSIGNED_64, 6};
	struct tl_device_work work = work_at(1000, 3000);
	work.has = TL_RAW_QUEUED | TL_RAW_SUBMIT | TL_RAW_START | TL_RAW_END;
	work.queued = 1;
	work.submit = 2;
	work.raw_start = 3;
	work.raw_end = 4;
	work.facts = &(const struct tl_device_facts){
		.name = "vector_add", .dimensions = 2, .global = {1024, 8}, .local = {64, 1}};
	work.correlation = 77;
	work.request = 5;
	work.nargs = 1;
	work.args = &more;
	tl_device_done(one, &work);
	work = work_at(4000, 6000);
	work.facts = &(const struct tl_device_facts){
		.name = "read buffer", .kind = TL_DEVICE_READ, .bytes = 8000, .peer = "host"};
	tl_device_done(two, &work);
	collect();
	ck_assert_uint_eq(slices(), 2);
	const struct put *kernel = &puts_[0], *read = &puts_[1];
	lane_is(kernel->tid, "compute, toy");
	ck_assert_str_eq(kernel->name, "vector_add");
	ck_assert_uint_eq(kernel->request, 5);
	text_in(kernel, "kind", "kernel");
	text_in(kernel, "device", "toy");
	text_in(kernel, "global", "1024x8");
	text_in(kernel, "local", "64x1");
	ck_assert_uint_eq(number_in(kernel, "queue"), 1);
	ck_assert_uint_eq(number_in(kernel, "correlation"), 77);
	ck_assert_uint_eq(number_in(kernel, "queued"), 1);
	ck_assert_uint_eq(number_in(kernel, "submit"), 2);
	ck_assert_uint_eq(number_in(kernel, "start"), 3);
	ck_assert_uint_eq(number_in(kernel, "end"), 4);
	ck_assert_uint_eq(number_in(kernel, "more"), 6);
	ck_assert_ptr_null(arg_of(kernel, "bytes"));
	ck_assert_ptr_null(arg_of(kernel, "peer"));
	text_in(read, "kind", "read");
	text_in(read, "peer", "host");
	ck_assert_uint_eq(number_in(read, "bytes"), 8000);
	uint64_t bandwidth = number_in(read, "bandwidth");
	double value;
	memcpy(&value, &bandwidth, sizeof(value));
	ck_assert_double_eq_tol(value, 4.0, 1e-9);
	ck_assert_ptr_null(arg_of(read, "global"));
	ck_assert_ptr_null(arg_of(read, "correlation"));
	set_clock = 0;
}
END_TEST

START_TEST(queues_are_numbered_and_named)
{
	begin();
	struct tl_device *one = tl_device_new("one"), *two = tl_device_new("two");
	struct tl_device_queue *queues[] = {
		tl_device_queue_new(one, NULL), tl_device_queue_new(one, "copy"),
		tl_device_queue_new(one, "copy"), tl_device_queue_new(two, NULL),
		tl_device_queue_new(two, "copy")};
	static const char *const names[] = {"queue 1, one", "copy, one", "queue 3, one",
					    "queue 4, two", "copy, two"};
	struct tl_device_work work = work_at(20, 30);

	set_clock = 10;
	for (unsigned i = 0; i < 5; i++) {
		struct tl_device_command *command = tl_device_submit(queues[i]);
		ck_assert_uint_eq(queues[i]->number, i + 1);
		set_clock = 100;
		tl_device_done(command, &work);
	}
	collect();
	ck_assert_uint_eq(slices(), 5);
	for (unsigned i = 0; i < 5; i++)
		lane_is(puts_[i].tid, names[i]);
	set_clock = 0;
}
END_TEST

START_TEST(a_program_may_make_and_release_queues_without_end)
{
	begin();
	struct tl_device *device = tl_device_new("toy");
	uint32_t most = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct tl_device_queue *queue = tl_device_queue_new(device, NULL);
		most = queue->number > most ? queue->number : most;
		tl_device_queue_release(queue);
	}
	ck_assert_uint_ge(most, 16);
	ck_assert_uint_le(most, 100);
	/* Not as one of another name, nor of another device. */
	struct tl_device_queue *named = tl_device_queue_new(device, "copy"),
			       *other = tl_device_queue_new(tl_device_new("other"), NULL);
	ck_assert_uint_gt(named->number, most);
	ck_assert_uint_gt(other->number, named->number);
}
END_TEST

/* --- arrows, as they are printed */

static json_t *event_of(json_t *events, const char *phase, const char *name)
{
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (!strcmp(json_string_value(json_object_get(event, "ph")), phase) &&
		    !strcmp(json_string_value(json_object_get(event, "name")), name))
			return event;
	return NULL;
}

static double ts_of(const json_t *event)
{
	return json_number_value(json_object_get(event, "ts"));
}

static bool is_on(const json_t *event, uint32_t tid)
{
	return json_integer_value(json_object_get(event, "tid")) == tid;
}

/* Its two ends belong together, and lie where they should. */
static void arrow_is(json_t *events, const char *name, uint32_t from_tid, uint32_t to_tid)
{
	json_t *from = event_of(events, "s", name), *to = event_of(events, "f", name);

	ck_assert_ptr_nonnull(from);
	ck_assert_ptr_nonnull(to);
	ck_assert(is_on(from, from_tid));
	ck_assert(is_on(to, to_tid));
	ck_assert_double_le(ts_of(from), ts_of(to));
	ck_assert_str_eq(json_string_value(json_object_get(to, "bp")), "e");
	json_int_t id = json_integer_value(json_object_get(from, "id"));
	ck_assert_int_eq(id, json_integer_value(json_object_get(to, "id")));
	/* The process's number is in it, and a double holds it. */
	ck_assert_int_eq(id >> 30, getpid());
	ck_assert_int_lt(id, (json_int_t)1 << 53);
	ck_assert_str_eq(json_string_value(json_object_get(from, "cat")),
			 json_string_value(json_object_get(to, "cat")));
}

START_TEST(arrows_lead_from_the_submitting_call_to_the_work_and_on_to_the_call_that_waits)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 9000;
	struct tl_device_command *command = tl_device_submit(queue);
	set_clock = 90000;
	struct tl_device_work work = work_at(12000, 17000);
	work.submitted = (struct tl_device_call){.tid = 501, .start = 10000, .end = 20000};
	work.waited = (struct tl_device_call){.tid = 502, .start = 15000, .end = 30000};
	tl_device_done(command, &work);
	json_t *events = encoded(), *slice = event_of(events, "X", "work");
	uint32_t tid = (uint32_t)json_integer_value(json_object_get(slice, "tid"));
	arrow_is(events, "submitted", 501, tid);
	arrow_is(events, "awaited", tid, 502);
	ck_assert_double_gt(ts_of(event_of(events, "s", "submitted")), 10.0);
	ck_assert_double_lt(ts_of(event_of(events, "s", "submitted")), 20.0);
	ck_assert_double_eq(ts_of(event_of(events, "f", "submitted")), 12.0);
	ck_assert_double_lt(ts_of(event_of(events, "s", "awaited")), 17.0);
	ck_assert_double_ge(ts_of(event_of(events, "s", "awaited")), 12.0);
	ck_assert_double_gt(ts_of(event_of(events, "f", "awaited")), 17.0);
	ck_assert_double_lt(ts_of(event_of(events, "f", "awaited")), 30.0);
	ck_assert(json_integer_value(json_object_get(event_of(events, "s", "submitted"), "id")) !=
		  json_integer_value(json_object_get(event_of(events, "s", "awaited"), "id")));
	json_decref(events);
	set_clock = 0;
}
END_TEST

START_TEST(calls_without_a_slice_get_no_arrow)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 9000;
	struct tl_device_command *command = tl_device_submit(queue);
	set_clock = 90000;
	struct tl_device_work work = work_at(12000, 17000);
	work.waited = (struct tl_device_call){.start = 15000, .end = 30000};
	tl_device_done(command, &work);
	json_t *events = encoded();
	ck_assert_ptr_nonnull(event_of(events, "X", "work"));
	ck_assert_ptr_null(event_of(events, "s", "submitted"));
	ck_assert_ptr_null(event_of(events, "f", "awaited"));
	json_decref(events);
	set_clock = 0;
}
END_TEST

START_TEST(a_call_that_returned_before_the_submission_has_not_waited_for_it)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 9000;
	struct tl_device_command *command = tl_device_submit(queue);
	set_clock = 90000;
	struct tl_device_work work = work_at(12000, 17000);
	work.submitted = (struct tl_device_call){.tid = 501, .start = 10000, .end = 20000};
	work.waited = (struct tl_device_call){.tid = 502, .start = 5000, .end = 7000};
	tl_device_done(command, &work);
	json_t *events = encoded(), *slice = event_of(events, "X", "work");
	ck_assert_double_eq(ts_of(slice), 12.0);
	ck_assert_double_eq(json_number_value(json_object_get(slice, "dur")), 5.0);
	ck_assert_ptr_nonnull(event_of(events, "s", "submitted"));
	ck_assert_ptr_null(event_of(events, "s", "awaited"));
	ck_assert_ptr_null(event_of(events, "f", "awaited"));
	json_decref(events);
	set_clock = 0;
}
END_TEST

/* --- counters */

struct edge {
	uint64_t ns;
	int change;
};

static int by_ns(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/*
 * The samples in the order in which they were recorded: the time never goes back, and each is what
 * counting by hand gives.
 */
static void depth_is(struct edge *edges, size_t nedges, int64_t left)
{
	uint64_t last = 0;
	int64_t depth = 0;
	size_t at = 0;

	qsort(edges, nedges, sizeof(*edges), by_ns);
	for (size_t i = 0; i < nputs; i++) {
		if (puts_[i].phase != 'C')
			continue;
		assert_often(puts_[i].start >= last);
		last = puts_[i].start;
		for (; at < nedges && edges[at].ns <= last; at++)
			depth += edges[at].change;
		assert_often_eq((int64_t)number_in(&puts_[i], "commands"), depth);
	}
	ck_assert_uint_eq(at, nedges);
	ck_assert_int_eq(depth, left);
}

START_TEST(the_depth_of_a_queue_is_exact)
{
	enum { N = 3000 };
	static struct {
		struct tl_device_command *command;
		uint64_t submitted, ends;
	} open[N];
	static struct edge edges[2 * N];
	unsigned nopen = 0, ndone = 0;
	size_t nedges = 0;

	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	while (ndone < N) {
		set_clock += dice(3);
		if (nopen < N - ndone && dice(2)) {
			open[nopen].command = tl_device_submit(queue);
			open[nopen].submitted = set_clock + dice(2);
			open[nopen++].ends = set_clock + 1 + dice(400);
			continue;
		}
		unsigned i = nopen ? (unsigned)dice(nopen) : 0;
		if (!nopen || open[i].ends > set_clock)
			continue;
		if (dice(20)) {
			struct tl_device_work work = work_at(open[i].ends - 1, open[i].ends);
			work.submitted = (struct tl_device_call){.start = open[i].submitted};
			tl_device_done(open[i].command, &work);
			uint64_t end =
				open[i].ends > open[i].submitted ? open[i].ends : open[i].submitted;
			edges[nedges++] = (struct edge){open[i].submitted, 1};
			edges[nedges++] = (struct edge){end, -1};
		} else {
			tl_device_cancel(open[i].command);
		}
		open[i] = open[--nopen];
		ndone++;
	}
	tl_device_work_end();
	collect();
	depth_is(edges, nedges, 0);
	ck_assert_uint_gt(nedges, N);
	set_clock = 0;
}
END_TEST

START_TEST(what_has_not_ended_is_shown_as_such_and_stays_in_the_queue)
{
	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	struct tl_device_command *one = tl_device_submit(queue), *two = tl_device_submit(queue);
	set_clock = 9000;
	struct tl_device_work done = work_at(2000, 3000), never = work_at(2500, 9000);
	never.unfinished = true;
	done.submitted.start = never.submitted.start = 1000;
	tl_device_done(two, &done);
	tl_device_done(one, &never);
	tl_device_work_end();
	collect();
	depth_is((struct edge[]){{1000, 2}, {3000, -1}}, 2, 1);
	ck_assert_uint_eq(slices(), 2);
	ck_assert_ptr_null(arg_of(&puts_[0], "unfinished"));
	ck_assert_uint_eq(number_in(&puts_[1], "unfinished"), 1);
	ck_assert_uint_eq(puts_[1].end, 9000);
	set_clock = 0;
}
END_TEST

/* As of a program that ends with all its work still before it. */
static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * Four times as many take about four times as long; if each looked at all lanes, it would be
 * sixteen.
 */
START_TEST(a_great_many_that_have_not_ended_take_time_for_each_alone)
{
	static struct tl_device_command *commands[20000];
	const unsigned n = sizeof(commands) / sizeof(*commands);
	double quarter = 0;

	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	for (unsigned i = 0; i < n; i++, set_clock += 10)
		commands[i] = tl_device_submit(queue);
	double from = thread_seconds();
	for (unsigned i = 0; i < n; i++, set_clock += 10) {
		struct tl_device_work never = work_at(1000 + 10 * i, set_clock);
		never.unfinished = true;
		tl_device_done(commands[i], &never);
		if (i == n / 4)
			quarter = thread_seconds() - from;
	}
	ck_assert_double_lt(thread_seconds() - from, 9 * quarter);
	collect();
	ck_assert_uint_eq(slices(), n);
	lanes_are_in_order(n);
	ck_assert_uint_eq(queue->nlanes, 17);
	set_clock = 0;
}
END_TEST

START_TEST(a_command_that_never_ends_does_not_hold_up_those_behind_it)
{
	const unsigned n = 70000;
	unsigned samples = 0;

	struct tl_device_queue *queue = begin_queue();
	set_clock = 1000;
	struct tl_device_command *never = tl_device_submit(queue);
	for (unsigned i = 0; i < n; i++) {
		set_clock += 10;
		struct tl_device_command *command = tl_device_submit(queue);
		struct tl_device_work work = work_at(set_clock + 1, set_clock + 6);
		work.submitted.start = set_clock;
		set_clock += 10;
		tl_device_done(command, &work);
		if (i % 1000 == 0)
			collect();
	}
	collect();
	for (size_t i = 0; i < nputs; i++)
		samples += puts_[i].phase == 'C';
	ck_assert_uint_gt(samples, 2 * n - 10000);
	/* It ends after all, on a lane of its own. */
	set_clock += 10;
	struct tl_device_work work = work_at(1500, set_clock - 5);
	work.submitted.start = 1000;
	tl_device_done(never, &work);
	tl_device_work_end();
	collect();
	int64_t last = -1;
	for (size_t i = 0; i < nputs; i++)
		if (puts_[i].phase == 'C')
			last = (int64_t)number_in(&puts_[i], "commands");
	ck_assert_int_eq(last, 0);
	size_t all = slices();
	ck_assert_uint_eq(all, n + 1);
	lanes_are_in_order(all);
	set_clock = 0;
}
END_TEST

START_TEST(memory_is_counted)
{
	begin();
	struct tl_device *device = tl_device_new("toy");
	static const int64_t changes[] = {100, 50, -100, 1ll << 40, -(1ll << 40), -50};
	int64_t bytes = 0;

	for (unsigned i = 0; i < 6; i++)
		tl_device_memory(device, changes[i]);
	collect();
	ck_assert_uint_eq(nputs, 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_str_eq(puts_[i].name, "memory, toy");
		ck_assert_int_eq((int64_t)number_in(&puts_[i], "bytes"), bytes += changes[i]);
	}
}
END_TEST

/* --- levels, forks, threads */

START_TEST(what_is_not_wanted_costs_nothing)
{
	begin();
	struct tl_device *device = tl_device_new("toy");
	struct tl_device_queue *queue = tl_device_queue_new(device, NULL);
	struct tl_device_work work = work_at(1, 2);

	tl_config.level = TL_LEVEL_RUNTIME | TL_LEVEL_DEBUG;
	ck_assert_ptr_null(tl_device_submit(queue));
	tl_device_memory(device, 5);
	tl_config.level = TL_LEVEL_OPERATOR;
	ck_assert_ptr_null(tl_device_submit(NULL));
	tl_recording_set(false);
	ck_assert_ptr_null(tl_device_submit(queue));
	tl_device_done(NULL, &work);
	tl_device_cancel(NULL);
	tl_recording_set(true);
	struct tl_device_command *command = tl_device_submit(queue);
	ck_assert_ptr_nonnull(command);
	tl_device_cancel(command);
	tl_device_work_end();
	collect();
	ck_assert_uint_eq(nputs, 0);
}
END_TEST

START_TEST(a_child_has_lanes_and_counts_of_its_own)
{
	int status;

	begin();
	struct tl_device *device = tl_device_new("toy");
	struct tl_device_queue *queue = tl_device_queue_new(device, NULL);
	struct tl_device_command *open = tl_device_submit(queue), *closed = tl_device_submit(queue);
	struct tl_device_work work = work_at(0, 10);
	tl_device_done(closed, &work);
	tl_device_memory(device, 1000);
	collect();
	pid_t child = fork();
	if (!child) {
		tl_strings_after_fork();
		tl_events_after_fork();
		tl_buffer_after_fork();
		tl_self = NULL;
		tl_device_work_after_fork();
		nputs = 0;
		struct tl_device_command *command = tl_device_submit(queue);
		tl_device_done(command, &work);
		tl_device_memory(device, 7);
		tl_device_work_end();
		collect();
		bool whole = slices() == 1 && !strcmp(puts_[0].name, "work") &&
			     tl_event_lane_shown(puts_[0].tid);
		for (size_t i = 0; i < nputs; i++)
			if (!strcmp(puts_[i].name, "memory, toy"))
				whole = whole && number_in(&puts_[i], "bytes") == 7;
		_exit(!whole);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	tl_device_done(open, &work);
	collect();
	ck_assert_uint_eq(slices(), 2);
}
END_TEST

static void do_two_at_once(struct tl_device_queue *queue)
{
	struct tl_device_command *one = tl_device_submit(queue), *two = tl_device_submit(queue);
	struct tl_device_work work = work_at(0, UINT64_MAX);

	tl_device_done(one, &work);
	tl_device_done(two, &work);
}

static void *do_two(void *queue)
{
	do_two_at_once(queue);
	return NULL;
}

START_TEST(a_child_may_be_made_while_a_thread_is_at_a_queue)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	pthread_t thread;
	int status;

	struct tl_device_queue *queue = begin_queue();
	to_hold = true;
	pthread_create(&thread, NULL, do_two, queue);
	while (!is_held)
		nanosleep(&moment, NULL);
	pid_t child = fork();
	if (!child) {
		to_hold = false;
		tl_strings_after_fork();
		tl_events_after_fork();
		tl_buffer_after_fork();
		tl_self = NULL;
		tl_device_work_after_fork();
		do_two_at_once(queue);
		collect();
		size_t n = slices();
		_exit(n != 2 || puts_[0].tid == puts_[1].tid);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	to_hold = false;
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(correlation_numbers_are_never_zero_and_never_twice)
{
	uint32_t last = 0;

	for (unsigned i = 0; i < 1000; i++) {
		uint32_t number = tl_device_correlation();
		ck_assert_uint_gt(number, last);
		last = number;
	}
}
END_TEST

static struct {
	struct tl_device_queue *queues[2];
	struct tl_device *device;
	/* submitted, and done by whoever comes by */
	struct tl_device_command *_Atomic slots[256];
} shared;

/* Submits to both queues, and finishes what any thread has submitted. */
static void *work_away(void *number)
{
	uint64_t own = (uintptr_t)number * 0x9e3779b97f4a7c15;

	for (unsigned i = 0; i < COMMANDS; i++) {
		own = own * 6364136223846793005u + 1442695040888963407u;
		struct tl_device_command *command = tl_device_submit(shared.queues[own >> 40 & 1]);
		command = atomic_exchange(&shared.slots[own >> 50 & 255], command);
		if (!command)
			continue;
		uint64_t now = tl_clock_gettime_ticks();
		struct tl_device_work work = work_at(now - (own >> 30 & 0xffff), now);
		work.correlation = tl_device_correlation();
		work.submitted.start = 0;
		if (own >> 20 & 15)
			tl_device_done(command, &work);
		else
			tl_device_cancel(command);
		tl_device_memory(shared.device, own >> 10 & 1 ? 10 : -10);
	}
	return NULL;
}

START_TEST(threads_may_submit_and_collect_at_once)
{
	pthread_t threads[THREADS];
	uint64_t last[2] = {0, 0};
	int64_t depth[2] = {0, 0};
	size_t seen_slices = 0;

	begin();
	shared.device = tl_device_new("toy");
	shared.queues[0] = tl_device_queue_new(shared.device, NULL);
	shared.queues[1] = tl_device_queue_new(shared.device, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work_away, (void *)(i + 1));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < 256; i++)
		tl_device_cancel(shared.slots[i]);
	tl_device_work_end();
	collect();
	for (size_t i = 0; i < nputs; i++) {
		const struct put *put = &puts_[i];
		seen_slices += put->phase == 'X';
		if (put->phase != 'C' || !strstr(put->name, "depth"))
			continue;
		unsigned queue = put->name[strlen("queue ")] - '1';
		depth[queue] = (int64_t)number_in(put, "commands");
		last[queue]++;
	}
	(void)depth;
	ck_assert_uint_gt(last[0], 0);
	ck_assert_uint_gt(last[1], 0);
	ck_assert_uint_gt(seen_slices, THREADS * COMMANDS * 3 / 4);
	size_t n = slices();
	lanes_are_in_order(n);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device work");
	TCase *tests = tcase_create("work");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, overlapping_commands_go_to_further_lanes_in_whatever_order_they_come);
	tcase_add_test(tests, commands_that_follow_each_other_share_one_lane_and_keep_their_times);
	tcase_add_test(tests, commands_that_touch_and_come_in_the_wrong_order_are_kept_apart);
	tcase_add_test(tests, commands_without_length_stay_visible);
	tcase_add_test(tests, no_command_is_shown_before_its_submission_or_after_who_waited_for_it);
	tcase_add_test(tests, a_slice_says_what_its_command_was);
	tcase_add_test(tests, queues_are_numbered_and_named);
	tcase_add_test(tests, a_program_may_make_and_release_queues_without_end);
	tcase_add_test(
		tests,
		arrows_lead_from_the_submitting_call_to_the_work_and_on_to_the_call_that_waits);
	tcase_add_test(tests, calls_without_a_slice_get_no_arrow);
	tcase_add_test(tests, a_call_that_returned_before_the_submission_has_not_waited_for_it);
	tcase_add_test(tests, the_depth_of_a_queue_is_exact);
	tcase_add_test(tests, what_has_not_ended_is_shown_as_such_and_stays_in_the_queue);
	tcase_add_test(tests, a_great_many_that_have_not_ended_take_time_for_each_alone);
	tcase_add_test(tests, a_command_that_never_ends_does_not_hold_up_those_behind_it);
	tcase_add_test(tests, memory_is_counted);
	tcase_add_test(tests, what_is_not_wanted_costs_nothing);
	tcase_add_test(tests, a_child_has_lanes_and_counts_of_its_own);
	tcase_add_test(tests, a_child_may_be_made_while_a_thread_is_at_a_queue);
	tcase_add_test(tests, correlation_numbers_are_never_zero_and_never_twice);
	tcase_add_test(tests, threads_may_submit_and_collect_at_once);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
