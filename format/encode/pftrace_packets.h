/* SPDX-License-Identifier: MIT */
/*
 * pftrace_packets.h: what packets of all kinds have: their sequence, lane, time and names. A part
 * of pftrace.c, which describes a file of them.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_PACKETS_H
#define TL_FORMAT_ENCODE_PFTRACE_PACKETS_H

#include "format/encode/encoder.h"
#include "format/encode/pftrace.h"
#include "format/encode/pftrace_gpu.h"
#include "format/encode/pftrace_names.h"
#include "format/encode/pftrace_notes.h"
#include "format/encode/pftrace_stacks.h"
#include "format/encode/pftrace_ties.h"
#include "format/encode/touching.h"

#define TL_PF_FIRST_SEQUENCE 1
/*
 * For descriptions of tracks. In the events' sequence readers would take such a track for the
 * sequence's default.
 */
#define TL_PF_TRACK_SEQUENCE 2
#define TL_PF_PLANS	     512
#define TL_PF_SCRATCH	     (128u * 1024)
/* Kept free for a packet: its head; tracelayer's annotations, after the arguments; and the rest. */
#define TL_PF_HEAD_MAX	   (12u * 1024)
#define TL_PF_OWN_MAX	   (16u * 1024)
#define TL_PF_TAIL_MAX	   (TL_PF_NAMES_NEW + TL_PF_NOTES_SPARE + 1024)
#define TL_PF_ROOM	   (TL_PF_HEAD_MAX + TL_PF_OWN_MAX + TL_PF_TAIL_MAX)
#define TL_PF_CATEGORY_MAX TL_PF_NAME_MAX

/* What all calls of one function have in common. */
struct tl_pf_plan {
	const struct tl_function *function;
	struct tl_pf_name *name, *categories, *failed;
	bool has_result;
	bool zero_failed; /* a result of 0 is a failure */
	uint16_t count;	  /* of .steps; parameters beyond them are walked */
	struct tl_pf_step result;
	struct tl_pf_step steps[16];
};

/* What readers know at this place of the file. */
struct tl_pf_sequence {
	uint32_t id; /* 0: it has not begun */
	bool owns_file;
	bool has_lane;
	uint32_t tid;	 /* of the default track */
	uint64_t last;	 /* the last reading of the sequence's clock */
	uint64_t latest; /* nanoseconds: the last end so far */
};

struct tl_pf_state {
	struct tl_pf_sequence now, kept;
	bool settled; /* nothing was appended since .kept */
	struct tl_pf_names names;
	struct tl_pf_stacks stacks;
	struct tl_pf_ties ties;
	struct tl_touching touching;
	struct tl_pf_gpu_work gpu;
	struct tl_pf_plan plans[TL_PF_PLANS];
	char scratch[TL_PF_SCRATCH];
};

static inline bool tl_pf_has_room(struct tl_text *text)
{
	if (text->end - text->at >= (ptrdiff_t)TL_PF_ROOM)
		return true;
	text->cut = true;
	return false;
}

/* Annotations of the packet that is being made at `at`. */
static inline struct tl_pf_notes tl_pf_notes_at(struct tl_pf_state *state,
						const struct tl_text *text, char *at)
{
	return (struct tl_pf_notes){{at, text->end - TL_PF_TAIL_MAX, false}, &state->names, 0};
}

static inline uint64_t tl_pf_track_of(const struct tl_encoder *encoder, uint32_t tid)
{
	return (uint64_t)encoder->pid << 32 | tid;
}

static inline char *tl_pf_packet_sequence(char *at, uint32_t id, enum tl_pf_sequence_flags flags)
{
	at = tl_protobuf_number(at, TL_PF_SEQUENCE_ID, id);
	return tl_protobuf_number(at, TL_PF_SEQUENCE_FLAGS, flags);
}

/* One clock of a ClockSnapshot, and what it reads. */
char *tl_pf_packet_clock(char *at, uint32_t id, uint64_t ns);

/* Change to another lane: see tl_pf_packet_lane. */
char *tl_pf_packet_lane_change(const struct tl_encoder *encoder, char *at, uint32_t tid,
			       uint64_t ns);

/*
 * The events that follow belong to this lane; tid 0: to the process. `ns`: the time of the first.
 */
