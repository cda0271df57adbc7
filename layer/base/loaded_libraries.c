/* SPDX-License-Identifier: MIT */
/*
 * loaded_libraries.c: see loaded_libraries.h.
 *
 * The list comes from dl_iterate_phdr. Its lock is recursive. dlopen and dlclose hold it only while
 * they change the list, never while they run constructors. An inner walk takes the list while the
 * first step of an outer walk holds the lock.
 */
#include "layer/base/loaded_libraries.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "layer/base/library_walk.h"

#define SCOPE_MAX 256

static int generation_read(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct tl_generation *generation = closure;

	generation->added = seen->dlpi_adds;
	generation->removed = seen->dlpi_subs;
	return 1;
}

struct tl_generation tl_loaded_generation(void)
{
	struct tl_generation generation = {0, 0};

	tl_library_walk(generation_read, &generation);
	return generation;
}

/* --- scopes */

/*
 * The library that a DT_NEEDED entry names: a soname, or, rarely, a path or file name, if the library
 * had no soname when it was linked.
 */
static const struct tl_elf *needed_library(const struct tl_loaded *loaded, const char *needed)
{
	for (unsigned i = 1; i < loaded->count; i++)
		if (tl_elf_is_named(&loaded->elf[i], needed))
			return &loaded->elf[i];
	for (unsigned i = 1; i < loaded->count; i++)
		if (tl_elf_same(loaded->elf[i].path, needed) ||
		    tl_elf_same(tl_elf_file_name(loaded->elf[i].path), needed))
			return &loaded->elf[i];
	return NULL;
}

struct scope {
	const struct tl_elf *elf[SCOPE_MAX];
	unsigned count;
};

static void scope_add(struct scope *scope, const struct tl_elf *elf)
{
	for (unsigned i = 0; i < scope->count; i++)
		if (scope->elf[i] == elf)
			return;
	if (elf && scope->count < SCOPE_MAX)
		scope->elf[scope->count++] = elf;
}

static void scope_add_needed(struct scope *scope, const struct tl_loaded *loaded,
			     const struct tl_elf *elf)
{
	for (const ElfW(Dyn) *d = elf->dynamic; d && elf->strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED)
			scope_add(scope, needed_library(loaded, elf->strings + d->d_un.d_val));
}

const struct tl_elf *tl_loaded_scope(const struct tl_loaded *loaded, const struct tl_elf *root,
				     bool (*visit)(const struct tl_elf *elf, void *closure),
				     void *closure)
{
	struct scope scope = {.count = 0};

	scope_add(&scope, root);
	for (unsigned i = 0; i < scope.count; i++) {
		if (visit(scope.elf[i], closure))
			return scope.elf[i];
		scope_add_needed(&scope, loaded, scope.elf[i]);
	}
	return NULL;
}

static bool scope_find_last(const struct tl_elf *elf, void *closure)
{
	const struct tl_elf **last = closure;

	if (elf > *last)
		*last = elf;
	return false;
}

/*
 * How many libraries the global scope has: the program, preloaded libraries (which come before the
 * first library that the program needs), and what all of these need. They are at the front of the
 * list, so the place of the last one gives the number.
 */
static unsigned loaded_count_startup(const struct tl_loaded *loaded)
{
	const struct tl_elf *last = loaded->elf, *first = loaded->elf + loaded->count;

	if (!loaded->count)
		return 0;
	for (const ElfW(Dyn) *d = last->dynamic; d && last->strings && d->d_tag != DT_NULL; d++) {
		const struct tl_elf *needed =
			d->d_tag == DT_NEEDED
				? needed_library(loaded, loaded->elf->strings + d->d_un.d_val)
				: NULL;

		if (needed && needed < first)
			first = needed;
	}
	tl_loaded_scope(loaded, loaded->elf, scope_find_last, &last);
	for (const struct tl_elf *preloaded = loaded->elf + 1;
	     preloaded < first && first < loaded->elf + loaded->count; preloaded++)
		tl_loaded_scope(loaded, preloaded, scope_find_last, &last);
	return (unsigned)(last - loaded->elf) + 1;
}

/* --- the list */

void tl_loaded_each_early(bool (*visit)(const struct tl_elf *elf, void *closure), void *closure)
{
	for (const struct link_map *map = tl_library_first_map(); map; map = map->l_next) {
		struct tl_elf elf = {
			.base = map->l_addr, .path = map->l_name, .dynamic = map->l_ld};

		tl_elf_read_dynamic(&elf);
		if (visit(&elf, closure))
			return;
	}
}

struct listing {
	void (*work)(const struct tl_loaded *loaded, void *closure);
	void *closure;
	struct tl_elf *elf;
	unsigned count, room;
	bool done;
};

static int listing_count(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct listing *listing = closure;

	listing->room++;
	return 0;
}

static int listing_add(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct listing *listing = closure;

	if (listing->count < listing->room)
		tl_elf_read(&listing->elf[listing->count++], seen);
	return 0;
}

