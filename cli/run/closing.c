/* SPDX-License-Identifier: MIT */
/*
 * closing.c: see closing.h. Reads what the layer reported (common/run_protocol.h), one link at a
 * time, and makes one sentence of it.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/closing.h"
#include "cli/basics/basics.h"
#include "cli/run/started_images.h"
#include "cli/outputs/outputs.h"
#include "cli/recover/recover.h"
#include "common/launcher.h"
#include "common/places.h"
#include "common/run_protocol.h"
#include "format/file/trace_file.h"

/* One trace file, as far as it is known. */
struct trace {
	pid_t pid;
	char *path;
	/* number of the first report on it: a process's files in their order */
	unsigned long long created;
	unsigned long long number; /* of the report that the rest is from */
	bool finished;
	uint64_t events, lost;
	bool recovered; /* here: this many calls, and those that had not returned */
	uint64_t recovered_events, unfinished;
};

/* A process that had no memory for event buffers. */
struct short_of_memory {
	pid_t pid;
	uint64_t lost;
};

struct reports {
	bool no_memory; /* of some process */
	struct short_of_memory *shorts;
	size_t short_count;
	struct images images;
	struct trace *traces;
	size_t count;
	char **buffers; /* files that processes made */
	size_t buffers_count;
	bool loaded;   /* the layer got into some process */
	bool confined; /* a process confined itself, so that recording ended */
	bool recorded; /* some call was not filtered out */
	bool kept;     /* buffers, since the trace could not be written: which has been said */
	char *called, *unshimmed, *failed;
	int error; /* of .failed */
};

static char outer[PATH_MAX]; /* where `folder` lies; "": in a public place */
static char folder[PATH_MAX];

/*
 * Only root's programs can become another user. They need a folder that such a user can write, and
 * then nobody else may know its name: it is in one that can be passed through but not listed.
 */
static bool open_to_others(void)
{
	unsigned char secret[16];
	char *at = folder + strlen(folder);

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return false;
	strcpy(outer, folder);
	*at++ = '/';
	for (size_t i = 0; i < sizeof(secret); i++)
		at += sprintf(at, "%02x", secret[i]);
	/* Not by mkdir's mode, which the umask cuts. */
	if (!mkdir(folder, 0700) && !chmod(folder, 01733) && !chmod(outer, 0711))
		return true;
	rmdir(folder);
	strcpy(folder, outer);
	*outer = '\0';
	return false;
}

void closing_prepare(void)
{
	const char *wanted = getenv("TMPDIR");
	const char *places[] = {wanted && *wanted == '/' ? wanted : "/tmp", "/tmp", "/dev/shm"};

	unsetenv(TL_REPORT_VARIABLE);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (snprintf(folder, sizeof(folder), "%s/tracelayer-run-XXXXXX", places[i]) >= 200)
			continue; /* longer than the layer takes */
		if (mkdtemp(folder)) {
			if (!geteuid())
				open_to_others();
			setenv(TL_REPORT_VARIABLE, folder, 1);
			return;
		}
	}
	folder[0] = '\0';
}

/* ---- reading ---- */

static struct trace *trace_at(struct reports *reports, pid_t pid, const char *path,
			      unsigned long long number)
{
	for (size_t i = 0; i < reports->count; i++) {
		struct trace *known = &reports->traces[i];
		if (known->pid != pid || strcmp(known->path, path))
			continue;
		if (number < known->created)
			known->created = number;
		return known;
	}
	reports->traces =
		need(reallocarray(reports->traces, reports->count + 1, sizeof(struct trace)));
	struct trace *trace = &reports->traces[reports->count++];

	*trace = (struct trace){.pid = pid, .path = need(strdup(path)), .created = number};
	return trace;
}

static void read_finished(struct reports *reports, pid_t pid, unsigned long long number,
			  const char *message)
{
	unsigned long long events, lost;
	int path = 0;

	if (sscanf(message, "%llu %llu %n", &events, &lost, &path) != 2 || !path)
		return;
	struct trace *trace = trace_at(reports, pid, message + path, number);

	if (trace->finished && number < trace->number)
		return;
	trace->finished = true;
	trace->number = number;
	trace->events = events;
	trace->lost = lost;
}

