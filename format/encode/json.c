/* SPDX-License-Identifier: MIT */
/*
 * json.c: Chrome trace JSON (chrome.h) as one of the formats of encoder.h.
 *
 * Blocks need little here: each event is whole in itself, and refers to no other.
 */
#include <string.h>

#include "format/encode/chrome.h"
#include "format/encode/formats.h"
#include "format/encode/json_event.h"

/* Arguments of a metadata event. */
#define SCRATCH (64u * 1024)

struct state {
	struct tl_touching touching;
	struct tl_chrome_time time;
	struct tl_chrome_name names[TL_CHROME_NAMES];
	struct tl_chrome_stack stacks[TL_CHROME_STACKS];
	struct tl_json_events events;
	char scratch[SCRATCH];
};

static struct tl_chrome chrome_of(const struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	return (struct tl_chrome){.pid = encoder->pid,
				  .source = encoder->source,
				  .ns = encoder->ns,
				  .function = encoder->function,
				  .stacks = encoder,
				  .kept_stacks = state->stacks,
				  .names = state->names,
				  .time = &state->time,
				  .hints = encoder->hints,
				  .touching = &state->touching,
				  .further_lanes = !encoder->one_lane};
}

/* Room for an event's arguments, the inside of a JSON object; then the event made of them. */
static struct tl_text args_start(const struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	return (struct tl_text){state->scratch, state->scratch + SCRATCH - 1, false};
}

static void json_metadata(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			  const char *name, struct tl_text *args)
{
	const struct tl_chrome chrome = chrome_of(encoder);
	struct state *state = encoder->state;

	*args->at = 0;
	if (!args->cut)
		tl_chrome_metadata(&chrome, text, tid, name, state->scratch);
}

static void json_name(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		      const char *event, const char *name, size_t size)
{
	struct tl_text args = args_start(encoder);

	tl_text_string(&args, "\"name\":\"");
	tl_text_escape(&args, name, size);
	tl_text_string(&args, "\"");
	json_metadata(encoder, text, tid, event, &args);
}

static void json_labels(const struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_facts *facts)
{
	struct tl_text args = args_start(encoder);

	tl_text_string(&args, "\"labels\":\"");
	if (facts->has_rank) {
		tl_text_string(&args, "rank ");
		tl_text_signed(&args, facts->rank);
		tl_text_string(&args, ", ");
	}
	tl_text_escape(&args, facts->host, strnlen(facts->host, sizeof(facts->host)));
	tl_text_string(&args, "\"");
	json_metadata(encoder, text, 0, "process_labels", &args);
}

/* The first event's comma becomes the array's bracket. */
static void json_begin(struct tl_encoder *encoder, struct tl_text *text,
		       const struct tl_facts *facts)
{
	char *first = text->at;
	struct tl_text args;

	json_name(encoder, text, 0, "process_name", facts->program,
		  strnlen(facts->program, sizeof(facts->program)));
	if (text->at != first && !encoder->follows)
		*first = '[';
	json_labels(encoder, text, facts);
	if (facts->has_rank) {
		args = args_start(encoder);
		tl_text_string(&args, "\"sort_index\":");
		tl_text_signed(&args, facts->rank);
		json_metadata(encoder, text, 0, "process_sort_index", &args);
	}
	args = args_start(encoder);
	tl_text_put(&args, facts->members, strnlen(facts->members, sizeof(facts->members)));
	json_metadata(encoder, text, 0, "tracelayer", &args);
}

static void json_thread(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const char name[16])
{
	json_name(encoder, text, tid, "thread_name", name, strnlen(name, 16));
}

static void json_lane(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		      const char *name, size_t size, int32_t sort)
{
	struct tl_text args = args_start(encoder);

	json_name(encoder, text, tid, "thread_name", name, size);
	tl_text_string(&args, "\"sort_index\":");
	tl_text_signed(&args, sort);
	json_metadata(encoder, text, tid, "thread_sort_index", &args);
}

static size_t json_record(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			  const struct tl_call_record *call, size_t size)
{
	const struct tl_chrome chrome = chrome_of(encoder);
	struct state *state = encoder->state;

	if (size >= 8 && call->type == TL_RECORD_EVENT)
		return tl_json_event(encoder, &state->events, &state->touching, text, tid,
				     (const struct tl_event_record *)(const void *)call, size);
	if (encoder->marks &&
	    (size < 8 || call->type != TL_RECORD_CALL || encoder->marks->now.open) &&
	    tl_record_is_whole(call, size)) {
		if (tl_record_is_gap(call))
			tl_json_gap(encoder, &state->events, text, tid);
		else
			tl_encoder_note(encoder, tid, call);
	}
	return tl_chrome_record(&chrome, text, tid, call, size);
}

/*
 * A call that has not returned, with the time that it took so far. Like a call that was unwound it
 * has no result and no known arguments, so it is encoded as such, with another word.
 */
static void json_unfinished(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			    const struct tl_unfinished *call, uint64_t end)
{
	static const char unwound[] = "\"unwound\":true}}", word[] = "\"unfinished\":true}}";
	const struct tl_unfinished_record record = tl_unfinished_unwound(call, end);
	struct tl_text event = {text->at, text->end, false};

	json_record(encoder, &event, tid, &record.call, sizeof(record));
	if (event.at != text->at) {
		event.at -= sizeof(unwound) - 1;
		tl_text_put(&event, word, sizeof(word) - 1);
	}
	if (event.cut)
		text->cut = true;
	else
		text->at = event.at;
}

static void json_end(struct tl_encoder *encoder, struct tl_text *text,
		     const struct tl_totals *totals)
{
	struct tl_text args = args_start(encoder);

	tl_text_totals(&args, totals);
	json_metadata(encoder, text, 0, "tracelayer_end", &args);
	if (!encoder->leads)
		tl_text_string(text, "\n]\n");
}

static void json_block(struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	state->touching.block++;
	if (encoder->marks)
		tl_open_marks_block(encoder->marks);
}

static void json_kept(struct tl_encoder *encoder)
{
	if (encoder->marks)
		tl_open_marks_kept(encoder->marks);
}

static struct tl_touching *json_touching(const struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	return &state->touching;
}

const struct tl_format tl_format_json = {
	.number = TL_OUTPUT_JSON,
	.in_parts = true,
	.state = sizeof(struct state),
	.begin = json_begin,
	.thread = json_thread,
	.lane = json_lane,
	.record = json_record,
	.unfinished = json_unfinished,
	.end = json_end,
	.block = json_block,
	.kept = json_kept,
	.touching = json_touching,
};
