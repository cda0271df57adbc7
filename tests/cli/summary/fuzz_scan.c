/* SPDX-License-Identifier: MIT */
/*
 * fuzz_scan.c: the sums that `tracelayer summary` makes of a file in the record format, whatever the
 * file says: nothing outside of it is read, nothing takes for ever, each call is counted once, and
 * the tables of the sums can be made.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes its inputs itself.
 */
#include <stdarg.h>
#include <stdio.h>

#include "cli/basics/basics.h"
#include "cli/read/record_file.h"
#include "cli/summary/flat.h"
#include "tests/lib/hostile_trace.h"
#include "tests/lib/silent_command.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static const char *file_bytes;
static size_t file_size;

/* ---- in place of the room that reads files ---- */

bool record_file_is(const char *path)
{
	(void)path;
	return true;
}

/* Bytes of the heap, so that a sanitizer sees one byte too many. */
struct tl_trace *record_file_open(const char *path)
{
	char why[256];

	(void)path;
	return tl_trace_open_bytes(file_bytes, file_size, why, sizeof(why));
}

void record_file_damaged(struct tl_trace *trace, uint64_t byte)
{
	(void)trace;
	if (byte > file_size)
		abort();
}

uint64_t record_file_lost(const struct tl_trace *trace)
{
	(void)trace;
	return 0;
}

int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown,
		      const char *where)
{
	(void)trace;
	(void)path;
	(void)unknown;
	(void)where;
	return EXIT_DONE;
}

/* ---- the target ---- */

static void check_times(const struct flat_sums *sums)
{
	for (uint32_t i = 0; sums->exact && i < sums->tally.nrows; i++) {
		const struct histogram *times = &sums->tally.rows[i].times;
		const struct exact_times *exact = &sums->exact[i];
		int64_t near = histogram_percentile(times, 50);

		if (exact->median < times->min || exact->p99 < exact->median ||
		    exact->p99 > times->max || llabs(exact->median - near) > near / 32 + 1)
			abort();
	}
}

/* Groups and functions have the same calls. */
static void check_sums(const struct flat_sums *sums, enum grouping by)
{
	uint64_t rows = 0, groups = 0;

	for (uint32_t i = 0; i < sums->tally.nrows; i++)
		if (sums->tally.rows[i].kind == TALLY_CALLS)
			rows += sums->tally.rows[i].times.count;
	for (uint32_t i = 0; i < sums->ngroups; i++)
		groups += (uint64_t)sums->groups[i].row.calls;
	if (by != BY_FUNCTION && rows != groups)
		abort();
}

static void sum_up(enum grouping by)
{
	struct table *tables[TABLES] = {NULL};
	struct history history = {.wants_sizes = by == BY_SIZE};
	struct flat_sums sums = {.history = &history, .wants_exact = true};
	char name[] = "fuzz.tlt", *paths[] = {name};

	if (flat_sum(&sums, paths, 1, by, NULL) == EXIT_DONE) {
		check_sums(&sums, by);
		check_times(&sums);
		tabulate_sums(tables, &sums, by, 1);
		for (int i = 0; i < TABLES; i++)
			if (tables[i])
				table_free(tables[i]);
	}
	flat_free(&sums);
	history_free(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const enum grouping groupings[] = {BY_FUNCTION, BY_THREAD, BY_PROCESS,
						  BY_REQUEST,  BY_QUEUE,  BY_SIZE};
	char *file;

	if (size < 2)
		return 0;
	/* The second byte is the grouping; the others are the file. */
	uint8_t by = input[1] % 6, *rest = need(malloc(size - 1));

	rest[0] = input[0];
	memcpy(rest + 1, input + 2, size - 2);
	file_bytes = file = hostile_trace(rest, size - 1, &file_size);
	sum_up(groupings[by]);
	free(file);
	free(rest);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 20 : 5000;
	static uint8_t input[HOSTILE_ROOM];

	for (long i = 0; i < rounds; i++)
		LLVMFuzzerTestOneInput(input, hostile_input(input));
	return 0;
}
#endif
