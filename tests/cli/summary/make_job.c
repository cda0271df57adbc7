/* SPDX-License-Identifier: MIT */
/*
 * make_job.c: makes up the sums of a job. make_job DIR RANKS HOSTS FUNCTIONS [NODES]: rank r, on the
 * host of number r mod HOSTS, called function f (r + f) mod 7 + 1 times, for 1000 (f + 1) ns each;
 * rank 17 four times as long. Its device was busy for r mod 10 tenths of a second. With NODES, the
 * hosts' own sums are made, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/summary/job_sums.h"

void *need(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "make_job: no memory\n");
	exit(1);
}

static void fill(struct rank_sum *sum, int rank, int functions)
{
	char name[32];

	for (int f = 0; f < functions; f++) {
		snprintf(name, sizeof(name), "apiFunction%d", f);
		struct tally_row *row =
			tally_row(&sum->tally, TALLY_CALLS, 0, names_number(&sum->names, name));

		for (int call = 0; call < (rank + f) % 7 + 1; call++)
			histogram_add(&row->times, 1000 * (f + 1) * (rank == 17 ? 4 : 1));
	}
	sum->queues = need(calloc(1, sizeof(*sum->queues)));
	sum->nqueues = 1;
	sum->queues[0] = (struct queue_sum){.name = names_number(&sum->names, "device"),
					    .commands = 10,
					    .busy = rank % 10 * 100000000,
					    .span = 1000000000};
	sum->begin = 1;
	sum->end = 2000000001;
	sum->files = 1;
}

static void node_make(const char *dir, int host, int ranks, int hosts, int functions)
{
	struct rank_sum *sums = need(calloc((size_t)ranks / (size_t)hosts + 2, sizeof(*sums)));
	char path[4096], name[32];
	size_t count = 1;

	snprintf(name, sizeof(name), "node%d", host);
	rank_sum_begin(&sums[0], name, -1);
	for (int rank = host; rank < ranks; rank += hosts) {
		rank_sum_begin(&sums[count], name, rank);
		fill(&sums[count], rank, functions);
		rank_sum_merge(&sums[0], &sums[count++], true);
	}
	snprintf(path, sizeof(path), "%s/job.1/%s/NODE.sum", dir, name);
	rank_sums_write(path, sums, count, false);
	for (size_t i = 0; i < count; i++)
		rank_sum_clear(&sums[i]);
	free(sums);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	int ranks = atoi(argv[2]), hosts = atoi(argv[3]), functions = atoi(argv[4]);
	char path[4096], host[32];

	mkdir(argv[1], 0777);
	snprintf(path, sizeof(path), "%s/job.1", argv[1]);
	mkdir(path, 0777);
	for (int rank = 0; rank < ranks; rank++) {
		struct rank_sum sum;

		snprintf(host, sizeof(host), "node%d", rank % hosts);
		snprintf(path, sizeof(path), "%s/job.1/%s", argv[1], host);
		mkdir(path, 0777);
		snprintf(path, sizeof(path), "%s/job.1/%s/%d.sum", argv[1], host, rank);
		rank_sum_begin(&sum, host, rank);
		fill(&sum, rank, functions);
		if (rank_sums_write(path, &sum, 1, true))
			return 1;
		rank_sum_clear(&sum);
	}
	for (int i = 0; argc > 5 && i < hosts; i++)
		node_make(argv[1], i, ranks, hosts, functions);
	return 0;
}
