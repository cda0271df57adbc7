/* SPDX-License-Identifier: MIT */
/*
 * context.c: what trace contexts keep (tracelayer/trace_context.h).
 *
 * A context keeps its events in a list of blocks. A thread that logs reserves the place behind the
 * last event: it stores its event's size there by compare and exchange, and then moves the block's
 * .used over it. A thread that finds a size there moves .used for the other. So an event's size is
 * known as soon as its place is reserved, and readers can step over it, however long its thread
 * takes (or if that thread is gone after a fork). Then the thread sets .whole with release. If a
 * block has no room left, a further one is appended. While the context lives nothing is moved or
 * freed, except by tl_context_clear. Events of another context are appended as one block of exactly
 * their size.
 *
 * Lanes' names are few. They are set under a lock that logging never takes.
 */
#include "layer/program/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/file/trace_file.h"
#include "layer/buffers/buffer.h"
#include "layer/base/environment.h"
#include "layer/calls/event.h"
#include "layer/calls/request.h"
#include "layer/buffers/process_state.h"
#include "layer/buffers/strings.h"

/* bytes of a context's first block; each further block is twice as large, */
#define FIRST_ROOM (4u * 1024 - 128)
#define LAST_ROOM  (64u * 1024 - 128) /* up to this, and more where an event needs it */

extern const struct tl_contexts tl_contexts_here;

static struct tl_context_block *block_make(uint64_t room)
{
	struct tl_context_block *block = calloc(1, sizeof(*block) + room);

	if (block)
		block->room = room;
	return block;
}

static uint64_t block_room_behind(const struct tl_context_block *block, uint64_t size)
{
	uint64_t room = 2 * block->room;

	if (room < FIRST_ROOM)
		room = FIRST_ROOM;
	if (room > LAST_ROOM)
		room = LAST_ROOM;
	return room > size ? room : size;
}

/* --- logging */

/* Room for an event of that size. NULL: this block has none. */
static struct tl_context_stored *place_take(struct tl_context_block *block, uint64_t size)
{
	uint64_t at = atomic_load_explicit(&block->used, memory_order_relaxed);

	while (at + size <= block->room) {
		struct tl_context_stored *stored =
			(struct tl_context_stored *)(void *)(block->bytes + at);
		uint32_t taken = 0;
		bool mine = atomic_compare_exchange_strong_explicit(
			&stored->size, &taken, (uint32_t)size, memory_order_relaxed,
			memory_order_relaxed);
		uint64_t behind = at + (mine ? size : taken);
		/* If another thread has done so already, this fails, and that is fine. */
		if (atomic_compare_exchange_strong_explicit(
			    &block->used, &at, behind, memory_order_relaxed, memory_order_relaxed))
			at = behind;
		if (mine)
			return stored;
	}
	return NULL;
}

static struct tl_context_stored *place_reserve(struct tl_context_whole *context, uint64_t size)
{
	for (;;) {
		/* Acquire: pairs with the exchanges below, so that the block is zeroed. */
		struct tl_context_block *block =
			atomic_load_explicit(&context->last, memory_order_acquire);
		struct tl_context_stored *stored = place_take(block, size);
		if (stored)
			return stored;
		struct tl_context_block *next = atomic_load_explicit(&block->next,
								     memory_order_acquire),
					*made;
		if (!next) {
			/* Release: pairs with the acquires of .next and .last; the block is zeroed. */
			made = block_make(block_room_behind(block, size));
			if (!made)
				return NULL;
			if (atomic_compare_exchange_strong_explicit(&block->next, &next, made,
								    memory_order_acq_rel,
								    memory_order_acquire))
				next = made;
			else
				free(made);
		}
		atomic_compare_exchange_strong_explicit(&context->last, &block, next,
							memory_order_acq_rel, memory_order_relaxed);
	}
}

static size_t text_length(const char *text)
{
	return text ? strnlen(text, TL_STRING_MAX) : 0;
}

