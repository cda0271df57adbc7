/* SPDX-License-Identifier: MIT */
/*
 * late_relocation.h: the pointers in the built-in APIs' tables and shims.
 *
 * They are not the dynamic linker's to write, as in every process that would cost more than all else
 * that the library does at its start: gen/late_relocation.awk takes them out of its hands. Until
 * tl_late_relocate has been called, no pointer in these tables may be read. tl_api_need does that.
 */
#ifndef TL_LAYER_RESOLVE_LATE_RELOCATION_H
#define TL_LAYER_RESOLVE_LATE_RELOCATION_H

#include "common/interposer_library.h"

/* Any thread, also in a signal handler, may call it at any time. It calls nothing. */
void tl_late_relocate(void);

/* The same for an interposer's tables. */
void tl_late_relocate_words(const struct tl_late_words *late);

#endif
