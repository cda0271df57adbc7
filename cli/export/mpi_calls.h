/* SPDX-License-Identifier: MIT */
/*
 * mpi_calls.h: a process's MPI calls that send, receive or make communicators, in the order of time,
 * as `tracelayer run --mpi` recorded them.
 *
 * Open MPI, MPICH and the standard ABI of MPI 5 have other handles and statuses each. The world's
 * communicator tells which it is: MPICH's and the standard ABI's are fixed numbers.
 */
#ifndef TL_CLI_EXPORT_MPI_CALLS_H
#define TL_CLI_EXPORT_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/timeline_inputs.h"
#include "format/file/record_reader.h"

enum mpi_family {
	MPI_FAMILY_OPENMPI,
	MPI_FAMILY_MPICH,
	/* The standard ABI leaves to the library where in a status the bytes are. */
	MPI_FAMILY_ABI_OPENMPI,
	MPI_FAMILY_ABI_MPICH,
};

enum mpi_role {
	MPI_ROLE_NONE,
	MPI_ROLE_SEND,
	MPI_ROLE_RECEIVE,
	MPI_ROLE_SEND_RECEIVE,
	MPI_ROLE_SEND_INIT,
	MPI_ROLE_RECEIVE_INIT,
	MPI_ROLE_START,
	MPI_ROLE_READY,		 /* a part of a message may be sent: Pready */
	MPI_ROLE_PROBE,		 /* Mprobe, Improbe: the message is taken here */
	MPI_ROLE_PROBED_RECEIVE, /* Mrecv, Imrecv */
	MPI_ROLE_COMPLETE,	 /* Wait and Test, in all forms */
	MPI_ROLE_CANCEL,
	MPI_ROLE_FREE, /* of a request */
	MPI_ROLE_COMM_DUP,
	MPI_ROLE_COMM_SPLIT,
	MPI_ROLE_COMM_SPLIT_TYPE,
	MPI_ROLE_COMM_CART,
	MPI_ROLE_COMM_CART_SUB,
	MPI_ROLE_COMM_GRAPH,
	MPI_ROLE_COMM_DIST_GRAPH,
	MPI_ROLE_COMM_CREATE,	    /* of a group; all ranks of the communicator call it */
	MPI_ROLE_COMM_CREATE_GROUP, /* the group's ranks call it */
	MPI_ROLE_COMM_FROM_GROUP,   /* likewise, without a communicator that it is made of */
	MPI_ROLE_INTERCOMM,	    /* of two groups, each of which has a communicator */
	MPI_ROLE_INTERCOMM_MERGE,
	MPI_ROLE_COMM_OTHER, /* makes a communicator whose members the call does not tell */
	MPI_ROLE_COMM_FREE,
	MPI_ROLE_GROUP_OF_COMM,
	MPI_ROLE_GROUP_OF_SET, /* a session's process set */
	MPI_ROLE_GROUP_OF_ONE, /* incl, excl, range_incl, range_excl */
	MPI_ROLE_GROUP_OF_TWO, /* union, intersection, difference */
	MPI_ROLE_GROUP_FREE,
};

/* Of groups: other ranks have no part in such a call, so one that failed did nothing. */
static inline bool mpi_role_is_local(enum mpi_role role)
{
	return role >= MPI_ROLE_GROUP_OF_COMM && role <= MPI_ROLE_GROUP_FREE;
}

struct mpi_call {
	const struct tl_call_record *record; /* stays while the process's files are open */
	const struct tl_function *function;
	enum mpi_role role;
	bool makes_handle;
	uint64_t start, end; /* by the process's clock */
	uint32_t tid;	     /* as its own trace shows it */
};

/* Begins as zeros. */
struct mpi_calls {
	struct mpi_call *list;
	size_t count, room;
	struct tl_trace **traces;
	size_t ntraces;
	uint64_t world; /* the handle of MPI_COMM_WORLD */
	enum mpi_family family;
	bool lost;	/* calls of the process are missing */
	bool finalized; /* MPI's end was recorded: none is missing there, either */
	int64_t size;	/* of the world; 0: not known */
	/* On its host, as the launcher told. -1: not known. */
	int64_t local_rank, local_size;
	uint64_t group_empty; /* the handle of MPI_GROUP_EMPTY; 0: not known */
};

/* Reads the process's files. They stay open until mpi_calls_close. */
void mpi_calls_open(struct mpi_calls *calls, const struct timeline_process *process);
void mpi_calls_close(struct mpi_calls *calls);

/* The number of a parameter. -1: the function has none of that name. */
int mpi_parameter(const struct tl_function *function, const char *name);

/* A parameter's word. False: the function has no such parameter, or the record lacks it. */
bool mpi_call_word(const struct mpi_call *call, const char *name, uint64_t *word);

/* What was captured behind a parameter. NULL: nothing. */
const void *mpi_call_memory(const struct mpi_call *call, const char *name, size_t *size);

/* Such an int that was captured, or `none`. */
int mpi_call_int(const struct mpi_call *call, const char *name, int none);

/* A handle as words tell them apart. */
uint64_t mpi_handle(const struct mpi_calls *calls, uint64_t word);

/* The handle at a place of an array, or of a single one. False: it was not captured. */
bool mpi_call_handle(const struct mpi_calls *calls, const struct mpi_call *call, const char *name,
		     size_t place, uint64_t *handle);

struct mpi_status {
	int source, tag;
	uint64_t bytes;
	bool cancelled;
};

/* The status at a place of an array, or the single one. False: the program wanted none. */
bool mpi_call_status(const struct mpi_calls *calls, const struct mpi_call *call, const char *name,
		     size_t place, struct mpi_status *status);

#endif
