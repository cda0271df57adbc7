/*
 * lanes.h: the lanes of the trace file, one for each thread there ever was, and the numbers they
 * are shown by. Used by whoever holds the writer's pen.
 */
#ifndef TL_LAYER_LANES_H
#define TL_LAYER_LANES_H

#include <stdbool.h>
#include <stdint.h>

struct tl_lane {
	uint32_t tid;		/* as it is shown: tl_producer.shown */
	bool known, named;	/* .named: its name is in the file */
	char name[16];
	uint64_t lost;		/* events that the buffers had no room for, as records said */
	uint64_t unsaid;	/* those that no record has told of yet */
	uint64_t dropped;	/* events that the file did not take */
};

/* The lane of a thread's number; NULL where memory is short. It stays where it is. */
struct tl_lane *tl_lane_of(uint32_t number, uint32_t tid);

/* Numbers below this have been seen; those that have not are NULL. */
uint32_t tl_lane_count(void);
struct tl_lane *tl_lane_at(uint32_t number);

/* In a forked child. */
void tl_lanes_forget(void);

#endif
