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
 * All events of an encoder are of one sequence. Names are told once. The track and the clock are
 * defaults of the sequence, told again when the lane changes, which is with each chunk. The clock
 * is an incremental one of the sequence's own: a timestamp is what has passed since the last. Each
 * time that the lane changes it starts at 0 of CLOCK_MONOTONIC, so that the first timestamp after
 * that is a reading of it. What lies before the last one, as the beginning of a call that others
 * were made in, has CLOCK_MONOTONIC named with it, and leaves the sequence's clock alone.
 *
 * A call's two packets stand together, in the order in which calls ended. Readers sort by time, and
 * take an end for that of the call that began last. What has the same time stays in the order of
 * the file: an inner call's end comes before its outer one's, as it must. For two beginnings at the
 * same time see pftrace_ties.h.
 *
 * What was told in a block that is dropped, readers don't know: .block takes it back.
 */
#include "format/encode/pftrace.h"

#include <string.h>

#include "format/args/args_print.h"
#include "format/encode/formats.h"
#include "common/levels.h"
#include "common/stages.h"
#include "format/encode/pftrace_names.h"
#include "format/encode/pftrace_notes.h"
#include "format/encode/pftrace_ties.h"

#define FIRST_SEQUENCE 1
/* of descriptions of tracks: on the events' own they would be taken for where these come from */
#define TRACK_SEQUENCE 2
#define PLANS	       512
#define SCRATCH	       (128u * 1024)
/* Kept free for a packet: its head; our own annotations, behind the arguments; and what follows. */
#define HEAD_MAX     (12u * 1024)
#define OWN_MAX	     (16u * 1024)
#define TAIL_MAX     (TL_PF_NAMES_NEW + TL_PF_NOTES_SPARE + 1024)
#define ROOM	     (HEAD_MAX + OWN_MAX + TAIL_MAX)
#define CATEGORY_MAX TL_PF_NAME_MAX
#define DEPTH_MAX    16 /* calls that began at the same time as those in them */

/* What every call of one function has. */
struct plan {
	const struct tl_function *function;
	struct tl_pf_name *name, *categories, *failed;
	bool has_result;
	bool zero_failed; /* a result of 0 is a failure */
	uint16_t count;	  /* of .steps; parameters beyond them are walked */
	struct tl_pf_step result;
	struct tl_pf_step steps[16];
};

/* What readers know at this place of the file. */
struct sequence {
	uint32_t id; /* 0: it has not begun */
	bool owns_file;
	bool has_lane;
	uint32_t tid;	 /* of the default track */
	uint64_t last;	 /* of the sequence's clock */
	uint64_t latest; /* nanoseconds: the last end so far */
};

struct state {
	struct sequence now, kept;
	bool settled; /* nothing was appended since .kept */
	struct tl_pf_names names;
	struct tl_pf_ties ties;
	struct plan plans[PLANS];
	char scratch[SCRATCH];
};

static bool has_room(struct tl_text *text)
{
	if (text->end - text->at >= (ptrdiff_t)ROOM)
		return true;
	text->cut = true;
	return false;
}

/* Annotations of the packet that is being made at `at`. */
static struct tl_pf_notes notes_at(struct state *state, const struct tl_text *text, char *at)
{
	return (struct tl_pf_notes){&state->names, at, text->end - TAIL_MAX, false};
}

/* ---- Packets */

static uint64_t track_of(const struct tl_encoder *encoder, uint32_t tid)
{
	return (uint64_t)encoder->pid << 32 | tid;
}

static inline char *put_sequence(char *at, uint32_t id, enum tl_pf_sequence_flags flags)
{
	at = tl_protobuf_number(at, TL_PF_SEQUENCE_ID, id);
	return tl_protobuf_number(at, TL_PF_SEQUENCE_FLAGS, flags);
}

/*
 * Whoever goes on with a file that another encoder began does not know what that one told, and has
 * a sequence of its own. What it is called should not come again if yet another goes on.
 */
static uint32_t sequence_from(const struct sequence *now, uint64_t ns)
{
	return now->owns_file ? FIRST_SEQUENCE : TRACK_SEQUENCE + 1 + (uint32_t)(ns / 1000 % 16000);
}

static char *put_clock(char *at, uint32_t id, uint64_t ns)
{
	char *clock = tl_protobuf_open(at, TL_PF_CLOCKS);

	at = tl_protobuf_number(clock, TL_PF_CLOCK_ID, id);
	at = tl_protobuf_number(at, TL_PF_CLOCK_TIMESTAMP, ns);
	if (id == TL_PF_DELTAS)
		at = tl_protobuf_number(at, TL_PF_CLOCK_INCREMENTAL, 1);
	return tl_protobuf_close(clock, at);
}

