/* SPDX-License-Identifier: MIT */
/*
 * emit_exports.c: PREFIX.exports, the symbols that the shims export, sorted, one a line.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int emit_exports(const struct model *model, FILE *to)
{
	const char **names = allocate((emit_count(model) + 1) * sizeof *names);
	size_t count = 0;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		if (f->exported)
			names[count++] = f->name;
	qsort(names, count, sizeof *names, name_compare);
	for (size_t i = 0; i < count; i++)
		fprintf(to, "%s\n", names[i]);
	free(names);
	return emit_done(to, model, "exports");
}
