/* SPDX-License-Identifier: MIT */
/*
 * pftrace_reader.c: see pftrace_reader.h. The file is a row of packets (format/encode/pftrace.c
 * says which), and one packet is in memory at a time; besides, the names that packets refer to, and
 * the slices that have begun. A slice's two packets stand one behind the other, or with slices of
 * the same lane between them that are in it; so an end is that of the slice whose beginning came
 * last, in the file's order.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/basics/list_room.h"
#include "cli/read/event_members.h"
#include "cli/read/pftrace_frames.h"
#include "cli/read/pftrace_reader.h"
#include "cli/read/pftrace_values.h"
#include "cli/read/shown_names.h"
#include "format/encode/encode.h"

#define PACKET_MOST (64u << 20)

/* Packets of one sequence rely on each other. */
struct sequence {
	uint64_t id;
	struct pf_names names;
	struct pf_stacks stacks;
	uint64_t track, clock; /* those of packets that do not say theirs */
	uint64_t now;	       /* of the incremental clock */
};

/* A track. */
struct track {
	uint32_t process, thread;
	json_t *counter, *series; /* names; NULL: it is no counter's */
	json_t **open;		  /* slices that have begun */
	size_t depth, room;
};

struct pftrace {
	struct block_reader *blocks;
	unsigned char *at, *end;
	unsigned long long offset; /* of the packet */
	bool failed, ended_early;
	const struct trace_visitor *visitor;
	void *user;

	unsigned char *packet;
	size_t room;
	struct sequence *sequences;
	size_t nsequences;
	struct numbers track_numbers;
	struct track *tracks;
	struct pf_tree tree;
	bool is_ours, has_end, is_foreign, has_gpu_events, stops;
};

/* ---- bytes of the file ---- */

static bool bytes_more(struct pftrace *trace)
{
	return trace->at < trace->end ||
	       (!trace->failed &&
		block_next(trace->blocks, &trace->at, &trace->end, 0, &trace->failed, 0));
}

static bool byte_get(struct pftrace *trace, unsigned char *byte)
{
	if (!bytes_more(trace))
		return false;
	*byte = *trace->at++;
	trace->offset++;
	return true;
}

static bool bytes_get(struct pftrace *trace, unsigned char *to, size_t size)
{
	while (size) {
		if (!bytes_more(trace))
			return false;
		size_t there = (size_t)(trace->end - trace->at), part = there < size ? there : size;

		memcpy(to, trace->at, part);
		trace->at += part;
		trace->offset += part;
		to += part;
		size -= part;
	}
	return true;
}

enum packet_state { PACKET_THERE, PACKET_END, PACKET_CUT, PACKET_DAMAGED };

static enum packet_state packet_read(struct pftrace *trace, struct pb_bytes *packet)
{
	unsigned char byte;
	uint64_t size = 0;
	unsigned shift = 0;

	if (!byte_get(trace, &byte))
		return PACKET_END;
	if (byte != (TL_PF_PACKET << 3 | 2))
		return PACKET_DAMAGED;
	do {
		if (!byte_get(trace, &byte))
			return PACKET_CUT;
		size |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte > 127 && shift < 35);
	if (byte > 127 || size > PACKET_MOST)
		return PACKET_DAMAGED;
	if (size >= trace->room) {
		trace->room = size + size / 2 + 4096;
		trace->packet = need(realloc(trace->packet, trace->room));
	}
	*packet = (struct pb_bytes){trace->packet, trace->packet + size, false};
	return bytes_get(trace, trace->packet, size) ? PACKET_THERE : PACKET_CUT;
}

static struct sequence *sequence_of(struct pftrace *trace, uint64_t id)
{
	for (size_t i = 0; i < trace->nsequences; i++)
		if (trace->sequences[i].id == id)
			return &trace->sequences[i];
	trace->sequences = need(
		reallocarray(trace->sequences, trace->nsequences + 1, sizeof(*trace->sequences)));
	trace->sequences[trace->nsequences] = (struct sequence){.id = id};
	return &trace->sequences[trace->nsequences++];
}

static void sequence_clear(struct sequence *sequence)
{
	pf_names_forget(&sequence->names);
	pf_stacks_forget(&sequence->stacks);
	sequence->track = sequence->clock = sequence->now = 0;
}

