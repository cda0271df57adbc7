/* SPDX-License-Identifier: MIT */
/*
 * library_roles.c: see library_roles.h.
 *
 * The list is an array that only grows. It is written within tl_loaded_with, whose lock allows one
 * writer at a time. Any thread reads it: an entry is complete before the count that covers it is
 * stored with release.
 */
#include "layer/resolve/library_roles.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/function_identity.h"
#include "layer/resolve/own_references.h"
#include "layer/resolve/shim_names.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/api_table.h"

#define KNOWN_MAX 64
/* Entangled shims that a look has room for; and one during which another has that room. */
#define ENTANGLED_ROOM	512
#define ENTANGLED_SPARE 16

#if defined(__x86_64__)
#define RELOCATION_GOT	R_X86_64_GLOB_DAT
#define RELOCATION_WORD R_X86_64_64
#elif defined(__aarch64__)
#define RELOCATION_GOT	R_AARCH64_GLOB_DAT
#define RELOCATION_WORD R_AARCH64_ABS64
#endif

static struct tl_known_library known[KNOWN_MAX];
static _Atomic unsigned known_count;

/*
 * A bit for each name: a library without a role defines the function, and one of its tables has our
 * shim, or may still get it. Only such a library can turn out to be a driver by this name.
 */
static _Atomic uint64_t in_tables[TL_ROLES_NAMES / 64];
static _Atomic bool some_in_tables; /* most programs have no such library */

/* The counts of libraries at the last look. A look with the same counts finds nothing new. */
static _Atomic unsigned long long seen_added, seen_removed;
static _Atomic uint32_t seen_names;

const struct tl_known_library *tl_roles_nth(unsigned n)
{
	return n < atomic_load_explicit(&known_count, memory_order_acquire) ? &known[n] : NULL;
}

const struct tl_known_library *tl_roles_at(const void *address)
{
	const struct tl_known_library *it;

	for (unsigned n = 0; (it = tl_roles_nth(n)) != NULL; n++)
		if ((uintptr_t)address - it->elf.start < it->elf.end - it->elf.start &&
		    !atomic_load_explicit(&it->gone, memory_order_relaxed))
			return it;
	return NULL;
}

bool tl_roles_is_settled(const struct tl_known_library *known, const struct tl_shim *shim)
{
	/* Acquire: pairs with the exchange in real_settle (layer/resolve/real_function.c). */
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);
	const struct tl_known_library *own;

	if (known->place == UINT_MAX || tl_roles_at(real) != known)
		return false;
	own = tl_roles_at(shim->entry);
	return own && own->role == TL_ROLE_OWN && own->place < known->place;
}

bool tl_roles_is_own_at(const void *address)
{
	const struct tl_known_library *there = tl_roles_at(address);

	return there && there->role == TL_ROLE_OWN;
}

bool tl_roles_is_loader_at(const void *address)
{
	const struct tl_known_library *there = tl_roles_at(address);

	return there && there->role == TL_ROLE_LOADER;
}

static struct tl_known_library *library_known_as(const struct tl_elf *elf)
{
	for (unsigned n = 0; n < atomic_load_explicit(&known_count, memory_order_acquire); n++)
		if (known[n].elf.dynamic == elf->dynamic &&
		    !atomic_load_explicit(&known[n].gone, memory_order_relaxed))
			return &known[n];
	return NULL;
}

enum tl_role tl_roles_of(const struct tl_elf *elf)
{
	const struct tl_known_library *it = library_known_as(elf);

	return it ? it->role : TL_ROLE_NONE;
}

bool tl_roles_is_named_by(const struct tl_elf *elf, const struct tl_api *api)
{
	for (const char *const *soname = api->sonames; soname && *soname; soname++)
		if (tl_elf_is_named(elf, *soname))
			return true;
	return false;
}

bool tl_roles_others_define(const struct tl_loaded *loaded, const struct tl_elf *elf,
			    const char *name)
{
	uint32_t hash = tl_elf_hash(name);

	for (unsigned i = loaded->startup; i < loaded->count; i++)
		if (&loaded->elf[i] != elf && tl_roles_of(&loaded->elf[i]) != TL_ROLE_OWN &&
		    tl_elf_lookup(&loaded->elf[i], name, hash, NULL))
			return true;
	return false;
}

