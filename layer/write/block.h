/* SPDX-License-Identifier: MIT */
/*
 * block.h: blocks of the trace file, made of what threads recorded.
 *
 * A block holds chunks until it is in the file. If it can't be written, the chunks go back to the
 * buffers. The next attempt makes a new block from them, for the same file or for another one that
 * has to be begun first. Nothing here writes or waits.
 *
 * Runs on the writer's thread: no allocation, system calls only. Every caller holds the pen.
 */
#ifndef TL_LAYER_WRITE_BLOCK_H
#define TL_LAYER_WRITE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "format/encode/encoder.h"
#include "format/encode/repeat_hints.h"
#include "layer/buffers/unfinished.h"
#include "layer/resolve/api_table.h"
#include "layer/write/sink.h"

#define TL_BLOCK_SIZE  (1024u * 1024) /* a block is full when it has more */
#define TL_BLOCK_PARTS 32
#define TL_BLOCK_TEXT  (TL_BLOCK_SIZE + 2 * TL_ENCODER_ROOM)
#define TL_BLOCK_END   (8u * 1024 * 1024) /* many: each thread may be in calls at the end */
#define TL_BLOCK_STATE (4u * 1024 * 1024) /* an encoder's state, at most */
/*
 * Runs of strings, of 64 KiB at most, that a spool's block takes. Many, since stacks are strings: all
 * those of the records must be in the file when it ends.
 */
#define TL_BLOCK_TEXTS	 384
#define TL_BLOCK_VECTORS (2 * (TL_BLOCK_PARTS + TL_BLOCK_TEXTS) + 3 * TL_API_MAX + 8)

_Static_assert(TL_BLOCK_VECTORS <= 1024, "the kernel writes so many at once: IOV_MAX");

struct tl_chunk;
struct tl_lane;

/* Records of one chunk that are in the block. */
struct tl_part {
	struct tl_chunk *chunk;
	struct tl_lane *lane;
	const char *from, *to;
	uint64_t events;
	uint64_t lost; /* events that the part's LOST records count */
	struct tl_event_cost cost;
	bool damaged;	/* what follows .to in the chunk can't be read */
	uint32_t ahead; /* it is encoded ahead, under this number (ahead.h); 0: it is not */
};

/* All memory for blocks: one mapping. */
struct tl_block_memory {
	_Alignas(4096) char state[TL_BLOCK_STATE];
	char text[TL_BLOCK_TEXT];
	char end[TL_BLOCK_END];
	struct tl_repeat_hint hints[TL_BLOCK_TEXT / TL_REPEAT_HINT_BYTES];
	/* of all files: a mark may begin in one file and end in another */
	struct tl_open_marks marks;
};

struct tl_block {
	struct tl_block_memory *memory;
	const struct tl_block_maker *maker; /* the functions for the file's format */
	struct tl_encoder encoder;
	struct tl_repeat_hints hints; /* for the block's text, if it is to be compressed */
	uint32_t file;		      /* the tl_sink.file that the block is made for */
	bool begun;		      /* the beginning of that file is written */
	/* True: threads will probably hand over what they have before the file is full. */
	bool calls_may_come;
	struct tl_event_cost cost; /* the cost of the events in that file */
	/*
	 * .tlt: number of the first string that the file lacks; and of the first one behind this
	 * block
	 */
	uint32_t texts, texting;
	/*
	 * .tlt: a bit for each API that the file has a description of; that this block has one of
	 */
	uint32_t described, describing;
	struct tl_text text;
	const char *cut; /* text up to here is in the vector */
	size_t borrowed; /* bytes of text that are in the vector and not in .text */
	struct iovec vector[TL_BLOCK_VECTORS];
	unsigned vectors;
	/* gzip: what in the vector is compressed already, in its order */
	struct tl_packed packed[TL_BLOCK_PARTS + 1]; /* one more, which ends the list */
	unsigned packs;
	struct tl_part parts[TL_BLOCK_PARTS];
	unsigned held; /* how many chunks it holds */
	unsigned used; /* the first of these are in the block */
	/* the file's last end: the tick up to which it shows calls that are not over; else 0 */
	uint64_t ends_at;
	uint64_t unfinished; /* how many such calls that end has */
	struct tl_unfinished_calls calls;
};

