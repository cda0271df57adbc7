/* SPDX-License-Identifier: MIT */
/*
 * jit_calls.h: a small library that calls back, for tests/whole/stack_luajit.sh: LuaJIT calls it by
 * its FFI, and leaves it from callbacks by errors.
 */
#ifndef JIT_CALLS_H
#define JIT_CALLS_H

struct jit_pair {
	int a;
	double b;
};

typedef int (*jit_visit)(int index, double value);

int jit_add(int a, int b);
double jit_scale(const struct jit_pair *pair, double by);
struct jit_pair jit_make(int a, double b);
/* until it returns something else than 0, which is the result */
int jit_visit_each(int count, jit_visit visit);
int jit_sort(int *values, int count, int (*compare)(const int *, const int *));
int jit_errno(int code); /* sets errno to it */

#endif
