/* SPDX-License-Identifier: MIT */
/*
 * profile_sampler.c: see profile_sampler.h. Processes of a program that was started are found by
 * the folder that the layer reports into (common/run_protocol.h).
 */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/profile/profile_sampler.h"
#include "cli/read/shown_names.h"
#include "common/run_protocol.h"

#define REPORTS_NS 10000000u /* between two checks for new reports */

static volatile sig_atomic_t interrupted;

void sampler_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* ---- samples */

static struct profile_lane *lane_of(struct sampler *sampler, struct watched_thread *thread)
{
	struct profiled *profiled = &sampler->profiled;
	struct profile_lane *lane = thread->of_caller;

	if (lane)
		return lane;
	lane = need(calloc(1, sizeof(*lane)));
	lane->thread = *thread;
	profiled->lanes = need(reallocarray(profiled->lanes, profiled->nlanes + 1, sizeof(lane)));
	profiled->lanes[profiled->nlanes++] = lane;
	profiled->profile.threads++;
	thread->of_caller = lane;
	return lane;
}

static void keep_run(struct sampler *sampler, struct profile_lane *lane,
		     const struct tl_profile_node *place)
{
	struct profile_run *last = lane->count ? &lane->runs[lane->count - 1] : NULL;
	uint64_t period = sampler->profiled.period, start = sampler->first_period;

	/* The same place later is a new run: the thread may have been elsewhere in between. */
	if (last && last->place == place && start < last->start + (last->periods + 2) * period) {
		last->periods += sampler->periods;
		return;
	}
	if (lane->count == lane->room) {
		lane->room = lane->room ? 2 * lane->room : 64;
		lane->runs = need(reallocarray(lane->runs, lane->room, sizeof(*lane->runs)));
	}
	lane->runs[lane->count++] = (struct profile_run){start, sampler->periods, place};
}

static void sampler_take(void *context, struct watched_thread *thread, const struct tl_label *stack,
			 uint32_t count)
{
	struct sampler *sampler = context;
	struct profile_lane *lane = lane_of(sampler, thread);
	struct tl_label shown[WATCHED_DEEPEST];

	if (!*lane->program)
		snprintf(lane->program, sizeof(lane->program), "%s",
			 watched_program(sampler->looked_at));
	for (uint32_t i = 0; i < count; i++)
		shown[i].text = stack[i].text ? name_shown(stack[i].text) : NULL;
	const struct tl_profile_node *place =
		tl_profile_add(&sampler->profiled.profile, shown, count, sampler->periods);

	if (sampler->profiled.keep_runs)
		keep_run(sampler, lane, place);
}

/* ---- processes */

void sampler_add_process(struct sampler *sampler, struct watched *process)
{
	sampler->processes =
		need(reallocarray(sampler->processes, sampler->nprocesses + 1, sizeof(process)));
	sampler->processes[sampler->nprocesses++] = process;
	sampler->seen++;
}