/* The sequence's clock and CLOCK_MONOTONIC, by which all times of the file are shown. */
static char *put_deltas(char *at)
{
	char *snapshot = tl_protobuf_open(at, TL_PF_CLOCK_SNAPSHOT);

	at = put_clock(snapshot, TL_PF_DELTAS, 0);
	at = put_clock(at, TL_PF_MONOTONIC, 0);
	return tl_protobuf_close(snapshot, at);
}

static char *put_defaults(char *at, uint64_t track)
{
	char *defaults = tl_protobuf_open(at, TL_PF_PACKET_DEFAULTS);
	char *event = tl_protobuf_open(defaults, TL_PF_DEFAULT_TRACK_EVENT);

	at = tl_protobuf_close(event, tl_protobuf_number(event, TL_PF_TRACK_UUID, track));
	at = tl_protobuf_number(at, TL_PF_DEFAULT_CLOCK, TL_PF_DELTAS);
	return tl_protobuf_close(defaults, at);
}

/* The events that follow are of this lane; tid 0: of the process. `ns`: the time of the first. */
static char *put_lane(const struct tl_encoder *encoder, char *at, uint32_t tid, uint64_t ns)
{
	struct state *state = encoder->state;
	struct sequence *now = &state->now;
	bool first = !now->id;

	if (now->has_lane && now->tid == tid)
		return at;
	char *packet = tl_protobuf_open(at, TL_PF_PACKET);
	if (first)
		now->id = sequence_from(now, ns);
	at = put_sequence(packet, now->id, first ? TL_PF_STATE_CLEARED : TL_PF_NEEDS_STATE);
	at = put_defaults(at, track_of(encoder, tid));
	at = put_deltas(at);
	now->has_lane = true;
	now->tid = tid;
	now->last = 0;
	return tl_protobuf_close(packet, at);
}

static inline char *put_time(struct sequence *now, char *at, uint64_t ns)
{
	if (ns < now->last) {
		at = tl_protobuf_number(at, TL_PF_TIMESTAMP, ns);
		return tl_protobuf_number(at, TL_PF_TIMESTAMP_CLOCK_ID, TL_PF_MONOTONIC);
	}
	at = tl_protobuf_number(at, TL_PF_TIMESTAMP, ns - now->last);
	now->last = ns;
	return at;
}

/* A packet of the lane up to where its event's fields begin; *packet is where it began itself. */
static inline char *open_event(struct state *state, char *at, uint64_t ns, char **packet)
{
	*packet = tl_protobuf_open(at, TL_PF_PACKET);
	at = put_time(&state->now, *packet, ns);
	at = put_sequence(at, state->now.id, TL_PF_NEEDS_STATE);
	return tl_protobuf_open(at, TL_PF_TRACK_EVENT);
}

static inline char *close_event(struct state *state, char *event, char *at, char *packet)
{
	at = tl_protobuf_close(event, at);
	if (state->names.told) {
		at = tl_protobuf_bytes(at, TL_PF_INTERNED_DATA, state->names.tell,
				       state->names.told);
		state->names.told = 0;
	}
	return tl_protobuf_close(packet, at);
}

/* By its number where it has one. */
static char *put_name(struct state *state, char *at, struct tl_pf_name *name, uint32_t numbered,
		      uint32_t plain, struct tl_pf_text string)
{
	uint32_t iid = name ? tl_pf_name_use(&state->names, name) : 0;

	return iid ? tl_protobuf_number(at, numbered, iid) : tl_pf_string(at, plain, string);
}

static char *put_event_name(struct state *state, char *at, struct tl_pf_text string)
{
	struct tl_pf_name *name = tl_pf_name_clean(&state->names, TL_PF_EVENT_NAMES, string);

	return put_name(state, at, name, TL_PF_NAME_IID, TL_PF_NAME, string);
}

static char *put_category(struct state *state, char *at, struct tl_pf_text string)
{
	struct tl_pf_name *name = tl_pf_name_clean(&state->names, TL_PF_EVENT_CATEGORIES, string);

	return put_name(state, at, name, TL_PF_CATEGORY_IIDS, TL_PF_CATEGORIES, string);
}

