/* SPDX-License-Identifier: MIT */
/*
 * preload.c: how the library came into the process. See preload.h.
 *
 * LD_PRELOAD says so, if it is still there. Otherwise the order of loading does: the dynamic linker
 * puts the program first, then preloaded libraries, then what the program needs.
 */
#include "layer/process/preload.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "layer/base/library_walk.h"
#include "layer/base/start_page.h"

static const char *path_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *tl_preload_next(const char **list, size_t *length)
{
	static const char separators[] = ": ";
	const char *item = *list + strspn(*list, separators);

	*length = strcspn(item, separators);
	*list = item + *length;
	return *length ? item : NULL;
}

/* The item's last part is that name. */
static bool item_is(const char *item, size_t length, const char *name)
{
	size_t size = strlen(name);

	return length >= size && !memcmp(item + length - size, name, size) &&
	       (length == size || item[length - size - 1] == '/');
}

static bool list_has_name(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while ((item = tl_preload_next(&list, &length)))
		if (item_is(item, length, name))
			return true;
	return false;
}

static const ElfW(Dyn) *dynamic(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry;
	return NULL;
}

/* `map` was linked against the library at `path`. */
static bool library_needs(const struct link_map *map, const char *path)
{
	const ElfW(Dyn) *strings = dynamic(map, DT_STRTAB);

	for (const ElfW(Dyn) *entry = map->l_ld; strings && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag != DT_NEEDED)
			continue;
		const char *name = (const char *)strings->d_un.d_ptr + entry->d_un.d_val;
		if (!strcmp(path_last_part(name), path_last_part(path)))
			return true;
	}
	return false;
}

/*
 * `map` was linked against this library. Its name in DT_NEEDED is our soname:
 * the file that LD_PRELOAD names, libtracelayer.so, is a link.
 */
static bool library_needs_self(const struct link_map *map, const struct link_map *self)
{
	const ElfW(Dyn) *strings = dynamic(self, DT_STRTAB), *soname = dynamic(self, DT_SONAME);

	return library_needs(map, self->l_name) ||
	       (strings && soname &&
		library_needs(map, (const char *)strings->d_un.d_ptr + soname->d_un.d_val));
}

/* A library of the list needs this one: shims for another API, made by tracegen. */
static bool a_listed_one_needs(const char *list, const struct link_map *self)
{
	const struct link_map *map = self;

	while (map->l_prev)
		map = map->l_prev;
	for (; map; map = map->l_next)
		if (*map->l_name && list_has_name(list, path_last_part(map->l_name)) &&
		    library_needs(map, self->l_name))
			return true;
	return false;
}

/* This library comes before everything that the program needs, and the program doesn't need it. */
static bool comes_before_needed(const struct link_map *self)
{
	const struct link_map *program = self;

	while (program->l_prev)
		program = program->l_prev;
	if (library_needs(program, self->l_name))
		return false;
	for (const struct link_map *map = program->l_next; map; map = map->l_next) {
		if (map == self)
			return true;
		if (library_needs(program, map->l_name))
			return false;
	}
	return false;
}

/*
 * NULL: the C library does not say. dladdr1, which also looks for a name in all of our symbols, takes
 * longer than all else here; it is for a library that dlmopen loaded.
 */
static const struct link_map *own_map(void)
{
	struct link_map *self = (struct link_map *)tl_library_own_map();
	Dl_info info;

	return self || dladdr1((void *)own_map, &info, (void **)&self, RTLD_DL_LINKMAP) ? self
											: NULL;
}

bool tl_preloaded(void)
{
	const struct link_map *self = own_map();
	const char *list = getenv("LD_PRELOAD");

	if (!self)
		return false;
	return (list && (list_has_name(list, path_last_part(self->l_name)) ||
			 a_listed_one_needs(list, self))) ||
	       comes_before_needed(self);
}

/*
 * The last parts of paths: this library's, and those of preloaded libraries that need it. The
 * dynamic linker keeps these texts. Names that do not fit lie in a mapping.
 */
#define FEW_NAMES 16
static const char *few_names[FEW_NAMES] TL_START;
static const char **names TL_START;
static size_t nnames TL_START;

/* Returns how many names there are, also if the room is smaller. */
static size_t names_find(const struct link_map *self, const char **found, size_t room)
{
	const struct link_map *map = self;
	size_t count = 1;

	found[0] = path_last_part(self->l_name);
	while (map->l_prev)
		map = map->l_prev;
	/* The program itself may need this library, too. It has no name. */
	for (; map; map = map->l_next) {
		if (!*map->l_name || !library_needs_self(map, self))
			continue;
		if (count < room)
			found[count] = path_last_part(map->l_name);
		count++;
	}
	return count;
}

void tl_preload_look(void)
{
	const struct link_map *self = nnames ? NULL : own_map();
	size_t count = self ? names_find(self, few_names, FEW_NAMES) : 0;
	void *mapped = MAP_FAILED;

	if (!self)
		return;
	if (count > FEW_NAMES)
		mapped = mmap(NULL, count * sizeof(*names), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	names = few_names;
	nnames = count < FEW_NAMES ? count : FEW_NAMES;
	if (mapped == MAP_FAILED)
		return;
	names = mapped;
	/* Another thread may have opened a library since. */
	nnames = names_find(self, names, count);
	if (nnames > count)
		nnames = count;
}

bool tl_preload_is_ours(const char *item, size_t length)
{
	for (size_t i = 0; i < nnames; i++)
		if (item_is(item, length, names[i]))
			return true;
	return false;
}

bool tl_preload_is_self(const char *item, size_t length)
{
	return nnames && item_is(item, length, names[0]);
}
