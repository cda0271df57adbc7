/* SPDX-License-Identifier: MIT */
/*
 * escaped.c: see escaped.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/escaped.h"
#include "common/text.h"
#include "tables/needed_memory.h"

void print_escaped(FILE *to, const char *bytes, size_t size)
{
	char *escaped = need(malloc(4 * size + 1));
	struct tl_text text = {escaped, escaped + 4 * size, false};

	tl_text_shown(&text, bytes, size);
	fwrite(escaped, 1, (size_t)(text.at - escaped), to);
	free(escaped);
}
