/* SPDX-License-Identifier: MIT */
/*
 * lanes.h: the lanes of the trace file: one for each thread there ever was, and one for each lane
 * that is no thread's. Only for the thread that holds the writer's lock.
 */
#ifndef TL_LAYER_BUFFERS_LANES_H
#define TL_LAYER_BUFFERS_LANES_H

#include <stdbool.h>
#include <stdint.h>

struct tl_lane {
	uint32_t number;
	uint32_t tid;	     /* as it is shown: tl_producer.shown */
	uint32_t kernel_tid; /* as the kernel has it */
	bool known;
	uint32_t named_in; /* file that its name is in, 0: none */
	uint32_t in;	   /* file that .events counts for */
	uint64_t events;
	uint64_t chunks;    /* how many pieces of its records went into the spool */
	uint32_t text;	    /* not a thread's lane: number of its name's string */
	int32_t sort;	    /* not a thread's lane: where it stands */
	char name[16];	    /* a thread's name */
	uint64_t lost;	    /* events that the buffers had no room for, as its records say */
	uint64_t unsaid;    /* of those, the ones that no record has told of yet */
	uint64_t dropped;   /* events that can't be written, or that went with their file */
	uint64_t unwritten; /* events that wait for a file that takes them */
	uint64_t told;	    /* losses that the ends of earlier files told of */
	/* Which of its calls are in the file; nanoseconds: see tl_lane_has_call. */
	uint32_t since_file; /* file that .since belongs to; 0: none */
	uint64_t since;	     /* the file has no call that ended before this time */
	uint64_t until;	     /* the last end of a call that went to any file */
	uint32_t gaps;	     /* how many gaps its calls in the files have */
};

/* The lane of a thread; NULL where memory is short. It stays where it is. */
struct tl_producer;
struct tl_lane *tl_lane_of(const struct tl_producer *producer);

/* The same for a lane that is not a thread's (struct tl_lane_entry). NULL: there is none. */
struct tl_lane *tl_lane_of_events(uint32_t number);

/* The last block is not in the file: lanes that are not threads' need their names again. */
void tl_lanes_unname(void);

/* All lanes seen have numbers below this. A number that has not been seen gives NULL. */
uint32_t tl_lane_count(void);
struct tl_lane *tl_lane_at(uint32_t number);

/*
 * Whether file `file` has the call that the thread shown by this number was in at that time. For a
 * time after its last record the answer is `later`. The lane knows from when to when its records
 * went to a file, and where they have gaps.
 */
bool tl_lane_has_call(uint32_t tid, uint64_t ns, uint32_t file, bool later);
void tl_lane_goes_to(struct tl_lane *lane, uint32_t file, uint64_t from, uint64_t to);
void tl_lane_gap(struct tl_lane *lane, uint64_t to);

/*
 * How many events of the lane are in no file, as far as is known, without those that earlier files'
 * ends told of.
 */
uint64_t tl_lane_lost(const struct tl_lane *lane);

/* In a forked child: forget the lanes. */
void tl_lanes_forget(void);

#endif
