/* SPDX-License-Identifier: MIT */
/*
 * mpi_sends.c: each kind of send and receive that MPI has: mpi_sends FOLDER ROUNDS [session]. With "session"
 * there is no MPI_Init: all is done in communicators of a session. Each message
 * carries its sender's rank and how many messages that one had sent before. Each call that gives
 * messages to the program becomes a line of FOLDER/RANK: "0.12 3.4" are two messages. The last
 * messages are received without a status, from any rank: what they are is not written.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define POOL 256
#define MANY 75 /* receives, and as many sends, of one wait */

/* MPICH 5.0.2, which the standard ABI is tested with, gets SIGBUS in MPI_Intercomm_create now and then. */
static const bool has_intercomms = MPI_VERSION < 5;

struct message {
	int from, number;
};

static struct message out[POOL], in[POOL];
static int rank, size, sent, sent_in_parts, next, before;
static FILE *lines;

static struct message *message_new(void)
{
	struct message *message = &out[sent % POOL];

	*message = (struct message){rank, sent++};
	return message;
}

static void told(int count, const int *places)
{
	for (int i = 0; i < count; i++) {
		const struct message *message = &in[places ? places[i] : i];
		fprintf(lines, "%s%d.%d", i ? " " : "", message->from, message->number);
	}
	fprintf(lines, "\n");
}

static void told_one(int place)
{
	told(1, &place);
}

static void blocking(MPI_Comm comm)
{
	static int (*const sends[])(const void *, int, MPI_Datatype, int, int,
				    MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Bsend};
	MPI_Request request;

	for (int i = 0; i < 3; i++) {
		MPI_Irecv(in, 2, MPI_INT, before, 5, comm, &request);
		sends[i](message_new(), 2, MPI_INT, next, 5, comm);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		told(1, NULL);
	}
	MPI_Irecv(in, 2, MPI_INT, before, 5, comm, &request);
	MPI_Barrier(comm);
	MPI_Rsend(message_new(), 2, MPI_INT, next, 5, comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	told(1, NULL);
	MPI_Send(message_new(), 2, MPI_INT, MPI_PROC_NULL, 5, comm);
	sent--;
	MPI_Recv(in, 2, MPI_INT, MPI_PROC_NULL, 5, comm, MPI_STATUS_IGNORE);
}

static void exchanges(MPI_Comm comm)
{
	MPI_Status status;

	MPI_Sendrecv(message_new(), 2, MPI_INT, next, 5, in, 2, MPI_INT, before, 5, comm, &status);
	told(1, NULL);
	in[0] = *message_new();
	MPI_Sendrecv_replace(in, 2, MPI_INT, next, 6, before, MPI_ANY_TAG, comm, &status);
	told(1, NULL);
}

/* One request for both ways: MPI 4. With an older one, a request for each. */
static void exchange_begin(MPI_Comm comm, bool replaces, MPI_Request *request)
{
#if MPI_VERSION >= 4
	if (replaces) {
		in[0] = *message_new();
		MPI_Isendrecv_replace(in, 2, MPI_INT, next, 6, before, 6, comm, request);
	} else {
		MPI_Isendrecv(message_new(), 2, MPI_INT, next, 5, in, 2, MPI_INT, before, 5, comm,
			      request);
	}
#else
	MPI_Irecv(in, 2, MPI_INT, before, replaces ? 6 : 5, comm, request);
	MPI_Send(message_new(), 2, MPI_INT, next, replaces ? 6 : 5, comm);
#endif
}

static void exchanges_begun(MPI_Comm comm)
{
	MPI_Request request;
	MPI_Status status;

	for (int replaces = 0; replaces < 2; replaces++) {
		exchange_begin(comm, replaces, &request);
		MPI_Wait(&request, replaces ? MPI_STATUS_IGNORE : &status);
		told(1, NULL);
	}
}

/* Requests that are waited for in another order than they were made in. */
static void requests(MPI_Comm comm)
{
	MPI_Request request[8];
	MPI_Status status[8];
	int flag = 0, count, place, places[8];

	for (int i = 0; i < 4; i++)
		MPI_Irecv(&in[i], 2, MPI_INT, MPI_ANY_SOURCE, i < 3 ? i : MPI_ANY_TAG, comm,
			  &request[i]);
	MPI_Isend(message_new(), 2, MPI_INT, next, 2, comm, &request[4]);
	MPI_Issend(message_new(), 2, MPI_INT, next, 1, comm, &request[5]);
	MPI_Ibsend(message_new(), 2, MPI_INT, next, 0, comm, &request[6]);
	MPI_Isend(message_new(), 2, MPI_INT, next, 9, comm, &request[7]);
	MPI_Wait(&request[2], &status[0]);
	told_one(2);
	while (!flag)
		MPI_Test(&request[3], &flag, &status[0]);
	told_one(3);
	MPI_Waitany(2, request, &place, &status[0]);
	told_one(place);
	for (flag = 0; !flag;)
		MPI_Testany(2, request, &place, &flag, &status[0]);
	told_one(place);
	MPI_Waitall(4, request + 4, MPI_STATUSES_IGNORE);

	for (int i = 0; i < 4; i++)
		MPI_Irecv(&in[i], 2, MPI_INT, before, 7, comm, &request[i]);
	for (int i = 0; i < 4; i++)
		MPI_Isend(message_new(), 2, MPI_INT, next, 7, comm, &request[4 + i]);
	for (int done = 0; done < 4; done += count) {
		if (done % 2)
			MPI_Waitsome(4, request, &count, places, status);
		else
			MPI_Testsome(4, request, &count, places, status);
		if (count > 0)
			told(count, places);
	}
	for (flag = 0; !flag;)
		MPI_Testall(4, request + 4, &flag, status);

	/* The first message is the first receive's, whichever is waited for first. */
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&in[i], 2, MPI_INT, before, 11, comm, &request[i]);
	for (int i = 0; i < 2; i++)
		MPI_Send(message_new(), 2, MPI_INT, next, 11, comm);
	for (int i = 1; i >= 0; i--) {
		MPI_Wait(&request[i], MPI_STATUS_IGNORE);
		told_one(i);
	}
}

