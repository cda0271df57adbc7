/* SPDX-License-Identifier: MIT */
/*
 * timeline_align.h: sets the clocks of several machines by MPI calls. No rank leaves a
 * barrier, or another call in which each rank waits for all, before the last one has entered it. So
 * each such call bounds how far two clocks are apart, from above and from below.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_ALIGN_H
#define TL_CLI_EXPORT_TIMELINE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/timeline_inputs.h"

/*
 * Corrects the offsets of all processes whose clocks differ, as far as their traces have MPI calls,
 * and prints one line: how far apart the clocks may still be. `shared` processes have the same boot
 * and the same offset. To be called before the list is cut to what is selected.
 */
void timeline_align(struct timeline_inputs *inputs);

#endif
