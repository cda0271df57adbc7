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

#define BLOCK (1024u * 1024 + TL_ENCODER_ROOM)

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

void timeline_stream_start(struct timeline_stream *stream, int fd, bool gzip)
{
	char header[TL_GZIP_HEADER];

	*stream = (struct timeline_stream){.fd = fd, .packs = gzip, .block = need(malloc(BLOCK))};
	stream->text = (struct tl_text){stream->block, stream->block + BLOCK, false};
	if (!gzip)
		return;
	stream->packed = need(malloc(tl_gzip_bound(BLOCK)));
	stream->gzip_memory = need(malloc(TL_GZIP_MEMORY));
	tl_gzip_start(&stream->gzip, stream->gzip_memory);
	stream_write(stream, header, tl_gzip_header(header));
}

static void stream_flush(struct timeline_stream *stream, bool last)
{
	const char *bytes = stream->block;
	size_t size = (size_t)(stream->text.at - stream->block);

	stream->written += size;
	stream->text.at = stream->block;
	if (stream->packs) {
		size = (last ? tl_gzip_end : tl_gzip_block)(&stream->gzip, stream->packed, bytes,
							    size);
		tl_gzip_keep(&stream->gzip);
		bytes = stream->packed;
	}
	stream_write(stream, bytes, size);
}

bool timeline_stream_make_room(struct timeline_stream *stream)
{
	if (stream->text.end - stream->text.at >= (ptrdiff_t)TL_ENCODER_ROOM)
		return false;
	stream_flush(stream, false);
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
			stream_flush(stream, false);
	}
}

bool timeline_stream_end(struct timeline_stream *stream)
{
	stream_flush(stream, true);
	free(stream->gzip_memory);
	free(stream->packed);
	free(stream->block);
	errno = stream->error;
	return !stream->error;
}
