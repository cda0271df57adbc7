/* SPDX-License-Identifier: MIT */
/*
 * output_test.c: what trace files are called, and that they are never made through somebody else's
 * link.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/output.h"

#define NOBODY 65534

static char folder[64];
static struct tl_output output;

static void start(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/tracelayer-output.XXXXXX",
		 base && strlen(base) < 30 ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	memset(&output, 0, sizeof(output));
}

static void stop(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static int create(const char *path)
{
	snprintf(output.path, sizeof(output.path), "%s", path);
	return tl_output_create(&output);
}

static mode_t mode_of(const char *path)
{
	struct stat stat;

	ck_assert_msg(!lstat(path, &stat), "%s is not there", path);
	return stat.st_mode;
}

static const char *expanded(const char *pattern, int64_t rank)
{
	static char path[TL_OUTPUT_PATH];

	ck_assert(tl_output_expand(path, sizeof(path), pattern, rank));
	return path;
}

START_TEST(patterns_are_filled_in)
{
	char expected[300], program[256];
	struct utsname host;

	snprintf(expected, sizeof(expected), "/a/%d-3-%%.json", (int)getpid());
	ck_assert_str_eq(expanded("/a/%p-%r-%%.json", 3), expected);
	ck_assert_str_eq(expanded("a.%r.json", 0), "a.0.json");
	/* Nobody's rank is not claimed. */
	ck_assert_str_eq(expanded("a.%r.json", -1), "a.json");
	ck_assert_str_eq(expanded("a-%r.json", -1), "a.json");
	ck_assert_str_eq(expanded("rank%r.json", -1), "rank.json");
	ck_assert_str_eq(expanded("%r.json", -1), "none.json");
	ck_assert_str_eq(expanded("/a/%r.json", -1), "/a/none.json");
	uname(&host);
	ck_assert_str_eq(expanded("%h", -1), host.nodename);
	tl_output_program(program, sizeof(program));
	ck_assert_str_eq(expanded("%e", -1), program);
	ck_assert_str_eq(program, "output_test");
	ck_assert_str_eq(expanded("a%", -1), "a%");
}
END_TEST

START_TEST(a_folder_gets_the_default_name)
{
	char path[200], pattern[64];

	snprintf(path, sizeof(path), "trace.output_test.%d.json", (int)getpid());
	mkdir("in", 0700);
	mkdir("t.json", 0700);
	ck_assert_str_eq(expanded("in", -1) + 3, path);
	ck_assert_str_eq(expanded("in/", -1) + 3, path);
	ck_assert_str_eq(expanded("in/.", -1) + 3, path);
	ck_assert_str_eq(expanded("./", -1) + 2, path);
	ck_assert_str_eq(expanded(".", -1) + 2, path);
	ck_assert_str_eq(expanded("t.json", -1) + 7, path);
	/* One that is not there is said when the file is to be made. */
	ck_assert_str_eq(expanded("out/", -1) + 4, path);
	snprintf(pattern, sizeof(pattern), "out");
	ck_assert_str_eq(expanded(pattern, -1), "out");
}
END_TEST

START_TEST(a_place_is_judged_before_anything_is_made)
{
	char lengthy[300] = "";

	ck_assert_int_eq(tl_output_check("t.json"), 0);
	ck_assert_int_ne(access("t.json", F_OK), 0);
	ck_assert_int_eq(tl_output_check("missing/t.json"), -ENOENT);
	memset(lengthy, 'x', sizeof(lengthy) - 1);
	ck_assert_int_eq(tl_output_check(lengthy), -ENAMETOOLONG);
	ck_assert_int_ge(create("file"), 0);
	ck_assert_int_eq(tl_output_check("file/t.json"), -ENOTDIR);
	/* What is taken gets a number. */
	ck_assert_int_eq(tl_output_check("file"), 0);
	ck_assert_int_eq(tl_output_check("/dev/null"), 0);
	ck_assert_int_eq(tl_output_check("/proc/t.json"), getuid() ? -EACCES : 0);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(tl_output_check("pipe"), 0);
	if (getuid())
		return;
	ck_assert_int_eq(chown("pipe", NOBODY, NOBODY), 0);
	ck_assert_int_eq(tl_output_check("pipe"), -TL_OUTPUT_FOREIGN);
	ck_assert_int_eq(create("pipe"), -TL_OUTPUT_FOREIGN);
}
END_TEST