/* The end of what began last on a track; 0: the lane's. */
static void put_end(struct state *state, struct tl_text *text, uint64_t ns, uint64_t track)
{
	char *packet, *event = open_event(state, text->at, ns, &packet), *at = event;

	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_END);
	text->at = close_event(state, event, at, packet);
	if (ns > state->now.latest)
		state->now.latest = ns;
}

/* ---- Calls */

/*
 * A category with its levels; less than CATEGORY_MAX bytes, by so many that what a function has
 * besides fits.
 */
static struct tl_text with_levels(char *to, struct tl_pf_text category, uint32_t mask)
{
	struct tl_text text = {to, to + CATEGORY_MAX, false};

	tl_text_put(&text, category.bytes,
		    category.size < CATEGORY_MAX / 2 ? category.size : CATEGORY_MAX / 2);
	tl_text_levels(&text, mask);
	return text;
}

static struct tl_pf_text whole_text(const char *from, struct tl_text text)
{
	return (struct tl_pf_text){from, (size_t)(text.at - from)};
}

static struct tl_pf_text categories_of(char *to, const struct tl_function *function, bool failed)
{
	struct tl_text text = with_levels(to, tl_pf_text(function->api->name), function->level);

	tl_text_stage(&text, function);
	if (failed)
		tl_text_string(&text, ",failed");
	return whole_text(to, text);
}

static char *put_call_categories(struct state *state, char *at, const struct plan *plan,
				 bool failed)
{
	char string[CATEGORY_MAX];
	struct tl_pf_name *name = failed ? plan->failed : plan->categories;
	uint32_t iid = name ? tl_pf_name_use(&state->names, name) : 0;

	return iid ? tl_protobuf_number(at, TL_PF_CATEGORY_IIDS, iid)
		   : tl_pf_string(at, TL_PF_CATEGORIES,
				  categories_of(string, plan->function, failed));
}

static struct tl_pf_name *name_categories(struct state *state, const struct tl_function *function,
					  bool failed)
{
	char string[CATEGORY_MAX];

	return tl_pf_name_clean(&state->names, TL_PF_EVENT_CATEGORIES,
				categories_of(string, function, failed));
}

static void make_plan(struct state *state, struct plan *plan, const struct tl_function *function)
{
	const struct tl_variable result = {.name = "result", .type = function->result};

	plan->function = function;
	plan->name = tl_pf_name_clean(&state->names, TL_PF_EVENT_NAMES, tl_pf_text(function->name));
	plan->categories = name_categories(state, function, false);
	plan->failed = name_categories(state, function, true);
	plan->has_result = tl_call_has_result(function);
	plan->zero_failed = tl_call_failed(function, 0);
	plan->count = function->count < 16 ? function->count : 16;
	if (plan->has_result)
		tl_pf_step_make(&plan->result, &state->names, &result);
	for (uint16_t i = 0; i < plan->count; i++)
		tl_pf_step_make(&plan->steps[i], &state->names, &function->params[i]);
}

static struct plan *plan_of(struct state *state, const struct tl_function *function, uint32_t id)
{
	struct plan *plan = &state->plans[(id + (id >> 16) * 397) % PLANS];

	if (plan->function != function)
		make_plan(state, plan, function);
	return plan;
}

/* What was printed to the scratch. */
static void put_printed(struct state *state, struct tl_pf_notes *notes, const struct tl_text *text)
{
	notes->cut |= text->cut;
	tl_pf_note_members(notes, state->scratch, (size_t)(text->at - state->scratch));
}

static void put_args(struct state *state, struct tl_pf_notes *notes, struct plan *plan,
		     const struct tl_args_kept *kept)
{
	bool captured = kept->entry_size || kept->exit_size, walks = false;
	struct tl_text text;
	struct args_walk walk;

	if (!kept->words)
		return;
	for (uint16_t i = 0; i < plan->function->count; i++) {
		struct tl_pf_step *step = i < plan->count ? &plan->steps[i] : NULL;
		if (step && tl_pf_note_step(notes, step, kept->words[step->word], captured))
			continue;
		if (!walks)
			tl_args_walk_start(&walk, &text, plan->function, kept, true);
		walks = true;
		text = (struct tl_text){state->scratch, state->scratch + SCRATCH, false};
		tl_args_walk_param(&walk, i, true);
		put_printed(state, notes, &text);
	}
}

static void put_result(struct state *state, struct tl_pf_notes *notes, struct plan *plan,
		       uint64_t result)
{
	struct tl_text text = {state->scratch, state->scratch + SCRATCH, false};

	if (tl_pf_note_step(notes, &plan->result, result, false))
		return;
	tl_text_string(&text, "\"result\":");
	tl_value_print_exact(&text, plan->function->result, &result);
	put_printed(state, notes, &text);
}

