/* SPDX-License-Identifier: MIT */
/*
 * otf2_messages.h: messages in an archive of OTF2: the events, and the communicators' definitions.
 *
 * A rank is one location there: the thread of its first message. Ranks that have no messages are left
 * out of communicators, and those behind them move up.
 */
#ifndef TL_CLI_EXPORT_OTF2_MESSAGES_H
#define TL_CLI_EXPORT_OTF2_MESSAGES_H

#include <otf2/otf2.h>
#include <stdint.h>

#include "cli/export/mpi_messages.h"
#include "cli/export/timeline_inputs.h"

/* Begins as zeros. */
struct otf2_messages {
	const struct mpi_messages *messages;
	/* By place: the ranks that have messages, and their locations in the archive. */
	int64_t *ranks;
	uint64_t *locations;
	size_t count;
	uint32_t **places; /* of each communicator's ranks, among those of it that are here */
};

void otf2_messages_start(struct otf2_messages *of, const struct mpi_messages *messages,
			 const struct timeline_inputs *inputs);

/* The location of a process that has messages. */
void otf2_messages_locate(struct otf2_messages *of, int64_t rank, uint64_t location);

/* An end. Of a receive that another call began, `posts` says that it is that call's event. */
void otf2_messages_event(const struct otf2_messages *of, OTF2_EvtWriter *events, uint64_t time,
			 const struct mpi_end *end, bool posts);

/* How a communicator is called. */
void otf2_messages_name(uint32_t comm, char *name, size_t size);

/* `names`: the strings of all communicators' names; `none`: of an empty one. */
void otf2_messages_define(const struct otf2_messages *of, OTF2_GlobalDefWriter *defs,
			  const uint32_t *names, uint32_t none);

void otf2_messages_free(struct otf2_messages *of);

#endif
