/* SPDX-License-Identifier: MIT */
/*
 * mpi_hosts.h: which ranks of a job are on one host, as MPI_Comm_split_type of MPI_COMM_TYPE_SHARED means it.
 *
 * MPI asks the launcher. So the hosts' names count only if they agree with what the launcher told: the
 * ranks of each name are numbered from 0 upwards, each number once. They don't if a container
 * has a name of its own, or if a machine has two names in the launcher's list.
 */
#ifndef TL_CLI_EXPORT_MPI_HOSTS_H
#define TL_CLI_EXPORT_MPI_HOSTS_H

#include "cli/export/mpi_comms.h"

/* Fills in .host of all processes, if the job has all of its ranks and they agree. */
void mpi_hosts_find(struct mpi_job *job);

#endif
