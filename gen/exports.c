/* SPDX-License-Identifier: MIT */
/*
 * exports.c: see exports.h.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/library_file.h"
#include "gen/allocate.h"
#include "gen/exports.h"

static int library_refuse(const char *path, const char *why)
{
	fprintf(stderr, "tracegen: %s: %s; name the shared library that programs load\n", path,
		why);
	return -1;
}

/* Names of versions by their number, and each symbol's version. */
struct versions {
	const char **names;
	const uint16_t *of_symbols; /* NULL: the library has no versions */
};

#define VERSION_INDEX  0x7fff
#define VERSION_HIDDEN 0x8000

static void versions_read_names(const struct tl_library_file *file, struct versions *versions,
				struct exports *to)
{
	const Elf64_Dyn *table = tl_library_file_entry(file, DT_VERDEF);
	const Elf64_Dyn *count = tl_library_file_entry(file, DT_VERDEFNUM);
	uint64_t at = table ? table->d_un.d_ptr : 0;

	for (uint64_t i = 0; table && count && i < count->d_un.d_val && i < VERSION_INDEX; i++) {
		Elf64_Verdef definition;
		Elf64_Verdaux name;
		const void *bytes = tl_library_file_at(file, at, sizeof definition);

		if (!bytes)
			return;
		memcpy(&definition, bytes, sizeof definition);
		bytes = tl_library_file_at(file, at + definition.vd_aux, sizeof name);
		if (!bytes)
			return;
		memcpy(&name, bytes, sizeof name);
		const char *text = tl_library_file_string(file, name.vda_name);

		/* The first definition names the library itself. */
		if (text && !(definition.vd_flags & VER_FLG_BASE)) {
			versions->names[definition.vd_ndx & VERSION_INDEX] = copy_text(text);
			*APPEND(to->versions, to->nversions) = copy_text(text);
		}
		if (!definition.vd_next)
			return;
		at += definition.vd_next;
	}
}

static void versions_read(const struct tl_library_file *file, size_t nsymbols,
			  struct versions *versions, struct exports *to)
{
	const Elf64_Dyn *table = tl_library_file_entry(file, DT_VERSYM);

	versions->names = allocate((VERSION_INDEX + 1) * sizeof *versions->names);
	versions->of_symbols =
		table ? tl_library_file_at(file, table->d_un.d_ptr, nsymbols * sizeof(uint16_t))
		      : NULL;
	if ((uintptr_t)versions->of_symbols % 2)
		versions->of_symbols = NULL;
	versions_read_names(file, versions, to);
}

static void exports_add(const struct tl_library_file *file, const Elf64_Sym *symbol,
			uint16_t version, const struct versions *versions, struct exports *to)
{
	unsigned char type = ELF64_ST_TYPE(symbol->st_info),
		      binding = ELF64_ST_BIND(symbol->st_info);
	unsigned char visibility = ELF64_ST_VISIBILITY(symbol->st_other);
	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;

	if ((!function && type != STT_OBJECT && type != STT_TLS) ||
	    (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) ||
	    symbol->st_shndx == SHN_UNDEF ||
	    (visibility != STV_DEFAULT && visibility != STV_PROTECTED))
		return;
	const char *name = tl_library_file_string(file, symbol->st_name);
	const char *text = versions->names[version & VERSION_INDEX];
	struct export *export =
		function ? APPEND(to->list, to->count) : APPEND(to->data, to->ndata);
	export->name = copy_text(name ? name : "");
	export->version = copy_text(text ? text : "");
	export->hidden = version & VERSION_HIDDEN;
	export->indirect = type == STT_GNU_IFUNC;
	export->compared = false;
	export->address = symbol->st_value;
}

static int export_compare(const void *a, const void *b)
{
	const struct export *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	/* The version that new programs get comes first. */
	return order			      ? order
	       : one->hidden != other->hidden ? one->hidden - other->hidden
					      : strcmp(one->version, other->version);
}

