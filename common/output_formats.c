/* SPDX-License-Identifier: MIT */
/*
 * output_formats.c: see output_formats.h.
 */
#include "common/output_formats.h"

#include <string.h>

static const struct {
	const char *ending;
	bool plain; /* never compressed */
} formats[TL_OUTPUT_FORMATS] = {
	[TL_OUTPUT_JSON] = {".json", false},
	[TL_OUTPUT_PFTRACE] = {".pftrace", false},
	[TL_OUTPUT_TLT] = {".tlt", true},
};

static bool ending_take(const char *name, size_t *length, const char *ending)
{
	size_t size = strlen(ending);

	if (*length < size || memcmp(name + *length - size, ending, size) != 0)
		return false;
	*length -= size;
	return true;
}

struct tl_output_ending tl_output_ending(const char *name)
{
	size_t whole = strlen(name), length = whole;
	bool gzip = ending_take(name, &length, ".gz");

	for (unsigned i = 0; i < TL_OUTPUT_FORMATS; i++)
		if (ending_take(name, &length, formats[i].ending))
			return (struct tl_output_ending){.known = !(gzip && formats[i].plain),
							 .gzip = gzip,
							 .format = (enum tl_output_format)i,
							 .size = whole - length};
	return (struct tl_output_ending){.gzip = gzip};
}
