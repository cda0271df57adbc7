/* SPDX-License-Identifier: MIT */
/*
 * otf2_messages.c: see otf2_messages.h.
 */
#include "config.h"

#if HAVE_OTF2

#include <stdio.h>
#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/export/otf2_messages.h"

/* Its place among those that have messages, or where it would be. Inputs are sorted by rank. */
static size_t rank_place(const struct otf2_messages *of, int64_t rank)
{
	size_t low = 0, high = of->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (of->ranks[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool rank_is_here(const struct otf2_messages *of, int64_t rank)
{
	size_t place = rank_place(of, rank);

	return place < of->count && of->ranks[place] == rank;
}

static uint32_t *comm_places(const struct otf2_messages *of, const struct mpi_comm *comm)
{
	uint32_t *places = need(calloc(comm->count + 1, sizeof(*places))), here = 0;

	for (size_t i = 0; i < comm->count; i++) {
		places[i] = here;
		here += rank_is_here(of, comm->ranks[i]);
	}
	return places;
}

void otf2_messages_start(struct otf2_messages *of, const struct mpi_messages *messages,
			 const struct timeline_inputs *inputs)
{
	*of = (struct otf2_messages){.messages = messages};
	of->ranks = need(calloc(inputs->count + 1, sizeof(*of->ranks)));
	of->locations = need(calloc(inputs->count + 1, sizeof(*of->locations)));
	for (size_t i = 0; i < messages->count; i++)
		if (!i || messages->list[i].process != messages->list[i - 1].process)
			of->ranks[of->count++] = inputs->list[messages->list[i].process].rank;
	of->places = need(calloc(messages->ncomms + 1, sizeof(*of->places)));
	for (size_t i = 0; i < messages->ncomms; i++)
		of->places[i] = comm_places(of, &messages->comms[i]);
}

void otf2_messages_locate(struct otf2_messages *of, int64_t rank, uint64_t location)
{
	if (rank_is_here(of, rank))
		of->locations[rank_place(of, rank)] = location;
}

void otf2_messages_event(const struct otf2_messages *of, OTF2_EvtWriter *events, uint64_t time,
			 const struct mpi_end *end, bool posts)
{
	const uint32_t *places = of->places[end->comm];
	uint64_t bytes = end->bytes == MPI_NO_BYTES ? 0 : end->bytes;

	if (posts)
		OTF2_EvtWriter_MpiIrecvRequest(events, NULL, time, end->number);
	else if (mpi_end_is_request(end))
		OTF2_EvtWriter_MpiIrecv(events, NULL, time, places[end->source], end->comm,
					(uint32_t)end->tag, bytes, end->number);
	else if (end->is_receive)
		OTF2_EvtWriter_MpiRecv(events, NULL, time, places[end->source], end->comm,
				       (uint32_t)end->tag, bytes);
	else
		OTF2_EvtWriter_MpiSend(events, NULL, time, places[end->destination], end->comm,
				       (uint32_t)end->tag, bytes);
}

void otf2_messages_name(uint32_t comm, char *name, size_t size)
{
	if (comm)
		snprintf(name, size, "communicator %u", comm);
	else
		snprintf(name, size, "MPI_COMM_WORLD");
}

/* The places of a communicator's ranks among all ranks that have messages. */
static uint32_t comm_members(const struct otf2_messages *of, const struct mpi_comm *comm,
			     uint64_t *members)
{
	uint32_t count = 0;

	for (size_t i = 0; i < comm->count; i++)
		if (rank_is_here(of, comm->ranks[i]))
			members[count++] = rank_place(of, comm->ranks[i]);
	return count;
}

/* Group 0 has the locations; a communicator has the group after its own number. */
void otf2_messages_define(const struct otf2_messages *of, OTF2_GlobalDefWriter *defs,
			  const uint32_t *names, uint32_t none)
{
	const struct mpi_messages *messages = of->messages;
	uint64_t *members = need(calloc(of->count + 1, sizeof(*members)));

	if (of->count)
		OTF2_GlobalDefWriter_WriteGroup(defs, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
						OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
						(uint32_t)of->count, of->locations);
	for (uint32_t i = 0; i < messages->ncomms && of->count; i++) {
		const struct mpi_comm *comm = &messages->comms[i];

		OTF2_GlobalDefWriter_WriteGroup(defs, i + 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
						OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
						comm_members(of, comm, members), members);
		OTF2_GlobalDefWriter_WriteComm(defs, i, names[i], i + 1,
					       i ? comm->parent : OTF2_UNDEFINED_COMM,
					       OTF2_COMM_FLAG_NONE);
	}
	free(members);
}

void otf2_messages_free(struct otf2_messages *of)
{
	for (size_t i = 0; of->messages && i < of->messages->ncomms; i++)
		free(of->places[i]);
	free(of->places);
	free(of->ranks);
	free(of->locations);
}

#endif
