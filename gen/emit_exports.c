/* SPDX-License-Identifier: MIT */
/*
 * emit_exports.c: PREFIX.exports, the symbols that the shims export, sorted, one a line.
 */
#include <stdlib.h>

#include "gen/allocate.h"
#include "gen/emit.h"

int emit_exports(const struct model *model, FILE *to)
{
	const char **names = allocate((emit_count(model) + 1) * sizeof *names);
	size_t count = 0;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		if (f->exported)
			names[count++] = f->name;
	qsort(names, count, sizeof *names, emit_compare_names);
	for (size_t i = 0; i < count; i++)
		fprintf(to, "%s\n", names[i]);
	free(names);
	return emit_done(to, model, "exports");
}
