/* SPDX-License-Identifier: MIT */
/*
 * make_mpi.c: makes up the traces of two ranks. make_mpi WHAT FOLDER: in FOLDER, rank 0 sends a message
 * (0.tlt) and rank 1 receives it (1.tlt). WHAT says what is odd about the files:
 *
 *	sound	nothing
 *	count	rank 1 has waited for more requests than a record can have
 *	blobs	rank 1 has waited for requests whose captured memory has sizes that are no multiples of 8
 *	size	the job has more ranks than there is memory for
 *	rank	rank 1 is one of a number that none has
 *	group	the message is in a communicator that was made of the world's group
 *	tower	of a group that was made of two, each of which was made of two, sixty times
 *	ranges	there are hundreds of groups of millions of ranks, too
 *	comms	the job has as many ranks as a file may claim, and dozens of communicators of them
 *	order	in the first of two communicators of a group; the ranks' threads made these, and one of
 *		another tag, in other orders
 *	late	while another thread makes a communicator that has the handle of the first later
 *	reused	while another thread begins a receive whose request has the handle of this one later
 *	given-up	before it, rank 0 has given up a send of the same key
 *	sent-too	the same, but it was sent: rank 1 has received it, too
 *	doubtful	rank 0 has given up two, and rank 1 has received two
 *	given-up-killed	as given-up, but rank 1 was killed: it may have received the first one alone
 *	threads	rank 0 sends another one by another thread, after the first call has returned
 *	crossed	the same, but before that
 *	parts	in parts: while a thread of rank 0 waits for it, another one says that the last part is ready
 *	grid	in a line of a grid; behind MPI_Cart_sub's numbers the record has others
 *	torn	the same, but the record lacks the second number
 *	bent	the ranks disagree about which dimension remains
 *	host	in the communicator of a host's ranks
 *	near	the same, but the launcher took the host for two
 *	far	the hosts have two names, and the launcher took them for one
 *	parted	the same as host, but MPICH was told to take the host for several
 *	info	the same as host, with an info, which MPICH may take for a part of a host
 *
 * Or WHAT names the library, and the receive has a status, of 77 bytes: mpich, openmpi, abi-mpich,
 * abi-openmpi. The latter two are the standard ABI of MPI 5, as either has it. With -self behind it,
 * the first call of either rank is on MPI_COMM_SELF; with -parent, on the communicator with the
 * processes that spawned the ranks. mpich-left: in the status is a bit that the program's memory
 * had.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args_capture.h"
#include "tests/lib/trace_builder.h"

enum { T_INT, T_INTS, T_COMM, T_REQUEST, T_REQUESTS, T_STATUS, T_STATUSES, TYPES };

static const struct tl_type types[TYPES] = {
	[T_INT] = {.name = "int", .kind = TL_KIND_INT, .size = 4},
	[T_INTS] = {.name = "int *", .kind = TL_KIND_POINTER, .size = 8, .target = &types[T_INT]},
	[T_COMM] = {.name = "MPI_Comm", .kind = TL_KIND_HANDLE, .size = 8},
	[T_REQUEST] = {.name = "MPI_Request", .kind = TL_KIND_HANDLE, .size = 8},
	[T_REQUESTS] = {.name = "MPI_Request *",
			.kind = TL_KIND_POINTER,
			.size = 8,
			.target = &types[T_REQUEST]},
	[T_STATUS] = {.name = "MPI_Status", .kind = TL_KIND_STRUCT, .size = 32},
	[T_STATUSES] = {.name = "MPI_Status *",
			.kind = TL_KIND_POINTER,
			.size = 8,
			.target = &types[T_STATUS]},
};

#define PARAM_OF(way, i, n, t, ...)                                                                \
	{                                                                                          \
		.name = n, .type = &types[t], .offset = i, .words = 1, .direction = way,           \
		__VA_ARGS__                                                                        \
	}
#define PARAM(...) PARAM_OF(TL_IN, __VA_ARGS__)
#define REQUESTS   .length = {TL_LENGTH_VALUE, 0, 0, 1}
#define STATUS	   .length = {TL_LENGTH_VALUE, 0, 0, 1}

static const struct tl_variable send_params[] = {PARAM(0, "dest", T_INT), PARAM(1, "tag", T_INT),
						 PARAM(2, "comm", T_COMM)};
static const struct tl_variable recv_params[] = {PARAM(0, "source", T_INT), PARAM(1, "tag", T_INT),
						 PARAM(2, "comm", T_COMM),
						 PARAM_OF(TL_OUT, 3, "status", T_STATUSES, STATUS)};
static const struct tl_variable irecv_params[] = {
	PARAM(0, "source", T_INT), PARAM(1, "tag", T_INT), PARAM(2, "comm", T_COMM),
	PARAM_OF(TL_OUT, 3, "request_", T_REQUESTS, REQUESTS)};
static const struct tl_variable isend_params[] = {
	PARAM(0, "dest", T_INT), PARAM(1, "tag", T_INT), PARAM(2, "comm", T_COMM),
	PARAM_OF(TL_OUT, 3, "request_", T_REQUESTS, REQUESTS)};
static const struct tl_variable psend_params[] = {
	PARAM(0, "partitions", T_INT), PARAM(1, "dest", T_INT), PARAM(2, "tag", T_INT),
	PARAM(3, "comm", T_COMM), PARAM_OF(TL_OUT, 4, "request_", T_REQUESTS, REQUESTS)};
static const struct tl_variable precv_params[] = {
	PARAM(0, "partitions", T_INT), PARAM(1, "source", T_INT), PARAM(2, "tag", T_INT),
	PARAM(3, "comm", T_COMM), PARAM_OF(TL_OUT, 4, "request_", T_REQUESTS, REQUESTS)};
static const struct tl_variable pready_params[] = {PARAM(0, "partition", T_INT),
						   PARAM(1, "request_", T_REQUEST)};
static const struct tl_variable wait_params[] = {PARAM(0, "request_", T_REQUESTS, REQUESTS)};
/* A file describes its own functions, so this one may have two arrays before the requests. */
static const struct tl_variable waitall_params[] = {
	PARAM(0, "count", T_INT), PARAM(1, "more", T_REQUESTS, REQUESTS),
	PARAM(2, "others", T_REQUESTS, REQUESTS), PARAM(3, "requests", T_REQUESTS, REQUESTS),
	PARAM(4, "statuses", T_REQUESTS)};

