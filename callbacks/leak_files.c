/* SPDX-License-Identifier: MIT */
/* leak_files.c: see leak_files.h. */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/leak_files.h"

/* Under the tool's lock. */
static struct leak_file *known;
static size_t count, room;
static unsigned now;

static _Atomic unsigned long long noted; /* the changes of the newest look that was noted */

static bool is_child; /* of a fork */

/* ---- what is loaded; the dynamic linker's lock is held ---- */

/* Room for one more; false: memory is short. */
static bool files_grow(struct leak_file **files, size_t used, size_t *files_room)
{
	if (used < *files_room)
		return true;
	size_t larger = used ? 2 * used : 64;
	struct leak_file *more = realloc(*files, larger * sizeof(*more));
	if (!more)
		return false;
	*files = more;
	*files_room = larger;
	return true;
}

static int library_look(struct dl_phdr_info *info, size_t size, void *closure)
{
	struct leak_look *look = closure;
	struct leak_file file = {.base = info->dlpi_addr, .start = UINTPTR_MAX};

	look->changes = info->dlpi_adds + info->dlpi_subs;
	if (look->changes == atomic_load_explicit(&noted, memory_order_relaxed))
		return 1;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uintptr_t end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		file.start = start < file.start ? start : file.start;
		file.end = end > file.end ? end : file.end;
	}
	file.path = strdup(info->dlpi_name ? info->dlpi_name : "");
	look->failed |= !file.path || !files_grow(&look->files, look->count, &look->room);
	if (look->failed) {
		free(file.path);
		return 1;
	}
	look->files[look->count++] = file;
	return 0;
}

static void look_free(struct leak_look *look)
{
	for (size_t i = 0; i < look->count; i++)
		free(look->files[i].path);
	free(look->files);
	*look = (struct leak_look){0};
}

struct leak_look leak_files_look(void)
{
	struct leak_look look = {0};
	sigset_t all, signals;

	if (is_child)
		return look;
	/* A handler's calls may wait for the lock that this thread is just taking. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals);
	dl_iterate_phdr(library_look, &look);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	if (look.failed)
		look_free(&look);
	return look;
}

void leak_files_after_fork_in_child(void)
{
	is_child = true;
}

/* ---- what was loaded ---- */

static bool file_is_same(const struct leak_file *a, const struct leak_file *b)
{
	return a->base == b->base && a->start == b->start && a->end == b->end &&
	       !strcmp(a->path, b->path);
}

/* The place of a file that is still loaded; `count`: it is new. */
static size_t file_place(const struct leak_file *file)
{
	size_t i = 0;

	while (i < count && (known[i].until || !file_is_same(&known[i], file)))
		i++;
	return i;
}

static bool look_has(const struct leak_look *look, const struct leak_file *file)
{
	for (size_t i = 0; i < look->count; i++)
		if (file_is_same(&look->files[i], file))
			return true;
	return false;
}

unsigned leak_files_note(struct leak_look *look)
{
	if (!look->files || look->changes <= atomic_load_explicit(&noted, memory_order_relaxed)) {
		look_free(look);
		return now;
	}
	now++;
	for (size_t i = 0; i < count; i++)
		if (!known[i].until && !look_has(look, &known[i]))
			known[i].until = now;
	for (size_t i = 0; i < look->count; i++) {
		if (file_place(&look->files[i]) < count || !files_grow(&known, count, &room))
			continue;
		known[count] = look->files[i];
		known[count++].since = now;
		look->files[i].path = NULL;
	}
	atomic_store_explicit(&noted, look->changes, memory_order_relaxed);
	look_free(look);
	return now;
}

const struct leak_file *leak_file_closed(unsigned when, const void *address)
{
	uintptr_t at = (uintptr_t)address;

	for (size_t i = 0; i < count; i++)
		if (known[i].until && known[i].since <= when && when < known[i].until &&
		    at >= known[i].start && at < known[i].end)
			return &known[i];
	return NULL;
}
