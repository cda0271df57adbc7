/* SPDX-License-Identifier: MIT */
/*
 * encoded.h: recording without a file, and what was recorded as the JSON that a trace file would
 * have, parsed.
 */
#ifndef TL_TESTS_LIB_ENCODED_H
#define TL_TESTS_LIB_ENCODED_H

#include <check.h>
#include <jansson.h>
#include <stdlib.h>

#include "format/encode/formats.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/calls/event.h"
#include "layer/process/runtime.h"
#include "layer/buffers/strings.h"
#include "layer/calls/thread.h"

/* From here on all is recorded, of every level. */
static inline void begin(void)
{
	tl_config.memory = 256u << 20;
	tl_config.level = TL_LEVEL_ALL;
	tl_clock_start();
	tl_thread_start();
	tl_runtime_record(true);
}

static inline uint64_t clock_ns(const void *source, uint64_t ticks)
{
	return tl_clock_ns(ticks);
}

static inline const char *string_text(const void *source, uint32_t number, size_t *size)
{
	return tl_string_text(number, size);
}

static inline uint32_t shown_of(const void *source, uint32_t lane)
{
	const struct tl_lane_entry *entry = tl_event_lane_entry(lane);

	return entry ? entry->shown : 0;
}

static inline const struct tl_function *no_function(const void *source, uint32_t id)
{
	return NULL;
}

static inline void encode_chunks(struct tl_encoder *encoder, struct tl_text *text)
{
	struct tl_chunk *chunk;

	tl_buffer_flush();
	while ((chunk = tl_buffer_take())) {
		for (const char *at = chunk->begin; at < chunk->end;) {
			size_t size = encoder->format->record(encoder, text, chunk->producer->shown,
							      (const void *)at,
							      (size_t)(chunk->end - at));
			ck_assert_uint_gt(size, 0);
			at += size;
		}
		tl_buffer_give_back(chunk);
	}
}

/* All that this thread recorded since the last time; the caller lets go of it. */
static inline json_t *encoded(void)
{
	static char bytes[2 * TL_ENCODER_ROOM];
	static const struct tl_facts facts = {.pid = 7, .program = "toy"};
	struct tl_text text = {bytes, bytes + sizeof(bytes) - 1, false};
	struct tl_encoder encoder = {.format = &tl_format_json,
				     .pid = 7,
				     .ns = clock_ns,
				     .function = no_function,
				     .string = string_text,
				     .lane = shown_of,
				     .state = calloc(1, tl_format_json.state)};
	const struct tl_totals totals = {0};

	encoder.format->begin(&encoder, &text, &facts);
	encode_chunks(&encoder, &text);
	encoder.format->end(&encoder, &text, &totals);
	*text.at = 0;
	free(encoder.state);
	json_error_t error;
	json_t *json = json_loads(bytes, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(json != NULL, "%s: %s", error.text, bytes);
	return json;
}

#endif
