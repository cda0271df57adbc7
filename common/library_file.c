/* SPDX-License-Identifier: MIT */
/*
 * library_file.c: see library_file.h.
 */
#include "common/library_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const Elf64_Ehdr *tl_library_file_header(const struct tl_library_file *file)
{
	return (const Elf64_Ehdr *)file->bytes;
}

const Elf64_Phdr *tl_library_file_segment(const struct tl_library_file *file, unsigned n)
{
	const Elf64_Ehdr *header = tl_library_file_header(file);

	if (n >= header->e_phnum || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff % 8 || header->e_phoff > file->size ||
	    (file->size - header->e_phoff) / sizeof(Elf64_Phdr) <= n)
		return NULL;
	return (const Elf64_Phdr *)(file->bytes + header->e_phoff) + n;
}

const void *tl_library_file_at(const struct tl_library_file *file, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *segment;

	for (unsigned n = 0; (segment = tl_library_file_segment(file, n)) != NULL; n++) {
		uint64_t distance = address - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    distance > segment->p_filesz || size > segment->p_filesz - distance)
			continue;
		uint64_t offset = segment->p_offset + distance;

		return offset >= distance && offset <= file->size && size <= file->size - offset
			       ? file->bytes + offset
			       : NULL;
	}
	return NULL;
}

static void dynamic_find(struct tl_library_file *file)
{
	const Elf64_Phdr *segment;

	for (unsigned n = 0; (segment = tl_library_file_segment(file, n)) != NULL; n++) {
		if (segment->p_type != PT_DYNAMIC)
			continue;
		file->dynamic = tl_library_file_at(file, segment->p_vaddr, segment->p_filesz);
		if ((uintptr_t)file->dynamic % 8)
			file->dynamic = NULL;
		file->ndynamic = file->dynamic ? segment->p_filesz / sizeof(Elf64_Dyn) : 0;
		return;
	}
}

static void strings_find(struct tl_library_file *file)
{
	const Elf64_Dyn *table = tl_library_file_entry(file, DT_STRTAB);
	const Elf64_Dyn *size = tl_library_file_entry(file, DT_STRSZ);
	const char *end;

	if (!table || !size)
		return;
	file->strings = tl_library_file_at(file, table->d_un.d_ptr, size->d_un.d_val);
	end = file->strings ? memrchr(file->strings, '\0', size->d_un.d_val) : NULL;
	file->strings_size = end ? (size_t)(end - file->strings) + 1 : 0;
}

static bool is_known_elf(const struct tl_library_file *file)
{
	const unsigned char *ident = file->bytes;

	return file->size >= sizeof(Elf64_Ehdr) && !memcmp(ident, ELFMAG, SELFMAG) &&
	       ident[EI_CLASS] == ELFCLASS64 && ident[EI_DATA] == ELFDATA2LSB;
}

int tl_library_file_open(const char *path, struct tl_library_file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
	struct stat facts;

	*file = (struct tl_library_file){0};
	if (fd < 0 || fstat(fd, &facts))
		error = errno;
	else if (!S_ISREG(facts.st_mode) || !facts.st_size)
		error = ENOEXEC;
	void *bytes = error ? MAP_FAILED
			    : mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (!error && bytes == MAP_FAILED)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error)
		return error;
	file->bytes = bytes;
	file->size = (size_t)facts.st_size;
	if (!is_known_elf(file))
		error = ENOEXEC;
	else if (tl_library_file_header(file)->e_phnum > TL_LIBRARY_FILE_SEGMENTS)
		error = E2BIG;
	if (error) {
		tl_library_file_close(file);
		return error;
	}
	dynamic_find(file);
	strings_find(file);
	return 0;
}

void tl_library_file_close(struct tl_library_file *file)
{
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
	*file = (struct tl_library_file){0};
}

const Elf64_Dyn *tl_library_file_entry(const struct tl_library_file *file, int64_t tag)
{
	for (size_t i = 0; i < file->ndynamic && file->dynamic[i].d_tag != DT_NULL; i++)
		if (file->dynamic[i].d_tag == tag)
			return &file->dynamic[i];
	return NULL;
}

const char *tl_library_file_string(const struct tl_library_file *file, uint64_t offset)
{
	return offset < file->strings_size ? file->strings + offset : NULL;
}

/* Aligned, or NULL. */
static const uint32_t *words_at(const struct tl_library_file *file, uint64_t address,
				uint64_t count)
{
	const void *words =
		count > UINT32_MAX ? NULL : tl_library_file_at(file, address, 4 * count);

	return (uintptr_t)words % 4 ? NULL : words;
}

/* A chain per symbol. */
static size_t hash_count(const struct tl_library_file *file, uint64_t table)
{
	const uint32_t *head = words_at(file, table, 2);

	return head ? head[1] : 0;
}

/*
 * Symbols that others can find are in the order of their buckets, and those that can't stand before
 * them. So the last symbol is the end of the chain that begins last.
 */
static size_t gnu_hash_count(const struct tl_library_file *file, uint64_t table)
{
	const uint32_t *head = words_at(file, table, 4), *chain;
	uint32_t last = 0;

	if (!head)
		return 0;
	uint32_t nbuckets = head[0], first = head[1];
	uint64_t at = table + 16 + 8 * (uint64_t)head[2];
	const uint32_t *buckets = words_at(file, at, nbuckets);

	for (uint32_t i = 0; buckets && i < nbuckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return buckets ? first : 0;
	at += 4 * (uint64_t)nbuckets;
	do
		chain = words_at(file, at + 4 * (uint64_t)(last - first), 1);
	while (chain && last++ < UINT32_MAX && !(*chain & 1));
	return chain ? last : 0;
}

const Elf64_Sym *tl_library_file_symbols(const struct tl_library_file *file, size_t *count)
{
	const Elf64_Dyn *table = tl_library_file_entry(file, DT_SYMTAB);
	const Elf64_Dyn *hash = tl_library_file_entry(file, DT_HASH);
	const Elf64_Dyn *gnu_hash = tl_library_file_entry(file, DT_GNU_HASH);

	*count = hash	    ? hash_count(file, hash->d_un.d_ptr)
		 : gnu_hash ? gnu_hash_count(file, gnu_hash->d_un.d_ptr)
			    : 0;
	const void *symbols = table && *count ? tl_library_file_at(file, table->d_un.d_ptr,
								   *count * sizeof(Elf64_Sym))
					      : NULL;

	return (uintptr_t)symbols % 8 ? NULL : symbols;
}
