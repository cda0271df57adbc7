/* SPDX-License-Identifier: MIT */
/*
 * runtime.c: the APIs that have shims, what their calls do, and the first traced call. See
 * runtime.h.
 *
 * Loading reads the environment and sets each shim's mode, and that is all. The first watched call
 * starts the clock, registers the handlers of exit and fork, and says what settings were wrong.
 * Nothing is ever taken down: calls from other exit handlers, destructors and threads that outlive
 * main find everything in place, and what they record is put before the end of the file.
 */
#include "layer/process/runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/xpti_environment.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/program/context.h"
#include "layer/program/marks.h"
#include "layer/write/recording_control.h"
#include "layer/device/background.h"
#include "layer/device/device.h"
#include "layer/calls/event.h"
#include "layer/program/xpti_events.h"
#include "layer/buffers/label_memory.h"
#include "layer/buffers/upcalls.h"
#include "layer/write/process_facts.h"
#include "layer/base/cache_near.h"
#include "layer/base/once.h"
#include "layer/base/bounded_lock.h"
#include "layer/buffers/pool.h"
#include "layer/process/preload.h"
#include "layer/base/run_report.h"
#include "layer/resolve/real_function.h"
#include "layer/base/message.h"
#include "layer/buffers/strings.h"
#include "layer/calls/thread.h"
#include "layer/process/tool_libraries.h"
#include "layer/calls/tracers.h"
#include "layer/base/library_walk.h"
#include "layer/write/writer.h"
#include "tracelayer/tracer.h"

/*
 * Protects the list of APIs while it grows, the modes of all shims and their chains of closures.
 * Taken with signals blocked, since a signal handler's call may come to need a closure. Nothing is
 * locked under it. A pen, since the writer's thread takes it, too.
 */
static struct tl_bounded_lock lock;

/* Release when a library is put in, acquire by who looks a number up: its tables are there. */
static _Atomic(struct tl_shim_library *) libraries[TL_API_MAX];
static _Atomic uint32_t nlibraries;

/*
 * A bit for each API: one of its functions was found; its description is in the arena. Written
 * under the lock.
 */
static _Atomic uint32_t used, described;

static _Atomic bool recording TL_NEAR;
static _Atomic bool watched;	 /* open calls are kept though nothing is recorded */
static _Atomic uint32_t state;	 /* enum tl_file_recording */
static _Atomic bool wanted_once; /* somebody has asked for recording */
/* set by tl_runtime_start: the environment is the program's, and the writer's thread asks, too */
static bool preloaded;
static struct tl_once started, begun;
static _Atomic bool confined;
static pid_t home; /* the process that this memory was loaded in, or forked to */
/* the process whose calls are kept here, from the first watched one on */
static _Atomic pid_t owner;

/* --- modes; all under the lock */

/* What settings alone ask of a shim. */
static uint32_t wanted(const struct tl_shim *shim)
{
	const struct tl_function *function = shim->function;
	uint32_t mode = 0;

	if (tl_config.secure)
		return 0;
	if (function->flags & TL_FUNCTION_GETPROC)
		mode |= TL_MODE_AFTER;
	if (function->flags & TL_FUNCTION_INITIALISES && tl_tools_given())
		mode |= TL_MODE_AFTER;
	if (!tl_config_selects(function))
		return mode;
	if (!atomic_load_explicit(&recording, memory_order_relaxed))
		return atomic_load_explicit(&watched, memory_order_relaxed) ? mode | TL_MODE_OPEN
									    : mode;
	mode |= TL_MODE_RECORD;
	/* No words are as good as all, and quicker. */
	if (tl_config.args != TL_ARGS_NONE || !function->words)
		mode |= TL_MODE_WORDS;
	if (tl_config.args == TL_ARGS_FULL && function->flags & TL_FUNCTION_FOLLOWS)
		mode |= TL_MODE_FOLLOW;
	if (function->flags & TL_FUNCTION_INITIALISES)
		mode |= TL_MODE_AFTER;
	return mode;
}

/* Calls go straight to the real function while there is nothing else to do. */
static void store_mode(struct tl_shim *shim, uint32_t mode)
{
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);

	atomic_store_explicit(&shim->mode, mode, memory_order_relaxed);
	atomic_store_explicit(&shim->direct, mode ? NULL : real, memory_order_relaxed);
}

/* Closures made for a shim are chained through .reserved. */
static struct tl_shim *next_closure(const struct tl_shim *shim)
{
	return (struct tl_shim *)(uintptr_t)shim->reserved;
}

