/* SPDX-License-Identifier: MIT */
/*
 * profile.c: `tracelayer profile`: samples what a program's threads are doing, many times a
 * second.
 *
 * A sample is the open calls and the labels (tracelayer/profiler.h) of a thread, as the traced
 * process keeps them in its buffers file (profile_process.h). Nothing is recorded: `tracelayer
 * profile -- ./app` starts the program with TRACELAYER_START=watched, so that it keeps its open
 * calls and does no more. With -p the process is there already.
 *
 * When this command starts the program, this process is only the launcher, as in `tracelayer run`:
 * it closes everything that the program alone should hold. A child, forked before, is the sampler.
 * It finds processes by the folder that the layer reports into (common/run_protocol.h), and the
 * program's end by `struct shared`.
 */
#include "config.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/basics/basics.h"
#include "cli/control/control.h"
#include "cli/leftovers/leftovers.h"
#include "cli/outputs/outputs.h"
#include "cli/profile/profile.h"
#include "common/run_protocol.h"
#include "common/settings.h"

#define HZ_MOST 20000u
#define HEAR_NS 10000000u /* between two looks whether there are new reports */
/* between two scans of them, though the folder's time is the same */
#define SCAN_NS	    200000000u
#define FORMATS_ARE "use .txt, .folded, .speedscope.json or .json"

struct wishes {
	char **program; /* NULL-ended; NULL: none given */
	uint32_t pid;
	unsigned hz;
	double seconds; /* 0: until the end */
	const char **outputs;
	size_t noutputs;
	bool force;
};

/* What launcher and sampler share. */
struct shared {
	_Atomic bool over; /* the program has ended */
};

struct sampler {
	const struct wishes *wishes;
	struct profiled profiled;
	struct watched **processes;
	size_t nprocesses, seen;
	int reports; /* the folder; -1: none */
	const struct shared *shared;
	pid_t launcher;
	uint64_t periods; /* that the pass under way counts for */
	uint64_t now, reports_read, folder_scanned;
	struct timespec folder_time; /* of its last change, when it was scanned */
	bool orphan;		     /* the launcher was killed */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
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
	uint64_t period = sampler->profiled.period,
		 start = sampler->now - (sampler->periods - 1) * period;

	/* Also where it is the same: it may not have been there in between. */
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
	const struct tl_profile_node *place =
		tl_profile_add(&sampler->profiled.profile, stack, count, sampler->periods);

	if (sampler->profiled.keep_runs)
		keep_run(sampler, lane, place);
}

/* ---- processes */

static void add_process(struct sampler *sampler, struct watched *process)
{
	sampler->processes =
		need(reallocarray(sampler->processes, sampler->nprocesses + 1, sizeof(process)));
	sampler->processes[sampler->nprocesses++] = process;
	sampler->seen++;
}

/*
 * Delete the buffers of a process that is dead. One that is about to die is given the time for it.
 */
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
 * What was recorded all the same is for `tracelayer recover`; buffers that only we looked at are of
 * no use to anybody.
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
 * A report of buffers: a link's target is their path. It goes once they are there; all other
 * reports go at once.
 */
static void sampler_read_report(struct sampler *sampler, const char *name)
{
	char path[PATH_MAX];
	ssize_t length = readlinkat(sampler->reports, name, path, sizeof(path) - 1);
	struct watched *process;

	if (length < 0)
		return;
	path[length] = 0;
	if (!strncmp(name, TL_REPORT_BUFFERS ".", sizeof(TL_REPORT_BUFFERS)) &&
	    !sampler_knows(sampler, path)) {
		process = watched_open(path);
		if (!process) {
			sampler->folder_time.tv_nsec = -1;
			return;
		}
		add_process(sampler, process);
	}
	unlinkat(sampler->reports, name, 0);
}

/*
 * Folders' times are coarse, so that one that seems to be as before is scanned now and then, too.
 */