/* Deletes the buffers of a dead process. Waits for one that is about to die. */
static void delete_buffers(const struct watched *process)
{
	struct leftover file;
	enum leftover_state state;

	for (int waited = 0; waited < LEFTOVER_DYING_MS; waited += 10) {
		state = leftover_claim(watched_path(process), &file);
		if (state != LEFTOVER_LIVE || !leftover_is_dying(watched_header(process)->pid))
			break;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	if (state == LEFTOVER_OURS)
		leftover_delete(&file);
	if (state == LEFTOVER_OURS || state == LEFTOVER_UNCLEAR)
		leftover_release(&file);
}

/*
 * Buffers with records stay for `tracelayer recover`. Buffers that only this command read are of no
 * further use.
 */
static void process_close(struct watched *process)
{
	if (atomic_load_explicit(&watched_header(process)->recording, memory_order_relaxed) !=
	    TL_FILE_RECORDS)
		delete_buffers(process);
	watched_close(process);
}

static bool sampler_knows(const struct sampler *sampler, const char *path)
{
	for (size_t i = 0; i < sampler->nprocesses; i++)
		if (!strcmp(watched_path(sampler->processes[i]), path))
			return true;
	return false;
}

/*
 * In a report of buffers the link's target is their path. The report is removed when the buffers
 * exist; all other reports are removed at once.
 */
static void sampler_read_report(struct sampler *sampler, const char *name)
{
	char path[PATH_MAX];
	int folder = dirfd(sampler->reports);
	ssize_t length = readlinkat(folder, name, path, sizeof(path) - 1);
	struct watched *process;

	if (length < 0)
		return;
	path[length] = 0;
	if (!strncmp(name, TL_REPORT_BUFFERS ".", sizeof(TL_REPORT_BUFFERS)) &&
	    !sampler_knows(sampler, path)) {
		process = watched_open(path);
		if (!process)
			return;
		sampler_add_process(sampler, process);
	}
	unlinkat(folder, name, 0);
}

/*
 * The folder's time of change can't tell whether there are new ones: it is coarse, and a report may
 * come in the same step in which the folder was last read.
 */
static void sampler_read_reports(struct sampler *sampler)
{
	struct dirent *link;

	if (sampler->now - sampler->reports_read < REPORTS_NS)
		return;
	sampler->reports_read = sampler->now;
	sampler->orphan = sampler->shared && getppid() != sampler->launcher;
	if (!sampler->reports)
		return;
	rewinddir(sampler->reports);
	while ((link = readdir(sampler->reports)))
		if (*link->d_name != '.')
			sampler_read_report(sampler, link->d_name);
}

/* ---- sampling */

static void sampler_pass(struct sampler *sampler)
{
	size_t left = 0;

	sampler->profiled.profile.passes++;
	for (size_t i = 0; i < sampler->nprocesses; i++) {
		struct watched *process = sampler->processes[i];

		sampler->looked_at = process;
		if (watched_look(process, sampler_take, sampler))
			sampler->processes[left++] = process;
		else
			process_close(process);
	}
	sampler->nprocesses = left;
}

static bool sampler_is_over(const struct sampler *sampler)
{
	if (interrupted)
		return true;
	if (!sampler->shared)
		return !sampler->nprocesses;
	/* Acquire: pairs with the launcher's release. */
	return atomic_load_explicit(&sampler->shared->over, memory_order_acquire) ||
	       sampler->orphan;
}

static void wait_until(uint64_t time)
{
	const struct timespec until = {(time_t)(time / 1000000000u), (long)(time % 1000000000u)};

	/* Not repeated after a signal, so that the signal takes effect at once. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static uint64_t date_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return time_ns(now);
}

void sampler_run(struct sampler *sampler)
{
	struct tl_profile_beat beat = tl_profile_beat_of(sampler->hz);
	uint64_t length = (uint64_t)(sampler->seconds * 1e9);

	sampler->profiled.period = beat.period;
	sampler->profiled.start = beat.start;
	sampler->profiled.date = date_now();
	while (!length || tl_profile_now() - beat.start < length) {
		wait_until(tl_profile_beat_next(&beat));
		if (sampler_is_over(sampler))
			break;
		sampler->periods = tl_profile_beat_comes(&beat);
		sampler->first_period = beat.start + (beat.number - sampler->periods) * beat.period;
		sampler->now = tl_profile_now();
		sampler_read_reports(sampler);
		sampler_pass(sampler);
	}
	sampler->profiled.profile.elapsed = tl_profile_now() - beat.start;
}

/* ---- the end */

void sampler_close_processes(struct sampler *sampler)
{
	while (sampler->nprocesses)
		process_close(sampler->processes[--sampler->nprocesses]);
}

void sampler_free(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nprocesses; i++)
		watched_close(sampler->processes[i]);
	free(sampler->processes);
	if (sampler->reports)
		closedir(sampler->reports);
	for (size_t i = 0; i < sampler->profiled.nlanes; i++) {
		free(sampler->profiled.lanes[i]->runs);
		free(sampler->profiled.lanes[i]);
	}
	free(sampler->profiled.lanes);
	tl_profile_drop(&sampler->profiled.profile.root);
}
