/* SPDX-License-Identifier: MIT */
/*
 * own_references.h: calls by which a loader reaches its own exported functions.
 *
 * Such a call goes through a slot of the library's procedure linkage table. The dynamic linker
 * fills it by name, so it leads to the shim of that name. But the call is the library's own: it is
 * not recorded, and to recognise it each time costs more than many functions take. So the slot gets
 * the library's own function, which it would have without us.
 *
 * Only slots of calls are changed (JUMP_SLOT). A pointer to a function (GLOB_DAT, or a word in a
 * table) stays the shim's: the library may compare it with one that the program gave it, and that
 * one leads to the shim. (function_identity.h: those of functions whose library compares their own
 * address.)
 */
#ifndef TL_LAYER_RESOLVE_OWN_REFERENCES_H
#define TL_LAYER_RESOLVE_OWN_REFERENCES_H

#include <stdbool.h>

#include "layer/base/loaded_libraries.h"

/* The work on one library; all of it within one tl_loaded_with. */
struct tl_own_references {
	const struct tl_loaded *loaded;
	const struct tl_elf *elf;
	/* what the dynamic linker makes read-only when it has relocated the library */
	uintptr_t protected_from, protected_to;
	bool asked, writable; /* it was tried to make the memory writable; the memory is writable */
	bool later;	      /* the dynamic linker is still working on the library: look again */
};

/* A look at the libraries begins: which of their memory is read-only is found out again. */
void tl_own_references_forget(void);

void tl_own_references_begin(struct tl_own_references *references, const struct tl_loaded *loaded,
			     const struct tl_elf *elf);
void tl_own_references_end(struct tl_own_references *references);

/*
 * Whether without us a reference by this name leads to the library's own function, since no other
 * library that defines it is found first.
 */
bool tl_own_references_come_first(struct tl_own_references *references, const char *name);

/* The slot can be written. False: it stays read-only, or is not yet (.later). */
bool tl_own_reference_is_writable(struct tl_own_references *references, uintptr_t slot);

/* Store an address in a slot of the library. False: the memory can't be written. */
bool tl_own_reference_store(struct tl_own_references *references, uintptr_t slot,
			    uintptr_t address);

/*
 * The library's slot for this relocation leads to a shim, or will: store the library's own function
 * there. False: the slot stays, since the library does not define the function, or another
 * library's function would be called without us, or the memory can't be written.
 */
bool tl_own_reference_bind(struct tl_own_references *references, const ElfW(Rela) *relocation);

#endif
