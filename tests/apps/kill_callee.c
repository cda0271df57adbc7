/* SPDX-License-Identifier: MIT */
/*
 * kill_callee.c: see kill_callee.h.
 */
#include "kill_callee.h"

int kill_step(uint64_t n, uint32_t thread, int minus, uint64_t triple)
{
	return (int)(n + thread + triple) + minus;
}

int kill_text(uint64_t n, uint32_t thread, const char *text)
{
	return (int)(n + thread) + *text;
}

int kill_within(uint32_t depth, uint32_t thread, void (*then)(uint32_t depth, uint32_t thread))
{
	then(depth, thread);
	return 0;
}
