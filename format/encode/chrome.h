/* SPDX-License-Identifier: MIT */
/*
 * chrome.h: events as Chrome trace JSON. An array, one event a line; metadata first; see
 * doc/tracelayer-trace.5.
 *
 * The encoder formats into memory given to it, allocates nothing, knows no locale, and uses
 * integers only. Each event starts with a comma and a newline; whoever writes the file replaces the
 * first comma by the array's bracket.
 */
#ifndef TL_FORMAT_ENCODE_CHROME_H
#define TL_FORMAT_ENCODE_CHROME_H

#include "format/args/args.h"
#include "format/file/record.h"
#include "format/encode/repeat_hints.h"
#include "format/encode/text_pieces.h"
#include "format/encode/touching.h"

#define TL_CHROME_NAMES 1024
#define TL_CHROME_KEPT	224

/* What all calls of one function have in common, made once. */
struct tl_chrome_name {
	const struct tl_function *function;
	uint16_t head;	  /* bytes of .text, up to the category's end */
	uint16_t result;  /* bytes after them: the member for a result of 0 */
	bool zero_failed; /* a result of 0 is a failure */
	bool has_result;
	bool is_plain; /* the plan prints all that a record without captured memory has */
	char text[TL_CHROME_KEPT + TL_TEXT_PIECE];
	/* Where parts of such an event were last, for hints. */
	struct {
		uint32_t head, duration, args, end, steps[TL_PLAN_STEPS];
	} places;
	struct tl_args_plan plan;
};

/* A stack's members of an event, as they were written last. */
#define TL_CHROME_STACKS     64
#define TL_CHROME_STACK_KEPT 2040
struct tl_chrome_stack {
	uint32_t number, size; /* number 0: the place is free */
	char text[TL_CHROME_STACK_KEPT];
};

/* What events have between their category and the last digits of their times, as it was last. */
#define TL_CHROME_TIME 48
struct tl_chrome_time {
	uint64_t from; /* nanoseconds of the first event that it fits; the last is 10^8 - 1 later */
	uint32_t tid;
	uint32_t size; /* 0: there is none */
	char text[TL_CHROME_TIME];
};

struct tl_chrome {
	uint32_t pid;
	/* As in struct tl_encoder. */
	const void *source;
	uint64_t (*ns)(const void *source, uint64_t ticks);
	const struct tl_function *(*function)(const void *source, uint32_t id);
	struct tl_chrome_name *names; /* TL_CHROME_NAMES of them, zeroed at first; NULL: slower */
	/* The encoder, for calls' stacks; NULL: these are left out. */
	const struct tl_encoder *stacks;
	struct tl_chrome_stack *kept_stacks; /* TL_CHROME_STACKS of them, zeroed at first */
	struct tl_chrome_time *time;	     /* zeroed at first; NULL: slower */
	struct tl_repeat_hints *hints;	     /* NULL: nobody asks for them */
	struct tl_touching *touching; /* zeroed at first; NULL: slices that touch are not moved */
	bool further_lanes; /* of calls that overlap, one is on a further lane of the thread */
};

/*
 * Most bytes that one record can become. Arguments that would take more are left out, and
 * the event says "cut".
 */
#define TL_CHROME_EVENT_MAX (256u * 1024)

/*
 * One record as an event: a call as X, lost events as i; names and padding give nothing. `size` is
 * how many bytes lie from the record to its chunk's end. Returns the record's size in bytes; 0: it
 * is not sound. The text needs room for TL_CHROME_EVENT_MAX bytes; an event is appended completely
 * or not at all.
 */
size_t tl_chrome_record(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *record, size_t size);

/*
 * One metadata event: name is process_name, thread_name, process_labels, process_sort_index,
 * tracelayer, …; args is the inside of a JSON object, without its braces.
 */
void tl_chrome_metadata(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const char *name, const char *args);

#endif