/* As bandwidth is measured: one wait for many. */
static void many(MPI_Comm comm)
{
	MPI_Request request[2 * MANY];
	MPI_Status status[2 * MANY];

	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&in[i], 2, MPI_INT, i % 2 ? before : MPI_ANY_SOURCE, 12, comm,
			  &request[i]);
	for (int i = 0; i < MANY; i++)
		MPI_Isend(message_new(), 2, MPI_INT, next, 12, comm, &request[MANY + i]);
	MPI_Waitall(2 * MANY, request, status);
	told(MANY, NULL);
}

static void persistent(MPI_Comm comm)
{
	MPI_Request request[2];
	static struct message message;

	MPI_Send_init(&message, 2, MPI_INT, next, 8, comm, &request[0]);
	MPI_Recv_init(in, 2, MPI_INT, MPI_ANY_SOURCE, 8, comm, &request[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Status status[2];

		message = *message_new();
		if (i == 1) {
			MPI_Start(&request[0]);
			MPI_Start(&request[1]);
		} else {
			MPI_Startall(2, request);
		}
		MPI_Waitall(2, request, status);
		told(1, NULL);
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
}

/*
 * Messages in parts, by two pairs of requests that are alike: which belong together, the order says in which
 * they were made. They are started in another order.
 */
static void in_parts(MPI_Comm comm)
{
#if MPI_VERSION >= 4
	static struct message message[2];
	int both[] = {1, 0};
	MPI_Request send[2], receive[2];
	MPI_Status status;

	for (int i = 0; i < 2; i++) {
		MPI_Psend_init(&message[i], 2, 1, MPI_INT, next, 5, comm, MPI_INFO_NULL, &send[i]);
		MPI_Precv_init(&in[i], 1, 2, MPI_INT, before, 5, comm, MPI_INFO_NULL, &receive[i]);
	}
	for (int round = 0; round < 4; round++) {
		int first = round % 2;

		for (int i = 0; i < 2; i++) {
			MPI_Start(&receive[i ? first : !first]);
			MPI_Start(&send[i ? !first : first]);
		}
		for (int i = 0; i < 2; i++) {
			int pair = i ? !first : first;

			message[pair] = *message_new();
			if (round == 0)
				MPI_Pready_list(2, both, send[pair]);
			else if (round == 1)
				MPI_Pready_range(0, 1, send[pair]);
			for (int part = 1; part >= 0 && round > 1; part--)
				MPI_Pready(part, send[pair]);
		}
		MPI_Wait(&receive[0], round ? &status : MPI_STATUS_IGNORE);
		told_one(0);
		MPI_Wait(&receive[1], MPI_STATUS_IGNORE);
		told_one(1);
		MPI_Waitall(2, send, MPI_STATUSES_IGNORE);
		sent_in_parts += 2;
	}
	for (int i = 0; i < 2; i++) {
		MPI_Request_free(&send[i]);
		MPI_Request_free(&receive[i]);
	}
#else
	(void)comm;
#endif
}

static void probed(MPI_Comm comm)
{
	MPI_Request send, receive;
	MPI_Message message;
	MPI_Status status;
	int flag = 0;

	MPI_Isend(message_new(), 2, MPI_INT, next, 3, comm, &send);
	MPI_Mprobe(MPI_ANY_SOURCE, 3, comm, &message, &status);
	MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
	told(1, NULL);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
	MPI_Isend(message_new(), 2, MPI_INT, next, 3, comm, &send);
	while (!flag)
		MPI_Improbe(before, 3, comm, &flag, &message, &status);
	MPI_Imrecv(in, 2, MPI_INT, &message, &receive);
	MPI_Wait(&receive, &status);
	told(1, NULL);
	MPI_Wait(&send, MPI_STATUS_IGNORE);
}

/* Receives that are given up: the status tells that they took no message, or is ignored. */
static void cancelled(MPI_Comm comm)
{
	MPI_Request request;
	MPI_Status status;

	MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, 99, comm, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Irecv(in, 2, MPI_INT, MPI_ANY_SOURCE, 99, comm, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * A send that is given up. Some libraries send it all the same: whether it is to be received, all ranks tell
 * each other.
 */
static void send_cancelled(MPI_Comm comm)
{
	int is_gone, gone[POOL];
	MPI_Request request;
	MPI_Status status;

	MPI_Isend(message_new(), 2, MPI_INT, next, 97, comm, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &is_gone);
	sent -= is_gone;
	MPI_Allgather(&is_gone, 1, MPI_INT, gone, 1, MPI_INT, comm);
	if (!gone[before]) {
		MPI_Recv(in, 2, MPI_INT, before, 97, comm, MPI_STATUS_IGNORE);
		told(1, NULL);
	}
	for (int i = 0; i < 2; i++) {
		MPI_Sendrecv(message_new(), 2, MPI_INT, next, 97, in, 2, MPI_INT, before, 97, comm,
			     MPI_STATUS_IGNORE);
		told(1, NULL);
	}
}

/* That the second receive took none is known by its key: there are as many sends as other receives. */
static void freed(MPI_Comm comm)
{
	MPI_Request request;

	MPI_Irecv(in, 2, MPI_INT, before, 98, comm, &request);
	MPI_Send(message_new(), 2, MPI_INT, next, 98, comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	told(1, NULL);
	MPI_Irecv(in, 2, MPI_INT, before, 98, comm, &request);
	MPI_Cancel(&request);
	MPI_Request_free(&request);
}

/* The first rank takes what comes. */
static void served(MPI_Comm comm)
{
	int place, all;

	MPI_Comm_rank(comm, &place);
	MPI_Comm_size(comm, &all);
	if (place) {
		for (int i = 0; i < place; i++)
			MPI_Send(message_new(), 2, MPI_INT, 0, i, comm);
		return;
	}
	for (int i = 0; i < all * (all - 1) / 2; i++) {
		MPI_Status status;

		MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
		told(1, NULL);
	}
}

/*
 * The first message goes to a receive that does not say from whom. A receive that gets none is given up,
 * so sends and the other receives are equally many.
 */
static void unknown(MPI_Comm comm)
{
	MPI_Request request[3];

	MPI_Irecv(&in[0], 2, MPI_INT, MPI_ANY_SOURCE, 5, comm, &request[0]);
	MPI_Irecv(&in[1], 2, MPI_INT, before, 5, comm, &request[1]);
	MPI_Irecv(&in[2], 2, MPI_INT, before, 5, comm, &request[2]);
	MPI_Request_free(&request[2]);
	MPI_Send(message_new(), 2, MPI_INT, next, 5, comm);
	MPI_Send(message_new(), 2, MPI_INT, next, 5, comm);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void ring_set(MPI_Comm comm)
{
	int place, all;

	MPI_Comm_rank(comm, &place);
	MPI_Comm_size(comm, &all);
	next = (place + 1) % all;
	before = (place + all - 1) % all;
}

static void all_kinds(MPI_Comm comm)
{
	ring_set(comm);
	blocking(comm);
	exchanges(comm);
	exchanges_begun(comm);
	requests(comm);
	many(comm);
	persistent(comm);
	in_parts(comm);
	probed(comm);
	cancelled(comm);
	send_cancelled(comm);
	served(comm);
	MPI_Barrier(comm);
}

/* For those ranks that are in it. */
static void few_kinds(MPI_Comm comm)
{
	if (comm == MPI_COMM_NULL)
		return;
	ring_set(comm);
	exchanges(comm);
	served(comm);
	MPI_Comm_free(&comm);
}

/* Communicators of groups that all ranks of the world create: of each half in reverse; of all but one. */
static void of_groups(MPI_Group world)
{
	MPI_Group half, most;
	MPI_Comm comm;
	int ranks[POOL], count = 0, first = 0;

	for (int i = size - 1; i >= 0; i--)
		if (i % 2 == rank % 2)
			ranks[count++] = i;
	MPI_Group_incl(world, count, ranks, &half);
	MPI_Comm_create(MPI_COMM_WORLD, half, &comm);
	few_kinds(comm);
	MPI_Group_free(&half);
	MPI_Group_excl(world, 1, &first, &most);
	MPI_Comm_create(MPI_COMM_WORLD, most, &comm);
	few_kinds(comm);
	MPI_Group_free(&most);
}

/*
 * Those that only their own ranks create: first two of the odd ranks, and then one of all: first the odd
 * ones, and then the others.
 */
static void of_own_groups(MPI_Group world)
{
	int odd_ranges[1][3] = {{1, size - 1, 2}}, even_ranges[1][3] = {{0, size - 1, 2}};
	MPI_Group odd, rest, both, same;
	MPI_Comm comm, other;

	MPI_Group_range_incl(world, 1, odd_ranges, &odd);
	MPI_Group_range_excl(world, 1, even_ranges, &same);
	MPI_Group_difference(world, odd, &rest);
	MPI_Group_union(odd, rest, &both);
	if (rank % 2) {
		MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &comm);
		MPI_Comm_create_group(MPI_COMM_WORLD, same, 3, &other);
		few_kinds(comm);
		few_kinds(other);
	}
	MPI_Group_free(&same);
	MPI_Group_intersection(both, world, &same);
	MPI_Comm_create_group(MPI_COMM_WORLD, same, 3, &comm);
	few_kinds(comm);
	MPI_Group_free(&odd);
	MPI_Group_free(&rest);
	MPI_Group_free(&both);
	MPI_Group_free(&same);
}

/* A group that the odd ranks are put into one by one, as programs do that begin with none. */
static void of_empty_group(MPI_Group world)
{
	MPI_Group odd = MPI_GROUP_EMPTY, none;
	MPI_Comm comm;

	MPI_Group_incl(world, 0, NULL, &none);
	for (int i = size - 1; i >= 0; i--) {
		MPI_Group one, more;

		if (i % 2 == 0)
			continue;
		MPI_Group_incl(world, 1, &i, &one);
		MPI_Group_union(odd, one, &more);
		MPI_Group_free(&one);
		if (odd != MPI_GROUP_EMPTY)
			MPI_Group_free(&odd);
		odd = more;
	}
	if (none != MPI_GROUP_EMPTY)
		MPI_Group_free(&none);
	MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odd : MPI_GROUP_EMPTY, &comm);
	few_kinds(comm);
	if (odd != MPI_GROUP_EMPTY)
		MPI_Group_free(&odd);
}

/* Parts of a grid that has no more dimensions than are given, and parts of the latter. */
static void of_grid(int ndims, const int *dims)
{
	const int periods[4] = {1, 0, 1, 0};
	MPI_Comm grid, twin, part, line;

	MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &grid);
	if (grid == MPI_COMM_NULL)
		return;
	MPI_Comm_dup(grid, &twin);
	for (int bits = 0; bits < 1 << ndims; bits++) {
		int *remain = malloc((size_t)ndims * sizeof(*remain)), last[4] = {0}, left = 0;

		for (int i = 0; i < ndims; i++)
			left += remain[i] = bits >> i & 1;
		MPI_Cart_sub(bits % 3 ? twin : grid, remain, &part);
		free(remain);
		if (left > 1) {
			last[left - 1] = 7; /* any number but 0 */
			MPI_Cart_sub(part, last, &line);
			few_kinds(line);
		}
		few_kinds(part);
	}
	MPI_Comm_free(&twin);
	MPI_Comm_free(&grid);
}

/* Rings: of all ranks but the last, and of all. */
static void of_graphs(void)
{
	int index[POOL], edges[POOL], one = 1, after = (rank + 1) % size,
				      last = (rank + size - 1) % size;
	MPI_Comm comm;

	for (int i = 0; i < size - 1; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % (size - 1);
	}
	MPI_Graph_create(MPI_COMM_WORLD, size - 1, index, edges, 0, &comm);
	few_kinds(comm);
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &after, &one, MPI_INFO_NULL, 0,
			      &comm);
	few_kinds(comm);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &one, 1, &after, &one,
				       MPI_INFO_NULL, 0, &comm);
	few_kinds(comm);
}

/* The ranks stand in reverse. The first one has none. */
static void of_host(void)
{
	MPI_Comm comm;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm);
	few_kinds(comm);
	MPI_Comm_split_type(MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0,
			    MPI_INFO_NULL, &comm);
	few_kinds(comm);
}

