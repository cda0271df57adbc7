/* SPDX-License-Identifier: MIT */
/*
 * launcher.h: what starts the processes of a parallel program, and which rank it gave this one.
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
 * A program of that name starts those of others (mpirun, srun): what it calls itself is not what
 * anybody wants to see. A path will do, too.
 */
bool tl_launcher_is(const char *program);

#endif
