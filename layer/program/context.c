/* SPDX-License-Identifier: MIT */
/*
 * context.c: what trace contexts keep (tracelayer/trace_context.h).
 *
 * A context keeps its events in blocks, one behind the other. Who logs takes the place behind the
 * last event by putting his event's size there, by compare and exchange, and then moves the block's
 * .used over it; who finds a size there moves it for him. So an event's size is there from the
 * moment on that it has its place, and readers can step over it, however long its owner takes (or
 * if he was not there any more after a fork). Then, with release, comes its mark, which says that
 * it is whole. Where there is no room left a further block is hung behind. Nothing is moved or
 * freed while the context lives, but by tl_context_clear. What comes from another context comes as
 * a block of its own, of just that size.
 *
 * Lanes' names are few, and set under a lock that nobody takes to log.
 */
#include "layer/program/context.h"

#include <errno.h>
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

/* of a context's first block; each has twice what the one before it has, */
#define FIRST_ROOM (4u * 1024 - 128)
#define LAST_ROOM  (64u * 1024 - 128) /* up to this, and more where an event needs it */

extern const struct tl_contexts tl_contexts_here;

static struct tl_context_block *make_block(uint64_t room)
{
	struct tl_context_block *block = calloc(1, sizeof(*block) + room);

	if (block)
		block->room = room;
	return block;
}

static uint64_t room_behind(const struct tl_context_block *block, uint64_t size)
{
	uint64_t room = 2 * block->room;

	if (room < FIRST_ROOM)
		room = FIRST_ROOM;
	if (room > LAST_ROOM)
		room = LAST_ROOM;
	return room > size ? room : size;
}

/* --- logging */

/* NULL: there is none in this block. */
static struct tl_context_stored *take_place(struct tl_context_block *block, uint64_t size)
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
		/* Or somebody else has done it. */
		if (atomic_compare_exchange_strong_explicit(
			    &block->used, &at, behind, memory_order_relaxed, memory_order_relaxed))
			at = behind;
		if (mine)
			return stored;
	}
	return NULL;
}

