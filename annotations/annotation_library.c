/* SPDX-License-Identifier: MIT */
/*
 * annotation_library.c: the library is loaded, its threads end, and so does the process.
 */
#include "annotations/annotation_events.h"
#include "annotations/annotation_ranges.h"
#include "annotations/annotation_state.h"
#include "annotations/annotation_threads.h"
#include "layer/base/message.h"

/* What the thread has open is unfinished. */
static void thread_flush(struct annotation_thread *thread)
{
	annotation_events_flush(thread);
	annotation_stacks_flush(thread);
}

static void process_ends(void)
{
	annotation_threads_stop();
	struct annotation_thread *thread =
		atomic_load_explicit(&annotations->threads, memory_order_acquire);
	for (; thread; thread = thread->next)
		if (annotation_is_outside(thread))
			thread_flush(thread);
	annotation_started_flush();
}

static __attribute__((constructor)) void library_load(void)
{
	annotations = annotation_memory(sizeof(*annotations));
	if (!annotations || !annotation_threads_start(thread_flush)) {
		annotations = NULL;
		tl_message_say(
			"tracelayer: annotations: no memory, so they are not in the trace; give the program more\n");
		return;
	}
	tl_guest_at_end(process_ends);
}
