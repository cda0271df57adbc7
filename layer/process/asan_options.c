/* SPDX-License-Identifier: MIT */
/*
 * asan_options.c: programs with AddressSanitizer start.
 *
 * Its runtime, where it is a shared library, refuses to start behind a preloaded one, unless it is
 * told not to look; it works all the same. It asks a function of this name for defaults, before it
 * reads ASAN_OPTIONS. A program that has such a function itself is asked in our place: then that has
 * to say it, or ASAN_OPTIONS.
 */
#include "tracelayer/shim.h"

/* Maybe before any constructor. */
TL_EXPORT const char *__asan_default_options(void);

TL_EXPORT __attribute__((no_sanitize("address", "thread", "undefined"))) const char *
__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
