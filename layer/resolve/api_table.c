/* SPDX-License-Identifier: MIT */
/*
 * api_table.c: see api_table.h.
 */
#include "layer/resolve/api_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "common/interposer_library.h"
#include "format/file/trace_file.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/environment.h"
#include "layer/base/message.h"
#include "layer/base/once.h"
#include "layer/base/run_report.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/late_relocation.h"
#include "layer/resolve/loaded_interposers.h"
#include "layer/resolve/profiling_names.h"
#include "layer/resolve/real_function.h"
#include "tracelayer/api.h"
#include "tracelayer/tracer.h"

/*
 * Protects the list of APIs while it grows, the modes of all shims and their chains of closures.
 * Taken with signals blocked, since a signal handler's call may need a closure. No other lock is
 * taken under it. A struct tl_bounded_lock, since the writer's thread takes it, too.
 */
static struct tl_bounded_lock lock;
static sigset_t fork_signals; /* what was blocked before the lock was taken for a fork */

/*
 * Release when a library is stored, acquire when a number is looked up: the library's tables are
 * set.
 */
static _Atomic(struct tl_shim_library *) libraries[TL_API_MAX];
static _Atomic uint32_t nlibraries;

/*
 * Shim libraries that were there before anybody needed an API. tl_api_need registers them. Filled
 * from the front.
 */
static _Atomic(struct tl_shim_library *) waiting[TL_API_MAX];
static struct tl_once needed;

/*
 * A bit for each API: one of its functions was found; its description is in the arena. Written
 * under the lock.
 */
static _Atomic uint32_t used, described;

/* --- modes; all under the lock */

/* Something is recorded, now or later. */
static bool config_may_record(void)
{
	return tl_process_is_recording() ||
	       (tl_config.output_set && tl_config.level != TL_LEVEL_NONE);
}

/* The mode of a shim by the settings alone. */
static uint32_t shim_wanted_mode(const struct tl_shim *shim)
{
	const struct tl_function *function = shim->function;
	uint32_t mode = 0;

	if (tl_config.secure)
		return 0;
	if (function->flags & TL_FUNCTION_GETPROC)
		mode |= TL_MODE_AFTER;
	/* Also if this function is not selected, or recording is paused now. */
	if (function->flags & TL_FUNCTION_INITIALISES &&
	    (tl_config_gives_tools() || config_may_record()))
		mode |= TL_MODE_AFTER;
	if (!tl_config_selects(function))
		return mode;
	if (!tl_process_is_recording())
		return tl_process_is_watched() ? mode | TL_MODE_OPEN : mode;
	mode |= TL_MODE_RECORD;
	/* A function without words gets the bit, too: nothing is captured, and its path is shorter. */
	if (tl_config.args != TL_ARGS_NONE || !function->words)
		mode |= TL_MODE_WORDS;
	if (tl_config.args == TL_ARGS_FULL && function->flags & TL_FUNCTION_FOLLOWS)
		mode |= TL_MODE_FOLLOW;
	if (tl_config_wants_stacks() && tl_glob_any(tl_config.stack, function->name))
		mode |= TL_MODE_STACK;
	return mode;
}

/* Stores a shim's mode. With no mode bit set, calls go straight to the real function. */
static void shim_store_mode(struct tl_shim *shim, uint32_t mode)
{
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);

	atomic_store_explicit(&shim->mode, mode, memory_order_relaxed);
	atomic_store_explicit(&shim->direct, mode ? NULL : real, memory_order_relaxed);
}

/*
 * The shim's library, while it is not registered (TL_SHIM_UNREGISTERED). Acquire: pairs with the
 * release in library_number; the library has its number.
 */
static struct tl_shim_library *shim_unregistered(const struct tl_shim *shim)
{
	uint64_t word = __atomic_load_n(&shim->reserved, __ATOMIC_ACQUIRE);

	return word & 1 ? (struct tl_shim_library *)(uintptr_t)(word - 1) : NULL;
}

/* Closures made for a shim form a list, linked by .reserved. */
static struct tl_shim *shim_next_closure(const struct tl_shim *shim)
{
	return shim_unregistered(shim) ? NULL : (struct tl_shim *)(uintptr_t)shim->reserved;
}

