/* SPDX-License-Identifier: MIT */
/*
 * newer_loader.h: a loader of Level Zero that has functions of which nobody here knows so much as
 * the name.
 *
 * They can't be traced: nothing stands before them, and in the loader's tables their places are not
 * known. So that nobody takes a trace for whole that is not, a line tells of it, once in a process
 * that records.
 */
#ifndef TL_LAYER_RESOLVE_NEWER_LOADER_H
#define TL_LAYER_RESOLVE_NEWER_LOADER_H

#include "tracelayer/api.h"

/* A call of this API is about to be recorded. */
void tl_newer_loader_look(const struct tl_api *api);

#endif