static void change_mode(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	uint32_t mode = atomic_load_explicit(&shim->mode, memory_order_relaxed);

	store_mode(shim, (mode & ~clear) | set);
}

static void change_modes(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	for (; shim; shim = next_closure(shim))
		change_mode(shim, set, clear);
}

static void follow_settings(struct tl_shim *shim)
{
	change_modes(shim, wanted(shim), TL_MODE_CAPTURED | TL_MODE_AFTER | TL_MODE_OPEN);
}

void tl_runtime_set_mode(struct tl_shim *shim, uint32_t set, uint32_t clear)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	change_modes(shim, set, clear);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_runtime_set_dispatch(struct tl_shim *shim, void *table)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	for (struct tl_shim *one = shim; one; one = next_closure(one))
		/*
		 * Release pairs with the callers' acquire loads: the table's contents come before
		 * it.
		 */
		atomic_store_explicit(&one->dispatch, table, memory_order_release);
	change_modes(shim, table ? TL_MODE_TRACERS : 0, table ? 0 : TL_MODE_TRACERS);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_runtime_caller(struct tl_shim *shim)
{
	tl_runtime_set_mode(shim, TL_MODE_CALLER, 0);
}

/*
 * So that whoever reads the buffers knows what the APIs' functions are. Under the lock, so one at a
 * time and with signals blocked. Without the memory for it the calls are recorded all the same.
 */
static void describe(uint32_t number)
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
	 * A process killed before this has described nothing, and recorded no call of it either.
	 * Release: pairs with the acquire of who looks on (`tracelayer profile`).
	 */
	__atomic_store_n(&piece->size, (uint32_t)api->description_size, __ATOMIC_RELEASE);
}

static void describe_used(void)
{
	uint32_t missing = atomic_load_explicit(&used, memory_order_relaxed) &
			   ~atomic_load_explicit(&described, memory_order_relaxed);

	if (!missing || !*tl_arena_path())
		return;
	for (uint32_t number = 0; number < TL_API_MAX; number++)
		if (missing >> number & 1)
			describe(number);
	atomic_fetch_or_explicit(&described, missing, memory_order_relaxed);
}

void tl_runtime_describe(void)
{
	sigset_t signals;

	if (!(atomic_load_explicit(&used, memory_order_relaxed) &
	      ~atomic_load_explicit(&described, memory_order_relaxed)))
		return;
	tl_bounded_lock_take_quietly(&lock, &signals);
	describe_used();
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_runtime_resolved(struct tl_shim *shim)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	change_mode(shim, 0, TL_MODE_RESOLVE);
	atomic_fetch_or_explicit(&used, 1u << (shim->id >> 16), memory_order_relaxed);
	describe_used();
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_runtime_adopt(struct tl_shim *shim, struct tl_shim *of)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	store_mode(shim, atomic_load_explicit(&of->mode, memory_order_relaxed) &
				 ~(uint32_t)TL_MODE_RESOLVE);
	atomic_store_explicit(&shim->dispatch,
			      atomic_load_explicit(&of->dispatch, memory_order_relaxed),
			      memory_order_release);
	shim->reserved = of->reserved;
	of->reserved = (uintptr_t)shim;
	tl_bounded_lock_release_quietly(&lock, &signals);
}

/* --- recording */

TL_NEAR_CODE bool tl_runtime_recording(void)
{
	return atomic_load_explicit(&recording, memory_order_relaxed);
}

enum tl_file_recording tl_runtime_state(void)
{
	return (enum tl_file_recording)atomic_load_explicit(&state, memory_order_relaxed);
}

static void follow_all_settings(void)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			follow_settings(&library->shims[j]);
	}
}

/* Under the lock. */
static void note_state(void)
{
	struct tl_file_header *header = tl_arena_header();

	if (header)
		atomic_store_explicit(&header->recording, tl_runtime_state(), memory_order_relaxed);
}

