/* SPDX-License-Identifier: MIT */
/*
 * annotation_environment.c: see annotation_environment.h. The names of variables are those that the
 * interfaces read in programs of 64 bits.
 */
#include "common/annotation_environment.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *variable, *interface;
} variables[] = {
	{"NVTX_INJECTION64_PATH", "NVTX"},
	{"INTEL_LIBITTNOTIFY64", "ITT"},
};

const char *tl_annotation_variable(int n, const char **interface)
{
	if (n < 0 || n >= (int)(sizeof(variables) / sizeof(*variables)))
		return NULL;
	*interface = variables[n].interface;
	return variables[n].variable;
}

const char *tl_annotation_other_tool(int n)
{
	const char *interface, *variable = tl_annotation_variable(n, &interface),
			       *value = variable ? getenv(variable) : NULL;
	const char *slash = value ? strrchr(value, '/') : NULL;

	if (!value || !*value || !strcmp(slash ? slash + 1 : value, TL_ANNOTATIONS))
		return NULL;
	return value;
}

bool tl_annotation_set_environment(const char *library)
{
	const char *interface, *variable;

	for (int n = 0; (variable = tl_annotation_variable(n, &interface)); n++)
		if (!tl_annotation_other_tool(n) && setenv(variable, library, 1) != 0)
			return false;
	return true;
}
