/* SPDX-License-Identifier: MIT */
/*
 * elf.c: reads the dynamic sections of what is loaded in this process. See elf.h.
 *
 * The list comes from dl_iterate_phdr, whose lock is recursive and is held by dlopen and dlclose
 * only while they change the list, never while they run constructors. The list is taken in an inner
 * walk while the first step of an outer one holds that lock.
 */
#include "layer/resolve/elf.h"

#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "layer/base/loaded_objects.h"

#define VERSION_HIDDEN 0x8000
#define VERSION_MASK   0x7fff
#define SCOPE_MAX      256

/* The dynamic linker has relocated most pointers of the dynamic section in place, but not those of
 * the vdso. */
static const void *pointer(const struct tl_elf *elf, ElfW(Addr) value)
{
	return (const void *)(value < elf->base ? value + elf->base : value);
}

static void read_dynamic(struct tl_elf *elf)
{
	ElfW(Addr) soname = 0;
	size_t relocations = 0, jumps = 0;

	for (const ElfW(Dyn) *d = elf->dynamic; d && d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SONAME:
			soname = d->d_un.d_val;
			break;
		case DT_SYMTAB:
			elf->symbols = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			elf->strings = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			elf->gnu_hash = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_HASH:
			elf->sysv_hash = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_VERSYM:
			elf->versions = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_VERDEF:
			elf->definitions = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_RELA:
			elf->relocations = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			relocations = d->d_un.d_val;
			break;
		case DT_JMPREL:
			elf->jumps = pointer(elf, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			jumps = d->d_un.d_val;
			break;
		}
	}
	elf->nrelocations = elf->relocations ? (uint32_t)(relocations / sizeof(ElfW(Rela))) : 0;
	elf->njumps = elf->jumps ? (uint32_t)(jumps / sizeof(ElfW(Rela))) : 0;
	if (soname && elf->strings)
		elf->soname = elf->strings + soname;
	if (!elf->symbols || !elf->strings)
		elf->gnu_hash = elf->sysv_hash = NULL;
}

static void read_library(struct tl_elf *elf, const struct dl_phdr_info *seen)
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
	read_dynamic(elf);
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
	read_library(elf, &seen);
}

static int read_generation(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct tl_generation *generation = closure;

	generation->added = seen->dlpi_adds;
	generation->removed = seen->dlpi_subs;
	return 1;
}

struct tl_generation tl_elf_generation(void)
{
	struct tl_generation generation = {0, 0};

	tl_walk(read_generation, &generation);
	return generation;
}

/* --- names and scopes */

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

static const char *base_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

bool tl_elf_is_named(const struct tl_elf *elf, const char *soname)
{
	return tl_elf_same(elf->soname ? elf->soname : base_name(elf->path), soname);
}

/* A DT_NEEDED entry is a soname, or a path where the library that was linked had none. */
static const struct tl_elf *needed_library(const struct tl_loaded *loaded, const char *needed)
{
	for (unsigned i = 1; i < loaded->count; i++)
		if (tl_elf_is_named(&loaded->elf[i], needed) ||
		    tl_elf_same(loaded->elf[i].path, needed) ||
		    tl_elf_same(base_name(loaded->elf[i].path), needed))
			return &loaded->elf[i];
	return NULL;
}

struct scope {
	const struct tl_elf *elf[SCOPE_MAX];
	unsigned count;
};

static void scope_add(struct scope *scope, const struct tl_elf *elf)
{
	for (unsigned i = 0; i < scope->count; i++)
		if (scope->elf[i] == elf)
			return;
	if (elf && scope->count < SCOPE_MAX)
		scope->elf[scope->count++] = elf;
}

static void scope_add_needed(struct scope *scope, const struct tl_loaded *loaded,
			     const struct tl_elf *elf)
{
	for (const ElfW(Dyn) *d = elf->dynamic; d && elf->strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED)
			scope_add(scope, needed_library(loaded, elf->strings + d->d_un.d_val));
}

