/* SPDX-License-Identifier: MIT */
/*
 * elf.h: the libraries loaded in this process, read through link.h without a call into the dynamic
 * linker's dlsym family.
 *
 * Nothing here allocates from the heap, changes errno for the worse than mmap does, or touches
 * dlerror; so it may run inside a program's first call to a driver, in a constructor, or in a
 * malloc that is being set up.
 */
#ifndef TL_LAYER_RESOLVE_ELF_H
#define TL_LAYER_RESOLVE_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One loaded library, or the program itself. The pointers lead into its own memory and are good
 * while it stays loaded. */
struct tl_elf {
	uintptr_t base;	      /* what is added to its addresses */
	uintptr_t start, end; /* from its first to its last mapped byte */
	const char *path;     /* as the dynamic linker has it; "" for the program */
	const char *soname;   /* NULL: none */
	const ElfW(Phdr) *segments;
	const ElfW(Dyn) *dynamic;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Half) *versions; /* of each symbol; NULL: it has none */
	const ElfW(Verdef) *definitions;
	const uint32_t *gnu_hash, *sysv_hash;
	const ElfW(Rela) *relocations, *jumps;
	uint32_t nrelocations, njumps;
	uint16_t nsegments;
};

/* All of them, in load order: the program, preloaded libraries, what those need, what was opened
 * later. */
struct tl_loaded {
	const struct tl_elf *elf;
	unsigned count;
	unsigned startup; /* so many of them were there before the program's first instruction: the
			     global scope */
};

/* How many libraries were loaded and unloaded so far: the list of libraries is the same while these
 * are. */
struct tl_generation {
	unsigned long long added, removed;
};

struct tl_generation tl_elf_generation(void);

/*
 * Run work with the list of libraries. None is unloaded meanwhile (the dynamic linker's list is
 * locked), so work must be short and must not call dlopen, dlsym or their like. Returns false where
 * memory for the list was refused; work did not run then.
 */
bool tl_elf_with_loaded(void (*work)(const struct tl_loaded *loaded, void *closure), void *closure);

/*
 * Every library that the dynamic linker has loaded so far, one after the other, by its own list.
 * For the time before constructors have run, when a sanitizer's own functions stand in libc's place
 * and are not yet fit for use: no function of libc is called but getauxval. elf has neither
 * segments nor bounds. Stops where visit returns true.
 */
void tl_elf_each_early(bool (*visit)(const struct tl_elf *elf, void *closure), void *closure);

/*
 * A library of which the ELF header is mapped and nobody keeps a list: the vdso. No function of
 * libc is called.
 */
void tl_elf_read_image(struct tl_elf *elf, const ElfW(Ehdr) *header);

/* strcmp() == 0, and strncmp() == 0 for a whole prefix, that no sanitizer stands before. */
bool tl_elf_same(const char *a, const char *b);
bool tl_elf_begins(const char *text, const char *prefix);

/* The hash that GNU hash tables use. */
uint32_t tl_elf_hash(const char *name);

/*
 * The function that the library defines under that name, in its default version, or in the version
 * asked (NULL: default), or NULL. It is the symbol; tl_elf_address makes a pointer of it, calling
 * its resolver if it is an indirect function (not within work).
 */
const ElfW(Sym) *tl_elf_lookup(const struct tl_elf *elf, const char *name, uint32_t hash,
			       const char *version);
void *tl_elf_address(const struct tl_elf *elf, const ElfW(Sym) *symbol);

/* How many symbols it has, of which the first is none; 0 where that can't be told. */
uint32_t tl_elf_symbols(const struct tl_elf *elf);

/* The one that the address lies in, or NULL. */
const struct tl_elf *tl_elf_at(const struct tl_loaded *loaded, const void *address);

/* It is called that: by soname, or by file name where it has none. */
bool tl_elf_is_named(const struct tl_elf *elf, const char *soname);

/*
 * The library and all that it needs, breadth first: the scope that dlopen gave it. Calls visit
 * until that returns true, and returns that library.
 */
const struct tl_elf *tl_elf_scope(const struct tl_loaded *loaded, const struct tl_elf *root,
				  bool (*visit)(const struct tl_elf *elf, void *closure),
				  void *closure);

/* The address lies in memory that may be executed. */
bool tl_elf_is_code(const void *address);

#endif