bool tl_runtime_switch(enum tl_file_recording to)
{
	sigset_t signals;

	if (tl_runtime_is_confined())
		return false;
	tl_bounded_lock_take_quietly(&lock, &signals);
	bool may = to == TL_FILE_STOPPED || tl_runtime_state() != TL_FILE_STOPPED;
	if (may) {
		bool on = to == TL_FILE_RECORDS && !tl_config.secure;
		bool was = atomic_exchange_explicit(&recording, on, memory_order_relaxed);
		atomic_store_explicit(&state, to, memory_order_relaxed);
		if (on)
			atomic_store_explicit(&wanted_once, true, memory_order_relaxed);
		note_state();
		if (on != was)
			follow_all_settings();
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
	/* Calls of threads that are known would not come by there otherwise. */
	if (may && to == TL_FILE_RECORDS && tl_device_look())
		tl_runtime_look_again();
	return may;
}

void tl_runtime_watch(bool on)
{
	struct tl_file_header *header = tl_arena_header();
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	if (atomic_exchange_explicit(&watched, on, memory_order_relaxed) != on)
		follow_all_settings();
	if (header)
		atomic_store_explicit(&header->watched, on, memory_order_relaxed);
	tl_bounded_lock_release_quietly(&lock, &signals);
}

bool tl_runtime_watched(void)
{
	return atomic_load_explicit(&watched, memory_order_relaxed);
}

void tl_runtime_record(bool on)
{
	tl_runtime_start();
	tl_runtime_switch(on ? TL_FILE_RECORDS : TL_FILE_PAUSED);
}

void tl_runtime_look_again(void)
{
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			change_mode(&library->shims[j], TL_MODE_RESOLVE, 0);
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

/* --- APIs */

const struct tl_shim_library *tl_runtime_library(uint32_t number)
{
	return number < TL_API_MAX ? atomic_load_explicit(&libraries[number], memory_order_acquire)
				   : NULL;
}

const struct tl_api *tl_runtime_api(uint32_t number)
{
	const struct tl_shim_library *library = tl_runtime_library(number);

	return library ? library->api : NULL;
}

TL_EXPORT const struct tl_api *tl_api_at(unsigned number)
{
	return tl_runtime_api(number);
}

const struct tl_function *tl_runtime_function(uint32_t id)
{
	const struct tl_api *api = tl_runtime_api(id >> 16);

	return api && (id & 0xffff) < api->count ? &api->functions[id & 0xffff] : NULL;
}

/* Give the library a number, and its shims their ids and modes. False: there is no number left. */
static bool number_library(struct tl_shim_library *library)
{
	uint32_t number = atomic_load_explicit(&nlibraries, memory_order_relaxed);

	if (number == TL_API_MAX || library->api->count > 0x10000)
		return false;
	for (uint32_t i = 0; i < library->api->count; i++) {
		struct tl_shim *shim = &library->shims[i];
		shim->id = number << 16 | i;
		store_mode(shim, TL_MODE_RESOLVE);
		follow_settings(shim);
	}
	atomic_store_explicit(&libraries[number], library, memory_order_release);
	atomic_store_explicit(&nlibraries, number + 1, memory_order_release);
	return true;
}

static int add_library(struct tl_shim_library *library)
{
	sigset_t signals;

	if (library->abi != TL_SHIM_ABI) {
		tl_message_say(
			"tracelayer: a shim library is not used: it was made by another version; make it again with this tracegen\n");
		return -1;
	}
	tl_bounded_lock_take_quietly(&lock, &signals);
	bool added = number_library(library);
	tl_bounded_lock_release_quietly(&lock, &signals);
	if (!added) {
		tl_message_say(
			"tracelayer: a shim library is not used: there are too many; load fewer of them\n");
		return -1;
	}
	if (!tl_config.secure)
		tl_resolve_add(library);
	return 0;
}

int tl_shim_register(struct tl_shim_library *library)
{
	tl_runtime_start();
	return add_library(library);
}

/* --- whose process */

/*
 * By the kernel's own call: what the C library would say may be another process's in a child made
 * by clone().
 */
static pid_t process(void)
{
	return (pid_t)syscall(SYS_getpid);
}

bool tl_runtime_has_begun(void)
{
	return atomic_load_explicit(&begun.owner, memory_order_acquire) == TL_ONCE_OVER;
}

bool tl_runtime_is_owner(void)
{
	return atomic_load_explicit(&owner, memory_order_relaxed) == process();
}

bool tl_runtime_is_confined(void)
{
	return atomic_load_explicit(&confined, memory_order_relaxed);
}

/* There may be something to write, and it is ours to write. */
static bool records_here(void)
{
	return !tl_runtime_is_confined() &&
	       atomic_load_explicit(&begun.owner, memory_order_acquire) == TL_ONCE_OVER &&
	       tl_runtime_is_owner() && !tl_config.left_alone;
}

/* --- ends */

bool tl_runtime_flush(void)
{
	if (!records_here())
		return false;
	tl_writer_finish();
	return true;
}

bool tl_runtime_close(bool certain)
{
	if (!records_here())
		return false;
	tl_writer_close(certain);
	return true;
}

void tl_runtime_reopen(void)
{
	tl_writer_open();
}

void tl_runtime_release(void)
{
	/* What could not be written stays, for `tracelayer recover`. */
	if (tl_writer_is_complete())
		tl_arena_delete();
}

/* Threads that go on as fast as they can would keep us writing for as long as there is memory. */
void tl_runtime_end(void)
{
	if (!records_here())
		return;
	if (tl_runtime_recording())
		tl_runtime_record(false);
	tl_writer_close(true);
	tl_runtime_release();
}

static void finish(void)
{
	tl_runtime_notice_fork();
	if (!records_here())
		return;
	tl_device_end();
	tl_tools_end();
	tl_writer_finish();
}

void tl_runtime_renew_exit(void)
{
	static _Atomic bool renewed;

	if (!atomic_exchange_explicit(&renewed, true, memory_order_relaxed))
		atexit(finish);
}

/* What other exit handlers, and destructors before ours, recorded. */
static __attribute__((destructor)) void unload(void)
{
	finish();
}

/*
 * The last word. Libraries that have nothing to do with us may have destructors later than ours,
 * and release there what they hold of a driver. What is registered while libraries are loaded with
 * the program runs after the destructors of all of them: the dynamic linker registers those right
 * before main. on_exit, because what a library registers with atexit belongs to it, and runs with
 * its destructors.
 */
static void finish_after_libraries(int status, void *unused)
{
	(void)status;
	(void)unused;
	tl_runtime_notice_fork();
	if (!records_here())
		return;
	tl_device_end();
	tl_tools_end();
	tl_guest_end();
	tl_runtime_end();
}

/* --- seccomp */

/* Nobody can be asked later. Of loaders that are not there no function can be called either. */
static void resolve_all(void)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		if (!tl_resolve_is_loaded(library->api))
			continue;
		for (uint32_t j = 0; j < library->api->count; j++)
			if (atomic_load_explicit(&library->shims[j].real, memory_order_relaxed) ||
			    tl_resolve_real(&library->shims[j], NULL))
				tl_runtime_resolved(&library->shims[j]);
	}
}

