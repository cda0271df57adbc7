/* SPDX-License-Identifier: MIT */
/*
 * timeline.h: what the files of libtracelayer-xpti-timeline.so offer each other.
 *
 * The library is a subscriber: what streams notify of becomes events of the process's trace
 * (layer/program/xpti_events.h).
 *
 *	timeline.c		entry points, callbacks, and what an event says
 *	timeline_open.c		what has begun and not ended, by thread
 *	timeline_lanes.c	on which lane a slice is put
 *	timeline_edges.c	edges, what ran of their ends, and arrows
 *	timeline_places.c	numbers of names and of places in the code
 *
 * All that it keeps lies in memory that a forked child finds zeroed, however it was forked; zero is
 * what everything begins with. So a child has nothing of its parent's: not what was open, nor
 * numbers of strings and lanes, which are others there.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_H
#define TL_XPTI_TIMELINE_TIMELINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/program/xpti_events.h"
#include "tracelayer/api.h"
#include "tracelayer/xpti.h"

#define TIMELINE_LEVEL TL_LEVEL_RUNTIME

/* ---- timeline_places.c */

/* A name, and a place in the code, by the addresses of their texts. */
struct timeline_place {
	const char *name, *file;
	uint32_t line, column;
	uint32_t number, source; /* of the name, and of "file:line"; 0: there is none */
	const char *text;	 /* the name, as it was then */
	size_t size;
};

enum { TIMELINE_PLACES = 256 };

struct timeline_thread;
/*
 * Stays as it is until the thread asks for another one. `trusted`: the name is a text for sure;
 * else it may be anything.
 */
const struct timeline_place *timeline_place(struct timeline_thread *thread, const char *name,
					    const char *file, uint32_t line, uint32_t column,
					    bool trusted);
/* The number of a text that may be cut, or not be there at all: 0. */
uint32_t timeline_text(const char *text, bool trusted);

/* ---- timeline_open.c */

/* What began. `start` 0: it was not to be recorded. */
struct timeline_begun {
	uint64_t start;		   /* ticks */
	uint64_t object, instance; /* as they were notified of */
	uint64_t uid;
	uint64_t bytes, address; /* memory; 0: not said */
	uint32_t name, source;
	uint32_t parent;
	uint16_t type;
	uint8_t stream;
	uint8_t more; /* enum timeline_more */
};

enum timeline_more {
	/*
	 * it can't be on its thread's own lane: something else there began in it, and ended after
	 * it
	 */
	TIMELINE_ASIDE = 1,
	TIMELINE_UNFINISHED = 2,
	TIMELINE_NO_SLICE = 4, /* it is told as an instant, where it began */
};

enum { TIMELINE_OPEN = 1024, TIMELINE_WORDS = sizeof(struct timeline_begun) / 8 };

/* .state is odd while it is open, and another one each time. */
struct timeline_open {
	_Atomic uint64_t state;
	_Atomic uint64_t words[TIMELINE_WORDS];
	_Atomic bool aside; /* stored by its thread alone */
	uint8_t stream;	    /* its thread's own */
};

struct timeline_thread {
	_Atomic uint32_t attached; /* 0: it is not in the list, or this is a child of fork */
	_Atomic uint32_t over;	   /* its thread has ended */
	struct timeline_thread *next;
	uint32_t order; /* among all threads */
	uint32_t top;	/* what is open lies below */
	/* when what it had open was last ended for it, by stream; [0]: of all; or NOW */
	_Atomic uint64_t flushed[256];
	/* others hold it while they end something here; the thread, while it moves things */
	pthread_mutex_t lock;
	uint32_t lanes[256]; /* by stream; 0: not made */
	struct timeline_place places[TIMELINE_PLACES];
	struct timeline_open open[TIMELINE_OPEN];
};

/* The calling thread's; NULL where memory is short. */
struct timeline_thread *timeline_this_thread(void);
bool timeline_threads_start(void);

/* Where there is no room, what is oldest is told as if it never ended. */
void timeline_push(struct timeline_thread *thread, const struct timeline_begun *begun);
/* Find what ends here, on this thread first, and take it out. False: nothing that began does. */
bool timeline_pop(struct timeline_thread *thread, struct timeline_begun *end);
/* Tell of all that is open as unfinished; `stream` 0: of all streams. */
void timeline_flush(uint8_t stream);

