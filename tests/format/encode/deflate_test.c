/* SPDX-License-Identifier: MIT */
/*
 * deflate_test.c: zlib gets the same bytes back from compressed ones. Blocks stand on their own, and text
 * of traces becomes as small as zlib makes it at its fastest.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/encode/gzip.h"

#define MOST (3u * 1024 * 1024)

static struct tl_deflate deflate_state;
static char *text, *packed, *back;

static void memory_take(void)
{
	text = malloc(MOST);
	packed = malloc(tl_gzip_bound(MOST) + 64);
	back = malloc(MOST + 1);
}

static void memory_give_back(void)
{
	free(text);
	free(packed);
	free(back);
}

/* What zlib makes of it: the size; -1: it refuses, or bytes are left over. */
static long inflated(size_t packed_size, int form)
{
	z_stream zlib = {.next_in = (Bytef *)packed,
			 .avail_in = (uInt)packed_size,
			 .next_out = (Bytef *)back,
			 .avail_out = MOST + 1};
	long size;

	ck_assert_int_eq(inflateInit2(&zlib, form), Z_OK);
	size = inflate(&zlib, Z_FINISH) == Z_STREAM_END && !zlib.avail_in ? (long)zlib.total_out
									  : -1;
	inflateEnd(&zlib);
	return size;
}

/* Returns the compressed size. */
static size_t comes_back(size_t size)
{
	size_t bound = tl_deflate_bound(size), packed_size;

	memset(packed + bound, 0x5a, 8);
	packed_size = tl_deflate(&deflate_state, packed, text, size, true, NULL);
	ck_assert_uint_le(packed_size, bound);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(packed[bound + i], 0x5a);
	ck_assert_int_eq(inflated(packed_size, -15), (long)size);
	ck_assert_mem_eq(back, text, size);
	return packed_size;
}

static void fill_with_noise(size_t size, unsigned values)
{
	srand(7);
	for (size_t i = 0; i < size; i++)
		text[i] = (char)((unsigned)rand() / 7 % values);
}

static size_t fill_with_events(size_t size)
{
	static const char *const names[] = {"clEnqueueNDRangeKernel", "clFinish", "clSetKernelArg"};
	size_t used = 0;
	double ts = 123456.789;

	for (unsigned i = 0; used + 200 < size; i++) {
		used += (size_t)snprintf(text + used, 200,
					 "{\"ph\":\"X\",\"pid\":4711,\"name\":\"%s\",\"tid\":4711,"
					 "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"queue\":\"0x55d0\","
					 "\"n\":%u,\"result\":\"CL_SUCCESS\"}},\n",
					 names[i % 3], ts, (rand() % 1000) / 1000., i / 3);
		ts += 1 + rand() % 1000 / 1000.;
	}
	return used;
}

START_TEST(few_bytes_come_back)
{
	fill_with_noise(700, 256);
	for (size_t size = 0; size < 700; size++)
		comes_back(size);
	memset(text, 'a', 700);
	for (size_t size = 0; size < 700; size++)
		comes_back(size);
}
END_TEST

START_TEST(noise_is_stored)
{
	const size_t sizes[] = {65534, 65535, 65536, 131070, 131071, 262143, 262144, 1000003, MOST};

	fill_with_noise(MOST, 256);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		ck_assert_uint_le(comes_back(sizes[i]), sizes[i] + sizes[i] / 4096 + 16);
}
END_TEST

START_TEST(few_values_take_few_bits)
{
	for (unsigned values = 2; values <= 64; values *= 2) {
		fill_with_noise(500000, values);
		ck_assert_uint_le(comes_back(500000),
				  500000 / 8 * (unsigned)(__builtin_ctz(values) + 1));
	}
}
END_TEST

/* Fibonacci numbers make the deepest trees: more than 15 bits for the rarest symbols. */
START_TEST(deep_trees_are_cut)
{
	size_t used = 0;

	for (unsigned value = 0, n = 1, before = 1; value < 26; value++) {
		for (unsigned i = 0; i < n; i++)
			text[used++] = (char)value;
		n += before;
		before = n - before;
	}
	/* Mixed, so that nothing repeats. */
	for (size_t i = used - 1; i > 0; i--) {
		size_t other = (size_t)rand() % (i + 1);
		char value = text[i];

		text[i] = text[other];
		text[other] = value;
	}
	comes_back(used);
}
END_TEST