/* ---- events ---- */

struct packet {
	uint64_t time, clock, sequence, flags;
	bool has_event, has_gpu_event;
	struct pb_bytes event, names, defaults, track, clocks;
};

struct event {
	json_t *name, *category, *args;
	json_t *frame; /* who called; the sequence's */
	uint64_t track, type, phase, flow, stack;
	json_t *count; /* a counter's */
};

static struct track *track_at(struct pftrace *trace, uint64_t number)
{
	uint32_t count = trace->track_numbers.count,
		 place = numbers_add(&trace->track_numbers, number);

	if (place == count) {
		if (!(count & (count + 1)))
			trace->tracks = need(reallocarray(trace->tracks, 2 * (size_t)count + 2,
							  sizeof(*trace->tracks)));
		/* Tracks of processes, threads and lanes have their numbers in theirs. */
		trace->tracks[place] = (struct track){.process = (uint32_t)(number >> 32),
						      .thread = (uint32_t)number};
	}
	return &trace->tracks[place];
}

/* Takes the event over. */
static void event_give(struct pftrace *trace, json_t *event)
{
	event_show_name(event);
	if (!trace->stops)
		trace->stops = !trace->visitor->parsed(trace->user, event);
	json_decref(event);
}

static json_t *event_new(const char *phase, const struct track *track)
{
	json_t *event = json_object();

	json_object_set_new(event, "ph", json_string(phase));
	json_object_set_new(event, "pid", json_real(track->process));
	json_object_set_new(event, "tid", json_real(track->thread));
	return event;
}

static void metadata_give(struct pftrace *trace, const struct track *track, const char *name,
			  json_t *args)
{
	json_t *event = event_new("M", track);

	json_object_set_new(event, "name", json_string(name));
	json_object_set_new(event, "args", args);
	event_give(trace, event);
}

/* Takes the value over. */
static void metadata_member(struct pftrace *trace, const struct track *track, const char *name,
			    const char *key, json_t *value)
{
	json_t *args = json_object();

	json_object_set_new(args, key, value);
	metadata_give(trace, track, name, args);
}

/* Microseconds, of which nanoseconds are read again without loss. */
static json_t *time_json(uint64_t ns)
{
	return json_real((double)ns / 1000);
}

static uint64_t event_time(const json_t *event)
{
	long long ns = event_nanoseconds(event, "ts", 0);

	return ns > 0 ? (uint64_t)ns : 0;
}

static void category_add(json_t **all, json_t *one)
{
	char *both;

	if (!*all) {
		*all = one;
		return;
	}
	if (asprintf(&both, "%s,%s", json_string_value(*all), json_string_value(one)) < 0)
		need(NULL);
	json_decref(*all);
	json_decref(one);
	*all = json_string(both);
	free(both);
}

static void flow_take(struct event *event, struct pb_bytes flow)
{
	struct pb_field field;

	while (pb_next(&flow, &field))
		if (field.number == TL_PF_LEGACY_PHASE)
			event->phase = field.value;
		else if (field.number == TL_PF_LEGACY_ID)
			event->flow = field.value;
}

/* Fields that are texts or messages. */
static void event_take_bytes(const struct sequence *sequence, struct event *event,
			     const struct pb_field *field)
{
	switch (field->number) {
	case TL_PF_CATEGORIES:
		category_add(&event->category, pf_text(field->bytes));
		break;
	case TL_PF_NAME:
		json_decref(event->name);
		event->name = pf_text(field->bytes);
		break;
	case TL_PF_ANNOTATIONS:
		pf_note(&sequence->names, field->bytes, event->args);
		break;
	case TL_PF_LEGACY_EVENT:
		flow_take(event, field->bytes);
		break;
	}
}

static void event_take_number(const struct sequence *sequence, struct event *event,
			      const struct pb_field *field)
{
	switch (field->number) {
	case TL_PF_CATEGORY_IIDS:
		category_add(&event->category,
			     pf_name(&sequence->names, PF_CATEGORIES, field->value));
		break;
	case TL_PF_NAME_IID:
		json_decref(event->name);
		event->name = pf_name(&sequence->names, PF_NAMES, field->value);
		break;
	case TL_PF_TYPE:
		event->type = field->value;
		break;
	case TL_PF_TRACK_UUID:
		event->track = field->value;
		break;
	case TL_PF_CALLSTACK_IID:
		event->stack = field->value;
		break;
	case TL_PF_COUNTER_VALUE:
		json_decref(event->count);
		event->count = pf_number((double)(int64_t)field->value);
		break;
	case TL_PF_DOUBLE_COUNTER_VALUE:
		json_decref(event->count);
		event->count = pf_double(field->value);
		break;
	}
}