static inline char *tl_pf_packet_lane(const struct tl_encoder *encoder, char *at, uint32_t tid,
				      uint64_t ns)
{
	const struct tl_pf_state *state = encoder->state;

	if (state->now.has_lane && state->now.tid == tid)
		return at;
	return tl_pf_packet_lane_change(encoder, at, tid, ns);
}

static inline char *tl_pf_packet_time(struct tl_pf_sequence *now, char *at, uint64_t ns)
{
	if (ns < now->last) {
		at = tl_protobuf_number(at, TL_PF_TIMESTAMP, ns);
		return tl_protobuf_number(at, TL_PF_TIMESTAMP_CLOCK_ID, TL_PF_MONOTONIC);
	}
	at = tl_protobuf_number(at, TL_PF_TIMESTAMP, ns - now->last);
	now->last = ns;
	return at;
}

/*
 * Begins a packet, up to where the fields of `kind` begin, a field of TracePacket; *packet is the
 * packet's beginning.
 */
static inline char *tl_pf_packet_open(struct tl_pf_state *state, char *at, uint64_t ns,
				      enum tl_pf_packet kind, char **packet)
{
	*packet = tl_protobuf_open(at, TL_PF_PACKET);
	at = tl_pf_packet_time(&state->now, *packet, ns);
	at = tl_pf_packet_sequence(at, state->now.id, TL_PF_NEEDS_STATE);
	return tl_protobuf_open(at, kind);
}

/* The same for an event of the lane. */
static inline char *tl_pf_event_open(struct tl_pf_state *state, char *at, uint64_t ns,
				     char **packet)
{
	return tl_pf_packet_open(state, at, ns, TL_PF_TRACK_EVENT, packet);
}

static inline char *tl_pf_event_close(struct tl_pf_state *state, char *event, char *at,
				      char *packet)
{
	at = tl_protobuf_close(event, at);
	if (state->names.told) {
		at = tl_protobuf_bytes(at, TL_PF_INTERNED_DATA, state->names.tell,
				       state->names.told);
		state->names.told = 0;
	}
	return tl_protobuf_close(packet, at);
}

/* A name, by its number if it has one. */
static inline char *tl_pf_packet_name(struct tl_pf_state *state, char *at, struct tl_pf_name *name,
				      uint32_t numbered, uint32_t plain, struct tl_pf_text string)
{
	uint32_t iid = name ? tl_pf_name_use(&state->names, name) : 0;

	return iid ? tl_protobuf_number(at, numbered, iid) : tl_pf_string(at, plain, string);
}

/* The fields of an event that name it and its category. */
char *tl_pf_packet_event_name(struct tl_pf_state *state, char *at, struct tl_pf_text string);
char *tl_pf_packet_category(struct tl_pf_state *state, char *at, struct tl_pf_text string);

/* The end of what began last on a track; 0: on the lane's. */
void tl_pf_packet_end(struct tl_pf_state *state, struct tl_text *text, uint64_t ns, uint64_t track);

/*
 * A category with its levels. It leaves room for a function's stage and "failed" in
 * TL_PF_CATEGORY_MAX bytes.
 */
struct tl_text tl_pf_text_levels(char *to, struct tl_pf_text category, uint32_t mask);

/* A string by its number; a text for one that there is none of. */
static inline struct tl_pf_text tl_pf_text_number(const struct tl_encoder *encoder, uint32_t number,
						  const char *none)
{
	struct tl_pf_text text = {NULL, 0};

	text.bytes = tl_encoder_string(encoder, number, &text.size);
	return text.bytes ? text : tl_pf_text(none);
}

static inline struct tl_pf_text tl_pf_text_whole(const char *from, struct tl_text text)
{
	return (struct tl_pf_text){from, (size_t)(text.at - from)};
}

/* pftrace_gpu.c: a lane that is not a thread's, before events that are not GPU events. */
void tl_pf_packet_lane_name(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			    struct tl_pf_text name, int32_t sort);

/* pftrace_calls.c: a call that ended. False: its record is not sound, and nothing was added. */
bool tl_pf_packet_call(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		       const struct tl_call_record *call);

/* pftrace_calls.c: a call that had not ended, as struct tl_format has it. */
void tl_pf_packet_unfinished(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			     const struct tl_unfinished *call, uint64_t end);

/* pftrace_events.c: an event that is not a call. */
void tl_pf_packet_event(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const struct tl_event_record *event);

/* pftrace_events.c: records of the thread are missing: end what was open. */
void tl_pf_packet_gap(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid);

#endif
