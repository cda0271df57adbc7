/* SPDX-License-Identifier: MIT */
/* crc32_test.c: the checksum of gzip without libdeflate is zlib's, at every length and alignment, and in parts. */
#include <check.h>
#include <stdlib.h>
#include <zlib.h>

#include "format/encode/crc32.h"

#define MOST 5000u

static unsigned char bytes[MOST];

static void bytes_fill(void)
{
	uint32_t state = 1;

	for (unsigned i = 0; i < MOST; i++)
		bytes[i] = (unsigned char)((state = state * 1103515245 + 12345) >> 16);
	tl_crc32_prepare();
}

START_TEST(known_text_has_the_known_checksum)
{
	ck_assert_uint_eq(tl_crc32(0, "123456789", 9), 0xcbf43926);
	ck_assert_uint_eq(tl_crc32(0, "", 0), 0);
}
END_TEST

START_TEST(every_length_and_alignment_is_as_zlib_has_it)
{
	for (unsigned size = 0; size < 300; size++)
		for (unsigned at = 0; at < 9; at++)
			ck_assert_uint_eq(tl_crc32(size, bytes + at, size),
					  crc32(size, bytes + at, size));
}
END_TEST

START_TEST(parts_in_turn_are_the_whole)
{
	uint32_t whole = tl_crc32(0, bytes, MOST), crc = 0;

	for (unsigned at = 0, part = 1; at < MOST; at += part, part = part * 3 % 101) {
		unsigned size = part < MOST - at ? part : MOST - at;

		crc = tl_crc32(crc, bytes + at, size);
	}
	ck_assert_uint_eq(crc, whole);
	ck_assert_uint_eq(whole, crc32(0, bytes, MOST));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crc32");
	TCase *tests = tcase_create("bytes");

	tcase_add_checked_fixture(tests, bytes_fill, NULL);
	suite_add_tcase(suite, tests);
	tcase_add_test(tests, known_text_has_the_known_checksum);
	tcase_add_test(tests, every_length_and_alignment_is_as_zlib_has_it);
	tcase_add_test(tests, parts_in_turn_are_the_whole);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
