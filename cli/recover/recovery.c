/* SPDX-License-Identifier: MIT */
/*
 * recovery.c: see recovery.h.
 *
 * The buffers say how far the output is (format/file/trace_file.h). What the output lacks is
 * written where it belongs. The buffers are deleted last: while they exist, doing all this again
 * gives the same trace, so a recovery that is killed does no harm. If it makes a new file, it notes
 * so in the buffers before it writes (output_note.h).
 *
 * Where the output is gone, or another file has its name now, a new one is made beside it, of
 * everything that is still in the buffers.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/outputs/outputs.h"
#include "cli/recover/output_note.h"
#include "cli/recover/recovery.h"
#include "common/launcher.h"
#include "common/output.h"
#include "common/proc.h"
#include "common/settings.h"
#include "format/file/record_reader.h"

#define PROBLEMS_SAID 12

struct job {
	const struct recovery_wishes *wishes;
	const struct leftover *leftover;
	struct recovery *recovery;
	struct tl_trace *trace;
	struct trace_sink sink;
	bool elsewhere; /* the clock is not ours */
	bool is_dead;	/* its process is known to be */
	bool noted;	/* in the buffers: that the sink's file is theirs */
	uint64_t *lost; /* by lane: records that could not be read */
	uint64_t *put;	/* by lane: events that the sink got */
};

__attribute__((format(printf, 2, 3))) static void because(struct recovery *recovery,
							  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(recovery->why, sizeof(recovery->why), format, arguments);
	va_end(arguments);
}

/* ---- where it goes ---- */

static const char *file_trouble(int error)
{
	switch (error) {
	case ENOENT:
		return "it is not there any more";
	case ESTALE:
		return "another file is in its place";
	case EINVAL:
		return "it was cut short after its process wrote it";
	case EBUSY:
		return "another process is writing it";
	case ESPIPE:
		return "it is not a regular file";
	case ENOTSUP:
		return "it has another format";
	default:
		return output_file_trouble(error);
	}
}

/* %j: the folder's name of the step that the process belonged to. */
static void step_of(const struct tl_facts *facts, char folder[TL_LAUNCHER_FOLDER])
{
	struct tl_launched launched = {.rank = -1};

	tl_facts_text(facts, "job", launched.job, sizeof(launched.job));
	tl_facts_text(facts, "step", launched.step, sizeof(launched.step));
	if (!*launched.job)
		strcpy(launched.job, "local");
	tl_launcher_folder(folder, &launched);
}

static bool expand_pattern(struct job *job, char *path, const char *pattern)
{
	const struct tl_facts *facts = &job->trace->facts;
	char step[TL_LAUNCHER_FOLDER];

	step_of(facts, step);
	const struct tl_output_names names = {
		.pid = facts->pid,
		.rank = facts->has_rank ? facts->rank : -1,
		.step = step,
		.seconds = facts->realtime_ns / 1000000000u,
		.program = *facts->program ? facts->program : "unknown",
		.host = *facts->host ? facts->host : "unknown",
		.standard = TL_OUTPUT_STANDARD,
	};

	if (!tl_output_expand_for(path, TL_OUTPUT_PATH, pattern, &names))
		return false;
	/* A process that died early has not made its folder in that of its job. */
	if (strstr(pattern, "%R"))
		tl_output_make_job_folders(path);
	return true;
}

/* The name stands for a descriptor of the dead process. Here it would be another file. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/* The pattern by which the process would have named its file. */
static const char *own_pattern(const struct job *job)
{
	const char *pattern = job->wishes->fallback ? job->wishes->fallback : TL_OUTPUT_STANDARD;

	if (job->trace->has_output && *job->trace->output.pattern)
		pattern = job->trace->output.pattern;
	return is_descriptor(pattern) ? TL_OUTPUT_STANDARD : pattern;
}

/*
 * The user chose the place of another file, or keeps the buffers: then the next recovery is to make a
 * file of its own.
 */
static void output_note(struct job *job, bool anew)
{
	if (job->is_dead && !job->wishes->output && !job->wishes->keep)
		job->noted = output_note_put(job->leftover, &job->trace->output, &job->sink.output,
					     anew);
}

/* A new file by a pattern. */
static int output_open_new(struct job *job, const char *pattern)
{
	struct recovery *recovery = job->recovery;

	if (!expand_pattern(job, recovery->path, pattern))
		return ENAMETOOLONG;
	int error = trace_sink_adopt(&job->sink, recovery->path,
				     job->trace->facts.realtime_ns / 1000000000u, job->trace)
			    ? 0
			    : trace_sink_create(&job->sink, recovery->path, job->trace);

	if (!error)
		output_note(job, false);
	return error;
}