/* The members that all events have. They are the event's from then on. */
static json_t *event_json(const char *phase, const struct track *track, struct event *event,
			  uint64_t ns)
{
	json_t *json = event_new(phase, track);

	json_object_set_new(json, "ts", time_json(ns));
	if (event->name)
		json_object_set(json, "name", event->name);
	if (event->category)
		json_object_set(json, "cat", event->category);
	if (event->frame)
		json_object_set(json, "sf", event->frame);
	json_object_set(json, "args", event->args);
	return json;
}

static void slice_begin(struct track *track, struct event *event, uint64_t ns)
{
	LIST_ROOM(track->open, track->depth, track->room);
	track->open[track->depth++] = event_json("B", track, event, ns);
}

static void slice_end(struct pftrace *trace, struct track *track, struct event *event, uint64_t ns)
{
	if (!track->depth) {
		event_give(trace,
			   event_json("E", track, event, ns)); /* begun before the trace was */
		return;
	}
	json_t *slice = track->open[--track->depth];
	uint64_t start = event_time(slice);

	json_object_set_new(slice, "ph", json_string("X"));
	json_object_set_new(slice, "dur", time_json(ns > start ? ns - start : 0));
	json_object_update(json_object_get(slice, "args"), event->args);
	event_give(trace, slice);
}

static void count_give(struct pftrace *trace, const struct track *track, struct event *event,
		       uint64_t ns)
{
	if (!track->counter || !event->count)
		return;
	json_object_set(event->args, json_string_value(track->series), event->count);
	json_t *json = event_json("C", track, event, ns);

	json_object_set(json, "name", track->counter);
	json_object_set_new(json, "cat", json_string("tracelayer"));
	event_give(trace, json);
}

/* The trace's own: what it says of itself, which is metadata in JSON. */
static bool instant_is_own(struct pftrace *trace, const struct track *track,
			   const struct event *event)
{
	const char *name = json_string_value(event->name),
		   *category = json_string_value(event->category);
	bool is_end = name && !strcmp(name, "tracelayer_end");

	if (!category || strcmp(category, "tracelayer") || track->thread ||
	    (!is_end && (!name || strcmp(name, "tracelayer"))))
		return false;
	trace->is_ours |= !is_end;
	trace->has_end = is_end;
	metadata_give(trace, track, name, json_incref(event->args));
	return true;
}

static void flow_give(struct pftrace *trace, const struct track *track, struct event *event,
		      uint64_t ns)
{
	const char phase[] = {(char)event->phase, 0};

	if (event->phase != 's' && event->phase != 't' && event->phase != 'f')
		return;
	json_t *json = event_json(phase, track, event, ns);

	json_object_set_new(json, "id", json_real((double)event->flow));
	if (event->phase == 'f')
		json_object_set_new(json, "bp", json_string("e"));
	event_give(trace, json);
}

static void instant_give(struct pftrace *trace, const struct track *track, struct event *event,
			 uint64_t ns)
{
	json_t *json = event_json("i", track, event, ns);

	json_object_set_new(json, "s", json_string("t"));
	event_give(trace, json);
}

static void event_place(struct pftrace *trace, struct event *event, uint64_t ns)
{
	struct track *track = track_at(trace, event->track);

	if (event->type == TL_PF_INSTANT && instant_is_own(trace, track, event))
		return;
	if (!trace->is_ours) {
		trace->is_foreign = trace->stops = true;
		return;
	}
	switch (event->type) {
	case TL_PF_SLICE_BEGIN:
		slice_begin(track, event, ns);
		break;
	case TL_PF_SLICE_END:
		slice_end(trace, track, event, ns);
		break;
	case TL_PF_INSTANT:
		instant_give(trace, track, event, ns);
		break;
	case TL_PF_COUNTER:
		count_give(trace, track, event, ns);
		break;
	case TL_PF_NO_TYPE:
		flow_give(trace, track, event, ns);
		break;
	}
}

