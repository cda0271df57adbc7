/* SPDX-License-Identifier: MIT */
/*
 * encoder.h: what turns records into the bytes of a trace file, whatever its format.
 *
 * The layer's writer and the command (export, recover) use it alike. An encoder formats into memory
 * given to it, allocates nothing, knows no locale, and makes no system call. One thread at a time.
 *
 * Output comes in blocks. What is appended between two calls of .block reaches the file whole or
 * not at all, so an encoder must not rely on what it put into an earlier block, unless it was told
 * by .kept that it is there.
 */
#ifndef TL_FORMAT_ENCODE_ENCODER_H
#define TL_FORMAT_ENCODE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/encode/open_marks.h"
#include "format/file/record.h"
#include "common/text.h"
#include "format/file/trace_file.h"

struct tl_function;
struct tl_encoder;

/* Bytes that one call of an encoder may append: so much room must be left in the text. */
#define TL_ENCODER_ROOM (256u * 1024)

/* What the events that are no calls cost, beside what they tell of. */
struct tl_event_cost {
	uint64_t bytes;	    /* of their records */
	uint64_t device_ns; /* work of devices that is among them */
};

/* What the end of a file says. */
struct tl_totals {
	uint64_t events; /* in the file */
	uint64_t lost;	 /* events that are in no file */
	/* Lanes with losses: calls back with each; NULL: not known. */
	void (*lost_by_thread)(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost),
			       void *to);
	void *context;
	/* those that made room for newer ones in rings, as was wished; 0: not said */
	uint64_t overwritten;
	struct tl_event_cost cost; /* .bytes 0: not said */
};

struct tl_format {
	enum tl_output_format number; /* its ending: common/output_formats.c */
	/*
	 * Events know nothing of each other: parts of a trace can be encoded apart, and what began
	 * in one file can be ended in the next.
	 */
	bool in_parts;
	size_t state; /* bytes that an encoder needs, zeroed, aligned to 64 */

	/* What a file starts with. */
	void (*begin)(struct tl_encoder *encoder, struct tl_text *text,
		      const struct tl_facts *facts);
	/* A thread's name. Comes before its first record, and again when the name changes. */
	void (*thread)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		       const char name[16]);
	/*
	 * A lane that is no thread's: its name, and where it stands (struct tl_lane_entry). Before
	 * the first event that names it.
	 */
	void (*lane)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const char *name, size_t size, int32_t sort);
	/*
	 * One record; `size` is how many bytes lie from it to its chunk's end. Appends all of it or
	 * nothing. Returns the record's size in bytes, 0 where it is not sound.
	 */
	size_t (*record)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			 const struct tl_call_record *record, size_t size);
	/* A call that had not returned when its process ended, at the tick `end`. */
	void (*unfinished)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			   uint32_t function, uint64_t start, uint64_t end);
	/* What a file ends with. More may be written over it later. */
	void (*end)(struct tl_encoder *encoder, struct tl_text *text,
		    const struct tl_totals *totals);
	/* A block begins. */
	void (*block)(struct tl_encoder *encoder);
	/* What was appended since .block is in the file. */
	void (*kept)(struct tl_encoder *encoder);
};

struct tl_encoder {
	const struct tl_format *format;
	uint32_t pid;
	/* Where the records come from: the first argument of the functions that follow. */
	const void *source;
	/* Ticks to nanoseconds of CLOCK_MONOTONIC. */
	uint64_t (*ns)(const void *source, uint64_t ticks);
	/* NULL for a number that no API has. */
	const struct tl_function *(*function)(const void *source, uint32_t id);
	/*
	 * The text of a string's number, NULL: there is none; and the tid that a lane is shown by.
	 * Both may be NULL where all events are calls.
	 */
	const char *(*string)(const void *source, uint32_t number, size_t *size);
	uint32_t (*lane)(const void *source, uint32_t number);
	/*
	 * Whether the file has the call that a thread, by the number that it is shown by, was in at
	 * a time, or will have it, as far as is known: arrows that lead from or to a call that it
	 * lacks are left out. NULL: it has all.
	 */
	bool (*has_call)(const void *source, uint32_t tid, uint64_t ns);
	/* what is open, to be ended where records are missing; NULL: that is not wanted */
	struct tl_open_marks *marks;
	void *state; /* format->state bytes */
};

static inline uint64_t tl_encoder_ns(const struct tl_encoder *encoder, uint64_t ticks)
{
	return encoder->ns(encoder->source, ticks);
}

static inline const struct tl_function *tl_encoder_function(const struct tl_encoder *encoder,
							    uint32_t id)
{
	return encoder->function(encoder->source, id);
}

/* NULL, too, for number 0, and where there are no strings. */
static inline const char *tl_encoder_string(const struct tl_encoder *encoder, uint32_t number,
					    size_t *size)
{
	return number && encoder->string ? encoder->string(encoder->source, number, size) : NULL;
}

/*
 * What a file's end says, as the inside of a JSON object. What does not fit of the threads' losses
 * is left out.
 */
void tl_text_totals(struct tl_text *text, const struct tl_totals *totals);

/*
 * A record lies whole in its chunk, of which `size` bytes are left, and those that say what a
 * call's do are no smaller than one.
 */
static inline bool tl_record_is_whole(const struct tl_call_record *record, size_t size)
{
	return size >= 8 && record->size * 8u <= size &&
	       ((record->type != TL_RECORD_CALL && record->type != TL_RECORD_LOST) ||
		record->size * 8u >= sizeof(*record));
}

/*
 * A record that is an event's and lies whole in its chunk has the size that its arguments take, and
 * a phase that there is.
 */
bool tl_event_is_sound(const struct tl_event_record *event);

/*
 * The ends of the flows that a sound event has (TL_EVENT_ARROWS), as events in the order of their
 * times. Returns how many.
 *
 * The one that leads to a call that waited ends at an instant of its own, near that call's end:
 * Perfetto turns an arrow by its slices' beginnings, and a wait begins before what it waits for
 * ends.
 */
#define TL_EVENT_ENDS 5
unsigned tl_event_ends(const struct tl_encoder *encoder, const struct tl_event_record *event,
		       struct tl_event_record ends[TL_EVENT_ENDS]);

/*
 * A sound record of a thread is next: what it says of marks (tl_encoder.marks) is noted. An encoder
 * calls it for each. False: an event E of the thread's own that ends nothing which the file has.
 */
bool tl_encoder_note(const struct tl_encoder *encoder, uint32_t tid,
		     const struct tl_call_record *record);

/*
 * Records of the thread are missing: the next of its marks to be ended, as an event E with its time
 * in .start; its arguments say "cut".
 */
bool tl_encoder_gap(const struct tl_encoder *encoder, uint32_t tid, struct tl_event_record *end);

/* The number that the lane of an event is shown by; 0: that of the thread which recorded it. */
uint32_t tl_event_shown(const struct tl_encoder *encoder, const struct tl_event_record *event);

/*
 * When an event began and ended, in nanoseconds of CLOCK_MONOTONIC. Only an X takes time, and never
 * less than none.
 */
void tl_event_times(const struct tl_encoder *encoder, const struct tl_event_record *event,
		    uint64_t *start, uint64_t *stop);

/* Add a sound event to the cost of all. */
void tl_event_add_cost(struct tl_event_cost *cost, const struct tl_encoder *encoder,
		       const struct tl_event_record *event);

#endif
