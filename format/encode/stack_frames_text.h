/* SPDX-License-Identifier: MIT */
/*
 * stack_frames_text.h: a call's stack as encoders show it: the names of its frames.
 */
#ifndef TL_FORMAT_ENCODE_STACK_FRAMES_TEXT_H
#define TL_FORMAT_ENCODE_STACK_FRAMES_TEXT_H

#include "format/encode/encoder.h"
#include "format/file/stack_text.h"

/* Bytes of a frame's name, at most. It has a place in every format, whole. */
#define TL_FRAME_NAME_MAX 1536

/*
 * Append a frame's name, as it is: by the encoder's .frame_name, else the library's file name and
 * the address in it: libfoo.so+0x1139.
 */
void tl_frame_name(const struct tl_encoder *encoder, struct tl_text *text,
		   const struct tl_stack_frame *frame);

/* The same without an encoder. `library`: NULL: none. */
void tl_frame_place(struct tl_text *text, const struct tl_stack_library *library, uint64_t address);

/* The library of a frame. False: it has none. */
bool tl_frame_library(const struct tl_encoder *encoder, const struct tl_stack_frame *frame,
		      struct tl_stack_library *library);

/*
 * Append a call's stack as a member of its JSON event, with a comma before it: "sf" with
 * .stack_ids, else "stack", a list of the frames' names, from the innermost. Nothing if the text is
 * no stack.
 */
void tl_json_stack(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number);

#endif
