/* SPDX-License-Identifier: MIT */
/*
 * call_slots.h: slots of a library's global offset table that serve calls only.
 *
 * A library that is compiled with -fno-plt calls functions through the slots that also give their
 * addresses (GLOB_DAT). Its instructions say which of the two a slot is for.
 *
 * Known for x86-64 alone. A slot that is read in any other way than by a call or a jump, or not at
 * all, does not count.
 */
#ifndef TL_LAYER_RESOLVE_CALL_SLOTS_H
#define TL_LAYER_RESOLVE_CALL_SLOTS_H

#include <stdbool.h>

#include "layer/base/loaded_libraries.h"

/*
 * Reads the library's code, for slots at `from` and above. Within tl_loaded_with, whose lock allows
 * one thread at a time. The answers are good until the next library is read.
 */
void tl_call_slots_read(const struct tl_elf *elf, uintptr_t from);

/* The library calls or jumps through this slot, and does nothing else with it. */
bool tl_call_slots_has(uintptr_t slot);

#endif
