/* SPDX-License-Identifier: MIT */
/*
 * record_blocks.h: blocks of a .tlt file: pieces (format/file/trace_file.h) instead of an encoder's
 * text.
 *
 * Records stay where they are: what is made here are the pieces' heads, and a vector that says in
 * which order heads and records are written.
 */
#ifndef TL_LAYER_WRITE_RECORD_BLOCKS_H
#define TL_LAYER_WRITE_RECORD_BLOCKS_H

#include "layer/write/block.h"

void tl_spool_begin(struct tl_block *block);
void tl_spool_thread(struct tl_block *block, const struct tl_lane *lane);

/* The records of a part, whose .to is as far as there is room for, and sets what it has. */
void tl_spool_records(struct tl_block *block, struct tl_part *part);

/* A lane that is no thread's. */
void tl_spool_gap(struct tl_block *block, const struct tl_part *part);
void tl_spool_lane(struct tl_block *block, const struct tl_lane *lane);

/*
 * The texts that the file lacks; at the end of each block, as records' texts may come behind them.
 */
void tl_spool_texts(struct tl_block *block);

/* What the clock knows by now; at the end of each block. */
void tl_spool_clock(struct tl_block *block);
void tl_spool_end(struct tl_block *block, const struct tl_totals *totals);

#endif