static void library_remember(const struct tl_loaded *loaded, const struct tl_elf *elf,
			     enum tl_role role)
{
	unsigned n = atomic_load_explicit(&known_count, memory_order_relaxed);

	if (!elf || n == KNOWN_MAX || library_known_as(elf))
		return;
	unsigned place = (unsigned)(elf - loaded->elf);

	known[n].elf = *elf;
	known[n].role = role;
	known[n].place = place < loaded->startup ? place : UINT_MAX;
	atomic_store_explicit(&known_count, n + 1, memory_order_release);
}

/* --- APIs whose loader has our layer */

#define LAYERED_MAX 8

static const struct tl_api *_Atomic layered_apis[LAYERED_MAX];

void tl_roles_note_layered(const struct tl_api *api)
{
	for (unsigned i = 0; i < LAYERED_MAX; i++) {
		const struct tl_api *none = NULL;

		if (atomic_compare_exchange_strong_explicit(&layered_apis[i], &none, api,
							    memory_order_relaxed,
							    memory_order_relaxed) ||
		    none == api)
			return;
	}
}

bool tl_roles_is_layered(const struct tl_api *api)
{
	for (unsigned i = 0; i < LAYERED_MAX; i++)
		if (atomic_load_explicit(&layered_apis[i], memory_order_relaxed) == api)
			return true;
	return false;
}

/* --- entangled shims */

struct look {
	const struct tl_shim_names *names;
	const void *loader; /* an address in a library that is a loader, or NULL */
	const void *driver; /* an address in a library that is a driver, or NULL */
	/* an address in a library that a loader is linked into, or NULL */
	const void *linked;
	const struct tl_api *api;      /* that loader's, if others may use it; or NULL */
	const struct tl_shim *suspect; /* whichever library defines this is a driver; or NULL */
	const struct tl_loaded *loaded;
	const struct tl_elf *program;
	/* no library before the one that is scanned can have a name of ours: its own are the first */
	bool alone;
	bool later; /* the dynamic linker is still working on a library: look again */
	struct tl_shim **entangled;
	unsigned count, room; /* what there is no room for, the next look finds */
};

enum binding { BOUND_ELSEWHERE, BOUND_BY_CALL, BOUND_IN_TABLE };

/* Another tool's interposer, which stands before us: it may pass its caller's call on to us. */
static bool library_comes_before(const struct look *look, uintptr_t bound,
				 const struct tl_shim *shim)
{
	const struct tl_elf *there = tl_loaded_at(look->loaded, (const void *)bound);
	const struct tl_elf *own = tl_loaded_at(look->loaded, shim->entry);

	return there && own && there < own && tl_roles_of(there) == TL_ROLE_NONE;
}

/*
 * What became of a reference: the dynamic linker has bound it to the shim, or to an interposer that
 * stands before us, or will do so at the first call through it. A program that was linked to a fixed
 * address has its own PLT's address for a function, which leads to us, too.
 */
static enum binding relocation_binding(const struct look *look, const struct tl_elf *elf,
				       const ElfW(Rela) *relocation, const ElfW(Sym) *symbol,
				       const struct tl_shim *shim)
{
	uintptr_t bound = *(const uintptr_t *)(elf->base + relocation->r_offset);
	bool ours = bound == (uintptr_t)shim->entry ||
		    (elf != look->program &&
		     bound - look->program->start < look->program->end - look->program->start);
	bool jump = ELF64_R_TYPE(relocation->r_info) == TL_ELF_JUMP_SLOT;

	if (ours)
		return jump ? BOUND_BY_CALL : BOUND_IN_TABLE;
	if (bound - elf->start < elf->end - elf->start)
		return jump && (symbol->st_shndx == SHN_UNDEF ||
				bound != elf->base + symbol->st_value)
			       ? BOUND_BY_CALL
			       : BOUND_ELSEWHERE;
	return library_comes_before(look, bound, shim) ? BOUND_BY_CALL : BOUND_ELSEWHERE;
}

/* The dynamic linker has not filled the slot in yet: what it holds is an address in no library. */
static bool relocation_is_open(const struct look *look, const struct tl_elf *elf,
			       const ElfW(Rela) *relocation)
{
	const void *bound = *(void *const *)(elf->base + relocation->r_offset);

	return !tl_loaded_at(look->loaded, bound);
}

/*
 * The reference is bound to a shim of the same name in another of our libraries: APIs may
 * have functions of the same names.
 */
