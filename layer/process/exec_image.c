/* SPDX-License-Identifier: MIT */
/*
 * exec_image.c: see exec_image.h.
 *
 * The dynamic linker of another C library (musl, bionic) finds no libc.so.6 for the layer and gives
 * up. So such a program gets an LD_PRELOAD without the layer.
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

#define PRELOAD	   "LD_PRELOAD="
#define SEPARATORS ": "

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

/* The list's first item that is this library, or one that needs it; NULL: there is none. */
static const char *preload_find_own(const char *list, size_t *length)
{
	while (list && *list) {
		*length = strcspn(list, SEPARATORS);
		if (tl_preload_is_ours(list, *length))
			return list;
		list += *length;
		list += strspn(list, SEPARATORS);
	}
	return NULL;
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

static const char *image_why_without(const struct tl_program_file *file, const char *ours,
				     size_t length)
{
	if (!ours)
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
		return can_read(ours, length) ? NULL : TL_WITHOUT_UNREADABLE;
	}
}

size_t tl_image_look(const char *path, char *const envp[])
{
	struct tl_program_file file;
	const char *list = preload_of(envp), *why, *ours;
	size_t length = 0, count = 0;

	if (tl_process_is_confined())
		return 0;
	ours = preload_find_own(list, &length);
	if (!path || (!ours && !tl_report_is_asked()) ||
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return 0;
	tl_program_started(path, &file);
	why = image_why_without(&file, ours, length);
	if (why)
		tl_report_without(why, path);
	if (!ours || file.nature != TL_PROGRAM_LIBC)
		return 0;
	while (envp[count])
		count++;
	return (count + 1) * sizeof(*envp) + sizeof(PRELOAD) + strlen(list);
}

/* Writes LD_PRELOAD's entry with the list's other items. */
static void preload_put_rest(char *to, const char *list)
{
	char *first = to + strlen(PRELOAD);

	memcpy(to, PRELOAD, strlen(PRELOAD));
	to = first;
	while (*list) {
		size_t length = strcspn(list, SEPARATORS);
		if (length && !tl_preload_is_ours(list, length)) {
			if (to > first)
				*to++ = ':';
			memcpy(to, list, length);
			to += length;
		}
		list += length;
		list += strspn(list, SEPARATORS);
	}
	*to = 0;
}

char *const *tl_image_without(char *const envp[], void *room)
{
	const char *list = preload_of(envp);
	char **fresh = room, *entry;
	size_t count = 0, to = 0;

	while (envp[count])
		count++;
	entry = (char *)(fresh + count + 1);
	preload_put_rest(entry, list);
	for (size_t i = 0; i < count; i++) {
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
