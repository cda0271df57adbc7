/* SPDX-License-Identifier: MIT */
/*
 * profile.c: `tracelayer profile`: samples what a program's threads are doing, many times a
 * second.
 *
 * A sample is the open calls and the labels (tracelayer/profiler.h) of a thread, as the traced
 * process keeps them in its buffers file (watched.h). Nothing is recorded: `tracelayer
 * profile -- ./app` starts the program with TRACELAYER_START=watched, so that it only keeps its
 * open calls. With -p the process already runs.
 *
 * When this command starts the program, this process is only the launcher, as in `tracelayer run`:
 * it closes everything that the program alone should hold. A child, forked before, is the sampler.
 * It learns of the program's end from `struct shared` (profile_sampler.h).
 */
#include "config.h"

#include <argp.h>
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
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/basics/basics.h"
#include "cli/control/control.h"
#include "cli/leftovers/leftovers.h"
#include "cli/outputs/outputs.h"
#include "cli/profile/profile.h"
#include "cli/profile/profile_sampler.h"
#include "cli/profile/profile_select.h"
#include "cli/symbols/demangle.h"
#include "common/run_protocol.h"
#include "common/settings.h"

#define HZ_MOST	    20000u
#define FORMATS_ARE "use .txt, .folded, .speedscope.json or .json"

struct wishes {
	char **program; /* NULL-ended; NULL: none given */
	uint32_t pid;
	unsigned hz;
	double seconds; /* 0: until the end */
	const char **outputs;
	size_t noutputs;
	bool force;
	struct selection selection;
};

/* ---- the results */

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

	say("profile: %s%s%llu sample%s of %llu thread%s in %zu process%s, %.2f s at %.1f of %u Hz; %.2f %% of a core",
	    files, *files ? ": " : "", (unsigned long long)profile->root.weight,
	    profile->root.weight == 1 ? "" : "s", (unsigned long long)profile->threads,
	    profile->threads == 1 ? "" : "s", sampler->seen, sampler->seen == 1 ? "" : "es",
	    seconds, seconds > 0 ? (double)profile->passes / seconds : 0, sampler->hz,
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

/* Adds the file's name to `list`. */
static bool write_output(struct sampler *sampler, const char *path, bool force, char *list,
			 size_t room)
{
	struct output_file file;
	int error = output_file_open(&file, path, force), failed;

	if (!error) {
		failed = print_profile(sampler, &file);
		error = output_file_close(&file, !failed);
		error = failed ? failed : error;
	}
	if (error)
		say("%s: %s; %s", path, output_file_trouble(error),
		    output_file_remedy(error, "give another file with -o"));
	else if (strlen(list) + strlen(file.path) + 3 < room)
		strcat(strcat(list, *list ? ", " : ""), file.path);
	return !error;
}

static int finish_profile(struct sampler *sampler, const struct wishes *wishes)
{
	int code = EXIT_DONE;
	char files[1024] = "";

	if (!sampler->profiled.profile.root.weight && wishes->pid) {
		say("no profile: process %u %s", wishes->pid,
		    sampler->nprocesses
			    ? "has made no traced call meanwhile, and has no labels; look for longer"
			    : "ended before the first look at it");
		return EXIT_INCOMPLETE;
	}
	if (!sampler->profiled.profile.root.weight) {
		say("no profile: the program made no call into an API that tracelayer has shims for, and has no labels; see tracelayer-profile(1)");
		return EXIT_INCOMPLETE;
	}
	if (selection_is_any(&wishes->selection)) {
		code = profile_select(&sampler->profiled, &wishes->selection);
		if (code != EXIT_DONE)
			return code;
		if (!sampler->profiled.profile.root.weight) {
			say("profile: no sample is selected; leave out some of --time, --thread, --process and --name");
			return EXIT_INCOMPLETE;
		}
	}
	if (!wishes->noutputs)
		tl_profile_print(sampler->shared ? stderr : stdout, &sampler->profiled.profile);
	for (size_t i = 0; i < wishes->noutputs; i++)
		if (!write_output(sampler, wishes->outputs[i], wishes->force, files, sizeof(files)))
			code = EXIT_BROKEN;
	say_totals(sampler, files);
	return code;
}

static struct sampler sampler_of(const struct wishes *wishes)
{
	struct sampler sampler = {.hz = wishes->hz, .seconds = wishes->seconds};

	sampler.profiled.keep_runs = selection_is_any(&wishes->selection);
	for (size_t i = 0; i < wishes->noutputs; i++)
		sampler.profiled.keep_runs |= profile_format_of(wishes->outputs[i])->in_time;
	return sampler;
}

/* ---- a process that already runs */

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
			sampler_add_process(sampler, process);
	}
	leftover_forget(&paths);
	return sampler->nprocesses;
}

/*
 * A process whose recording is paused keeps no open calls, unless a request asks for it. True: this
 * sent the request, and must send another when the profile ends.
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
	say("process %u: its recording is paused, and it does not answer, so only its labels are seen; try `tracelayer resume %u`",
	    pid, pid);
	return false;
}

static int profile_process(const struct wishes *wishes)
{
	const struct sigaction action = {.sa_handler = sampler_interrupt};
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
	int code = finish_profile(&sampler, wishes);
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
		sampler.reports = opendir(folder);
	/* The program alone uses its standard input and output. */
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	sampler_run(&sampler);
	int code = finish_profile(&sampler, wishes);
	/* Processes that still run go on, with their buffers. */
	sampler_close_processes(&sampler);
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

	/* Signals are for the program. The sampler ends when the program ends. */
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
	int report = closing_prepare();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	need(shared == MAP_FAILED ? NULL : shared);
	pid_t sampler = start_sampler(wishes, shared);
	launch(&program, wishes->program, report, &ending);
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
		option_refuse(state, "--%s=%s: use a number from %.10g to %.10g", option, text,
			      least, most);
	return value;
}

static void add_output(struct argp_state *state, struct wishes *wishes, const char *path)
{
	int error = output_file_check(path);

	if (!profile_format_of(path))
		option_refuse(state, "--output=%s: unknown kind of file; " FORMATS_ARE, path);
	if (error)
		option_refuse(state, "--output=%s: %s; give another file", path,
			      output_file_trouble(error));
	wishes->outputs =
		need(reallocarray(wishes->outputs, wishes->noutputs + 1, sizeof(*wishes->outputs)));
	wishes->outputs[wishes->noutputs++] = path;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->selection;
		return 0;
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
			option_refuse(
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
		 "overwrite a file of that name; without this option, the new file's name gets a number",
		 0},
		{0},
	};
	static const struct argp_child children[] = {
		{&selection_threads_argp, 0, "Which samples are in the profile:", 1},
		{&names_argp, 0, NULL, 0},
		{0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "[--] PROGRAM [ARGUMENT...]\n-p PID",
		.doc = "Sample what a program's threads are doing: which driver calls they are in, and which labels they have.\v"
		       "Nothing is recorded. See tracelayer-profile(1), and tracelayer-profiler(7) for labels.",
	};
	struct wishes wishes = {.hz = 1000};

	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &wishes);
	int code = wishes.pid ? profile_process(&wishes) : profile_program(&wishes);
	free(wishes.outputs);
	selection_free(&wishes.selection);
	return code;
}
