/* SPDX-License-Identifier: MIT */
/*
 * top_screen.c: see top_screen.h.
 */
#include "config.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/top/top_screen.h"
#include "tables/tables.h"

/* What terminals of the last forty years do: another screen, no cursor; home, and clear. */
#define SCREEN_BEGIN "\033[?1049h\033[?25l"
#define SCREEN_END   "\033[?25h\033[?1049l"
#define SCREEN_CLEAR "\033[H\033[J"

static struct termios terminal;
static bool keys; /* are read; `terminal` is what was set before */

void top_screen_begin(void)
{
	if (isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &terminal)) {
		struct termios raw = terminal;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs(SCREEN_BEGIN, stdout);
}

void top_screen_end(void)
{
	fputs(SCREEN_END, stdout);
	fflush(stdout);
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
}

bool top_screen_wait(int milliseconds)
{
	struct pollfd input = {.fd = keys ? STDIN_FILENO : -1, .events = POLLIN};
	char key;

	if (poll(&input, 1, milliseconds) <= 0)
		return false;
	if (read(STDIN_FILENO, &key, 1) != 1) {
		keys = false;
		return false;
	}
	return key == 'q' || key == 'Q';
}

/* ---- tables ---- */

static double rate_of(const struct top_sums *sums, double count)
{
	return sums->seconds > 0 ? count / sums->seconds : 0;
}

static double share_of(const struct top_sums *sums, double nanoseconds)
{
	return rate_of(sums, nanoseconds / 1e9);
}

/* Of a thread, or a queue: never more than all of the time. */
static double own_share(const struct top_sums *sums, double nanoseconds)
{
	return fmin(share_of(sums, nanoseconds), 1);
}

static double average_of(const struct top_function *function)
{
	return function->calls > 0 ? function->ended / function->calls : 0;
}

static void process_text(char *to, size_t room, const struct top_process *process)
{
	snprintf(to, room, "%s (%u)", live_records_program(process->records), process->pid);
}

static void thread_text(char *to, size_t room, const struct top_thread *thread)
{
	snprintf(to, room, "%s (%u)", thread->name, thread->tid);
}

static struct table *top_functions(const struct top_sums *sums, size_t most)
{
	static const struct table_column columns[] = {
		{"function", "function", TABLE_NAME, false},
		{"calls_per_s", "calls/s", TABLE_COUNT, false},
		{"failed_per_s", "failed/s", TABLE_FAILURES, false},
		{"share", "time", TABLE_SHARE, true},
		{"average_ns", "average", TABLE_TIME, false},
	};
	struct table *table = table_new("functions", columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sums->nfunctions && i < most; i++) {
		const struct top_function *function = &sums->functions[i];
		table_row(table);
		table_text(table, 0, function->name);
		table_number(table, 1, llround(rate_of(sums, function->calls)));
		table_number(table, 2, llround(rate_of(sums, function->failed)));
		table_share(table, 3, share_of(sums, function->time));
		if (function->calls > 0)
			table_number(table, 4, llround(average_of(function)));
	}
	return table;
}

static void depth_text(char *to, size_t room, const struct top_sums *sums,
		       const struct top_queue *queue)
{
	snprintf(to, room, "%.1f", share_of(sums, queue->pending));
}

static struct table *top_queues(const struct top_sums *sums, size_t most)
{
	static const struct table_column columns[] = {
		{"queue", "queue", TABLE_NAME, false},
		{"process", "process", TABLE_NAME, false},
		{"commands_per_s", "commands/s", TABLE_COUNT, false},
		{"busy", "busy", TABLE_SHARE, true},
		{"depth", "depth", TABLE_TEXT, false},
	};
	struct table *table = table_new("queues", columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sums->nqueues && i < most; i++) {
		const struct top_queue *queue = &sums->queues[i];
		char text[300];
		table_row(table);
		table_text(table, 0, queue->name);
		process_text(text, sizeof(text), queue->process);
		table_text(table, 1, text);
		table_number(table, 2, llround(rate_of(sums, queue->commands)));
		table_share(table, 3, own_share(sums, queue->busy));
		depth_text(text, sizeof(text), sums, queue);
		table_text(table, 4, text);
	}
	return table;
}

static struct table *top_threads(const struct top_sums *sums, size_t most)
{
	static const struct table_column columns[] = {
		{"thread", "thread", TABLE_NAME, false},
		{"process", "process", TABLE_NAME, false},
		{"calls_per_s", "calls/s", TABLE_COUNT, false},
		{"inside", "in calls", TABLE_SHARE, true},
		{"now", "now in", TABLE_NAME, false},
		{"since_ns", "since", TABLE_TIME, false},
	};
	struct table *table = table_new("threads", columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sums->nthreads && i < most; i++) {
		const struct top_thread *thread = &sums->threads[i];
		char text[300];
		table_row(table);
		thread_text(text, sizeof(text), thread);
		table_text(table, 0, text);
		process_text(text, sizeof(text), thread->process);
		table_text(table, 1, text);
		table_number(table, 2, llround(rate_of(sums, thread->calls)));
		table_share(table, 3, own_share(sums, thread->inside));
		if (thread->now) {
			table_text(table, 4, thread->now);
			table_number(table, 5, (long long)thread->now_since);
		}
	}
	return table;
}

