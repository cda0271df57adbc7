/* SPDX-License-Identifier: MIT */
/*
 * elf_image.h: an ELF image that is mapped in this process (a library, the program, the vdso): its
 * dynamic section and its symbols, read from its own memory.
 *
 * Nothing here calls the dynamic linker or changes anything. No function of the C library is
 * called but getauxval. So these functions may run in any thread, in a signal handler, and before
 * constructors have run.
 */
#ifndef TL_LAYER_BASE_LIBC_ELF_IMAGE_H
#define TL_LAYER_BASE_LIBC_ELF_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The relocation of a slot that a library's calls of a function go through. */
#if defined(__x86_64__)
#define TL_ELF_JUMP_SLOT R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define TL_ELF_JUMP_SLOT R_AARCH64_JUMP_SLOT
#endif

/*
 * One loaded library, or the program itself. The pointers lead into its own memory and are valid
 * while it stays loaded.
 */
struct tl_elf {
	uintptr_t base;	      /* what is added to its addresses */
	uintptr_t start, end; /* from its first to its last mapped byte */
	const char *path;     /* as the dynamic linker has it; "" for the program */
	const char *soname;   /* NULL: none */
	const ElfW(Phdr) *segments;
	const ElfW(Dyn) *dynamic;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Half) *versions; /* of each symbol; NULL: there are none */
	const ElfW(Verdef) *definitions;
	const ElfW(Verneed) *needs; /* the versions of the symbols that it refers to */
	const uint32_t *gnu_hash, *sysv_hash;
	const ElfW(Rela) *relocations; /* without those at the beginning that have no symbol */
	const ElfW(Rela) *jumps;
	uint32_t nrelocations, njumps;
	uint16_t nsegments;
};

/* The library that dl_iterate_phdr has shown. */
void tl_elf_read(struct tl_elf *elf, const struct dl_phdr_info *seen);

/* Fill in the fields that come from the dynamic section; .base and .dynamic are set. */
void tl_elf_read_dynamic(struct tl_elf *elf);

/* Read an image that is in no list, by the address of its ELF header: the vdso. */
void tl_elf_read_image(struct tl_elf *elf, const ElfW(Ehdr) *header);

/* strcmp() == 0, and strncmp() == 0 for a whole prefix. No sanitizer intercepts these. */
bool tl_elf_same(const char *a, const char *b);
bool tl_elf_begins(const char *text, const char *prefix);

/* The hash that GNU hash tables use. */
uint32_t tl_elf_hash(const char *name);

/* A path's last part. */
const char *tl_elf_file_name(const char *path);

/*
 * The symbol of the function that the library defines under that name, in the version asked for
 * (NULL: in its default version), or NULL. tl_elf_address makes a pointer of it, and calls the
 * resolver if it is an indirect function (so not within tl_loaded_with).
 */
const ElfW(Sym) *tl_elf_lookup(const struct tl_elf *elf, const char *name, uint32_t hash,
			       const char *version);
void *tl_elf_address(const struct tl_elf *elf, const ElfW(Sym) *symbol);

/*
 * False: the library has no symbol with that hash. For who asks for many names in many libraries: as a
 * rule, the filter of a library's hash table answers without another load.
 */
static inline bool tl_elf_may_have(const struct tl_elf *elf, uint32_t hash)
{
	const uint32_t *table = elf->gnu_hash;
	const unsigned bits = 8 * sizeof(ElfW(Addr));

	if (!table)
		return elf->sysv_hash;
	ElfW(Addr) word = ((const ElfW(Addr) *)&table[4])[hash / bits & (table[2] - 1)];

	return word >> hash % bits & word >> (hash >> table[3]) % bits & 1;
}

/*
 * The hashes of all symbols that the library defines, and how many there are. The lowest bit is not the
 * hash's. 0: it has no such table, or one with more than `most` buckets.
 */
uint32_t tl_elf_hashes(const struct tl_elf *elf, uint32_t most, const uint32_t **hashes);

/*
 * The version that the library asks for with a symbol that it refers to, by the symbol's index.
 * NULL: none.
 */
const char *tl_elf_needed_version(const struct tl_elf *elf, uint32_t index);

/* How many symbols it has, with the first, which is none; 0: that can't be known. */
uint32_t tl_elf_symbols(const struct tl_elf *elf);

/* The library has this name: by its soname, or by its file name if it has no soname. */
bool tl_elf_is_named(const struct tl_elf *elf, const char *soname);

#endif
