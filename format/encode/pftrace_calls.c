/* SPDX-License-Identifier: MIT */
/*
 * pftrace_calls.c: calls as packets of a .pftrace: one for the beginning, with all data of the
 * call, and one for the end. See pftrace.c.
 */
#include "format/encode/pftrace_packets.h"

#include "common/stages.h"
#include "format/args/args.h"

#define DEPTH_MAX 16 /* calls that began at the same time as those in them */

static struct tl_pf_text categories_text(char *to, const struct tl_function *function, bool failed)
{
	struct tl_text text =
		tl_pf_text_levels(to, tl_pf_text(function->api->name), function->level);

	tl_text_stage(&text, function);
	if (failed)
		tl_text_string(&text, ",failed");
	return tl_pf_text_whole(to, text);
}

static char *packet_call_categories(struct tl_pf_state *state, char *at,
				    const struct tl_pf_plan *plan, bool failed)
{
	char string[TL_PF_CATEGORY_MAX];
	struct tl_pf_name *name = failed ? plan->failed : plan->categories;
	uint32_t iid = name ? tl_pf_name_use(&state->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_CATEGORY_IIDS, iid)
		   : tl_pf_string(at, TL_PF_CATEGORIES,
				  categories_text(string, plan->function, failed));
}

static struct tl_pf_name *categories_name(struct tl_pf_state *state,
					  const struct tl_function *function, bool failed)
{
	char string[TL_PF_CATEGORY_MAX];

	return tl_pf_name_clean(&state->names, TL_PF_EVENT_CATEGORIES,
				categories_text(string, function, failed));
}

static void plan_make(struct tl_pf_state *state, struct tl_pf_plan *plan,
		      const struct tl_function *function)
{
	const struct tl_variable result = {.name = "result", .type = function->result};

	plan->function = function;
	plan->name = tl_pf_name_clean(&state->names, TL_PF_EVENT_NAMES, tl_pf_text(function->name));
	plan->categories = categories_name(state, function, false);
	plan->failed = categories_name(state, function, true);
	plan->has_result = tl_call_has_result(function);
	plan->zero_failed = tl_call_failed(function, 0);
	plan->count = function->count < 16 ? function->count : 16;
	if (plan->has_result)
		tl_pf_step_make(&plan->result, &state->names, &result);
	for (uint16_t i = 0; i < plan->count; i++)
		tl_pf_step_make(&plan->steps[i], &state->names, &function->params[i]);
}

static struct tl_pf_plan *plan_of(struct tl_pf_state *state, const struct tl_function *function,
				  uint32_t id)
{
	struct tl_pf_plan *plan = &state->plans[(id + (id >> 16) * 397) % TL_PF_PLANS];

	if (plan->function != function)
		plan_make(state, plan, function);
	return plan;
}

static void packet_args(struct tl_pf_notes *notes, struct tl_pf_plan *plan,
			const struct tl_args_kept *kept)
{
	bool captured = kept->entry_size || kept->exit_size, walks = false;
	struct tl_args_walk walk;

	if (!kept->words)
		return;
	for (uint16_t i = 0; i < plan->function->count; i++) {
		struct tl_pf_step *step = i < plan->count ? &plan->steps[i] : NULL;
		if (step && tl_pf_note_step(notes, step, kept->words[step->word], captured))
			continue;
		if (!walks)
			tl_args_walk_start(&walk, &tl_pf_sink, &notes->text, plan->function, kept);
		walks = true;
		tl_args_walk_param(&walk, i, true);
	}
}

static void packet_result(struct tl_pf_notes *notes, struct tl_pf_plan *plan,
			  const struct tl_args_kept *kept, uint64_t result)
{
	if (kept->result || !tl_pf_note_step(notes, &plan->result, result, false))
		tl_args_visit_result(&tl_pf_sink, &notes->text, plan->function, kept, result);
}

