/* SPDX-License-Identifier: MIT */
/*
 * chunk_reader.h: what the other files of layer/buffers need of the reader. buffer.h has what the
 * writer calls.
 */
#ifndef TL_LAYER_BUFFERS_CHUNK_READER_H
#define TL_LAYER_BUFFERS_CHUNK_READER_H

#include "layer/buffers/buffer.h"

/* In a forked child: forget the parent's chunks. */
void tl_chunk_reader_after_fork(void);

#endif
