/* SPDX-License-Identifier: MIT */
/*
 * export_timeline.c: see export_timeline.h. JSON and .pftrace: each process's records go through an encoder of
 * their own, and the encoders' output stands one after another in the file.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/export_timeline.h"
#include "cli/export/timeline_records.h"
#include "cli/read/read.h"
#include "format/encode/trace_source.h"
#include "tracelayer/api.h"

/* As many events as a viewer in a browser opens. */
#define VIEWERS_EVENTS 5000000

/* What is encoded: a process. */
struct encoding {
	struct timeline *timeline;
	struct timeline_stream *stream;
	struct timeline_records records;
	struct tl_encoder encoder;
	struct tl_open_marks *marks; /* of all files of the process */
	void *state;
	uint64_t events, unknown;
	struct tl_event_cost cost;
};

/* --- what the encoder asks of the trace */

static uint64_t source_ns(const void *source, uint64_t ticks)
{
	const struct timeline_records *records = source;

	return timeline_ns(records->process, tl_trace_ns(records->trace, ticks));
}

static const struct tl_function *source_function(const void *source, uint32_t id)
{
	return tl_trace_function(((const struct timeline_records *)source)->trace, id);
}

/* Texts of arrows between processes, by numbers that no trace has. */
enum arrow_text { ARROW_MESSAGE, ARROW_MPI, ARROW_FROM, ARROW_TO, ARROW_TAG, ARROW_BYTES };
#define ARROW_TEXT(text) (UINT32_MAX - (uint32_t)(text))

static const char *const arrow_texts[] = {
	[ARROW_MESSAGE] = "message", [ARROW_MPI] = "mpi", [ARROW_FROM] = "source",
	[ARROW_TO] = "destination",  [ARROW_TAG] = "tag", [ARROW_BYTES] = "bytes"};

static const char *source_string(const void *source, uint32_t number, size_t *size)
{
	if (number >= ARROW_TEXT(ARROW_BYTES)) {
		*size = strlen(arrow_texts[UINT32_MAX - number]);
		return arrow_texts[UINT32_MAX - number];
	}
	return tl_trace_string(((const struct timeline_records *)source)->trace, number, size);
}

static uint32_t source_lane(const void *source, uint32_t number)
{
	const struct timeline_records *records = source;

	return timeline_number(records->numbers, tl_trace_shown_lane(records->trace, number));
}

/* --- a process */

static void encoding_block(struct encoding *encoding)
{
	if (!timeline_stream_make_room(encoding->stream))
		return;
	encoding->encoder.format->kept(&encoding->encoder);
	encoding->encoder.format->block(&encoding->encoder);
}

/* An encoder for the file that is being read; marks that are open go on from the last file. */
static void encoding_start_file(struct encoding *encoding)
{
	const struct tl_format *format = encoding->timeline->format;
	const struct timeline_records *records = &encoding->records;
	uint64_t began = records->process->identity.monotonic_ns;

	if (encoding->encoder.format)
		encoding->encoder.format->kept(&encoding->encoder);
	memset(encoding->state, 0, format->state);
	encoding->encoder = (struct tl_encoder){
		.format = format,
		.pid = timeline_number(&encoding->timeline->numbers, records->process->pid),
		.source = records,
		.ns = source_ns,
		.function = source_function,
		.string = source_string,
		.lane = source_lane,
		.marks = encoding->marks,
		.state = encoding->state,
		.follows = encoding->stream->encoders++,
		.leads = true,
		.gpu_events =
			gpu_tracks_chosen(encoding->timeline->gpu_tracks, &records->trace->facts),
		.gpus = &encoding->stream->gpus,
		.frame_name = encoding->timeline->symbols ? symbols_name : NULL,
		.names = encoding->timeline->symbols,
		.moved = (int64_t)(timeline_ns(records->process, began) - began)};
	/* Of a part, devices that have none of it are not to be shown. */
	if (encoding->encoder.gpu_events && format->number == TL_OUTPUT_PFTRACE &&
	    !selection_is_any(&encoding->timeline->selection))
		trace_gpus_foresee(&encoding->stream->gpus, records->trace);
	format->block(&encoding->encoder);
}

/* The lane has something to show. */
static bool lane_is_wanted(const struct encoding *encoding, const struct tl_trace_lane *lane)
{
	return (lane->nruns || lane->nopens) &&
	       timeline_records_has_lane(&encoding->records, lane->shown);
}

static void encode_names(struct encoding *encoding)
{
	const struct tl_trace *trace = encoding->records.trace;
	struct timeline_numbers *numbers = &encoding->timeline->numbers;
	struct tl_encoder *encoder = &encoding->encoder;
	struct tl_trace_named_lane named;

	for (size_t i = 0; i < trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];

		encoding_block(encoding);
		if (lane_is_wanted(encoding, lane))
			encoder->format->thread(encoder, &encoding->stream->text,
						timeline_number(numbers, lane->shown), lane->name);
	}
	for (size_t i = 0; i < trace->nnamed; i++) {
		named = trace->named[i];
		encoding_block(encoding);
		if (!timeline_records_has_lane(&encoding->records, named.shown))
			continue;
		named.shown = timeline_number(numbers, named.shown);
		trace_encoder_lane(encoder, &encoding->stream->text, trace, &named);
	}
}

