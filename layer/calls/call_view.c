/* SPDX-License-Identifier: MIT */
/*
 * call_view.c: what tools can ask about a call (tracelayer/tracer.h): its arguments as text, its
 * times.
 */
#include <stdbool.h>
#include <string.h>

#include "common/workspace.h"
#include "format/args/args.h"
#include "layer/buffers/clock.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/parameters.h"
#include "tracelayer/shim.h"
#include "tracelayer/tracer.h"

#define CAPTURED 4096u /* bytes of memory that arguments point to */

/* What a call's arguments are kept in while they are printed: a callback may run on a small stack. */
struct kept_memory {
	uint64_t words[TL_CAPTURE_WORDS], entry[CAPTURED / 8], leave[CAPTURED / 8];
};

static bool view_has_ended(const struct tl_view *view)
{
	return view->end && !(view->flags & TL_VIEW_UNWOUND);
}

TL_EXPORT int tl_view_failed(const struct tl_view *view)
{
	return !(view->flags & TL_VIEW_UNWOUND) &&
	       tl_call_failed(view->function, tl_result_word(view->function, view->result));
}

static void view_print_within(const struct tl_view *view, struct tl_text *to,
			      struct kept_memory *memory)
{
	const struct tl_function *function = view->function;
	struct tl_args_kept kept = {
		.words = memory->words, .entry = memory->entry, .exit = memory->leave};
	bool cut = false;

	tl_params_words(function, view->params, memory->words);
	kept.entry_size = tl_args_capture(function, memory->words, TL_CAPTURE_ENTRY, memory->entry,
					  sizeof(memory->entry), &cut);
	kept.failed = tl_view_failed(view);
	if (view_has_ended(view) && !(view->flags & TL_VIEW_SKIPPED))
		kept.exit_size = tl_args_capture(function, memory->words,
						 kept.failed ? TL_CAPTURE_FAILED : TL_CAPTURE_EXIT,
						 memory->leave, sizeof(memory->leave), &cut);
	tl_args_print(to, function, &kept);
}

TL_EXPORT size_t tl_view_print(const struct tl_view *view, char *text, size_t size)
{
	static struct tl_workspaces workspaces = {.size = sizeof(struct kept_memory)};
	struct tl_text to = {text, text + size - 1, false};
	struct kept_memory *memory = NULL;

	if (view->function->words <= TL_CAPTURE_WORDS)
		memory = tl_workspace_take(&workspaces);
	if (memory) {
		view_print_within(view, &to, memory);
		tl_workspace_give_back(memory);
	}
	*to.at = 0;
	return (size_t)(to.at - text);
}

/* A result that is text, or an address where none can be read. */
static void view_print_text(const struct tl_view *view, struct tl_text *to)
{
	uint64_t memory[(sizeof(struct tl_blob) + TL_CAPTURE_STRING) / 8 + 1];
	uint64_t result = tl_result_word(view->function, view->result);
	const struct tl_blob *blob = (const struct tl_blob *)(const void *)memory;
	bool failed = view->flags & TL_VIEW_SKIPPED || tl_view_failed(view);

	if (!tl_args_capture_result(view->function, result, failed, 0, memory, sizeof(memory)))
		blob = NULL;
	tl_result_visit(&tl_json_sink, to, view->function, blob, result);
}

TL_EXPORT size_t tl_view_print_result(const struct tl_view *view, char *text, size_t size)
{
	struct tl_text to = {text, text + size - 1, false};

	if (view_has_ended(view) && view->function->flags & TL_FUNCTION_TEXT)
		view_print_text(view, &to);
	else if (view_has_ended(view) && view->function->result->kind != TL_KIND_VOID)
		tl_value_print(&to, view->function->result, view->result);
	if (to.cut)
		to.at = text;
	*to.at = 0;
	return (size_t)(to.at - text);
}

TL_EXPORT uint64_t tl_ticks_now(void)
{
	return tl_clock_now();
}

TL_EXPORT uint64_t tl_ticks_ns(uint64_t ticks)
{
	static _Atomic uint64_t next;
	uint64_t now = tl_ticks_now();

	/*
	 * With pairs this close, times between them and after the last one are known to a few
	 * nanoseconds.
	 */
	if (now >= atomic_load_explicit(&next, memory_order_relaxed)) {
		tl_clock_pair();
		atomic_store_explicit(&next, now + (1u << 20), memory_order_relaxed);
	}
	return tl_clock_ns(ticks);
}