/* ---- timeline.c */

/* A slice from where it began to `end`, or an instant. `thread`: whose it is. */
void timeline_tell(struct timeline_thread *thread, const struct timeline_begun *begun,
		   uint64_t end);
/* Something of this user-defined type has ended, ever. */
bool timeline_type_ends(uint16_t type);
const char *timeline_stream_name(uint8_t stream);
/* The number of the category that a type's events are of. */
uint32_t timeline_category(uint16_t type);

/* ---- timeline_lanes.c */

enum { TIMELINE_ASIDES = 256 };

struct timeline_lanes {
	pthread_mutex_t lock;
	uint32_t count;
	struct {
		uint32_t number;
		uint64_t before;     /* when the one before the last ended */
		uint64_t start, end; /* the last one, with all that lies in it */
	} asides[TIMELINE_ASIDES];
};

/* The thread's lane for a stream; 0: there is none, and events go to the thread's own. */
uint32_t timeline_lane(struct timeline_thread *thread, uint8_t stream);
/* A lane on which a slice crosses no other; 0: none is left. */
uint32_t timeline_lane_aside(uint8_t stream, uint64_t start, uint64_t end);

/* ---- timeline_edges.c */

enum { TIMELINE_EDGES = 1 << 15, TIMELINE_RUNS = 4 };

struct timeline_edge {
	uint32_t source, target; /* nodes */
	uint32_t name;
	uint32_t next_out, next_in, next_same; /* edges; 0: no more */
};

struct timeline_run {
	uint64_t start, end;
	uint32_t lane;
};

struct timeline_node {
	uint64_t uid;
	uint32_t next_same; /* in its list of the table, or of those that are free */
	/* edges, the oldest first; 0: none */
	uint32_t first_out, last_out, first_in, last_in;
	uint32_t count;				 /* runs there were */
	uint64_t began;				 /* when the latest did, ended or not */
	struct timeline_run runs[TIMELINE_RUNS]; /* the latest that ended */
};

/* Edges and nodes are numbered from 1. */
struct timeline_edges {
	pthread_mutex_t lock;
	_Atomic uint64_t made; /* edges there ever were */
	uint32_t nodes, free_nodes;
	uint64_t oldest; /* edges that were forgotten */
	uint32_t edge_table[TIMELINE_EDGES], node_table[TIMELINE_EDGES];
	struct timeline_edge edge[TIMELINE_EDGES + 1];
	struct timeline_node node[TIMELINE_EDGES + 1];
};

void timeline_edge_made(uint64_t source, uint64_t target, uint32_t name);
/* What is notified of with this uid has begun. */
void timeline_run_begins(uint64_t uid, uint64_t start);
/* It has ended, and its slice is on that lane: draw the arrows that are known now. */
void timeline_run_ends(uint64_t uid, uint32_t lane, uint64_t start, uint64_t end);

/* ---- what all share */

enum timeline_key {
	TIMELINE_KEY_source,
	TIMELINE_KEY_id,
	TIMELINE_KEY_instance,
	TIMELINE_KEY_parent,
	TIMELINE_KEY_type,
	TIMELINE_KEY_bytes,
	TIMELINE_KEY_address,
	TIMELINE_KEY_from,
	TIMELINE_KEY_to,
	TIMELINE_KEY_from_id,
	TIMELINE_KEY_to_id,
	TIMELINE_KEY_message,
	TIMELINE_KEY_unfinished,
	TIMELINE_KEY_unmatched,
	TIMELINE_KEY_duration_ns,
	TIMELINE_KEYS
};

struct timeline {
	_Atomic(struct timeline_thread *) threads; /* all there ever were */
	pthread_mutex_t lock;			   /* protects that list */
	uint32_t thread_count;
	_Atomic uint32_t keys[TIMELINE_KEYS];
	/* numbers of types' words; all that are user defined are the last; 0: not asked for yet */
	_Atomic uint32_t kinds[129], categories[129];
	_Atomic uint64_t ends[65536 / 64]; /* a bit for each type that has ended something */
	struct timeline_lanes lanes[256];
	struct timeline_edges edges;
};

extern struct timeline *timeline;

/* Zeroed; a forked child finds it zeroed again. NULL: memory is short. */
void *timeline_memory(size_t size);

#endif
