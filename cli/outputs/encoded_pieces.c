/* SPDX-License-Identifier: MIT */
/*
 * encoded_pieces.c: a trace sink's file that an encoder makes (format/encode/encoder.h).
 */
#include "config.h"

#include "cli/outputs/trace_encoder.h"
#include "cli/outputs/trace_sink.h"

static void encoded_start(struct trace_sink *sink, const struct tl_format *format)
{
	trace_encoder_start(&sink->encoder, format, sink->trace);
}

static void encoded_block(struct trace_sink *sink)
{
	sink->encoder.format->block(&sink->encoder);
}

static void encoded_kept(struct trace_sink *sink)
{
	sink->encoder.format->kept(&sink->encoder);
}

static void encoded_begin(struct trace_sink *sink, bool empty)
{
	const struct tl_trace *trace = sink->trace;

	if (empty)
		sink->encoder.format->begin(&sink->encoder, &sink->text, &trace->facts);
	for (size_t i = 0; i < trace->nnamed; i++) {
		trace_sink_make_room(sink);
		trace_encoder_lane(&sink->encoder, &sink->text, trace, &trace->named[i]);
	}
}

static struct trace_sink_taken encoded_run(struct trace_sink *sink, const struct tl_trace_run *run)
{
	const struct tl_trace_lane *lane = &sink->trace->lanes[run->lane];
	struct trace_sink_taken taken = {0, 0};
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;
	uint64_t first = 0;

	while ((record = tl_trace_next(run, &place))) {
		trace_sink_make_room(sink);
		if (sink->encoder.format->record(&sink->encoder, &sink->text, lane->shown, record,
						 place.left))
			taken.events += tl_record_counts(record->type);
		else if (!taken.lost++)
			first = run->offset + run->size - place.left;
	}
	if (taken.lost)
		tl_trace_problem(sink->trace,
				 "byte %llu: thread %u: %llu record%s without sense from here on",
				 (unsigned long long)first, lane->tid,
				 (unsigned long long)taken.lost, taken.lost == 1 ? "" : "s");
	if (place.unsound)
		tl_trace_problem(
			sink->trace,
			"byte %llu: thread %u: a damaged record, and what follows it can't be found",
			(unsigned long long)(run->offset + place.unsound - 1), lane->tid);
	taken.lost += place.unsound != 0;
	return taken;
}

static struct trace_sink_taken encoded_lane(struct trace_sink *sink,
					    const struct tl_trace_lane *lane, uint64_t end)
{
	struct trace_sink_taken all = {0, 0};

	trace_sink_make_room(sink);
	sink->encoder.format->thread(&sink->encoder, &sink->text, lane->shown, lane->name);
	for (size_t i = 0; i < lane->nruns; i++) {
		struct trace_sink_taken taken =
			encoded_run(sink, &sink->trace->runs[lane->first_run + i]);
		all.events += taken.events;
		all.lost += taken.lost;
	}
	/* The innermost call ends first. */
	for (size_t i = lane->nopens; i-- > 0;) {
		trace_sink_make_room(sink);
		sink->encoder.format->unfinished(&sink->encoder, &sink->text, lane->shown,
						 &lane->opens[i], end);
	}
	return all;
}

static void encoded_close(struct trace_sink *sink)
{
}

static void encoded_end(struct trace_sink *sink, const struct tl_totals *totals)
{
	sink->encoder.format->end(&sink->encoder, &sink->text, totals);
}

const struct trace_sink_maker encoded_pieces = {
	.start = encoded_start,
	.block = encoded_block,
	.kept = encoded_kept,
	.begin = encoded_begin,
	.lane = encoded_lane,
	.close = encoded_close,
	.end = encoded_end,
};
