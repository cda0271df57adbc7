/* SPDX-License-Identifier: MIT */
/*
 * exports.c: see exports.h.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/exports.h"

static int library_refuse(const char *path, const char *why)
{
	fprintf(stderr, "tracegen: %s: %s; name the shared library that programs load\n", path,
		why);
	return -1;
}

/* Version names, by their index in .gnu.version. */
struct versions {
	const char **names;
	Elf_Data *indices;
};

#define VERSION_INDEX  0x7fff
#define VERSION_HIDDEN 0x8000

static void versions_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			  struct versions *versions, struct exports *to)
{
	Elf_Data *table = elf_getdata(section, NULL);
	GElf_Verdef definition;
	GElf_Verdaux name;

	for (int at = 0, i = 0;
	     table && i < (int)header->sh_info && gelf_getverdef(table, at, &definition); i++) {
		const char *text = gelf_getverdaux(table, at + (int)definition.vd_aux, &name)
					   ? elf_strptr(elf, header->sh_link, name.vda_name)
					   : NULL;

		/* The first definition names the library itself. */
		if (text && !(definition.vd_flags & VER_FLG_BASE)) {
			versions->names[definition.vd_ndx & VERSION_INDEX] = copy_text(text);
			*APPEND(to->versions, to->nversions) = copy_text(text);
		}
		at += (int)definition.vd_next;
	}
}

static void exports_add(Elf *elf, const GElf_Shdr *header, const GElf_Sym *symbol, int index,
			const struct versions *versions, struct exports *to)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	unsigned char visibility = GELF_ST_VISIBILITY(symbol->st_other);
	GElf_Versym version = 0;

	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;

	if ((!function && type != STT_OBJECT && type != STT_TLS) ||
	    (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) ||
	    symbol->st_shndx == SHN_UNDEF ||
	    (visibility != STV_DEFAULT && visibility != STV_PROTECTED))
		return;
	if (versions->indices)
		gelf_getversym(versions->indices, index, &version);
	const char *name = elf_strptr(elf, header->sh_link, symbol->st_name);
	const char *text = versions->names[version & VERSION_INDEX];
	struct export *export =
		function ? APPEND(to->list, to->count) : APPEND(to->data, to->ndata);
	export->name = copy_text(name ? name : "");
	export->version = copy_text(text ? text : "");
	export->hidden = version & VERSION_HIDDEN;
	export->indirect = type == STT_GNU_IFUNC;
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

static const char *soname_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *table = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; table && gelf_getdyn(table, i, &entry); i++)
		if (entry.d_tag == DT_SONAME)
			return elf_strptr(elf, header->sh_link, entry.d_un.d_val);
	return NULL;
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

static int exports_read_symbols(Elf *elf, const char *path, struct exports *to)
{
	const char *slash = strrchr(path, '/'), *soname = slash ? slash + 1 : path;
	struct versions versions = {.names =
					    allocate((VERSION_INDEX + 1) * sizeof *versions.names)};
	Elf_Scn *section = NULL, *symbols = NULL;
	GElf_Shdr header, symbols_header = {0};
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		if (header.sh_type == SHT_DYNSYM) {
			symbols = section;
			symbols_header = header;
		} else if (header.sh_type == SHT_GNU_versym) {
			versions.indices = elf_getdata(section, NULL);
		} else if (header.sh_type == SHT_GNU_verdef) {
			versions_read(elf, section, &header, &versions, to);
		} else if (header.sh_type == SHT_DYNAMIC) {
			const char *text = soname_read(elf, section, &header);

			soname = text ? text : soname;
		}
	}
	Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	if (!table)
		return library_refuse(
			path,
			elf_nextscn(elf, NULL)
				? "it has no dynamic symbols"
				: "its table of sections was stripped, by which its symbols are found");
	for (int i = 0; gelf_getsym(table, i, &symbol); i++)
		exports_add(elf, &symbols_header, &symbol, i, &versions, to);
	*APPEND(to->paths, to->npaths) = copy_text(path);
	*APPEND(to->sonames, to->nsonames) = copy_text(soname);
	exports_sort(to);
	free(versions.names);
	return 0;
}

/* What programs are linked with may be a text that names libraries. */
static bool file_is_linker_script(int file)
{
	char text[4096 + 1];
	ssize_t length = pread(file, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	return strstr(text, "INPUT") || strstr(text, "GROUP");
}

int exports_read(const char *path, struct exports *to)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), result;

	if (file < 0) {
		fprintf(stderr, "tracegen: %s: %m; name the shared library that programs load\n",
			path);
		return -1;
	}
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	GElf_Ehdr header;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		result = library_refuse(path, file_is_linker_script(file)
						      ? "a linker script, which names libraries"
						      : "not an ELF file");
	else if (header.e_ident[EI_CLASS] != ELFCLASS64)
		result = library_refuse(
			path, "a library for 32-bit programs, which tracelayer does not trace");
	else if (header.e_type != ET_DYN)
		result = library_refuse(path, "not a shared library");
	else
		result = exports_read_symbols(elf, path, to);
	to->machine = result == 0 ? header.e_machine : to->machine;
	elf_end(elf);
	close(file);
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
