/*
 * json_event.c: events that are no calls, as Chrome trace JSON.
 *
 *	{"ph":"X","pid":7,"name":"vector_add","cat":"opencl,operator","tid":4194304,
 *	 "ts":1.234,"dur":0.100,"args":{"global":"1024","correlation":12}}
 */
#include <string.h>

#include "format/digits.h"
#include "format/json_event.h"
#include "tracelayer/api.h"

static void put_text(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number, const char *none)
{
	size_t size = 0;
	const char *bytes = number && encoder->string ? encoder->string(number, &size) : NULL;

	tl_text_string(text, "\"");
	tl_text_escape(text, bytes ? bytes : none, bytes ? size : strlen(none));
	tl_text_string(text, "\"");
}

static void put_category(const struct tl_encoder *encoder, struct tl_text *text, const struct tl_event_record *event)
{
	static const char *const levels[] = {"request", "runtime", "operator", "debug"};
	size_t size = 0;
	const char *bytes = event->category && encoder->string ? encoder->string(event->category, &size) : NULL;

	tl_text_string(text, ",\"cat\":\"");
	tl_text_escape(text, bytes ? bytes : "tracelayer", bytes ? size : strlen("tracelayer"));
	for (unsigned i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		if (!(event->level & 1u << i))
			continue;
		tl_text_string(text, ",");
		tl_text_string(text, levels[i]);
	}
	tl_text_string(text, "\"");
}

static void put_microseconds(struct tl_text *text, uint64_t ns)
{
	const char rest[] = {'.', '0' + ns % 1000 / 100, '0' + ns % 100 / 10, '0' + ns % 10};

	tl_text_unsigned(text, ns / 1000);
	tl_text_put(text, rest, sizeof(rest));
}

static uint64_t ns_of(const struct tl_encoder *encoder, const struct tl_event_record *event, uint64_t time)
{
	return event->flags & TL_EVENT_NS ? time : encoder->ns(time);
}

static void put_times(const struct tl_encoder *encoder, struct tl_text *text, const struct tl_event_record *event)
{
	uint64_t start = ns_of(encoder, event, event->start), stop;

	tl_text_string(text, ",\"ts\":");
	put_microseconds(text, start);
	if (event->phase != 'X')
		return;
	if (__builtin_add_overflow(event->start, event->duration, &stop))
		stop = UINT64_MAX;
	stop = ns_of(encoder, event, stop);
	tl_text_string(text, ",\"dur\":");
	put_microseconds(text, stop > start ? stop - start : 0);
}

/* What a phase has besides. A flow ends at the slice that encloses it, not at the next one. */
static void put_phase(struct tl_text *text, const struct tl_event_record *event)
{
	if (event->phase == 'i')
		tl_text_string(text, ",\"s\":\"t\"");
	if (event->phase != 's' && event->phase != 't' && event->phase != 'f')
		return;
	if (event->phase == 'f')
		tl_text_string(text, ",\"bp\":\"e\"");
	tl_text_string(text, ",\"id\":");
	tl_text_unsigned(text, event->duration);
}

static void put_value(const struct tl_encoder *encoder, struct tl_text *text, const struct tl_event_arg *arg)
{
	switch (arg->kind) {
	case TL_VALUE_SIGNED_64:
		tl_text_signed(text, (int64_t)arg->value);
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
		put_text(encoder, text, arg->value <= UINT32_MAX ? (uint32_t)arg->value : 0, "");
		break;
	default:
		tl_text_unsigned(text, arg->value);
	}
}

static void put_args(const struct tl_encoder *encoder, struct tl_text *text, const struct tl_event_record *event)
{
	tl_text_string(text, ",\"args\":{");
	for (unsigned i = 0; i < event->args; i++) {
		if (i)
			tl_text_string(text, ",");
		put_text(encoder, text, event->arg[i].key, "?");
		tl_text_string(text, ":");
		put_value(encoder, text, &event->arg[i]);
	}
	if (event->request) {
		tl_text_string(text, event->args ? ",\"request\":" : "\"request\":");
		tl_text_unsigned(text, event->request);
	}
	tl_text_string(text, "}}");
}

static bool is_phase(uint8_t phase)
{
	return phase && strchr("XBEiCstf", phase);
}

size_t tl_json_event(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const struct tl_event_record *event, size_t size)
{
	struct tl_text whole = {text->at, text->end, false};
	const char phase[] = {event->phase, 0};

	if (size < sizeof(*event) || event->size * 8u > size ||
	    event->size * 8u < sizeof(*event) + event->args * sizeof(event->arg[0]) || !is_phase(event->phase))
		return 0;
	if (event->lane && encoder->lane)
		tid = encoder->lane(event->lane);
	tl_text_string(&whole, ",\n{\"ph\":\"");
	tl_text_string(&whole, phase);
	tl_text_string(&whole, "\",\"pid\":");
	tl_text_unsigned(&whole, encoder->pid);
	tl_text_string(&whole, ",\"name\":");
	put_text(encoder, &whole, event->name, "?");
	put_category(encoder, &whole, event);
	tl_text_string(&whole, ",\"tid\":");
	tl_text_unsigned(&whole, tid);
	put_times(encoder, &whole, event);
	put_phase(&whole, event);
	put_args(encoder, &whole, event);
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
	return event->size * 8u;
}
