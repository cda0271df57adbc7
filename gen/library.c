/* SPDX-License-Identifier: MIT */
/*
 * library.c: finds a shared library as the dynamic loader would, without loading it: a library that
 * is loaded runs code.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/exports.h"

#define CACHE "/etc/ld.so.cache"

/* The loader's cache, as glibc's sysdeps/generic/dl-cache.h has it. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_entry {
	int32_t flags;
	uint32_t key, value; /* offsets of the name and of the path, from the header's start */
	uint32_t os_version;
	uint64_t hwcap;
};

struct cache {
	char magic[sizeof CACHE_MAGIC - 1];
	uint32_t count, strings_size;
	uint8_t flags, padding[3];
	uint32_t extension, unused[3];
	struct cache_entry entries[];
};

#if defined(__x86_64__)
#define CACHE_FLAGS 0x0303
#elif defined(__aarch64__)
#define CACHE_FLAGS 0x0a03
#else
#define CACHE_FLAGS 0x0003
#endif

/* An old cache in front of the new one is as long as its header says, 8-byte aligned. */
static const struct cache *cache_in(const char *bytes, size_t size)
{
	const char *at = memmem(bytes, size, CACHE_MAGIC, strlen(CACHE_MAGIC));
	const struct cache *cache = (const void *)at;

	if (!at || (uintptr_t)at % 8 || size - (size_t)(at - bytes) < sizeof *cache ||
	    cache->count > (size - (size_t)(at - bytes) - sizeof *cache) / sizeof *cache->entries)
		return NULL;
	return cache;
}

static const char *cache_string(const struct cache *cache, size_t size, uint32_t offset)
{
	const char *text = (const char *)cache + offset;

	return offset < size && memchr(text, '\0', size - offset) ? text : NULL;
}

static bool is_file(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static size_t text_common(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/*
 * The path of a library name. If there is none, *nearest becomes the name with the longest
 * beginning in common.
 */
static const char *cache_find(const char *name, const char **nearest)
{
	int file = open(CACHE, O_RDONLY | O_CLOEXEC);
	struct stat facts;
	const char *path = NULL;
	size_t best = strlen("lib") + 1;

	if (file < 0)
		return NULL;
	char *bytes = fstat(file, &facts) == 0
			      ? mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0)
			      : MAP_FAILED;
	close(file);
	if (bytes == MAP_FAILED)
		return NULL;
	const struct cache *cache = cache_in(bytes, (size_t)facts.st_size);
	size_t size = cache ? (size_t)facts.st_size - (size_t)((const char *)cache - bytes) : 0;
	for (uint32_t i = 0; cache && !path && i < cache->count; i++) {
		const struct cache_entry *entry = &cache->entries[i];
		const char *key = cache_string(cache, size, entry->key),
			   *value = cache_string(cache, size, entry->value);

		if (!key || !value || entry->flags != CACHE_FLAGS)
			continue;
		if (!strcmp(key, name) && is_file(value))
			path = copy_text(value);
		else if (text_common(key, name) > best) {
			best = text_common(key, name);
			*nearest = copy_text(key);
		}
	}
	munmap(bytes, (size_t)facts.st_size);
	return path;
}

static const char *folders_find(const char *folders, const char *name)
{
	char *copy = copy_text(folders), *rest;

	for (char *folder = strtok_r(copy, ":;", &rest); folder;
	     folder = strtok_r(NULL, ":;", &rest)) {
		const char *path = format_text("%s/%s", folder, name);

		if (is_file(path))
			return path;
	}
	return NULL;
}

#if defined(__x86_64__)
#define TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#else
#define TRIPLET "."
#endif

static const char *library_search(const char *name, const char **nearest)
{
	const char *variable = getenv("LD_LIBRARY_PATH");
	const char *path = strchr(name, '/') ? name : NULL;

	if (!path && variable)
		path = folders_find(variable, name);
	if (!path)
		path = cache_find(name, nearest);
	if (!path)
		path = folders_find("/lib/" TRIPLET ":/usr/lib/" TRIPLET
				    ":/lib64:/usr/lib64:/lib:/usr/lib",
				    name);
	return path;
}

const char *library_find_quietly(const char *name)
{
	const char *nearest = NULL;

	return library_search(name, &nearest);
}

const char *library_find(const char *name)
{
	const char *nearest = NULL, *path = library_search(name, &nearest);

	if (!path)
		fprintf(stderr,
			"tracegen: %s: the loader finds no library of this name%s%s; give its path, or its name as `ldd PROGRAM` shows it\n",
			name, nearest ? "; the nearest is " : "", nearest ? nearest : "");
	return path;
}