/*
 * The process's own file cannot be used: makes a new file of everything that is still in the
 * buffers.
 */
static int output_open_without(struct job *job, int error)
{
	struct recovery *recovery = job->recovery;

	memcpy(recovery->intended, job->trace->output.path, sizeof(recovery->intended));
	because(recovery, "%s", file_trouble(error));
	tl_trace_written_too(job->trace);
	if (is_descriptor(recovery->path) && !job->wishes->output &&
	    !expand_pattern(job, recovery->path, TL_OUTPUT_STANDARD))
		return ENAMETOOLONG;
	error = trace_sink_create(&job->sink, recovery->path, job->trace);
	if (!error)
		output_note(job, true);
	return error;
}

/* -o: what the process wrote itself comes first, if it can be had. */
static int output_open_wished(struct job *job)
{
	struct recovery *recovery = job->recovery;
	const struct tl_trace_output *output = &job->trace->output;

	if (!expand_pattern(job, recovery->path, job->wishes->output))
		return ENAMETOOLONG;
	if (!output->made || !output->slot.blocks)
		return trace_sink_create(&job->sink, recovery->path, job->trace);
	int error = trace_sink_copy(&job->sink, recovery->path, output, job->trace);

	return error ? output_open_without(job, error) : 0;
}

/* Go on with the process's own file, or make a new one beside it. */
static int output_open_own(struct job *job)
{
	struct recovery *recovery = job->recovery;
	const struct tl_trace_output *output = &job->trace->output;

	if (!output->made)
		return output_open_new(job, own_pattern(job));
	memcpy(recovery->path, output->path, sizeof(recovery->path));
	int error = is_descriptor(output->path)
			    ? ESPIPE
			    : trace_sink_continue(&job->sink, output, job->trace);

	return error ? output_open_without(job, error) : 0;
}

static bool open_sink(struct job *job)
{
	struct recovery *recovery = job->recovery;
	int error = job->wishes->output ? output_open_wished(job) : output_open_own(job);

	if (!error) {
		memcpy(recovery->path, job->sink.output.path, sizeof(recovery->path));
		return true;
	}
	because(recovery,
		"%s; the buffers are kept: give another file with `tracelayer recover -o FILE %u`",
		output_file_trouble(error), recovery->pid);
	return false;
}

/* ---- what goes there ---- */

static uint64_t end_of_unfinished(const struct job *job)
{
	const struct recovery_wishes *wishes = job->wishes;
	uint64_t last = job->trace->last, death = 0, now = UINT64_MAX;
	bool counter = job->trace->header.counter;
	struct timespec time;

	if (wishes->died && wishes->died == job->trace->header.pid)
		death = counter ? wishes->died_ticks : wishes->died_ns;
	/* A record that was damaged may speak of any time. */
	if (!job->elsewhere && !clock_gettime(CLOCK_MONOTONIC, &time))
		now = counter ? tl_counter() : time_ns(time);
	/* Our clock readings, in the process's time namespace. */
	if (!counter) {
		int64_t ahead = job->trace->header.time_offset - tl_proc_time_offset();
		death += death ? (uint64_t)ahead : 0;
		now += now != UINT64_MAX ? (uint64_t)ahead : 0;
	}
	last = death > last ? death : last;
	return last < now ? last : now;
}

static void put_lane(struct job *job, size_t index, uint64_t end)
{
	const struct tl_trace_lane *lane = &job->trace->lanes[index];

	if (!lane->nruns && !lane->nopens)
		return;
	struct trace_sink_taken taken = trace_sink_lane(&job->sink, index, end);
	job->recovery->unfinished += lane->nopens;
	job->recovery->recovered += taken.events;
	job->lost[index] += taken.lost;
	job->put[index] += taken.events + lane->nopens;
}

/* After an error the file has none of what the sink got. */
static void tell_lost(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost), void *to)
{
	const struct job *job = context;

	for (size_t i = 0; i < job->trace->nlanes; i++) {
		uint64_t lost = job->trace->lanes[i].lost + job->lost[i] +
				(job->sink.error ? job->put[i] : 0);
		if (lost)
			put(to, job->trace->lanes[i].shown, lost);
	}
}

static uint64_t count_lost(const struct job *job)
{
	uint64_t lost = job->trace->lost +
			(job->recovery->intended[0] ? 0 : job->trace->output.slot.dropped);

	for (size_t i = 0; i < job->trace->nlanes; i++)
		lost += job->lost[i];
	return lost;
}

