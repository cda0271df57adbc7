/* SPDX-License-Identifier: MIT */
/*
 * elf_image.c: reads an ELF image's dynamic section and symbols. See elf_image.h.
 */
#include "layer/base/libc/elf_image.h"

#include <sys/auxv.h>

#define VERSION_HIDDEN 0x8000
#define VERSION_MASK   0x7fff

/* The dynamic linker has relocated most pointers of the dynamic section in place, but not those of
 * the vdso. */
static const void *dynamic_pointer(const struct tl_elf *elf, ElfW(Addr) value)
{
	return (const void *)(value < elf->base ? value + elf->base : value);
}

/* Relocations without a symbol come first: of LLVM's there are 362,379 among 381,663. */
static void relative_skip(struct tl_elf *elf, size_t count)
{
	if (!count || count > elf->nrelocations ||
	    ELF64_R_SYM(elf->relocations[count - 1].r_info) != 0)
		return;
	elf->relocations += count;
	elf->nrelocations -= (uint32_t)count;
}

void tl_elf_read_dynamic(struct tl_elf *elf)
{
	ElfW(Addr) soname = 0;
	size_t relocations = 0, relative = 0, jumps = 0;

	for (const ElfW(Dyn) *d = elf->dynamic; d && d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SONAME:
			soname = d->d_un.d_val;
			break;
		case DT_SYMTAB:
			elf->symbols = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			elf->strings = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			elf->gnu_hash = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_HASH:
			elf->sysv_hash = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_VERSYM:
			elf->versions = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_VERDEF:
			elf->definitions = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_VERNEED:
			elf->needs = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_RELA:
			elf->relocations = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			relocations = d->d_un.d_val;
			break;
		case DT_RELACOUNT:
			relative = d->d_un.d_val;
			break;
		case DT_JMPREL:
			elf->jumps = dynamic_pointer(elf, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			jumps = d->d_un.d_val;
			break;
		}
	}
	elf->nrelocations = elf->relocations ? (uint32_t)(relocations / sizeof(ElfW(Rela))) : 0;
	relative_skip(elf, relative);
	elf->njumps = elf->jumps ? (uint32_t)(jumps / sizeof(ElfW(Rela))) : 0;
	if (soname && elf->strings)
		elf->soname = elf->strings + soname;
	if (!elf->symbols || !elf->strings)
		elf->gnu_hash = elf->sysv_hash = NULL;
}

void tl_elf_read(struct tl_elf *elf, const struct dl_phdr_info *seen)
{
	*elf = (struct tl_elf){.base = seen->dlpi_addr,
			       .path = seen->dlpi_name ? seen->dlpi_name : "",
			       .segments = seen->dlpi_phdr,
			       .nsegments = seen->dlpi_phnum,
			       .start = UINTPTR_MAX};
	for (unsigned i = 0; i < seen->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &seen->dlpi_phdr[i];
		uintptr_t at = elf->base + segment->p_vaddr;

		if (segment->p_type == PT_DYNAMIC)
			elf->dynamic = (const ElfW(Dyn) *)at;
		if (segment->p_type != PT_LOAD)
			continue;
		if (at < elf->start)
			elf->start = at;
		if (at + segment->p_memsz > elf->end)
			elf->end = at + segment->p_memsz;
	}
	if (elf->start > elf->end)
		elf->start = elf->end;
	tl_elf_read_dynamic(elf);
}

void tl_elf_read_image(struct tl_elf *elf, const ElfW(Ehdr) *header)
{
	const char *image = (const char *)header;
	struct dl_phdr_info seen = {
		.dlpi_name = "",
		.dlpi_phdr = (const ElfW(Phdr) *)(image + header->e_phoff),
		.dlpi_phnum = header->e_phnum,
	};

	/* The header is the first byte of the first segment. */
	for (unsigned i = 0; i < seen.dlpi_phnum; i++) {
		if (seen.dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		seen.dlpi_addr = (uintptr_t)image - seen.dlpi_phdr[i].p_vaddr;
		break;
	}
	tl_elf_read(elf, &seen);
}

/* --- names */

bool tl_elf_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool tl_elf_begins(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix)
		text++, prefix++;
	return !*prefix;
}

const char *tl_elf_file_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

bool tl_elf_is_named(const struct tl_elf *elf, const char *soname)
{
	return tl_elf_same(elf->soname ? elf->soname : tl_elf_file_name(elf->path), soname);
}

/* --- symbols */

uint32_t tl_elf_hash(const char *name)
{
	uint32_t hash = 5381;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		hash = hash * 33 + *c;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
		hash = (hash << 4) + *c;
		hash ^= (hash >> 24) & 0xf0;
		hash &= 0x0fffffff;
	}
	return hash;
}

static const char *version_name(const struct tl_elf *elf, ElfW(Half) number)
{
	for (const ElfW(Verdef) *d = elf->definitions; d;) {
		if (d->vd_ndx == number)
			return elf->strings +
			       ((const ElfW(Verdaux) *)((const char *)d + d->vd_aux))->vda_name;
		d = d->vd_next ? (const ElfW(Verdef) *)((const char *)d + d->vd_next) : NULL;
	}
	return NULL;
}