static void encode_batch(struct encoding *encoding)
{
	struct tl_encoder *encoder = &encoding->encoder;
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	/* Twice: the encoder also forgets where it saw records. This memory has others now. */
	encoder->format->kept(encoder);
	encoder->format->block(encoder);
	encoder->format->block(encoder);
	while ((record = tl_trace_next(&encoding->records.batch, &place))) {
		encoding_block(encoding);
		if (!encoder->format->record(encoder, &encoding->stream->text,
					     encoding->records.tid, record, place.left)) {
			encoding->unknown++;
			continue;
		}
		encoding->events += tl_record_counts(record->type);
		if (record->type == TL_RECORD_EVENT)
			tl_event_add_cost(&encoding->cost, encoder, (const void *)record);
	}
}

/* An event that begins or ends an arrow. The ranks are those of the message's communicator. */
struct arrow_event {
	struct tl_event_record event;
	struct tl_event_arg arg[4];
};

static void arrow_event_make(struct arrow_event *arrow, const struct mpi_messages *messages,
			     const struct mpi_end *end, uint32_t tid, uint64_t ns)
{
	const struct mpi_comm *comm = &messages->comms[end->comm];
	unsigned args = end->bytes == MPI_NO_BYTES ? 3 : 4;

	*arrow = (struct arrow_event){
		{.size = (uint16_t)((sizeof(arrow->event) + args * sizeof(*arrow->arg)) / 8),
		 .type = TL_RECORD_EVENT,
		 .flags = TL_EVENT_NS | TL_EVENT_TID,
		 .name = ARROW_TEXT(ARROW_MESSAGE),
		 .category = ARROW_TEXT(ARROW_MPI),
		 .start = ns,
		 .duration = end->number,
		 .lane = tid,
		 .phase = end->is_receive ? 'f' : 's',
		 .level = TL_LEVEL_RUNTIME,
		 .args = (uint16_t)args},
		{{ARROW_TEXT(ARROW_FROM), TL_VALUE_UNSIGNED_64, mpi_rank_shown(comm, end->source)},
		 {ARROW_TEXT(ARROW_TO), TL_VALUE_UNSIGNED_64,
		  mpi_rank_shown(comm, end->destination)},
		 {ARROW_TEXT(ARROW_TAG), TL_VALUE_UNSIGNED_64, (uint64_t)end->tag},
		 {ARROW_TEXT(ARROW_BYTES), TL_VALUE_UNSIGNED_64, end->bytes}}};
}

/* The ends of messages in this process. */
static void encode_messages(struct encoding *encoding)
{
	const struct timeline *timeline = encoding->timeline;
	const struct timeline_process *process = encoding->records.process;
	struct tl_encoder *encoder = &encoding->encoder;
	size_t count;
	const struct mpi_end *ends = mpi_messages_of(
		&timeline->messages, (size_t)(process - timeline->inputs.list), &count);

	encoder->format->kept(encoder);
	encoder->format->block(encoder);
	encoder->format->block(encoder);
	for (size_t i = 0; i < count; i++) {
		uint32_t tid = timeline_number(&encoding->timeline->numbers, ends[i].tid);
		struct arrow_event arrow;

		arrow_event_make(&arrow, &timeline->messages, &ends[i], tid,
				 mpi_end_shown(&ends[i], process));
		encoding_block(encoding);
		encoder->format->record(encoder, &encoding->stream->text, tid, (const void *)&arrow,
					arrow.event.size * 8u);
	}
}

/* Calls that had not returned, as if they ended when the process did; the innermost first. */
static void encode_unfinished(struct encoding *encoding)
{
	const struct tl_trace *trace = encoding->records.trace;
	struct tl_encoder *encoder = &encoding->encoder;

	for (size_t i = 0; i < trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];

		for (size_t open = lane->nopens; open-- > 0;) {
			if (!timeline_records_has_open(&encoding->records, lane,
						       &lane->opens[open]))
				continue;
			encoding_block(encoding);
			encoder->format->unfinished(
				encoder, &encoding->stream->text,
				timeline_number(&encoding->timeline->numbers, lane->shown),
				&lane->opens[open], trace->last);
			encoding->events++;
		}
	}
}

/* Losses by thread, with the threads' numbers in the output. */
static void encoding_lost(void *context, void (*tell)(void *to, uint32_t tid, uint64_t lost),
			  void *to)
{
	struct encoding *encoding = context;
	/* A later file of a process has the losses of the earlier ones, too. */
	const struct tl_trace *trace = encoding->records.trace;

	for (size_t i = 0; i < trace->nlanes; i++)
		if (trace->lanes[i].lost)
			tell(to,
			     timeline_number(&encoding->timeline->numbers, trace->lanes[i].shown),
			     trace->lanes[i].lost);
}

