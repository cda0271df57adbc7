/* SPDX-License-Identifier: MIT */
/* pftrace_events.c: events that are not calls, as packets of a .pftrace. See pftrace.c. */
#include "format/encode/pftrace_packets.h"

#include <string.h>

/* 0: the thread's. Lanes that are not threads' are never the default: their events name them. */
static uint64_t event_track(const struct tl_encoder *encoder, const struct tl_event_record *event)
{
	uint32_t shown = tl_event_shown(encoder, event);

	return shown ? tl_pf_track_of(encoder, shown) : 0;
}

/* It ends at a NUL, as in JSON. */
static struct tl_pf_text arg_key(const struct tl_encoder *encoder, const struct tl_event_arg *arg)
{
	struct tl_pf_text key = tl_pf_text_number(encoder, arg->key, "?");

	key.size = strnlen(key.bytes, key.size);
	return key;
}

static void packet_event_arg(const struct tl_encoder *encoder, struct tl_pf_notes *notes,
			     const struct tl_event_arg *arg)
{
	struct tl_pf_text key = arg_key(encoder, arg);
	uint32_t number = arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0;

	switch (arg->kind) {
	case TL_VALUE_SIGNED_64:
		tl_pf_note_integer(notes, key, arg->value, true);
		break;
	case TL_VALUE_HEX_64:
		tl_pf_note_value(notes, key, TL_PF_POINTER_VALUE, arg->value);
		break;
	case TL_VALUE_DOUBLE_64:
		tl_pf_note_value(notes, key, TL_PF_DOUBLE_VALUE, arg->value);
		break;
	case TL_VALUE_TRUTH:
		tl_pf_note_value(notes, key, TL_PF_BOOL_VALUE, arg->value != 0);
		break;
	case TL_VALUE_STRING:
		tl_pf_note_string(notes, key, tl_pf_text_number(encoder, number, ""));
		break;
	default:
		tl_pf_note_integer(notes, key, arg->value, false);
	}
}

static void packet_event_args(const struct tl_encoder *encoder, struct tl_pf_notes *notes,
			      const struct tl_event_record *event)
{
	notes->text.end -= TL_PF_OWN_MAX;
	for (unsigned i = 0; i < event->args; i++)
		packet_event_arg(encoder, notes, &event->arg[i]);
	notes->text.end += TL_PF_OWN_MAX;
	if (event->request)
		tl_pf_note_value(notes, tl_pf_text("request"), TL_PF_UINT_VALUE, event->request);
	if (notes->text.cut)
		tl_pf_note_value(notes, tl_pf_text("cut"), TL_PF_BOOL_VALUE, 1);
}

static char *packet_flow(char *at, const struct tl_event_record *event)
{
	char *flow = tl_protobuf_open(at, TL_PF_LEGACY_EVENT);

	at = tl_protobuf_number(flow, TL_PF_LEGACY_PHASE, event->phase);
	at = tl_protobuf_number(at, TL_PF_LEGACY_ID, event->duration);
	at = tl_protobuf_number(at, TL_PF_LEGACY_ENCLOSING, 1);
	return tl_protobuf_close(flow, at);
}

/*
 * All events but counters; of an event with a duration, its beginning. The ends of a flow are as in
 * JSON, and have no type: Perfetto's own flows need both slices' packets, and here the call's has
 * long been written.
 */
static void packet_plain_event(struct tl_encoder *encoder, struct tl_text *text,
			       const struct tl_event_record *event, enum tl_pf_type type,
			       uint64_t ns, bool is_cut)
{
	struct tl_pf_state *state = encoder->state;
	uint64_t track = event_track(encoder, event);
	struct tl_pf_text category = tl_pf_text_number(encoder, event->category, "tracelayer");
	char string[TL_PF_CATEGORY_MAX], *packet, *start, *at;

	at = start = tl_pf_event_open(state, text->at, ns, &packet);
	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	if (type != TL_PF_SLICE_END) {
		at = tl_pf_packet_category(
			state, at,
			tl_pf_text_whole(string,
					 tl_pf_text_levels(string, category, event->level)));
		at = tl_pf_packet_event_name(state, at,
					     tl_pf_text_number(encoder, event->name, "?"));
	}
	at = type ? tl_protobuf_number(at, TL_PF_TYPE, type) : packet_flow(at, event);
	struct tl_pf_notes notes = tl_pf_notes_at(state, text, at);
	notes.text.cut = is_cut;
	packet_event_args(encoder, &notes, event);
	text->at = tl_pf_event_close(state, start, notes.text.at, packet);
}

/* A counter's track has the same number whichever thread reports it. */
static uint64_t counter_track(const struct tl_encoder *encoder, struct tl_pf_text name)
{
	uint64_t hash = 14695981039346656037u ^ encoder->pid;

	for (size_t i = 0; i < name.size; i++)
		hash = (hash ^ (unsigned char)name.bytes[i]) * 1099511628211u;
	return hash | 1ull << 63;
}

/* A series' unit is its key, "bytes" or "commands", unless that is the counter's name. */
static char *packet_unit(char *at, struct tl_pf_text name, struct tl_pf_text key)
{
	if (key.size == name.size && !memcmp(key.bytes, name.bytes, key.size))
		return at;
	if (key.size == strlen("bytes") && !memcmp(key.bytes, "bytes", key.size))
		return tl_protobuf_number(at, TL_PF_COUNTER_UNIT, TL_PF_UNIT_BYTES);
	return tl_pf_string(at, TL_PF_COUNTER_UNIT_NAME, key);
}