static struct tl_context_stored *reserve(struct tl_context_whole *context, uint64_t size)
{
	for (;;) {
		/* Acquire: pairs with the exchanges below, so that the block is zeroed. */
		struct tl_context_block *block =
			atomic_load_explicit(&context->last, memory_order_acquire);
		struct tl_context_stored *stored = take_place(block, size);
		if (stored)
			return stored;
		struct tl_context_block *next = atomic_load_explicit(&block->next,
								     memory_order_acquire),
					*made;
		if (!next) {
			made = make_block(room_behind(block, size));
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

static size_t length(const char *text)
{
	return text ? strnlen(text, TL_STRING_MAX) : 0;
}

static char *put_text(char *to, const char *text)
{
	size_t size = length(text);

	if (size)
		memcpy(to, text, size);
	to[size] = 0;
	return to + size + 1;
}

static size_t args_of(const struct tl_context_event *event)
{
	return event->nargs < TL_CONTEXT_ARGS ? event->nargs : TL_CONTEXT_ARGS;
}

static uint64_t size_of(const struct tl_context_event *event)
{
	uint64_t size = sizeof(struct tl_context_stored) + length(event->name) + 1;

	for (size_t i = 0; i < args_of(event); i++)
		size += length(event->args[i].key) + length(event->args[i].value) + 2;
	return (size + 7) & ~UINT64_C(7);
}

static void put(struct tl_context_stored *stored, const struct tl_context_event *event)
{
	stored->lane = event->lane;
	stored->request = event->request;
	stored->time = event->time;
	stored->duration = event->type == 'X' ? event->duration : 0;
	stored->nargs = (uint16_t)args_of(event);
	stored->level = (uint8_t)event->level;
	stored->type = event->type;
	char *to = put_text(stored->texts, event->name);
	for (size_t i = 0; i < stored->nargs; i++)
		to = put_text(put_text(to, event->args[i].key), event->args[i].value);
	/* Pairs with the load in tl_context_next. */
	atomic_store_explicit(&stored->whole, 1, memory_order_release);
}

static void store(struct tl_context_whole *context, const struct tl_context_event *event)
{
	uint64_t size = size_of(event);
	struct tl_context_stored *stored = reserve(context, size);

	if (stored)
		put(stored, event);
	else
		atomic_fetch_add_explicit(&context->lost, 1, memory_order_relaxed);
}

static uint32_t number_of(const char *text)
{
	return tl_string_number(text ? text : "", length(text));
}

void tl_context_record(const struct tl_context_event *event)
{
	struct tl_event_arg args[TL_CONTEXT_ARGS];
	size_t nargs = args_of(event);

	/* The texts go into buffers, which are this process's, and say which clock there is. */
	tl_process_notice_fork();
	if (!tl_event_wanted((uint8_t)event->level) || !tl_process_begin())
		return;
	for (size_t i = 0; i < nargs; i++)
		args[i] = (struct tl_event_arg){.key = number_of(event->args[i].key),
						.kind = TL_VALUE_STRING,
						.value = number_of(event->args[i].value)};
	const struct tl_event put = {
		.phase = event->type == 'I' ? 'i' : event->type,
		.flags = TL_EVENT_NS,
		.level = (uint8_t)event->level,
		.lane = event->lane ? tl_event_lane_shown(event->lane) : 0,
		.name = number_of(event->name),
		.category = number_of("context"),
		.request = event->request,
		.start = event->time,
		.duration = event->duration,
		.nargs = (uint32_t)nargs,
		.args = args,
	};
	tl_event_put(&put);
}

static uint32_t own_lane(void)
{
	return tl_self ? ((struct tl_producer *)tl_self)->shown : (uint32_t)syscall(SYS_gettid);
}

void tl_context_log_here(struct tl_context *seen, const struct tl_context_event *event)
{
	struct tl_context_event whole = *event;
	int error = errno;

	if (!whole.type || !strchr("BEIX", whole.type))
		return;
	if (!whole.time)
		whole.time = tl_clock_gettime_ticks();
	if (!whole.request)
		whole.request = tl_context_request(seen);
	if (!whole.request)
		whole.request = tl_request_current();
	/* First, since a thread that is not known yet gets its lane by it. */
	tl_context_record(&whole);
	if (!whole.lane)
		whole.lane = own_lane();
	store(tl_context_whole_of(seen), &whole);
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

static bool add_lane(struct tl_context_whole *context, uint32_t shown, const char *name)
{
	struct tl_context_lane *lane = calloc(1, sizeof(*lane));

	if (!lane || !(lane->name = strndup(name ? name : "", TL_STRING_MAX))) {
		free(lane);
		return false;
	}
	lane->shown = shown;
	pthread_mutex_lock(&context->lock);
	lane->next = atomic_load_explicit(&context->lanes, memory_order_relaxed);
	/* Release: pairs with tl_context_lane_of. */
	atomic_store_explicit(&context->lanes, lane, memory_order_release);
	pthread_mutex_unlock(&context->lock);
	return true;
}

static void name_lane(struct tl_context *seen, uint32_t shown, const char *name)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);
	int error = errno;

	shown = shown ? shown : own_lane();
	const struct tl_context_lane *known = tl_context_lane_of(context, shown);
	/* Not once more for each request. */
	if (!known || !name || strncmp(known->name, name, TL_STRING_MAX))
		add_lane(context, shown, name);
	errno = error;
}

static uint32_t make_lane(struct tl_context *seen, const char *name)
{
	tl_process_start();
	tl_process_notice_fork();
	if (!tl_process_begin())
		return 0;
	uint32_t number = tl_event_lane(number_of(name), 1);
	const struct tl_lane_entry *entry = tl_event_lane_entry(number);

	return entry && add_lane(tl_context_whole_of(seen), entry->shown, name) ? entry->shown : 0;
}

static void free_lanes(struct tl_context_whole *context)
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

/* The next place that was taken. */
static const struct tl_context_stored *next_place(struct tl_context_block **block, uint64_t *at)
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
		/* Acquire: pairs with reserve() and append(). */
		*block = atomic_load_explicit(&(*block)->next, memory_order_acquire);
		*at = 0;
	}
	return NULL;
}

