/* SPDX-License-Identifier: MIT */
/*
 * One of our tools (linked in) under many threads, with a runtime that does nothing but call it:
 * for the sanitizers. The API has a function that creates an object, one that destroys it and one
 * that uses it. The tool's end comes while threads are still calling.
 *
 *	tools_threads OPTIONS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/device.h"
#include "tracelayer/tool.h"
#include "tracelayer/tracer.h"

#pragma weak tl_tool_end /* not every tool has one */

#define THREADS 6
#ifndef THREAD_CALLS
#define THREAD_CALLS 3000
#endif

static const struct tl_type handle = {.name = "thing_t", .kind = TL_KIND_HANDLE, .size = 8};
static const struct tl_type result = {.name = "int", .kind = TL_KIND_INT, .size = 4};
static const struct tl_variable thing[] = {
	{.name = "thing", .type = &handle, .words = 1, .direction = TL_IN}};
static const struct tl_api api;
static const struct tl_function functions[] = {
	{.name = "thingCreate",
	 .result = &handle,
	 .api = &api,
	 .index = 0,
	 .flags = TL_FUNCTION_CREATES,
	 .failure = TL_FAILURE_NULL},
	{.name = "thingDestroy",
	 .result = &result,
	 .params = thing,
	 .api = &api,
	 .index = 1,
	 .count = 1,
	 .words = 1,
	 .flags = TL_FUNCTION_DESTROYS,
	 .failure = TL_FAILURE_NONZERO},
	{.name = "thingUse",
	 .result = &result,
	 .params = thing,
	 .api = &api,
	 .index = 2,
	 .count = 1,
	 .words = 1,
	 .failure = TL_FAILURE_NONZERO},
};
static const struct tl_api api = {
	.name = "thing", .version = "1", .functions = functions, .count = 3};

static tl_generic_prologue prologue;
static tl_generic_epilogue epilogue;
static _Atomic uint64_t ticks, things;

int tl_tracer_create(const struct tl_tracer_desc *desc, struct tl_tracer **tracer)
{
	return TL_TRACER_OK;
}
int tl_device_watch(tl_device_callback callback, void *user_data)
{
	return 0;
}
int tl_tracer_enable(struct tl_tracer *tracer)
{
	return TL_TRACER_OK;
}
int tl_tracer_register_glob(struct tl_tracer *tracer, const char *name, const char *globs,
			    tl_generic_prologue before, tl_generic_epilogue after)
{
	prologue = before;
	epilogue = after;
	return TL_TRACER_OK;
}
const struct tl_api *tl_api_at(unsigned number)
{
	return number ? NULL : &api;
}
uint64_t tl_ticks_now(void)
{
	return atomic_fetch_add(&ticks, 100);
}
uint64_t tl_ticks_ns(uint64_t at)
{
	return at;
}
int tl_view_failed(const struct tl_view *view)
{
	return 0;
}
size_t tl_view_print(const struct tl_view *view, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "\"thing\":\"0x1\"");
}
size_t tl_view_print_result(const struct tl_view *view, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "0");
}

static uint64_t call(const struct tl_function *function, uint64_t object)
{
	uint64_t answer[2] = {function->index ? 0 : atomic_fetch_add(&things, 8) + 0x1000};
	void *params[] = {&object}, *instance = NULL;
	struct tl_view view = {.function = function,
			       .params = params,
			       .result = answer,
			       .caller = __builtin_return_address(0)};

	if (prologue && prologue(&view, NULL, &instance) == TL_SKIP)
		view.flags = TL_VIEW_SKIPPED;
	view.start = tl_ticks_now();
	view.end = tl_ticks_now();
	epilogue(&view, NULL, &instance);
	return answer[0];
}

static void *thread(void *unused)
{
	for (int i = 0; i < THREAD_CALLS; i++) {
		uint64_t object = call(&functions[0], 0);
		call(&functions[2], object);
		if (i % 100)
			call(&functions[1], object);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char why[256] = "";
	struct tl_tool_host host = {.size = sizeof(host),
				    .version = TL_TOOL_VERSION,
				    .name = "tool",
				    .options = argc > 1 ? argv[1] : "",
				    .why = why,
				    .why_size = sizeof(why)};
	pthread_t threads[THREADS];

	if (tl_tool_start(&host)) {
		puts(why);
		return 1;
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, thread, NULL);
		if (round && tl_tool_end)
			tl_tool_end();
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
