/* SPDX-License-Identifier: MIT */
/*
 * loaded_libraries.h: the libraries that are loaded in this process, their scopes, and which of
 * them an address lies in. Nothing here calls the dynamic linker's dlsym family.
 *
 * Nothing here allocates from the heap or touches dlerror; errno changes as by mmap. So these
 * functions may run inside a program's first call to a driver, in a constructor, or in a malloc
 * that is being set up. tl_loaded_is_code is the exception: it may read /proc/self/maps by stdio.
 */
#ifndef TL_LAYER_BASE_LOADED_LIBRARIES_H
#define TL_LAYER_BASE_LOADED_LIBRARIES_H

#include <stdbool.h>

#include "layer/base/libc/elf_image.h"

/*
 * How many libraries were loaded and unloaded so far. While these stay the same, so does the list.
 */
struct tl_generation {
	unsigned long long added, removed;
};

/*
 * All libraries, in load order: the program, preloaded libraries, what those need, what was opened
 * later.
 */
struct tl_loaded {
	const struct tl_elf *elf;
	unsigned count;
	/* how many of them there were before the program's first instruction: the global scope */
	unsigned startup;
	struct tl_generation generation; /* of this list */
};

struct tl_generation tl_loaded_generation(void);

/*
 * Run work with the list of libraries. None is unloaded meanwhile (the dynamic linker's list is
 * locked), so work must be short and must not call dlopen, dlsym or their like. Returns false where
 * memory for the list was refused; work did not run then.
 */
bool tl_loaded_with(void (*work)(const struct tl_loaded *loaded, void *closure), void *closure);

/*
 * Calls visit for every library that the dynamic linker has loaded so far, by the linker's own
 * list. For the time before constructors have run, when a sanitizer's own functions stand in libc's
 * place and are not yet fit for use: the only function of libc that is called is getauxval. elf has
 * neither segments nor bounds. Stops when visit returns true.
 */
void tl_loaded_each_early(bool (*visit)(const struct tl_elf *elf, void *closure), void *closure);

/* The library that the address lies in, or NULL. */
const struct tl_elf *tl_loaded_at(const struct tl_loaded *loaded, const void *address);

/*
 * The library and all that it needs, breadth first: the scope that dlopen gave it. Calls visit
 * until that returns true, and returns that library.
 */
const struct tl_elf *tl_loaded_scope(const struct tl_loaded *loaded, const struct tl_elf *root,
				     bool (*visit)(const struct tl_elf *elf, void *closure),
				     void *closure);

/* The address lies in memory that may be executed. */
bool tl_loaded_is_code(const void *address);

#endif
