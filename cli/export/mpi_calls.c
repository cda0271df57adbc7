/* SPDX-License-Identifier: MIT */
/*
 * mpi_calls.c: see mpi_calls.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/mpi_calls.h"
#include "cli/export/mpi_comm_world.h"
#include "cli/read/read.h"
#include "common/settings.h"
#include "format/args/args.h"
#include "format/file/file.h"

/* Where in a status its numbers are, in words of 4 bytes. */
static const struct status_layout {
	uint8_t words, handle; /* a status's words; a handle's bytes */
	uint8_t source, tag, low, high, cancelled;
	bool high_is_shared; /* the lowest bit of `high` says that the request was cancelled */
} layouts[] = {
	[MPI_FAMILY_OPENMPI] = {6, 8, .source = 0, .tag = 1, .low = 4, .high = 5, .cancelled = 3},
	[MPI_FAMILY_MPICH] = {5, 4, .source = 2, .tag = 3, .low = 0, .high = 1, .cancelled = 1,
			      .high_is_shared = true},
	[MPI_FAMILY_ABI_OPENMPI] = {8, 8, .source = 0, .tag = 1, .low = 4, .high = 5,
				    .cancelled = 3},
	[MPI_FAMILY_ABI_MPICH] = {8, 8, .source = 0, .tag = 1, .low = 3, .high = 4, .cancelled = 4,
				  .high_is_shared = true},
};

#define API_NAME "mpi_words"
#define APIS	 1024 /* no process has so many */

/* By the name without its MPI_ and without the _c of large counts. */
static const struct {
	const char *names;
	enum mpi_role role;
} roles[] = {
	{"Send,Ssend,Bsend,Rsend,Isend,Issend,Ibsend,Irsend", MPI_ROLE_SEND},
	{"Recv,Irecv", MPI_ROLE_RECEIVE},
	{"Sendrecv,Sendrecv_replace,Isendrecv,Isendrecv_replace", MPI_ROLE_SEND_RECEIVE},
	{"Send_init,Ssend_init,Bsend_init,Rsend_init,Psend_init", MPI_ROLE_SEND_INIT},
	{"Recv_init,Precv_init", MPI_ROLE_RECEIVE_INIT},
	{"Start,Startall", MPI_ROLE_START},
	{"Pready,Pready_range,Pready_list", MPI_ROLE_READY},
	{"Mprobe,Improbe", MPI_ROLE_PROBE},
	{"Mrecv,Imrecv", MPI_ROLE_PROBED_RECEIVE},
	{"Wait,Waitall,Waitany,Waitsome,Test,Testall,Testany,Testsome", MPI_ROLE_COMPLETE},
	{"Cancel", MPI_ROLE_CANCEL},
	{"Request_free", MPI_ROLE_FREE},
	{"Comm_dup,Comm_dup_with_info,Comm_idup,Comm_idup_with_info", MPI_ROLE_COMM_DUP},
	{"Comm_split", MPI_ROLE_COMM_SPLIT},
	{"Comm_split_type", MPI_ROLE_COMM_SPLIT_TYPE},
	{"Cart_create", MPI_ROLE_COMM_CART},
	{"Cart_sub", MPI_ROLE_COMM_CART_SUB},
	{"Graph_create", MPI_ROLE_COMM_GRAPH},
	{"Dist_graph_create,Dist_graph_create_adjacent", MPI_ROLE_COMM_DIST_GRAPH},
	{"Comm_create", MPI_ROLE_COMM_CREATE},
	{"Comm_create_group", MPI_ROLE_COMM_CREATE_GROUP},
	{"Comm_create_from_group", MPI_ROLE_COMM_FROM_GROUP},
	{"Intercomm_create", MPI_ROLE_INTERCOMM},
	{"Intercomm_merge", MPI_ROLE_INTERCOMM_MERGE},
	{"Comm_free,Comm_disconnect", MPI_ROLE_COMM_FREE},
	{"Comm_group", MPI_ROLE_GROUP_OF_COMM},
	{"Group_from_session_pset", MPI_ROLE_GROUP_OF_SET},
	{"Group_incl,Group_excl,Group_range_incl,Group_range_excl", MPI_ROLE_GROUP_OF_ONE},
	{"Group_union,Group_intersection,Group_difference", MPI_ROLE_GROUP_OF_TWO},
	{"Group_free", MPI_ROLE_GROUP_FREE},
};

static enum mpi_role role_of(const struct tl_function *function)
{
	char name[64];
	size_t size;