/* None of the records can be read, so there is nothing to write; the buffers stay. */
static bool job_is_hopeless(const struct job *job)
{
	uint64_t unreadable = 0;

	for (size_t i = 0; i < job->trace->nlanes; i++)
		unreadable += job->lost[i];
	return unreadable && !job->recovery->recovered && !job->recovery->unfinished;
}

static enum recovery_result write_trace(struct job *job)
{
	struct recovery *recovery = job->recovery;
	struct tl_totals totals = {.lost_by_thread = tell_lost,
				   .context = job,
				   .overwritten = job->trace->overwritten};
	uint64_t end = end_of_unfinished(job);

	job->lost = need(calloc(job->trace->nlanes + 1, sizeof(*job->lost)));
	job->put = need(calloc(job->trace->nlanes + 1, sizeof(*job->put)));
	trace_sink_begin(&job->sink);
	for (size_t i = 0; i < job->trace->nlanes; i++)
		put_lane(job, i, end);
	recovery->lost = totals.lost = count_lost(job);
	if (job_is_hopeless(job))
		job->sink.error = EBADMSG;
	int error = trace_sink_end(&job->sink, end, &totals);

	recovery->events = totals.events;
	free(job->lost);
	free(job->put);
	trace_sink_close(&job->sink);
	if (error && job->noted)
		output_note_drop(job->leftover, &job->trace->output);
	if (error == EBADMSG)
		because(recovery,
			"none of its %llu records can be read; delete it if you don't need it",
			(unsigned long long)recovery->lost);
	else if (error)
		because(recovery,
			"%s; the buffers are kept: make room there, or give another file with `tracelayer recover -o FILE %u`",
			output_file_trouble(error), recovery->pid);
	return !error ? RECOVERY_WRITTEN : error == EBADMSG ? RECOVERY_BROKEN : RECOVERY_FAILED;
}

/* ---- one file ---- */

static bool is_worth_writing(const struct tl_trace *trace)
{
	if (trace->output.made && trace->output.slot.blocks)
		return true; /* if only for its end */
	if (trace->lost)
		return true;
	for (size_t i = 0; i < trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];
		struct tl_trace_place place = {0};

		if (lane->nopens)
			return true;
		for (size_t run = 0; run < lane->nruns; run++, memset(&place, 0, sizeof(place)))
			if (tl_trace_next(&trace->runs[lane->first_run + run], &place) ||
			    place.unsound)
				return true;
	}
	return false;
}

static void take_problems(struct recovery *recovery, struct tl_trace *trace)
{
	recovery->problems = need(calloc(trace->nproblems + 1, sizeof(char *)));
	for (size_t i = 0; i < trace->nproblems; i++)
		recovery->problems[recovery->nproblems++] = need(strdup(trace->problems[i]));
}

static enum recovery_result recover_trace(struct job *job)
{
	struct recovery *recovery = job->recovery;
	struct tl_trace *trace = job->trace;

	recovery->pid = trace->facts.pid;
	memcpy(recovery->program, trace->facts.program, sizeof(recovery->program));
	if (!is_worth_writing(trace))
		return RECOVERY_NOTHING;
	tl_trace_clock_now(trace);
	if (!open_sink(job))
		return RECOVERY_FAILED;
	return write_trace(job);
}

/* The process had started, and last written, when this machine had not yet booted. */
static bool trace_is_before_boot(const struct leftover *leftover, const struct tl_trace *trace)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_BOOTTIME, &up))
		return false;
	/* To the nanosecond: whole seconds can put the boot a second too early. */
	uint64_t boot = time_ns(now) - time_ns(up);

	return trace->facts.realtime_ns < boot && time_ns(leftover->stat.st_mtim) < boot;
}

/*
 * Made on this machine before it was started again. Another machine may have the same name. What
 * that one has written since this machine booted is not taken.
 */
static bool trace_is_from_here(const struct leftover *leftover, const struct tl_trace *trace)
{
	struct utsname here;

	return leftover->elsewhere && *trace->facts.host && !uname(&here) &&
	       !strcmp(here.nodename, trace->facts.host) && trace_is_before_boot(leftover, trace);
}

static enum recovery_result recover_claimed(struct leftover *leftover, struct job *job)
{
	struct recovery *recovery = job->recovery;

	char fault[RECOVERY_WHY / 2];

	job->is_dead = recovery->state == LEFTOVER_OURS;
	if (leftover->unbegun || (job->is_dead && leftover->header.state == TL_FILE_DONE))
		return RECOVERY_NOTHING;
	job->trace = tl_trace_open_fd(leftover->fd, fault, sizeof(fault));
	if (!job->trace) {
		because(recovery, "%s; delete it if you don't need it", fault);
		return RECOVERY_BROKEN;
	}
	enum recovery_result result = RECOVERY_LEFT;

