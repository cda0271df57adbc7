/* SPDX-License-Identifier: MIT */
/*
 * old_dlsym.c: dlsym and its kin for --enable-portable, see old_glibc.h. libtracelayer.so has its own.
 */
#include <dlfcn.h>

#include "common/old_glibc.h"

OLD(void *, dlsym, (void *library, const char *name), (library, name))
OLD(char *, dlerror, (void), ())
OLD(int, dladdr, (const void *address, Dl_info *found), (address, found))
