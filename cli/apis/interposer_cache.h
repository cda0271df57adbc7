/* SPDX-License-Identifier: MIT */
/*
 * interposer_cache.h: the interposers that were made before.
 *
 * A request's key is a hash of its words, of tracegen itself and of the environment that decides
 * which files are found. KEY.so is the interposer; KEY.list names each file that it was made from,
 * with its size, times and a hash of its content. An interposer is current if all of these files
 * have the content that they had. As long as their sizes and times are the same, they are not read.
 *
 * Several commands may use the cache at once: files appear by rename(2), the list last.
 */
#ifndef TL_CLI_APIS_INTERPOSER_CACHE_H
#define TL_CLI_APIS_INTERPOSER_CACHE_H

#include <limits.h>
#include <stdbool.h>

struct cache_entry {
	char library[PATH_MAX]; /* KEY.so */
	char list[PATH_MAX];	/* KEY.list */
	char log[PATH_MAX];	/* KEY.log: what tracegen printed: what is left out, and why */
};

/*
 * The place for an interposer: `label` begins the file's name, so that people can tell the files
 * apart; `words` are hashed, NULL-ended. The folder is made. Returns false after a message.
 */
bool cache_place(struct cache_entry *entry, const char *label, const char *const *words);

/* It is there, and current. */
bool cache_is_current(const struct cache_entry *entry);

/*
 * Keep what was made: `library` is the new interposer, `sources` a file that names, one in a line,
 * what it was made from. Both lie in the cache's folder and are moved or removed. Returns 0 or an
 * errno.
 */
int cache_keep(const struct cache_entry *entry, const char *library, const char *sources);

#endif