	job->elsewhere = leftover->elsewhere;
	job->is_dead |= trace_is_from_here(leftover, job->trace);
	if (job->is_dead && leftover->header.state == TL_FILE_DONE)
		result = RECOVERY_NOTHING;
	else if (job->is_dead || job->wishes->foreign)
		result = recover_trace(job);
	else
		because(recovery,
			"it cannot be seen from here whether its process still runs; recover it where the process ran (on %s), or give its path",
			*job->trace->facts.host ? job->trace->facts.host : "another machine");
	take_problems(recovery, job->trace);
	tl_trace_close(job->trace);
	return result;
}

/* Says what a file is that is not a buffers file. `room`: bytes for the words. */
static void name_alien(const struct leftover *leftover, char *what, size_t room)
{
	const struct tl_file_header *header = &leftover->header;
	uint64_t size = (uint64_t)leftover->stat.st_size;
	const char *it =
		"it is not a buffers file of a traced process, so it stays; `tracelayer recover` lists the buffers files";

	if (memcmp(header->magic, TL_FILE_MAGIC, sizeof(header->magic)))
		;
	else if (size < sizeof(*header) ||
		 (header->kind == TL_FILE_SPOOL && size < header->header_size))
		it = "it ends within its header, so it is a part of a file; delete it if you don't need it";
	else if (header->byte_order == __builtin_bswap32(TL_FILE_BYTE_ORDER))
		it = "it was made on a machine with the other byte order; recover it there";
	else if (header->version != TL_FILE_VERSION)
		it = "it has another version of the record format; recover it with the tracelayer that made it";
	else if (header->kind == TL_FILE_SPOOL)
		it = "it is already a trace, not a buffers file; convert it with `tracelayer export`";
	else
		it = "its beginning is damaged; delete it if you don't need it";
	snprintf(what, room, "%s", it);
}

/*
 * Deletes only a file that its own header shows to be tracelayer's, or that the program which we
 * ran has reported.
 */
static enum recovery_result judge_alien(const struct leftover *leftover,
					const struct recovery_wishes *wishes,
					struct recovery *recovery)
{
	if (wishes->told && !leftover->stat.st_size) {
		struct stat now;

		if (!lstat(leftover->path, &now) && leftover_is_file(leftover, &now) &&
		    !now.st_size)
			unlink(leftover->path);
		return RECOVERY_NOTHING;
	}
	name_alien(leftover, recovery->why, sizeof(recovery->why));
	return RECOVERY_BROKEN;
}

enum recovery_result recover_buffers(const char *path, const struct recovery_wishes *wishes,
				     struct recovery *recovery)
{
	struct leftover leftover;
	struct job job = {.wishes = wishes, .leftover = &leftover, .recovery = recovery};

	memset(recovery, 0, sizeof(*recovery));
	/* A limit for files is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	recovery->state = leftover_claim(path, &leftover);
	recovery->pid = leftover.pid;
	recovery->confined = leftover.header.recording == TL_FILE_CONFINED;
	if (recovery->state == LEFTOVER_UNREADABLE)
		because(recovery, "%s", strerror(leftover.error));
	if (recovery->state == LEFTOVER_ALIEN)
		return judge_alien(&leftover, wishes, recovery);
	if (recovery->state != LEFTOVER_OURS && recovery->state != LEFTOVER_UNCLEAR)
		return RECOVERY_LEFT;
	enum recovery_result result = recover_claimed(&leftover, &job);

	if (result == RECOVERY_WRITTEN && !job.is_dead)
		say("%s: cannot see from here whether its process still runs, so the file stays; delete it when the process has ended",
		    leftover.path);
	else if ((result == RECOVERY_WRITTEN || result == RECOVERY_NOTHING) && !wishes->keep) {
		int error = leftover_delete(&leftover);
		if (error)
			say("%s: %s; delete it yourself, or it will be recovered again",
			    leftover.path, strerror(error));
	}
	leftover_release(&leftover);
	return result;
}

void recovery_say_problems(const char *path, const struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->nproblems; i++) {
		if (i == PROBLEMS_SAID) {
			say("%s: and %zu more problems", path, recovery->nproblems - i);
			return;
		}
		say("%s: %s", path, recovery->problems[i]);
	}
}

void recovery_forget(struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->nproblems; i++)
		free(recovery->problems[i]);
	free(recovery->problems);
	memset(recovery, 0, sizeof(*recovery));
}
