/* SPDX-License-Identifier: MIT */
/*
 * xpti_bench.c: tracelayer-xpti-bench, the benchmark of XPTI dispatchers: its options, its
 * processes and its tables.
 *
 * The options are those that the document "XPTI Tracing Framework" has for its own benchmark. In
 * each round dispatchers and numbers of threads take turns, so that other work of the machine
 * disturbs all of them alike. Each row shows the best of all rounds.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/checked_stdout.h"
#include "common/command_options.h"
#include "common/installed.h"
#include "xpti/bench/bench_plan.h"

#define NAME	"tracelayer-xpti-bench"
#define LIBRARY "libtracelayer-xpti.so"

enum { DISPATCHERS_MAX = 4, LIST_MAX = 32, THREADS_MAX = 256, PROCESS_SECONDS = 300 };

struct numbers {
	double at[LIST_MAX];
	unsigned count;
};

struct wishes {
	const char *dispatchers[DISPATCHERS_MAX]; /* the first is libtracelayer-xpti.so */
	unsigned ndispatchers;
	bool semantic;
	uint32_t points;
	double frequency;
	unsigned rounds;
	struct numbers tests, threads, overheads;
};

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("tracelayer: " NAME ": ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

/* ---- options ---- */

/* "3", or "0:2:1": from, to and step. False: it is neither, or the list is full. */
static bool numbers_add_range(struct numbers *numbers, const char *text)
{
	char *end;
	double from = strtod(text, &end), to = from, step = 1;

	if (end == text)
		return false;
	if (*end == ':') {
		to = strtod(text = end + 1, &end);
		if (end == text || *end != ':')
			return false;
		step = strtod(text = end + 1, &end);
	}
	if (end == text || *end || !(from >= 0 && to >= from && step > 0 && to <= 1e6))
		return false;
	for (unsigned i = 0; from + i * step <= to; i++) {
		if (numbers->count == LIST_MAX)
			return false;
		numbers->at[numbers->count++] = from + i * step;
	}
	return true;
}

/* Numbers and ranges, separated by commas. */
static bool numbers_read(struct numbers *numbers, const char *text, double least, double most)
{
	char *copy = strdup(text), *rest = copy;
	bool good = copy != NULL;

	numbers->count = 0;
	for (char *item; good && (item = strsep(&rest, ","));)
		good = numbers_add_range(numbers, item);
	free(copy);
	for (unsigned i = 0; good && i < numbers->count; i++)
		good = numbers->at[i] >= least && numbers->at[i] <= most;
	return good;
}

static bool numbers_are_whole(const struct numbers *numbers)
{
	for (unsigned i = 0; i < numbers->count; i++)
		if (numbers->at[i] != floor(numbers->at[i]))
			return false;
	return true;
}

/* One number. */
static double option_number(struct argp_state *state, const char *option, const char *text,
			    double least, double most)
{
	struct numbers one;

	if (!numbers_read(&one, text, least, most) || one.count != 1)
		option_refuse(state, "--%s=%s: not a number from %g to %g", option, text, least,
			      most);
	return one.at[0];
}

static void option_list(struct argp_state *state, struct numbers *list, const char *option,
			const char *text, double least, double most, bool whole)
{
	if (!numbers_read(list, text, least, most) || (whole && !numbers_are_whole(list)))
		option_refuse(
			state,
			"--%s=%s: not a list of %snumbers from %g to %g; give for example 1,2 or 0:4:2",
			option, text, whole ? "whole " : "", least, most);
}

static const struct argp_option options[] = {
	{"type", 'y', "TYPE", 0, "what to do: performance (the default) or semantic", 0},
	{"trace-points", 't', "N", 0, "how many trace points, 10 to 100000 (default: 10000)", 0},
	{"test-id", 'i', "LIST", 0,
	 "which tests: performance has 1 and 2, semantic has 1 to 3 (default: all)", 0},
	{"num-threads", 'n', "LIST", 0,
	 "numbers of threads; 0: serially, without threads (default: 0,2)", 0},
	{"tp-frequency", 'f', "PERCENT", 0,
	 "share of visits that create a trace point: 10, the default, means ten visits each", 0},
	{"overhead", 'o', "LIST", 0,
	 "overheads in percent; the tables show how many events fit (default: 1,2)", 0},
	{"against", 'a', "PATH", 0, "measure this dispatcher, too; up to three times", 0},
	{"rounds", 'r', "N", 0, "how many rounds; the tables show the best one (default: 5)", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case 'y':
		wishes->semantic = strcmp(argument, "semantic") == 0;
		if (!wishes->semantic && strcmp(argument, "performance") != 0)
			option_refuse(state,
				      "--type=%s: no such type; give performance or semantic",
				      argument);
		return 0;
	case 't':
		wishes->points =
			(uint32_t)option_number(state, "trace-points", argument, 10, 100000);
		return 0;
	case 'i':
		option_list(state, &wishes->tests, "test-id", argument, 1, BENCH_TESTS, true);
		return 0;
	case 'n':
		option_list(state, &wishes->threads, "num-threads", argument, 0, THREADS_MAX, true);
		return 0;
	case 'f':
		wishes->frequency = option_number(state, "tp-frequency", argument, 0.1, 100);
		return 0;
	case 'o':
		option_list(state, &wishes->overheads, "overhead", argument, 0.1, 15, false);
		return 0;
	case 'a':
		if (wishes->ndispatchers == DISPATCHERS_MAX)
			option_refuse(state,
				      "--against=%s: too many dispatchers; give at most three",
				      argument);
		wishes->dispatchers[wishes->ndispatchers++] = argument;
		return 0;
	case 'r':
		wishes->rounds = (unsigned)option_number(state, "rounds", argument, 1, 1000);
		return 0;
	case ARGP_KEY_ARG:
		option_refuse(state, "%s: this command takes options only", argument);
	case ARGP_KEY_END:
		if (!wishes->tests.count)
			numbers_read(&wishes->tests, wishes->semantic ? "1,2,3" : "1,2", 1,
				     BENCH_TESTS);
		for (unsigned i = 0; !wishes->semantic && i < wishes->tests.count; i++)
			if (wishes->tests.at[i] > 2)
				option_refuse(
					state,
					"--test-id: there is no performance test %g; give 1, 2 or both",
					wishes->tests.at[i]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Measures XPTI dispatchers, or checks them.\v"
	       "LIST has numbers and ranges FROM:TO:STEP, separated by commas. Exit status: 0; 1 if a dispatcher can't be used or a check "
	       "failed; 2 for a wrong option.",
};

/* ---- one process ---- */

/* Returns NULL, or why the dispatcher can't be used. */
static const char *plan_do(const struct wishes *wishes, const struct bench_plan *plan, void *result)
{
	const char *why =
		wishes->semantic ? bench_semantic(plan, result) : bench_speed(plan, result);
	size_t size = strlen(plan->dispatcher);

	/* Most messages of the loader begin with the path. */
	return why && strncmp(why, plan->dispatcher, size) == 0 && strncmp(why + size, ": ", 2) == 0
		       ? why + size + 2
		       : why;
}

/* In the child. The result goes back in one write: small enough for the pipe to take it whole. */
static _Noreturn void plan_do_and_tell(const struct wishes *wishes, const struct bench_plan *plan,
				       void *result, size_t size, int to)
{
	alarm(PROCESS_SECONDS);
	const char *why = plan_do(wishes, plan, result);
	if (why)
		complain("%s: %s; give a dispatcher, libxptifw.so or one like it", plan->dispatcher,
			 why);
	_exit(!why && write(to, result, size) == (ssize_t)size ? 0 : 1);
}

/* False: the process failed, and a line on standard error says why. */
static bool process_does(const struct wishes *wishes, const struct bench_plan *plan, void *result,
			 size_t size)
{
	int ends[2], status = 0;

	fflush(stdout);
	if (pipe(ends)) {
		complain("no pipe: %s", strerror(errno));
		return false;
	}
	pid_t child = fork();
	if (child == 0)
		plan_do_and_tell(wishes, plan, result, size, ends[1]);
	close(ends[1]);
	bool done = child > 0 && read(ends[0], result, size) == (ssize_t)size;
	close(ends[0]);
	if (child < 0)
		complain("no process: %s", strerror(errno));
	else
		waitpid(child, &status, 0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		complain("%s: it was not done after %d seconds; take fewer trace points or threads",
			 plan->dispatcher, PROCESS_SECONDS);
	else if (WIFSIGNALED(status))
		complain("%s: it died of %s; measure without it", plan->dispatcher,
			 strsignal(WTERMSIG(status)));
	return done && !status;
}

/* ---- tables ---- */

static const char *const row_names[BENCH_ROWS] = {
	[BENCH_INSERT] = "string insert",
	[BENCH_LOOKUP] = "string lookup",
	[BENCH_INSERT_LOOKUP] = "string insert+lookup",
	[BENCH_CREATE] = "trace point create",
	[BENCH_RECREATE] = "trace point re-create",
	[BENCH_FIND] = "trace point lookup by uid",
	[BENCH_NOTIFY_OFF] = "notify, tracing off",
	[BENCH_NOTIFY_1] = "bare notify, 1 callback",
	[BENCH_NOTIFY_4] = "bare notify, 4 callbacks",
	[BENCH_COMPOSITE_OFF] = "composite, tracing off",
	[BENCH_COMPOSITE_ON] = "composite, tracing on",
	[BENCH_PROBE] = "probe",
};

static void print_threads(double threads)
{
	if (threads == 0)
		printf("serial");
	else
		printf("%.0f thread%s", threads, threads == 1 ? "" : "s");
}

/*
 * `serial`: the times without threads; NULL where these were not measured. One dispatcher is
 * compared with the probe, several with the first one.
 */
static void print_rows(const struct wishes *wishes, const struct bench_times *times,
		       const struct bench_times *serial, double threads)
{
	unsigned n = wishes->ndispatchers;

	print_threads(threads);
	printf(", nanoseconds\n%-27s", "");
	for (unsigned d = 0; d < n; d++)
		printf("%10c%s%s", 'A' + (int)d,
		       d	? "    \u00f7 A"
		       : n == 1 ? "  \u00f7 probe"
				: "",
		       serial ? "  \u00f7 serial" : "");
	putchar('\n');
	for (int row = 0; row < BENCH_PROBE; row++) {
		if (!times[0].ns[row])
			continue;
		printf("%-27s", row_names[row]);
		for (unsigned d = 0; d < n; d++) {
			printf(" %9.2f", times[d].ns[row]);
			if (n == 1)
				printf(" %8.2f", times[d].ns[row] / times[d].ns[BENCH_PROBE]);
			else if (d)
				printf(" %6.2f", times[d].ns[row] / times[0].ns[row]);
			if (serial)
				printf(" %9.2f", times[d].ns[row] / serial[d].ns[row]);
		}
		putchar('\n');
	}
	putchar('\n');
}

/* With this overhead, the work between two events takes 100 / overhead times the event's cost. */
static double events_per_second(double cost, double handler, double overhead)
{
	return 1e9 / ((cost + handler) * 100 / overhead);
}

static void print_events(const struct wishes *wishes, const struct bench_times *times,
			 double threads)
{
	static const int handlers[] = {10, 100, 500, 1000};

	printf("events per second, ");
	print_threads(threads);
	printf("\n%-15s%-10s", "", "overhead");
	for (unsigned h = 0; h < 4; h++)
		printf("  handler %4d ns", handlers[h]);
	putchar('\n');
	for (unsigned d = 0; d < wishes->ndispatchers; d++)
		for (unsigned o = 0; o < wishes->overheads.count; o++) {
			printf("%-15c%7.1f %% ", 'A' + (int)d, wishes->overheads.at[o]);
			for (unsigned h = 0; h < 4; h++)
				printf(" %16.0f",
				       events_per_second(times[d].ns[BENCH_COMPOSITE_ON],
							 handlers[h], wishes->overheads.at[o]));
			putchar('\n');
		}
	putchar('\n');
}

static void print_head(const struct wishes *wishes, uint32_t visits)
{
	for (unsigned d = 0; d < wishes->ndispatchers; d++)
		printf("%c: %s\n", 'A' + (int)d, wishes->dispatchers[d]);
	printf("%u trace points, %u visits\n\n", wishes->points, visits);
}

/* ---- the types of tests ---- */

static struct bench_plan plan_of(const struct wishes *wishes, unsigned dispatcher, double threads)
{
	struct bench_plan plan = {.dispatcher = wishes->dispatchers[dispatcher],
				  .threads = (unsigned)threads,
				  .points = wishes->points,
				  .visits = (uint32_t)(wishes->points * 100.0 / wishes->frequency)};

	for (unsigned i = 0; i < wishes->tests.count; i++)
		plan.tests[(int)wishes->tests.at[i]] = true;
	return plan;
}

static void times_keep_best(struct bench_times *best, const struct bench_times *times)
{
	for (int row = 0; row < BENCH_ROWS; row++)
		if (!best->ns[row] || times->ns[row] < best->ns[row])
			best->ns[row] = times->ns[row];
}

static int test_performance(const struct wishes *wishes)
{
	static struct bench_times best[LIST_MAX][DISPATCHERS_MAX];
	const struct bench_times *serial = NULL;

	for (unsigned round = 0; round < wishes->rounds; round++)
		for (unsigned t = 0; t < wishes->threads.count; t++)
			for (unsigned i = 0; i < wishes->ndispatchers; i++) {
				struct bench_times times = {{0}};
				unsigned d = (i + round) % wishes->ndispatchers;
				struct bench_plan plan = plan_of(wishes, d, wishes->threads.at[t]);
				if (!process_does(wishes, &plan, &times, sizeof(times)))
					return 1;
				times_keep_best(&best[t][d], &times);
			}
	print_head(wishes, plan_of(wishes, 0, 0).visits);
	if (wishes->ndispatchers == 1)
		printf("probe (an indirect call and an uncontended compare-and-swap): %.2f ns\n\n",
		       best[0][0].ns[BENCH_PROBE]);
	for (unsigned t = 0; t < wishes->threads.count; t++)
		if (wishes->threads.at[t] == 0)
			serial = best[t];
	for (unsigned t = 0; t < wishes->threads.count; t++)
		print_rows(wishes, best[t], best[t] == serial ? NULL : serial,
			   wishes->threads.at[t]);
	for (unsigned t = 0; t < wishes->threads.count && best[t][0].ns[BENCH_COMPOSITE_ON] != 0;
	     t++)
		print_events(wishes, best[t], wishes->threads.at[t]);
	return 0;
}

static int test_semantic(const struct wishes *wishes)
{
	static const char *const names[] = {NULL, "strings", "trace points", "notifications"};
	int code = 0;

	print_head(wishes, plan_of(wishes, 0, 0).visits);
	for (unsigned d = 0; d < wishes->ndispatchers; d++)
		for (unsigned t = 0; t < wishes->threads.count; t++) {
			struct bench_verdicts verdicts = {0};
			struct bench_plan plan = plan_of(wishes, d, wishes->threads.at[t]);
			if (!process_does(wishes, &plan, &verdicts, sizeof(verdicts)))
				return 1;
			for (int test = 1; test <= BENCH_TESTS; test++) {
				const struct bench_verdict *verdict = &verdicts.tests[test];
				if (!plan.tests[test])
					continue;
				printf("%c  ", 'A' + (int)d);
				print_threads(wishes->threads.at[t]);
				printf("  %s: %s, %u checks", names[test],
				       verdict->wrong ? "FAIL" : "pass", verdict->checked);
				if (verdict->wrong)
					printf(", %u wrong; the first: %s", verdict->wrong,
					       verdict->first);
				putchar('\n');
				code |= verdict->wrong != 0;
			}
		}
	return code;
}

int main(int argc, char **argv)
{
	static char ours[PATH_MAX];
	struct wishes wishes = {.dispatchers = {ours},
				.ndispatchers = 1,
				.points = 10000,
				.frequency = 10,
				.rounds = 5,
				.threads = {{0, 2}, 2},
				.overheads = {{1, 2}, 2}};

	tl_check_stdout("tracelayer-xpti-bench");
	argp_err_exit_status = 2;
	argp_program_version = PACKAGE_STRING;
	options_parse(&argp, argc, argv, 0, &wishes);
	if (!installed_library(LIBRARY, ours)) {
		complain("%s: not found beside this command nor in %s; run `make install`", LIBRARY,
			 LIBDIR);
		return 1;
	}
	/* No subscribers: the only callbacks are those of the benchmark. */
	unsetenv("XPTI_SUBSCRIBERS");
	unsetenv("XPTI_TRACE_ENABLE");
	return wishes.semantic ? test_semantic(&wishes) : test_performance(&wishes);
}
