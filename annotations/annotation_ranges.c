/* SPDX-License-Identifier: MIT */
/*
 * annotation_ranges.c: see annotation_ranges.h.
 *
 * Only the thread itself uses its stacks, until the process ends (annotation_threads_stop). What is
 * started lies in one table under a lock: ends come from any thread.
 */
#include "annotations/annotation_ranges.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STARTED = 8192, BUCKETS = 4096 };

/* What is started and not ended. Entries are numbered from 1; 0 is none. */
struct annotation_started {
	uint32_t buckets[BUCKETS];
	uint32_t free, used; /* entries that are free again; how many were ever used */
	struct started_entry {
		struct annotation_domain *domain;
		struct annotation_id id;
		uint32_t next; /* of the bucket, or of those that are free */
		struct annotation_range range;
	} entries[STARTED + 1];
};

/* ---- recording */

static struct tl_event event_of(char phase, enum annotation_api api, uint32_t lane,
				const struct annotation_about *about)
{
	return (struct tl_event){.phase = phase,
				 .level = ANNOTATION_LEVEL,
				 .lane = lane,
				 .name = about->name,
				 .category = annotation_category(api),
				 .nargs = about->nargs,
				 .args = about->args};
}

static void slice_put(enum annotation_api api, uint32_t lane, const struct annotation_about *about,
		      uint64_t start, uint64_t end)
{
	struct tl_event event = event_of('X', api, lane, about);

	event.start = start;
	event.duration = end > start ? end - start : 0;
	tl_guest_put_end(&event);
}

static bool about_has_key(const struct annotation_about *about, uint32_t key)
{
	uint32_t i = 0;

	while (i < about->nargs && about->args[i].key != key)
		i++;
	return i < about->nargs;
}

void annotation_add_own(struct annotation_about *about, struct tl_event_arg arg)
{
	char numbered[TL_STRING_MAX + 16];
	size_t size = 0;
	const char *key = tl_guest_text(arg.key, &size);

	for (uint32_t number = 2;
	     key && number < ANNOTATION_ARGS + 2 && about_has_key(about, arg.key); number++) {
		/* A long key loses its end, not its number. */
		int length = snprintf(numbered, sizeof(numbered), "%.*s %u",
				      (int)(size < TL_STRING_MAX - 16 ? size : TL_STRING_MAX - 16),
				      key, number);
		arg.key = tl_guest_number(numbered, (size_t)length);
	}
	annotation_add(about, arg.key, (enum tl_event_value)arg.kind, arg.value);
}

/* The last argument gives way to one that matters more. */
static void about_make_room(struct annotation_about *about)
{
	if (about->nargs == ANNOTATION_ARGS)
		about->nargs--;
}

static void about_add_unfinished(struct annotation_about *about)
{
	about_make_room(about);
	annotation_add(about, ANNOTATION_KEY(unfinished), TL_VALUE_TRUTH, true);
}

void annotation_slice(struct annotation_domain *domain, const struct annotation_about *about,
		      uint64_t start, uint64_t end)
{
	uint32_t lane = annotation_lane_aside(domain, start, end);
	struct annotation_about alone = *about;
	struct tl_event event;

	if (lane) {
		slice_put(domain->api, lane, about, start, end);
		return;
	}
	/*
	 * So many at once that there is no lane: it becomes an instant with a duration, on a lane of
	 * the domain.
	 */
	about_make_room(&alone);
	annotation_add(&alone, ANNOTATION_KEY(duration_ns), TL_VALUE_UNSIGNED_64,
		       tl_guest_ns(start, end));
	event = event_of('i', domain->api, annotation_lane_first_aside(domain), &alone);
	event.start = start;
	tl_guest_put_end(&event);
}

/* ---- the stacks of threads */

static struct annotation_stack *stack_find(struct annotation_thread *thread,
					   struct annotation_domain *domain)
{
	struct annotation_stack **place = &thread->stacks, *stack;

	for (; (stack = *place) && stack->domain != domain; place = &stack->next)
		;
	if (stack && stack != thread->stacks) {
		*place = stack->next;
		stack->next = thread->stacks;
		thread->stacks = stack;
	}
	return stack;
}