static void shim_change_mode(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	uint32_t mode = atomic_load_explicit(&shim->mode, memory_order_relaxed);

	shim_store_mode(shim, (mode & ~clear) | set);
}

static void shims_change_mode(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	for (; shim; shim = shim_next_closure(shim))
		shim_change_mode(shim, set, clear);
}

static void shim_follow_settings(struct tl_shim *shim)
{
	shims_change_mode(shim, shim_wanted_mode(shim),
			  TL_MODE_CAPTURED | TL_MODE_AFTER | TL_MODE_OPEN | TL_MODE_STACK);
}

void tl_api_set_modes(struct tl_shim *const *shims, uint32_t count, uint32_t set, uint32_t clear)
{
	sigset_t signals;

	if (!count)
		return;
	tl_bounded_lock_take_quietly(&lock, &signals);
	for (uint32_t i = 0; i < count; i++)
		shims_change_mode(shims[i], set, clear);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_set_mode(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	tl_api_set_modes(&shim, 1, set, clear);
}

void tl_api_set_dispatch(struct tl_shim *shim, void *table)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	for (struct tl_shim *one = shim; one; one = shim_next_closure(one))
		/* Release: pairs with the callers' acquire loads; the table is filled in. */
		atomic_store_explicit(&one->dispatch, table, memory_order_release);
	shims_change_mode(shim, table ? TL_MODE_TRACERS : 0, table ? 0 : TL_MODE_TRACERS);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_by_caller(struct tl_shim *const *shims, uint32_t count)
{
	tl_api_set_modes(shims, count, TL_MODE_CALLER, 0);
}

/*
 * Puts the API's description into the arena, so that readers of the buffers know its functions.
 * Under the lock, so one at a time and with signals blocked. If there is no memory for it, calls
 * are still recorded.
 */
static void api_describe(uint32_t number)
{
	const struct tl_api *api =
		atomic_load_explicit(&libraries[number], memory_order_relaxed)->api;
	struct tl_api_piece *piece;
	uint64_t size = sizeof(*piece) + api->description_size;

	if (!api->description_size)
		return;
	piece = tl_arena_take(TL_PIECE_API,
			      (size + TL_ARENA_UNIT - 1) & ~(uint64_t)(TL_ARENA_UNIT - 1));
	if (!piece)
		return;
	memcpy(piece + 1, api->description, api->description_size);
	piece->number = number;
	/*
	 * A process that is killed before this has no description, and no recorded call of the API
	 * either. Release: pairs with the acquire of `tracelayer profile`, which reads the buffers
	 * of a live process.
	 */
	__atomic_store_n(&piece->size, (uint32_t)api->description_size, __ATOMIC_RELEASE);
}

static void apis_describe_used(void)
{
	uint32_t missing = atomic_load_explicit(&used, memory_order_relaxed) &
			   ~atomic_load_explicit(&described, memory_order_relaxed);

	if (!missing || !*tl_arena_path())
		return;
	for (uint32_t number = 0; number < TL_API_MAX; number++)
		if (missing >> number & 1)
			api_describe(number);
	atomic_fetch_or_explicit(&described, missing, memory_order_relaxed);
}

void tl_api_describe(void)
{
	sigset_t signals;

	if (!(atomic_load_explicit(&used, memory_order_relaxed) &
	      ~atomic_load_explicit(&described, memory_order_relaxed)))
		return;
	tl_bounded_lock_take_quietly(&lock, &signals);
	apis_describe_used();
	tl_bounded_lock_release_quietly(&lock, &signals);
}

/* The real functions are known of those shims that have one. */
static void shims_resolved(struct tl_shim *shims, uint32_t count)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	for (uint32_t i = 0; i < count; i++) {
		if (!atomic_load_explicit(&shims[i].real, memory_order_relaxed))
			continue;
		shim_change_mode(&shims[i], 0, TL_MODE_RESOLVE);
		atomic_fetch_or_explicit(&used, 1u << (shims[i].id >> 16), memory_order_relaxed);
	}
	apis_describe_used();
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_resolved(struct tl_shim *shim)
{
	shims_resolved(shim, 1);
}

/*
 * Under the lock: from now on the shim has the callbacks of `of`, and gets what that one gets.
 * Release: pairs with the callers' acquire loads, as where a table is first published.
 */
static void shim_follow(struct tl_shim *shim, struct tl_shim *of)
{
	atomic_store_explicit(&shim->dispatch,
			      atomic_load_explicit(&of->dispatch, memory_order_relaxed),
			      memory_order_release);
	shim->reserved = (uintptr_t)shim_next_closure(of);
	__atomic_store_n(&of->reserved, (uintptr_t)shim, __ATOMIC_RELAXED);
}

static bool shim_follows(const struct tl_shim *shim, const struct tl_shim *of)
{
	while (of && of != shim)
		of = shim_next_closure(of);
	return of;
}

void tl_api_adopt(struct tl_shim *shim, struct tl_shim *of)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	if (!shim_follows(shim, of)) {
		/* The library may have got other tables since the closure was made. */
		atomic_store_explicit(&shim->function, of->function, memory_order_release);
		shim_store_mode(shim, atomic_load_explicit(&of->mode, memory_order_relaxed) &
					      ~(uint32_t)TL_MODE_RESOLVE);
		shim_follow(shim, of);
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_join(struct tl_shim *shim, struct tl_shim *of)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	if (shim->function != of->function && !shim->reserved) {
		uint32_t mode = atomic_load_explicit(&of->mode, memory_order_relaxed);

		/* Calls that read the old function have the same words: both are right for these. */
		atomic_store_explicit(&shim->function, of->function, memory_order_release);
		__atomic_store_n(&shim->signature, of->signature, __ATOMIC_RELEASE);
		atomic_store_explicit(&shim->mode_and_id,
				      (uint64_t)of->id << 32 | mode | TL_MODE_RESOLVE,
				      memory_order_relaxed);
		shim_follow(shim, of);
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

static bool tables_are_alike(const struct tl_api *one, const struct tl_api *other)
{
	bool alike = one->count == other->count && !one->ngetprocs && !other->ngetprocs;

	for (uint32_t i = 0; alike && i < one->count; i++)
		alike = one->functions[i].words == other->functions[i].words &&
			one->functions[i].count == other->functions[i].count &&
			!strcmp(one->functions[i].name, other->functions[i].name);
	return alike;
}

/*
 * Nothing is recorded of the library's calls yet: whoever records one has found its real function,
 * and before that came here. Until then a call reads no more than the function's name, its API's
 * libraries and its flags, which are the same in both tables.
 *
 * Release: pairs with the loads of these pointers. The exchange in real_settle (real_function.c)
 * comes after these stores: who has acquired .real from it sees the new tables. Entries load .real
 * relaxed. That matters only where another thread calls MPI while its first call is being resolved.
 * MPI allows such calls once MPI_Init_thread has returned: so the program has ordered them.
 */
static void library_exchange(struct tl_shim_library *library, const struct tl_api *api)
{
	for (uint32_t i = 0; i < api->count; i++)
		for (struct tl_shim *shim = &library->shims[i]; shim;
		     shim = shim_next_closure(shim))
			atomic_store_explicit(&shim->function, &api->functions[i],
					      memory_order_release);
	atomic_store_explicit(&library->api, api, memory_order_release);
}

void tl_api_exchange(struct tl_shim_library *library, const struct tl_api *api)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	uint32_t number = library->shims[0].id >> 16;
	if (library->api != api &&
	    !(atomic_load_explicit(&used, memory_order_relaxed) >> number & 1) &&
	    tables_are_alike(library->api, api))
		library_exchange(library, api);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_follow_settings(void)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			shim_follow_settings(&library->shims[j]);
	}
}

void tl_api_look_again(void)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			shim_change_mode(&library->shims[j], TL_MODE_RESOLVE, 0);
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

/* What is no watching: where the real function depends on who calls. */
static uint32_t shim_kept_mode(const struct tl_shim *shim)
{
	return TL_MODE_RESOLVE | (tl_asked_version_is_known(shim) ? TL_MODE_CALLER : 0u);
}

void tl_api_unwatch_all(void)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			shims_change_mode(&library->shims[j], 0,
					  ~shim_kept_mode(&library->shims[j]));
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

/* --- APIs */

static const struct tl_shim_library *library_at(uint32_t number)
{
	return number < TL_API_MAX ? atomic_load_explicit(&libraries[number], memory_order_acquire)
				   : NULL;
}

const struct tl_shim_library *tl_api_library(uint32_t number)
{
	tl_api_need();
	return library_at(number);
}

const struct tl_api *tl_api_by_number(uint32_t number)
{
	const struct tl_shim_library *library = library_at(number);

	return library ? library->api : NULL;
}

TL_EXPORT const struct tl_api *tl_api_at(unsigned number)
{
	tl_api_need();
	return tl_api_by_number(number);
}

const struct tl_function *tl_api_function(uint32_t id)
{
	const struct tl_api *api = tl_api_by_number(id >> 16);

	return api && (id & 0xffff) < api->count ? &api->functions[id & 0xffff] : NULL;
}

static bool library_is_known(const struct tl_shim_library *library)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++)
		if (atomic_load_explicit(&libraries[i], memory_order_relaxed) == library)
			return true;
	return false;
}