static const struct tl_variable bcast_params[] = {PARAM(0, "root", T_INT),
						  PARAM(1, "comm", T_COMM)};
static const struct tl_variable group_params[] = {
	PARAM(0, "comm", T_COMM), PARAM_OF(TL_OUT, 1, "group", T_REQUESTS, REQUESTS)};
static const struct tl_variable union_params[] = {
	PARAM(0, "group1", T_REQUEST), PARAM(1, "group2", T_REQUEST),
	PARAM_OF(TL_OUT, 2, "newgroup", T_REQUESTS, REQUESTS)};
static const struct tl_variable range_params[] = {
	PARAM(0, "group", T_REQUEST), PARAM(1, "n", T_INT),
	PARAM(2, "ranges", T_REQUESTS, REQUESTS),
	PARAM_OF(TL_OUT, 3, "newgroup", T_REQUESTS, REQUESTS)};
static const struct tl_variable create_group_params[] = {
	PARAM(0, "comm", T_COMM), PARAM(1, "group", T_REQUEST), PARAM(2, "tag", T_INT),
	PARAM_OF(TL_OUT, 3, "newcomm", T_REQUESTS, REQUESTS)};
static const struct tl_variable free_params[] = {PARAM(0, "comm", T_REQUESTS, REQUESTS)};
static const struct tl_variable create_params[] = {
	PARAM(0, "comm", T_COMM), PARAM(1, "group", T_REQUEST),
	PARAM_OF(TL_OUT, 2, "newcomm", T_REQUESTS, REQUESTS)};

static const struct tl_variable cart_create_params[] = {
	PARAM(0, "comm", T_COMM), PARAM(1, "ndims", T_INT), PARAM(2, "dims", T_INTS, REQUESTS),
	PARAM(3, "reorder", T_INT), PARAM_OF(TL_OUT, 4, "comm_cart", T_REQUESTS, REQUESTS)};