static void event_take(struct pftrace *trace, struct sequence *sequence, uint64_t ns,
		       struct pb_bytes bytes)
{
	struct event event = {.args = json_object(), .track = sequence->track};
	struct pb_field field;

	while (pb_next(&bytes, &field))
		if (field.has_bytes)
			event_take_bytes(sequence, &event, &field);
		else
			event_take_number(sequence, &event, &field);
	if (event.stack)
		event.frame = pf_stack(&trace->tree, &sequence->names, &sequence->stacks,
				       event.stack, trace->visitor, trace->user);
	event_place(trace, &event, ns);
	json_decref(event.name);
	json_decref(event.category);
	json_decref(event.args);
	json_decref(event.count);
}

/* ---- tracks ---- */

/*
 * "memory used" of the series "used"; a unit says which series, unless it has the counter's name.
 */
static void counter_name(struct track *track, const char *name, const char *series)
{
	size_t size = strlen(name), behind = series ? strlen(series) + 1 : 0;
	bool is_both = behind && size > behind && name[size - behind] == ' ' &&
		       !strcmp(name + size - behind + 1, series);

	json_decref(track->counter);
	json_decref(track->series);
	track->counter = json_stringn(name, is_both ? size - behind : size);
	track->series = json_string(is_both ? series : name);
}

static void counter_take(struct track *track, struct pb_bytes counter, const char *name)
{
	struct pb_field field;
	json_t *unit = NULL;

	while (pb_next(&counter, &field))
		if (field.number == TL_PF_COUNTER_UNIT && field.value == TL_PF_UNIT_BYTES) {
			json_decref(unit);
			unit = json_string("bytes");
		} else if (field.number == TL_PF_COUNTER_UNIT_NAME && field.has_bytes) {
			json_decref(unit);
			unit = pf_text(field.bytes);
		}
	counter_name(track, name, json_string_value(unit));
	json_decref(unit);
}

static void process_take(struct pftrace *trace, const struct track *track, struct pb_bytes process)
{
	struct pb_field field;

	while (pb_next(&process, &field))
		if (field.number == TL_PF_PROCESS_NAME && field.has_bytes)
			metadata_member(trace, track, "process_name", "name", pf_text(field.bytes));
		else if (field.number == TL_PF_PROCESS_LABELS && field.has_bytes)
			metadata_member(trace, track, "process_labels", "labels",
					pf_text(field.bytes));
		else if (field.number == TL_PF_PROCESS_SORT_INDEX)
			metadata_member(trace, track, "process_sort_index", "sort_index",
					json_real((double)(int64_t)field.value));
}

static void thread_take(struct pftrace *trace, const struct track *track, struct pb_bytes thread)
{
	struct pb_field field;

	while (pb_next(&thread, &field))
		if (field.number == TL_PF_THREAD_NAME && field.has_bytes)
			metadata_member(trace, track, "thread_name", "name", pf_text(field.bytes));
}

struct description {
	uint64_t number, parent, rank;
	bool has_rank, has_process, has_thread, has_counter;
	struct pb_bytes process, thread, counter;
	json_t *name;
};

static void description_field(struct description *track, const struct pb_field *field)
{
	switch (field->number) {
	case TL_PF_UUID:
		track->number = field->value;
		break;
	case TL_PF_PARENT_UUID:
		track->parent = field->value;
		break;
	case TL_PF_SIBLING_ORDER_RANK:
		track->rank = field->value;
		track->has_rank = true;
		break;
	case TL_PF_TRACK_NAME:
		if (!field->has_bytes)
			break;
		json_decref(track->name);
		track->name = pf_text(field->bytes);
		break;
	case TL_PF_PROCESS:
		track->has_process = field->has_bytes;
		track->process = field->bytes;
		break;
	case TL_PF_THREAD:
		track->has_thread = field->has_bytes;
		track->thread = field->bytes;
		break;
	case TL_PF_COUNTER_TRACK:
		track->has_counter = field->has_bytes;
		track->counter = field->bytes;
		break;
	}
}