START_TEST(repeats_of_every_length_and_distance_come_back)
{
	/* Noise, and a part of it again, from 1 to 40,000 bytes before. */
	for (size_t distance = 1; distance <= 40000; distance += 1 + distance / 9) {
		for (size_t length = 3; length < 700; length += 1 + length / 5) {
			fill_with_noise(distance, 256);
			for (size_t i = 0; i < length; i++)
				text[distance + i] = text[i];
			comes_back(distance + length);
		}
	}
}
END_TEST

START_TEST(the_window_ends_where_it_ends)
{
	/* Noise that comes again whole, just within the window and just outside of it. */
	for (size_t distance = 32760; distance < 32780; distance++) {
		size_t size;

		fill_with_noise(distance, 256);
		memcpy(text + distance, text, distance);
		size = comes_back(2 * distance);
		if (distance <= 32768)
			ck_assert_uint_le(size, distance + 2000);
		else
			ck_assert_uint_gt(size, 2 * distance);
	}
}
END_TEST

START_TEST(many_short_repeats_become_several_blocks)
{
	size_t used = 0;

	while (used + 16 < MOST) {
		memcpy(text + used, "abcdefgh", 8);
		used += 4 + (unsigned)rand() % 5;
		text[used++] = (char)rand();
	}
	comes_back(used);
}
END_TEST

START_TEST(events_become_as_small_as_by_zlib)
{
	size_t size = fill_with_events(MOST), ours = comes_back(size);
	z_stream zlib = {.next_in = (Bytef *)text,
			 .avail_in = (uInt)size,
			 .next_out = (Bytef *)packed,
			 .avail_out = MOST};

	ck_assert_int_eq(deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, -15, 8, 0), Z_OK);
	ck_assert_int_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_lt(ours, zlib.total_out + zlib.total_out / 50);
	deflateEnd(&zlib);
}
END_TEST

/* Between the places that are hinted, bytes of all values: a sample of them tells nothing of the rest. */
START_TEST(what_a_sample_promised_in_vain_is_stored)
{
	static struct tl_repeat_hint list[MOST / 16];
	struct tl_repeat_hints hints = {text, 0, MOST / 16, list};
	size_t size = 0, packed_size;
	uint32_t last = 0;

	srand(7);
	while (size + 32 < 200000) {
		bool is_sampled = hints.count % 5 == 1;

		for (unsigned i = 0; i < (is_sampled ? 4 : 24); i++)
			text[size++] = (char)(is_sampled ? 'z' : rand() >> 7 | 0x80);
		tl_repeat_hint(&hints, text + size, &last);
		memcpy(text + size, "abcd", 4);
		size += 4;
	}
	memset(packed + tl_deflate_bound(size), 0x5a, 8);
	packed_size = tl_deflate(&deflate_state, packed, text, size, true, &hints);
	ck_assert_uint_le(packed_size, tl_deflate_bound(size));
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(packed[tl_deflate_bound(size) + i], 0x5a);
	ck_assert_int_eq(inflated(packed_size, -15), (long)size);
	ck_assert_mem_eq(back, text, size);
}
END_TEST

/* A block's codes are made from its first repeats, and what follows may be anything. */
START_TEST(what_follows_a_sample_comes_back)
{
	size_t events = fill_with_events(150000);
	static char kept[150000];

	memcpy(kept, text, events);
	for (unsigned values = 2; values <= 256; values *= 4) {
		for (size_t noise = 1000; noise < 300000; noise *= 3) {
			fill_with_noise(events + noise, values);
			memcpy(text, kept, events);
			comes_back(events + noise);
		}
	}
}
END_TEST

/* Coarse hints cost little size; wrong ones do no harm. */
START_TEST(hints_tell_where_repeats_are)
{
	static struct tl_repeat_hint list[MOST / 16];
	struct tl_repeat_hints hints = {text, 0, MOST / 16, list};
	size_t size = fill_with_events(1000000), plain, hinted;
	static uint32_t places[128];

	plain = tl_deflate(&deflate_state, packed, text, size, true, NULL);
	for (size_t i = 0; i < size; i++)
		if (text[i] == '"')
			tl_repeat_hint(&hints, text + i, &places[text[i + 1] & 127]);
	hinted = tl_deflate(&deflate_state, packed, text, size, true, &hints);
	ck_assert_uint_lt(hinted, plain + plain / 8);
	ck_assert_int_eq(inflated(hinted, -15), (long)size);
	ck_assert_mem_eq(back, text, size);
	for (uint32_t i = 0; i < hints.count; i++)
		list[i].back += (uint32_t)rand() % 50000 - 25000;
	hinted = tl_deflate(&deflate_state, packed, text, size, true, &hints);
	ck_assert_int_eq(inflated(hinted, -15), (long)size);
	ck_assert_mem_eq(back, text, size);
}
END_TEST