	if (strncmp(function->name, "MPI_", 4) || strcmp(function->api->name, API_NAME) ||
	    function->words != function->count)
		return MPI_ROLE_NONE;
	size = strlen(function->name + 4);
	if (size > 2 && !strcmp(function->name + 4 + size - 2, "_c"))
		size -= 2;
	if (size >= sizeof(name))
		return MPI_ROLE_NONE;
	memcpy(name, function->name + 4, size);
	name[size] = 0;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (tl_glob_any(roles[i].names, name))
			return roles[i].role;
	return MPI_ROLE_NONE;
}

/* --- what a record has */

int mpi_parameter(const struct tl_function *function, const char *name)
{
	for (uint16_t i = 0; i < function->count; i++)
		if (!strcmp(function->params[i].name, name))
			return i;
	return -1;
}

/* False: the record has no words, or is damaged. */
static bool call_arguments(const struct mpi_call *call, struct tl_args_kept *kept)
{
	return tl_args_find(kept, call->function, call->record) && kept->words;
}

bool mpi_call_word(const struct mpi_call *call, const char *name, uint64_t *word)
{
	int place = mpi_parameter(call->function, name);
	struct tl_args_kept kept;

	if (place < 0 || !call_arguments(call, &kept))
		return false;
	*word = kept.words[place];
	return true;
}

static bool is_captured(const struct tl_variable *param, uint64_t word, bool at_exit)
{
	return word && param->type->kind == TL_KIND_POINTER &&
	       param->length.kind != TL_LENGTH_NONE &&
	       param->direction & (at_exit ? TL_OUT : TL_IN);
}

/* The blobs stand in the order of the parameters that have one. */
const void *mpi_call_memory(const struct mpi_call *call, const char *name, size_t *size)
{
	const struct tl_variable *params = call->function->params;
	int wanted = mpi_parameter(call->function, name);
	const struct tl_blob *blob = NULL;
	struct tl_args_kept kept;

	if (wanted < 0 || !call_arguments(call, &kept))
		return NULL;
	bool at_exit = params[wanted].direction & TL_OUT;
	const char *from = at_exit ? kept.exit : kept.entry;
	struct tl_blobs blobs = {from, from + (at_exit ? kept.exit_size : kept.entry_size)};

	if (!is_captured(&params[wanted], kept.words[wanted], at_exit))
		return NULL;
	for (int i = 0; i <= wanted; i++)
		if (is_captured(&params[i], kept.words[i], at_exit) &&
		    !(blob = tl_blob_take(&blobs)))
			return NULL;
	*size = blob->bytes;
	return blob->bytes ? blob + 1 : NULL;
}

int mpi_call_int(const struct mpi_call *call, const char *name, int none)
{
	size_t size = 0;
	const void *memory = mpi_call_memory(call, name, &size);

	if (memory && size >= sizeof(none))
		memcpy(&none, memory, sizeof(none));
	return none;
}

uint64_t mpi_handle(const struct mpi_calls *calls, uint64_t word)
{
	return layouts[calls->family].handle == 4 ? (uint32_t)word : word;
}

bool mpi_call_handle(const struct mpi_calls *calls, const struct mpi_call *call, const char *name,
		     size_t place, uint64_t *handle)
{
	size_t each = layouts[calls->family].handle, size = 0;
	const char *memory = mpi_call_memory(call, name, &size);

	*handle = 0;
	if (!memory || size / each <= place)
		return false;
	memcpy(handle, memory + place * each, each);
	return true;
}

static int int_at(const char *memory, size_t place)
{
	int number;

	memcpy(&number, memory + place * sizeof(number), sizeof(number));
	return number;
}

bool mpi_call_status(const struct mpi_calls *calls, const struct mpi_call *call, const char *name,
		     size_t place, struct mpi_status *status)
{
	const struct status_layout *at = &layouts[calls->family];
	size_t each = at->words * sizeof(int), size = 0;
	const char *memory = mpi_call_memory(call, name, &size);

	if (!memory || size / each <= place)
		return false;
	memory += place * each;
	uint32_t high = (uint32_t)int_at(memory, at->high);
	int cancelled = int_at(memory, at->cancelled);

	*status = (struct mpi_status){
		.source = int_at(memory, at->source),
		.tag = int_at(memory, at->tag),
		.bytes = (uint32_t)int_at(memory, at->low) |
			 (uint64_t)(at->high_is_shared ? high >> 1 : high) << 32,
		.cancelled = at->high_is_shared ? cancelled & 1 : cancelled != 0};
	return true;
}

/* --- reading */

struct reading {
	struct mpi_calls *calls;
	const struct tl_trace *trace;
	uint32_t tid;
	struct mpi_world world;
	bool has_world;	       /* MPI_Init was recorded: communicators are made of the world's */
	unsigned begun, ended; /* how often MPI or a session of it was initialized, and finalized */
	/* of the function that was seen last */
	uint32_t id;
	const struct tl_function *function;
	enum mpi_role role;
	bool makes_handle;
	int comm; /* the parameter's number; -1: none */
};

