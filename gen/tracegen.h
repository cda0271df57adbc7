/* SPDX-License-Identifier: MIT */
/*
 * tracegen.h: what the tracegen command asks of descriptor.c and check.c, beyond gen/model.h.
 */
#ifndef TL_GEN_TRACEGEN_H
#define TL_GEN_TRACEGEN_H

#include "gen/model.h"

/* The headers and compiler flags that a descriptor names. -1 after an error (printed). */
int descriptor_sources(const char *descriptor, struct model_sources *sources);

/*
 * The sonames of a descriptor that names headers, or of one that names none; NULL: it is not such a one, or
 * it is broken.
 */
const char **descriptor_sonames(const char *descriptor, bool with_headers, size_t *count);

/*
 * Compare the model with the library at `path`: print what of its exports has a shim, and what has
 * none and why. With `shims`, the library that holds the shims, a shim is one that this library
 * exports. 0: all is accounted for; 1: something is missing; -1 after an error (printed).
 */
int library_check(const struct model *model, const char *path, const char *shims, FILE *to);

#endif
