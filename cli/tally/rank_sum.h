/* SPDX-License-Identifier: MIT */
/*
 * rank_sum.h: what one rank of a job did, in 10 to 50 KB: its tally and its queues. A file RANK.sum
 * has that of one rank; a NODE.sum has those of all ranks of a host, without histograms, and before
 * them that of all ranks together, with them.
 *
 * The file: 8 bytes of magic, the size of the rest and its CRC-32 in 4 bytes each, low bytes first;
 * then numbers of 7 bits a byte (LEB128, signed ones zigzag) and texts with their length before them.
 * A reader trusts nothing in it.
 */
#ifndef TL_CLI_TALLY_RANK_SUM_H
#define TL_CLI_TALLY_RANK_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/tally/tally_rows.h"

/* A queue of a device; times in nanoseconds. */
struct queue_sum {
	/* numbers of texts: the device's name; its address on the bus or its UUID, or "" */
	uint32_t name, hardware;
	int64_t commands, busy;
	int64_t span; /* from the first command's start to the last one's end */
};

struct rank_sum {
	char *host;
	int64_t rank;	    /* -1: without one, or all of a host */
	uint32_t files;	    /* that it is the sum of */
	int64_t begin, end; /* of what was recorded, on the host's clock; 0: not known */
	uint64_t lost;	    /* events that the traces lack */
	struct names names;
	struct tally tally; /* names are numbers in .names; group 0 */
	struct queue_sum *queues;
	uint32_t nqueues;
};

/* Zeroed, with the host's name copied. */
void rank_sum_begin(struct rank_sum *sum, const char *host, int64_t rank);
void rank_sum_clear(struct rank_sum *sum);

/* Add all of the second to the first; queues only with `queues`. */
void rank_sum_merge(struct rank_sum *to, const struct rank_sum *from, bool queues);

/*
 * Write a file of several sums, under a temporary name first, so that no reader sees half of it.
 * `histograms`: of all of them, or of the first alone. 0, or an errno.
 */
int rank_sums_write(const char *path, const struct rank_sum *sums, size_t count, bool histograms);

/* The same to an open file. */
int rank_sums_put(int fd, const struct rank_sum *sums, size_t count, bool histograms);

/* The file begins like one. False for what can't be read twice. */
bool rank_sums_is(const char *path);

/*
 * Read one, and call `each` with the sums in it, which are freed afterwards. False: `why` says what
 * is wrong, and `each` was not called.
 */
typedef void (*rank_sum_taker)(void *user, struct rank_sum *sum);
bool rank_sums_read(const char *path, rank_sum_taker each, void *user, char *why, size_t room);

/* The same from memory. */
bool rank_sums_decode(const unsigned char *bytes, size_t size, rank_sum_taker each, void *user,
		      char *why, size_t room);

#endif
