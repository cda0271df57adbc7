/* SPDX-License-Identifier: MIT */
/*
 * program_file.c: see program_file.h.
 */
#include "common/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCRIPTS	 4   /* scripts that interpret scripts: as deep as Linux follows them */
#define SEGMENTS 128 /* that are looked at */
#define LINE	 256 /* of a script: as much as Linux reads */

#if defined(__x86_64__)
#define OUR_MACHINE	EM_X86_64
#define OUR_INTERPRETER "ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define OUR_MACHINE	EM_AARCH64
#define OUR_INTERPRETER "ld-linux-aarch64.so.1"
#endif

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return syscall(SYS_pread64, fd, to, size, at) == (long)size;
}

/*
 * glibc's dynamic linker has this name in every distribution, in whatever folder; those of other C
 * libraries have other names.
 */
static bool is_our_interpreter(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, OUR_INTERPRETER);
}

static void read_interpreter(int fd, const Elf64_Phdr *segment, struct tl_program_file *file)
{
	size_t size = segment->p_filesz < sizeof(file->interpreter) ? segment->p_filesz : 0;

	if (!size || !read_at(fd, file->interpreter, size, segment->p_offset))
		size = 0;
	file->interpreter[size] = '\0';
}

static unsigned segment_count(const Elf64_Ehdr *header)
{
	return header->e_phnum < SEGMENTS ? header->e_phnum : SEGMENTS;
}

static bool segment_read(int fd, const Elf64_Ehdr *header, unsigned number, Elf64_Phdr *segment)
{
	return read_at(fd, segment, sizeof(*segment),
		       header->e_phoff + (uint64_t)number * header->e_phentsize);
}

/* *damaged: that can't be told, since the file ends before its table does. */
static bool segment_find(int fd, const Elf64_Ehdr *header, uint32_t type, Elf64_Phdr *segment,
			 bool *damaged)
{
	*damaged = false;
	for (unsigned i = 0; i < segment_count(header) && !*damaged; i++) {
		*damaged = !segment_read(fd, header, i, segment);
		if (!*damaged && segment->p_type == type)
			return true;
	}
	return false;
}

/* The segment that is loaded to this address. */
static bool segment_at(int fd, const Elf64_Ehdr *header, uint64_t address, Elf64_Phdr *segment)
{
	for (unsigned i = 0; i < segment_count(header) && segment_read(fd, header, i, segment); i++)
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return true;
	return false;
}

/* The library's own name is that of glibc's dynamic linker. */
static bool is_named_ours(int fd, const Elf64_Ehdr *header, uint64_t names, uint64_t name)
{
	char soname[sizeof(OUR_INTERPRETER)];
	Elf64_Phdr segment;

	return names && name && segment_at(fd, header, names + name, &segment) &&
	       read_at(fd, soname, sizeof(soname),
		       names + name - segment.p_vaddr + segment.p_offset) &&
	       !memcmp(soname, OUR_INTERPRETER, sizeof(soname));
}

/*
 * Of a file that names no dynamic linker. It is static, unless it is a library: then it is a dynamic
 * linker, to which somebody gives the program's name.
 */
static enum tl_program_nature nature_without_linker(int fd, const Elf64_Ehdr *header)
{
	uint64_t names = 0, name = 0, flags = 0;
	Elf64_Phdr dynamic;
	Elf64_Dyn entry;
	bool damaged;

	if (header->e_type != ET_DYN || !segment_find(fd, header, PT_DYNAMIC, &dynamic, &damaged))
		return TL_PROGRAM_STATIC;
	for (uint64_t at = 0; at + sizeof(entry) <= dynamic.p_filesz; at += sizeof(entry)) {
		if (!read_at(fd, &entry, sizeof(entry), dynamic.p_offset + at) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			names = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_SONAME)
			name = entry.d_un.d_val;
		else if (entry.d_tag == DT_FLAGS_1)
			flags = entry.d_un.d_val;
	}
	if (flags & DF_1_PIE)
		return TL_PROGRAM_STATIC;
	return is_named_ours(fd, header, names, name) ? TL_PROGRAM_DYNAMIC : TL_PROGRAM_LIBC;
}

