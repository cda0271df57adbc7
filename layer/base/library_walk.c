/* SPDX-License-Identifier: MIT */
/*
 * library_walk.c: see library_walk.h.
 *
 * `walks` counts the walks that are under way. It has the bit FORKING while a thread forks; then no
 * further walk begins. A nested walk is part of its outer walk: the thread already holds the
 * dynamic linker's lock. `nested` counts these for each thread, since the dynamic linker can't be
 * asked.
 */
#include "layer/base/library_walk.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/futex.h"

#define FORKING	 (1u << 31)
#define TENTH	 100 /* milliseconds */
#define PATIENCE 20  /* tenths of a second that a fork waits: a walk takes microseconds */

static _Atomic uint32_t walks;
static _Atomic uint32_t forkers; /* threads that fork at once */
static __thread uint32_t nested __attribute__((tls_model("initial-exec")));

/*
 * Acquire, pairs with the release in walk_end: a walk that a fork has waited for is over in the
 * child.
 */
static void walk_begin(void)
{
	uint32_t seen = atomic_load_explicit(&walks, memory_order_relaxed);

	for (;;) {
		if (seen & FORKING) {
			tl_futex_wait(&walks, seen, TENTH);
			seen = atomic_load_explicit(&walks, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&walks, &seen, seen + 1,
								 memory_order_acquire,
								 memory_order_relaxed)) {
			return;
		}
	}
}

static void walk_end(void)
{
	if (atomic_fetch_sub_explicit(&walks, 1, memory_order_release) & FORKING)
		tl_futex_wake(&walks);
}

int tl_library_walk(int (*callback)(struct dl_phdr_info *library, size_t size, void *data),
		    void *data)
{
	uint64_t all = UINT64_MAX, signals = 0;

	if (nested)
		return dl_iterate_phdr(callback, data);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals, sizeof(signals));
	walk_begin();
	nested = 1;
	int result = dl_iterate_phdr(callback, data);
	nested = 0;
	walk_end();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, sizeof(signals));
	return result;
}

/* --- the linker's list */

/*
 * For debuggers, the dynamic linker stores the address of its list in the program's own dynamic
 * section.
 */
const struct link_map *tl_library_first_map(void)
{
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long count = getauxval(AT_PHNUM);
	uintptr_t base = 0;
	const ElfW(Dyn) *dynamic = NULL;

	for (unsigned long i = 0; segments && i < count; i++)
		if (segments[i].p_type == PT_PHDR)
			base = (uintptr_t)segments - segments[i].p_vaddr;
	for (unsigned long i = 0; segments && i < count; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + segments[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
			return ((const struct r_debug *)dynamic->d_un.d_ptr)->r_map;
	return NULL;
}

/* The image's own dynamic section, by the linker. */
extern ElfW(Dyn) _DYNAMIC[];

const struct link_map *tl_library_own_map(void)
{
	const struct link_map *map = tl_library_first_map();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

/* --- around forks */

/* Waits no longer than PATIENCE for walks to end: a walk's thread may be stopped. */
void tl_library_walk_before_fork(void)
{
	atomic_fetch_add_explicit(&forkers, 1, memory_order_relaxed);
	uint32_t seen = atomic_fetch_or_explicit(&walks, FORKING, memory_order_acquire) | FORKING;

	for (int i = 0; i < PATIENCE && seen != FORKING && !nested; i++) {
		tl_futex_wait(&walks, seen, TENTH);
		seen = atomic_load_explicit(&walks, memory_order_acquire);
	}
}

void tl_library_walk_after_fork_parent(void)
{
	if (atomic_fetch_sub_explicit(&forkers, 1, memory_order_relaxed) != 1)
		return;
	atomic_fetch_and_explicit(&walks, ~FORKING, memory_order_release);
	tl_futex_wake(&walks);
}

void tl_library_walk_after_fork_child(void)
{
	atomic_store_explicit(&forkers, 0, memory_order_relaxed);
	atomic_store_explicit(&walks, 0, memory_order_relaxed);
}
