/* SPDX-License-Identifier: MIT */
/*
 * runtime.c: the least that shims need of libtracelayer.so, for the tests of generated code: it
 * finds the real functions, and remembers the last call, in whichever of the two ways it came.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <tracelayer/shim.h>

__thread struct tl_thread *tl_self;
struct last last;

static _Alignas(64) char chunk[4096];
static struct tl_open_call entries[16];
static struct tl_thread thread;
static struct tl_shim_library *library;

int tl_shim_register(struct tl_shim_library *registered)
{
	library = registered;
	return registered->abi == TL_SHIM_ABI ? 0 : -1;
}

static struct tl_shim *shim_of(const char *name)
{
	for (uint32_t i = 0; library && i < library->api->count; i++)
		if (!strcmp(library->api->functions[i].name, name))
			return &library->shims[i];
	return NULL;
}

const struct tl_api *runtime_api(void)
{
	return library->api;
}

const struct tl_function *runtime_function(const char *name)
{
	return shim_of(name) ? shim_of(name)->function : NULL;
}

uint32_t runtime_id(const char *name)
{
	return shim_of(name)->id;
}

void runtime_invoke(const char *name, void **args, void *result)
{
	shim_of(name)->invoke(shim_of(name), NULL, args, result);
}

void runtime_watch(enum way way)
{
	static const uint32_t modes[] = {0, TL_MODE_RECORD, TL_MODE_RECORD | TL_MODE_WORDS,
					 TL_MODE_TRACERS, TL_MODE_RECORD | TL_MODE_WORDS};
	uint32_t mode = modes[way];

	thread.position = (uintptr_t)chunk;
	thread.limit = way == WAY_RECORDED_FULL ? 0 : (uintptr_t)chunk + sizeof chunk;
	entries[0].frame = UINTPTR_MAX;
	thread.open = entries;
	thread.top = entries + 1;
	thread.end = entries + 16;
	thread.clock = 1;
	tl_self = &thread;
	for (uint32_t i = 0; i < library->api->count; i++) {
		struct tl_shim *shim = &library->shims[i];

		shim->id = 0x50000 | i;
		shim->real = dlsym(RTLD_NEXT, shim->function->name);
		shim->direct = mode ? NULL : shim->real;
		shim->mode = mode;
	}
}

const uint64_t *runtime_record(void)
{
	memset(&last, 0, sizeof last);
	memset(chunk, 0, sizeof chunk);
	thread.position = (uintptr_t)chunk;
	return (const uint64_t *)(void *)chunk;
}

void runtime_move_over(void)
{
	tl_self = NULL;
}

long runtime_depth(void)
{
	return (long)(thread.top - entries) - 1;
}

void *tl_call_enter(struct tl_call *call)
{
	void *real = call->shim->real;

	call->mode = call->shim->mode;
	call->thread = NULL;
	call->open = NULL;
	if (!call->mode) {
		call->shim = NULL; /* it just passes: the library lacks it */
		return real;
	}
	last.function = call->shim->function;
	last.caller = call->caller.address;
	last.entered++;
	look(call->params);
	return real;
}

void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words,
			uint32_t count)
{
	(void)call;
	last.left++;
	last.result = result;
	last.count = count;
	memcpy(last.words, words, 8 * (size_t)count);
}

void tl_call_unwound(struct tl_call *call)
{
	last.unwound++;
	call->shim = NULL;
}

void tl_recorded_unwound(uint64_t *call)
{
	last.unwound++;
	memcpy(last.unwound_words, call + 1, sizeof last.unwound_words);
	thread.top = (struct tl_open_call *)call[0];
}

void *tl_recorded_enter_captured(uint64_t *call, struct tl_shim *shim, uintptr_t stack)
{
	(void)call;
	(void)shim;
	(void)stack;
	abort();
}

uint64_t tl_recorded_leave_slow(uint64_t *call, uint64_t result)
{
	last.left++;
	last.result = result;
	tl_self = &thread;
	thread.top = (struct tl_open_call *)call[0];
	return result;
}

uint64_t tl_recorded_leave_full(uint64_t *call, uint64_t result, uint64_t at, uint64_t end)
{
	(void)at;
	(void)end;
	last.lost++;
	thread.top = (struct tl_open_call *)call[0];
	return result;
}

void *tl_record_reserve_slow(struct tl_thread *full, uint64_t size, uint64_t at)
{
	(void)full;
	(void)at;
	(void)size;
	last.lost++;
	return NULL;
}

uint64_t tl_clock_gettime_ticks(void)
{
	abort();
}
