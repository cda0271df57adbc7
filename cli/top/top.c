/* SPDX-License-Identifier: MIT */
/*
 * top.c: `tracelayer top`: what traced programs that run are doing. See top.h.
 *
 * It looks at each process's buffers file ten times a second, and looks for new processes once a
 * second. The processes do nothing for it.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/symbols/demangle.h"
#include "cli/top/top.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_sums.h"
#include "common/proc.h"

#define LOOK_NS	   100000000u  /* between two looks */
#define FIND_NS	   1000000000u /* between two searches for new processes */
#define DELAY_MOST 3600.0

struct wishes {
	char **words; /* programs, sessions and process numbers; all: none */
	size_t nwords;
	double delay;	     /* seconds between two pictures */
	unsigned long count; /* of pictures; 0: until the user leaves */
	bool batch;
};

struct top {
	const struct wishes *wishes;
	struct top_process *processes;
	size_t nprocesses;
	struct refused *refused; /* processes that are dead or not wanted: not opened again */
	size_t nrefused;
	uint64_t begun, found;
};

/* The buffers file of a process. Another one may get its name later. */
struct refused {
	char *path;
	dev_t device;
	ino_t number;
	bool seen; /* in this search */
};

static volatile sig_atomic_t interrupted;

static void signal_note(int number)
{
	(void)number;
	interrupted = 1;
}

/* ---- processes */

static bool process_is_wanted(const struct wishes *wishes, struct live_records *records)
{
	const struct tl_file_header *header = live_records_header(records);
	char pid[16], comm[32], path[32];

	snprintf(pid, sizeof(pid), "%u", header->pid);
	/* As ps has it: the name that it was started by, for a script and a link, too. */
	snprintf(path, sizeof(path), "/proc/%u/comm", header->pid);
	tl_proc_line(path, comm, sizeof(comm));
	for (size_t i = 0; i < wishes->nwords; i++)
		if (!strcmp(wishes->words[i], pid) || !strcmp(wishes->words[i], comm) ||
		    !strcmp(wishes->words[i], live_records_program(records)) ||
		    !strncmp(wishes->words[i], header->session, sizeof(header->session)))
			return true;
	return !wishes->nwords;
}

static bool process_is_known(const struct top *top, const char *path)
{
	for (size_t i = 0; i < top->nprocesses; i++)
		if (!strcmp(live_records_path(top->processes[i].records), path))
			return true;
	return false;
}

static bool process_is_refused(struct top *top, const char *path)
{
	struct stat file;

	for (size_t i = 0; i < top->nrefused; i++) {
		struct refused *refused = &top->refused[i];
		if (strcmp(refused->path, path) || stat(path, &file) ||
		    refused->device != file.st_dev || refused->number != file.st_ino)
			continue;
		refused->seen = true;
		return true;
	}
	return false;
}

static void process_refuse(struct top *top, const struct leftover *file)
{
	top->refused = need(reallocarray(top->refused, top->nrefused + 1, sizeof(*top->refused)));
	top->refused[top->nrefused++] = (struct refused){
		.path = need(strdup(file->path)),
		.device = file->stat.st_dev,
		.number = file->stat.st_ino,
		.seen = true,
	};
}

/* Those whose files are gone. */
static void refused_forget(struct top *top)
{
	size_t kept = 0;

	for (size_t i = 0; i < top->nrefused; i++)
		if (top->refused[i].seen)
			top->refused[kept++] = top->refused[i];
		else
			free(top->refused[i].path);
	top->nrefused = kept;
	for (size_t i = 0; i < kept; i++)
		top->refused[i].seen = false;
}

static void process_find(struct top *top, const char *path)
{
	struct leftover file;

	if (process_is_known(top, path) || process_is_refused(top, path) ||
	    !leftover_open(path, &file))
		return;
	bool live = file.sound && leftover_is_live(&file);
	leftover_release(&file);
	/* A process that has died; a file that is not sound may still be being made. */
	if (file.sound && !live)
		process_refuse(top, &file);
	struct live_records *records = live ? live_records_open(path) : NULL;
	if (!records)
		return;
	if (!process_is_wanted(top->wishes, records)) {
		if (live_records_has_program(records))
			process_refuse(top, &file);
		live_records_close(records);
		return;
	}
	/* What it has recorded so far is passed over. */
	live_records_look(records, NULL);
	top->processes =
		need(reallocarray(top->processes, top->nprocesses + 1, sizeof(*top->processes)));
	top->processes[top->nprocesses++] = (struct top_process){
		.records = records,
		.pid = live_records_header(records)->pid,
		.since = live_records_now(records),
	};
}

