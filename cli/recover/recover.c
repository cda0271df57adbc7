/* SPDX-License-Identifier: MIT */
/*
 * recover.c: `tracelayer recover`: makes traces of what dead processes recorded and did not write.
 * This file chooses the buffers files and prints the results; recovery.c recovers one file.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/recover/recover.h"
#include "cli/leftovers/leftovers.h"
#include "cli/recover/recovery.h"
#include "tables/table.h"
#include "common/places.h"
#include "common/settings.h"
#include "format/file/record_reader.h"

struct wishes {
	const char *output;
	bool list, keep, all;
	enum table_format format;
	char **what; /* paths and pids */
	int nwhat;
};

/* What all files together came to. */
struct outcome {
	size_t written, nothing, live, elsewhere;
	int code;
};

/* 1 is worse than 3, and both than 0. */
static void outcome_worsen(struct outcome *outcome, int code)
{
	if (outcome->code != EXIT_BROKEN && code != EXIT_DONE)
		outcome->code = code;
}

/* ---- one ---- */

static void say_written(const struct recovery *recovery)
{
	const char *program = *recovery->program ? recovery->program : "unknown";

	print_escaped(stdout, program, strlen(program));
	printf(" (%u): ", recovery->pid);
	print_escaped(stdout, recovery->path, strlen(recovery->path));
	printf(": %llu event%s recovered", (unsigned long long)recovery->recovered,
	       plural_s(recovery->recovered));
	if (recovery->unfinished)
		printf(", %llu unfinished call%s", (unsigned long long)recovery->unfinished,
		       plural_s(recovery->unfinished));
	if (recovery->events > recovery->recovered + recovery->unfinished)
		printf(", %llu in all", (unsigned long long)recovery->events);
	if (recovery->lost)
		printf(", %llu lost", (unsigned long long)recovery->lost);
	putchar('\n');
	fflush(stdout);
	if (*recovery->intended)
		say("%s: %s; %s has what the buffers held", recovery->intended, recovery->why,
		    recovery->path);
}

static void say_problems(const char *path, const struct recovery *recovery)
{
	recovery_say_problems(path, recovery);
	if (recovery->nproblems)
		say("%s: it is damaged; all that is sound was recovered", path);
}

/* Why the file cannot be a buffers file of this user. */
static const char *why_not_ours(const char *path)
{
	struct stat about;

	if (lstat(path, &about))
		return "there is no such file";
	if (S_ISLNK(about.st_mode))
		return "it is a symbolic link, which is not followed";
	if (about.st_uid != geteuid())
		return "it belongs to somebody else";
	return S_ISREG(about.st_mode) ? "it went away, or came, just now"
				      : "it is not a regular file";
}

/*
 * Says why a file was left as it is. `wanted`: the user named it; other files are passed over in
 * silence.
 */
static void say_left(const char *path, const struct recovery *recovery, bool wanted,
		     struct outcome *outcome)
{
	switch (recovery->state) {
	case LEFTOVER_LIVE:
		outcome->live++;
		if (wanted)
			say("%s: process %u is still running and writes its trace itself; recover it when it has ended",
			    path, recovery->pid);
		break;
	case LEFTOVER_CLAIMED:
		if (wanted)
			say("%s: another command is recovering it; wait until that has ended",
			    path);
		break;
	case LEFTOVER_NONE:
		if (wanted)
			say("%s: %s; `tracelayer recover` shows what there is", path,
			    why_not_ours(path));
		break;
	case LEFTOVER_UNCLEAR:
		outcome->elsewhere++;
		if (wanted)
			say("%s: %s", path, recovery->why);
		break;
	default:
		say("%s: %s", path, recovery->why);
		wanted = true;
	}
	if (wanted)
		outcome_worsen(outcome, EXIT_BROKEN);
}

