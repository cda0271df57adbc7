/* SPDX-License-Identifier: MIT */
/*
 * deep_bound.c: see deep_bound.h.
 *
 * A slot that leads to a traced library's function, although an interposer comes first in the
 * global scope, belongs to a library that is bound in this way. The dynamic linker is done with
 * such a slot. A slot that is not bound yet leads into its own library. It gets the shim only if no
 * other library's function can be found before the traced library's: then the shim is right,
 * however the library was opened.
 *
 * Slots for functions by which a library confines the process get ours in the same way. Otherwise
 * the process would be killed for what its recorded calls need, or libc's function would fail
 * because of the layer's thread. So do slots for dlsym: what a plugin opens itself, it finds by that.
 *
 * A shim has one real function. If a slot leads to another one (a second copy of the library), it
 * stays.
 */
#include "layer/resolve/deep_bound.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "format/args/args.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/dlsym.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/own_references.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/shim_names.h"

/* --- handles that were seen */

#define HANDLES 64

/*
 * A handle is the dynamic linker's entry of a library. If the library was closed and opened again,
 * both may lie where they lay, but the slots have no shim. So the place of one shim is kept, in the
 * library or in what it needs. Handles that share a place push each other out.
 */
static struct {
	const void *_Atomic handle;
	const void *_Atomic dynamic;
	const void *_Atomic slot; /* NULL: no slot has a shim */
	void *_Atomic entry;	  /* the shim's */
} seen[HANDLES];

static unsigned handle_place(const struct link_map *map)
{
	return (unsigned)((uintptr_t)map * 0x9e3779b97f4a7c15u >> 58);
}

static bool handle_is_new(const struct link_map *map)
{
	unsigned i = handle_place(map);
	void *entry = NULL;

	if (atomic_load_explicit(&seen[i].handle, memory_order_relaxed) != map ||
	    atomic_load_explicit(&seen[i].dynamic, memory_order_relaxed) != map->l_ld)
		return true;
	const void *slot = atomic_load_explicit(&seen[i].slot, memory_order_relaxed);

	/* Checked: it may be another library by now. */
	return slot && (tl_checked_copy(&entry, slot, sizeof(entry)) != sizeof(entry) ||
			entry != atomic_load_explicit(&seen[i].entry, memory_order_relaxed));
}

/* --- the slots */

/* Traced libraries that were opened later and have to stay, since shims will call them. */
#define HELD_MAX 16

struct deep_look {
	const struct link_map *map; /* of the handle */
	struct {
		const ElfW(Dyn) *dynamic;
		const char *path;
		bool held;
	} library[HELD_MAX];
	unsigned count;
	bool any;   /* there are such slots */
	bool later; /* a library has slots that the dynamic linker has not filled in yet */
};

struct deep_slot {
	struct tl_shim *shim;	      /* NULL: a function of libc */
	uintptr_t entry;	      /* the shim's, or our function in libc's place */
	uintptr_t address;	      /* of the slot */
	const struct tl_elf *library; /* the traced library, or libc */
	uintptr_t function;	      /* that library's */
	bool open;		      /* the dynamic linker has not filled the slot in yet */
};

/*
 * The libraries of the list before this one are done, as long as none was unloaded. Used within
 * tl_loaded_with, whose lock allows one thread at a time.
 */
static struct {
	unsigned count;
	unsigned long long removed;
} done;

/* A slot has a shim: as a rule none ever has. Set and read within tl_loaded_with. */
static bool some_bound;

struct definition {
	const char *name;
	uint32_t hash;
};

static bool library_defines(const struct tl_elf *elf, void *closure)
{
	const struct definition *definition = closure;

	return tl_roles_of(elf) != TL_ROLE_OWN &&
	       tl_elf_lookup(elf, definition->name, definition->hash, NULL);
}

