/* SPDX-License-Identifier: MIT */
/*
 * plain_event.h: what a table needs of an event of a Chrome trace, taken from the event's text. No
 * tree of values is made, which takes most of the time of a JSON library.
 *
 * Only events of the usual form are taken: their texts have no escapes where the text itself is
 * needed, their numbers are short, and their members have the types that tracing tools give them. Any
 * other event, sound or not, is left to jansson. An event that is taken here is JSON that jansson
 * takes, too, with the same values: a fuzz target compares them.
 */
#ifndef TL_CLI_READ_PLAIN_EVENT_H
#define TL_CLI_READ_PLAIN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/read/event_kernel.h"

/*
 * Bytes of the trace, which have no NUL. A quote follows them, or another byte that nobody needs
 * any more. .at is NULL: there is no such text.
 */
struct plain_text {
	char *at;
	size_t size;
};

/* Puts a NUL byte in the place of that byte. NULL: there is no such text. */
static inline const char *plain_text_end(const struct plain_text *text)
{
	if (text->at)
		text->at[text->size] = 0;
	return text->at;
}

struct plain_event {
	char phase;
	struct plain_text name, category;
	struct plain_text frame; /* "sf": a text or a number */
	struct plain_text stack; /* JSON of "stack", whatever it is; not for plain_text_end */
	bool has_process, has_thread;
	uint32_t process, thread;
	long long start, duration; /* nanoseconds; 0: it has none */
	/* of "args"; a number is 0 where there is none, or where it is no number of 32 bits */
	uint32_t correlation, request, queue;
	struct plain_text kind, device, peer, pci, uuid, global, local;
	double bytes;
	struct event_kernel kernel;
	bool has_bytes, unfinished, cut;
};

enum plain_state {
	PLAIN_TAKEN,
	PLAIN_SHORT,   /* the bytes end within the event, or perhaps do */
	PLAIN_UNUSUAL, /* left to jansson */
};

/* Bytes that may be looked at behind the end. The first of them must be 0. */
#define PLAIN_SLACK 16

/*
 * Takes the event whose opening brace is at *at, and moves *at behind its closing one. *lines grows
 * by the line breaks between. Nothing is moved unless the event was taken.
 */
enum plain_state plain_event_take(char **at, const char *end, struct plain_event *event,
				  unsigned long *lines);

#endif
