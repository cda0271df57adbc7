/* SPDX-License-Identifier: MIT */
/*
 * launch.c: see launch.h. The program is a child and stays in this process group, so that the
 * terminal treats both as one job.
 *
 * Signals. Each must reach the program exactly once. Signals of the terminal, and signals to the
 * process group (a shell's `kill %1`, timeout(1)), reach the program by themselves. Signals to
 * this process alone must be passed on. A receiver cannot tell the two apart. So there is a
 * witness: a second child in the same process group, which no other process knows, so that none
 * signals it alone. A signal that the witness gets, too, was sent to the group.
 *
 * All signals are blocked here and taken by sigwaitinfo. No handler is installed, so that the
 * program inherits every signal's disposition as it was.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/run/launch.h"
#include "common/follow.h"
#include "common/launcher.h"
#include "common/proc.h"
#include "common/settings.h"
#include "tracelayer/shim.h"

/* How long a group's signal may be on its way: the kernel sends it to all in the same call. */
#define WITNESS_MS 20
/* How long the witness may wait for a processor until it tells what it got. */
#define ECHO_MS 2000
/* An older testimony belongs to a signal that was merged with another. */
#define TESTIMONY_MS 1000
#define TESTIMONIES  64

/* The witness got this signal from that process. */
struct testimony {
	int signal;
	pid_t from;
	int question; /* of an echo: see witness_ask */
	int64_t at;   /* CLOCK_MONOTONIC, ms */
};