static void let_calls_by(void)
{
	uint32_t count = atomic_load_explicit(&nlibraries, memory_order_relaxed);
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_shim_library *library =
			atomic_load_explicit(&libraries[i], memory_order_relaxed);
		for (uint32_t j = 0; j < library->api->count; j++)
			change_modes(&library->shims[j], 0, ~(uint32_t)TL_MODE_RESOLVE);
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
}

void tl_runtime_confine(void)
{
	tl_runtime_notice_fork();
	/* A child of vfork has its parent's memory. */
	if (process() != home)
		return;
	bool began = records_here() && tl_arena_facts();
	if (!tl_report_confined(began) && began)
		tl_message_say(
			"tracelayer: the program confines itself by a seccomp filter that forbids what recording needs, so the trace ends there; "
			"see Limits in tracelayer's README\n");
	if (records_here()) {
		tl_device_background_suspend();
		tl_device_end();
		tl_tools_end();
		tl_guest_end();
		tl_writer_suspend();
		tl_runtime_end();
	}
	resolve_all();
	tl_runtime_switch(TL_FILE_STOPPED);
	let_calls_by();
	tl_report_stop();
	atomic_store_explicit(&confined, true, memory_order_relaxed);
}

/* --- forks */

/* A child, without --follow. */
static void leave_alone(void)
{
	tl_config_leave_alone();
	tl_report_stop();
	tl_runtime_watch(false);
	tl_runtime_record(false);
}

static sigset_t fork_signals;

/* So that the child doesn't inherit the lock from a thread that it doesn't have. */
static void before_fork(void)
{
	sigset_t signals;

	if (tl_runtime_is_confined())
		return;

	tl_device_background_before_fork();
	tl_tracer_before_fork();
	tl_bounded_lock_take_quietly(&lock, &signals);
	fork_signals = signals;
	tl_library_walk_before_fork();
}

static void after_fork_in_parent(void)
{
	sigset_t signals = fork_signals;

	if (tl_runtime_is_confined())
		return;

	tl_library_walk_after_fork_parent();
	tl_bounded_lock_release_quietly(&lock, &signals);
	tl_tracer_after_fork_parent();
	tl_device_background_after_fork_parent();
}

static void after_fork_in_child(void)
{
	sigset_t signals = fork_signals;

	/* What this thread's state points to is zeros in the child. */
	if (tl_runtime_is_confined()) {
		tl_self = NULL;
		return;
	}
	home = process();

	tl_library_walk_after_fork_child();
	atomic_store_explicit(&owner, process(), memory_order_relaxed);
	if (atomic_load_explicit(&begun.owner, memory_order_acquire) == TL_ONCE_OVER) {
		tl_strings_after_fork();
		tl_events_after_fork();
		tl_labels_after_fork();
		tl_buffer_after_fork();
		atomic_store_explicit(&described, 0, memory_order_relaxed);
		tl_writer_after_fork();
		tl_clock_start_with(tl_clock_is_counter());
	}
	tl_bounded_lock_release_quietly(&lock, &signals);
	tl_context_after_fork();
	tl_marks_after_fork();
	tl_tracer_after_fork_child();
	if (!tl_config.follow)
		leave_alone();
	tl_device_after_fork();
	tl_control_after_fork();
	tl_tools_after_fork_child();
}

