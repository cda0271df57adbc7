/* SPDX-License-Identifier: MIT */
/*
 * formats.c: see formats.h.
 */
#include "format/encode/formats.h"

#include <stddef.h>

const struct tl_format tl_format_tlt = {
	.number = TL_OUTPUT_TLT,
};

static const struct tl_format *const formats[TL_OUTPUT_FORMATS] = {
	[TL_OUTPUT_JSON] = &tl_format_json,
	[TL_OUTPUT_PFTRACE] = &tl_format_pftrace,
	[TL_OUTPUT_TLT] = &tl_format_tlt,
};

const struct tl_format *tl_format_of(const char *path, bool *gzip)
{
	struct tl_output_ending ending = tl_output_ending(path);

	*gzip = ending.gzip;
	return ending.known ? formats[ending.format] : NULL;
}

const struct tl_format *tl_format_written(const char *path)
{
	bool gzip;
	const struct tl_format *format = tl_format_of(path, &gzip);

	return format ? format : &tl_format_json;
}