static char *text_put(char *to, const char *text)
{
	size_t size = text_length(text);

	if (size)
		memcpy(to, text, size);
	to[size] = 0;
	return to + size + 1;
}

static size_t event_args(const struct tl_context_event *event)
{
	if (!event->args)
		return 0;
	return event->nargs < TL_CONTEXT_ARGS ? event->nargs : TL_CONTEXT_ARGS;
}

static uint64_t event_size(const struct tl_context_event *event)
{
	uint64_t size = sizeof(struct tl_context_stored) + text_length(event->name) + 1;

	for (size_t i = 0; i < event_args(event); i++)
		size += text_length(event->args[i].key) + text_length(event->args[i].value) + 2;
	return (size + 7) & ~UINT64_C(7);
}

static void stored_fill(struct tl_context_stored *stored, const struct tl_context_event *event)
{
	stored->lane = event->lane;
	stored->request = event->request;
	stored->time = event->time;
	stored->duration = event->type == 'X' ? event->duration : 0;
	stored->nargs = (uint16_t)event_args(event);
	stored->level = (uint8_t)event->level;
	stored->type = event->type;
	char *to = text_put(stored->texts, event->name);
	for (size_t i = 0; i < stored->nargs; i++)
		to = text_put(text_put(to, event->args[i].key), event->args[i].value);
	/* Release: pairs with the acquire in tl_context_next. */
	atomic_store_explicit(&stored->whole, 1, memory_order_release);
}

static void event_lose(struct tl_context_whole *context)
{
	atomic_fetch_add_explicit(&context->lost, 1, memory_order_relaxed);
}

static void event_store(struct tl_context_whole *context, const struct tl_context_event *event)
{
	uint64_t size = event_size(event);
	struct tl_context_stored *stored = place_reserve(context, size);

	if (stored)
		stored_fill(stored, event);
	else
		event_lose(context);
}

static const char *key_of(const struct tl_context_event *event, size_t at)
{
	return event->args[at].key ? event->args[at].key : "";
}

/* Whether the program itself gives a key that is this one with this number behind it. */
static bool key_is_given(const struct tl_context_event *event, const char *key, uint32_t number)
{
	char suffix[16];
	size_t size = text_length(key);

	snprintf(suffix, sizeof(suffix), " %u", number);
	for (size_t i = 0; i < event_args(event); i++)
		if (!strncmp(key_of(event, i), key, size) &&
		    !strcmp(key_of(event, i) + size, suffix))
			return true;
	return false;
}

uint32_t tl_context_key_number(const struct tl_context_event *event, size_t at)
{
	const char *key = key_of(event, at);
	uint32_t same = event->request && !strcmp(key, "request"), number;

	for (size_t i = 0; i < at; i++)
		same += !strncmp(key_of(event, i), key, TL_STRING_MAX);
	for (number = same ? 1 : 0; same; same--)
		do
			number++;
		while (key_is_given(event, key, number));
	return number;
}

static uint32_t text_number(const char *text)
{
	return tl_string_of_program(text ? text : "", text_length(text));
}

static uint32_t key_text_number(const struct tl_context_event *event, size_t at)
{
	uint32_t number = tl_context_key_number(event, at);
	const char *key = event->args[at].key;
	char numbered[TL_STRING_MAX];

	if (TL_LIKELY(!number))
		return text_number(key);
	/* A long key loses its end, not its number. */
	snprintf(numbered, sizeof(numbered), "%.*s %u", (int)sizeof(numbered) - 16, key ? key : "",
		 number);
	return text_number(numbered);
}