/* Waits for a process that was killed a moment ago. */
static enum recovery_result
recover_patiently(const char *path, const struct recovery_wishes *wishes, struct recovery *recovery)
{
	enum recovery_result result = recover_buffers(path, wishes, recovery);

	for (int waited = 0; result == RECOVERY_LEFT && recovery->state == LEFTOVER_LIVE &&
			     waited < LEFTOVER_DYING_MS && leftover_is_dying(recovery->pid);
	     waited += 10) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		recovery_forget(recovery);
		result = recover_buffers(path, wishes, recovery);
	}
	return result;
}

static void recover_one(const struct wishes *wishes, const char *path, bool wanted,
			struct outcome *outcome)
{
	const struct recovery_wishes wanted_so = {
		.output = wishes->output, .keep = wishes->keep, .foreign = wanted};
	struct recovery recovery;

	switch (recover_patiently(path, &wanted_so, &recovery)) {
	case RECOVERY_WRITTEN:
		outcome->written++;
		say_written(&recovery);
		say_problems(path, &recovery);
		outcome_worsen(outcome, recovery.nproblems ? EXIT_INCOMPLETE : EXIT_DONE);
		break;
	case RECOVERY_NOTHING:
		outcome->nothing++;
		break;
	case RECOVERY_LEFT:
		say_left(path, &recovery, wanted, outcome);
		break;
	case RECOVERY_BROKEN:
		say("%s: %s", path, recovery.why);
		outcome_worsen(outcome, EXIT_BROKEN);
		break;
	case RECOVERY_FAILED:
		say("%s: %s", recovery.path, recovery.why);
		outcome_worsen(outcome, EXIT_BROKEN);
		break;
	}
	recovery_forget(&recovery);
}

/* ---- all ---- */

/*
 * The absolute path. Links on the way to the folder are followed, a link in the file's place is
 * not, so that only the named file is deleted.
 */
static char *whole_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = slash ? need(strndup(path, (size_t)(slash - path) + 1)) : need(strdup("."));
	char *whole = realpath(folder, NULL), *joined;

	if (asprintf(&joined, "%s/%s", whole && whole[1] ? whole : "", base) < 0)
		need(NULL);
	if (!whole) {
		free(joined);
		joined = need(strdup(path));
	}
	free(folder);
	free(whole);
	return joined;
}

/* The folder that is open as `folder`, or one in it, has the file, or will have it. */
static bool path_is_below(const char *path, const struct stat *folder)
{
	char *part = need(strdup(path)), *slash;
	struct stat about;
	bool below = false;

	while (!below && (slash = strrchr(part, '/')) && slash > part) {
		*slash = 0;
		below = !stat(part, &about) && about.st_dev == folder->st_dev &&
			about.st_ino == folder->st_ino;
	}
	free(part);
	return below;
}

/* The buffers' process writes, or would write, its trace into the folder. */
static bool buffers_belong_to(const char *buffers, const struct stat *folder)
{
	char why[RECOVERY_WHY];
	struct leftover leftover;
	bool belong = false;

	if (!leftover_open(buffers, &leftover))
		return false;
	struct tl_trace *trace =
		leftover.sound ? tl_trace_open_fd(leftover.fd, why, sizeof(why)) : NULL;

	if (trace && trace->has_output)
		belong = path_is_below(
			trace->output.made ? trace->output.path : trace->output.pattern, folder);
	tl_trace_close(trace);
	leftover_release(&leftover);
	return belong;
}

/* Adds those of the found files that belong to the job's folder. Takes `found` apart. */
static void add_belonging(struct leftover_paths *paths, struct leftover_paths *found,
			  const struct stat *folder)
{
	for (size_t i = 0; i < found->count; i++) {
		bool known = false;

		for (size_t j = 0; j < paths->count; j++)
			known |= !strcmp(paths->path[j], found->path[i]);
		if (known || !buffers_belong_to(found->path[i], folder))
			continue;
		paths->path = need(reallocarray(paths->path, paths->count + 1, sizeof(char *)));
		paths->path[paths->count++] = need(strdup(found->path[i]));
	}
	leftover_forget(found);
}

