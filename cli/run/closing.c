/* SPDX-License-Identifier: MIT */
/*
 * closing.c: see closing.h. Reads what the layer reported (layer_reports.h), recovers what dead
 * processes left, and makes one line of both.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/outputs/outputs.h"
#include "cli/recover/recover.h"
#include "cli/apis/apis.h"
#include "cli/run/closing.h"
#include "cli/run/layer_reports.h"
#include "cli/run/left_running.h"
#include "common/launcher.h"
#include "common/places.h"
#include "common/run_protocol.h"
#include "common/tool_list.h"

/* ---- recovering ---- */

/* The path, relative to the working directory if it lies there. */
static const char *from_here(const char *path)
{
	static char here[PATH_MAX];
	size_t length;

	if (!here[0] && !getcwd(here, sizeof(here)))
		return path;
	length = strlen(here);
	return !strncmp(path, here, length) && path[length] == '/' && path[length + 1]
		       ? path + length + 1
		       : path;
}

/*
 * How long to wait for processes that the program started: they may be about to die of the same
 * cause.
 */
#define LIVING_MS 50
/* The same for processes that are dying, when a launcher is about to kill this command. */
#define URGENT_MS 400

static void note_recovered(struct reports *reports, const struct recovery *recovery)
{
	struct trace *trace =
		reports_trace(reports, (pid_t)recovery->pid, recovery->path, ULLONG_MAX);

	if (*recovery->intended)
		say("%s: %s; %s has what could be recovered", from_here(recovery->intended),
		    recovery->why, recovery->path);
	recovery_say_problems(from_here(recovery->path), recovery);
	trace->finished = trace->recovered = true;
	reports->recovered = true;
	trace->events = recovery->events;
	trace->lost = recovery->lost;
	trace->recovered_events = recovery->recovered;
	trace->unfinished = recovery->unfinished;
}

/* What could not be written is not lost. */
static void note_kept(struct reports *reports, const char *path)
{
	reports->kept = true;
	for (size_t i = 0; i < reports->count; i++)
		if (!strcmp(reports->traces[i].path, path))
			reports->traces[i].kept = true;
}

/* Returns the longest time to wait for its process; 0: the file is done. */
static int recover_reported_file(struct reports *reports, const char *path,
				 const struct recovery_wishes *wishes)
{
	struct recovery recovery;
	int wait = 0;

	switch (recover_buffers(path, wishes, &recovery)) {
	case RECOVERY_WRITTEN:
		note_recovered(reports, &recovery);
		break;
	case RECOVERY_NOTHING:
		break;
	case RECOVERY_LEFT:
		if (recovery.state == LEFTOVER_LIVE)
			wait = leftover_is_dying(recovery.pid) ? LEFTOVER_DYING_MS : LIVING_MS;
		break;
	case RECOVERY_BROKEN:
		say("%s: %s", path, recovery.why);
		break;
	case RECOVERY_FAILED:
		note_kept(reports, recovery.path);
		say("%s%s: %s", reports->count ? "" : "no trace: ", from_here(recovery.path),
		    recovery.why);
		break;
	}
	/* It could not report that, since it had left the folder's root. */
	reports->confined |= recovery.confined;
	recovery_forget(&recovery);
	return wait;
}

/*
 * Recovers the buffers of dead processes, and waits for those that are just dying. Buffers of live
 * processes stay.
 */
static void recover_reported(struct reports *reports, const struct ending *ending,
			     const struct tl_config *config)
{
	const struct recovery_wishes wishes = {
		.fallback = config->output,
		.told = true,
		.died = (uint32_t)ending->pid,
		.died_ticks = ending->died_ticks,
		.died_ns = ending->died_ns,
	};
	int patience = LIVING_MS;

	for (int waited = 0; waited < patience; waited += 10) {
		patience = 0;
		if (waited)
			nanosleep(&(struct timespec){0, 10000000}, NULL);
		for (size_t i = 0; i < reports->buffers_count; i++) {
			if (!reports->buffers[i])
				continue;
			int wait = recover_reported_file(reports, reports->buffers[i], &wishes);
			if (wait > URGENT_MS && launch_is_urgent())
				wait = URGENT_MS;
			patience = wait > patience ? wait : patience;
			if (wait)
				continue;
			free(reports->buffers[i]);
			reports->buffers[i] = NULL;
		}
	}
}

/* ---- saying ---- */

