/* SPDX-License-Identifier: MIT */
/*
 * phase_select.c: see phase_select.h.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/phases/phase_select.h"
#include "cli/read/selection_time.h"
#include "common/settings.h"

/* ---- names ---- */

#define LONGEST_NAME 1024

/* What follows "B|5143|"; up to the next bar. */
static void mark_name(char name[LONGEST_NAME], const char *mark, size_t size)
{
	const char *end = mark + size, *at = memchr(mark, '|', size), *bar;

	at = at ? memchr(at + 1, '|', (size_t)(end - at - 1)) : NULL;
	at = at ? at + 1 : mark;
	bar = memchr(at, '|', (size_t)(end - at));
	snprintf(name, LONGEST_NAME, "%.*s", (int)((bar ? bar : end) - at), at);
}

/* Behind the brackets, if there are any: "name" of "[SW][NN_LR_PC]name". */
static const char *name_behind_tags(const char *name)
{
	const char *end;

	while (*name == '[' && (end = strchr(name, ']')))
		name = end + 1;
	return name;
}

bool phase_select_has_name(const struct phase_select *select, const char *mark, size_t size)
{
	const char *globs = select->selection.name;
	char name[LONGEST_NAME];

	if (!globs)
		return true;
	mark_name(name, mark, size);
	return tl_glob_any(globs, name) || tl_glob_any(globs, name_behind_tags(name));
}

/* ---- threads ---- */

static bool row_thread_is_taken(const struct selection *selection, const struct threads *threads,
				uint64_t number, uint64_t process)
{
	char digits[24];
	const struct selected_lane lane = {.name = threads_task(threads, number), .number = digits};
	const char *name = threads_task(threads, process);

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return selection_has_lane(selection, &lane) &&
	       (!selection->process ||
		selection_has(selection->process, name ? name : "", process));
}

bool phase_select_has_thread(struct phase_select *select, const struct threads *threads,
			     uint32_t tracked)
{
	uint64_t number = threads->tracked.list[tracked],
		 process = threads_process(threads_at(threads, tracked));
	char pid[24], tid[24];

	if (!select->selection.thread && !select->selection.process)
		return true;
	if (!select->has_lanes)
		return row_thread_is_taken(&select->selection, threads, number, process);
	snprintf(pid, sizeof(pid), "%" PRIu64, process);
	snprintf(tid, sizeof(tid), "%" PRIu64, number);
	return lane_filter_has_thread(&select->lanes, pid, tid);
}

/* ---- time ---- */

/* What is gone through to find a time. */
struct rows {
	struct phase_select *select;
	struct systrace_text *text;
};

/* A mark is found by its whole name, or without its brackets. */
static const char *name_looked_for(const struct selection *selection, const char *name)
{
	const char *behind = name_behind_tags(name);

	for (int i = 0; i < 2; i++)
		if (selection->points[i].name && !strcmp(selection->points[i].name, behind))
			return behind;
	return name;
}

static int rows_search(void *user, struct time_search *search)
{
	struct rows *rows = user;
	const struct selection *selection = &rows->select->selection;
	char name[LONGEST_NAME] = "";
	struct reader reader;
	struct row row;
	enum reader_state state;

	if (rows->select->has_lanes)
		time_search_start(search, rows->select->lanes.start, rows->select->lanes.date);
	reader_start(&reader, rows->text, 2);
	while ((state = reader_next(&reader, &row)) == READER_ROW) {
		if (row.mark[0] == 'B')
			mark_name(name, row.mark, row.mark_size);
		time_search_take(search, &(struct time_event){
						 .phase = row.mark[0],
						 .name = name_looked_for(selection, name),
						 .thread = (double)row.thread,
						 .start = llround(row_time(&row) * 1e9),
					 });
	}
	return state == READER_BROKEN ? EXIT_BROKEN : EXIT_DONE;
}

static int limits_find(struct phase_select *select, struct systrace_text *text)
{
	struct rows rows = {.select = select, .text = text};
	struct time_window window;
	int code = selection_window_find(&select->selection,
					 &(struct time_source){rows_search, &rows}, &window);

	select->limits.from = (double)window.from / 1e9;
	select->limits.to = (double)window.to / 1e9;
	return code;
}

int phase_select_begin(struct phase_select *select, struct systrace_text *text, const char *path)
{
	const struct selection *selection = &select->selection;
	char *again = (char *)(path && !strcmp(path, "-") ? "/proc/self/fd/0" : path);

	select->limits = (struct mark_limits){-INFINITY, INFINITY, (double)selection->longer / 1e9,
					      selection->name != NULL};
	select->has_lanes =
		path && (selection->thread || selection->process || selection->has_time);
	select->lanes.selection = selection;
	if (select->has_lanes && lane_filter_read(&select->lanes, &again, 1) == EXIT_BROKEN)
		return EXIT_BROKEN;
	return selection->has_time ? limits_find(select, text) : EXIT_DONE;
}

void phase_select_free(struct phase_select *select)
{
	lane_filter_free(&select->lanes);
	selection_free(&select->selection);
}