/* A further lane of a thread: in JSON it is another one (format/encode/further_lanes.h). */
static void further_lane(struct pftrace *trace, struct track *track, const struct description *is)
{
	uint32_t further = (uint32_t)((is->number ^ is->parent) >> TL_PF_FURTHER_LANE),
		 tid = (uint32_t)is->parent, old = track->thread;
	json_t *args;
	char name[40];

	track->thread = trace->visitor->further_lanes && !tl_further_is_lane(tid)
				? tl_further_lane(tid, further)
				: tid;
	if (track->thread == tid || track->thread == old)
		return;
	snprintf(name, sizeof(name), TL_FURTHER_NAME "%u", tid);
	args = json_object();
	json_object_set_new(args, "name", json_string(name));
	json_object_set_new(args, TL_FURTHER_THREAD, json_real(tid));
	metadata_give(trace, track, "thread_name", args);
}

static void track_take(struct pftrace *trace, struct pb_bytes bytes)
{
	struct description is = {.number = 0};
	struct pb_field field;

	while (pb_next(&bytes, &field))
		description_field(&is, &field);
	struct track *track = track_at(trace, is.number);

	if (is.has_process) {
		process_take(trace, track, is.process);
	} else if (is.has_thread) {
		thread_take(trace, track, is.thread);
	} else if (is.has_counter) {
		/* Its number says nothing; it is the process's. */
		track->process = track->thread = (uint32_t)(is.parent >> 32);
		counter_take(track, is.counter, is.name ? json_string_value(is.name) : "?");
	} else if ((uint32_t)is.parent) {
		track->process = (uint32_t)(is.parent >> 32);
		further_lane(trace, track, &is);
	} else if (is.name) {
		metadata_member(trace, track, "thread_name", "name", json_incref(is.name));
		metadata_member(trace, track, "thread_sort_index", "sort_index",
				json_real(is.has_rank ? (double)(int64_t)is.rank : 0));
	}
	json_decref(is.name);
}

/* ---- packets ---- */

static void clock_take(struct sequence *sequence, struct pb_bytes clock)
{
	struct pb_field field;
	uint64_t id = 0, time = 0;

	while (pb_next(&clock, &field))
		if (field.number == TL_PF_CLOCK_ID)
			id = field.value;
		else if (field.number == TL_PF_CLOCK_TIMESTAMP)
			time = field.value;
	if (id == TL_PF_DELTAS)
		sequence->now = time;
}

static void clocks_take(struct sequence *sequence, struct pb_bytes clocks)
{
	struct pb_field field;

	while (pb_next(&clocks, &field))
		if (field.number == TL_PF_CLOCKS && field.has_bytes)
			clock_take(sequence, field.bytes);
}

static void defaults_take(struct sequence *sequence, struct pb_bytes defaults)
{
	struct pb_field field, inner;

	while (pb_next(&defaults, &field))
		if (field.number == TL_PF_DEFAULT_CLOCK)
			sequence->clock = field.value;
		else if (field.number == TL_PF_DEFAULT_TRACK_EVENT && field.has_bytes)
			while (pb_next(&field.bytes, &inner))
				if (inner.number == TL_PF_TRACK_UUID)
					sequence->track = inner.value;
}

static void packet_field(struct packet *packet, const struct pb_field *field)
{
	switch (field->number) {
	case TL_PF_TIMESTAMP:
		packet->time = field->value;
		break;
	case TL_PF_TIMESTAMP_CLOCK_ID:
		packet->clock = field->value;
		break;
	case TL_PF_SEQUENCE_ID:
		packet->sequence = field->value;
		break;
	case TL_PF_SEQUENCE_FLAGS:
		packet->flags = field->value;
		break;
	case TL_PF_TRACK_EVENT:
		packet->has_event = field->has_bytes;
		packet->event = field->bytes;
		break;
	case TL_PF_GPU_STAGE_EVENT:
		packet->has_gpu_event = true;
		break;
	case TL_PF_INTERNED_DATA:
		packet->names = field->bytes;
		break;
	case TL_PF_PACKET_DEFAULTS:
		packet->defaults = field->bytes;
		break;
	case TL_PF_TRACK_DESCRIPTOR:
		packet->track = field->bytes;
		break;
	case TL_PF_CLOCK_SNAPSHOT:
		packet->clocks = field->bytes;
		break;
	}
}