const struct tl_elf *tl_elf_scope(const struct tl_loaded *loaded, const struct tl_elf *root,
				  bool (*visit)(const struct tl_elf *elf, void *closure),
				  void *closure)
{
	struct scope scope = {.count = 0};

	scope_add(&scope, root);
	for (unsigned i = 0; i < scope.count; i++) {
		if (visit(scope.elf[i], closure))
			return scope.elf[i];
		scope_add_needed(&scope, loaded, scope.elf[i]);
	}
	return NULL;
}

static bool find_last(const struct tl_elf *elf, void *closure)
{
	const struct tl_elf **last = closure;

	if (elf > *last)
		*last = elf;
	return false;
}

/*
 * The global scope: the program, preloaded libraries (which stand between it and the first library
 * it needs), and what all of these need. They are at the front of the list, so their last one's
 * place says it all.
 */
static unsigned count_startup(const struct tl_loaded *loaded)
{
	const struct tl_elf *last = loaded->elf, *first = loaded->elf + loaded->count;

	if (!loaded->count)
		return 0;
	for (const ElfW(Dyn) *d = last->dynamic; d && last->strings && d->d_tag != DT_NULL; d++) {
		const struct tl_elf *needed =
			d->d_tag == DT_NEEDED
				? needed_library(loaded, loaded->elf->strings + d->d_un.d_val)
				: NULL;

		if (needed && needed < first)
			first = needed;
	}
	tl_elf_scope(loaded, loaded->elf, find_last, &last);
	for (const struct tl_elf *preloaded = loaded->elf + 1;
	     preloaded < first && first < loaded->elf + loaded->count; preloaded++)
		tl_elf_scope(loaded, preloaded, find_last, &last);
	return (unsigned)(last - loaded->elf) + 1;
}

/* --- the list */

/*
 * The dynamic linker leaves the address of its list in the program's own dynamic section, for
 * debuggers.
 */