void tl_context_record(const struct tl_context_event *event)
{
	struct tl_event_arg args[TL_CONTEXT_ARGS];
	size_t nargs = event_args(event);

	/* The texts go into the buffers of this process, which also say which clock there is. */
	tl_process_notice_fork();
	if (!tl_event_wanted((uint8_t)event->level) || !tl_process_begin())
		return;
	for (size_t i = 0; i < nargs; i++)
		args[i] = (struct tl_event_arg){.key = key_text_number(event, i),
						.kind = TL_VALUE_STRING,
						.value = text_number(event->args[i].value)};
	const struct tl_event put = {
		.phase = event->type == 'I' ? 'i' : event->type,
		.flags = TL_EVENT_NS,
		.level = (uint8_t)event->level,
		.lane = event->lane ? tl_event_lane_shown(event->lane) : 0,
		.name = text_number(event->name),
		.category = text_number("context"),
		.request = event->request,
		.start = event->time,
		.duration = event->duration,
		.nargs = (uint32_t)nargs,
		.args = args,
	};
	tl_event_put(&put);
}

static uint32_t thread_lane(void)
{
	return tl_self ? ((struct tl_producer *)tl_self)->shown : (uint32_t)syscall(SYS_gettid);
}

void tl_context_log_here(struct tl_context *seen, const struct tl_context_event *event)
{
	struct tl_context_event whole = *event;
	int error = errno;

	if (whole.type == 'i') /* as Chrome's format calls it */
		whole.type = 'I';
	if (!whole.type || !strchr("BEIX", whole.type)) {
		event_lose(tl_context_whole_of(seen));
		return;
	}
	if (!whole.time)
		whole.time = tl_clock_gettime_ticks();
	if (!whole.request)
		whole.request = tl_context_request(seen);
	if (!whole.request)
		whole.request = tl_request_current();
	/* First, because a thread gets its lane by its first record. */
	tl_context_record(&whole);
	if (!whole.lane)
		whole.lane = thread_lane();
	event_store(tl_context_whole_of(seen), &whole);
	errno = error;
}

/* --- lanes */

const struct tl_context_lane *tl_context_lane_of(struct tl_context_whole *context, uint32_t shown)
{
	const struct tl_context_lane *lane =
		atomic_load_explicit(&context->lanes, memory_order_acquire);

	while (lane && lane->shown != shown)
		lane = lane->next;
	return lane;
}

static bool lane_add(struct tl_context_whole *context, uint32_t shown, const char *name)
{
	struct tl_context_lane *lane = calloc(1, sizeof(*lane));

	if (!lane || !(lane->name = strndup(name ? name : "", TL_STRING_MAX))) {
		free(lane);
		return false;
	}
	lane->shown = shown;
	pthread_mutex_lock(&context->lock);
	lane->next = atomic_load_explicit(&context->lanes, memory_order_relaxed);
	/* Release: pairs with the acquire in tl_context_lane_of. */
	atomic_store_explicit(&context->lanes, lane, memory_order_release);
	pthread_mutex_unlock(&context->lock);
	return true;
}

static void lane_name(struct tl_context *seen, uint32_t shown, const char *name)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);
	int error = errno;

	shown = shown ? shown : thread_lane();
	const struct tl_context_lane *known = tl_context_lane_of(context, shown);
	/* The same name may come with each request: keep it once. */
	if (!known || !name || strncmp(known->name, name, TL_STRING_MAX))
		lane_add(context, shown, name);
	errno = error;
}

static uint32_t lane_make(struct tl_context *seen, const char *name)
{
	tl_process_start();
	tl_process_notice_fork();
	if (!tl_process_begin())
		return 0;
	uint32_t number = tl_event_lane(text_number(name), 1);
	const struct tl_lane_entry *entry = tl_event_lane_entry(number);

	return entry && lane_add(tl_context_whole_of(seen), entry->shown, name) ? entry->shown : 0;
}

static void lanes_free(struct tl_context_whole *context)
{
	struct tl_context_lane *lane = atomic_load_explicit(&context->lanes, memory_order_relaxed);

	while (lane) {
		struct tl_context_lane *next = lane->next;
		free(lane->name);
		free(lane);
		lane = next;
	}
}

/* --- reading */

