/* SPDX-License-Identifier: MIT */
/*
 * library_file.h: the dynamic section of a program's or a library's file, and the tables that it
 * leads to: what the dynamic linker itself reads. Section headers are not needed: they may be
 * stripped.
 *
 * 64-bit little-endian files of any machine. A damaged file gives NULL or 0, never a read outside
 * of it. Documents: "System V Application Binary Interface", chapter 5; DT_GNU_HASH as binutils
 * write it.
 */
#ifndef TL_COMMON_LIBRARY_FILE_H
#define TL_COMMON_LIBRARY_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_library_file {
	const uint8_t *bytes; /* the whole file, mapped */
	size_t size;
	const Elf64_Dyn *dynamic; /* NULL: the file has none, as that of a static program */
	size_t ndynamic;
	const char *strings; /* each one ends in it */
	size_t strings_size;
};

/*
 * The most segments that a file may have. Libraries have a dozen. Each look at an address goes through
 * all of them.
 */
#define TL_LIBRARY_FILE_SEGMENTS 256

/*
 * Map the file. Returns 0, or an errno: ENOEXEC if it is no ELF file of this kind, E2BIG if it has too
 * many segments.
 */
int tl_library_file_open(const char *path, struct tl_library_file *file);
void tl_library_file_close(struct tl_library_file *file);

const Elf64_Ehdr *tl_library_file_header(const struct tl_library_file *file);

/* The nth segment's header. NULL: there is none. */
const Elf64_Phdr *tl_library_file_segment(const struct tl_library_file *file, unsigned n);

/* The entry of the dynamic section with this tag. NULL: there is none. */
const Elf64_Dyn *tl_library_file_entry(const struct tl_library_file *file, int64_t tag);

/* The bytes that the loader would map at the address. NULL: not all of them are in the file. */
const void *tl_library_file_at(const struct tl_library_file *file, uint64_t address, uint64_t size);

/* The text at an offset of the string table. NULL: there is none. */
const char *tl_library_file_string(const struct tl_library_file *file, uint64_t offset);

/*
 * The table of dynamic symbols; *count becomes the number that its hash table tells of. NULL: there
 * is no table.
 */
const Elf64_Sym *tl_library_file_symbols(const struct tl_library_file *file, size_t *count);

#endif