static const struct tl_variable cart_sub_params[] = {
	PARAM(0, "comm", T_COMM), PARAM(1, "remain_dims", T_INTS, REQUESTS),
	PARAM_OF(TL_OUT, 2, "newcomm", T_REQUESTS, REQUESTS)};
static const struct tl_variable split_type_params[] = {
	PARAM(0, "comm", T_COMM), PARAM(1, "split_type", T_INT), PARAM(2, "key", T_INT),
	PARAM(3, "info", T_REQUEST), PARAM_OF(TL_OUT, 4, "newcomm", T_REQUESTS, REQUESTS)};

enum {
	F_INIT,
	F_SEND,
	F_RECV,
	F_IRECV,
	F_WAIT,
	F_WAITALL,
	F_BCAST,
	F_COMM_GROUP,
	F_UNION,
	F_COMM_CREATE,
	F_RANGE_INCL,
	F_COMM_CREATE_GROUP,
	F_COMM_FREE,
	F_CART_CREATE,
	F_CART_SUB,
	F_SPLIT_TYPE,
	F_ISEND,
	F_CANCEL,
	F_FINALIZE,
	F_PSEND_INIT,
	F_PRECV_INIT,
	F_START,
	F_PREADY,
	FUNCTIONS
};

static const struct tl_api api;
#define FUNCTION(n, i, p, c)                                                                       \
	{                                                                                          \
		.name = n, .result = &types[T_INT], .params = p, .api = &api, .index = i,          \
		.count = c, .words = c, .level = 2, .file = "mpi.h"                                \
	}
static const struct tl_function functions[FUNCTIONS] = {
	FUNCTION("MPI_Init", F_INIT, NULL, 0),
	FUNCTION("MPI_Send", F_SEND, send_params, 3),
	FUNCTION("MPI_Recv", F_RECV, recv_params, 4),
	FUNCTION("MPI_Irecv", F_IRECV, irecv_params, 4),
	FUNCTION("MPI_Wait", F_WAIT, wait_params, 1),
	FUNCTION("MPI_Waitall", F_WAITALL, waitall_params, 5),
	FUNCTION("MPI_Bcast", F_BCAST, bcast_params, 2),
	FUNCTION("MPI_Comm_group", F_COMM_GROUP, group_params, 2),
	FUNCTION("MPI_Group_union", F_UNION, union_params, 3),
	FUNCTION("MPI_Comm_create", F_COMM_CREATE, create_params, 3),
	FUNCTION("MPI_Group_range_incl", F_RANGE_INCL, range_params, 4),
	FUNCTION("MPI_Comm_create_group", F_COMM_CREATE_GROUP, create_group_params, 4),
	FUNCTION("MPI_Comm_free", F_COMM_FREE, free_params, 1),
	FUNCTION("MPI_Cart_create", F_CART_CREATE, cart_create_params, 5),
	FUNCTION("MPI_Cart_sub", F_CART_SUB, cart_sub_params, 3),
	FUNCTION("MPI_Comm_split_type", F_SPLIT_TYPE, split_type_params, 5),
	FUNCTION("MPI_Isend", F_ISEND, isend_params, 4),
	FUNCTION("MPI_Cancel", F_CANCEL, wait_params, 1),
	FUNCTION("MPI_Finalize", F_FINALIZE, NULL, 0),
	FUNCTION("MPI_Psend_init", F_PSEND_INIT, psend_params, 5),
	FUNCTION("MPI_Precv_init", F_PRECV_INIT, precv_params, 5),
	FUNCTION("MPI_Start", F_START, wait_params, 1),
	FUNCTION("MPI_Pready", F_PREADY, pready_params, 2),
};

static const struct tl_api api = {
	.name = "mpi_words", .version = "1", .functions = functions, .count = FUNCTIONS};

static const char *what;

static bool is_odd(const char *name)
{
	return !strcmp(what, name);
}