static struct tl_shim *relocation_namesake(const struct tl_elf *elf, const ElfW(Rela) *relocation,
					   struct tl_shim *shim)
{
	uintptr_t bound = *(const uintptr_t *)(elf->base + relocation->r_offset);
	struct tl_shim *there =
		bound == (uintptr_t)shim->entry ? NULL : tl_shim_names_at((const void *)bound);

	return there && tl_elf_same(there->function->name, shim->function->name) ? there : shim;
}

/* The name of the shim that a reference is to, if there is one. */
static const struct tl_shim_name *relocation_name(const struct tl_elf *elf,
						  const ElfW(Rela) *relocation, bool undefined)
{
	unsigned type = ELF64_R_TYPE(relocation->r_info);
	uint32_t index = ELF64_R_SYM(relocation->r_info);

	if (!index ||
	    (type != TL_ELF_JUMP_SLOT && type != RELOCATION_GOT && type != RELOCATION_WORD))
		return NULL;
	if (elf->symbols[index].st_shndx == SHN_UNDEF && !undefined)
		return NULL;
	return tl_shim_names_entry(elf->strings + elf->symbols[index].st_name);
}

static struct tl_shim *relocation_shim(const struct tl_elf *elf, const ElfW(Rela) *relocation,
				       const struct tl_shim_name *name)
{
	return name ? relocation_namesake(elf, relocation, name->shim) : NULL;
}

static void look_add_entangled(struct tl_shim *shim, void *closure)
{
	struct look *look = closure;

	if (!(atomic_load_explicit(&shim->mode, memory_order_relaxed) & TL_MODE_CALLER) &&
	    !tl_roles_is_layered(shim->function->api) && look->count < look->room)
		look->entangled[look->count++] = shim;
}

static void name_mark(_Atomic uint64_t *names, uint32_t index)
{
	atomic_fetch_or_explicit(&names[index % TL_ROLES_NAMES / 64], 1ull << index % 64,
				 memory_order_relaxed);
}

static bool name_is_marked(const _Atomic uint64_t *names, const struct tl_shim *shim)
{
	uint32_t index = tl_shim_names_index(shim);

	return atomic_load_explicit(&names[index % TL_ROLES_NAMES / 64], memory_order_relaxed) &
	       1ull << index % 64;
}

/*
 * What looks have found out, for the next ones. Written within tl_loaded_with. Once a library has
 * been unloaded, or a name has come, all is found out again: another library may lie where one of
 * these was. What shares a place pushes the other out, and is found out again, too.
 *
 *	plain	libraries that define none of the names: most of those that a program loads
 *	range	where in a library's table the references to shims are: a driver may have a
 *		hundred thousand relocations
 */
#define PLAIN_MAX  512
#define RANGES_MAX 256

struct relocation_range {
	const ElfW(Rela) *table;
	uint32_t count; /* of the table */
	uint32_t from, to;
};

static struct {
	const ElfW(Dyn) *plain[PLAIN_MAX];
	struct relocation_range range[RANGES_MAX];
	unsigned long long removed;
	uint32_t names;
} found_out;

static void found_out_begin(const struct look *look)
{
	if (found_out.removed == look->loaded->generation.removed &&
	    found_out.names == look->names->count)
		return;
	memset(&found_out, 0, sizeof(found_out));
	found_out.removed = look->loaded->generation.removed;
	found_out.names = look->names->count;
}

static const ElfW(Dyn) **plain_place(const struct tl_elf *elf)
{
	return &found_out.plain[((uintptr_t)elf->dynamic >> 4) * 0x9e3779b97f4a7c15u >> 55];
}

/* `skip_plain`: the name is a shim's, and the libraries before `elf` were scanned in this look. */
static const struct tl_elf *first_at_start(const struct tl_loaded *loaded, const struct tl_elf *elf,
					   const char *name, uint32_t hash, bool skip_plain)
{
	for (unsigned i = 0; i < loaded->startup && i < loaded->count; i++) {
		const struct tl_elf *it = &loaded->elf[i];

		if (it == elf)
			return it;
		if (skip_plain && *plain_place(it) == it->dynamic)
			continue;
		if (tl_roles_of(it) != TL_ROLE_OWN && tl_elf_lookup(it, name, hash, NULL))
			return it;
	}
	return NULL;
}