/* Buffers of which the traces lie in the folder: where buffers are, and where its job put them. */
static void find_buffers_of_job(struct leftover_paths *paths, const char *path,
				const struct stat *folder)
{
	struct leftover_paths found;
	char line[TL_PLACES_FOLDER + 2], *list;

	leftover_find(&found, NULL, 0);
	add_belonging(paths, &found, folder);
	/* The folder may be that of a step, or of a host in it. */
	for (const char *const *up = (const char *const[]){"", "/..", "/../..", NULL}; *up; up++) {
		if (asprintf(&list, "%s%s/" JOB_BUFFERS, path, *up) < 0)
			need(NULL);
		FILE *file = fopen(list, "re");
		while (file && fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = 0;
			leftover_find(&found, line, 0);
			add_belonging(paths, &found, folder);
		}
		if (file)
			fclose(file);
		free(list);
	}
}

/* Files that an argument means; *named: it is the file itself. */
static void find_buffers(struct leftover_paths *paths, const char *what, bool *named)
{
	struct stat stat_of;
	char *end;
	unsigned long pid = what && *what >= '0' && *what <= '9' ? strtoul(what, &end, 10) : 0;

	*named = false;
	memset(paths, 0, sizeof(*paths));
	if (!what || (pid && !*end && pid <= INT32_MAX)) {
		leftover_find(paths, NULL, (uint32_t)pid);
	} else if (!stat(what, &stat_of) && S_ISDIR(stat_of.st_mode)) {
		leftover_find(paths, what, 0);
		find_buffers_of_job(paths, what, &stat_of);
	} else {
		paths->path = need(malloc(sizeof(char *)));
		paths->path[paths->count++] = whole_path(what);
		*named = true;
	}
}

static void recover_all(const struct wishes *wishes, const char *what, struct outcome *outcome)
{
	struct leftover_paths paths;
	bool named, folder = what && path_is_folder(what);

	find_buffers(&paths, what, &named);
	/* Each node of a job has this done, also those on which nothing is left. */
	if (what && !paths.count && !(folder && job_folder_is(what))) {
		say("%s: no buffers found; `tracelayer recover` lists what there is", what);
		outcome_worsen(outcome, EXIT_BROKEN);
	}
	/* If the user named a process by its pid, a message says when it is still alive. */
	for (size_t i = 0; i < paths.count; i++)
		recover_one(wishes, paths.path[i], named || (what && !folder && paths.count == 1),
			    outcome);
	leftover_forget(&paths);
}

static void say_nothing(const struct outcome *outcome)
{
	if (outcome->elsewhere)
		say("%zu buffers file%s stay%s: %s process%s may run on another machine; recover there, or give a file's path",
		    outcome->elsewhere, plural_s(outcome->elsewhere),
		    outcome->elsewhere == 1 ? "s" : "", outcome->elsewhere == 1 ? "its" : "their",
		    outcome->elsewhere == 1 ? "" : "es");
	if (outcome->written || outcome->code != EXIT_DONE)
		return;
	printf("nothing to recover");
	if (outcome->nothing)
		printf(": %zu file%s had nothing that a trace lacks", outcome->nothing,
		       plural_s(outcome->nothing));
	if (outcome->live)
		printf("%s %zu process%s recording", outcome->nothing ? ", and" : ":",
		       outcome->live, outcome->live == 1 ? " is alive and" : "es are alive and");
	putchar('\n');
}

/* ---- --list ---- */

enum column {
	COLUMN_PID,
	COLUMN_PROGRAM,
	COLUMN_SIZE,
	COLUMN_AGE,
	COLUMN_STATE,
	COLUMN_OUTPUT,
	COLUMN_BUFFERS
};

