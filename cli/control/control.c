/* SPDX-License-Identifier: MIT */
/*
 * control.c: `tracelayer pause`, `resume`, `snapshot`, `stop`: requests to traced processes while
 * they run.
 *
 * A traced process maps a buffers file (format/file/trace_file.h), whose header takes requests: a
 * number and what is asked for. This command puts a request there by compare and exchange and
 * wakes the process, which answers with the same number when it is done. First all processes get
 * their requests, then the command waits for their answers.
 *
 * The file's content is not trusted. The file may be left over from a dead process, whose number
 * another process has now (cli/leftovers/leftovers.h).
 */
#include "config.h"

#include <argp.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/control/control.h"
#include "cli/leftovers/leftovers.h"
#include "common/proc.h"
#include "format/file/trace_file.h"

#define PATIENCE_MS 10000	  /* for an answer */
#define SLICE_MS    100		  /* between two looks whether the process is still there */
#define BEGINNING   (256u * 1024) /* of a file: where its output piece is */

struct request {
	const char *command, *purpose, *done;
	enum tl_file_request kind;
	bool writes; /* the file is whole afterwards */
};

static const struct request requests[] = {
	{"pause", "Pause the recording of running processes.", "paused", TL_REQUEST_PAUSE, true},
	{"resume", "Resume the recording of running processes.", "resumed", TL_REQUEST_RESUME,
	 false},
	{"snapshot", "Make running processes write what they have recorded so far.", "written out",
	 TL_REQUEST_SNAPSHOT, true},
	{"stop", "End the recording of running processes for good.", "stopped", TL_REQUEST_STOP,
	 true},
};

/* A traced process. */
struct target {
	pid_t pid;
	struct tl_file_header *header;
	size_t size;	 /* of what is mapped */
	uint32_t number; /* of our request */
	bool failed;	 /* a message has told the user why */
};

struct targets {
	struct target *list;
	size_t count;
	const struct request *request;
	int code;
};

/* ---- who is there */

/*
 * Whether the process that made the file still runs, and its number is not that of another one. A
 * process that was killed keeps the number until its parent has asked how it ended.
 */
static bool target_is_alive(const struct target *target)
{
	return tl_proc_start_time((uint32_t)target->pid) == target->header->start_time &&
	       !leftover_is_dying((uint32_t)target->pid);
}