/* Which library's function a slot that is not bound yet leads to, whoever opened its library. */
static const struct tl_elf *library_of_unbound(const struct tl_loaded *loaded,
					       const struct tl_elf *elf, const char *name)
{
	struct definition definition = {name, tl_elf_hash(name)};
	const struct tl_elf *library = tl_loaded_scope(loaded, elf, library_defines, &definition);

	return library && !tl_roles_others_define(loaded, library, name) ? library : NULL;
}

/*
 * Functions of libc that the layer exports, too. Those that change what the process may do concern
 * its system calls and its thread (layer/process/confine.c, setid.c, process_end.c). By dlsym a
 * plugin finds what it opens itself, as volk does in Taichi (dlsym.c).
 */
static bool name_is_of_libc(const char *name)
{
	static const char names[][12] = {
		"dlsym",  "dlvsym",  "dlerror",	 "prctl",     "syscall",   "unshare",
		"setns",  "capset",  "setuid",	 "seteuid",   "setreuid",  "setresuid",
		"setgid", "setegid", "setregid", "setresgid", "setgroups", "initgroups",
	};

	switch (*name) { /* a plugin may have thousands of slots */
	case 'c':
	case 'd':
	case 'i':
	case 'p':
	case 's':
	case 'u':
		break;
	default:
		return false;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][1] == name[1] && tl_elf_same(names[i], name))
			return true;
	return false;
}

/*
 * Our function, if it passes its calls on to this library's. 0: it does not. The dynamic linker may
 * still put the usual dlsym into a slot that it has not bound yet.
 */
static uintptr_t own_function_before(const struct tl_loaded *loaded, const struct tl_elf *library,
				     const char *name, bool is_bound)
{
	const struct tl_elf *own = tl_loaded_at(loaded, (void *)tl_deep_bound_look);
	const ElfW(Sym) *symbol = own ? tl_elf_lookup(own, name, tl_elf_hash(name), NULL) : NULL;

	if (!symbol || own >= library || library >= loaded->elf + loaded->startup)
		return 0;
	if (tl_elf_same(name, "dlsym"))
		return is_bound ? (uintptr_t)tl_dlsym_deep : 0;
	if (tl_elf_same(name, "dlvsym"))
		return is_bound ? (uintptr_t)tl_dlvsym_deep : 0;
	return own->base + symbol->st_value;
}

/*
 * Sets what the slot gets, by the library whose function it leads to. False: it stays. If the
 * program started with another library that defines the function, that one's is the real function.
 */
static bool slot_set_entry(const struct tl_loaded *loaded, struct deep_slot *slot, const char *name,
			   bool is_bound)
{
	const struct tl_elf *first =
		slot->library ? tl_roles_first_at_start(loaded, slot->library, name) : NULL;

	if (!slot->library || (first && first != slot->library))
		return false;
	if (!slot->shim)
		slot->entry = own_function_before(loaded, slot->library, name, is_bound);
	else if (tl_roles_is_named_by(slot->library, slot->shim->function->api))
		slot->entry = (uintptr_t)slot->shim->entry;
	return slot->entry != 0;
}

