/* SPDX-License-Identifier: MIT */
/*
 * core_doubles.c: see core_doubles.h.
 */
#include "tests/lib/core_doubles.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/args/args.h"
#include "layer/base/environment.h"
#include "layer/write/process_facts.h"
#include "layer/resolve/mpi_world.h"
#include "layer/resolve/newer_loader.h"
#include "layer/resolve/object_lookup.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/function_identity.h"
#include "layer/resolve/function_tables.h"
#include "layer/resolve/call_origin.h"
#include "layer/resolve/closure.h"
#include "layer/resolve/loaded_interposers.h"
#include "layer/resolve/profiling_names.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/api_table.h"
#include "layer/write/writer.h"

/* --- what is left of processes */

/*
 * Each test is a process, and many have children. What one leaves that ends without an exit of the
 * layer (it crashes, or the test has no writer) is removed by the first process, at its own exit.
 */
static struct {
	pid_t first;
	_Atomic unsigned count;
	pid_t pids[10000];
} * processes;

static void process_note(void)
{
	unsigned at = atomic_fetch_add(&processes->count, 1);

	if (at < sizeof(processes->pids) / sizeof(*processes->pids))
		processes->pids[at] = getpid();
}

static void __attribute__((constructor)) processes_begin(void)
{
	processes = mmap(NULL, sizeof(*processes), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (processes == MAP_FAILED)
		abort();
	processes->first = getpid();
	process_note();
	pthread_atfork(NULL, NULL, process_note);
}

static void __attribute__((destructor)) processes_forget_buffers(void)
{
	const unsigned most = sizeof(processes->pids) / sizeof(*processes->pids);
	char path[64];

	if (getpid() != processes->first)
		return;
	for (unsigned i = 0; i < processes->count && i < most; i++) {
		/* Somebody else's by now. */
		if (processes->pids[i] != processes->first && !kill(processes->pids[i], 0))
			continue;
		/* A name that is taken is followed by the next number. */
		for (unsigned number = 0; number < 8; number++) {
			snprintf(path, sizeof(path), "/dev/shm/tracelayer-buffers.%d.%u",
				 (int)processes->pids[i], number);
			unlink(path);
		}
	}
}

/* --- the toy's tables */

static const struct tl_type toy_int = {.name = "int", .kind = TL_KIND_INT, .size = 4};
static const struct tl_type toy_unsigned = {.name = "unsigned", .kind = TL_KIND_UINT, .size = 4};
static const struct tl_type toy_int64 = {.name = "int64_t", .kind = TL_KIND_INT, .size = 8};
static const struct tl_type toy_char = {.name = "char", .kind = TL_KIND_CHAR, .size = 1};
static const struct tl_type toy_text = {
	.name = "char *", .kind = TL_KIND_POINTER, .size = 8, .target = &toy_char};
static const struct tl_type toy_pointer = {.name = "void *", .kind = TL_KIND_POINTER, .size = 8};

static const struct tl_variable add_params[] = {
	{.name = "a", .type = &toy_int, .offset = 0, .words = 1, .direction = TL_IN},
	{.name = "b", .type = &toy_int64, .offset = 1, .words = 1, .direction = TL_IN},
};
static const struct tl_variable run_params[] = {
	{.name = "inside", .type = &toy_pointer, .offset = 0, .words = 1, .direction = TL_IN},
	{.name = "with", .type = &toy_pointer, .offset = 1, .words = 1, .direction = TL_IN},
};
static const struct tl_variable name_params[] = {
	{.name = "name",
	 .type = &toy_text,
	 .offset = 0,
	 .words = 1,
	 .direction = TL_IN | TL_OBLIGED,
	 .length = {.kind = TL_LENGTH_STRING}},
	{.name = "copy",
	 .type = &toy_text,
	 .offset = 1,
	 .words = 1,
	 .direction = TL_OUT | TL_OBLIGED,
	 .length = {.kind = TL_LENGTH_VALUE, .sibling = 2, .constant = 1}},
	{.name = "size", .type = &toy_unsigned, .offset = 2, .words = 1, .direction = TL_IN},
};

static const struct tl_api toy_api;
#define FUNCTION(number, name_, params_, count_, flags_)                                           \
	[number] = {.name = name_,                                                                 \
		    .result = &toy_int,                                                            \
		    .params = params_,                                                             \
		    .api = &toy_api,                                                               \
		    .index = number,                                                               \
		    .count = count_,                                                               \
		    .words = count_,                                                               \
		    .level = TL_LEVEL_RUNTIME,                                                     \
		    .flags = flags_,                                                               \
		    .failure = TL_FAILURE_NEGATIVE}
static const struct tl_function functions[] = {
	FUNCTION(TOY_ADD, "toy_add", add_params, 2, TL_FUNCTION_EXPORTED),
	FUNCTION(TOY_RUN, "toy_run", run_params, 2, TL_FUNCTION_EXPORTED),
	FUNCTION(TOY_NAME, "toy_name", name_params, 3, TL_FUNCTION_EXPORTED | TL_FUNCTION_FOLLOWS),
	FUNCTION(TOY_INIT, "toy_init", NULL, 0, TL_FUNCTION_EXPORTED | TL_FUNCTION_INITIALISES),
	FUNCTION(TOY_LACKING, "toy_lacking", NULL, 0, TL_FUNCTION_EXPORTED),
};
static const char *const sonames[] = {"libtoy.so.1", NULL};
static const struct tl_api toy_api = {.name = "toy",
				      .version = "1",
				      .sonames = sonames,
				      .functions = functions,
				      .count = TOY_FUNCTIONS};

/* --- its shims, as tracegen writes them */

#define UNSUPPORTED (-99)

static TL_TRACED int traced_toy_add(struct tl_shim *shim, struct tl_caller caller, int a, int64_t b)
{
	void *params[] = {&a, &b};
	int result = UNSUPPORTED;
	TL_CALL(call, shim, caller, params, &result);
	int (*real)(int, int64_t) = (int (*)(int, int64_t))tl_call_enter(&call);

	if (TL_LIKELY(real))
		result = real(a, b);
	TL_CALL_LEAVE(call, (uint32_t)result, (uint64_t)(int64_t)a, (uint64_t)b);
	return result;
}

TL_ENTRY int toy_add(int a, int64_t b)
{
	int (*real)(int, int64_t) = (int (*)(int, int64_t))tl_shim_direct(&toy_shims[TOY_ADD]);

	if (TL_LIKELY(real))
		return real(a, b);
	uint64_t mode = tl_shim_mode(&toy_shims[TOY_ADD]);
	if (TL_UNLIKELY(tl_mode_is_traced(mode)))
		return traced_toy_add(&toy_shims[TOY_ADD], TL_CALLER, a, b);
	TL_RECORDED(call, (uint64_t)(int64_t)a, (uint64_t)b);
	real = (int (*)(int, int64_t))tl_recorded_enter(call, &toy_shims[TOY_ADD], mode);
	if (TL_UNLIKELY(!real))
		return traced_toy_add(&toy_shims[TOY_ADD], TL_CALLER, a, b);
	TL_RECORDED_UNWINDS(call);
	int result = real(a, b);
	return (int)TL_RECORDED_LEAVE(call, (uint32_t)result);
}

static TL_TRACED int traced_toy_run(struct tl_shim *shim, struct tl_caller caller,
				    void (*inside)(void *), void *with)
{
	void *params[] = {&inside, &with};
	int result = UNSUPPORTED;
	TL_CALL(call, shim, caller, params, &result);
	int (*real)(void (*)(void *), void *) =
		(int (*)(void (*)(void *), void *))tl_call_enter(&call);

	if (TL_LIKELY(real))
		result = real(inside, with);
	TL_CALL_LEAVE(call, (uint32_t)result, (uintptr_t)inside, (uintptr_t)with);
	return result;
}

TL_ENTRY int toy_run(void (*inside)(void *), void *with)
{
	int (*real)(void (*)(void *), void *) =
		(int (*)(void (*)(void *), void *))tl_shim_direct(&toy_shims[TOY_RUN]);

	if (TL_LIKELY(real))
		return real(inside, with);
	uint64_t mode = tl_shim_mode(&toy_shims[TOY_RUN]);
	if (TL_UNLIKELY(tl_mode_is_traced(mode)))
		return traced_toy_run(&toy_shims[TOY_RUN], TL_CALLER, inside, with);
	TL_RECORDED(call, (uintptr_t)inside, (uintptr_t)with);
	real = (int (*)(void (*)(void *), void *))tl_recorded_enter(call, &toy_shims[TOY_RUN],
								    mode);
	if (TL_UNLIKELY(!real))
		return traced_toy_run(&toy_shims[TOY_RUN], TL_CALLER, inside, with);
	TL_RECORDED_UNWINDS(call);
	int result = real(inside, with);
	return (int)TL_RECORDED_LEAVE(call, (uint32_t)result);
}

static TL_TRACED int traced_toy_name(struct tl_shim *shim, struct tl_caller caller,
				     const char *name, char *copy, unsigned size)
{
	void *params[] = {&name, &copy, &size};
	int result = UNSUPPORTED;
	TL_CALL(call, shim, caller, params, &result);
	int (*real)(const char *, char *, unsigned) =
		(int (*)(const char *, char *, unsigned))tl_call_enter(&call);

	if (TL_LIKELY(real))
		result = real(name, copy, size);
	TL_CALL_LEAVE(call, (uint32_t)result, (uintptr_t)name, (uintptr_t)copy, size);
	return result;
}

TL_ENTRY int toy_name(const char *name, char *copy, unsigned size)
{
	int (*real)(const char *, char *, unsigned) =
		(int (*)(const char *, char *, unsigned))tl_shim_direct(&toy_shims[TOY_NAME]);

	if (TL_LIKELY(real))
		return real(name, copy, size);
	uint64_t mode = tl_shim_mode(&toy_shims[TOY_NAME]);
	if (TL_UNLIKELY(tl_mode_is_traced(mode)))
		return traced_toy_name(&toy_shims[TOY_NAME], TL_CALLER, name, copy, size);
	TL_RECORDED(call, (uintptr_t)name, (uintptr_t)copy, size);
	real = (int (*)(const char *, char *, unsigned))tl_recorded_enter(
		call, &toy_shims[TOY_NAME], mode);
	if (TL_UNLIKELY(!real))
		return traced_toy_name(&toy_shims[TOY_NAME], TL_CALLER, name, copy, size);
	TL_RECORDED_UNWINDS(call);
	int result = real(name, copy, size);
	return (int)TL_RECORDED_LEAVE(call, (uint32_t)result);
}

/* Functions without parameters. */
#define BARE_SHIM(name, number)                                                                    \
	static TL_TRACED int traced_##name(struct tl_shim *shim, struct tl_caller caller)          \
	{                                                                                          \
		int result = UNSUPPORTED;                                                          \
		TL_CALL(call, shim, caller, NULL, &result);                                        \
		int (*real)(void) = (int (*)(void))tl_call_enter(&call);                           \
                                                                                                   \
		if (TL_LIKELY(real))                                                               \
			result = real();                                                           \
		TL_CALL_LEAVE(call, (uint32_t)result);                                             \
		return result;                                                                     \
	}                                                                                          \
                                                                                                   \
	TL_ENTRY int name(void)                                                                    \
	{                                                                                          \
		int (*real)(void) = (int (*)(void))tl_shim_direct(&toy_shims[number]);             \
                                                                                                   \
		if (TL_LIKELY(real))                                                               \
			return real();                                                             \
		uint64_t mode = tl_shim_mode(&toy_shims[number]);                                  \
		if (TL_UNLIKELY(tl_mode_is_traced(mode)))                                          \
			return traced_##name(&toy_shims[number], TL_CALLER);                       \
		TL_RECORDED(call);                                                                 \
		real = (int (*)(void))tl_recorded_enter(call, &toy_shims[number], mode);           \
		if (TL_UNLIKELY(!real))                                                            \
			return traced_##name(&toy_shims[number], TL_CALLER);                       \
		TL_RECORDED_UNWINDS(call);                                                         \
		int result = real();                                                               \
		return (int)TL_RECORDED_LEAVE(call, (uint32_t)result);                             \
	}

BARE_SHIM(toy_init, TOY_INIT)
BARE_SHIM(toy_lacking, TOY_LACKING)

#define SHIM(number, entry_) [number] = {.function = &functions[number], .entry = (void *)(entry_)}
struct tl_shim toy_shims[TOY_FUNCTIONS] = {
	SHIM(TOY_ADD, toy_add),	  SHIM(TOY_RUN, toy_run),	  SHIM(TOY_NAME, toy_name),
	SHIM(TOY_INIT, toy_init), SHIM(TOY_LACKING, toy_lacking),
};
static struct tl_shim_library library = {.abi = TL_SHIM_ABI, .api = &toy_api, .shims = toy_shims};
struct tl_shim_library *const tl_api_builtin[] = {&library, NULL};

/* --- its driver, and who finds it */

void (*toy_inside)(void);
int toy_errno;
unsigned toy_resolved;

static int real_add(int a, int64_t b)
{
	if (toy_errno)
		errno = toy_errno;
	return (int)(a + b);
}

static int real_run(void (*inside)(void *), void *with)
{
	if (inside)
		inside(with);
	return 0;
}

static int real_name(const char *name, char *copy, unsigned size)
{
	if (toy_inside)
		toy_inside();
	if (strlen(name) >= size)
		return -1;
	memset(copy, 0, size);
	strcpy(copy, name);
	return 0;
}

static int real_init(void)
{
	return 0;
}

void *tl_resolve_real(struct tl_shim *shim, void *caller)
{
	static void *const reals[] = {(void *)real_add, (void *)real_run, (void *)real_name,
				      (void *)real_init, NULL};
	void *real = reals[shim->function->index];

	__atomic_fetch_add(&toy_resolved, 1, __ATOMIC_RELAXED);
	if (real)
		atomic_store_explicit(&shim->real, real, memory_order_release);
	return real;
}

struct tl_shim *tl_resolve_named(const char *name)
{
	const struct tl_shim_library *library;

	for (uint32_t number = 0; (library = tl_api_library(number)); number++)
		for (uint32_t i = 0; i < library->api->count; i++)
			if (!strcmp(library->api->functions[i].name, name))
				return &library->shims[i];
	return NULL;
}

void tl_resolve_real_all(struct tl_shim *shims, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		tl_resolve_real(&shims[i], NULL);
}

const void *tl_closure_code(void)
{
	return NULL;
}

bool tl_resolve_is_loaded(const struct tl_api *api)
{
	return api != NULL;
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

void *tl_resolve_foreign(const struct tl_call *call)
{
	return NULL;
}

bool tl_api_is_mpi(const struct tl_api *api)
{
	(void)api;
	return false;
}

struct tl_mpi_handles tl_mpi_handles(void)
{
	return (struct tl_mpi_handles){0, 0};
}

void tl_newer_loader_look(const struct tl_api *api)
{
	(void)api;
}

void *tl_asked_version_known(const struct tl_call *call, void *real)
{
	(void)call;
	return real;
}

bool tl_asked_version_is_known(const struct tl_shim *shim)
{
	(void)shim;
	return false;
}

void tl_function_tables_give(const struct tl_call *call)
{
	(void)call;
}

void *tl_asked_version(const struct tl_call *call, void *real)
{
	(void)call;
	return real;
}

bool tl_resolve_is_jump_of_others(const struct tl_call *call, const struct tl_shim *around)
{
	(void)call;
	(void)around;
	return false;
}

bool tl_resolve_is_linked_loaders(const struct tl_call *call)
{
	(void)call;
	return false;
}

void tl_resolve_wrap(struct tl_shim *shim, const uint64_t *words, void *result)
{
}

void (*toy_adding)(void);

void tl_resolve_add(struct tl_shim_library *toy)
{
	if (toy_adding)
		toy_adding();
}

void tl_profiling_names_bind(const struct tl_api *api)
{
}

bool tl_profiling_names_are_used(const struct tl_api *api)
{
	return false;
}

void tl_interposers_register(void)
{
}

void tl_identity_look(void)
{
}

#ifndef CORE_REAL_WRITER
/* --- a reader in the writer's place */

struct seen *seen;
size_t nseen;
unsigned writer_wakes, writer_finishes;

static size_t room;
static pthread_mutex_t reader = PTHREAD_MUTEX_INITIALIZER;
static pthread_t collector;
static _Atomic bool collecting;
static _Atomic unsigned waiting; /* for the reader's place, which a mutex gives to the fastest */

/* One record, in the form that tests look at. Returns its size. */
static size_t keep(const struct tl_producer *producer, const char *at)
{
	const struct tl_call_record *record = (const struct tl_call_record *)at;

	if (nseen == room) {
		room = room ? room * 2 : 1 << 20;
		seen = (struct seen *)realloc(seen, room * sizeof(*seen));
		if (!seen)
			abort();
	}
	struct seen *one = &seen[nseen++];
	memset(one, 0, sizeof(*one));
	one->call = *record;
	one->lane = producer->lane;
	if (record->type != TL_RECORD_CALL)
		return 8u * record->size;
	const char *from = at + sizeof(*record);
	one->cause = tl_record_cause(record);
	if (record->flags & TL_RECORD_CAUSE)
		from += sizeof(one->cause);
	const struct tl_function *function = &functions[record->function & 0xffff];
	if (record->flags & TL_RECORD_WORDS) {
		memcpy(one->words, from, 8u * function->words);
		from += 8u * function->words;
	}
	if (record->flags & TL_RECORD_BLOBS) {
		const struct tl_blob_sizes *sizes = (const struct tl_blob_sizes *)from;
		one->entry_size = sizes->entry;
		one->exit_size = sizes->exit;
		if (sizes->entry + sizes->exit <= sizeof(one->blobs))
			memcpy(one->blobs, from + sizeof(*sizes), sizes->entry + sizes->exit);
	}
	return 8u * record->size;
}

/*
 * Chunks that are taken before others get their turn: threads may fill them as fast. With rings, a
 * flush ends by itself, and what it leaves nobody can use again.
 */
#define TURN 64u
static bool turn_goes_on(unsigned taken)
{
	return taken < TURN || tl_config.full == TL_FULL_RING;
}

static unsigned collect(bool flush)
{
	struct tl_chunk *chunk;
	unsigned taken = 0;

	if (flush)
		tl_buffer_flush();
	tl_buffer_make_ahead();
	for (; (flush || turn_goes_on(taken)) && (chunk = tl_buffer_take()); taken++) {
		for (const char *at = chunk->begin; at < chunk->end;)
			at += keep(chunk->producer, at);
		tl_buffer_give_back(chunk);
	}
	return taken;
}

void seen_collect(bool flush)
{
	pthread_mutex_lock(&reader);
	collect(flush);
	pthread_mutex_unlock(&reader);
}

bool seen_each(bool flush, void (*each)(const struct seen *one))
{
	struct tl_chunk *chunk = NULL;
	unsigned taken = 0;

	waiting++;
	pthread_mutex_lock(&reader);
	waiting--;
	if (flush)
		tl_buffer_flush();
	for (; turn_goes_on(taken) && (chunk = tl_buffer_take()); taken++) {
		for (const char *at = chunk->begin; at < chunk->end;)
			at += keep(chunk->producer, at);
		tl_buffer_give_back(chunk);
		for (size_t i = 0; i < nseen; i++)
			each(&seen[i]);
		nseen = 0;
	}
	pthread_mutex_unlock(&reader);
	return !turn_goes_on(taken);
}

void seen_clear(void)
{
	seen_collect(true);
	nseen = 0;
}

unsigned seen_count(enum toy function, unsigned flags)
{
	unsigned count = 0;

	for (size_t i = 0; i < nseen; i++)
		if (seen[i].call.type == TL_RECORD_CALL && seen[i].call.function == function &&
		    (seen[i].call.flags & flags) == flags)
			count++;
	return count;
}

static void *collect_on(void *unused)
{
	while (collecting) {
		tl_buffer_wait(10);
		if (waiting)
			usleep(100);
		seen_collect(false);
	}
	return NULL;
}

void seen_start(void)
{
	sigset_t all, mask;

	/* As the writer's thread, it takes no signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	collecting = true;
	pthread_create(&collector, NULL, collect_on, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void seen_stop(void)
{
	collecting = false;
	pthread_join(collector, NULL);
}

bool tl_writer_wake(void)
{
	__atomic_fetch_add(&writer_wakes, 1, __ATOMIC_RELAXED);
	return true;
}

bool tl_writer_help(void)
{
	if (waiting || pthread_mutex_trylock(&reader))
		return false;
	unsigned taken = collect(false);
	pthread_mutex_unlock(&reader);
	return taken > 0;
}

void tl_writer_finish(void)
{
	writer_finishes++;
}

void tl_writer_close(bool last)
{
	writer_finishes++;
}

void tl_writer_open(void)
{
}

void tl_writer_suspend(void)
{
}

void tl_writer_resume(void)
{
}

uint64_t tl_writer_file_due(void)
{
	return UINT64_MAX;
}

bool tl_writer_is_complete(void)
{
	return true;
}

void tl_about_facts(struct tl_facts *facts)
{
	strcpy(facts->program, "toy");
}

void tl_writer_after_fork(void)
{
	pthread_mutex_init(&reader, NULL);
	waiting = 0;
	/* Another thread may have been about to move it. */
	seen = NULL;
	nseen = room = 0;
}
#endif

bool tl_object_at(uintptr_t address, struct tl_object *object)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0)
		return false;
	*object = (struct tl_object){.start = (uintptr_t)found.dlfo_map_start,
				     .end = (uintptr_t)found.dlfo_map_end,
				     .mark = (uintptr_t)found.dlfo_link_map,
				     .table = found.dlfo_eh_frame};
	return true;
}
