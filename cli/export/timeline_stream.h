/* SPDX-License-Identifier: MIT */
/*
 * timeline_stream.h: the bytes of an output on their way to a descriptor, compressed where that was asked for.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_STREAM_H
#define TL_CLI_EXPORT_TIMELINE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/text.h"
#include "format/encode/gzip.h"
#include "format/encode/pftrace_gpu_list.h"

struct timeline_stream {
	int fd, error;		/* .error: the errno of the first write that failed */
	uint32_t encoders;	/* that have written to it, for who counts them */
	struct tl_pf_gpus gpus; /* that they know */
	uint64_t written;	/* before it was compressed */
	struct tl_text text;	/* what is not written yet */
	char *block, *packed;
	bool packs; /* compresses */
	void *gzip_memory;
	struct tl_gzip gzip;
};

void timeline_stream_start(struct timeline_stream *stream, int fd, bool gzip);

/* Writes the block if it has no room for one call of an encoder. Returns whether it did. */
bool timeline_stream_make_room(struct timeline_stream *stream);

/* Something was added so far. */
static inline bool timeline_stream_has_any(const struct timeline_stream *stream)
{
	return stream->written || stream->text.at != stream->block;
}

/* Adds bytes, of any number. */
void timeline_stream_put(struct timeline_stream *stream, const void *bytes, size_t size);

/* Writes the rest. False: a write failed, and errno says why. */
bool timeline_stream_end(struct timeline_stream *stream);

#endif
