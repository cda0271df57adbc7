/* SPDX-License-Identifier: MIT */
/*
 * jit_calls.c: see jit_calls.h. Compiled with -fexceptions, so that LuaJIT's errors can unwind
 * through it.
 */
#include "jit_calls.h"

#include <errno.h>
#include <stdlib.h>

int jit_add(int a, int b)
{
	return a + b;
}

double jit_scale(const struct jit_pair *pair, double by)
{
	return (pair->a + pair->b) * by;
}

struct jit_pair jit_make(int a, double b)
{
	return (struct jit_pair){a, b};
}

int jit_visit_each(int count, jit_visit visit)
{
	int result = 0;

	for (int i = 0; i < count && !result; i++)
		result = visit(i, i * 0.5);
	return result;
}

int jit_sort(int *values, int count, int (*compare)(const int *, const int *))
{
	qsort(values, (size_t)count, sizeof(*values), (int (*)(const void *, const void *))compare);
	return values[0];
}

int jit_errno(int code)
{
	errno = code;
	return -1;
}