/*
 * How many libraries the program started with never changes; it is found by the first walk. 0: not
 * found yet.
 */
static _Atomic unsigned startup;

/*
 * The list of the last walk, for the next one: to read all libraries takes longer than most of what
 * is done with the list, and each function that is looked up needs one. A walk that finds .taken set
 * makes a list of its own. That is so with C libraries whose walks exclude no others, and in a child
 * that was forked inside of a walk.
 */
static struct {
	_Atomic bool taken; /* acquire where it is set, release where it is cleared */
	struct tl_elf *elf; /* NULL: there is none */
	unsigned count, room;
	struct tl_generation generation;
} kept;

static void kept_drop(void)
{
	if (kept.elf)
		munmap(kept.elf, kept.room * sizeof(*kept.elf));
	kept.elf = NULL;
}

/* Reads all libraries into memory of its own. False: there is none. */
static bool listing_make(struct listing *listing)
{
	tl_library_walk(listing_count, listing);
	void *room = mmap(NULL, listing->room * sizeof(*listing->elf), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return false;
	listing->elf = room;
	tl_library_walk(listing_add, listing);
	return true;
}

static bool listing_take_kept(struct listing *listing, const struct tl_generation *now)
{
	if (!kept.elf || kept.generation.added != now->added ||
	    kept.generation.removed != now->removed)
		return false;
	listing->elf = kept.elf;
	listing->count = kept.count;
	return true;
}

static void listing_keep(const struct listing *listing, const struct tl_generation *now)
{
	if (listing->elf == kept.elf)
		return;
	kept_drop();
	kept.elf = listing->elf;
	kept.count = listing->count;
	kept.room = listing->room;
	kept.generation = *now;
}

static void listing_work(struct listing *listing, const struct tl_generation *now)
{
	struct tl_loaded loaded = {.elf = listing->elf,
				   .count = listing->count,
				   .startup = startup,
				   .generation = *now};

	if (!loaded.startup) {
		loaded.startup = loaded_count_startup(&loaded);
		startup = loaded.startup;
	}
	listing->work(&loaded, listing->closure);
	listing->done = true;
}

static int listing_work_locked(struct dl_phdr_info *seen, size_t size, void *closure)
{
	const struct tl_generation now = {seen->dlpi_adds, seen->dlpi_subs};
	struct listing *listing = closure;
	bool taken = !atomic_exchange_explicit(&kept.taken, true, memory_order_acquire);

	if ((taken && listing_take_kept(listing, &now)) || listing_make(listing)) {
		listing_work(listing, &now);
		if (taken)
			listing_keep(listing, &now);
		else
			munmap(listing->elf, listing->room * sizeof(*listing->elf));
	}
	if (taken)
		atomic_store_explicit(&kept.taken, false, memory_order_release);
	return 1;
}

bool tl_loaded_with(void (*work)(const struct tl_loaded *loaded, void *closure), void *closure)
{
	struct listing listing = {.work = work, .closure = closure};

	tl_library_walk(listing_work_locked, &listing);
	return listing.done;
}

const struct tl_elf *tl_loaded_at(const struct tl_loaded *loaded, const void *address)
{
	uintptr_t at = (uintptr_t)address;

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		if (at < elf->start || at >= elf->end)
			continue;
		/* Libraries may lie in each other's gaps: the segments decide. */
		for (unsigned s = 0; s < elf->nsegments; s++)
			if (elf->segments[s].p_type == PT_LOAD &&
			    at - elf->base >= elf->segments[s].p_vaddr &&
			    at - elf->base - elf->segments[s].p_vaddr < elf->segments[s].p_memsz)
				return elf;
	}
	return NULL;
}

/* --- executable memory */

static void loaded_find_code(const struct tl_loaded *loaded, void *closure)
{
	const void **address = closure;
	const struct tl_elf *elf = tl_loaded_at(loaded, *address);
	uintptr_t offset = elf ? (uintptr_t)*address - elf->base : 0;

	for (unsigned s = 0; elf && s < elf->nsegments; s++)
		if (elf->segments[s].p_type == PT_LOAD && elf->segments[s].p_flags & PF_X &&
		    offset - elf->segments[s].p_vaddr < elf->segments[s].p_memsz) {
			*address = NULL;
			return;
		}
}

/*
 * Code that a driver generated lies in no library: ask the kernel whether the memory may be
 * executed.
 */
static bool address_is_generated_code(const void *address)
{
	unsigned long start, end;
	char line[512], rights[5];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3)
			found = start <= (uintptr_t)address && (uintptr_t)address < end &&
				rights[2] == 'x';
	if (maps)
		fclose(maps);
	return found;
}

bool tl_loaded_is_code(const void *address)
{
	const void *left = address;

	tl_loaded_with(loaded_find_code, &left);
	return !left || address_is_generated_code(address);
}
