/* SPDX-License-Identifier: MIT */
/*
 * annotation_domains.c: see annotation_domains.h.
 *
 * Slices that belong to no thread go each to the first lane on which it begins after the last one
 * there has ended. They come in the order of their ends, so this makes no more lanes than needed,
 * but those that a nested slice would have spared.
 */
#include "annotations/annotation_domains.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "annotations/annotation_threads.h"

/* ticks between slices, so that no two of their bounds are the same in nanoseconds */
#define APART	      16u
#define NAME_MAX_SIZE 500  /* bytes of a domain's name */
#define THREADS	      1024 /* places in a domain's order of lanes: first those of threads, */
#define EACH	      (THREADS + ANNOTATION_ASIDES) /* then those that belong to no thread */
/* Above those of XPTI's streams (xpti/timeline/timeline_lanes.c). */
#define FIRST (-(1 << 24))

static int32_t lane_order(const struct annotation_domain *domain, uint32_t place)
{
	uint32_t row = domain->order < 4095 ? domain->order : 4095;

	return FIRST + (int32_t)(row * EACH + place);
}

/* All domains, the newest first. Release when one is added, acquire when it is read. */
static _Atomic(struct annotation_domain *) all;

static struct annotation_domain *domain_find(struct annotation_domain *domain,
					     const struct annotation_domain *until,
					     enum annotation_api api, const char *name)
{
	while (domain != until &&
	       (domain->api != api || strncmp(domain->name, name, NAME_MAX_SIZE)))
		domain = domain->next;
	return domain != until ? domain : NULL;
}

struct annotation_domain *annotation_domain_make(enum annotation_api api, const char *name)
{
	struct annotation_domain *first = atomic_load_explicit(&all, memory_order_acquire);
	struct annotation_domain *found = domain_find(first, NULL, api, name), *made = NULL;

	if (found)
		return found;
	if (!(made = annotation_keep(sizeof(*made))) ||
	    !(made->name = annotation_keep_text(name, strnlen(name, NAME_MAX_SIZE))))
		return NULL;
	made->api = api;
	made->lanes = annotation_memory(sizeof(*made->lanes));
	made->next = first;
	made->order = first ? first->order + 1 : 0;
	while (!atomic_compare_exchange_weak_explicit(&all, &first, made, memory_order_release,
						      memory_order_acquire)) {
		/* Another thread made it meanwhile. */
		if ((found = domain_find(first, made->next, api, name))) {
			if (made->lanes)
				munmap(made->lanes, sizeof(*made->lanes));
			return found;
		}
		made->next = first;
		made->order = first ? first->order + 1 : 0;
	}
	return made;
}

struct annotation_domain *annotation_domain_default(enum annotation_api api)
{
	static _Atomic(struct annotation_domain *) domains[ANNOTATION_APIS];
	/* Release and acquire: the domain is complete. */
	struct annotation_domain *domain =
		atomic_load_explicit(&domains[api], memory_order_acquire);

	if (TL_UNLIKELY(!domain) && (domain = annotation_domain_make(api, "")))
		atomic_store_explicit(&domains[api], domain, memory_order_release);
	return domain;
}

void annotation_category_set(struct annotation_domain *domain, uint32_t id,
			     struct annotation_string *name)
{
	struct annotation_named *named = name ? annotation_keep(sizeof(*named)) : NULL;

	if (!named)
		return;
	named->id = id;
	named->name = name;
	named->next = atomic_load_explicit(&domain->categories, memory_order_relaxed);
	/* Release, and acquire by the reader: the entry is complete. */
	while (!atomic_compare_exchange_weak_explicit(&domain->categories, &named->next, named,
						      memory_order_release, memory_order_relaxed))
		;
}

struct annotation_string *annotation_category_name(struct annotation_domain *domain, uint32_t id)
{
	struct annotation_named *named =
		atomic_load_explicit(&domain->categories, memory_order_acquire);

	while (named && named->id != id)
		named = named->next;
	return named ? named->name : NULL;
}

/* "NVTX: solver", or "NVTX". */
static int lane_begin_name(char *name, size_t room, const struct annotation_domain *domain)
{
	return snprintf(name, room, "%s%s%s", annotation_api_name(domain->api),
			*domain->name ? ": " : "", domain->name);
}

uint32_t annotation_lane_make(struct annotation_thread *thread, struct annotation_domain *domain)
{
	char own[16] = "", name[TL_STRING_MAX];
	const char *known = own;
	size_t size = 0;

	prctl(PR_GET_NAME, own);
	if (thread->name && tl_guest_text(thread->name, &size))
		known = tl_guest_text(thread->name, &size);
	else
		size = strnlen(own, sizeof(own));
	int at = lane_begin_name(name, sizeof(name), domain);
	at += snprintf(name + at, sizeof(name) - (size_t)at, " (%.*s %u)",
		       (int)(size < 200 ? size : 200), known, thread->tid);
	return tl_guest_lane(
		tl_guest_number(name, (size_t)at),
		lane_order(domain, thread->order < THREADS - 1 ? thread->order : THREADS - 1));
}

static uint32_t aside_make(const struct annotation_domain *domain, uint32_t index)
{
	char name[TL_STRING_MAX];
	int at = lane_begin_name(name, sizeof(name), domain);

	at += snprintf(name + at, sizeof(name) - (size_t)at, index ? " (ranges %u)" : " (ranges)",
		       index + 1);
	return tl_guest_lane(tl_guest_number(name, (size_t)at),
			     lane_order(domain, THREADS + index));
}

uint32_t annotation_lane_aside(struct annotation_domain *domain, uint64_t start, uint64_t end)
{
	struct annotation_lanes *lanes = domain->lanes;
	uint32_t found = 0;

	if (!lanes)
		return 0;
	pthread_mutex_lock(&lanes->lock);
	for (uint32_t i = 0; i < ANNOTATION_ASIDES && !found; i++) {
		struct annotation_aside *aside = &lanes->asides[i];
		if (i == lanes->count) {
			if (!(aside->number = aside_make(domain, i)))
				break;
			lanes->count++;
		}
		if (!aside->end || start >= aside->end + APART) {
			aside->end = end;
			found = aside->number;
		}
	}
	pthread_mutex_unlock(&lanes->lock);
	return found;
}

uint32_t annotation_lane_first_aside(struct annotation_domain *domain)
{
	uint32_t first = 0;

	if (domain->lanes) {
		pthread_mutex_lock(&domain->lanes->lock);
		first = domain->lanes->asides[0].number;
		pthread_mutex_unlock(&domain->lanes->lock);
	}
	return first;
}
