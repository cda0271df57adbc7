/* SPDX-License-Identifier: MIT */
/*
 * mpi_process.c: see mpi_process.h.
 *
 * Goes through the calls in the order of time, with a table of the requests and one of the messages
 * that were probed. A handle that a call returns replaces what it stood for before.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_channels.h"
#include "cli/export/mpi_process.h"
#include "cli/read/read.h"
#include "common/settings.h"

/* A request, or a message that was probed. */
struct request {
	bool is_known, is_persistent, is_receive;
	bool has_no_status; /* what MPI writes as its status is that of an earlier request */
	/*
	 * 1 + the receive or send that it is for, among the process's ends; 0: none. Of a send also
	 * while a thread waits for it already.
	 */
	size_t end;
	uint32_t comm;
	int peer, tag;
	uint32_t channel; /* of a partitioned message: its number; 0: it is for none */
};

struct handles {
	struct numbers known;
	struct request *list; /* by place in .known */
};

/* What handles of communicators, or of groups, stand for. */
struct meanings {
	struct numbers handles;
	uint32_t *list; /* by place in .handles */
};

struct walk {
	struct mpi_process *process;
	struct mpi_calls calls;
	const struct selection *selection;
	uint64_t from, to; /* the time that is selected, by the process's clock */
	struct handles requests, messages;
	struct meanings comms, groups; /* of the process's own */
	struct mpi_channels channels;
};

/* --- handles */

static struct request *handle_of(struct handles *handles, uint64_t handle)
{
	uint32_t count = handles->known.count, place = numbers_add(&handles->known, handle);

	if (place == count) {
		handles->list = need(
			reallocarray(handles->list, handles->known.count, sizeof(*handles->list)));
		handles->list[place] = (struct request){0};
	}
	return &handles->list[place];
}

static void handles_free(struct handles *handles)
{
	numbers_free(&handles->known);
	free(handles->list);
}

static void handle_means(struct meanings *meanings, uint64_t handle, uint32_t number)
{
	uint32_t count = meanings->handles.count, place = numbers_add(&meanings->handles, handle);

	if (place == count)
		meanings->list = need(reallocarray(meanings->list, meanings->handles.count,
						   sizeof(*meanings->list)));
	meanings->list[place] = number;
}

/* `none`: it stands for nothing that is known. */
static uint32_t meaning_of(const struct meanings *meanings, uint64_t handle, uint32_t none)
{
	uint32_t place = numbers_find(&meanings->handles, handle);

	return place == NO_NUMBER ? none : meanings->list[place];
}

static void meanings_free(struct meanings *meanings)
{
	numbers_free(&meanings->handles);
	free(meanings->list);
}

static uint32_t comm_named(const struct walk *walk, const struct mpi_call *call, const char *name)
{
	uint64_t word;

	if (!mpi_call_word(call, name, &word))
		return NO_COMM;
	return meaning_of(&walk->comms, mpi_handle(&walk->calls, word), NO_COMM);
}

static uint32_t comm_of_call(const struct walk *walk, const struct mpi_call *call)
{
	return comm_named(walk, call, "comm");
}

static uint32_t group_of_call(const struct walk *walk, const struct mpi_call *call,
			      const char *name)
{
	uint64_t word;

	if (!mpi_call_word(call, name, &word))
		return NO_GROUP;
	return meaning_of(&walk->groups, mpi_handle(&walk->calls, word), NO_GROUP);
}

static int call_number(const struct mpi_call *call, const char *name)
{
	uint64_t word = 0;

	mpi_call_word(call, name, &word);
	return (int)word;
}

/* The name that tracegen gives a parameter called "request". */
static const char *request_name(const struct mpi_call *call)
{
	uint64_t word;

	return mpi_call_word(call, "requests", &word) ? "requests" : "request_";
}

/* --- communicators */

static uint32_t own_comm_add(struct mpi_process *process, struct mpi_own_comm comm)
{
	process->comms = need(reallocarray(process->comms, process->ncomms + 1, sizeof(comm)));
	process->comms[process->ncomms] = comm;
	return (uint32_t)process->ncomms++;
}

