/* SPDX-License-Identifier: MIT */
/*
 * profile_select.c: see profile_select.h. The tree is made again, of the runs that are left.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/profile/profile_select.h"
#include "cli/read/selection_time.h"
#include "cli/read/shown_names.h"
#include "common/settings.h"

#define DEEPEST_PLACE 2048u /* more than a sample has: see watched.h */

/* A place's nodes, the outermost first. */
struct path {
	const struct tl_profile_node *nodes[DEEPEST_PLACE];
	uint32_t count;
};

static void path_find(struct path *path, const struct tl_profile_node *place)
{
	uint32_t count = 0;

	for (const struct tl_profile_node *node = place; node->text; node = node->parent)
		count++;
	path->count = count < DEEPEST_PLACE ? count : DEEPEST_PLACE;
	for (const struct tl_profile_node *node = place; node->text; node = node->parent)
		if (--count < DEEPEST_PLACE)
			path->nodes[count] = node;
}

/*
 * ---- when: a label or call lasts while samples of its thread, one after the other, are in it ----
 */

struct lane_search {
	struct time_search *search;
	const struct profile_lane *lane;
	struct path open;
};

static void slice_take(struct lane_search *lane, char phase, const char *name, uint64_t time)
{
	time_search_take(lane->search, &(struct time_event){
					       .phase = phase,
					       .name = name,
					       .process = lane->lane->thread.pid,
					       .thread = lane->lane->thread.tid,
					       .start = (int64_t)time,
				       });
}

/* Ends all but the outermost `depth`, just before the sample of this time. */
static void slices_end(struct lane_search *lane, uint32_t depth, uint64_t time)
{
	while (lane->open.count > depth)
		slice_take(lane, 'E', lane->open.nodes[--lane->open.count]->text, time - 1);
}

static void lane_search_run(struct lane_search *lane, const struct profile_run *run)
{
	struct path path;
	uint32_t same = 0;

	path_find(&path, run->place);
	while (same < path.count && same < lane->open.count &&
	       path.nodes[same] == lane->open.nodes[same])
		same++;
	slices_end(lane, same, run->start);
	for (uint32_t i = same; i < path.count; i++) {
		slice_take(lane, 'B', path.nodes[i]->text, run->start);
		lane->open.nodes[lane->open.count++] = path.nodes[i];
	}
}

static int samples_search(void *user, struct time_search *search)
{
	const struct profiled *profiled = user;

	time_search_start(search, (int64_t)profiled->start, (int64_t)profiled->date);
	for (size_t i = 0; i < profiled->nlanes; i++) {
		struct lane_search lane;
		uint64_t end = 0;

		lane.search = search;
		lane.lane = profiled->lanes[i];
		lane.open.count = 0;
		for (size_t j = 0; j < lane.lane->count; j++) {
			const struct profile_run *run = &lane.lane->runs[j];

			/* The thread was not there in between. */
			if (end && run->start > end + 2 * profiled->period)
				slices_end(&lane, 0, end);
			lane_search_run(&lane, run);
			end = run->start + run->periods * profiled->period;
		}
		slices_end(&lane, 0, end);
	}
	return EXIT_DONE;
}

/* ---- which ---- */

static bool lane_is_taken(const struct selection *selection, const struct profile_lane *lane)
{
	char digits[16];
	const struct selected_lane about = {.name = lane->thread.name, .number = digits};

	snprintf(digits, sizeof(digits), "%u", lane->thread.tid);
	return selection_has(selection->process, lane->program, lane->thread.pid) &&
	       selection_has_lane(selection, &about);
}

static bool place_is_taken(const struct selection *selection, const struct tl_profile_node *place)
{
	if (!selection->name)
		return true;
	for (; place->text; place = place->parent)
		if (name_matches(selection->name, place->text))
			return true;
	return false;
}

/* Cuts the run to the periods that begin in the time, before its end. False: nothing is left. */
static bool run_cut(struct profile_run *run, uint64_t period, const struct time_window *window)
{
	uint64_t from = window->from > 0 ? (uint64_t)window->from : 0, first = 0, end = 0;

	if (run->start < from)
		first = (from - run->start + period - 1) / period;
	if (window->to >= 0 && (uint64_t)window->to >= run->start)
		end = ((uint64_t)window->to - run->start + period - 1) / period;
	if (end > run->periods)
		end = run->periods;
	if (first >= end)
		return false;
	run->start += first * period;
	run->periods = end - first;
	return true;
}

/* ---- the whole ---- */

static struct tl_profile_node *place_again(struct tl_profile *profile,
					   const struct tl_profile_node *place, uint64_t periods)
{
	struct tl_label labels[DEEPEST_PLACE];
	struct path path;

	path_find(&path, place);
	for (uint32_t i = 0; i < path.count; i++)
		labels[i] = (struct tl_label){.text = path.nodes[i]->text};
	return tl_profile_add(profile, labels, path.count, periods);
}

static void lane_select(struct profile_lane *lane, const struct profiled *profiled,
			struct tl_profile *left, const struct selection *selection,
			const struct time_window *window)
{
	size_t count = lane_is_taken(selection, lane) ? lane->count : 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct profile_run run = lane->runs[i];

		if (!place_is_taken(selection, run.place) ||
		    !run_cut(&run, profiled->period, window))
			continue;
		run.place = place_again(left, run.place, run.periods);
		lane->runs[kept++] = run;
	}
	lane->count = kept;
	left->threads += kept != 0;
}

int profile_select(struct profiled *profiled, const struct selection *selection)
{
	struct tl_profile left = {.passes = profiled->profile.passes,
				  .elapsed = profiled->profile.elapsed};
	struct time_window window = {0, INT64_MIN, INT64_MAX};
	int code = EXIT_DONE;

	if (selection->has_time)
		code = selection_window_find(
			selection, &(struct time_source){samples_search, profiled}, &window);
	if (code != EXIT_DONE)
		return code;
	for (size_t i = 0; i < profiled->nlanes; i++)
		lane_select(profiled->lanes[i], profiled, &left, selection, &window);
	tl_profile_drop(&profiled->profile.root);
	profiled->profile = left;
	/* They point to the root, which was elsewhere. */
	for (struct tl_profile_node *node = left.root.child; node; node = node->next)
		node->parent = &profiled->profile.root;
	for (size_t i = 0; i < profiled->nlanes; i++)
		for (size_t j = 0; j < profiled->lanes[i]->count; j++)
			if (profiled->lanes[i]->runs[j].place == &left.root)
				profiled->lanes[i]->runs[j].place = &profiled->profile.root;
	return EXIT_DONE;
}
