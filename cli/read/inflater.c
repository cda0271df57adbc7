/* SPDX-License-Identifier: MIT */
/*
 * inflater.c: see inflater.h.
 */
#include "config.h"

#include <stdio.h>

#include "cli/basics/basics.h"
#include "cli/read/inflater.h"

#define ALWAYS_ALLOWED (64ull << 20) /* bytes of output */
#define MOST_GROWTH    250u	     /* times, beyond that */

void inflater_start(struct inflater *inflater, const char *path, enum inflater_format format)
{
	/* zlib's own flags: 16 takes gzip's header, 32 takes gzip's or zlib's. */
	int bits = MAX_WBITS + (format == INFLATER_GZIP ? 16 : 32);

	*inflater = (struct inflater){.path = path};
	need(inflateInit2(&inflater->stream, bits) == Z_OK ? inflater : NULL);
}

void inflater_end(struct inflater *inflater)
{
	inflateEnd(&inflater->stream);
}

bool inflater_is_hungry(const struct inflater *inflater)
{
	/* Output that filled its room to the last byte may have more behind it. */
	bool holds_output = inflater->stream.next_out && !inflater->stream.avail_out;

	return !inflater->stream.avail_in && !holds_output;
}

void inflater_feed(struct inflater *inflater, unsigned char *bytes, size_t size)
{
	inflater->stream.next_in = bytes;
	inflater->stream.avail_in = (unsigned)size;
	inflater->packed += size;
}

static bool is_plausible(const struct inflater *inflater)
{
	return inflater->plain <= ALWAYS_ALLOWED ||
	       inflater->plain / MOST_GROWTH <= inflater->packed;
}

void inflater_say(const struct inflater *inflater, const char *path, unsigned long line)
{
	const char *why = inflater->stream.msg;
	char where[64] = "";

	if (inflater->grows_too_much) {
		say("%s: the compressed data grows more than %u times, as no trace does; if it is a trace, uncompress it first",
		    path, MOST_GROWTH);
		return;
	}
	if (line)
		snprintf(where, sizeof(where), " after line %lu", line);
	say("%s: the compressed data is damaged%s (%s); get the file again from where it was made",
	    path, where, why ? why : "unknown format");
}

/* False: the data is damaged. */
static bool inflater_inflate(struct inflater *inflater)
{
	z_stream *stream = &inflater->stream;
	int state = Z_OK;

	if (inflater->is_whole && stream->avail_in) {
		inflateReset(stream);
		inflater->is_whole = false;
	}
	if (!inflater->is_whole)
		state = inflate(stream, Z_NO_FLUSH);
	inflater->is_whole |= state == Z_STREAM_END;
	return state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR;
}

bool inflater_next(struct inflater *inflater, unsigned char *to, size_t room, size_t *count,
		   unsigned long line)
{
	inflater->stream.next_out = to;
	inflater->stream.avail_out = (unsigned)room;
	bool sound = inflater_inflate(inflater);

	*count = room - inflater->stream.avail_out;
	inflater->plain += *count;
	if (sound && !is_plausible(inflater)) {
		inflater->grows_too_much = true;
		*count = 0;
		sound = false;
	}
	if (!sound && inflater->path)
		inflater_say(inflater, inflater->path, line);
	return sound;
}
