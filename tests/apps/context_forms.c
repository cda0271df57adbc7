/* SPDX-License-Identifier: MIT */
/*
 * context_forms.c: every function and macro of tracelayer/trace_context.h, in C11 and in C++11, by
 * one thread.
 *
 * context_forms there|absent FILE: with the library in the process or without it. Says each thing
 * that is not as the header says, and ends with 1 then. What is left of it is dumped to FILE.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelayer/trace_context.h>

#include "expect.h"

static int there, evaluated;

static const char *name_of(const char *name)
{
	evaluated++;
	return name;
}

static struct tl_context *context_of(struct tl_context *context)
{
	evaluated++;
	return context;
}

/* What a context has, in the order of logging. */
struct seen {
	size_t count;
	char names[64][16], types[65];
	struct tl_context_event events[64];
};

static int look(const struct tl_context_event *event, void *user)
{
	struct seen *seen = (struct seen *)user;

	seen->events[seen->count] = *event;
	snprintf(seen->names[seen->count], sizeof(seen->names[0]), "%.15s", event->name);
	seen->types[seen->count++] = event->type;
	return seen->count == 64;
}

static const struct seen *see(struct tl_context *context)
{
	static struct seen seen;

	memset(&seen, 0, sizeof(seen));
	tl_context_each(context, look, &seen);
	return &seen;
}

static struct tl_context *make(unsigned level)
{
	struct tl_context *context = tl_context_create(level);

	EXPECT(!context == !there);
	return context;
}

/* --- macros */

static void in_unbraced_ifs(struct tl_context *trace, int yes)
{
	int other = 0;

	if (yes)
		TL_TRACE_BEGIN(trace, TL_TRACE_RUNTIME, "one");
	else
		other = 1;
	if (!yes)
		TL_TRACE_INSTANT(trace, TL_TRACE_RUNTIME, "never");
	else
		TL_TRACE_INSTANT(trace, TL_TRACE_RUNTIME, "two");
	if (yes)
		if (!yes)
			TL_TRACE_END(trace, TL_TRACE_RUNTIME, "never");
		else
			TL_TRACE_END(trace, TL_TRACE_RUNTIME, "one");
	else
		other = 1;
	for (int i = 0; i < 2; i++)
		TL_TRACE_LOG(trace, TL_TRACE_RUNTIME, "three", 'I', 5);
	EXPECT(!other);
#ifdef __cplusplus
	if (!yes)
		TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "never");
	else
		TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "four");
#else
	TL_TRACE_LOG(trace, TL_TRACE_RUNTIME, "four", 'X', 6);
#endif
	const struct seen *seen = see(trace);
	EXPECT(!strcmp(seen->types, there ? "BIEIIX" : ""));
	EXPECT(!there || (!strcmp(seen->names[2], "one") && seen->events[3].time == 5 &&
			  !strcmp(seen->names[5], "four")));
}

/* Every form, with something to evaluate in each place. */
static void all_forms(struct tl_context *trace)
{
	TL_TRACE_BEGIN(context_of(trace), TL_TRACE_DEBUG, name_of("a"));
	TL_TRACE_END(context_of(trace), TL_TRACE_DEBUG, name_of("a"));
	TL_TRACE_INSTANT(context_of(trace), TL_TRACE_DEBUG, name_of("a"));
	TL_TRACE_LOG(context_of(trace), TL_TRACE_DEBUG, name_of("a"), 'I', tl_context_now());
	TL_TRACE_SCOPE(context_of(trace), TL_TRACE_DEBUG, name_of("a"));
	TL_TRACE_SCOPE_NAMED(context_of(trace), TL_TRACE_DEBUG, name_of("a"), named);
	tl_trace_scope_arg(&named, "key", "value");
	TL_TRACE_SCOPE_END_NAMED(named);
	TL_TRACE_SCOPE_END();
}

static void nothing_is_evaluated(void)
{
	struct tl_context *trace = make(TL_TRACE_STANDARD);

	evaluated = 0;
	all_forms(NULL);
	EXPECT(evaluated == 6); /* each context, once */
	all_forms(trace);
	EXPECT(evaluated == 12);
	EXPECT(!tl_context_count(trace));
	tl_context_set_level(trace, TL_TRACE_DEBUG | TL_TRACE_REQUEST);
	all_forms(trace);
	EXPECT(evaluated == (there ? 24 : 18));
	EXPECT(tl_context_count(trace) == (there ? 6 : 0));
	tl_context_destroy(trace);
}

