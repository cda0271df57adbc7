/* SPDX-License-Identifier: MIT */
/*
 * mpi_spawns.c: ranks that start three more of the same program, a world of their own. In each world, each
 * rank sends to the next one. Then the first rank of the first world sends to each of the others and back.
 */
#include <mpi.h>

static void ring(void)
{
	int rank, size, from;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &from, 1, MPI_INT,
		     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm parent, others;
	int rank, number = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	ring();
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
			       MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 3 && rank == 0; i++) {
			MPI_Send(&i, 1, MPI_INT, i, 7, others);
			MPI_Recv(&number, 1, MPI_INT, i, 8, others, MPI_STATUS_IGNORE);
		}
		MPI_Comm_disconnect(&others);
	} else {
		MPI_Recv(&number, 1, MPI_INT, 0, 7, parent, MPI_STATUS_IGNORE);
		MPI_Send(&number, 1, MPI_INT, 0, 8, parent);
		MPI_Comm_disconnect(&parent);
	}
	MPI_Finalize();
	return 0;
}
