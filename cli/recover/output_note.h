/* SPDX-License-Identifier: MIT */
/*
 * output_note.h: notes in the buffers file of a dead process which new file a recovery writes.
 *
 * A recovery may be killed, too: a launcher that ends a job kills `tracelayer run` in the middle of
 * one. The next recovery goes on with the file that is noted, from its beginning. Without the note,
 * it would make another file, and both would have the same events.
 */
#ifndef TL_CLI_RECOVER_OUTPUT_NOTE_H
#define TL_CLI_RECOVER_OUTPUT_NOTE_H

#include <stdbool.h>

#include "cli/leftovers/leftovers.h"
#include "common/output.h"
#include "format/file/record_reader.h"

/*
 * `to` is new, and nothing is written to it yet. `from` is what the buffers said of the output.
 * `anew`: `to` gets also what the process wrote into another file. The leftover is claimed, and its
 * process is dead. False: nothing is noted, as in a folder that can't be written to any more.
 */
bool output_note_put(const struct leftover *leftover, const struct tl_trace_output *from,
		     const struct tl_output *to, bool anew);

/* The file is gone, since it could not be written. */
void output_note_drop(const struct leftover *leftover, const struct tl_trace_output *from);

#endif
