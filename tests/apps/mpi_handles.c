/* SPDX-License-Identifier: MIT */
/*
 * mpi_handles.c: two ranks make a communicator and exchange three messages, and write what handles
 * and statuses they got: a line of JSON a call, with the function and some of its arguments, into the
 * file FOLDER/RANK.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As the trace shows it; four texts at a time. */
static const char *text_of(const void *handle, size_t size)
{
	static char texts[4][32];
	static unsigned turn;
	uint64_t word = 0;
	char *text = texts[turn++ % 4];

	memcpy(&word, handle, size);
	snprintf(text, sizeof(*texts), "\"0x%llx\"", (unsigned long long)word);
	return text;
}
#define TEXT(handle) text_of(&(handle), sizeof(handle))

/* Open MPI's are addresses, and have no names. */
static const char *named(const char *name, const void *handle, size_t size)
{
#ifdef OPEN_MPI
	(void)name;
	return text_of(handle, size);
#else
	(void)handle, (void)size;
	return name;
#endif
}
#define NAMED(name) named("\"" #name "\"", &(name##_), sizeof(name##_))

int main(int argc, char **argv)
{
	int rank, sent[3] = {1, 2, 3}, got[3] = {0};
	char path[4096];
	MPI_Comm MPI_COMM_WORLD_ = MPI_COMM_WORLD, comm;
	MPI_Datatype MPI_INT_ = MPI_INT;
	MPI_Op MPI_SUM_ = MPI_SUM;
	MPI_Request requests[4];
	MPI_Status statuses[4];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof(path), "%s/%d", argv[1], rank);
	FILE *to = fopen(path, "w");
	if (!to)
		return 1;
	MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
	fprintf(to, "[\"MPI_Comm_split\", {\"comm\": %s, \"newcomm\": %s}]\n",
		NAMED(MPI_COMM_WORLD), TEXT(comm));
	for (int i = 0; i < 3; i++) {
		MPI_Irecv(&got[i], 1, MPI_INT, 1 - rank, 10 + i, comm, &requests[i]);
		fprintf(to, "[\"MPI_Irecv\", {\"comm\": %s, \"datatype\": %s, \"request_\": %s}]\n",
			TEXT(comm), NAMED(MPI_INT), TEXT(requests[i]));
	}
	MPI_Issend(sent, 1, MPI_INT, 1 - rank, 10, comm, &requests[3]);
	fprintf(to, "[\"MPI_Issend\", {\"comm\": %s, \"request_\": %s}]\n", TEXT(comm),
		TEXT(requests[3]));
	for (int i = 1; i < 3; i++)
		MPI_Send(sent, 1, MPI_INT, 1 - rank, 10 + i, comm);
	fprintf(to, "[\"MPI_Waitall\", {\"requests\": [");
	for (int i = 0; i < 4; i++)
		fprintf(to, "%s%s", i ? ", " : "", TEXT(requests[i]));
	MPI_Waitall(4, requests, statuses);
	fprintf(to, "], \"statuses\": [");
	for (int i = 0; i < 3; i++)
		fprintf(to, "%s{\"MPI_SOURCE\": %d, \"MPI_TAG\": %d}", i ? ", " : "",
			statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
	fprintf(to, "]}]\n");
	MPI_Allreduce(sent, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	fprintf(to, "[\"MPI_Allreduce\", {\"datatype\": %s, \"op\": %s, \"comm\": %s}]\n",
		NAMED(MPI_INT), NAMED(MPI_SUM), NAMED(MPI_COMM_WORLD));
	fprintf(to, "[\"MPI_Comm_free\", {\"comm\": %s}]\n", TEXT(comm));
	MPI_Comm_free(&comm);
	fclose(to);
	MPI_Finalize();
	return got[0] == 2 ? 0 : 2;
}
