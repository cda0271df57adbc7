/* SPDX-License-Identifier: MIT */
/* leak_callers.c: see leak_callers.h. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "callbacks/leak_callers.h"

void leak_callers_init(struct leak_callers *callers)
{
	Dl_info info;

	*callers = (struct leak_callers){0};
	if (dladdr((void *)(uintptr_t)getauxval(AT_ENTRY), &info))
		callers->program = info.dli_fbase;
}

void leak_callers_add_file(struct leak_callers *callers, const void *base, const char *name)
{
	size_t i = 0;

	while (i < callers->count &&
	       (callers->files[i].base != base || strcmp(callers->files[i].name, name)))
		i++;
	if (i == LEAK_CALLERS) {
		callers->others++;
		return;
	}
	if (i == callers->count)
		callers->files[callers->count++] = (struct leak_caller){base, name, 0};
	callers->files[i].objects++;
}

void leak_callers_add(struct leak_callers *callers, const void *returns_to)
{
	Dl_info info;

	/* The call lies before the address that it returns to. */
	if (!dladdr((const char *)returns_to - 1, &info) || !info.dli_fname)
		info = (Dl_info){.dli_fname = "code of no file"};
	if (info.dli_fbase && info.dli_fbase == callers->program) {
		callers->own++;
		return;
	}
	leak_callers_add_file(callers, info.dli_fbase, info.dli_fname);
}

static int leak_caller_compare(const void *x, const void *y)
{
	const struct leak_caller *a = x, *b = y;

	return a->objects != b->objects ? (a->objects < b->objects ? 1 : -1)
					: strcmp(a->name, b->name);
}

void leak_callers_print(FILE *to, struct leak_callers *callers)
{
	if (!callers->count)
		return;
	qsort(callers->files, callers->count, sizeof(*callers->files), leak_caller_compare);
	fprintf(to, "  calls from the program itself made %zu of them", callers->own);
	for (size_t i = 0; i < callers->count; i++) {
		const char *slash = strrchr(callers->files[i].name, '/');

		fprintf(to, ", from %s %zu", slash ? slash + 1 : callers->files[i].name,
			callers->files[i].objects);
	}
	if (callers->others)
		fprintf(to, ", from elsewhere %zu", callers->others);
	fputc('\n', to);
}
