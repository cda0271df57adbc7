/* SPDX-License-Identifier: MIT */
/*
 * interposer_cache.h: the cache of interposers.
 *
 * A request's key is a hash of its words, of tracegen itself and of the environment that decides
 * which files are found. KEY.so is the interposer; KEY.list names each file that it was made from,
 * and the interposer itself, with its size, times and a hash of its content. An interposer is
 * current if the content of all these files is the same. A file is read only if its size or times
 * have changed. For an interposer that is current, the cache need not be writable.
 *
 * Several commands may use the cache at once: files appear by rename(2), the list last.
 */
#ifndef TL_CLI_APIS_INTERPOSER_CACHE_H
#define TL_CLI_APIS_INTERPOSER_CACHE_H

#include <limits.h>
#include <stdbool.h>

struct cache_entry {
	char folder[PATH_MAX];
	char library[PATH_MAX]; /* KEY.so */
	char list[PATH_MAX];	/* KEY.list */
	char log[PATH_MAX]; /* KEY.log: tracegen's output: the functions that are left out, and why */
};

/*
 * The place for an interposer: `label` begins the file's name, so that people can tell the files
 * apart; `words` are hashed, NULL-ended. Returns false after a message.
 */
bool cache_place(struct cache_entry *entry, const char *label, const char *const *words);

/*
 * Whether there is a current interposer in that place. Prints no message and makes no folder, so
 * false may also mean that there is no place.
 */
bool cache_has(struct cache_entry *entry, const char *label, const char *const *words);

/* Make the folder, before an interposer is made. Returns false after a message. */
bool cache_make_folder(const struct cache_entry *entry);

/* Whether the interposer exists and is current. */
bool cache_is_current(const struct cache_entry *entry);

/*
 * Keep a new interposer. `library` is its file. `sources` is a file with the paths of the files
 * that it was made from, one on each line. Both lie in the cache's folder, and are moved or
 * removed. Returns 0 or an errno.
 */
int cache_keep(const struct cache_entry *entry, const char *library, const char *sources);

#endif