static bool reports_changed(struct sampler *sampler)
{
	struct stat stat;

	if (fstat(sampler->reports, &stat))
		return false;
	if (stat.st_mtim.tv_sec == sampler->folder_time.tv_sec &&
	    stat.st_mtim.tv_nsec == sampler->folder_time.tv_nsec &&
	    sampler->now - sampler->folder_scanned < SCAN_NS)
		return false;
	sampler->folder_time = stat.st_mtim;
	sampler->folder_scanned = sampler->now;
	return true;
}

static void sampler_read_reports(struct sampler *sampler)
{
	DIR *links;
	struct dirent *link;
	int folder;

	if (sampler->now - sampler->reports_read < HEAR_NS)
		return;
	sampler->reports_read = sampler->now;
	sampler->orphan = sampler->shared && getppid() != sampler->launcher;
	if (sampler->reports < 0 || !reports_changed(sampler))
		return;
	folder = openat(sampler->reports, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	links = folder < 0 ? NULL : fdopendir(folder);
	if (!links)
		return;
	while ((link = readdir(links)))
		if (*link->d_name != '.')
			sampler_read_report(sampler, link->d_name);
	closedir(links);
}

/* ---- sampling */

static void sampler_pass(struct sampler *sampler)
{
	size_t left = 0;

	sampler->profiled.profile.passes++;
	for (size_t i = 0; i < sampler->nprocesses; i++) {
		struct watched *process = sampler->processes[i];
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

	/* Not again: who interrupts wants to be heard. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void sampler_run(struct sampler *sampler)
{
	const struct wishes *wishes = sampler->wishes;
	struct tl_profile_beat beat = tl_profile_beat_of(wishes->hz);
	uint64_t length = (uint64_t)(wishes->seconds * 1e9);

	sampler->profiled.period = beat.period;
	while (!length || tl_profile_now() - beat.start < length) {
		wait_until(tl_profile_beat_next(&beat));
		if (sampler_is_over(sampler))
			break;
		sampler->periods = tl_profile_beat_comes(&beat);
		sampler->now = tl_profile_now();
		sampler_read_reports(sampler);
		sampler_pass(sampler);
	}
	sampler->profiled.profile.elapsed = tl_profile_now() - beat.start;
}

/* ---- what comes of it */

/* Our own time, in percent of one core. */
static double own_share(uint64_t elapsed)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	return elapsed ? 1e11 * seconds / (double)elapsed : 0;
}

static void say_totals(const struct sampler *sampler, const char *files)
{
	const struct tl_profile *profile = &sampler->profiled.profile;
	double seconds = (double)profile->elapsed / 1e9;

	say("profile: %s%s%llu samples of %llu threads in %zu process%s, %.2f s at %.1f of %u Hz; %.2f %% of a core",
	    files, *files ? ": " : "", (unsigned long long)profile->root.weight,
	    (unsigned long long)profile->threads, sampler->seen, sampler->seen == 1 ? "" : "es",
	    seconds, seconds > 0 ? (double)profile->passes / seconds : 0, sampler->wishes->hz,
	    own_share(profile->elapsed));
}

/* 0 or an errno. */
static int print_profile(struct sampler *sampler, const struct output_file *file)
{
	FILE *to = fdopen(dup(file->fd), "w");
	bool failed;

	if (!to)
		return errno;
	profile_format_of(file->asked)->write(to, &sampler->profiled);
	failed = ferror(to) != 0;
	failed |= fclose(to) != 0;
	return failed ? errno : 0;
}

/* `list`, of the files' names, gets its. */
static bool write_output(struct sampler *sampler, const char *path, char *list, size_t room)
{
	struct output_file file;
	int error = output_file_open(&file, path, sampler->wishes->force), failed;

	if (!error) {
		failed = print_profile(sampler, &file);
		error = output_file_close(&file, !failed);
		error = failed ? failed : error;
	}
	if (error)
		say("%s: %s; give another file with -o", path, output_file_trouble(error));
	else if (strlen(list) + strlen(file.path) + 3 < room)
		strcat(strcat(list, *list ? ", " : ""), file.path);
	return !error;
}

static int finish_profile(struct sampler *sampler)
{
	const struct wishes *wishes = sampler->wishes;
	int code = EXIT_DONE;
	char files[1024] = "";

	if (!sampler->profiled.profile.root.weight) {
		say("no profile: the program made no call into an API that tracelayer has shims for, and has no labels; see tracelayer-profile(1)");
		return EXIT_INCOMPLETE;
	}
	if (!wishes->noutputs)
		tl_profile_print(sampler->shared ? stderr : stdout, &sampler->profiled.profile);
	for (size_t i = 0; i < wishes->noutputs; i++)
		if (!write_output(sampler, wishes->outputs[i], files, sizeof(files)))
			code = EXIT_BROKEN;
	say_totals(sampler, files);
	return code;
}

static void sampler_free(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->nprocesses; i++)
		watched_close(sampler->processes[i]);
	free(sampler->processes);
	for (size_t i = 0; i < sampler->profiled.nlanes; i++) {
		free(sampler->profiled.lanes[i]->runs);
		free(sampler->profiled.lanes[i]);
	}
	free(sampler->profiled.lanes);
	tl_profile_drop(&sampler->profiled.profile.root);
}

static struct sampler sampler_of(const struct wishes *wishes)
{
	struct sampler sampler = {.wishes = wishes, .reports = -1};

	for (size_t i = 0; i < wishes->noutputs; i++)
		sampler.profiled.keep_runs |= profile_format_of(wishes->outputs[i])->in_time;
	return sampler;
}

/* ---- a process that is there */

static bool open_process(struct sampler *sampler, uint32_t pid)
{
	struct leftover_paths paths;
	struct leftover file;

	leftover_find(&paths, NULL, pid);
	for (size_t i = 0; i < paths.count; i++) {
		if (!leftover_open(paths.path[i], &file))
			continue;
		struct watched *process =
			file.sound && file.header.pid == pid && leftover_is_live(&file)
				? watched_open(paths.path[i])
				: NULL;
		leftover_release(&file);
		if (process)
			add_process(sampler, process);
	}
	leftover_forget(&paths);
	return sampler->nprocesses;
}

/*
 * A process whose recording is paused keeps no open calls, unless it is asked to. True: it has
 * been, and is to be told when that is over.
 */
static bool request_open_calls(const struct sampler *sampler)
{
	const struct tl_file_header *header = watched_header(sampler->processes[0]);
	uint32_t pid = header->pid;

	if (atomic_load_explicit(&header->recording, memory_order_relaxed) == TL_FILE_RECORDS ||
	    atomic_load_explicit(&header->watched, memory_order_relaxed))
		return false;
	if (control_request(pid, TL_REQUEST_WATCH))
		return true;
	say("process %u: its recording is paused, and it does not answer, so that only labels are seen; try `tracelayer resume %u`",
	    pid, pid);
	return false;
}

static int profile_process(const struct wishes *wishes)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct sampler sampler = sampler_of(wishes);

	if (!open_process(&sampler, wishes->pid)) {
		say("process %u: not traced, not yours, or it has made no traced call yet; start it with `tracelayer run` or `tracelayer profile`",
		    wishes->pid);
		return EXIT_BROKEN;
	}
	bool asked = request_open_calls(&sampler);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sampler_run(&sampler);
	if (asked && sampler.nprocesses)
		control_request(wishes->pid, TL_REQUEST_UNWATCH);
	int code = finish_profile(&sampler);
	sampler_free(&sampler);
	return code;
}