/*
 * A call that makes a handle counts from its end: the handle may be that of something which another
 * thread used and freed meanwhile. Imrecv is none: it frees one, too.
 */
static bool makes_handle(const struct tl_function *function, enum mpi_role role)
{
	switch (role) {
	case MPI_ROLE_SEND:
	case MPI_ROLE_RECEIVE:
	case MPI_ROLE_SEND_RECEIVE:
		return mpi_parameter(function, "request_") >= 0;
	case MPI_ROLE_SEND_INIT:
	case MPI_ROLE_RECEIVE_INIT:
	case MPI_ROLE_PROBE:
		return true;
	default:
		return (role >= MPI_ROLE_COMM_DUP && role <= MPI_ROLE_COMM_OTHER) ||
		       (mpi_role_is_local(role) && role != MPI_ROLE_GROUP_FREE);
	}
}

static void reading_know(struct reading *reading, uint32_t id)
{
	reading->id = id;
	reading->function = tl_trace_function(reading->trace, id);
	reading->role = reading->function ? role_of(reading->function) : MPI_ROLE_NONE;
	reading->makes_handle = makes_handle(reading->function, reading->role);
	reading->comm = reading->function ? mpi_world_parameter(reading->function) : -1;
}

static void call_add(struct mpi_calls *calls, const struct mpi_call *call)
{
	if (calls->count == calls->room) {
		calls->room = 2 * calls->room + 256;
		calls->list = need(reallocarray(calls->list, calls->room, sizeof(*calls->list)));
	}
	calls->list[calls->count++] = *call;
}

static void read_world(struct reading *reading, const struct mpi_call *call)
{
	struct tl_args_kept kept;

	if (reading->comm >= 0 && call_arguments(call, &kept))
		mpi_world_see(&reading->world, kept.words[reading->comm], call->start);
}

static void read_lifetime(struct reading *reading, const char *name)
{
	bool is_init = !strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread");

	reading->has_world |= is_init;
	reading->begun += is_init || !strcmp(name, "MPI_Session_init");
	reading->ended += !strcmp(name, "MPI_Finalize") || !strcmp(name, "MPI_Session_finalize");
}

static void read_record(struct reading *reading, const struct tl_call_record *record)
{
	reading->calls->lost |= tl_record_is_gap(record);
	if (record->type != TL_RECORD_CALL)
		return;
	if (record->function != reading->id)
		reading_know(reading, record->function);
	if (!reading->function)
		return;
	struct mpi_call call = {.record = record,
				.function = reading->function,
				.role = reading->role,
				.makes_handle = reading->makes_handle,
				.tid = reading->tid,
				.start = tl_trace_ns(reading->trace, record->start)};

	call.end = tl_trace_ns(reading->trace, tl_record_end(record->start, record->duration));
	read_world(reading, &call);
	read_lifetime(reading, call.function->name);
	if (call.role)
		call_add(reading->calls, &call);
}

static void read_trace(struct reading *reading, const struct tl_trace *trace)
{
	struct mpi_calls *calls = reading->calls;

	reading->trace = trace;
	reading->id = UINT32_MAX;
	for (size_t i = 0; i < trace->nruns; i++) {
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		reading->tid = trace->lanes[trace->runs[i].lane].shown;
		while ((record = tl_trace_next(&trace->runs[i], &place)))
			read_record(reading, record);
		calls->lost |= place.unsound != 0;
	}
	for (size_t i = 0; i < trace->nlanes; i++)
		calls->lost |= trace->lanes[i].lost != 0;
	calls->lost |= trace->overwritten != 0;
}

