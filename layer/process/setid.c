/* SPDX-License-Identifier: MIT */
/*
 * setid.c: changes of user, group and capabilities. See credentials.h.
 *
 * The writer's thread has to make each change, too, which the C library does for its own threads
 * only. It does not repeat the program's call. The calling thread reads its own users and groups
 * after the call, three numbers each, and the writer's thread sets these; by the kernel's rules
 * that gives the same rights. Changes of several threads come one after the other, so that the
 * writer's thread takes exactly what was read. No writer's thread starts meanwhile, because it
 * would begin with what its creator has at that moment.
 *
 * capset changes the calling thread only. The writer's thread follows all the same: in a program of
 * one thread no other thread would keep capabilities that the program gave up.
 *
 * Left out: setfsuid and setfsgid, which change one thread, to open a file; and prctl's
 * no_new_privs, bounding and ambient sets, which matter only for programs executed later.
 */
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/credentials.h"
#include "layer/resolve/dlsym.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/start_page.h"
#include "layer/buffers/process_state.h"
#include "layer/write/writer.h"

#define PATIENCE_MS 10000 /* with another thread that is at a change */
#define SLICE_MS    100

/* --- the change, and what follows it */

static void writer_follow(enum tl_credential kind)
{
	struct tl_credentials credentials = {.kind = kind};
	const size_t size = TL_GROUPS_MAX * sizeof(uint32_t);
	uint32_t *groups = NULL;

	if (kind == TL_CREDENTIAL_GROUPS)
		groups = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if (groups == MAP_FAILED)
		groups = NULL;
	/* NULL, where it can't be read: the writer's thread ends, so that it keeps no rights. */
	bool over =
		tl_writer_follow(tl_credentials_read(&credentials, groups) ? &credentials : NULL);
	if (groups && over)
		munmap(groups, size);
}

/* One at a time. */
static struct tl_bounded_lock changing;
/* the thread that holds it; in a forked child, and after a cancellation, a thread that is gone */
static _Atomic uint32_t changer;
static _Atomic bool nested; /* a signal handler made another change during this one */

static uint32_t this_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static bool change_take_turn(void)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += SLICE_MS) {
		if (tl_bounded_lock_take(&changing, SLICE_MS))
			return true;
		uint32_t other = atomic_load_explicit(&changer, memory_order_relaxed);
		if (other && syscall(SYS_tgkill, getpid(), other, 0))
			return true;
	}
	return false;
}

/* True: call change_end. Both keep errno. */
static bool change_begin(void)
{
	int error = errno;
	bool ours = false;

	if (!tl_process_has_begun() || !tl_process_is_owner())
		return false;
	if (atomic_load_explicit(&changer, memory_order_relaxed) == this_thread()) {
		atomic_store_explicit(&nested, true, memory_order_relaxed);
	} else if (change_take_turn()) {
		atomic_store_explicit(&changer, this_thread(), memory_order_relaxed);
		tl_writer_hold();
		ours = true;
	}
	errno = error;
	return ours;
}

static void change_end(bool changed, enum tl_credential kind)
{
	int error = errno;

	if (changed)
		writer_follow(kind);
	if (atomic_exchange_explicit(&nested, false, memory_order_relaxed))
		tl_writer_follow(NULL);
	tl_writer_let_go();
	atomic_store_explicit(&changer, 0, memory_order_relaxed);
	tl_bounded_lock_release(&changing);
	errno = error;
}

/* --- the C library's functions */

static struct {
	int (*setuid)(uid_t user);
	int (*seteuid)(uid_t user);
	int (*setreuid)(uid_t real, uid_t effective);
	int (*setresuid)(uid_t real, uid_t effective, uid_t saved);
	int (*setgid)(gid_t group);
	int (*setegid)(gid_t group);
	int (*setregid)(gid_t real, gid_t effective);
	int (*setresgid)(gid_t real, gid_t effective, gid_t saved);
	int (*setgroups)(size_t count, const gid_t *groups);
	int (*initgroups)(const char *user, gid_t group);
	int (*capset)(cap_user_header_t header, const cap_user_data_t data);
	_Atomic bool found;
} real TL_START;

#define FIND(name) real.name = (__typeof__(real.name))tl_dlsym_next(#name)
static __attribute__((constructor)) void real_find(void)
{
	FIND(setuid);
	FIND(seteuid);
	FIND(setreuid);
	FIND(setresuid);
	FIND(setgid);
	FIND(setegid);
	FIND(setregid);
	FIND(setresgid);
	FIND(setgroups);
	FIND(initgroups);
	FIND(capset);
	/* Release: pairs with the acquire in CHANGE. */
	atomic_store_explicit(&real.found, true, memory_order_release);
}

/* Calls the function. If it succeeds, the writer's thread makes the same change. */
#define CHANGE(kind, name, ...)                                                                    \
	({                                                                                         \
		if (!atomic_load_explicit(&real.found, memory_order_acquire))                      \
			real_find();                                                               \
		if (!real.name) {                                                                  \
			errno = ENOSYS;                                                            \
			return -1;                                                                 \
		}                                                                                  \
		bool ours_ = change_begin();                                                       \
		int answer_ = real.name(__VA_ARGS__);                                              \
		if (ours_)                                                                         \
			change_end(!answer_, kind);                                                \
		answer_;                                                                           \
	})

TL_EXPORT int setuid(uid_t user)
{
	return CHANGE(TL_CREDENTIAL_USER, setuid, user);
}

TL_EXPORT int seteuid(uid_t user)
{
	return CHANGE(TL_CREDENTIAL_USER, seteuid, user);
}

TL_EXPORT int setreuid(uid_t ruid, uid_t euid)
{
	return CHANGE(TL_CREDENTIAL_USER, setreuid, ruid, euid);
}

TL_EXPORT int setresuid(uid_t ruid, uid_t euid, uid_t suid)
{
	return CHANGE(TL_CREDENTIAL_USER, setresuid, ruid, euid, suid);
}

TL_EXPORT int setgid(gid_t group)
{
	return CHANGE(TL_CREDENTIAL_GROUP, setgid, group);
}

TL_EXPORT int setegid(gid_t group)
{
	return CHANGE(TL_CREDENTIAL_GROUP, setegid, group);
}

TL_EXPORT int setregid(gid_t rgid, gid_t egid)
{
	return CHANGE(TL_CREDENTIAL_GROUP, setregid, rgid, egid);
}

TL_EXPORT int setresgid(gid_t rgid, gid_t egid, gid_t sgid)
{
	return CHANGE(TL_CREDENTIAL_GROUP, setresgid, rgid, egid, sgid);
}

TL_EXPORT int setgroups(size_t count, const gid_t *groups)
{
	return CHANGE(TL_CREDENTIAL_GROUPS, setgroups, count, groups);
}

TL_EXPORT int initgroups(const char *user, gid_t group)
{
	return CHANGE(TL_CREDENTIAL_GROUPS, initgroups, user, group);
}

TL_EXPORT int capset(cap_user_header_t header, const cap_user_data_t data);
TL_EXPORT int capset(cap_user_header_t header, const cap_user_data_t data)
{
	return CHANGE(TL_CREDENTIAL_CAPABILITIES, capset, header, data);
}