/* `after`: bytes behind the words. */
static char *put_call(char *at, uint32_t function, uint64_t start, const uint64_t *words,
		      const void *after, size_t size)
{
	size_t count = functions[function].words;
	struct tl_call_record record = {
		.size = (uint16_t)(sizeof(record) / 8 + count + size / 8),
		.type = TL_RECORD_CALL,
		.flags = (uint8_t)(TL_RECORD_WORDS | (size ? TL_RECORD_BLOBS : 0)),
		.function = function,
		.start = start,
		.duration = 100};

	memcpy(at, &record, sizeof(record));
	at += sizeof(record);
	if (count)
		memcpy(at, words, 8 * count);
	at += 8 * count;
	if (size)
		memcpy(at, after, size);
	return at + size;
}

static char *put_waitall(char *at)
{
	const struct tl_blob empty = {0, 0}, odd = {5, 1}, huge = {0x7fffffff, 1};
	struct {
		struct tl_blob_sizes sizes;
		struct tl_blob blobs[8];
	} after = {{24, 0}, {empty, empty, empty}};
	uint64_t words[] = {is_odd("count") ? UINT64_MAX / 2 : 1, 1, 1, 1, 1};

	if (is_odd("blobs")) {
		after.sizes.entry = 13;
		after.blobs[0] = odd;
		after.blobs[2] = after.blobs[3] = huge;
	}
	return put_call(at, F_WAITALL, 3000, words, &after, sizeof(after));
}

/* A call that returned a handle. */
static char *put_made(char *at, uint32_t function, uint64_t start, const uint64_t *words,
		      uint64_t handle)
{
	const struct {
		struct tl_blob_sizes sizes;
		struct tl_blob blob;
		uint64_t handle;
	} after = {{0, sizeof(after.blob) + sizeof(after.handle)}, {sizeof(handle), 1}, handle};

	return put_call(at, function, start, words, &after, sizeof(after));
}

/* A communicator that is made of the world's group, or of what was made of that. */
static char *put_groups(char *at, uint64_t world, uint64_t comm, uint64_t floors)
{
	uint64_t top = 1;
	char *made = at;

	at = put_made(at, F_COMM_GROUP, 1050, (uint64_t[]){0, 1}, top);
	((struct tl_call_record *)(void *)made)->result = 5; /* it failed */
	at = put_made(at, F_COMM_GROUP, 1100, (uint64_t[]){world, 1}, top);
	for (; top <= floors; top++)
		at = put_made(at, F_UNION, 1100 + top, (uint64_t[]){top, top, 1}, top + 1);
	return put_made(at, F_COMM_CREATE, 1900, (uint64_t[]){world, top, 1}, comm);
}

/* A group of 1 and so many more ranks. */
static char *put_ranges(char *at, uint64_t start, int more)
{
	const struct {
		struct tl_blob_sizes sizes;
		struct tl_blob in;
		int range[4];
		struct tl_blob out;
		uint64_t handle;
	} after = {
		{sizeof(after.in) + sizeof(after.range), sizeof(after.out) + sizeof(after.handle)},
		{12, 1},
		{0, more, 1},
		{sizeof(after.handle), 1},
		1000 + start};

	return put_call(at, F_RANGE_INCL, start, (uint64_t[]){1, 1, 1, 1}, &after, sizeof(after));
}

/* Communicators that threads make of the world's group: two of tag 1, one of tag 2. */
static char *put_order(char *at, uint64_t world, uint64_t comm, int64_t rank)
{
	static const uint64_t orders[2][3] = {{0, 2, 1}, {2, 0, 1}};

	at = put_made(at, F_COMM_GROUP, 1100, (uint64_t[]){world, 1}, 1);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t which = orders[rank][i];

		at = put_made(at, F_COMM_CREATE_GROUP, 1200 + 100 * i,
			      (uint64_t[]){world, 1, which == 2 ? 2 : 1, 1}, comm + which);
	}
	return at;
}

/* A call with a handle that the program gave it. */
static char *put_given(char *at, uint32_t function, uint64_t start, uint64_t handle)
{
	const struct {
		struct tl_blob_sizes sizes;
		struct tl_blob blob;
		uint64_t handle;
	} after = {{sizeof(after.blob) + sizeof(after.handle), 0}, {sizeof(handle), 1}, handle};

	return put_call(at, function, start, (uint64_t[]){1}, &after, sizeof(after));
}