static const char *count_text(uint64_t count, const char *what, char *text, size_t size)
{
	snprintf(text, size, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
	return text;
}

/* The facts of one trace, to print after its path. */
static void describe_trace(FILE *to, const struct reports *reports, const struct trace *trace)
{
	char count[64];

	if (trace->finished) {
		fprintf(to, " (%s", count_text(trace->events, "event", count, sizeof(count)));
		if (trace->kept)
			fprintf(to, ", the others are kept");
		else if (trace->lost)
			fprintf(to, ", %llu lost", (unsigned long long)trace->lost);
		/* It may have had all but its end. */
		if (trace->recovered && trace->recovered_events)
			fprintf(to, ", %llu recovered",
				(unsigned long long)trace->recovered_events);
		if (trace->unfinished)
			fprintf(to, ", %s unfinished",
				count_text(trace->unfinished, "call", count, sizeof(count)));
		fputc(')', to);
	} else if (reports->failed && !strcmp(reports->failed, trace->path)) {
		fprintf(to, " (incomplete)");
	} else if (!kill(trace->pid, 0) || errno == EPERM) {
		fprintf(to, " (process %d is still writing it)", (int)trace->pid);
	} else {
		fprintf(to,
			" (cut short: the process was killed, and what it had not written could not be recovered)");
	}
}

/*
 * Up to so many files of one process are named one by one. Of more files (--split makes them) only
 * the first and the last are named.
 */
#define NAMED 4

/* Of so many traces each is named; of more, those that there is more to say of than events. */
#define LISTED 100

/* Files of one process that follow each other, all with their ends. */
static size_t count_split(const struct reports *reports, size_t first)
{
	const struct trace *traces = reports->traces;
	size_t count = 0;

	while (first + count < reports->count && traces[first + count].pid == traces[first].pid &&
	       traces[first + count].finished)
		count++;
	return count;
}

static void describe_split(FILE *to, const struct reports *reports, size_t first, size_t count)
{
	struct trace sum = {.finished = true};

	fprintf(to, "%s to ", from_here(reports->traces[first].path));
	fprintf(to, "%s", from_here(reports->traces[first + count - 1].path));
	for (size_t i = first; i < first + count; i++) {
		const struct trace *trace = &reports->traces[i];
		sum.events += trace->events;
		sum.lost += trace->lost;
		sum.kept |= trace->kept;
		sum.recovered |= trace->recovered;
		sum.recovered_events += trace->recovered_events;
		sum.unfinished += trace->unfinished;
	}
	describe_trace(to, reports, &sum);
}

/* Something is to be said of it beyond its events. */
static bool is_remarkable(const struct trace *trace)
{
	return !trace->finished || trace->lost || trace->kept || trace->recovered ||
	       trace->unfinished;
}

/* The name of what `first` begins, and its facts. Returns how many files that are. */
static size_t describe_next(FILE *to, const struct reports *reports, size_t first)
{
	size_t count = count_split(reports, first);

	if (count > NAMED) {
		describe_split(to, reports, first, count);
		return count;
	}
	fputs(from_here(reports->traces[first].path), to);
	describe_trace(to, reports, &reports->traces[first]);
	return 1;
}

static bool has_trace(const struct reports *reports, pid_t pid)
{
	for (size_t i = 0; i < reports->count; i++)
		if (reports->traces[i].pid == pid)
			return true;
	return false;
}

/* Processes that live on and have recorded calls, but have no file yet. What is left in .buffers is theirs. */
static void describe_living(FILE *to, const struct reports *reports)
{
	uint32_t pid, first = 0;
	size_t count = 0;

	for (size_t i = 0; i < reports->buffers_count; i++) {
		const char *name = reports->buffers[i] ? strrchr(reports->buffers[i], '/') : NULL;

		if (!name || !tl_places_is_buffers(name + 1, &pid) ||
		    has_trace(reports, (pid_t)pid))
			continue;
		if (!count++)
			first = pid;
	}
	if (count == 1)
		fprintf(to, "; process %u still runs and writes its trace itself", first);
	else if (count)
		fprintf(to, "; %zu processes still run and write their traces themselves", count);
}

static void say_traces(const struct reports *reports)
{
	char *line = NULL;
	size_t size = 0, said = 0, more = 0;
	struct trace rest = {.finished = true};
	FILE *to = need(open_memstream(&line, &size));

	if (reports->count == 1)
		fprintf(to, "trace: ");
	else
		fprintf(to, "%zu traces: ", reports->count);
	for (size_t i = 0; i < reports->count;) {
		const struct trace *trace = &reports->traces[i];

		if (said >= LISTED && !is_remarkable(trace)) {
			rest.events += trace->events;
			more++;
			i++;
			continue;
		}
		fputs(said++ ? ", " : "", to);
		i += describe_next(to, reports, i);
	}
	if (more) {
		fprintf(to, ", and %zu more", more);
		describe_trace(to, reports, &rest);
	}
	describe_living(to, reports);
	fclose(to);
	/* There may be many files. */
	say_whole(line);
	free(line);
}

static const char *output_remedy(int error)
{
	return output_file_remedy(error, error == ENOSPC || error == EDQUOT
						 ? "make room there, or give another file with -o"
						 : "give another file with -o");
}

static void say_no_memory(const struct reports *reports)
{
	const char *none = reports->count ? "" : "no trace: ";
	uint64_t lost = 0;

	for (size_t i = 0; i < reports->short_count; i++)
		lost += reports->shorts[i].lost;
	if (lost)
		say("%sthere was no memory for event buffers, and %llu event%s lost; raise the limit (ulimit -v), or lower --memory",
		    none, (unsigned long long)lost, lost == 1 ? " is" : "s are");
	else
		say("%sthere was no memory for event buffers; raise the limit (ulimit -v), or lower --memory",
		    none);
}

static void say_libc(const struct program *program, const char *what, const char *file)
{
	if (*program->loader)
		say("no trace: %s%s is started by %s, the dynamic linker of another C library or of a glibc that is too old, so it ran without "
		    "libtracelayer.so; link it with this machine's glibc",
		    what, file, program->loader);
	else
		say("no trace: %s%s is the dynamic linker of another C library, so what it starts ran without libtracelayer.so; link the program with "
		    "this machine's glibc",
		    what, file);
}

/* The program can't have loaded the layer: its file says why. Returns false where the file says
 * nothing of the kind. */
static bool say_nature(const struct program *program)
{
	const char *what = program->script ? "its interpreter " : "";
	const char *file = program->script ? program->file : program->path;

	switch (program->nature) {
	case TL_PROGRAM_STATIC:
		say("no trace: %s%s is statically linked, so nothing can be preloaded; link it dynamically",
		    what, file);
		return true;
	case TL_PROGRAM_FOREIGN:
		say("no trace: %s%s is for %s and this tracelayer is not; use a tracelayer built for that",
		    what, file, program->machine);
		return true;
	case TL_PROGRAM_PRIVILEGED:
		say("no trace: %s%s is set-user-id or has file capabilities, so preloading is ignored; run a copy without them, or "
		    "run it as its owner",
		    what, file);
		return true;
	case TL_PROGRAM_LIBC:
		say_libc(program, what, file);
		return true;
	default:
		return false;
	}
}

/* The report's lines are in common/run_protocol.h. */
static void say_bypassed(const char *report)
{
	int driver = (int)strcspn(report, "\n");
	const char *loader = report + driver + (report[driver] != 0);
	int length = (int)strcspn(loader, "\n");
	const char *api = loader + length + (loader[length] != 0);

	if (*api)
		say("no trace: the program uses %.*s, which is not traced; add --api=%s, or see tracelayer apis",
		    driver, report, api);
	else
		/*
		 * It may be a driver, or a loader under another name. Such a loader may also be
		 * what takes functions from a driver.
		 */
		say("no trace: the program, or a library of it, takes functions from %.*s itself, and tracelayer traces those of %.*s; let it open "
		    "%.*s",
		    driver, report, length, loader, length, loader);
}

/* The API's headers may be missing, so the other way is said, too. */
static void say_unshimmed(const char *library)
{
	char *api = interposer_api_of(library);

	if (api)
		say("no trace: the program uses %s, which is not traced; add --api=%s, or --lib=%s without its headers",
		    library, api, library);
	else
		say("no trace: the program uses %s, which is not traced; add --lib=%s, or see tracelayer apis",
		    library, library);
	free(api);
}

/*
 * A program could not read an interposer. Whether it calls that library is not known. Returns false
 * where none was like that.
 */
static bool say_unreadable(const struct reports *reports, const char *head)
{
	const char *program = reports->unreadable ? strchr(reports->unreadable, '\n') : NULL;

	if (!program)
		return false;
	say("%s%s could not read %.*s; if it calls that library, these calls are missing: set XDG_CACHE_HOME to a folder that it can read",
	    head, program + 1, (int)(program - reports->unreadable), reports->unreadable);
	return true;
}

/* By convention: what starts programs could not start one. The program may end so, too. */
static bool ended_unstarted(const struct ending *ending)
{
	return WIFEXITED(ending->status) && WEXITSTATUS(ending->status) >= 125 &&
	       WEXITSTATUS(ending->status) <= 127;
}

/* No report may have come out of it. Whether it has started a program is not known. */
static void say_sandbox(const char *sandbox, const struct ending *ending)
{
	if (ended_unstarted(ending))
		say("no trace: no call was reported; %s could not start a program, or that ended with code %d",
		    sandbox, WEXITSTATUS(ending->status));
	else
		say("no trace: no call was reported; if %s has started a program with a root of its own, tracelayer hears of no call in there: "
		    "start it after %s: %s … tracelayer run -- …",
		    sandbox, sandbox, sandbox);
}

static bool memory_is_limited(void)
{
	struct rlimit addresses, data;

	return (!getrlimit(RLIMIT_AS, &addresses) && addresses.rlim_cur != RLIM_INFINITY) ||
	       (!getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY);
}

/* The program's code is 127, which need not mean anything. */
static void say_not_found(const struct reports *reports)
{
	const char *raise = memory_is_limited()
				    ? "; memory is limited (ulimit -v, ulimit -d): raise the limit"
				    : "";

	say("no trace: %s, and the program ended with code 127, which is also what shells and the dynamic linker give where a program or a library can't be loaded%s",
	    reports->loaded ? "no call was made into an API that tracelayer has shims for"
			    : "libtracelayer.so was not loaded",
	    raise);
}

/*
 * A daemon, or what a shell left in the background. Returns false where there is none, or where only the
 * first process is traced.
 */
static bool say_left_running(const struct tl_config *config, const struct reports *reports)
{
	const char *folder = getenv(TL_REPORT_VARIABLE);
	char more[32] = "";

	if (!reports->loaded || !config->follow || !folder)
		return false;

	struct left_running left = left_running_find(TL_REPORT_VARIABLE, folder);

	if (!left.count)
		return false;
	if (left.count > 1)
		snprintf(more, sizeof(more), " and %zu more", left.count - 1);
	say("no trace yet: the program has ended, but process %d (%s)%s that it started still %s",
	    (int)left.pid, left.name, more,
	    left.count > 1 ? "run; if they make calls, they write their traces themselves"
			   : "runs; if it makes calls, it writes its trace itself");
	return true;
}

static void say_why_none(const struct program *program, const struct ending *ending,
			 const struct tl_config *config, const struct reports *reports)
{
	/*
	 * A program on the way to it (env, a shell) may have loaded the layer; that does not
	 * matter.
	 */
	if (!reports->called && say_nature(program))
		return;
	if (reports->kept)
		return;
	if (reports->failed)
		say("no trace: %s: %s; %s", from_here(reports->failed),
		    output_file_trouble(reports->error), output_remedy(reports->error));
	else if (config->level == TL_LEVEL_NONE && reports->called &&
		 (*config->tools || config->summary))
		; /* no message: the tools did the work */
	else if (config->level == TL_LEVEL_NONE)
		say("no trace: the level is none; give another with --level");
	else if (reports->no_memory)
		say_no_memory(reports);
	else if (reports->recorded && say_left_running(config, reports))
		; /* say_left_running has printed it */
	else if (reports->recorded && WIFSIGNALED(ending->status))
		say("no trace: the program was killed by signal %d (%s) before anything was written",
		    WTERMSIG(ending->status), strsignal(WTERMSIG(ending->status)));
	else if (reports->recorded)
		say("no trace: the program ended by a system call of its own before anything was written; let it end by exit or _exit");
	else if (reports->called && (config->paused || config->window.repeats))
		say("no trace: recording was paused all the time; resume it with tracelayer resume, or see --window");
	else if (reports->called)
		say("no trace: the program called %s, but every call is filtered out; see --level, --include and --exclude",
		    reports->called);
	else if (reports->confined)
		say("no trace: the program confined itself, before its first call, by a seccomp filter that forbids what recording needs; see "
		    "Limits in tracelayer's README");
	else if (images_say(&reports->images, ending->pid, true))
		; /* images_say has printed the reason */
	else if (reports->preceded)
		say("no trace: no call reached libtracelayer.so: %s comes before it in LD_PRELOAD and has functions of the same names; let "
		    "what preloads that start tracelayer run",
		    reports->preceded);
	else if (reports->bypassed)
		say_bypassed(reports->bypassed);
	else if (reports->unshimmed)
		say_unshimmed(reports->unshimmed);
	else if (say_unreadable(reports, "no trace: ") || say_left_running(config, reports))
		; /* likewise */
	else if (reports_have_folder() &&
		 (reports_are_hidden() || images_mounted(&reports->images)))
		say("no trace: no call was reported; if a mount has hidden %s, where programs report their calls, set TMPDIR to a folder that stays",
		    reports_place());
	else if (images_sandbox(&reports->images))
		say_sandbox(images_sandbox(&reports->images), ending);
	else if (WIFEXITED(ending->status) && WEXITSTATUS(ending->status) == 127)
		say_not_found(reports);
	else if (reports->loaded && WIFSIGNALED(ending->status))
		say("no trace: the program was killed by signal %d (%s) before its first call into an API that tracelayer has shims for",
		    WTERMSIG(ending->status), strsignal(WTERMSIG(ending->status)));
	else if (reports->loaded)
		say("no trace: the program made no call into an API that tracelayer has shims for%s",
		    !config->follow ? "; what it started was not traced, see --follow"
		    : tl_launcher_is(program->path)
			    ? ", nor did what it started on this machine; a launcher's own calls are not recorded, see --follow"
			    : "");
	else if (!reports_have_folder())
		say("the trace's name is not known: no folder for reports could be made; set TMPDIR to a folder that can be written to");
	else
		say("no trace: libtracelayer.so did not begin in %s: the program ended while its libraries were initialised, or something clears "
		    "LD_PRELOAD",
		    program->path);
}

static int compare_traces(const void *a, const void *b)
{
	const struct trace *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	if (x->created != y->created)
		return x->created > y->created ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* There is nothing that a user would want to know of. */
static bool traces_are_whole(const struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		const struct trace *trace = &reports->traces[i];

		if (!trace->finished || trace->lost || trace->recovered || trace->unfinished)
			return false;
	}
	return true;
}

/* Whether the file lies in FOLDER/HOST. */
static bool path_is_in(const char *path, const char *folder, size_t length)
{
	return !strncmp(path, folder, length) && path[length] == '/';
}

/* Length of the step's folder in the path of a file in a job's folder. */
static size_t step_length(const char *path)
{
	size_t length = strlen(path);

	for (int slashes = 0; length && slashes < 2; slashes += path[length] == '/')
		length--;
	return length;
}

/* One line for all processes of the job that were started here. False: they are not of one step. */
static bool say_job(const struct reports *reports, const struct run_job *job)
{
	const char *folder = reports->traces[0].path;
	size_t length = step_length(folder);
	char who[96] = "", count[64], traces[64] = "";
	uint64_t events = 0;

	for (size_t i = 0; i < reports->count; i++) {
		if (!path_is_in(reports->traces[i].path, folder, length))
			return false;
		events += reports->traces[i].events;
	}
	if (job->launched.rank >= 0 && job->launched.size > 0)
		snprintf(who, sizeof(who), ", rank %lld of %lld", (long long)job->launched.rank,
			 (long long)job->launched.size);
	else if (job->launched.rank >= 0)
		snprintf(who, sizeof(who), ", rank %lld", (long long)job->launched.rank);
	if (reports->count > 1)
		snprintf(traces, sizeof(traces), "%zu traces, ", reports->count);
	folder = from_here(folder);
	length = step_length(folder);
	say("job: %.*s%s: %s%s", (int)length, folder, who, traces,
	    count_text(events, "event", count, sizeof(count)));
	return true;
}

/* The sums of all traces, and with --summary the job's table. */
static void end_job(const struct reports *reports, const struct run_job *job)
{
	for (size_t i = 0; i < reports->count; i++)
		if (reports->traces[i].finished)
			run_job_sum(job, reports->traces[i].path);
	char *step = need(strdup(reports->traces[0].path));

	step[step_length(step)] = 0;
	run_job_end(job, step);
	free(step);
}

/* The program itself did something wrong. Launchers kill ranks with other signals than these. */
static bool ended_by_fault(const struct ending *ending)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (WIFSIGNALED(ending->status) && WTERMSIG(ending->status) == faults[i])
			return true;
	return false;
}