/* Sort by name. The versions of a name stand side by side. */
static void exports_sort(struct exports *exports)
{
	if (exports->count)
		qsort(exports->list, exports->count, sizeof *exports->list, export_compare);
	if (exports->ndata)
		qsort(exports->data, exports->ndata, sizeof *exports->data, export_compare);
	exports->nfunctions = 0;
	for (size_t i = 0; i < exports->count; i++)
		exports->nfunctions +=
			i == 0 || strcmp(exports->list[i].name, exports->list[i - 1].name) != 0;
}

static int exports_read_symbols(const struct tl_library_file *file, const char *path,
				struct exports *to)
{
	const char *slash = strrchr(path, '/'), *soname = slash ? slash + 1 : path;
	const Elf64_Dyn *named = tl_library_file_entry(file, DT_SONAME);
	const char *name = named ? tl_library_file_string(file, named->d_un.d_val) : NULL;
	struct versions versions;
	size_t count;
	const Elf64_Sym *symbols = tl_library_file_symbols(file, &count);

	if (!symbols)
		return library_refuse(path, "it has no dynamic symbols");
	versions_read(file, count, &versions, to);
	for (size_t i = 0; i < count; i++)
		exports_add(file, &symbols[i], versions.of_symbols ? versions.of_symbols[i] : 0,
			    &versions, to);
	*APPEND(to->paths, to->npaths) = copy_text(path);
	*APPEND(to->sonames, to->nsonames) = copy_text(name ? name : soname);
	exports_sort(to);
	free(versions.names);
	return 0;
}

/* Why a file that can be read is no library of the kind that is traced. */
static const char *file_is_instead(const char *path)
{
	/* What programs are linked with may be a text that names libraries. */
	char text[4096 + 1] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	if (!memcmp(text, ELFMAG, SELFMAG) && text[EI_CLASS] == ELFCLASS32)
		return "a library for 32-bit programs, which tracelayer does not trace";
	if (!memcmp(text, ELFMAG, SELFMAG) && text[EI_DATA] == ELFDATA2MSB)
		return "a library for big-endian machines, which tracelayer does not trace";
	return strstr(text, "INPUT") || strstr(text, "GROUP")
		       ? "a linker script, which names libraries"
		       : "not an ELF file";
}

int exports_read(const char *path, struct exports *to)
{
	struct tl_library_file file;
	int error = tl_library_file_open(path, &file), result;

	if (error == ENOEXEC)
		return library_refuse(path, file_is_instead(path));
	if (error == E2BIG)
		return library_refuse(path, "it has more segments than a library has");
	if (error) {
		fprintf(stderr, "tracegen: %s: %s; name the shared library that programs load\n",
			path, strerror(error));
		return -1;
	}
	if (tl_library_file_header(&file)->e_type != ET_DYN)
		result = library_refuse(path, "not a shared library");
	else
		result = exports_read_symbols(&file, path, to);
	if (result == 0)
		to->machine = tl_library_file_header(&file)->e_machine;
	tl_library_file_close(&file);
	return result;
}

/* Where a name stands in a sorted list, or would stand. */
static size_t export_index(const struct export *list, size_t count, const char *name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct export *exports_find(const struct exports *exports, const char *name)
{
	size_t i = export_index(exports->list, exports->count, name);

	return i < exports->count && !strcmp(exports->list[i].name, name) ? &exports->list[i]
									  : NULL;
}

bool exports_has_data(const struct exports *exports, const char *name)
{
	size_t i = export_index(exports->data, exports->ndata, name);

	return i < exports->ndata && !strcmp(exports->data[i].name, name);
}

static size_t text_common(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

const struct export *exports_nearest(const struct exports *exports, const char *name,
				     size_t *common)
{
	const char *cxx = format_text("_Z%zu%s", strlen(name), name);
	size_t i = export_index(exports->list, exports->count, cxx);
	const struct export *best = NULL;

	*common = strlen(name);
	if (i < exports->count && text_common(exports->list[i].name, cxx) == strlen(cxx))
		return &exports->list[i];
	/* In a sorted list, the longest common beginning is that of a neighbour. */
	i = export_index(exports->list, exports->count, name);
	*common = 0;
	for (size_t j = i ? i - 1 : 0; j <= i && j < exports->count; j++) {
		size_t length = text_common(exports->list[j].name, name);

		if (length > *common || !best) {
			*common = length;
			best = &exports->list[j];
		}
	}
	return best;
}
