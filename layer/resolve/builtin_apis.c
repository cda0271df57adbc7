/* SPDX-License-Identifier: MIT */
/*
 * builtin_apis.c: the APIs whose shims libtracelayer.so brings itself.
 */
#include "layer/resolve/api_table.h"

extern struct tl_shim_library tl_library_ze, tl_library_cl;

struct tl_shim_library *const tl_api_builtin[] = {&tl_library_ze, &tl_library_cl, NULL};
