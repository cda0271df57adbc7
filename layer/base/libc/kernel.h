/* SPDX-License-Identifier: MIT */
/*
 * kernel.h: system calls without the C library.
 *
 * The answer is the kernel's own: a result, or -errno. These calls use and change nothing of the
 * calling thread, errno included. So they work in a thread that the C library does not know of, and
 * no other library can stand in their place. Each machine has a header for what differs.
 */
#ifndef TL_LAYER_BASE_LIBC_KERNEL_H
#define TL_LAYER_BASE_LIBC_KERNEL_H

#include <stdint.h>
#include <sys/mman.h>

/* Older headers lack it. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* For stack unwinders; only where the compiler itself writes unwind tables. */
#ifdef __GCC_HAVE_DWARF2_CFI_ASM
#define TL_NO_CALLER(return_address) ".cfi_remember_state\n\t.cfi_undefined " return_address "\n\t"
#define TL_CALLER_AGAIN		     ".cfi_restore_state\n"
#else
#define TL_NO_CALLER(return_address)
#define TL_CALLER_AGAIN "\n"
#endif

/*
 * For a function that the dynamic linker runs before it has relocated this library: nothing that
 * compilers add to functions (sanitizers, coverage, profilers) may be called there. A function that is
 * inlined would bring its own.
 */
#define TL_BEFORE_RELOCATION                                                                       \
	TL_UNSANITIZED                                                                             \
	__attribute__((no_sanitize("address", "thread", "undefined"), no_instrument_function,      \
		       no_profile_instrument_function))
#if !defined(__has_attribute)
#define TL_UNSANITIZED
#elif __has_attribute(disable_sanitizer_instrumentation)
#define TL_UNSANITIZED __attribute__((disable_sanitizer_instrumentation, no_sanitize("coverage")))
#elif __has_attribute(no_sanitize_coverage)
#define TL_UNSANITIZED __attribute__((no_sanitize_coverage, no_stack_protector))
#else
#define TL_UNSANITIZED
#endif

#if defined(__x86_64__)
#include "layer/base/libc/kernel_x86_64.h"
#elif defined(__aarch64__)
#include "layer/base/libc/kernel_aarch64.h"
#else
#error "tracelayer runs on x86-64 and aarch64; another machine needs a header of its own here"
#endif

/* Up to six arguments, numbers or pointers. */
#define TL_KERNEL(...) TL_KERNEL_PICK(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define TL_KERNEL_PICK(number, a, b, c, d, e, f, ...)                                              \
	tl_kernel((long)(number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
