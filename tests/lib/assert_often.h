/* SPDX-License-Identifier: MIT */
/*
 * assert_often.h: asserts for loops. Check writes to a file where each ck_assert stands that holds, with a system call,
 * which takes longer than what most loops test. These are silent as long as they hold.
 */
#ifndef TL_TESTS_LIB_ASSERT_OFTEN_H
#define TL_TESTS_LIB_ASSERT_OFTEN_H

#include <check.h>
#include <inttypes.h>
#include <string.h>

#define assert_often_msg(condition, ...)                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg(__VA_ARGS__);                                                 \
	} while (0)

#define assert_often(condition) assert_often_msg(condition, "%s does not hold", #condition)

#define assert_often_eq(a, b)                                                                      \
	do {                                                                                       \
		uintmax_t a_ = (a), b_ = (b);                                                      \
		if (a_ != b_)                                                                      \
			ck_abort_msg("%s is %ju, %s is %ju", #a, a_, #b, b_);                      \
	} while (0)

#define assert_often_str_eq(a, b)                                                                  \
	do {                                                                                       \
		const char *a_ = (a), *b_ = (b);                                                   \
		if (strcmp(a_, b_) != 0)                                                           \
			ck_abort_msg("%s is \"%s\", %s is \"%s\"", #a, a_, #b, b_);                \
	} while (0)

#endif