/* ---- a program that we start */

static __attribute__((noreturn)) void run_sampler(const struct wishes *wishes,
						  const struct shared *shared, pid_t launcher)
{
	struct sampler sampler = sampler_of(wishes);
	const char *folder = getenv(TL_REPORT_VARIABLE);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	sampler.shared = shared;
	sampler.launcher = launcher;
	if (folder)
		sampler.reports = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The program's standard input and output are its own. */
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	sampler_run(&sampler);
	int code = finish_profile(&sampler);
	/* Those that live on keep them, and go on without us. */
	while (sampler.nprocesses)
		process_close(sampler.processes[--sampler.nprocesses]);
	sampler_free(&sampler);
	exit(code);
}

static void setting_give(enum tl_setting_id id, const char *value)
{
	need(setenv(tl_settings[id].variable, value, 1) ? NULL : (void *)value);
}

static pid_t start_sampler(const struct wishes *wishes, struct shared *shared)
{
	pid_t launcher = getpid();
	sigset_t all, before;

	/* Signals are for the program; the sampler ends when that does. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t sampler = fork();
	if (!sampler)
		run_sampler(wishes, shared, launcher);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return sampler;
}

static int profile_program(const struct wishes *wishes)
{
	struct shared *shared;
	struct program program;
	struct ending ending;
	int error = program_find(wishes->program[0], &program);

	if (error)
		return run_cannot_start(wishes->program[0], error);
	setting_give(TL_SETTING_START, "watched");
	setting_give(TL_SETTING_DEVICE, "0");
	int code = program.nature != TL_PROGRAM_FOREIGN ? run_preload(&program) : EXIT_DONE;
	if (code != EXIT_DONE)
		return code;
	closing_prepare();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	need(shared == MAP_FAILED ? NULL : shared);
	pid_t sampler = start_sampler(wishes, shared);
	launch(&program, wishes->program, &ending);
	/* Release: pairs with the sampler's acquire. */
	atomic_store_explicit(&shared->over, true, memory_order_release);
	if (sampler > 0)
		while (waitpid(sampler, NULL, 0) < 0 && errno == EINTR)
			;
	closing_drop();
	if (ending.error)
		return run_cannot_start(wishes->program[0],
					ending.error == ENOENT ? ENOEXEC : ending.error);
	end_alike(ending.status);
}