static void packet_cause(struct tl_pf_notes *notes, const struct tl_function *function,
			 struct tl_cause cause)
{
	const char *correlation = "tracelayer_correlation", *request = "tracelayer_request";

	if (cause.correlation)
		tl_pf_note_value(notes, tl_pf_text(tl_args_own_key(function, correlation)),
				 TL_PF_UINT_VALUE, cause.correlation);
	if (cause.request)
		tl_pf_note_value(notes, tl_pf_text(tl_args_own_key(function, request)),
				 TL_PF_UINT_VALUE, cause.request);
}

/*
 * The track of a call that has no place on the thread's own, which crosses another one (touching.h);
 * 0: the thread's own. Its description comes first: a block does not rely on another one's.
 */
static uint64_t call_track(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			   uint64_t start, uint64_t end)
{
	struct tl_pf_state *state = encoder->state;
	uint64_t lane = tl_touching_next(&state->touching, tid, start, end, true).further;
	uint64_t track = tl_pf_track_of(encoder, tid) ^ lane << TL_PF_FURTHER_LANE;

	if (!lane)
		return 0;
	char *packet = tl_protobuf_open(text->at, TL_PF_PACKET), *description, *at;
	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TL_PF_TRACK_SEQUENCE);
	description = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(description, TL_PF_UUID, track);
	at = tl_protobuf_number(at, TL_PF_PARENT_UUID, tl_pf_track_of(encoder, tid));
	at = tl_pf_string(at, TL_PF_TRACK_NAME, tl_pf_text("overlapping calls"));
	text->at = tl_protobuf_close(packet, tl_protobuf_close(description, at));
	return track;
}

/* The beginning of a call, with all of its data. `track`: 0: the lane's. */
static void packet_begin(const struct tl_encoder *encoder, struct tl_text *text,
			 const struct tl_call_record *call, struct tl_pf_plan *plan,
			 const struct tl_args_kept *kept, uint64_t ns, uint64_t track)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_cause cause = tl_record_cause(call);
	bool returned = !(call->flags & TL_RECORD_UNWOUND) && plan->has_result;
	bool failed = returned && (call->result ? tl_call_failed(plan->function, call->result)
						: plan->zero_failed);
	uint32_t stack = tl_pf_stack(encoder, text, tl_record_stack(call));
	char *packet, *event = tl_pf_event_open(state, text->at, ns, &packet);
	char *at = packet_call_categories(state, event, plan, failed);

	at = tl_pf_packet_name(state, at, plan->name, TL_PF_NAME_IID, TL_PF_NAME,
			       tl_pf_text(plan->function->name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_BEGIN);
	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	if (encoder->gpu_events && cause.correlation)
		at = tl_pf_gpu_correlation(at, TL_PF_SUBMITS_EVENTS,
					   tl_pf_gpu_event_id(encoder, cause.correlation));
	if (stack)
		at = tl_protobuf_number(at, TL_PF_CALLSTACK_IID, stack);
	struct tl_pf_notes notes = tl_pf_notes_at(state, text, at);
	notes.text.end -= TL_PF_OWN_MAX;
	packet_args(&notes, plan, kept);
	notes.text.end += TL_PF_OWN_MAX;
	bool cut = notes.text.cut || (call->flags & TL_RECORD_CUT);
	notes.text.cut = false; /* a sink puts nothing more where it is set */
	if (returned)
		packet_result(&notes, plan, kept, call->result);
	if (call->flags & TL_RECORD_UNWOUND)
		tl_pf_note_value(&notes, tl_pf_text("unwound"), TL_PF_BOOL_VALUE, 1);
	if (cut)
		tl_pf_note_value(&notes, tl_pf_text("cut"), TL_PF_BOOL_VALUE, 1);
	packet_cause(&notes, plan->function, cause);
	text->at = tl_pf_event_close(state, event, notes.text.at, packet);
}

/*
 * The beginning of a call; before it, those of the calls around it that began at the same time.
 * `depth`: how many more are to come after it. False: there is no room.
 */
