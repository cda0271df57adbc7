/* SPDX-License-Identifier: MIT */
/*
 * gzip.c: see gzip.h. The frame (RFC 1952) is ours, deflate.c makes the blocks, and libdeflate the
 * checksum; where it is not linked in, crc32.c, which takes longer.
 */
#include "config.h"

#include "format/encode/gzip.h"

#include <string.h>
#if HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include "format/encode/crc32.h"
#endif

#define TRAILER 8u /* checksum and size */

size_t tl_gzip_bound(size_t size)
{
	return TL_GZIP_HEADER + tl_deflate_bound(size) + TRAILER;
}

void tl_gzip_start(struct tl_gzip *gzip, void *memory)
{
	*gzip = (struct tl_gzip){.deflate = memory};
#if !HAVE_LIBDEFLATE
	tl_crc32_prepare();
#endif
}

size_t tl_gzip_header(char *out)
{
	/* Deflate, no flags, no time, fastest, Unix. */
	static const unsigned char header[TL_GZIP_HEADER] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};

	memcpy(out, header, sizeof(header));
	return sizeof(header);
}

static uint32_t bytes_checksum(uint32_t crc, const char *bytes, size_t size)
{
#if HAVE_LIBDEFLATE
	return libdeflate_crc32(crc, bytes, size);
#else
	return tl_crc32(crc, bytes, size);
#endif
}

static size_t compress_bytes(struct tl_gzip *gzip, char *out, const char *bytes, size_t size,
			     bool last)
{
	gzip->next_crc = bytes_checksum(gzip->next_crc, bytes, size);
	gzip->next_size += (uint32_t)size;
	return tl_deflate(gzip->deflate, out, bytes, size, last,
			  gzip->hints && gzip->hints->base == bytes ? gzip->hints : NULL);
}

void tl_gzip_pieces(struct tl_gzip *gzip)
{
	gzip->next_crc = gzip->crc;
	gzip->next_size = gzip->size;
}

size_t tl_gzip_add(struct tl_gzip *gzip, char *out, const char *bytes, size_t size)
{
	return compress_bytes(gzip, out, bytes, size, false);
}

size_t tl_gzip_block(struct tl_gzip *gzip, char *out, const char *bytes, size_t size)
{
	tl_gzip_pieces(gzip);
	return tl_gzip_add(gzip, out, bytes, size);
}

struct tl_gzip_piece tl_gzip_piece(struct tl_deflate *deflate, char *out, const char *bytes,
				   size_t size, const struct tl_repeat_hints *hints)
{
	return (struct tl_gzip_piece){.size = tl_deflate(deflate, out, bytes, size, false, hints),
				      .crc = bytes_checksum(0, bytes, size),
				      .plain = (uint32_t)size};
}

/*
 * Checksums are polynomials modulo CRC-32's, the highest power in the lowest bit. Bytes behind a text
 * multiply its checksum by a power of x, and add their own.
 */
static uint32_t polynomials_multiply(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;

	for (uint32_t power = 1u << 31; power; power >>= 1) {
		sum ^= a & power ? b : 0;
		b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0);
	}
	return sum;
}

void tl_gzip_join(struct tl_gzip *gzip, const struct tl_gzip_piece *piece)
{
	uint32_t behind = 1u << 31, byte = 1u << 23;

	for (uint32_t bytes = piece->plain; bytes;
	     bytes >>= 1, byte = polynomials_multiply(byte, byte))
		behind = bytes & 1 ? polynomials_multiply(behind, byte) : behind;
	gzip->next_crc = polynomials_multiply(behind, gzip->next_crc) ^ piece->crc;
	gzip->next_size += piece->plain;
}

static char *put_little_endian(char *to, uint32_t value)
{
	for (int i = 0; i < 4; i++, value >>= 8)
		*to++ = (char)(value & 0xff);
	return to;
}

size_t tl_gzip_end(struct tl_gzip *gzip, char *out, const char *bytes, size_t size)
{
	tl_gzip_pieces(gzip);
	char *at = out + compress_bytes(gzip, out, bytes, size, true);

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
