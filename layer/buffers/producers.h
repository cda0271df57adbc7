/* SPDX-License-Identifier: MIT */
/*
 * producers.h: threads' producers: making and recycling them, giving them to threads and taking
 * them back (tl_buffer_attach, tl_buffer_detach). For layer/buffers only.
 */
#ifndef TL_LAYER_BUFFERS_PRODUCERS_H
#define TL_LAYER_BUFFERS_PRODUCERS_H

#include <stdbool.h>

#include "layer/buffers/buffer.h"

/*
 * The name of the producer's thread. The thread itself sets it when it begins and ends, and the
 * writer in between; the writer reads it.
 */
void tl_producer_set_name(struct tl_producer *producer, const char name[16]);

/* The same of the calling thread's producer, by the name that the kernel has. */
void tl_producer_read_own_name(struct tl_producer *producer);

/* The thread that the producer was given to is gone. */
bool tl_producer_is_unknown_to_kernel(const struct tl_producer *producer);

/* In a forked child: forget the parent's producers. */
void tl_producer_after_fork(void);

#endif