/* Between two groups, each rank with the one that has its number in the other; then all with the first one. */
static void between(MPI_Comm comm, bool is_first)
{
	int place, others, peer;
	MPI_Status status;

	MPI_Comm_rank(comm, &place);
	MPI_Comm_remote_size(comm, &others);
	peer = place < others ? place : MPI_PROC_NULL;
	MPI_Sendrecv(message_new(), 2, MPI_INT, peer, 5, in, 2, MPI_INT, peer, 5, comm,
		     MPI_STATUS_IGNORE);
	if (peer == MPI_PROC_NULL)
		sent--;
	else
		told(1, NULL);
	if (!is_first) {
		MPI_Send(message_new(), 2, MPI_INT, 0, place, comm);
		return;
	}
	for (int i = 0; i < others && place == 0; i++) {
		MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
		told(1, NULL);
	}
}

/* MPI chooses which group is first, so nobody knows which ranks these are: the message is not counted. */
static void of_equals(MPI_Comm inter)
{
	MPI_Comm both;
	MPI_Request request;

	MPI_Intercomm_merge(inter, 0, &both);
	ring_set(both);
	MPI_Irecv(in, 2, MPI_INT, before, 5, both, &request);
	MPI_Send(message_new(), 2, MPI_INT, next, 5, both);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	sent--;
	MPI_Comm_free(&both);
}

