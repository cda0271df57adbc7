/* SPDX-License-Identifier: MIT */
/*
 * shown.c: see shown.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/command.h"
#include "cli/shown.h"
#include "common/text.h"

void print_shown(FILE *to, const char *bytes, size_t size)
{
	char *shown = need(malloc(4 * size + 1));
	struct tl_text text = {shown, shown + 4 * size, false};

	tl_text_shown(&text, bytes, size);
	fwrite(shown, 1, (size_t)(text.at - shown), to);
	free(shown);
}
