/* SPDX-License-Identifier: MIT */
/*
 * json_event.c: events that are not calls, as Chrome trace JSON.
 *
 *	{"ph":"X","pid":7,"name":"vector_add","cat":"opencl,operator","tid":4194304,
 *	 "ts":1.234,"dur":0.100,"args":{"global":"1024","correlation":12}}
 */
#include <string.h>

#include "format/encode/json_event.h"
#include "common/levels.h"
#include "format/encode/touching.h"
#include "tracelayer/api.h"

static void event_text(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number,
		       const char *none)
{
	size_t size = 0;
	const char *bytes = tl_encoder_string(encoder, number, &size);

	tl_text_string(text, "\"");
	tl_text_escape(text, bytes ? bytes : none, bytes ? size : strlen(none));
	tl_text_string(text, "\"");
}

static void event_category(const struct tl_encoder *encoder, struct tl_text *text,
			   const struct tl_event_record *event)
{
	size_t size = 0;
	const char *bytes = tl_encoder_string(encoder, event->category, &size);

	tl_text_string(text, ",\"cat\":\"");
	tl_text_escape(text, bytes ? bytes : "tracelayer", bytes ? size : strlen("tracelayer"));
	tl_text_levels(text, event->level);
	tl_text_string(text, "\"");
}

static void event_times(const struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_event_record *event, bool moves)
{
	uint64_t start, stop;

	tl_event_times(encoder, event, &start, &stop);
	tl_text_string(text, ",\"ts\":");
	tl_text_microseconds(text, start);
	if (event->phase != 'X')
		return;
	tl_text_string(text, moves ? "2,\"dur\":" : ",\"dur\":");
	if (stop == start) {
		tl_text_string(text, "0.0001");
		return;
	}
	tl_text_microseconds(text, stop - start - moves);
	if (moves)
		tl_text_string(text, "8");
}

/* Whether the event is an X that touches the slice before it on its lane. */
static bool event_is_to_move(const struct tl_encoder *encoder, struct tl_touching *touching,
			     uint32_t tid, const struct tl_event_record *event)
{
	uint32_t shown = tl_event_shown(encoder, event);
	uint64_t start, stop;

	if (event->phase != 'X')
		return false;
	tl_event_times(encoder, event, &start, &stop);
	return tl_touching_next(touching, shown ? shown : tid, start, stop);
}

/* Fields of the phase. A flow ends at the slice that encloses it, not at the next one. */
static void event_phase(struct tl_text *text, const struct tl_event_record *event)
{
	if (event->phase == 'i')
		tl_text_string(text, ",\"s\":\"t\"");
	if (event->phase != 's' && event->phase != 't' && event->phase != 'f')
		return;
	if (event->phase == 'f')
		tl_text_string(text, ",\"bp\":\"e\"");
	tl_text_string(text, ",\"id\":");
	tl_text_integer(text, event->duration, false);
}

static void event_value(const struct tl_encoder *encoder, struct tl_text *text,
			const struct tl_event_arg *arg)
{
	switch (arg->kind) {
	case TL_VALUE_SIGNED_64:
		tl_text_integer(text, arg->value, true);
		break;
	case TL_VALUE_HEX_64:
		tl_text_string(text, "\"");
		tl_text_hex(text, arg->value);
		tl_text_string(text, "\"");
		break;
	case TL_VALUE_DOUBLE_64:
		tl_text_double(text, arg->value);
		break;
	case TL_VALUE_TRUTH:
		tl_text_string(text, arg->value ? "true" : "false");
		break;
	case TL_VALUE_STRING:
		event_text(encoder, text, arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0, "");
		break;
	default:
		tl_text_integer(text, arg->value, false);
	}
}

/* A counter's value is a number, whatever its size: viewers draw it, as a double. */
static void event_count(struct tl_text *text, const struct tl_event_arg *arg)
{
	double number =
		arg->kind == TL_VALUE_SIGNED_64 ? (double)(int64_t)arg->value : (double)arg->value;
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	tl_text_double(text, bits);
}

static bool is_large_count(const struct tl_event_record *event, const struct tl_event_arg *arg)
{
	return event->phase == 'C' && arg->kind <= TL_VALUE_SIGNED_64 &&
	       !tl_text_is_whole(arg->value, arg->kind == TL_VALUE_SIGNED_64);
}

/* A key ends at a NUL: parsers refuse one there. */
static void event_key(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number)
{
	size_t size = 0;
	const char *bytes = tl_encoder_string(encoder, number, &size);

	tl_text_string(text, "\"");
	tl_text_escape(text, bytes ? bytes : "?", bytes ? strnlen(bytes, size) : 1);
	tl_text_string(text, "\":");
}

static void event_args(const struct tl_encoder *encoder, struct tl_text *text,
		       const struct tl_event_record *event, bool is_cut)
{
	tl_text_string(text, is_cut ? ",\"args\":{\"cut\":true" : ",\"args\":{");
	for (unsigned i = 0; i < event->args; i++) {
		if (i)
			tl_text_string(text, ",");
		event_key(encoder, text, event->arg[i].key);
		if (is_large_count(event, &event->arg[i]))
			event_count(text, &event->arg[i]);
		else
			event_value(encoder, text, &event->arg[i]);
	}
	if (event->request) {
		tl_text_string(text, event->args ? ",\"request\":" : "\"request\":");
		tl_text_unsigned(text, event->request);
	}
	tl_text_string(text, "}}");
}

static void event_event(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			const struct tl_event_record *event, bool is_cut, bool moves)
{
	const char phase[] = {event->phase, 0};
	uint32_t shown = tl_event_shown(encoder, event);

	tl_text_string(text, ",\n{\"ph\":\"");
	tl_text_string(text, phase);
	tl_text_string(text, "\",\"pid\":");
	tl_text_unsigned(text, encoder->pid);
	tl_text_string(text, ",\"name\":");
	event_text(encoder, text, event->name, "?");
	event_category(encoder, text, event);
	tl_text_string(text, ",\"tid\":");
	tl_text_unsigned(text, shown ? shown : tid);
	event_times(encoder, text, event, moves);
	event_phase(text, event);
	event_args(encoder, text, event, is_cut);
}

size_t tl_json_event(const struct tl_encoder *encoder, struct tl_touching *touching,
		     struct tl_text *text, uint32_t tid, const struct tl_event_record *event,
		     size_t size)
{
	struct tl_text whole = {text->at, text->end, false};
	struct tl_event_record ends[TL_EVENT_ENDS];

	if (event->size * 8u > size || !tl_event_is_sound(event))
		return 0;
	tl_encoder_note(encoder, tid, (const void *)event);
	event_event(encoder, &whole, tid, event, false,
		    event_is_to_move(encoder, touching, tid, event));
	for (unsigned i = 0, count = tl_event_ends(encoder, event, ends); i < count; i++)
		event_event(encoder, &whole, tid, &ends[i], false, false);
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
	return event->size * 8u;
}

void tl_json_gap(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid)
{
	struct tl_event_record end;

	while (tl_encoder_gap(encoder, tid, &end)) {
		struct tl_text whole = {text->at, text->end, false};

		event_event(encoder, &whole, tid, &end, true, false);
		if (whole.cut)
			text->cut = true;
		else
			text->at = whole.at;
	}
}