struct launcher {
	pid_t own, program, witness;
	pid_t watcher; /* the last one, or 0: see watch_stopped */
	bool witness_stopped;
	int questions;	 /* that the witness was asked */
	int testimonies; /* descriptor they come in by */
	int testify;	 /* and the one that the witness writes to */
	struct testimony heard[TESTIMONIES];
	int count;
	sigset_t all, given;	/* given: the mask that we were started with */
	struct sigaction child; /* SIGCHLD's disposition, likewise */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the witness ---- */

/*
 * It runs in this process's memory until it is killed, so that nothing is copied. It writes to its
 * own stack alone, and to errno, which is one for both: its calls fail only when it is continued,
 * or when nobody reads.
 */
static int run_witness(void *launcher_)
{
	const struct launcher *launcher = launcher_;
	const sigset_t all = launcher->all;
	siginfo_t got;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launcher->own)
		return 0;
	/* Holds nothing open: another process may wait for the end of a pipe. */
	dup2(launcher->testify, 0);
	close_range(1, ~0u, 0);
	for (;;) {
		int number = sigwaitinfo(&all, &got);

		if (number < 0 || got.si_code == SI_KERNEL)
			continue;
		struct testimony testimony = {.signal = number, .from = got.si_pid, .at = now_ms()};

		if (got.si_code == SI_QUEUE)
			testimony.question = got.si_value.sival_int;
		if (write(0, &testimony, sizeof(testimony)) < 0)
			return 0;
	}
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITNESS_SHARES 0 /* what a sanitizer notes of a process's memory is of one thread */
#else
#define WITNESS_SHARES CLONE_VM
#endif

/* valgrind ends a process that makes a child in shared memory. It preloads libraries of its own. */
static bool is_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

static void start_witness(struct launcher *launcher)
{
	static _Alignas(64) char stack[16 << 10];
	int ends[2];

	launcher->testimonies = -1;
	if (pipe2(ends, O_CLOEXEC))
		return;
	launcher->own = getpid();
	launcher->testify = ends[1];
	if (is_under_valgrind())
		launcher->witness = -1;
	else
		launcher->witness = clone(run_witness, stack + sizeof(stack),
					  WITNESS_SHARES | SIGCHLD, launcher);
	/* qemu's emulation of processes can't share memory. */
	if (launcher->witness < 0)
		launcher->witness = clone(run_witness, stack + sizeof(stack), SIGCHLD, launcher);
	close(ends[1]);
	launcher->testimonies = ends[0];
}

static void read_testimony(struct launcher *launcher, int ms)
{
	struct pollfd poller = {.fd = launcher->testimonies, .events = POLLIN};

	if (launcher->testimonies < 0 || poll(&poller, 1, ms) <= 0)
		return;
	if (launcher->count == TESTIMONIES)
		memmove(launcher->heard, launcher->heard + 1,
			(size_t)--launcher->count * sizeof(*launcher->heard));
	struct testimony *next = &launcher->heard[launcher->count];

	if (read(launcher->testimonies, next, sizeof(*next)) == sizeof(*next)) {
		launcher->count++;
	} else {
		/*
		 * The witness was killed. From now on every signal counts as sent to this process
		 * alone.
		 */
		close(launcher->testimonies);
		launcher->testimonies = -1;
	}
}

/* Take the testimony that matches; old ones go. */
static bool heard_of(struct launcher *launcher, int number, pid_t from)
{
	int64_t now = now_ms();
	bool found = false;
	int kept = 0;

	for (int i = 0; i < launcher->count; i++) {
		struct testimony *testimony = &launcher->heard[i];

		if (now - testimony->at > TESTIMONY_MS)
			continue;
		if (!found && testimony->signal == number && testimony->from == from) {
			found = true;
			continue;
		}
		launcher->heard[kept++] = *testimony;
	}
	launcher->count = kept;
	return found;
}

/*
 * Ask the witness if it has told all that it got. It takes signals by their numbers, so that the
 * highest, which we send it, comes after every other one that it has. SIGSTOP to the group stops
 * it, too; then it can't answer until the group goes on.
 */
static bool witness_ask(struct launcher *launcher)
{
	siginfo_t change = {.si_pid = 0};

	/* Without WEXITED: once it is dead its number stays its own, as the end kills it. */
	while (!waitid(P_PID, (id_t)launcher->witness, &change, WSTOPPED | WCONTINUED | WNOHANG) &&
	       change.si_pid) {
		launcher->witness_stopped = change.si_code == CLD_STOPPED;
		change.si_pid = 0;
	}
	if (launcher->witness_stopped)
		return false;
	launcher->questions++;
	return !sigqueue(launcher->witness, SIGRTMAX,
			 (union sigval){.sival_int = launcher->questions});
}

static bool witness_answered(const struct launcher *launcher)
{
	for (int i = 0; i < launcher->count; i++) {
		const struct testimony *testimony = &launcher->heard[i];

		if (testimony->signal == SIGRTMAX && testimony->from == getpid() &&
		    testimony->question == launcher->questions)
			return true;
	}
	return false;
}

/* On a busy machine the witness gets a processor late. What it has got by then counts. */
static bool sent_to_group(struct launcher *launcher, const siginfo_t *got)
{
	int64_t until = now_ms() + WITNESS_MS, left;
	bool asked = false;

	while (!heard_of(launcher, got->si_signo, got->si_pid)) {
		left = until - now_ms();
		if (launcher->testimonies < 0 || (asked && witness_answered(launcher)))
			return false;
		if (left > 0) {
			read_testimony(launcher, (int)left);
		} else {
			if (asked || !witness_ask(launcher))
				return false;
			asked = true;
			until += ECHO_MS;
		}
	}
	return true;
}

/* ---- signals ---- */

/* What the kernel sends to a terminal's foreground group, or to one that lost its terminal: the
 * program gets it, too. */
static bool is_terminals(const siginfo_t *got)
{
	switch (got->si_signo) {
	case SIGINT:
	case SIGQUIT:
	case SIGHUP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGCONT:
	case SIGWINCH:
		return got->si_code == SI_KERNEL;
	default:
		return false;
	}
}

/*
 * From a timer of a library that is preloaded into this command, too, as a profiler is. It has a
 * handler here. The signal of an alarm that was set before we were started has none.
 */
static bool is_own_timers(const siginfo_t *got)
{
	struct sigaction now;

	if (got->si_code != SI_KERNEL)
		return got->si_code == SI_TIMER;
	return !sigaction(got->si_signo, NULL, &now) && now.sa_handler != SIG_DFL &&
	       now.sa_handler != SIG_IGN;
}

static bool terminated; /* this command got SIGTERM */

static void pass_on(struct launcher *launcher, const siginfo_t *got)
{
	pid_t to = launcher->program;

	/* Not the one that a program sends to its parent: it is meant for our parent. */
	terminated |= got->si_signo == SIGTERM && got->si_pid != launcher->program;

	if (got->si_signo == SIGCHLD || is_terminals(got) || is_own_timers(got))
		return;
	/* The watcher's, for us alone. */
	if (got->si_signo == SIGCONT && launcher->watcher > 0 && got->si_pid == launcher->watcher)
		return;
	/* An alarm set before we were started (alarm, then exec) is the program's; it comes from
	 * the kernel, to us alone. */
	if (got->si_code != SI_KERNEL && sent_to_group(launcher, got))
		return;
	/* A signal that the program sends to its parent is meant for our parent. */
	if (got->si_code != SI_KERNEL && got->si_pid == launcher->program)
		to = getppid();
	if (got->si_code == SI_QUEUE)
		sigqueue(to, got->si_signo, got->si_value);
	else
		kill(to, got->si_signo);
}

/* Whether the process is stopped, by a signal or a debugger. */
static bool is_stopped(pid_t pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	text[tl_proc_read(path, text, sizeof(text) - 1)] = 0;
	char state = *tl_proc_stat_field(text, 3);
	return state == 'T' || state == 't';
}

/*
 * In a process of its own, until this command kills it: continues the command once the program is no
 * longer stopped. Who stops the program alone also continues it alone, as tools do that limit a
 * process's share. The program may go on before the command has stopped.
 */
static __attribute__((noreturn)) void watch_stopped(pid_t program, pid_t command)
{
	const struct timespec moment = {.tv_nsec = 20000000};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == command) {
		if (!is_stopped(program) && is_stopped(command))
			kill(command, SIGCONT);
		nanosleep(&moment, NULL);
	}
	_exit(0);
}

