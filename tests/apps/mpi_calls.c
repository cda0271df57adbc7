/* SPDX-License-Identifier: MIT */
/*
 * mpi_calls.c: a program of two or more ranks that uses many of MPI's ways: messages that block and
 * that don't, collectives, derived types, one-sided windows, files, attributes with callbacks,
 * errors that come back. Each rank prints what it read, and leaves the number of its calls in
 * calls.RANK. Its argument is how often messages go back and forth.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *name;
	long count;
} counts[100];

static void count(const char *call)
{
	size_t length = strcspn(call, "(");
	int i = 0;

	while (counts[i].name &&
	       (strncmp(counts[i].name, call, length) != 0 || counts[i].name[length] != '('))
		i++;
	counts[i].name = call;
	counts[i].count++;
}

/* Makes the call, and counts it by its name. */
#define DO(call) (count(#call), (call))

static int rank, size;

static void messages(int rounds)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	long sum = 0, value;

	for (int i = 0; i < rounds; i++) {
		MPI_Request requests[2];
		MPI_Status statuses[2];
		long mine = (long)rank * i;
		DO(MPI_Irecv(&value, 1, MPI_LONG, from, i, MPI_COMM_WORLD, &requests[0]));
		DO(MPI_Isend(&mine, 1, MPI_LONG, to, i, MPI_COMM_WORLD, &requests[1]));
		DO(MPI_Waitall(2, requests, statuses));
		sum += value + statuses[0].MPI_TAG;
	}
	int many[300], got[300], number;
	MPI_Status status;
	for (int i = 0; i < 300; i++)
		many[i] = rank + i;
	DO(MPI_Sendrecv(many, 300, MPI_INT, to, 1, got, 300, MPI_INT, from, MPI_ANY_TAG,
			MPI_COMM_WORLD, &status));
	DO(MPI_Get_count(&status, MPI_INT, &number));
	DO(MPI_Sendrecv_replace(got, 300, MPI_INT, to, 2, from, 2, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE));
	/* A large one: libraries have another way for these. */
	char *large = malloc(1 << 20), *other = malloc(1 << 20);
	memset(large, rank + 1, 1 << 20);
	DO(MPI_Sendrecv(large, 1 << 20, MPI_CHAR, to, 3, other, 1 << 20, MPI_CHAR, from, 3,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	printf("%d: messages %ld %d %d %d\n", rank, sum, number, got[299], other[(1 << 20) - 1]);
	free(large);
	free(other);
}

static void add_up(void *in, void *inout, int *length, MPI_Datatype *type)
{
	for (int i = 0; i < *length; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void collectives(void)
{
	int value = rank + 1, sum = 0, all[64], scan = 0;
	MPI_Op op;
	MPI_Comm half;
	MPI_Request request;

	DO(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	DO(MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
	DO(MPI_Op_create(add_up, 1, &op));
	DO(MPI_Scan(&value, &scan, 1, MPI_INT, op, MPI_COMM_WORLD));
	DO(MPI_Op_free(&op));
	DO(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	DO(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
	int members, relation;
	DO(MPI_Comm_size(half, &members));
	DO(MPI_Comm_compare(half, MPI_COMM_WORLD, &relation));
	DO(MPI_Comm_free(&half));
	DO(MPI_Ibarrier(MPI_COMM_WORLD, &request));
	DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
	printf("%d: collectives %d %d %d %d %d %d %d\n", rank, sum, all[size - 1], scan, value,
	       members, relation, half == MPI_COMM_NULL);
}

struct point {
	double x, y;
	char name[8];
};

static void types(void)
{
	int lengths[] = {2, 8};
	MPI_Aint places[] = {offsetof(struct point, x), offsetof(struct point, name)}, low, extent;
	MPI_Datatype parts[] = {MPI_DOUBLE, MPI_CHAR}, point;
	struct point p = {rank, 2.5, ""};
	int bytes;

	strcpy(p.name, rank ? "other" : "first");
	DO(MPI_Type_create_struct(2, lengths, places, parts, &point));
	DO(MPI_Type_commit(&point));
	DO(MPI_Type_size(point, &bytes));
	DO(MPI_Type_get_extent(point, &low, &extent));
	DO(MPI_Bcast(&p, 1, point, 0, MPI_COMM_WORLD));
	DO(MPI_Type_free(&point));
	printf("%d: types %d %ld %g %g %s\n", rank, bytes, (long)extent, p.x, p.y, p.name);
}

static void windows(void)
{
	int *memory, seen = 0, one = 1;
	MPI_Win window;

	DO(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
			    &window));
	*memory = 0;
	DO(MPI_Win_fence(0, window));
	for (int i = 0; i < 50; i++)
		DO(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
	DO(MPI_Win_fence(0, window));
	DO(MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, window));
	DO(MPI_Win_fence(0, window));
	DO(MPI_Win_free(&window));
	printf("%d: windows %d\n", rank, seen);
}

static void files(void)
{
	MPI_File file;
	MPI_Offset length;
	char line[16];

	DO(MPI_File_open(MPI_COMM_WORLD, "together", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			 &file));
	snprintf(line, sizeof(line), "rank %9d\n", rank);
	DO(MPI_File_write_at_all(file, (MPI_Offset)rank * 15, line, 15, MPI_CHAR,
				 MPI_STATUS_IGNORE));
	DO(MPI_File_sync(file));
	DO(MPI_Barrier(MPI_COMM_WORLD));
	DO(MPI_File_get_size(file, &length));
	DO(MPI_File_close(&file));
	printf("%d: files %ld\n", rank, (long)length);
}

static int forget(MPI_Comm comm, int key, void *value, void *state)
{
	printf("%d: attribute %d is forgotten\n", rank, *(int *)value);
	return MPI_SUCCESS;
}

static void attributes(void)
{
	static int value = 42;
	int key, found, *at, *tag_limit;
	MPI_Comm copy;

	DO(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL));
	DO(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
	DO(MPI_Comm_set_attr(copy, key, &value));
	DO(MPI_Comm_get_attr(copy, key, &at, &found));
	printf("%d: attributes %d %d\n", rank, found, *at);
	DO(MPI_Comm_free(&copy));
	DO(MPI_Comm_free_keyval(&key));
	DO(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_limit, &found));
	printf("%d: tags up to %d\n", rank, *tag_limit);
}

static void errors(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int length, class, code;

	DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	code = DO(MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
	DO(MPI_Error_class(code, &class));
	DO(MPI_Error_string(class, text, &length));
	code = DO(MPI_Send(&code, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD));
	printf("%d: errors %d %s %d\n", rank, class == MPI_ERR_COUNT, text, code != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	char name[32];

	DO(MPI_Init(&argc, &argv));
	DO(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
	messages(argc > 1 ? atoi(argv[1]) : 10);
	collectives();
	types();
	windows();
	files();
	attributes();
	errors();
	DO(MPI_Finalize());
	snprintf(name, sizeof(name), "calls.%d", rank);
	FILE *file = fopen(name, "w");
	for (int i = 0; file && counts[i].name; i++)
		fprintf(file, "%.*s %ld\n", (int)strcspn(counts[i].name, "("), counts[i].name,
			counts[i].count);
	return file && fclose(file) == 0 ? 0 : 1;
}
