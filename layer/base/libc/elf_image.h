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
	const ElfW(Verneed) *needs; /* the versions of what it refers to */
	const uint32_t *gnu_hash, *sysv_hash;
	const ElfW(Rela) *relocations, *jumps;
	uint32_t nrelocations, njumps;
	uint16_t nsegments;
};

/* The library that dl_iterate_phdr has shown. */
void tl_elf_read(struct tl_elf *elf, const struct dl_phdr_info *seen);

/* The fields that come from the dynamic section; .base and .dynamic are set. */
void tl_elf_read_dynamic(struct tl_elf *elf);

/*
 * An image that no list has, by the address of its ELF header: the vdso.
 */
void tl_elf_read_image(struct tl_elf *elf, const ElfW(Ehdr) *header);

/* strcmp() == 0, and strncmp() == 0 for a whole prefix, that no sanitizer stands before. */
bool tl_elf_same(const char *a, const char *b);
bool tl_elf_begins(const char *text, const char *prefix);

/* The hash that GNU hash tables use. */
uint32_t tl_elf_hash(const char *name);

/* A path's last part. */
const char *tl_elf_file_name(const char *path);

/*
 * The function that the library defines under that name, in its default version, or in the version
 * asked (NULL: default), or NULL. It is the symbol; tl_elf_address makes a pointer of it, calling
 * its resolver if it is an indirect function (not within work).
 */
const ElfW(Sym) *tl_elf_lookup(const struct tl_elf *elf, const char *name, uint32_t hash,
			       const char *version);
void *tl_elf_address(const struct tl_elf *elf, const ElfW(Sym) *symbol);

/* The version that the library asks for of a symbol that it refers to, by the symbol's index; NULL:
 * none. */
const char *tl_elf_needed_version(const struct tl_elf *elf, uint32_t index);

/* How many symbols it has, of which the first is none; 0 where that can't be told. */
uint32_t tl_elf_symbols(const struct tl_elf *elf);

/* It is called that: by soname, or by file name where it has none. */
bool tl_elf_is_named(const struct tl_elf *elf, const char *soname);

#endif