static struct annotation_stack *stack_make(struct annotation_thread *thread,
					   struct annotation_domain *domain)
{
	struct annotation_stack *stack = stack_find(thread, domain);

	if (!stack && (stack = annotation_memory(sizeof(*stack)))) {
		stack->domain = domain;
		stack->order = UINT32_MAX;
		stack->next = thread->stacks;
		thread->stacks = stack;
	}
	/* The thread before this one, which had the memory, had a lane of its own. */
	if (stack && stack->order != thread->order) {
		stack->order = thread->order;
		stack->has_lane = false;
	}
	return stack;
}

static struct annotation_stack *stack_of(struct annotation_thread *thread,
					 struct annotation_domain *domain)
{
	struct annotation_stack *stack = thread->stacks;

	return TL_LIKELY(stack && stack->domain == domain && stack->order == thread->order)
		       ? stack
		       : stack_make(thread, domain);
}

static uint32_t stack_lane(struct annotation_thread *thread, struct annotation_stack *stack)
{
	if (TL_UNLIKELY(!stack->has_lane)) {
		stack->lane = annotation_lane_make(thread, stack->domain);
		stack->has_lane = true;
	}
	return stack->lane;
}

/*
 * The time now, of a thread that has a lane in this process. So the runtime knows of a fork, and the
 * thread's state is its own.
 */
static inline uint64_t stack_now(void)
{
	const struct tl_thread *self = tl_thread_self();

	return TL_LIKELY(self) ? tl_ticks(self) : tl_guest_now();
}

/* There is no room for it, so it will be no slice. */
static void deep_put(struct annotation_thread *thread, struct annotation_stack *stack,
		     const struct annotation_about *about)
{
	struct annotation_about deep = *about;

	about_add_unfinished(&deep);
	annotation_mark(thread, stack->domain, &deep, 0);
}

int annotation_push(struct annotation_thread *thread, struct annotation_domain *domain,
		    const struct annotation_about *about, uint64_t id)
{
	struct annotation_stack *stack = domain ? stack_of(thread, domain) : NULL;

	if (!stack)
		return -1;
	uint32_t depth = stack->depth++;
	if (TL_UNLIKELY(depth >= ANNOTATION_DEPTH)) {
		deep_put(thread, stack, about);
		return (int)depth;
	}
	struct annotation_range *range = &stack->open[depth];
	range->id = id;
	range->about.name = about->name;
	range->about.nargs = about->nargs;
	for (uint32_t i = 0; i < about->nargs; i++)
		range->about.args[i] = about->args[i];
	range->start = 0;
	if (TL_LIKELY(tl_guest_wanted(ANNOTATION_LEVEL))) {
		/* Now: the lane exists even if the process dies before anything ends. */
		stack_lane(thread, stack);
		range->start = stack_now();
	}
	return (int)depth;
}

int annotation_pop(struct annotation_thread *thread, struct annotation_domain *domain)
{
	struct annotation_stack *stack = domain ? stack_of(thread, domain) : NULL;

	if (!stack || !stack->depth)
		return -1;
	uint32_t depth = --stack->depth;
	if (TL_LIKELY(depth < ANNOTATION_DEPTH && stack->open[depth].start))
		slice_put(domain->api, stack_lane(thread, stack), &stack->open[depth].about,
			  stack->open[depth].start, stack_now());
	return (int)depth;
}

struct annotation_range *annotation_innermost(struct annotation_thread *thread,
					      struct annotation_domain *domain, uint64_t id)
{
	struct annotation_stack *stack = domain ? stack_find(thread, domain) : NULL;
	uint32_t depth = stack ? stack->depth : 0;

	if (depth > ANNOTATION_DEPTH)
		depth = ANNOTATION_DEPTH;
	while (depth && id && stack->open[depth - 1].id != id)
		depth--;
	return depth ? &stack->open[depth - 1] : NULL;
}

