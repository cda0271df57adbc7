/* SPDX-License-Identifier: MIT */
/* profiler_other.c: see profiler_other.h. Linked, or in a shared library. */
#define TRACELAYER_PROFILING
#include <tracelayer/profiler.h>

#include "tests/apps/profiler_other.h"

void profiler_other(const char *(*labels)(void))
{
	TL_PROFILE_SCOPE("other");
	if (strcmp(labels(), "main;other")) {
		fprintf(stderr, "labels of two source files are not of one stack: %s\n", labels());
		exit(1);
	}
}