/* Around the message: rank 0 makes one of tag 2 all the time, while the first one is freed. */
static char *put_late(char *at, uint64_t world, uint64_t comm, int64_t rank)
{
	struct tl_call_record *late;

	at = put_made(at, F_COMM_GROUP, 1100, (uint64_t[]){world, 1}, 1);
	at = put_made(at, F_COMM_CREATE_GROUP, 1300, (uint64_t[]){world, 1, 1, 1}, comm);
	late = (void *)at;
	at = put_made(at, F_COMM_CREATE_GROUP, rank ? 3000 : 1500, (uint64_t[]){world, 1, 2, 1},
		      comm);
	late->duration = rank ? 100 : 1600;
	return put_given(at, F_COMM_FREE, 2500, comm);
}

/* The second receive, of another tag, begins before the first one is waited for, and ends after that. */
static char *put_reused(char *at, uint64_t world)
{
	struct tl_call_record *late;

	at = put_made(at, F_IRECV, 1100, (uint64_t[]){0, 7, world, 1}, 0x9c000001);
	late = (void *)at;
	at = put_made(at, F_IRECV, 1500, (uint64_t[]){0, 8, world, 1}, 0x9c000001);
	late->duration = 1600;
	return put_given(at, F_WAIT, 2500, 0x9c000001);
}

/* Sends that are given up, before the message. */
static char *put_given_up(char *at, uint64_t world)
{
	for (uint64_t i = 0; i < (is_odd("doubtful") ? 2 : 1); i++) {
		at = put_made(at, F_ISEND, 1100 + 200 * i, (uint64_t[]){1, 7, world, 1},
			      0x9c000001);
		at = put_given(at, F_CANCEL, 1300 + 200 * i, 0x9c000001);
	}
	return at;
}

/* The wait begins before the last part is ready, and ends after that. */
static char *put_parts(char *at, uint64_t world, int64_t rank)
{
	const uint64_t request = 0xac000001, words[] = {1, !rank, 7, world, 1};
	struct tl_call_record *wait;

	at = put_made(at, rank ? F_PRECV_INIT : F_PSEND_INIT, 1100, words, request);
	at = put_given(at, F_START, 1300, request);
	wait = (void *)at;
	at = put_given(at, F_WAIT, 1500, request);
	wait->duration = 1000;
	return rank ? at : put_call(at, F_PREADY, 2000, (uint64_t[]){0, request}, NULL, 0);
}

/* A call that read some numbers of a grid's dimensions, and returned a handle. */
static char *put_numbers(char *at, uint32_t function, uint64_t start, const uint64_t *words,
			 const int *numbers, uint32_t count, uint64_t handle)
{
	struct {
		struct tl_blob_sizes sizes;
		struct tl_blob in;
		int numbers[8];
		struct tl_blob out;
		uint64_t handle;
	} after = {{sizeof(after.in) + sizeof(after.numbers),
		    sizeof(after.out) + sizeof(after.handle)},
		   {count * sizeof(int), count},
		   {0},
		   {sizeof(after.handle), 1},
		   handle};
	size_t unused = sizeof(after.numbers) - ((size_t)count + 1) / 2 * 8;
	char bytes[sizeof(after)];

	memcpy(after.numbers, numbers, count * sizeof(int));
	after.sizes.entry -= (uint32_t)unused;
	/* The second blob follows the first. */
	size_t before = offsetof(typeof(after), out) - unused;
	memcpy(bytes, &after, before);
	memcpy(bytes + before, &after.out, sizeof(after) - offsetof(typeof(after), out));
	return put_call(at, function, start, words, bytes, sizeof(after) - unused);
}

/* Of a grid of 2 by 1, the line that has both ranks. */
static char *put_grid(char *at, uint64_t world, uint64_t comm, int64_t rank)
{
	const int dims[] = {2, 1}, remain[8] = {1, is_odd("bent") && rank, 5, 6, 7, 8, 9, 10};

	at = put_numbers(at, F_CART_CREATE, 1100, (uint64_t[]){world, 2, 1, 0, 1}, dims, 2,
			 comm + 1);
	return put_numbers(at, F_CART_SUB, 1300, (uint64_t[]){comm + 1, 1, 1}, remain,
			   is_odd("torn") ? 1 : 8, comm);
}

