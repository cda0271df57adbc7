/* SPDX-License-Identifier: MIT */
/*
 * timeline_stream.c: see timeline_stream.h.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_stream.h"
#include "format/encode/encoder.h"

#define BLOCK	   (1024u * 1024 + TL_ENCODER_ROOM)
#define PACKED	   (256u * 1024)
#define GZIP_LEVEL 6
#define GZIP_FORM  (15 + 16) /* the largest window, with gzip's header */

void timeline_stream_start(struct timeline_stream *stream, int fd, bool gzip)
{
	*stream = (struct timeline_stream){.fd = fd, .gzip = gzip, .block = need(malloc(BLOCK))};
	stream->text = (struct tl_text){stream->block, stream->block + BLOCK, false};
	if (!gzip)
		return;
	stream->packed = need(malloc(PACKED));
	if (deflateInit2(&stream->zlib, GZIP_LEVEL, Z_DEFLATED, GZIP_FORM, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		need(NULL);
}

static void stream_write(struct timeline_stream *stream, const char *bytes, size_t size)
{
	while (size && !stream->error) {
		ssize_t n = write(stream->fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			stream->error = n ? errno : EIO;
			return;
		}
		bytes += n;
		size -= (size_t)n;
	}
}

static void stream_pack(struct timeline_stream *stream, char *bytes, size_t size, int flush)
{
	stream->zlib.next_in = (unsigned char *)bytes;
	stream->zlib.avail_in = (unsigned)size;
	do {
		stream->zlib.next_out = (unsigned char *)stream->packed;
		stream->zlib.avail_out = PACKED;
		deflate(&stream->zlib, flush);
		stream_write(stream, stream->packed, PACKED - stream->zlib.avail_out);
	} while (!stream->zlib.avail_out);
}

static void stream_flush(struct timeline_stream *stream, int flush)
{
	size_t size = (size_t)(stream->text.at - stream->block);

	stream->written += size;
	stream->text.at = stream->block;
	if (stream->gzip)
		stream_pack(stream, stream->block, size, flush);
	else
		stream_write(stream, stream->block, size);
}

bool timeline_stream_make_room(struct timeline_stream *stream)
{
	if (stream->text.end - stream->text.at >= (ptrdiff_t)TL_ENCODER_ROOM)
		return false;
	stream_flush(stream, Z_NO_FLUSH);
	return true;
}

void timeline_stream_put(struct timeline_stream *stream, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		size_t room = (size_t)(stream->text.end - stream->text.at),
		       part = size < room ? size : room;

		tl_text_put(&stream->text, from, part);
		from += part;
		size -= part;
		if (size)
			stream_flush(stream, Z_NO_FLUSH);
	}
}

bool timeline_stream_end(struct timeline_stream *stream)
{
	stream_flush(stream, Z_FINISH);
	if (stream->gzip)
		deflateEnd(&stream->zlib);
	free(stream->packed);
	free(stream->block);
	errno = stream->error;
	return !stream->error;
}
