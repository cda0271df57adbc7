/* SPDX-License-Identifier: MIT */
#include "toy_sum.h"

long toy_sum(long a, long b)
{
	return a + b;
}