const struct tl_elf *tl_roles_first_at_start(const struct tl_loaded *loaded,
					     const struct tl_elf *elf, const char *name)
{
	return first_at_start(loaded, elf, name, tl_elf_hash(name), false);
}

static bool library_is_alone(const struct tl_loaded *loaded, const struct tl_elf *elf)
{
	for (unsigned i = 0; i < loaded->startup && i < loaded->count; i++) {
		const struct tl_elf *it = &loaded->elf[i];

		if (it == elf)
			break;
		if (*plain_place(it) != it->dynamic && tl_roles_of(it) != TL_ROLE_OWN)
			return false;
	}
	return true;
}

/* The library defines the function, but without us its references lead to another library's. */
static bool reference_is_overridden(const struct look *look, const struct tl_elf *elf,
				    const ElfW(Rela) *relocation, const struct tl_shim_name *name)
{
	bool drivers = tl_shim_flags_are_drivers_getproc(name->flags);

	if (elf->symbols[ELF64_R_SYM(relocation->r_info)].st_shndx == SHN_UNDEF ||
	    (look->alone && !drivers))
		return false;
	const struct tl_elf *first =
		first_at_start(look->loaded, elf, name->name, name->hash, !drivers);

	return first && first != elf;
}

static const struct relocation_range *
relocation_range(const struct tl_elf *elf, const ElfW(Rela) *relocations, uint32_t count)
{
	struct relocation_range *range =
		&found_out.range[((uintptr_t)relocations >> 3) * 0x9e3779b97f4a7c15u >> 56];

	if (range->table == relocations && range->count == count)
		return range;
	*range = (struct relocation_range){.table = relocations, .count = count};
	for (uint32_t i = 0; i < count; i++)
		if (relocation_name(elf, &relocations[i], true)) {
			range->from = range->to ? range->from : i;
			range->to = i + 1;
		}
	return range;
}

/* `own`: bind the library's calls of its own functions to itself. NULL: leave them. */
static void relocations_scan(struct look *look, const struct tl_elf *elf,
			     const ElfW(Rela) *relocations, uint32_t count, bool undefined,
			     struct tl_own_references *own)
{
	const struct relocation_range *range = relocation_range(elf, relocations, count);
	struct tl_known_library *it = library_known_as(elf);

	for (uint32_t i = range->from; i < range->to; i++) {
		const struct tl_shim_name *name = relocation_name(elf, &relocations[i], undefined);
		struct tl_shim *shim = relocation_shim(elf, &relocations[i], name);
		enum binding binding =
			shim ? relocation_binding(look, elf, &relocations[i],
						  &elf->symbols[ELF64_R_SYM(relocations[i].r_info)],
						  shim)
			     : BOUND_ELSEWHERE;

		if (shim && !it && elf != look->program &&
		    (binding == BOUND_IN_TABLE || relocation_is_open(look, elf, &relocations[i])) &&
		    !reference_is_overridden(look, elf, &relocations[i], name)) {
			name_mark(in_tables, name->index);
			atomic_store_explicit(&some_in_tables, true, memory_order_relaxed);
		}
		if (binding == BOUND_ELSEWHERE || (binding == BOUND_BY_CALL && own &&
						   tl_own_reference_bind(own, &relocations[i])))
			continue;
		if (it && reference_is_overridden(look, elf, &relocations[i], name))
			name_mark(it->overridden, name->index);
		else if (it && binding == BOUND_IN_TABLE)
			name_mark(it->bound, name->index);
		look_add_entangled(shim, look);
	}
}

bool tl_roles_is_bound(const struct tl_known_library *it, const struct tl_shim *shim)
{
	return name_is_marked(it->bound, shim);
}

bool tl_roles_is_overridden(const struct tl_known_library *it, const struct tl_shim *shim)
{
	return name_is_marked(it->overridden, shim);
}

/*
 * How many functions of an API a library defines: of those that loaders export, and of the others.
 */
struct definitions {
	bool exported, unexported;
};

static bool name_is_exported(const struct tl_shim_name *name)
{
	return name->flags & TL_FUNCTION_EXPORTED;
}

