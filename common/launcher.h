/* SPDX-License-Identifier: MIT */
/*
 * launcher.h: whether a program starts the processes of a parallel program, and the rank that it
 * gave this process.
 *
 * Reads the environment and allocates nothing.
 */
#ifndef TL_COMMON_LAUNCHER_H
#define TL_COMMON_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

/* The rank that a launcher gave the calling process; -1: none did. */
int64_t tl_launcher_rank(void);

/*
 * A program of that name starts the processes of others (mpirun, srun): users do not want its own
 * calls in a trace. A path will do, too.
 */
bool tl_launcher_is(const char *program);

#endif
