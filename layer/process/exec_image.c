/* SPDX-License-Identifier: MIT */
/*
 * exec_image.c: see exec_image.h.
 *
 * The dynamic linker of another C library (musl, bionic) finds no libc.so.6 for the layer and gives
 * up. So such a program gets an LD_PRELOAD without the layer, and without the libraries that need it.
 * So does a program of another architecture, and one that can't read the layer's file, and one that
 * can't read an interposer's gets an LD_PRELOAD without that: glibc's dynamic linker would print an
 * error, or give up, too.
 */
#include "layer/process/exec_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/program_file.h"
#include "common/run_protocol.h"
#include "common/text.h"
#include "layer/process/preload.h"
#include "layer/base/run_report.h"
#include "layer/buffers/process_state.h"

#define PRELOAD "LD_PRELOAD="

/*
 * The value of LD_PRELOAD in that environment; NULL: there is none. The dynamic linker uses the
 * last one.
 */
static const char *preload_of(char *const envp[])
{
	const char *list = NULL;

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, PRELOAD, strlen(PRELOAD)))
			list = *envp + strlen(PRELOAD);
	return list;
}

static bool can_read(const char *item, size_t length)
{
	char path[TL_PROGRAM_PATH];

	/* A name without a slash would be searched for. */
	if (length >= sizeof(path) || *item != '/')
		return true;
	memcpy(path, item, length);
	path[length] = 0;
	return syscall(SYS_faccessat, AT_FDCWD, path, R_OK) == 0;
}

/* What a list has of ours. */
struct own_items {
	bool any, unreadable; /* unreadable: the layer's own file */
	const char *missing;  /* the first other one that can't be read; NULL: there is none */
	size_t missing_length;
};

static void own_item_look(struct own_items *own, const char *item, size_t length)
{
	own->any = true;
	if (can_read(item, length))
		return;
	if (tl_preload_is_self(item, length)) {
		own->unreadable = true;
	} else if (!own->missing) {
		own->missing = item;
		own->missing_length = length;
	}
}

static struct own_items preload_look(const char *list)
{
	struct own_items own = {0};
	const char *item;
	size_t length;

	while (list && (item = tl_preload_next(&list, &length)))
		if (tl_preload_is_ours(item, length))
			own_item_look(&own, item, length);
	return own;
}

static const char *image_why_without(const struct tl_program_file *file,
				     const struct own_items *own)
{
	if (!own->any)
		return TL_WITHOUT_CLEARED;
	switch (file->nature) {
	case TL_PROGRAM_STATIC:
		return TL_WITHOUT_STATIC;
	case TL_PROGRAM_FOREIGN:
		return TL_WITHOUT_FOREIGN;
	case TL_PROGRAM_LIBC:
		return TL_WITHOUT_LIBC;
	case TL_PROGRAM_PRIVILEGED:
		return TL_WITHOUT_PRIVILEGED;
	default:
		return own->unreadable ? TL_WITHOUT_UNREADABLE : NULL;
	}
}

static size_t environment_count(char *const envp[])
{
	size_t count = 0;

	while (envp[count])
		count++;
	return count;
}

/* Bytes of a copy of the environment: the pointers, and LD_PRELOAD's entry. */
static size_t copy_room(size_t count, const char *list)
{
	return (count + 1) * sizeof(char *) + sizeof(PRELOAD) + strlen(list);
}

static bool preload_has_ours(const char *list)
{
	const char *item;
	size_t length;

	while (list && (item = tl_preload_next(&list, &length)))
		if (tl_preload_is_ours(item, length))
			return true;
	return false;
}

size_t tl_image_look(const char *path, char *const envp[], bool *all)
{
	struct tl_program_file file;
	const char *list = preload_of(envp), *why;

	/* The filter stays, and would kill the program for system calls of the layer's start. */
	if (tl_process_is_confined()) {
		*all = true;
		return preload_has_ours(list) ? copy_room(environment_count(envp), list) : 0;
	}
	struct own_items own = preload_look(list);

	if (!path || (!own.any && !tl_report_is_asked()) ||
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return 0;
	tl_program_started(path, &file);
	why = image_why_without(&file, &own);
	if (why)
		tl_report_without(why, path);
	*all = own.unreadable || file.nature == TL_PROGRAM_LIBC ||
	       (file.nature == TL_PROGRAM_FOREIGN && file.linked);
	if (!why && own.missing)
		tl_report_unreadable(own.missing, own.missing_length, path);
	if (!own.any || (!*all && !own.missing))
		return 0;
	return copy_room(environment_count(envp), list);
}

static bool item_stays(const char *item, size_t length, bool all)
{
	return !tl_preload_is_ours(item, length) || (!all && can_read(item, length));
}

/* Writes LD_PRELOAD's entry with the list's other items. It may be the entry that has the list. */
static void preload_put_rest(char *to, const char *list, bool all)
{
	char *first = to + strlen(PRELOAD);
	const char *item;
	size_t length;

	memcpy(to, PRELOAD, strlen(PRELOAD));
	to = first;
	while ((item = tl_preload_next(&list, &length))) {
		if (!item_stays(item, length, all))
			continue;
		if (to > first)
			*to++ = ':';
		memmove(to, item, length);
		to += length;
	}
	*to = 0;
}

void tl_image_confine(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (!strncmp(*entry, PRELOAD, strlen(PRELOAD)) &&
		    preload_has_ours(*entry + strlen(PRELOAD)))
			preload_put_rest(*entry, *entry + strlen(PRELOAD), true);
}

char *const *tl_image_without(char *const envp[], bool all, void *room, size_t size)
{
	const char *list = preload_of(envp);
	size_t count = environment_count(envp), to = 0;
	char **fresh = room, *entry;

	/* Another thread has changed the environment since. */
	if (!list || copy_room(count, list) > size)
		return envp;
	entry = (char *)(fresh + count + 1);
	preload_put_rest(entry, list, all);
	for (size_t i = 0; i < count && envp[i]; i++) {
		bool preload = !strncmp(envp[i], PRELOAD, strlen(PRELOAD));
		if (!preload)
			fresh[to++] = envp[i];
		else if (envp[i] + strlen(PRELOAD) == list && entry[strlen(PRELOAD)])
			fresh[to++] = entry;
	}
	fresh[to] = NULL;
	return fresh;
}

const char *tl_image_find(const char *file, char *found, size_t room)
{
	const char *path = getenv("PATH");

	if (strchr(file, '/'))
		return file;
	if (tl_process_is_confined())
		return NULL;
	for (const char *at = path ? path : "/bin:/usr/bin"; *file; at++) {
		size_t length = strcspn(at, ":");
		struct tl_text text = {found, found + room - 1, false};
		tl_text_put(&text, at, length);
		tl_text_string(&text, length ? "/" : "");
		tl_text_string(&text, file);
		*text.at = 0;
		if (!text.cut && faccessat(AT_FDCWD, found, X_OK, AT_EACCESS) == 0)
			return found;
		at += length;
		if (!*at)
			break;
	}
	return NULL;
}
