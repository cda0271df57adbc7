/* SPDX-License-Identifier: MIT */
/* toy_sum.h: one function, for tests of programs of many threads. */
#ifndef TOY_SUM_H
#define TOY_SUM_H
long toy_sum(long a, long b);
#endif
