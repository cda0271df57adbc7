/* SPDX-License-Identifier: MIT */
/*
 * tool_libraries.c: loading tool libraries into the program. See tool_libraries.h, and
 * tracelayer/tool.h for what tools are promised.
 *
 * The thread that makes the first call loads the tools, and holds none of the layer's locks.
 * Loading runs the dynamic linker and the tool's own code. These may want locks that another thread
 * holds while that thread makes a call and waits for the tools: for example a thread inside dlopen,
 * which holds the dynamic linker's lock, and whose library's constructor calls the API. So threads
 * wait with a bound. Once one has waited that long, none waits any more.
 *
 * `tool_state` is 0 where there is nothing to do, WANTED before loading, and the loading
 * thread's pthread_t during it: that thread's own calls, also from a signal handler in between, see
 * themselves there and pass.
 */
#include "layer/process/tool_libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/tool_list.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/futex.h"
#include "layer/buffers/process_state.h"
#include "layer/base/message.h"
#include "layer/base/run_report.h"
#include "layer/calls/stack_numbers.h"
#include "layer/calls/thread.h"
#include "layer/calls/tracers.h"
#include "tracelayer/tool.h"

#define TOOLS_MAX 32
#define WANTED	  1
#define PATIENCE  1000000000L /* nanoseconds */

static _Atomic uintptr_t tool_state;

static char folder[TL_TOOL_NAME]; /* that the program was started in */

static _Atomic uint32_t loaded; /* futex: the tools are loaded */
static _Atomic bool impatient;	/* waiting has been in vain */

static void (*ends[TOOLS_MAX])(void);
static _Atomic uint32_t nends; /* release when an entry is stored, acquire when it is read */
static _Atomic bool ended;

/* --- loading */

static void tool_complain(const char *name, const char *why)
{
	char line[1024];
	int size = snprintf(line, sizeof(line) - 1, "tracelayer: tool %s: %s", name, why);

	if (size < 0)
		return;
	if ((size_t)size > sizeof(line) - 2)
		size = sizeof(line) - 2;
	for (int i = 0; i < size; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = '?';
	strcpy(line + size, "\n");
	tl_message_say(line);
}

/* The path of the library that this code is in. */
static const char *own_path(void)
{
	Dl_info info;

	return dladdr((void *)own_path, &info) && info.dli_fname ? info.dli_fname : "";
}

/* dlopen, and a check of what every tool has. NULL: something is missing; a message says what. */
static void *tool_open(const char *name, const char *path)
{
	char why[512];
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library) {
		const char *error = dlerror();
		snprintf(why, sizeof(why), "%s; the program runs without it",
			 error ? error : "it can't be loaded");
		tool_complain(name, why);
		return NULL;
	}
	const unsigned *version = dlsym(library, "tl_tool_version");
	if (!version || !dlsym(library, "tl_tool_start")) {
		snprintf(why, sizeof(why), "no tool, since it has no %s; see tracelayer/tool.h",
			 version ? "tl_tool_start" : "tl_tool_version");
		tool_complain(name, why);
		return NULL;
	}
	if (*version != TL_TOOL_VERSION) {
		snprintf(
			why, sizeof(why),
			"made for version %u of the tools' interface, and this is version %u; build it with this tracelayer's headers",
			*version, TL_TOOL_VERSION);
		tool_complain(name, why);
		return NULL;
	}
	return library;
}

static void tool_start(const struct tl_tool_item *item, void *library)
{
	char why[512] = "";
	/* the tool's, for ever */
	char *name = strdup(item->name), *options = strdup(item->options);
	int (*start)(const struct tl_tool_host *) =
		(int (*)(const struct tl_tool_host *))dlsym(library, "tl_tool_start");
	uint32_t count = atomic_load_explicit(&nends, memory_order_relaxed);
	struct tl_tool_host host = {.size = sizeof(host),
				    .version = TL_TOOL_VERSION,
				    .name = name,
				    .options = options,
				    .why = why,
				    .why_size = sizeof(why),
				    .callers = tl_stack_callers};

	if (!name || !options) {
		tool_complain(item->name, "no memory; the program runs without it");
		return;
	}
	int status = start(&host);
	if (status) {
		if (!why[0])
			snprintf(why, sizeof(why),
				 "it did not start (%d); the program runs without it", status);
		tool_complain(item->name, why);
		return;
	}
	ends[count] = (void (*)(void))dlsym(library, "tl_tool_end");
	atomic_store_explicit(&nends, count + 1, memory_order_release);
}

static void tool_load(const struct tl_tool_item *item)
{
	static char path[TL_TOOL_NAME + 64];

	if (atomic_load_explicit(&nends, memory_order_relaxed) == TOOLS_MAX) {
		tool_complain(item->name, "there are too many tools; give fewer");
		return;
	}
	if (!tl_tools_find(item->name, own_path(), folder, path, sizeof(path))) {
		tool_complain(
			item->name,
			strchr(item->name, '/')
				? "no such file; give the path of a tool library"
				: "no such tool; give summary, log, leaks, faults, or a path");
		return;
	}
	void *library = tool_open(item->name, path);
	if (library)
		tool_start(item, library);
}

