/* SPDX-License-Identifier: MIT */
/*
 * check.c: checks that every function that a library exports, and its headers declare, has a shim
 * or a reason to have none.
 */
#include <string.h>

#include "gen/exports.h"
#include "gen/tracegen.h"

/* "zeInit", "clFinish@@OPENCL_1.0, clFinish@OPENCL_0.9". */
static void export_print(FILE *to, const struct exports *exports, const struct export *first)
{
	const struct export *end = exports->list + exports->count;

	for (const struct export *one = first; one < end && !strcmp(one->name, first->name); one++)
		fprintf(to, "%s%s%s%s", one == first ? "" : ", ", one->name,
			!*one->version ? ""
			: one->hidden  ? "@"
				       : "@@",
			one->version);
}

static bool export_has_versions(const struct exports *exports, const struct export *first)
{
	return first + 1 < exports->list + exports->count && !strcmp(first[1].name, first->name);
}

/* What `tracegen check` says of an exported function. */
enum verdict { SHIMMED, LEFT_OUT, MISSING, UNDECLARED, NVERDICTS };

static enum verdict verdict_of(const struct function *function, const struct exports *shims)
{
	if (!function)
		return UNDECLARED;
	if (function->left_out)
		return LEFT_OUT;
	if (!function->exported || (shims && !exports_find(shims, function->name)))
		return MISSING;
	return SHIMMED;
}

static const char *verdict_reason(const struct function *function, enum verdict verdict)
{
	if (verdict == LEFT_OUT)
		return function->left_out;
	if (verdict == UNDECLARED)
		return "the headers don't declare it";
	return function->exported
		       ? "the library with the shims doesn't export it; build it anew"
		       : "the descriptor says that it is not exported; add it to \"exported\" or \"left_out\"";
}

static size_t verdict_report(const struct model *model, const struct exports *real,
			     const struct exports *shims, enum verdict wanted, FILE *to)
{
	static const char *const titles[] = {"with a shim", "left out", "MISSING",
					     "not declared by the headers"};
	size_t count = 0;

	for (size_t i = 0; i < real->count; i += 1) {
		const struct export *export = &real->list[i];
		const struct function *function = model_function(model, export->name);

		if ((i && !strcmp(real->list[i - 1].name, export->name)) ||
		    verdict_of(function, shims) != wanted)
			continue;
		if (!count++)
			fprintf(to, "\n# %s\n", titles[wanted]);
		export_print(to, real, export);
		if (wanted != SHIMMED)
			fprintf(to, ": %s", verdict_reason(function, wanted));
		if (export_has_versions(real, export))
			fputs(" (several versions; the shim stands for all of them)", to);
		fputc('\n', to);
	}
	return count;
}

/*
 * Functions that have a shim though this library has none of them: they return the API's
 * "unsupported".
 */
static size_t lacking_report(const struct model *model, const struct exports *real, FILE *to)
{
	size_t count = 0;

	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (function->left_out || function->undeclared || !function->exported ||
		    exports_find(real, function->name))
			continue;
		if (!count++)
			fputs("\n# with a shim, but not in this library\n", to);
		fprintf(to, "%s\n", function->name);
	}
	return count;
}

int library_check(const struct model *model, const char *path, const char *shims_path, FILE *to)
{
	struct exports real = {0}, shims = {0};
	size_t counts[NVERDICTS];

	if (exports_read(path, &real) != 0 || (shims_path && exports_read(shims_path, &shims) != 0))
		return -1;
	fprintf(to, "# %s exports %zu functions\n", path, real.nfunctions);
	for (enum verdict verdict = SHIMMED; verdict < NVERDICTS; verdict++)
		counts[verdict] =
			verdict_report(model, &real, shims_path ? &shims : NULL, verdict, to);
	size_t lacking = lacking_report(model, &real, to);
	fprintf(to,
		"\n%zu with a shim, %zu left out, %zu missing, %zu not declared; %zu more not in this library\n",
		counts[SHIMMED], counts[LEFT_OUT], counts[MISSING], counts[UNDECLARED], lacking);
	return counts[MISSING] ? 1 : 0;
}
