/* SPDX-License-Identifier: MIT */
/*
 * systrace_packed.c: see systrace_packed.h.
 */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/systrace/systrace_packed.h"

#define PIECE (64u << 10)

/* ---- base64 ---- */

/* The value of a letter of base64. -1: it is none. */
static int base64_value(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Bits that have not made a byte yet. */
struct base64 {
	unsigned bits, count;
	bool ended;
};

/* Decodes in place. Returns how many bytes there are. */
static size_t base64_decode(struct base64 *base64, unsigned char *bytes, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size && !base64->ended; i++) {
		int value = base64_value(bytes[i]);

		if (bytes[i] == '\n' || bytes[i] == '\r')
			continue;
		if (value < 0) {
			base64->ended = true;
			break;
		}
		base64->bits = (base64->bits << 6 | (unsigned)value) & 0xfff;
		base64->count += 6;
		if (base64->count >= 8) {
			base64->count -= 8;
			bytes[count++] = (unsigned char)(base64->bits >> base64->count);
		}
	}
	return count;
}

/* ---- unpacking ---- */

struct unpacking {
	int spool;
	struct inflater inflater;
	unsigned char *out; /* PIECE bytes */
	bool failed;	    /* after a message */
};

/* Unpacks the bytes of one piece. */
static void unpack_bytes(struct unpacking *unpacking, unsigned char *bytes, size_t size)
{
	size_t count;

	inflater_feed(&unpacking->inflater, bytes, size);
	spool_show(unpacking->spool);
	do {
		unpacking->failed =
			!inflater_next(&unpacking->inflater, unpacking->out, PIECE, &count, 0) ||
			!spool_write(unpacking->spool, unpacking->out, count);
	} while (!unpacking->failed && !inflater_is_hungry(&unpacking->inflater));
}

static void unpack_all(struct unpacking *unpacking, int file, uint64_t offset, bool is_base64)
{
	unsigned char *piece = need(malloc(PIECE));
	struct base64 base64 = {0};
	ssize_t got = 0;

	while (!unpacking->failed && !base64.ended &&
	       (got = file_read(file, unpacking->inflater.path, piece, PIECE, offset)) > 0) {
		size_t size = is_base64 ? base64_decode(&base64, piece, (size_t)got) : (size_t)got;

		offset += (uint64_t)got;
		if (size)
			unpack_bytes(unpacking, piece, size);
	}
	unpacking->failed |= got < 0;
	free(piece);
}

int systrace_unpack(int file, const char *path, uint64_t offset, bool is_base64, bool *is_cut)
{
	struct unpacking unpacking = {.spool = spool_open()};

	if (unpacking.spool < 0)
		return -1;
	unpacking.out = need(malloc(PIECE));
	inflater_start(&unpacking.inflater, path, INFLATER_GZIP_OR_ZLIB);
	unpack_all(&unpacking, file, offset, is_base64);
	inflater_end(&unpacking.inflater);
	free(unpacking.out);
	if (unpacking.failed) {
		close(unpacking.spool);
		return -1;
	}
	if (!unpacking.inflater.is_whole) {
		say("%s: cut short: the end of the compressed data is missing; what is there is used",
		    path);
		*is_cut = true;
	}
	return unpacking.spool;
}
