/* SPDX-License-Identifier: MIT */
/*
 * systrace_reader.c: see systrace_reader.h.
 */
#include "config.h"

#include <string.h>

#include "cli/systrace/nn_mark.h"
#include "cli/systrace/systrace_reader.h"
#include "cli/basics/basics.h"

#define PASSES	      2u
#define TEXT_END      "</script>"
#define BEFORE_SIGN   11 /* the offset of the sign in ROW_FUNCTION */
#define BEFORE_DEVICE 3

void reader_start(struct reader *reader, struct systrace_text *text, unsigned pass)
{
	systrace_text_rewind(text);
	*reader = (struct reader){
		.text = text,
		.signs = pass == 1 ? SCAN_ALL : SCAN_ROWS,
		.at = text->block,
		.pass = pass,
	};
}

static void show_progress(const struct reader *reader)
{
	const struct systrace_text *text = reader->text;
	uint64_t size = text->end - text->begin,
		 done = text->offset - text->begin + (reader->pass - 1) * size;

	progress_show("%s: %.0f %% of %.0f MB read twice", text->path,
		      size ? 100.0 * (double)done / (double)(PASSES * size) : 100.0,
		      (double)size / 1e6);
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* The line around this place. It does not begin before `begin`. */
static void take_line(struct row *row, const struct systrace_text *text, const char *begin,
		      const char *at)
{
	const char *end = text->block + text->whole, *line = at,
		   *line_end = memchr(at, '\n', (size_t)(end - at));

	while (line > begin && !is_line_end(line[-1]))
		line--;
	if (line_end)
		end = line_end;
	line_end = memchr(at, '\r', (size_t)(end - at));
	row->line = line;
	row->size = (size_t)((line_end ? line_end : end) - line);
	row->offset = text->offset + (uint64_t)(line - text->block);
}

/* The kind of text at a sign. */
static bool text_is_at(const struct row *row, const char *at, const char *text, size_t size)
{
	return at >= row->line && (size_t)(row->line + row->size - at) >= size &&
	       !memcmp(at, text, size);
}

/* What the signs of a line have shown. */
struct closer {
	const char *first, *last; /* ROW_FUNCTION; NULL where it isn't */
	/* the line should be a row of interest; if it is none, that is an error */
	bool is_meant;
	bool ends_text;
};

/* Goes through the line's signs, from this one on. */
static struct closer row_find_closer(const struct row *row, const char *sign, enum scan_signs signs)
{
	const char *end = row->line + row->size;
	struct closer closer = {0};

	for (; sign < end; sign = signs_scan(sign + 1, end, signs)) {
		if (*sign == '<') {
			closer.ends_text |= text_is_at(row, sign, TEXT_END, sizeof(TEXT_END) - 1);
		} else if (*sign == 'k' && text_is_at(row, sign - BEFORE_SIGN, ROW_FUNCTION,
						      sizeof(ROW_FUNCTION) - 1)) {
			closer.last = sign - BEFORE_SIGN;
			if (!closer.first)
				closer.first = closer.last;
			closer.is_meant |= text_is_at(row, closer.last, ROW_FUNCTION "B",
						      sizeof(ROW_FUNCTION)) ||
					   text_is_at(row, closer.last, ROW_FUNCTION "E",
						      sizeof(ROW_FUNCTION));
		} else {
			closer.is_meant |= text_is_at(row, sign, "[NN_", 4) ||
					   text_is_at(row, sign - BEFORE_DEVICE, MARK_DEVICE,
						      sizeof(MARK_DEVICE) - 1);
		}
	}
	return closer;
}

enum reader_state reader_next(struct reader *reader, struct row *row)
{
	struct systrace_text *text = reader->text;

	for (;;) {
		const char *end = text->block + text->whole,
			   *sign = signs_scan(reader->at, end, reader->signs);

		if (sign == end) {
			int more = systrace_text_next(text);

			if (more <= 0)
				return more ? READER_BROKEN : READER_END;
			reader->at = text->block;
			show_progress(reader);
			continue;
		}
		take_line(row, text, reader->at, sign);
		struct closer closer = row_find_closer(row, sign, reader->signs);

		reader->at = (char *)row->line + row->size;
		if (closer.ends_text) {
			text->end = row->offset;
			return READER_END;
		}
		if (row_parse(row, closer.first, closer.last))
			return READER_ROW;
		if (reader->signs == SCAN_ALL && closer.is_meant)
			return READER_FAULT;
	}
}