/*
 * How blocks of one kind of file are made. block.c decides the order; these functions put the parts
 * into the block. No function is NULL.
 */
struct tl_block_maker {
	void (*file)(struct tl_block *block, const struct tl_sink *sink); /* a new file begins */
	/* A block begins. What was made since the last call of .kept is made again. */
	void (*start)(struct tl_block *block);
	void (*begin)(struct tl_block *block); /* the file's beginning */
	void (*thread)(struct tl_block *block, const struct tl_lane *lane);
	/* a lane that is not a thread's */
	void (*lane)(struct tl_block *block, const struct tl_lane *lane);
	/* Records of the thread are missing before this part. */
	void (*gap)(struct tl_block *block, const struct tl_part *part);
	/*
	 * Puts in the records of a part, up to its chunk's end, or until the block has `limit`
	 * bytes. Sets the part's fields about them.
	 */
	void (*records)(struct tl_block *block, struct tl_part *part, size_t limit);
	void (*close)(struct tl_block *block); /* all parts are in the block */
	void (*kept)(struct tl_block *block);  /* the block is in the file */
	/* block->calls, which the thread has not returned from at block->ends_at */
	void (*unfinished)(struct tl_block *block, const struct tl_lane *lane);
	void (*end)(struct tl_block *block, const struct tl_totals *totals);
};

/* For files of an encoder (encoded_blocks.c), and for .tlt files (record_blocks.c). */
extern const struct tl_block_maker tl_encoded_blocks, tl_record_blocks;

/* How many bytes the block has so far. */
size_t tl_block_bytes(const struct tl_block *block);

/* The block holds one more chunk, behind the others. There must be room for one. */
void tl_block_hold(struct tl_block *block, struct tl_chunk *chunk, struct tl_lane *lane);

/*
 * Begin a block for the sink's file, which is open. What was made before and is not in the file is
 * made again.
 */
void tl_block_start(struct tl_block *block, const struct tl_sink *sink);

/*
 * Whether there is room for a part, up to so many bytes. If so, tl_block_add puts in the next chunk
 * that is held, or as much of it as there is room for.
 */
bool tl_block_has_room(const struct tl_block *block, size_t limit);
void tl_block_add(struct tl_block *block, size_t limit);

/*
 * For the makers of blocks: `event` comes next. If it is the first of its lane in the file, the
 * lane's name goes in first. `size` bytes may be read.
 */
struct tl_event_record;
void tl_block_name_lane(struct tl_block *block, const struct tl_event_record *event, size_t size);

/*
 * For the makers of blocks: `bytes` come next, which stand for so many bytes of text and stay where they
 * are until the block is written.
 */
void tl_block_borrow(struct tl_block *block, const void *bytes, size_t size, size_t text);

/* The block is complete: .vector is what to write. Returns how many events that is. */
uint64_t tl_block_close(struct tl_block *block);

/* The block is in the file: give back the chunks that are used up. Or it is not. */
void tl_block_kept(struct tl_block *block);
void tl_block_failed(struct tl_block *block);

/*
 * Make the end of the file, in .vector, and its beginning if it lacks that. No block may be begun.
 * `ends_at`: the tick at which the process ends, so the end shows the calls that threads are in; or 0.
 */
void tl_block_end(struct tl_block *block, const struct tl_sink *sink,
		  const struct tl_totals *totals, uint64_t ends_at);

/*
 * For the makers of blocks: put the calls that threads are in into the end, if it is the last one. As
 * many as there is room for. Returns how many.
 */
uint64_t tl_block_unfinished(struct tl_block *block);

#endif
