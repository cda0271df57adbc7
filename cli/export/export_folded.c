/* SPDX-License-Identifier: MIT */
/*
 * export_folded.c: see export_folded.h. A thread's calls come in the order in which they ended, so
 * that those inside a call come before it.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/basics/list_room.h"
#include "cli/export/export_folded.h"
#include "cli/read/read.h"

#define NAME_ROOM 4096u

struct line {
	char *text;
	uint64_t ns;
};

/* A call that no later one enclosed so far. */
struct folded_inner {
	uint64_t start, ns;
};

struct folding {
	struct tl_trace *trace;
	struct symbols *symbols;
	struct folded_sums sums; /* keys: stack << 32 | function */
};

/* --- sums */

void folded_sums_thread(struct folded_sums *sums)
{
	sums->ninner = 0;
}

/* What of the call's time no call inside of it has. */
static uint64_t sums_own_time(struct folded_sums *sums, uint64_t start, uint64_t ns)
{
	uint64_t own = ns;

	while (sums->ninner && sums->inner[sums->ninner - 1].start >= start) {
		uint64_t part = sums->inner[--sums->ninner].ns;
		own -= part < own ? part : own;
	}
	LIST_ROOM(sums->inner, sums->ninner, sums->inner_room);
	sums->inner[sums->ninner++] = (struct folded_inner){start, ns};
	return own;
}

void folded_sums_add(struct folded_sums *sums, uint64_t key, uint64_t start, uint64_t ns)
{
	uint32_t known = sums->keys.count;
	uint32_t place = numbers_add(&sums->keys, key);

	if (place == known) {
		LIST_ROOM(sums->ns, place, sums->ns_room);
		sums->ns[place] = 0;
	}
	sums->ns[place] += sums_own_time(sums, start, ns);
}

void folded_sums_free(struct folded_sums *sums)
{
	numbers_free(&sums->keys);
	free(sums->ns);
	free(sums->inner);
}

/* --- calls of a .tlt file */

static uint64_t folding_add_call(struct folding *folding, const struct tl_call_record *call)
{
	uint64_t start = tl_trace_ns(folding->trace, call->start);
	uint64_t end = tl_trace_ns(folding->trace, tl_record_end(call->start, call->duration));

	if (!tl_trace_function(folding->trace, call->function))
		return 1;
	folded_sums_add(&folding->sums, (uint64_t)tl_record_stack(call) << 32 | call->function,
			start, end > start ? end - start : 0);
	return 0;
}

static uint64_t folding_add_lane(struct folding *folding, const struct tl_trace_lane *lane)
{
	struct tl_trace_passed passed = {.bytes = 0};
	uint64_t unknown = 0;

	folded_sums_thread(&folding->sums);
	for (size_t i = lane->first_run; i < lane->first_run + lane->nruns; i++) {
		const struct tl_trace_run *run = &folding->trace->runs[i];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		while ((record = tl_trace_next(run, &place))) {
			if (record->type == TL_RECORD_CALL)
				unknown += folding_add_call(folding, record);
			tl_trace_passed(folding->trace, run, &place, &passed);
		}
		if (place.unsound)
			record_file_damaged(folding->trace, run->offset + place.unsound - 1);
		tl_trace_left(folding->trace, run, &place, &passed);
	}
	/* Those that had not returned; the innermost ends first. */
	for (size_t open = lane->nopens; open-- > 0;) {
		const struct tl_unfinished_record record =
			tl_unfinished_unwound(&lane->opens[open], folding->trace->last);
		unknown += folding_add_call(folding, &record.call);
	}
	return unknown;
}

/* --- lines */

/* A semicolon parts names, and a line ends at its end. */
void folded_put_name(FILE *to, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		putc(bytes[i] == ';' ? ':' : (unsigned char)bytes[i] < ' ' ? '?' : bytes[i], to);
}

static void put_frame(const struct folding *folding, FILE *to, const struct tl_stack_frame *frame)
{
	char room[NAME_ROOM];
	struct tl_text name = {room, room + sizeof(room), false};
	struct tl_stack_library library;

	trace_frame_name(folding->trace, folding->symbols, frame, &name, &library);
	folded_put_name(to, room, (size_t)(name.at - room));
	putc(';', to);
}

static char *fold_text(const struct folding *folding, uint64_t key)
{
	struct tl_stack_frame frames[TL_STACK_FRAMES];
	struct tl_stack_reader reader;
	uint32_t count = 0;
	size_t size = 0;
	const char *stack = tl_trace_string(folding->trace, (uint32_t)(key >> 32), &size);
	const char *name = tl_trace_function(folding->trace, (uint32_t)key)->name;
	char *text = NULL;
	FILE *to = need(open_memstream(&text, &size));

	if (tl_stack_read(&reader, stack, size))
		count = tl_stack_read_frames(&reader, frames);
	while (count > 0)
		put_frame(folding, to, &frames[--count]);
	folded_put_name(to, name, strlen(name));
	fclose(to);
	return need(text);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Stacks that differ in addresses alone become one line. */
static void lines_write(struct line *lines, size_t count, FILE *to)
{
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && !strcmp(lines[i].text, lines[i + 1].text))
			lines[i + 1].ns += lines[i].ns;
		else
			fprintf(to, "%s %llu\n", lines[i].text, (unsigned long long)lines[i].ns);
		free(lines[i].text);
	}
}

bool folded_sums_write(const struct folded_sums *sums, char **texts, int fd)
{
	struct line *lines = need(calloc(sums->keys.count + 1ul, sizeof(*lines)));

	for (uint32_t i = 0; i < sums->keys.count; i++)
		lines[i] = (struct line){texts[i], sums->ns[i]};
	FILE *to = need(fdopen(dup(fd), "w"));
	lines_write(lines, sums->keys.count, to);
	bool written = !ferror(to);
	written = !fclose(to) && written;
	free(lines);
	return written;
}

void folded_say_stackless(const char *path)
{
	say("%s: it has no stacks, only functions; record them with `tracelayer run --stack`",
	    path);
}

bool export_folded(struct tl_trace *trace, struct symbols *symbols, int fd, uint64_t *unknown)
{
	struct folding folding = {.trace = trace, .symbols = symbols};

	*unknown = 0;
	for (size_t i = 0; i < trace->nlanes; i++)
		*unknown += folding_add_lane(&folding, &trace->lanes[i]);
	char **texts = need(calloc(folding.sums.keys.count + 1ul, sizeof(*texts)));
	for (uint32_t i = 0; i < folding.sums.keys.count; i++)
		texts[i] = fold_text(&folding, folding.sums.keys.list[i]);
	bool written = folded_sums_write(&folding.sums, texts, fd);
	free(texts);
	folded_sums_free(&folding.sums);
	return written;
}
