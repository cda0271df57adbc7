/* SPDX-License-Identifier: MIT */
/*
 * function_identity.h: pointers to functions that their library compares.
 *
 * A library that is bound to itself (-Bsymbolic, protected functions) has its functions' own
 * addresses. A program that takes the address of such a function gets the shim's. Then the two
 * differ, and the library does not recognise its function: Qt finds no signal. tracegen marks the
 * functions of which a library may do so (TL_FUNCTION_COMPARED). For these, pointers (GLOB_DAT,
 * words in tables) of all libraries get the address that they have without us. The answers of dlsym
 * stay with the shim, and so do calls through a JUMP_SLOT.
 *
 * A GLOB_DAT slot may serve calls, too: linkers for x86-64 make one slot for both where a library
 * takes the function's address and calls it, and with -fno-plt there is no other slot. Equal
 * pointers come first: then such calls are not traced. But where a library for x86-64 has no JUMP_SLOT
 * for an API, and only calls through a slot (call_slots.h), the slot stays with the shim.
 *
 * A look at the libraries (library_roles.h) does it. It comes with our constructor, and with the first
 * call of each function. dlsym does not look: it would wait for the dynamic linker's lock, which a
 * forked child may never get.
 *
 * A library that is opened later gets these addresses from the dynamic linker: the interposer has a
 * symbol for pointers beside that for calls (gen/interposer_elf.c), and the first look gives it its
 * value. In such a library, no slot that serves calls, too, stays with the shim. A plugin may keep
 * shims' addresses in two cases. The traced library was itself opened later: it could be closed again,
 * and then the value would lead nowhere. Or the library has the function in several versions.
 */
#ifndef TL_LAYER_RESOLVE_FUNCTION_IDENTITY_H
#define TL_LAYER_RESOLVE_FUNCTION_IDENTITY_H

#include <stdbool.h>

#include "layer/base/loaded_libraries.h"

/* Look at libraries that were loaded since the last time, if an interposer has such functions. */
void tl_identity_look(void);

/*
 * The part of a look at the libraries; within tl_loaded_with, when our libraries have their role.
 * True: the dynamic linker is still working on a library: look again.
 */
bool tl_identity_restore(const struct tl_loaded *loaded);

#endif
