/* SPDX-License-Identifier: MIT */
/*
 * trace_encoder.c: see trace_encoder.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/outputs/trace_encoder.h"
#include "format/encode/trace_source.h"

void trace_gpus_foresee(struct tl_pf_gpus *gpus, const struct tl_trace *trace)
{
	struct tl_encoder encoder;
	const struct tl_call_record *record;

	tl_encoder_read_from(&encoder, NULL, trace, NULL, NULL);
	encoder.gpus = gpus;
	if (trace->has_facts)
		tl_pf_gpu_host(&encoder, trace->facts.host);
	for (size_t i = 0; i < trace->nruns; i++) {
		struct tl_trace_place place = {0};

		while ((record = tl_trace_next(&trace->runs[i], &place)))
			if (record->type == TL_RECORD_EVENT &&
			    tl_event_is_sound((const void *)record))
				tl_pf_gpu_foresee(&encoder, (const void *)record);
	}
}

void trace_encoder_start(struct tl_encoder *encoder, const struct tl_format *format,
			 const struct tl_trace *trace)
{
	size_t size = format->state ? (format->state + 63) & ~(size_t)63 : 64;
	void *state = need(aligned_alloc(64, size));

	memset(state, 0, size);
	tl_encoder_read_from(encoder, format, trace, state,
			     need(calloc(1, sizeof(struct tl_open_marks))));
}

void trace_encoder_end(struct tl_encoder *encoder)
{
	free(encoder->state);
	free(encoder->marks);
	*encoder = (struct tl_encoder){.format = NULL};
}

void trace_encoder_lane(struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_trace *trace, const struct tl_trace_named_lane *lane)
{
	size_t size = 0;
	const char *name = tl_trace_string(trace, lane->name, &size);

	if (encoder->format->lane)
		encoder->format->lane(encoder, text, lane->shown, name ? name : "", size,
				      lane->sort);
}