/* The slot leads past a shim to the shim's real function, or past a function of ours to libc's. */
static bool slot_read(const struct tl_loaded *loaded, const struct tl_elf *elf,
		      const ElfW(Rela) *relocation, struct deep_slot *slot)
{
	uint32_t index = ELF64_R_SYM(relocation->r_info);
	const char *name = elf->strings + elf->symbols[index].st_name;

	slot->open = false;
	slot->entry = 0;
	slot->address = elf->base + relocation->r_offset;
	if (ELF64_R_TYPE(relocation->r_info) != TL_ELF_JUMP_SLOT || !index ||
	    slot->address % sizeof(uintptr_t) || elf->symbols[index].st_shndx != SHN_UNDEF)
		return false;
	bool of_libc = name_is_of_libc(name);
	slot->shim = of_libc ? NULL : tl_shim_names_find(name);
	if (!of_libc && (!slot->shim || !tl_shim_names_is_generic(slot->shim)))
		return false;
	uintptr_t bound =
		atomic_load_explicit((_Atomic uintptr_t *)slot->address, memory_order_acquire);
	bool is_bound = bound - elf->start >= elf->end - elf->start;

	slot->library = is_bound ? tl_loaded_at(loaded, (const void *)bound)
				 : library_of_unbound(loaded, elf, name);
	slot->open = is_bound && !slot->library;
	if (!slot_set_entry(loaded, slot, name, is_bound))
		return false;
	const char *version = tl_elf_needed_version(elf, index);
	const ElfW(Sym) *symbol = tl_elf_lookup(slot->library, name, tl_elf_hash(name), NULL);

	/*
	 * An older version of the function has a shim of its own, or none. A reference without a
	 * version gets the oldest one.
	 */
	if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    (!is_bound && !version && slot->library->definitions) ||
	    (version && tl_elf_lookup(slot->library, name, tl_elf_hash(name), version) != symbol))
		return false;
	slot->function = slot->library->base + symbol->st_value;
	return !is_bound || bound == slot->function;
}

static void each_slot(const struct tl_loaded *loaded, const struct tl_elf *elf,
		      struct deep_look *look,
		      void (*work)(const struct tl_loaded *loaded, struct tl_own_references *of,
				   const struct deep_slot *slot, struct deep_look *look),
		      struct tl_own_references *references)
{
	struct deep_slot slot;

	if (tl_roles_of(elf) != TL_ROLE_NONE || !elf->symbols || !elf->strings)
		return;
	for (uint32_t i = 0; i < elf->njumps; i++)
		if (slot_read(loaded, elf, &elf->jumps[i], &slot))
			work(loaded, references, &slot, look);
		else if (slot.open)
			look->later = true;
}

/* For tl_loaded_scope: a library that was opened later and has a slot with a shim. */
static bool library_has_shim(const struct tl_elf *elf, void *closure)
{
	const unsigned place = handle_place(closure);

	for (uint32_t i = 0; i < elf->njumps; i++) {
		void *const *slot = (void *const *)(elf->base + elf->jumps[i].r_offset);
		const struct tl_shim *shim =
			ELF64_R_TYPE(elf->jumps[i].r_info) == TL_ELF_JUMP_SLOT &&
					(uintptr_t)slot % sizeof(*slot) == 0
				? tl_shim_names_at(*slot)
				: NULL;

		if (!shim || !tl_shim_names_is_generic(shim))
			continue;
		atomic_store_explicit(&seen[place].entry, shim->entry, memory_order_relaxed);
		atomic_store_explicit(&seen[place].slot, slot, memory_order_relaxed);
		return true;
	}
	return false;
}

static void handle_note(const struct tl_loaded *loaded, const struct link_map *map)
{
	const unsigned place = handle_place(map);

	atomic_store_explicit(&seen[place].slot, NULL, memory_order_relaxed);
	for (unsigned i = loaded->startup; i < loaded->count; i++) {
		if (loaded->elf[i].dynamic != map->l_ld)
			continue;
		if (some_bound)
			tl_loaded_scope(loaded, &loaded->elf[i], library_has_shim, (void *)map);
		else
			library_has_shim(&loaded->elf[i], (void *)map);
	}
	atomic_store_explicit(&seen[place].handle, map, memory_order_relaxed);
	atomic_store_explicit(&seen[place].dynamic, map->l_ld, memory_order_relaxed);
}

/* --- first, which libraries have to stay */

static bool library_is_there_from_start(const struct tl_loaded *loaded, const struct tl_elf *elf)
{
	return (unsigned)(elf - loaded->elf) < loaded->startup;
}

