/* SPDX-License-Identifier: MIT */
/*
 * stack_text.c: see stack_text.h.
 */
#include "format/file/stack_text.h"

#include <string.h>

static const char stack_head[] = "stack ", library_head[] = "library ";

static void text_put_hex(struct tl_text *text, uint64_t value)
{
	char digits[16];
	unsigned at = sizeof(digits);

	do
		digits[--at] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	tl_text_put(text, digits + at, sizeof(digits) - at);
}

void tl_stack_text_begin(struct tl_text *text)
{
	tl_text_string(text, stack_head);
}

void tl_stack_text_frame(struct tl_text *text, bool first, uint32_t last,
			 const struct tl_stack_frame *frame)
{
	struct tl_text whole = {text->at, text->end, false};

	if (first || last != frame->library) {
		if (!first)
			tl_text_char(&whole, ';');
		text_put_hex(&whole, frame->library);
		tl_text_char(&whole, ':');
	} else {
		tl_text_char(&whole, ',');
	}
	text_put_hex(&whole, frame->address);
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
}

void tl_stack_text_library(struct tl_text *text, const uint8_t *id, size_t id_size, uint64_t base,
			   uint64_t start, uint64_t end, const char *path)
{
	size_t size = strlen(path);

	tl_text_string(text, library_head);
	for (size_t i = 0; i < id_size; i++) {
		tl_text_char(text, "0123456789abcdef"[id[i] >> 4]);
		tl_text_char(text, "0123456789abcdef"[id[i] & 15]);
	}
	if (!id_size)
		tl_text_char(text, '-');
	tl_text_char(text, ' ');
	text_put_hex(text, base);
	tl_text_char(text, ' ');
	text_put_hex(text, start);
	tl_text_char(text, ' ');
	text_put_hex(text, end);
	tl_text_char(text, ' ');
	size_t room = (size_t)(text->end - text->at);
	if (size > room) {
		path += size - room;
		size = room;
	}
	tl_text_put(text, path, size);
}

static bool read_hex(const char **at, const char *end, uint64_t *value)
{
	const char *from = *at;

	*value = 0;
	for (; *at < end && *at - from < 16; ++*at) {
		char c = **at;
		if (c >= '0' && c <= '9')
			*value = *value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return *at > from;
}

static bool text_begins(const char *text, size_t size, const char *head, size_t head_size)
{
	return size >= head_size && !memcmp(text, head, head_size);
}

bool tl_stack_read(struct tl_stack_reader *reader, const char *text, size_t size)
{
	if (!text || !text_begins(text, size, stack_head, sizeof(stack_head) - 1))
		return false;
	*reader = (struct tl_stack_reader){.at = text + sizeof(stack_head) - 1, .end = text + size};
	return true;
}

bool tl_stack_read_frame(struct tl_stack_reader *reader, struct tl_stack_frame *frame)
{
	uint64_t value;

	if (reader->at < reader->end && (*reader->at == ',' || *reader->at == ';'))
		reader->at++;
	reader->more = reader->end - reader->at == 1 && *reader->at == '+';
	if (!read_hex(&reader->at, reader->end, &value))
		return false;
	if (reader->at < reader->end && *reader->at == ':') {
		reader->at++;
		if (value > UINT32_MAX)
			return false;
		reader->library = (uint32_t)value;
		if (!read_hex(&reader->at, reader->end, &value))
			return false;
	}
	*frame = (struct tl_stack_frame){.library = reader->library, .address = value};
	return true;
}

uint32_t tl_stack_read_frames(struct tl_stack_reader *reader, struct tl_stack_frame *frames)
{
	uint32_t count = 0;

	while (count < TL_STACK_FRAMES && tl_stack_read_frame(reader, &frames[count]))
		count++;
	return count;
}

static bool read_hex_word(const char **at, const char *end, uint64_t *value)
{
	return read_hex(at, end, value) && *at < end && *(*at)++ == ' ';
}

bool tl_stack_read_library(struct tl_stack_library *library, const char *text, size_t size)
{
	const char *at = text + sizeof(library_head) - 1, *end = text + size;

	if (!text || !text_begins(text, size, library_head, sizeof(library_head) - 1))
		return false;
	const char *space = memchr(at, ' ', (size_t)(end - at));
	if (!space)
		return false;
	library->id = at;
	library->id_size = *at == '-' ? 0 : (size_t)(space - at);
	at = space + 1;
	if (!read_hex_word(&at, end, &library->base) || !read_hex_word(&at, end, &library->start) ||
	    !read_hex_word(&at, end, &library->end))
		return false;
	library->path = at;
	library->path_size = (size_t)(end - at);
	return true;
}
