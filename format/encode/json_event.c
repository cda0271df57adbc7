/* SPDX-License-Identifier: MIT */
/*
 * json_event.c: events that are not calls, as Chrome trace JSON.
 *
 *	{"ph":"X","pid":7,"name":"vector_add","cat":"opencl,operator","tid":4194304,
 *	 "ts":1.234,"dur":0.100,"args":{"global":"1024","correlation":12}}
 */
#include <string.h>

#include "format/encode/json_event.h"
#include "common/digits.h"
#include "common/levels.h"
#include "format/encode/touching.h"
#include "tracelayer/api.h"

/* All that an event has between its category and its arguments takes less. */
#define FIXED_MAX 256

/* As tl_text_put, of text that is kept. */
static inline void kept_put(struct tl_text *text, const char *kept, size_t size)
{
	if ((size_t)(text->end - text->at) < size + TL_TEXT_PIECE)
		tl_text_put(text, kept, size);
	else
		text->at = tl_text_copy_pieces(text->at, kept, size);
}

static void quoted_put(struct tl_text *text, const char *bytes, size_t size)
{
	tl_text_string(text, "\"");
	tl_text_escape(text, bytes, size);
	tl_text_string(text, "\"");
}

/* NULL: the string is too long to be kept, or is not known yet, or has a NUL (see event_string). */
static const struct tl_json_text *text_of_number(const struct tl_encoder *encoder,
						 struct tl_json_events *events, uint32_t number)
{
	struct tl_json_text *kept = &events->texts[number % TL_JSON_TEXTS];
	struct tl_text text = {kept->text, kept->text + TL_JSON_TEXT_KEPT, false};
	size_t size = 0;

	if (kept->number == number && kept->size)
		return kept;
	const char *bytes = tl_encoder_string(encoder, number, &size);
	if (!bytes || size > TL_JSON_TEXT_KEPT || memchr(bytes, 0, size))
		return NULL;
	quoted_put(&text, bytes, size);
	kept->number = number;
	kept->size = text.cut ? 0 : (uint32_t)(text.at - kept->text);
	return kept->size ? kept : NULL;
}

/* `none`: where it is not known. A key ends at a NUL: parsers refuse one there. */
static void event_string(const struct tl_encoder *encoder, struct tl_json_events *events,
			 struct tl_text *text, uint32_t number, const char *none, bool is_key)
{
	const struct tl_json_text *kept = text_of_number(encoder, events, number);
	size_t size = 0;

	if (kept) {
		kept_put(text, kept->text, kept->size);
		return;
	}
	const char *bytes = tl_encoder_string(encoder, number, &size);
	if (!bytes)
		quoted_put(text, none, strlen(none));
	else
		quoted_put(text, bytes, is_key ? strnlen(bytes, size) : size);
}

/* Everything up to the category, without its closing quote. Returns whether all strings are known. */
static bool event_head(const struct tl_encoder *encoder, struct tl_text *text,
		       const struct tl_event_record *event)
{
	const char phase[] = {event->phase, 0};
	size_t name_size = 0, category_size = 0;
	const char *name = tl_encoder_string(encoder, event->name, &name_size);
	const char *category = tl_encoder_string(encoder, event->category, &category_size);

	tl_text_string(text, ",\n{\"ph\":\"");
	tl_text_string(text, phase);
	tl_text_string(text, "\",\"pid\":");
	tl_text_unsigned(text, encoder->pid);
	tl_text_string(text, ",\"name\":\"");
	tl_text_escape(text, name ? name : "?", name ? name_size : 1);
	tl_text_string(text, "\",\"cat\":\"");
	tl_text_escape(text, category ? category : "tracelayer",
		       category ? category_size : strlen("tracelayer"));
	tl_text_levels(text, event->level);
	return name && category;
}

static void event_put_head(const struct tl_encoder *encoder, struct tl_json_events *events,
			   struct tl_text *text, const struct tl_event_record *event)
{
	uint32_t place = event->name * 31 + event->category * 7 + event->phase + event->level;
	struct tl_json_head *head = &events->heads[place % TL_JSON_HEADS];

