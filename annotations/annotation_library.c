/* SPDX-License-Identifier: MIT */
/*
 * annotation_library.c: the library is loaded.
 */
#include "annotations/annotation_ranges.h"
#include "annotations/annotation_state.h"
#include "annotations/annotation_threads.h"
#include "layer/base/message.h"

static __attribute__((constructor)) void library_load(void)
{
	annotations = annotation_memory(sizeof(*annotations));
	if (!annotations || !annotation_threads_start()) {
		annotations = NULL;
		tl_message_say(
			"tracelayer: annotations: no memory, so they are not in the trace; give the program more\n");
		return;
	}
	tl_guest_at_end(annotation_at_end);
}
