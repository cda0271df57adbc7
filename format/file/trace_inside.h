/* SPDX-License-Identifier: MIT */
/*
 * trace_inside.h: the inside of a struct tl_trace, for the files that read one.
 *
 * record_reader.c opens a file and visits its pieces once. Their contents go to trace_facts.c
 * (facts, output, end, APIs), trace_clock.c, trace_texts.c and trace_lanes.c. Then trace_lanes.c
 * sorts the lists: threads become lanes, and chunks their runs. trace_calls.c finds out which calls
 * are missing, and which were open.
 *
 * Every offset and size is compared with what is there before it is used. Structs are copied out of
 * the file, so that what was checked is what is used. Records stay where they are; tl_trace_next
 * checks each as it comes to it.
 */
#ifndef TL_FORMAT_FILE_TRACE_INSIDE_H
#define TL_FORMAT_FILE_TRACE_INSIDE_H

#include <stdlib.h>
#include <string.h>

#include "format/file/record_reader.h"

#define API_NUMBERS  256u /* records' numbers have 16 bits; no program has so many APIs */
#define POINTS_ADDED 64u  /* after the file's own */

struct point {
	uint64_t ticks, ns, slope;
};

struct clock {
	uint32_t count;
	uint64_t horizon;
	struct point points[TL_CLOCK_POINTS + POINTS_ADDED];
};

struct chunk {
	uint32_t lane;
	uint64_t number, place; /* place: of its piece in the file */
	const char *records;
	uint64_t size;			   /* bytes of records, also of those that the output has */
	uint64_t kept, taken, block, hole; /* as in the piece */
};

struct thread {
	struct tl_trace_lane lane;
	uint64_t place;
};

/* Texts that lie together. */
struct texts {
	uint64_t number; /* of .units[0] */
	uint64_t count;	 /* units */
	uint64_t place;
	const char *units;
};

/* Nanoseconds between which records of a lane are missing. */
struct gap {
	uint64_t from, to;
};

/*
 * Which calls of a lane the file has: none from before .since or behind .until, and none in its
 * gaps.
 */
struct span {
	uint32_t tid; /* as it is shown */
	uint64_t since, until;
	size_t first_gap, ngaps;
};

struct trace {
	struct tl_trace seen; /* first: what users have */
	const char *bytes;
	uint64_t size;
	void *mapped, *allocated; /* the memory of .bytes, to be released */
	int fd;			  /* while the file is opened, to skip its holes; -1: none */
	struct clock clock;
	const struct tl_api *apis[API_NUMBERS];
	struct chunk *chunks;
	size_t nchunks, chunks_room;
	bool written_too; /* runs contain what the output has, too */
	struct thread *threads;
	size_t nthreads, threads_room;
	struct texts *texts;
	size_t ntexts, texts_room, named_room;
	struct span *spans; /* as many as lanes, sorted by .tid */
	struct gap *gaps;   /* each lane's in the order of time */
	size_t ngaps, gaps_room;
	size_t more_problems;
	bool failed; /* no memory */
};

#define problem(trace, ...) tl_trace_problem(&(trace)->seen, __VA_ARGS__)

/*
 * A place for one more element. The old ones may move. NULL: no memory, and the trace has .failed.
 */
void *tl_reader_append(struct trace *trace, void *list, size_t *count, size_t *room, size_t each);
void *tl_reader_zeroed(struct trace *trace, size_t count, size_t each);
void tl_reader_sort(void *list, size_t count, size_t each,
		    int (*compare)(const void *, const void *));

/* These bytes of the file are not needed for now: their pages leave the memory. */
void tl_reader_release(const struct trace *trace, uint64_t from, uint64_t to);

/* Ticks to nanoseconds. */
uint64_t tl_reader_ns(const struct clock *clock, uint64_t ticks);

/*
 * Reads a piece of each kind: `size` bytes. The caller has checked only that the file has these
 * bytes.
 */
void tl_reader_clock(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_api(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_facts(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_output(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_end(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_thread(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_chunk(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_texts(struct trace *trace, const char *piece, uint64_t size);
void tl_reader_named_lanes(struct trace *trace, const char *piece, uint64_t size);

/* After all pieces, in this order; the first one calls the second and the third. */
void tl_reader_finish(struct trace *trace);
void tl_reader_sort_texts(struct trace *trace);
void tl_reader_finish_opens(struct trace *trace);
void tl_reader_find_spans(struct trace *trace);

#endif
