/* SPDX-License-Identifier: MIT */
/*
 * args_test.c: arguments are captured from real memory, also hostile, and printed as JSON that a
 * strict parser takes.
 */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "format/args/args.h"
#include "tests/lib/args_table.h"
#include "tests/lib/sandbox.h"

static _Alignas(8) char entry_blobs[65536], exit_blobs[65536];
static size_t entry_size, exit_size;
static bool failed; /* the last capture at a call's end was one after a failure */
static bool was_cut;
static char printed[65536];

#define WORD(x) ((uint64_t)(uintptr_t)(x))

static void capture_entry(int function, const uint64_t *words)
{
	entry_size = tl_args_capture(&table_functions[function], words, TL_CAPTURE_ENTRY,
				     entry_blobs, sizeof entry_blobs, &was_cut);
	exit_size = 0;
}

static void capture_failed(int function, const uint64_t *words)
{
	exit_size = tl_args_capture(&table_functions[function], words, TL_CAPTURE_FAILED,
				    exit_blobs, sizeof exit_blobs, &was_cut);
	failed = true;
}

static void capture_exit(int function, const uint64_t *words)
{
	failed = false;
	exit_size = tl_args_capture(&table_functions[function], words, TL_CAPTURE_EXIT, exit_blobs,
				    sizeof exit_blobs, &was_cut);
}