/* How many ranks a grid has. -1: the record has not all dimensions. */
static int64_t grid_members(const struct mpi_call *call)
{
	size_t size = 0;
	const char *dims = mpi_call_memory(call, "dims", &size);
	int count = call_number(call, "ndims");

	return dims && size / sizeof(int) >= (size_t)count ? mpi_dims_ranks(dims, count) : -1;
}

/* Without `reorder`, the ranks are the parent's first ones, or all of them. */
static void comm_set_members(struct mpi_own_comm *comm, const struct mpi_call *call)
{
	if (call->role != MPI_ROLE_COMM_CART && call->role != MPI_ROLE_COMM_GRAPH &&
	    call->role != MPI_ROLE_COMM_DIST_GRAPH)
		return;
	if (call_number(call, "reorder"))
		comm->role = MPI_ROLE_COMM_OTHER;
	else if (call->role == MPI_ROLE_COMM_DIST_GRAPH)
		comm->role = MPI_ROLE_COMM_DUP;
	else if (call->role == MPI_ROLE_COMM_GRAPH)
		comm->members = call_number(call, "nnodes");
	else
		comm->members = grid_members(call);
}

static struct mpi_grid grid_read(const struct mpi_call *call)
{
	struct mpi_grid grid = {.count = call_number(call, "ndims")};
	size_t size = 0, wanted = (size_t)grid.count * sizeof(*grid.dims);
	const char *dims = mpi_call_memory(call, "dims", &size);

	if (grid.count < 1 || grid.count > MPI_DIMS_MOST || !dims || size < wanted)
		return (struct mpi_grid){0};
	memcpy(grid.dims, dims, wanted);
	grid.is_known = true;
	return grid;
}

/* What the record has behind the program's own numbers is not looked at. */
static struct mpi_remaining remaining_read(const struct mpi_call *call, const struct mpi_grid *grid)
{
	struct mpi_remaining remaining = {0};
	size_t size = 0;
	const char *numbers = mpi_call_memory(call, "remain_dims", &size);

	remaining.is_known = grid->is_known && size / sizeof(int) >= (size_t)grid->count;
	for (int i = 0; i < grid->count && remaining.is_known; i++) {
		int remains;

		memcpy(&remains, numbers + (size_t)i * sizeof(remains), sizeof(remains));
		remaining.bits |= (uint32_t)(remains != 0) << i;
	}
	return remaining;
}

/* A duplicate is the same grid. */
static void comm_set_grid(struct mpi_own_comm *comm, const struct mpi_grid *parent,
			  const struct mpi_call *call)
{
	if (call->role == MPI_ROLE_COMM_DUP)
		comm->grid = *parent;
	if (call->role == MPI_ROLE_COMM_CART)
		comm->grid = grid_read(call);
	if (call->role != MPI_ROLE_COMM_CART_SUB)
		return;
	comm->remaining = remaining_read(call, parent);
	comm->grid = mpi_grid_part(parent, comm->remaining);
}

#define MPI_UNDEFINED (-32766) /* in every library */

/* Numbers of MPI's own, which each library has others of. */
static const struct {
	int type_shared;
	uint64_t info_null; /* 0: no info changes what the type means */
} constants[] = {
	[MPI_FAMILY_OPENMPI] = {0, 0},
	[MPI_FAMILY_MPICH] = {1, 0x1c000000},
	[MPI_FAMILY_ABI_OPENMPI] = {221, 0x130},
	[MPI_FAMILY_ABI_MPICH] = {221, 0x130},
};

/* All ranks of a host, and no part of them; or none, which is MPI_UNDEFINED. */
static bool splits_by_host(const struct walk *walk, const struct mpi_call *call)
{
	enum mpi_family family = walk->calls.family;
	int type = call_number(call, "split_type");
	uint64_t info = 0, info_null = constants[family].info_null;

	if (info_null &&
	    (!mpi_call_word(call, "info", &info) || mpi_handle(&walk->calls, info) != info_null))
		return false;
	return type == constants[family].type_shared || type == MPI_UNDEFINED;
}