const struct tl_context_stored *tl_context_next(struct tl_context_block **block, uint64_t *at)
{
	const struct tl_context_stored *stored;

	/* Acquire: pairs with put(). */
	while ((stored = next_place(block, at)) &&
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

	for (*bytes = 0; (stored = next_place(&block, &at)); places++)
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

static int each(struct tl_context *seen, tl_context_visit visit, void *user)
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

static unsigned raised(unsigned level)
{
	tl_process_start();
	return (level | tl_config.context_level) & TL_CONTEXT_LEVELS;
}

static void set_level(struct tl_context *seen, unsigned level)
{
	__atomic_store_n(&seen->level, raised(level), __ATOMIC_RELAXED);
}

static struct tl_context *create(unsigned level)
{
	struct tl_context_whole *context = calloc(1, sizeof(*context));

	if (!context || !(context->first = make_block(FIRST_ROOM))) {
		free(context);
		return NULL;
	}
	context->seen.functions = &tl_contexts_here;
	context->seen.level = raised(level);
	atomic_init(&context->last, context->first);
	pthread_mutex_init(&context->lock, NULL);
	return &context->seen;
}

static void free_blocks(struct tl_context_block *block)
{
	while (block) {
		struct tl_context_block *next =
			atomic_load_explicit(&block->next, memory_order_relaxed);
		free(block);
		block = next;
	}
}

static void destroy(struct tl_context *seen)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);

	free_blocks(context->first);
	free_lanes(context);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

static void clear(struct tl_context *seen)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);
	struct tl_context_block *first = context->first;

	free_blocks(atomic_load_explicit(&first->next, memory_order_relaxed));
	atomic_store_explicit(&first->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&first->used, 0, memory_order_relaxed);
	memset(first->bytes, 0, first->room);
	/* Release: pairs with reserve(). */
	atomic_store_explicit(&context->last, first, memory_order_release);
	atomic_store_explicit(&context->lost, 0, memory_order_relaxed);
}

/* --- copies */

/* What the other has now, in one block. NULL: memory is short. */
static struct tl_context_block *copy_events(struct tl_context *from)
{
	struct tl_context_block *source = tl_context_whole_of(from)->first, *block;
	const struct tl_context_stored *stored;
	size_t bytes, used = 0;
	uint64_t at = 0;

	tl_context_places(from, &bytes);
	block = make_block(bytes);
	while (block && used < bytes && (stored = tl_context_next(&source, &at))) {
		uint32_t size = atomic_load_explicit(&stored->size, memory_order_relaxed);
		/* One that came after they were counted. */
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
 * Behind the last block, whichever that is by then. Nobody puts anything into the blocks before any
 * more.
 */
static void append(struct tl_context_whole *context, struct tl_context_block *block)
{
	struct tl_context_block *at = atomic_load_explicit(&context->last, memory_order_acquire),
				*next = NULL;

	while (!atomic_compare_exchange_strong_explicit(
		&at->next, &next, block, memory_order_acq_rel, memory_order_acquire)) {
		at = next;
		next = NULL;
	}
	/* Release: pairs with reserve(). */
	atomic_store_explicit(&context->last, block, memory_order_release);
}

/* The newest name of each, which comes first; those that the destination has count there. */
static bool copy_lanes(struct tl_context_whole *into, const struct tl_context_lane *lane)
{
	for (; lane; lane = lane->next)
		if (!tl_context_lane_of(into, lane->shown) &&
		    !add_lane(into, lane->shown, lane->name))
			return false;
	return true;
}

static int add(struct tl_context *seen, struct tl_context *from)
{
	struct tl_context_whole *into = tl_context_whole_of(seen),
				*other = tl_context_whole_of(from);
	struct tl_context_block *block = copy_events(from);

	if (!block ||
	    !copy_lanes(into, atomic_load_explicit(&other->lanes, memory_order_acquire))) {
		free(block);
		return -1;
	}
	if (block->room)
		append(into, block);
	else
		free(block);
	return 0;
}

/* --- */

static uint32_t set_request(struct tl_context *seen, uint32_t id)
{
	return __atomic_exchange_n(&seen->request, id, __ATOMIC_RELAXED);
}

extern TL_EXPORT const struct tl_contexts tl_contexts_here;
const struct tl_contexts tl_contexts_here = {
	.size = sizeof(struct tl_contexts),
	.create = create,
	.destroy = destroy,
	.set_level = set_level,
	.log = tl_context_log_here,
	.name = name_lane,
	.lane = make_lane,
	.each = each,
	.count = tl_context_size,
	.add = add,
	.clear = clear,
	.dump = tl_context_dump_here,
	.request = set_request,
	.enter = tl_context_enter_here,
	.leave = tl_context_leave_here,
	.entered = tl_context_entered_here,
	.now = tl_clock_gettime_ticks,
};
