/* SPDX-License-Identifier: MIT */
/*
 * launcher.h: whether a program starts the processes of a parallel program, and what a launcher
 * told this process: its rank, and the job that it is a part of.
 *
 * Reads the environment, and for hydra and its like the command lines of the parents. Allocates
 * nothing. doc/jobs.md lists the variables.
 */
#ifndef TL_COMMON_LAUNCHER_H
#define TL_COMMON_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a launcher told a process. Numbers are -1, and texts empty, where it did not. */
struct tl_launched {
	const char *launcher; /* "Open MPI"; NULL: none started this process */
	int64_t rank, size, local_rank, local_size, node;
	uint32_t restart; /* how often the job was started again */
	/*
	 * The job's number, and the step's in it: all ranks that are started at once have the same,
	 * and ranks of another start have others, unless the step repeats. Characters that fit in a
	 * file's name.
	 */
	char job[64], step[64];
	bool step_repeats;	   /* the launcher may give another start the same step */
	bool mpich_parts_hosts;	   /* by its settings MPICH takes one host for several */
	const char *rank_variable; /* that had the rank */
};

void tl_launcher_tells(struct tl_launched *launched);

/* The number that a launcher's variable has in the environment; -1: none. */
int64_t tl_launcher_number(const char *variable);

/* The rank alone; -1: none. */
int64_t tl_launcher_rank(void);

/* The name of the step's folder: JOB.STEP, with -rN behind it where the job was started again. */
#define TL_LAUNCHER_FOLDER 160
void tl_launcher_folder(char folder[TL_LAUNCHER_FOLDER], const struct tl_launched *launched);

/*
 * Names the step of processes that no launcher has started. `tracelayer run` sets it, so that all
 * that it starts has one folder.
 */
#define TL_LAUNCHER_STEP "TRACELAYER_STEP"

/*
 * A launcher's step may be that of an earlier run (hydra's is mpiexec's port). Then this is the step
 * with a number behind it that makes it another: nodea_36281-2. `tracelayer run` sets it. It counts
 * only where the launcher's step is the one before the number.
 */
#define TL_LAUNCHER_AGAIN "TRACELAYER_STEP_AGAIN"

/* hydra's proxy, which started the ranks on this machine. 0: none of the parents is one. */
uint32_t tl_launcher_proxy(void);

/* A process's parent. 0: not known. */
uint32_t tl_launcher_parent(uint32_t pid);

/*
 * A program of that name starts the processes of others (mpirun, srun): users do not want its own
 * calls in a trace. A path will do, too.
 */
bool tl_launcher_is(const char *program);

#endif
