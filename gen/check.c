/* SPDX-License-Identifier: MIT */
/*
 * check.c: checks that every function that a library exports, and its headers declare, has a shim
 * or a reason to have none.
 *
 * libelf reads the dynamic symbols of the real library and, if asked, of the library of shims.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/tracegen.h"

/* One exported function, once for each of its versions. */
struct export
{
	const char *name;
	const char *version; /* "" where symbols have none */
	bool hidden;	     /* not the version that new programs get */
};

struct exports {
	const char *path;
	struct export *list;
	size_t count;
	size_t nfunctions; /* different names */
};

static int library_refuse(const char *path, const char *why)
{
	fprintf(stderr, "tracegen: %s: %s; name the shared library that programs load\n", path,
		why);
	return -1;
}

/* Version names, by their index in .gnu.version. */
struct versions {
	const char *names[256];
	Elf_Data *indices;
};

static void versions_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			  struct versions *versions)
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
		if (definition.vd_ndx < 256 && !(definition.vd_flags & VER_FLG_BASE))
			versions->names[definition.vd_ndx] = text;
		at += (int)definition.vd_next;
	}
}

static void exports_add(Elf *elf, const GElf_Shdr *header, const GElf_Sym *symbol, int index,
			const struct versions *versions, struct exports *to)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	unsigned char visibility = GELF_ST_VISIBILITY(symbol->st_other);
	GElf_Versym version = 0;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
	    (binding != STB_GLOBAL && binding != STB_WEAK) || symbol->st_shndx == SHN_UNDEF ||
	    (visibility != STV_DEFAULT && visibility != STV_PROTECTED))
		return;
	if (versions->indices)
		gelf_getversym(versions->indices, index, &version);
	const char *name = elf_strptr(elf, header->sh_link, symbol->st_name);
	const char *text = (version & 0x7fff) < 256 ? versions->names[version & 0x7fff] : NULL;
	struct export *export = APPEND(to->list, to->count);
	export->name = copy_text(name ? name : "");
	export->version = copy_text(text ? text : "");
	export->hidden = version & 0x8000;
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

static int exports_read_symbols(Elf *elf, struct exports *to)
{
	struct versions versions = {0};
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
			versions_read(elf, section, &header, &versions);
		}
	}
	Elf_Data *table = symbols ? elf_getdata(symbols, NULL) : NULL;
	if (!table)
		return library_refuse(to->path, "it has no dynamic symbols");
	for (int i = 0; gelf_getsym(table, i, &symbol); i++)
		exports_add(elf, &symbols_header, &symbol, i, &versions, to);
	if (to->count)
		qsort(to->list, to->count, sizeof *to->list, export_compare);
	for (size_t i = 0; i < to->count; i++)
		to->nfunctions += i == 0 || strcmp(to->list[i].name, to->list[i - 1].name) != 0;
	return 0;
}

static int exports_read(const char *path, struct exports *to)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), result;

	to->path = path;
	if (file < 0) {
		fprintf(stderr, "tracegen: %s: %m; name the shared library that programs load\n",
			path);
		return -1;
	}
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		result = exports_read_symbols(elf, to);
	else
		result = library_refuse(path, "not an ELF file");
	elf_end(elf);
	close(file);
	return result;
}

static const struct export *export_find(const struct exports *exports, const char *name)
{
	struct export key = {.name = name, .version = ""};

	/* Versions of one name are neighbours; the first of them is the one that is not hidden. */
	for (size_t low = 0, high = exports->count; low < high;) {
		size_t middle = (low + high) / 2;
		int order = strcmp(exports->list[middle].name, key.name);

		if (!order) {
			while (middle > 0 && !strcmp(exports->list[middle - 1].name, name))
				middle--;
			return &exports->list[middle];
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* "zeInit", "clFinish@@OPENCL_1.0, clFinish@OPENCL_0.9". */
static void export_print(FILE *to, const struct exports *exports, const struct export *first)
{
	const struct export *end = exports->list + exports->count;

	for (const struct export *one = first; one < end && !strcmp(one->name, first->name); one++)
		fprintf(to, "%s%s%s%s", one == first ? "" : ", ", one->name,
			!*one->version ? ""
			: one->hidden  ? "@"
				       : "@@",
			one->version);
}

static bool export_has_versions(const struct exports *exports, const struct export *first)
{
	return first + 1 < exports->list + exports->count && !strcmp(first[1].name, first->name);
}

/* How an exported function fares. */
enum verdict { SHIMMED, LEFT_OUT, MISSING, UNDECLARED, NVERDICTS };

static enum verdict verdict_of(const struct function *function, const struct exports *shims)
{
	if (!function)
		return UNDECLARED;
	if (function->left_out)
		return LEFT_OUT;
	if (!function->exported || (shims && !export_find(shims, function->name)))
		return MISSING;
	return SHIMMED;
}

static const char *verdict_reason(const struct function *function, enum verdict verdict)
{
	if (verdict == LEFT_OUT)
		return function->left_out;
	if (verdict == UNDECLARED)
		return "the headers don't declare it";
	return function->exported
		       ? "the library with the shims doesn't export it; build it anew"
		       : "the descriptor says that it is not exported; add it to \"exported\" or \"left_out\"";
}

static size_t verdict_report(const struct model *model, const struct exports *real,
			     const struct exports *shims, enum verdict wanted, FILE *to)
{
	static const char *const titles[] = {"with a shim", "left out", "MISSING",
					     "not declared by the headers"};
	size_t count = 0;

	for (size_t i = 0; i < real->count; i += 1) {
		const struct export *export = &real->list[i];
		const struct function *function = model_function(model, export->name);

		if ((i && !strcmp(real->list[i - 1].name, export->name)) ||
		    verdict_of(function, shims) != wanted)
			continue;
		if (!count++)
			fprintf(to, "\n# %s\n", titles[wanted]);
		export_print(to, real, export);
		if (wanted != SHIMMED)
			fprintf(to, ": %s", verdict_reason(function, wanted));
		if (export_has_versions(real, export))
			fputs(" (several versions; the shim stands for all of them)", to);
		fputc('\n', to);
	}
	return count;
}

/*
 * Functions that have a shim though this library has none of them: they return the API's
 * "unsupported".
 */
static size_t lacking_report(const struct model *model, const struct exports *real, FILE *to)
{
	size_t count = 0;

	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (function->left_out || function->undeclared || !function->exported ||
		    export_find(real, function->name))
			continue;
		if (!count++)
			fputs("\n# with a shim, but not in this library\n", to);
		fprintf(to, "%s\n", function->name);
	}
	return count;
}

int library_check(const struct model *model, const char *path, const char *shims_path, FILE *to)
{
	struct exports real = {0}, shims = {0};
	size_t counts[NVERDICTS];

	if (exports_read(path, &real) != 0 || (shims_path && exports_read(shims_path, &shims) != 0))
		return -1;
	fprintf(to, "# %s exports %zu functions\n", path, real.nfunctions);
	for (enum verdict verdict = SHIMMED; verdict < NVERDICTS; verdict++)
		counts[verdict] =
			verdict_report(model, &real, shims_path ? &shims : NULL, verdict, to);
	size_t lacking = lacking_report(model, &real, to);
	fprintf(to,
		"\n%zu with a shim, %zu left out, %zu missing, %zu not declared; %zu more not in this library\n",
		counts[SHIMMED], counts[LEFT_OUT], counts[MISSING], counts[UNDECLARED], lacking);
	return counts[MISSING] ? 1 : 0;
}
