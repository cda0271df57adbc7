/* SPDX-License-Identifier: MIT */
/*
 * old_glibc.h: functions of the C library in versions that glibc 2.28 has, for --enable-portable.
 *
 * glibc 2.34 took the libraries of threads and of dlopen into itself, and gave their functions a new
 * version; 2.33 did so with stat, which had been an inline function. What is linked with a newer
 * glibc asks for these versions. So libtl_portable.a is linked into each program and library, with
 * the files old_*.c: hidden functions that come before the C library's, and call the old versions,
 * which all releases of glibc have. Before 2.34 these lie in libpthread.so.0 and libdl.so.2, so that
 * portable programs and libraries need these two, which have been empty since.
 *
 * libtracelayer.so exports some of these functions itself. A hidden one beside it would hide that
 * one, too. So what it exports (dlsym, dlerror, dladdr) is in a file of its own, which the linker
 * takes only where a function of that file is missing.
 */
#ifndef TL_COMMON_OLD_GLIBC_H
#define TL_COMMON_OLD_GLIBC_H

/* The first version of glibc for the machine, and 2.3.3 or its first later one. */
#ifdef __x86_64__
#define OLD_FIRST "GLIBC_2.2.5"
#define OLD_2_3_3 "GLIBC_2.3.3"
#else
#define OLD_FIRST "GLIBC_2.17"
#define OLD_2_3_3 "GLIBC_2.17"
#endif

/* Where a program or library has such a function of its own, that one counts. */
#define OLD_HERE __attribute__((weak, visibility("hidden")))

#define OLD_IN(version, result, name, parameters, arguments)                                       \
	result old_##name parameters;                                                              \
	__asm__(".symver old_" #name "," #name "@" version);                                       \
	OLD_HERE result name parameters;                                                           \
	OLD_HERE result name parameters                                                            \
	{                                                                                          \
		return old_##name arguments;                                                       \
	}
#define OLD(result, name, parameters, arguments)                                                   \
	OLD_IN(OLD_FIRST, result, name, parameters, arguments)

#endif