static char *packet_counter_track(const struct tl_encoder *encoder, char *at, uint64_t track,
				  struct tl_pf_text name, struct tl_pf_text key)
{
	char *packet = tl_protobuf_open(at, TL_PF_PACKET), *descriptor;

	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TL_PF_TRACK_SEQUENCE);
	descriptor = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(descriptor, TL_PF_UUID, track);
	at = tl_protobuf_number(at, TL_PF_PARENT_UUID, tl_pf_track_of(encoder, 0));
	at = tl_pf_string(at, TL_PF_TRACK_NAME, name);
	char *counter = tl_protobuf_open(at, TL_PF_COUNTER_TRACK);
	at = tl_protobuf_close(counter, packet_unit(counter, name, key));
	return tl_protobuf_close(packet, tl_protobuf_close(descriptor, at));
}

/* "memory used"; if name and key are the same, just the name. */
static struct tl_pf_text series_name(char *to, struct tl_pf_text name, struct tl_pf_text key)
{
	struct tl_text text = {to, to + TL_PF_NAME_MAX, false};
	const size_t most = TL_PF_NAME_MAX / 2 - 1;

	tl_text_put(&text, name.bytes, name.size < most ? name.size : most);
	if (key.size != name.size || memcmp(key.bytes, name.bytes, key.size) != 0) {
		tl_text_char(&text, ' ');
		tl_text_put(&text, key.bytes, key.size < most ? key.size : most);
	}
	return (struct tl_pf_text){to, (size_t)(text.at - to)};
}

/* Numbers beyond 2 to the 53 as in JSON. */
static char *packet_count(char *at, const struct tl_event_arg *arg)
{
	bool is_signed = arg->kind == TL_VALUE_SIGNED_64;
	double number = is_signed ? (double)(int64_t)arg->value : (double)arg->value;
	uint64_t bits = arg->value;

	if (arg->kind != TL_VALUE_DOUBLE_64 && tl_text_is_whole(arg->value, is_signed))
		return tl_protobuf_number(at, TL_PF_COUNTER_VALUE, arg->value);
	if (arg->kind != TL_VALUE_DOUBLE_64)
		memcpy(&bits, &number, sizeof(bits));
	return tl_protobuf_fixed64(at, TL_PF_DOUBLE_COUNTER_VALUE, bits);
}

/* One series of a counter: a track of its own, of the process. */
static void packet_series(struct tl_encoder *encoder, struct tl_text *text,
			  const struct tl_event_record *event, const struct tl_event_arg *arg,
			  uint64_t ns)
{
	struct tl_pf_state *state = encoder->state;
	char string[TL_PF_NAME_MAX], *packet, *start, *at;
	struct tl_pf_text name = series_name(string, tl_pf_text_number(encoder, event->name, "?"),
					     arg_key(encoder, arg));
	struct tl_pf_name *known = tl_pf_name_clean(&state->names, TL_PF_COUNTERS, name);
	uint64_t track = counter_track(encoder, name);

	if (!known || tl_pf_name_is_new(&state->names, known))
		text->at =
			packet_counter_track(encoder, text->at, track, name, arg_key(encoder, arg));
	at = start = tl_pf_event_open(state, text->at, ns, &packet);
	at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_COUNTER);
	at = packet_count(at, arg);
	text->at = tl_pf_event_close(state, start, at, packet);
}

static void packet_ends(struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_event_record *event)
{
	struct tl_event_record ends[TL_EVENT_ENDS];
	uint64_t ns, stop;

	for (unsigned i = 0, count = tl_event_ends(encoder, event, ends);
	     i < count && tl_pf_has_room(text); i++) {
		tl_event_times(encoder, &ends[i], &ns, &stop);
		packet_plain_event(encoder, text, &ends[i],
				   ends[i].phase == 'i' ? TL_PF_INSTANT : TL_PF_NO_TYPE, ns, false);
	}
}

void tl_pf_packet_event(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const struct tl_event_record *event)
{
	struct tl_pf_state *state = encoder->state;
	uint64_t ns, stop;

	tl_event_times(encoder, event, &ns, &stop);
	text->at = tl_pf_packet_lane(encoder, text->at, tid, ns);
	if (encoder->gpu_events && tl_pf_packet_command(encoder, text, event))
		return;
	switch (event->phase) {
	case 'X':
		packet_plain_event(encoder, text, event, TL_PF_SLICE_BEGIN, ns, false);
		packet_ends(encoder, text, event);
		tl_pf_packet_end(state, text, stop, event_track(encoder, event));
		break;
	case 'B':
		packet_plain_event(encoder, text, event, TL_PF_SLICE_BEGIN, ns, false);
		break;
	case 'E':
		packet_plain_event(encoder, text, event, TL_PF_SLICE_END, ns, false);
		break;
	case 'C':
		for (unsigned i = 0; i < event->args && tl_pf_has_room(text); i++)
			if (event->arg[i].kind != TL_VALUE_STRING)
				packet_series(encoder, text, event, &event->arg[i], ns);
		break;
	case 's':
	case 't':
	case 'f':
		packet_plain_event(encoder, text, event, TL_PF_NO_TYPE, ns, false);
		break;
	default:
		packet_plain_event(encoder, text, event, TL_PF_INSTANT, ns, false);
	}
}

void tl_pf_packet_gap(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid)
{
	struct tl_event_record end;

	while (tl_pf_has_room(text) && tl_encoder_gap(encoder, tid, &end)) {
		text->at = tl_pf_packet_lane(encoder, text->at, tid, end.start);
		packet_plain_event(encoder, text, &end, TL_PF_SLICE_END, end.start, true);
	}
}
