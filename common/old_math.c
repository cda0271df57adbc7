/* SPDX-License-Identifier: MIT */
/*
 * old_math.c: functions of libm for --enable-portable, see old_glibc.h. The linker has met libm when it comes to
 * this file, so it is told to take it: -u tl_old_math.
 */
#include <math.h>

#include "common/old_glibc.h"

extern const char tl_old_math;
OLD_HERE const char tl_old_math;

OLD(double, exp, (double x), (x))
OLD(double, log, (double x), (x))
OLD(double, log2, (double x), (x))
OLD(double, pow, (double x, double y), (x, y))
