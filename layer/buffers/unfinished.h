/* SPDX-License-Identifier: MIT */
/*
 * unfinished.h: the calls that threads are in when the process ends.
 *
 * No lock, no allocation.
 */
#ifndef TL_LAYER_BUFFERS_UNFINISHED_H
#define TL_LAYER_BUFFERS_UNFINISHED_H

#include "format/file/record.h"
#include "layer/buffers/buffer.h"

/* The thread's calls, the outermost first. */
struct tl_unfinished_calls {
	const struct tl_producer *producer;
	uint32_t count;
	/* as many as a thread's piece, one page, has room for */
	struct tl_unfinished calls[TL_FILE_PAGE / sizeof(struct tl_open_call)];
};

/*
 * Writer: the recorded calls that the thread has not returned from. Their records are not in the
 * buffers: a thread records a call before it takes it off its stack, and such calls are left out. The
 * thread may go on meanwhile, so a call may return that this gives. False: there is none.
 */
bool tl_buffer_unfinished(const struct tl_producer *producer, struct tl_unfinished_calls *calls);

#endif
