/* SPDX-License-Identifier: MIT */
/*
 * The string functions that libtracelayer.so has for itself (layer/base/libc/libc_bytes.c) against
 * the C library's: every short size, every alignment, overlaps.
 */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/lib/assert_often.h"

static void *(*const real_memmove)(void *, const void *, size_t) = memmove;
static int (*const real_memcmp)(const void *, const void *, size_t) = memcmp;
static size_t (*const real_strlen)(const char *) = strlen;
static char *(*const real_strstr)(const char *, const char *) = strstr;
static char *(*const real_strncpy)(char *, const char *, size_t) = strncpy;
static int (*const real_strncmp)(const char *, const char *, size_t) = strncmp;
static char *(*const real_strrchr)(const char *, int) = strrchr;

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#undef memchr /* macros of glibc 2.43 */
#undef strchr
#undef strrchr
#undef strstr
#define memcpy	      own_memcpy
#define memmove	      own_memmove
#define memset	      own_memset
#define memcmp	      own_memcmp
#define bcmp	      own_bcmp
#define memchr	      own_memchr
#define memmem	      own_memmem
#define strlen	      own_strlen
#define strnlen	      own_strnlen
#define strcmp	      own_strcmp
#define strncmp	      own_strncmp
#define strchr	      own_strchr
#define strrchr	      own_strrchr
#define strspn	      own_strspn
#define strcspn	      own_strcspn
#define strstr	      own_strstr
#define stpcpy	      own_stpcpy
#define strcpy	      own_strcpy
#define strncpy	      own_strncpy
#define strcat	      own_strcat
#define __memcpy_chk  own_memcpy_chk
#define __memmove_chk own_memmove_chk
#define __memset_chk  own_memset_chk
#define __strcpy_chk  own_strcpy_chk
#define __strncpy_chk own_strncpy_chk
#undef __SANITIZE_ADDRESS__
#undef __SANITIZE_THREAD__
#define TL_OWN_LIBC
#include "layer/base/libc/libc_bytes.c"

#define ROOM 1024
static unsigned char here[ROOM], there[ROOM];

static void fill(unsigned seed)
{
	for (unsigned i = 0; i < ROOM; i++)
		here[i] = there[i] = (unsigned char)((i * 31 + seed * 7) | 1);
}

static void check_same(void)
{
	assert_often(!real_memcmp(here, there, ROOM));
}

START_TEST(memory_is_moved_whatever_overlaps)
{
	for (size_t size = 0; size < 300; size++)
		for (size_t from = 0; from < 400; from += size < 40 ? 1 : 7)
			for (size_t to = 0; to < 400; to += size < 40 ? 13 : 29) {
				fill((unsigned)size);
				assert_often(own_memmove(here + to, here + from, size) ==
					     here + to);
				real_memmove(there + to, there + from, size);
				check_same();
			}
}
END_TEST

START_TEST(memory_is_set)
{
	for (size_t size = 0; size < 200; size++)
		for (size_t at = 0; at < 20; at++) {
			fill(1);
			own_memset(here + at, 0xa5, size);
			for (size_t i = 0; i < size; i++)
				there[at + i] = 0xa5;
			check_same();
		}
}
END_TEST

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

START_TEST(memory_is_compared)
{
	for (size_t size = 0; size < 70; size++)
		for (size_t at = 0; at < 9; at++)
			for (size_t other = 0; other <= size; other++) {
				fill(3);
				real_memmove(there, here + at, size);
				if (other < size)
					there[other] ^= 0x90;
				assert_often_eq(sign(own_memcmp(here + at, there, size)),
						sign(real_memcmp(here + at, there, size)));
			}
}
END_TEST

/* Right before a page that can't be read. */
START_TEST(strings_end_where_they_end)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     copy[256], want[256]; /* gcc 14 takes room for 129 bytes or more */

	ck_assert(!mprotect(pages + 4096, 4096, PROT_NONE));
	for (size_t size = 0; size < 70; size++) {
		char *text = pages + 4096 - size - 1;
		own_memset(pages, 'y', 4096);
		text[size] = 0;
		ck_assert_uint_eq(own_strlen(text), size);
		ck_assert_uint_eq(own_strlen(text), real_strlen(text));
		ck_assert_uint_eq(own_strnlen(text, 20), size < 20 ? size : 20);
		ck_assert_str_eq(own_strcpy(copy, text), text);
		real_strncpy(want, text, sizeof(want));
		own_strncpy(copy, text, sizeof(copy));
		ck_assert_mem_eq(copy, want, sizeof(want));
		ck_assert_ptr_eq(own_strchr(text, 0), text + size);
		ck_assert_ptr_null(own_strchr(text, 'x'));
		ck_assert_ptr_eq(own_strrchr(text, 'y'), real_strrchr(text, 'y'));
		ck_assert_uint_eq(own_strspn(text, "xy"), size);
		ck_assert_uint_eq(own_strcspn(text, "xz"), size);
		ck_assert_ptr_eq(own_strstr(text, "yyy"), real_strstr(text, "yyy"));
		ck_assert_ptr_null(own_strstr(text, "yx"));
		ck_assert_ptr_null(own_memmem(text, size, "yx", 2));
		ck_assert_ptr_eq(own_memmem(text, size + 1, "", 1), text + size);
		ck_assert_int_eq(own_strcmp(text, copy), 0);
		ck_assert_int_eq(sign(own_strncmp(text, "yyyz", 4)),
				 sign(real_strncmp(text, "yyyz", 4)));
	}
	munmap(pages, 8192);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("own_bytes");
	TCase *tcase = tcase_create("bytes");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, memory_is_moved_whatever_overlaps);
	tcase_add_test(tcase, memory_is_set);
	tcase_add_test(tcase, memory_is_compared);
	tcase_add_test(tcase, strings_end_where_they_end);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