/* Even and odd ranks, which two of them join by the communicator `peer`: the last even and the first odd one. */
static void of_halves(MPI_Comm peer)
{
	int is_odd = rank % 2, last = (size - 1) / 2;
	MPI_Comm half, inter, twin, both;

	MPI_Comm_split(MPI_COMM_WORLD, is_odd, rank, &half);
	for (int i = 0; i < 2; i++) {
		MPI_Intercomm_create(half, is_odd ? 0 : last, peer, is_odd ? 2 * last : 1, 77,
				     &inter);
		between(inter, is_odd == i);
		MPI_Comm_dup(inter, &twin);
		between(twin, !is_odd);
		MPI_Intercomm_merge(twin, is_odd == i, &both);
		few_kinds(both);
		of_equals(twin);
		MPI_Comm_free(&twin);
		MPI_Comm_free(&inter);
	}
	MPI_Comm_free(&half);
}

/* As groups grow where few ranks call: each rank is one at first, and then two become one. */
static void of_pairs(MPI_Comm peer)
{
	MPI_Comm grown, inter, more;
	int first = rank, count = 1;

	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &grown);
	for (; 2 * count <= size && size % (2 * count) == 0; count *= 2) {
		bool is_upper = first / count % 2;

		MPI_Intercomm_create(grown, 0, peer, is_upper ? first - count : first + count, 78,
				     &inter);
		MPI_Intercomm_merge(inter, is_upper, &more);
		MPI_Comm_free(&inter);
		MPI_Comm_free(&grown);
		grown = more;
		first -= is_upper ? count : 0;
		MPI_Comm_dup(grown, &more);
		few_kinds(more);
	}
	MPI_Comm_free(&grown);
}