/* The program was stopped: stop in the same way, so that the shell sees its job stopped. Returns
 * when we are continued. */
static void stop_alike(struct launcher *launcher, int number)
{
	pid_t command = getpid();
	sigset_t one;

	launcher->watcher = fork();
	if (!launcher->watcher)
		watch_stopped(launcher->program, command);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	sigprocmask(SIG_BLOCK, &one, NULL);
	if (launcher->watcher > 0) {
		kill(launcher->watcher, SIGKILL);
		waitpid(launcher->watcher, NULL, 0);
	}
}

/*
 * Whether the program is still stopped. A SIGCONT that waits here may have come since, to this command
 * alone: it is passed on first, as any signal is.
 */
static bool stays_stopped(struct launcher *launcher)
{
	const struct timespec now = {0};
	sigset_t one;
	siginfo_t got;

	sigemptyset(&one);
	sigaddset(&one, SIGCONT);
	if (sigtimedwait(&one, &got, &now) < 0)
		return true;
	pass_on(launcher, &got);
	return is_stopped(launcher->program);
}

/* Returns the program's status once it has ended. */
static int await_program(struct launcher *launcher)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(launcher->program, &status, WNOHANG | WUNTRACED);

		if (pid == launcher->program && !WIFSTOPPED(status))
			return status;
		if (pid == launcher->program && stays_stopped(launcher))
			stop_alike(launcher, WSTOPSIG(status));
		siginfo_t got;

		if (pid != launcher->program && sigwaitinfo(&launcher->all, &got) > 0)
			pass_on(launcher, &got);
	}
}

/* ---- start and end ---- */

/*
 * With --follow=no only the first process is traced: the program, even if the layer cannot enter
 * it.
 */
static void be_first(void)
{
	const char *variable = tl_settings[TL_SETTING_FOLLOW].variable, *value = getenv(variable);
	struct tl_config config;
	char why[TL_COMPLAINT_MAX], first[8 + TL_FOLLOW_MARK] = "no:";

	tl_settings_initial(&config);
	if (!value ||
	    !tl_settings_value(&config, &tl_settings[TL_SETTING_FOLLOW], value, why, sizeof(why)) ||
	    config.follow)
		return;
	tl_follow_mark(first + strlen(first));
	setenv(variable, first, 1);
}

/* A script without #! is the shell's, as for execvp. */
static void execute_by_shell(const struct program *program, char **argv)
{
	size_t count = 0;

	while (argv[count])
		count++;
	char **longer = calloc(count + 2, sizeof(*longer));

	if (!longer)
		return;
	longer[0] = (char *)"/bin/sh";
	longer[1] = (char *)program->path;
	memcpy(longer + 2, argv + 1, count * sizeof(*longer));
	execv(longer[0], longer);
}

