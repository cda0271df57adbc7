/* SPDX-License-Identifier: MIT */
/*
 * trace_source.h: sets up an encoder whose records come from a file that
 * format/file/record_reader.h reads.
 */
#ifndef TL_FORMAT_ENCODE_TRACE_SOURCE_H
#define TL_FORMAT_ENCODE_TRACE_SOURCE_H

#include "format/encode/encoder.h"
#include "format/file/record_reader.h"

/*
 * Set up an encoder for the records of a trace. `state` is zeroed memory of format->state bytes,
 * aligned to 64. `marks` is zeroed, or NULL. The trace stays open while the encoder is used.
 */
void tl_encoder_read_from(struct tl_encoder *encoder, const struct tl_format *format,
			  const struct tl_trace *trace, void *state, struct tl_open_marks *marks);

/* Whether the process was run with --gpu-tracks=perfetto. */
bool tl_facts_gpu_events(const struct tl_facts *facts);

#endif