static void scopes(void)
{
	struct tl_context *trace = make(TL_TRACE_RUNTIME);
	char key[2] = "a";

	{
		TL_TRACE_SCOPE_NAMED(trace, TL_TRACE_RUNTIME, "one", one);
		{
			TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "two");
			(void)tl_context_now();
		}
		{
			TL_TRACE_SCOPE_NAMED(trace, TL_TRACE_RUNTIME, "three", three);
			TL_TRACE_SCOPE_NAMED(trace, TL_TRACE_RUNTIME, "four", four);
			TL_TRACE_SCOPE_END_NAMED(three);
			TL_TRACE_SCOPE_END_NAMED(three);
			for (int i = 0; i < 12; i++, key[0]++)
				tl_trace_scope_arg(&four, i ? "same" : "first",
						   i == 11 ? "last" : "x");
		}
	}
	const struct seen *seen = see(trace);
	EXPECT(!strcmp(seen->types, there ? "XXXX" : ""));
	if (there) {
		const struct tl_context_event *two = &seen->events[0], *three = &seen->events[1],
					      *four = &seen->events[2], *one = &seen->events[3];
		EXPECT(!strcmp(seen->names[0], "two") && !strcmp(seen->names[1], "three") &&
		       !strcmp(seen->names[2], "four"));
		EXPECT(one->time <= two->time && two->time + two->duration <= three->time);
		EXPECT(three->time <= four->time &&
		       four->time + four->duration <= one->time + one->duration);
		EXPECT(four->nargs == 2 && one->nargs == 0);
	}
	tl_context_destroy(trace);
}

/* --- levels */

static void levels(void)
{
	static const unsigned all[] = {TL_TRACE_NONE, TL_TRACE_REQUEST, TL_TRACE_RUNTIME,
				       TL_TRACE_OPERATOR, TL_TRACE_DEBUG};

	for (unsigned mask = 0; mask < 16; mask++) {
		struct tl_context *trace = make(mask);
		size_t expected = 0;
		EXPECT(tl_context_level(trace) == (there ? mask : 0));
		for (unsigned i = 0; i < 5; i++) {
			tl_context_log(trace, all[i], 'I', "event");
			expected += (mask & all[i]) != 0;
			EXPECT(!tl_context_wants(trace, all[i]) == !(there && mask & all[i]));
		}
		tl_context_log(trace, TL_TRACE_REQUEST | TL_TRACE_DEBUG, 'I', "either");
		expected += (mask & (TL_TRACE_REQUEST | TL_TRACE_DEBUG)) != 0;
		EXPECT(tl_context_count(trace) == (there ? expected : 0));
		tl_context_destroy(trace);
	}
	EXPECT(TL_TRACE_STANDARD == (TL_TRACE_RUNTIME | TL_TRACE_OPERATOR));
}

/* --- events */

static void events(void)
{
	struct tl_context *trace = make(TL_TRACE_STANDARD);
	uint64_t before = tl_context_now();
	struct tl_context_arg args[40];
	struct tl_context_event event = {"whole", 'X', TL_TRACE_OPERATOR, 77, 78, 79, 80, 40, args};

	for (int i = 0; i < 40; i++) {
		args[i].key = i % 2 ? "key" : NULL;
		args[i].value = i % 2 ? NULL : "value";
	}
	tl_context_log_event(trace, &event);
	errno = 12345;
	tl_context_complete(trace, TL_TRACE_RUNTIME, "complete", before, args, 3);
	tl_context_complete(trace, TL_TRACE_RUNTIME, "to come", UINT64_MAX / 2, NULL, 0);
	tl_context_log(trace, TL_TRACE_RUNTIME, 'M', "no type of ours");
	EXPECT(tl_context_lost(trace) == (there ? 1 : 0));
	tl_context_log(trace, TL_TRACE_RUNTIME, 'i', NULL);
	EXPECT(errno == 12345);
	const struct seen *seen = see(trace);
	if (there) {
		const struct tl_context_event *whole = &seen->events[0],
					      *complete = &seen->events[1];
		EXPECT(seen->count == 4 && whole->lane == 77 && whole->request == 78 &&
		       whole->time == 79 && whole->duration == 80);
		EXPECT(whole->nargs == 32 && whole->level == TL_TRACE_OPERATOR);
		EXPECT(complete->time == before && complete->duration && complete->nargs == 3 &&
		       complete->lane);
		EXPECT(seen->events[2].duration == 0 && !seen->names[3][0]);
		EXPECT(seen->events[3].type == 'I');
	}
	EXPECT(tl_context_lost(trace) == (there ? 1 : 0) && tl_context_bytes(trace) < 2000);
	tl_context_destroy(trace);
}