static uint32_t comm_tag(const struct mpi_call *call)
{
	size_t size = 0;
	const char *text = mpi_call_memory(call, "stringtag", &size);
	uint32_t hash = 2166136261u; /* FNV-1a */

	if (!text)
		return (uint32_t)call_number(call, "tag");
	for (size_t i = 0; i < size && text[i]; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

/* What the call says of the communicator that it made. */
static struct mpi_own_comm comm_read(const struct walk *walk, const struct mpi_call *call,
				     const struct mpi_own_comm *parent)
{
	struct mpi_own_comm comm = {.role = call->role,
				    .color = call_number(call, "color"),
				    .key = call_number(call, "key"),
				    .leader = call_number(call, "local_leader"),
				    .remote_leader = call_number(call, "remote_leader"),
				    .peer = comm_named(walk, call, "peer_comm"),
				    .group = group_of_call(walk, call, "group"),
				    .tag = comm_tag(call),
				    .comm = NO_COMM};

	comm_set_grid(&comm, &parent->grid, call);
	comm_set_members(&comm, call);
	if (call->role == MPI_ROLE_INTERCOMM_MERGE)
		comm.key = call_number(call, "high") != 0;
	if (call->role == MPI_ROLE_COMM_SPLIT_TYPE) {
		comm.by_host = splits_by_host(walk, call);
		comm.color = call_number(call, "split_type") == MPI_UNDEFINED ? -1 : 0;
	}
	return comm;
}

/* The parameter that has the communicator of which another one is made. */
static const char *parent_name(enum mpi_role role)
{
	switch (role) {
	case MPI_ROLE_INTERCOMM:
		return "local_comm";
	case MPI_ROLE_INTERCOMM_MERGE:
		return "intercomm";
	case MPI_ROLE_COMM_DIST_GRAPH:
		return "comm_old";
	default:
		return "comm";
	}
}

static void walk_comm_made(struct walk *walk, const struct mpi_call *call)
{
	static const char *const results[] = {"newcomm",      "comm_cart",    "comm_graph",
					      "newintercomm", "newintracomm", "comm_dist_graph"};
	struct mpi_process *process = walk->process;
	bool from_group = call->role == MPI_ROLE_COMM_FROM_GROUP,
	     by_group = from_group || call->role == MPI_ROLE_COMM_CREATE_GROUP;
	uint32_t parent = from_group ? 0 : comm_named(walk, call, parent_name(call->role)),
		 number = NO_COMM;
	uint64_t handle;

	if (parent != NO_COMM) {
		struct mpi_own_comm comm = comm_read(walk, call, &process->comms[parent]);

		comm.parent = parent;
		comm.place = by_group ? NO_PLACE : process->comms[parent].made++;
		number = own_comm_add(process, comm);
	} else if (call->role == MPI_ROLE_INTERCOMM) {
		/* Further ones can't be counted (mpi_intercomms.c). */
		number = own_comm_add(process, (struct mpi_own_comm){.parent = NO_COMM,
								     .place = NO_PLACE,
								     .role = call->role,
								     .comm = NO_COMM});
	}
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (mpi_call_handle(&walk->calls, call, results[i], 0, &handle))
			handle_means(&walk->comms, handle, number);
}

static void walk_comm_freed(struct walk *walk, const struct mpi_call *call)
{
	uint64_t handle;

	if (mpi_call_handle(&walk->calls, call, "comm", 0, &handle))
		handle_means(&walk->comms, handle, NO_COMM);
	else
		walk->process->lost = true;
}

/* --- groups */

/* Calls return MPI_GROUP_EMPTY, too, and it may be freed. It stays what it is. */
static void group_means(struct walk *walk, uint64_t handle, uint32_t number)
{
	if (handle != walk->calls.group_empty)
		handle_means(&walk->groups, handle, number);
}

static void walk_group_made(struct walk *walk, const struct mpi_call *call, const char *name,
			    struct mpi_group group)
{
	uint32_t number = mpi_group_add(&walk->process->groups, group);
	uint64_t handle;

	if (mpi_call_handle(&walk->calls, call, name, 0, &handle))
		group_means(walk, handle, number);
}

static void walk_group_of_comm(struct walk *walk, const struct mpi_call *call)
{
	walk_group_made(
		walk, call, "group",
		(struct mpi_group){.way = MPI_GROUP_COMM, .comm = comm_of_call(walk, call)});
}

static bool text_is(const char *text, size_t size, const char *wanted)
{
	size_t length = strlen(wanted);

	return text && size >= length && !strncasecmp(text, wanted, length) &&
	       (size == length || !text[length]);
}

/* The sets that each library has. What others are, only the launcher knows. */
static void walk_group_of_set(struct walk *walk, const struct mpi_call *call)
{
	struct mpi_group world = {.way = MPI_GROUP_COMM, .comm = 0},
			 unknown = {.way = MPI_GROUP_EXCL, .left = NO_GROUP};
	size_t size = 0;
	const char *name = mpi_call_memory(call, "pset_name", &size);

	if (text_is(name, size, "mpi://WORLD")) {
		walk_group_made(walk, call, "newgroup", world);
	} else if (text_is(name, size, "mpi://SELF")) {
		struct mpi_group self = {.way = MPI_GROUP_INCL,
					 .left = mpi_group_add(&walk->process->groups, world),
					 .ranges = need(calloc(1, sizeof(*self.ranges))),
					 .count = 1};

		self.ranges->first = self.ranges->last = (int)walk->process->rank;
		walk_group_made(walk, call, "newgroup", self);
	} else {
		walk_group_made(walk, call, "newgroup", unknown);
	}
}

/* The ranks that the call names. False: the record has not all of them. */
static bool group_read_ranks(struct mpi_group *group, const struct mpi_call *call)
{
	size_t size = 0, count = (size_t)call_number(call, "n");
	const char *memory = mpi_call_memory(call, "ranks", &size);
	bool is_ranges = !memory && (memory = mpi_call_memory(call, "ranges", &size));
	size_t each = is_ranges ? sizeof(*group->ranges) : sizeof(int);

	if (count > size / each)
		return false;
	group->ranges = need(calloc(count + 1, sizeof(*group->ranges)));
	group->count = count;
	for (size_t i = 0; i < count; i++) {
		struct mpi_range *range = &group->ranges[i];

		memcpy(range, memory + i * each, each);
		if (!is_ranges)
			*range = (struct mpi_range){range->first, range->first, 1};
	}
	return true;
}

static void walk_group_of_one(struct walk *walk, const struct mpi_call *call)
{
	struct mpi_group group = {.way = strstr(call->function->name, "incl") ? MPI_GROUP_INCL
									      : MPI_GROUP_EXCL,
				  .left = group_of_call(walk, call, "group")};

	if (!group_read_ranks(&group, call))
		group.left = NO_GROUP;
	walk_group_made(walk, call, "newgroup", group);
}

static void walk_group_of_two(struct walk *walk, const struct mpi_call *call)
{
	const char *name = call->function->name;

	walk_group_made(walk, call, "newgroup",
			(struct mpi_group){.way = strstr(name, "union")	   ? MPI_GROUP_UNION
						  : strstr(name, "inters") ? MPI_GROUP_INTERSECTION
									   : MPI_GROUP_DIFFERENCE,
					   .left = group_of_call(walk, call, "group1"),
					   .right = group_of_call(walk, call, "group2")});
}

/* MPICH gives the same handle to groups that are equal. The other one is forgotten, too, then. */
static void walk_group_freed(struct walk *walk, const struct mpi_call *call)
{
	uint64_t handle;

	if (mpi_call_handle(&walk->calls, call, "group", 0, &handle))
		group_means(walk, handle, NO_GROUP);
}

/* --- ends of messages */

static bool lane_is_selected(const struct walk *walk, uint32_t tid)
{
	const char *list = walk->selection->thread;

	for (size_t i = 0; i < walk->calls.ntraces && list; i++) {
		const struct tl_trace *trace = walk->calls.traces[i];

		for (size_t lane = 0; lane < trace->nlanes; lane++)
			if (trace->lanes[lane].shown == tid)
				return selection_has(list, trace->lanes[lane].name, tid);
	}
	return !list && !selection_wants_queues(walk->selection);
}

static void end_place(const struct walk *walk, struct mpi_end *end, const struct mpi_call *call)
{
	const char *name = walk->selection->name;

	end->start = call->start;
	end->end = call->end;
	end->tid = call->tid;
	end->is_selected = call->start <= walk->to && call->end >= walk->from &&
			   call->end - call->start >= (uint64_t)walk->selection->longer &&
			   !walk->selection->failed && !walk->selection->request &&
			   (!name || name_matches(name, call->function->name)) &&
			   lane_is_selected(walk, call->tid);
}

static struct mpi_end *end_add(struct walk *walk, const struct mpi_call *call, uint32_t comm)
{
	struct mpi_process *process = walk->process;

	if (process->count == process->room) {
		process->room = 2 * process->room + 256;
		process->ends =
			need(reallocarray(process->ends, process->room, sizeof(*process->ends)));
	}
	struct mpi_end *end = &process->ends[process->count++];

	*end = (struct mpi_end){.process = process->process,
				.comm = comm,
				.bytes = MPI_NO_BYTES,
				.posted = call->start,
				.posted_end = call->end,
				.posted_tid = call->tid,
				.is_wanted = true};
	end_place(walk, end, call);
	end->post_is_selected = end->is_selected;
	return end;
}

/* A destination below 0 is MPI_PROC_NULL. 1 + the new end's place; 0: there is none. */
static size_t send_add(struct walk *walk, const struct mpi_call *call, uint32_t comm, int peer,
		       int tag)
{
	struct mpi_end *end = comm == NO_COMM || peer < 0 ? NULL : end_add(walk, call, comm);

	if (!end)
		return 0;
	end->destination = peer;
	end->tag = tag;
	end->is_finished = true;
	return walk->process->count;
}

/* 1 + the new end's place; 0: it receives from MPI_PROC_NULL, or nobody knows from where. */
static size_t receive_add(struct walk *walk, const struct mpi_call *call, uint32_t comm, int peer,
			  int tag)
{
	int any = walk->calls.family == MPI_FAMILY_MPICH ? -2 : -1;
	struct mpi_end *end;

	if (comm == NO_COMM || (peer < 0 && peer != any))
		return 0;
	end = end_add(walk, call, comm);
	end->is_receive = true;
	end->source = peer < 0 ? MPI_ANY : peer;
	end->tag = tag < 0 ? MPI_ANY : tag;
	return walk->process->count;
}

/*
 * The call gave the message to the program. Only a request can have been cancelled: MPICH's
 * MPI_Mprobe leaves that bit of a status as the program's memory had it.
 */
static void receive_finish(struct walk *walk, size_t place, const struct mpi_call *call,
			   const struct mpi_status *status)
{
	struct mpi_end *end = place ? &walk->process->ends[place - 1] : NULL;

	if (!end)
		return;
	end_place(walk, end, call);
	end->is_finished = true;
	if (!status)
		return;
	end->is_in_doubt = false;
	end->is_wanted = !status->cancelled || call->role != MPI_ROLE_COMPLETE;
	end->source = status->source;
	end->tag = status->tag;
	end->bytes = status->bytes;
}

static const struct mpi_status *call_status(const struct walk *walk, const struct mpi_call *call,
					    const char *name, size_t place,
					    struct mpi_status *status)
{
	return mpi_call_status(&walk->calls, call, name, place, status) ? status : NULL;
}

/* --- requests */

/* The request that the call returned. */
static struct request *request_made(struct walk *walk, const struct mpi_call *call)
{
	uint64_t handle;
	struct request *request;

	if (!mpi_call_handle(&walk->calls, call, "request_", 0, &handle))
		return NULL;
	request = handle_of(&walk->requests, handle);
	*request = (struct request){.is_known = true};
	return request;
}

static void walk_send(struct walk *walk, const struct mpi_call *call)
{
	size_t end = send_add(walk, call, comm_of_call(walk, call), call_number(call, "dest"),
			      call_number(call, "tag"));
	struct request *request = request_made(walk, call);

	if (request)
		request->end = end;
}

/*
 * The call that began the receive gave the message, too, or made a request for it. MPICH (4.0.2)
 * sets no status for MPI_Isendrecv.
 */
static void receive_begun(struct walk *walk, const struct mpi_call *call, size_t end)
{
	enum mpi_family family = walk->calls.family;
	bool is_mpich = family == MPI_FAMILY_MPICH || family == MPI_FAMILY_ABI_MPICH;
	struct mpi_status status;
	uint64_t word;

	if (mpi_call_word(call, "request_", &word)) {
		struct request *request = request_made(walk, call);

		if (request)
			*request = (struct request){
				.is_known = true,
				.is_receive = true,
				.has_no_status = is_mpich && call->role == MPI_ROLE_SEND_RECEIVE,
				.end = end};
	} else {
		receive_finish(walk, end, call, call_status(walk, call, "status", 0, &status));
	}
}

static void walk_receive(struct walk *walk, const struct mpi_call *call)
{
	receive_begun(walk, call,
		      receive_add(walk, call, comm_of_call(walk, call), call_number(call, "source"),
				  call_number(call, "tag")));
}

static void walk_send_receive(struct walk *walk, const struct mpi_call *call)
{
	uint32_t comm = comm_of_call(walk, call);

	send_add(walk, call, comm, call_number(call, "dest"), call_number(call, "sendtag"));
	receive_begun(walk, call,
		      receive_add(walk, call, comm, call_number(call, "source"),
				  call_number(call, "recvtag")));
}

static void walk_init(struct walk *walk, const struct mpi_call *call)
{
	bool receives = call->role == MPI_ROLE_RECEIVE_INIT;
	struct request *request = request_made(walk, call);

	if (!request) {
		walk->process->lost = true;
		return;
	}
	*request = (struct request){.is_known = true,
				    .is_persistent = true,
				    .is_receive = receives,
				    .comm = comm_of_call(walk, call),
				    .peer = call_number(call, receives ? "source" : "dest"),
				    .tag = call_number(call, "tag")};
	if (mpi_parameter(call->function, "partitions") >= 0)
		request->channel = mpi_channel_add(&walk->channels,
						   (struct mpi_channel){.comm = request->comm,
									.peer = request->peer,
									.tag = request->tag,
									.is_receive = receives,
									.tid = call->tid});
}

static void request_start(struct walk *walk, const struct mpi_call *call, struct request *request)
{
	if (!request->is_known || !request->is_persistent)
		return;
	size_t end = request->is_receive
			     ? receive_add(walk, call, request->comm, request->peer, request->tag)
			     : send_add(walk, call, request->comm, request->peer, request->tag);
	if (end)
		walk->process->ends[end - 1].channel = request->channel;
	request->end = end;
}

/* A partitioned message is on its way when the last call has said that a part is ready. */
static void walk_ready(struct walk *walk, const struct mpi_call *call)
{
	uint64_t word;
	struct request *request;

	if (!mpi_call_word(call, "request_", &word))
		return;
	request = handle_of(&walk->requests, mpi_handle(&walk->calls, word));
	if (request->channel && !request->is_receive && request->end)
		end_place(walk, &walk->process->ends[request->end - 1], call);
}

static void walk_start(struct walk *walk, const struct mpi_call *call)
{
	uint64_t handle, count = 1;

	mpi_call_word(call, "count", &count);
	for (size_t i = 0; i < count; i++) {
		if (!mpi_call_handle(&walk->calls, call, request_name(call), i, &handle)) {
			walk->process->lost = true;
			return;
		}
		request_start(walk, call, handle_of(&walk->requests, handle));
	}
}

/* It was given up: the status tells whether it was sent all the same. */
static void send_settle(struct mpi_end *end, const struct mpi_status *status)
{
	if (!end->is_in_doubt)
		return;
	end->is_in_doubt = false;
	end->is_wanted = !status->cancelled;
}

/* False: the record has no request at that place, and so none behind it. */
static bool request_finish(struct walk *walk, const struct mpi_call *call, size_t place,
			   const struct mpi_status *status)
{
	uint64_t handle;
	struct request *request;

	if (!mpi_call_handle(&walk->calls, call, request_name(call), place, &handle))
		return false;
	request = handle_of(&walk->requests, handle);
	if (!request->is_known)
		return true;
	if (request->has_no_status)
		status = NULL;
	if (request->is_receive) {
		receive_finish(walk, request->end, call, status);
		request->end = 0;
	} else if (request->end && status) {
		send_settle(&walk->process->ends[request->end - 1], status);
	}
	request->is_known = request->is_persistent;
	return true;
}

/* Waitsome, Testsome: places of requests, and their statuses in the same order. */
static void finish_some(struct walk *walk, const struct mpi_call *call)
{
	int count = mpi_call_int(call, "outcount", 0);
	size_t size = 0;
	const char *indices = mpi_call_memory(call, "indices", &size);

	for (int i = 0; i < count; i++) {
		struct mpi_status status;
		int place;

		if (!indices || size / sizeof(place) <= (size_t)i)
			return;
		memcpy(&place, indices + (size_t)i * sizeof(place), sizeof(place));
		request_finish(walk, call, (size_t)place,
			       call_status(walk, call, "statuses", (size_t)i, &status));
	}
}

static void walk_complete(struct walk *walk, const struct mpi_call *call)
{
	struct mpi_status status;
	uint64_t word, count = 1;
	int place = 0;

	if (mpi_call_word(call, "flag", &word) && !mpi_call_int(call, "flag", 0))
		return;
	if (mpi_call_word(call, "outcount", &word)) {
		finish_some(walk, call);
	} else if (mpi_call_word(call, "statuses", &word)) {
		mpi_call_word(call, "count", &count);
		for (size_t i = 0; i < count; i++)
			if (!request_finish(walk, call, i,
					    call_status(walk, call, "statuses", i, &status)))
				break;
	} else {
		if (mpi_call_word(call, "index", &word))
			place = mpi_call_int(call, "index", -1);
		if (place >= 0)
			request_finish(walk, call, (size_t)place,
				       call_status(walk, call, "status", 0, &status));
	}
}

/*
 * The request is cancelled, or nobody will wait for it. Whether it came to an end before it was cancelled,
 * only its status tells. Where a send has none, the receives tell (mpi_messages.c).
 */
static void walk_given_up(struct walk *walk, const struct mpi_call *call)
{
	uint64_t handle;
	struct request *request;

	if (!mpi_call_handle(&walk->calls, call, request_name(call), 0, &handle)) {
		walk->process->lost = true;
		return;
	}
	request = handle_of(&walk->requests, handle);
	if (call->role == MPI_ROLE_FREE)
		*request = (struct request){0};
	else if (request->is_known && request->end)
		walk->process->ends[request->end - 1].is_in_doubt = true;
}

/* --- messages that are probed */

static void walk_probe(struct walk *walk, const struct mpi_call *call)
{
	struct mpi_status status;
	uint64_t word, handle;
	size_t end;

	if (mpi_call_word(call, "flag", &word) && !mpi_call_int(call, "flag", 0))
		return;
	end = receive_add(walk, call, comm_of_call(walk, call), call_number(call, "source"),
			  call_number(call, "tag"));
	receive_finish(walk, end, call, call_status(walk, call, "status", 0, &status));
	if (mpi_call_handle(&walk->calls, call, "message", 0, &handle))
		*handle_of(&walk->messages, handle) =
			(struct request){.is_known = true, .is_receive = true, .end = end};
}

static void walk_probed_receive(struct walk *walk, const struct mpi_call *call)
{
	struct mpi_status status;
	struct request *message, *request;
	uint64_t word, handle;

	if (!mpi_call_handle(&walk->calls, call, "message", 0, &handle))
		return;
	message = handle_of(&walk->messages, handle);
	if (mpi_call_word(call, "request_", &word)) {
		request = request_made(walk, call);
		if (request)
			*request = *message;
	} else {
		receive_finish(walk, message->end, call,
			       call_status(walk, call, "status", 0, &status));
	}
	*message = (struct request){0};
}

/* --- all calls */

static void walk_call(struct walk *walk, const struct mpi_call *call)
{
	static void (*const steps[])(struct walk * walk, const struct mpi_call *call) = {
		[MPI_ROLE_SEND] = walk_send,
		[MPI_ROLE_RECEIVE] = walk_receive,
		[MPI_ROLE_SEND_RECEIVE] = walk_send_receive,
		[MPI_ROLE_SEND_INIT] = walk_init,
		[MPI_ROLE_RECEIVE_INIT] = walk_init,
		[MPI_ROLE_START] = walk_start,
		[MPI_ROLE_READY] = walk_ready,
		[MPI_ROLE_PROBE] = walk_probe,
		[MPI_ROLE_PROBED_RECEIVE] = walk_probed_receive,
		[MPI_ROLE_COMPLETE] = walk_complete,
		[MPI_ROLE_CANCEL] = walk_given_up,
		[MPI_ROLE_FREE] = walk_given_up,
		[MPI_ROLE_COMM_DUP] = walk_comm_made,
		[MPI_ROLE_COMM_SPLIT] = walk_comm_made,
		[MPI_ROLE_COMM_SPLIT_TYPE] = walk_comm_made,
		[MPI_ROLE_COMM_CART] = walk_comm_made,
		[MPI_ROLE_COMM_CART_SUB] = walk_comm_made,
		[MPI_ROLE_COMM_GRAPH] = walk_comm_made,
		[MPI_ROLE_COMM_DIST_GRAPH] = walk_comm_made,
		[MPI_ROLE_COMM_CREATE] = walk_comm_made,
		[MPI_ROLE_COMM_CREATE_GROUP] = walk_comm_made,
		[MPI_ROLE_COMM_FROM_GROUP] = walk_comm_made,
		[MPI_ROLE_INTERCOMM] = walk_comm_made,
		[MPI_ROLE_INTERCOMM_MERGE] = walk_comm_made,
		[MPI_ROLE_COMM_FREE] = walk_comm_freed,
		[MPI_ROLE_GROUP_OF_COMM] = walk_group_of_comm,
		[MPI_ROLE_GROUP_OF_SET] = walk_group_of_set,
		[MPI_ROLE_GROUP_OF_ONE] = walk_group_of_one,
		[MPI_ROLE_GROUP_OF_TWO] = walk_group_of_two,
		[MPI_ROLE_GROUP_FREE] = walk_group_freed,
	};

	bool failed = call->record->result || call->record->flags & TL_RECORD_UNWOUND;

	if (failed && mpi_role_is_local(call->role))
		return;
	if (failed || !(call->record->flags & TL_RECORD_WORDS))
		walk->process->lost = true;
	else
		steps[call->role](walk, call);
}

static void walk_set_time(struct walk *walk, const struct timeline_process *process, uint64_t start)
{
	const struct selection *selection = walk->selection;

	walk->to = UINT64_MAX;
	if (!selection->has_time)
		return;
	walk->from = timeline_own_ns(process, start + selection->from);
	walk->to = timeline_own_ns(process, start + selection->to);
}

void mpi_process_read(struct mpi_process *process, const struct timeline_inputs *inputs,
		      size_t number, const struct selection *selection)
{
	const struct timeline_process *input = &inputs->list[number];
	struct walk walk = {.process = process, .selection = selection};

	*process = (struct mpi_process){.process = number, .rank = input->rank};
	mpi_calls_open(&walk.calls, input);
	walk_set_time(&walk, input, inputs->start);
	process->lost = walk.calls.lost || input->is_resumed;
	process->finalized = walk.calls.finalized;
	process->size = walk.calls.size;
	process->local_rank = walk.calls.local_rank;
	process->local_size = walk.calls.local_size;
	own_comm_add(process, (struct mpi_own_comm){.comm = NO_COMM});
	handle_means(&walk.comms, walk.calls.world, 0);
	if (walk.calls.group_empty)
		handle_means(
			&walk.groups, walk.calls.group_empty,
			mpi_group_add(&process->groups, (struct mpi_group){.way = MPI_GROUP_NONE}));
	for (size_t i = 0; i < walk.calls.count; i++)
		walk_call(&walk, &walk.calls.list[i]);
	mpi_channels_count(&walk.channels, process->ends, process->count);
	mpi_channels_free(&walk.channels);
	mpi_calls_close(&walk.calls);
	handles_free(&walk.requests);
	handles_free(&walk.messages);
	meanings_free(&walk.comms);
	meanings_free(&walk.groups);
}

void mpi_process_free(struct mpi_process *process)
{
	free(process->comms);
	mpi_groups_free(&process->groups);
	free(process->ends);
}