/* The next place that a thread has reserved. */
static const struct tl_context_stored *place_next(struct tl_context_block **block, uint64_t *at)
{
	while (*block) {
		const struct tl_context_stored *stored = (const void *)((*block)->bytes + *at);
		uint32_t size = *at + sizeof(*stored) <= (*block)->room
					? atomic_load_explicit(&stored->size, memory_order_relaxed)
					: 0;
		if (size) {
			*at += size;
			return stored;
		}
		/* Acquire: pairs with the releases in place_reserve() and block_append(). */
		*block = atomic_load_explicit(&(*block)->next, memory_order_acquire);
		*at = 0;
	}
	return NULL;
}

const struct tl_context_stored *tl_context_next(struct tl_context_block **block, uint64_t *at)
{
	const struct tl_context_stored *stored;

	/* Acquire: pairs with the release in stored_fill(). */
	while ((stored = place_next(block, at)) &&
	       !atomic_load_explicit(&stored->whole, memory_order_acquire))
		;
	return stored;
}

size_t tl_context_places(struct tl_context *seen, size_t *bytes)
{
	struct tl_context_block *block = tl_context_whole_of(seen)->first;
	const struct tl_context_stored *stored;
	size_t places = 0;
	uint64_t at = 0;

	for (*bytes = 0; (stored = place_next(&block, &at)); places++)
		*bytes += atomic_load_explicit(&stored->size, memory_order_relaxed);
	return places;
}

void tl_context_show(const struct tl_context_stored *stored, struct tl_context_event *event,
		     struct tl_context_arg args[TL_CONTEXT_ARGS])
{
	const char *text = stored->texts;

	*event = (struct tl_context_event){.name = text,
					   .type = stored->type,
					   .level = stored->level,
					   .lane = stored->lane,
					   .request = stored->request,
					   .time = stored->time,
					   .duration = stored->duration,
					   .nargs = stored->nargs,
					   .args = args};
	for (unsigned i = 0; i < stored->nargs; i++) {
		args[i].key = text += strlen(text) + 1;
		args[i].value = text += strlen(text) + 1;
	}
}

static int context_each(struct tl_context *seen, tl_context_visit visit, void *user)
{
	struct tl_context_block *block = tl_context_whole_of(seen)->first;
	struct tl_context_arg args[TL_CONTEXT_ARGS];
	struct tl_context_event event;
	const struct tl_context_stored *stored;
	uint64_t at = 0;
	int result = 0;

	while (!result && (stored = tl_context_next(&block, &at))) {
		tl_context_show(stored, &event, args);
		result = visit(&event, user);
	}
	return result;
}

size_t tl_context_size(struct tl_context *seen, size_t *bytes, size_t *lost)
{
	struct tl_context_block *block = tl_context_whole_of(seen)->first;
	const struct tl_context_stored *stored;
	size_t events = 0, size = 0;
	uint64_t at = 0;

	while ((stored = tl_context_next(&block, &at))) {
		events++;
		size += atomic_load_explicit(&stored->size, memory_order_relaxed);
	}
	if (bytes)
		*bytes = size;
	if (lost)
		*lost = atomic_load_explicit(&tl_context_whole_of(seen)->lost,
					     memory_order_relaxed);
	return events;
}

/* --- contexts */

static unsigned level_raised(unsigned level)
{
	tl_process_start();
	return (level | tl_config.context_level) & TL_CONTEXT_LEVELS;
}

static void context_set_level(struct tl_context *seen, unsigned level)
{
	__atomic_store_n(&seen->level, level_raised(level), __ATOMIC_RELAXED);
}

static struct tl_context *context_create(unsigned level)
{
	struct tl_context_whole *context = calloc(1, sizeof(*context));

	if (!context || !(context->first = block_make(FIRST_ROOM))) {
		free(context);
		return NULL;
	}
	context->seen.functions = &tl_contexts_here;
	context->seen.level = level_raised(level);
	atomic_init(&context->last, context->first);
	pthread_mutex_init(&context->lock, NULL);
	return &context->seen;
}

static void blocks_free(struct tl_context_block *block)
{
	while (block) {
		struct tl_context_block *next =
			atomic_load_explicit(&block->next, memory_order_relaxed);
		free(block);
		block = next;
	}
}

