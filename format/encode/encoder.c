/* SPDX-License-Identifier: MIT */
/*
 * encoder.c: see encoder.h. What the encoders of all formats have in common.
 */
#include "format/encode/encoder.h"

#include <string.h>

#include "tracelayer/api.h"

struct lost_list {
	struct tl_text *text;
	bool any;
	uint64_t others; /* events of the threads that are left out */
};

static void totals_put_lost_thread(void *to, uint32_t tid, uint64_t lost)
{
	struct lost_list *list = to;

	/* What does not fit is left out, but room is kept for what stands behind the list. */
	if (list->text->end - list->text->at < 192) {
		list->others += lost;
		return;
	}
	if (!lost)
		return;
	tl_text_string(list->text, list->any ? ",{\"tid\":" : "{\"tid\":");
	tl_text_unsigned(list->text, tid);
	tl_text_string(list->text, ",\"events\":");
	tl_text_unsigned(list->text, lost);
	tl_text_string(list->text, "}");
	list->any = true;
}

/* Bytes for each millisecond of a device's work, with three decimals. */
static void totals_put_cost(struct tl_text *text, const struct tl_event_cost *cost)
{
	tl_text_string(text, ",\"event_bytes\":");
	tl_text_unsigned(text, cost->bytes);
	tl_text_string(text, ",\"device_ns\":");
	tl_text_unsigned(text, cost->device_ns);
	if (!cost->device_ns)
		return;
	uint64_t thousandths =
		(uint64_t)((unsigned __int128)cost->bytes * 1000000000 / cost->device_ns);
	tl_text_string(text, ",\"event_bytes_per_device_ms\":");
	tl_text_unsigned(text, thousandths / 1000);
	tl_text_string(text, thousandths % 1000 < 10	? ".00"
			     : thousandths % 1000 < 100 ? ".0"
							: ".");
	tl_text_unsigned(text, thousandths % 1000);
}

void tl_text_totals(struct tl_text *text, const struct tl_totals *totals)
{
	struct lost_list list = {.text = text};

	tl_text_string(text, "\"events\":");
	tl_text_unsigned(text, totals->events);
	tl_text_string(text, ",\"lost\":");
	tl_text_unsigned(text, totals->lost);
	if (totals->overwritten) {
		tl_text_string(text, ",\"overwritten\":");
		tl_text_unsigned(text, totals->overwritten);
	}
	if (totals->stackless) {
		tl_text_string(text, ",\"stackless\":");
		tl_text_unsigned(text, totals->stackless);
	}
	if (totals->cost.bytes)
		totals_put_cost(text, &totals->cost);
	tl_text_string(text, ",\"lost_by_thread\":[");
	if (totals->lost_by_thread)
		totals->lost_by_thread(totals->context, totals_put_lost_thread, &list);
	tl_text_string(text, "]");
	if (list.others) {
		tl_text_string(text, ",\"lost_by_others\":");
		tl_text_unsigned(text, list.others);
	}
}

bool tl_event_is_sound(const struct tl_event_record *event)
{
	size_t size = event->size * 8u;

	return size >= sizeof(*event) && size >= tl_event_bytes(event) && event->phase &&
	       strchr("XBEiCstf", event->phase);
}

/* One end of a flow: the event's own, or a call's. */
static void flow_end_make(struct tl_event_record *end, const struct tl_event_record *event,
			  uint8_t phase, uint64_t number, uint32_t name, uint64_t ns)
{
	*end = (struct tl_event_record){.size = sizeof(*event) / 8,
					.type = TL_RECORD_EVENT,
					.flags = event->flags & (TL_EVENT_NS | TL_EVENT_TID),
					.name = name,
					.start = ns,
					.duration = number,
					.lane = event->lane,
					.phase = phase,
					.level = event->level,
					.category = event->category,
					.request = event->request};
}

static void flow_end_move(struct tl_event_record *end, uint32_t tid)
{
	end->flags |= TL_EVENT_TID;
	end->lane = tid;
}

static bool encoder_has_call(const struct tl_encoder *encoder, uint32_t tid, uint64_t ns)
{
	return tid && (!encoder->has_call || encoder->has_call(encoder->source, tid, ns));
}

unsigned tl_event_ends(const struct tl_encoder *encoder, const struct tl_event_record *event,
		       struct tl_event_record ends[TL_EVENT_ENDS])
{
	struct tl_event_arrows arrows;
	unsigned count = 0;

