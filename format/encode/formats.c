/* SPDX-License-Identifier: MIT */
/*
 * formats.c: see formats.h.
 */
#include "format/encode/formats.h"

#include <string.h>

const struct tl_format tl_format_tlt = {
	.ending = ".tlt",
	.number = TL_OUTPUT_TLT,
	.is_plain = true,
};

static const struct tl_format *const formats[] = {
	&tl_format_json,
	&tl_format_pftrace,
	&tl_format_tlt,
};

static bool name_take_ending(const char *path, size_t *length, const char *ending)
{
	size_t size = strlen(ending);

	if (*length < size || memcmp(path + *length - size, ending, size) != 0)
		return false;
	*length -= size;
	return true;
}

const struct tl_format *tl_format_of(const char *path, bool *gzip)
{
	size_t length = strlen(path);

	*gzip = name_take_ending(path, &length, ".gz");
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!(*gzip && formats[i]->is_plain) &&
		    name_take_ending(path, &length, formats[i]->ending))
			return formats[i];
	return NULL;
}

const struct tl_format *tl_format_written(const char *path)
{
	bool gzip;
	const struct tl_format *format = tl_format_of(path, &gzip);

	return format ? format : &tl_format_json;
}
