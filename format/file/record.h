/* SPDX-License-Identifier: MIT */
/*
 * record.h: one event as it lies in a thread's buffer.
 *
 * Written by shims and by the runtime (layer/), read by the encoders here and, after a crash, by
 * the command. A record is 8-byte aligned and a multiple of 8 bytes long. It is reserved first (the
 * thread's position moves in one instruction, so that a signal handler that records in between gets
 * a place of its own), its .size is stored, then it is filled, then committed by the store of
 * .type. Chunks start zeroed: type 0 is "not committed"; readers step over such a record by its
 * size, and over words that are all zero (a place reserved and not yet used, or the rest of a
 * chunk).
 *
 * Times are ticks of the clock that the buffer's header names (TSC, cntvct, or nanoseconds of
 * CLOCK_MONOTONIC).
 */
#ifndef TL_FORMAT_FILE_RECORD_H
#define TL_FORMAT_FILE_RECORD_H

#include <stdint.h>

enum tl_record_type {
	TL_RECORD_NONE = 0, /* reserved and not committed, or the rest of a chunk */
	TL_RECORD_CALL = 1, /* a call: struct tl_call_record */
	/* 2 is free */
	/*
	 * struct tl_call_record: .result events of this thread were lost between .start and .start
	 * + .duration
	 */
	TL_RECORD_LOST = 3,
	/*
	 * nothing: .size bytes to step over. With TL_PAD_GAP in .flags: records of the thread are
	 * missing here
	 */
	TL_RECORD_PAD = 4,
	TL_RECORD_EVENT = 5, /* any other event: struct tl_event_record */
};

enum tl_record_flag {
	TL_RECORD_WORDS = 1, /* the parameters' words follow */
	TL_RECORD_BLOBS = 2, /* captured memory follows the words: see format/args/args.h */
	/* left by an exception, cancellation, thread exit or longjmp: no result */
	TL_RECORD_UNWOUND = 4,
	TL_RECORD_CUT = 8,    /* some arguments did not fit */
	TL_RECORD_CAUSE = 16, /* its cause follows the 32 bytes: tl_record_cause */
	/* the first blob captured at exit is the result's: its text, or errno where it failed */
	TL_RECORD_RESULT = 32,
	TL_RECORD_STACK = 64, /* its last word is the number of its stack's text: tl_record_stack */
};

enum tl_pad_flag {
	/* the records between its neighbours were overwritten by newer ones */
	TL_PAD_GAP = 1,
};

/*
 * 32 bytes; then, with TL_RECORD_CAUSE, one word; then, with TL_RECORD_WORDS, the parameters'
 * words; then, with TL_RECORD_BLOBS, one struct tl_blob_sizes, the blobs captured at entry and
 * those captured at exit; then, with TL_RECORD_STACK, one word.
 */
struct tl_blob_sizes {
	uint32_t entry, exit; /* bytes, multiples of 8 */
};

struct tl_call_record {
	uint16_t size;	   /* of the whole record, in 8-byte units */
	uint8_t type;	   /* enum tl_record_type; stored last */
	uint8_t flags;	   /* enum tl_record_flag */
	uint32_t function; /* number given to the API << 16 | tl_function.index */
	uint64_t start;	   /* ticks */
	uint64_t duration; /* ticks */
	uint64_t result;   /* the returned value, zero-extended from its size; 0 for void */
};

/* When a record's duration ends. In a damaged record the sum may overflow. */
static inline uint64_t tl_record_end(uint64_t start, uint64_t duration)
{
	return duration < UINT64_MAX - start ? start + duration : UINT64_MAX;
}

/* A call that has not returned. */
struct tl_unfinished {
	uint64_t start;	   /* ticks */
	uint32_t function; /* as in a record */
	uint32_t stack;	   /* number of its stack's text; 0: none */
};

/* The same as a call that was unwound at the tick `end`: like that, it has no result and no words. */
struct tl_unfinished_record {
	struct tl_call_record call;
	uint64_t stack;
};

static inline struct tl_unfinished_record tl_unfinished_unwound(const struct tl_unfinished *call,
								uint64_t end)
{
	return (struct tl_unfinished_record){
		{.size = sizeof(struct tl_unfinished_record) / 8,
		 .type = TL_RECORD_CALL,
		 .flags = TL_RECORD_UNWOUND | TL_RECORD_STACK,
		 .function = call->function,
		 .start = call->start,
		 .duration = end > call->start ? end - call->start : 0},
		call->stack};
}