void annotation_mark(struct annotation_thread *thread, struct annotation_domain *domain,
		     const struct annotation_about *about, uint64_t time)
{
	struct annotation_stack *stack = domain ? stack_of(thread, domain) : NULL;

	if (!stack || !tl_guest_wanted(ANNOTATION_LEVEL))
		return;
	struct tl_event event = event_of('i', domain->api, stack_lane(thread, stack), about);
	event.start = time ? time : tl_guest_now();
	tl_guest_put(&event);
}

void annotation_mark_late(struct annotation_thread *thread, struct annotation_domain *domain,
			  const struct annotation_about *about, uint64_t time)
{
	struct tl_event event = event_of('i', domain->api, annotation_lane(thread, domain), about);

	event.start = time;
	tl_guest_put_end(&event);
}

uint32_t annotation_lane(struct annotation_thread *thread, struct annotation_domain *domain)
{
	struct annotation_stack *stack = stack_of(thread, domain);

	return stack ? stack_lane(thread, stack) : 0;
}

/* ---- started and ended */

static uint32_t id_bucket(const struct annotation_id *id)
{
	uint64_t hash = 0;

	for (int i = 0; i < 4; i++)
		hash = (hash ^ id->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 40) % BUCKETS;
}

/* Under the lock. NULL: memory is short. */
static struct annotation_started *started_table(void)
{
	if (!annotations->started)
		annotations->started = annotation_memory(sizeof(*annotations->started));
	return annotations->started;
}

/* Under the lock: the place that has the newest entry's number. NULL: there is none. */
static uint32_t *started_find(struct annotation_started *table, const struct annotation_id *id)
{
	uint32_t *place = table ? &table->buckets[id_bucket(id)] : NULL;

	while (place && *place) {
		struct started_entry *entry = &table->entries[*place];
		if (!memcmp(&entry->id, id, sizeof(*id)))
			return place;
		place = &entry->next;
	}
	return NULL;
}

/* Under the lock. NULL: too much is started. */
static struct started_entry *started_add(struct annotation_domain *domain,
					 const struct annotation_id *id)
{
	struct annotation_started *table = started_table();
	uint32_t number = table ? table->free : 0;

	if (number)
		table->free = table->entries[number].next;
	else if (table && table->used < STARTED)
		number = ++table->used;
	if (!number)
		return NULL;
	uint32_t *bucket = &table->buckets[id_bucket(id)];
	struct started_entry *entry = &table->entries[number];
	entry->domain = domain;
	entry->id = *id;
	entry->next = *bucket;
	*bucket = number;
	return entry;
}

static void range_start(struct annotation_thread *thread, struct annotation_domain *domain,
			const struct annotation_id *id, const struct annotation_about *about,
			bool once)
{
	bool wanted = tl_guest_wanted(ANNOTATION_LEVEL);
	struct annotation_about full;

	if (!domain)
		return;
	pthread_mutex_lock(&annotations->started_lock);
	uint32_t *place = once ? started_find(annotations->started, id) : NULL;
	struct started_entry *entry =
		place ? &annotations->started->entries[*place] : started_add(domain, id);
	/* One that began while recording was paused begins now. */
	if (entry && (!place || !entry->range.start)) {
		entry->range.about = *about;
		entry->range.start = wanted ? tl_guest_now() : 0;
	}
	pthread_mutex_unlock(&annotations->started_lock);
	if (entry || !wanted)
		return;
	full = *about;
	about_add_unfinished(&full);
	annotation_mark(thread, domain, &full, 0);
}

void annotation_start(struct annotation_thread *thread, struct annotation_domain *domain,
		      struct annotation_id id, const struct annotation_about *about)
{
	range_start(thread, domain, &id, about, false);
}

void annotation_start_once(struct annotation_thread *thread, struct annotation_domain *domain,
			   struct annotation_id id, const struct annotation_about *about)
{
	range_start(thread, domain, &id, about, true);
}

/* Under the lock: what was started is `*ended`, and its entry is free. NULL: it was not started. */
static struct annotation_domain *started_take(const struct annotation_id *id,
					      struct annotation_range *ended)
{
	struct annotation_started *table = annotations->started;
	uint32_t *place = started_find(table, id);

