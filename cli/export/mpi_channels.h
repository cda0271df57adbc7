/* SPDX-License-Identifier: MIT */
/*
 * mpi_channels.h: partitioned communication: which of a rank's requests a message belongs to.
 *
 * By MPI's standard, 4.0, chapter 4: of the requests with one communicator, source, destination and tag,
 * the first that MPI_Psend_init made belongs to the first of MPI_Precv_init, whatever order they are started
 * in. So each pair is a channel, with messages of its own: other sends and receives never match them.
 */
#ifndef TL_CLI_EXPORT_MPI_CHANNELS_H
#define TL_CLI_EXPORT_MPI_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/mpi_messages.h"

/* What such a request was made with. */
struct mpi_channel {
	uint32_t comm; /* one of the process's own */
	int peer, tag;
	bool is_receive;
	uint32_t tid; /* by which thread */
};

/* Of a process, in the order in which they were made. Begins as zeros. */
struct mpi_channels {
	struct mpi_channel *list;
	size_t count, room;
};

/* A number for the ends of its messages (mpi_end.channel), from 1. */
uint32_t mpi_channel_add(struct mpi_channels *channels, struct mpi_channel channel);

/*
 * All are known: the ends' channels are counted among those of the same key, from 1, as in the rank at
 * the other side. Where several threads made them, their order is not known: these ends are not wanted.
 */
void mpi_channels_count(const struct mpi_channels *channels, struct mpi_end *ends, size_t count);

void mpi_channels_free(struct mpi_channels *channels);

#endif