static void put_cause(struct tl_pf_notes *notes, const struct tl_function *function,
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

/* The beginning of a call, with all that is known of it. */
static void put_begin(struct state *state, struct tl_text *text, const struct tl_call_record *call,
		      struct plan *plan, const struct tl_args_kept *kept, uint64_t ns)
{
	bool returned = !(call->flags & TL_RECORD_UNWOUND) && plan->has_result;
	bool failed = returned && (call->result ? tl_call_failed(plan->function, call->result)
						: plan->zero_failed);
	char *packet, *event = open_event(state, text->at, ns, &packet);
	char *at = put_call_categories(state, event, plan, failed);

	at = put_name(state, at, plan->name, TL_PF_NAME_IID, TL_PF_NAME,
		      tl_pf_text(plan->function->name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_BEGIN);
	struct tl_pf_notes notes = notes_at(state, text, at);
	notes.end -= OWN_MAX;
	put_args(state, &notes, plan, kept);
	notes.end += OWN_MAX;
	bool cut = notes.cut || (call->flags & TL_RECORD_CUT);
	if (returned)
		put_result(state, &notes, plan, call->result);
	if (call->flags & TL_RECORD_UNWOUND)
		tl_pf_note_value(&notes, tl_pf_text("unwound"), TL_PF_BOOL_VALUE, 1);
	if (cut)
		tl_pf_note_value(&notes, tl_pf_text("cut"), TL_PF_BOOL_VALUE, 1);
	put_cause(&notes, plan->function, tl_record_cause(call));
	text->at = close_event(state, event, notes.at, packet);
}

/*
 * The beginning of a call; before it, those of the calls that it was made in and that began when it
 * did. `depth`: how many are to come after it. False: there is no room.
 */
static bool put_beginnings(struct tl_encoder *encoder, struct tl_text *text,
			   const struct tl_call_record *call, unsigned depth)
{
	struct state *state = encoder->state;
	const struct tl_function *function = tl_encoder_function(encoder, call->function);
	struct tl_pf_tie *outer = tl_pf_tie_of_inner(&state->ties, call);
	struct tl_pf_tie *inner = tl_pf_tie_of_outer(&state->ties, call);
	struct tl_args_kept kept;

	if (inner && inner->begun)
		return true;
	if (outer && depth < DEPTH_MAX)
		put_beginnings(encoder, text, outer->outer, depth + 1);
	/* Those to come have their room. */
	struct tl_text part = {text->at, text->end, false};
	if (part.end - part.at < (ptrdiff_t)((depth + 1) * ROOM) || !function ||
	    !tl_args_find(&kept, function, call))
		return false;
	part.end -= depth * ROOM;
	put_begin(state, &part, call, plan_of(state, function, call->function), &kept,
		  tl_encoder_ns(encoder, call->start));
	text->at = part.at;
	if (inner)
		inner->begun = true;
	return true;
}

static bool put_call(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const struct tl_call_record *call)
{
	struct state *state = encoder->state;
	const struct tl_function *function = tl_encoder_function(encoder, call->function);
	struct tl_args_kept kept;
	uint64_t stop;

	if (!function || !tl_args_find(&kept, function, call))
		return false;
	if (!has_room(text))
		return true;
	if (__builtin_add_overflow(call->start, call->duration, &stop))
		stop = UINT64_MAX;
	uint64_t start = tl_encoder_ns(encoder, call->start), end = tl_encoder_ns(encoder, stop);
	text->at = put_lane(encoder, text->at, tid, start);
	if (put_beginnings(encoder, text, call, 0))
		put_end(state, text, end > start ? end : start, 0);
	return true;
}

/* ---- Events that are no calls */

static struct tl_pf_text text_of(const struct tl_encoder *encoder, uint32_t number,
				 const char *none)
{
	struct tl_pf_text text = {NULL, 0};

	text.bytes = tl_encoder_string(encoder, number, &text.size);
	return text.bytes ? text : tl_pf_text(none);
}

/* 0: the thread's. Lanes that are no thread's never are the default: their events name them. */
static uint64_t event_track(const struct tl_encoder *encoder, const struct tl_event_record *event)
{
	uint32_t shown = tl_event_shown(encoder, event);

	return shown ? track_of(encoder, shown) : 0;
}

/* It ends at a NUL, as in JSON. */
static struct tl_pf_text key_of(const struct tl_encoder *encoder, const struct tl_event_arg *arg)
{
	struct tl_pf_text key = text_of(encoder, arg->key, "?");

	key.size = strnlen(key.bytes, key.size);
	return key;
}

static void put_event_arg(const struct tl_encoder *encoder, struct tl_pf_notes *notes,
			  const struct tl_event_arg *arg)
{
	struct tl_pf_text key = key_of(encoder, arg);
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
		tl_pf_note_string(notes, key, text_of(encoder, number, ""));
		break;
	default:
		tl_pf_note_integer(notes, key, arg->value, false);
	}
}

static void put_event_args(const struct tl_encoder *encoder, struct tl_pf_notes *notes,
			   const struct tl_event_record *event)
{
	notes->end -= OWN_MAX;
	for (unsigned i = 0; i < event->args; i++)
		put_event_arg(encoder, notes, &event->arg[i]);
	notes->end += OWN_MAX;
	if (event->request)
		tl_pf_note_value(notes, tl_pf_text("request"), TL_PF_UINT_VALUE, event->request);
	if (notes->cut)
		tl_pf_note_value(notes, tl_pf_text("cut"), TL_PF_BOOL_VALUE, 1);
}

static char *put_flow(char *at, const struct tl_event_record *event)
{
	char *flow = tl_protobuf_open(at, TL_PF_LEGACY_EVENT);

	at = tl_protobuf_number(flow, TL_PF_LEGACY_PHASE, event->phase);
	at = tl_protobuf_number(at, TL_PF_LEGACY_ID, event->duration);
	at = tl_protobuf_number(at, TL_PF_LEGACY_ENCLOSING, 1);
	return tl_protobuf_close(flow, at);
}

/*
 * All but counters; of one that has a duration its beginning. A flow's ends are as in JSON, and
 * have no type: flows of slices' own need both slices' packets, and here the call's is long gone.
 */
static void put_plain_event(struct tl_encoder *encoder, struct tl_text *text,
			    const struct tl_event_record *event, enum tl_pf_type type, uint64_t ns,
			    bool is_cut)
{
	struct state *state = encoder->state;
	uint64_t track = event_track(encoder, event);
	struct tl_pf_text category = text_of(encoder, event->category, "tracelayer");
	char string[CATEGORY_MAX], *packet, *start, *at;

	at = start = open_event(state, text->at, ns, &packet);
	if (track)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	if (type != TL_PF_SLICE_END) {
		at = put_category(state, at,
				  whole_text(string, with_levels(string, category, event->level)));
		at = put_event_name(state, at, text_of(encoder, event->name, "?"));
	}
	at = type ? tl_protobuf_number(at, TL_PF_TYPE, type) : put_flow(at, event);
	struct tl_pf_notes notes = notes_at(state, text, at);
	notes.cut = is_cut;
	put_event_args(encoder, &notes, event);
	text->at = close_event(state, start, notes.at, packet);
}

/* A counter's track has the same number whoever tells of it. */
static uint64_t counter_track(const struct tl_encoder *encoder, struct tl_pf_text name)
{
	uint64_t hash = 14695981039346656037u ^ encoder->pid;

	for (size_t i = 0; i < name.size; i++)
		hash = (hash ^ (unsigned char)name.bytes[i]) * 1099511628211u;
	return hash | 1ull << 63;
}

/*
 * A series is called by what it counts, "bytes" or "commands", unless it is called as its counter
 * is.
 */
static char *put_unit(char *at, struct tl_pf_text name, struct tl_pf_text key)
{
	if (key.size == name.size && !memcmp(key.bytes, name.bytes, key.size))
		return at;
	if (key.size == strlen("bytes") && !memcmp(key.bytes, "bytes", key.size))
		return tl_protobuf_number(at, TL_PF_COUNTER_UNIT, TL_PF_UNIT_BYTES);
	return tl_pf_string(at, TL_PF_COUNTER_UNIT_NAME, key);
}

static char *put_counter_track(const struct tl_encoder *encoder, char *at, uint64_t track,
			       struct tl_pf_text name, struct tl_pf_text key)
{
	char *packet = tl_protobuf_open(at, TL_PF_PACKET), *descriptor;

	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TRACK_SEQUENCE);
	descriptor = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(descriptor, TL_PF_UUID, track);
	at = tl_protobuf_number(at, TL_PF_PARENT_UUID, track_of(encoder, 0));
	at = tl_pf_string(at, TL_PF_TRACK_NAME, name);
	char *counter = tl_protobuf_open(at, TL_PF_COUNTER_TRACK);
	at = tl_protobuf_close(counter, put_unit(counter, name, key));
	return tl_protobuf_close(packet, tl_protobuf_close(descriptor, at));
}

