/* SPDX-License-Identifier: MIT */
/*
 * chunk_reader.h: what layer/buffers itself needs of its reader. buffer.h has what the writer
 * calls.
 */
#ifndef TL_LAYER_BUFFERS_CHUNK_READER_H
#define TL_LAYER_BUFFERS_CHUNK_READER_H

#include "layer/buffers/buffer.h"

/* In a forked child. */
void tl_chunk_reader_after_fork(void);

#endif
