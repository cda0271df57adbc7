/* SPDX-License-Identifier: MIT */
/*
 * debug_files.c: finds a library's debug information where debuggers do, and only on this machine:
 *
 *	the library itself
 *	the file that .gnu_debuglink names: beside it, in .debug, in its folder under /usr/lib/debug
 *	/usr/lib/debug/.build-id/XX/REST.debug
 *	debuginfod's cache: BUILDID/debuginfo
 *
 * A file counts only if it has the library's build ID. If one of the two has no build ID, the file's
 * CRC must be the one in .gnu_debuglink. The companion file that dwz makes (.gnu_debugaltlink) is
 * found in the same way.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gen/allocate.h"
#include "gen/debug_info.h"

#define DEBUG_FOLDER "/usr/lib/debug"

struct elf_file {
	int file;
	Elf *elf;
	const void *id;
	ssize_t nid;
};

static bool elf_open(struct elf_file *of, const char *path)
{
	*of = (struct elf_file){.file = open(path, O_RDONLY | O_CLOEXEC)};
	if (of->file >= 0)
		of->elf = elf_begin(of->file, ELF_C_READ_MMAP, NULL);
	if (!of->elf || elf_kind(of->elf) != ELF_K_ELF)
		return false;
	of->nid = dwelf_elf_gnu_build_id(of->elf, &of->id);
	return true;
}

static void elf_shut(struct elf_file *of)
{
	elf_end(of->elf);
	if (of->file >= 0)
		close(of->file);
}

static bool elf_has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		const char *text = elf_strptr(elf, names, header.sh_name);

		if (text && header.sh_type != SHT_NOBITS && !strcmp(text, name))
			return true;
	}
	return false;
}

static bool elf_has_debug_info(Elf *elf)
{
	return elf_has_section(elf, ".debug_info") || elf_has_section(elf, ".zdebug_info");
}

bool debug_files_note(struct debug_files *files, const char *path)
{
	struct stat facts;
	bool there = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
	const char **list = there ? files->read : files->absent;
	size_t count = there ? files->nread : files->nabsent;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], path))
			return there;
	if (there)
		*APPEND(files->read, files->nread) = path;
	else
		*APPEND(files->absent, files->nabsent) = path;
	return there;
}

/* The CRC that .gnu_debuglink uses. */
static bool file_has_crc(int file, uint32_t wanted)
{
	unsigned char bytes[65536];
	uLong crc = crc32(0, NULL, 0);
	ssize_t got;

	for (off_t at = 0; (got = pread(file, bytes, sizeof bytes, at)) > 0; at += got)
		crc = crc32(crc, bytes, (uInt)got);
	return got == 0 && (uint32_t)crc == wanted;
}

/* Whether the file exists, has debug information and belongs to the library. */
static bool candidate_fits(struct debug_files *files, const struct elf_file *library,
			   const char *path, const GElf_Word *crc)
{
	struct elf_file other;

	if (files->path || !debug_files_note(files, path))
		return false;
	bool fits = elf_open(&other, path) && elf_has_debug_info(other.elf);
	if (fits && library->nid > 0 && other.nid > 0)
		fits = library->nid == other.nid &&
		       !memcmp(library->id, other.id, (size_t)other.nid);
	else if (fits)
		fits = crc && file_has_crc(other.file, *crc);
	elf_shut(&other);
	if (fits)
		files->path = path;
	return fits;
}

static const char *id_text(const void *id, ssize_t length)
{
	const unsigned char *bytes = id;
	char *text = allocate((size_t)length * 2 + 1);

	for (ssize_t i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* Looks up a build ID: first in the folder of Debian's packages, then in debuginfod's caches. */
static const char **id_paths(const void *id, ssize_t length, size_t *count)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	const char **paths = NULL;

	*count = 0;
	if (length < 2)
		return NULL;
	const char *text = id_text(id, length);
	*APPEND(paths, *count) =
		format_text(DEBUG_FOLDER "/.build-id/%.2s/%s.debug", text, text + 2);
	if (cache && *cache)
		*APPEND(paths, *count) = format_text("%s/%s/debuginfo", cache, text);
	else if (xdg && *xdg)
		*APPEND(paths, *count) =
			format_text("%s/debuginfod_client/%s/debuginfo", xdg, text);
	else if (home && *home)
		*APPEND(paths, *count) =
			format_text("%s/.cache/debuginfod_client/%s/debuginfo", home, text);
	return paths;
}

static void link_follow(struct debug_files *files, const struct elf_file *library)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(library->elf, &crc);
	char real[PATH_MAX];

	if (!name || !*name || strchr(name, '/') || !realpath(files->library, real))
		return;
	char *slash = strrchr(real, '/');
	*slash = '\0';
	/* If /lib is a link to /usr/lib, packages use either name. */
	const char *short_name = !strncmp(real, "/usr/lib", 8) ? real + 4 : real;
	candidate_fits(files, library, format_text("%s/%s", real, name), &crc);
	candidate_fits(files, library, format_text("%s/.debug/%s", real, name), &crc);
	candidate_fits(files, library, format_text(DEBUG_FOLDER "%s/%s", real, name), &crc);
	if (short_name != real)
		candidate_fits(files, library, format_text(DEBUG_FOLDER "%s/%s", short_name, name),
			       &crc);
}

static bool companion_fits(struct debug_files *files, const char *path, const void *id,
			   ssize_t length)
{
	struct elf_file other;

	if (files->companion || !debug_files_note(files, path))
		return false;
	if (elf_open(&other, path) && other.nid == length && !memcmp(other.id, id, (size_t)length))
		files->companion = path;
	elf_shut(&other);
	return files->companion != NULL;
}

static void companion_find(struct debug_files *files)
{
	struct elf_file owner;
	const char *name = NULL;
	const void *id;
	char real[PATH_MAX];
	size_t count;

	Dwarf *dwarf = elf_open(&owner, files->path)
			       ? dwarf_begin_elf(owner.elf, DWARF_C_READ, NULL)
			       : NULL;
	ssize_t length = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) : 0;
	if (length > 0 && *name && realpath(files->path, real)) {
		strrchr(real, '/')[1] = '\0';
		companion_fits(files,
			       *name == '/' ? copy_text(name) : format_text("%s%s", real, name), id,
			       length);
		const char **paths = id_paths(id, length, &count);
		for (size_t i = 0; i < count; i++)
			companion_fits(files, paths[i], id, length);
		if (!files->companion)
			files->missing = copy_text(name);
	}
	dwarf_end(dwarf);
	elf_shut(&owner);
}

void debug_files_find(struct debug_files *files, const char *library)
{
	struct elf_file owner;
	size_t count;

	*files = (struct debug_files){.library = library};
	elf_version(EV_CURRENT);
	debug_files_note(files, library);
	if (elf_open(&owner, library)) {
		if (elf_has_debug_info(owner.elf))
			files->path = library;
		else
			link_follow(files, &owner);
		const char **paths = id_paths(owner.id, owner.nid, &count);
		for (size_t i = 0; i < count; i++)
			candidate_fits(files, &owner, paths[i], NULL);
	}
	elf_shut(&owner);
	if (files->path)
		companion_find(files);
}
