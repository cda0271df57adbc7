/* SPDX-License-Identifier: MIT */
/*
 * shared_ffi.h: libffi for closure.c: linked in, or (configure --with-bundled=no) loaded with the first closure.
 *
 * A loaded libffi must not be among what libtracelayer.so needs: every program would then have it. It is
 * opened with RTLD_LOCAL, and never closed. A program that opens libffi by the same soname later, or
 * has it already, shares it.
 */
#ifndef TL_LAYER_RESOLVE_SHARED_FFI_H
#define TL_LAYER_RESOLVE_SHARED_FFI_H

#include <ffi.h>
#include <stdbool.h>

#ifndef LIBFFI_SONAME

static inline bool tl_ffi_load(void)
{
	return true;
}

#else

#define TL_FFI_SYMBOLS(ROW)                                                                        \
	ROW(ffi_prep_cif)                                                                          \
	ROW(ffi_call)                                                                              \
	ROW(ffi_closure_alloc)                                                                     \
	ROW(ffi_closure_free)                                                                      \
	ROW(ffi_prep_closure_loc)                                                                  \
	ROW(ffi_type_void)                                                                         \
	ROW(ffi_type_uint8)                                                                        \
	ROW(ffi_type_sint8)                                                                        \
	ROW(ffi_type_uint16)                                                                       \
	ROW(ffi_type_sint16)                                                                       \
	ROW(ffi_type_uint32)                                                                       \
	ROW(ffi_type_sint32)                                                                       \
	ROW(ffi_type_uint64)                                                                       \
	ROW(ffi_type_sint64)                                                                       \
	ROW(ffi_type_float)                                                                        \
	ROW(ffi_type_double)                                                                       \
	ROW(ffi_type_longdouble)                                                                   \
	ROW(ffi_type_pointer)

#define TL_FFI_ROW(name) __typeof__(&name) name;
struct tl_ffi {
	TL_FFI_SYMBOLS(TL_FFI_ROW)
};
#undef TL_FFI_ROW

/*
 * False if libffi can't be loaded or lacks a function; the first such answer is said on stderr. Any thread
 * that may call dlopen. Only after true may the names below be used.
 */
bool tl_ffi_load(void);
extern struct tl_ffi tl_ffi;

#ifndef TL_FFI_INSIDE
#define ffi_prep_cif	     tl_ffi.ffi_prep_cif
#define ffi_call	     tl_ffi.ffi_call
#define ffi_closure_alloc    tl_ffi.ffi_closure_alloc
#define ffi_closure_free     tl_ffi.ffi_closure_free
#define ffi_prep_closure_loc tl_ffi.ffi_prep_closure_loc
#define ffi_type_void	     (*tl_ffi.ffi_type_void)
#define ffi_type_uint8	     (*tl_ffi.ffi_type_uint8)
#define ffi_type_sint8	     (*tl_ffi.ffi_type_sint8)
#define ffi_type_uint16	     (*tl_ffi.ffi_type_uint16)
#define ffi_type_sint16	     (*tl_ffi.ffi_type_sint16)
#define ffi_type_uint32	     (*tl_ffi.ffi_type_uint32)
#define ffi_type_sint32	     (*tl_ffi.ffi_type_sint32)
#define ffi_type_uint64	     (*tl_ffi.ffi_type_uint64)
#define ffi_type_sint64	     (*tl_ffi.ffi_type_sint64)
#define ffi_type_float	     (*tl_ffi.ffi_type_float)
#define ffi_type_double	     (*tl_ffi.ffi_type_double)
#define ffi_type_longdouble  (*tl_ffi.ffi_type_longdouble)
#define ffi_type_pointer     (*tl_ffi.ffi_type_pointer)
#endif

#endif

#endif