static void context_destroy(struct tl_context *seen)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);

	blocks_free(context->first);
	lanes_free(context);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

static void context_clear(struct tl_context *seen)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);
	struct tl_context_block *first = context->first;

	blocks_free(atomic_load_explicit(&first->next, memory_order_relaxed));
	atomic_store_explicit(&first->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&first->used, 0, memory_order_relaxed);
	memset(first->bytes, 0, first->room);
	/* Release: pairs with the acquire in place_reserve(). */
	atomic_store_explicit(&context->last, first, memory_order_release);
	atomic_store_explicit(&context->lost, 0, memory_order_relaxed);
}

/* --- copies */

/* Copy the events that the other context has now to one block. NULL: memory is short. */
static struct tl_context_block *events_copy(struct tl_context *from)
{
	struct tl_context_block *source = tl_context_whole_of(from)->first, *block;
	const struct tl_context_stored *stored;
	size_t bytes, used = 0;
	uint64_t at = 0;

	tl_context_places(from, &bytes);
	block = block_make(bytes);
	while (block && used < bytes && (stored = tl_context_next(&source, &at))) {
		uint32_t size = atomic_load_explicit(&stored->size, memory_order_relaxed);
		/* This event came after the events were counted. */
		if (size > bytes - used)
			break;
		memcpy(block->bytes + used, stored, size);
		used += size;
	}
	if (block) {
		atomic_init(&block->used, used);
		block->room = used;
	}
	return block;
}

/*
 * Append the block after the last one, whichever that is by then. No thread puts anything into
 * earlier blocks any more.
 */
static void block_append(struct tl_context_whole *context, struct tl_context_block *block)
{
	struct tl_context_block *at = atomic_load_explicit(&context->last, memory_order_acquire),
				*next = NULL;

	while (!atomic_compare_exchange_strong_explicit(
		&at->next, &next, block, memory_order_acq_rel, memory_order_acquire)) {
		at = next;
		next = NULL;
	}
	/* Release: pairs with the acquire in place_reserve(). */
	atomic_store_explicit(&context->last, block, memory_order_release);
}

/*
 * Copy the newest name of each lane, which comes first in the list. A lane that has a name in the
 * destination keeps it.
 */
static bool lanes_copy(struct tl_context_whole *into, const struct tl_context_lane *lane)
{
	for (; lane; lane = lane->next)
		if (!tl_context_lane_of(into, lane->shown) &&
		    !lane_add(into, lane->shown, lane->name))
			return false;
	return true;
}

static int context_add(struct tl_context *seen, struct tl_context *from)
{
	struct tl_context_whole *into = tl_context_whole_of(seen),
				*other = tl_context_whole_of(from);
	struct tl_context_block *block = events_copy(from);

	if (!block ||
	    !lanes_copy(into, atomic_load_explicit(&other->lanes, memory_order_acquire))) {
		free(block);
		return -1;
	}
	if (block->room)
		block_append(into, block);
	else
		free(block);
	return 0;
}

/* --- */

static uint32_t context_set_request(struct tl_context *seen, uint32_t id)
{
	return __atomic_exchange_n(&seen->request, id, __ATOMIC_RELAXED);
}

extern TL_EXPORT const struct tl_contexts tl_contexts_here;
const struct tl_contexts tl_contexts_here = {
	.size = sizeof(struct tl_contexts),
	.create = context_create,
	.destroy = context_destroy,
	.set_level = context_set_level,
	.log = tl_context_log_here,
	.name = lane_name,
	.lane = lane_make,
	.each = context_each,
	.count = tl_context_size,
	.add = context_add,
	.clear = context_clear,
	.dump = tl_context_dump_here,
	.request = context_set_request,
	.enter = tl_context_enter_here,
	.leave = tl_context_leave_here,
	.entered = tl_context_entered_here,
	.now = tl_clock_gettime_ticks,
};