/* A dynamic linker is at work in a program of another architecture. If that can't be told, it may be. */
static bool foreign_is_linked(int fd, const Elf64_Ehdr *wide)
{
	Elf32_Ehdr narrow;
	uint64_t at = wide->e_phoff;
	unsigned count = wide->e_phnum, size = wide->e_phentsize;
	uint32_t type;

	if (wide->e_ident[EI_DATA] != ELFDATA2LSB || wide->e_type != ET_EXEC)
		return true;
	if (wide->e_ident[EI_CLASS] != ELFCLASS64) {
		if (!read_at(fd, &narrow, sizeof(narrow), 0))
			return true;
		at = narrow.e_phoff;
		count = narrow.e_phnum;
		size = narrow.e_phentsize;
	}
	/* A segment's type is its first word in both classes. */
	for (unsigned i = 0; i < count && i < SEGMENTS; i++)
		if (!read_at(fd, &type, sizeof(type), at + (uint64_t)i * size) || type == PT_INTERP)
			return true;
	return false;
}

static enum tl_program_nature nature_of_elf(int fd, struct tl_program_file *file)
{
	Elf64_Phdr segment;
	bool damaged;
	Elf64_Ehdr header;

	if (!read_at(fd, &header, sizeof(header), 0))
		return TL_PROGRAM_UNKNOWN;
	file->machine = header.e_machine;
	/* x32 programs are for this machine, but have the other class. */
	file->narrow = header.e_machine == OUR_MACHINE && header.e_ident[EI_CLASS] != ELFCLASS64;
	if (header.e_machine != OUR_MACHINE || file->narrow) {
		file->linked = foreign_is_linked(fd, &header);
		return TL_PROGRAM_FOREIGN;
	}
	if (!segment_find(fd, &header, PT_INTERP, &segment, &damaged))
		return damaged ? TL_PROGRAM_UNKNOWN : nature_without_linker(fd, &header);
	read_interpreter(fd, &segment, file);
	return !*file->interpreter || is_our_interpreter(file->interpreter) ? TL_PROGRAM_DYNAMIC
									    : TL_PROGRAM_LIBC;
}

/*
 * Whether the dynamic linker will run in secure mode, since the file gives the process rights that
 * it does not have.
 */
static bool is_privileged(const char *path)
{
	uid_t user = (uid_t)syscall(SYS_getuid);
	struct stat status;

	if (stat(path, &status))
		return false;
	if (status.st_mode & S_ISUID && status.st_uid != user)
		return true;
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP &&
	    status.st_gid != (gid_t)syscall(SYS_getgid))
		return true;
	return user && syscall(SYS_getxattr, path, "security.capability", NULL, 0) > 0;
}

void tl_program_file(const char *path, struct tl_program_file *file)
{
	char magic[SELFMAG];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	memset(file, 0, sizeof(*file));
	file->nature = TL_PROGRAM_UNKNOWN;
	if (fd >= 0) {
		file->elf = read_at(fd, magic, sizeof(magic), 0) && !memcmp(magic, ELFMAG, SELFMAG);
		if (file->elf)
			file->nature = nature_of_elf(fd, file);
		syscall(SYS_close, fd);
	}
	/* A program that may be executed but not read runs in secure mode, too. */
	if (file->nature != TL_PROGRAM_FOREIGN && file->nature != TL_PROGRAM_LIBC &&
	    is_privileged(path))
		file->nature = TL_PROGRAM_PRIVILEGED;
}

/* The first word behind #!. False: there is none. */
static bool interpreter_of(const char *path, char *interpreter)
{
	char line[LINE];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	long size = fd < 0 ? -1 : syscall(SYS_pread64, fd, line, sizeof(line) - 1, 0);

	if (fd >= 0)
		syscall(SYS_close, fd);
	if (size < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[size] = '\0';
	const char *word = line + 2 + strspn(line + 2, " \t");
	size_t length = strcspn(word, " \t\n");

	memcpy(interpreter, word, length);
	interpreter[length] = '\0';
	return length > 0;
}

void tl_program_started(const char *path, struct tl_program_file *file)
{
	char interpreter[LINE];
	bool script = false;

	for (int i = 0; i < SCRIPTS && interpreter_of(path, interpreter); i++) {
		script = true;
		path = interpreter;
	}
	tl_program_file(path, file);
	file->script = script;
}
