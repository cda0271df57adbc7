/* SPDX-License-Identifier: MIT */
/*
 * annotation_domains.h: domains, and which lane of the trace a slice goes to.
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_DOMAINS_H
#define TL_ANNOTATIONS_ANNOTATION_DOMAINS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "annotations/annotation_state.h"
#include "annotations/annotation_texts.h"

/* A domain makes so many lanes for slices that belong to no thread, as they are needed. */
enum { ANNOTATION_ASIDES = 1024 };

/* A domain's lanes for slices that belong to no thread. A forked child has none at first. */
struct annotation_lanes {
	pthread_mutex_t lock;
	uint32_t count;
	struct annotation_aside {
		uint32_t number;
		uint64_t end; /* of its last slice */
	} asides[ANNOTATION_ASIDES];
};

/* A category of the program's, by its number in a domain. */
struct annotation_named {
	struct annotation_named *next;
	uint32_t id;
	struct annotation_string *name;
};

/* It stays for good, as the program has its address. */
struct annotation_domain {
	struct annotation_domain *next;
	const char *name; /* "" is the domain of whatever names none */
	enum annotation_api api;
	uint32_t order;			/* among all domains */
	struct annotation_lanes *lanes; /* NULL: memory was short */
	_Atomic(struct annotation_named *) categories;
};

/* The interface's domain of that name, which is made if there is none. NULL: memory is short. */
struct annotation_domain *annotation_domain_make(enum annotation_api api, const char *name);
/* The domain of whatever names none, of an interface. NULL: memory is short. */
struct annotation_domain *annotation_domain_default(enum annotation_api api);

/* Give a category a name; its newest name holds. */
void annotation_category_set(struct annotation_domain *domain, uint32_t id,
			     struct annotation_string *name);
/* NULL: it has none. */
struct annotation_string *annotation_category_name(struct annotation_domain *domain, uint32_t id);

struct annotation_thread;
/* Make the calling thread's lane of a domain. 0: there is no room; then use the thread's own. */
uint32_t annotation_lane_make(struct annotation_thread *thread, struct annotation_domain *domain);
/* A lane on which a slice that ends now crosses no other. 0: none is left. */
uint32_t annotation_lane_aside(struct annotation_domain *domain, uint64_t start, uint64_t end);
/* The first of these lanes. 0: there is none. */
uint32_t annotation_lane_first_aside(struct annotation_domain *domain);

#endif