static struct definitions library_definitions(const struct tl_elf *elf,
					      const struct tl_shim_names *names)
{
	struct definitions defined = {false, false};

	/* Most libraries have none of the names: functions are only looked at for those that have. */
	if (!tl_shim_names_are_in(names, elf))
		return defined;
	for (uint32_t i = 0; i < names->count; i++) {
		const struct tl_shim_name *name = &names->name[i];

		if (!tl_elf_may_have(elf, name->hash))
			continue;
		if ((defined.exported || defined.unexported) &&
		    (name_is_exported(name) ? defined.exported : defined.unexported))
			continue;
		/* Only dlsym finds it, so nothing in a driver that has it can be bound to us. */
		if (tl_shim_flags_are_drivers_getproc(name->flags))
			continue;
		if (!tl_elf_lookup(elf, name->name, name->hash, NULL))
			continue;
		if (name_is_exported(name))
			defined.exported = true;
		else
			defined.unexported = true;
	}
	return defined;
}

/*
 * A loader that was opened with RTLD_DEEPBIND looks up its drivers' symbols without our dlsym. Then
 * a driver that has the loader's names is recognised by functions that no loader has
 * (clIcdGetPlatformIDsKHR).
 */
static void library_scan(struct look *look, const struct tl_elf *elf)
{
	enum tl_role role = tl_roles_of(elf);
	bool party = role == TL_ROLE_LOADER || role == TL_ROLE_DRIVER;

	if (role == TL_ROLE_OWN || !elf->symbols || !elf->strings)
		return;
	struct definitions defined = {false, false};

	/* What a loader or a driver defines is of no interest: its role is known. */
	if (!party && *plain_place(elf) != elf->dynamic) {
		defined = library_definitions(elf, look->names);
		if (!defined.exported && !defined.unexported)
			*plain_place(elf) = elf->dynamic;
	}
	if (role == TL_ROLE_NONE && elf != look->program && defined.exported && defined.unexported)
		library_remember(look->loaded, elf, TL_ROLE_DRIVER);
	if (party || defined.exported || defined.unexported) {
		struct tl_own_references own;

		look->alone = library_is_alone(look->loaded, elf);
		tl_own_references_begin(&own, look->loaded, elf);
		relocations_scan(look, elf, elf->jumps, elf->njumps, party,
				 role == TL_ROLE_LOADER ? &own : NULL);
		tl_own_references_end(&own);
		look->later |= own.later;
		relocations_scan(look, elf, elf->relocations, elf->nrelocations, party, NULL);
		look->alone = false;
	}
}

static bool library_has_in_table(const struct look *look, const struct tl_elf *elf)
{
	for (uint32_t i = 0; i < elf->nrelocations && elf->symbols && elf->strings; i++) {
		const ElfW(Rela) *relocation = &elf->relocations[i];
		const struct tl_shim_name *name = relocation_name(elf, relocation, false);

		if (name && relocation_shim(elf, relocation, name) == look->suspect &&
		    relocation_binding(look, elf, relocation,
				       &elf->symbols[ELF64_R_SYM(relocation->r_info)],
				       look->suspect) == BOUND_IN_TABLE)
			return !reference_is_overridden(look, elf, relocation, name);
	}
	return false;
}

/* --- looking */

static void libraries_mark_gone(const struct tl_loaded *loaded)
{
	for (unsigned n = 0; n < atomic_load_explicit(&known_count, memory_order_relaxed); n++) {
		bool found = false;

		for (unsigned i = 0; i < loaded->count && !found; i++)
			found = known[n].elf.dynamic == loaded->elf[i].dynamic &&
				known[n].elf.symbols == loaded->elf[i].symbols;
		if (!found)
			atomic_store_explicit(&known[n].gone, true, memory_order_relaxed);
	}
}

/*
 * In a program that has shims linked into it, our calls and its own look alike: they count
 * as its own.
 */
static void library_remember_own(const struct tl_loaded *loaded, const void *address)
{
	const struct tl_elf *elf = tl_loaded_at(loaded, address);

	if (elf != loaded->elf)
		library_remember(loaded, elf, TL_ROLE_OWN);
}

static bool relocations_use(const struct look *look, const struct tl_elf *elf,
			    const ElfW(Rela) *relocations, uint32_t count)
{
	const struct relocation_range *range = relocation_range(elf, relocations, count);

	for (uint32_t i = range->from; i < range->to; i++) {
		uint32_t symbol = ELF64_R_SYM(relocations[i].r_info);
		const struct tl_shim *shim = relocation_shim(
			elf, &relocations[i], relocation_name(elf, &relocations[i], true));

		if (shim && shim->function->api == look->api &&
		    elf->symbols[symbol].st_shndx == SHN_UNDEF)
			return true;
	}
	return false;
}