START_TEST(each_block_stands_on_its_own)
{
	size_t size = fill_with_events(300000), head;

	/* The second one alone is read from its first byte, in another stream. */
	head = tl_deflate(&deflate_state, packed, text, size, false, NULL);
	ck_assert_uint_gt(head, 0);
	size = tl_deflate(&deflate_state, packed, text, size, true, NULL);
	ck_assert_int_eq(inflated(size, -15), (long)strlen(text));
}
END_TEST

START_TEST(kept_blocks_and_an_end_are_one_member)
{
	struct tl_gzip gzip;
	size_t size = fill_with_events(MOST - 200), used = tl_gzip_header(packed), part = size / 3;
	size_t after;

	tl_gzip_start(&gzip, &deflate_state);
	for (size_t at = 0; at < 3 * part; at += part) {
		used += tl_gzip_block(&gzip, packed + used, text + at, part);
		tl_gzip_keep(&gzip);
		/* One that is not kept counts for nothing, and an end may be written again. */
		tl_gzip_block(&gzip, packed + used, "lost", 4);
		after = used + tl_gzip_end(&gzip, packed + used, "]", 1);
		ck_assert_int_eq(inflated(after, 15 + 16), (long)(at + part + 1));
		ck_assert_mem_eq(back, text, at + part);
		ck_assert_int_eq(back[at + part], ']');
	}
}
END_TEST

/* Pieces of a block, of which every other one was compressed apart. */
START_TEST(pieces_of_a_block_are_one_member)
{
	struct tl_gzip gzip;
	size_t size = fill_with_events(MOST - 200), used = tl_gzip_header(packed), part = size / 7;
	size_t at = 0;

	tl_gzip_start(&gzip, &deflate_state);
	for (int i = 0; i < 7; i++, at += part) {
		size_t piece = i == 3 ? 1 : part; /* a short one, and a gap before the next */

		if (i % 4 == 0)
			tl_gzip_pieces(&gzip);
		memmove(text + at, text + (size_t)i * part, piece);
		if (i % 2) {
			struct tl_gzip_piece apart = tl_gzip_piece(&deflate_state, packed + used,
								   text + at, piece, NULL);
			tl_gzip_join(&gzip, &apart);
			used += apart.size;
		} else {
			used += tl_gzip_add(&gzip, packed + used, text + at, piece);
		}
		if (i % 4 == 3)
			tl_gzip_keep(&gzip);
		at -= part - piece;
	}
	tl_gzip_keep(&gzip);
	used += tl_gzip_end(&gzip, packed + used, "]", 1);
	ck_assert_int_eq(inflated(used, 15 + 16), (long)(at + 1));
	ck_assert_mem_eq(back, text, at);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deflate");
	TCase *tests = tcase_create("bytes");

	tcase_add_checked_fixture(tests, memory_take, memory_give_back);
	tcase_set_timeout(tests, 120);
	suite_add_tcase(suite, tests);
	tcase_add_test(tests, few_bytes_come_back);
	tcase_add_test(tests, noise_is_stored);
	tcase_add_test(tests, few_values_take_few_bits);
	tcase_add_test(tests, deep_trees_are_cut);
	tcase_add_test(tests, repeats_of_every_length_and_distance_come_back);
	tcase_add_test(tests, the_window_ends_where_it_ends);
	tcase_add_test(tests, many_short_repeats_become_several_blocks);
	tcase_add_test(tests, events_become_as_small_as_by_zlib);
	tcase_add_test(tests, what_a_sample_promised_in_vain_is_stored);
	tcase_add_test(tests, what_follows_a_sample_comes_back);
	tcase_add_test(tests, hints_tell_where_repeats_are);
	tcase_add_test(tests, each_block_stands_on_its_own);
	tcase_add_test(tests, kept_blocks_and_an_end_are_one_member);
	tcase_add_test(tests, pieces_of_a_block_are_one_member);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