/* "memory used"; where both are the same, it is the name. */
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
static char *put_count(char *at, const struct tl_event_arg *arg)
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
static void put_series(struct tl_encoder *encoder, struct tl_text *text,
		       const struct tl_event_record *event, const struct tl_event_arg *arg,
		       uint64_t ns)
{
	struct state *state = encoder->state;
	char string[TL_PF_NAME_MAX], *packet, *start, *at;
	struct tl_pf_text name =
		series_name(string, text_of(encoder, event->name, "?"), key_of(encoder, arg));
	struct tl_pf_name *known = tl_pf_name_clean(&state->names, TL_PF_COUNTERS, name);
	uint64_t track = counter_track(encoder, name);

	if (!known || tl_pf_name_is_new(&state->names, known))
		text->at = put_counter_track(encoder, text->at, track, name, key_of(encoder, arg));
	at = start = open_event(state, text->at, ns, &packet);
	at = tl_protobuf_number(at, TL_PF_TRACK_UUID, track);
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_COUNTER);
	at = put_count(at, arg);
	text->at = close_event(state, start, at, packet);
}

static void put_ends(struct tl_encoder *encoder, struct tl_text *text,
		     const struct tl_event_record *event)
{
	struct tl_event_record ends[TL_EVENT_ENDS];
	uint64_t ns, stop;

	for (unsigned i = 0, count = tl_event_ends(encoder, event, ends);
	     i < count && has_room(text); i++) {
		tl_event_times(encoder, &ends[i], &ns, &stop);
		put_plain_event(encoder, text, &ends[i],
				ends[i].phase == 'i' ? TL_PF_INSTANT : TL_PF_NO_TYPE, ns, false);
	}
}

