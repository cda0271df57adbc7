/* SPDX-License-Identifier: MIT */
/*
 * pftrace.c: Perfetto's trace format as one of the formats of encoder.h: a row of packets.
 *
 *	{timestamp: 31  trusted_packet_sequence_id: 1  sequence_flags: 2
 *	 track_event {category_iids: 1  name_iid: 4  type: TYPE_SLICE_BEGIN
 *	              debug_annotations {name_iid: 9  pointer_value: 0x7f20}}}
 *	{timestamp: 412  trusted_packet_sequence_id: 1  sequence_flags: 2
 *	 track_event {type: TYPE_SLICE_END}}
 *
 * All events of an encoder belong to one sequence. Each name is written once. The track and the
 * clock are defaults of the sequence, written again when the lane changes, which happens with each
 * chunk. The sequence has an incremental clock of its own: a timestamp is the time since the last
 * one. When the lane changes, this clock starts at 0 of CLOCK_MONOTONIC, so the first timestamp
 * after that is a reading of CLOCK_MONOTONIC. A time before the last one, such as the beginning of
 * an outer call, is written with CLOCK_MONOTONIC named, and leaves the sequence's clock alone.
 *
 * A call's two packets stand together, in the order in which calls ended. Readers sort by time, and
 * take an end for that of the call that began last. What has the same time stays in the order of
 * the file: an inner call's end comes before its outer one's, as it must. For two beginnings at the
 * same time see pftrace_ties.h.
 *
 * Commands of devices are slices and flows like other events, or Perfetto's own GPU events: see
 * pftrace_gpu.h.
 *
 * Readers don't know names and lanes from a block that was dropped: .block takes these back.
 */
#include <string.h>

#include "format/encode/formats.h"
#include "format/encode/pftrace_packets.h"