static const struct table_column columns[] = {
	[COLUMN_PID] = {"pid", "PID", TABLE_ID},
	[COLUMN_PROGRAM] = {"program", "PROGRAM", TABLE_NAME},
	[COLUMN_SIZE] = {"size_bytes", "SIZE", TABLE_SIZE},
	[COLUMN_AGE] = {"age_ns", "AGE", TABLE_AGE},
	[COLUMN_STATE] = {"state", "STATE", TABLE_TEXT},
	[COLUMN_OUTPUT] = {"output", "OUTPUT", TABLE_TEXT},
	[COLUMN_BUFFERS] = {"buffers", "BUFFERS", TABLE_TEXT},
};

#define COLUMNS (sizeof(columns) / sizeof(*columns))

static const char *state_of(const struct leftover *leftover, enum leftover_state state,
			    const struct tl_trace *trace)
{
	if (state == LEFTOVER_UNCLEAR)
		return "unclear";
	if (leftover->unbegun)
		return "unbegun";
	if (!leftover->sound)
		return "no header";
	if (!trace || trace->nproblems)
		return "damaged";
	return leftover->header.state == TL_FILE_DONE ? "done" : "dead";
}

static void list_leftover(struct table *table, const struct leftover *leftover,
			  enum leftover_state state)
{
	char why[RECOVERY_WHY];
	struct tl_trace *trace =
		leftover->sound ? tl_trace_open_fd(leftover->fd, why, sizeof(why)) : NULL;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t now_ns = time_ns(now);
	uint64_t then = time_ns(leftover->stat.st_mtim);

	if (trace && trace->has_facts && trace->facts.realtime_ns)
		then = trace->facts.realtime_ns;
	table_row(table);
	if (leftover->pid)
		table_number(table, COLUMN_PID, leftover->pid);
	if (trace && trace->has_facts && *trace->facts.program)
		table_text(table, COLUMN_PROGRAM, trace->facts.program);
	table_number(table, COLUMN_SIZE, (long long)leftover_size(leftover));
	table_number(table, COLUMN_AGE, then < now_ns ? (long long)(now_ns - then) : 0);
	table_text(table, COLUMN_STATE, state_of(leftover, state, trace));
	if (trace && trace->output.made)
		table_text(table, COLUMN_OUTPUT, trace->output.path);
	table_text(table, COLUMN_BUFFERS, leftover->path);
	tl_trace_close(trace);
}

static void list_argument(struct table *table, const char *what)
{
	struct leftover_paths paths;
	bool named;

	find_buffers(&paths, what, &named);
	for (size_t i = 0; i < paths.count; i++) {
		struct leftover leftover;
		enum leftover_state state = leftover_claim(paths.path[i], &leftover);

		/* A file is shown for what it carries, or for its name. */
		if (state == LEFTOVER_ALIEN && !named)
			list_leftover(table, &leftover, state);
		else if (state == LEFTOVER_ALIEN)
			say("%s: not a buffers file of a traced process; give such a file, a pid or a folder",
			    paths.path[i]);
		else if (state == LEFTOVER_UNREADABLE)
			say("%s: %s", paths.path[i], strerror(leftover.error));
		else if (state == LEFTOVER_NONE && named)
			say("%s: %s", paths.path[i], why_not_ours(paths.path[i]));
		if (state != LEFTOVER_OURS && state != LEFTOVER_UNCLEAR)
			continue;
		list_leftover(table, &leftover, state);
		leftover_release(&leftover);
	}
	leftover_forget(&paths);
}

static int list_leftovers(const struct wishes *wishes)
{
	struct table *table = table_new("leftovers", columns, COLUMNS);

	for (int i = 0; i < wishes->nwhat; i++)
		list_argument(table, wishes->what[i]);
	if (!wishes->nwhat)
		list_argument(table, NULL);
	int failed = 0;

	if (table_rows(table) || wishes->format != TABLE_AS_TEXT)
		failed = table_print(&table, 1, wishes->format, stdout);
	else
		puts("nothing to recover");
	/* A user who gave no option may have expected a recovery. */
	if (table_rows(table) && !wishes->list)
		say("nothing was changed; `tracelayer recover --all` recovers all of this, or name a pid, a folder or a file");
	table_free(table);
	if (!failed)
		return EXIT_DONE;
	say_output_failed("the table");
	return EXIT_BROKEN;
}

