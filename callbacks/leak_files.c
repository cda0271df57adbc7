/* SPDX-License-Identifier: MIT */
/* leak_files.c: see leak_files.h. */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/leak_files.h"

/* Under the tool's lock. Apart, as a program may open and close a plugin thousands of times. */
static struct leak_files loaded, closed;
static unsigned now;

static _Atomic unsigned long long noted; /* the changes of the newest look that was noted */

static bool is_child; /* of a fork */

/* ---- what is loaded; the dynamic linker's lock is held ---- */

/* False: memory is short. */
static bool files_add(struct leak_files *files, const struct leak_file *file)
{
	if (files->count == files->room) {
		size_t room = files->room ? 2 * files->room : 64;
		struct leak_file *more = realloc(files->file, room * sizeof(*more));
		if (!more)
			return false;
		files->file = more;
		files->room = room;
	}
	files->file[files->count++] = *file;
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
	look->failed = !file.path || !files_add(&look->files, &file);
	if (look->failed)
		free(file.path);
	return look->failed;
}

static void look_free(struct leak_look *look)
{
	for (size_t i = 0; i < look->files.count; i++)
		free(look->files.file[i].path);
	free(look->files.file);
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

static bool is_among(const struct leak_file *file, const struct leak_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (file_is_same(&files->file[i], file))
			return true;
	return false;
}

unsigned leak_files_note(struct leak_look *look)
{
	size_t kept = 0;

	if (!look->files.count ||
	    look->changes <= atomic_load_explicit(&noted, memory_order_relaxed)) {
		look_free(look);
		return now;
	}
	now++;
	for (size_t i = 0; i < loaded.count; i++) {
		struct leak_file *file = &loaded.file[i];

		if (is_among(file, &look->files)) {
			loaded.file[kept++] = *file;
			continue;
		}
		file->until = now;
		if (!files_add(&closed, file))
			free(file->path);
	}
	loaded.count = kept;
	for (size_t i = 0; i < look->files.count; i++) {
		struct leak_file *file = &look->files.file[i];

		file->since = now;
		if (!is_among(file, &loaded) && files_add(&loaded, file))
			file->path = NULL;
	}
	atomic_store_explicit(&noted, look->changes, memory_order_relaxed);
	look_free(look);
	return now;
}

const struct leak_file *leak_file_closed(unsigned when, const void *address)
{
	uintptr_t at = (uintptr_t)address;

	for (size_t i = 0; i < closed.count; i++) {
		const struct leak_file *file = &closed.file[i];

		if (file->since <= when && when < file->until && at >= file->start &&
		    at < file->end)
			return file;
	}
	return NULL;
}