/* Print into `room` bytes, check that it is JSON, return it. */
static const char *print_into(int function, const uint64_t *words, size_t room)
{
	char object[sizeof printed + 8];
	struct tl_text text = {printed, printed + room, false};
	json_error_t error;
	json_t *json;

	const struct tl_args_kept kept = {.words = words,
					  .entry = entry_blobs,
					  .exit = exit_blobs,
					  .entry_size = entry_size,
					  .exit_size = exit_size,
					  .failed = failed};
	tl_args_print(&text, &table_functions[function], &kept);
	ck_assert(text.at <= text.end);
	*text.at = 0;
	snprintf(object, sizeof object, "{%s}", printed);
	json = json_loads(object, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(json != NULL, "%s at %d in %s", error.text, error.column, object);
	json_decref(json);
	was_cut = text.cut;
	return printed;
}

static const char *print(int function, const uint64_t *words)
{
	return print_into(function, words, sizeof printed - 1);
}

static const char *traced(int function, const uint64_t *words)
{
	capture_entry(function, words);
	return print(function, words);
}

static uint64_t bits_of_double(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	return bits;
}

static uint32_t bits_of_float(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return bits;
}

/* Two pages, of which the second can't be touched; returns the end of the first. */
static char *edge_of_memory(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(pages != MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
	return pages + page;
}

START_TEST(scalars_are_printed_by_their_kind)
{
	uint64_t words[] = {1,
			    (uint64_t)-5,
			    1ull << 40,
			    bits_of_float(0.1f),
			    bits_of_double(1e-9),
			    (uint64_t)-5,
			    0x80000005,
			    0xbeef,
			    'x',
			    0,
			    (uint64_t)INT64_MIN,
			    0x1234};

	ck_assert_str_eq(
		traced(F_SCALARS, words),
		"\"b\":true,\"i\":-5,\"u\":1099511627776,\"f\":0.1,\"d\":1e-09,\"r\":\"RESULT_LOST\","
		"\"flags\":\"READ|TOP|0x4\",\"h\":\"0xbeef\",\"c\":\"x\",\"p\":\"0x0\",\"l\":\"-9223372036854775808\","
		"\"fn\":\"0x1234\"");
}
END_TEST

START_TEST(values_without_a_name_are_numbers)
{
	uint64_t words[] = {2, INT_MAX, 1ull << 53, 0, bits_of_double(-0.0), (uint64_t)-7,
			    0, 0,	'\n',	    1, -(1ull << 53),	     0};

	ck_assert_str_eq(
		traced(F_SCALARS, words),
		"\"b\":2,\"i\":2147483647,\"u\":9007199254740992,\"f\":0,\"d\":-0,\"r\":-7,\"flags\":\"NONE\",\"h\":\"0x0\","
		"\"c\":10,\"p\":\"0x1\",\"l\":-9007199254740992,\"fn\":\"0x0\"");
	words[2]++;
	words[6] = 3;
	words[5] = UINT32_MAX; /* zero-extended, as a result is */
	ck_assert_ptr_nonnull(strstr(traced(F_SCALARS, words), "\"u\":\"9007199254740993\""));
	ck_assert_ptr_nonnull(strstr(printed, "\"r\":\"RESULT_BAD\",\"flags\":\"BOTH\""));
}
END_TEST

START_TEST(handles_that_the_api_has_from_the_start_have_names)
{
	static const uint32_t list[] = {0x84000000, 0x04000000, 0};
	uint64_t words[] = {0x84000000, (uint64_t)(uintptr_t)list};

	ck_assert_str_eq(
		traced(F_WORLDS, words),
		"\"world\":\"WORLD_ALL\",\"worlds\":[\"WORLD_ALL\",\"WORLD_NONE\",\"0x0\"]");
	words[0] = 0x84000001;
	words[1] = 0;
	ck_assert_str_eq(traced(F_WORLDS, words), "\"world\":\"0x84000001\",\"worlds\":\"0x0\"");
}
END_TEST

/* Digits from the first to the last that is not 0. */
static int significant_digits(const char *text)
{
	int all = 0, last = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		all += all || *text != '0';
		if (*text != '0')
			last = all;
	}
	return last;
}

/* The double as text, which reads back the same, and no shorter one does. */
static void double_is_shortest(char *text, double d)
{
	struct tl_text out = {text, text + 40, false};
	char shorter[64];

	tl_text_double(&out, bits_of_double(d));
	*out.at = 0;
	ck_assert_msg(strtod(text, NULL) == d, "%s is not %.17g", text, d);
	int digits = significant_digits(text);
	snprintf(shorter, sizeof shorter, "%.*e", digits < 2 ? 0 : digits - 2, d);
	ck_assert_msg(digits < 2 || strtod(shorter, NULL) != d, "%s would do for %s", shorter,
		      text);
}

START_TEST(floats_are_the_shortest_that_read_back_the_same)
{
	static const double values[] = {0.1,
					0.3,
					1.0 / 3,
					5e-324,
					2.2250738585072014e-308,
					1.7976931348623157e308,
					123456789012345680.0,
					9007199254740993.0,
					1e23,
					4.35,
					0.000123,
					100,
					1e21,
					2.5,
					1.0e-5,
					299792458,
					6.02214076e23};
	uint64_t random = 88172645463325252ull;
	char text[64], shorter[64];

	for (int i = 0; i < 40000; i++) {
		double d;
		float f;
		uint32_t half;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		memcpy(&d, &random, 8);
		if (i < (int)(sizeof values / sizeof values[0]))
			d = values[i];
		if (d != d || d - d != 0)
			continue;
		double_is_shortest(text, d);
		half = (uint32_t)random;
		memcpy(&f, &half, 4);
		if (f != f || f - f != 0)
			continue;
		struct tl_text out = {text, text + 40, false};
		tl_text_float(&out, half);
		*out.at = 0;
		ck_assert_msg(strtof(text, NULL) == f, "%s is not %.9g", text, (double)f);
		ck_assert_uint_le(strlen(text), 18);
	}
	/* Decimals of up to six places take a way of their own, which their neighbours must not take. */
	for (int i = 0; i < 60000; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		int64_t millionths = (int64_t)(random >> (14 + random % 50));
		double d = (double)millionths / 1e6;

		if (i % 3 == 1)
			d = nextafter(d, 0);
		if (i % 3 == 2)
			d = -d;
		double_is_shortest(text, d);
		if (i % 3 == 0 && millionths && millionths % 1000000)
			ck_assert_msg(strchr(text, '.') || strchr(text, 'e'), "%s", text);
	}
	/* Whole numbers take a way of their own, up to 2^53 and 2^24. */
	for (int i = 0; i < 40000; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		int64_t whole = (int64_t)(random >> (10 + random % 54)) + (i < 100 ? -i : 0);
		double d = (double)(i % 2 ? -whole : whole);
		float f = (float)(whole % (1 << 25));

		if (!whole)
			continue;
		struct tl_text out = {text, text + 60, false};
		tl_text_double(&out, bits_of_double(d));
		*out.at = 0;
		if (fabs(d) < 1e15)
			snprintf(shorter, sizeof shorter, "%.0f", d);
		ck_assert_msg(strtod(text, NULL) == d, "%s is not %.17g", text, d);
		ck_assert_msg(fabs(d) >= 1e15 || !strcmp(text, shorter), "%s is not %s", text,
			      shorter);
		out = (struct tl_text){text, text + 60, false};
		tl_text_float(&out, bits_of_float(f));
		*out.at = 0;
		ck_assert_msg(strtof(text, NULL) == f, "%s is not %.9g", text, (double)f);
	}
	struct tl_text out = {text, text + 60, false};
	tl_text_double(&out, bits_of_double(-1.0 / 0.0));
	tl_text_double(&out, bits_of_double(0.0 / 0.0));
	tl_text_double(&out, bits_of_double(1e21));
	tl_text_char(&out, ' ');
	tl_text_double(&out, bits_of_double(5e-324));
	tl_text_char(&out, ' ');
	tl_text_float(&out, bits_of_float(16777216));
	*out.at = 0;
	ck_assert_str_eq(text, "\"-Infinity\"\"NaN\"1e+21 5e-324 16777216");
	out = (struct tl_text){text, text + 60, false};
	tl_text_double(&out, bits_of_double(0.000001));
	tl_text_char(&out, ' ');
	tl_text_double(&out, bits_of_double(-0.05));
	tl_text_char(&out, ' ');
	tl_text_double(&out, bits_of_double(999999999.999999));
	tl_text_char(&out, ' ');
	tl_text_double(&out, bits_of_double(12.5));
	*out.at = 0;
	ck_assert_str_eq(text, "1e-06 -0.05 999999999.999999 12.5");
}
END_TEST

START_TEST(strings_are_escaped_and_bad_utf8_is_replaced)
{
	const char *hostile =
		"q\"b\\n\n\x01 caf\xc3\xa9 \xff\xc3( \xed\xa0\x80 \xf0\x9f\x98\x80 \xc0\xaf";
	uint64_t words[] = {WORD(hostile), WORD(""), 0, 0, 0};

	ck_assert_str_eq(
		traced(F_STRINGS, words),
		"\"s\":\"q\\\"b\\\\n\\n\\u0001 caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
		"\xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\",\"o\":\"\",\"n\":0,\"run\":\"0x0\",\"list\":\"0x0\"");
}
END_TEST

START_TEST(long_strings_are_cut_with_a_sign_between_characters)
{
	char *text = malloc(1000);
	uint64_t words[] = {WORD(text), WORD(text), 0, 0, 0};
	char expected[600];

	memset(text, 'a', 999);
	text[999] = 0;
	memcpy(text + 254, "\xe2\x82\xac", 3); /* the cut at 256 goes through it */
	traced(F_STRINGS, words);
	snprintf(expected, sizeof expected, "\"s\":\"%.254s…\",\"o\":\"%.254s…\"", text, text);
	ck_assert_msg(!strncmp(printed, expected, strlen(expected)), "%s", printed);
	text[256] = 0;
	memcpy(text + 253, "\xe2\x82\xac", 3);
	traced(F_STRINGS, words);
	snprintf(expected, sizeof expected, "\"s\":\"%.256s\",\"o\":\"%.256s\",", text, text);
	ck_assert_msg(!strncmp(printed, expected, strlen(expected)), "%s", printed);
	free(text);
}
END_TEST

START_TEST(strings_end_where_memory_ends)
{
	char *edge = edge_of_memory();
	uint64_t words[] = {WORD(edge - 3), WORD("o"), 2, WORD(edge - 1), 0};

	memcpy(edge - 3, "abc", 3);
	ck_assert_str_eq(traced(F_STRINGS, words),
			 "\"s\":\"abc…\",\"o\":\"o\",\"n\":2,\"run\":\"c…\",\"list\":\"0x0\"");
}
END_TEST

START_TEST(unreadable_memory_is_an_address)
{
	char *edge = edge_of_memory();
	char expected[200];
	const char *list[] = {"one", edge};
	uint64_t words[] = {WORD(edge), WORD(""), 2, 16, WORD(list)};

	errno = 77;
	capture_entry(F_STRINGS, words);
	ck_assert_int_eq(errno, 77);
	print(F_STRINGS, words);
	snprintf(expected, sizeof expected,
		 "\"s\":\"%p\",\"o\":\"\",\"n\":2,\"run\":\"0x10\",\"list\":[\"one\",\"%p\"]",
		 (void *)edge, (void *)edge);
	ck_assert_str_eq(printed, expected);
	words[0] = UINT64_MAX - 3;
	traced(F_STRINGS, words);
	ck_assert_ptr_nonnull(strstr(printed, "\"s\":\"0xfffffffffffffffc\""));
}
END_TEST

START_TEST(out_arrays_are_read_after_success_and_in_out_values_are_both_shown)
{
	uint32_t count = 0;
	uint64_t handles[40];
	uint64_t words[] = {0x10, WORD(&count), 0};

	capture_entry(F_GET, words);
	count = 2;
	capture_exit(F_GET, words);
	ck_assert_str_eq(print(F_GET, words),
			 "\"hDriver\":\"0x10\",\"pCount\":2,\"pCount:in\":0,\"phDevices\":\"0x0\"");

	for (int i = 0; i < 40; i++)
		handles[i] = 0xa0 + (unsigned)i;
	words[2] = WORD(handles);
	capture_entry(F_GET, words);
	capture_exit(F_GET, words);
	ck_assert_str_eq(print(F_GET, words),
			 "\"hDriver\":\"0x10\",\"pCount\":2,\"phDevices\":[\"0xa0\",\"0xa1\"]");

	capture_entry(F_GET, words); /* failed: no exit */
	words[2] = 0x77;
	ck_assert_str_eq(print(F_GET, words),
			 "\"hDriver\":\"0x10\",\"pCount\":2,\"phDevices\":\"0x77\"");
	words[2] = WORD(handles);
	count = 40;
	capture_entry(F_GET, words);
	capture_exit(F_GET, words);
	ck_assert_ptr_nonnull(strstr(print(F_GET, words), "\"0xbf\",\"…8 more\"]"));
}
END_TEST

START_TEST(out_arrays_end_where_the_call_says_that_it_stopped)
{
	uint64_t handles[3] = {1, 2, 0xdead};
	uint32_t filled = 2;
	uint64_t words[] = {3, WORD(handles), WORD(&filled)};

	capture_entry(F_INFO, words);
	capture_exit(F_INFO, words);
	ck_assert_str_eq(print(F_INFO, words),
			 "\"size\":3,\"values\":[\"0x1\",\"0x2\"],\"size_ret\":2");
	filled = 7; /* it would have had more */
	capture_exit(F_INFO, words);
	ck_assert_str_eq(print(F_INFO, words),
			 "\"size\":3,\"values\":[\"0x1\",\"0x2\",\"0xdead\"],\"size_ret\":7");
	words[2] = 0;
	capture_exit(F_INFO, words);
	ck_assert_ptr_nonnull(strstr(print(F_INFO, words), "\"0xdead\"],\"size_ret\":\"0x0\""));
}
END_TEST

START_TEST(what_is_not_to_be_shown_is_an_address)
{
	uint32_t some[8] = {1, 2, 3, 4, 5, 6, 7, 8}, behind = 61, value = 7;
	struct desc desc = {.stype = STYPE_DESC, .count = 1, .values = &value};
	uint64_t words[] = {WORD(some), WORD(&desc), WORD(&behind)};
	char expected[100];

	snprintf(expected, sizeof expected, "\"some\":\"%p\",\"desc\":{", (void *)some);
	ck_assert_ptr_eq(strstr(traced(F_GUESS, words), expected), printed);
	/* Behind elements with pointers stands what these lead to. */
	ck_assert_ptr_nonnull(strstr(printed, "\"values\":[7]"));
	ck_assert_ptr_nonnull(strstr(printed, "\"behind\":61"));
	/* The elements are kept, as far as there is memory. */
	ck_assert_mem_eq(entry_blobs + sizeof(struct tl_blob), some, sizeof some);
	uint32_t *last = (uint32_t *)(void *)edge_of_memory() - 2;
	last[0] = 8, last[1] = 9;
	words[0] = WORD(last);
	ck_assert_ptr_nonnull(strstr(traced(F_GUESS, words), "\"behind\":61"));
	const struct tl_blob *blob = (const struct tl_blob *)(const void *)entry_blobs;
	ck_assert_uint_eq(blob->bytes, 2 * sizeof *last);
	ck_assert_mem_eq(blob + 1, last, blob->bytes);
}
END_TEST

START_TEST(an_error_code_is_read_after_a_failure)
{
	uint64_t object = 0xdead;
	uint32_t before = 3, code = 61;
	uint64_t words[] = {WORD(&object), WORD(&before), WORD(&code)};
	char expected[100];

	snprintf(expected, sizeof expected, "\"object\":\"%p\",\"before\":3,\"code\":61",
		 (void *)&object);
	capture_entry(F_MAKE, words);
	capture_failed(F_MAKE, words);
	ck_assert_str_eq(print(F_MAKE, words), expected);
	capture_exit(F_MAKE, words);
	ck_assert_str_eq(print(F_MAKE, words), "\"object\":\"0xdead\",\"before\":3,\"code\":61");
	words[2] = 0;
	capture_failed(F_MAKE, words);
	ck_assert_ptr_nonnull(strstr(print(F_MAKE, words), "\"before\":3,\"code\":\"0x0\""));
	/* All others have nothing after a failure. */
	capture_entry(F_CREATE, words);
	capture_failed(F_CREATE, words);
	ck_assert_uint_eq(exit_size, 0);
	failed = false;
}
END_TEST

START_TEST(out_arrays_are_as_long_as_a_member_says)
{
	uint64_t handles[3] = {1, 2, 0xdead};
	struct desc desc = {.stype = STYPE_DESC, .count = 2, .values = NULL};
	uint64_t words[] = {WORD(&desc), WORD(handles)};
	char expected[100];

	capture_entry(F_ALLOCATE, words);
	ck_assert_ptr_null(strstr(print(F_ALLOCATE, words), "[\"0x1\""));
	capture_exit(F_ALLOCATE, words);
	ck_assert_ptr_nonnull(strstr(print(F_ALLOCATE, words), "\"objects\":[\"0x1\",\"0x2\"]"));
	/* Whether there is no struct, or memory ends before the member. */
	snprintf(expected, sizeof expected, "\"objects\":\"%p\"", (void *)handles);
	words[0] = 0;
	capture_entry(F_ALLOCATE, words);
	capture_exit(F_ALLOCATE, words);
	ck_assert_ptr_nonnull(strstr(print(F_ALLOCATE, words), expected));
	words[0] = WORD(edge_of_memory() - 16);
	capture_entry(F_ALLOCATE, words);
	capture_exit(F_ALLOCATE, words);
	ck_assert_ptr_nonnull(strstr(print(F_ALLOCATE, words), expected));
}
END_TEST

START_TEST(lists_of_pairs_end_at_a_pair_that_begins_with_zero)
{
	int64_t list[] = {1, 0, 2, 3, 0, 9};
	int64_t *edge = (int64_t *)(void *)edge_of_memory() - 3;
	uint64_t words[] = {WORD(list)};

	ck_assert_str_eq(traced(F_PAIRS, words), "\"properties\":[1,0,2,3]");
	edge[0] = 5, edge[1] = 6, edge[2] = 0; /* memory ends behind the zero */
	words[0] = WORD(edge);
	ck_assert_str_eq(traced(F_PAIRS, words), "\"properties\":[5,6]");
}
END_TEST

START_TEST(arrays_whose_count_is_null_are_addresses)
{
	uint64_t handles[2] = {1, 2};
	uint64_t words[] = {0, 0, WORD(handles)};
	char expected[100];

	capture_entry(F_GET, words);
	capture_exit(F_GET, words);
	snprintf(expected, sizeof expected,
		 "\"hDriver\":\"0x0\",\"pCount\":\"0x0\",\"phDevices\":\"%p\"", (void *)handles);
	ck_assert_str_eq(print(F_GET, words), expected);
}
END_TEST

START_TEST(huge_counts_read_no_more_than_they_show)
{
	char *edge = edge_of_memory();
	uint32_t *values = (uint32_t *)(void *)(edge - 3 * sizeof(uint32_t));
	uint64_t words[] = {UINT64_MAX, WORD(values), WORD(edge - 2), 0, 0, 0};

	values[0] = 1, values[1] = 2, values[2] = 0x04030201;
	ck_assert_str_eq(
		traced(F_ARRAYS, words),
		"\"count\":\"18446744073709551615\",\"values\":[1,2,67305985,\"…\"],\"bytes\":\"03 04 …\",\"raw\":\"0x0\","
		"\"list\":\"0x0\",\"nodes\":\"0x0\"");
}
END_TEST

START_TEST(arrays_of_each_kind_are_shown_as_long_as_they_are)
{
	uint32_t values[] = {5, 6, 7};
	int64_t list[] = {3, -4, 0, 9};
	struct node nodes[] = {{1, NULL}, {2, &nodes[0]}, {3, NULL}};
	uint64_t words[] = {
		3,	    WORD(values), WORD("\x01\x02\x03\x04"), WORD("\xff\x00\x10"),
		WORD(list), WORD(nodes)};

	ck_assert_str_eq(
		traced(F_ARRAYS, words),
		"\"count\":3,\"values\":[5,6,7],\"bytes\":\"01 02 03\",\"raw\":\"ff 00 10\",\"list\":[3,-4],\"nodes\":"
		"[{\"value\":1,\"next\":\"0x0\"},{\"value\":2,\"next\":{\"value\":1,\"next\":\"0x0\"}},{\"value\":3,\"next\":\"0x0\"}]");
	/* without a type: a word, a string, or bytes */
	words[0] = 8;
	words[1] = words[3] = words[4] = words[5] = 0;
	words[2] = WORD("\x40\x08\xb9\xb2\x1e\x56\0\0");
	ck_assert_ptr_nonnull(strstr(traced(F_ARRAYS, words), "\"bytes\":\"0x561eb2b90840\""));
	words[0] = 10;
	words[2] = WORD("Portable\0\xff");
	ck_assert_ptr_nonnull(strstr(traced(F_ARRAYS, words), "\"bytes\":\"Portable\""));
	words[2] = WORD("Por\0\0\0\0\0\0");
	ck_assert_ptr_nonnull(
		strstr(traced(F_ARRAYS, words), "\"bytes\":\"50 6f 72 00 00 00 00 00 00 00\""));
	/* of which the end is not kept */
	char many[300], text[300];
	memset(many, 'k', sizeof(many));
	snprintf(text, sizeof(text), "\"bytes\":\"%.*s…\"", TL_CAPTURE_STRING, many);
	words[0] = sizeof(many);
	words[2] = WORD(many);
	ck_assert_ptr_nonnull(strstr(traced(F_ARRAYS, words), text));
	many[TL_CAPTURE_STRING - 1] = '\x80';
	ck_assert_ptr_nonnull(strstr(traced(F_ARRAYS, words), "\"bytes\":\"6b 6b 6b"));
	words[0] = TL_CAPTURE_STRING - 1;
	ck_assert_ptr_nonnull(strstr(traced(F_ARRAYS, words), "\"bytes\":\"6b 6b 6b"));
	words[0] = 0;
	words[1] = WORD(values), words[3] = WORD("x"), words[4] = WORD(list),
	words[5] = WORD(nodes);
	ck_assert_ptr_nonnull(strstr(
		traced(F_ARRAYS, words),
		"\"values\":\"[]\",\"bytes\":\"\",\"raw\":\"\",\"list\":[3,-4],\"nodes\":\"[]\""));
}
END_TEST

START_TEST(structs_are_shown_member_by_member)
{
	struct mixed m = {.label = "ab",
			  .uuid = {1, 2, 3, 4},
			  .weight = 1.5f,
			  .low = 5,
			  .high = -3,
			  .either.number = -9,
			  .pair = {7, 8},
			  .inner = {1, INT64_MAX},
			  .used = 2,
			  .slots = {11, 12, 13, 14}};
	uint64_t words[] = {WORD(&m)};
	const char *expected =
		"\"m\":{\"label\":\"ab\",\"uuid\":\"01 02 03 04\",\"weight\":1.5,\"low\":5,\"high\":-3,\"either\":"
		"{\"number\":-9},\"pair\":[7,8],\"inner\":{\"on\":true,\"big\":\"9223372036854775807\"},\"used\":2,"
		"\"slots\":[11,12]}";

	capture_entry(F_MIXED, words);
	capture_exit(F_MIXED, words);
	ck_assert_str_eq(print(F_MIXED, words), expected);
	m.pair[0] = 9;
	capture_exit(F_MIXED, words);
	ck_assert_ptr_nonnull(strstr(print(F_MIXED, words), "\"m:in\":{\"label\""));
	memcpy(m.label, "12345678", 8); /* no NUL */
	ck_assert_ptr_nonnull(strstr(traced(F_MIXED, words), "\"label\":\"12345678\",\"uuid\""));
	m.used = -1;
	ck_assert_ptr_nonnull(strstr(traced(F_MIXED, words), "\"slots\":[11,12,13,14]"));
}
END_TEST

START_TEST(an_array_in_a_union_is_a_list)
{
	static const struct tl_type four = {.name = "float[4]",
					    .kind = TL_KIND_ARRAY,
					    .size = 16,
					    .count = 4,
					    .target = T(FLOAT)};
	static const struct tl_variable members[] = {{.name = "float32", .type = &four}};
	static const struct tl_type color = STRUCT("union color", TL_KIND_UNION, 16, members);
	const float values[] = {0, 0.25f, 0, 1};
	char shown[100] = "";
	struct tl_text text = {shown, shown + sizeof(shown) - 1, false};

	tl_value_print(&text, &color, values);
	ck_assert_str_eq(shown, "{\"float32\":[0,0.25,0,1]}");
}
END_TEST

START_TEST(members_that_the_call_fills_in_are_not_shown_as_they_were_before)
{
	struct properties p = {STYPE_DESC, NULL, 4, 0xdead};
	uint64_t words[] = {WORD(&p)};

	capture_entry(F_PROPERTIES, words);
	ck_assert_str_eq(print(F_PROPERTIES, words),
			 "\"p\":{\"stype\":\"STYPE_DESC\",\"asked\":4,\"pNext\":\"0x0\"}");
	p.answer = 5;
	capture_exit(F_PROPERTIES, words);
	ck_assert_str_eq(
		print(F_PROPERTIES, words),
		"\"p\":{\"stype\":\"STYPE_DESC\",\"asked\":4,\"answer\":5,\"pNext\":\"0x0\"}");
	p.asked = 6;
	capture_exit(F_PROPERTIES, words);
	ck_assert_str_eq(
		print(F_PROPERTIES, words),
		"\"p\":{\"stype\":\"STYPE_DESC\",\"asked\":6,\"answer\":5,\"pNext\":\"0x0\"},"
		"\"p:in\":{\"stype\":\"STYPE_DESC\",\"asked\":4,\"pNext\":\"0x0\"}");
}
END_TEST

START_TEST(what_the_call_returned_is_not_shown_as_it_was_before_where_it_does_not_fit)
{
	struct properties p = {STYPE_DESC, NULL, 4, 0xdead};
	uint64_t words[] = {WORD(&p)};
	char whole[200], address[40];

	capture_entry(F_PROPERTIES, words);
	p.answer = 5;
	capture_exit(F_PROPERTIES, words);
	snprintf(whole, sizeof(whole), "%s", print(F_PROPERTIES, words));
	snprintf(address, sizeof(address), "\"p\":\"%p\"", (void *)&p);
	for (size_t room = 0; room < strlen(whole); room++)
		ck_assert_str_eq(print_into(F_PROPERTIES, words, room),
				 room < strlen(address) ? "" : address);
	ck_assert_str_eq(print_into(F_PROPERTIES, words, strlen(whole)), whole);
}
END_TEST

static bool inputs_are_shown(const struct mixed *before, const struct mixed *after)
{
	struct mixed m = *before;
	uint64_t words[] = {WORD(&m)};

	capture_entry(F_MIXED, words);
	m = *after;
	capture_exit(F_MIXED, words);
	return strstr(print(F_MIXED, words), "\"m:in\":{\"label\"");
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

START_TEST(inputs_that_would_look_different_are_shown)
{
	static const struct mixed m = {.label = "a\xff", .weight = 0, .used = 2, .slots = {1, 2}};
	const struct mixed others[] = {
		{.label = "b\xff", .weight = 0, .used = 2, .slots = {1, 2}},
		{.label = "a\xff\xff", .weight = 0, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .weight = -0.0f, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .low = 1, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .uuid = {[3] = 1}, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .inner = {.on = true}, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .inner = {.big = -1}, .used = 2, .slots = {1, 2}},
		{.label = "a\xff", .used = 2, .slots = {1, 3}},
		{.label = "a\xff", .used = 1, .slots = {1, 2}},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ck_assert_msg(inputs_are_shown(&m, &others[i]), "%zu", i);
}
END_TEST

START_TEST(inputs_that_would_look_the_same_are_not_shown)
{
	struct mixed m = {.label = "a\xff", .weight = float_of(0x7fc00000), .used = 1};
	struct mixed other = m;

	ck_assert(!inputs_are_shown(&m, &other));
	memcpy(other.label, "a\xfe\0b", 4);
	ck_assert(!inputs_are_shown(&m, &other));
	other.slots[1] = 5;
	ck_assert(!inputs_are_shown(&m, &other));
	other.weight = float_of(0xffc00001);
	ck_assert(!inputs_are_shown(&m, &other));
	other.weight = float_of(0x7f800000);
	ck_assert(inputs_are_shown(&m, &other));
}
END_TEST

START_TEST(inputs_that_are_not_shown_are_passed_over)
{
	unsigned a = 1, b = 2;
	uint64_t words[] = {WORD(&a), WORD(&b)};

	capture_entry(F_EXCHANGE, words);
	b = 3;
	capture_exit(F_EXCHANGE, words);
	ck_assert_str_eq(print(F_EXCHANGE, words), "\"a\":1,\"b\":3,\"b:in\":2");
}
END_TEST

START_TEST(chains_are_followed_by_their_stype)
{
	uint32_t values[] = {8, 9};
	struct {
		enum stype stype;
		const void *pNext;
	} unknown = {STYPE_NOBODY_KNOWS, NULL};
	struct name name = {STYPE_NAME, &unknown, "kernel \"k\""};
	struct hint hint = {STYPE_HINT, &name, 0.25};
	struct desc desc = {STYPE_DESC, &hint, 2, 2, values};
	uint64_t object = 0x55, words[] = {WORD(&desc), WORD(&object)};

	capture_entry(F_CREATE, words);
	capture_exit(F_CREATE, words);
	ck_assert_str_eq(
		print(F_CREATE, words),
		"\"desc\":{\"stype\":\"STYPE_DESC\",\"flags\":\"WRITE\",\"count\":2,\"values\":[8,9],\"pNext\":["
		"{\"stype\":\"STYPE_HINT\",\"ratio\":0.25},{\"stype\":\"STYPE_NAME\",\"text\":\"kernel \\\"k\\\"\"},"
		"{\"stype\":99}]},\"phObject\":\"0x55\"");
}
END_TEST

/* The walk that shows them takes the same blobs. */
START_TEST(chains_of_elements_that_are_not_shown_are_passed_over)
{
	static const struct tl_type hints = POINTER_TO("struct hint *", HINT);
	static const struct tl_variable params[] = {
		PARAM("n", UINT, 0),
		{.name = "hints",
		 .type = &hints,
		 .offset = 1,
		 .words = 1,
		 .direction = TL_IN | TL_OBLIGED,
		 COUNTED(0)},
		PARAM("s", STRING, 2, .direction = TL_IN, STRING_LENGTH),
	};
	static const struct tl_function function[] = {
		FUNCTION("hint", 0, params, 3, TL_FAILURE_NEVER)};
	struct name name = {STYPE_NAME, NULL, "inner"};
	struct hint many[40];
	uint64_t words[] = {40, WORD(many), WORD("outer")};
	struct tl_text text = {printed, printed + sizeof printed - 1, false};

	for (int i = 0; i < 40; i++)
		many[i] = (struct hint){STYPE_HINT, i < 35 ? NULL : &name, i};
	entry_size = tl_args_capture(function, words, TL_CAPTURE_ENTRY, entry_blobs,
				     sizeof entry_blobs, &was_cut);
	const struct tl_args_kept kept = {
		.words = words, .entry = entry_blobs, .entry_size = entry_size};
	tl_args_print(&text, function, &kept);
	*text.at = 0;
	ck_assert_ptr_nonnull(strstr(printed, "\"…8 more\"],\"s\":\"outer\""));
}
END_TEST

START_TEST(chains_that_bite_their_tail_or_lead_nowhere_end)
{
	struct hint second, first = {STYPE_HINT, &second, 1};
	struct desc desc = {STYPE_DESC, &first, 0, 0, NULL};
	uint64_t words[] = {WORD(&desc), 0};
	char expected[300];

	second = (struct hint){STYPE_HINT, &first, 2};
	ck_assert_ptr_nonnull(strstr(traced(F_CREATE, words),
				     "\"pNext\":[{\"stype\":\"STYPE_HINT\",\"ratio\":1},"
				     "{\"stype\":\"STYPE_HINT\",\"ratio\":2}]}"));
	second.pNext = edge_of_memory();
	snprintf(expected, sizeof expected, "\"ratio\":2},\"%p\"]},\"phObject\":\"0x0\"",
		 second.pNext);
	ck_assert_ptr_nonnull(strstr(traced(F_CREATE, words), expected));
}
END_TEST

START_TEST(endless_lists_end_at_a_depth)
{
	struct node loop = {1, &loop};
	uint64_t words[] = {WORD(&loop)};
	const char *c;
	int depth = 0;

	for (c = traced(F_NODES, words); (c = strstr(c, "\"value\"")); c++)
		depth++;
	ck_assert_int_eq(depth, TL_CAPTURE_DEPTH);
}
END_TEST

START_TEST(structs_passed_by_value_are_shown_and_followed)
{
	uint32_t values[] = {4};
	struct desc desc = {STYPE_DESC, NULL, 1, 1, values};
	uint64_t words[5] = {0};

	_Static_assert(sizeof desc == 32, "four words");
	memcpy(words, &desc, sizeof desc);
	words[4] = 6;
	ck_assert_str_eq(
		traced(F_VALUE, words),
		"\"desc\":{\"stype\":\"STYPE_DESC\",\"flags\":\"READ\",\"count\":1,\"values\":[4],"
		"\"pNext\":\"0x0\"},\"after\":6");
}
END_TEST

START_TEST(blobs_that_do_not_fit_are_left_out_in_order)
{
	uint32_t values[] = {1, 2, 3};
	uint64_t words[] = {3, WORD(values), WORD("abc"), WORD("abc"), 0, 0};
	_Alignas(8) char room[40];
	char expected[300];

	for (size_t size = 0; size <= sizeof room; size++) {
		memset(room, 0x5a, sizeof room);
		entry_size = tl_args_capture(&table_functions[F_ARRAYS], words, TL_CAPTURE_ENTRY,
					     room, size, &was_cut);
		ck_assert(was_cut && entry_size <= size && entry_size % 8 == 0);
		for (size_t i = size; i < sizeof room; i++)
			ck_assert_int_eq(room[i], 0x5a);
		memcpy(entry_blobs, room, sizeof room);
		exit_size = 0;
		print(F_ARRAYS, words);
	}
	ck_assert_uint_eq(entry_size, 8 + 16 + 8 + 8);
	snprintf(
		expected, sizeof expected,
		"\"count\":3,\"values\":[1,2,3],\"bytes\":\"61 62 63\",\"raw\":\"%p\",\"list\":\"0x0\",\"nodes\":\"0x0\"",
		(void *)(uintptr_t)words[3]);
	ck_assert_str_eq(printed, expected);
}
END_TEST

START_TEST(text_that_does_not_fit_is_left_out_whole)
{
	uint32_t values[] = {8, 9};
	struct name name = {STYPE_NAME, NULL, "kernel"};
	struct desc desc = {STYPE_DESC, &name, 2, 2, values};
	uint64_t object = 0x55, words[] = {WORD(&desc), WORD(&object)};
	size_t whole;

	capture_entry(F_CREATE, words);
	capture_exit(F_CREATE, words);
	whole = strlen(print(F_CREATE, words));
	for (size_t room = 0; room < whole; room++) {
		memset(printed, 0x5a, sizeof printed);
		print_into(F_CREATE, words, room);
		ck_assert(was_cut);
		ck_assert_int_eq(printed[room + 1], 0x5a);
	}
	ck_assert_str_eq(print_into(F_CREATE, words, 20), "\"phObject\":\"0x55\"");
	print_into(F_CREATE, words, whole);
	ck_assert(!was_cut);
}
END_TEST

START_TEST(results_fail_as_the_api_says)
{
	ck_assert(!tl_call_failed(&table_functions[F_GET], 0));
	ck_assert(!tl_call_failed(&table_functions[F_GET], 1));
	ck_assert(tl_call_failed(&table_functions[F_GET], 2));
	ck_assert(tl_call_failed(&table_functions[F_STRINGS], 0xfffffffb));
	ck_assert(!tl_call_failed(&table_functions[F_STRINGS], 5));
	ck_assert(tl_call_failed(&table_functions[F_CREATE], 0));
	ck_assert(!tl_call_failed(&table_functions[F_NODES], 0xffffffff));
}
END_TEST

typedef size_t copy_function(void *to, const void *from, size_t size);

static void copy_across_pages(copy_function *copy)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 40 * page;
	char *from =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = malloc(size + page);

	for (size_t i = 0; i < size; i++)
		from[i] = (char)(i * 7 + i / page);
	mprotect(from + size, page, PROT_NONE);
	errno = 5;
	ck_assert_uint_eq(copy(to, from + 10, size), size - 10);
	ck_assert_int_eq(memcmp(to, from + 10, size - 10), 0);
	ck_assert_uint_eq(copy(to, from + size, 1), 0);
	ck_assert_uint_eq(copy(to, NULL, 8), 0);
	ck_assert_uint_eq(copy(to, from, 0), 0);
	ck_assert_int_eq(errno, 5);
	munmap(from, size + page);
	free(to);
}

/* Some of these lie on the page that the thread runs on, some not, and some in part. */
static void copy_from_the_stack(void)
{
	char from[3 * 4096], to[16];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i + sizeof(to) <= sizeof(from); i += 5) {
		ck_assert_uint_eq(tl_passed_copy(to, from + i, sizeof(to)), sizeof(to));
		ck_assert_int_eq(memcmp(to, from + i, sizeof(to)), 0);
	}
}

/* Runs on a stack behind which nothing can be read. */
static void *copy_from_the_stack_end(void *end)
{
	char to[2 * 4096];

	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(tl_passed_copy(to, (char *)end - 8, 8), 8);
		ck_assert_uint_eq(tl_passed_copy(to, (char *)end - 8, sizeof(to)), 8);
		ck_assert_uint_eq(tl_passed_copy(to, end, 1), 0);
	}
	return NULL;
}

