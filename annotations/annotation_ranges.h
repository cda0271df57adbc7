/* SPDX-License-Identifier: MIT */
/*
 * annotation_ranges.h: what is open, and what becomes of it: slices, marks, counters.
 *
 * All functions here are for a thread inside the library (annotation_enter). A domain may be NULL:
 * then nothing is recorded.
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_RANGES_H
#define TL_ANNOTATIONS_ANNOTATION_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "annotations/annotation_domains.h"
#include "annotations/annotation_threads.h"

enum {
	ANNOTATION_ARGS = 6,	/* of a range; more are left out */
	ANNOTATION_DEPTH = 2048 /* deeper ranges of a thread and domain become marks */
};

/* What the program says of a range or a mark. */
struct annotation_about {
	uint32_t name;
	uint32_t nargs;
	struct tl_event_arg args[ANNOTATION_ARGS];
};

/* A range that is open. */
struct annotation_range {
	uint64_t start; /* ticks; 0: it is not to be recorded */
	uint64_t id;	/* that the program knows it by; 0: none */
	struct annotation_about about;
};

struct annotation_stack {
	struct annotation_domain *domain;
	struct annotation_stack *next;
	uint32_t lane; /* of the thread that has this memory now; 0: none could be made */
	bool has_lane;
	uint32_t order; /* of that thread */
	uint32_t depth; /* how many are open, also beyond the end of the table */
	struct annotation_range open[ANNOTATION_DEPTH];
};

/* What a started range is known by: a domain or an interface, and numbers in it. */
struct annotation_id {
	uint64_t words[4];
};

static inline void annotation_add(struct annotation_about *about, uint32_t key,
				  enum tl_event_value kind, uint64_t value)
{
	if (about->nargs < ANNOTATION_ARGS)
		about->args[about->nargs++] =
			(struct tl_event_arg){.key = key, .kind = kind, .value = value};
}

/*
 * Add what the program says under a key of its own. A key that is there already gets a number behind
 * it ("key 2"), since the names of a JSON object's members differ.
 */
void annotation_add_own(struct annotation_about *about, struct tl_event_arg arg);

/*
 * A range of the calling thread begins; `id` 0: it has none. Returns how many were open before it, in this thread and domain; -1: memory is short.
 */
int annotation_push(struct annotation_thread *thread, struct annotation_domain *domain,
		    const struct annotation_about *about, uint64_t id);
/* The innermost ends. Returns how many are open after that; -1: none was. */
int annotation_pop(struct annotation_thread *thread, struct annotation_domain *domain);
/* The innermost open range; `id` not 0: that with this id. NULL: there is none. */
struct annotation_range *annotation_innermost(struct annotation_thread *thread,
					      struct annotation_domain *domain, uint64_t id);

/*
 * A range begins that any thread may end. While recording is paused, this counts, so that ends find
 * their own start, but nothing is recorded.
 */
void annotation_start(struct annotation_thread *thread, struct annotation_domain *domain,
		      struct annotation_id id, const struct annotation_about *about);
/* The same, unless one is open that has this id and is recorded. */
void annotation_start_once(struct annotation_thread *thread, struct annotation_domain *domain,
			   struct annotation_id id, const struct annotation_about *about);
/* The one that was started last with this id ends. False: there is none. */
bool annotation_end(struct annotation_id id);
/* Say more of one that is started. False: there is none. */
bool annotation_started_add(struct annotation_id id, struct tl_event_arg arg);

/* Something at one instant: now, or at `time` in ticks. */
void annotation_mark(struct annotation_thread *thread, struct annotation_domain *domain,
		     const struct annotation_about *about, uint64_t time);
/* Something that was at `time`: recording may be paused by now. */
void annotation_mark_late(struct annotation_thread *thread, struct annotation_domain *domain,
			  const struct annotation_about *about, uint64_t time);
/* The thread's lane of a domain. 0: there is none; then use the thread's own. */
uint32_t annotation_lane(struct annotation_thread *thread, struct annotation_domain *domain);
/* A slice with both its times, on lanes of the domain. */
void annotation_slice(struct annotation_domain *domain, const struct annotation_about *about,
		      uint64_t start, uint64_t end);
/* A counter has a value now. */
void annotation_count(enum annotation_api api, uint32_t name, enum tl_event_value kind,
		      uint64_t value);

/* Name a thread of this process, by its number for the kernel. */
void annotation_name_thread(struct annotation_thread *thread, enum annotation_api api, uint32_t tid,
			    uint32_t name);

/* What is open becomes unfinished: what a thread that ends has pushed; what was started, as the process ends. */
void annotation_stacks_flush(struct annotation_thread *thread);
void annotation_started_flush(void);

#endif
