/* SPDX-License-Identifier: MIT */
/*
 * loaded_interposers.h: interposers (gen/interposer.c) that are loaded when the process starts.
 */
#ifndef TL_LAYER_RESOLVE_LOADED_INTERPOSERS_H
#define TL_LAYER_RESOLVE_LOADED_INTERPOSERS_H

#include <stdbool.h>

#include "layer/base/libc/elf_image.h"

bool tl_elf_is_interposer(const struct tl_elf *elf);

/*
 * At the start: run the constructors of all interposers, which register them. The dynamic linker
 * would run them last. The constructors of the program's libraries run before that, and may call
 * the functions of interposers. By then all libraries are relocated. A call that comes from within
 * the start, before this, does it, too.
 */
void tl_interposers_register(void);

#endif
