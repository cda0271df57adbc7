/* SPDX-License-Identifier: MIT */
/*
 * stack_frames_text.c: see stack_frames_text.h.
 */
#include "format/encode/stack_frames_text.h"

#include <string.h>

void tl_frame_place(struct tl_text *text, const struct tl_stack_library *library, uint64_t address)
{
	if (library) {
		const char *end = library->path + library->path_size, *name = end;
		while (name > library->path && name[-1] != '/')
			name--;
		tl_text_put(text, name, (size_t)(end - name));
		tl_text_char(text, '+');
	}
	tl_text_hex(text, address);
}

bool tl_frame_library(const struct tl_encoder *encoder, const struct tl_stack_frame *frame,
		      struct tl_stack_library *library)
{
	size_t size = 0;
	const char *text = tl_encoder_string(encoder, frame->library, &size);

	return tl_stack_read_library(library, text, size);
}

void tl_frame_name(const struct tl_encoder *encoder, struct tl_text *text,
		   const struct tl_stack_frame *frame)
{
	struct tl_stack_library library;
	bool has = tl_frame_library(encoder, frame, &library);

	if (encoder->frame_name)
		encoder->frame_name(encoder->names, text, has ? &library : NULL, frame->address);
	else
		tl_frame_place(text, has ? &library : NULL, frame->address);
}

static void json_frames(const struct tl_encoder *encoder, struct tl_text *text,
			struct tl_stack_reader *reader)
{
	struct tl_stack_frame frame;
	bool any = false;

	while (tl_stack_read_frame(reader, &frame)) {
		char room[TL_FRAME_NAME_MAX];
		struct tl_text name = {room, room + sizeof(room), false};
		tl_frame_name(encoder, &name, &frame);
		tl_text_string(text, any ? ",\"" : "\"");
		tl_text_escape(text, room, (size_t)(name.at - room));
		tl_text_string(text, "\"");
		any = true;
	}
}

void tl_json_stack(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number)
{
	struct tl_text whole = {text->at, text->end, false};
	struct tl_stack_reader reader;
	size_t size = 0;
	const char *stack = tl_encoder_string(encoder, number, &size);

	if (!tl_stack_read(&reader, stack, size))
		return;
	if (encoder->stack_ids) {
		tl_text_string(&whole, ",\"sf\":\"");
		tl_text_unsigned(&whole, number);
		tl_text_string(&whole, "\"");
	} else {
		tl_text_string(&whole, ",\"stack\":[");
		json_frames(encoder, &whole, &reader);
		tl_text_string(&whole, "]");
	}
	if (!whole.cut)
		text->at = whole.at;
}