static void put_event(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		      const struct tl_event_record *event)
{
	struct state *state = encoder->state;
	uint64_t ns, stop;

	tl_event_times(encoder, event, &ns, &stop);
	text->at = put_lane(encoder, text->at, tid, ns);
	switch (event->phase) {
	case 'X':
		put_plain_event(encoder, text, event, TL_PF_SLICE_BEGIN, ns, false);
		put_ends(encoder, text, event);
		put_end(state, text, stop, event_track(encoder, event));
		break;
	case 'B':
		put_plain_event(encoder, text, event, TL_PF_SLICE_BEGIN, ns, false);
		break;
	case 'E':
		put_plain_event(encoder, text, event, TL_PF_SLICE_END, ns, false);
		break;
	case 'C':
		for (unsigned i = 0; i < event->args && has_room(text); i++)
			if (event->arg[i].kind != TL_VALUE_STRING)
				put_series(encoder, text, event, &event->arg[i], ns);
		break;
	case 's':
	case 't':
	case 'f':
		put_plain_event(encoder, text, event, TL_PF_NO_TYPE, ns, false);
		break;
	default:
		put_plain_event(encoder, text, event, TL_PF_INSTANT, ns, false);
	}
}

/* Records of the thread are missing: end what was open. */
static void put_gap(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid)
{
	struct tl_event_record end;

	while (has_room(text) && tl_encoder_gap(encoder, tid, &end)) {
		text->at = put_lane(encoder, text->at, tid, end.start);
		put_plain_event(encoder, text, &end, TL_PF_SLICE_END, end.start, true);
	}
}

/* ---- What a format has */

