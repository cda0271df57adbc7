/* SPDX-License-Identifier: MIT */
/*
 * producers.h: threads' producers: made, recycled, given to a thread and taken from it
 * (tl_buffer_attach, tl_buffer_detach). Used inside of layer/buffers.
 */
#ifndef TL_LAYER_BUFFERS_PRODUCERS_H
#define TL_LAYER_BUFFERS_PRODUCERS_H

#include <stdbool.h>

#include "layer/buffers/buffer.h"

/*
 * The name of its thread. The thread itself sets it when it begins and ends, and the writer in
 * between; and the writer reads it.
 */
void tl_producer_set_name(struct tl_producer *producer, const char name[16]);

/* The thread that it was given to is gone. */
bool tl_producer_is_unknown_to_kernel(const struct tl_producer *producer);

/* In a forked child. */
void tl_producer_after_fork(void);

#endif
