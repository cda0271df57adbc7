/* SPDX-License-Identifier: MIT */
/*
 * libc.h: the part of a C library that libtracelayer.so brings along for itself (libc_bytes.c,
 * libc_calls.c, libc_texts.c).
 *
 * Hidden functions under the C library's names: the linker binds to them whatever libtracelayer.so
 * calls by such a name, and nobody else sees them. So neither the writer's thread nor an exit
 * handler reaches a function that another library may have replaced: UCX replaces mmap, fakeroot
 * fstat, libfaketime clock_gettime, a sanitizer nearly everything, and their replacements allocate,
 * print, or use thread-local state that the writer's thread doesn't have. tests/base/libc/libc_static.sh
 * looks at every call that the thread can reach; tests/base/libc/libc_calls.sh runs with replacements
 * for all.
 *
 * Test programs that link the layer's objects have the C library's functions, and so has a build
 * under a sanitizer.
 */
#ifndef TL_LAYER_BASE_LIBC_LIBC_H
#define TL_LAYER_BASE_LIBC_LIBC_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define TL_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TL_SANITIZED
#endif

#ifndef TL_SANITIZED
#define TL_OWN_LIBC
#endif

#endif