static void note_buffers(struct reports *reports, const char *path)
{
	for (size_t i = 0; i < reports->buffers_count; i++)
		if (!strcmp(reports->buffers[i], path))
			return;
	reports->buffers =
		need(reallocarray(reports->buffers, reports->buffers_count + 1, sizeof(char *)));
	reports->buffers[reports->buffers_count++] = need(strdup(path));
}

/* Each process tells of more the later it does. */
static void read_no_memory(struct reports *reports, pid_t pid, const char *message)
{
	uint64_t lost = strtoull(message, NULL, 10);

	reports->no_memory = true;
	for (size_t i = 0; i < reports->short_count; i++)
		if (reports->shorts[i].pid == pid) {
			reports->shorts[i].lost =
				lost > reports->shorts[i].lost ? lost : reports->shorts[i].lost;
			return;
		}
	reports->shorts = need(
		reallocarray(reports->shorts, reports->short_count + 1, sizeof(*reports->shorts)));
	reports->shorts[reports->short_count++] = (struct short_of_memory){pid, lost};
}

static void keep_first(char **to, const char *message)
{
	if (!*to)
		*to = need(strdup(message));
}

static void read_report(struct reports *reports, const char *name, const char *message)
{
	char kind[16];
	unsigned long long number;
	int pid;

	if (sscanf(name, "%15[a-z].%d.%llu", kind, &pid, &number) != 3)
		return;
	if (!strcmp(kind, TL_REPORT_LOADED)) {
		reports->loaded = true;
		images_loaded(&reports->images, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_WITHOUT)) {
		images_without(&reports->images, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_NO_MEMORY)) {
		read_no_memory(reports, pid, message);
	} else if (!strcmp(kind, TL_REPORT_CONFINED)) {
		reports->confined = true;
	} else if (!strcmp(kind, TL_REPORT_CALLED)) {
		keep_first(&reports->called, message);
	} else if (!strcmp(kind, TL_REPORT_RECORDED)) {
		reports->recorded = true;
	} else if (!strcmp(kind, TL_REPORT_UNSHIMMED)) {
		keep_first(&reports->unshimmed, message);
	} else if (!strcmp(kind, TL_REPORT_BUFFERS)) {
		note_buffers(reports, message);
	} else if (!strcmp(kind, TL_REPORT_TRACE)) {
		trace_at(reports, pid, message, number);
	} else if (!strcmp(kind, TL_REPORT_FINISHED)) {
		read_finished(reports, pid, number, message);
	} else if (!strcmp(kind, TL_REPORT_FAILED) && strchr(message, ' ')) {
		reports->error = atoi(message);
		keep_first(&reports->failed, strchr(message, ' ') + 1);
	}
}

/*
 * Buffers of a process that became another user. They are that user's to recover; but where nothing
 * is left to do, they go.
 */
static void leave_buffers(const char *path, uid_t user)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const char *name = strrchr(path, '/');
	struct tl_file_header header;
	struct stat status;
	uint32_t pid;

	if (descriptor < 0 || !name || !tl_places_is_buffers(name + 1, &pid) ||
	    fstat(descriptor, &status) || !S_ISREG(status.st_mode) || status.st_uid != user ||
	    read(descriptor, &header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.magic, TL_FILE_MAGIC, sizeof(header.magic)))
		user = geteuid();
	if (descriptor >= 0)
		close(descriptor);
	if (user == geteuid())
		return;
	if (header.state == TL_FILE_DONE)
		unlink(path);
	else if (kill((pid_t)pid, 0) && errno == ESRCH)
		say("%s: a process that became user %u left events in it; run `tracelayer recover` as that user",
		    path, (unsigned)user);
}

/*
 * What another user says is printed, so it must not talk to the terminal; and nothing is done with
 * its files.
 */