static void put_instant(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const char *name, uint64_t ns, const char *members, size_t size)
{
	struct state *state = encoder->state;
	char *packet, *event;

	text->at = put_lane(encoder, text->at, tid, ns);
	event = open_event(state, text->at, ns, &packet);
	char *at = put_category(state, event, tl_pf_text("tracelayer"));
	at = put_event_name(state, at, tl_pf_text(name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_INSTANT);
	struct tl_pf_notes notes = notes_at(state, text, at);
	tl_pf_note_members(&notes, members, size);
	text->at = close_event(state, event, notes.at, packet);
}

static void put_lost(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const struct tl_call_record *lost)
{
	char members[64];
	struct tl_text args = {members, members + sizeof(members), false};

	if (!has_room(text))
		return;
	tl_text_string(&args, "\"events\":");
	tl_text_unsigned(&args, lost->result);
	put_instant(encoder, text, tid, "lost", tl_encoder_ns(encoder, lost->start), members,
		    (size_t)(args.at - members));
}

static size_t record(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const struct tl_call_record *call, size_t size)
{
	struct state *state = encoder->state;

	if (!tl_record_is_whole(call, size))
		return 0;
	if (tl_record_is_gap(call))
		put_gap(encoder, text, tid);
	tl_pf_ties_look(&state->ties, call, size, encoder);
	switch (call->type) {
	case TL_RECORD_CALL:
		if (!put_call(encoder, text, tid, call))
			return 0;
		if (encoder->marks && encoder->marks->now.open)
			tl_encoder_note(encoder, tid, call);
		break;
	case TL_RECORD_LOST:
		put_lost(encoder, text, tid, call);
		break;
	case TL_RECORD_EVENT:
		if (!tl_event_is_sound((const void *)call))
			return 0;
		/* Perfetto counts it as an error, and may end what is not meant. */
		if (!tl_encoder_note(encoder, tid, call))
			break;
		if (has_room(text))
			put_event(encoder, text, tid, (const void *)call);
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

static char *open_track(const struct tl_encoder *encoder, char *at, uint32_t tid,
			struct track *track)
{
	uint32_t kind = tid ? TL_PF_THREAD : TL_PF_PROCESS;

	track->packet = tl_protobuf_open(at, TL_PF_PACKET);
	at = tl_protobuf_number(track->packet, TL_PF_SEQUENCE_ID, TRACK_SEQUENCE);
	track->track = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(track->track, TL_PF_UUID, track_of(encoder, tid));
	if (tid)
		at = tl_protobuf_number(at, TL_PF_PARENT_UUID, track_of(encoder, 0));
	track->kind = tl_protobuf_open(at, kind);
	return track->kind;
}

static char *close_track(const struct track *track, char *at)
{
	at = tl_protobuf_close(track->kind, at);
	at = tl_protobuf_close(track->track, at);
	return tl_protobuf_close(track->packet, at);
}

/* A string that may have no end. */
static struct tl_pf_text bounded(const char *string, size_t most)
{
	return (struct tl_pf_text){string, strnlen(string, most)};
}

static void put_process(struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_facts *facts)
{
	char labels[128];
	struct tl_text label = {labels, labels + sizeof(labels), false};
	struct track track;
	char *at = open_track(encoder, text->at, 0, &track);

	at = tl_protobuf_number(at, TL_PF_PROCESS_PID, encoder->pid);
	if (facts->has_rank) {
		at = tl_protobuf_number(at, TL_PF_PROCESS_SORT_INDEX, (uint64_t)facts->rank);
		tl_text_string(&label, "rank ");
		tl_text_signed(&label, facts->rank);
		tl_text_string(&label, ", ");
	}
	tl_text_put(&label, facts->host, strnlen(facts->host, sizeof(facts->host)));
	at = tl_pf_string(at, TL_PF_PROCESS_NAME, bounded(facts->program, sizeof(facts->program)));
	at = tl_pf_string(at, TL_PF_PROCESS_LABELS,
			  (struct tl_pf_text){labels, (size_t)(label.at - labels)});
	text->at = close_track(&track, at);
}

/*
 * CLOCK_BOOTTIME at the instant of the other two, which goes on while the machine sleeps. It is
 * among the members; a file of an older version lacks it, and then it is as if the machine had
 * never slept.
 */
static uint64_t boottime_of(const struct tl_facts *facts)
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
 * What the time of day is at a time of the trace. Perfetto's own clock is CLOCK_BOOTTIME: a file
 * that does not relate that to its times can't be put beside others.
 */
static void put_day(struct tl_text *text, const struct tl_facts *facts)
{
	char *packet = tl_protobuf_open(text->at, TL_PF_PACKET);
	char *at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, FIRST_SEQUENCE);
	char *snapshot = tl_protobuf_open(at, TL_PF_CLOCK_SNAPSHOT);

	at = put_clock(snapshot, TL_PF_REALTIME, facts->realtime_ns);
	at = put_clock(at, TL_PF_MONOTONIC, facts->monotonic_ns);
	at = put_clock(at, TL_PF_BOOTTIME, boottime_of(facts));
	at = tl_protobuf_number(at, TL_PF_PRIMARY_CLOCK, TL_PF_MONOTONIC);
	text->at = tl_protobuf_close(packet, tl_protobuf_close(snapshot, at));
}

static void begin(struct tl_encoder *encoder, struct tl_text *text, const struct tl_facts *facts)
{
	struct state *state = encoder->state;

	if (!has_room(text))
		return;
	state->now.owns_file = true;
	put_day(text, facts);
	put_process(encoder, text, facts);
	put_instant(encoder, text, 0, "tracelayer", facts->monotonic_ns, facts->members,
		    strnlen(facts->members, sizeof(facts->members)));
}

static void thread(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		   const char name[16])
{
	struct track track;

	if (!has_room(text))
		return;
	char *at = open_track(encoder, text->at, tid, &track);
	at = tl_protobuf_number(at, TL_PF_THREAD_PID, encoder->pid);
	at = tl_protobuf_number(at, TL_PF_THREAD_TID, tid);
	at = tl_pf_string(at, TL_PF_THREAD_NAME, bounded(name, 16));
	text->at = close_track(&track, at);
}

static void lane(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid, const char *name,
		 size_t size, int32_t sort)
{
	char *packet, *track, *at;

	if (!has_room(text))
		return;
	packet = tl_protobuf_open(text->at, TL_PF_PACKET);
	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TRACK_SEQUENCE);
	track = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(track, TL_PF_UUID, track_of(encoder, tid));
	at = tl_protobuf_number(at, TL_PF_PARENT_UUID, track_of(encoder, 0));
	at = tl_pf_string(at, TL_PF_TRACK_NAME, (struct tl_pf_text){name, size});
	at = tl_protobuf_number(at, TL_PF_SIBLING_ORDER_RANK, (uint64_t)(int64_t)sort);
	at = tl_protobuf_number(at, TL_PF_SIBLING_MERGE_BEHAVIOR, TL_PF_SIBLING_MERGE_NONE);
	text->at = tl_protobuf_close(packet, tl_protobuf_close(track, at));
}

static void unfinished(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		       uint32_t function, uint64_t start, uint64_t end)
{
	struct state *state = encoder->state;
	const struct tl_function *called = tl_encoder_function(encoder, function);
	char *packet, *event, *at;

	if (!called || !has_room(text))
		return;
	struct plan *plan = plan_of(state, called, function);
	text->at = put_lane(encoder, text->at, tid, tl_encoder_ns(encoder, start));
	event = open_event(state, text->at, tl_encoder_ns(encoder, start), &packet);
	at = put_call_categories(state, event, plan, false);
	at = put_name(state, at, plan->name, TL_PF_NAME_IID, TL_PF_NAME, tl_pf_text(called->name));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_SLICE_BEGIN);
	struct tl_pf_notes notes = notes_at(state, text, at);
	tl_pf_note_value(&notes, tl_pf_text("unfinished"), TL_PF_BOOL_VALUE, 1);
	text->at = close_event(state, event, notes.at, packet);
	put_end(state, text, tl_encoder_ns(encoder, end > start ? end : start), 0);
}

