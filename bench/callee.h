/* SPDX-License-Identifier: MIT */
/*
 * callee.h: the functions that the benchmarks call. They do next to nothing, so that the way to
 * them is measured. Shims are made of this header; plain.h has the same functions under names
 * without a shim.
 */
#ifndef BENCH_CALLEE_H
#define BENCH_CALLEE_H

#include <stdint.h>

struct bench_box {
	uint64_t width, height;
	uint32_t depth, kind;
};

int bench_none(void);
int bench_one(uint64_t a);
int bench_four(uint64_t a, uint32_t b, int c, uint64_t d);
int bench_pointer(uint64_t a, const struct bench_box *box);

#endif