static void read_foreign_report(struct reports *reports, const char *name, char *message,
				uid_t user)
{
	if (!strncmp(name, TL_REPORT_BUFFERS ".", strlen(TL_REPORT_BUFFERS "."))) {
		leave_buffers(message, user);
		return;
	}
	for (char *at = message; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\n') || *at == 127)
			*at = '?';
	read_report(reports, name, message);
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

/* Read everything, and remove it. */
static void read_reports(struct reports *reports)
{
	DIR *links = folder[0] ? opendir(folder) : NULL;
	struct dirent *link;

	while (links && (link = readdir(links))) {
		char message[PATH_MAX];
		struct stat status;
		ssize_t length =
			readlinkat(dirfd(links), link->d_name, message, sizeof(message) - 1);

		if (length < 0)
			continue;
		message[length] = '\0';
		if (!fstatat(dirfd(links), link->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
		    status.st_uid != geteuid())
			read_foreign_report(reports, link->d_name, message, status.st_uid);
		else
			read_report(reports, link->d_name, message);
		unlinkat(dirfd(links), link->d_name, 0);
	}
	if (links)
		closedir(links);
	if (folder[0])
		rmdir(folder);
	if (outer[0])
		rmdir(outer);
}

void closing_drop(void)
{
	struct reports nothing = {0};

	read_reports(&nothing);
}

/* ---- recovering ---- */

/* A path as somebody standing in our working directory would write it. */
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
 * How long processes are given that the program had started, and that may be about to die of what
 * it died of.
 */
#define LIVING_MS 50

static void note_recovered(struct reports *reports, const struct recovery *recovery)
{
	struct trace *trace = trace_at(reports, (pid_t)recovery->pid, recovery->path, ULLONG_MAX);

	if (*recovery->intended)
		say("%s: %s; %s has what could be recovered", from_here(recovery->intended),
		    recovery->why, recovery->path);
	recovery_say_problems(from_here(recovery->path), recovery);
	trace->finished = trace->recovered = true;
	trace->events = recovery->events;
	trace->lost = recovery->lost;
	trace->recovered_events = recovery->recovered;
	trace->unfinished = recovery->unfinished;
}

/* Returns how long to wait for it yet, at most: 0, it is done. */
static int recover_one(struct reports *reports, const char *path,
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
		reports->kept = true;
		say("%s%s: %s", reports->count ? "" : "no trace: ", from_here(recovery.path),
		    recovery.why);
		break;
	}
	recovery_forget(&recovery);
	return wait;
}

/*
 * What dead processes left. Those that live on are left alone; but not those that are just dying.
 */
static void recover_all(struct reports *reports, const struct ending *ending,
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
			int wait = recover_one(reports, reports->buffers[i], &wishes);
			patience = wait > patience ? wait : patience;
			if (wait)
				continue;
			free(reports->buffers[i]);
			reports->buffers[i] = NULL;
		}
	}
}

/* ---- saying ---- */

