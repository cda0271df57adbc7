/* SPDX-License-Identifier: MIT */
/*
 * pftrace_packets.c: see pftrace_packets.h.
 */
#include "format/encode/pftrace_packets.h"

#include "common/levels.h"

#define SEQUENCES_OF_TIMES 16000

/*
 * An encoder that continues another one's file does not know which names that one wrote, so it uses
 * a sequence of its own. Its id should differ from that of the next encoder that continues the file.
 */
static uint32_t sequence_from(const struct tl_encoder *encoder, uint64_t ns)
{
	const struct tl_pf_state *state = encoder->state;

	if (encoder->follows)
		return TL_PF_TRACK_SEQUENCE + SEQUENCES_OF_TIMES + encoder->follows;
	return state->now.owns_file
		       ? TL_PF_FIRST_SEQUENCE
		       : TL_PF_TRACK_SEQUENCE + 1 + (uint32_t)(ns / 1000 % SEQUENCES_OF_TIMES);
}

char *tl_pf_packet_clock(char *at, uint32_t id, uint64_t ns)
{
	char *clock = tl_protobuf_open(at, TL_PF_CLOCKS);

	at = tl_protobuf_number(clock, TL_PF_CLOCK_ID, id);
	at = tl_protobuf_number(at, TL_PF_CLOCK_TIMESTAMP, ns);
	if (id == TL_PF_DELTAS)
		at = tl_protobuf_number(at, TL_PF_CLOCK_INCREMENTAL, 1);
	return tl_protobuf_close(clock, at);
}

/* The sequence's clock and CLOCK_MONOTONIC, by which all times of the file are shown. */
static char *packet_deltas(char *at)
{
	char *snapshot = tl_protobuf_open(at, TL_PF_CLOCK_SNAPSHOT);

	at = tl_pf_packet_clock(snapshot, TL_PF_DELTAS, 0);
	at = tl_pf_packet_clock(at, TL_PF_MONOTONIC, 0);
	return tl_protobuf_close(snapshot, at);
}

static char *packet_defaults(char *at, uint64_t track)
{
	char *defaults = tl_protobuf_open(at, TL_PF_PACKET_DEFAULTS);
	char *event = tl_protobuf_open(defaults, TL_PF_DEFAULT_TRACK_EVENT);

	at = tl_protobuf_close(event, tl_protobuf_number(event, TL_PF_TRACK_UUID, track));
	at = tl_protobuf_number(at, TL_PF_DEFAULT_CLOCK, TL_PF_DELTAS);
	return tl_protobuf_close(defaults, at);
}

char *tl_pf_packet_lane_change(const struct tl_encoder *encoder, char *at, uint32_t tid,
			       uint64_t ns)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_sequence *now = &state->now;
	bool first = !now->id;

	char *packet = tl_protobuf_open(at, TL_PF_PACKET);
	if (first)
		now->id = sequence_from(encoder, ns);
	at = tl_pf_packet_sequence(packet, now->id,
				   first ? TL_PF_STATE_CLEARED : TL_PF_NEEDS_STATE);
	at = packet_defaults(at, tl_pf_track_of(encoder, tid));
	at = packet_deltas(at);
	now->has_lane = true;
	now->tid = tid;
	now->last = 0;
	return tl_protobuf_close(packet, at);
}

char *tl_pf_packet_event_name(struct tl_pf_state *state, char *at, struct tl_pf_text string)
{
	struct tl_pf_name *name = tl_pf_name_clean(&state->names, TL_PF_EVENT_NAMES, string);

	return tl_pf_packet_name(state, at, name, TL_PF_NAME_IID, TL_PF_NAME, string);
}

char *tl_pf_packet_category(struct tl_pf_state *state, char *at, struct tl_pf_text string)
{
	struct tl_pf_name *name = tl_pf_name_clean(&state->names, TL_PF_EVENT_CATEGORIES, string);

	return tl_pf_packet_name(state, at, name, TL_PF_CATEGORY_IIDS, TL_PF_CATEGORIES, string);
}

void tl_pf_packet_end(struct tl_pf_state *state, struct tl_text *text, uint64_t ns, uint64_t track)
{
	char *packet, *event = tl_pf_event_open(state, text->at, ns, &packet), *at = event;

	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_END);
	text->at = tl_pf_event_close(state, event, at, packet);
	if (ns > state->now.latest)
		state->now.latest = ns;
}

struct tl_text tl_pf_text_levels(char *to, struct tl_pf_text category, uint32_t mask)
{
	struct tl_text text = {to, to + TL_PF_CATEGORY_MAX, false};

	tl_text_put(&text, category.bytes,
		    category.size < TL_PF_CATEGORY_MAX / 2 ? category.size
							   : TL_PF_CATEGORY_MAX / 2);
	tl_text_levels(&text, mask);
	return text;
}
