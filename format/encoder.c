/*
 * encoder.c: which format a file's name asks for.
 */
#include "format/encoder.h"

#include <string.h>

static bool take_ending(const char *path, size_t *length, const char *ending)
{
	size_t size = strlen(ending);

	if (*length < size || memcmp(path + *length - size, ending, size) != 0)
		return false;
	*length -= size;
	return true;
}

const struct tl_format *tl_format_of(const char *path, bool *gzip)
{
	static const struct tl_format *const formats[] = {&tl_format_json, &tl_format_pftrace};
	size_t length = strlen(path);

	*gzip = take_ending(path, &length, ".gz");
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (take_ending(path, &length, formats[i]->ending))
			return formats[i];
	return NULL;
}