/*
 * A loader under another name may call its own functions before others do, in a constructor. So if
 * another library, or the program, has references to the API's functions, it is that one's loader.
 */
static void library_remember_linked(const struct look *look, const struct tl_elf *linked)
{
	const struct tl_loaded *loaded = look->loaded;
	bool used = false;

	for (unsigned i = 0; look->api && i < loaded->count && !used; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		used = elf != linked && tl_roles_of(elf) != TL_ROLE_OWN && elf->symbols &&
		       elf->strings &&
		       (relocations_use(look, elf, elf->jumps, elf->njumps) ||
			relocations_use(look, elf, elf->relocations, elf->nrelocations));
	}
	library_remember(loaded, linked, used ? TL_ROLE_LOADER : TL_ROLE_LINKED);
}

static bool library_is_loader(const struct tl_elf *elf)
{
	struct tl_shim_library *library;

	for (unsigned n = 0; (library = tl_shim_names_nth(n)) != NULL; n++)
		if (tl_roles_is_named_by(elf, library->api))
			return true;
	return false;
}

static void libraries_look_at_all(const struct tl_loaded *loaded, void *closure)
{
	struct look *look = closure;
	struct tl_shim_library *library;

	tl_own_references_forget();
	libraries_mark_gone(loaded);
	library_remember_own(loaded, (void *)tl_roles_look);
	for (unsigned n = 0; (library = tl_shim_names_nth(n)) != NULL; n++)
		library_remember_own(loaded, library);
	for (unsigned i = 1; i < loaded->count; i++)
		if (library_is_loader(&loaded->elf[i]))
			library_remember(loaded, &loaded->elf[i], TL_ROLE_LOADER);
	const struct tl_elf *loader = look->loader ? tl_loaded_at(loaded, look->loader) : NULL;
	const struct tl_elf *driver = look->driver ? tl_loaded_at(loaded, look->driver) : NULL;

	if (loader && loader != loaded->elf)
		library_remember(loaded, loader, TL_ROLE_LOADER);
	if (driver && driver != loaded->elf)
		library_remember(loaded, driver, TL_ROLE_DRIVER);
	look->loaded = loaded;
	look->program = loaded->elf;
	look->later |= tl_identity_restore(loaded);
	found_out_begin(look);
	if (look->linked)
		library_remember_linked(look, tl_loaded_at(loaded, look->linked));
	for (unsigned i = 1; look->suspect && i < loaded->count; i++)
		if (library_has_in_table(look, &loaded->elf[i]))
			library_remember(loaded, &loaded->elf[i], TL_ROLE_DRIVER);
	for (unsigned i = 0; i < loaded->count; i++) {
		library_scan(look, &loaded->elf[i]);
		tl_asked_versions_look(loaded, &loaded->elf[i], look_add_entangled, look);
	}
}

/*
 * A library was seen before the dynamic linker was done with it. As a rule that takes a moment; the
 * number of looks is limited all the same.
 */
#define LOOKS_AGAIN 16

static bool another_look_is_worth_it(const struct tl_generation *generation)
{
	static _Atomic unsigned long long since;
	static _Atomic unsigned times;

	if (atomic_exchange_explicit(&since, generation->added, memory_order_relaxed) !=
	    generation->added)
		atomic_store_explicit(&times, 0, memory_order_relaxed);
	return atomic_fetch_add_explicit(&times, 1, memory_order_relaxed) < LOOKS_AGAIN;
}

/*
 * Not on the stack: a handler's, where the program makes a call, may be a few kB. Acquire where
 * .taken is set, release where it is cleared.
 */
static struct {
	struct tl_shim *list[ENTANGLED_ROOM];
	_Atomic bool taken;
} entangled_room;

/* Room for every shim; where memory is short, what there was. */
static void look_make_room(struct look *look)
{
	size_t bytes = look->names->count * sizeof(struct tl_shim *);
	void *room = MAP_FAILED;

	if (look->names->count > look->room && !tl_process_is_confined())
		room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	if (room == MAP_FAILED)
		return;
	look->entangled = room;
	look->room = look->names->count;
}

/*
 * The entangled shims' modes are set behind the look, since that takes a lock. False: the loaded
 * libraries can't be looked at now.
 */