static void slot_note_library(const struct tl_loaded *loaded, struct tl_own_references *of,
			      const struct deep_slot *slot, struct deep_look *look)
{
	(void)of;
	look->any = true;
	if (library_is_there_from_start(loaded, slot->library))
		return;
	for (unsigned i = 0; i < look->count; i++)
		if (look->library[i].dynamic == slot->library->dynamic)
			return;
	if (look->count == HELD_MAX)
		return;
	look->library[look->count].dynamic = slot->library->dynamic;
	look->library[look->count].path = slot->library->path;
	look->library[look->count++].held = false;
}

static unsigned first_to_do(const struct tl_loaded *loaded)
{
	if (done.removed != loaded->generation.removed)
		done.count = 0;
	done.removed = loaded->generation.removed;
	return done.count > loaded->startup ? done.count : loaded->startup;
}

static void libraries_note(const struct tl_loaded *loaded, void *closure)
{
	struct deep_look *look = closure;
	unsigned until = first_to_do(loaded);

	for (unsigned i = until; i < loaded->count; i++) {
		each_slot(loaded, &loaded->elf[i], look, slot_note_library, NULL);
		if (!look->later)
			until = i + 1;
	}
	if (look->any)
		return;
	done.count = until;
	handle_note(loaded, look->map);
}

static void libraries_hold(struct deep_look *look)
{
	for (unsigned i = 0; i < look->count; i++)
		look->library[i].held = tl_resolve_hold(look->library[i].path);
}

/* --- then the slots */

static bool library_stays(const struct tl_loaded *loaded, const struct deep_look *look,
			  const struct tl_elf *elf)
{
	if (library_is_there_from_start(loaded, elf))
		return true;
	for (unsigned i = 0; i < look->count; i++)
		if (look->library[i].held && look->library[i].dynamic == elf->dynamic)
			return true;
	return false;
}

/* As real_settle (real_function.c) does. */
static bool shim_is_for(struct tl_shim *shim, uintptr_t function)
{
	void *real = NULL;

	return atomic_compare_exchange_strong_explicit(&shim->real, &real, (void *)function,
						       memory_order_acq_rel,
						       memory_order_acquire) ||
	       real == (void *)function;
}

static void slot_bind(const struct tl_loaded *loaded, struct tl_own_references *of,
		      const struct deep_slot *slot, struct deep_look *look)
{
	if (!library_stays(loaded, look, slot->library) ||
	    (slot->shim && tl_roles_of(slot->library) != TL_ROLE_LOADER) ||
	    !tl_own_reference_is_writable(of, slot->address) ||
	    (slot->shim && !shim_is_for(slot->shim, slot->function)))
		return;
	tl_own_reference_store(of, slot->address, slot->entry);
	some_bound |= slot->shim != NULL;
}

static void libraries_bind(const struct tl_loaded *loaded, void *closure)
{
	struct deep_look *look = closure;

	tl_own_references_forget();
	look->later = false;
	for (unsigned i = first_to_do(loaded); i < loaded->count; i++) {
		struct tl_own_references references;

		tl_own_references_begin(&references, loaded, &loaded->elf[i]);
		each_slot(loaded, &loaded->elf[i], look, slot_bind, &references);
		tl_own_references_end(&references);
		look->later |= references.later;
		if (!look->later)
			done.count = i + 1;
	}
	handle_note(loaded, look->map);
}

void tl_deep_bound_look(const void *handle)
{
	struct deep_look look = {.map = handle};
	const void *dynamic;

	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !tl_shim_names_generic() ||
	    tl_process_is_confined() || !handle_is_new(handle))
		return;
	/* Checked: another interposer may give the program handles of its own. */
	if (tl_checked_copy(&dynamic, &look.map->l_ld, sizeof(dynamic)) != sizeof(dynamic))
		return;
	/* Which libraries are ours is known from the first look on. */
	if (!tl_roles_nth(0))
		tl_roles_look();
	tl_loaded_with(libraries_note, &look);
	/* As a rule there are none. */
	if (!look.any)
		return;
	tl_roles_look();
	libraries_hold(&look);
	tl_loaded_with(libraries_bind, &look);
}