static void told_open(const char *folder)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%d", folder, rank);
	lines = fopen(path, "w");
	setlinebuf(lines);
}

static void told_close(void)
{
	fprintf(lines, "sent %d, in parts %d\n", sent, sent_in_parts);
	fclose(lines);
}

#if MPI_VERSION >= 4
static MPI_Comm comm_of(MPI_Group group, const char *text)
{
	MPI_Comm comm;

	MPI_Comm_create_from_group(group, text, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	return comm;
}

/* All ranks in reverse; the odd ones, twice by one text; each one alone. */
static void of_session(MPI_Session session)
{
	MPI_Group all, reversed, odd, self;
	int backward[1][3] = {{size - 1, 0, -1}}, others[1][3] = {{1, size - 1, 2}};

	MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
	MPI_Group_from_session_pset(session, "mpi://SELF", &self);
	MPI_Group_range_incl(all, 1, backward, &reversed);
	MPI_Group_range_incl(all, 1, others, &odd);
	few_kinds(comm_of(reversed, "tracelayer/all"));
	if (rank % 2) {
		MPI_Comm first = comm_of(odd, "tracelayer/odd");

		few_kinds(comm_of(odd, "tracelayer/odd"));
		few_kinds(first);
	}
	few_kinds(comm_of(self, "tracelayer/self"));
	few_kinds(comm_of(all, "tracelayer/all"));
	MPI_Group_free(&all);
	MPI_Group_free(&reversed);
	MPI_Group_free(&odd);
	MPI_Group_free(&self);
}

/* Without MPI_Init. */
static int session_alone(const char *folder, int rounds)
{
	static char buffer[100000];
	MPI_Session session;
	MPI_Group group;
	MPI_Comm all;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	all = comm_of(group, "tracelayer");
	MPI_Group_free(&group);
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &size);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	told_open(folder);
	for (int i = 0; i < rounds; i++) {
		MPI_Comm part;

		all_kinds(all);
		of_session(session);
		MPI_Comm_split(all, rank % 2, -rank, &part);
		few_kinds(part);
	}
	told_close();
	MPI_Comm_free(&all);
	MPI_Session_finalize(&session);
	return 0;
}
#endif