START_TEST(descriptors_are_written_to_if_they_are_pipes)
{
	char name[64], got[3] = "";
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	int fd = create(name);
	ck_assert_int_ge(fd, 0);
	ck_assert(output.stream);
	ck_assert_str_eq(output.path, name);
	ck_assert_int_eq(write(fd, "ab", 2), 2);
	ck_assert_int_eq(read(ends[0], got, 2), 2);
	ck_assert_str_eq(got, "ab");
	close(fd);
	fd = tl_output_reopen(&output);
	ck_assert_int_ge(fd, 0);
	close(fd);
	/* The program's own descriptor blocks as before. */
	ck_assert_int_eq(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(symlink(name, "own"), 0);
	fd = create("own");
	ck_assert_int_ge(fd, 0);
	close(fd);
	fd = open("file.json", O_CREAT | O_RDWR, 0600);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(create(name), -TL_OUTPUT_SHARED);
	ck_assert_int_eq(tl_output_check(name), -TL_OUTPUT_SHARED);
}
END_TEST

/* By the exact clock: time() runs some milliseconds behind it. */
static void utc(char text[static 32])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(text, 32, "%Y%m%dT%H%M%SZ", gmtime(&now.tv_sec));
}

START_TEST(time_is_that_of_utc)
{
	char before[32], after[32];

	utc(before);
	const char *between = expanded("%t", -1);
	utc(after);
	ck_assert_str_ge(between, before);
	ck_assert_str_le(between, after);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
	char path[16];

	ck_assert(tl_output_expand(path, sizeof(path), "123456789012345", -1));
	ck_assert(!tl_output_expand(path, sizeof(path), "1234567890123456", -1));
	ck_assert(!tl_output_expand(path, sizeof(path), "12345678901234%%%%", -1));
}
END_TEST

START_TEST(files_are_for_their_user_alone)
{
	umask(0);
	ck_assert_int_ge(create("t.json"), 0);
	ck_assert_uint_eq(mode_of("t.json"), S_IFREG | 0600);
	ck_assert(output.regular && !output.gzip);
	ck_assert_int_ge(create("t.json.gz"), 0);
	ck_assert(output.gzip);
}
END_TEST

static const struct {
	const char *name, *second, *third;
} numbered[] = {
	{"trace.json", "trace.1.json", "trace.2.json"},
	{"trace.json.gz", "trace.1.json.gz", "trace.2.json.gz"},
	{"a.b.json", "a.b.1.json", "a.b.2.json"},
	{"trace", "trace.1", "trace.2"},
	{".trace", ".trace.1", ".trace.2"},
	{"x.gz", "x.1.gz", "x.2.gz"},
};

START_TEST(a_taken_name_gets_a_number)
{
	char path[200];

	snprintf(path, sizeof(path), "%s//./%s", folder, numbered[_i].name);
	ck_assert_int_ge(create(path), 0);
	ck_assert_int_ge(create(path), 0);
	ck_assert_str_eq(strrchr(output.path, '/') + 1, numbered[_i].second);
	ck_assert_int_ge(create(numbered[_i].name), 0);
	ck_assert_str_eq(output.path, numbered[_i].third);
	ck_assert_int_eq(access(numbered[_i].third, F_OK), 0);
}
END_TEST