/* The longest that there are, and more than a block's room of them. */
static void long_events(void)
{
	static char text[3000];
	struct tl_context *trace = make(TL_TRACE_RUNTIME);
	struct tl_context_arg args[32];
	struct tl_context_event event = {text, 'I', TL_TRACE_RUNTIME, 0, 0, 1, 0, 32, args};

	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 32; i++)
		args[i].key = args[i].value = text;
	for (int i = 0; i < 10; i++) {
		tl_context_log_event(trace, &event);
		tl_context_log(trace, TL_TRACE_RUNTIME, 'I', "short");
	}
	EXPECT(tl_context_count(trace) == (there ? 20 : 0) && !tl_context_lost(trace));
	EXPECT(tl_context_bytes(trace) >= (there ? 10 * 65 * 1024u : 0));
	tl_context_destroy(trace);
}

/* --- copies */

static int name_is(struct tl_context *context, const char *path, const char *text)
{
	static char line[4096];
	int found = 0;
	FILE *file;

	if (!there)
		return 1;
	EXPECT(!tl_context_dump(context, path, NULL));
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		found += strstr(line, text) != NULL;
	if (file)
		fclose(file);
	return found == 1;
}

static void copies(const char *path)
{
	struct tl_context *into = make(TL_TRACE_NONE), *from = make(TL_TRACE_STANDARD);

	for (int i = 0; i < 2; i++)
		tl_context_log(from, TL_TRACE_RUNTIME, 'I', i ? "second" : "first");
	tl_context_name_lane(from, 7, "old");
	tl_context_name_lane(from, 7, "new");
	tl_context_name_lane(from, 8, "theirs");
	tl_context_name_lane(into, 8, "ours");
	EXPECT(!tl_context_copy(into, from) && tl_context_count(from) == (there ? 2 : 0));
	EXPECT(!tl_context_merge(into, from) && tl_context_count(from) == 0);
	EXPECT(!tl_context_merge(into, from) && !tl_context_merge(into, into) &&
	       !tl_context_merge(into, NULL) && !tl_context_merge(NULL, into));
	EXPECT(!strcmp(see(into)->types, there ? "IIII" : "") &&
	       (!there || !strcmp(see(into)->names[2], "first")));
	EXPECT(!tl_context_copy(into, into) && tl_context_count(into) == (there ? 8 : 0));
	EXPECT(name_is(into, path, "\"new\"") && name_is(into, path, "\"ours\""));
	EXPECT(!there || (!name_is(into, path, "\"old\"") && !name_is(into, path, "\"theirs\"")));
	/* A source can be used again. */
	tl_context_log(from, TL_TRACE_RUNTIME, 'I', "third");
	EXPECT(tl_context_count(from) == (there ? 1 : 0));
	tl_context_set_level(into, TL_TRACE_RUNTIME);
	tl_context_log(into, TL_TRACE_RUNTIME, 'I', "between");
	EXPECT(!tl_context_merge(into, from) && tl_context_count(into) == (there ? 10 : 0));
	EXPECT(!there || !strcmp(see(into)->names[9], "third"));
	tl_context_clear(into);
	EXPECT(!tl_context_count(into) && !tl_context_bytes(into));
	tl_context_destroy(into);
	tl_context_destroy(from);
}

/* --- devices */

