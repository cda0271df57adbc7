/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sums.c: the reader of RANK.sum on any bytes: behind a header that is right, and as they are.
 * What it takes is merged, written, read again, and is the same.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes inputs itself.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/tally/tally.h"
#include "tests/lib/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

static void merge(void *user, struct rank_sum *sum)
{
	rank_sum_merge(user, sum, true);
}

static void read_again(const struct rank_sum *sum)
{
	static const char file[] = "fuzz.sum";
	struct rank_sum again;
	char why[256];

	rank_sum_begin(&again, "", -1);
	if (rank_sums_write(file, sum, 1, true) ||
	    !rank_sums_read(file, merge, &again, why, sizeof(why)))
		abort();
	if (again.tally.nrows != sum->tally.nrows || again.nqueues != sum->nqueues)
		abort();
	for (uint32_t i = 0; i < sum->tally.nrows; i++)
		if (again.tally.rows[i].times.sum != sum->tally.rows[i].times.sum ||
		    histogram_percentile(&again.tally.rows[i].times, 50) !=
			    histogram_percentile(&sum->tally.rows[i].times, 50))
			abort();
	rank_sum_clear(&again);
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
	struct rank_sum all;
	char why[256];

	rank_sum_begin(&all, "", -1);
	bool taken = rank_sums_decode(bytes, size, merge, &all, why, sizeof(why));
	if (taken && all.tally.nrows)
		read_again(&all);
	/* A second time: sums that are as large as can be stay so. */
	rank_sums_decode(bytes, size, merge, &all, why, sizeof(why));
	rank_sum_clear(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint8_t *whole = need(malloc(size + 16));
	uint32_t length = htole32((uint32_t)size),
		 crc = htole32((uint32_t)crc32(0, input, (uInt)size));

	memcpy(whole, "tlsum\0\0\2", 8);
	memcpy(whole + 8, &length, 4);
	memcpy(whole + 12, &crc, 4);
	memcpy(whole + 16, input, size);
	try_bytes(whole, size + 16);
	try_bytes(input, size);
	free(whole);
	return 0;
}

#ifdef FUZZ_STANDALONE
/* A sum of the form that files have, with some bytes changed. */
static size_t make_input(uint8_t *input, size_t room)
{
	struct rank_sum sum;
	size_t size = 0;

	rank_sum_begin(&sum, "host", (int64_t)(next_random() % 100));
	for (int i = 0; i < 5; i++)
		histogram_add(&tally_row(&sum.tally, TALLY_CALLS, 0,
					 names_number(&sum.names, i % 2 ? "a" : "b"))
				       ->times,
			      (int64_t)(next_random() >> (next_random() % 63 + 1)));
	rank_sums_write("made.sum", &sum, 1, true);
	rank_sum_clear(&sum);
	FILE *file = fopen("made.sum", "r");

	if (file && !fseek(file, 16, SEEK_SET))
		size = fread(input, 1, room, file);
	if (file)
		fclose(file);
	for (uint64_t changes = next_random() % 4; changes && size; changes--)
		input[next_random() % size] = (uint8_t)next_random();
	return size;
}

int main(int argc, char **argv)
{
	uint8_t input[1200];

	for (int rounds = argc > 1 ? atoi(argv[1]) : 100000; rounds; rounds--)
		LLVMFuzzerTestOneInput(input, make_input(input, sizeof(input)));
	return 0;
}
#endif
