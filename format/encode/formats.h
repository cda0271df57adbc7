/* SPDX-License-Identifier: MIT */
/*
 * formats.h: the list of output formats, and which of them a file's name asks for.
 *
 * A further format is a struct tl_format, its line in formats.c, and its number and ending in
 * common/output_formats.h and .c: settings and output files need the endings, and lie below.
 */
#ifndef TL_FORMAT_ENCODE_FORMATS_H
#define TL_FORMAT_ENCODE_FORMATS_H

#include "format/encode/encoder.h"

/*
 * JSON and Perfetto's format have encoders. A .tlt has none: its records stay as they were made.
 * The layer (layer/write/record_blocks.c) and the command (cli/outputs/record_pieces.c) each put them
 * into pieces.
 */
extern const struct tl_format tl_format_json, tl_format_pftrace, tl_format_tlt;

/*
 * The format that a file's name asks for, NULL: none. *gzip: its .gz is to be taken off first.
 */
const struct tl_format *tl_format_of(const char *path, bool *gzip);

/* The format that a traced process writes to a file of this name: JSON where it asks for none. */
const struct tl_format *tl_format_written(const char *path);

#endif