/* Maps the buffers file, if the path still leads to the file that was examined. */
static bool target_map(struct target *target, const struct leftover *file)
{
	struct stat stat;
	int fd = open(file->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool same = !fstat(fd, &stat) && stat.st_dev == file->stat.st_dev &&
		    stat.st_ino == file->stat.st_ino && stat.st_size >= TL_FILE_PAGE;
	void *mapped = MAP_FAILED;
	if (same) {
		target->size = stat.st_size < BEGINNING ? (size_t)stat.st_size : BEGINNING;
		mapped = mmap(NULL, target->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	close(fd);
	target->header = mapped;
	return mapped != MAP_FAILED;
}

/* The user's word: digits are a process, anything else is a session. */
static bool header_is_meant(const struct tl_file_header *header, const char *word)
{
	char *end;
	unsigned long pid = strtoul(word, &end, 10);

	return *end ? !strcmp(header->session, word) : header->pid == pid;
}

static bool targets_have(const struct targets *targets, pid_t pid)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->list[i].pid == pid)
			return true;
	return false;
}

static void targets_add_file(struct targets *targets, const char *path, const char *word)
{
	struct target target = {0};
	struct leftover file;

	if (!leftover_open(path, &file))
		return;
	target.pid = (pid_t)file.pid;
	if (file.sound && header_is_meant(&file.header, word) &&
	    !targets_have(targets, target.pid) && leftover_is_live(&file) &&
	    target_map(&target, &file)) {
		targets->list =
			need(reallocarray(targets->list, targets->count + 1, sizeof(target)));
		targets->list[targets->count++] = target;
	}
	leftover_release(&file);
}

/* Adds all processes that the word names. Returns how many are new. */
static size_t targets_add_named(struct targets *targets, const char *word)
{
	size_t before = targets->count;
	struct leftover_paths paths;

	leftover_find(&paths, NULL, 0);
	for (size_t i = 0; i < paths.count; i++)
		targets_add_file(targets, paths.path[i], word);
	leftover_forget(&paths);
	return targets->count - before;
}

static void say_no_target(const char *word)
{
	char *end, path[64];
	unsigned long pid = strtoul(word, &end, 10);
	struct stat stat_of;

	snprintf(path, sizeof(path), "/proc/%lu", pid);
	if (*end)
		say("session %s: you have no process with that session name that has made a traced call; start one with `tracelayer run --session`, give a process number, or run this command as the user that its processes became",
		    word);
	else if (stat(path, &stat_of))
		say("process %s: no such process; use `ps` to find the program's own number, not that of `tracelayer run`",
		    word);
	else if (stat_of.st_uid != geteuid())
		say("process %s: it belongs to another user; run this command as that user", word);
	else
		say("process %s: not traced, or it has made no traced call yet; start it with `tracelayer run`, and give the program's own number",
		    word);
}

/* ---- asking */

static long futex_call(_Atomic uint32_t *word, int operation, uint32_t value,
		       const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

/* Waits for the answer to the request. False: the process has ended, or did not answer in time. */
static bool target_wait(const struct target *target, uint32_t number)
{
	const struct timespec slice = {0, SLICE_MS * 1000000l};
	_Atomic uint32_t *word = &target->header->answer;

	for (int waited = 0; waited < PATIENCE_MS; waited += SLICE_MS) {
		/* Pairs with the process's release. */
		uint32_t answer = atomic_load_explicit(word, memory_order_acquire);
		if ((int32_t)(answer - number) >= 0)
			return true;
		if (!target_is_alive(target))
			return false;
		futex_call(word, FUTEX_WAIT, answer, &slice);
	}
	return false;
}

static uint32_t target_recording(const struct target *target)
{
	return atomic_load_explicit(&target->header->recording, memory_order_relaxed);
}

static void target_fail(struct targets *targets, struct target *target)
{
	target->failed = true;
	targets->code = EXIT_BROKEN;
}

/* Recording was ended for good: there is nothing to pause or resume. */
static bool target_is_stopped(struct targets *targets, struct target *target)
{
	const struct request *request = targets->request;

	if (target_recording(target) < TL_FILE_STOPPED ||
	    (request->kind != TL_REQUEST_PAUSE && request->kind != TL_REQUEST_RESUME))
		return false;
	say("process %d: recording was stopped for good; start the program again",
	    (int)target->pid);
	target_fail(targets, target);
	return true;
}

static void target_request(struct targets *targets, struct target *target)
{
	struct tl_file_header *header = target->header;
	uint32_t pending = atomic_load_explicit(&header->request, memory_order_relaxed);

	if (target_is_stopped(targets, target))
		return;
	if (!atomic_load_explicit(&header->listens, memory_order_relaxed))
		fprintf(stderr,
			"tracelayer: process %d: it answers when its first chunk of events is full; waiting for %d seconds\n",
			(int)target->pid, PATIENCE_MS / 1000);
	/* A pending request of another command is answered first; ours would overwrite it. */
	do {
		if (pending != atomic_load_explicit(&header->answer, memory_order_relaxed))
			target_wait(target, pending);
		target->number = ((pending >> TL_REQUEST_BITS) + 1) << TL_REQUEST_BITS |
				 targets->request->kind;
		/*
		 * Sequentially consistent, as the store after it: the process looks at them the
		 * other way round.
		 */
	} while (!atomic_compare_exchange_strong(&header->request, &pending, target->number));
	atomic_store(&header->wake, 0);
	futex_call(&header->wake, FUTEX_WAKE, INT_MAX, NULL);
}

/* The path of its trace; NULL: it has none yet. */
static const char *target_output(const struct target *target)
{
	const char *bytes = (const char *)target->header;
	uint64_t at = target->header->header_size;

	while (at % 8 == 0 && at <= target->size &&
	       target->size - at >= sizeof(struct tl_output_piece)) {
		const struct tl_output_piece *piece = (const void *)(bytes + at);
		if (piece->piece.magic != TL_PIECE_MAGIC ||
		    piece->piece.size < sizeof(struct tl_piece) || piece->piece.size > target->size)
			return NULL;
		/* Acquire: pairs with the release in output_tell_made (layer/write/sink.c). */
		if (piece->piece.kind == TL_PIECE_OUTPUT)
			return atomic_load_explicit(&piece->made, memory_order_acquire) &&
					       memchr(piece->path, 0, sizeof(piece->path))
				       ? piece->path
				       : NULL;
		at += piece->piece.size;
	}
	return NULL;
}

static void target_finish(struct targets *targets, struct target *target)
{
	const struct request *request = targets->request;
	const char *output;

	if (target->failed)
		return;
	if (!target_wait(target, target->number)) {
		if (!target_is_alive(target))
			say("process %d: it has ended; its trace has what it recorded",
			    (int)target->pid);
		else
			say("process %d: no answer yet, it will be %s at its next traced calls; start it with --session to get an answer at once",
			    (int)target->pid, request->done);
		target_fail(targets, target);
		return;
	}
	if (target_is_stopped(targets, target))
		return;
	output = request->writes ? target_output(target) : NULL;
	printf("%d: %s%s", (int)target->pid, request->done, output ? ": " : "");
	if (output)
		print_escaped(stdout, output, strlen(output));
	putchar('\n');
}

/* ---- for other commands */

bool control_request(uint32_t pid, enum tl_file_request what)
{
	const struct request request = {.kind = what};
	struct targets targets = {.request = &request};
	char word[16];
	bool done = true;

	snprintf(word, sizeof(word), "%u", pid);
	targets_add_named(&targets, word);
	for (size_t i = 0; i < targets.count; i++) {
		target_request(&targets, &targets.list[i]);
		done &= target_wait(&targets.list[i], targets.list[i].number);
		munmap(targets.list[i].header, targets.list[i].size);
	}
	free(targets.list);
	return done && targets.count;
}

/* ---- the commands */

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct targets *targets = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!targets_add_named(targets, argument)) {
			char *end;
			unsigned long pid = strtoul(argument, &end, 10);
			/* It is no error to name a process twice. */
			if (*end || !targets_have(targets, (pid_t)pid)) {
				say_no_target(argument);
				targets->code = EXIT_BROKEN;
			}
		}
		return 0;
	case ARGP_KEY_NO_ARGS:
		option_refuse(state, "no process given; give a process number or a session name");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int control_command(int argc, char **argv, const struct request *request)
{
	struct targets targets = {.request = request, .code = EXIT_DONE};
	char *doc;

	if (asprintf(
		    &doc,
		    "%s\vGive process numbers, or the name that `tracelayer run --session` was given. "
		    "See tracelayer-pause(1).",
		    request->purpose) < 0)
		need(NULL);
	const struct argp argp = {.parser = parse_option, .args_doc = "PID|SESSION...", .doc = doc};

	options_parse(&argp, argc, argv, 0, &targets);
	for (size_t i = 0; i < targets.count; i++)
		target_request(&targets, &targets.list[i]);
	for (size_t i = 0; i < targets.count; i++) {
		target_finish(&targets, &targets.list[i]);
		munmap(targets.list[i].header, targets.list[i].size);
	}
	free(targets.list);
	free(doc);
	return targets.code;
}

int command_pause(int argc, char **argv)
{
	return control_command(argc, argv, &requests[0]);
}

int command_resume(int argc, char **argv)
{
	return control_command(argc, argv, &requests[1]);
}

int command_snapshot(int argc, char **argv)
{
	return control_command(argc, argv, &requests[2]);
}

int command_stop(int argc, char **argv)
{
	return control_command(argc, argv, &requests[3]);
}