/*
 * The work on a device that a call caused, and the request that caused the call. 0 means none; both
 * are 0 where the record is too short to have them.
 */
struct tl_cause {
	uint32_t correlation, request;
};

static inline struct tl_cause tl_record_cause(const struct tl_call_record *record)
{
	const uint32_t *halves = (const uint32_t *)(const void *)(record + 1);

	if (!(record->flags & TL_RECORD_CAUSE) || record->size * 8u < sizeof(*record) + 8)
		return (struct tl_cause){0, 0};
	return (struct tl_cause){halves[0], halves[1]};
}

/* The text that has the call's stack (format/file/stack_text.h); 0: none. */
static inline uint32_t tl_record_stack(const struct tl_call_record *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	if (!(record->flags & TL_RECORD_STACK) || record->size * 8u < sizeof(*record) + 8)
		return 0;
	return (uint32_t)words[record->size - 1];
}

/* An argument of an event. */
enum tl_event_value {
	TL_VALUE_UNSIGNED_64,
	TL_VALUE_SIGNED_64,
	TL_VALUE_HEX_64,
	TL_VALUE_DOUBLE_64, /* by its bits */
	TL_VALUE_TRUTH,	    /* 0: false */
	TL_VALUE_STRING,    /* number of a string */
};

struct tl_event_arg {
	uint32_t key;  /* number of a string */
	uint32_t kind; /* enum tl_event_value */
	uint64_t value;
};

/*
 * An event that is not a call: device work, a program's own events, counters, flows. It lies in a
 * chunk of the thread that recorded it, whichever lane it is for. Its args follow.
 */
enum tl_event_flag {
	TL_EVENT_NS = 1, /* times are nanoseconds of CLOCK_MONOTONIC, not ticks */
	/*
	 * .lane is the shown number of a thread's lane: the event belongs to that thread, whichever
	 * thread recorded it
	 */
	TL_EVENT_TID = 2,
	/* a struct tl_event_arrows follows the args. With X and TL_EVENT_NS */
	TL_EVENT_ARROWS = 4,
};

struct tl_event_record {
	uint16_t size; /* of the whole record, in 8-byte units */
	uint8_t type;  /* TL_RECORD_EVENT; stored last */
	uint8_t flags; /* enum tl_event_flag */
	uint32_t name; /* number of a string */
	uint64_t start;
	uint64_t duration; /* X: in the same unit. s, t, f: the flow's number */
	/* 0: the thread's; else one of struct tl_lane_entry; or see TL_EVENT_TID */
	uint32_t lane;
	uint8_t phase;	   /* Chrome's: X, B, E, i, C (each arg is a series), s, t, f */
	uint8_t level;	   /* enum tl_level */
	uint16_t args;	   /* how many follow */
	uint32_t category; /* number of a string; 0: "tracelayer" */
	uint32_t request;  /* id of the request that caused it; 0: none */
	struct tl_event_arg arg[];
};

/*
 * Flows from a call to the event that it caused, and from the event to the call that waited for it.
 * Each becomes an event s and an event f, with the event's category, level and request. They are
 * not counted as events, and are kept or lost with their event.
 */
struct tl_event_arrows {
	uint64_t number;	 /* of the first flow; the second has the next one */
	uint64_t from_ns, to_ns; /* when they leave the first call, and reach the second */
	/* the calls' threads, by their shown numbers; 0: there is no such flow */
	uint32_t from, to;
	uint32_t from_name, to_name; /* numbers of strings */
};

/* The bytes of an event, by its own counts. */
static inline uint64_t tl_event_bytes(const struct tl_event_record *event)
{
	return sizeof(*event) + event->args * sizeof(event->arg[0]) +
	       (event->flags & TL_EVENT_ARROWS ? sizeof(struct tl_event_arrows) : 0);
}

/*
 * Whether events of the thread are missing at this record. Reads 8 bytes of it, or all of it if it
 * is a loss.
 */
static inline _Bool tl_record_is_gap(const struct tl_call_record *record)
{
	return record->type == TL_RECORD_PAD ? record->flags & TL_PAD_GAP
					     : record->type == TL_RECORD_LOST && record->result;
}

/* Whether a record counts as an event: in totals, and as a loss if it can't be kept. */
static inline _Bool tl_record_counts(uint32_t type)
{
	return type == TL_RECORD_CALL || type == TL_RECORD_EVENT;
}

#endif