/* MPICH's numbers of MPI_COMM_TYPE_SHARED and MPI_INFO_NULL. */
static char *put_host(char *at, uint64_t world, uint64_t comm)
{
	uint64_t info = is_odd("info") ? 0x9c000000 : 0x1c000000;

	return put_made(at, F_SPLIT_TYPE, 1100, (uint64_t[]){world, 1, 0, info, 1}, comm);
}

#define OPENMPI_WORLD 0x7f0000001000

/* The world's communicator, two others, and a status that says "from 0, tag 7, 77 bytes" and is not read as another's. */
static const struct library {
	const char *name;
	uint64_t world, self, parent;
	uint32_t status[8];
} libraries[] = {
	{"mpich", 0x44000000, 0x44000001, 0x84000000, {77, 0, 0, 7, 0x55, 0x55, 0x55, 0x55}},
	{"openmpi",
	 OPENMPI_WORLD,
	 OPENMPI_WORLD - 512,
	 0x555500000000,
	 {0, 7, 0, 0, 77, 0, 0x55, 0x55}},
	{"abi-mpich", 0x101, 0x102, 0x84000000, {0, 7, 0, 77, 0, 0x55, 0x55, 0x55}},
	{"abi-openmpi", 0x101, 0x102, 0x555500000000, {0, 7, 0, 0, 77, 0, 0x55, 0x55}},
};

static const struct library *library_named(const char *name)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		size_t size = strlen(libraries[i].name);

		if (!strncmp(libraries[i].name, name, size) &&
		    (!name[size] || !strcmp(name + size, "-self") ||
		     !strcmp(name + size, "-parent") || !strcmp(name + size, "-left")))
			return &libraries[i];
	}
	return NULL;
}

static char *put_receive(char *at, const struct library *library, uint64_t comm)
{
	uint64_t words[] = {0, 7, comm, library ? 1 : 0};
	struct {
		struct tl_blob_sizes sizes;
		struct tl_blob blob;
		uint32_t status[8];
	} after = {{0, sizeof(after.blob) + sizeof(after.status)}, {sizeof(after.status), 1}, {0}};

	if (!library)
		return put_call(at, F_RECV, 2000, words, NULL, 0);
	/* The receive was for any source and any tag: below 0 in each library, but of other numbers. */
	words[0] = !strcmp(library->name, "mpich") ? (uint32_t)-2 : (uint32_t)-1;
	words[1] = !strncmp(library->name, "abi", 3) ? (uint32_t)-2 : (uint32_t)-1;
	memcpy(after.status, library->status, sizeof(after.status));
	after.status[1] |= is_odd("mpich-left"); /* as if a request had been cancelled */
	return put_call(at, F_RECV, 2000, words, &after, sizeof(after));
}