static void tools_load_all(void)
{
	struct tl_tool_item *item = malloc(sizeof(*item));
	const char *list = tl_config.tools;
	bool summary = false;

	if (!item) {
		tool_complain("library", "no memory; the program runs without tools");
		return;
	}
	while (tl_tools_next(&list, item)) {
		summary |= !strcmp(item->name, "summary");
		tool_load(item);
	}
	list = "summary";
	if (tl_config.summary && !summary && tl_tools_next(&list, item))
		tool_load(item);
	free(item);
}

/*
 * The calling thread's calls pass while tools' own code runs. NULL where it has no state, and can't
 * get one.
 */
static struct tl_thread *quiet_thread(void)
{
	struct tl_thread *thread = tl_self ? tl_self : tl_thread_attach();

	if (thread)
		tl_thread_busy(thread);
	return thread;
}

static void tools_load(void)
{
	int cancel;

	if (!tl_process_begin() || tl_config.left_alone)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	struct tl_thread *thread = quiet_thread();
	tools_load_all();
	if (atomic_load_explicit(&nends, memory_order_relaxed))
		tl_report_tools(false);
	/* A tool may have forked: the child's state is another. */
	if (thread && thread == tl_self)
		tl_thread_free(thread);
	pthread_setcancelstate(cancel, NULL);
}

static void tools_await(uintptr_t loader)
{
	struct timespec start, now, left;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (!atomic_load_explicit(&impatient, memory_order_relaxed) &&
	       atomic_load_explicit(&tool_state, memory_order_acquire) == loader) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		long spent =
			(now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec;
		if (spent >= PATIENCE) {
			atomic_store_explicit(&impatient, true, memory_order_relaxed);
			break;
		}
		left = (struct timespec){
			.tv_nsec = PATIENCE - spent > 999999999L ? 999999999L : PATIENCE - spent};
		tl_futex_sleep(&loaded, 0, &left);
	}
}

static void tools_load_at_first_call(void)
{
	uintptr_t self = (uintptr_t)pthread_self(), state = WANTED;

	/* The parent's own first call loads them. */
	if (tl_process_is_early_guest())
		return;
	if (atomic_compare_exchange_strong_explicit(&tool_state, &state, self, memory_order_acquire,
						    memory_order_acquire)) {
		tools_load();
		/* Release: pairs with the acquire in tools_await; the tools are loaded. */
		atomic_store_explicit(&tool_state, 0, memory_order_release);
		tl_first_call_done(TL_FIRST_CALL_TOOLS);
		atomic_store_explicit(&loaded, 1, memory_order_relaxed);
		tl_futex_wake(&loaded);
	} else if (state && state != self) {
		tools_await(state);
	}
}

static bool tools_are_loading_here(void)
{
	return atomic_load_explicit(&tool_state, memory_order_relaxed) == (uintptr_t)pthread_self();
}

void tl_tools_start(void)
{
	if (tl_config.secure || !tl_config_gives_tools())
		return;
	if (!getcwd(folder, sizeof(folder)))
		strcpy(folder, ".");
	/* Release: pairs with the acquire exchange in tools_load_at_first_call; `folder` is set. */
	atomic_store_explicit(&tool_state, WANTED, memory_order_release);
	tl_first_call_give(TL_FIRST_CALL_TOOLS, tools_load_at_first_call);
	tl_tracer_at_create(tools_are_loading_here);
	tl_first_call_await(TL_FIRST_CALL_TOOLS);
}

/* --- the end */

void tl_tools_report_end(void)
{
	if (atomic_load_explicit(&nends, memory_order_acquire))
		tl_report_tools(true);
}

void tl_tools_end(void)
{
	uint32_t count = atomic_load_explicit(&nends, memory_order_acquire);

	if (!count || atomic_exchange_explicit(&ended, true, memory_order_relaxed))
		return;
	tl_tools_report_end();
	struct tl_thread *thread = quiet_thread();
	for (uint32_t i = 0; i < count; i++)
		if (ends[i])
			ends[i]();
	if (thread)
		tl_thread_free(thread);
}

bool tl_tools_await_end(void)
{
	return atomic_load_explicit(&nends, memory_order_acquire) &&
	       !atomic_load_explicit(&ended, memory_order_relaxed);
}

void tl_tools_after_fork_child(void)
{
	uintptr_t state = atomic_load_explicit(&tool_state, memory_order_relaxed);

	if (tl_config.left_alone) {
		tl_tracer_disable_tools();
		atomic_store_explicit(&ended, true, memory_order_relaxed);
		return;
	}
	if (state == 0 || state == WANTED || state == (uintptr_t)pthread_self())
		return;
	/* The thread that was loading is not here, and what it held stays locked. */
	atomic_store_explicit(&tool_state, 0, memory_order_relaxed);
	tl_first_call_done(TL_FIRST_CALL_TOOLS);
	tl_message_say(
		"tracelayer: tools: the process was forked while tools were being loaded, and lacks those that were not loaded yet; fork after the first traced call\n");
}
