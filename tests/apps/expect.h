/* SPDX-License-Identifier: MIT */
/*
 * expect.h: a program that checks itself says what is not as it should be, goes on, and ends with
 * `wrong`.
 */
#ifndef TESTS_APPS_EXPECT_H
#define TESTS_APPS_EXPECT_H

#include <stdio.h>

static int wrong;

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);            \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

#endif