/* ---- the screen ---- */

static size_t screen_rows(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row < 8 ? 24 : size.ws_row;
}

/* The part of the rows that is left for a table of which `wanted` rows could be shown. */
static size_t rows_of(size_t *left, size_t wanted, size_t part)
{
	size_t rows = wanted < *left / part ? wanted : *left / part;

	*left -= rows;
	return rows;
}

void top_screen_show(const struct top_sums *sums)
{
	struct table *tables[3];
	size_t count = 0, left = screen_rows() - 8;
	time_t now = time(NULL);
	char clock[16];

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime(&now));
	fputs(SCREEN_CLEAR, stdout);
	printf("tracelayer top, %s: %zu process%s, %zu thread%s, %s%.0f calls/s, %.0f failed/s. q leaves.\n",
	       clock, sums->processes, sums->processes == 1 ? "" : "es", sums->nthreads,
	       plural_s(sums->nthreads), sums->estimated ? "about " : "",
	       rate_of(sums, sums->calls), rate_of(sums, sums->failed));
	if (!sums->processes)
		puts("\nNo traced program runs. Start one with `tracelayer run -- ./app`.");
	putchar('\n');
	if (sums->nqueues)
		tables[count++] = top_queues(sums, rows_of(&left, sums->nqueues, 3));
	if (sums->nthreads)
		tables[count++] = top_threads(sums, rows_of(&left, sums->nthreads, 2));
	if (sums->nfunctions)
		tables[count++] = top_functions(sums, left);
	table_print(tables, count, TABLE_AS_TEXT, stdout);
	while (count)
		table_free(tables[--count]);
}

/* ---- rows ---- */

enum { TIME, WHAT, PROCESS, NAME, CALLS, FAILED, SHARE, AVERAGE, DEPTH, NOW };

static void row_begin(struct table *table, const char *elapsed, const char *what)
{
	table_row(table);
	table_text(table, TIME, elapsed);
	table_text(table, WHAT, what);
}

void top_rows_print(const struct top_sums *sums, double elapsed)
{
	static const struct table_column columns[] = {
		[TIME] = {"time_s", "time", TABLE_TEXT, false},
		[WHAT] = {"what", "what", TABLE_TEXT, false},
		[PROCESS] = {"process", "process", TABLE_ID, false},
		[NAME] = {"name", "name", TABLE_TEXT, false},
		[CALLS] = {"calls_per_s", "calls/s", TABLE_COUNT, false},
		[FAILED] = {"failed_per_s", "failed/s", TABLE_FAILURES, false},
		[SHARE] = {"share", "share", TABLE_SHARE, false},
		[AVERAGE] = {"average_ns", "average", TABLE_TIME, false},
		[DEPTH] = {"depth", "depth", TABLE_TEXT, false},
		[NOW] = {"now", "now", TABLE_TEXT, false},
	};
	static bool begun;
	struct table *table = table_new("top", columns, sizeof(columns) / sizeof(*columns));
	char when[32], text[64];

	snprintf(when, sizeof(when), "%.3f", elapsed);
	row_begin(table, when, "total");
	table_number(table, CALLS, llround(rate_of(sums, sums->calls)));
	table_number(table, FAILED, llround(rate_of(sums, sums->failed)));
	for (size_t i = 0; i < sums->nfunctions; i++) {
		const struct top_function *function = &sums->functions[i];
		row_begin(table, when, "function");
		table_text(table, NAME, function->name);
		table_number(table, CALLS, llround(rate_of(sums, function->calls)));
		table_number(table, FAILED, llround(rate_of(sums, function->failed)));
		table_share(table, SHARE, share_of(sums, function->time));
		if (function->calls > 0)
			table_number(table, AVERAGE, llround(average_of(function)));
	}
	for (size_t i = 0; i < sums->nqueues; i++) {
		const struct top_queue *queue = &sums->queues[i];
		row_begin(table, when, "queue");
		table_number(table, PROCESS, queue->process->pid);
		table_text(table, NAME, queue->name);
		table_number(table, CALLS, llround(rate_of(sums, queue->commands)));
		table_share(table, SHARE, own_share(sums, queue->busy));
		depth_text(text, sizeof(text), sums, queue);
		table_text(table, DEPTH, text);
	}
	for (size_t i = 0; i < sums->nthreads; i++) {
		const struct top_thread *thread = &sums->threads[i];
		row_begin(table, when, "thread");
		table_number(table, PROCESS, thread->process->pid);
		thread_text(text, sizeof(text), thread);
		table_text(table, NAME, text);
		table_number(table, CALLS, llround(rate_of(sums, thread->calls)));
		table_share(table, SHARE, own_share(sums, thread->inside));
		if (thread->now)
			table_text(table, NOW, thread->now);
	}
	if (begun)
		table_headless(table);
	begun = true;
	table_print(&table, 1, TABLE_AS_CSV, stdout);
	table_free(table);
}
