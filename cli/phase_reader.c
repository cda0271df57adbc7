/*
 * phase_reader.c: see phase_reader.h.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/phase_reader.h"

#define PASSES	      2u
#define PROGRESS_NS   200000000 /* between two times that progress is shown */
#define TEXT_END      "</script>"
#define BEFORE_SIGN   11 /* where the sign is in ROW_FUNCTION */

void reader_start(struct reader *reader, struct phase_text *text, unsigned pass)
{
	phase_text_rewind(text);
	*reader = (struct reader){
		.text = text,
		.signs = pass == 1 ? SCAN_ALL : SCAN_ROWS,
		.at = text->block,
		.shows_progress = isatty(STDERR_FILENO),
		.pass = pass,
	};
	clock_gettime(CLOCK_MONOTONIC, &reader->shown);
}

/* Half a second of waiting, and nothing of the rest, should go by without a word. */
static void show_progress(struct reader *reader)
{
	const struct phase_text *text = reader->text;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - reader->shown.tv_sec) * 1000000000 + now.tv_nsec - reader->shown.tv_nsec < PROGRESS_NS)
		return;
	reader->shown = now;
	uint64_t done = text->offset - text->begin + (reader->pass - 1) * (text->end - text->begin);
	uint64_t all = PASSES * (text->end - text->begin);
	fprintf(stderr, "\rtracelayer: %s: %3.0f %%", text->path, all ? 100.0 * (double)done / (double)all : 100.0);
	fflush(stderr);
}

void reader_hide_progress(struct reader *reader)
{
	if (reader->shows_progress)
		fputs("\r\033[K", stderr);
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* The line around this place, of which nothing is before `begin`. */
static void take_line(struct row *row, const struct phase_text *text, const char *begin, const char *at)
{
	const char *end = text->block + text->whole, *line = at, *line_end = memchr(at, '\n', (size_t)(end - at));

	while (line > begin && !is_line_end(line[-1]))
		line--;
	if (line_end)
		end = line_end;
	line_end = memchr(at, '\r', (size_t)(end - at));
	row->line = line;
	row->size = (size_t)((line_end ? line_end : end) - line);
	row->offset = text->offset + (uint64_t)(line - text->block);
}

/* What stands at a sign. */
static bool is_at(const struct row *row, const char *at, const char *text, size_t size)
{
	return at >= row->line && (size_t)(row->line + row->size - at) >= size && !memcmp(at, text, size);
}

/* Goes through the line's signs, from this one on. Returns where ROW_FUNCTION is first, or NULL; tells whether the line ends the text. */
static const char *look_closely(const struct row *row, const char *sign, enum scan_signs signs, bool *ends_text)
{
	const char *end = row->line + row->size, *from = NULL;

	*ends_text = false;
	for (; sign < end; sign = scan(sign + 1, end, signs)) {
		if (*sign == '<')
			*ends_text |= is_at(row, sign, TEXT_END, sizeof(TEXT_END) - 1);
		else if (*sign == 'k' && !from && is_at(row, sign - BEFORE_SIGN, ROW_FUNCTION, sizeof(ROW_FUNCTION) - 1))
			from = sign - BEFORE_SIGN;
	}
	return from;
}

enum reader_state reader_next(struct reader *reader, struct row *row)
{
	struct phase_text *text = reader->text;

	for (;;) {
		const char *end = text->block + text->whole, *sign = scan(reader->at, end, reader->signs), *from;
		bool ends_text;

		if (sign == end) {
			int more = phase_text_next(text);

			if (more <= 0)
				return more ? READER_BROKEN : READER_END;
			reader->at = text->block;
			if (reader->shows_progress)
				show_progress(reader);
			continue;
		}
		take_line(row, text, reader->at, sign);
		from = look_closely(row, sign, reader->signs, &ends_text);
		reader->at = (char *)row->line + row->size;
		if (ends_text) {
			text->end = row->offset;
			return READER_END;
		}
		if (row_parse(row, from))
			return READER_ROW;
		if (reader->signs == SCAN_ALL && row_looks_meant(row))
			return READER_FAULT;
	}
}