	if (!(event->flags & TL_EVENT_ARROWS))
		return 0;
	memcpy(&arrows, &event->arg[event->args], sizeof(arrows));
	if (encoder_has_call(encoder, arrows.from, arrows.from_ns)) {
		flow_end_make(&ends[0], event, 's', arrows.number, arrows.from_name,
			      arrows.from_ns);
		flow_end_move(&ends[0], arrows.from);
		flow_end_make(&ends[1], event, 'f', arrows.number, arrows.from_name, event->start);
		count = 2;
	}
	if (encoder_has_call(encoder, arrows.to, arrows.to_ns)) {
		/* The event's last nanosecond, so that the arrow begins within it. */
		uint64_t end = event->duration ? event->start + event->duration - 1 : event->start;
		flow_end_make(&ends[count], event, 's', arrows.number + 1, arrows.to_name, end);
		flow_end_make(&ends[count + 1], event, 'i', 0, arrows.to_name, arrows.to_ns);
		flow_end_move(&ends[count + 1], arrows.to);
		flow_end_make(&ends[count + 2], event, 'f', arrows.number + 1, arrows.to_name,
			      arrows.to_ns);
		flow_end_move(&ends[count + 2], arrows.to);
		count += 3;
	}
	return count;
}

uint32_t tl_event_shown(const struct tl_encoder *encoder, const struct tl_event_record *event)
{
	if (event->flags & TL_EVENT_TID || !event->lane)
		return event->lane;
	return encoder->lane ? encoder->lane(encoder->source, event->lane) : 0;
}

static uint64_t event_ns(const struct tl_encoder *encoder, const struct tl_event_record *event,
			 uint64_t time)
{
	return event->flags & TL_EVENT_NS ? time : tl_encoder_ns(encoder, time);
}

void tl_event_times(const struct tl_encoder *encoder, const struct tl_event_record *event,
		    uint64_t *start, uint64_t *stop)
{
	*stop = *start = event_ns(encoder, event, event->start);
	if (event->phase != 'X')
		return;
	uint64_t end = event_ns(encoder, event, tl_record_end(event->start, event->duration));
	if (end > *start)
		*stop = end;
}

void tl_event_add_cost(struct tl_event_cost *cost, const struct tl_encoder *encoder,
		       const struct tl_event_record *event)
{
	uint64_t start, stop;

	cost->bytes += event->size * 8u;
	if (event->phase != 'X' || !(event->level & TL_LEVEL_OPERATOR) || !event->lane ||
	    event->flags & TL_EVENT_TID)
		return;
	tl_event_times(encoder, event, &start, &stop);
	cost->device_ns += stop - start;
}

static bool marks_note_event(const struct tl_encoder *encoder, uint32_t tid,
			     const struct tl_event_record *event)
{
	uint64_t start, stop;

	if (event->phase != 'B' && event->phase != 'E' &&
	    (event->lane || !encoder->marks->now.open))
		return true;
	tl_event_times(encoder, event, &start, &stop);
	if (event->phase == 'B' || event->phase == 'E')
		return tl_open_marks_event(encoder->marks, tid, event, start) || event->lane;
	tl_open_marks_until(encoder->marks, tid, stop);
	return true;
}

bool tl_encoder_note(const struct tl_encoder *encoder, uint32_t tid,
		     const struct tl_call_record *record)
{
	if (!encoder->marks)
		return true;
	if (record->type == TL_RECORD_EVENT)
		return marks_note_event(encoder, tid, (const void *)record);
	if (record->type == TL_RECORD_CALL && encoder->marks->now.open) {
		uint64_t stop = tl_record_end(record->start, record->duration);
		tl_open_marks_until(encoder->marks, tid, tl_encoder_ns(encoder, stop));
	}
	return true;
}

bool tl_encoder_gap(const struct tl_encoder *encoder, uint32_t tid, struct tl_event_record *end)
{
	struct tl_open_mark mark;
	uint64_t ns;

	if (!encoder->marks || !tl_open_marks_gap(encoder->marks, tid, &mark, &ns))
		return false;
	*end = (struct tl_event_record){.size = sizeof(*end) / 8,
					.type = TL_RECORD_EVENT,
					.flags = TL_EVENT_NS | mark.flags,
					.name = mark.name,
					.start = ns,
					.lane = mark.lane,
					.phase = 'E',
					.level = mark.level,
					.category = mark.category};
	return true;
}