/* Gives the library a number, and its shims their ids and modes. False: no number is left. */
static bool library_number(struct tl_shim_library *library)
{
	uint32_t number = atomic_load_explicit(&nlibraries, memory_order_relaxed);

	if (number == TL_API_MAX || library->api->count > 0x10000)
		return false;
	for (uint32_t i = 0; i < library->api->count; i++) {
		struct tl_shim *shim = &library->shims[i];
		/*
		 * At once: a call reads both together, and may do so while the first call of another
		 * thread comes here. With this mode it waits in tl_api_need.
		 */
		atomic_store_explicit(&shim->mode_and_id,
				      (uint64_t)(number << 16 | i) << 32 | TL_MODE_RESOLVE,
				      memory_order_relaxed);
		atomic_store_explicit(&shim->direct, NULL, memory_order_relaxed);
		shim_follow_settings(shim);
	}
	atomic_store_explicit(&libraries[number], library, memory_order_release);
	atomic_store_explicit(&nlibraries, number + 1, memory_order_release);
	/* Release: pairs with the acquire in shim_unregistered, of a call in another thread. */
	for (uint32_t i = 0; i < library->api->count; i++)
		if (shim_unregistered(&library->shims[i]))
			__atomic_store_n(&library->shims[i].reserved, 0, __ATOMIC_RELEASE);
	tl_report_shimmed(library->api);
	return true;
}

