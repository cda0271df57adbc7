/* SPDX-License-Identifier: MIT */
/* json_event.h: events that are not calls, as Chrome trace JSON: a part of json.c. */
#ifndef TL_FORMAT_ENCODE_JSON_EVENT_H
#define TL_FORMAT_ENCODE_JSON_EVENT_H

#include "format/encode/encoder.h"
#include "format/encode/text_pieces.h"
#include "format/encode/touching.h"

/* What events of one phase, name, category and level begin with: all up to the category's end. */
#define TL_JSON_HEADS	  128
#define TL_JSON_HEAD_KEPT 160
struct tl_json_head {
	uint32_t name, category; /* numbers of strings */
	uint8_t phase, level;
	uint16_t size; /* bytes of .text; 0: the place is free */
	char text[TL_JSON_HEAD_KEPT + TL_TEXT_PIECE];
};

/* A string as it is written, with its quotes. */
#define TL_JSON_TEXTS	  256
#define TL_JSON_TEXT_KEPT 64
struct tl_json_text {
	uint32_t number;
	uint32_t size; /* bytes of .text; 0: the place is free */
	char text[TL_JSON_TEXT_KEPT + TL_TEXT_PIECE];
};

/* What events have in common, made once. Zeroed at first. */
struct tl_json_events {
	struct tl_json_head heads[TL_JSON_HEADS];
	struct tl_json_text texts[TL_JSON_TEXTS];
};

/*
 * As tl_format.record, for a record of the type TL_RECORD_EVENT. `tid`: the thread that recorded
 * it.
 */
size_t tl_json_event(const struct tl_encoder *encoder, struct tl_json_events *events,
		     struct tl_touching *touching, struct tl_text *text, uint32_t tid,
		     const struct tl_event_record *event, size_t size);

/* Records of the thread are missing: end what was open. */
void tl_json_gap(const struct tl_encoder *encoder, struct tl_json_events *events,
		 struct tl_text *text, uint32_t tid);

#endif
