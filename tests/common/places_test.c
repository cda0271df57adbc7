/* SPDX-License-Identifier: MIT */
/*
 * places_test.c: where buffers files lie, and which names are theirs.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/places.h"

static struct tl_places places;

static void look(const char *runtime, const char *temporary)
{
	ck_assert_int_eq(
		runtime ? setenv("XDG_RUNTIME_DIR", runtime, 1) : unsetenv("XDG_RUNTIME_DIR"), 0);
	ck_assert_int_eq(temporary ? setenv("TMPDIR", temporary, 1) : unsetenv("TMPDIR"), 0);
	tl_places(&places);
}

static void expect(const char *const *folders, unsigned count)
{
	ck_assert_uint_eq(places.count, count);
	for (unsigned i = 0; i < count; i++)
		ck_assert_str_eq(places.folder[i], folders[i]);
}

START_TEST(memory_first_then_the_users_folders)
{
	look("/run/user/7", "/scratch");
	expect((const char *[]){"/dev/shm", "/run/user/7", "/scratch", "/tmp", "/var/tmp"}, 5);
}
END_TEST

START_TEST(none_twice)
{
	look("/dev/shm/", "/tmp//");
	expect((const char *[]){"/dev/shm", "/tmp", "/var/tmp"}, 3);
}
END_TEST

START_TEST(only_absolute_ones_that_fit)
{
	char longer[TL_PLACES_FOLDER + 1];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = 0;
	look("relative", longer);
	expect((const char *[]){"/dev/shm", "/tmp", "/var/tmp"}, 3);
	longer[sizeof(longer) - 2] = 0;
	look(NULL, longer);
	expect((const char *[]){"/dev/shm", longer, "/tmp", "/var/tmp"}, 4);
	look("", "");
	ck_assert_uint_eq(places.count, 3);
}
END_TEST

START_TEST(a_path_is_found_again_by_its_name)
{
	char path[TL_PLACES_PATH];
	uint32_t pid = 0;

	tl_places_path(path, "/dev/shm", 4294967295u, 17);
	ck_assert_str_eq(path, "/dev/shm/" TL_PLACES_PREFIX "4294967295.17");
	ck_assert(tl_places_is_buffers(strrchr(path, '/') + 1, &pid));
	ck_assert_uint_eq(pid, 4294967295u);
}
END_TEST

START_TEST(other_names_are_not_ours)
{
	static const char *const names[] = {
		"",
		"tracelayer-buffers",
		"tracelayer-buffers.",
		"tracelayer-buffers.1",
		"tracelayer-buffers.1.",
		"tracelayer-buffers..1",
		"tracelayer-buffers.1.2.3",
		"tracelayer-buffers.01.2",
		"tracelayer-buffers.1.x",
		"tracelayer-buffers.-1.2",
		"tracelayer-buffers.4294967296.0",
		"tracelayer-buffers.99999999999999999999999.0",
		"xtracelayer-buffers.1.2",
	};
	uint32_t pid;

	ck_assert(tl_places_is_buffers("tracelayer-buffers.1.0", &pid));
	ck_assert(!tl_places_is_buffers(names[_i], &pid));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("places");
	TCase *tests = tcase_create("places");
	SRunner *runner;

	tcase_add_test(tests, memory_first_then_the_users_folders);
	tcase_add_test(tests, none_twice);
	tcase_add_test(tests, only_absolute_ones_that_fit);
	tcase_add_test(tests, a_path_is_found_again_by_its_name);
	tcase_add_loop_test(tests, other_names_are_not_ours, 0, 13);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
