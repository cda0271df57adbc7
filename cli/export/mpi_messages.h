/* SPDX-License-Identifier: MIT */
/*
 * mpi_messages.h: the messages of a job: which send belongs to which receive.
 *
 * As MPI has it: of the messages with one communicator, source, destination and tag, the first that is
 * sent is the first that is received. Statuses say what MPI_ANY_SOURCE and MPI_ANY_TAG stood for.
 * Communicators that MPI_Comm_dup, MPI_Comm_split, MPI_Comm_split_type, MPI_Comm_create, MPI_Cart_create and
 * MPI_Cart_sub made are the same in all ranks that made them by the same call of their parent; those of
 * MPI_Comm_create_group and MPI_Comm_create_from_group, in all ranks of their group. Those of MPI_Intercomm_create are of two communicators
 * (mpi_intercomms.h).
 *
 * There is no message, rather than a wrong one, if something is not known: a rank has calls without
 * records; a communicator's members are unknown; a receive took an unknown message; the numbers of
 * sends and receives differ though neither process was killed; or several threads send or receive
 * with the same key at the same time.
 */
#ifndef TL_CLI_EXPORT_MPI_MESSAGES_H
#define TL_CLI_EXPORT_MPI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/timeline_inputs.h"
#include "cli/read/selection.h"

#define MPI_NO_BYTES UINT64_MAX

/* One end of a message. */
struct mpi_end {
	size_t process;		 /* in timeline_inputs.list */
	uint32_t comm;		 /* in mpi_messages.comms */
	int source, destination; /* places in its .ranks */
	int tag;
	uint32_t channel; /* of a partitioned message (mpi_channels.h), from 1; 0: it is none */
	bool is_receive;
	uint64_t bytes;	 /* that arrived, or MPI_NO_BYTES */
	uint64_t number; /* the message's, from 1; of both ends */
	/* The call that sent, or that gave the message to the program; by the process's clock. */
	uint64_t start, end;
	uint32_t tid; /* its thread, as the process's own trace shows it */

	/* The call that began it, which may be another one. */
	uint64_t posted, posted_end;
	uint32_t posted_tid;
	bool post_is_selected;

	/* While messages are looked for. */
	bool is_wanted, is_finished, is_selected;
	/* It was cancelled, and nobody knows whether it had taken a message, or sent one. */
	bool is_in_doubt;
	bool may_lack; /* its process was killed: ends of the same key may be missing behind it */
};

/* A communicator. The first one of each job is its world. */
struct mpi_comm {
	int64_t *ranks; /* in the world, by the rank in it */
	size_t count;
	uint32_t parent;
	bool is_whole; /* all of its ranks are known */
	/*
	 * Of an intercommunicator: so many of its ranks are one group, and those behind them are the
	 * other. MPI counts each group from 0. 0: it is none.
	 */
	size_t first_group;
};

/* Begins as zeros. */
struct mpi_messages {
	struct mpi_end *list; /* by process and time; both ends of each message */
	size_t count, room;
	struct mpi_comm *comms;
	size_t ncomms;
};

void mpi_messages_find(struct mpi_messages *messages, const struct timeline_inputs *inputs,
		       const struct selection *selection);

/* The ends in a process. */
const struct mpi_end *mpi_messages_of(const struct mpi_messages *messages, size_t process,
				      size_t *count);

/*
 * For formats whose readers know ends by ranks and match those of one key in their order: leaves out
 * partitioned messages, and all where they are of several worlds: a rank is one process.
 */
void mpi_messages_keep_plain(struct mpi_messages *messages, const struct timeline_inputs *inputs);

/* A rank as MPI counts it. */
static inline uint64_t mpi_rank_shown(const struct mpi_comm *comm, int place)
{
	size_t rank = (size_t)place;

	return comm->first_group && rank >= comm->first_group ? rank - comm->first_group : rank;
}

/* When an end is shown: at the beginning of a send, or just before the end of a receive. */
static inline uint64_t mpi_end_ns(const struct mpi_end *end)
{
	return end->is_receive && end->end > end->start ? end->end - 1 : end->start;
}

/*
 * The same, by the output's clock. In JSON a slice may begin 0.2 ns late (format/encode/touching.h): a
 * send's arrow begins 1 ns behind its call's beginning, so that it lies in the call.
 */
static inline uint64_t mpi_end_shown(const struct mpi_end *end,
				     const struct timeline_process *process)
{
	uint64_t start = timeline_ns(process, end->start), last = timeline_ns(process, end->end);

	if (end->is_receive)
		return last > start ? last - 1 : start;
	return last > start + 1 ? start + 1 : start;
}

/* Another call began the receive, and it is selected, too. */
static inline bool mpi_end_is_request(const struct mpi_end *end)
{
	return end->is_receive && end->post_is_selected && end->posted < end->start;
}

void mpi_messages_free(struct mpi_messages *messages);

#endif