/*
 * The parent's threads may have held the locks. The child has but one, unless it has made threads
 * since; they wait here for each other.
 */
void tl_runtime_notice_fork(void)
{
	/* the pid of the child that is being told, in the thread that noticed it first */
	static _Atomic uint32_t handling;
	sigset_t all, signals, blocked;

	if (TL_LIKELY(!tl_pool_wiped()) || tl_runtime_is_confined())
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	uint32_t pid = (uint32_t)syscall(SYS_getpid);
	/* Acquire and release: who comes later finds all done. */
	if (atomic_exchange_explicit(&handling, pid, memory_order_acq_rel) != pid) {
		lock = (struct tl_bounded_lock){0};
		tl_tracer_before_unseen_fork();
		tl_bounded_lock_take_quietly(&lock, &blocked);
		fork_signals = signals;
		after_fork_in_child();
	}
	while (tl_pool_wiped())
		sched_yield();
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
}

/* --- loading */

bool tl_runtime_may_record(void)
{
	return !tl_config.secure && tl_config.level != TL_LEVEL_NONE &&
	       (tl_config.output_set || preloaded ||
		atomic_load_explicit(&wanted_once, memory_order_relaxed));
}

/*
 * Functions of .preinit_array run before the C library's own constructor, which sets `environ`. The
 * kernel has put the environment behind the arguments, at the top of the stack, of which the
 * dynamic linker knows.
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

static void start(void)
{
	static const struct tl_buffer_upcalls upcalls = {tl_writer_wake, tl_writer_help,
							 tl_control_is_asked, tl_about_facts};

	tl_buffer_give_upcalls(&upcalls);
	home = process();
	tl_config_read();
	preloaded = tl_preloaded();
	tl_arena_look();
	/* Of a launcher, that we are there, and no more. */
	if (!tl_config.secure && (!tl_config.left_alone || tl_config.follow))
		tl_report_start();
	if (tl_config.left_alone)
		tl_report_stop();
	/*
	 * Now, since a process may be forked while another thread is in its first call; and a child
	 * has to be known for one before that.
	 */
	if (!tl_config.secure)
		pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	bool records = tl_runtime_may_record();
	if (tl_control_start())
		records = false;
	atomic_store_explicit(&watched, tl_config.watched && tl_runtime_may_record(),
			      memory_order_relaxed);
	atomic_store_explicit(&recording, records, memory_order_relaxed);
	atomic_store_explicit(&state, records ? TL_FILE_RECORDS : TL_FILE_PAUSED,
			      memory_order_relaxed);
	tl_tools_start();
	tl_device_look();
	for (struct tl_shim_library *const *library = tl_runtime_builtin; *library; library++)
		add_library(*library);
}

void tl_runtime_start(void)
{
	if (tl_once_begin(&started) != TL_ONCE_DO)
		return;
	char **before = environ;
	if (!environ)
		environ = early_environment();
	start();
	environ = before;
	tl_once_done(&started);
}

bool tl_runtime_is_started(void)
{
	return atomic_load_explicit(&started.owner, memory_order_acquire) == TL_ONCE_OVER;
}

/*
 * As `tracelayer run` does it, which does it before this: libraries' constructors may be sooner
 * than ours.
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

static __attribute__((constructor)) void load(void)
{
	tl_runtime_start();
	tl_preload_look();
	if (tl_config.xpti && preloaded)
		bring_xpti();
	on_exit(finish_after_libraries, NULL);
}

/* --- the first watched call */

bool tl_runtime_begin(void)
{
	sigset_t all, signals;

	if (atomic_load_explicit(&begun.owner, memory_order_acquire) == TL_ONCE_OVER)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	enum tl_once_answer answer = tl_once_begin(&begun);
	if (answer == TL_ONCE_DO) {
		atomic_store_explicit(&owner, process(), memory_order_relaxed);
		tl_config_complain();
		tl_arena_fit();
		tl_clock_start();
		tl_thread_start();
		atexit(finish);
		tl_once_done(&begun);
	}
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	return answer != TL_ONCE_INSIDE;
}
