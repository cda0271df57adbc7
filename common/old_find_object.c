/* SPDX-License-Identifier: MIT */
/*
 * old_find_object.c: libgcc's way from an address to its library, for --enable-portable: see old_glibc.h.
 * glibc 2.35 brought it. libgcc's unwinder is linked into each library.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/old_glibc.h"

struct looked_for {
	uintptr_t pc;
	struct dl_find_object *found;
};

static int object_look(struct dl_phdr_info *object, size_t size, void *user)
{
	struct looked_for *looked = user;
	uintptr_t first = UINTPTR_MAX, last = 0;
	bool is_in = false;
	void *frames = NULL;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;

		if (part->p_type == PT_GNU_EH_FRAME)
			frames = (void *)from;
		if (part->p_type != PT_LOAD)
			continue;
		is_in |= looked->pc >= from && looked->pc < to;
		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	if (!is_in || !frames)
		return is_in ? -1 : 0;
	*looked->found = (struct dl_find_object){.dlfo_map_start = (void *)first,
						 .dlfo_map_end = (void *)last,
						 .dlfo_eh_frame = frames};
	return 1;
}

OLD_HERE int _dl_find_object(void *pc, struct dl_find_object *found)
{
	struct looked_for looked = {(uintptr_t)pc, found};

	return dl_iterate_phdr(object_look, &looked) == 1 ? 0 : -1;
}
