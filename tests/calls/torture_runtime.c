/* SPDX-License-Identifier: MIT */
/*
 * torture_runtime.c: the least that an interposer needs of libtracelayer.so, for machines that the
 * whole library can't be built for where the tests run: the generic entry itself, around doubles of
 * what it calls. TORTURE_MODE says which way calls go: fast, captured, traced or bare. At the end
 * it writes a trace that torture.py reads to TORTURE_TRACE.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "format/args/args_capture.h"
#include "format/file/record.h"
#include "common/interposer_library.h"
#include "layer/calls/generic_call.h"
#include "layer/calls/slow_path.h"

__thread struct tl_thread *tl_self;

static struct tl_shim_library *library;
static struct tl_open_call entries[16];
static struct tl_thread thread;
static uint64_t chunk[8 * 1024];
static FILE *trace;

/* As a writer would: with the integers of the parameters. */
static void call_print(const struct tl_shim *shim, const uint64_t *words, bool unwound)
{
	double real;
	float small;

	const struct tl_function *function = shim->function;

	if (!trace)
		return;
	fprintf(trace, "{\"ph\":\"X\",\"name\":\"%s\",\"args\":{\"unwound\":%d", function->name,
		unwound);
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];

		if (param->type->size > 8)
			continue;
		if (param->type->kind == TL_KIND_INT)
			fprintf(trace, ",\"%s\":%lld", param->name,
				(long long)words[param->offset]);
		else if (param->type->kind == TL_KIND_UINT)
			fprintf(trace, ",\"%s\":%llu", param->name,
				(unsigned long long)words[param->offset]);
		if (param->type->kind != TL_KIND_FLOAT)
			continue;
		memcpy(&real, &words[param->offset], sizeof(real));
		memcpy(&small, &words[param->offset], sizeof(small));
		fprintf(trace, ",\"%s\":%.17g", param->name,
			param->type->size == sizeof(small) ? (double)small : real);
	}
	fputs("}},\n", trace);
}

int tl_shim_register(struct tl_shim_library *registered)
{
	const char *way = getenv("TORTURE_MODE"), *path = getenv("TORTURE_TRACE");
	void *handle = dlopen("libtorture.so", RTLD_LAZY);
	uint32_t mode = 0;

	if (way && strcmp(way, "bare") != 0)
		mode = !strcmp(way, "fast")	  ? TL_MODE_FAST
		       : !strcmp(way, "captured") ? TL_MODE_CAPTURED
						  : TL_MODE_TRACERS;
	if (registered->abi != TL_GENERIC_ABI || !handle)
		abort();
	library = registered;
	tl_late_words_point(&((struct tl_interposer_library *)registered)->late);
	trace = path && mode ? fopen(path, "w") : NULL;
	if (trace)
		fputs("[\n", trace);
	atomic_init(&entries[0].frame, UINTPTR_MAX);
	thread = (struct tl_thread){.position = (uintptr_t)chunk,
				    .limit = (uintptr_t)chunk + sizeof(chunk),
				    .top = entries + 1,
				    .end = entries + 16,
				    .clock = 1,
				    .open = entries};
	for (uint32_t i = 0; i < library->api->count; i++) {
		struct tl_shim *shim = &library->shims[i];

		shim->id = i;
		atomic_init(&shim->real, dlsym(handle, shim->function->name));
		atomic_init(&shim->mode, mode);
		atomic_init(&shim->direct, mode ? NULL : atomic_load(&shim->real));
	}
	tl_self = &thread;
	return 0;
}

void tl_api_need_of(const struct tl_shim *shim)
{
	(void)shim;
}

static void open_call(uint64_t *recorded, const struct tl_shim *shim)
{
	struct tl_open_call *open = tl_self->top;

	tl_self->top = open + 1;
	recorded[0] = (uintptr_t)open;
	open->mode_and_function = atomic_load(&shim->mode_and_id);
}

static struct tl_shim *close_call(const uint64_t *recorded)
{
	struct tl_open_call *open = (struct tl_open_call *)recorded[0];

	tl_self->top = open;
	return &library->shims[open->function];
}

/* What tl_generic_begin and tl_generic_end have recorded by themselves; then the chunk is empty. */
static void records_print(void)
{
	const uint64_t *at = chunk;
	const uint64_t *end = (const uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(thread.position);

	for (; at < end; at += (uint16_t)at[0])
		call_print(&library->shims[at[0] >> 32], at + 4, false);
	thread.position = (uintptr_t)chunk;
}

bool tl_resolve_is_programs(const struct tl_shim *shim, const void *caller)
{
	(void)shim;
	(void)caller;
	return false;
}

void *tl_resolve_own(const struct tl_shim *shim, const void *caller)
{
	(void)shim;
	(void)caller;
	return NULL;
}

void *tl_recorded_enter_words(uint64_t *recorded, struct tl_shim *shim, uintptr_t stack,
			      const uint64_t *words, uint32_t mode)
{
	(void)stack, (void)words, (void)mode;
	if (!tl_self)
		tl_self = &thread;
	open_call(recorded, shim);
	return atomic_load(&shim->real);
}

void tl_recorded_leave_words(uint64_t *recorded, uint64_t result, const uint64_t *words)
{
	(void)result;
	call_print(close_call(recorded), words, false);
}

void tl_recorded_leave_full_words(uint64_t *recorded, uint64_t result, uint64_t at, uint64_t end,
				  const uint64_t *words)
{
	(void)result, (void)end;
	/* The record would have begun here: the chunk has no more than what stands before it. */
	thread.position = at;
	records_print();
	call_print(close_call(recorded), words, false);
}

void tl_recorded_unwound_words(uint64_t *recorded, const uint64_t *words)
{
	records_print();
	call_print(close_call(recorded), words, true);
}

/* Also the first call of a thread, which has no state yet. */
void *tl_call_enter(struct tl_call *call)
{
	if (!tl_self)
		tl_self = &thread;
	return atomic_load(&call->shim->real);
}

void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words, uint32_t count)
{
	(void)result, (void)count;
	call_print(call->shim, words, false);
}

/* Words as a compiled shim would make them of the parameters in memory. */
void tl_call_unwound(struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;
	uint64_t words[TL_SIGNATURE_WORDS] = {0};

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		unsigned unused = param->type->size < 8 ? 64 - 8 * param->type->size : 0;
		uint64_t *word = &words[param->offset];

		memcpy(word, call->params[i], param->type->size);
		if (param->type->kind == TL_KIND_INT && unused < 64)
			*word = (uint64_t)((int64_t)(*word << unused) >> unused);
	}
	call_print(call->shim, words, true);
}

void *tl_record_reserve_slow(struct tl_thread *full, uint64_t size, uint64_t at)
{
	(void)full, (void)size, (void)at;
	abort();
}

uint64_t tl_clock_gettime_ticks(void)
{
	abort();
}

size_t tl_checked_copy(void *to, const void *from, size_t size)
{
	unsigned char there;

	if (mincore((void *)((uintptr_t)from & ~(uintptr_t)4095), 1, &there) != 0)
		return 0;
	memcpy(to, from, size);
	return size;
}

__attribute__((destructor)) static void trace_end(void)
{
	if (!trace)
		return;
	records_print();
	fputs("{\"ph\":\"M\"}]\n", trace);
	fclose(trace);
}
