/* SPDX-License-Identifier: MIT */
/*
 * interposer_exports.c: the functions that a library exports, and their versions, by libelf.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/interposer.h"

/* The sections of interest. */
struct sections {
	Elf_Data *symbols, *indices, *definitions, *dynamic;
	GElf_Shdr symbols_header, definitions_header, dynamic_header;
};

static struct library *library_refuse(const char *path, const char *why)
{
	fprintf(stderr, "tracegen: %s: %s; name the shared library that programs load\n", path,
		why);
	return NULL;
}

static void sections_find(Elf *elf, struct sections *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_getdata(section, NULL);

		if (header.sh_type == SHT_DYNSYM) {
			found->symbols = data;
			found->symbols_header = header;
		} else if (header.sh_type == SHT_GNU_versym) {
			found->indices = data;
		} else if (header.sh_type == SHT_GNU_verdef) {
			found->definitions = data;
			found->definitions_header = header;
		} else if (header.sh_type == SHT_DYNAMIC) {
			found->dynamic = data;
			found->dynamic_header = header;
		}
	}
}

static void library_read_soname(Elf *elf, const struct sections *sections, struct library *library)
{
	const char *slash = strrchr(library->path, '/');
	GElf_Dyn entry;

	library->soname = slash ? slash + 1 : library->path;
	for (int i = 0; sections->dynamic && gelf_getdyn(sections->dynamic, i, &entry); i++) {
		if (entry.d_tag != DT_SONAME)
			continue;
		const char *name =
			elf_strptr(elf, sections->dynamic_header.sh_link, entry.d_un.d_val);
		if (name)
			library->soname = copy_text(name);
	}
}

/* By their numbers in .gnu.version; NULL where a number has none. */
static const char **versions_read(Elf *elf, const struct sections *sections,
				  struct library *library)
{
	const char **names = allocate(0x8000 * sizeof *names);
	GElf_Verdef definition;
	GElf_Verdaux name;

	for (int at = 0, i = 0;
	     sections->definitions && i < (int)sections->definitions_header.sh_info &&
	     gelf_getverdef(sections->definitions, at, &definition);
	     i++) {
		const char *text =
			gelf_getverdaux(sections->definitions, at + (int)definition.vd_aux, &name)
				? elf_strptr(elf, sections->definitions_header.sh_link,
					     name.vda_name)
				: NULL;

		/* The first definition names the library itself. */
		if (text && !(definition.vd_flags & VER_FLG_BASE)) {
			names[definition.vd_ndx & 0x7fff] = copy_text(text);
			*APPEND(library->versions, library->nversions) =
				names[definition.vd_ndx & 0x7fff];
		}
		at += (int)definition.vd_next;
	}
	library->has_versions = library->nversions > 0;
	return names;
}

static bool is_exported_function(const GElf_Sym *symbol)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	unsigned char visibility = GELF_ST_VISIBILITY(symbol->st_other);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
	       symbol->st_shndx != SHN_UNDEF &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static int by_name(const void *a, const void *b)
{
	const struct interposed *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	return order				      ? order
	       : one->is_default != other->is_default ? other->is_default - one->is_default
						      : strcmp(one->version, other->version);
}

static void exports_read(Elf *elf, const struct sections *sections, struct library *library)
{
	const char **names = versions_read(elf, sections, library);
	GElf_Sym symbol;

	for (int i = 0; gelf_getsym(sections->symbols, i, &symbol); i++) {
		const char *name =
			elf_strptr(elf, sections->symbols_header.sh_link, symbol.st_name);
		GElf_Versym version = 1;

		if (!is_exported_function(&symbol) || !name || !*name)
			continue;
		if (sections->indices)
			gelf_getversym(sections->indices, i, &version);
		const char *text = names[version & 0x7fff];
		*APPEND(library->exports, library->nexports) =
			(struct interposed){.name = copy_text(name),
					    .version = text ? text : "",
					    .is_default = !(version & 0x8000)};
	}
	if (library->nexports)
		qsort(library->exports, library->nexports, sizeof *library->exports, by_name);
	free(names);
}

static struct library *library_take(Elf *elf, const char *path)
{
	struct library *library = allocate(sizeof *library);
	struct sections sections = {0};
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return library_refuse(path, "not an ELF file");
	if (header.e_type != ET_DYN)
		return library_refuse(path, "not a shared library");
	sections_find(elf, &sections);
	if (!sections.symbols)
		return library_refuse(path, "it has no dynamic symbols");
	library->path = copy_text(path);
	library->machine = header.e_machine;
	library_read_soname(elf, &sections, library);
	exports_read(elf, &sections, library);
	return library;
}

struct library *library_read(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0) {
		fprintf(stderr, "tracegen: %s: %m; name the shared library that programs load\n",
			path);
		return NULL;
	}
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	struct library *library = library_take(elf, path);
	elf_end(elf);
	close(file);
	return library;
}