START_TEST(checked_copies_stop_where_memory_ends)
{
	size_t size = 256 * 1024, unreadable = 64 * 1024;
	char *stack = mmap(NULL, size + unreadable, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	copy_across_pages(tl_checked_copy);
	copy_across_pages(tl_passed_copy);
	copy_from_the_stack();
	mprotect(stack + size, unreadable, PROT_NONE);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, size);
	ck_assert_int_eq(
		pthread_create(&thread, &attributes, copy_from_the_stack_end, stack + size), 0);
	pthread_join(thread, NULL);
	munmap(stack, size + unreadable);
}
END_TEST

/* The kernel was asked about the pages once; later it refuses every way to ask again. */
START_TEST(passed_copies_know_the_stack_after_one_look)
{
	char from[3 * 4096],
		*mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0),
		to[16];

	memset(from, 'a', sizeof(from));
	ck_assert_uint_eq(tl_passed_copy(to, mapped, 16), 16);
	ck_assert_uint_eq(tl_passed_copy(to, from + sizeof(from) - 16, 16), 16);
	refuse_every_question();
	ck_assert_uint_eq(tl_passed_copy(to, mapped, 16), 0);
	for (size_t i = 0; i + 16 <= sizeof(from); i += 16)
		ck_assert_uint_eq(tl_passed_copy(to, from + i, 16), 16);
	ck_assert_int_eq(memcmp(to, from, 16), 0);
	munmap(mapped, 4096);
}
END_TEST