static void in_session(void)
{
#if MPI_VERSION >= 4
	MPI_Session session;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	of_session(session);
	MPI_Session_finalize(&session);
#endif
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 1, dims[] = {0}, periods[] = {1};
	static char buffer[100000];
	MPI_Comm own, twin, part, grid;
	MPI_Group world;

#if MPI_VERSION >= 4
	if (argc > 3)
		return session_alone(argv[1], rounds);
#endif
	MPI_Init(&argc, &argv);
	/* The first communicator that a program uses need not be the world. */
	MPI_Comm_dup(MPI_COMM_SELF, &own);
	MPI_Comm_free(&own);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	told_open(argv[1]);
	for (int i = 0; i < rounds; i++) {
		all_kinds(MPI_COMM_WORLD);
		MPI_Comm_dup(MPI_COMM_WORLD, &twin);
		all_kinds(twin);
		/* The ranks of each half stand in reverse. */
		MPI_Comm_split(twin, rank % 2, -rank, &part);
		all_kinds(part);
		if (has_intercomms) {
			of_halves(twin);
			of_pairs(twin);
		}
		MPI_Comm_free(&twin);
		dims[0] = size;
		MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
		all_kinds(grid);
		MPI_Comm_free(&grid);
		MPI_Comm_free(&part);
		MPI_Comm_group(MPI_COMM_WORLD, &world);
		of_groups(world);
		of_own_groups(world);
		of_empty_group(world);
		MPI_Group_free(&world);
		of_grid(2, (int[]){size / 2, 2});
		of_grid(3, (int[]){1, size - 1, 1});
		of_grid(3, (int[]){2, 1, size / 2});
		of_graphs();
		of_host();
		in_session();
	}
	next = (rank + 1) % size;
	before = (rank + size - 1) % size;
	freed(MPI_COMM_WORLD);
	told_close();
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	unknown(twin);
	MPI_Finalize();
	return 0;
}