static void packet_instant(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			   const char *name, uint64_t ns, const char *members, size_t size)
{
	struct tl_pf_state *state = encoder->state;
	char *packet, *event;

	text->at = tl_pf_packet_lane(encoder, text->at, tid, ns);
	event = tl_pf_event_open(state, text->at, ns, &packet);
	char *at = tl_pf_packet_category(state, event, tl_pf_text("tracelayer"));
	at = tl_pf_packet_event_name(state, at, tl_pf_text(name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_INSTANT);
	struct tl_pf_notes notes = tl_pf_notes_at(state, text, at);
	tl_pf_note_members(&notes, members, size);
	text->at = tl_pf_event_close(state, event, notes.text.at, packet);
}

static void packet_lost(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *lost)
{
	char members[64];
	struct tl_text args = {members, members + sizeof(members), false};

	if (!tl_pf_has_room(text))
		return;
	tl_text_string(&args, "\"events\":");
	tl_text_unsigned(&args, lost->result);
	packet_instant(encoder, text, tid, "lost", tl_encoder_ns(encoder, lost->start), members,
		       (size_t)(args.at - members));
}

static size_t pftrace_record(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			     const struct tl_call_record *call, size_t size)
{
	struct tl_pf_state *state = encoder->state;

	if (!tl_record_is_whole(call, size))
		return 0;
	if (tl_record_is_gap(call))
		tl_pf_packet_gap(encoder, text, tid);
	tl_pf_ties_look(&state->ties, call, size, encoder);
	switch (call->type) {
	case TL_RECORD_CALL:
		if (!tl_pf_packet_call(encoder, text, tid, call))
			return 0;
		if (encoder->marks && encoder->marks->now.open)
			tl_encoder_note(encoder, tid, call);
		break;
	case TL_RECORD_LOST:
		packet_lost(encoder, text, tid, call);
		break;
	case TL_RECORD_EVENT:
		if (!tl_event_is_sound((const void *)call))
			return 0;
		/* Perfetto counts such an end as an error, and it may end another slice. */
		if (!tl_encoder_note(encoder, tid, call))
			break;
		if (tl_pf_has_room(text))
			tl_pf_packet_event(encoder, text, tid, (const void *)call);
		break;
	case TL_RECORD_PAD:
		break;
	default:
		return 0;
	}
	return call->size * 8u;
}

/* A description of a track, up to where the fields of its own kind begin. */
struct track {
	char *packet, *track, *kind;
};

static char *track_open(const struct tl_encoder *encoder, char *at, uint32_t tid,
			struct track *track)
{
	uint32_t kind = tid ? TL_PF_THREAD : TL_PF_PROCESS;

	track->packet = tl_protobuf_open(at, TL_PF_PACKET);
	at = tl_protobuf_number(track->packet, TL_PF_SEQUENCE_ID, TL_PF_TRACK_SEQUENCE);
	track->track = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(track->track, TL_PF_UUID, tl_pf_track_of(encoder, tid));
	if (tid)
		at = tl_protobuf_number(at, TL_PF_PARENT_UUID, tl_pf_track_of(encoder, 0));
	track->kind = tl_protobuf_open(at, kind);
	return track->kind;
}

static char *track_close(const struct track *track, char *at)
{
	at = tl_protobuf_close(track->kind, at);
	at = tl_protobuf_close(track->track, at);
	return tl_protobuf_close(track->packet, at);
}

/* A string that may lack its NUL. */
static struct tl_pf_text bounded_text(const char *string, size_t most)
{
	return (struct tl_pf_text){string, strnlen(string, most)};
}

static void packet_process(struct tl_encoder *encoder, struct tl_text *text,
			   const struct tl_facts *facts)
{
	char labels[128];
	struct tl_text label = {labels, labels + sizeof(labels), false};
	struct track track;
	char *at = track_open(encoder, text->at, 0, &track);

	at = tl_protobuf_number(at, TL_PF_PROCESS_PID, encoder->pid);
	if (facts->has_rank) {
		at = tl_protobuf_number(at, TL_PF_PROCESS_SORT_INDEX, (uint64_t)facts->rank);
		tl_text_string(&label, "rank ");
		tl_text_signed(&label, facts->rank);
		tl_text_string(&label, ", ");
	}
	tl_text_put(&label, facts->host, strnlen(facts->host, sizeof(facts->host)));
	at = tl_pf_string(at, TL_PF_PROCESS_NAME,
			  bounded_text(facts->program, sizeof(facts->program)));
	at = tl_pf_string(at, TL_PF_PROCESS_LABELS,
			  (struct tl_pf_text){labels, (size_t)(label.at - labels)});
	text->at = track_close(&track, at);
}

/*
 * CLOCK_BOOTTIME, which also runs while the machine sleeps, at the instant of the other two clocks.
 * It is among the members. A file of an older version lacks it, and is treated as if the machine
 * had never slept.
 */
static uint64_t facts_boottime(const struct tl_facts *facts)
{
	static const char key[] = "\"boottime_ns\":";
	size_t size = strnlen(facts->members, sizeof(facts->members));
	const char *at = memmem(facts->members, size, key, sizeof(key) - 1),
		   *end = facts->members + size;
	uint64_t ns = 0;

	if (!at)
		return facts->monotonic_ns;
	for (at += sizeof(key) - 1; at < end && *at >= '0' && *at <= '9'; at++)
		ns = 10 * ns + (uint64_t)(*at - '0');
	return ns;
}

/*
 * Relates the trace's times to the time of day. Perfetto's own clock is CLOCK_BOOTTIME: a file that
 * does not relate its times to that can't be shown together with others.
 */
static void packet_day(const struct tl_encoder *encoder, struct tl_text *text,
		       const struct tl_facts *facts)
{
	uint64_t moved = (uint64_t)encoder->moved;
	char *packet = tl_protobuf_open(text->at, TL_PF_PACKET);
	char *at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TL_PF_FIRST_SEQUENCE);
	char *snapshot = tl_protobuf_open(at, TL_PF_CLOCK_SNAPSHOT);

	at = tl_pf_packet_clock(snapshot, TL_PF_REALTIME, facts->realtime_ns);
	at = tl_pf_packet_clock(at, TL_PF_MONOTONIC, facts->monotonic_ns + moved);
	at = tl_pf_packet_clock(at, TL_PF_BOOTTIME, facts_boottime(facts) + moved);
	at = tl_protobuf_number(at, TL_PF_PRIMARY_CLOCK, TL_PF_MONOTONIC);
	text->at = tl_protobuf_close(packet, tl_protobuf_close(snapshot, at));
}

