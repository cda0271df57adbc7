/* SPDX-License-Identifier: MIT */
/*
 * annotation_library.c: the library is loaded.
 */
#include <unistd.h>

#include "annotations/annotation_ranges.h"
#include "annotations/annotation_state.h"
#include "annotations/annotation_threads.h"

static __attribute__((constructor)) void library_load(void)
{
	annotations = annotation_memory(sizeof(*annotations));
	if (!annotations || !annotation_threads_start()) {
		static const char line[] =
			"tracelayer: annotations: no memory, so they are not in the trace; give the program more\n";
		annotations = NULL;
		if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
			return; /* there is nobody to tell */
		return;
	}
	tl_guest_at_end(annotation_at_end);
}