static void take(unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), number ? "t.%u.json" : "t.json", number);
	int fd = open(name, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

/* Only a number whose predecessor is taken is given, and the first one if it is near. */
START_TEST(a_free_number_is_found_among_many_taken_ones)
{
	char name[32];

	take(0);
	for (unsigned taken = 1; taken < 300; taken++) {
		take(taken);
		output.number = 0;
		int fd = create("t.json");
		ck_assert_int_ge(fd, 0);
		close(fd);
		snprintf(name, sizeof(name), "t.%u.json", taken + 1);
		ck_assert_str_eq(output.path, name);
		ck_assert_uint_eq(output.number, taken + 1);
		unlink(name);
	}
	for (unsigned gap = 1; gap < 300; gap++) {
		snprintf(name, sizeof(name), "t.%u.json", gap);
		unlink(name);
		output.number = 0;
		int fd = create("t.json");
		ck_assert_int_ge(fd, 0);
		close(fd);
		if (gap <= 8)
			ck_assert_str_eq(output.path, name);
		ck_assert_msg(output.number == gap || output.number == 300, "t.%u.json",
			      output.number);
		unlink(output.path);
		take(gap);
	}
	/* From a number on: as a trace's further parts are numbered. */
	output.number = 120;
	int fd = create("t.json");
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_str_eq(output.path, "t.300.json");
}
END_TEST

START_TEST(a_folder_is_a_taken_name)
{
	mkdir("t.json", 0700);
	ck_assert_int_ge(create("t.json"), 0);
	ck_assert_str_eq(output.path, "t.1.json");
}
END_TEST

START_TEST(the_file_itself_is_never_a_link)
{
	ck_assert_int_eq(symlink("elsewhere", "t.json"), 0);
	ck_assert_int_ge(create("t.json"), 0);
	ck_assert_str_eq(output.path, "t.1.json");
	ck_assert_int_ne(access("elsewhere", F_OK), 0);
}
END_TEST

START_TEST(ones_own_links_to_folders_are_followed)
{
	char target[128];

	mkdir("real", 0700);
	snprintf(target, sizeof(target), "%s/real/", folder);
	ck_assert_int_eq(symlink("real", "relative"), 0);
	ck_assert_int_eq(symlink(target, "absolute"), 0);
	ck_assert_int_eq(symlink("./absolute/../relative", "chain"), 0);
	ck_assert_int_ge(create("relative/1"), 0);
	ck_assert_int_ge(create("absolute/2"), 0);
	ck_assert_int_ge(create("chain/3"), 0);
	ck_assert_int_eq(access("real/1", F_OK) | access("real/2", F_OK) | access("real/3", F_OK),
			 0);
	ck_assert_str_eq(output.path, "chain/3");
	ck_assert_int_ge(tl_output_reopen(&output), 0);
}
END_TEST

START_TEST(somebody_elses_link_is_not_followed)
{
	if (getuid())
		return; /* only root can make one */
	mkdir("real", 0700);
	ck_assert_int_eq(symlink("real", "link"), 0);
	ck_assert_int_eq(lchown("link", NOBODY, NOBODY), 0);
	ck_assert_int_eq(create("link/t.json"), -TL_OUTPUT_LINK);
	ck_assert_int_ne(access("real/t.json", F_OK), 0);
	/* Nor behind one's own. */
	ck_assert_int_eq(symlink("link", "own"), 0);
	ck_assert_int_eq(create("own/t.json"), -TL_OUTPUT_LINK);
	ck_assert_int_ne(access("real/t.json", F_OK), 0);
}
END_TEST

START_TEST(roots_links_are_followed_by_everybody)
{
	if (getuid())
		return;
	ck_assert_int_eq(chmod(folder, 0755), 0);
	mkdir("real", 0777);
	ck_assert_int_eq(chmod("real", 0777), 0);
	ck_assert_int_eq(symlink("real", "link"), 0);
	ck_assert_int_eq(setresuid(NOBODY, NOBODY, -1), 0);
	ck_assert_int_ge(create("link/t.json"), 0);
	ck_assert_int_eq(setresuid(0, 0, -1), 0);
}
END_TEST

START_TEST(links_in_a_circle_end)
{
	ck_assert_int_eq(symlink("b", "a"), 0);
	ck_assert_int_eq(symlink("a", "b"), 0);
	ck_assert_int_eq(create("a/t.json"), -ELOOP);
}
END_TEST

START_TEST(what_is_in_the_way_is_said)
{
	ck_assert_int_eq(create("missing/t.json"), -ENOENT);
	ck_assert_int_ge(create("file"), 0);
	ck_assert_int_eq(create("file/t.json"), -ENOTDIR);
	ck_assert_int_eq(create("/proc/t.json"), -ENOENT);
	ck_assert_int_eq(create("folder/"), -ENOENT);
	char name[300];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	ck_assert_int_eq(create(name), -ENAMETOOLONG);
	name[280] = '/';
	ck_assert_int_eq(create(name), -ENAMETOOLONG);
}
END_TEST

START_TEST(a_folder_without_permission_is_refused)
{
	mkdir("closed", 0500);
	if (!getuid())
		ck_assert_int_eq(setresuid(NOBODY, NOBODY, -1), 0);
	int fd = create("closed/t.json");
	if (!geteuid() || getuid() == NOBODY)
		ck_assert_int_eq(setresuid(0, 0, -1), 0);
	ck_assert_int_eq(fd, -EACCES);
}
END_TEST

START_TEST(devices_are_written_to_as_they_are)
{
	int fd = create("/dev/null");

	ck_assert_int_ge(fd, 0);
	ck_assert(!output.regular);
	ck_assert_str_eq(output.path, "/dev/null");
	ck_assert_int_eq(write(fd, "x", 1), 1);
}
END_TEST

START_TEST(only_the_same_file_is_opened_again)
{
	int fd = create("t.json");

	ck_assert_int_eq(write(fd, "ab", 2), 2);
	close(fd);
	fd = tl_output_reopen(&output);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "c", 1, 2), 1);
	close(fd);
	ck_assert_int_eq(rename("t.json", "moved"), 0);
	ck_assert_int_eq(tl_output_reopen(&output), -ENOENT);
	close(open("t.json", O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(tl_output_reopen(&output), -ESTALE);
}
END_TEST

START_TEST(no_descriptor_is_left_behind)
{
	int before = dup(0);

	close(before);
	ck_assert_int_eq(create("missing/t.json"), -ENOENT);
	mkdir("a", 0700);
	ck_assert_int_eq(symlink("a", "b"), 0);
	int fd = create("b/../b/t.json");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	int after = dup(0);
	ck_assert_int_eq(before, after);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(*(array)))

int main(void)
{
	Suite *suite = suite_create("output");
	TCase *tests = tcase_create("files");

	tcase_add_checked_fixture(tests, start, stop);
	tcase_add_test(tests, patterns_are_filled_in);
	tcase_add_test(tests, time_is_that_of_utc);
	tcase_add_test(tests, a_folder_gets_the_default_name);
	tcase_add_test(tests, a_place_is_judged_before_anything_is_made);
	tcase_add_test(tests, descriptors_are_written_to_if_they_are_pipes);
	tcase_add_test(tests, a_name_that_is_too_long_is_refused);
	tcase_add_test(tests, files_are_for_their_user_alone);
	tcase_add_loop_test(tests, a_taken_name_gets_a_number, 0, COUNT(numbered));
	tcase_add_test(tests, a_free_number_is_found_among_many_taken_ones);
	tcase_add_test(tests, a_folder_is_a_taken_name);
	tcase_add_test(tests, the_file_itself_is_never_a_link);
	tcase_add_test(tests, ones_own_links_to_folders_are_followed);
	tcase_add_test(tests, somebody_elses_link_is_not_followed);
	tcase_add_test(tests, roots_links_are_followed_by_everybody);
	tcase_add_test(tests, links_in_a_circle_end);
	tcase_add_test(tests, what_is_in_the_way_is_said);
	tcase_add_test(tests, a_folder_without_permission_is_refused);
	tcase_add_test(tests, devices_are_written_to_as_they_are);
	tcase_add_test(tests, only_the_same_file_is_opened_again);
	tcase_add_test(tests, no_descriptor_is_left_behind);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
