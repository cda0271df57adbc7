/* SPDX-License-Identifier: MIT */
/*
 * old_start.c: how a program starts by glibc 2.28, for --enable-portable: see old_glibc.h. Since 2.34 the
 * C library itself calls a program's constructors. The old version of __libc_start_main has them
 * called by a function of the program's, in any release.
 */
#include <stddef.h>

#include "common/old_glibc.h"

typedef void (*constructor)(int argc, char **argv, char **environment);
typedef int (*program)(int argc, char **argv, char **environment);

extern const constructor __init_array_start[], __init_array_end[];
void _init(void);

int old_start(program main, int argc, char **argv, constructor init, void (*fini)(void),
	      void (*loader_fini)(void), void *stack_end);
__asm__(".symver old_start,__libc_start_main@" OLD_FIRST);

static void constructors_call(int argc, char **argv, char **environment)
{
	size_t count = (size_t)(__init_array_end - __init_array_start);

	_init();
	for (size_t i = 0; i < count; i++)
		__init_array_start[i](argc, argv, environment);
}

OLD_HERE int __libc_start_main(program main, int argc, char **argv, constructor init,
			       void (*fini)(void), void (*loader_fini)(void), void *stack_end);
OLD_HERE int __libc_start_main(program main, int argc, char **argv, constructor init,
			       void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	(void)init, (void)fini;
	return old_start(main, argc, argv, constructors_call, NULL, loader_fini, stack_end);
}
