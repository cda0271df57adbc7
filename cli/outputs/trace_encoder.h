/* SPDX-License-Identifier: MIT */
/*
 * trace_encoder.h: an encoder for the records of a trace file, with its memory. export, recover and
 * summary use it.
 */
#ifndef TL_CLI_OUTPUTS_TRACE_ENCODER_H
#define TL_CLI_OUTPUTS_TRACE_ENCODER_H

#include "format/encode/encoder.h"
#include "format/encode/pftrace_gpu_list.h"
#include "format/encode/trace_source.h"
#include "format/file/record_reader.h"

/* How a .pftrace shows what devices do. */
enum gpu_tracks { GPU_TRACKS_AS_RECORDED, GPU_TRACKS_SLICES, GPU_TRACKS_PERFETTO };

/* What the user asked for; else what the process was run with. */
static inline bool gpu_tracks_chosen(enum gpu_tracks asked, const struct tl_facts *facts)
{
	return asked == GPU_TRACKS_AS_RECORDED ? tl_facts_gpu_events(facts)
					       : asked == GPU_TRACKS_PERFETTO;
}

/*
 * The devices of all commands that the trace has, for encoders of a .pftrace with GPU events: they
 * number them alike, and know of each what any command tells.
 */
void trace_gpus_foresee(struct tl_pf_gpus *gpus, const struct tl_trace *trace);

/* The trace stays open until the encoder is given to trace_encoder_end. */
void trace_encoder_start(struct tl_encoder *encoder, const struct tl_format *format,
			 const struct tl_trace *trace);

/* Frees the memory. An encoder of zeros is none. */
void trace_encoder_end(struct tl_encoder *encoder);

/* Puts the name of a lane that belongs to no thread to `text`. */
void trace_encoder_lane(struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_trace *trace, const struct tl_trace_named_lane *lane);

#endif