static bool libraries_look_until_all(struct look *look)
{
	struct tl_shim *spare[ENTANGLED_SPARE], **first;
	bool looked, full, taken;

	taken = !atomic_exchange_explicit(&entangled_room.taken, true, memory_order_acquire);
	first = taken ? entangled_room.list : spare;
	look->entangled = first;
	look->room = taken ? ENTANGLED_ROOM : ENTANGLED_SPARE;
	do {
		look->count = 0;
		look->later = false;
		looked = tl_loaded_with(libraries_look_at_all, look);
		full = look->count == look->room;
		tl_api_by_caller(look->entangled, look->count);
		if (full && look->entangled == first)
			look_make_room(look);
	} while (full);
	if (look->entangled != first)
		munmap(look->entangled, look->room * sizeof(struct tl_shim *));
	if (taken)
		atomic_store_explicit(&entangled_room.taken, false, memory_order_release);
	return looked;
}

/* A look at the libraries, for new ones and for what the caller has put into `look`. */
static void libraries_look_for(struct look look)
{
	struct tl_generation generation = tl_loaded_generation();

	look.names = tl_shim_names();
	if (!look.names || !libraries_look_until_all(&look))
		return;
	if (look.later && another_look_is_worth_it(&generation))
		return;
	atomic_store_explicit(&seen_names, look.names->count, memory_order_relaxed);
	atomic_store_explicit(&seen_removed, generation.removed, memory_order_relaxed);
	/*
	 * Release: pairs with the acquire of tl_roles_look. Stored last and read first: a look is
	 * skipped only if all of an earlier one can be seen.
	 */
	atomic_store_explicit(&seen_added, generation.added, memory_order_release);
}

void tl_roles_look(void)
{
	struct tl_generation generation = tl_loaded_generation();
	const struct tl_shim_names *names = tl_shim_names();

	if (atomic_load_explicit(&seen_added, memory_order_acquire) == generation.added &&
	    atomic_load_explicit(&seen_removed, memory_order_relaxed) == generation.removed &&
	    names && atomic_load_explicit(&seen_names, memory_order_relaxed) == names->count)
		return;
	libraries_look_for((struct look){.count = 0});
}

void tl_roles_note_loader(const void *address)
{
	if (!tl_roles_at(address))
		libraries_look_for((struct look){.loader = address});
}

void tl_roles_note_driver(const void *address)
{
	const struct tl_known_library *there = tl_roles_at(address);

	if (!there)
		libraries_look_for((struct look){.driver = address});
}

void tl_roles_note_linked(const void *address, const struct tl_api *api)
{
	if (!tl_roles_at(address))
		libraries_look_for((struct look){.linked = address, .api = api});
}

/*
 * How often each name was asked for since a library was last loaded or unloaded. A look costs tens
 * of microseconds, and where a library's exported function tail-calls another one, every call asks.
 * So a name that was not found is looked for again only when another library has been loaded. Since
 * a library may be seen before the dynamic linker is done with it, it is also looked for at the
 * second, fourth, eighth… question. Names that share a place are looked for less often.
 */
static _Atomic uint32_t asked[TL_ROLES_NAMES];
static _Atomic unsigned long long asked_since;

static bool suspect_is_worth_a_look(const struct tl_shim *shim)
{
	struct tl_generation generation = tl_loaded_generation();
	const struct tl_shim_names *names = tl_shim_names();
	uint32_t index = tl_shim_names_index(shim);

	if (!names)
		return true;
	/* All three only grow. If two threads reset them at once, that costs one more look. */
	unsigned long long since =
		generation.added + generation.removed + ((unsigned long long)names->count << 40);
	if (atomic_load_explicit(&asked_since, memory_order_relaxed) != since &&
	    atomic_exchange_explicit(&asked_since, since, memory_order_relaxed) != since)
		for (uint32_t i = 0; i < TL_ROLES_NAMES; i++)
			atomic_store_explicit(&asked[i], 0, memory_order_relaxed);
	uint32_t times =
		atomic_fetch_add_explicit(&asked[index % TL_ROLES_NAMES], 1, memory_order_relaxed);
	return (times & (times + 1)) == 0;
}

void tl_roles_suspect(const struct tl_shim *shim)
{
	tl_roles_look();
	if (atomic_load_explicit(&some_in_tables, memory_order_relaxed) &&
	    name_is_marked(in_tables, shim) && suspect_is_worth_a_look(shim))
		libraries_look_for((struct look){.suspect = shim});
}
