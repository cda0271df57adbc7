/* SPDX-License-Identifier: MIT */
/*
 * own_libc.h: TL_OWN_LIBC is defined where libtracelayer.so has functions of the C library of its
 * own. A build under a sanitizer has the sanitizer's.
 */
#ifndef TL_LAYER_BASE_LIBC_OWN_LIBC_H
#define TL_LAYER_BASE_LIBC_OWN_LIBC_H

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
