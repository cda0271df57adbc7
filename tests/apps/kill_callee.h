/* SPDX-License-Identifier: MIT */
/*
 * kill_callee.h: what the program that gets killed calls (kill_target.c). Shims are made of this
 * header.
 */
#ifndef KILL_CALLEE_H
#define KILL_CALLEE_H

#include <stdint.h>

/* The n-th call of a thread, with arguments that can be told to be right. */
int kill_step(uint64_t n, uint32_t thread, int minus, uint64_t triple);

/* The same, with memory that is captured. */
int kill_text(uint64_t n, uint32_t thread, const char *text);

/* Calls `then`, inside of itself. */
int kill_within(uint32_t depth, uint32_t thread, void (*then)(uint32_t depth, uint32_t thread));

#endif