	if (!head->size || head->name != event->name || head->category != event->category ||
	    head->phase != event->phase || head->level != event->level) {
		struct tl_text made = {head->text, head->text + TL_JSON_HEAD_KEPT, false};
		bool known = event_head(encoder, &made, event);

		head->size = 0;
		if (!known || made.cut) {
			event_head(encoder, text, event);
			return;
		}
		head->name = event->name;
		head->category = event->category;
		head->phase = event->phase;
		head->level = event->level;
		head->size = (uint16_t)(made.at - head->text);
	}
	kept_put(text, head->text, head->size);
}

/* There is room for it. */
static char *event_put_times(const struct tl_encoder *encoder, char *at,
			     const struct tl_event_record *event, bool moves)
{
	uint64_t start, stop;

	tl_event_times(encoder, event, &start, &stop);
	at = PUT(at, ",\"ts\":");
	at = tl_digits_microseconds(at, start);
	if (event->phase != 'X')
		return at;
	at = moves ? PUT(at, "2,\"dur\":") : PUT(at, ",\"dur\":");
	if (stop == start)
		return PUT(at, "0.0001");
	at = tl_digits_microseconds(at, stop - start - moves);
	return moves ? PUT(at, "8") : at;
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
	return tl_touching_next(touching, shown ? shown : tid, start, stop, false).moves;
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

static void event_value(const struct tl_encoder *encoder, struct tl_json_events *events,
			struct tl_text *text, const struct tl_event_arg *arg)
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
		event_string(encoder, events, text,
			     arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0, "", false);
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

static void event_args(const struct tl_encoder *encoder, struct tl_json_events *events,
		       struct tl_text *text, const struct tl_event_record *event, bool is_cut)
{
	tl_text_string(text, is_cut ? ",\"args\":{\"cut\":true" : ",\"args\":{");
	for (unsigned i = 0; i < event->args; i++) {
		if (i)
			tl_text_string(text, ",");
		event_string(encoder, events, text, event->arg[i].key, "?", true);
		tl_text_char(text, ':');
		if (is_large_count(event, &event->arg[i]))
			event_count(text, &event->arg[i]);
		else
			event_value(encoder, events, text, &event->arg[i]);
	}
	if (event->request) {
		tl_text_string(text, event->args ? ",\"request\":" : "\"request\":");
		tl_text_unsigned(text, event->request);
	}
	tl_text_string(text, "}}");
}

static void event_event(const struct tl_encoder *encoder, struct tl_json_events *events,
			struct tl_text *text, uint32_t tid, const struct tl_event_record *event,
			bool is_cut, bool moves)
{
	uint32_t shown = tl_event_shown(encoder, event);

	event_put_head(encoder, events, text, event);
	if (text->end - text->at < FIXED_MAX) {
		text->cut = true;
		return;
	}
	text->at = PUT(text->at, "\",\"tid\":");
	text->at = tl_digits_decimal(text->at, shown ? shown : tid);
	text->at = event_put_times(encoder, text->at, event, moves);
	event_phase(text, event);
	event_args(encoder, events, text, event, is_cut);
}

size_t tl_json_event(const struct tl_encoder *encoder, struct tl_json_events *events,
		     struct tl_touching *touching, struct tl_text *text, uint32_t tid,
		     const struct tl_event_record *event, size_t size)
{
	struct tl_text whole = {text->at, text->end, false};
	struct tl_event_record ends[TL_EVENT_ENDS];

	if (event->size * 8u > size || !tl_event_is_sound(event))
		return 0;
	tl_encoder_note(encoder, tid, (const void *)event);
	event_event(encoder, events, &whole, tid, event, false,
		    event_is_to_move(encoder, touching, tid, event));
	for (unsigned i = 0, count = tl_event_ends(encoder, event, ends); i < count; i++)
		event_event(encoder, events, &whole, tid, &ends[i], false, false);
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
	return event->size * 8u;
}

void tl_json_gap(const struct tl_encoder *encoder, struct tl_json_events *events,
		 struct tl_text *text, uint32_t tid)
{
	struct tl_event_record end;

	while (tl_encoder_gap(encoder, tid, &end)) {
		struct tl_text whole = {text->at, text->end, false};

		event_event(encoder, events, &whole, tid, &end, true, false);
		if (whole.cut)
			text->cut = true;
		else
			text->at = whole.at;
	}
}