static void put_rank(const char *folder, int64_t rank)
{
	const struct library *library = library_named(what);
	const uint64_t world = library ? library->world : 0x44000000;
	const bool groups = is_odd("group") || is_odd("tower") || is_odd("ranges");
	const bool grid = is_odd("grid") || is_odd("torn") || is_odd("bent");
	const bool host = is_odd("host") || is_odd("near") || is_odd("far") || is_odd("info") ||
			  is_odd("parted");
	const bool other = groups || grid || host || is_odd("order") || is_odd("late");
	const uint64_t comm = other ? 0x84000001 : world, message[] = {!rank, 7, comm};
	struct builder file;
	char path[4096];

	build_start(&file, TL_FILE_SPOOL)->pid = 100 + (uint32_t)rank;
	char members[256];
	snprintf(members, sizeof(members),
		 "\"include\":\"*\",\"exclude\":\"\",\"job\":{\"size\":%s}",
		 is_odd("size")	   ? "1000000000000000"
		 : is_odd("comms") ? "16777216"
				   : "2");
	if (!strncmp(what, "openmpi", 7))
		snprintf(members + strlen(members), sizeof(members) - strlen(members),
			 ",\"mpi_world\":%lld", (long long)OPENMPI_WORLD);
	if (host)
		snprintf(members + strlen(members), sizeof(members) - strlen(members),
			 ",\"local_rank\":%d%s", is_odd("near") ? 0 : (int)rank,
			 is_odd("parted") ? ",\"mpi_parted\":1" : "");
	struct tl_facts *facts = build_facts(&file, "app", members);
	facts->pid = 100 + (uint32_t)rank;
	if (is_odd("far"))
		snprintf(facts->host, sizeof(facts->host), "host%d", (int)rank);
	facts->has_rank = true;
	facts->rank = rank && is_odd("rank") ? INT32_MAX - 1 : rank;
	build_api(&file, 0, &api);
	build_thread(&file, 1, 100 + (uint32_t)rank, "main", 0);
	struct tl_chunk_piece *chunk = build_chunk(&file, 1, 1, 65536);
	char *at = put_call(build_records(chunk), F_INIT, 1000, NULL, NULL, 0);
	if (strstr(what, "-self"))
		at = put_call(at, F_BCAST, 1500, (uint64_t[]){0, library->self}, NULL, 0);
	if (strstr(what, "-parent"))
		at = put_call(at, F_BCAST, 1500, (uint64_t[]){0, library->parent}, NULL, 0);
	if (groups)
		at = put_groups(at, world, comm, is_odd("tower") ? 60 : 0);
	for (uint64_t i = 0; i < 300 && is_odd("ranges"); i++)
		at = put_ranges(at, 1500 + i, (1 << 24) - 1);
	if (is_odd("comms"))
		at = put_made(at, F_COMM_GROUP, 1100, (uint64_t[]){world, 1}, 1);
	for (uint64_t i = 1; i <= 40 && is_odd("comms"); i++)
		at = put_made(at, F_COMM_CREATE, 1200 + i, (uint64_t[]){world, 1, 1}, comm + i);
	if (is_odd("order"))
		at = put_order(at, world, comm, rank);
	if (is_odd("late"))
		at = put_late(at, world, comm, rank);
	if (grid)
		at = put_grid(at, world, comm, rank);
	if (host)
		at = put_host(at, world, comm);
	const bool received = is_odd("sent-too") || is_odd("doubtful");
	const bool gives_up = received || is_odd("given-up") || is_odd("given-up-killed");
	if (!rank && gives_up)
		at = put_given_up(at, world);
	const bool threads = is_odd("threads") || is_odd("crossed");
	if (rank && (received || threads))
		at = put_call(at, F_RECV, 1700, (uint64_t[]){0, 7, world, 0}, NULL, 0);
	if (is_odd("parts"))
		at = put_parts(at, world, rank);
	else if (!rank)
		at = put_call(at, F_SEND, 2000, message, NULL, 0);
	else
		at = is_odd("reused") ? put_reused(at, world) : put_receive(at, library, comm);
	if (rank && (is_odd("count") || is_odd("blobs")))
		at = put_waitall(at);
	if (gives_up && !(rank && is_odd("given-up-killed")))
		at = put_call(at, F_FINALIZE, 5000, NULL, NULL, 0);
	chunk->end = (uint64_t)(at - build_records(chunk));
	if (!rank && threads) {
		build_thread(&file, 2, 200, "other", 0);
		chunk = build_chunk(&file, 2, 2, 4096);
		at = put_call(build_records(chunk), F_SEND, is_odd("threads") ? 2200 : 2050,
			      message, NULL, 0);
		chunk->end = (uint64_t)(at - build_records(chunk));
	}
	build_end(&file, 3, 0);
	snprintf(path, sizeof(path), "%s/%d.tlt", folder, (int)rank);
	FILE *to = fopen(path, "wb");
	if (!to || fwrite(file.bytes, file.size, 1, to) != 1 || fclose(to))
		exit(1);
	free(file.bytes);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	what = argv[1];
	put_rank(argv[2], 0);
	put_rank(argv[2], 1);
	return 0;
}