START_TEST(passed_copies_know_the_image)
{
	static const char constant[16] = "constant";
	static char variable[4 * 4096] = "variable", empty[4 * 4096];
	char to[16];

	refuse_every_question();
	ck_assert_uint_eq(tl_passed_copy(to, constant, sizeof(constant)), 16);
	ck_assert_str_eq(to, "constant");
	ck_assert_uint_eq(tl_passed_copy(to, variable, 16), 16);
	ck_assert_str_eq(to, "variable");
	ck_assert_uint_eq(tl_passed_copy(to, empty + sizeof(empty) - 16, 16), 16);
	ck_assert_uint_eq(tl_passed_copy(to, (char *)NULL + 4096, 16), 0);
}
END_TEST

START_TEST(passed_copies_know_the_heap_after_one_look)
{
	char *first = sbrk(64 * 1024), *last = first + 64 * 1024, to[16];

	ck_assert_msg((intptr_t)first != -1, "the heap can't grow by brk()");
	memset(first, 'a', 64 * 1024);
	ck_assert_uint_eq(tl_passed_copy(to, first + 4096, 16), 16);
	refuse_every_question();
	for (char *from = first + 4096; from + 16 <= last; from += 16)
		ck_assert_uint_eq(tl_passed_copy(to, from, 16), 16);
	ck_assert_int_eq(memcmp(to, first, 16), 0);
	/* Below what the kernel was asked about, beyond the end, and where the heap was. */
	ck_assert_uint_eq(tl_passed_copy(to, first + 4096 - 16, 16), 0);
	ck_assert_uint_eq(tl_passed_copy(to, sbrk(0), 16), 0);
	ck_assert_uint_eq(tl_passed_copy(to, (char *)sbrk(0) - 8, 16), 0);
	sbrk(-32 * 1024);
	ck_assert_uint_eq(tl_passed_copy(to, first + 16 * 1024, 16), 16);
	ck_assert_uint_eq(tl_passed_copy(to, first + 48 * 1024, 16), 0);
}
END_TEST

