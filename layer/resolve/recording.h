/* SPDX-License-Identifier: MIT */
/*
 * recording.h: begin, pause and end recording. What is recorded is the process's state
 * (layer/buffers/process_state.h); a change also changes the mode of every shim, in one step.
 */
#ifndef TL_LAYER_RESOLVE_RECORDING_H
#define TL_LAYER_RESOLVE_RECORDING_H

#include <stdbool.h>

#include "format/file/trace_file.h"

/* At the start: begin to record, or not, as the settings say. `paused`: recording begins later. */
void tl_recording_start(bool paused);

/*
 * Begin, pause or end recording of what level and globs select, and note it in the buffers' header.
 * False: recording was ended before, and stays so. Async-signal-safe; also on the writer's thread.
 */
bool tl_recording_switch(enum tl_file_recording to);

/*
 * While nothing is recorded, keep open calls all the same, for `tracelayer profile`.
 * Async-signal-safe; also on the writer's thread.
 */
void tl_recording_watch(bool on);

/* Start the layer, if need be, and switch. */
void tl_recording_set(bool on);

/*
 * For a higher room, once, at the start: `wanted` is called whenever recording begins. If it
 * returns true, every function's next call takes the slow path once.
 */
void tl_recording_at_begin(bool (*wanted)(void));

#endif