/* ---- options */

static double number_option(struct argp_state *state, const char *option, const char *text,
			    double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least && value <= most))
		argp_error(state, "--%s=%s: use a number from %.10g to %.10g", option, text, least,
			   most);
	return value;
}

static void add_output(struct argp_state *state, struct wishes *wishes, const char *path)
{
	int error = output_file_check(path);

	if (!profile_format_of(path))
		argp_error(state, "--output=%s: unknown kind of file; " FORMATS_ARE, path);
	if (error)
		argp_error(state, "--output=%s: %s; give another file", path,
			   output_file_trouble(error));
	wishes->outputs =
		need(reallocarray(wishes->outputs, wishes->noutputs + 1, sizeof(*wishes->outputs)));
	wishes->outputs[wishes->noutputs++] = path;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case 'F':
		wishes->hz =
			(unsigned)lround(number_option(state, "frequency", argument, 1, HZ_MOST));
		return 0;
	case 'd':
		wishes->seconds = number_option(state, "duration", argument, 1e-3, 1e6);
		return 0;
	case 'p':
		wishes->pid = (uint32_t)number_option(state, "pid", argument, 1, 1 << 30);
		return 0;
	case 'f':
		wishes->force = true;
		return 0;
	case 'o':
		add_output(state, wishes, argument);
		return 0;
	case ARGP_KEY_ARGS:
		wishes->program = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		if (!wishes->program == !wishes->pid)
			argp_error(
				state,
				"give a program, as in tracelayer profile -- ./app, or a process with -p");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int command_profile(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"frequency", 'F', "HZ", 0, "samples per second (1000)", 0},
		{"duration", 'd', "SECONDS", 0,
		 "stop after this time (default: at the program's end)", 0},
		{"pid", 'p', "PID", 0, "sample a process that is already traced", 0},
		{"output", 'o', "FILE", 0,
		 "write .txt, .folded, .speedscope.json or .json (Chrome); may be given several times",
		 0},
		{"force", 'f', NULL, 0,
		 "overwrite what is there; without it, a name that is taken gets a number", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--] PROGRAM [ARGUMENT...]\n-p PID",
		.doc = "Sample what a program's threads are doing: which driver calls they are in, and which labels they have.\v"
		       "Nothing is recorded. See tracelayer-profile(1), and tracelayer-profiler(7) for labels.",
	};
	struct wishes wishes = {.hz = 1000};

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &wishes);
	int code = wishes.pid ? profile_process(&wishes) : profile_program(&wishes);
	free(wishes.outputs);
	return code;
}
