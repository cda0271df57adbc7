/* SPDX-License-Identifier: MIT */
/*
 * plain.h: the functions of callee.h again, under names that have no shim.
 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include "bench/callee.h"

int plain_none(void);
int plain_one(uint64_t a);
int plain_four(uint64_t a, uint32_t b, int c, uint64_t d);
int plain_pointer(uint64_t a, const struct bench_box *box);

#endif
