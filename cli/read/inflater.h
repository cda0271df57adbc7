/* SPDX-License-Identifier: MIT */
/*
 * inflater.h: uncompresses gzip and zlib streams. All commands that read compressed input use it.
 *
 *	inflater_start(&inflater, path, INFLATER_GZIP);
 *	while (…) {
 *		if (inflater_is_hungry(&inflater))
 *			inflater_feed(&inflater, bytes, size);
 *		if (!inflater_next(&inflater, to, room, &count, line))
 *			break;
 *		…`count` bytes are in `to`…
 *	}
 *	inflater_end(&inflater);
 *
 * Several gzip members in a row are one stream. Input that grows far more than a trace is refused:
 * somebody made it to fill memory or disks. (Events are alike, but their times differ; no trace
 * grew more than 60 times.)
 */
#ifndef TL_CLI_READ_INFLATER_H
#define TL_CLI_READ_INFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum inflater_format { INFLATER_GZIP, INFLATER_GZIP_OR_ZLIB };

struct inflater {
	const char *path; /* for messages; NULL: print none */
	z_stream stream;
	uint64_t packed, plain; /* bytes in, bytes out */
	bool is_whole;		/* the last member has its end */
	bool grows_too_much;
};

/* `path` must stay valid. */
void inflater_start(struct inflater *inflater, const char *path, enum inflater_format format);
void inflater_end(struct inflater *inflater);

/* Whether all input was used, and all output was returned. */
bool inflater_is_hungry(const struct inflater *inflater);

/* More input, only when it is hungry. The bytes must stay until it is hungry again. */
void inflater_feed(struct inflater *inflater, unsigned char *bytes, size_t size);

/*
 * Puts up to `room` bytes in `to`, and their number in *count, which may be 0. Returns false where
 * the input is damaged or grows too much, after a message; what came before the damage is in `to`.
 * `line` is the last line that is known to be good, for the message; 0: not known.
 */
bool inflater_next(struct inflater *inflater, unsigned char *to, size_t room, size_t *count,
		   unsigned long line);

/* Prints that message, for those who had none printed. */
void inflater_say(const struct inflater *inflater, const char *path, unsigned long line);

#endif