static __attribute__((noreturn)) void
become(const struct launcher *launcher, const struct program *program, char **argv, int failure)
{
	be_first();
	sigaction(SIGCHLD, &launcher->child, NULL);
	sigprocmask(SIG_SETMASK, &launcher->given, NULL);
	execv(program->path, argv);
	int error = errno;

	if (error == ENOEXEC && !program->elf)
		execute_by_shell(program, argv);

	while (write(failure, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/*
 * A rank's socket to its launcher, Hydra's or Slurm's. Hydra takes a rank for dead once nobody has it
 * open, and kills the process that it started. This is us: mpiexec would end with 9 and not with the
 * program's exit code. -1: none.
 */
static int launcher_socket(void)
{
	int64_t fd = tl_launcher_number("PMI_FD");
	struct stat status;

	return fd >= 0 && fd <= INT_MAX && !fstat((int)fd, &status) && S_ISSOCK(status.st_mode)
		       ? (int)fd
		       : -1;
}

/* Leave standard input, output and everything else that we inherited to the program alone. */
static void let_go(const int *kept, size_t count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned from = 3, next;

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	do {
		next = UINT_MAX;
		for (size_t i = 0; i < count; i++)
			if (kept[i] >= (int)from && (unsigned)kept[i] < next)
				next = (unsigned)kept[i];
		if (next > from)
			close_range(from, next == UINT_MAX ? next : next - 1, 0);
		from = next + 1;
	} while (next != UINT_MAX);
}

/*
 * The child runs in this process's memory until it is the program, so that nothing is copied. All signals
 * are blocked meanwhile, and there are no handlers.
 */
static __attribute__((noinline)) pid_t start_program(const struct launcher *launcher,
						     const struct program *program, char **argv,
						     int failure)
{
	pid_t pid = vfork();

	if (!pid)
		become(launcher, program, argv, failure);
	return pid;
}

static pid_t killed_witness; /* it is yet to be reaped */

/* It takes a while to die. So it is killed early, and waited for at the end. */
static void reap_witness(void)
{
	if (killed_witness > 0)
		waitpid(killed_witness, NULL, 0);
	killed_witness = 0;
}

static void note_time(struct ending *ending)
{
	struct timespec now;

	ending->died_ticks = tl_counter();
	clock_gettime(CLOCK_MONOTONIC, &now);
	ending->died_ns = time_ns(now);
}

void launch(const struct program *program, char **argv, int keep, struct ending *ending)
{
	struct launcher launcher = {.witness = 0};
	struct sigaction standard = {.sa_handler = SIG_DFL};
	int failure[2];

	memset(ending, 0, sizeof(*ending));
	/* Where SIGCHLD is ignored, no child can be waited for. */
	sigaction(SIGCHLD, &standard, &launcher.child);
	sigfillset(&launcher.all);
	sigprocmask(SIG_BLOCK, &launcher.all, &launcher.given);
	if (pipe2(failure, O_CLOEXEC)) {
		ending->error = errno;
		return;
	}
	start_witness(&launcher);
	launcher.program = start_program(&launcher, program, argv, failure[1]);
	ending->error = launcher.program < 0 ? errno : 0;
	close(failure[1]);
	if (!ending->error &&
	    read(failure[0], &ending->error, sizeof(ending->error)) != sizeof(ending->error))
		ending->error = 0;
	close(failure[0]);
	ending->pid = launcher.program;
	if (launcher.program > 0) {
		const int kept[] = {launcher.testimonies, keep, launcher_socket()};

		let_go(kept, sizeof(kept) / sizeof(*kept));
		ending->status = await_program(&launcher);
		note_time(ending);
	}
	if (launcher.witness > 0) {
		kill(launcher.witness, SIGKILL);
		killed_witness = launcher.witness;
	}
	if (ending->error)
		reap_witness();
}

bool launch_is_urgent(void)
{
	sigset_t pending;

	return terminated || (!sigpending(&pending) && sigismember(&pending, SIGTERM) == 1);
}

void end_alike(int status)
{
	struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t one;

	reap_witness();
	/* Not by exit(): a library that is preloaded for the program may put its own code there (libasan). */
	if (!WIFSIGNALED(status)) {
		fflush(NULL);
		_exit(WEXITSTATUS(status));
	}
	/* The program has dumped its core if it was to; ours would only overwrite it. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	prctl(PR_SET_DUMPABLE, 0);
	sigaction(WTERMSIG(status), &standard, NULL);
	sigemptyset(&one);
	sigaddset(&one, WTERMSIG(status));
	raise(WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	exit(128 + WTERMSIG(status));
}