/* Said once in a process: an interposer comes twice, and the line does not name it. */
static int library_refuse(_Atomic bool *said, const char *why)
{
	if (!atomic_exchange_explicit(said, true, memory_order_relaxed))
		tl_message_say(why);
	return -1;
}

/* `waited`: it needs no slots of other libraries, so the dynamic linker's lock is not taken. */
static int library_add(struct tl_shim_library *library, bool waited)
{
	sigset_t signals;

	/* The start or a call has registered it, and now its constructor does. */
	if (library_is_known(library))
		return 0;
	if (TL_ABI_HAS_LATE(library->abi))
		tl_late_relocate_words(&((struct tl_interposer_library *)library)->late);
	if (library->abi != TL_SHIM_ABI && library->abi != TL_GENERIC_ABI) {
		static _Atomic bool said;
		return library_refuse(
			&said,
			"tracelayer: a shim library is not used: it was made by another version; make it again with this tracegen\n");
	}
	tl_bounded_lock_take_quietly(&lock, &signals);
	/* Another thread's first call may have been faster. */
	bool known = library_is_known(library);
	bool added = known || library_number(library);
	/* Under the lock, which a fork takes: a child has the whole library or nothing of it. */
	if (added && !known && !tl_config.secure)
		tl_resolve_add(library);
	tl_bounded_lock_release_quietly(&lock, &signals);
	if (!added) {
		static _Atomic bool said;
		return library_refuse(
			&said,
			"tracelayer: a shim library is not used: there are too many; load fewer of them\n");
	}
	if (!known && !tl_config.secure && !waited)
		tl_profiling_names_bind(library->api);
	return 0;
}

