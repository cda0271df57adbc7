/* SPDX-License-Identifier: MIT */
/*
 * output_formats.h: the one list of the trace file's formats and of the endings that ask for them.
 * format/encode/formats.c has the functions that make each format, by its number here.
 *
 * Async-signal-safe, on any thread.
 */
#ifndef TL_COMMON_OUTPUT_FORMATS_H
#define TL_COMMON_OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

/* These numbers are stored in buffers files (struct tl_output_piece). */
enum tl_output_format {
	TL_OUTPUT_JSON = 0,
	TL_OUTPUT_PFTRACE = 1,
	TL_OUTPUT_TLT = 2,
};
#define TL_OUTPUT_FORMATS 3

/* All endings, as messages and --help list them. */
#define TL_OUTPUT_ENDINGS ".json, .json.gz, .pftrace, .pftrace.gz or .tlt"

struct tl_output_ending {
	bool known; /* the name asks for .format */
	bool gzip;  /* the format's ending is followed by .gz */
	/* a format's ending; .known is false if it has .gz, and the format is never compressed */
	enum tl_output_format format;
	size_t size; /* bytes of the ending, with .gz; 0: no format has it */
};

struct tl_output_ending tl_output_ending(const char *name);

#endif