static void pftrace_begin(struct tl_encoder *encoder, struct tl_text *text,
			  const struct tl_facts *facts)
{
	struct tl_pf_state *state = encoder->state;

	if (!tl_pf_has_room(text))
		return;
	state->now.owns_file = true;
	tl_pf_gpu_host(encoder, facts->host);
	if (!encoder->follows)
		packet_day(encoder, text, facts);
	packet_process(encoder, text, facts);
	packet_instant(encoder, text, 0, "tracelayer",
		       facts->monotonic_ns + (uint64_t)encoder->moved, facts->members,
		       strnlen(facts->members, sizeof(facts->members)));
}

static void pftrace_thread(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			   const char name[16])
{
	struct track track;

	if (!tl_pf_has_room(text))
		return;
	char *at = track_open(encoder, text->at, tid, &track);
	at = tl_protobuf_number(at, TL_PF_THREAD_PID, encoder->pid);
	at = tl_protobuf_number(at, TL_PF_THREAD_TID, tid);
	at = tl_pf_string(at, TL_PF_THREAD_NAME, bounded_text(name, 16));
	text->at = track_close(&track, at);
}

static void pftrace_lane(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			 const char *name, size_t size, int32_t sort)
{
	struct tl_pf_text label = {name, size};

	if (!tl_pf_has_room(text))
		return;
	if (!encoder->gpu_events || !tl_pf_gpu_lane(encoder, tid, label, sort))
		tl_pf_packet_lane_name(encoder, text, tid, label, sort);
}

/* The end may be overwritten, so later packets must not use its names and lanes. */
static void pftrace_end(struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_totals *totals)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_text args = {state->scratch, state->scratch + TL_PF_SCRATCH, false};
	struct tl_pf_sequence before = state->now;
	bool changed = state->names.changed;

	if (!tl_pf_has_room(text))
		return;
	tl_text_totals(&args, totals);
	state->names.block++;
	packet_instant(encoder, text, 0, "tracelayer_end", before.latest, state->scratch,
		       (size_t)(args.at - state->scratch));
	tl_pf_names_drop(&state->names);
	state->names.block--;
	state->names.changed = changed;
	state->now = before;
}

static void pftrace_block(struct tl_encoder *encoder)
{
	struct tl_pf_state *state = encoder->state;

	if (encoder->marks)
		tl_open_marks_block(encoder->marks);
	tl_pf_gpu_drop(&state->gpu, &state->names);
	tl_pf_names_drop(&state->names);
	tl_pf_stacks_drop(&state->stacks);
	state->now = state->kept;
	if (!state->settled)
		tl_pf_ties_forget(&state->ties);
	state->settled = false;
}

static void pftrace_kept(struct tl_encoder *encoder)
{
	struct tl_pf_state *state = encoder->state;

	if (encoder->marks)
		tl_open_marks_kept(encoder->marks);
	tl_pf_names_keep(&state->names);
	tl_pf_stacks_keep(&state->stacks);
	state->kept = state->now;
	state->settled = true;
}

const struct tl_format tl_format_pftrace = {
	.number = TL_OUTPUT_PFTRACE,
	.state = sizeof(struct tl_pf_state),
	.begin = pftrace_begin,
	.thread = pftrace_thread,
	.lane = pftrace_lane,
	.record = pftrace_record,
	.unfinished = tl_pf_packet_unfinished,
	.end = pftrace_end,
	.block = pftrace_block,
	.kept = pftrace_kept,
};
