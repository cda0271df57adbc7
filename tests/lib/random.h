/* SPDX-License-Identifier: MIT */
/*
 * random.h: numbers that look random and are the same in every run (xorshift64).
 */
#ifndef TL_TESTS_LIB_RANDOM_H
#define TL_TESTS_LIB_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED UINT64_C(88172645463325252)

static uint64_t random_state = RANDOM_SEED;

static inline uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#endif
