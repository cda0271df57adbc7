/* SPDX-License-Identifier: MIT */
/*
 * libc.h: the contract of layer/base/libc: what stands in the C library's place.
 *
 * libtracelayer.so brings a small part of a C library along for itself (libc_bytes.c, libc_calls.c,
 * libc_mutex.c, libc_texts.c): hidden functions under the C library's names. The linker binds every
 * call that libtracelayer.so makes by such a name to them, and nobody else sees them. So no code of
 * libtracelayer.so reaches a function that another library has replaced. UCX replaces mmap,
 * fakeroot fstat, libfaketime clock_gettime, a sanitizer nearly everything. Such replacements
 * allocate, print, or use thread-local state that the writer's thread does not have.
 *
 * Promise: each function does what the C library's does, errno included, for the arguments that
 * libtracelayer.so uses. Each makes at most the system call of its name, allocates nothing
 * and is no point where a thread can be cancelled. tests/base/libc/libc_static.sh looks at
 * every call that the writer's thread can reach; tests/base/libc/libc_calls.sh runs with
 * replacements for all.
 *
 * Besides there are: system calls without the C library (kernel.h), reading an ELF image without it
 * (elf_image.h), and what ThreadSanitizer is told of our locks (sanitizer.h).
 *
 * Who may call: every room of the layer, in any thread, in a signal handler, in a forked child.
 * pthread_mutex_lock and its kin are the exception: not in a signal handler.
 * What it uses: the kernel, and no other room.
 *
 * Test programs that link the layer's objects have the C library's functions, and so has a build
 * under a sanitizer (own_libc.h).
 */
#ifndef TL_LAYER_BASE_LIBC_LIBC_H
#define TL_LAYER_BASE_LIBC_LIBC_H

#include "layer/base/libc/elf_image.h"
#include "layer/base/libc/kernel.h"
#include "layer/base/libc/sanitizer.h"

#endif
