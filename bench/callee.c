/* SPDX-License-Identifier: MIT */
/*
 * callee.c: the library whose calls are measured.
 */
#include "bench/plain.h"

/* What calls change, so that no compiler leaves any of them out. */
static volatile int state;

int bench_none(void)
{
	return state;
}
int bench_one(uint64_t a)
{
	return state + (int)a;
}
int bench_four(uint64_t a, uint32_t b, int c, uint64_t d)
{
	return state + (int)(a + b + d) + c;
}
int bench_pointer(uint64_t a, const struct bench_box *box)
{
	return state + (int)(a + box->width);
}

int plain_none(void)
{
	return state;
}
int plain_one(uint64_t a)
{
	return state + (int)a;
}
int plain_four(uint64_t a, uint32_t b, int c, uint64_t d)
{
	return state + (int)(a + b + d) + c;
}
int plain_pointer(uint64_t a, const struct bench_box *box)
{
	return state + (int)(a + box->width);
}
