/* SPDX-License-Identifier: MIT */
/*
 * mpi_meets.c: ranks that meet: mpi_meets ROUNDS. In each round a barrier, a sum over all ranks, and a
 * message to the next rank. A smaller communicator has calls of its own in between, which not all
 * ranks make equally often. Rank 0 prints the last sum.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* By the name that programs of MPI 4 use, as mpi4py's. */
#if MPI_VERSION >= 4
#define MPI_Allreduce MPI_Allreduce_c
#endif

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, rank, size, sum = 0, from = -1;
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	for (int i = 0; i < rounds; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &from, 1, MPI_INT,
			     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 0; k <= rank % 2; k++)
			MPI_Barrier(half);
		usleep(1000);
	}
	if (!rank)
		printf("sum %d, from %d\n", sum, from);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return from != (rank + size - 1) % size;
}