static uint64_t gap(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void clocks(void)
{
	struct tl_device_clock clock;
	/* 24 MHz, 300 ppm fast, from an epoch of its own: 41.654 ns a tick. */
	const struct tl_marker two[] = {{1000, 5000000000}, {1000 + 240072000, 15000000000}};
	const struct tl_marker same[] = {{7, 100}, {7, 200}}, back[] = {{9, 100}, {7, 200}};
	/* 32 bits that wrap between the markers, and 250 MHz. */
	const struct tl_marker wrapping[] = {
		{UINT32_MAX - 999, 1000000}, {1000, 1008000}, {3000, 1016000}};
	struct tl_marker many[20];

	EXPECT(!tl_device_clock_fit(&clock, two, 2, 0));
	EXPECT(gap(tl_device_clock_host(&clock, 1000 + 120036000), 10000000000) <= 1);
	EXPECT(gap(tl_device_clock_host(&clock, 1000 + 480144000), 25000000000) <= 1);
	EXPECT(gap(tl_device_clock_host(&clock, 0), 5000000000 - 41654) <= 2);
	EXPECT(tl_device_clock_fit(&clock, NULL, 0, 1) == -1);
	EXPECT(tl_device_clock_fit(&clock, two, 1, 0) == -1);
	EXPECT(tl_device_clock_fit(&clock, same, 2, 1) == -1 &&
	       tl_device_clock_fit(&clock, back, 2, 1) == -1);
	EXPECT(!tl_device_clock_fit(&clock, two, 1, 1000 / 24.0));
	EXPECT(gap(tl_device_clock_host(&clock, 1000 + 24000000), 6000000000) <= 1);
	EXPECT(!tl_device_clock_fit_wrapping(&clock, wrapping, 3, 0, 32));
	EXPECT(gap(tl_device_clock_host(&clock, 0), 1004000) <= 4 &&
	       gap(tl_device_clock_host(&clock, UINT32_MAX - 1999), 996000) <= 4);
	EXPECT(tl_device_clock_fit_wrapping(&clock, wrapping, 3, 0, 0) == -1);
	/*
	 * Readings that are 100 ns too late or too early, in turn: the line goes through the
	 * middle.
	 */
	for (int i = 0; i < 20; i++) {
		many[i].device = 500 + 1000000u * (unsigned)i;
		many[i].host = 900000000000000 + 4000000u * (unsigned)i + (i % 2 ? 100 : -100);
	}
	EXPECT(!tl_device_clock_fit(&clock, many, 20, 0));
	EXPECT(gap(tl_device_clock_host(&clock, 500 + 10000000), 900000000000000 + 40000000) < 20);
}

static void slots(void)
{
	static const struct tl_trace_slot described[] = {
		{"graph", 'X', TL_TRACE_OPERATOR, 0, 3, 0, NULL},
		{"conv", 'X', TL_TRACE_OPERATOR, 0, 1, 0, NULL},
		{"relu", 'X', TL_TRACE_OPERATOR, 1, 2, 0, NULL},
		{"begin", 'B', TL_TRACE_OPERATOR, 0, 99, 0, NULL},
		{"end", 'E', TL_TRACE_OPERATOR, 3, 0, 0, NULL},
		{"mark", 'I', TL_TRACE_OPERATOR, 2, 0, 0, NULL},
		{"not reached", 'X', TL_TRACE_OPERATOR, 3, 4, 0, NULL},
		{"beyond", 'I', TL_TRACE_OPERATOR, 5, 0, 0, NULL},
		{"not wanted", 'I', TL_TRACE_DEBUG, 0, 0, 0, NULL},
	};
	const uint64_t times[5] = {1000, 1250, 1500, 2000, 0};
	const struct tl_marker marker = {1000, 70000};
	struct tl_context *trace = make(TL_TRACE_STANDARD);
	uint32_t lane = tl_context_lane(trace, "device");
	struct tl_device_clock clock;

	EXPECT(!lane == !there && tl_context_lane(NULL, "device") == 0);
	EXPECT(tl_context_slots(trace, described, 9, times, 5, NULL, lane) == (there ? 6 : 0));
	EXPECT(!tl_device_clock_fit(&clock, &marker, 1, 4));
	EXPECT(tl_context_slots(trace, described, 9, times, 5, &clock, lane) == (there ? 6 : 0));
	EXPECT(tl_context_slots(NULL, described, 9, times, 5, &clock, lane) == 0);
	const struct seen *seen = see(trace);
	EXPECT(!strcmp(seen->types, there ? "XXXBEIXXXBEI" : ""));
	EXPECT(!there || (seen->events[2].time == 1250 && seen->events[2].duration == 250 &&
			  seen->events[2].lane == lane));
	EXPECT(!there || (seen->events[8].time == 71000 && seen->events[8].duration == 1000 &&
			  seen->events[10].time == 74000));
	tl_context_destroy(trace);
}

/* --- requests */

static uint32_t request_now(struct tl_context *any)
{
	tl_context_log(any, TL_TRACE_RUNTIME, 'I', "probe");
	const struct seen *seen = see(any);
	return seen->count ? seen->events[seen->count - 1].request : 0;
}

static void requests(void)
{
	struct tl_context *a = make(TL_TRACE_RUNTIME | TL_TRACE_REQUEST),
			  *b = make(TL_TRACE_RUNTIME), *plain = make(TL_TRACE_RUNTIME);

	EXPECT(tl_context_set_request(a, 5) == 0 && tl_context_set_request(b, 6) == 0);
	EXPECT(tl_context_request(a) == (there ? 5 : 0) && !tl_context_request(NULL) &&
	       !tl_context_entered());
	tl_context_leave(a);
	tl_context_enter(a);
	EXPECT(tl_context_entered() == a && request_now(plain) == (there ? 5 : 0));
	tl_context_enter(b);
	EXPECT(tl_context_entered() == b && request_now(plain) == (there ? 6 : 0) &&
	       request_now(a) == (there ? 5 : 0));
	tl_context_leave(plain);
	EXPECT(tl_context_entered() == b);
	tl_context_enter(NULL);
	tl_context_leave(NULL);
	for (int i = 0; i < 100; i++)
		tl_context_enter(b);
	/* All that was entered within a. */
	tl_context_leave(a);
	EXPECT(!tl_context_entered() && request_now(plain) == 0);
	EXPECT(!there || (see(a)->types[1] == 'X' && !strcmp(see(a)->names[1], "request") &&
			  see(a)->events[1].request == 5));
	EXPECT(tl_context_count(b) == 0);
	{
		TL_TRACE_REQUEST_SCOPE(b);
		EXPECT(request_now(plain) == (there ? 6 : 0));
	}
	EXPECT(!tl_context_entered());
#ifdef __cplusplus
	try {
		TL_TRACE_REQUEST_SCOPE(b);
		TL_TRACE_SCOPE(b, TL_TRACE_RUNTIME, "thrown through");
		throw 1;
	} catch (int) {
		EXPECT(!tl_context_entered());
	}
	EXPECT(tl_context_count(b) == (there ? 1 : 0));
#endif
	tl_context_destroy(a);
	tl_context_destroy(b);
	tl_context_destroy(plain);
}

/* For whoever reads the file: texts that JSON must not have as they are, ties, and lanes. */
static void leave_file(const char *path)
{
	static const char *const names[] = {"a \"quote\"",
					    "back\\slash",
					    "line\nfeed",
					    "\x01",
					    "umlaut \xc3\xa4",
					    "cut \xc3",
					    ""};
	struct tl_context *trace = make(TL_TRACE_STANDARD);
	struct tl_context_arg arg = {"k\"", "v\t"};
	struct tl_context_event tie = {"", 'X', TL_TRACE_RUNTIME, 3, 9, 1000, 0, 1, &arg};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		tl_context_log_at(trace, TL_TRACE_STANDARD, 'I', names[i], 5000 - i);
	for (unsigned i = 0; i < 5; i++) {
		tie.name = names[i];
		tie.duration = i % 2 ? 100 : 10 + i;
		tl_context_log_event(trace, &tie);
	}
	tl_context_name_thread(trace, "thread \"one\"");
	EXPECT(!tl_context_dump(trace, path, "forms \"of\" it"));
	if (there)
		EXPECT(tl_context_dump(trace, "/nowhere/at/all", NULL) == -1 && errno == ENOENT);
	tl_context_destroy(trace);
}

int main(int argc, char **argv)
{
	struct tl_context *trace;

	if (argc != 3)
		return 2;
	there = !strcmp(argv[1], "there");
	EXPECT(!tl_context_now() == !there);
	trace = make(TL_TRACE_STANDARD);
	in_unbraced_ifs(trace, 1);
	tl_context_destroy(trace);
	nothing_is_evaluated();
	scopes();
	levels();
	events();
	long_events();
	copies(argv[2]);
	clocks();
	slots();
	requests();
	leave_file(argv[2]);
	return wrong;
}