static const char *count_of(uint64_t count, const char *what, char *text, size_t size)
{
	snprintf(text, size, "%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
	return text;
}

/* What there is to know of one trace, for behind its path. */
static void describe_trace(FILE *to, const struct reports *reports, const struct trace *trace)
{
	char count[64];

	if (trace->finished) {
		fprintf(to, " (%s", count_of(trace->events, "event", count, sizeof(count)));
		if (trace->lost)
			fprintf(to, ", %llu lost", (unsigned long long)trace->lost);
		if (trace->recovered)
			fprintf(to, ", %llu recovered",
				(unsigned long long)trace->recovered_events);
		if (trace->unfinished)
			fprintf(to, ", %s unfinished",
				count_of(trace->unfinished, "call", count, sizeof(count)));
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
 * How many files of one process are named one by one; of more, as --split makes them, the first and
 * the last.
 */
#define NAMED 4

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
		sum.recovered |= trace->recovered;
		sum.recovered_events += trace->recovered_events;
		sum.unfinished += trace->unfinished;
	}
	describe_trace(to, reports, &sum);
}

static void say_traces(const struct reports *reports)
{
	char *line = NULL;
	size_t size = 0;
	FILE *to = need(open_memstream(&line, &size));

	if (reports->count == 1)
		fprintf(to, "trace: ");
	else
		fprintf(to, "%zu traces: ", reports->count);
	for (size_t i = 0, count; i < reports->count; i += count) {
		fputs(i ? ", " : "", to);
		count = count_split(reports, i);
		if (count > NAMED) {
			describe_split(to, reports, i, count);
			continue;
		}
		count = 1;
		fputs(from_here(reports->traces[i].path), to);
		describe_trace(to, reports, &reports->traces[i]);
	}
	fclose(to);
	/* Not by say(): this line must not be cut, however many files there are. */
	fputs("tracelayer: ", stderr);
	print_escaped(stderr, line, strlen(line));
	fputc('\n', stderr);
	free(line);
}

static const char *output_remedy(int error)
{
	return error == ENOMEM ? "raise the limit of memory (ulimit -v)"
			       : "give another file with -o";
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
		say("no trace: %s%s is started by %s, the dynamic linker of another C library or of a glibc that is too old, so it ran without "
		    "libtracelayer.so; link it with this machine's glibc",
		    what, file, program->loader);
		return true;
	default:
		return false;
	}
}

static void say_why_none(const struct program *program, const struct ending *ending,
			 const struct tl_config *config, const struct reports *reports)
{
	/* Also where something on the way to it (env, a shell) had the layer loaded. */
	if (!reports->called && say_nature(program))
		return;
	if (reports->kept)
		return;
	if (reports->failed)
		say("no trace: %s: %s; %s", from_here(reports->failed),
		    output_file_trouble(reports->error), output_remedy(reports->error));
	else if (config->level == TL_LEVEL_NONE && reports->called &&
		 (*config->tools || config->summary))
		; /* as it was wished: the tools did the work */
	else if (config->level == TL_LEVEL_NONE)
		say("no trace: the level is none; give another with --level");
	else if (reports->no_memory)
		say_no_memory(reports);
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
		; /* whose program it was to be */
	else if (reports->unshimmed)
		say("no trace: the program uses %s, for which there are no shims; make them with tracegen",
		    reports->unshimmed);
	else if (reports->loaded)
		say("no trace: the program made no call into an API that tracelayer has shims for%s",
		    !config->follow ? "; what it started was not traced, see --follow"
		    : tl_launcher_is(program->path)
			    ? ", nor did what it started on this machine; a launcher's own calls are not recorded, see --follow"
			    : "");
	else if (!folder[0])
		say("the trace's name is not known: no folder for reports could be made; set TMPDIR to a folder that can be written to");
	else
		say("no trace: libtracelayer.so was not loaded into %s; check whether something clears LD_PRELOAD",
		    program->path);
}

void closing_line(const struct program *program, const struct ending *ending,
		  const struct tl_config *config)
{
	struct reports reports = {0};

	read_reports(&reports);
	recover_all(&reports, ending, config);
	if (reports.count)
		qsort(reports.traces, reports.count, sizeof(struct trace), compare_traces);
	if (reports.count && reports.failed && !reports.kept)
		say("%s: %s, so events are missing; %s", from_here(reports.failed),
		    output_file_trouble(reports.error), output_remedy(reports.error));
	if (reports.count && reports.no_memory)
		say_no_memory(&reports);
	if (reports.count && reports.confined)
		say("the program confined itself by a seccomp filter that forbids what recording needs, so its trace ends there; see Limits in "
		    "tracelayer's README");
	if (reports.count) {
		images_say(&reports.images, ending->pid, false);
		say_traces(&reports);
	} else {
		say_why_none(program, ending, config, &reports);
	}
	for (size_t i = 0; i < reports.count; i++)
		free(reports.traces[i].path);
	free(reports.traces);
	free(reports.shorts);
	images_forget(&reports.images);
	for (size_t i = 0; i < reports.buffers_count; i++)
		free(reports.buffers[i]);
	free(reports.buffers);
	free(reports.called);
	free(reports.unshimmed);
	free(reports.failed);
}