static int calls_by_time(const void *a, const void *b)
{
	const struct mpi_call *x = a, *y = b;
	bool x_makes = x->makes_handle, y_makes = y->makes_handle;
	uint64_t x_at = x_makes ? x->end : x->start, y_at = y_makes ? y->end : y->start;

	if (x_at != y_at)
		return x_at < y_at ? -1 : 1;
	if (x_makes != y_makes)
		return x_makes ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* All functions that have a role were recorded. */
static bool api_is_whole(const struct tl_api *api, const struct tl_facts *facts)
{
	char *include = trace_fact_text(facts, "\"include\":\""),
	     *exclude = trace_fact_text(facts, "\"exclude\":\"");
	bool whole = include && exclude;

	for (uint32_t i = 0; i < api->count && whole; i++)
		if (role_of(&api->functions[i]))
			whole = tl_glob_any(include, api->functions[i].name) &&
				!(*exclude && tl_glob_any(exclude, api->functions[i].name));
	free(include);
	free(exclude);
	return whole;
}

static const struct tl_api *api_of(const struct tl_trace *trace)
{
	for (uint32_t i = 0; i < APIS; i++) {
		const struct tl_api *api = tl_trace_api(trace, i);

		if (api && !strcmp(api->name, API_NAME))
			return api;
	}
	return NULL;
}

/* What a status of the standard ABI tells of the library that wrote it. */
enum telling { TELLS_NOTHING, TELLS_MPICH, TELLS_OPENMPI };

/*
 * Behind source, tag and error MPICH has the count's two halves, and Open MPI 0 or 1, which says
 * whether the request was cancelled, and then the count.
 */
static enum telling status_tells(const struct mpi_call *call)
{
	size_t size = 0;
	const char *memory = mpi_call_memory(call, "status", &size);

	if (!memory)
		memory = mpi_call_memory(call, "statuses", &size);
	if (!memory || size < layouts[MPI_FAMILY_ABI_MPICH].words * sizeof(int))
		return TELLS_NOTHING;
	uint32_t first = (uint32_t)int_at(memory, 3), second = (uint32_t)int_at(memory, 4);

	return first > 1 ? TELLS_MPICH : first == 0 && second > 1 ? TELLS_OPENMPI : TELLS_NOTHING;
}

/* The standard ABI's statuses are larger than all others. */
static bool api_is_abi(const struct tl_api *api)
{
	for (uint32_t i = 0; i < api->count; i++) {
		const struct tl_function *function = &api->functions[i];
		int place =
			strcmp(function->name, "MPI_Recv") ? -1 : mpi_parameter(function, "status");
		const struct tl_type *type = place < 0 ? NULL : function->params[place].type;

		if (type && type->kind == TL_KIND_POINTER && type->target)
			return type->target->size ==
			       layouts[MPI_FAMILY_ABI_MPICH].words * sizeof(int);
	}
	return false;
}

static enum mpi_family family_of(const struct mpi_calls *calls)
{
	if (calls->world == MPICH_COMM_WORLD)
		return MPI_FAMILY_MPICH;
	if (calls->world != ABI_COMM_WORLD)
		return MPI_FAMILY_OPENMPI;
	for (size_t i = 0; i < calls->count; i++) {
		enum telling telling = status_tells(&calls->list[i]);

		if (telling)
			return telling == TELLS_MPICH ? MPI_FAMILY_ABI_MPICH
						      : MPI_FAMILY_ABI_OPENMPI;
	}
	return MPI_FAMILY_ABI_MPICH;
}

/* Open MPI's is the address of a variable, which the trace tells. */
static uint64_t group_empty_of(enum mpi_family family, uint64_t told)
{
	if (family == MPI_FAMILY_OPENMPI)
		return told;
	return family == MPI_FAMILY_MPICH ? 0x48000000u : 0x109u;
}

void mpi_calls_open(struct mpi_calls *calls, const struct timeline_process *process)
{
	struct reading reading = {.calls = calls};
	int64_t told = 0; /* MPI_GROUP_EMPTY */

	*calls = (struct mpi_calls){.local_rank = -1, .local_size = -1};
	calls->traces = need(calloc(process->nparts + 1, sizeof(*calls->traces)));
	for (size_t i = 0; i < process->nparts; i++) {
		struct tl_trace *trace = record_file_open(process->parts[i].path);

		calls->lost |= !trace;
		if (!trace)
			continue;
		calls->traces[calls->ntraces++] = trace;
		mpi_world_read(&reading.world, trace);
		told = trace_fact_number(&trace->facts, ",\"mpi_group_empty\":", told);
		const struct tl_api *api = api_of(trace);
		if (api) {
			read_trace(&reading, trace);
			calls->lost |= !api_is_whole(api, &trace->facts);
			/* Without the world's communicator, no handle tells of the ABI. */
			reading.world.is_abi |= !reading.has_world && api_is_abi(api);
		}
		calls->size = trace_fact_number(&trace->facts, "\"size\":", 0);
		calls->local_rank = trace_fact_number(&trace->facts, "\"local_rank\":", -1);
		/* MPI does not go by what the launcher told. */
		if (trace_fact_number(&trace->facts, ",\"mpi_parted\":", 0))
			calls->local_rank = -1;
		calls->local_size = trace_fact_number(&trace->facts, "\"local_size\":", -1);
	}
	calls->lost |= !reading.begun;
	calls->finalized = reading.ended && reading.ended >= reading.begun;
	calls->world = mpi_world_handle(&reading.world);
	calls->family = family_of(calls);
	calls->group_empty = group_empty_of(calls->family, (uint64_t)told);
	if (calls->count)
		qsort(calls->list, calls->count, sizeof(*calls->list), calls_by_time);
}

void mpi_calls_close(struct mpi_calls *calls)
{
	for (size_t i = 0; i < calls->ntraces; i++)
		tl_trace_close(calls->traces[i]);
	free(calls->traces);
	free(calls->list);
}