/* More may be written over the end: what it tells of names and lanes is not known to what follows.
 */
static void end(struct tl_encoder *encoder, struct tl_text *text, const struct tl_totals *totals)
{
	struct state *state = encoder->state;
	struct tl_text args = {state->scratch, state->scratch + SCRATCH, false};
	struct sequence before = state->now;
	bool changed = state->names.changed;

	if (!has_room(text))
		return;
	tl_text_totals(&args, totals);
	state->names.block++;
	put_instant(encoder, text, 0, "tracelayer_end", before.latest, state->scratch,
		    (size_t)(args.at - state->scratch));
	tl_pf_names_drop(&state->names);
	state->names.block--;
	state->names.changed = changed;
	state->now = before;
}

static void block(struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	if (encoder->marks)
		tl_open_marks_block(encoder->marks);
	tl_pf_names_drop(&state->names);
	state->now = state->kept;
	if (!state->settled)
		tl_pf_ties_forget(&state->ties);
	state->settled = false;
}

static void kept(struct tl_encoder *encoder)
{
	struct state *state = encoder->state;

	if (encoder->marks)
		tl_open_marks_kept(encoder->marks);
	tl_pf_names_keep(&state->names);
	state->kept = state->now;
	state->settled = true;
}

const struct tl_format tl_format_pftrace = {
	.ending = ".pftrace",
	.number = TL_OUTPUT_PFTRACE,
	.state = sizeof(struct state),
	.begin = begin,
	.thread = thread,
	.lane = lane,
	.record = record,
	.unfinished = unfinished,
	.end = end,
	.block = block,
	.kept = kept,
};
