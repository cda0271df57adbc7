/* SPDX-License-Identifier: MIT */
/* json_event.h: events that are not calls, as Chrome trace JSON: a part of json.c. */
#ifndef TL_FORMAT_ENCODE_JSON_EVENT_H
#define TL_FORMAT_ENCODE_JSON_EVENT_H

#include "format/encode/encoder.h"

/*
 * As tl_format.record, for a record of the type TL_RECORD_EVENT. `tid`: the thread that recorded
 * it.
 */
struct tl_touching;
size_t tl_json_event(const struct tl_encoder *encoder, struct tl_touching *touching,
		     struct tl_text *text, uint32_t tid, const struct tl_event_record *event,
		     size_t size);

/* Records of the thread are missing: end what was open. */
void tl_json_gap(const struct tl_encoder *encoder, struct tl_text *text, uint32_t tid);

#endif