static const struct link_map *first_library(void)
{
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	unsigned long count = getauxval(AT_PHNUM);
	uintptr_t base = 0;
	const ElfW(Dyn) *dynamic = NULL;

	for (unsigned long i = 0; segments && i < count; i++)
		if (segments[i].p_type == PT_PHDR)
			base = (uintptr_t)segments - segments[i].p_vaddr;
	for (unsigned long i = 0; segments && i < count; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(base + segments[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_DEBUG && dynamic->d_un.d_ptr)
			return ((const struct r_debug *)dynamic->d_un.d_ptr)->r_map;
	return NULL;
}

void tl_elf_each_early(bool (*visit)(const struct tl_elf *elf, void *closure), void *closure)
{
	for (const struct link_map *map = first_library(); map; map = map->l_next) {
		struct tl_elf elf = {
			.base = map->l_addr, .path = map->l_name, .dynamic = map->l_ld};

		read_dynamic(&elf);
		if (visit(&elf, closure))
			return;
	}
}

struct listing {
	void (*work)(const struct tl_loaded *loaded, void *closure);
	void *closure;
	struct tl_elf *elf;
	unsigned count, room;
	bool done;
};

static int count_library(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct listing *listing = closure;

	listing->room++;
	return 0;
}

static int list_library(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct listing *listing = closure;

	if (listing->count < listing->room)
		read_library(&listing->elf[listing->count++], seen);
	return 0;
}

/* How many libraries the program started with never changes; it is found at the first look. 0: not
 * found yet. */
static _Atomic unsigned startup;

static int with_lock(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct listing *listing = closure;

	tl_walk(count_library, listing);
	size_t bytes = listing->room * sizeof(*listing->elf);
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return 1;
	listing->elf = room;
	tl_walk(list_library, listing);
	struct tl_loaded loaded = {
		.elf = listing->elf, .count = listing->count, .startup = startup};

	if (!loaded.startup) {
		loaded.startup = count_startup(&loaded);
		startup = loaded.startup;
	}
	listing->work(&loaded, listing->closure);
	listing->done = true;
	munmap(room, bytes);
	return 1;
}

bool tl_elf_with_loaded(void (*work)(const struct tl_loaded *loaded, void *closure), void *closure)
{
	struct listing listing = {.work = work, .closure = closure};

	tl_walk(with_lock, &listing);
	return listing.done;
}

const struct tl_elf *tl_elf_at(const struct tl_loaded *loaded, const void *address)
{
	uintptr_t at = (uintptr_t)address;

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		if (at < elf->start || at >= elf->end)
			continue;
		/* Libraries may lie in each other's gaps: the segments decide. */
		for (unsigned s = 0; s < elf->nsegments; s++)
			if (elf->segments[s].p_type == PT_LOAD &&
			    at - elf->base >= elf->segments[s].p_vaddr &&
			    at - elf->base - elf->segments[s].p_vaddr < elf->segments[s].p_memsz)
				return elf;
	}
	return NULL;
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
	uint32_t nbuckets = table[0], first = table[1], nbloom = table[2], shift = table[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)&table[4];
	const uint32_t *buckets = (const uint32_t *)&bloom[nbloom], *chain = buckets + nbuckets;
	const unsigned bits = 8 * sizeof(ElfW(Addr));
	ElfW(Addr) word = bloom[hash / bits & (nbloom - 1)];

	if (!nbuckets || !(word >> hash % bits & word >> (hash >> shift) % bits & 1))
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

/*
 * A GNU hash table does not tell: the last symbol is the end of the chain that begins farthest
 * back.
 */
uint32_t tl_elf_symbols(const struct tl_elf *elf)
{
	const uint32_t *table = elf->gnu_hash;

	if (!elf->symbols || !elf->strings)
		return 0;
	if (!table)
		return elf->sysv_hash ? elf->sysv_hash[1] : 0;
	uint32_t nbuckets = table[0], first = table[1], last = 0;
	const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t)),
		       *chains = buckets + nbuckets;

	for (uint32_t i = 0; i < nbuckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < first)
		return 0;
	while (!(chains[last - first] & 1))
		last++;
	return last + 1;
}

void *tl_elf_address(const struct tl_elf *elf, const ElfW(Sym) *symbol)
{
	void *address = (void *)(elf->base + symbol->st_value);

	if (ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC)
		return address;
	/* The resolver's arguments as aarch64 has them; x86-64's takes none. */
	const struct {
		unsigned long size, hwcap, hwcap2;
	} more = {sizeof(more), getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
	void *(*choose)(uint64_t hwcap, const void *more) =
		(void *(*)(uint64_t, const void *))address;

	return choose(more.hwcap | 1ull << 62, &more);
}

/* --- executable memory */

static void find_code(const struct tl_loaded *loaded, void *closure)
{
	const void **address = closure;
	const struct tl_elf *elf = tl_elf_at(loaded, *address);
	uintptr_t offset = elf ? (uintptr_t)*address - elf->base : 0;

	for (unsigned s = 0; elf && s < elf->nsegments; s++)
		if (elf->segments[s].p_type == PT_LOAD && elf->segments[s].p_flags & PF_X &&
		    offset - elf->segments[s].p_vaddr < elf->segments[s].p_memsz) {
			*address = NULL;
			return;
		}
}

/* Code that a driver made itself lies in no library. */
static bool is_generated_code(const void *address)
{
	unsigned long start, end;
	char line[512], rights[5];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3)
			found = start <= (uintptr_t)address && (uintptr_t)address < end &&
				rights[2] == 'x';
	if (maps)
		fclose(maps);
	return found;
}

bool tl_elf_is_code(const void *address)
{
	const void *left = address;

	tl_elf_with_loaded(find_code, &left);
	return !left || is_generated_code(address);
}