static void find_processes(struct top *top, uint64_t now)
{
	struct leftover_paths paths;

	top->found = now;
	leftover_find(&paths, NULL, 0);
	for (size_t i = 0; i < paths.count; i++)
		process_find(top, paths.path[i]);
	leftover_forget(&paths);
	refused_forget(top);
}

static void processes_look(struct top *top)
{
	for (size_t i = 0; i < top->nprocesses; i++)
		top_process_look(&top->processes[i]);
}

/* After a picture: it may still use names of those that have ended. */
static void drop_ended(struct top *top)
{
	size_t kept = 0;

	for (size_t i = 0; i < top->nprocesses; i++)
		if (top->processes[i].ended)
			top_process_free(&top->processes[i]);
		else
			top->processes[kept++] = top->processes[i];
	top->nprocesses = kept;
}

/* ---- pictures */

static void interval_show(struct top *top, uint64_t now)
{
	struct top_sums sums;

	top_sums_take(&sums, top->processes, top->nprocesses);
	if (top->wishes->batch)
		top_rows_print(&sums, (double)(now - top->begun) / 1e9);
	else
		top_screen_show(&sums);
	top_sums_free(&sums);
	drop_ended(top);
}

/* Waits until that time, looking meanwhile. False: the user leaves. */
static bool watch_until(struct top *top, uint64_t until)
{
	for (;;) {
		uint64_t now = tl_profile_now();

		if (interrupted)
			return false;
		if (now >= until)
			return true;
		if (now - top->found >= FIND_NS)
			find_processes(top, now);
		uint64_t left = until - now < LOOK_NS ? until - now : LOOK_NS;
		if (top_screen_wait((int)(left / 1000000) + 1))
			return false;
		processes_look(top);
	}
}

static void top_run(struct top *top)
{
	const struct wishes *wishes = top->wishes;
	uint64_t delay = (uint64_t)(1e9 * wishes->delay), next = top->begun;

	for (unsigned long i = 0; !wishes->count || i < wishes->count; i++) {
		next += delay;
		if (!watch_until(top, next) || ferror(stdout))
			return;
		interval_show(top, tl_profile_now());
		if (wishes->nwords && !top->nprocesses)
			return;
	}
}

/* ---- options */

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;
	char *end;

	switch (key) {
	case 'd':
		wishes->delay = strtod(argument, &end);
		if (end == argument || *end ||
		    !(wishes->delay >= 0.1 && wishes->delay <= DELAY_MOST))
			option_refuse(state, "--delay=%s: give seconds, from 0.1 to 3600",
				      argument);
		return 0;
	case 'n':
		errno = 0;
		wishes->count = strtoul(argument, &end, 10);
		if (end == argument || *end || errno || !wishes->count || *argument == '-')
			option_refuse(state, "--count=%s: give a number, 1 or more", argument);
		return 0;
	case 'b':
		wishes->batch = true;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->words = state->argv + state->next;
		wishes->nwords = (size_t)(state->argc - state->next);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int command_top(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"delay", 'd', "SECONDS", 0, "between two pictures (1)", 0},
		{"count", 'n', "N", 0, "end after so many pictures", 0},
		{"batch", 'b', NULL, 0, "print rows of CSV, for scripts", 0},
		{0},
	};
	static const struct argp_child children[] = {{&names_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "[NAME|PID...]",
		.doc = "Show what traced programs are doing: calls a second and time in them, queues, threads.\v"
		       "Without a name all of your traced processes are shown. A name is that of a program, or of a session. See tracelayer-top(1).",
	};
	const struct sigaction action = {.sa_handler = signal_note};
	struct wishes wishes = {.delay = 1};
	struct top top = {.wishes = &wishes, .begun = tl_profile_now()};

	options_parse(&argp, argc, argv, 0, &wishes);
	wishes.batch |= !isatty(STDOUT_FILENO);
	find_processes(&top, top.begun);
	if (wishes.nwords && !top.nprocesses) {
		say("%s: you have no process of that name or number that has made a traced call; start one with `tracelayer run`, give the program's own number, or run this command as the user that the process became",
		    wishes.words[0]);
		return EXIT_BROKEN;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (!wishes.batch) {
		signal(SIGTSTP, SIG_IGN);
		top_screen_begin();
	}
	top_run(&top);
	if (!wishes.batch)
		top_screen_end();
	for (size_t i = 0; i < top.nprocesses; i++)
		top_process_free(&top.processes[i]);
	free(top.processes);
	for (size_t i = 0; i < top.nrefused; i++)
		free(top.refused[i].path);
	free(top.refused);
	return EXIT_DONE;
}
