/* SPDX-License-Identifier: MIT */
/*
 * newer_loader.h: a loader of Level Zero that has functions that this build does not know by name.
 *
 * They cannot be traced: they have no shims, and their places in the loader's tables are not known.
 * One line says so, once in a process that records, so that the user knows that the trace is
 * incomplete.
 */
#ifndef TL_LAYER_RESOLVE_NEWER_LOADER_H
#define TL_LAYER_RESOLVE_NEWER_LOADER_H

#include "tracelayer/api.h"

/* A call of this API is about to be recorded. */
void tl_newer_loader_look(const struct tl_api *api);

#endif
