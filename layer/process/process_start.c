/* SPDX-License-Identifier: MIT */
/*
 * process_start.c: the library is loaded, and the first watched call.
 *
 * Loading reads the environment, and that is all: shims get their modes when somebody first needs one
 * (tl_api_need). The first watched call starts the clock, registers the exit handler, and prints what
 * settings were wrong. Nothing is ever taken down: calls from other exit handlers, destructors and
 * threads that outlive main find everything in place, and what they record comes before the end of
 * the file.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/xpti_environment.h"
#include "layer/base/environment.h"
#include "layer/buffers/process_state.h"
#include "layer/process/preload.h"
#include "layer/process/process_exit.h"
#include "layer/process/process_fork.h"
#include "layer/process/process_parts.h"
#include "layer/resolve/function_identity.h"

/*
 * Functions of .preinit_array run before the C library's own constructor, which sets `environ`. The
 * kernel has put the environment behind the arguments, at the top of the stack. The dynamic linker
 * knows that place.
 */
extern void *__libc_stack_end __attribute__((weak));

static char **early_environment(void)
{
	if (!&__libc_stack_end || !__libc_stack_end)
		return NULL;
	intptr_t *stack = __libc_stack_end, count = *stack;
	char **at = (char **)(stack + 1);

	/* As the kernel lays it out: the number of arguments, these, and a NULL. */
	return count >= 0 && !at[count] ? at + count + 1 : NULL;
}

static void start_process(void)
{
	char **before = environ;

	if (!environ)
		environ = early_environment();
	tl_parts_start();
	/*
	 * Now, and not at the first call: a process may be forked while another thread is in its
	 * first call. The child must be recognised as a child before that.
	 */
	if (!tl_config.secure)
		tl_fork_register();
	environ = before;
}

static void begin_process(void)
{
	tl_parts_begin();
	tl_exit_register();
}

const struct tl_process_stages tl_process_stages = {
	.start = start_process,
	.begin = begin_process,
	.unseen_fork = tl_fork_unseen,
};

/*
 * `tracelayer run` sets up XPTI's variables before the program starts. Without it the layer does,
 * which may be too late: other libraries' constructors may run before this one.
 */
static void bring_xpti(void)
{
	char folder[PATH_MAX];
	Dl_info own;

	if (tl_config.secure || tl_config.left_alone || tl_config.level == TL_LEVEL_NONE ||
	    !dladdr(bring_xpti, &own) || !realpath(own.dli_fname, folder))
		return;
	*strrchr(folder, '/') = 0;
	tl_xpti_set_environment(folder);
}

static __attribute__((constructor)) void library_loaded(void)
{
	tl_process_start();
	tl_identity_look();
	tl_preload_look();
	if (tl_config.xpti && tl_process_is_preloaded())
		bring_xpti();
	tl_exit_register_last();
}