/* ---- options ---- */

enum { OPTION_LIST = 256, OPTION_KEEP, OPTION_FORMAT, OPTION_ALL };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "write a new trace instead of completing the one that the process began; %p, %e, %h, %r and %t as in `tracelayer run`",
	 0},
	{"keep", OPTION_KEEP, NULL, 0, "do not delete the buffers", 0},
	{"all", OPTION_ALL, NULL, 0, "recover what all dead processes of this user left", 0},
	{"list", OPTION_LIST, NULL, 0, "only show what there is", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0,
	 "format of the list: text (the default), csv or json", 0},
	{0},
};

/* By the rules for `tracelayer run -o`. */
static void take_output(struct argp_state *state, struct wishes *wishes, const char *pattern)
{
	const struct tl_setting *output = &tl_settings[TL_SETTING_OUTPUT];
	struct tl_config config;
	char why[TL_COMPLAINT_MAX];

	tl_settings_initial(&config);
	if (!strcmp(pattern, "-"))
		option_refuse(
			state,
			"--output=-: a trace cannot be recovered to standard output; name a file");
	if (!tl_settings_value(&config, output, pattern, why, sizeof(why)))
		option_refuse(state, "--output=%s: %s", pattern, why);
	wishes->output = pattern;
}

/* An option that says how to recover does not mean to recover everything. */
static void check_together(struct argp_state *state, const struct wishes *wishes)
{
	if (wishes->all && wishes->nwhat)
		option_refuse(state, "--all and %s: give one of them", wishes->what[0]);
	if ((wishes->output || wishes->keep) && !wishes->list && !wishes->all && !wishes->nwhat)
		option_refuse(
			state,
			"nothing to recover is given; give --all, or a pid, a folder or a buffers file");
	if (wishes->format != TABLE_AS_TEXT && !wishes->list && (wishes->all || wishes->nwhat))
		option_refuse(state,
			      "--format: only the list has a format; add --list, or leave it out");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;
	int format;

	switch (key) {
	case 'o':
		take_output(state, wishes, argument);
		return 0;
	case OPTION_KEEP:
		wishes->keep = true;
		return 0;
	case OPTION_ALL:
		wishes->all = true;
		return 0;
	case OPTION_LIST:
		wishes->list = true;
		return 0;
	case OPTION_FORMAT:
		format = table_format_named(argument);
		if (format < 0)
			option_refuse(state, "--format=%s: no such format; give text, csv or json",
				      argument);
		wishes->format = (enum table_format)format;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->what = state->argv + state->next;
		wishes->nwhat = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		check_together(state, wishes);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "\n[PATH|PID...]\n--all",
	.doc = "Make traces of what processes had recorded when they were killed, and delete the buffers that they left. Name a process (its pid), "
	       "a folder or a buffers file, or give --all for all dead processes of this user. Without any of these, list what there is and change nothing.\v"
	       "`tracelayer run` does this by itself for the program that it runs. Exit code: 0 done, 1 a file is not a buffers file, or a trace cannot "
	       "be written, 2 usage, 3 buffers are damaged (what is sound was recovered).",
};

int command_recover(int argc, char **argv)
{
	struct wishes wishes = {.format = TABLE_AS_TEXT};
	struct outcome outcome = {.code = EXIT_DONE};

	setlocale(LC_CTYPE, "");
	options_parse(&argp, argc, argv, 0, &wishes);
	if (wishes.list || (!wishes.nwhat && !wishes.all))
		return list_leftovers(&wishes);
	for (int i = 0; i < wishes.nwhat; i++)
		recover_all(&wishes, wishes.what[i], &outcome);
	if (!wishes.nwhat)
		recover_all(&wishes, NULL, &outcome);
	leftover_remove(false);
	say_nothing(&outcome);
	return outcome.code;
}
