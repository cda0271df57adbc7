/* SPDX-License-Identifier: MIT */
/*
 * roctx.c: see roctx.h.
 *
 * A range begins when its call ends, and ends when its call begins. So it has none of ROCTX's own
 * time.
 */
#include "layer/program/roctx.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/annotation_environment.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/once.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/hook.h"

/* ---- the library that makes annotations */

/* It lies beside this one. NULL: it does not. Then ROCTX's calls are calls only. */
static const struct tl_roctx_tool *tool_open(void)
{
	char path[PATH_MAX];
	Dl_info own;

	TL_HOOK_UNCANCELLED();
	if (!dladdr((void *)tl_roctx_start, &own) || !realpath(own.dli_fname, path))
		return NULL;
	char *slash = strrchr(path, '/');
	if (!slash || (size_t)(slash - path) + sizeof("/" TL_ANNOTATIONS) > sizeof(path))
		return NULL;
	memcpy(slash + 1, TL_ANNOTATIONS, sizeof(TL_ANNOTATIONS));
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return handle ? dlsym(handle, TL_ROCTX_TOOL) : NULL;
}

/* Two threads may both open it: they get the same. Release and acquire: it is loaded. */
static const struct tl_roctx_tool *roctx_tool(void)
{
	static _Atomic(const struct tl_roctx_tool *) known;
	static _Atomic bool missing;
	const struct tl_roctx_tool *found = atomic_load_explicit(&known, memory_order_acquire);

	if (TL_LIKELY(found) || atomic_load_explicit(&missing, memory_order_relaxed))
		return found;
	if ((found = tool_open()))
		atomic_store_explicit(&known, found, memory_order_release);
	else
		atomic_store_explicit(&missing, true, memory_order_relaxed);
	return found;
}

/* ---- hooks */

static const char *call_message(const struct tl_call *call)
{
	return *(const char *const *)call->params[0];
}

static void mark_before(struct tl_call *call, void *state)
{
	(void)state;
	if (roctx_tool())
		roctx_tool()->mark(call_message(call));
}

static void push_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state, (void)result;
	if (roctx_tool() && !unwound)
		roctx_tool()->push(call_message(call));
}

static void pop_before(struct tl_call *call, void *state)
{
	(void)call, (void)state;
	if (roctx_tool())
		roctx_tool()->pop();
}

static void start_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (roctx_tool() && !unwound)
		roctx_tool()->start(result, call_message(call));
}

static void stop_before(struct tl_call *call, void *state)
{
	(void)state;
	if (roctx_tool())
		roctx_tool()->stop(*(const uint64_t *)call->params[0]);
}

static const struct tl_hook roctx_hooks[] = {
	{"roctxMarkA", mark_before, NULL, TL_HOOK_STRAIGHT},
	{"roctxRangePushA", NULL, push_after, TL_HOOK_STRAIGHT},
	{"roctxRangePop", pop_before, NULL, TL_HOOK_STRAIGHT},
	{"roctxRangeStartA", NULL, start_after, TL_HOOK_STRAIGHT},
	{"roctxRangeStop", stop_before, NULL, TL_HOOK_STRAIGHT},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
static const struct tl_hook *const hooks[] = {roctx_hooks, NULL};

/* ---- the start */

static void roctx_begin(void)
{
	static struct tl_once begun;

	if (!tl_process_begin())
		return;
	/* Device lanes may set theirs at the same time. They are those of other APIs. */
	if (tl_once_begin(&begun) == TL_ONCE_DO) {
		tl_hook_set(TL_HOOKS_OF_ROCTX, hooks);
		tl_once_done(&begun);
	}
	tl_first_call_done(TL_FIRST_CALL_ROCTX);
}

void tl_roctx_start(void)
{
	tl_first_call_give(TL_FIRST_CALL_ROCTX, roctx_begin);
	if (tl_config.annotations && tl_config.level & TL_LEVEL_RUNTIME && !tl_config.secure &&
	    !tl_config.left_alone && tl_process_may_record())
		tl_first_call_await(TL_FIRST_CALL_ROCTX);
}
