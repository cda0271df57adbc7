/* SPDX-License-Identifier: MIT */
/*
 * library_path.c: see library_path.h.
 */
#include "common/library_path.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Mapped at the first call, for good. NULL: there is none. *size: from the header to the end. */
static const struct cache *cache_map(size_t *size)
{
	static const struct cache *mapped;
	static size_t mapped_size;
	static bool done;
	struct stat facts;
	int file = done ? -1 : open(CACHE, O_RDONLY | O_CLOEXEC);

	if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0) {
		const char *bytes =
			mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);

		if (bytes != MAP_FAILED)
			mapped = cache_in(bytes, (size_t)facts.st_size);
		if (mapped)
			mapped_size =
				(size_t)facts.st_size - (size_t)((const char *)mapped - bytes);
	}
	if (file >= 0)
		close(file);
	done = true;
	*size = mapped_size;
	return mapped;
}

static const char *cache_string(const struct cache *cache, size_t size, uint32_t offset)
{
	const char *text = (const char *)cache + offset;

	return offset < size && memchr(text, '\0', size - offset) ? text : NULL;
}

bool tl_library_cache_next(size_t *cursor, const char **name, const char **path)
{
	size_t size;
	const struct cache *cache = cache_map(&size);

	while (cache && *cursor < cache->count) {
		const struct cache_entry *entry = &cache->entries[(*cursor)++];

		*name = cache_string(cache, size, entry->key);
		*path = cache_string(cache, size, entry->value);
		if (entry->flags == CACHE_FLAGS && *name && *path)
			return true;
	}
	return false;
}

static bool is_file(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

bool tl_library_in_cache(const char *name, char *path)
{
	const char *key, *value;

	for (size_t cursor = 0; tl_library_cache_next(&cursor, &key, &value);)
		if (!strcmp(key, name) && is_file(value))
			return snprintf(path, PATH_MAX, "%s", value) < PATH_MAX;
	return false;
}

bool tl_library_in_folders(const char *folders, const char *name, char *path)
{
	while (*folders) {
		size_t length = strcspn(folders, ":;");

		if (length &&
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, name) < PATH_MAX &&
		    is_file(path))
			return true;
		folders += length + (folders[length] != '\0');
	}
	return false;
}
