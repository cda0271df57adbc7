/* SPDX-License-Identifier: MIT */
/*
 * gzip.c: see gzip.h. The frame (RFC 1952) is ours, the blocks (RFC 1951) are zlib's at its fastest
 * level.
 */
#include "format/encode/gzip.h"

#include <string.h>

/* The end's own size, and an empty block's after a full flush. */
#define SPARE 64

size_t tl_gzip_bound(size_t size)
{
	/* deflateBound's figure for a stream with these parameters, and never less than stored
	 * blocks take. */
	return size + (size >> 12) + (size >> 14) + (size >> 25) + 16 + TL_GZIP_HEADER + SPARE;
}

static void *gzip_memory_take(void *opaque, unsigned items, unsigned size)
{
	struct tl_gzip *gzip = opaque;
	size_t bytes = ((size_t)items * size + 63) & ~(size_t)63;

	if (bytes > (size_t)(gzip->arena_end - gzip->arena))
		return NULL;
	void *memory = gzip->arena;
	gzip->arena += bytes;
	return memory;
}

static void gzip_memory_give_back(void *opaque, void *memory)
{
	(void)opaque;
	(void)memory;
}

bool tl_gzip_start(struct tl_gzip *gzip, void *memory)
{
	memset(gzip, 0, sizeof(*gzip));
	gzip->arena = memory;
	gzip->arena_end = gzip->arena + TL_GZIP_MEMORY;
	gzip->stream.zalloc = gzip_memory_take;
	gzip->stream.zfree = gzip_memory_give_back;
	gzip->stream.opaque = gzip;
	return deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) ==
	       Z_OK;
}

size_t tl_gzip_header(char *out)
{
	/* Deflate, no flags, no time, fastest, Unix. */
	static const unsigned char header[TL_GZIP_HEADER] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};

	memcpy(out, header, sizeof(header));
	return sizeof(header);
}

static size_t compress_bytes(struct tl_gzip *gzip, char *out, const char *bytes, size_t size,
			     int flush)
{
	z_stream *stream = &gzip->stream;
	size_t room = tl_gzip_bound(size) - TL_GZIP_HEADER - SPARE / 2;

	deflateReset(stream);
	stream->next_in = (z_const Bytef *)(uintptr_t)bytes;
	stream->avail_in = (uInt)size;
	stream->next_out = (Bytef *)out;
	stream->avail_out = (uInt)room;
	deflate(stream, flush);
	gzip->next_crc = (uint32_t)crc32(gzip->crc, (const Bytef *)bytes, (uInt)size);
	gzip->next_size = gzip->size + (uint32_t)size;
	return room - stream->avail_out;
}

size_t tl_gzip_block(struct tl_gzip *gzip, char *out, const char *bytes, size_t size)
{
	return compress_bytes(gzip, out, bytes, size, Z_FULL_FLUSH);
}

static char *put_little_endian(char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++, value >>= 8)
		*to++ = (char)(value & 0xff);
	return to;
}

size_t tl_gzip_end(struct tl_gzip *gzip, char *out, const char *bytes, size_t size)
{
	char *at = out + compress_bytes(gzip, out, bytes, size, Z_FINISH);

	at = put_little_endian(at, gzip->next_crc);
	at = put_little_endian(at, gzip->next_size);
	return at - out;
}

void tl_gzip_renew(struct tl_gzip *gzip)
{
	gzip->crc = gzip->size = gzip->next_crc = gzip->next_size = 0;
}

void tl_gzip_keep(struct tl_gzip *gzip)
{
	gzip->crc = gzip->next_crc;
	gzip->size = gzip->next_size;
}