static bool page_map_at(char *page)
{
	return mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		    0) == page;
}

/* A program may ask for a page of the gap between its image and the heap. */
START_TEST(passed_copies_do_not_take_the_gap_below_the_heap_for_known)
{
	char *page = (char *)(((uintptr_t)sbrk(0) - 1) & ~(uintptr_t)4095), to[16];

	while (!page_map_at(page))
		page -= 4096;
	munmap(page, 4096);
	/* Where the image lies directly before the heap, there is no gap. */
	if (!page_map_at(page - 4 * 4096))
		return;
	ck_assert_uint_eq(tl_passed_copy(to, page - 4 * 4096, 16), 16);
	ck_assert_uint_eq(tl_passed_copy(to, page - 2 * 4096, 16), 0);
}
END_TEST

START_TEST(checked_copies_work_in_a_sandbox_and_leave_no_descriptor)
{
	int before, after;

	refuse_process_vm_readv();
	before = dup(0);
	copy_across_pages(tl_checked_copy);
	after = dup(0);
	ck_assert_int_eq(after, before + 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("args");
	TCase *tests = tcase_create("args");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tests);
	tcase_add_test(tests, scalars_are_printed_by_their_kind);
	tcase_add_test(tests, values_without_a_name_are_numbers);
	tcase_add_test(tests, handles_that_the_api_has_from_the_start_have_names);
	tcase_add_test(tests, floats_are_the_shortest_that_read_back_the_same);
	tcase_add_test(tests, strings_are_escaped_and_bad_utf8_is_replaced);
	tcase_add_test(tests, long_strings_are_cut_with_a_sign_between_characters);
	tcase_add_test(tests, strings_end_where_memory_ends);
	tcase_add_test(tests, unreadable_memory_is_an_address);
	tcase_add_test(tests, out_arrays_are_read_after_success_and_in_out_values_are_both_shown);
	tcase_add_test(tests, out_arrays_end_where_the_call_says_that_it_stopped);
	tcase_add_test(tests, out_arrays_are_as_long_as_a_member_says);
	tcase_add_test(tests, what_is_not_to_be_shown_is_an_address);
	tcase_add_test(tests, an_error_code_is_read_after_a_failure);
	tcase_add_test(tests, lists_of_pairs_end_at_a_pair_that_begins_with_zero);
	tcase_add_test(tests, arrays_whose_count_is_null_are_addresses);
	tcase_add_test(tests, huge_counts_read_no_more_than_they_show);
	tcase_add_test(tests, arrays_of_each_kind_are_shown_as_long_as_they_are);
	tcase_add_test(tests, structs_are_shown_member_by_member);
	tcase_add_test(tests, an_array_in_a_union_is_a_list);
	tcase_add_test(tests, members_that_the_call_fills_in_are_not_shown_as_they_were_before);
	tcase_add_test(tests, inputs_that_would_look_different_are_shown);
	tcase_add_test(tests,
		       what_the_call_returned_is_not_shown_as_it_was_before_where_it_does_not_fit);
	tcase_add_test(tests, inputs_that_would_look_the_same_are_not_shown);
	tcase_add_test(tests, inputs_that_are_not_shown_are_passed_over);
	tcase_add_test(tests, chains_are_followed_by_their_stype);
	tcase_add_test(tests, chains_of_elements_that_are_not_shown_are_passed_over);
	tcase_add_test(tests, chains_that_bite_their_tail_or_lead_nowhere_end);
	tcase_add_test(tests, endless_lists_end_at_a_depth);
	tcase_add_test(tests, structs_passed_by_value_are_shown_and_followed);
	tcase_add_test(tests, blobs_that_do_not_fit_are_left_out_in_order);
	tcase_add_test(tests, text_that_does_not_fit_is_left_out_whole);
	tcase_add_test(tests, results_fail_as_the_api_says);
	tcase_add_test(tests, checked_copies_stop_where_memory_ends);
	tcase_add_test(tests, passed_copies_know_the_stack_after_one_look);
	tcase_add_test(tests, passed_copies_know_the_image);
	tcase_add_test(tests, passed_copies_know_the_heap_after_one_look);
	tcase_add_test(tests, passed_copies_do_not_take_the_gap_below_the_heap_for_known);
	tcase_add_test(tests, checked_copies_work_in_a_sandbox_and_leave_no_descriptor);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
