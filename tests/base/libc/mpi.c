/* SPDX-License-Identifier: MIT */
/*
 * mpi.c: an MPI program that makes traced calls and sends its neighbour a message after every
 * thousand. Prints what it got.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "callee.h"

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 10000, sum = 0, got = 0;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (long i = 0; i < calls; i++) {
		sum += bench_one((uint64_t)i);
		if (i % 1000)
			continue;
		/* Large enough for what a registration cache keeps. */
		char *memory = malloc(1 << 20);
		long sent[2] = {i, rank}, received[2];
		MPI_Sendrecv(sent, 2, MPI_LONG, (rank + 1) % size, 0, received, 2, MPI_LONG,
			     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		got += received[0] + received[1] + (memory != NULL);
		free(memory);
	}
	printf("rank %d of %d: %ld %ld\n", rank, size, sum, got);
	MPI_Finalize();
	return 0;
}
