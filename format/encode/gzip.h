/* SPDX-License-Identifier: MIT */
/*
 * gzip.h: one gzip member, written in blocks that each stand on their own.
 *
 * Every block ends on a byte and refers to nothing before it. So a file that was cut opens up to
 * its last whole block, and a block that could not be written is just not counted. The end can be
 * removed and written again behind further blocks. The file is then still one member, and some
 * readers take no more than one.
 *
 * Memory is the caller's: no allocation.
 */
#ifndef TL_FORMAT_ENCODE_GZIP_H
#define TL_FORMAT_ENCODE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/encode/deflate.h"

#define TL_GZIP_MEMORY sizeof(struct tl_deflate)
#define TL_GZIP_HEADER 10

struct tl_gzip {
	struct tl_deflate *deflate;
	uint32_t crc, size; /* of all blocks that were kept */
	uint32_t next_crc, next_size;
	/* For texts that begin at its .base; NULL: there are none. Set after tl_gzip_start. */
	const struct tl_repeat_hints *hints;
};

/* Most bytes that `size` bytes become, header and end included. */
size_t tl_gzip_bound(size_t size);

/* memory: TL_GZIP_MEMORY bytes, aligned as malloc does, with anything in them. */
void tl_gzip_start(struct tl_gzip *gzip, void *memory);

/* Each returns how many bytes it stored at `out`, which has room for tl_gzip_bound(size). */
size_t tl_gzip_header(char *out);
size_t tl_gzip_block(struct tl_gzip *gzip, char *out, const char *bytes, size_t size);
/* The last block and the member's end. It is not kept: the next block replaces it. */
size_t tl_gzip_end(struct tl_gzip *gzip, char *out, const char *bytes, size_t size);

/*
 * The same for a block of several pieces: after tl_gzip_pieces, tl_gzip_add for each, or
 * tl_gzip_join for one that tl_gzip_piece has made, on whatever thread.
 */
void tl_gzip_pieces(struct tl_gzip *gzip);
size_t tl_gzip_add(struct tl_gzip *gzip, char *out, const char *bytes, size_t size);
struct tl_gzip_piece {
	size_t size; /* compressed */
	uint32_t crc, plain;
};
struct tl_gzip_piece tl_gzip_piece(struct tl_deflate *deflate, char *out, const char *bytes,
				   size_t size, const struct tl_repeat_hints *hints);
void tl_gzip_join(struct tl_gzip *gzip, const struct tl_gzip_piece *piece);

/* Another member begins. */
void tl_gzip_renew(struct tl_gzip *gzip);

/* The last tl_gzip_block reached the file. */
void tl_gzip_keep(struct tl_gzip *gzip);

#endif
