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
struct tl_pf_gpus;
struct tl_repeat_hints;
struct tl_stack_library;
struct tl_touching;

/* Bytes that one call of an encoder may append: so much room must be left in the text. */
#define TL_ENCODER_ROOM (256u * 1024)

/* What events that are not calls cost, compared with what they describe. */
struct tl_event_cost {
	uint64_t bytes;	    /* of their records */
	uint64_t device_ns; /* work of devices that they describe */
};

/* What the end of a file reports. */
struct tl_totals {
	uint64_t events; /* in the file */
	uint64_t lost;	 /* events that are in no file */
	/* Calls back with each lane that has losses; NULL: not known. */
	void (*lost_by_thread)(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost),
			       void *to);
	void *context;
	/* events that newer ones in rings have overwritten, as the user wished; 0: not reported */
	uint64_t overwritten;
	struct tl_event_cost cost; /* .bytes 0: not reported */
	uint64_t stackless;	   /* calls whose stacks there was no room for; 0: not reported */
};

struct tl_format {
	enum tl_output_format number; /* its ending: common/output_formats.c */
	/*
	 * Events do not refer to each other: parts of a trace can be encoded separately, and what
	 * began in one file can be ended in the next.
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
	 * A lane that is not a thread's: its name, and where it stands (struct tl_lane_entry).
	 * Comes before the first event that names it.
	 */
	void (*lane)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		     const char *name, size_t size, int32_t sort);
	/*
	 * One record; `size` is how many bytes lie from it to its chunk's end. Appends all of it or
	 * nothing. Returns the record's size in bytes; 0: it is not sound.
	 */
	size_t (*record)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			 const struct tl_call_record *record, size_t size);
	/* A call that had not returned when its process ended, at the tick `end`. */
	void (*unfinished)(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			   const struct tl_unfinished *call, uint64_t end);
	/* What a file ends with. Later blocks may overwrite it. */
	void (*end)(struct tl_encoder *encoder, struct tl_text *text,
		    const struct tl_totals *totals);
	/* A block begins. */
	void (*block)(struct tl_encoder *encoder);
	/* What was appended since .block is in the file. */
	void (*kept)(struct tl_encoder *encoder);
	/*
	 * Calls of one thread can be encoded apart from what was before, by another encoder, if no
	 * mark is open: all that such an encoder lacks is in here. NULL: they can't.
	 */
	struct tl_touching *(*touching)(const struct tl_encoder *encoder);
};

struct tl_encoder {
	const struct tl_format *format;
	uint32_t pid;
	/* Where the records come from: the first argument of the functions that follow. */
	const void *source;
	/* Ticks to nanoseconds of CLOCK_MONOTONIC. */
	uint64_t (*ns)(const void *source, uint64_t ticks);
	/* NULL: no API has this number. */
	const struct tl_function *(*function)(const void *source, uint32_t id);
	/*
	 * The text of a string's number, NULL: there is none; and the tid that a lane is shown by.
	 * Both may be NULL if all events are calls.
	 */
	const char *(*string)(const void *source, uint32_t number, size_t *size);
	uint32_t (*lane)(const void *source, uint32_t number);
	/*
	 * Whether the file has, or as far as is known will have, the call that a thread (by the
	 * number that it is shown by) was in at a time. Arrows from or to other calls are left out.
	 * NULL: the file has all calls.
	 */
	bool (*has_call)(const void *source, uint32_t tid, uint64_t ns);
	/* the open marks, to be ended where records are missing; NULL: do not end them */
	struct tl_open_marks *marks;
	void *state; /* format->state bytes */
	/* Gets hints for who compresses the text, which begins at its .base; NULL: nobody does. */
	struct tl_repeat_hints *hints;

	/* For a file that several encoders write, one after another. */
	uint32_t follows; /* how many have written to it before; the first wrote its beginning */
	bool leads;	  /* another one, or the caller, writes its end */
	int64_t moved;	  /* nanoseconds that the source adds to all times */

	/*
	 * Appends the name of a frame of a stack, in the library (NULL: in none) at that library's
	 * own address. NULL: the library's file name and the address.
	 */
	void (*frame_name)(void *names, struct tl_text *text,
			   const struct tl_stack_library *library, uint64_t address);
	void *names; /* its first argument */
	/* JSON: calls have "sf", their stacks' numbers; whoever writes the end adds "stackFrames" */
	bool stack_ids;
	/* JSON: calls of a thread that overlap stay on its lane, for readers that sort them */
	bool one_lane;

	/* .pftrace: commands of devices are Perfetto's GPU events (pftrace_gpu.h), not slices */
	bool gpu_events;
	/* the devices that all encoders of the file know; NULL: this encoder writes the file alone */
	struct tl_pf_gpus *gpus;
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

/* NULL also for number 0, and if there are no strings. */
static inline const char *tl_encoder_string(const struct tl_encoder *encoder, uint32_t number,
					    size_t *size)
{
	return number && encoder->string ? encoder->string(encoder->source, number, size) : NULL;
}

/*
 * What a file's end reports, as the inside of a JSON object. Losses of threads that do not fit are
 * left out.
 */
void tl_text_totals(struct tl_text *text, const struct tl_totals *totals);

/*
 * Whether a record lies completely in its chunk, of which `size` bytes are left. A record of one of
 * the types that have a call's fields must be at least as large as a call's.
 */
static inline bool tl_record_is_whole(const struct tl_call_record *record, size_t size)
{
	return size >= 8 && record->size * 8u <= size &&
	       ((record->type != TL_RECORD_CALL && record->type != TL_RECORD_LOST) ||
		record->size * 8u >= sizeof(*record));
}

/*
 * Whether a record of an event, which lies completely in its chunk, has the size that its arguments
 * take, and a valid phase.
 */
bool tl_event_is_sound(const struct tl_event_record *event);

/*
 * The ends of a sound event's flows (TL_EVENT_ARROWS), as events in the order of their times.
 * Returns how many.
 *
 * The flow to a call that waited ends at an instant of its own, near that call's end: Perfetto
 * reverses an arrow if its slices begin in the other order, and a wait begins before the command
 * that it waits for ends.
 */
#define TL_EVENT_ENDS 5
unsigned tl_event_ends(const struct tl_encoder *encoder, const struct tl_event_record *event,
		       struct tl_event_record ends[TL_EVENT_ENDS]);

/*
 * Called for each sound record of a thread: notes what it says about marks (tl_encoder.marks).
 * False: it is an event E of the thread's own that ends nothing that the file has.
 */
bool tl_encoder_note(const struct tl_encoder *encoder, uint32_t tid,
		     const struct tl_call_record *record);

/*
 * Records of the thread are missing: gives the next of its marks to end, as an event E with its
 * time in .start; its arguments say "cut".
 */
bool tl_encoder_gap(const struct tl_encoder *encoder, uint32_t tid, struct tl_event_record *end);

/* The number that the event's lane is shown by; 0: the lane of the thread that recorded it. */
uint32_t tl_event_shown(const struct tl_encoder *encoder, const struct tl_event_record *event);

/*
 * When an event began and ended, in nanoseconds of CLOCK_MONOTONIC. Only an X takes time; its end
 * is never before its start.
 */
void tl_event_times(const struct tl_encoder *encoder, const struct tl_event_record *event,
		    uint64_t *start, uint64_t *stop);

/* Add a sound event to the total cost. */
void tl_event_add_cost(struct tl_event_cost *cost, const struct tl_encoder *encoder,
		       const struct tl_event_record *event);

#endif