/* A time of the sequence's own clock says how much later it is. */
static uint64_t packet_time(struct sequence *sequence, const struct packet *packet)
{
	uint64_t clock = packet->clock ? packet->clock : sequence->clock;

	if (clock != TL_PF_DELTAS)
		return packet->time;
	return sequence->now += packet->time;
}

static bool packet_take(struct pftrace *trace, struct pb_bytes *bytes)
{
	struct packet packet = {.sequence = 0};
	struct pb_field field;

	while (pb_next(bytes, &field))
		packet_field(&packet, &field);
	if (bytes->is_damaged)
		return false;
	struct sequence *sequence = sequence_of(trace, packet.sequence);

	if (packet.flags & TL_PF_STATE_CLEARED)
		sequence_clear(sequence);
	pf_names_take(&sequence->names, packet.names);
	pf_stacks_take(&sequence->stacks, packet.names);
	defaults_take(sequence, packet.defaults);
	clocks_take(sequence, packet.clocks);
	if (packet.track.at)
		track_take(trace, packet.track);
	if (packet.has_gpu_event && trace->is_ours)
		trace->has_gpu_events = trace->stops = true;
	if (packet.has_event)
		event_take(trace, sequence, packet_time(sequence, &packet), packet.event);
	return true;
}

/* ---- the whole ---- */

/* Slices without an end. */
static void slices_flush(struct pftrace *trace)
{
	for (uint32_t i = 0; i < trace->track_numbers.count; i++) {
		struct track *track = &trace->tracks[i];

		for (size_t j = 0; j < track->depth; j++)
			event_give(trace, track->open[j]);
		track->depth = 0;
	}
}

static void pftrace_free(struct pftrace *trace)
{
	for (size_t i = 0; i < trace->nsequences; i++)
		sequence_clear(&trace->sequences[i]);
	for (uint32_t i = 0; i < trace->track_numbers.count; i++) {
		json_decref(trace->tracks[i].counter);
		json_decref(trace->tracks[i].series);
		free(trace->tracks[i].open);
	}
	free(trace->sequences);
	free(trace->tracks);
	free(trace->packet);
	numbers_free(&trace->track_numbers);
	pf_tree_free(&trace->tree);
}

/* What became of it, as an exit code, after a message. */
static int pftrace_judge(const struct pftrace *trace, enum packet_state state)
{
	const char *shown = trace->blocks->shown;

	if (trace->failed)
		return EXIT_BROKEN;
	if (trace->is_foreign || (!trace->is_ours && state == PACKET_END))
		say("%s: a Perfetto trace of another tool, which only viewers can read; give one that `tracelayer run` or `tracelayer export` wrote",
		    shown);
	else if (trace->has_gpu_events)
		say("%s: its device commands are Perfetto's own GPU events (--gpu-tracks), which can't be read again; give the .tlt or JSON that it was made of",
		    shown);
	else if (state == PACKET_DAMAGED)
		say("%s: byte %llu: damaged, or no Perfetto trace; give a trace as `tracelayer run` writes it",
		    shown, trace->offset);
	else if (trace->stops)
		return EXIT_BROKEN; /* the visitor's wish */
	else if (!trace->is_ours)
		say("%s: cut short: nothing that tracelayer wrote is in it; give the whole file",
		    shown);
	if (trace->is_foreign || trace->has_gpu_events || !trace->is_ours ||
	    state == PACKET_DAMAGED)
		return EXIT_BROKEN;
	if (state == PACKET_END && trace->has_end && !trace->blocks->cut)
		return EXIT_DONE;
	say("%s: cut short: the end of the trace is missing; the events before that are used",
	    shown);
	return EXIT_INCOMPLETE;
}

int pftrace_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		 const struct trace_visitor *visitor, void *user)
{
	struct pftrace trace = {
		.blocks = blocks, .at = at, .end = end, .visitor = visitor, .user = user};
	enum packet_state state = PACKET_THERE;
	struct pb_bytes packet;

	while (!trace.stops && (state = packet_read(&trace, &packet)) == PACKET_THERE)
		if (!packet_take(&trace, &packet)) {
			state = PACKET_DAMAGED;
			break;
		}
	slices_flush(&trace);
	int code = pftrace_judge(&trace, state);

	pftrace_free(&trace);
	return code;
}