static bool version_fits(const struct tl_elf *elf, uint32_t index, const char *version)
{
	if (!elf->versions)
		return true;
	ElfW(Half) number = elf->versions[index];

	if (!version)
		return !(number & VERSION_HIDDEN);
	const char *name = version_name(elf, number & VERSION_MASK);

	return name && tl_elf_same(name, version);
}

static bool symbol_fits(const struct tl_elf *elf, uint32_t index, const char *name,
			const char *version)
{
	const ElfW(Sym) *symbol = &elf->symbols[index];
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
	       tl_elf_same(elf->strings + symbol->st_name, name) &&
	       version_fits(elf, index, version);
}

static const ElfW(Sym) *lookup_gnu(const struct tl_elf *elf, const char *name, uint32_t hash,
				   const char *version)
{
	const uint32_t *table = elf->gnu_hash;
	uint32_t nbuckets = table[0], first = table[1], nbloom = table[2];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)&table[4];
	const uint32_t *buckets = (const uint32_t *)&bloom[nbloom], *chain = buckets + nbuckets;

	if (!nbuckets || !tl_elf_may_have(elf, hash))
		return NULL;
	uint32_t index = buckets[hash % nbuckets];

	if (index < first)
		return NULL;
	for (;; index++) {
		uint32_t other = chain[index - first];

		if ((other | 1) == (hash | 1) && symbol_fits(elf, index, name, version))
			return &elf->symbols[index];
		if (other & 1)
			return NULL;
	}
}

static const ElfW(Sym) *lookup_sysv(const struct tl_elf *elf, const char *name, const char *version)
{
	uint32_t nbuckets = elf->sysv_hash[0];
	const uint32_t *buckets = &elf->sysv_hash[2], *chain = buckets + nbuckets;

	if (!nbuckets)
		return NULL;
	for (uint32_t index = buckets[sysv_hash(name) % nbuckets]; index != STN_UNDEF;
	     index = chain[index])
		if (symbol_fits(elf, index, name, version))
			return &elf->symbols[index];
	return NULL;
}

const ElfW(Sym) *tl_elf_lookup(const struct tl_elf *elf, const char *name, uint32_t hash,
			       const char *version)
{
	if (elf->gnu_hash)
		return lookup_gnu(elf, name, hash, version);
	return elf->sysv_hash ? lookup_sysv(elf, name, version) : NULL;
}

const char *tl_elf_needed_version(const struct tl_elf *elf, uint32_t index)
{
	const ElfW(Verneed) *file = elf->versions ? elf->needs : NULL;
	ElfW(Half) number = file ? elf->versions[index] & VERSION_MASK : 0;

	while (file && number > VER_NDX_GLOBAL) {
		const ElfW(Vernaux) *version =
			(const ElfW(Vernaux) *)((const char *)file + file->vn_aux);

		for (unsigned i = 0; i < file->vn_cnt; i++) {
			if ((version->vna_other & VERSION_MASK) == number)
				return elf->strings + version->vna_name;
			version =
				(const ElfW(Vernaux) *)((const char *)version + version->vna_next);
		}
		file = file->vn_next ? (const ElfW(Verneed) *)((const char *)file + file->vn_next)
				     : NULL;
	}
	return NULL;
}

/*
 * A GNU hash table does not say how many symbols there are. The last symbol is the end of the chain
 * that begins farthest back.
 */
static uint32_t gnu_symbols(const uint32_t *table, const uint32_t **chains)
{
	uint32_t nbuckets = table[0], first = table[1], last = 0;
	const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));

	*chains = buckets + nbuckets;
	for (uint32_t i = 0; i < nbuckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	/* Symbol 0 is none. */
	if (!last || last < first)
		return 0;
	while (!((*chains)[last - first] & 1))
		last++;
	return last + 1;
}

uint32_t tl_elf_symbols(const struct tl_elf *elf)
{
	const uint32_t *chains;

	if (!elf->symbols || !elf->strings)
		return 0;
	if (!elf->gnu_hash)
		return elf->sysv_hash ? elf->sysv_hash[1] : 0;
	return gnu_symbols(elf->gnu_hash, &chains);
}

uint32_t tl_elf_hashes(const struct tl_elf *elf, uint32_t most, const uint32_t **hashes)
{
	if (!elf->gnu_hash || elf->gnu_hash[0] > most)
		return 0;
	uint32_t symbols = gnu_symbols(elf->gnu_hash, hashes);

	return symbols ? symbols - elf->gnu_hash[1] : 0;
}

void *tl_elf_address(const struct tl_elf *elf, const ElfW(Sym) *symbol)
{
	void *address = (void *)(elf->base + symbol->st_value);

	if (ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC)
		return address;
	/* The resolver's arguments on aarch64; on x86-64 it takes none. */
	const struct {
		unsigned long size, hwcap, hwcap2;
	} more = {sizeof(more), getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
	void *(*choose)(uint64_t hwcap, const void *more) =
		(void *(*)(uint64_t, const void *))address;

	return choose(more.hwcap | 1ull << 62, &more);
}
