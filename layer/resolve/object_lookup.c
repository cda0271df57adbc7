/* SPDX-License-Identifier: MIT */
/*
 * object_lookup.c: see object_lookup.h.
 */
#include "layer/resolve/object_lookup.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "layer/base/library_walk.h"
#include "layer/base/loaded_libraries.h"

/* struct dl_find_object of <dlfcn.h>, for building with an older C library. */
struct found {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *table;
#if defined(__i386__) || defined(__ILP32__)
#error "struct dl_find_object has more members here"
#endif
	unsigned long long reserved[7];
};

typedef int find_object(void *address, struct found *found);

enum { UNKNOWN, SEARCHED };

static _Atomic int state;
static _Atomic(find_object *) find; /* release: stored before .state */

static void find_in_loaded(const struct tl_loaded *loaded, void *closure)
{
	static const char name[] = "_dl_find_object";
	uint32_t hash = tl_elf_hash(name);

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];
		const ElfW(Sym) *symbol = tl_elf_lookup(elf, name, hash, "GLIBC_2.35");

		if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) {
			*(uintptr_t *)closure = elf->base + symbol->st_value;
			return;
		}
	}
}

static find_object *find_function(void)
{
	uintptr_t found = 0;

	if (atomic_load_explicit(&state, memory_order_acquire) == SEARCHED)
		return atomic_load_explicit(&find, memory_order_relaxed);
	tl_loaded_with(find_in_loaded, &found);
	atomic_store_explicit(&find, (find_object *)found, memory_order_relaxed);
	atomic_store_explicit(&state, SEARCHED, memory_order_release);
	return (find_object *)found;
}

struct search {
	uintptr_t address;
	struct tl_object *object;
};

static int search_visit(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct search *search = closure;
	struct tl_object object = {.start = UINTPTR_MAX,
				   .mark = (uintptr_t)(seen->dlpi_adds + seen->dlpi_subs)};
	bool is_there = false;

	for (unsigned i = 0; i < seen->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &seen->dlpi_phdr[i];
		uintptr_t start = seen->dlpi_addr + segment->p_vaddr,
			  end = start + segment->p_memsz;

		if (segment->p_type == PT_GNU_EH_FRAME)
			object.table = (const uint8_t *)start;
		if (segment->p_type != PT_LOAD)
			continue;
		is_there |= search->address >= start && search->address < end;
		object.start = start < object.start ? start : object.start;
		object.end = end > object.end ? end : object.end;
	}
	if (is_there)
		*search->object = object;
	return is_there;
}

bool tl_object_at(uintptr_t address, struct tl_object *object)
{
	find_object *function = find_function();
	struct search search = {address, object};
	struct found found;

	if (!function) {
		int error = errno;
		bool is_there = tl_library_walk(search_visit, &search);
		errno = error;
		return is_there;
	}
	if (function((void *)address, &found) != 0)
		return false;
	*object = (struct tl_object){.start = (uintptr_t)found.start,
				     .end = (uintptr_t)found.end,
				     .mark = (uintptr_t)found.map,
				     .table = found.table};
	return true;
}