	if (!place)
		return NULL;
	uint32_t number = *place;
	struct started_entry *entry = &table->entries[number];
	struct annotation_domain *domain = entry->domain;
	*place = entry->next;
	*ended = entry->range;
	entry->domain = NULL;
	entry->next = table->free;
	table->free = number;
	return domain;
}

bool annotation_end(struct annotation_id id)
{
	struct annotation_range ended;

	pthread_mutex_lock(&annotations->started_lock);
	struct annotation_domain *domain = started_take(&id, &ended);
	pthread_mutex_unlock(&annotations->started_lock);
	if (domain && ended.start)
		annotation_slice(domain, &ended.about, ended.start, tl_guest_now());
	return domain != NULL;
}

bool annotation_started_add(struct annotation_id id, struct tl_event_arg arg)
{
	pthread_mutex_lock(&annotations->started_lock);
	uint32_t *place = started_find(annotations->started, &id);
	struct annotation_about *about =
		place ? &annotations->started->entries[*place].range.about : NULL;
	bool has_room = about && about->nargs < ANNOTATION_ARGS;
	if (has_room)
		annotation_add_own(about, arg);
	pthread_mutex_unlock(&annotations->started_lock);
	return has_room;
}

/* ---- counters and names */

void annotation_count(enum annotation_api api, uint32_t name, enum tl_event_value kind,
		      uint64_t value)
{
	struct annotation_about about = {.name = name};

	if (!name || !tl_guest_wanted(ANNOTATION_LEVEL))
		return;
	annotation_add(&about, ANNOTATION_KEY(value), kind, value);
	struct tl_event event = event_of('C', api, 0, &about);
	event.start = tl_guest_now();
	tl_guest_put(&event);
}

static void thread_name_tell(struct annotation_thread *thread, enum annotation_api api,
			     uint32_t tid, uint32_t name)
{
	static const char word[] = "thread name";
	struct annotation_about about = {.name = tl_guest_number(word, sizeof(word) - 1)};

	annotation_add(&about, ANNOTATION_KEY(name), TL_VALUE_STRING, name);
	annotation_add(&about, ANNOTATION_KEY(thread), TL_VALUE_UNSIGNED_64, tid);
	annotation_mark(thread, annotation_domain_default(api), &about, 0);
}

void annotation_name_thread(struct annotation_thread *thread, enum annotation_api api, uint32_t tid,
			    uint32_t name)
{
	if (!name)
		return;
	struct annotation_thread *named =
		atomic_load_explicit(&annotations->threads, memory_order_acquire);
	while (named && named->tid != tid)
		named = named->next;
	/* Lanes that are there have their names for good. Another thread's are its own. */
	if (named == thread)
		thread->name = name;
	thread_name_tell(thread, api, tid, name);
}

/* ---- the end */

static void stack_flush(struct annotation_thread *thread, struct annotation_stack *stack,
			uint64_t now)
{
	if (stack->depth > ANNOTATION_DEPTH)
		stack->depth = ANNOTATION_DEPTH;
	while (stack->depth) {
		struct annotation_range *range = &stack->open[--stack->depth];
		if (!range->start)
			continue;
		about_add_unfinished(&range->about);
		slice_put(stack->domain->api, stack_lane(thread, stack), &range->about,
			  range->start, now);
	}
}

void annotation_stacks_flush(struct annotation_thread *thread)
{
	uint64_t now = tl_guest_now();

	for (struct annotation_stack *stack = thread->stacks; stack; stack = stack->next)
		stack_flush(thread, stack, now);
}

static void started_flush(void)
{
	struct annotation_started *table = annotations->started;
	uint64_t now = tl_guest_now();

	for (uint32_t i = 1; table && i <= table->used; i++) {
		struct started_entry *entry = &table->entries[i];
		if (!entry->domain)
			continue;
		about_add_unfinished(&entry->range.about);
		if (entry->range.start)
			annotation_slice(entry->domain, &entry->range.about, entry->range.start,
					 now);
		entry->domain = NULL;
	}
}

void annotation_started_flush(void)
{
	/* A thread that is still inside may hold the lock. */
	if (pthread_mutex_trylock(&annotations->started_lock) == 0) {
		started_flush();
		pthread_mutex_unlock(&annotations->started_lock);
	}
}
