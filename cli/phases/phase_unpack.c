/* SPDX-License-Identifier: MIT */
/*
 * phase_unpack.c: see phase_unpack.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/command.h"
#include "cli/read/inflated.h"
#include "cli/phases/phase_unpack.h"
#include "cli/progress.h"

#define PIECE (64u << 10)

/* ---- temporary files ---- */

int spool_open(void)
{
	const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int file = -1;

	for (size_t i = 0; file < 0 && i < sizeof(folders) / sizeof(*folders); i++)
		if (folders[i] && *folders[i])
			file = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file < 0)
		say("no temporary file: %s; have TMPDIR name a folder that can be written to",
		    strerror(errno));
	return file;
}

bool spool_write(int spool, const unsigned char *bytes, size_t size)
{
	progress_show("%.1f MB unpacked or read", (double)lseek(spool, 0, SEEK_CUR) / 1e6);
	while (size) {
		ssize_t written = write(spool, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			say("cannot write a temporary file: %s; free some space, or have TMPDIR name another folder",
			    strerror(errno));
			return false;
		}
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

static ssize_t said(ssize_t got, const char *path)
{
	if (got < 0)
		say("%s: cannot read: %s; give the path of a trace file", path, strerror(errno));
	return got;
}

ssize_t file_read(int file, const char *path, void *to, size_t size, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(file, to, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return said(got, path);
}

int spool_pipe(int file, const char *path)
{
	unsigned char *piece = need(malloc(PIECE));
	int spool = spool_open();
	bool sound = spool >= 0;
	ssize_t got;

	while (sound && (got = read(file, piece, PIECE))) {
		if (got < 0 && errno == EINTR)
			continue;
		sound = said(got, path) > 0 && spool_write(spool, piece, (size_t)got);
	}
	free(piece);
	if (sound)
		return spool;
	if (spool >= 0)
		close(spool);
	return -1;
}

/* ---- base64 ---- */

/* A letter of base64, or -1. */
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

/* Bits of base64 that have not made a byte yet. */
struct base64 {
	unsigned bits, count;
	bool ended;
};

/* Letters as bytes, in their place. Returns how many. */
static size_t decode(struct base64 *base64, unsigned char *bytes, size_t size)
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

/* ---- what is compressed ---- */

struct unpacking {
	const char *path;
	int spool;
	z_stream stream;
	uint64_t packed, unpacked; /* bytes */
	unsigned char *out;
	bool ended; /* the compressed bytes' own end was there */
	bool failed;
};

/* As much as there is room for. */
static void unpack_some(struct unpacking *unpacking)
{
	z_stream *stream = &unpacking->stream;

	if (unpacking->ended && stream->avail_in) {
		/* Files may be one behind the other. */
		inflateReset(stream);
		unpacking->ended = false;
	}
	stream->next_out = unpacking->out;
	stream->avail_out = PIECE;
	int state = inflate(stream, Z_NO_FLUSH);

	if (state == Z_STREAM_END)
		unpacking->ended = true;
	else if (state != Z_OK && state != Z_BUF_ERROR) {
		say("%s: what is compressed in it is damaged (%s); get the file again from where it was made",
		    unpacking->path, stream->msg ? stream->msg : "unknown format");
		unpacking->failed = true;
	}
	unpacking->unpacked += PIECE - stream->avail_out;
	if (!unpacking->failed &&
	    !inflated_is_sound(unpacking->path, unpacking->packed, unpacking->unpacked))
		unpacking->failed = true;
	if (!unpacking->failed &&
	    !spool_write(unpacking->spool, unpacking->out, PIECE - stream->avail_out))
		unpacking->failed = true;
}

/* Further compressed bytes. */
static void unpack_bytes(struct unpacking *unpacking, unsigned char *bytes, size_t size)
{
	unpacking->stream.next_in = bytes;
	unpacking->stream.avail_in = (unsigned)size;
	unpacking->packed += size;
	do
		unpack_some(unpacking);
	while (!unpacking->failed && (unpacking->stream.avail_in || !unpacking->stream.avail_out));
}

static void unpack_all(struct unpacking *unpacking, int file, uint64_t offset, bool is_base64)
{
	unsigned char *piece = need(malloc(PIECE));
	struct base64 base64 = {0};
	ssize_t got = 0;

	while (!unpacking->failed && !base64.ended &&
	       (got = file_read(file, unpacking->path, piece, PIECE, offset)) > 0) {
		size_t size = is_base64 ? decode(&base64, piece, (size_t)got) : (size_t)got;

		offset += (uint64_t)got;
		if (size)
			unpack_bytes(unpacking, piece, size);
	}
	unpacking->failed |= got < 0;
	free(piece);
}

int unpack_file(int file, const char *path, uint64_t offset, bool is_base64, bool *is_cut)
{
	struct unpacking unpacking = {.path = path, .spool = spool_open()};

	if (unpacking.spool < 0)
		return -1;
	unpacking.out = need(malloc(PIECE));
	/* 32: gzip or zlib, by their headers. */
	need(inflateInit2(&unpacking.stream, 32 + MAX_WBITS) == Z_OK ? &unpacking : NULL);
	unpack_all(&unpacking, file, offset, is_base64);
	inflateEnd(&unpacking.stream);
	free(unpacking.out);
	if (unpacking.failed) {
		close(unpacking.spool);
		return -1;
	}
	if (!unpacking.ended) {
		say("%s: cut short: the end of what is compressed in it is missing; what is there is used",
		    path);
		*is_cut = true;
	}
	return unpacking.spool;
}
