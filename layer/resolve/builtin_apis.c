/* SPDX-License-Identifier: MIT */
/*
 * builtin_apis.c: the APIs whose shims are in libtracelayer.so itself.
 */
#include "layer/process/runtime.h"

extern struct tl_shim_library tl_library_ze, tl_library_cl;

struct tl_shim_library *const tl_runtime_builtin[] = {&tl_library_ze, &tl_library_cl, NULL};