/*
 * A shim library waits until somebody needs an API: most processes make no traced call, and the tables
 * take more time than all else that happens at the start. It may not where slots of other libraries are
 * set as soon as it is there: where its library compares pointers with its functions
 * (function_identity.c), and for MPI's calls from Fortran. False: it must not wait.
 */
static bool library_wait(struct tl_shim_library *library)
{
	if ((library->abi != TL_GENERIC_ABI && library->abi != TL_SHIM_ABI) ||
	    tl_shim_library_is_compared(library) || tl_profiling_names_are_used(library->api))
		return false;
	for (unsigned i = 0; i < TL_API_MAX; i++) {
		struct tl_shim_library *there = NULL;

		if (!atomic_compare_exchange_strong_explicit(&waiting[i], &there, library,
							     memory_order_release,
							     memory_order_relaxed) &&
		    there != library)
			continue;
		/*
		 * Pairs with the fence in tl_api_need: either that sees the library, or here it is
		 * seen to have begun.
		 */
		atomic_thread_fence(memory_order_seq_cst);
		tl_report_shimmed(library->api);
		return !tl_once_has_begun(&needed);
	}
	return false;
}

bool tl_api_awaits(void)
{
	return !tl_once_is_over(&needed) &&
	       atomic_load_explicit(&waiting[0], memory_order_relaxed) != NULL;
}

bool tl_api_is_idle(void)
{
	return !tl_once_is_over(&needed) &&
	       !atomic_load_explicit(&waiting[0], memory_order_relaxed);
}

static void libraries_waiting_add(void)
{
	/* Pairs with the fence in library_wait. */
	atomic_thread_fence(memory_order_seq_cst);
	for (unsigned i = 0; i < TL_API_MAX; i++) {
		/* Acquire: pairs with the release in library_wait; the library is complete. */
		struct tl_shim_library *library =
			atomic_load_explicit(&waiting[i], memory_order_acquire);

		if (library)
			library_add(library, true);
	}
}

int tl_shim_register(struct tl_shim_library *library)
{
	tl_process_start();
	if (library_wait(library))
		return 0;
	/* Before it: they have the first numbers, and the first say where names are the same. */
	tl_api_need();
	return library_add(library, false);
}

/*
 * Later nothing can be resolved. A function whose loader is not loaded now can't be called later
 * either.
 */
void tl_api_resolve_all(void)
{
	tl_api_need();
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		if (!tl_resolve_is_loaded(library->api))
			continue;
		tl_resolve_real_all(library->shims, library->api->count);
		shims_resolved(library->shims, library->api->count);
	}
}

void tl_api_need(void)
{
	sigset_t all, signals;

	if (tl_once_is_over(&needed))
		return;
	tl_process_start();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	if (tl_once_begin(&needed) == TL_ONCE_DO) {
		tl_late_relocate();
		for (struct tl_shim_library *const *library = tl_api_builtin; *library; library++)
			library_add(*library, true);
		libraries_waiting_add();
		tl_once_done(&needed);
	}
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

void tl_api_need_of(const struct tl_shim *shim)
{
	tl_api_need();
	struct tl_shim_library *library = shim_unregistered(shim);
	if (TL_UNLIKELY(library && library->abi == TL_SHIM_ABI))
		library_add(library, false);
	/* A call from within the start, for example of a program that has a getenv of its own. */
	if (TL_UNLIKELY(TL_LATE_IS_ONE((uintptr_t)shim->function->name)))
		tl_interposers_register();
}

/* --- the lock, and forks */

void tl_api_lock(sigset_t *signals)
{
	tl_bounded_lock_take_quietly(&lock, signals);
}

void tl_api_unlock(const sigset_t *signals)
{
	tl_bounded_lock_release_quietly(&lock, signals);
}

void tl_api_before_fork(void)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	fork_signals = signals;
}

void tl_api_after_fork_parent(void)
{
	sigset_t signals = fork_signals;

	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_api_after_fork_child(void)
{
	if (tl_process_has_begun())
		atomic_store_explicit(&described, 0, memory_order_relaxed);
	tl_api_after_fork_parent();
}

void tl_api_before_unseen_fork(void)
{
	lock = (struct tl_bounded_lock){0};
	tl_api_before_fork();
}