/*
 * There is no trace, since no call was recorded, and no fault is to blame. One rank of a job tells
 * the user of that.
 */
static bool nothing_is_normal(const struct program *program, const struct ending *ending,
			      const struct tl_config *config, const struct reports *reports)
{
	return !ended_by_fault(ending) && program->nature == TL_PROGRAM_DYNAMIC &&
	       reports->loaded && !reports->failed && !reports->no_memory && !reports->kept &&
	       !reports->recorded && config->level != TL_LEVEL_NONE;
}

/*
 * A process could not write its trace, and all that it had recorded was recovered here. This happens
 * where a process that was root became another user, and could not write into root's folder.
 */
static bool failure_is_mended(const struct reports *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		const struct trace *trace = &reports->traces[i];

		if (!strcmp(trace->path, reports->failed))
			return trace->finished && trace->recovered && !trace->lost;
	}
	return false;
}

/*
 * Whether a tool is loaded that has something to say at a process's end. The log has said all. `sums`: a
 * trace says that, too.
 */
static bool tools_have_end(const struct tl_config *config, bool *sums)
{
	const char *list = config->tools;
	struct tl_tool_item item;
	bool others = false;

	*sums = config->summary;
	while (tl_tools_next(&list, &item)) {
		bool is_summary = !strcmp(item.name, "summary");

		*sums |= is_summary;
		others |= !is_summary && strcmp(item.name, "log") != 0;
	}
	return *sums || others;
}