static bool packet_beginnings(struct tl_encoder *encoder, struct tl_text *text,
			      const struct tl_call_record *call, unsigned depth)
{
	struct tl_pf_state *state = encoder->state;
	const struct tl_function *function = tl_encoder_function(encoder, call->function);
	struct tl_pf_tie *outer = tl_pf_tie_of_inner(&state->ties, call);
	struct tl_pf_tie *inner = tl_pf_tie_of_outer(&state->ties, call);
	struct tl_args_kept kept;

	if (inner && inner->begun)
		return true;
	if (outer && depth < DEPTH_MAX)
		packet_beginnings(encoder, text, outer->outer, depth + 1);
	/* Keeps room for the calls that come after this one. */
	struct tl_text part = {text->at, text->end, false};
	if (part.end - part.at < (ptrdiff_t)((depth + 1) * TL_PF_ROOM) || !function ||
	    !tl_args_find(&kept, function, call))
		return false;
	part.end -= depth * TL_PF_ROOM;
	packet_begin(encoder, &part, call, plan_of(state, function, call->function), &kept,
		     tl_encoder_ns(encoder, call->start), 0);
	text->at = part.at;
	if (inner)
		inner->begun = true;
	return true;
}

bool tl_pf_packet_call(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		       const struct tl_call_record *call)
{
	struct tl_pf_state *state = encoder->state;
	const struct tl_function *function = tl_encoder_function(encoder, call->function);
	struct tl_args_kept kept;
	if (!function || !tl_args_find(&kept, function, call))
		return false;
	if (!tl_pf_has_room(text))
		return true;
	uint64_t stop = tl_record_end(call->start, call->duration);
	uint64_t start = tl_encoder_ns(encoder, call->start), end = tl_encoder_ns(encoder, stop);
	end = end > start ? end : start;
	text->at = tl_pf_packet_lane(encoder, text->at, tid, start);
	uint64_t track = call_track(encoder, text, tid, start, end);
	struct tl_pf_tie *inner = tl_pf_tie_of_outer(&state->ties, call);
	if (track && !(inner && inner->begun)) {
		packet_begin(encoder, text, call, plan_of(state, function, call->function), &kept,
			     start, track);
		tl_pf_packet_end(state, text, end, track);
	} else if (packet_beginnings(encoder, text, call, 0)) {
		tl_pf_packet_end(state, text, end, 0);
	}
	return true;
}

void tl_pf_packet_unfinished(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			     const struct tl_unfinished *call, uint64_t end)
{
	struct tl_pf_state *state = encoder->state;
	const struct tl_function *called = tl_encoder_function(encoder, call->function);
	uint64_t start = tl_encoder_ns(encoder, call->start), stop = tl_encoder_ns(encoder, end);
	char *packet, *event, *at;

	if (!called || !tl_pf_has_room(text))
		return;
	struct tl_pf_plan *plan = plan_of(state, called, call->function);
	stop = stop > start ? stop : start;
	text->at = tl_pf_packet_lane(encoder, text->at, tid, start);
	uint64_t track = call_track(encoder, text, tid, start, stop);
	uint32_t stack = tl_pf_stack(encoder, text, call->stack);
	event = tl_pf_event_open(state, text->at, start, &packet);
	at = packet_call_categories(state, event, plan, false);
	at = tl_pf_packet_name(state, at, plan->name, TL_PF_NAME_IID, TL_PF_NAME,
			       tl_pf_text(called->name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_BEGIN);
	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	if (stack)
		at = tl_protobuf_number(at, TL_PF_CALLSTACK_IID, stack);
	struct tl_pf_notes notes = tl_pf_notes_at(state, text, at);
	tl_pf_note_value(&notes, tl_pf_text("unfinished"), TL_PF_BOOL_VALUE, 1);
	text->at = tl_pf_event_close(state, event, notes.text.at, packet);
	tl_pf_packet_end(state, text, stop, track);
}