static void encode_end(struct encoding *encoding)
{
	const struct tl_trace *trace = encoding->records.trace;
	struct tl_totals totals = {.events = encoding->events,
				   .lost = record_file_lost(trace),
				   .lost_by_thread = encoding_lost,
				   .context = encoding,
				   .overwritten = trace->overwritten,
				   .stackless = trace->stackless};

	encode_messages(encoding);
	encode_unfinished(encoding);
	totals.events = encoding->events;
	totals.cost = encoding->cost;
	encoding_block(encoding);
	encoding->encoder.format->end(&encoding->encoder, &encoding->stream->text, &totals);
	encoding->encoder.format->kept(&encoding->encoder);
}

static void encode_records(struct encoding *encoding)
{
	const struct tl_trace *of = NULL;

	/* A process without records has a beginning all the same. */
	while (timeline_records_next(&encoding->records) || !of) {
		if (encoding->records.trace != of) {
			bool first = !of;
			of = encoding->records.trace;
			encoding_start_file(encoding);
			if (first)
				encoding->encoder.format->begin(
					&encoding->encoder, &encoding->stream->text, &of->facts);
			encode_names(encoding);
		}
		if (encoding->records.size)
			encode_batch(encoding);
	}
}

static void encode_process(struct timeline *timeline, struct timeline_stream *stream,
			   const struct timeline_process *process, const char *where)
{
	struct encoding encoding = {.timeline = timeline, .stream = stream};
	size_t room = (timeline->format->state + 63) & ~(size_t)63;

	timeline_numbers_next(&timeline->numbers);
	if (!timeline_records_open(&encoding.records, process, &timeline->numbers,
				   &timeline->selection, timeline->inputs.start)) {
		timeline->incomplete = true;
		timeline_records_close(&encoding.records);
		return;
	}
	encoding.marks = need(calloc(1, sizeof(*encoding.marks)));
	encoding.state = need(aligned_alloc(64, room));
	encode_records(&encoding);
	encode_end(&encoding);
	timeline->events += encoding.events;
	timeline_judge(timeline, &encoding.records, encoding.unknown, where);
	timeline_records_close(&encoding.records);
	free(encoding.state);
	free(encoding.marks);
}

void timeline_judge(struct timeline *timeline, const struct timeline_records *records,
		    uint64_t unknown, const char *where)
{
	for (size_t i = 0; i < records->ntraces; i++) {
		uint64_t here = i + 1 == records->ntraces ? unknown : 0;

		if (record_file_judge(records->traces[i], records->paths[i], here, where) !=
		    EXIT_DONE)
			timeline->incomplete = true;
	}
}

/* --- the file */

/* A text that a message can give as an example: the first part of the trace that has so many. */
static double seconds_for(const struct timeline *timeline, uint64_t events)
{
	const struct selection *selection = &timeline->selection;
	uint64_t end = 0;

	for (size_t i = 0; i < timeline->inputs.count; i++) {
		const struct timeline_process *process = &timeline->inputs.list[i];
		uint64_t last = timeline_ns(process, process->end);
		end = last > end ? last : end;
	}
	double passed = (double)(end - timeline->inputs.start) / 1e9;
	if (selection->has_time && (double)selection->to / 1e9 < passed)
		passed = (double)selection->to / 1e9;
	passed -= (double)selection->from / 1e9;
	return passed * (VIEWERS_EVENTS / (double)events);
}

void timeline_warn(const struct timeline *timeline, const char *output)
{
	const struct selection *selection = &timeline->selection;
	uint64_t events = timeline->inputs.events;

	if (events > VIEWERS_EVENTS && selection_is_within(selection)) {
		events = 0;
		for (size_t i = 0; i < timeline->inputs.count; i++)
			events += timeline_records_count(&timeline->inputs.list[i], selection,
							 timeline->inputs.start);
	}
	if (events <= VIEWERS_EVENTS)
		return;
	double from = (double)selection->from / 1e9;
	say("%s: it has about %.1f million events, and viewers open about %d million; select some with --rank, --process, --thread, --name or "
	    "--time (--time=%.4g-%.4g has about as many as they open)",
	    output, (double)events / 1e6, VIEWERS_EVENTS / 1000000, from,
	    from + seconds_for(timeline, events));
}

bool timeline_write_some(struct timeline *timeline, struct timeline_stream *stream, size_t first,
			 size_t last, const char *where)
{
	for (size_t i = first; i < last && !stream->error; i++) {
		progress_show("process %zu of %zu, %.1f million events", i + 1,
			      timeline->inputs.count, (double)timeline->events / 1e6);
		encode_process(timeline, stream, &timeline->inputs.list[i], where);
	}
	if (timeline->format == &tl_format_json)
		tl_text_string(&stream->text, timeline_stream_has_any(stream) ? "\n]\n" : "[]\n");
	progress_hide();
	return timeline_stream_end(stream);
}

bool timeline_write(struct timeline *timeline, int fd, const char *where)
{
	struct timeline_stream stream;

	mpi_messages_find(&timeline->messages, &timeline->inputs, &timeline->selection);
	timeline_stream_start(&stream, fd, timeline->gzip);
	return timeline_write_some(timeline, &stream, 0, timeline->inputs.count, where);
}
