/* SPDX-License-Identifier: MIT */
/*
 * old_dlopen.c: dlopen and its kin for --enable-portable, see old_glibc.h. The C library asks who called
 * them: the caller is in the same file as this one.
 */
#include <dlfcn.h>

#include "common/old_glibc.h"

OLD(void *, dlopen, (const char *path, int flags), (path, flags))
OLD(int, dlclose, (void *library), (library))
OLD_IN(OLD_2_3_3, int, dlinfo, (void *library, int what, void *found), (library, what, found))