/* The process is gone, and the layer in it has not seen it go. */
static bool tooled_was_cut(const struct tooled *tooled, const struct ending *ending)
{
	return tooled->loaded > tooled->ended &&
	       (tooled->pid == ending->pid || (kill(tooled->pid, 0) && errno == ESRCH));
}

/* If a signal ended the program, the user knows. Of what it started, `run` does not. */
static void say_tools_cut(const struct reports *reports, const struct ending *ending,
			  const struct tl_config *config)
{
	const struct tooled *cut = NULL;
	bool sums;

	for (size_t i = 0; i < reports->tooled_count; i++)
		if (tooled_was_cut(&reports->tooled[i], ending) &&
		    (!cut || reports->tooled[i].pid == ending->pid))
			cut = &reports->tooled[i];
	if (cut && !reports->confined && !WIFSIGNALED(ending->status) &&
	    tools_have_end(config, &sums))
		say("%s ended by %sa system call of its own, as Go's programs do, so its tools could not report at the end%s",
		    cut->program, cut->pid == ending->pid ? "" : "a signal, or by ",
		    sums ? "; record a trace, and give it to tracelayer summary" : "");
}

int closing_prepare(void)
{
	return reports_make_folder();
}

void closing_line(const struct program *program, const struct ending *ending,
		  const struct tl_config *config, const struct run_job *job, bool speak)
{
	struct reports reports = {0};

	reports_read(&reports);
	recover_reported(&reports, ending, config);
	if (reports.count)
		qsort(reports.traces, reports.count, sizeof(struct trace), compare_traces);
	if (reports.count && reports.failed && !reports.kept && !failure_is_mended(&reports))
		say("%s: %s, so events are missing; %s", from_here(reports.failed),
		    output_file_trouble(reports.error), output_remedy(reports.error));
	if (reports.count && reports.no_memory)
		say_no_memory(&reports);
	if (reports.count && reports.confined)
		say("the program confined itself by a seccomp filter that forbids what recording needs, so its trace ends there; see Limits in "
		    "tracelayer's README");
	if (reports.count) {
		images_say(&reports.images, ending->pid, false);
		say_unreadable(&reports, "");
		if (!traces_are_whole(&reports))
			say_traces(&reports);
		else if (speak && !(*config->job && say_job(&reports, job)))
			say_traces(&reports);
	} else if (speak || !nothing_is_normal(program, ending, config, &reports)) {
		say_why_none(program, ending, config, &reports);
	}
	if (speak || !*config->job)
		say_tools_cut(&reports, ending, config);
	if (*config->job && reports.count)
		end_job(&reports, job);
	else if (*config->job && config->level != TL_LEVEL_NONE)
		run_job_nothing(job);
	/* Root's programs may become other users, who can't delete what root made. */
	leftover_remove(reports.recovered || !geteuid());
	reports_free(&reports);
}

void closing_drop(void)
{
	struct reports nothing = {0};

	reports_read(&nothing);
	reports_free(&nothing);
}
