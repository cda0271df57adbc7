/* SPDX-License-Identifier: MIT */
/*
 * signal_handler.c: see signal_handler.h.
 *
 * While a handler runs, its signal is blocked, unless the handler was installed with SA_NODEFER. So
 * if no handler was installed with that flag, a thread that blocks nothing is in no handler. LLVM
 * installs such handlers, so each process with a CPU driver for OpenCL has some.
 *
 * In a process that has any, the stack decides. A handler returns to a function of the C library
 * that exists for this. The kernel puts that function's address on the stack, above the handler's
 * own frame. Between here and the end of the stack the address stands nowhere else, unless an
 * earlier handler left it in memory that no function has written to since.
 *
 * A handler with SA_RESETHAND is no longer installed when it runs. But its flags and that address
 * are still there.
 */
#include "layer/base/signal_handler.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/args/args.h"

/* how many bytes to look at, of a stack whose end can't be found */
#define STACK_MOST (64u << 20)
#define WORDS	   512u /* read at once */

typedef void (*restorer)(void);

/*
 * A signal's action, as the kernel has it. A sanitizer's sigaction would return what the program
 * set, which is not what runs.
 */
struct action {
	void (*handler)(int number);
	unsigned long flags;
	restorer restorer;
	uint64_t mask;
};

static bool signal_action(int number, struct action *action)
{
	return !syscall(SYS_rt_sigaction, number, NULL, action, sizeof(action->mask));
}

/*
 * The function that handlers return to, from the signals that any handler was ever installed for. A
 * C library has one. NULL: not known (the kernel has its own).
 */
static restorer handlers_restorer(void)
{
	struct action action;

	for (int number = 1; number < _NSIG; number++)
		if (signal_action(number, &action) && action.restorer)
			return action.restorer;
	return NULL;
}

static bool action_may_run_unblocked(const struct action *action)
{
	bool installed = action->handler != SIG_DFL && action->handler != SIG_IGN;

	return action->flags & SA_NODEFER && (installed || action->flags & SA_RESETHAND);
}

static bool some_action_may_run_unblocked(void)
{
	struct action action;

	for (int number = 1; number < _NSIG; number++)
		if (signal_action(number, &action) && action_may_run_unblocked(&action))
			return true;
	return false;
}

/* Searches up to the end of the stack, where reading fails. */
static bool stack_has_restorer(uintptr_t from, restorer wanted)
{
	uintptr_t words[WORDS];
	size_t size = sizeof(words);

	for (uintptr_t at = from; size == sizeof(words) && at - from < STACK_MOST; at += size) {
		size = tl_checked_copy(words, (const void *)at, sizeof(words));
		for (size_t i = 0; i < size / sizeof(*words); i++)
			if (words[i] == (uintptr_t)wanted)
				return true;
	}
	return size == sizeof(words);
}

bool tl_signal_handler_runs(void)
{
	/*
	 * Frames of functions that are called from here lie below this, with the address in them.
	 */
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	uint64_t blocked = 0;
	stack_t stack;

	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked)) || blocked)
		return true;
	if (!sigaltstack(NULL, &stack) && (stack.ss_flags & SS_ONSTACK))
		return true;
	if (!some_action_may_run_unblocked())
		return false;
	restorer wanted = handlers_restorer();
	return !wanted || stack_has_restorer(frame, wanted);
}
